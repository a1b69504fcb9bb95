"""Parts of the equations of a closed linkage: as expressions, or as numbers at a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from mbconcord.records import dataclass, fields

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Parts(Generic[T]):
    """Matrices and vectors of the vector form (20) and of its cuts, in absolute angles.

    N links in the order of the tree, c cuts; lengths in m, vectors in the fixed axes of the plane.

    Attributes
    ----------
    H, h : N×N, coefficients in H ε + h ω²
    S : N×N, 1 where a drive acts on a link and -1 where it acts on the base (23)
    C : 2c×N, ∂φ/∂θ
    closure : φ = P - Q, 2c
    drift : C' ω, 2c, so that C ε = -C' ω
    ends : P and Q of each cut in the axes of their links, c×4
    efforts : the model's own efforts in the joints, N
    g : acceleration of gravity, 2
    m : mass of each link together with all links that it carries, N
    G, M_difference : moments of gravity and of loads MΔ, N
    omega, square, epsilon : ω, ω², ε of the links, N
    s, R : first moment of each link about its pole, and arm from the base's pole to it, N×2
    force : load on each link, N×2
    """

    H: T
    h: T
    S: T
    C: T
    closure: T
    drift: T
    ends: T
    efforts: T
    g: T
    m: T
    G: T
    M_difference: T
    omega: T
    square: T
    epsilon: T
    s: T
    R: T
    force: T

    def each(self) -> tuple[T, ...]:
        """Return all parts in the order above."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def map_parts(self, function: Callable[[T], U]) -> Parts[U]:
        """Apply a function to all parts, in the order of :meth:`each`."""
        return Parts(*map(function, self.each()))
