"""A model as groups of welded bodies, one for each coordinate, and two models in the same frames.

A group has the pose of its joint in the frame of its parent group, kind and axis, one inertia, and the linear laws and
dry friction of its coordinate. Masses are summed over the bodies of a group, so a fixed link of one file that is
lumped in the other needs no special treatment. M, h, gravity and applied forces follow in one pass over the tree, for
all states at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from mbconcord.model.constraint import Constraint, Holonomic, Nonholonomic
from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import ZERO, Expression, apply, derivative, substitute, symbol, symbols, topological
from mbconcord.model.force import JointEffort, PointForce, Wrench, find_words
from mbconcord.model.functions import define
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.poses import express_rolling

from ..judge.kinematics import evaluate_formulas, turn
from ..judge.motion import Array

#: Numbers of a coordinate's linear laws, in this order.
LAWS = ("damping", "stiffness", "offset force", "armature", "dry friction")
GROUND = -1


class NotLumpedError(Exception):
    """The model cannot be reduced to groups of welded bodies; ``off``: relative error of their numbers, if known."""

    def __init__(self, message: str, off: float | None = None) -> None:
        super().__init__(message)
        self.off = off


@dataclass(frozen=True)
class PathStep:
    """A constant step of a pose: a shift, the rotation of a body's frame ("turn"), or a joint's rest angle ("rest").

    ``at`` is the direction of a shift, or the place of a turn; ``skew`` is True if its axis is no coordinate axis.
    """

    kind: str
    at: Array
    amount: float
    skew: bool = False


@dataclass(frozen=True)
class Part:
    """A body of a group: its pose in the group's frame, and mass, centre and tensor about it in its own axes."""

    name: str
    rotation: Array
    origin: Array
    mass: float
    centre: Array
    tensor: Array
    path: tuple[PathStep, ...] = ()


@dataclass(frozen=True)
class Pull:
    """A constant force (N) in world axes at a point of a group, and a moment in the group's axes."""

    name: str
    group: int
    point: Array
    force: Array
    moment: Array


@dataclass(frozen=True)
class Joints:
    """Kinematics of n groups: parents, poses, kinds and unit axes of their joints; and the steps of the poses."""

    parents: tuple[int, ...]
    rotations: Array
    origins: Array
    axes: Array
    turning: tuple[bool, ...]
    paths: tuple[tuple[PathStep, ...], ...]


@dataclass(frozen=True)
class Groups:
    """A model as n groups in order of the tree.

    Attributes
    ----------
    names, bodies : name of each group's coordinate, and of the body that its joint carries
    joints : Joints
    parts : bodies of each group; those of the ground are the last entry
    mass (n,), centre (n, 3), tensor (n, 3, 3) : tensor about the centre, both in the group's frame
    laws (n, 5) : damping, stiffness, force at rest, armature, dry friction
    terms : for each force and armature that ``laws`` sums: its group, and its five numbers as in ``laws``
    gravity (3,) : m/s²
    pulls : constant forces at points
    rotors : name -> addition to M (n, n) of an armature of several coordinates
    others : name -> kind, for forces that no other field represents
    rows : name of a constraint -> coefficients (n,) and constant if it is linear; else None
    """

    names: tuple[str, ...]
    bodies: tuple[str, ...]
    joints: Joints
    parts: tuple[tuple[Part, ...], ...]
    mass: Array
    centre: Array
    tensor: Array
    laws: Array
    gravity: Array
    terms: tuple[tuple[int, Array], ...] = ()
    pulls: tuple[Pull, ...] = ()
    rotors: Mapping[str, Array] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, tuple[Array, float] | None] = field(default_factory=dict)

    @cached_property
    def parts_by_name(self) -> dict[str, Part]:
        """Bodies of all moving groups by name."""
        return {part.name: part for group in self.parts[:-1] for part in group}

    def with_parts(self, change: Callable[[Part], Part]) -> Groups:
        """Return the model with changed masses, centres and tensors of its bodies, lumped anew."""
        parts = tuple(tuple(map(change, group)) for group in self.parts)
        return self._with(parts)

    def _with(self, parts: tuple[tuple[Part, ...], ...]) -> Groups:
        mass, centre, tensor = _lump(parts)
        return replace(self, parts=parts, mass=mass, centre=centre, tensor=tensor)

    def in_order(self, numbers: Sequence[int]) -> Groups:
        """Return the groups in another order of the same tree."""
        at = list(numbers)
        place = {GROUND: GROUND} | {old: new for new, old in enumerate(at)}
        j = self.joints
        joints = Joints(
            tuple(place[j.parents[i]] for i in at),
            j.rotations[at],
            j.origins[at],
            j.axes[at],
            tuple(j.turning[i] for i in at),
            tuple(j.paths[i] for i in at),
        )
        return replace(
            self, names=tuple(self.names[i] for i in at), bodies=tuple(self.bodies[i] for i in at), joints=joints,
            parts=(*(self.parts[i] for i in at), self.parts[-1]), mass=self.mass[at], centre=self.centre[at],
            tensor=self.tensor[at], laws=self.laws[at],
            pulls=tuple(replace(x, group=place[x.group]) for x in self.pulls),
            terms=tuple((place[i], x) for i, x in self.terms),
            rotors={name: x[np.ix_(at, at)] for name, x in self.rotors.items()},
            rows={name: row and (row[0][at], row[1]) for name, row in self.rows.items()},
        )  # fmt: skip

    def in_frames(self, frames: Sequence[tuple[Array, Array]]) -> Groups:
        """Return the groups with bodies and forces in new frames, given by a rotation and a shift for each group."""
        parts = tuple(
            tuple(replace(x, rotation=R @ x.rotation, origin=R @ x.origin + t) for x in group)
            for group, (R, t) in zip(self.parts, frames, strict=True)
        )
        pulls = []
        for pull in self.pulls:
            R, t = frames[pull.group]
            pulls.append(replace(pull, point=R @ pull.point + t, moment=R @ pull.moment))
        return replace(self._with(parts), pulls=tuple(pulls))


