"""Joints: the bodies and frames that they join, their motions, the tree that they form; springs and tendons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from mbconcord.converters.floats import HERE, Array, FloatPose, compose_pose, real
from mbconcord.converters.poses import Steps, back, opposite
from mbconcord.model import Constant, ElementaryTransformation, rotation, shift, translation
from mbconcord.model.expressions import ONE, ZERO, Expression, number
from mbconcord.model.transformation import Vector, vector
from mbconcord.records import dataclass, field

from .stage import Prim, UsdStage, round_decimal, steps_of

#: Endings of the names of coordinates of a free body, and of a ball joint.
FREE: Final = ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX")
BALL: Final = ("_RZ", "_RY", "_RX")
SHIFTS: Final = ("transX", "transY", "transZ")
TURNS: Final = ("rotX", "rotY", "rotZ")
#: MuJoCo's schema of a joint that follows another one.
FOLLOWS: Final = "MjcEqualityJointAPI"
#: Joints of UsdPhysics.
ONE_AXIS: Final = {"PhysicsRevoluteJoint": "rotation", "PhysicsPrismaticJoint": "translation"}
KINDS: Final = (*ONE_AXIS, "PhysicsFixedJoint", "PhysicsSphericalJoint", "PhysicsJoint", "PhysicsDistanceJoint")


@dataclass(frozen=True, eq=False)
class Along:
    """A degree of freedom of a joint: its coordinate, True for a rotation, and the coordinate's sign along its axis."""

    coordinate: str
    turns: bool
    sign: int = 1


@dataclass(frozen=True, eq=False)
class UsdJoint:
    """A joint: its prim and name, two ends, a frame on each, the motion between the frames, and degrees of freedom.

    ``ends`` are paths of bodies, None for the world; ``along`` maps axis names, as drives and limits use them.
    """

    prim: Prim
    name: str
    ends: tuple[str | None, str | None]
    frames: tuple[Steps, Steps]
    motion: Steps
    along: dict[str, Along]
    closes: bool = False

    @property
    def outward(self) -> Steps:
        """Transformations from the frame of body0 to that of body1."""
        return (*self.frames[0], *self.motion, *back(self.frames[1]))

    @property
    def inward(self) -> Steps:
        """Transformations from the frame of body1 to that of body0."""
        return (*self.frames[1], *(opposite(et) for et in reversed(self.motion)), *back(self.frames[0]))

    def other(self, end: str | None) -> str | None:
        """Return the end of the joint opposite to a given end."""
        return self.ends[1] if self.ends[0] == end else self.ends[0]


