"""Reading of a stage of OpenUSD as text at one state: joints carry bodies, from the world outwards; doubles throughout.

Coordinates are named after their joints. Masses, centres and moments that are not given are those of the shapes; a mesh
weighs what its triangles, or its hull, enclose. Joint limits, contacts and visual prims are left out of the motion.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..machine import (
    At,
    SecondClosure,
    SecondJoined,
    SecondMachine,
    SecondPlace,
    SecondRod,
    SecondRow,
    SecondSolid,
    Spring,
    Steps,
    Tensor,
    Triple,
    UnreadError,
    X,
    Y,
    Z,
    linear,
    symmetric,
)
from ..world import Array, World, end_of
from .lumps import SecondLump, cone, measure_enclosed, solid, sum_lumps
from .tags import back, free, inverse, matrix, move_along, quaternion, rotate_tensor, shift, steps_to, triple, turn
from .usd_text import BinaryError, SecondLayers, SecondPrim

G, WATER = 9.81, 1000.0
DEGREE = math.pi / 180
#: Turns of z onto the axis of a shape, or of a plane's normal.
ONTO = {"X": turn(Y, math.pi / 2), "Y": turn(X, -math.pi / 2), "Z": ()}
LETTERS = {"X": X, "Y": Y, "Z": Z}
JOINTS = ("Revolute", "Prismatic", "Fixed", "Spherical", "Distance", "")
#: Schema of another vendor -> schema of UsdPhysics that it implies.
BRINGS = {
    "NewtonMassAPI": "PhysicsMassAPI", "NewtonCollisionAPI": "PhysicsCollisionAPI",
    "NewtonMeshCollisionAPI": "PhysicsCollisionAPI", "MjcCollisionAPI": "PhysicsCollisionAPI",
    "MjcMeshCollisionAPI": "PhysicsCollisionAPI", "NewtonArticulationRootAPI": "PhysicsArticulationRootAPI",
    "MjcEqualityJointAPI": "NewtonMimicAPI",
}  # fmt: skip
#: MuJoCo's schemas of joints that are its equations of bodies, and that of a joint that follows another one.
EQUATIONS, FOLLOWS = ("MjcEqualityConnectAPI", "MjcEqualityWeldAPI"), "MjcEqualityJointAPI"
#: Properties of rotors, and of a joint's time constant and damping ratio.
ROTORS, TIMED = ("newton:armature", "physxJoint:armature", "mjc:armature"), "mjc:springdamper"
#: Properties of dry friction, which is left out of the motion.
ROUGH = ("newton:friction", "physxJoint:jointFriction", "mjc:frictionloss", "urdf:dynamics:friction")
#: Beginnings of types and schemas that act on the motion and are left out, and what the reader calls them.
BESIDE = {
    "MjcEquality": "closure", "NewtonActuator": "actuator", "PhysxPhysicsGear": "closure",
    "PhysxPhysicsRack": "closure",
}  # fmt: skip
#: Properties of a mesh that enclose its volume.
TRIANGLES = ("points", "faceVertexCounts", "faceVertexIndices")
#: Initial positions smaller than this (rad, m) are rounding of single precision, and zero.
ROUNDING = 1e-6
#: Most decimal digits of a number that single precision keeps: in units that are powers of ten, and in degrees.
SURE, SURE_DEGREES = 6, 4


def read(text: str, at: At) -> SecondMachine:
    """Read the machine of a text at a state; OpenUSD prints binary layers only if the text does not suffice."""
    try:
        return _SecondUsdReading(SecondLayers(text, at.folder), at).machine()
    except BinaryError:
        if at.transcribe is None:
            raise
    return replace(
        _SecondUsdReading(SecondLayers(text, at.folder, at.file, at.transcribe), at).machine(), transcribed=True
    )


@dataclass(eq=False)
class _UsdJoint:
    """A joint: its two bodies, its frame on each, and its motion; ``along``: axis -> coordinate, True if turn, sign."""

    prim: SecondPrim
    name: str
    ends: tuple[str | None, str | None]
    frames: tuple[Steps, Steps]
    motion: Steps
    along: Mapping[str, tuple[str, bool, int]]
    start: float = 0.0

    @property
    def coordinates(self) -> list[str]:
        return [step.coordinate for step in self.motion if step.coordinate]

    @property
    def turning(self) -> list[str]:
        return [step.coordinate for step in self.motion if step.coordinate and step.turn]


class _SecondUsdReading:
    """Reading of one stage: its prims, units and scene; the methods compute the machine at a state."""

    def __init__(self, layers: SecondLayers, at: At) -> None:
        self.prims, self.at, self.layers = layers.prims, at, layers
        self.coarse, self.guessed = False, set[str]()
        self.metres = float(layers.said.last("metersPerUnit", 0.01))
        self.kilograms = float(layers.said.last("kilogramsPerUnit", 1.0))
        self.up = str(layers.said.last("upAxis", "Y"))
        for prim in self.prims.values():
            prim.apis |= {BRINGS[api] for api in prim.apis if api in BRINGS}
        self.scene = next((p for p in self.prims.values() if p.type == "PhysicsScene"), SecondPrim("", []))
        self.angle = 1.0 if self.scene.value("mjc:compiler:angle", "degree") == "radian" else DEGREE
        kinds = tuple(f"Physics{kind}Joint" for kind in JOINTS)
        self.bodies = [p for p in self.prims.values() if self.is_body(p)]
        self.links = [p for p in self.prims.values() if p.type in kinds]
        actuators = [p for p in self.prims.values() if p.type == "MjcActuator"]
        self.tendons = [p for p in self.prims.values() if p.type == "MjcTendon"]
        groups = (self.bodies, self.links, actuators, self.tendons)
        self.names = {path: name for group in groups for path, name in _names(group).items()}
        off = not self.scene.value("mjc:flag:actuation", True)
        self.unequal = not all(self.scene.value(f"mjc:flag:{word}", True) for word in ("equality", "constraint"))
        disabled = self.scene.value("mjc:option:actuatorgroupdisable", [])
        self.actuators = [p for p in actuators if not off and p.value("mjc:group", 0) not in disabled]

    def is_body(self, prim: SecondPrim) -> bool:
        return "PhysicsRigidBodyAPI" in prim.apis and prim.value("physics:rigidBodyEnabled", True)

    # Numbers.

    def several(self, prim: SecondPrim, key: str, unit: float = 1.0, degrees: bool = False) -> list[float] | None:
        """Return a property's numbers times ``unit``, or the decimals in its customData; None if it has no value."""
        said = prim.opinion(key)
        if said is None:
            return None
        found = [float(x) for x in (said.value if isinstance(said.value, list) else [said.value])]
        if not all(map(math.isfinite, found)):
            raise UnreadError(f"{prim.path}.{key} = {found}")
        if said.type.startswith(("double", "quatd")):
            return [x * unit for x in found]
        decimals = next((made["decimals"] for _, made in said.said.get("customData", []) if "decimals" in made), None)
        if decimals is not None:
            kept = [float(x) for x in decimals.split()]
            if [np.float32(x / unit) for x in kept] == [np.float32(x) for x in found]:
                return kept
        ten = math.log10(unit) if not degrees else 0.0
        self.coarse |= said.digits > (SURE_DEGREES if degrees else SURE) or abs(ten - round(ten)) > 1e-12
        return [x * unit for x in found]

    def one(self, prim: SecondPrim, key: str, default: float, unit: float = 1.0, degrees: bool = False) -> float:
        found = self.several(prim, key, unit, degrees)
        return default if found is None else found[0]

    def force(self, turns: bool) -> float:
        """Return the stage's unit of moment (kg m²), or of force (kg), without time; a force is per metre of length."""
        return self.kilograms * (self.metres**2 if turns else 1.0)

    # Places.

    def above(self, path: str) -> Iterator[SecondPrim]:
        while path:
            if path in self.prims:
                yield self.prims[path]
            path = path.rpartition("/")[0]

    def matrix(self, path: str) -> Array:
        """Return the pose (4, 4) of a prim in the world, with its scale, in units of the stage."""
        found = np.eye(4)
        for prim in self.above(path):
            own = np.eye(4)
            for word in prim.value("xformOpOrder", []) or []:
                if word == "!resetXformStack!":
                    raise UnreadError(word)
                key = word.removeprefix("!invert!")
                step = self._operation(prim, key, key.split(":")[1])
                own = own @ (np.linalg.inv(step) if key != word else step)
            found = own @ found
        return found

    def _operation(self, prim: SecondPrim, key: str, kind: str) -> Array:
        value = np.array(prim.value(key), dtype=float)
        T = np.eye(4)
        if kind == "translate":
            T[:3, 3] = value
        elif kind == "scale":
            T[:3, :3] = np.diag(value)
        elif kind == "transform":
            T = value.T.copy()
        elif kind == "orient":
            T = matrix(quaternion(*value))
        elif kind.startswith("rotate"):  # the first letter turns first
            angles = value if value.ndim else value[None]
            for letter in kind[6:]:
                by = angles["XYZ".index(letter)] if len(kind) > 7 else angles[0]
                T = matrix(turn(LETTERS[letter], float(by) * DEGREE)) @ T
        else:
            raise UnreadError(f"{prim.path}.{key}")
        return T

    def pose(self, path: str) -> tuple[Array, Array]:
        """Return the pose of a prim in the world (m), and its scale."""
        T = self.matrix(path)
        scale = np.linalg.norm(T[:3, :3], axis=0)
        T[:3, :3] /= scale
        T[:3, 3] *= self.metres
        return T, scale

    def body_of(self, path: str) -> str | None:
        found = next((p for p in self.above(path) if "PhysicsRigidBodyAPI" in p.apis), None)
        return found.path if found is not None and self.is_body(found) else None

    # Joints.

    def joint(self, prim: SecondPrim) -> _UsdJoint:
        """Return the joint that a prim defines."""
        (one, first), (other, second) = (self._end(prim, k) for k in (0, 1))
        motion, along, start = self._motion(prim, self.names[prim.path])
        return _UsdJoint(prim, self.names[prim.path], (one, other), (first, second), motion, along, start)

    def _end(self, prim: SecondPrim, k: int) -> tuple[str | None, Steps]:
        targets = prim.targets(f"physics:body{k}")[:1]
        place = self.several(prim, f"physics:localPos{k}", self.metres) or [0.0] * 3
        turns = quaternion(*(self.several(prim, f"physics:localRot{k}") or (1.0, 0.0, 0.0, 0.0)))
        if not targets:
            return None, (*shift(place), *turns)
        if targets[0] not in self.prims:
            raise UnreadError(f"the target {targets[0]}")
        body = self.body_of(targets[0])
        pose, scale = self.pose(targets[0])
        own = (*shift([x * s for x, s in zip(place, scale, strict=True)]), *turns)
        if body == targets[0]:
            return body, own
        around = pose if body is None else inverse(self.pose(body)[0]) @ pose
        return body, (*steps_to(around), *own)

    def _motion(self, prim: SecondPrim, name: str) -> tuple[Steps, Mapping[str, tuple[str, bool, int]], float]:
        kind = prim.type.removeprefix("Physics").removesuffix("Joint")
        if kind in ("Revolute", "Prismatic"):
            turns = kind == "Revolute"
            axis = LETTERS[prim.value("physics:axis", "X")]
            start = self.one(prim, "mjc:ref", 0.0, self.angle if turns else self.metres, turns)
            held = turn(axis, -start) if turns else shift([-start * x for x in axis])
            steps = (*held, *move_along("t" if turns else "s", [axis], [name]))
            return steps, {"angular" if turns else "linear": (name, turns, 1)}, start
        if kind == "Spherical":
            return free([name + ending for ending in ("_RZ", "_RY", "_RX")]), {}, 0.0
        if kind:
            return (), {}, 0.0
        loose = [a for a in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ") if not self._is_locked(prim, a)]
        shifts, turns_ = ([a for a in loose if a.startswith(word)] for word in ("trans", "rot"))
        if len(shifts) == 2 and len(turns_) == 1 and len({a[-1] for a in loose}) == 3:
            R = matrix(ONTO[turns_[0][-1]])[:3, :3]
            axes = [triple(np.round(R[:, k])) for k in range(3)]
            names = [name + ending for ending in ("_TX", "_TY", "_RZ")]
            along = {turns_[0]: (names[2], True, 1)}
            for axis, own in zip(axes[:2], names, strict=False):
                letter = "XYZ"[int(np.argmax(np.abs(axis)))]
                along[f"trans{letter}"] = (own, False, int(sum(axis)))
            return move_along("sst", axes, names), along, 0.0
        if len(turns_) == 2:
            raise UnreadError(f"{prim.path} with two turns")
        order = [*shifts, *(reversed(turns_) if len(turns_) == 3 else turns_)]
        names = [name if len(loose) == 1 else f"{name}_{'R' if a in turns_ else 'T'}{a[-1]}" for a in order]
        kinds = "".join("t" if a in turns_ else "s" for a in order)
        along = {a: (n, a in turns_, 1) for a, n in zip(order, names, strict=True)}
        if len(turns_) == 3:
            along = {a: own for a, own in along.items() if not own[1]}
        return move_along(kinds, [LETTERS[a[-1]] for a in order], names), along, 0.0

    def _is_locked(self, prim: SecondPrim, axis: str) -> bool:
        if f"PhysicsLimitAPI:{axis}" not in prim.apis:
            return False
        low, high = (prim.value(f"limit:{axis}:physics:{k}", s * math.inf) for k, s in (("low", -1), ("high", 1)))
        return bool(low > high or low == high)

    # The machine.

    def machine(self) -> SecondMachine:
        """Return the machine with its bodies, forces and constraints."""
        joints = [
            self.joint(p) for p in self.links
            if p.value("physics:jointEnabled", True) and not (self.unequal and {*EQUATIONS} & p.apis)
        ]  # fmt: skip
        carried, still, loose = self._tree(joints)
        inertias = self._inertias()
        solids, starts, coordinates = [], dict[str, tuple[float, float]](), dict[str, list[str]]()
        for path in (*still, *loose, *carried):
            name = self.names[path]
            if path in carried:
                parent, steps = self._carry(carried[path])
                for joint in carried[path][0]:
                    coordinates[joint.prim.path] = joint.coordinates
                    starts |= self._starts(joint, len(carried[path][0]) == 1)
            else:
                parent, steps = None, steps_to(self.pose(path)[0])
                if path in loose:
                    names = [name + ending for ending in ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX")]
                    steps, coordinates[path] = (*steps, *free(names)), names
                    starts |= self._rates(path, names)
            solids.append(SecondSolid(name, parent, steps, *inertias[path]))
        used = {id(joint) for group, _ in carried.values() for joint in group}
        closing = [joint for joint in joints if id(joint) not in used and not {*joint.ends} <= {None, *still}]
        moving = [joint for joint in joints if id(joint) in used]
        efforts: dict[str, float] = {}
        ordered = tuple(q for path in self.prims for q in coordinates.get(path, ()))
        rotors = tuple(x for joint in moving for x in self._rotor(joint))
        made = SecondMachine(ordered, self._sorted(solids), self._gravity(), starts=starts, armatures=rotors)
        behind = {joint.name: joint.start for group, _ in carried.values() for joint in group[1:] and group}
        met = self._resist(made, behind, {*still}) if any(np.any(p.value(TIMED, 0)) for p in self.links) else {}
        for joint in moving:
            for q, effort in self._efforts(joint, met):
                efforts[q] = efforts.get(q, 0.0) + effort
        driven = [self._read_actuator(prim, moving) for prim in self.actuators]
        pulled = [self._read_tendon(prim, moving) for prim in self.tendons]
        straight = tuple(spring for _, _, own in pulled for spring in own)
        by_all = [pairs for _, pairs in driven] + [pairs for _, pairs, _ in pulled]
        for q, effort in (pair for pairs in by_all for pair in pairs):
            efforts[q] = efforts.get(q, 0.0) + effort
        rods, closures, joined = self._loops(closing)
        rough = [k for k in ROUGH if k != "mjc:frictionloss" or self.scene.value("mjc:flag:frictionloss", True)]
        timed = (joint for joint in joints if np.any(joint.prim.value(TIMED, 0)))
        return replace(
            made, efforts=efforts, springs=straight,
            rods=rods, closures=closures, joined=joined, rows=(*self._mimics(moving),),
            controls=tuple(f"{self.names[p.path]}_ctrl" for p, (held, _) in zip(self.actuators, driven) if held),
            beside=(
                *(f"joint-friction/{self.names[p.path]}" for p in self.links for key in rough if p.value(key, 0)),
                *(f"joint-spring/{j.name}" for j in timed if j not in moving or not self._tune(j, met)),
                *(f"actuator/{self.names[p.path]}" for p, (held, _) in zip(self.actuators, driven) if not held),
                *(f"tendon/{self.names[p.path]}" for p, (held, _, _) in zip(self.tendons, pulled) if not held),
                *self._beside(),
            ),
            coarse=self.coarse,
        )  # fmt: skip

    def _sorted(self, solids: list[SecondSolid]) -> tuple[SecondSolid, ...]:
        found: dict[str, SecondSolid] = {}
        while len(found) < len(solids):
            found |= {s.name: s for s in solids if s.parent is None or s.parent in found}
        return tuple(found.values())

    def _gravity(self) -> Triple:
        prim = self.scene
        size, direction = prim.value("physics:gravityMagnitude", -1.0), np.array(LETTERS[self.up]) * -1.0
        told = self.several(prim, "physics:gravityDirection")
        if told and any(told):
            direction = np.array(told) / math.hypot(*told)
        if not (prim.value("newton:gravityEnabled", True) and prim.value("mjc:flag:gravity", True)):
            return 0.0, 0.0, 0.0
        g = G if size < 0 else self.one(prim, "physics:gravityMagnitude", 0.0, self.metres)
        return triple(direction * g)

    Carried = dict[str, tuple[list[_UsdJoint], bool]]

    def _tree(self, joints: list[_UsdJoint]) -> tuple[Carried, list[str], list[str]]:
        """Return by body the joints that carry it, and True if from second to first end; fixed bodies; free bodies."""
        held: dict[str | None, list[_UsdJoint]] = {}
        for joint in joints:
            if joint.prim.value("physics:excludeFromArticulation", False) or "Distance" in joint.prim.type:
                continue
            for end in joint.ends:
                held.setdefault(end, []).append(joint)
        found: dict[str, tuple[list[_UsdJoint], bool]] = {}
        still = [p.path for p in self.bodies if p.value("physics:kinematicEnabled", False)]
        reached: set[str | None] = {None, *still}

        def grow(waiting: list[str | None]) -> None:
            while waiting:
                at = waiting.pop(0)
                for joint in held.get(at, ()):
                    end = joint.ends[1] if joint.ends[0] == at else joint.ends[0]
                    if end is None or end in reached:
                        continue
                    near = (*self.above(joint.prim.path), *self.above(end))
                    adds = any(p.value("newton:jointsAddMobility", False) for p in near)
                    group = [other for other in held[at] if other.ends == joint.ends] if adds else [joint]
                    found[end] = group, joint.ends[0] == end
                    reached.add(end)
                    waiting.append(end)

        grow([None])
        grow([*still])
        loose = []
        for body in self.bodies:
            if body.path in reached:
                continue
            inside, waiting = {body.path}, [body.path]
            while waiting:
                ends = {end for joint in held.get(waiting.pop(), ()) for end in joint.ends if end} - inside
                inside |= ends
                waiting += ends
            rooted = [p.path for p in self.bodies if p.path in inside and "PhysicsArticulationRootAPI" in p.apis]
            loose.append((rooted or [body.path])[0])
            reached.add(loose[-1])
            grow([loose[-1]])
        return found, still, loose

    def _carry(self, carried: tuple[list[_UsdJoint], bool]) -> tuple[str | None, Steps]:
        joints, inward = carried
        steps = (*joints[0].frames[0], *joints[0].motion, *back(joints[0].frames[1]))
        for joint in joints[1:]:
            steps = (*steps, *joint.frames[1], *joint.motion, *back(joint.frames[1]))
        parent = joints[0].ends[1 if inward else 0]
        return None if parent is None else self.names[parent], back(steps) if inward else steps

    def _starts(self, joint: _UsdJoint, alone: bool) -> dict[str, tuple[float, float]]:
        """Return initial positions and rates (zero) of a joint's coordinates, from the poses of its ends."""
        found = dict.fromkeys(joint.coordinates, 0.0)
        if alone:
            frames = [
                (np.eye(4) if end is None else self.pose(end)[0]) @ matrix(own)
                for end, own in zip(joint.ends, joint.frames, strict=True)
            ]
            gap = inverse(frames[0]) @ frames[1]
            turns = [s for s in joint.motion if s.turn and s.coordinate]
            for step in joint.motion:
                if step.coordinate and not step.turn:
                    found[step.coordinate] = float(gap[:3, 3] @ step.axis)
            if len(turns) == 3:
                angles = {"z": steps_angle(gap, 1, 0), "x": steps_angle(gap, 2, 1)}
                y = math.atan2(-gap[2, 0], math.hypot(gap[0, 0], gap[1, 0]))
                found |= dict(zip([s.coordinate for s in turns], (angles["z"], y, angles["x"]), strict=True))
            elif len(turns) == 1:
                R, n = gap[:3, :3], np.array(turns[0].axis)
                off = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
                found[turns[0].coordinate] = math.atan2(float(off @ n), float(np.trace(R) - n @ R @ n))
        start = joint.start if alone and len(found) == 1 else 0.0
        return {q: ((x if abs(x) > ROUNDING else 0.0) + start, 0.0) for q, x in found.items()}

    def _rates(self, path: str, names: list[str]) -> dict[str, tuple[float, float]]:
        prim, R = self.prims[path], self.pose(path)[0][:3, :3]
        above = path.rpartition("/")[0]
        into = R.T @ (self.pose(above)[0][:3, :3] if above in self.prims else np.eye(3))
        linear_ = into @ np.array(self.several(prim, "physics:velocity", self.metres) or (0.0, 0.0, 0.0))
        angular = into @ np.array(self.several(prim, "physics:angularVelocity", DEGREE, True) or (0.0, 0.0, 0.0))
        rates = (*linear_, *angular[::-1])
        return {q: (0.0, float(x)) for q, x in zip(names, rates, strict=True)}

    # What acts along joints.

    def _resist(self, made: SecondMachine, behind: Mapping[str, float], still: set[str]) -> dict[str, float]:
        """Return the inertia 1 / (M⁻¹)_qq that meets a force along q where the stage stands; nothing if it is unknown.

        M_ab = Σ tr(∂T/∂a P ∂Tᵀ/∂b) of pseudo-inertias P; ``behind`` are positions of joints that act in series.
        """
        others = (p for p in self.prims.values() if p.type not in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"))
        if self.guessed - still or len(made.coordinates) > 1000 or any(p.value(k, 0) for p in others for k in ROTORS):
            return {}
        rest = {q: x for q, (x, _) in made.starts.items()} | dict(behind)
        world = World(made, lambda q: (rest.get(q, 0.0), 0.0, 0.0))
        M = np.zeros((len(world.index),) * 2)
        for own in made.solids:
            c, by = np.array([*own.centre, 1.0]), world.poses[own.name].by
            P = own.mass * np.outer(c, c)
            P[:3, :3] += np.trace(own.tensor) / 2 * np.eye(3) - np.array(own.tensor)
            at, D = [world.index[q] for q in by], np.array([*by.values()]).reshape(-1, 4, 4)
            M[np.ix_(at, at)] += np.einsum("aij,jk,bik->ab", D, P, D, optimize=True)
        for inertia, along in made.armatures:
            for q in along:
                M[world.index[q], world.index[q]] += inertia
        try:
            return {q: 1 / x for q, x in zip(world.index, np.diag(np.linalg.inv(M)).tolist(), strict=True) if x > 0}
        except np.linalg.LinAlgError:
            return {}

    @staticmethod
    def _tune(joint: _UsdJoint, met: Mapping[str, float]) -> tuple[float, float] | None:
        """Return stiffness m / (T ζ)² and damping 2 m / T of a time constant T, a damping ratio ζ and an inertia m."""
        said, m = np.atleast_1d(joint.prim.value(TIMED, 0)), met.get(joint.name)
        if m is None or len(said) != 2 or min(said) <= 0 or not {*joint.along} & {"angular", "linear"}:
            return None
        return m / (said[0] * said[1]) ** 2, 2 * m / said[0]

    def _efforts(self, joint: _UsdJoint, met: Mapping[str, float]) -> Iterator[tuple[str, float]]:
        prim, at = joint.prim, self.at
        for axis, (q, turns, sign) in joint.along.items():
            place = f"drive:{axis}:physics:"
            if f"PhysicsDriveAPI:{axis}" in prim.apis and prim.value(place + "type", "force") == "force":
                per, angle = (self.force(turns) / (DEGREE if turns else 1)), (DEGREE if turns else self.metres)
                k, d = (self.one(prim, place + key, 0.0, per, turns) for key in ("stiffness", "damping"))
                rest, speed = (
                    at.set.get(q + ending, sign * self.one(prim, place + key, 0.0, angle, turns))
                    for key, ending in (("targetPosition", "_target"), ("targetVelocity", "_target_velocity"))
                )
                yield q, k * (rest - at.q[q]) + d * (speed - at.v[q])
            elif f"PhysicsDriveAPI:{axis}" in prim.apis:
                raise UnreadError(f"the drive of {prim.path}")
        if np.any(prim.value(TIMED, 0)):
            k, d = self._tune(joint, met) or (0.0, 0.0)
            spring, damper = (self.scene.value(f"mjc:flag:{word}", True) for word in ("spring", "damper"))
            for q, turns, _ in joint.along.values():
                rest = self.one(prim, "mjc:springref", 0.0, self.angle if turns else self.metres, turns)
                yield q, -k * spring * (at.q[q] - rest) - d * damper * at.v[q]
            return
        said, turning = prim.value("newton:damping", 0.0), joint.turning
        if said and len(turning) == 3:  # power -d |w|^2 with w = z' e_z + y' e_y + x' e_x, e_z . e_x = -sin y
            z, y, x = turning
            d, skew = self.one(prim, "newton:damping", 0.0, self.force(True) / DEGREE, True), -math.sin(at.q[y])
            yield from ((y, -d * at.v[y]), (z, -d * (at.v[z] + skew * at.v[x])), (x, -d * (at.v[x] + skew * at.v[z])))
        if said and len(turning) != 2:
            for q, turns, _ in joint.along.values():
                per = self.force(turns) / (DEGREE if turns else 1)
                yield q, -self.one(prim, "newton:damping", 0.0, per, turns) * at.v[q]
        if len(joint.along) == 1:
            ((q, turns, _),) = joint.along.values()
            if not said and prim.value("mjc:damping", 0.0) and self.scene.value("mjc:flag:damper", True):
                yield q, -self.one(prim, "mjc:damping", 0.0, self.force(turns)) * at.v[q]
            if self.scene.value("mjc:flag:spring", True):
                k = self.one(prim, "mjc:stiffness", 0.0, self.force(turns))
                rest = self.one(prim, "mjc:springref", 0.0, self.angle if turns else self.metres, turns)
                yield q, -k * (at.q[q] - rest) if k else 0.0

    def _read_actuator(self, prim: SecondPrim, moving: list[_UsdJoint]) -> tuple[bool, list[tuple[str, float]]]:
        """Return True if an actuator's law is known, and its efforts by coordinate at its control (0 if not given)."""
        at, key = self.at, prim.value("mjc:target") and prim.targets("mjc:target")
        kinds = [prim.value(f"mjc:{word}", default) for word, default in (("gainType", "fixed"), ("biasType", "none"))]
        places, row = key or [], [1.0]
        tendon = self.prims.get(places[0]) if len(places) == 1 else None
        if tendon is not None and tendon.type == "MjcTendon" and tendon.value("mjc:type") == "fixed":
            places, row = self._places(tendon), tendon.value("mjc:path:coef", [])
        along, turns = _sum_along(places, row, moving)
        g, b = (
            [*map(float, prim.value(f"mjc:{word}Prm", first)), 0.0, 0.0][:3]
            for word, first in (("gain", [1]), ("bias", [0]))
        )
        g, b = g if kinds[0] == "affine" else [g[0], 0.0, 0.0], b if kinds[1] == "affine" else [0.0] * 3
        strange = kinds[0] not in ("fixed", "affine") or kinds[1] not in ("none", "affine") or len(turns) != 1
        if strange or prim.value("mjc:dynType", "none") != "none" or prim.value("mjc:inheritRange", 0):
            return False, []
        if b[2] > 0 and b[1] == -g[0]:
            return False, []
        gear, unit = float(prim.value("mjc:gear", [1])[0]), 1.0 if True in turns else self.metres
        length, speed = (gear * sum(c * of[q] for q, c in along.items()) / unit for of in (at.q, at.v))
        control = at.set.get(f"{self.names[prim.path]}_ctrl", 0.0)
        force = sum((x * control + y) * z for x, y, z in zip(g, b, (1.0, length, speed), strict=True))
        low, high = (prim.value(f"mjc:forceRange:{end}", 0.0) for end in ("min", "max"))
        if any(b) and low < high and prim.value("mjc:forceLimited", "auto") != "false":
            force = min(max(force, low), high)
        return True, [
            (q, c * gear * force * self.force(True in turns) * (self.metres if False in turns else 1))
            for q, c in along.items()
        ]

    @staticmethod
    def _places(tendon: SecondPrim) -> list[str]:
        ends = tendon.targets("mjc:path")
        return [ends[int(k)] for k in tendon.value("mjc:path:indices", [*range(len(ends))])]

    def _read_tendon(
        self, prim: SecondPrim, moving: list[_UsdJoint]
    ) -> tuple[bool, list[tuple[str, float]], list[Spring]]:  # fmt: skip
        """Return True if a tendon's law is known or nothing, efforts along its coordinates, and its straight spring."""
        places = self._places(prim)
        along, turns = _sum_along(places, prim.value("mjc:path:coef", []), moving)
        unit = self.force(True in turns)
        k, d = (
            self.one(prim, f"mjc:{word}", 0.0, unit) if self.scene.value(f"mjc:flag:{flag}", True) else 0.0
            for word, flag in (("stiffness", "spring"), ("damping", "damper"))
        )
        low, high = prim.value("mjc:springlength", [-1.0, -1.0])
        if prim.value("mjc:armature", 0.0) or (k and low != high):
            return False, [], []
        if not k and not d:
            return True, [], []
        rest = low * (1.0 if True in turns else self.metres)
        loose = {
            q: (self.one(j.prim, "mjc:springref", 0.0, self.angle if turning else self.metres, turning), j.start)
            for j in moving if len(j.along) == 1 for q, turning, _ in j.along.values()
        }  # fmt: skip
        if prim.value("mjc:type") == "fixed":
            rest = rest if low >= 0 else sum(c * loose[q][0] for q, c in along.items())
            length, speed = (sum(c * of[q] for q, c in along.items()) for of in (self.at.q, self.at.v))
            efforts = [(q, -c * (k * (length - rest) + d * speed)) for q, c in along.items()]
            return (True, efforts, []) if len(turns) == 1 else (False, [], [])
        sites = [p for p in places if p in self.prims and "MjcSiteAPI" in self.prims[p].apis]
        straight = len(sites) == len(places) == 2 and len(prim.value("mjc:path:divisors", [1])) == 1
        if not straight or (k and low < 0 and any(a != b for a, b in loose.values())):
            return False, [], []
        ends, poses = list[SecondPlace](), [self.pose(p)[0] for p in sites]
        for site, T in zip(sites, poses, strict=True):
            body = self.body_of(site)
            own = T if body is None else inverse(self.pose(body)[0]) @ T
            ends.append(SecondPlace(None if body is None else self.names[body], triple(own[:3, 3])))
        rest = rest if low >= 0 else math.dist(poses[0][:3, 3], poses[1][:3, 3])
        return True, [], [Spring(self.names[prim.path], ends[0], ends[1], lambda x, v: -k * (x - rest) - d * v)]

    def _beside(self) -> Iterator[str]:
        """Yield the places of media that act, and of what is left out."""
        if any(self.scene.value(f"mjc:option:{word}", 0) for word in ("density", "viscosity")):
            yield "medium/option"
        for prim in self.prims.values():
            for word in (prim.type, *prim.apis):
                own = word in (*EQUATIONS, FOLLOWS) and prim in self.links
                if kind := "" if own else next((kind for begin, kind in BESIDE.items() if word.startswith(begin)), ""):
                    yield f"{kind}/{prim.path[1:]}"

    def _rotor(self, joint: _UsdJoint) -> Iterator[tuple[float, dict[str, float]]]:
        key = next((word for word in ROTORS if joint.prim.value(word, 0)), None)
        if key and len(joint.along) == 1:
            ((q, turns, _),) = joint.along.values()
            yield self.one(joint.prim, key, 0.0, self.force(turns)), {q: 1.0}

    def _mimics(self, moving: list[_UsdJoint]) -> Iterator[SecondRow]:
        """Yield rows of mimic joints: q - (offset + slope · leader) of Newton, q + slope · leader + offset of PhysX."""
        by_path = {joint.prim.path: joint for joint in moving}
        for joint in moving:
            prim = joint.prim
            words = []
            if (
                "NewtonMimicAPI" in prim.apis and prim.value("newton:mimicEnabled", True)
                and not (self.unequal and FOLLOWS in prim.apis)
            ):  # fmt: skip
                words.append(("newton:mimicJoint", "newton:mimicCoef1", "newton:mimicCoef0", 1.0))
            for api in sorted(a for a in prim.apis if a.startswith("PhysxMimicJointAPI:")):
                place = f"physxMimicJoint:{api.partition(':')[2]}:"
                words.append((f"{place}referenceJoint", f"{place}gearing", f"{place}offset", -1.0))
            for key, factor, rest, sign in words:
                led = next((by_path[path] for path in prim.targets(key) if path in by_path), None)
                if led is None or len(led.along) != 1 or len(joint.along) != 1:
                    continue
                ((q, turns, _),), ((leader, _, _),) = joint.along.values(), led.along.values()
                row = [self.one(prim, rest, 0.0, DEGREE if turns else self.metres, turns), self.one(prim, factor, 1.0)]
                unit = 1.0 if turns else self.metres
                powers = (2, 3, 4) if FOLLOWS in prim.apis else ()
                row += [self.one(prim, f"mjc:coef{k}", 0.0, unit ** (1 - k)) for k in powers]
                x, at = self.at.q[leader] - led.start, self.at
                terms = (at.q[q], -joint.start, *(-sign * c * x**k for k, c in enumerate(row)))
                rates = (at.v[q], *(-sign * c * k * x ** (k - 1) * at.v[leader] for k, c in enumerate(row) if k))
                yield linear(f"{q}_mimic", terms, rates)

    def _loops(
        self, closing: list[_UsdJoint]
    ) -> tuple[tuple[SecondRod, ...], tuple[SecondClosure, ...], tuple[SecondJoined, ...]]:
        rods, closures, joined = [], [], []
        for joint in closing:
            bodies = [None if end is None else self.names[end] for end in joint.ends]
            points = [SecondPlace(b, end_of(f)) for b, f in zip(bodies, joint.frames, strict=True)]
            if "Distance" in joint.prim.type:
                low, high = (joint.prim.value(f"physics:{k}Distance", -1.0) for k in ("min", "max"))
                if low == high and low > 0:
                    length = self.one(joint.prim, "physics:maxDistance", 0.0, self.metres)
                    rods.append(SecondRod(joint.name, points[0], points[1], length))
            elif "Spherical" in joint.prim.type:
                joined.append(SecondJoined(joint.name, points[0], points[1]))
            else:
                ends = (bodies[0], (*joint.frames[0], *joint.motion)), (bodies[1], joint.frames[1])
                closures.append(SecondClosure(joint.name, *ends))
        return tuple(rods), tuple(closures), tuple(joined)

    # Masses.

    def _inertias(self) -> dict[str, tuple[float, Triple, Tensor]]:
        bare = {b.path for b in self.bodies if any(x is None for x in self._said(b, np.ones(3))[:3])}
        weighed = (p for p in self.prims.values() if p.type == "Mesh" and self.body_of(p.path) in bare)
        self.layers.fetch((p for p in weighed if "PhysicsCollisionAPI" in p.apis), TRIANGLES)
        found = {body.path: self._inertia(body) for body in self.bodies}
        total = self.one(self.scene, "mjc:compiler:setTotalMass", 0.0, self.kilograms)
        part = total / sum(mass for mass, _, _ in found.values()) if total > 0 else 1.0
        return {path: (m * part, c, _scaled(J, part)) for path, (m, c, J) in found.items()}

    def _said(self, prim: SecondPrim, scale: Array) -> tuple[float | None, Array | None, Array | None, float | None]:
        """Return mass, centre, tensor about it and density that a prim gives; None for each that it does not give."""
        if "PhysicsMassAPI" not in prim.apis:
            return None, None, None, None
        mass = self.one(prim, "physics:mass", 0.0, self.kilograms) or None
        density = self.one(prim, "physics:density", 0.0, self.kilograms / self.metres**3) or None
        raw = prim.value("physics:centerOfMass", [-math.inf] * 3)
        centre = None
        if all(map(math.isfinite, raw)):
            centre = np.array(self.several(prim, "physics:centerOfMass", self.metres)) * scale
        unit = self.kilograms * self.metres**2
        six = self.several(prim, "newton:inertia", unit)
        if six:
            return mass, centre, np.array(symmetric(*six)), density
        moments = self.several(prim, "physics:diagonalInertia", unit)
        if not moments or not any(moments):
            return mass, centre, None, density
        axes = self.several(prim, "physics:principalAxes") or [1.0, 0.0, 0.0, 0.0]
        R = matrix(quaternion(*axes))[:3, :3] if any(axes) else np.eye(3)
        return mass, centre, np.array(rotate_tensor(np.diag(moments), R)), density

    def _inertia(self, body: SecondPrim) -> tuple[float, Triple, Tensor]:
        body.require_text()
        T, scale = self.pose(body.path)
        mass, centre, tensor, density = self._said(body, scale)
        if mass is None or centre is None or tensor is None:
            lumps = [lump for prim in self.prims.values() for lump in self._shape(prim, body, T, density)]
            if (mass is None or tensor is None) and not sum(lump.mass for lump in lumps):
                self.guessed.add(body.path)
            if not lumps and (mass or tensor is not None):
                a, b, c = np.zeros((3, 3)) if tensor is None else tensor
                return mass or 0.0, triple(np.zeros(3) if centre is None else centre), (triple(a), triple(b), triple(c))
            whole = sum_lumps(lumps)
            if mass is not None and whole.mass:
                whole = whole.times(mass / whole.mass)
            J, at = whole.tensor, whole.centre
            if centre is not None:
                d = centre - at
                J, at = J + whole.mass * (d @ d * np.eye(3) - np.outer(d, d)), centre
            mass, centre, tensor = whole.mass if mass is None else mass, at, J if tensor is None else tensor
        a, b, c = tensor
        return float(mass), triple(centre), (triple(a), triple(b), triple(c))

    def _shape(self, prim: SecondPrim, body: SecondPrim, T: Array, density: float | None) -> Iterator[SecondLump]:
        """Yield mass, centre and tensor of a prim that is a collider of the body, in the body's frame; else nothing."""
        if self.body_of(prim.path) != body.path:
            return
        prim.require_text()
        if "PhysicsCollisionAPI" not in prim.apis:
            return
        if not prim.value("physics:collisionEnabled", True) or prim.type == "Plane":
            return
        own, scale = self.pose(prim.path)
        x, y, z = (float(s) * self.metres for s in scale)
        if prim.value("newton:massModel", "solid") != "solid" or prim.value("mjc:inertia", "") == "shell":
            raise UnreadError(f"the shell {prim.path}")
        if prim.type == "Cube":
            a = float(prim.value("size", 2.0)) / 2
            lump = solid("box", a * x, a * y, a * z)
        elif prim.type == "Sphere":
            lump = solid("sphere", float(prim.value("radius", 1.0)) * max(x, y, z), 0.0, 0.0)
        elif prim.type in ("Capsule", "Cylinder", "Cone"):
            small = prim.type == "Capsule"
            axis = prim.value("axis", "Z")
            across = [s for s, letter in zip((x, y, z), "XYZ", strict=True) if letter != axis]
            radius = float(prim.value("radius", 0.5 if small else 1.0)) * max(across)
            half = float(prim.value("height", 1.0 if small else 2.0)) * (x, y, z)["XYZ".index(axis)] / 2
            made = cone(radius, half) if prim.type == "Cone" else solid(prim.type.lower(), radius, half, 0.0)
            lump = made.transform(matrix(ONTO[axis]))
        elif prim.type == "Mesh":
            self.guessed |= set() if prim.value("mjc:inertia", "") else {body.path}
            legacy = prim.value("mjc:inertia", "") == "legacy"
            lump = measure_enclosed(_triangles(prim, np.array([x, y, z])), legacy)
        else:
            raise UnreadError(f"the volume of the {prim.type} {prim.path}")
        told = (None,) * 4 if prim is body else self._said(prim, scale)
        lump = lump.times(told[3] or density or self._material(prim))
        if told[0] is not None:
            lump = lump.times(told[0] / lump.mass)
        if told[1] is not None or told[2] is not None:
            raise UnreadError(f"the centre or the moments of {prim.path}")
        yield lump.transform(inverse(T) @ own)

    def _material(self, prim: SecondPrim) -> float:
        for each in self.above(prim.path):
            for key in ("material:binding:physics", "material:binding"):
                for path in each.targets(key)[:1]:
                    material = self.prims.get(path)
                    if material is not None:
                        material.require_text()
                    if material is not None and "PhysicsMaterialAPI" in material.apis:
                        return self.one(material, "physics:density", 0.0, self.kilograms / self.metres**3) or WATER
        return WATER


def steps_angle(T: Array, row: int, column: int) -> float:
    """Return the angle about z (column 0) or x of a pose T = turns about z, y, x, from two elements of its rotation."""
    return math.atan2(T[row, 0], T[column, 0]) if column == 0 else math.atan2(T[row, 1], T[row, 2])


def _triangles(prim: SecondPrim, scale: Array) -> Array:
    """Return the corners (m, 3, 3) of a mesh's triangles, polygons as fans, or of its hull's; ``scale`` in metres."""
    way = {"convexHull": "convex", "none": "exact"}.get(prim.value("physics:approximation", "none"), "")
    way = prim.value("mjc:inertia", "") or way
    if way not in ("legacy", "exact", "convex"):
        raise UnreadError(f"the mesh {prim.path} by {way or prim.value('physics:approximation')}")
    points = np.array(prim.value("points", []), np.float32).astype(float).reshape(-1, 3) * scale
    if way != "convex":
        at, counts = (np.array(prim.value(f"faceVertex{key}", []), int) for key in ("Indices", "Counts"))
        ends = [0, *map(int, np.cumsum(counts))]
        faces = [(at[i], at[k], at[k + 1]) for i, end in pairwise(ends) for k in range(i + 1, end - 1)]
        corners = points[np.array(faces)]
        return corners[:, ::-1] if prim.value("orientation", "") == "leftHanded" else corners
    try:
        from scipy.spatial import ConvexHull
    except ImportError:
        raise UnreadError("hulls of meshes, as scipy is not installed") from None
    corners = points[ConvexHull(points).simplices]
    inward = np.linalg.det(corners - corners.mean(axis=(0, 1))) < 0
    corners[inward] = corners[inward][:, ::-1]
    return np.asarray(corners)


def _sum_along(places: list[str], row: list[float], moving: list[_UsdJoint]) -> tuple[dict[str, float], set[bool]]:
    """Return the coefficients by coordinate of a sum over joints, and which turn; nothing where a joint is unknown."""
    by_path = {j.prim.path: next(iter(j.along.values())) for j in moving if {*j.along} & {"angular", "linear"}}
    if len(places) != len(row) or not {*places} <= {*by_path}:
        return {}, set()
    along: dict[str, float] = {}
    for place, c in zip(places, row, strict=True):
        q, _, _ = by_path[place]
        along[q] = along.get(q, 0.0) + c
    return along, {by_path[place][1] for place in places}


def _scaled(J: Tensor, part: float) -> Tensor:
    a, b, c = (tuple(x * part for x in row) for row in J)
    return a, b, c  # type: ignore[return-value]


def _names(prims: list[SecondPrim]) -> dict[str, str]:
    """Return names of prims by path: displayName or the prim's own name if no other prim has it, else the path."""
    shown = [re.sub(r"^Actuator_(\d+)$", r"actuator\1", str(prim.said("displayName") or prim.name)) for prim in prims]
    return {
        prim.path: name if shown.count(name) == 1 else prim.path[1:] for prim, name in zip(prims, shown, strict=True)
    }
