"""Decomposition into subsystems with their interaction: item 7 of the paper.

``A_aa q̈_a + B_aa q̇_a = Q_a - Σ_{b≠a} (A_ab q̈_b + B_ab q̇_b)``. Subsystems that are disjoint branches have
``A_ab = B_ab = 0`` exactly and interact through their common ancestors only. B depends on all rates, so that the own
part of a subsystem is not free of the rates of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import cast

from mbconcord.model.derivation import DIVIDED, Derivation, flatten
from mbconcord.model.diagnostics import Diagnostic, FormalismError, error
from mbconcord.model.expressions import ZERO, Expression, rate
from mbconcord.model.features import features
from mbconcord.records import dataclass, replace

#: What moves by itself and makes h more than B q̇.
DRIVEN = ("prescribed_motion", "flywheels")

Rows = tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Subsystem:
    """Equations of one group of coordinates: ``own + interaction = force``, in q, q', q'', t.

    Attributes
    ----------
    coordinates : names of the group's coordinates
    A, B : blocks A_ab and B_ab by the name of group b, a itself included
    own : A_aa q̈_a + B_aa q̇_a, plus terms of flywheels and prescribed motions
    interaction : Σ_{b≠a} (A_ab q̈_b + B_ab q̇_b)
    force : Q_a, weight and applied forces
    """

    coordinates: tuple[str, ...]
    A: Mapping[str, Rows]
    B: Mapping[str, Rows]
    own: tuple[Expression, ...]
    interaction: tuple[Expression, ...]
    force: tuple[Expression, ...]


def decompose(derivation: Derivation, groups: Mapping[str, Sequence[str]]) -> dict[str, Subsystem]:
    """Divide the equations into subsystems by groups of coordinates. Their sum is the whole system of equations.

    Raises
    ------
    FormalismError
        The groups do not hold every coordinate exactly once.
    """
    names = derivation.system.coordinate_names
    listed = [name for group in groups.values() for name in group]
    if sorted(listed) != sorted(names):
        raise FormalismError(
            error(
                "subsystems",
                f"the groups hold {', '.join(sorted(listed))}; expected every coordinate once",
                f"divide {', '.join(names)} between them, as in {'/'.join(names)}",
            )
        )
    place = {name: i for i, name in enumerate(names)}
    M, B = cast(Rows, derivation.quantities["M"]), cast(Rows, derivation.native["B"])
    h, gravity, applied = (
        cast("tuple[Expression, ...]", derivation.quantities[key]) for key in ("h", "gravity", "applied")
    )
    velocities = [rate(c) for c in names]
    driven = any(feature in DRIVEN for feature, _ in features(derivation.system))  # else h is B q̇
    found = {}
    for name, own in groups.items():
        blocks = {
            letter: {
                other: tuple(tuple(matrix[place[i]][place[k]] for k in columns) for i in own)
                for other, columns in groups.items()
            }
            for letter, matrix in (("A", M), ("B", B))
        }
        rest = [h[place[i]] - times(B[place[i]], velocities) if driven else ZERO for i in own]
        parts = {
            other: [
                times(blocks["A"][other][i], [rate(c, 2) for c in columns])
                + times(blocks["B"][other][i], [rate(c) for c in columns])
                for i in range(len(own))
            ]
            for other, columns in groups.items()
        }
        found[name] = Subsystem(
            tuple(own),
            blocks["A"],
            blocks["B"],
            tuple(a + b for a, b in zip(parts[name], rest, strict=True)),
            tuple(sum((parts[o][i] for o in groups if o != name), ZERO) for i in range(len(own))),
            tuple(gravity[place[i]] + applied[place[i]] for i in own),
        )
    return found


def divide_derivation(derivation: Derivation, groups: Mapping[str, Sequence[str]]) -> Derivation:
    """Return a derivation with native ``own``, ``interaction`` and ``force`` of the subsystems, and notes on groups.

    Raises
    ------
    FormalismError
        The groups do not hold every coordinate exactly once.
    """
    found = decompose(derivation, groups)
    quantities = {
        name: tuple(
            value
            for coordinate in derivation.system.coordinate_names
            for part in found.values()
            for owner, value in zip(part.coordinates, getattr(part, name), strict=True)
            if owner == coordinate
        )
        for name in DIVIDED
    }
    return replace(derivation, quantities={}, native=quantities, notes=tuple(remarks(found)))


def remarks(found: Mapping[str, Subsystem]) -> Iterator[Diagnostic]:
    """Note the members of each group, and the groups that do not act on each other."""
    for name, part in found.items():
        coordinates = ", ".join(part.coordinates)
        if name != coordinates:
            yield Diagnostic("note", f"subsystems/{name}", f"coordinates {coordinates}")
    for (name, part), (other, second) in combinations(found.items(), 2):
        blocks = (part.A[other], part.B[other], second.A[name], second.B[name])
        if all(x is ZERO for block in blocks for x in flatten(block)):
            message = f"A and B of it and {other} are zero: they interact through others only"
            yield Diagnostic("note", f"subsystems/{name}", message)


def times(row: Sequence[Expression], column: Sequence[Expression]) -> Expression:
    """Return Σ row_i column_i."""
    return sum((a * b for a, b in zip(row, column, strict=True)), ZERO)
