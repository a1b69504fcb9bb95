"""Small models, and formalisms that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import comb
from typing import Any

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import (
    Body,
    Coordinate,
    Gravity,
    Inertia,
    JointEffort,
    Parameter,
    Point,
    System,
    Wrench,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.derivation import QUANTITIES, Derivation
from mbconcord.model.expressions import as_expression, symbol
from mbconcord.model.features import OPEN_TREES


def pairs_of(delivered: Iterable[Iterable[str]]) -> int:
    """How many comparisons there are of formalisms that deliver these quantities: all pairs of each quantity."""
    held = [set(names) for names in delivered]
    return sum(comb(sum(q in names for names in held), 2) for q in QUANTITIES)


Change = Callable[[dict[str, Any]], Mapping[str, Any]]


def double_pendulum() -> System:
    """Two links of different lengths and masses in the vertical plane, with friction."""
    return System(
        "double pendulum",
        (Coordinate("z1"), Coordinate("z2")),
        (Parameter("m1", as_expression(2)), Parameter("m2", as_expression(3))),
        (),
        Gravity(as_expression(9.81), (0, -1, 0)),
        (
            Body("a", None, (rotation("z", "z1"), translation("x", as_expression(0.7))), Inertia(symbol("m1"))),
            Body("b", "a", (rotation("z", "z2"), translation("x", as_expression(1.1))), Inertia(symbol("m2"))),
        ),
        (
            JointEffort("friction", "z1", -symbol("z1'") * 0.3),
            Wrench("push", Point("b"), force=(as_expression(1), as_expression(2), as_expression(0))),
        ),
    )


def soft() -> System:
    """What formalisms of rigid bodies do not take."""
    return read(folder() / "elastic/planar_arm.mbs.json").system


class Altered(Formalism):
    """The equations of an honest formalism, changed."""

    title, reference, takes = "altered", "none", OPEN_TREES

    def __init__(self, change: Change, name: str = "altered", base: str = "virtual_work") -> None:
        self.name = name  # type: ignore[misc]
        self.change, self.base = change, base

    def derive(self, system: System) -> Derivation:
        found = registry.formalism(self.base).derive(system)
        return replace(found, formalism=self.name, quantities=self.change(dict(found.quantities)))


class Failing(Formalism):
    """Raises when it is asked to derive."""

    name, title, reference, takes = "failing", "failing", "none", OPEN_TREES

    def derive(self, system: System) -> Derivation:
        raise KeyError("no such thing")


def entry(quantity: str, at: tuple[int, ...], change: Callable[[Any], Any]) -> Change:
    """Change one entry of a quantity."""

    def changed(value: Any, index: tuple[int, ...]) -> Any:
        if not index:
            return change(value)
        return (*value[: index[0]], changed(value[index[0]], index[1:]), *value[index[0] + 1 :])

    return lambda quantities: quantities | {quantity: changed(quantities[quantity], at)}


def only(*names: str) -> Change:
    """Deliver these quantities only."""
    return lambda quantities: {name: quantities[name] for name in names}


@contextmanager
def reproduced(system: System) -> Iterator[None]:
    """A failure inside is reported with the model as one line that reproduces it."""
    from mbconcord.validation.strategies.machines import Reproducer

    try:
        yield
    except AssertionError as problem:
        problem.add_note(repr(Reproducer(system)))
        raise
