"""A constraint row, its reactions, and the pair of bodies whose virtual displacements it relates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model.expressions import ONE, Expression
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ..kinematics import NONE, Kinematics, Triple, dot, minus

Frames = Mapping[str | None, Kinematics]


@dataclass(frozen=True, slots=True)
class Reaction:
    """Reaction on a body for λ = 1: a force at the origin of a frame fixed to it, and a moment, in world axes."""

    body: str | None
    frame: Kinematics
    force: Triple
    moment: Triple

    def work(self, name: str) -> Expression:
        """Compute the work of the reaction on the frame's displacement due to the named coordinate."""
        return dot(self.force, self.frame.D.get(name, NONE)) + dot(self.moment, self.frame.B.get(name, NONE))


@dataclass(frozen=True, slots=True)
class Row:
    """A row D q' + γ = 0 of the rates, D q'' + γ̃ = 0 of the accelerations.

    Attributes
    ----------
    constraint, part : name of the model's constraint, and name of the row in it (empty if it is the only one)
    D : ∂speed/∂q' by coordinate; absent coordinates have zero
    speed, rest : D q' + γ and γ̃, the time derivative of speed where q'' = 0
    position : the function whose time derivative is speed, zero on the constraint; None for a nonholonomic row
    facing : negative if frames that should coincide have the opposite orientation, else positive
    drive : coordinate whose acceleration a drive imposes; empty for a constraint's row
    reactions : reactions on the bodies for λ = 1; empty for rows of formulas
    of_formula : True if the row is a formula of the model, which may have any factor
    """

    constraint: str
    part: str
    D: Mapping[str, Expression]
    speed: Expression
    rest: Expression
    position: Expression | None = None
    facing: Expression = ONE
    drive: str = ""
    reactions: tuple[Reaction, ...] = ()
    of_formula: bool = False

    @property
    def place(self) -> str:
        """Place of the constraint or drive in the model."""
        return f"coordinates/{self.drive}/drive" if self.drive else f"constraints/{self.constraint}"

    @property
    def name(self) -> str:
        """Name of the constraint, and of the row if it has several: ``loop (x)``."""
        return f"{self.constraint} ({self.part})" if self.part else self.constraint


@dataclass(frozen=True, slots=True)
class Pair:
    """Carrier and relative coordinates of two bodies: ``carrier`` is the last body that carries both, None the ground.

    Coordinates of joints up to the carrier move both as one. Its modes do not: the two bodies are at different nodes.
    """

    carrier: str | None
    moving: tuple[str, ...]


def pair_bodies(system: System, first: str | None, second: str | None) -> Pair:
    """Return the last common carrier of two bodies in the tree, and the coordinates that move them differently."""
    left, right = system.path(first), system.path(second)
    common = 0
    while common < min(len(left), len(right)) and left[common] is right[common]:
        common += 1

    def names() -> Iterator[str]:
        if common:
            yield from left[common - 1].modal
        for body in (*left[common:], *right[common:]):  # a map's coordinate may move several
            yield from (*(name for et in body.joint for name in et.moving), *body.modal)

    return Pair(left[common - 1].name if common else None, tuple(dict.fromkeys(names())))


def opposite(
    first: tuple[str | None, Kinematics], second: tuple[str | None, Kinematics], force: Triple, moment: Triple = NONE
) -> tuple[Reaction, ...]:
    """Return the force and moment on the first body and their opposites on the second, at frames at one place."""
    return (Reaction(*first, force, moment), Reaction(*second, minus(NONE, force), minus(NONE, moment)))
