"""Whether a set numbers identifiers and joint forces as the model does: the kernel hands both over by number.

Formulas that are right in names are wrong in a program that fills ``i1`` with the value of ``m1``. What is known of the
order: identifiers in that of the model's declarations, joint forces in that of their coordinates (inferred), so another
order is *not checked*, no disagreement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.equations import GeneratedEquations, joint_force_symbol
from mbconcord.model.expressions import MINUS_ONE, directional
from mbconcord.model.system import System
from mbconcord.validation.judge.evidence import Comparison

#: So many names of a list are shown.
MOST = 12


class NoPlaceError(Exception):
    """A force that the generated equations cannot be given, and why."""


def orders(system: System, equations: GeneratedEquations) -> Iterator[Comparison]:
    """Not checked: what the set contradicts itself in, and what it numbers in another order than the model."""
    for quantity, reason in (*equations.doubts, *_identifiers(system, equations), *_joint_forces(equations)):
        yield Comparison(equations.program, "", quantity, "not checked", explanation=reason)


def unordered(system: System, equations: GeneratedEquations) -> Iterator[Diagnostic]:
    """A note where a model of another program cannot say in which order the kernel hands identifiers over."""
    program, names = equations.program, equations.identifiers
    if f"{program}:coordinates" not in system.metadata and equations.count is not None and len(names) > 1:
        message = (
            f"handed over in the set's own order, with which this model has none to compare: {_listed(names)}"
        )
        yield Diagnostic("note", f"{program}/identifiers", message)


def row(equations: GeneratedEquations, number: int) -> int:
    """The row that a joint force enters. It shall enter with plus: its factor there is not touched.

    Raises
    ------
    NoPlaceError
        There is not exactly one.
    """
    slopes = directional(equations.residual or (), {joint_force_symbol(number): MINUS_ONE})
    rows = [i for i, slope in enumerate(slopes) if slope]
    if len(rows) != 1:
        raise NoPlaceError(f"joint force {number} does not act along one coordinate")
    return rows[0]


def _identifiers(system: System, equations: GeneratedEquations) -> Iterator[tuple[str, str]]:
    """A model of the same program declares its identifiers in the order of the kernel's array.

    Whether one with a formula is in the array is not known: it may be left out.
    """
    program = equations.program
    if (
        f"{program}:coordinates" not in system.metadata
        or equations.count is None
        or not equations.identifiers
    ):
        return
    called = system.metadata.get(f"{program}:identifiers", {})
    own = [(str(called.get(p.name, p.name)), p.value is None or p.value.constant) for p in system.parameters]
    if any("." in name for name, _ in own):
        yield "identifiers", "how a set takes the identifiers of subsystems is not known"
        return
    read = [name for name in equations.identifiers if name in dict(own)]
    expected = [name for name, plain in own if plain or name in read]
    if list(equations.identifiers) != expected:
        yield (
            "identifiers",
            f"the equations take {_listed(equations.identifiers)} from the kernel by number, the model declares "
            f"{_listed(expected)}: the set is not of this model, and one may be filled with the value of another "
            "(generate the equations again)",
        )


def _joint_forces(equations: GeneratedEquations) -> Iterator[tuple[str, str]]:
    """Joint forces are numbered in the order of their coordinates."""
    if equations.residual is None:
        return
    try:
        rows = [row(equations, number) for number in sorted(equations.joint_forces)]
    except NoPlaceError:
        return  # said where the forces are compared
    if rows != sorted(set(rows)):
        numbers = _listed([str(number) for number in sorted(equations.joint_forces)])
        places = ", ".join(str(i + 1) for i in rows)
        yield (
            "joint_forces",
            f"joint forces {numbers} act along coordinates {places}: expected the same order of both",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join([*names[:MOST], *(["…"] if len(names) > MOST else [])]) or "none"
