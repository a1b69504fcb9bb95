"""Mass properties of a link in a frame, and the same in another frame."""

from __future__ import annotations

from mbconcord.records import dataclass

from .vectors import (
    Matrix,
    Number,
    Symmetric,
    Vector,
    add_symmetric,
    apply,
    congruent,
    plus,
    rotate,
    times,
    turned_symmetric,
)


@dataclass(frozen=True, slots=True)
class Mass:
    """Mass properties about the origin of a frame, in its axes.

    ``mass`` (kg), ``moment`` the first moment m c (kg m), ``tensor`` about the origin (kg m²).
    """

    mass: Number
    moment: Vector
    tensor: Symmetric

    def plus(self, other: Mass) -> Mass:
        """Add both."""
        return Mass(self.mass + other.mass, plus(self.moment, other.moment), add_symmetric(self.tensor, other.tensor))

    def shift(self, p: Vector) -> Mass:
        """Move to another origin, from which the old one is at p: the parallel-axis theorem.

        m c + m p, and J + 2 (p · m c) E - m c pᵀ - p (m c)ᵀ + m (p² E - p pᵀ).
        """
        a = self.moment
        b = plus(a, times(p, self.mass))
        x, y, z = (a[0] + b[0]) * p[0], (a[1] + b[1]) * p[1], (a[2] + b[2]) * p[2]
        steiner = (
            y + z, x + z, x + y,
            -(a[0] * p[1] + b[1] * p[0]), -(a[0] * p[2] + b[2] * p[0]), -(a[1] * p[2] + b[2] * p[1]),
        )  # fmt: skip
        return Mass(self.mass, b, add_symmetric(self.tensor, steiner))

    def change_axes(self, turn: Matrix | None) -> Mass:
        """Express the mass properties in other axes; columns of ``turn`` are the old axes in them (None: the same)."""
        return Mass(self.mass, apply(turn, self.moment), congruent(turn, self.tensor)) if turn else self

    def rotate(self, axis: int, sine: Number, cosine: Number) -> Mass:
        """Rotate the mass properties about an axis by the angle with the given sine and cosine."""
        return Mass(
            self.mass, rotate(self.moment, axis, sine, cosine), turned_symmetric(self.tensor, axis, sine, cosine)
        )
