"""Conversion of the facts of a stage to the model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fittings, Friction, Limit
from mbconcord.converters.floats import decimals, real
from mbconcord.converters.format import Reading
from mbconcord.converters.joints import ACTIVATIONS, CONTROL, DAMPING, MIMIC, SPRING, describe_states
from mbconcord.converters.shapes import ReferenceInertia
from mbconcord.model import (
    Armature,
    Bipolar,
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    LinearLaw,
    ModelError,
    Omission,
    Parameter,
    Point,
    PointCoincidence,
    ReadError,
    Rod,
    System,
    Variable,
)
from mbconcord.model.body import tensor
from mbconcord.model.constraint import Constraint
from mbconcord.model.expressions import ONE, ZERO, Expression, apply, number, rate, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.node import PI_NODE
from mbconcord.model.naming import Namer
from mbconcord.model.omission import Effect, range_gaps
from mbconcord.model.transformation import vector
from mbconcord.records import replace

from .joints import (
    FOLLOWS,
    FREE,
    KINDS,
    ONE_AXIS,
    Along,
    UsdJoint,
    UsdJoints,
    UsdTree,
    free_steps,
    has_no_equations,
    initial_values,
    position_of,
    reference,
    spring_reference,
    sums,
    tendon,
    tree,
)
from .masses import UsdMasses
from .stage import Prim, UsdStage, round_decimal

#: Default gravity (m/s²).
GRAVITY: Final = "9.81"
ARMATURE: Final = "_armature"
ARMATURES: Final = ("newton:armature", "physxJoint:armature", "mjc:armature")
#: Time constant and damping ratio of a joint.
TIMED: Final = "mjc:springdamper"
DRIVE: Final = "_drive"
#: What a converter calls an actuator without a name, which is actuatorN in MJCF.
UNNAMED: Final = re.compile(r"^Actuator_(\d+)$", re.ASCII)
#: Beginnings of types and schemas that affect the motion and are not read -> kind and effect of their omission.
UNREAD: Final[dict[str, tuple[str, Effect]]] = {
    "NewtonActuator": ("actuator", "forces"), "MjcEquality": ("closure", "unknown"),
    "PhysxPhysicsGearJoint": ("closure", "unknown"),
    "PhysxPhysicsRackAndPinionJoint": ("closure", "unknown"), "PhysxDeformable": ("deformable", "unknown"),
    "PhysxParticle": ("deformable", "unknown"), "PhysxVehicle": ("block", "unknown"),
    "OmniPhysicsDeformable": ("deformable", "unknown"), "PhysicsDeformable": ("deformable", "unknown"),
}  # fmt: skip
#: Schemas of MuJoCo's equations that a joint states itself.
JOINED: Final = ("MjcEqualityConnectAPI", "MjcEqualityWeldAPI", FOLLOWS)
#: Attributes that affect the motion and are not read -> kind, effect, and the value without effect.
ACTING: Final[dict[str, tuple[str, Effect, Any]]] = {
    "newton:friction": ("joint-friction", "forces", 0), "physxJoint:jointFriction": ("joint-friction", "forces", 0),
    "physxRigidBody:disableGravity": ("gravity", "forces", False), "mjc:frictionloss": ("joint-friction", "forces", 0),
    "physxRigidBody:linearDamping": ("medium", "forces", 0), "physxRigidBody:angularDamping": ("medium", "forces", 0),
    "mjc:body:gravcomp": ("gravity", "forces", 0), "mjc:compiler:boundMass": ("setting", "inertia", 0),
    "mjc:compiler:boundInertia": ("setting", "inertia", 0),
    "mjc:compiler:balanceInertia": ("setting", "inertia", False),
    "urdf:dynamics:friction": ("joint-friction", "forces", 0), "urdf:dynamics:damping": ("joint-damping", "forces", 0),
    "urdf:mimic:joint": ("closure", "geometry", ""),
}  # fmt: skip
#: Attributes of MuJoCo that a flag switches off -> the flag.
FLAGGED: Final = {"mjc:frictionloss": "frictionloss"}
#: What makes a fluid around bodies.
MEDIUM: Final = ("density", "viscosity", "wind")
#: Attributes of dry friction among them; and the metadata key of limits and friction.
RUBBING: Final = frozenset(key for key in ACTING if ACTING[key][0] == "joint-friction")
#: Beginning of the names by which MuJoCo limits the force of actuators on a joint.
FORCES: Final = "mjc:actuatorfrc"
TEXT: Final = "usd:text"
#: Newton's word by which several joints of two bodies act behind one another.
STACKING: Final = "newton:jointsAddMobility"
#: Program -> beginnings of the names that it reads besides those of UsdPhysics.
WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "physics": (), "newton": ("newton",), "mujoco": ("mjc",), "all": ("newton", "mjc", "physx", "urdf"),
}  # fmt: skip
#: Types of shapes and of prims that are only drawn.
SHAPES: Final = ("Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane", "Mesh", "Capsule_1", "Cylinder_1", "Points")


def read_facts(facts: Mapping[str, Any], file: str, text: str = "", program: str = "all") -> Reading:
    """Read the model of a stage's facts; ``text`` is the text of its layer, if any: findings name its lines.

    Coordinates are named after their joints, in the order of traversal; their initial values are those of the pose on
    the stage. Numbers are the shortest decimals that round to those of the stage in single precision. ``program``
    names the attributes that are read besides those of UsdPhysics: a key of :data:`WORDS`.

    Raises
    ------
    ReadError
        Every finding with its prim and property, what was found and what was expected.
    """
    findings = Findings(file)
    facts = _read_words(facts, program)
    stage = UsdStage(facts, findings, text)
    model = _UsdModel(stage)
    if model.tree.parallel:
        with suppress(ReadError):
            model.stacked = _UsdModel(UsdStage(_add_mobility(facts), Findings(file))).system("")
    system = model.system(Path(file).stem)
    return Reading(system, findings.remarks(), findings.locations, singles=stage.is_single)


def _add_mobility(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the facts with joints of the same two bodies behind one another."""
    said = {STACKING: ["bool", True]}
    return {**facts, "prims": [prim | {"values": {**prim.get("values", {}), **said}} for prim in facts["prims"]]}


