"""Random models with requested features: trees, rigid or elastic; springs, rotors, drives, constraints on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from mbconcord.converters import registry

# Random constraints on a tree, made to hold at a state of it: rods, points, cut joints, rows of formulas.
from mbconcord.model import (  # fmt: skip
    Armature,
    Coordinate,
    Effort,
    ElasticModes,
    ElementaryTransformation,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    Motion,
    Nonholonomic,
    Point,
    PointCoincidence,
    Rod,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.beams import ClampedFree, Mode, Sine, axial, beam, bending, power, round_section, torsion
from mbconcord.model.body import Body
from mbconcord.model.constraint import Constraint
from mbconcord.model.diagnostics import MbconcordError, WriteError, error
from mbconcord.model.expressions import TIME, ZERO, Expression, as_expression, sin, symbol
from mbconcord.model.force import Force
from mbconcord.model.transformation import Vector, vector
from mbconcord.records import dataclass, replace
from mbconcord.simulation.assembly import assemble
from mbconcord.simulation.rows import constraint_rows

from ..compare import same_machine
from ..judge.kinematics import TreeKinematics
from ..judge.motion import Array
from ..judge.states import draw
from .choices import Choices, Seeded
from .special_trees import imposed_by
from .trees import build, random_bushing, random_tensor, random_torsion

#: How many states must tell the line's machine and the model apart before it is called the same.
STATES = 2


def reproducer(system: System) -> str:
    """Write the model as one line of text that :func:`mbconcord.converters.registry.read_text` reads back.

    The line may lose names (forces have none in MBSD, say) as long as it describes the same machine.

    Raises
    ------
    WriteError
        No format writes the model on one line.
    """
    for line, name, renamed in sorted(_lines(system), key=lambda found: len(found[0])):
        if _says(line, name, renamed, system):
            return line
    raise WriteError(error("", "no format writes this model on one line"))


class Reproducer:
    """The reproducer of a model, computed only when printed: ``hypothesis.note(Reproducer(system))``."""

    def __init__(self, system: System) -> None:
        self.system = system

    def __repr__(self) -> str:
        return f"reproduce: {reproducer(self.system)}"


def _lines(system: System) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield the model on one line, the format's name, and the renamed coordinates, for every format that can."""
    for name in registry.names():
        line = registry.format_named(name).line
        if line is not None:
            try:
                writing = registry.write(system, name)
                yield line(writing.text), name, writing.coordinates
            except MbconcordError:
                continue


def _says(line: str, name: str, renamed: Mapping[str, str], system: System) -> bool:
    """Return True if the line is the model, or at least the same machine."""
    try:
        back = registry.read_text(line, format=name).system
        told = {a: b for a, b in renamed.items() if b in back.coordinate_names}
        return back == system or same_machine(system, back, STATES, coordinates=told).verdict == "agrees"
    except MbconcordError:
        return False


AXES = ("x", "y", "z", "-x", "-y", "-z")
#: Modes that are drawn, in the order in which they join a beam.
MODES: tuple[Mode, ...] = (
    bending(2, ClampedFree(1)), bending(3, power(2)), torsion(Sine(1)), bending(2, power(3)), axial(power(1)),
)  # fmt: skip


def elastic_tree(seed: int, bodies: int, imposed: bool = False) -> System:
    """Build a branched tree of rigid and elastic bodies: 1 to 4 modes each, children at nodes and frames, any joints.

    ``imposed``: drives impose the accelerations of some joints (χ = 1). Every body has mass, so M is regular.
    """
    return build_elastic(Choices(Seeded(seed)), bodies, imposed)


