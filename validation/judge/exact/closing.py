"""A mechanism closed at any position: constants of its constraints become symbols that close it there.

The rows of constraints hold at positions that satisfy them, and these have no rational coordinates. So the position is
drawn, and the mechanism is fitted to it: a rod gets the distance of its points, a point moves to the other one, a frame
is moved by a constant transformation, a function is reduced by its own value. Functions that are equal for all such
mechanisms are equal for the given one, if it has no fewer independent rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from mbconcord.model.constraint import Constraint, FrameCoincidence, Holonomic, PointCoincidence, Rod
from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import ONE, ZERO, Expression, sqrt, symbol
from mbconcord.model.expressions.field import IDENTICAL, Point, Value, vanish
from mbconcord.model.expressions.field.extension import inverse
from mbconcord.model.functions import define
from mbconcord.model.naming import Namer
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, ElementaryTransformation, Vector, X, Y, Z
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.poses import Matrix, WorldPose, at_point, express_rolling, poses, times, transpose


@dataclass(frozen=True)
class SymbolicCutJoint:
    """A cut joint at any position, with its own coordinates zero.

    Attributes
    ----------
    own : the joint's own transformations, from the first to the last coordinate
    first : frame of the joint's first side, before these transformations
    body : frame of the body at the joint's second side
    rotation, origin : rotation and origin of S, the constant pose of the joint's second side in ``body``
    """

    own: tuple[ElementaryTransformation, ...]
    first: WorldPose
    body: WorldPose
    rotation: Matrix
    origin: Vector

    @classmethod
    def from_constraint(cls, c: FrameCoincidence, of_body: Mapping[str | None, WorldPose]) -> SymbolicCutJoint:
        """Convert a constraint; constant transformations between its coordinates are moved to the second side."""
        steps = c.first.transformations
        free = [i for i, step in enumerate(steps) if step.coordinate]
        before, after = (steps[: free[0]], steps[free[-1] + 1 :]) if free else (steps, ())
        own = steps[free[0] : free[-1] + 1] if free else ()
        still = [step for step in own if not step.coordinate]
        end, S = WorldPose().follow((*still, *after)), WorldPose().follow(c.second.transformations)
        rotation = times(S.R, transpose(end.R))
        origin = less(S.r, rotate(rotation, end.r))
        first = of_body[c.first.body].follow(before)
        return cls(tuple(own), first, of_body[c.second.body], rotation, origin)

    @cached_property
    def second(self) -> WorldPose:
        """B S: the frame of the second side."""
        return WorldPose(times(self.body.R, self.rotation), self.body.shift(self.origin).r)

    @property
    def misalignment(self) -> list[Expression] | None:
        """List expressions that vanish if the joint's rotations can align the axes of both sides; None if unknown."""
        if any(not step.coordinate for step in self.own):
            return None
        A, B = self.first.R, self.second.R
        axes = [step.axis for step in self.own if not step.is_translation]
        if len(axes) > 2:
            return []
        if not axes:
            return [a - b for p, q in zip(A, B, strict=True) for a, b in zip(p, q, strict=True)]
        if len(axes) == 1:
            return list(less(rotate(A, axes[0]), rotate(B, axes[0])))
        return [dot(rotate(A, axes[0]), rotate(B, axes[1])) - dot(*axes)]

    @property
    def apart(self) -> list[Expression] | None:
        """List expressions that vanish if the joint's translation can join the origins; None if unknown."""
        gap = less(self.first.r, self.second.r)
        slides = [step.is_translation for step in self.own]
        if not any(slides):
            return list(gap)
        if sum(slides) > 1 or not slides[0]:
            return None
        x, y, z = rotate(self.first.R, self.own[0].axis)
        return [gap[1] * z - gap[2] * y, gap[2] * x - gap[0] * z, gap[0] * y - gap[1] * x]