class UsdJoints:
    """Reader of a stage's joints: ``found`` in the order of traversal, ``unread`` with the reasons why."""

    def __init__(self, stage: UsdStage, names: dict[str, str]) -> None:
        self.stage, self.names = stage, names
        self.found: list[UsdJoint] = []
        self.unread: list[tuple[Prim, str, str]] = []
        for prim in stage.prims.values():
            if prim.type in KINDS:
                self._read(prim)

    def _read(self, prim: Prim) -> None:
        stage = self.stage
        off = prim.has("MjcEqualityConnectAPI", "MjcEqualityWeldAPI") and has_no_equations(stage)
        if off or not prim.value("physics:jointEnabled", True):
            self.unread.append((prim, "it is not enabled", "none"))
            return
        before = len(stage.findings.errors)
        ends = [self._end(prim, k) for k in (0, 1)]
        if len(stage.findings.errors) > before:
            self._motion(prim)
            return
        (one, first), (other, second) = ends  # type: ignore[misc]
        if one == other:
            if one is None and any(prim.targets.get(f"physics:body{k}") for k in (0, 1)) and self._is_disabled(prim):
                self.unread.append((prim, "both ends are the world: a body is not enabled", "none"))
                return
            what = f"{one} to itself" if one else "the world to the world"
            stage.refuse(
                prim.path, f"the joint joins {what}", "name one body at least" if one is None else "name two bodies"
            )
        motion, along = self._motion(prim)
        excluded = prim.value("physics:excludeFromArticulation", False) or prim.type == "PhysicsDistanceJoint"
        self.found.append(UsdJoint(prim, self.names[prim.path], (one, other), (first, second), motion, along, excluded))

    def _is_disabled(self, prim: Prim) -> bool:
        targets = [path for k in (0, 1) for path in prim.targets.get(f"physics:body{k}", ())[:1]]
        return any(p.has("PhysicsRigidBodyAPI") and not p.is_body for t in targets for p in self.stage.above(t))

    def _end(self, prim: Prim, k: int) -> tuple[str | None, Steps] | None:
        """Return the body at an end of a joint, and the transformations from its frame to that of the joint."""
        stage, key = self.stage, f"physics:body{k}"
        paths = prim.targets.get(key, ())
        if len(paths) > 1:
            stage.warn(prim.path, f"{len(paths)} targets: the first is read", "name one", key)
        place, turn = stage.numbers(prim, f"physics:localPos{k}", 3, 1), stage.turn(prim, f"physics:localRot{k}")
        if not paths:
            return None, (*shift(vector(place or (0, 0, 0))), *turn)
        if paths[0] not in stage.prims:
            message = f"there is no prim {paths[0]}"
            stage.refuse(prim.path, message, "name a prim that is there: UsdPhysics would take the world", key)
            return None
        body = stage.body_of(paths[0])
        pose, scale = stage.pose(paths[0])
        own = (*shift(stage.scale_point(place, scale)), *turn)
        if body is not None and body.path == paths[0]:
            return body.path, own
        around = pose if body is None else pose.seen_from(stage.pose(body.path)[0])
        return (None if body is None else body.path), (*steps_of(around), *own)

    def _motion(self, prim: Prim) -> tuple[Steps, dict[str, Along]]:
        """Return the motion of a joint between its frames, and its degrees of freedom."""
        name, kind = self.names[prim.path], prim.type
        if kind in ONE_AXIS:
            axis = prim.value("physics:axis", "X")
            if axis not in ("X", "Y", "Z"):
                self.stage.refuse(prim.path, f"found {axis!r}", "X, Y or Z", "physics:axis")
                return (), {}
            make = rotation if kind == "PhysicsRevoluteJoint" else translation
            start = reference(self.stage, prim)
            held = (make(axis.lower(), Constant(-start)),) if start else ()
            turns = make is rotation
            return (*held, make(axis.lower(), name)), {"angular" if turns else "linear": Along(name, turns)}
        if kind == "PhysicsSphericalJoint":
            return self._ball(name)
        return self._free_axes(prim, name) if kind == "PhysicsJoint" else ((), {})

    @staticmethod
    def _ball(name: str) -> tuple[Steps, dict[str, Along]]:
        steps = tuple(rotation(axis, name + ending) for axis, ending in zip("zyx", BALL, strict=True))
        return steps, {}

    def _free_axes(self, prim: Prim, name: str) -> tuple[Steps, dict[str, Along]]:
        """Return the motion of a joint whose limits lock some of its six axes, and its degrees of freedom."""
        free = [axis for axis in (*SHIFTS, *TURNS) if not self._is_locked(prim, axis)]
        shifts, turns = ([axis for axis in free if axis in some] for some in (SHIFTS, TURNS))
        if len(shifts) == 2 and len(turns) == 1 and {a[-1] for a in free} == {"X", "Y", "Z"}:
            return self._planar(name, turns[0])
        along = {axis: Along(name if len(free) == 1 else f"{name}_T{axis[-1]}", False) for axis in shifts}
        steps = [translation(axis[-1].lower(), own.coordinate) for axis, own in along.items()]
        order = turns
        if len(turns) == 3:
            order = [*reversed(turns)]
        elif len(turns) == 2:
            self.unread.append((prim, f"nobody says which of {' and '.join(turns)} turns first", "geometry"))
        for axis in order:
            along[axis] = Along(name if len(free) == 1 else f"{name}_R{axis[-1]}", True)
            steps.append(rotation(axis[-1].lower(), along[axis].coordinate))
        return tuple(steps), along if len(turns) < 3 else {a: own for a, own in along.items() if not own.turns}

    def _planar(self, name: str, turn: str) -> tuple[Steps, dict[str, Along]]:
        """Return shifts along R x and R y and a rotation about R z; R is the least rotation of z onto that axis."""
        first, second = {"rotX": ("-z", "y"), "rotY": ("x", "-z"), "rotZ": ("x", "y")}[turn]
        steps = (
            translation(first, f"{name}_TX"),
            translation(second, f"{name}_TY"),
            rotation(turn[-1].lower(), f"{name}_RZ"),
        )
        along = {turn: Along(f"{name}_RZ", True)}
        for axis, ending in ((first, "_TX"), (second, "_TY")):
            along[f"trans{axis[-1].upper()}"] = Along(name + ending, False, -1 if axis.startswith("-") else 1)
        return steps, along

    def _is_locked(self, prim: Prim, axis: str) -> bool:
        if not prim.has(f"PhysicsLimitAPI:{axis}"):
            return False
        low = prim.value(f"limit:{axis}:physics:low", -np.inf)
        high = prim.value(f"limit:{axis}:physics:high", np.inf)
        if low == high and low != 0:
            remedy = "turn the joint frame, and lock it"
            self.stage.refuse(prim.path, f"the axis stands still at {low:.7g}", remedy, f"limit:{axis}:physics:low")
        return bool(low > high or low == high)