def build_elastic(c: Choices, bodies: int, imposed: bool = False) -> System:
    """Build an elastic tree of that many bodies from choices; see :func:`elastic_tree`."""
    names: list[str] = []
    made: list[Body] = []
    coordinates: list[Coordinate] = []
    for i in range(bodies):
        parent = None if not i else made[i - 1 if c.once_in(2) else c.integer(0, i - 1)]
        joint: list[ElementaryTransformation] = [*_offset(c)]
        for _ in range(c.pick((1, 1, 2)) if not c.once_in(6) or not i else 0):
            name = f"q{len(names) + 1}"
            names.append(name)
            make = translation if c.once_in(3) else rotation
            joint.append(make(_axis(c, len(names)), name))
            drive: Effort | Motion | None = None
            if imposed and c.once_in(2):
                drive = Motion(as_expression(c.decimal(-5, 5)))
            elif c.once_in(2):
                drive = Effort(as_expression(c.decimal(-2, 2)))
            coordinates.append(Coordinate(name, drive=drive))
        elastic = c.once_in(2) or i == bodies - 1
        node = c.pick(("mid", "tip")) if parent and parent.modes and not c.once_in(4) else None
        modes: ElasticModes | None = None
        if elastic:
            inertia, modes = _beam(c, f"e{i + 1}_")
            coordinates += [Coordinate(n) for n in modes.coordinates]
        else:
            inertia = Inertia(as_expression(c.positive()), vector(c.point()), random_tensor(c))
        made.append(
            Body(f"b{i + 1}", parent.name if parent else None, tuple(joint), inertia, modes=modes, parent_node=node)
        )
    down = c.direction()
    return System("elastic", tuple(coordinates), gravity=Gravity(as_expression(9.81), vector(down)), bodies=tuple(made))


def _axis(c: Choices, number: int) -> tuple[int, int, int]:
    """Pick directions; successive ones are never parallel."""
    x, y, z = c.direction()
    return (x, y, z) if number % 2 else (z + 2 * y, x, y + x or 1)


def _offset(c: Choices) -> list[ElementaryTransformation]:
    found = list(shift(tuple(x / 3 for x in c.point()))) if c.once_in(2) else []
    if c.once_in(2):
        found.append(rotation(c.direction(), c.decimal(-2, 2)))
    return found


def _beam(c: Choices, stem: str) -> tuple[Inertia, ElasticModes]:
    count = c.pick((1, 2, 3, 4))
    chosen = list(MODES)
    while len(chosen) > count:
        chosen.pop(c.integer(0, len(chosen) - 1))
    return beam(
        c.pick((1, 0.5, 0.8)), round_section(c.pick((0.02, 0.03, 0.015))),
        {f"{stem}{k + 1}": mode for k, mode in enumerate(chosen)},
        young=7e8, density=2700, axis=c.pick(AXES), nodes={"mid": 0.3, "tip": 0.5},
        damping=c.pick((0.02, 0.0)), rotary=c.once_in(3),
    )  # fmt: skip


#: What a cut joint leaves free: kinds of its own transformations.
JOINTS = ("r", "r", "", "t", "rt", "tr", "rrr")
KINDS = ("point", "rod", "cut", "holonomic", "nonholonomic")
ROWS = {"point": 3, "rod": 1, "holonomic": 1, "nonholonomic": 1}


def random_constraints(seed: int, system: System, state: State, most: int = 3, kinds: Sequence[str] = KINDS) -> System:
    """Add up to ``most`` constraints that hold at the state, rates aside; sometimes one twice.

    ``kinds`` are of :data:`KINDS`. ``system`` has a formula for every function, ``state`` a value for every parameter.
    There are never more rows than coordinates. Constraints that cannot hold together over time are left out, and so is
    one that would fix all of its coordinates.
    """
    return add_constraints(Choices(Seeded(seed)), system, state, most, kinds)


def add_constraints(
    choices: Choices, system: System, state: State, most: int = 3, kinds: Sequence[str] = KINDS
) -> System:
    """Add constraints made of choices."""
    kept: tuple[Constraint, ...] = ()
    for constraint in _ClosedBuilder(choices, system, state, kinds).constraints(most):
        made = replace(system, constraints=(*kept, constraint))
        found = assemble(made, [state])
        held = [found.states[0].v[name] for name in _find_constrained(system, constraint)]
        if found.is_closed.all() and (any(held) or not held):
            kept = made.constraints
    return replace(system, constraints=kept)


def _find_constrained(system: System, constraint: Constraint) -> set[str]:
    """Return coordinates of the system that the rows of a constraint depend on."""
    rows = constraint_rows(replace(system, constraints=(constraint,)))
    found = {name for row in rows.rows for name, d in zip(rows.coordinates, row.D, strict=True) if d}
    return found & set(system.coordinate_names)


