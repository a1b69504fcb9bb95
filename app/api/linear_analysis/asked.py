"""What equilibrium and linearize have in common: whose equations are taken, which state is meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from numpy.typing import ArrayLike

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..obstacles import require
from ..states import States, given


def whose(asked: str | Formalism | None, system: System) -> Formalism:
    """The formalism that is asked for, or the first that takes the model."""
    if isinstance(asked, Formalism):
        by = asked
    elif asked is not None:
        by = registry.formalism(asked)
    else:
        able = (by for by in map(registry.formalism, registry.names()) if not by.constraint_obstacles(system))
        by = next(able, registry.formalism(registry.DEFAULT))
    require(by, system)
    return by


def everyone() -> list[Formalism]:
    """All formalisms, for the evidence."""
    return [registry.formalism(name) for name in registry.names()]


def one_state(system: System, q: States | None, v: States | None, t: ArrayLike | None) -> tuple[State, bool]:
    """The state that is given, and whether its time is."""
    at = given(system, q, v, None, t, None)
    if at.count != 1:
        raise NumbersError(error("q", f"{at.count} states were given", "give one"))
    return at.states()[0], t is not None or bool(at.own) or "t" in at.values


def known(names: Iterable[str], system: System, place: str) -> list[str]:
    """Names of coordinates; :class:`NumbersError` for one that there is not, or that is there twice."""
    asked, own = list(names), system.coordinate_names
    findings = [error(place, f"no such coordinate {n!r}", among(n, own)) for n in asked if n not in own]
    findings += [
        error(place, f"{n} is named twice", "name it once") for n in set(asked) if asked.count(n) > 1
    ]
    if findings:
        raise NumbersError(findings)
    return asked


def loud(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What a reader said that is more than a note."""
    return tuple(d for d in diagnostics if d.severity != "note")
