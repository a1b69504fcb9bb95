"""Motion of points with names for long expressions."""

from __future__ import annotations

from typing import Any

from ..arithmetic import Symbolic
from ..places import Places
from ..screw import Transfer
from ..vectors import Vector
from .naming import Names
from .rows import Named


class NamedPlaces(Places):
    """Motion of points with names for long expressions."""

    def __init__(self, made: Named, names: Names) -> None:
        super().__init__(made.tree, lambda: made.origin, made.mechanism.numbers, Symbolic())
        self.names = names
        self._short: dict[int, Vector] = {}

    def name_frame(self, link: int, frame: Transfer) -> Transfer:
        """Return the frame with names for its long elements."""
        o = tuple(self.names.shorten("U-0", f"o_{{{link},{i}}}", x) for i, x in enumerate(frame.o, 1))
        c = tuple(
            tuple(self.names.shorten("U-0", f"c_{{{link},{i}{k}}}", x) for k, x in enumerate(row, 1))
            for i, row in enumerate(frame.c, 1)
        )
        return Transfer(o, c)

    def name_scalar(self, label: str, value: Any) -> Any:
        """Name the scalar and return its name."""
        return self.names.give("U-0", label, self.names.break_up("U-0", value))

    def twist(self, number: int) -> Vector:
        """Compute the absolute twist of the link's frame, with names for long elements."""
        if number not in self._short:
            found = super().twist(number)
            self._short[number] = tuple(
                self.names.shorten("U-0", f"v_{{{number},{i}}}", x) for i, x in enumerate(found, 1)
            )
        return self._short[number]

    def bias(self, number: int) -> Vector:
        """Compute V̇ of the link's frame at q̈ = 0, with names for long elements."""
        if number not in self._biases:
            found = super().bias(number)
            self._biases[number] = tuple(
                self.names.shorten("U-0", f"a_{{{number},{i}}}", x) for i, x in enumerate(found, 1)
            )
        return self._biases[number]