class _ClosedBuilder:
    def __init__(self, choices: Choices, system: System, state: State, kinds: Sequence[str]) -> None:
        self.c, self.system, self.state, self.kinds = choices, system, state, kinds
        self.k = TreeKinematics(system, [state])

    def constraints(self, most: int) -> Iterator[Constraint]:
        left, made = len(self.system.coordinates), 0
        stiff = any(not b.modes for b in self.system.bodies)
        for i in range(1, 4 * most):
            if made == most:
                return
            kind = self.c.pick(self.kinds)
            if kind == "cut" and not stiff:
                continue  # frames stand on rigid bodies
            joint = self.c.pick(JOINTS) if kind == "cut" else ""
            rows = ROWS.get(kind, 6 - len(joint))
            if rows > left:
                continue
            one = self._constraint(kind, f"k{i}", joint)
            yield one
            if kind != "cut" and self.c.once_in(6):
                yield replace(one, name=f"k{i}again")
            left, made = left - rows, made + 1

    def _constraint(self, kind: str, name: str, joint: str) -> Constraint:
        if kind == "cut":
            return self._cut(name, joint)
        if kind == "holonomic":
            f = self._formula()
            return Holonomic(name, f - _number(self.k.scalars([f])[0][0]))
        if kind == "nonholonomic":
            coefficients = {q: self._formula() for q in self.system.coordinate_names if self.c.once_in(2)}
            first = self.system.coordinate_names[0]
            return Nonholonomic(name, coefficients or {first: as_expression(1)}, sin(TIME) * self.c.decimal(-1, 1))
        first, second = self._bodies()
        at = Point(first, self._place(first))
        if kind == "rod":
            end = Point(second, vector(self.c.point()))
            apart = self.k.point(end).position - self.k.point(at).position
            mass = as_expression(self.c.positive()) if self.c.once_in(3) else ZERO
            return Rod(name, at, end, _number(float(np.linalg.norm(apart))), mass)
        frame = self.k.frame(second)
        arm = frame.rotation[0].T @ (self.k.point(at).position[0] - frame.position[0])
        return PointCoincidence(name, at, Point(second, vector(map(_number, arm))))

    def _bodies(self, rigid: bool = False) -> tuple[str, str | None]:
        """Choose a body, rigid if requested and available, and another rigid one or the fixed frame."""
        stiff = [b.name for b in self.system.bodies if not b.modes]
        names = (stiff if rigid else []) or [b.name for b in self.system.bodies]
        first = names[-1] if self.c.once_in(2) else self.c.pick(names)
        return first, self.c.pick([None, *(name for name in stiff if name != first)])

    def _place(self, name: str) -> Vector:
        """Pick a point of a body; a node of an elastic one."""
        modes = self.system.body(name).modes
        return self.c.pick(modes.nodes).position if modes else vector(self.c.point())

    def _formula(self) -> Expression:
        names = self.system.coordinate_names
        one, other = symbol(self.c.pick(names)), symbol(self.c.pick(names))
        return self.c.decimal(-2, 2) * sin(one) + self.c.decimal(-1, 1) * other * sin(TIME) + other

    def _cut(self, name: str, joint: str) -> FrameCoincidence:
        c, (first, second) = self.c, self._bodies(rigid=True)
        along = c.direction()
        across = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
        own = []
        for i, kind in enumerate(joint):
            axis = across[i] if joint == "rrr" else along
            own.append((translation if kind == "t" else rotation)(axis, f"{name}p{i}"))
        before, after = ((*shift(c.point()), rotation(c.direction(), c.decimal(-2, 2))) for _ in range(2))
        values = [c.decimal(-1, 1) for _ in own]
        reached = (*before, *(_fix(et, x) for et, x in zip(own, values, strict=True)), *after)
        r, place = self._relative(first, reached, second)
        return FrameCoincidence(name, Frame(first, (*before, *own, *after)), Frame(second, tuple(_pose(r, place))))

    def _relative(
        self, first: str, steps: tuple[ElementaryTransformation, ...], second: str | None
    ) -> tuple[Array, Array]:
        """Return rotation and origin of a frame, ``steps`` from the first body's frame, relative to the second body."""
        moved = replace(self.system, bodies=(*self.system.bodies, Body("reached", first, steps)))
        k = TreeKinematics(moved, [self.state])
        here, there = k.frame("reached"), k.frame(second)
        turned = there.rotation[0].T
        return turned @ here.rotation[0], turned @ (here.position[0] - there.position[0])