def _lump(parts: Sequence[Sequence[Part]]) -> tuple[Array, Array, Array]:
    """Sum the parts of all groups but the ground: masses, centres, tensors about these."""
    n = len(parts) - 1
    mass, centre, tensor = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for i, group in enumerate(parts[:-1]):
        placed = [*map(place_inertia, group)]
        mass[i] = sum(m for m, _, _ in placed)
        if mass[i]:
            centre[i] = sum(m * c for m, c, _ in placed) / mass[i]
        for m, c, own in placed:
            tensor[i] += own + place_mass(m, c - centre[i])
    return mass, centre, tensor


def has_inertia(parts: Sequence[Part], name: str) -> bool:
    """Return True if there is a part of this name with mass or a nonzero tensor."""
    return any(part.name == name and (part.mass or part.tensor.any()) for part in parts)


def place_inertia(part: Part) -> tuple[float, Array, Array]:
    """Return mass, centre and tensor about it in the group's frame."""
    R = part.rotation
    return part.mass, part.origin + R @ part.centre, R @ part.tensor @ R.T


def place_mass(mass: float, r: Array) -> Array:
    """Return the tensor (3, 3) about the origin of a point mass at r."""
    return np.asarray(mass * (r @ r * np.eye(3) - np.outer(r, r)))


def lump(system: System, state: State) -> Groups:
    """Reduce a model to groups; parameters are those of the state.

    Raises
    ------
    NotLumpedError
        The model has elastic bodies, flywheels, added inertia or prescribed joints, or inertias vary with the state.
    """
    wanted: dict[Expression, None] = {}

    def note(x: Expression) -> float:
        wanted[x] = None
        return 0.0

    opened, rows = system.open_loops(), express_rolling(system).constraints
    moving = {"t", *system.coordinate_names, *(f"{name}'" for name in system.coordinate_names)}
    moving |= {str(word) for word in find_words(system.coordinates, system.forces)}
    _walk(opened, rows, moving, note)
    if any(symbols([x]) & moving for x in wanted):
        raise NotLumpedError("a number of its bodies depends on the state")
    values = bind_states(system, [state]).values
    found = evaluate_formulas(define(list(wanted), system.functions), values)
    numbers = {x: float(value[0]) for x, value in zip(wanted, found, strict=True)}
    if not np.isfinite(list(numbers.values())).all():
        raise NotLumpedError("a number of its bodies has no finite value")
    return _walk(opened, rows, moving, numbers.__getitem__)