def has_no_equations(stage: UsdStage) -> bool:
    """Return True if a flag of MuJoCo switches its equations of bodies and joints off."""
    return not all(stage.scene.value(f"mjc:flag:{word}", True) for word in ("equality", "constraint"))


def degrees_of(stage: UsdStage) -> int:
    """Return 1 if angles in MuJoCo's attributes are in degrees, which is the default, else 0."""
    return 0 if stage.scene.value("mjc:compiler:angle", "degree") == "radian" else 1


def reference(stage: UsdStage, prim: Prim) -> Expression:
    """Return the value that MuJoCo gives a coordinate of one axis in the pose of the stage: ``mjc:ref`` (rad, m)."""
    turns = prim.type == "PhysicsRevoluteJoint"
    if prim.type not in ONE_AXIS:
        return ZERO
    return stage.number(prim, "mjc:ref", 0 if turns else 1, 0, degrees_of(stage) if turns else 0) or ZERO


# The tree.


@dataclass
class UsdTree:
    """Bodies carried by joints.

    Attributes
    ----------
    carrying : body -> joints that carry it, one after another, and True if they lead from body1 to body0
    welded, free : bodies fixed at their pose on the stage, and bodies that no joint carries
    closing : joints that close loops
    parallel : closing joints between two bodies that another joint of the tree already joins
    """

    carrying: dict[str, tuple[tuple[UsdJoint, ...], bool]] = field(default_factory=dict)
    welded: list[str] = field(default_factory=list)
    free: list[str] = field(default_factory=list)
    closing: list[UsdJoint] = field(default_factory=list)
    parallel: list[UsdJoint] = field(default_factory=list)

    def parent(self, body: str) -> str | None:
        """Return the body that carries another; None for the world."""
        if body not in self.carrying:
            return None
        joints, inward = self.carrying[body]
        return joints[0].ends[1] if inward else joints[0].ends[0]

    @property
    def tree_joints(self) -> Iterator[UsdJoint]:
        """The joints that carry bodies."""
        return (joint for joints, _ in self.carrying.values() for joint in joints)

    def steps(self, body: str) -> Steps:
        """Return the transformations from the carrier's frame to that of a body: X = F0₁ M₁ F1₁⁻¹ Π F1ₖ Mₖ F1ₖ⁻¹."""
        joints, inward = self.carrying[body]
        found = joints[0].outward
        for joint in joints[1:]:
            found = (*found, *joint.frames[1], *joint.motion, *back(joint.frames[1]))
        return joints[0].inward if inward and len(joints) == 1 else invert(found) if inward else found

    def outward(self, bodies: list[str]) -> Iterator[str]:
        """Yield the bodies, each after its carrier, otherwise in the order of traversal."""
        given: set[str] = set()
        for body in bodies:
            way: list[str] = []
            at: str | None = body
            while at is not None and at not in given:
                way.append(at)
                at = self.parent(at)
            for each in reversed(way):
                given.add(each)
                yield each


def invert(steps: Steps) -> Steps:
    """Return the inverse of transformations, with the same coordinates."""
    return tuple(opposite(et) if et.coordinate else back((et,))[0] for et in reversed(steps))


