"""A mechanism that is closed at any position: constants of its constraints become symbols that close it there.

The rows of constraints hold at positions that satisfy them, and these have no rational coordinates. So the position is
drawn, and the mechanism is made to fit it: a rod is as long as its points are apart, a point is where the other one is,
a frame is moved by a constant transformation, a function is less its own value. What is equal for all such mechanisms
is equal for the given one, where that has no fewer independent rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mbconcord.model.constraint import (
    Constraint,
    FrameCoincidence,
    Holonomic,
    PointCoincidence,
    Rod,
)
from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import ONE, ZERO, Expression, sqrt, symbol
from mbconcord.model.expressions.field import IDENTICAL, Point, Value, vanish
from mbconcord.model.expressions.field.extension import inverse
from mbconcord.model.functions import define
from mbconcord.model.naming import Namer
from mbconcord.model.system import System
from mbconcord.model.transformation import (
    Constant,
    ElementaryTransformation,
    Vector,
    X,
    Y,
    Z,
)
from mbconcord.simulation.poses import Matrix, at_point, poses, times, transposed

from .cut_joint import CutJoint, across, dot, less, turned

AXES = (X, Y, Z)


@dataclass(frozen=True)
class Turn:
    """A constant angle: its cosine and sine at a position, over the root of ``square`` where one is given.

    The middle one of three has that root for its cosine.
    """

    angle: Expression
    cosine: Expression
    sine: Expression
    square: Expression | None = None


@dataclass
class Closed:
    """A system with symbols for constants of its constraints.

    Attributes
    ----------
    system : System
    definitions : symbol -> what it is at a position
    turns : angles, which are known by their sines and cosines
    scope : at which positions it is closed; empty: at all
    """

    system: System
    definitions: dict[Expression, Expression] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    scope: str = ""


class CannotCloseError(Exception):
    """A constraint that no constant closes."""


def closed_anywhere(system: System) -> Closed:
    """The system with constants that close it at any position.

    Raises
    ------
    CannotCloseError
        A constraint has no constant that could.
    """
    return _Closing(system).made()


class _Closing:
    def __init__(self, system: System) -> None:
        self.system, self.poses = system, poses(system)
        self.namer = Namer(system.names)
        self.parameters: list[Parameter] = []
        self.definitions: dict[Expression, Expression] = {}
        self.turns: list[Turn] = []

    def made(self) -> Closed:
        constraints = tuple(map(self._constraint, self.system.constraints))
        parameters = (*self.system.parameters, *self.parameters)
        made = replace(self.system, parameters=parameters, constraints=constraints)
        meanings = define(self.definitions.values(), self.system.functions)
        return Closed(made, dict(zip(self.definitions, meanings, strict=True)), self.turns)

    def _symbol(self) -> Expression:
        name = self.namer.fresh(f"closing{len(self.parameters) + 1}")
        self.parameters.append(Parameter(name))
        return symbol(name)

    def _constant(self, meaning: Expression) -> Expression:
        """A constant that has this value."""
        made = self._symbol()
        self.definitions[made] = meaning
        return made

    def _constraint(self, c: Constraint) -> Constraint:
        if isinstance(c, Rod):
            a, b = (at_point(self.system, self.poses, end).r for end in (c.first, c.second))
            apart = less(b, a)
            return replace(c, length=self._constant(sqrt(dot(apart, apart))))
        if isinstance(c, PointCoincidence):
            return self._points(c)
        if isinstance(c, FrameCoincidence):
            return self._frames(c)
        if isinstance(c, Holonomic):
            return replace(c, expression=c.expression - self._constant(c.expression))
        return c

    def _points(self, c: PointCoincidence) -> PointCoincidence:
        """One point moves on its body to where the other is."""
        for moved, other, second in ((c.second, c.first, True), (c.first, c.second, False)):
            if moved.body is not None and self.system.body(moved.body).modes is not None:
                continue
            own = at_point(self.system, self.poses, moved)
            there = at_point(self.system, self.poses, other).r
            gap = self._moving(across(own.R, less(there, own.r)))
            x, y, z = (p + d for p, d in zip(moved.position, gap, strict=True))
            fitted = replace(moved, position=(x, y, z))
            return replace(c, second=fitted) if second else replace(c, first=fitted)
        raise CannotCloseError(f"{c.name}: both its points are on elastic bodies")

    def _moving(self, gap: Vector) -> list[Expression]:
        """Constants of these values, but where they are zero everywhere."""
        verdicts = vanish(gap, draws=1)
        return [
            ZERO if v.kind == IDENTICAL else self._constant(x) for x, v in zip(gap, verdicts, strict=True)
        ]

    def _frames(self, c: FrameCoincidence) -> FrameCoincidence:
        """The second frame moves by a constant transformation C before its own ones: A E(p) after = B C S.

        E(p) are the joint's own rotations and translations. Where its rotations can do without, C does not turn.
        """
        joint = CutJoint.of(c, self.poses)
        gaps = joint.misaligned
        turn, rotations = _UNIT, list[ElementaryTransformation]()
        if gaps is None or not _vanishing(gaps):
            turn = times(times(transposed(joint.body.R), joint.first.R), transposed(joint.rotation))
            rotations = self._turned(turn)
        place = across(joint.body.R, less(joint.first.r, joint.body.r))
        shift = self._moving(less(place, turned(turn, joint.origin)))
        moved = [
            ElementaryTransformation("translation", axis, Constant(x))
            for axis, x in zip(AXES, shift, strict=True)
            if x is not ZERO
        ]
        frame = replace(c.second, transformations=(*moved, *rotations, *c.second.transformations))
        return replace(c, second=frame)

    def _turned(self, R: Matrix) -> list[ElementaryTransformation]:
        """Constant rotations that make R: about one axis of coordinates where that is enough, else z, y, x."""
        for k, axis in enumerate(AXES):
            i, j = (k + 1) % 3, (k + 2) % 3
            gaps = [R[k][k] - ONE, R[k][i], R[k][j], R[i][k], R[j][k]]
            if _vanishing(gaps):
                return [self._turn(axis, R[i][i], R[j][i])]
        square = ONE - R[2][0] * R[2][0]
        return [
            self._turn(Z, R[0][0], R[1][0], square),
            self._turn(Y, ZERO, -R[2][0], square),
            self._turn(X, R[2][2], R[2][1], square),
        ]

    def _turn(
        self, axis: Vector, cosine: Expression, sine: Expression, square: Expression | None = None
    ) -> ElementaryTransformation:
        angle = self._symbol()
        self.turns.append(Turn(angle, cosine, sine, square))
        return ElementaryTransformation("rotation", axis, Constant(angle))


def assign_turns(point: Point, turns: Sequence[Turn], values: Sequence[Sequence[Value]]) -> None:
    """Give the angles their exponentials at a point; ``values`` are their cosine, sine and square there.

    Raises
    ------
    NoRootError
        The middle angle has no cosine in the field of this point.
    """
    p, i = point.field.p, point.field.unit
    for turn, (cosine, sine, square) in zip(turns, values, strict=True):
        if turn.square is not None:
            root = point.square_root(square)
            if turn.cosine is ZERO:
                cosine = root
            else:
                cosine, sine = (x * inverse(root, p) % p for x in (cosine, sine))
        point.assign_turn(turn.angle, (cosine + i * sine) % p)


def open_ends(system: System) -> list[Expression]:
    """What is zero where a system is closed.

    Raises
    ------
    CannotCloseError
        That is not known of a cut joint.
    """
    of_body, found = poses(system), list[Expression]()
    for c in system.constraints:
        if isinstance(c, Holonomic):
            found.append(c.expression)
        elif isinstance(c, Rod | PointCoincidence):
            a, b = (at_point(system, of_body, end).r for end in (c.first, c.second))
            apart = less(a, b)
            found += [dot(apart, apart) - c.length * c.length] if isinstance(c, Rod) else apart
        elif isinstance(c, FrameCoincidence):
            joint = CutJoint.of(c, of_body)
            if joint.misaligned is None or joint.apart is None:
                raise CannotCloseError(f"{c.name}: it is not known where this cut joint is closed")
            found += [*joint.misaligned, *joint.apart]
    return found


def _vanishing(gaps: Sequence[Expression]) -> bool:
    return all(v.kind == IDENTICAL for v in vanish(gaps, draws=1))


_UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