def _walk(
    system: System, constraints: Sequence[Constraint], moving: set[str], value: Callable[[Expression], float]
) -> Groups:
    """Combine the constant transformations of bodies along the tree; every coordinate begins a new group."""

    def vector(xs: Sequence[Expression]) -> Array:
        return np.array([value(x) for x in xs])

    names: list[str] = []
    bodies: list[str] = []
    parents: list[int] = []
    poses: list[tuple[Array, Array]] = []
    axes: list[Array] = []
    turning: list[bool] = []
    parts: list[list[Part]] = [[]]  # the ground first
    paths: list[tuple[PathStep, ...]] = []
    places: dict[str | None, tuple[int, Array, Array]] = {None: (GROUND, np.eye(3), np.zeros(3))}
    ways: dict[str | None, tuple[PathStep, ...]] = {None: ()}
    for body in system.bodies:
        if body.modes or body.flywheels or body.added_inertia:
            raise NotLumpedError(f"{body.name} has modes, flywheels or added inertia")
        group, R, p = places[body.parent]
        way, turned = ways[body.parent], False
        for et, then in zip(body.joint, (*body.joint, None)[1:], strict=True):
            axis = vector(et.axis)
            rests = then is not None and bool(then.coordinate) and then.axis == et.axis and then.kind == et.kind
            skew = bool(np.abs(axis).max() < 1)
            if et.coordinate:
                paths.append(way)
                way, turned = (), False
                parents.append(group)
                poses.append((R, p))
                axes.append(axis)
                turning.append(not et.is_translation)
                names.append(et.coordinate)
                bodies.append(body.name)
                parts.append([])
                group, R, p = len(names) - 1, np.eye(3), np.zeros(3)
            elif not isinstance(et.motion, Constant):
                raise NotLumpedError(f"the joint of {body.name} is prescribed")
            elif et.is_translation:
                p = p + R @ axis * value(et.amount)
                way, turned = (*way, PathStep("shift", R @ axis, value(et.amount), skew)), False
            else:
                if rests or not turned:
                    way = (*way, PathStep("rest" if rests else "turn", p, value(et.amount), skew))
                turned = not rests
                R = R @ turn(axis[None], np.array([value(et.amount)]))[0]
        places[body.name], ways[body.name] = (group, R, p), way
        tensor = np.array([vector(row) for row in body.inertia.matrix()])
        own = Part(body.name, R, p, value(body.inertia.mass), vector(body.inertia.centre), tensor, way)
        parts[group + 1].append(own)
    n = len(names)
    others, pulls, terms = {}, [], []
    efforts = [(c.name, c.name, c.drive.value) for c in system.coordinates if isinstance(c.drive, Effort)]
    efforts += [(f.name, f.coordinate, f.expression()) for f in system.forces if isinstance(f, JointEffort)]
    for name, coordinate, formula in efforts:
        numbers = _linear(define([formula], system.functions)[0], coordinate, moving)
        if numbers is None:
            others[name] = "JointEffort"
        else:
            *springs, rough = map(value, numbers)
            terms.append((names.index(coordinate), np.array([*springs, 0.0, rough])))
    for force in system.forces:
        if isinstance(force, JointEffort):
            continue
        if not isinstance(force, (PointForce, Wrench)) or force.follows:
            others[force.name] = type(force).__name__
            continue
        exact = (*force.force, *(force.moment if isinstance(force, Wrench) else ()))
        if not symbols(define(exact, system.functions)) & moving:
            group, R, p = places[force.point.body]
            moment = R @ vector(exact[3:]) if exact[3:] else np.zeros(3)
            if group != GROUND:
                point = p + R @ vector(force.point.position)
                pulls.append(Pull(force.name, group, point, vector(exact[:3]), moment))
        else:
            others[force.name] = type(force).__name__
    others |= {c.name: "drive" for c in system.coordinates if c.drive and not isinstance(c.drive, Effort)}
    rotors = {}
    for armature in system.armatures:
        row = np.zeros(n)
        for name, x in armature.coefficients.items():
            row[names.index(name)] = value(x)
        added = value(armature.inertia) * np.outer(row, row)
        if len(armature.coefficients) == 1:
            i = int(np.flatnonzero(row)[0]) if row.any() else 0
            terms.append((i, np.array([0.0, 0.0, 0.0, added[i, i], 0.0])))
        else:
            rotors[armature.name] = added
    grouped = (*(tuple(group) for group in parts[1:]), tuple(parts[0]))
    for i, welded in enumerate(
        grouped[:-1]
    ):  # a group is called by the body of its joint, or by that which has inertia
        heavy = max(welded, default=None, key=lambda part: (part.mass, bool(part.tensor.any())))
        if heavy is not None and (heavy.mass or heavy.tensor.any()) and not has_inertia(welded, bodies[i]):
            bodies[i] = heavy.name
    joints = Joints(
        tuple(parents), np.array([R for R, _ in poses]).reshape(n, 3, 3), np.array([p for _, p in poses]).reshape(n, 3),
        np.array(axes).reshape(n, 3), tuple(turning), tuple(paths),
    )  # fmt: skip
    laws = np.zeros((n, len(LAWS)))
    for i, term in terms:
        laws[i] += term
    rows = {c.name: _row(c, names, moving, system, value) for c in constraints}
    return Groups(
        tuple(names), tuple(bodies), joints, grouped, *_lump(grouped), laws=laws,
        gravity=vector(system.gravity_vector),
        terms=tuple(terms), pulls=tuple(pulls), rotors=rotors, others=others, rows=rows,
    )  # fmt: skip


