"""The model part of a certificate: bodies, joints, loads and constraint rows, from fields of the model alone.

No formalism takes part. Forces in axes of a body, bushings and torsions become formulas of coordinates, from the poses
of bodies in ``simulation.poses``. A part that the format has no words for is refused, with its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mbconcord.model.body import Body, Inertia
from mbconcord.model.constraint import Constraint, FrameCoincidence, Holonomic, Nonholonomic, Rod
from mbconcord.model.coordinate import Effort, Motion
from mbconcord.model.expressions import (
    HALF,
    ONE,
    TIME,
    ZERO,
    Expression,
    directional,
    evaluate_float,
    rate,
    sqrt,
    symbol,
    symbols,
)
from mbconcord.model.expressions.node import SYM
from mbconcord.model.features import FEATURES, features
from mbconcord.model.force import Bipolar, Bushing, Force, JointEffort, Point, Torsion, Wrench
from mbconcord.model.functions import Definitions
from mbconcord.model.naming import Namer
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES, ElementaryTransformation, Prescribed, Vector, X, Y, Z, shift
from mbconcord.model.turns import to_wrenches
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.poses import Matrix, WorldPose, measured, poses, times, transpose

from .programs import StepWriter, refuse, write_name

#: Features of models without words in the format.
WORDLESS = ("elastic_modes", "added_inertia", "kinematic_words")
#: Two directions are parallel that are to rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class StatedRow:
    """A constraint row that a certificate states: name of its constraint, ``speed`` D q' + γ, and ``rest`` γ̃."""

    constraint: str
    speed: Expression
    rest: Expression


@dataclass(frozen=True)
class StatedMachine:
    """The model part: lines, constraint rows, formulas of rod lengths in these; ``wordless``: without mechanics."""

    lines: tuple[str, ...]
    rows: tuple[StatedRow, ...] = ()
    lengths: Mapping[Expression, Expression] = field(default_factory=dict)
    wordless: bool = False


def state_machine(system: System, name: str) -> StatedMachine:
    """Write the model part of a certificate.

    Raises
    ------
    WordsError
        The format has no words for a piece of the model.
    """
    return _Machine(system.lump_masses(), name).build()


def state_coordinates(system: System, name: str, why: str) -> StatedMachine:
    """Write a model part without mechanics: the names of the coordinates, and the reason ``why``."""
    return StatedMachine((*_head(system, name), f"note without mechanics: {to_ascii(why)}", "end"), wordless=True)


def _head(system: System, name: str) -> list[str]:
    return [f"model {name}", f"coordinates {' '.join(map(write_name, system.coordinate_names))}".rstrip()]


def to_ascii(text: str) -> str:
    """Return a text as one line of ASCII; other characters become escapes."""
    return " ".join(text.encode("ascii", "backslashreplace").decode().split())