def dot(a: Vector, b: Vector) -> Expression:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def less(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def rotate(R: Matrix, v: Vector) -> Vector:
    """Return R v."""
    x, y, z = (dot(row, v) for row in R)
    return x, y, z


def across(R: Matrix, v: Vector) -> Vector:
    """Return Rᵀ v."""
    return rotate(transpose(R), v)


AXES = (X, Y, Z)


@dataclass(frozen=True)
class Turn:
    """A constant angle; ``cosine`` and ``sine`` at a position are divided by the root of ``square`` if that is given.

    For the middle one of three angles the cosine is that root itself.
    """

    angle: Expression
    cosine: Expression
    sine: Expression
    square: Expression | None = None


@dataclass
class SymbolicClosure:
    """A system with symbols for constants of its constraints.

    Attributes
    ----------
    system : System
    definitions : symbol of a constant -> its formula in the coordinates, evaluated at the chosen position
    turns : constant angles, given by formulas of their cosines and sines
    scope : positions at which the system is closed, in words; empty: all
    """

    system: System
    definitions: dict[Expression, Expression] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    scope: str = ""


class CannotCloseError(Exception):
    """A constraint without constants that can close it."""


def closed_anywhere(system: System) -> SymbolicClosure:
    """Add constants to the system that close it at any position.

    Raises
    ------
    CannotCloseError
        A constraint has no such constant.
    """
    return _Closing(system).build()


class _Closing:
    def __init__(self, system: System) -> None:
        self.system, self.poses = system, poses(system)
        expressed = express_rolling(system).constraints
        self.gaps = {c.name: c.expression for c in expressed if isinstance(c, Holonomic)}
        self.namer = Namer(system.names)
        self.parameters: list[Parameter] = []
        self.definitions: dict[Expression, Expression] = {}
        self.turns: list[Turn] = []

    def build(self) -> SymbolicClosure:
        constraints = tuple(map(self._constraint, self.system.constraints))
        parameters = (*self.system.parameters, *self.parameters)
        made = replace(self.system, parameters=parameters, constraints=constraints)
        meanings = define(self.definitions.values(), self.system.functions)
        return SymbolicClosure(made, dict(zip(self.definitions, meanings, strict=True)), self.turns)

    def _symbol(self) -> Expression:
        name = self.namer.fresh(f"closing{len(self.parameters) + 1}")
        self.parameters.append(Parameter(name))
        return symbol(name)

    def _constant(self, meaning: Expression) -> Expression:
        """Return a new symbol for a constant that has this value at the position."""
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
            return replace(c, expression=c.expression - self._constant(self.gaps[c.name]))
        return c

    def _points(self, c: PointCoincidence) -> PointCoincidence:
        """Move one point on its body to the position of the other."""
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
        """Return new constants with the values of ``gap``; components that are identically zero stay zero."""
        verdicts = vanish(gap, draws=1)
        return [ZERO if v.kind == IDENTICAL else self._constant(x) for x, v in zip(gap, verdicts, strict=True)]

    def _frames(self, c: FrameCoincidence) -> FrameCoincidence:
        """Move the second frame by a constant transformation C before its own ones: A E(p) after = B C S.

        E(p) are the joint's own rotations and translations. If its rotations allow it, C does not rotate.
        """
        joint = SymbolicCutJoint.from_constraint(c, self.poses)
        gaps = joint.misalignment
        turn, rotations = _UNIT, list[ElementaryTransformation]()
        if gaps is None or not _vanishing(gaps):
            turn = times(times(transpose(joint.body.R), joint.first.R), transpose(joint.rotation))
            rotations = self._decompose_rotation(turn)
        place = across(joint.body.R, less(joint.first.r, joint.body.r))
        shift = self._moving(less(place, rotate(turn, joint.origin)))
        moved = [
            ElementaryTransformation("translation", axis, Constant(x))
            for axis, x in zip(AXES, shift, strict=True)
            if x is not ZERO
        ]
        frame = replace(c.second, transformations=(*moved, *rotations, *c.second.transformations))
        return replace(c, second=frame)

    def _decompose_rotation(self, R: Matrix) -> list[ElementaryTransformation]:
        """Return constant rotations whose product is R: one about a coordinate axis if possible, else about z, y, x."""
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
    """Set the angles' exponentials e^(iα) at a point; ``values`` are their cosine, sine and square there.

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
    """List expressions that are zero if a system is closed.

    Raises
    ------
    CannotCloseError
        For some cut joint these expressions are unknown.
    """
    of_body, found = poses(system), list[Expression]()
    for c in express_rolling(system).constraints:
        if isinstance(c, Holonomic):
            found.append(c.expression)
        elif isinstance(c, Rod | PointCoincidence):
            a, b = (at_point(system, of_body, end).r for end in (c.first, c.second))
            apart = less(a, b)
            found += [dot(apart, apart) - c.length * c.length] if isinstance(c, Rod) else apart
        elif isinstance(c, FrameCoincidence):
            joint = SymbolicCutJoint.from_constraint(c, of_body)
            if joint.misalignment is None or joint.apart is None:
                raise CannotCloseError(f"{c.name}: it is not known where this cut joint is closed")
            found += [*joint.misalignment, *joint.apart]
    return found


def _vanishing(gaps: Sequence[Expression]) -> bool:
    return all(v.kind == IDENTICAL for v in vanish(gaps, draws=1))


_UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