def _read_words(facts: Mapping[str, Any], program: str) -> Mapping[str, Any]:
    """Return the facts without the schemas, types, values and targets of other programs than this one."""
    others = tuple({word for words in WORDS.values() for word in words} - {*WORDS[program]})
    if not others:
        return facts
    begins = (*others, *(word.capitalize() for word in others), *(("state:",) if "physx" in others else ()))
    prims = []
    for prim in facts["prims"]:
        own = dict(prim)
        own["apis"] = [api for api in prim.get("apis", ()) if not api.startswith(begins)]
        own["type"] = "" if prim.get("type", "").startswith(begins) else prim.get("type", "")
        for key in ("values", "targets"):
            own[key] = {name: value for name, value in prim.get(key, {}).items() if not name.startswith(begins)}
        for key in ("varied", "mistyped"):
            own[key] = [name for name in prim.get(key, ()) if not name.startswith(begins)]
        prims.append(own)
    return {**facts, "prims": prims}


class _UsdModel:
    """Converter of one stage to the model."""

    def __init__(self, stage: UsdStage) -> None:
        self.stage, self.findings, self.scene = stage, stage.findings, stage.scene
        self.names = _names(stage)
        self.gravity = self._gravity()
        self.masses = UsdMasses(stage)
        self.joints = UsdJoints(stage, self.names)
        self.findings.stop()
        self.tree: UsdTree = tree(stage, self.joints)
        self.omissions: list[Omission] = []
        self.parameters: list[Parameter] = []
        self.limits: dict[str, Limit] = {}
        self.rough: dict[str, Friction] = {}
        self.stacked: System | None = None

    def system(self, name: str) -> System:
        """Return the model of the stage, called by its articulation root, else by ``name``."""
        stage = self.stage
        if not self.masses.found:
            self.stage.refuse("/", "no prim is a rigid body", "apply PhysicsRigidBodyAPI to what moves")
        self.findings.stop()
        inertias, coordinates = self._of_total_mass(self.masses.found), [*self._coordinates()]
        efforts, turning = [*self._efforts(), *self._tendons(), *self._actuators()], [*self._armatures()]
        rows = (*self._closures(), *self._mimics())
        bodies = [*self._bodies(inertias)]
        efforts += self._reference_springs(self._reference(bodies, coordinates, turning))
        self._say_parallel()
        listed = [*self._list_left_out()]
        left_out = (*self.omissions, *listed)
        self.findings.stop()
        root = next((p for p in stage.prims.values() if p.has("PhysicsArticulationRootAPI")), None)
        try:
            return System(
                (root.shown or root.name) if root is not None else name, tuple(coordinates), tuple(self.parameters),
                gravity=self.gravity, bodies=tuple(bodies), forces=tuple(efforts), constraints=rows,
                omissions=left_out, armatures=tuple(turning), metadata=self._keep(efforts, turning),
            )  # fmt: skip
        except ModelError as problem:
            raise ReadError(map(self.findings.locate, problem.diagnostics)) from None

    def _gravity(self) -> Gravity | None:
        stage, scene = self.stage, self.scene
        scenes = [p for p in stage.prims.values() if p.type == "PhysicsScene"]
        if len(scenes) > 1:
            stage.warn(scenes[1].path, f"{len(scenes)} scenes: gravity is that of the first", "remove the others")
        if not scenes:
            message = f"no PhysicsScene: gravity is {GRAVITY} m/s² against the up axis"
            self.findings.remark("warning", "scene", stage.at("/"), message, "write one with its gravity")
        down = [ZERO] * 3
        down[stage.up] = -ONE
        found = stage.numbers(scene, "physics:gravityDirection", 3)
        direction = found if found is not None and any(found) else down
        size = None
        if scene.value("physics:gravityMagnitude", -1.0) != -np.inf:
            size = stage.number(scene, "physics:gravityMagnitude", 1)
        if size is None or size.value < 0:
            size = number(GRAVITY)
        off = not (scene.value("newton:gravityEnabled", True) and scene.value("mjc:flag:gravity", True))
        return None if off or not size else Gravity(size, vector(direction))

    # Bodies and coordinates.

    def _bodies(self, inertias: Mapping[str, Inertia]) -> Iterator[Body]:
        paths = [prim.path for prim in self.stage.prims.values() if prim.is_body]
        for path in self.tree.outward(paths):
            name, parent = self.names[path], self.tree.parent(path)
            for place in (f"bodies/{name}", f"bodies/{name}/joint"):
                self.findings.locations[place] = self.stage.at(path)
            if path in self.tree.carrying:
                steps = self.tree.steps(path)
            else:
                steps = free_steps(name, self.stage.pose(path)[0])
                steps = steps[: -len(FREE)] if path in self.tree.welded else steps
            yield Body(name, None if parent is None else self.names[parent], steps, inertias[path])

    def _of_total_mass(self, found: Mapping[str, Inertia]) -> Mapping[str, Inertia]:
        """Return the inertias, scaled so that their masses sum to MuJoCo's ``setTotalMass`` if it is set."""
        key = "mjc:compiler:setTotalMass"
        total = self.stage.number(self.scene, key, 0, 1)
        whole = sum((own.mass for own in found.values()), ZERO)
        if total is None or total.value <= 0 or not whole:
            return found
        part = total / whole
        return {
            path: Inertia(own.mass * part, own.centre, tensor(x * part for x in own.tensor))
            for path, own in found.items()
        }

    def _coordinates(self) -> Iterator[Coordinate]:
        """Yield the coordinates in the order of their joints, or free bodies, on the stage."""
        order = self.stage.order
        found = [(order[path], self._of_free(path)) for path in self.tree.free]
        for joints, _ in self.tree.carrying.values():
            for joint in joints:
                start = initial_values(self.stage, joint) if len(joints) == 1 else {}
                names = [et.coordinate for et in joint.motion if et.coordinate]
                made = [Coordinate(n, start.get(n, ZERO)) for n in names]
                self.findings.locations |= {f"coordinates/{n}": self.stage.at(joint.prim.path) for n in names}
                found.append((order[joint.prim.path], made))
        for _, made in sorted(found, key=lambda pair: pair[0]):
            yield from made

    def _of_free(self, path: str) -> list[Coordinate]:
        """Return the coordinates of a free body, with initial velocities from its attributes on the stage."""
        prim, name = self.stage.prims[path], self.names[path]
        rates = [ZERO] * 6
        linear = self.stage.numbers(prim, "physics:velocity", 3, 1)
        angular = self.stage.numbers(prim, "physics:angularVelocity", 3)
        R = self.stage.pose(path)[0].R
        around = self.stage.pose(path.rpartition("/")[0])[0].R if path.count("/") > 1 else np.eye(3)
        into = R.T @ around
        same = bool(np.abs(into - np.eye(3)).max() < 1e-14)
        if linear and any(linear):
            rates[:3] = linear if same else [round_decimal(x) for x in into @ [real(x) for x in linear]]
        if angular and any(angular):
            turned = angular if same else [round_decimal(x) for x in into @ [real(x) for x in angular]]
            rates[3:] = [x * PI_NODE / 180 for x in reversed(turned)]
        return [Coordinate(name + ending, velocity=v) for ending, v in zip(FREE, rates, strict=True)]

    def _say_parallel(self) -> None:
        for joint in self.tree.parallel:
            first = next(j for j in self.tree.tree_joints if {*j.ends} == {*joint.ends})
            message = f"it joins what {first.prim.path} joins: the two hold one another"
            remedy = "newton:jointsAddMobility = true on the articulation root, if they are to act behind one another"
            self.stage.warn(joint.prim.path, message, remedy)

    # What acts along joints.

    def _efforts(self) -> Iterator[JointEffort]:
        closing = {id(joint) for joint in self.tree.closing}
        for joint in self.joints.found:
            passive = id(joint) in closing
            yield from self._drives(joint, passive)
            if not np.any(joint.prim.value(TIMED, 0)):  # which replaces the other constants
                yield from self._damping(joint, passive)
                yield from self._springs(joint, passive)

    def _leave_out(self, kind: str, prim: Prim, what: str, effect: Effect) -> None:
        self.omissions.append(Omission(f"{kind}/{self.names.get(prim.path, prim.path[1:])}", kind, what, effect))

    def _damping(self, joint: UsdJoint, passive: bool) -> Iterator[JointEffort]:
        """Yield the damping force -d q' along each coordinate of a joint, by Newton's or MuJoCo's attribute."""
        prim = joint.prim
        said = prim.value("newton:damping", 0) if any(et.coordinate for et in joint.motion) else 0
        if not said:
            yield from self._of_mujoco(joint, passive)
            return
        if isinstance(said, int | float) and said < 0:
            self.stage.refuse(prim.path, f"found {said:.9g}", "damping is not negative", "newton:damping")
            return
        turning = [et.coordinate for et in joint.motion if et.coordinate and not et.is_translation]
        if passive or len(turning) == 2:
            self._leave_out("joint-damping", prim, f"newton:damping = {said:.9g}", "forces")
            return
        for own in joint.along.values():
            d = self._gain(prim, "newton:damping", own)
            if d is not None:
                yield JointEffort(own.coordinate + DAMPING, own.coordinate, LinearLaw(d=d))
        if len(turning) == 3:  # along the angular velocity, of which rates about z and x are no orthogonal parts
            z, y, x = turning
            d = self._gain(prim, "newton:damping", Along(y, True)) or ZERO
            tilt = apply("sin", symbol(y))
            for name, speed in ((z, rate(z) - tilt * rate(x)), (y, rate(y)), (x, rate(x) - tilt * rate(z))):
                yield JointEffort(name + DAMPING, name, -(d * speed))

    def _of_mujoco(self, joint: UsdJoint, passive: bool) -> Iterator[JointEffort]:
        """Yield the damping force -d q' of ``mjc:damping``, per radian."""
        prim = joint.prim
        if prim.value("mjc:damping") and self._has("damper"):
            own = self._only(joint, passive, "mjc:damping", "joint-damping")
            if own is not None:
                d = self.stage.number(prim, "mjc:damping", 2 if own.turns else 0, 1)
                yield JointEffort(own.coordinate + DAMPING, own.coordinate, LinearLaw(d=d or ZERO))

    def _springs(self, joint: UsdJoint, passive: bool) -> Iterator[JointEffort]:
        """Yield the spring force -k (q - springref) of ``mjc:stiffness`` and ``mjc:springref``, per radian."""
        prim = joint.prim
        if not prim.value("mjc:stiffness") or not self._has("spring"):
            return
        own = self._only(joint, passive, "mjc:stiffness", "joint-spring")
        k = None if own is None else self.stage.number(prim, "mjc:stiffness", 2 if own.turns else 0, 1)
        if own is not None and k is not None:
            yield JointEffort(
                own.coordinate + SPRING, own.coordinate, LinearLaw(k=k, l0=spring_reference(self.stage, prim, own))
            )

    def _reference(
        self, bodies: list[Body], coordinates: list[Coordinate], turning: list[Armature]
    ) -> ReferenceInertia:
        """Return the inertia that forces meet in the pose of the stage."""
        rest = {own.name: own.position for own in coordinates}
        for joints, _ in self.tree.carrying.values():
            rest |= {joint.name: reference(self.stage, joint.prim) for joint in joints if len(joints) > 1}
        rotors = [(real(own.inertia), dict.fromkeys(own.coefficients, 1.0)) for own in turning]
        others = (prim for prim in self.stage.prims.values() if prim.type not in ONE_AXIS)
        unread = any(prim.value(key) for prim in others for key in ARMATURES)
        known = not unread and {*self.masses.computed} <= {*self.tree.welded}
        return ReferenceInertia(bodies, rest, rotors, "" if known else "a mass or a rotor is not known")

    def _reference_springs(self, met: ReferenceInertia) -> Iterator[JointEffort]:
        """Yield springs and dampers that MuJoCo tunes by a time constant and a damping ratio."""
        moving = {id(joint) for joint in self.tree.tree_joints}
        for joint in (joint for joint in self.joints.found if np.any(joint.prim.value(TIMED, 0))):
            prim, words = joint.prim, self.stage.numbers(joint.prim, TIMED, 2)
            tuned = met.tune(joint.name, words) if id(joint) in moving and prim.type in ONE_AXIS else ()
            if not tuned:
                self._leave_out("joint-spring", prim, f"{TIMED} = {prim.value(TIMED)}", "forces")
                continue
            (own,) = joint.along.values()
            if self._has("damper"):
                yield JointEffort(own.coordinate + DAMPING, own.coordinate, LinearLaw(d=tuned[1]))
            if self._has("spring"):
                law = LinearLaw(k=tuned[0], l0=spring_reference(self.stage, prim, own))
                yield JointEffort(own.coordinate + SPRING, own.coordinate, law)

    def _has(self, what: str) -> bool:
        return bool(self.scene.value(f"mjc:flag:{what}", True))

    def _only(self, joint: UsdJoint, passive: bool, key: str, kind: str) -> Along | None:
        """Return the only degree of freedom of a joint for an attribute of one number; else leave the attribute out."""
        said = joint.prim.value(key)
        if not passive and len(joint.along) == 1 and isinstance(said, int | float):
            return next(iter(joint.along.values()))
        self._leave_out(kind, joint.prim, f'{key.removeprefix("mjc:")}="{said}"', "forces")
        return None

    def _gain(self, prim: Prim, key: str, own: Along) -> Expression | None:
        """Return a stiffness or damping: per degree for rotations, whose moments scale with the square of lengths."""
        return self.stage.number(prim, key, 2 if own.turns else 0, 1, -1 if own.turns else 0)

    def _drives(self, joint: UsdJoint, passive: bool) -> Iterator[JointEffort]:
        """Yield the force K (target - q) + D (target' - q') of each drive of a joint; targets become parameters."""
        prim = joint.prim
        applied = sorted(api for api in prim.apis if api.startswith("PhysicsDriveAPI:"))
        for api in applied:
            axis = api.partition(":")[2]
            place, own = f"drive:{axis}:physics:", joint.along.get(axis)
            stiff, soft = (prim.value(place + key, 0.0) for key in ("stiffness", "damping"))
            if not stiff and not soft:
                continue
            what = f"the drive {axis}: stiffness {stiff:.9g}, damping {soft:.9g}"
            if own is None or passive or prim.value(place + "type", "force") != "force":
                self._leave_out("actuator", prim, what, "forces")
                continue
            name, unit = own.coordinate, (0, 1) if own.turns else (1, 0)
            q, v, effort = symbol(name), rate(name), ZERO
            for key, at, gain_key, suffix in (
                ("targetPosition", q, "stiffness", "_target"), ("targetVelocity", v, "damping", "_target_velocity"),
            ):  # fmt: skip
                gain = self._gain(prim, place + gain_key, own)
                if not gain:
                    continue
                target = self.stage.number(prim, place + key, unit[0], 0, unit[1]) or ZERO
                self.parameters.append(Parameter(name + suffix, own.sign * target))
                effort = effort + gain * (symbol(name + suffix) - at)
            yield JointEffort(name + DRIVE, name, effort)

    def _actuators(self) -> Iterator[JointEffort]:
        """Yield the forces gear · (gain · ctrl + bias) of MuJoCo's actuators by coordinate; controls become parameters.

        Gain and bias are affine in the length l = gear · (coordinate, or sum of a fixed tendon) and its rate.
        """
        stage, made = self.stage, dict[str, Expression]()
        disabled = self.scene.value("mjc:option:actuatorgroupdisable", ())
        for prim in stage.prims.values():
            if prim.type != "MjcActuator" or prim.value("mjc:group", 0) in disabled or not self._has("actuation"):
                continue
            gear, gains, biases = (
                [
                    *(stage.numbers(prim, key, len(prim.value(key))) or [first] if key in prim.values else [first]),
                    *[ZERO] * 3,
                ]
                for key, first in (("mjc:gear", ONE), ("mjc:gainPrm", ONE), ("mjc:biasPrm", ZERO))
            )
            gains[1:] = gains[1:] if prim.value("mjc:gainType", "fixed") == "affine" else [ZERO] * 3
            biases = biases if prim.value("mjc:biasType", "none") == "affine" else [ZERO] * 3
            joints = self._moved_by(prim)
            if reason := self._beyond(prim, joints, gains, biases):
                law = self._describe_states(prim, joints, gear[0], gains[:3], biases[:3])
                self._leave_out("actuator", prim, law or f"MjcActuator {prim.name}: {reason}", "forces")
                continue
            name = self.names[prim.path]
            control, turns = name + CONTROL, joints[0][0].turns
            self.parameters.append(Parameter(control, ZERO, "input"))
            unit = number(1) if turns else number(1 / stage.metres)
            length, speed = (
                gear[0] * unit * sum((c * of(own.coordinate) for own, c in joints), ZERO) for of in (symbol, rate)
            )
            force = (gains[0] + gains[1] * length + gains[2] * speed) * symbol(control)
            force = force + biases[0] + biases[1] * length + biases[2] * speed
            acts = any(x.value for x in biases[:3])
            ends = self._range(prim, "mjc:forceRange", "mjc:forceLimited", name, control, acts)
            force = apply("clip", force, *ends) if ends else force
            self._range(prim, "mjc:ctrlRange", "mjc:ctrlLimited", name, control, False)
            for own, c in joints:
                push = c * gear[0] * force * number(stage.kilograms * stage.metres ** (2 if turns else 1))
                made[own.coordinate] = made[own.coordinate] + push if own.coordinate in made else push
        yield from (JointEffort(name + CONTROL, name, force) for name, force in made.items())

    def _moved_by(self, prim: Prim) -> list[tuple[Along, Expression]]:
        """Return the degrees of freedom that an actuator acts along, with coefficients; none if that is unknown."""
        (target, *more) = (*prim.targets.get("mjc:target", ()), "")
        moved = self.stage.prims.get(target)
        if moved is None or more[1:]:
            return []
        return tendon(self.stage, self.tree, moved).along if moved.type == "MjcTendon" else sums(self.tree, [target])

    def _tendons(self) -> Iterator[JointEffort | Bipolar]:
        """Yield springs k and dampers d of MuJoCo's tendons: along sums of coordinates, or between two sites."""
        for prim in (p for p in self.stage.prims.values() if p.type == "MjcTendon"):
            own, name = tendon(self.stage, self.tree, prim), self.names[prim.path]
            k, d = (
                self.stage.number(prim, f"mjc:{key}", 2 if own.turns else 0, 1) if self._has(flag) else None
                for key, flag in (("stiffness", "spring"), ("damping", "damper"))
            )
            rest = own.rest(self.stage, self.joints)
            if prim.value("mjc:armature") or ((k and rest is None) or (d and not own.is_straight)):
                effect: Effect = "inertia" if prim.value("mjc:armature") else "forces"
                self._leave_out("tendon", prim, f"MjcTendon {prim.name}", effect)
            elif own.sites and (k or d):
                first, second = (Point(None if b is None else self.names[b.path], at) for b, at, _ in own.sites)
                yield Bipolar(name, first, second, LinearLaw(k=k or ZERO, d=d or ZERO, l0=rest or ZERO))
            else:
                length, speed = (sum((c * of(x.coordinate) for x, c in own.along), ZERO) for of in (symbol, rate))
                pulls = [(SPRING, k * (length - (rest or ZERO)))] if k else []
                for ending, pull in (*pulls, *([(DAMPING, d * speed)] if d else ())):
                    yield from (
                        JointEffort(f"{name}_{x.coordinate}{ending}", x.coordinate, -c * pull) for x, c in own.along
                    )
            low, high = (prim.value(f"mjc:range:{end}", 0) for end in ("min", "max"))
            if low < high and prim.value("mjc:limited") != "false":
                effect = "none" if prim.value("mjc:type") == "fixed" else "forces"
                self._leave_out("joint-limit", prim, f'range="{low:.9g} {high:.9g}"', effect)

    def _beyond(
        self, prim: Prim, joints: list[tuple[Along, Expression]], gains: list[Expression], biases: list[Expression]
    ) -> str:
        """Return the reason why an actuator's law is not a function of control, length and speed; empty if it is."""
        if (states := prim.value("mjc:dynType", "none")) != "none":
            return f"it has states ({states})"
        for key, known in (("gainType", ("fixed", "affine")), ("biasType", ("none", "affine"))):
            if (kind := prim.value(f"mjc:{key}", known[0])) not in known:
                return f"its {key} is {kind}"
        if len({own.turns for own, _ in joints}) != 1:
            return "it acts on what is no joint of one coordinate and no fixed tendon of turns alone, or shifts alone"
        if biases[2].value > 0 and biases[1].value == -gains[0].value:
            return "its damping ratio"
        return "its inheritRange" if prim.value("mjc:inheritRange") else ""

    def _describe_states(
        self, prim: Prim, joints: list[tuple[Along, Expression]], gear: Expression, gain: list[Expression],
        bias: list[Expression],
    ) -> str:  # fmt: skip
        """Return the law of an actuator with states as MJCF has it; empty if it is no such law."""
        kinds, states = {prim.value(f"mjc:{key}Type", "none") for key in ("gain", "bias")}, prim.value("mjc:dynType")
        own = prim.value("mjc:inheritRange") or prim.value("mjc:actDim", 1) not in (1, -1)
        linear = states in ACTIVATIONS and not kinds - {"fixed", "affine", "none"} and bool(joints)
        if own or not linear or not self.stage.metres == self.stage.kilograms == 1:
            return ""
        limited = [key for key in ("act", "ctrl", "force") if prim.value(f"mjc:{key}Limited", "auto") != "false"]
        ends = {f"{key}range": [prim.value(f"mjc:{key}Range:{end}", 0) for end in ("min", "max")] for key in limited}
        ranges = {key: decimals([low, high]) for key, (low, high) in ends.items() if low < high}
        along, early = {axis.coordinate: c for axis, c in joints}, bool(prim.value("mjc:actEarly"))
        return describe_states(states, decimals(prim.value("mjc:dynPrm", [1])), gear, gain, bias, along, ranges, early)

    def _range(
        self, prim: Prim, key: str, flag: str, name: str, control: str, acts: bool
    ) -> tuple[Expression, Expression] | None:  # fmt: skip
        """Return the ends of a range that acts at zero control; leave out another one, which acts at large controls."""
        low, high = (prim.value(f"{key}:{end}", 0) for end in ("min", "max"))
        if prim.value(flag, "auto") == "false" or not low < high:
            return None
        ends = [self.stage.number(prim, f"{key}:{end}") or ZERO for end in ("min", "max")]
        if acts and key == "mjc:forceRange":
            return ends[0], ends[1]
        what = f'{key.removeprefix("mjc:").lower()}="{low:.9g} {high:.9g}"'
        effect: Effect = "none" if low <= 0 <= high else "forces"
        self.omissions.append(Omission(f"saturation/{name}", "saturation", what, effect, (control,)))
        return None

    def _armatures(self) -> Iterator[Armature]:
        carrying = {id(joint) for joint in self.tree.tree_joints}
        for joint in self.joints.found:
            prim = joint.prim
            key = next((k for k in ARMATURES if prim.value(k)), None)
            if key is None:
                continue
            own = next(iter(joint.along.values())) if len(joint.along) == 1 else None
            if own is None or id(joint) not in carrying:
                self._leave_out("rotor", prim, f"{key} = {prim.value(key):.9g}", "inertia")
                continue
            a = self.stage.number(prim, key, 2 if own.turns else 0, 1)
            if a is not None:
                yield Armature(own.coordinate + ARMATURE, a, {own.coordinate: ONE})

    # Loops and mimics.

    def _closures(self) -> Iterator[Constraint]:
        taken = Namer(c for joint in self.tree.tree_joints for et in joint.motion if (c := et.coordinate))
        for joint in self.tree.closing:
            if {*joint.ends} <= {None, *self.tree.welded}:
                continue  # it joins what stands still
            first, second = (
                Frame(None if end is None else self.names[end], steps)
                for end, steps in zip(joint.ends, joint.frames, strict=True)
            )
            self.findings.locations[f"constraints/{joint.name}"] = self.stage.at(joint.prim.path)
            points = [Point(f.body, position_of(f.transformations)) for f in (first, second)]
            if joint.prim.type == "PhysicsDistanceJoint":
                yield from self._rod(joint, points[0], points[1])
            elif joint.prim.type == "PhysicsSphericalJoint":
                yield PointCoincidence(joint.name, points[0], points[1])
            else:
                own = tuple(
                    replace(et, motion=Variable(taken.fresh(et.coordinate)))
                    if et.coordinate and et.coordinate in taken.taken
                    else et
                    for et in joint.motion
                )
                yield FrameCoincidence(joint.name, Frame(first.body, (*first.transformations, *own)), second)

    def _rod(self, joint: UsdJoint, first: Point, second: Point) -> Iterator[Rod]:
        low, high = (joint.prim.value(f"physics:{key}Distance", -1.0) for key in ("min", "max"))
        length = self.stage.number(joint.prim, "physics:maxDistance", 1)
        if low == high and low > 0 and length is not None:
            yield Rod(joint.name, first, second, length)
        elif low > 0 or high >= 0:
            self._leave_out("joint-limit", joint.prim, f"distance from {low:.9g} to {high:.9g}", "unknown")

    def _mimics(self) -> Iterator[Holonomic]:
        """Yield q - (coef0 + coef1 leader) = 0 of Newton, q + gearing leader + offset = 0 of PhysX."""
        moving = {joint.prim.path: joint for joint in self.tree.tree_joints}
        for joint in self.joints.found:
            prim = joint.prim
            off = prim.has(FOLLOWS) and has_no_equations(self.stage)
            if prim.has("NewtonMimicAPI") and prim.value("newton:mimicEnabled", True) and not off:
                keys = ("newton:mimicJoint", "newton:mimicCoef1", "newton:mimicCoef0")
                yield from self._mimic(joint, moving, *keys, 1)
            for api in sorted(a for a in prim.apis if a.startswith("PhysxMimicJointAPI:")):
                place = f"physxMimicJoint:{api.partition(':')[2]}:"
                keys = (f"{place}referenceJoint", f"{place}gearing", f"{place}offset")
                yield from self._mimic(joint, moving, *keys, -1)

    def _mimic(
        self, joint: UsdJoint, moving: Mapping[str, UsdJoint], key: str, factor: str, rest: str, sign: int
    ) -> Iterator[Holonomic]:
        """Yield y - sign · (offset + slope x + MuJoCo's powers of x) = 0; x, y are less their values on the stage."""
        prim = joint.prim
        leader = next(iter(prim.targets.get(key, ())), "")
        led = moving.get(leader)
        if leader not in self.stage.prims or prim.path not in moving:
            self.stage.warn(prim.path, f"the joint {leader or 'it follows'} is not there: it follows none", "", key)
            self._leave_out("closure", prim, f"{key} = <{leader}>", "geometry")
            return
        if led is None or not led.along or not any(et.coordinate for et in joint.motion):
            self._leave_out("closure", prim, f"{key} = <{leader}>: it does not move", "none")
            return
        if len(joint.along) != 1 or len(led.along) != 1:
            self._leave_out("closure", prim, f"{key} = <{leader}>: several coordinates", "geometry")
            return
        (own,), (other,) = joint.along.values(), led.along.values()
        if own.turns != other.turns:
            message = "a mimic between a turn and a shift has no unit"
            self.stage.refuse(prim.path, message, "both turn, or both shift", key)
            return
        unit = (0, 1) if own.turns else (1, 0)
        offset = self.stage.number(prim, rest, unit[0], 0, unit[1]) or ZERO
        slope = self.stage.number(prim, factor)
        x = symbol(other.coordinate) - reference(self.stage, led.prim)
        total = offset + (ONE if slope is None else slope) * x
        for k in (2, 3, 4) if prim.has(FOLLOWS) else ():
            total = total + (self.stage.number(prim, f"mjc:coef{k}", unit[0] * (1 - k)) or ZERO) * x**k
        self.findings.locations[f"constraints/{own.coordinate}{MIMIC}"] = self.stage.at(prim.path)
        yield Holonomic(own.coordinate + MIMIC, symbol(own.coordinate) - reference(self.stage, prim) - sign * total)

    # What is left out.

    def _list_left_out(self) -> Iterator[Omission]:
        stage = self.stage
        for prim, reason, effect in self.joints.unread:
            self._name(prim)
            yield Omission(f"joint/{self.names[prim.path]}", "joint", f"{prim.type}: {reason}", effect)  # type: ignore[arg-type]
        resting: set[str | None] = {None, *self.tree.welded}
        for end, (joints, _) in self.tree.carrying.items():
            if joints[0].other(end) in resting and not any(et.coordinate for joint in joints for et in joint.motion):
                resting.add(end)
        for path, reason in self.masses.computed.items():
            moves = path not in resting
            name = self.names[path]
            yield Omission(f"computed-inertia/{name}", "computed-inertia", reason, "inertia" if moves else "none")
        for joint in self.joints.found:
            yield from self._limits(joint)
        words = {key: np.atleast_1d(self.scene.value(f"mjc:option:{key}", 0)) for key in MEDIUM}
        fluid = [f'{key}="{" ".join(f"{y:.9g}" for y in x)}"' for key, x in words.items() if x.any()]
        if words["density"].any() or words["viscosity"].any():
            yield Omission("medium/option", "medium", f"<option {' '.join(fluid)}/>", "forces")
        colliders = {prim.path for each in self.masses.colliders.values() for prim in each}
        for prim in stage.prims.values():
            own = prim.path[1:]
            for key in prim.varied:
                changes = f"{key} changes with time: its default is read"
                stage.warn(prim.path, changes, "write the default alone", key)
                yield Omission(f"state/{own}.{key}", "state", changes, "unknown")
            for key in prim.mistyped:
                stage.warn(prim.path, "its type is not that of the schema: it is not read", "write it anew", key)
            for word in (prim.type, *sorted(prim.apis)):
                found = next((v for begin, v in UNREAD.items() if word.startswith(begin)), None)
                if found is not None and not (word in JOINED and prim.type in KINDS):
                    yield Omission(f"{found[0]}/{own}", found[0], f"{word} {prim.name}", found[1])
            if prim.type.endswith("Joint") and prim.type not in KINDS and not prim.type.startswith(tuple(UNREAD)):
                yield Omission(f"closure/{own}", "closure", f"{prim.type} {prim.name}", "unknown")
            still = prim.type in KINDS and not self._along(prim)  # a fixed joint has neither friction nor a leader
            for key, (kind, effect, nothing) in ACTING.items():
                off = (still and key.startswith("urdf:")) or (key in FLAGGED and not self._has(FLAGGED[key]))
                if prim.value(key, nothing) != nothing and not off:
                    place = f"{kind}/{self.names.get(prim.path, own)}"
                    if self._rub(prim, key, place):
                        yield Omission(place, kind, f"{key} = {prim.value(key)}", effect)
            if prim.type in SHAPES or prim.path in colliders:
                kind = "collision-shape" if prim.path in colliders else "image"
                yield Omission(f"{kind}/{own}", kind, f"{prim.type} {prim.name}", "none")
            elif prim.type in ("Camera", "Material") or prim.type.endswith("Light") or prim.type.startswith("MjcSite"):
                kind = {"Material": "material", "MjcSite": "site"}.get(prim.type, "setting")
                yield Omission(f"{kind}/{own}", kind, f"{prim.type} {prim.name}", "none")

    def _name(self, prim: Prim) -> None:
        self.names.setdefault(prim.path, prim.path[1:])

    def _limits(self, joint: UsdJoint) -> Iterator[Omission]:
        """Yield omissions for the stops of a joint, and record them as limits."""
        prim, closing = joint.prim, joint in self.tree.closing
        for axis, own in joint.along.items():
            place = f"limit:{axis}:physics:" if axis not in ("angular", "linear") else "physics:"
            if place != "physics:" and not prim.has(f"PhysicsLimitAPI:{axis}"):
                continue
            keys = [
                place + (k if place != "physics:" else f"{'lower' if k == 'low' else 'upper'}Limit")
                for k in ("low", "high")
            ]
            values = [prim.value(key, sign * np.inf) for key, sign in zip(keys, (-1, 1), strict=True)]
            if values[0] > values[1]:
                self.stage.warn(
                    prim.path, f"{keys[0]} is above {keys[1]}: nothing says what that means", "exchange them"
                )
                self._leave_out("joint-limit", prim, f"{values[0]:.9g} above {values[1]:.9g}", "geometry")
                continue
            unit = (0, 1) if own.turns else (1, 0)
            ends = [
                self.stage.number(prim, key, unit[0], 0, unit[1]) if isfinite(x) else None
                for key, x in zip(keys, values, strict=True)
            ]
            if own.sign < 0:
                ends = [None if x is None else -x for x in reversed(ends)]
            if start := reference(self.stage, prim):
                ends = [None if x is None else x + start for x in ends]  # they are of the joint frames
            most = self._largest(prim, axis, own)
            if any(x is not None for x in (*ends, *most)):
                gaps = () if closing else range_gaps(own.coordinate, *ends)
                said = zip(("from", "to"), values, strict=True)
                shown = [f"{k} {x:.9g}" for k, x in said if isfinite(x)]
                shown += [f"{k} {real(x):.9g}" for k, x in zip(("effort", "speed"), most, strict=True) if x is not None]
                place = f"joint-limit/{own.coordinate}"
                self.limits[own.coordinate] = Limit(place, ends[0], ends[1], *most)
                yield Omission(place, "joint-limit", " ".join(shown), "none", gaps=gaps)
        if prim.type == "PhysicsSphericalJoint":
            cone = [prim.value(f"physics:coneAngle{k}Limit", -1.0) for k in (0, 1)]
            if any(x >= 0 for x in cone):
                yield Omission(f"joint-limit/{joint.name}", "joint-limit", f"cone {cone[0]:.9g} {cone[1]:.9g}", "none")

    def _largest(self, prim: Prim, axis: str, own: Along) -> tuple[Expression | None, Expression | None]:
        """Return the largest effort of a drive (N m, N), and the largest speed of a joint (rad/s, m/s)."""
        speed, alone = "newton:velocityLimit", len(self._along(prim)) == 1
        keys = [f"drive:{axis}:physics:maxForce"] if prim.has(f"PhysicsDriveAPI:{axis}") else []
        keys += ["urdf:limit:effort"] * alone
        most, least = f"{FORCES}range:max", prim.value(f"{FORCES}range:min", 0)
        keys += [most] * (alone and prim.value(most, 0) == -least != 0 and prim.value(f"{FORCES}limited") != "false")
        key = next((key for key in keys if isfinite(prim.value(key, np.inf))), "")
        made = self.stage.number(prim, key, 2 if own.turns else 1, 1)
        fast = alone and isfinite(prim.value(speed, np.inf))
        unit = (0, 1) if own.turns else (1, 0)
        return made, self.stage.number(prim, speed, unit[0], 0, unit[1]) if fast else None

    def _along(self, prim: Prim) -> dict[str, Along]:
        return next((joint.along for joint in self.joints.found if joint.prim is prim), {})

    def _rub(self, prim: Prim, key: str, place: str) -> bool:
        """Record the dry friction along the only coordinate of a joint (N m, N); False if it is recorded already."""
        along = self._along(prim)
        if key in RUBBING and len(along) == 1:
            (own,) = along.values()
            size = self.stage.number(prim, key, 2 if own.turns else 1, 1)
            if size is not None and size.value > 0:
                known = self.rough.get(own.coordinate)
                self.rough.setdefault(own.coordinate, Friction(place, size))
                return known is None or known.value != size
        return True

    def _keep(self, efforts: Sequence[JointEffort | Bipolar], turning: Sequence[Armature]) -> dict[str, list[str]]:
        """Return metadata: limits, dry friction, numbers that bodies leave to shapes, and what acts if stacked."""
        shapes = {self.names[path]: facts for path, facts in self.masses.unsaid.items()}
        more: dict[str, Any] = {"shapes": shapes} if shapes else {}
        if self.stacked is not None and (acting := self._list_stacked(self.stacked, efforts, turning)):
            more |= {"stacked": acting}
        if not self.limits and not self.rough and not more and not self.stage.is_single:
            return {}
        limits = {
            name: [None if x is None else str(x) for x in (of.lower, of.upper, of.effort, of.velocity)]
            for name, of in self.limits.items()
        }
        rough = {name: [of.place, str(of.value)] for name, of in self.rough.items()}
        return {TEXT: [json.dumps({"limits": limits, "friction": rough} | more)]}

    def _list_stacked(
        self, stacked: System, efforts: Sequence[JointEffort | Bipolar], turning: Sequence[Armature]
    ) -> dict[str, list[list[str]]]:
        """Return the efforts, armatures and parameters that act only along joints that act behind one another."""
        acting = [f for f in stacked.forces if isinstance(f, JointEffort) and f not in efforts]
        found = {
            "efforts": [[f.name, f.coordinate, str(f.expression())] for f in acting],
            "armatures": [[a.name, str(a.inertia), *a.coefficients] for a in stacked.armatures if a not in turning],
            "parameters": [[p.name, str(p.value), p.origin] for p in stacked.parameters if p not in self.parameters],
        }
        return {key: rows for key, rows in found.items() if rows}


def fittings(text: str) -> Fittings:
    """Return the limits and the dry friction that the reader of a stage stored in the model's metadata."""
    kept = json.loads(text)
    limits = {}
    for name, values in kept["limits"].items():
        lower, upper, effort, velocity = (None if x is None else parse_formula(x) for x in values)
        limits[name] = Limit(f"joint-limit/{name}", lower, upper, effort, velocity)
    return Fittings(limits, {name: Friction(at, parse_formula(x)) for name, (at, x) in kept["friction"].items()})


def _names(stage: UsdStage) -> dict[str, str]:
    """Map paths of bodies and joints to names: displayName, else the prim's name; the path if several share it."""
    found: dict[str, str] = {}
    bodies = [p for p in stage.prims.values() if p.is_body]
    joints = [p for p in stage.prims.values() if p.type in KINDS]
    others = ([p for p in stage.prims.values() if p.type == kind] for kind in ("MjcActuator", "MjcTendon"))
    for group in (bodies, joints, *others):
        shown = [UNNAMED.sub(r"actuator\1", prim.shown or prim.name) for prim in group]
        for prim, name in zip(group, shown, strict=True):
            found[prim.path] = name if shown.count(name) == 1 else prim.path[1:]
    return found