def _fix(et: ElementaryTransformation, value: Fraction) -> ElementaryTransformation:
    return (translation if et.is_translation else rotation)(et.axis, value)


def _pose(r: Array, place: Array) -> Iterator[ElementaryTransformation]:
    """Yield constant transformations: a shift, then turns about z, y, x."""
    yield from shift(map(_number, place))
    yaw, pitch, roll = np.arctan2(r[1, 0], r[0, 0]), -np.arcsin(r[2, 0]), np.arctan2(r[2, 1], r[2, 2])
    for axis, angle in (("z", yaw), ("y", pitch), ("x", roll)):
        yield rotation(axis, _number(float(angle)))


def _number(value: float) -> Expression:
    return as_expression(Fraction(float(value)))


#: Constraints between bodies.
SOLID = ("cut", "point", "rod")


@dataclass(frozen=True)
class Features:
    """Features of a random model in addition to bodies, joints and plain forces.

    Attributes
    ----------
    closed : one to three constraints, which hold at its initial position where formulas of time are taken at t = 0
    elastic : elastic bodies among the rigid ones; then neither flywheels nor added inertia, nor prescribed motion
    mixed : accelerations imposed along some coordinates; not together with ``closed``
    flywheels, added_inertia : on the last body, on others at random
    springs : a bushing or a torsion between frames
    armatures : rotors along one or two coordinates
    """

    closed: bool = False
    elastic: bool = False
    mixed: bool = False
    flywheels: bool = False
    added_inertia: bool = False
    springs: bool = False
    armatures: bool = False


def machine(c: Choices, bodies: int, features: Features = Features()) -> System:  # noqa: B008
    """Build a model of that many bodies with these features from choices."""
    if features.elastic:
        system = build_elastic(c, bodies)
    else:
        system = build(c, bodies, flywheels=features.flywheels, added_inertia=features.added_inertia)
    if features.springs:
        system = _sprung(c, system)
    if features.armatures:
        system = replace(system, armatures=_armatures(c, system))
    if features.mixed and not features.closed:
        system = imposed_by(c, system)
    return _close(c, system) if features.closed else system


def _sprung(c: Choices, system: System) -> System:
    functions = list(system.functions)
    force: Force = (
        random_torsion(c, system.bodies, functions, "spring")
        if c.once_in(2)
        else random_bushing(c, system.bodies, "spring")
    )
    return replace(system, functions=tuple(functions), forces=(*system.forces, force))


def _armatures(c: Choices, system: System) -> tuple[Armature, ...]:
    names = system.coordinate_names
    found = []
    for i in range(c.pick((1, 2))):
        ratios: dict[str, Expression] = {c.pick(names): as_expression(c.decimal(-5, 5)) for _ in range(c.pick((1, 2)))}
        found.append(Armature(f"rotor{i + 1}", as_expression(c.positive()), ratios))
    return tuple(found)


def _close(c: Choices, tree: System) -> System:
    """Choose a position of the tree, and constraints that hold there, or no constraints if none of those drawn can."""
    drawn = draw(tree, 1, 0)
    modal = {name for body in tree.bodies for name in body.modal}
    q = {name: c.decimal(-2, 2) / (100 if name in modal else 1) for name in tree.coordinate_names}
    v = {name: float(c.decimal(-3, 3)) for name in q}
    start = State(0.0, {name: float(x) for name, x in q.items()}, v, {}, drawn.states[0].parameters)
    placed = replace(
        drawn.system,
        coordinates=tuple(
            replace(x, position=as_expression(q[x.name]), velocity=as_expression(0)) for x in drawn.system.coordinates
        ),
    )
    made = add_constraints(c, placed, start, c.pick((1, 1, 1, 2)), KINDS if c.once_in(2) else SOLID)
    return made if made.constraints else add_constraints(c, placed, start, 1, ("holonomic",))