class _Machine:
    def __init__(self, system: System, name: str) -> None:
        for feature, place in features(system):
            if feature in WORDLESS:
                raise refuse(place, f"the format has no words for {FEATURES[feature]}")
        for c in system.constraints:
            if getattr(c, "element", None) is not None:
                raise refuse(f"constraints/{c.name}", "the format has no words for bodies that roll")
        self.system, self.steps, self.rows, self.notes = system, StepWriter(), list[StatedRow](), list[str]()
        self.steps.lines += _head(system, name)
        self.defined, self.poses = Definitions(system.functions), poses(system)
        self.moving = {TIME: ONE} | {symbol(q): rate(q) for q in system.coordinate_names}
        self.lengths: dict[Expression, Expression] = {}
        self.pushed = 0
        self.namer = Namer({"ground", *(b.name for b in system.bodies)})
        self.frames: dict[tuple[str | None, tuple[ElementaryTransformation, ...]], tuple[str, WorldPose]] = {}

    def build(self) -> StatedMachine:
        system = self.system
        for p in system.parameters:
            if p.value is not None:
                self.steps.lines.append(f"note {write_name(p.name)} is {to_ascii(str(p.value))[:200]}")
        if system.gravity:
            self.add_line("gravity", *system.gravity_vector)
        for body in system.bodies:
            self.body(body)
        for rotor in system.armatures:
            coefficients = (f"{write_name(q)} {self.atom(c)}" for q, c in rotor.coefficients.items())
            inertia = self.atom(rotor.inertia)
            self.steps.lines.append(f"armature {inertia} {' '.join(coefficients)}")
        for c in system.coordinates:
            if isinstance(c.drive, Effort):
                self.add_line(f"effort {write_name(c.name)}", c.drive.value)
            elif isinstance(c.drive, Motion):
                self.notes.append(f"the acceleration that a drive imposes along {write_name(c.name)} is not stated")
        for force in system.forces:
            self.force(force)
        for constraint in system.constraints:
            for speed in self.constraint(constraint):
                self.rows.append(StatedRow(constraint.name, *self.defined.apply([speed, self.speed(speed)])))
        self.steps.lines += [*(f"note {note}" for note in self.notes), "end"]
        return StatedMachine(tuple(self.steps.lines), tuple(self.rows), self.lengths)

    # Lines.

    def add_line(self, words: str, *values: Expression) -> None:
        """Add a line of words and of values as atoms, after the lines of steps that compute these values."""
        atoms = [self.atom(x) for x in values]
        self.steps.lines.append(" ".join((words, *atoms)))

    def atom(self, value: Expression) -> str:
        return self.steps.atom(self.defined.apply([value])[0])

    def follow(self, place: str, steps: Iterable[ElementaryTransformation]) -> None:
        """Add a line for each transformation of a joint."""
        self.steps.place = place
        for step in steps:
            angle = self.defined.apply([step.amount])[0]
            for x, _ in self.steps.sum(angle):
                if x.op is not SYM and not symbols([x]).isdisjoint(self.system.coordinate_names):
                    raise refuse(
                        place, f"the format has no words for a joint that moves by {x}, a formula of coordinates"
                    )
            axis = " ".join(map(self.atom, step.axis))
            turned = None if step.is_translation else self.steps.split(angle)
            if turned is not None:
                angle, c, s = turned
                self.add_line(f"tilt {axis}", c, s)
                if angle is ZERO:
                    continue
            pairs = self.steps.pairs(angle)
            self.steps.lines.append(f"{'shift' if step.is_translation else 'turn'} {axis} {pairs}")

    def body(self, body: Body) -> None:
        place = f"bodies/{body.name}"
        self.steps.lines.append(f"body {write_name(body.name)} {_of(body.parent)}")
        self.follow(f"{place}/joint", body.joint)
        self.mass(body.inertia)
        for wheel in body.flywheels:
            name = self.namer.fresh(f"{body.name}.{wheel.name}")
            self.steps.lines.append(f"body {write_name(name)} {write_name(body.name)}")
            turn = ElementaryTransformation("rotation", Z, Prescribed(wheel.angle))
            self.follow(f"{place}/flywheels/{wheel.name}", (*wheel.mounting, turn))
            self.mass(wheel.inertia)

    def mass(self, inertia: Inertia) -> None:
        if not inertia.is_zero:
            self.add_line("mass", inertia.mass, *inertia.centre, *(inertia.tensor if any(inertia.tensor) else ()))

    def frame(self, body: str | None, steps: Sequence[ElementaryTransformation], place: str) -> tuple[str, WorldPose]:
        """Return the written name and the pose of a frame on a body; add the lines of a new frame."""
        key = (body, tuple(steps))
        if not steps:
            return _of(body), self.poses[body]
        if key not in self.frames:
            name = write_name(self.namer.fresh(f"{body or 'ground'}.at"))
            self.steps.lines.append(f"body {name} {_of(body)}")
            self.follow(place, steps)
            self.frames[key] = name, self.poses[body].follow(steps)
        return self.frames[key]

    def point(self, point: Point, place: str) -> tuple[str, WorldPose]:
        return self.frame(point.body, shift(point.position), place)

    # Loads.

    def force(self, force: Force) -> None:
        self.steps.place = place = f"forces/{force.name}"
        if isinstance(force, JointEffort):
            self.add_line(f"effort {write_name(force.coordinate)}", force.expression())
        elif isinstance(force, Bipolar):
            ends = [self.point(end, place)[0] for end in (force.first, force.second)]
            self.pushed += 1
            name = f"@{self.pushed}"
            self.steps.lines.append(f"length {name} {' '.join(ends)}")
            self.add_line(f"push {name}", force.force(symbol(name), symbol(f"{name}'")))
        elif isinstance(force, Bushing):
            self.bushing(force, place)
        elif isinstance(force, Torsion):
            wrenches = to_wrenches(self.system, force)
            if wrenches == (force,):
                self.torsion(force, place)
            for wrench in wrenches:
                if isinstance(wrench, Wrench):
                    self.force(wrench)
        else:
            name, pose = self.point(force.point, place)
            world = _apply(pose.R, force.force) if force.follows else force.force
            self.load(name, world, force.moment if isinstance(force, Wrench) else (ZERO,) * 3)

    def load(self, name: str, force: Sequence[Expression], moment: Sequence[Expression]) -> None:
        """Add a force in world axes at a frame's origin and a moment in the frame's axes; nothing for the ground."""
        for words, values in (("force", force), ("moment", moment)):
            if any(values) and name != "ground":
                self.add_line(f"{words} {name}", *values)

    def bushing(self, force: Bushing, place: str) -> None:
        (a, A), (b, B) = (self.frame(x.body, x.transformations, place) for x in (force.first, force.second))
        Q, d = times(transpose(A.R), B.R), _apply(transpose(A.R), _less(B.r, A.r))
        turning = times(_rows(directional([x for row in Q for x in row], self.moving)), transpose(Q))
        rates = (*directional(d, self.moving), turning[2][1], turning[0][2], turning[1][0])
        small = (HALF * (Q[2][1] - Q[1][2]), HALF * (Q[0][2] - Q[2][0]), HALF * (Q[1][0] - Q[0][1]))
        six = force.wrench((*d, *small), rates)
        f, m = (six[0], six[1], six[2]), (six[3], six[4], six[5])
        world = _apply(A.R, f)
        self.load(b, world, _apply(transpose(Q), m))
        arm = _cross(d, f)
        self.load(a, [-x for x in world], [-x - y for x, y in zip(m, arm, strict=True)])

    def torsion(self, force: Torsion, place: str) -> None:
        """Add the moment of a torsion about the z axis of its first frame; its angle lies within one turn."""
        (a, A), (b, B) = (self.frame(x.body, x.transformations, place) for x in (force.first, force.second))
        Q = times(transpose(A.R), B.R)
        moment = force.moment(Q[1][0], Q[0][0], measured(self.system, force, self.poses)[1])
        self.load(b, (ZERO,) * 3, [moment * x for x in Q[2]])
        self.load(a, (ZERO,) * 3, (ZERO, ZERO, -moment))

    # Constraint rows.

    def constraint(self, c: Constraint) -> Iterator[Expression]:
        """Add the lines of a constraint, and yield D q' + γ of each of its rows."""
        self.steps.place = place = f"constraints/{c.name}"
        if isinstance(c, Holonomic):
            self.add_line("row", c.expression)
            yield self.speed(c.expression)
        elif isinstance(c, Nonholonomic):
            speed = sum((z * rate(q) for q, z in c.coefficients.items()), c.rest)
            self.add_line("rate", speed)
            yield speed
        elif isinstance(c, FrameCoincidence):
            yield from self.cut_joint(c, place)
        else:
            (a, A), (b, B) = (self.point(end, place) for end in (c.first, c.second))
            apart = _less(A.r, B.r)
            if isinstance(c, Rod):
                self.steps.lines.append(f"rod {a} {b}")
                # a length is no more than the root of its square, as the verifier has it: L' = d·d'/L
                length = symbol(f"@{len(self.lengths) + 1}")
                self.lengths[length] = self.defined.apply([sqrt(_dot(apart, apart))])[0]
                self.moving[length] = HALF * self.speed(_dot(apart, apart)) / length
                yield self.moving[length]
            else:
                yield from self.add_gaps((a, b, "ground"), (X, Y, Z), apart)

    def speed(self, f: Expression) -> Expression:
        return directional([f], self.moving)[0]

    def add_gaps(self, names: Sequence[str], sides: Sequence[Vector], gap: Vector) -> Iterator[Expression]:
        for side in sides:
            self.add_line(f"apart {' '.join(names)}", *side)
            yield self.speed(_dot(side, gap))

    def cut_joint(self, c: FrameCoincidence, place: str) -> Iterator[Expression]:
        """Add the rows of a cut joint, whose own motion is eliminated, and yield D q' + γ of each."""
        steps = c.first.transformations
        free = [i for i, step in enumerate(steps) if step.coordinate]
        own = steps[free[0] : free[-1] + 1] if free else ()
        before, after = (steps[: free[0]], steps[free[-1] + 1 :]) if free else (steps, ())
        slides, turns = ([s.axis for s in own if s.is_translation is kind] for kind in (True, False))
        apart = [s.is_translation for s in own]
        if len(free) < len(own) or apart not in (sorted(apart), sorted(apart, reverse=True)) or len(turns) > 3:
            raise refuse(place, "the format has no words for a cut joint whose own motions are mixed")
        back = [replace(s, motion=Prescribed(-s.amount)) for s in reversed(after)]
        a, A = self.frame(c.first.body, before, place)
        b, B = self.frame(c.second.body, (*c.second.transformations, *back), place)
        gap = _less(A.r, B.r)
        if slides:
            within, S = (a, A) if own[0].is_translation else (b, B)
            yield from self.add_gaps((a, b, within), _across(slides), _apply(transpose(S.R), gap))
        else:
            yield from self.add_gaps((a, b, "ground"), (X, Y, Z), gap)
        pairs = [(Y, Z), (Z, X), (X, Y)] if not turns else []
        if len(turns) == 1:
            pairs = [(turns[0], side) for side in _across(turns)]
        elif len(turns) == 2:
            pairs = [(turns[0], turns[1])]
        for u, w in pairs:
            first = [self.atom(x) for x in u]
            second = [self.atom(x) for x in w]
            self.steps.lines.append(f"facing {a} {' '.join(first)} {b} {' '.join(second)}")
            yield self.speed(_dot(_apply(A.R, u), _apply(B.R, w)))


def _of(body: str | None) -> str:
    return "ground" if body is None else write_name(body)


def _across(directions: Sequence[Vector]) -> tuple[Vector, ...]:
    """Return unit vectors perpendicular to directions and to each other."""
    if len(directions) > 2:
        return ()
    n = directions[0]
    other = directions[1] if len(directions) == 2 else next(e for e in AXES.values() if not _parallel(n, e))
    side = _cross(n, other)
    length = sqrt(_dot(side, side))
    side = (side[0] / length, side[1] / length, side[2] / length)
    return (side,) if len(directions) == 2 else (side, _cross(n, side))


def _parallel(a: Vector, b: Vector) -> bool:
    return all(abs(evaluate_float(x, {})) < ROUNDING for x in _cross(a, b))


def _dot(a: Vector, b: Vector) -> Expression:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _less(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _apply(R: Matrix, v: Vector) -> Vector:
    return _dot(R[0], v), _dot(R[1], v), _dot(R[2], v)


def _rows(nine: Sequence[Expression]) -> Matrix:
    a, b, c, d, e, f, g, h, i = nine
    return (a, b, c), (d, e, f), (g, h, i)
