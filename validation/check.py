"""Check one model: every formalism that can take it, all pairs compared at random states."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.check import physics
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import ModelError, NumbersError, error
from mbconcord.model.numbers import environment, parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System

from .comparison import compare_evaluations
from .draw import complete_state, draw
from .evidence import Comparison, Evidence
from .trial import Trial, trial


def check(
    system: System,
    file: str = "-",
    formalisms: Sequence[str | Formalism] | None = None,
    states: int = 10,
    seed: int = 0,
    given: Sequence[State] | None = None,
) -> Evidence:
    """Evidence about a model: where the formalisms agree, where they do not, and what was not checked.

    Parameters
    ----------
    system : System
    file : name for the report
    formalisms : names (or instances) to ask; None: all
    states, seed : how many states are drawn, and from what
    given : states to use instead of drawn ones; parameters without value are still drawn

    Raises
    ------
    ModelError
        A body is physically impossible.
    NumbersError
        A state names what the model does not have, or some value is no number.
    MbconcordError
        There is no formalism of a given name.
    """
    if given is None and states < 1:
        raise NumbersError(error("states", f"{states} states were asked for", "ask for at least one"))
    asked = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names()]
    drawn = draw(system, states if given is None else 0, seed)
    chosen = drawn.states if given is None else tuple(complete_state(system, s, seed) for s in given)
    require_physics(drawn.system, chosen)
    environment(drawn.system, chosen)
    made = trial(drawn.system, chosen, asked, count=True)
    found = tuple(refereed(made, c) if c.verdict == "disagrees" else c for c in compare(made))
    return Evidence(file, drawn.system, seed, chosen, made.witnesses, found, drawn.diagnostics)


def refereed(made: Trial, comparison: Comparison) -> Comparison:
    """The disagreement as the referee sees it (imported here: a check that agrees needs no high precision)."""
    from .referee import review

    return review(made, comparison)


def require_physics(system: System, states: Sequence[State]) -> None:
    """Raise :class:`ModelError` when a body is impossible with the parameters of some state."""
    seen: list[dict[str, float]] = []
    for state in states:
        own = dict(state.parameters)
        if own not in seen:
            seen.append(own)
            findings = physics(system, parameter_values(system, own))
            if findings:
                raise ModelError(findings)


def compare(made: Trial) -> list[Comparison]:
    """All pairs of a trial, quantity by quantity, and what failed; before the referee has looked at them."""
    found = made.failures()
    for a, b in made.pairs:
        found += compare_evaluations(a, b, made.scales, made.states, made.names)
    return found + unwitnessed(made)


def unwitnessed(made: Trial) -> list[Comparison]:
    """Quantities with fewer than two independent witnesses: not checked, whatever the one says."""
    found = []
    for quantity in QUANTITIES:
        who = [name for name, e in made.evaluations.items() if quantity in e.quantities]
        if len(who) < 2:
            reason = f"only {who[0]} delivers it" if who else "no formalism delivers it"
            found.append(
                Comparison(
                    who[0] if who else "",
                    "",
                    quantity,
                    "not checked",
                    explanation=f"{reason}; two are needed",
                )
            )
    return found
