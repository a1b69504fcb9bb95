"""``derive --subsystems``: the equations of groups of coordinates, with the terms by which they act on each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbconcord.formalisms.interface import Formalism
    from mbconcord.formalisms.konoplev.decomposition import Subsystem
    from mbconcord.model.derivation import Derivation
    from mbconcord.model.diagnostics import Diagnostic
    from mbconcord.model.system import System

HELP = (
    "divide konoplev's equations between groups of coordinates, as in q1,q2/q3, or 'branches': of each group its own "
    "part, the interaction with the others, and the force; own + interaction = force"
)


def divided(chosen: Formalism, system: System, text: str) -> tuple[Derivation, tuple[Diagnostic, ...]]:
    """A derivation whose quantities are ``own``, ``interaction`` and ``force``, and what there is to say of the groups.

    Raises
    ------
    FormalismError
        The formalism has no B(q, q') to divide, or the groups do not hold every coordinate once.
    """
    from mbconcord.formalisms.konoplev.decomposition import by_branch, decomposed
    from mbconcord.model.diagnostics import FormalismError, error

    derivation = chosen.derive(system)
    if "B" not in derivation.native:
        message = f"{chosen.name} has no B(q, q') to divide"
        raise FormalismError(error("--subsystems", message, "use --formalism konoplev"))
    groups: Mapping[str, Sequence[str]]
    if text == "branches":
        groups = by_branch(system)
    else:
        parts = ([name.strip() for name in part.split(",") if name.strip()] for part in text.split("/"))
        groups = {", ".join(part): part for part in parts if part}
    found = decomposed(derivation, groups)
    quantities = {
        name: tuple(
            value
            for coordinate in system.coordinate_names
            for part in found.values()
            for owner, value in zip(part.coordinates, getattr(part, name), strict=True)
            if owner == coordinate
        )
        for name in ("own", "interaction", "force")
    }
    return replace(derivation, quantities=quantities), tuple(_remarks(found))


def _remarks(found: Mapping[str, Subsystem]) -> Iterator[Diagnostic]:
    """Who is in which group, and which groups do not act on each other."""
    from mbconcord.model.derivation import flatten
    from mbconcord.model.diagnostics import Diagnostic
    from mbconcord.model.expressions import ZERO

    for name, part in found.items():
        coordinates = ", ".join(part.coordinates)
        if name != coordinates:
            yield Diagnostic("note", f"subsystems/{name}", f"coordinates {coordinates}")
    for (name, part), (other, second) in combinations(found.items(), 2):
        blocks = (part.A[other], part.B[other], second.A[name], second.B[name])
        if all(x is ZERO for block in blocks for x in flatten(block)):
            message = f"A and B of it and {other} are zero: they interact through others only"
            yield Diagnostic("note", f"subsystems/{name}", message)
