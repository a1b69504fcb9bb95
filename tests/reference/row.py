"""A row of the reference table: a model, states of it, numbers from outside this project, and what agrees with them.

The one rule of the table: what a formalism gives is right when it differs from the source by no more than

    (½ · 10^(1 - digits) + 512 ε) · size,    ε = 2^-52,

half a unit in the last digit of the source and the rounding of some hundreds of operations, of the largest number
that the source has for that quantity at that state. Terms of one equation have one size: a force that is zero is so
beside the others. Quantities that nothing makes, and ranks, are exact.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbconcord.fixtures import folder
from mbconcord.model import State, System
from mbconcord.model.evaluation import Array, ConstrainedMotion

#: Digits of a number that was rounded to a double.
DOUBLE = 16
ROUNDING = 512 * 2.0**-52
#: Terms of the equation of one coordinate.
FORCES = ("h", "gravity", "applied", "inverse_dynamics", "reactions")


@dataclass(frozen=True)
class Row:
    """N states of a model with n coordinates, and what a source says of them.

    Attributes
    ----------
    system : with constraints where the numbers are those of a closed system
    states : N of them
    digits : int
        Significant digits of the source: of its numbers or of the data of its model, whichever has fewer.
    known : quantity -> (N, …)
        Canonical quantities; of a closed system also ``reactions`` Dᵀ λ, the first ``multipliers`` and ``rank``.
    """

    system: System
    states: tuple[State, ...]
    digits: int
    known: Mapping[str, Array]

    @property
    def closed(self) -> bool:
        """Whether the numbers are those of a system with constraints."""
        return bool(self.system.constraints)

    @property
    def tolerance(self) -> float:
        """Of the largest number."""
        return 0.5 * 10.0 ** (1 - self.digits) + ROUNDING

    def differences(self, found: Mapping[str, Array]) -> list[str]:
        """What of these numbers is not what the source says, or what nothing makes and is not zero."""
        return [*self._wrong(found), *self._made_of_nothing(found)]

    def _wrong(self, found: Mapping[str, Array]) -> Iterator[str]:
        for quantity in self.known.keys() & found.keys():
            known = self.known[quantity]
            ours = np.asarray(found[quantity], dtype=float)
            if quantity == "multipliers":
                ours = ours[:, : known.shape[1]]
            assert ours.shape == known.shape, (quantity, ours.shape, known.shape)
            for state, (x, y) in enumerate(zip(ours, known, strict=True)):
                gap = np.abs(x - y).max(initial=0.0)
                allowed = 0.0 if quantity == "rank" else self.tolerance * self._size(quantity, state)
                if not gap <= allowed:  # NaN is no agreement
                    yield f"{quantity} at state {state} is off by {gap:.2g}, allowed {allowed:.2g}"

    def _size(self, quantity: str, state: int) -> float:
        together = FORCES if quantity in FORCES else (quantity,)
        return max(np.abs(self.known[q][state]).max(initial=0.0) for q in together if q in self.known)

    def _made_of_nothing(self, found: Mapping[str, Array]) -> Iterator[str]:
        drives = any(c.drive for c in self.system.coordinates)
        absent = {"gravity": self.system.gravity is None, "applied": not (drives or self.system.forces)}
        for quantity, nothing in absent.items():
            if nothing and quantity in found and found[quantity].any():
                yield f"{quantity} is not zero, and nothing makes it"


def row(system: System, states: Sequence[State], digits: int, known: Mapping[str, Any]) -> Row:
    """A row of numbers as a source lists them, state by state."""
    arrays = {quantity: np.array(numbers, dtype=float) for quantity, numbers in known.items()}
    assert {len(a) for a in arrays.values()} == {len(states)}
    return Row(system, tuple(states), digits, arrays)


def solved(motion: ConstrainedMotion) -> dict[str, Array]:
    """The numbers of a motion with constraints under the names of the table."""
    return {
        **motion.tree.quantities,
        "acceleration": motion.acceleration,
        "multipliers": motion.multipliers,
        "reactions": motion.reactions,
        "rank": motion.rank,
    }


def data(source: str, name: str) -> Any:
    """A JSON file of the fixtures."""
    return json.loads((folder(source) / name).read_text("utf-8"))


def states(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], keys: Sequence[str] = ("q", "v", "a")
) -> tuple[State, ...]:
    """States from rows of numbers in the order of the names; ``keys`` of q, q' and q''."""
    return tuple(State(0.0, *(dict(zip(names, r[key], strict=True)) for key in keys)) for r in rows)