def _linear(formula: Expression, coordinate: str, moving: set[str]) -> tuple[Expression, ...] | None:
    """Return damping, stiffness, constant part and dry friction F (force -F sign(q')) of an effort; None if not so."""
    at, rate, turning = symbol(coordinate), symbol(coordinate + "'"), symbol("@")
    (formula,) = substitute([formula], {apply("sign", rate): turning})
    damping, stiffness, rough = (-derivative(formula, x) for x in (rate, at, turning))
    if symbols([damping, stiffness, rough]) & {*moving, "@"} or has_steps_of(formula, moving):
        return None  # before it is taken at zero, where a law that is not linear may have no value
    rest = substitute([formula], {at: ZERO, rate: ZERO, turning: ZERO})[0]
    return None if symbols([rest]) & moving else (damping, stiffness, rest, rough)


def has_steps_of(formula: Expression, moving: set[str]) -> bool:
    """Return True if a formula has a sign() of the state: derivatives, being zero, do not reveal it."""
    return any(x.op == "fun" and x.data == "sign" and symbols([x]) & moving for x in topological([formula]))


def _row(
    constraint: Constraint, names: Sequence[str], moving: set[str], system: System, value: Callable[[Expression], float]
) -> tuple[Array, float] | None:
    """Return coefficients and constant of a constraint that is linear in the coordinates, or in their rates."""
    if isinstance(constraint, Holonomic):
        formula = define([constraint.expression], system.functions)[0]
        slopes = {name: derivative(formula, symbol(name)) for name in names}
        if symbols([*slopes.values()]) & moving or has_steps_of(formula, moving):
            return None  # before it is taken at zero
        rest = substitute([formula], {symbol(name): ZERO for name in names})[0]
    elif isinstance(constraint, Nonholonomic):
        slopes = dict.fromkeys(names, ZERO) | dict(constraint.coefficients)
        rest = constraint.rest
    else:
        return None
    if symbols([*slopes.values(), rest]) & moving:
        return None
    return np.array([value(slopes[name]) for name in names]), value(rest)


class LumpedMotion:
    """Velocities and Jacobians of the groups at S states; they depend on the joints alone."""

    def __init__(self, joints: Joints, q: Array, v: Array) -> None:
        n, count = len(joints.parents), len(q)
        self.rotation = np.empty((n, count, 3, 3))
        self.spin, self.spin_rate, self.acceleration = np.zeros((3, n, count, 3))
        self.turns, self.moves = np.zeros((2, n, count, 3, n))
        still = np.zeros((count, 3))
        for i, parent in enumerate(joints.parents):
            if parent == GROUND:
                R, w, dw, a = np.broadcast_to(np.eye(3), (count, 3, 3)), still, still, still
            else:
                R, w, dw = self.rotation[parent], self.spin[parent], self.spin_rate[parent]
                a, self.turns[i], self.moves[i] = self.acceleration[parent], self.turns[parent], self.moves[parent]
            arm, frame = R @ joints.origins[i], R @ joints.rotations[i]
            axis = frame @ joints.axes[i]
            rate = v[:, i, None]
            if not joints.turning[i]:
                arm = arm + axis * q[:, i, None]
            self.moves[i] += np.cross(self.turns[i], arm[:, :, None], axis=1)
            a = a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
            if joints.turning[i]:
                self.turns[i, :, :, i] += axis
                frame = frame @ turn(np.broadcast_to(joints.axes[i], (count, 3)), q[:, i])
                w, dw = w + axis * rate, dw + np.cross(w, axis) * rate
            else:
                self.moves[i, :, :, i] += axis
                a = a + 2 * np.cross(w, axis) * rate
            self.rotation[i], self.spin[i], self.spin_rate[i], self.acceleration[i] = frame, w, dw, a