def tree(stage: UsdStage, joints: UsdJoints) -> UsdTree:
    """Build the tree from the world, then from kinematic bodies, then in each remaining component from a free body."""
    made = UsdTree()
    bodies = [prim for prim in stage.prims.values() if prim.is_body]
    made.welded = [prim.path for prim in bodies if prim.value("physics:kinematicEnabled", False)]
    held: dict[str | None, list[UsdJoint]] = {}
    for joint in joints.found:
        for end in joint.ends if not joint.closes else ():
            held.setdefault(end, []).append(joint)
    reached: set[str | None] = {None, *made.welded}
    _grow(stage, made, held, reached, [None])
    _grow(stage, made, held, reached, [*made.welded])
    for prim in bodies:
        if prim.path not in reached:
            inside = _component(prim.path, held)
            roots = [p.path for p in bodies if p.path in inside and p.has("PhysicsArticulationRootAPI")]
            first = roots[0] if roots else prim.path
            made.free.append(first)
            reached.add(first)
            _grow(stage, made, held, reached, [first])
    used = {id(joint) for joint in made.tree_joints}
    made.closing = [joint for joint in joints.found if id(joint) not in used]
    pairs = {frozenset(joint.ends) for joint in made.tree_joints}
    made.parallel = [joint for joint in made.closing if not joint.closes and frozenset(joint.ends) in pairs]
    return made


def _component(body: str, held: dict[str | None, list[UsdJoint]]) -> set[str | None]:
    found: set[str | None] = {body}
    waiting: list[str | None] = [body]
    while waiting:
        at = waiting.pop()
        new = {joint.other(at) for joint in held.get(at, ())} - found
        found |= new
        waiting += new
    return found


def _grow(
    stage: UsdStage,
    made: UsdTree,
    held: dict[str | None, list[UsdJoint]],
    reached: set[str | None],
    new: list[str | None],
) -> None:
    while new:
        at = new.pop(0)
        for joint in held.get(at, ()):
            end = joint.other(at)
            if end is None or end in reached:
                continue
            group = [joint]
            if _adds_mobility(stage, joint, end):
                group = [other for other in held[at] if other.ends == joint.ends]
            made.carrying[end] = tuple(group), joint.ends[0] == end
            reached.add(end)
            new.append(end)


def _adds_mobility(stage: UsdStage, joint: UsdJoint, body: str) -> bool:
    """Return True if several joints between the same two bodies act in series."""
    around = (*stage.above(joint.prim.path), *stage.above(body))
    return any(prim.value("newton:jointsAddMobility", False) for prim in around)


# Initial values of the joint coordinates, from the poses on the stage.

#: Values below this are rounding of singles; gaps above that are reported (rad, m).
ROUNDING: Final = 1e-6
APART: Final = 1e-5


def initial_values(stage: UsdStage, joint: UsdJoint) -> dict[str, Expression]:
    """Return the coordinates of a joint in the pose of the stage; warn if its frames do not meet there."""
    ends = [HERE if end is None else stage.pose(end)[0] for end in joint.ends]
    frames = [end.then(compose_pose(own)) for end, own in zip(ends, joint.frames, strict=True)]
    gap = frames[1].seen_from(frames[0])
    found, left = _solve(joint.motion, gap)
    if left > APART:
        message = f"its frames are {left:.2g} apart where the stage stands: the coordinates begin as near as they can"
        stage.warn(joint.prim.path, message, "move the bodies, or localPos and localRot", kind="apart")
    start = reference(stage, joint.prim) if len(found) == 1 else ZERO
    values = {name: round_decimal(x) + start if abs(x) > ROUNDING else start for name, x in found.items()}
    return {name: x for name, x in values.items() if x}


def _solve(motion: Steps, gap: FloatPose) -> tuple[dict[str, float], float]:
    """Return coordinates with which a motion comes nearest to a pose, and the remaining gap (m and rad)."""
    found: dict[str, float] = {}
    shifts = [et for et in motion if et.is_translation and et.coordinate]
    turns = [et for et in motion if not et.is_translation and et.coordinate]
    at = gap.p
    for et in shifts:
        axis = np.array([real(x) for x in et.axis])
        found[et.coordinate or ""] = float(at @ axis)
        at = at - axis * (at @ axis)
    R = gap.R
    if len(turns) == 3:
        z, y, x = turns
        angles = (
            np.arctan2(R[1, 0], R[0, 0]),
            np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])),
            np.arctan2(R[2, 1], R[2, 2]),
        )
        found |= {et.coordinate or "": float(a) for et, a in zip((z, y, x), angles, strict=True)}
        R = np.eye(3)
    elif len(turns) == 1 and turns[0].coordinate:
        axis = np.array([real(x) for x in turns[0].axis])
        off = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        angle = float(np.arctan2(off @ axis, np.trace(R) - axis @ R @ axis))
        found[turns[0].coordinate] = angle
        R = R @ compose_pose((rotation([*axis], -angle),)).R
    left = max(float(np.linalg.norm(at)), float(np.abs(R - np.eye(3)).max()) if len(turns) != 2 else 0.0)
    return found, left


