"""What closes loops, and other constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from mbconcord.model import (
    ElementaryTransformation,
    Frame,
    FrameCoincidence,
    Holonomic,
    Nonholonomic,
    PointCoincidence,
    Rod,
)
from mbconcord.model.constraint import Constraint

from .draft import Draft
from .formulas import Amount, Place, formula, located, point


class Constraints(Draft):
    """Constraints of a mechanism."""

    def rod(self, name: str, first: Place, second: Place, length: Amount, *, mass: Amount = 0) -> Self:
        """An inextensible rod between two points (m); its mass (kg) is put half and half on them."""
        place = f"constraints/{name}"
        ends = point(place, first), point(place, second)
        return self._constraint(
            Rod(name, *ends, formula(f"{place}/length", length), formula(f"{place}/mass", mass))
        )

    def pinned(self, name: str, first: Place, second: Place) -> Self:
        """Two points coincide: a ball joint that closes a loop."""
        place = f"constraints/{name}"
        return self._constraint(PointCoincidence(name, point(place, first), point(place, second)))

    def closed(
        self,
        name: str,
        first: tuple[str | None, Iterable[ElementaryTransformation]],
        second: tuple[str | None, Iterable[ElementaryTransformation]],
    ) -> Self:
        """A cut joint: two frames coincide, each ``(body, transformations)``.

        Transformations are made by :func:`mbconcord.model.rotation` and :func:`mbconcord.model.translation`; a name
        in those of the first frame, ``rotation("z", "cut")``, is a coordinate of the cut joint alone.
        """
        place = f"constraints/{name}"
        with located(place):
            frames = (Frame(body, tuple(steps)) for body, steps in (first, second))
            return self._constraint(FrameCoincidence(name, *frames))

    def holds(self, name: str, zero: Amount) -> Self:
        """A holonomic constraint: a formula of coordinates and t that is zero."""
        return self._constraint(Holonomic(name, formula(f"constraints/{name}", zero)))

    def rolls(self, name: str, coefficients: Mapping[str, Amount], rest: Amount = 0) -> Self:
        """A nonholonomic constraint: Σ coefficient · rate + rest = 0, coefficients by the names of coordinates."""
        place = f"constraints/{name}"
        made = {n: formula(f"{place}/{n}", x) for n, x in coefficients.items()}
        return self._constraint(Nonholonomic(name, made, formula(place, rest)))

    def _constraint(self, made: Constraint) -> Self:
        self._new(f"constraints/{made.name}", made.name, (c.name for c in self._constraints))
        self._constraints.append(made)
        return self