class LumpedNumbers:
    """Computes M, h, gravity and applied forces of groups at fixed S states; motions are stored for each ``Joints``."""

    def __init__(self, q: Array, v: Array) -> None:
        self.q, self.v = q, v
        self._motions: dict[int, tuple[Joints, LumpedMotion]] = {}

    def motion(self, joints: Joints) -> LumpedMotion:
        """Return the motion with these joints."""
        if id(joints) not in self._motions:
            self._motions[id(joints)] = joints, LumpedMotion(joints, self.q, self.v)
        return self._motions[id(joints)][1]

    def forget(self, joints: Joints) -> None:
        """Drop the stored motion of joints that are no longer needed."""
        self._motions.pop(id(joints), None)

    def quantities(self, groups: Groups) -> dict[str, Array]:
        """Return M (S, n, n), h, gravity and applied (S, n)."""
        k = self.motion(groups.joints)
        n, count = len(groups.names), len(self.q)
        placed = [place_mass(m, c) for m, c in zip(groups.mass, groups.centre, strict=True)]
        own = groups.tensor + np.array(placed).reshape(-1, 3, 3)
        m = groups.mass[:, None, None]
        first = np.einsum("nsij,nj->nsi", k.rotation, groups.mass[:, None] * groups.centre)
        tensor = k.rotation @ own[:, None] @ np.swapaxes(k.rotation, -1, -2)
        impulse = m[..., None] * k.moves + np.cross(k.turns, first[..., None], axis=2)
        momentum = tensor @ k.turns + np.cross(first[..., None], k.moves, axis=2)

        def project(force: Array, moment: Array) -> Array:
            return np.asarray(np.einsum("nsai,nsa->si", k.moves, force) + np.einsum("nsai,nsa->si", k.turns, moment))

        def columns(x: Array) -> Array:
            return np.moveaxis(x, 0, 1).reshape(count, 3 * n, n)

        mass = np.swapaxes(columns(k.moves), 1, 2) @ columns(impulse) + np.swapaxes(columns(k.turns), 1, 2) @ columns(
            momentum
        )
        mass = mass + np.diag(groups.laws[:, 3]) + sum(groups.rotors.values(), np.zeros((n, n)))
        spun = np.einsum("nsij,nsj->nsi", tensor, k.spin)
        force = m * k.acceleration + np.cross(k.spin_rate, first) + np.cross(k.spin, np.cross(k.spin, first))
        moment = (
            np.einsum("nsij,nsj->nsi", tensor, k.spin_rate) + np.cross(k.spin, spun) + np.cross(first, k.acceleration)
        )
        weight = np.broadcast_to(m * groups.gravity, first.shape)
        damping, stiffness, offset, _, rough = groups.laws.T
        applied = offset - damping * self.v - stiffness * self.q - rough * np.sign(self.v)
        for pull in groups.pulls:
            i = pull.group
            arm = k.rotation[i] @ pull.point
            turned = np.cross(arm, pull.force) + k.rotation[i] @ pull.moment
            applied = (
                applied + np.einsum("sai,a->si", k.moves[i], pull.force) + np.einsum("sai,sa->si", k.turns[i], turned)
            )
        return {
            "M": mass, "h": project(force, moment), "gravity": project(weight, np.cross(first, groups.gravity)),
            "applied": applied,
        }  # fmt: skip


# Two models in the same frames.


#: A number differs from this part of its size; candidates for a frame are counted by numbers that differ by more.
DIFFERS, COUNTED = 1e-12, 1e-5
#: Numbers nearer than this part of their size are one field, rounded or mistyped.
ALIKE = 1e-3
#: Numbers near zero are measured by this part of the machine's length.
NEAR = 1e-3