def free_steps(name: str, pose: FloatPose) -> Steps:
    """Return the transformations from the world to a free body: its pose on the stage, then shifts, turns rz ry rx."""
    moving: list[ElementaryTransformation] = []
    moving += [translation(axis, name + ending) for axis, ending in zip("xyz", FREE, strict=False)]
    moving += [rotation(axis, name + ending) for axis, ending in zip("zyx", FREE[3:], strict=True)]
    return (*steps_of(pose), *moving)


def position_of(steps: Steps) -> Vector:
    """Return the origin of the frame to which constant steps lead; exact if no rotation precedes a shift."""
    moving = [et for et in steps if et.is_translation]
    if moving == list(steps[: len(moving)]):
        return vector(sum((et.axis[i] * et.amount for et in moving), ZERO) for i in range(3))
    return vector(map(round_decimal, compose_pose(steps).p))


# Tendons of MuJoCo.


def spring_reference(stage: UsdStage, prim: Prim, own: Along) -> Expression:
    """Return the coordinate of a joint at which MuJoCo's spring is at rest: its ``springref``."""
    unit = (0, degrees_of(stage)) if own.turns else (1, 0)
    return stage.number(prim, "mjc:springref", unit[0], 0, unit[1]) or ZERO


def sums(tree: UsdTree, paths: list[str], row: Iterable[Expression] = (ONE,)) -> list[tuple[Along, Expression]]:
    """Return degrees of freedom of joints of one axis in the tree, with their coefficients; none if one has no path."""
    carrying = {joint.prim.path: joint for joint in tree.tree_joints if joint.prim.type in ONE_AXIS}
    found = [*zip(paths, row, strict=False)]
    if len(found) != len(paths) or not {*paths} <= {*carrying}:
        return []
    return [(next(iter(carrying[path].along.values())), c) for path, c in found]


@dataclass(frozen=True, eq=False)
class UsdTendon:
    """A tendon: degrees of freedom whose sum, with coefficients, is its length; or bodies, points and places of sites.

    The places are in the world (m). Both are empty if the tendon is wrapped or divided.
    """

    prim: Prim
    along: list[tuple[Along, Expression]]
    sites: list[tuple[Prim | None, Vector, Array]]

    @property
    def turns(self) -> bool:
        """True if its length is an angle."""
        return bool(self.along) and self.along[0][0].turns

    @property
    def is_straight(self) -> bool:
        """True if its length is known at every position, and is no sum of turns and shifts."""
        return bool(self.sites) or len({own.turns for own, _ in self.along}) == 1

    def rest(self, stage: UsdStage, joints: UsdJoints) -> Expression | None:
        """Return the length at which its spring is at rest; None if it is not known, or not one."""
        low, high = self.prim.value("mjc:springlength", [-1, -1])
        if low != high or not self.is_straight:
            return None
        if low >= 0:
            return number(repr(float(low))) * (ONE if self.turns else number(stage.metres))
        moving = [joint for joint in joints.found if joint.prim.type in ONE_AXIS]
        if self.sites:
            apart = any(j.prim.value("mjc:springref", 0) != j.prim.value("mjc:ref", 0) for j in moving)
            return None if apart else round_decimal(float(np.linalg.norm(self.sites[1][2] - self.sites[0][2])))
        held = {x.coordinate: spring_reference(stage, j.prim, x) for j in moving for x in j.along.values()}
        return sum((c * held[own.coordinate] for own, c in self.along), ZERO)


def tendon(stage: UsdStage, tree: UsdTree, prim: Prim) -> UsdTendon:
    """Return the tendon of a prim."""
    paths, order = [*prim.targets.get("mjc:path", ())], prim.value("mjc:path:indices")
    paths = paths if order is None else [paths[k] for k in order if k < len(paths)]
    if prim.value("mjc:type") == "fixed":
        return UsdTendon(prim, sums(tree, paths, stage.numbers(prim, "mjc:path:coef", len(paths)) or []), [])
    whole = len(paths) == 2 and len(prim.value("mjc:path:divisors", [1])) == 1
    sites = []
    for path in paths if whole and all(p in stage.prims and stage.prims[p].has("MjcSiteAPI") for p in paths) else ():
        body, pose = stage.body_of(path), stage.pose(path)[0]
        around = HERE if body is None else stage.pose(body.path)[0]
        sites.append((body, position_of(steps_of(pose.seen_from(around))), pose.p))
    return UsdTendon(prim, [], sites)
