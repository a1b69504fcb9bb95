"""Mass properties of a link in a frame, and the same in another frame."""

from __future__ import annotations

from dataclasses import dataclass

from .vectors import (
    Matrix,
    Number,
    Symmetric,
    Vector,
    added,
    apply,
    congruent,
    plus,
    times,
    turned,
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
        """Both together."""
        return Mass(self.mass + other.mass, plus(self.moment, other.moment), added(self.tensor, other.tensor))

    def shifted(self, p: Vector) -> Mass:
        """Seen from another origin, from which the old one lies at p: the parallel-axis theorem.

        m c + m p, and J + 2 (p · m c) E - m c pᵀ - p (m c)ᵀ + m (p² E - p pᵀ).
        """
        a = self.moment
        b = plus(a, times(p, self.mass))
        x, y, z = (a[0] + b[0]) * p[0], (a[1] + b[1]) * p[1], (a[2] + b[2]) * p[2]
        steiner = (
            y + z, x + z, x + y,
            -(a[0] * p[1] + b[1] * p[0]), -(a[0] * p[2] + b[2] * p[0]), -(a[1] * p[2] + b[2] * p[1]),
        )  # fmt: skip
        return Mass(self.mass, b, added(self.tensor, steiner))

    def rotated(self, turn: Matrix | None) -> Mass:
        """The same in other axes: columns of ``turn`` are the old axes in the new ones (None: the same)."""
        return Mass(self.mass, apply(turn, self.moment), congruent(turn, self.tensor)) if turn else self

    def turned(self, axis: int, sine: Number, cosine: Number) -> Mass:
        """The same turned about an axis by the angle whose sine and cosine are given."""
        return Mass(
            self.mass,
            turned(self.moment, axis, sine, cosine),
            turned_symmetric(self.tensor, axis, sine, cosine),
        )