def align(a: Groups, b: Groups, pairs: Mapping[str, str]) -> Groups:
    """Return B in A's order and frames: T changes a group's frame from B's to A's, T⁻¹ corrects its children's joints.

    The machine stays the same if a hinge's frame is shifted along its axis, a slide's in any way, or a frame is turned.
    A frame of B is kept if its numbers are nearly A's. Otherwise three frames are tried, and that in which the fewest
    numbers of the group differ is taken: the frame in which the joint is placed as in A; one with B's origin; one with
    B's origin and axes. A slide tries B's origin first.

    Raises
    ------
    NotLumpedError
        The trees of the two have another order.
    """
    numbers = [b.names.index(pairs[name]) for name in a.names]
    place = {GROUND: GROUND} | {old: new for new, old in enumerate(numbers)}
    if tuple(place[b.joints.parents[old]] for old in numbers) != a.joints.parents:
        raise NotLumpedError("coordinates of A and B carry each other in another order")
    rotations, origins, axes = (np.empty_like(x) for x in (a.joints.rotations, a.joints.origins, a.joints.axes))
    frames: list[tuple[Array, Array]] = []
    whole, length = b.in_order(numbers), NEAR * measure_length(a)
    for i, parent in enumerate(a.joints.parents):
        R, t = frames[parent] if parent != GROUND else (np.eye(3), np.zeros(3))
        pose = R @ whole.joints.rotations[i], R @ whole.joints.origins[i] + t  # B's joint in A's frame of the parent
        best: tuple[int, tuple[Array, ...]] | None = None
        back = a.joints.rotations[i].T
        hinge = a.joints.turning[i]
        joint = zip(*((j.rotations[i], j.axes[i], j.origins[i]) for j in (a.joints, whole.joints)), strict=True)
        near = not any(differs(x, y, least, ALIKE) for (x, y), least in zip(joint, (1.0, 1.0, length), strict=True))
        if near and np.array_equal(R, np.eye(3)) and not t.any():
            best = 0, (R, t, *pose, whole.joints.axes[i])
        for turned, carried in ((back @ pose[0], hinge), (back @ pose[0], not hinge), (np.eye(3), False)):
            axis = turned @ whole.joints.axes[i]
            shift = back @ (pose[1] - a.joints.origins[i]) if carried else np.zeros(3)
            shift = axis * (axis @ shift) if hinge else shift
            joint = pose[0] @ turned.T
            found = turned, shift, joint, pose[1] - joint @ shift, axis
            count = _count(a, whole, i, found)
            if best is None or count < best[0]:
                best = count, found
        assert best is not None
        turned, shift, rotations[i], origins[i], axes[i] = best[1]
        frames.append((turned, shift))
    moved = whole.in_frames([*frames, (np.eye(3), np.zeros(3))])
    return replace(moved, joints=replace(moved.joints, rotations=rotations, origins=origins, axes=axes), names=a.names)


def _count(a: Groups, b: Groups, i: int, found: tuple[Array, ...]) -> int:
    """Count the fields of a group's joint, centre and tensor that differ with B's frame moved by ``found``."""
    turned, shift, joint, origin, axis = found
    length = measure_length(a)
    centre, tensor = turned @ b.centre[i] + shift, turned @ b.tensor[i] @ turned.T
    heavy = a.mass[i] > 0 and b.mass[i] > 0
    return sum((
        differs(a.joints.rotations[i], joint, 1.0), differs(a.joints.axes[i], axis, 1.0),
        differs(a.joints.origins[i], origin, NEAR * length),
        heavy and differs(a.centre[i], centre, NEAR * length), differs(a.tensor[i], tensor),
    ))  # fmt: skip


def measure_length(groups: Groups) -> float:
    """Return the largest offset of a joint or a centre of mass in a group's frame (m)."""
    return float(np.abs(np.concatenate([groups.joints.origins, groups.centre])).max(initial=0.0))


def differs(x: Array | float, y: Array | float, least: float = 0.0, part: float = COUNTED) -> bool:
    """Return True if numbers differ by more than this part of the largest of them, or of the least size."""
    size = max(float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)), least)
    return bool(np.abs(x - y).max(initial=0.0) > part * size)
