"""Conversion of the model to the text of a stage: rigid bodies, joints between them, forces along the joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final

import numpy as np

from mbconcord.converters import losses
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import NO_FITTINGS, Fitted, Fittings
from mbconcord.converters.floats import HERE, Array, FloatPose, compose_pose, decimal_of, decimals, quaternion
from mbconcord.converters.format import Writing
from mbconcord.converters.joints import (
    CONTROL,
    DAMPING,
    MIMIC,
    SPRING,
    Mimic,
    actuators,
    frictions,
    hold_at_zero,
    mimics,
    springs,
)
from mbconcord.converters.poses import Steps, back, pose
from mbconcord.model import (
    Body,
    Constant,
    ElementaryTransformation,
    Frame,
    FrameCoincidence,
    Loss,
    Point,
    PointCoincidence,
    Rod,
    System,
    rotation,
    shift,
)
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.expressions.node import PI_NODE
from mbconcord.model.limits import count
from mbconcord.model.naming import Namer
from mbconcord.model.transformation import AXES, Vector, X, vector
from mbconcord.records import dataclass, field, replace

from . import HOLDS
from .joints import BALL, FREE
from .layer import Facts, UsdLayer, find_prim_names, print_layer
from .masses import UNSAID
from .reader import ARMATURE, DRIVE, read_facts

#: Endings of URDF's planar joint.
PLANAR: Final = ("_TX", "_TY", "_RZ")
#: Axis -> axis about which half a turn reverses it.
ACROSS: Final = {"x": "z", "y": "x", "z": "x"}
#: Elements of a rotation below this are zero: they are computed in 40 digits.
NOTHING: Final = 1e-30
#: Initial values that differ by less than this (rad, m) are equal: they are read from the poses on the stage.
SAME: Final = 1e-12


@dataclass
class _Carried:
    """A written body: its carrier, the transformations from the carrier, and True if it is written as a rigid body."""

    body: Body
    parent: str | None
    steps: Steps
    is_rigid: bool = True


@dataclass
class _Joint:
    """A joint of one coordinate or several: its rank in the order, its prim, and by coordinate True for a rotation."""

    rank: float
    prim: Facts
    turns: dict[str, bool] = field(default_factory=dict)


class UsdModel:
    """Prims of a model in ``layer``; ``held`` maps places to written names, ``renamed`` coordinates to new names."""

    def __init__(self, system: System, numbers: ConstantReader, fittings: Fittings) -> None:
        self.system, self.numbers, self.fittings, self.fitted = system, numbers, fittings, Fitted()
        self.layer, self.held, self.losses = UsdLayer(numbers), dict[str, str](), list[Loss]()
        self.renamed: dict[str, str] = {}
        self.drives = actuators(system, numbers, self.held)
        self.springs = springs(system, numbers, self.held)
        self._leave_negative_out()
        rubbing: dict[str, str] = {}
        self.rough = frictions(system, numbers, rubbing)
        soft = "newton:friction of the same size, which is written, is left out by the reader"
        self.losses += (Loss(place, "Coulomb's law of the dry friction", soft) for place in rubbing)
        self.held |= {place: place.removeprefix("forces/") for place in rubbing}
        self.armature = self._armatures()
        self.carried = self._carry()
        self.mimics = self._mimics()
        acting = self.springs.coordinates | {*self.rough} | {*self.armature} | {*self.mimics}
        acting |= {*(mimic.leader for mimic in self.mimics.values()), *(x.coordinate for x in self.drives)}
        self.apart = acting | {*fittings.limits} | {*fittings.friction}
        self.name = find_prim_names([system.name])[system.name]
        self.root = self.layer.make(f"/{self.name}", "Xform", ["PhysicsArticulationRootAPI"], system.name)
        self.paths = self._find_paths()
        order = {name: i for i, name in enumerate(system.coordinate_names)}
        self.order: Mapping[str, int] = order
        self.joint_names = Namer((*system.coordinate_names, *(c.name for c in system.constraints)))
        self.joints: list[_Joint] = []
        self.along: dict[str, _Joint] = {}
        self.free: set[str] = set()
        self.still: set[str] = set()
        for own in self.carried.values():
            if own.is_rigid:
                self._join(own)
        self.closing = [*self._closures()]
        self._name_joints()
        self._act()
        self._put_together()

    # Selection of the parts that are written.

    def _leave_negative_out(self) -> None:
        """Leave out springs and dampers with negative damping, which the reader refuses."""
        for name, d in [*self.springs.damping.items()]:
            if self.numbers.precise(f"coordinates/{name}", d) < 0:
                for part in (self.springs.damping, self.springs.stiffness, self.springs.pull):
                    part.pop(name, None)
                self.held = {p: n for p, n in self.held.items() if n not in (name + DAMPING, name + SPRING)}

    def _armatures(self) -> dict[str, Expression]:
        """Return the armature along each coordinate, from armatures that act along one coordinate alone."""
        found: dict[str, Expression] = {}
        moving = {name for body in self.system.bodies for name in body.coordinates}
        for armature in self.system.armatures:
            place, along = f"armatures/{armature.name}", dict(armature.coefficients)
            if len(along) == 1 and {*along} <= moving:
                ((name, c),) = along.items()
                value = self.numbers.value(place, armature.inertia * (c * c))
                found[name] = found.get(name, ZERO) + value
                self.held[place] = name + ARMATURE
        return found

    def _mimics(self) -> dict[str, Mimic]:
        """Return the mimics whose two coordinates both turn, or both shift."""
        turning = {
            et.coordinate: not et.is_translation for own in self.carried.values() for et in own.steps if et.coordinate
        }
        found = mimics(self.system, self.numbers, self.held)
        for follower, mimic in [*found.items()]:
            if turning.get(follower) != turning.get(mimic.leader) or follower not in turning:
                del found[follower], self.held[mimic.place]
        return found

    # Bodies: those without mass that nothing moves are frames of others.

    def _carry(self) -> dict[str, _Carried]:
        """Return each body with its carrier; a body without mass may be folded into its carrier or into its child."""
        system = self.system
        named = {p.body for c in system.constraints if not isinstance(c, Rod) for p in _ends(c)}
        named |= {p.body for c in system.constraints if isinstance(c, Rod) for p in (c.first, c.second)}
        children: dict[str | None, int] = {}
        for body in system.bodies:
            children[body.parent] = children.get(body.parent, 0) + 1
        found: dict[str, _Carried] = {}
        for body in system.bodies:
            place = f"bodies/{body.name}/joint"
            own = tuple(self._number(hold_at_zero(et), place) for et in body.joint)
            above = None if body.parent is None else found[body.parent]
            folded = above is not None and not above.is_rigid
            steps = (*above.steps, *own) if above is not None and folded else own
            parent = above.parent if above is not None and folded else body.parent
            still = not any(et.coordinate for et in own)
            moved = any(et.coordinate for et in steps)
            empty = not any(self.numbers.value(place, x) for x in (body.inertia.mass, *body.inertia.tensor))
            can = (still and not moved) or (children.get(body.name) == 1 and body.name not in named)
            found[body.name] = _Carried(body, parent, steps, not (empty and can))
        return found

    def _number(self, et: ElementaryTransformation, place: str) -> ElementaryTransformation:
        """Return a transformation with its constant amount evaluated to a number."""
        if et.coordinate:
            return et
        return ElementaryTransformation(et.kind, et.axis, Constant(self.numbers.value(place, et.amount)))

    def _find_paths(self) -> dict[str | None, str]:
        """Return the paths of the bodies; bodies written as frames lie below their carriers."""
        names = find_prim_names(self.carried)
        scope = f"/{self.name}/Bodies"
        found: dict[str | None, str] = {}
        for name, own in self.carried.items():
            above = scope if own.is_rigid or own.parent is None else found[own.parent]
            found[name] = f"{above}/{names[name]}"
        return found

    def _poses(self) -> dict[str | None, FloatPose]:
        """Return the poses of bodies in the world, at initial positions that can be read back, else at zero."""
        start = {c.name: self.numbers.value(f"coordinates/{c.name}", c.position) for c in self.system.coordinates}
        found: dict[str | None, FloatPose] = {None: HERE}
        for name, own in self.carried.items():
            steps = [
                replace(et, motion=Constant(ZERO if et.coordinate in self.free | self.still else start[et.coordinate]))
                if et.coordinate
                else et
                for et in own.steps
            ]
            if own.is_rigid or not any(et.coordinate for et in own.steps):
                found[name] = found[own.parent].then(compose_pose(steps))
        return found

    # Frames and axes.

    def _frame(
        self, steps: Sequence[ElementaryTransformation], place: str
    ) -> tuple[list[Expression], list[Expression]]:
        """Return the position of a frame, exact if no rotation precedes a shift, and its quaternion."""
        shifts = [*takewhile(lambda et: et.is_translation, steps)]
        p, R = pose(steps, self.numbers, place)
        if all(not et.is_translation for et in steps[len(shifts) :]):
            at = [sum((et.axis[i] * et.amount for et in shifts), ZERO) for i in range(3)]
        else:
            at = decimals(_clean(x) for x in p)
        if len(shifts) == len(steps):
            return at, decimals((1, 0, 0, 0))
        return at, decimals(_clean(x) for x in quaternion(np.array([[_clean(x) for x in row] for row in R])))

    def _place(self, prim: Facts, k: int, body: str | None, steps: Steps, place: str) -> None:
        """Put an end of a joint into its prim: a body, and the frame on it."""
        if body is not None and not self.carried[body].is_rigid:
            own = self.carried[body]
            body, steps = own.parent, (*own.steps, *steps)
        if body is not None:
            self.layer.aim(prim, f"physics:body{k}", self.paths[body] or "")
        at, turn = self._frame(steps, place)
        if any(at):
            self.layer.several(prim, place, f"physics:localPos{k}", "point3f", at)
        if any(turn[1:]):
            self.layer.several(prim, place, f"physics:localRot{k}", "quatf", turn)

    # Joints.

    def _make(self, kind: str, name: str) -> Facts:
        """Return the prim of a joint; its path is set when all names are known."""
        return self.layer.make("", f"Physics{kind}Joint", (), name)

    def _join(self, own: _Carried) -> None:
        """Write the joint that carries a body, or its several joints."""
        moving = [i for i, et in enumerate(own.steps) if et.coordinate]
        place, name, parent = f"bodies/{own.body.name}/joint", own.body.name, own.parent
        if not moving:
            prim = self._make("Fixed", self.joint_names.fresh(f"{name}_fixed"))
            self._place(prim, 0, parent, own.steps, place)
            self._place(prim, 1, name, (), place)
            self.joints.append(_Joint(len(self.order), prim))
        elif len(moving) == 1:
            self._join_one(own, moving[0], place)
        elif not self._is_whole(own, moving, place):
            self._join_several(own, moving, place)

    def _join_one(self, own: _Carried, i: int, place: str) -> None:
        et = own.steps[i]
        axis, turned = _axis(et.axis)
        prim = self._one(et, axis)
        self._place(prim, 0, own.parent, (*own.steps[:i], *turned), place)
        self._place(prim, 1, own.body.name, (*back(own.steps[i + 1 :]), *turned), place)
        self._add(_Joint(self.order[et.coordinate or ""], prim, {et.coordinate or "": not et.is_translation}))

    def _one(self, et: ElementaryTransformation, axis: str, name: str = "") -> Facts:
        prim = self._make("Prismatic" if et.is_translation else "Revolute", name or et.coordinate or "")
        self.layer.put(prim, "physics:axis", "token", axis.upper())
        return prim

    def _add(self, joint: _Joint) -> None:
        self.joints.append(joint)
        self.along |= dict.fromkeys(joint.turns, joint)

    def _is_whole(self, own: _Carried, moving: list[int], place: str) -> bool:
        """Write several coordinates as a free body, a ball or a planar joint; return False if they form none."""
        first, last = moving[0], moving[-1]
        steps = own.steps[first : last + 1]
        names = [et.coordinate or "" for et in steps]
        if len(steps) != len(moving) or {*names} & self.apart:
            return False
        shape = "".join(("T" if et.is_translation else "R") + _letter(et.axis) for et in steps)
        if shape == "TxTyTzRzRyRx" and own.parent is None and last == len(own.steps) - 1:
            if self._rename(names, own.body.name, FREE):
                self.free |= {*names}
                return True
        elif shape in ("RzRyRx", "TxTyRz"):
            endings = BALL if shape == "RzRyRx" else PLANAR
            self.joint_names.taken -= {*names}
            prefix = self.joint_names.fresh(names[0].removesuffix(endings[0]))
            if not self._rename(names, prefix, endings):
                self.joint_names.taken |= {*names}
                return False
            prim = self._make("Spherical" if endings is BALL else "", prefix)
            if endings is PLANAR:
                for axis in ("transZ", "rotX", "rotY"):
                    self.layer.apply(prim, f"PhysicsLimitAPI:{axis}")
                    self.layer.put(prim, f"limit:{axis}:physics:low", "float", 1.0)
                    self.layer.put(prim, f"limit:{axis}:physics:high", "float", -1.0)
            self._place(prim, 0, own.parent, own.steps[:first], place)
            self._place(prim, 1, own.body.name, back(own.steps[last + 1 :]), place)
            self.joints.append(_Joint(self.order[names[0]], prim))
            return True
        return False

    def _rename(self, names: list[str], prefix: str, endings: Sequence[str]) -> bool:
        """Record the names under which coordinates are read back; return False if other coordinates have them."""
        now = {name: prefix + ending for name, ending in zip(names, endings, strict=True)}
        others = {*self.order} - {*names} | {*self.renamed.values()}
        if others & {*now.values()}:
            return False
        self.renamed |= {name: new for name, new in now.items() if name != new}
        return True

    def _join_several(self, own: _Carried, moving: list[int], place: str) -> None:
        """Write several joints between two bodies that act in series: X = F0₁ M₁ F1₁⁻¹ Π F1ₖ Mₖ F1ₖ⁻¹."""
        self.layer.put(self.root, "newton:jointsAddMobility", "bool", True)
        self.layer.apply(self.root, "NewtonArticulationRootAPI")
        what = f"that PhysX reads it: {count(len(moving), 'joint')} of one pair"
        why = "they act behind one another where newton:jointsAddMobility is read"
        self.losses.append(Loss(place, what, why, acts=False))
        still = [*own.steps]
        for i in moving:
            still[i] = replace(still[i], motion=Constant(ZERO))
        rank = min(self.order[own.steps[i].coordinate or ""] for i in moving)
        self.still |= {own.steps[i].coordinate or "" for i in moving}
        for n, i in enumerate(moving):
            et = own.steps[i]
            axis, turned = _axis(et.axis)
            prim = self._one(et, axis)
            self._place(prim, 0, own.parent, (*_constants(still[:i]), *turned), place)
            self._place(prim, 1, own.body.name, (*back(_constants(still[i + 1 :])), *turned), place)
            behind = rank + n / (len(moving) + 1)
            self._add(_Joint(behind, prim, {et.coordinate or "": not et.is_translation}))

    # Loops.

    def _closures(self) -> Iterator[Facts]:
        """Yield the joints that close loops, and rods."""
        for c in self.system.constraints:
            place, name = f"constraints/{c.name}", c.name
            if isinstance(c, PointCoincidence):
                prim, frames = self._make("Spherical", name), [(p.body, shift(p.position)) for p in (c.first, c.second)]
            elif isinstance(c, Rod):
                prim, frames = self._make("Distance", name), [(p.body, shift(p.position)) for p in (c.first, c.second)]
                if c.mass:
                    self.losses.append(Loss(place, "its mass", "a distance joint of USD has none"))
                for key in ("min", "max"):
                    self.layer.number(prim, place, f"physics:{key}Distance", c.length)
            elif isinstance(c, FrameCoincidence) and len(c.auxiliary) < 2:
                prim, frames = self._cut(c, place)
            else:
                continue
            if len({self._body_at(body) for body, _ in frames}) == 1:
                self.losses.append(Loss(place, "the constraint", "a joint of USD joins two bodies"))
                continue
            for k, (body, steps) in enumerate(frames):
                numeric = tuple(self._number(hold_at_zero(et), place) for et in steps)
                self._place(prim, k, body, numeric, place)
            self.layer.put(prim, "physics:excludeFromArticulation", "bool", True)
            self.held[place] = name
            yield prim

    def _body_at(self, body: str | None) -> str | None:
        return body if body is None or self.carried[body].is_rigid else self.carried[body].parent

    def _cut(self, c: FrameCoincidence, place: str) -> tuple[Facts, list[tuple[str | None, Steps]]]:
        """Return the joint, and its frame on each body, of two coinciding frames with one coordinate or none."""
        first, second = c.first.transformations, c.second.transformations
        i = next((i for i, et in enumerate(first) if et.coordinate), None)
        if i is None:
            return self._make("Fixed", c.name), [(c.first.body, first), (c.second.body, second)]
        axis, turned = _axis(first[i].axis)
        if first[i].coordinate != c.name:
            what = f"the name of its coordinate {first[i].coordinate!r}"
            self.losses.append(Loss(f"{place}/first", what, "it is called after the joint", acts=False))
        prim = self._one(first[i], axis, c.name)
        after = tuple(self._number(hold_at_zero(et), place) for et in first[i + 1 :])
        return prim, [(c.first.body, (*first[:i], *turned)), (c.second.body, (*second, *back(after), *turned))]

    # What acts along joints.

    def _act(self) -> None:
        """Put damping, springs, armatures, stops, dry friction and mimics into the joints."""
        for name, joint in self.along.items():
            place, prim, turns = f"coordinates/{name}", joint.prim, joint.turns[name]
            rough = self.rough.get(name) or self._rubbing(name)
            for key, value, degrees in (
                ("damping", self.springs.damping.get(name), -1), ("armature", self.armature.get(name), 0),
                ("friction", rough, 0),
            ):  # fmt: skip
                if value is not None and value:
                    self.layer.apply(prim, "NewtonJointAPI")
                    self.layer.number(prim, place, f"newton:{key}", value, degrees if turns else 0)
            k = self.springs.stiffness.get(name)
            if k is not None and k:
                drive = "angular" if turns else "linear"
                self.layer.apply(prim, f"PhysicsDriveAPI:{drive}")
                self.layer.put(prim, f"drive:{drive}:physics:type", "token", "force")
                rest = self.springs.pull[name] / k
                self.layer.number(prim, place, f"drive:{drive}:physics:stiffness", k, -1 if turns else 0)
                self.layer.number(prim, place, f"drive:{drive}:physics:targetPosition", rest, 1 if turns else 0)
                self.held = {p: name + DRIVE if n == name + SPRING else n for p, n in self.held.items()}
            self._limit(name, prim, turns)
        for name, mimic in self.mimics.items():
            prim, turns = self.along[name].prim, self.along[name].turns[name]
            self.layer.apply(prim, "NewtonMimicAPI")
            self.layer.aim(prim, "newton:mimicJoint", self.along[mimic.leader].prim["path"])
            self.layer.number(prim, mimic.place, "newton:mimicCoef0", mimic.offset, 1 if turns else 0)
            self.layer.number(prim, mimic.place, "newton:mimicCoef1", mimic.multiplier)
            self.held[mimic.place] = name + MIMIC

    def _actuators(self) -> Iterator[Facts]:
        """Yield a scope with an actuator for each control: gain · ctrl + b₀ + b₁ q + b₂ q' along a joint."""
        scope = f"/{self.name}/Actuators"
        names = find_prim_names(drive.name for drive in self.drives)
        if names:
            yield self.layer.make(scope, "Scope")
        for drive in self.drives:
            prim = self.layer.make(f"{scope}/{names[drive.name]}", "MjcActuator", (), drive.name)
            self.layer.aim(prim, "mjc:target", self.along[drive.coordinate].prim["path"])
            self.layer.several(prim, drive.place, "mjc:gainPrm", "double[]", [drive.gain])
            if any(drive.bias):
                self.layer.put(prim, "mjc:biasType", "token", "affine")
                self.layer.several(prim, drive.place, "mjc:biasPrm", "double[]", drive.bias)
            if not drive.control:
                what = f"that the drive has no control: it is read with {drive.name}{CONTROL}"
                self.losses.append(Loss(drive.place, what, "an actuator has one", acts=False))
            yield prim

    def _rubbing(self, name: str) -> Expression | None:
        """Return the dry friction that the source of the model has along a coordinate."""
        rough = self.fittings.friction.get(name)
        if rough is None or not rough.value.value > 0:
            return None
        self.fitted.hold(rough.place)
        return rough.value

    def _limit(self, name: str, prim: Facts, turns: bool) -> None:
        """Write the stops of a joint, its largest effort and speed."""
        limit, place = self.fittings.limits.get(name), f"coordinates/{name}"
        if limit is None:
            return
        if limit.stops and limit.width < 0:
            self.fitted.lose(limit.place, "the range", "a low end above the high one says nothing of a joint of USD")
            return
        self.fitted.hold_limit(limit, "USD")
        for key, end in (("lower", limit.lower), ("upper", limit.upper)):
            if end is not None:
                self.layer.number(prim, place, f"physics:{key}Limit", end, 1 if turns else 0)
        if limit.velocity is not None:
            self.layer.apply(prim, "NewtonJointAPI")
            self.layer.number(prim, place, "newton:velocityLimit", limit.velocity, 1 if turns else 0)
        if limit.effort is not None:
            drive = "angular" if turns else "linear"
            self.layer.apply(prim, f"PhysicsDriveAPI:{drive}")
            self.layer.number(prim, place, f"drive:{drive}:physics:maxForce", limit.effort)

    # Together.

    def _name_joints(self) -> None:
        """Set the names and paths of the joints, in the order of coordinates."""
        self.joints.sort(key=lambda joint: joint.rank)
        prims = [*(joint.prim for joint in self.joints), *self.closing]
        names = Namer(())
        for prim in prims:
            shown = prim.pop("name", "")
            own = names.fresh(shown)
            if own != shown:
                for place, name in self.held.items():
                    if name == shown and place.startswith("constraints/") and prim in self.closing:
                        self.held[place] = own
            prim["name"] = own
        written = find_prim_names(prim["name"] for prim in prims)
        for prim in prims:
            plain = written[prim["name"]]
            prim["path"] = f"/{self.name}/Joints/{plain}"
            if plain == prim["name"]:
                del prim["name"]

    def _put_together(self) -> None:
        """Put all prims into the layer in the order of traversal."""
        layer = self.layer
        scene = layer.make(f"/{self.name}/Scene", "PhysicsScene")
        gravity = self.system.gravity
        down = gravity.direction if gravity else vector((0, 0, -1))
        layer.several(scene, "gravity", "physics:gravityDirection", "vector3f", down)
        layer.number(scene, "gravity", "physics:gravityMagnitude", gravity.value if gravity else ZERO)
        layer.prims += [self.root, scene, layer.make(f"/{self.name}/Bodies", "Scope")]
        poses = self._poses()
        frames: dict[str | None, list[_Carried]] = {}
        for own in self.carried.values():
            if not own.is_rigid and own.body.name in poses:
                frames.setdefault(own.parent, []).append(own)
        for own in self.carried.values():
            if own.is_rigid:
                layer.prims.append(self._write_body(own, poses[own.body.name]))
            if own.is_rigid:
                inner = frames.get(own.body.name, ())
                around = poses[own.body.name]
                layer.prims += [self._write_frame(each, poses[each.body.name].seen_from(around)) for each in inner]
        layer.prims += [self._write_frame(each, poses[each.body.name]) for each in frames.get(None, ())]
        layer.prims.append(layer.make(f"/{self.name}/Joints", "Scope"))
        layer.prims += [*(joint.prim for joint in self.joints), *self.closing, *self._actuators()]

    def _write_frame(self, own: _Carried, at: FloatPose) -> Facts:
        prim = self.layer.make(self.paths[own.body.name] or "", "Xform", (), own.body.name)
        self._stand(prim, at)
        return prim

    def _stand(self, prim: Facts, at: FloatPose) -> None:
        place = f"bodies/{prim['path']}"
        layer = self.layer
        p = [0.0 if abs(x) < 1e-16 else float(x) for x in at.p]
        layer.several(prim, place, "xformOp:translate", "double3", decimals(p))
        layer.several(prim, place, "xformOp:orient", "quatd", decimals(quaternion(at.R)))
        layer.put(prim, "xformOpOrder", "token[]", ["xformOp:translate", "xformOp:orient"])

    def _write_body(self, own: _Carried, at: FloatPose) -> Facts:
        """Return the prim of a rigid body with its inertia."""
        body, layer, place = own.body, self.layer, f"bodies/{own.body.name}/inertia"
        apis = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI")
        prim = layer.make(self.paths[body.name] or "", "Xform", apis, body.name)
        self._stand(prim, at)
        if body.coordinates and {*body.coordinates} <= self.free:
            self._set_rates(prim, body, at.R)
        inertia = body.inertia
        mass = self.numbers.precise(place, inertia.mass)
        if mass < 0:
            self.numbers.missing[place] = error(place, f"the mass is {float(mass):g} kg", "a mass is not negative")
        layer.number(prim, place, "physics:mass", inertia.mass)
        layer.several(prim, place, "physics:centerOfMass", "point3f", inertia.centre)
        moments, axes = self._principal(body, place)
        layer.several(prim, place, "physics:diagonalInertia", "float3", decimals(moments))
        if any(moments):
            layer.several(prim, place, "physics:principalAxes", "quatf", decimals(axes))
        for key in ("physics:diagonalInertia", "physics:principalAxes"):
            if key in prim["values"]:
                prim["values"][key] = prim["values"][key][:2]  # newton:inertia has all digits
        layer.several(prim, place, "newton:inertia", "double[]", inertia.tensor)
        self._warn_of_mass(body, float(mass), moments)
        return prim

    def _principal(self, body: Body, place: str) -> tuple[list[float], list[float]]:
        """Return the principal moments of a body's tensor and the quaternion of their axes."""
        J = np.array([[float(self.numbers.precise(place, x)) for x in row] for row in body.inertia.matrix()])
        if not (J - np.diag(np.diag(J))).any():
            return [float(x) for x in np.diag(J)], [1.0, 0.0, 0.0, 0.0]
        moments, R = np.linalg.eigh(J)
        R = R if np.linalg.det(R) > 0 else -R
        return [float(x) for x in moments], [float(x) for x in quaternion(R)]

    def _warn_of_mass(self, body: Body, mass: float, moments: Sequence[float]) -> None:
        """Record as losses a zero mass or tensor, which UsdPhysics cannot express and programs replace."""
        place, length = f"bodies/{body.name}/inertia", float(np.linalg.norm(moments))
        if mass == 0:
            why = "0 says nothing in UsdPhysics: OpenUSD, Newton and PhysX take masses of their own"
            self.losses.append(Loss(place, "that it has no mass", why))
            self.fitted.hold(f"computed-inertia/{body.name}")
        elif length == 0:
            why = "zeros say nothing in UsdPhysics: OpenUSD takes a ball of 0.1 m, Newton a ball of water"
            self.losses.append(Loss(place, "that its tensor is zero for every program", why, acts=False))
        elif length < UNSAID:
            why = f"OpenUSD takes moments shorter than {UNSAID:g} for not said: newton:inertia has them"
            self.losses.append(Loss(place, "that every program reads its tensor", why, acts=False))

    def _set_rates(self, prim: Facts, body: Body, R: Array) -> None:
        """Write the initial velocities of a free body, in the axes of the world."""
        rates = [self._rate(name) for name in body.coordinates]
        turning = [*reversed(rates[3:])]
        straight = bool(np.array_equal(R, np.eye(3)))
        for key, values, unit in (("velocity", rates[:3], None), ("angularVelocity", turning, 180 / PI_NODE)):
            if any(values):
                own = values
                if not straight:
                    place = f"coordinates/{body.coordinates[0]}"
                    own = decimals(R @ [float(self.numbers.precise(place, x)) for x in values])
                own = own if unit is None else [x * unit for x in own]
                self.layer.several(prim, f"bodies/{body.name}", f"physics:{key}", "vector3f", own)

    def _rate(self, name: str) -> Expression:
        found = next(c for c in self.system.coordinates if c.name == name)
        return self.numbers.value(f"coordinates/{name}", found.velocity)


def _ends(c: object) -> tuple[Point | Frame, ...]:
    return (c.first, c.second) if isinstance(c, PointCoincidence | FrameCoincidence) else ()


def _clean(x: object) -> float:
    value = float(x)  # type: ignore[arg-type]
    return 0.0 if abs(value) < NOTHING else value


def _constants(steps: Sequence[ElementaryTransformation]) -> Steps:
    """Return transformations without those of zero amount."""
    return tuple(et for et in steps if et.amount)


def _letter(axis: Vector) -> str:
    return next((letter for letter, own in AXES.items() if own == axis), "?")


def _axis(axis: Vector) -> tuple[str, Steps]:
    """Return the letter of an axis, and the rotation to a frame that has it: none, half a turn, or the least of x."""
    for letter, own in AXES.items():
        if axis == own:
            return letter, ()
        if axis == tuple(-x for x in own):
            return letter, (rotation(ACROSS[letter], Constant(PI_NODE)),)
    x, y, z = (float(c.value) if c.op == "num" else float(compose_pose([_along(c)]).p[0]) for c in axis)
    away = float(np.hypot(y, z))
    return "x", (rotation(decimals((0.0, -z, y)), Constant(decimal_of(float(np.arctan2(away, x))))),)


def _along(x: Expression) -> ElementaryTransformation:
    return shift((x, ZERO, ZERO))[0] if x else ElementaryTransformation("translation", X, Constant(ZERO))


# The text, and the parts of a model that it does not hold.


def write(system: System, fittings: Fittings = NO_FITTINGS) -> Writing:
    """Write the text of a stage: metres, kilograms, z upwards in the axes of the world, one layer.

    Singles that do not identify a number have its decimals beside them, so that the model's numbers are read back.

    Raises
    ------
    WriteError
        A number has no value; a mass is negative.
    """
    lost: list[Loss] = [*losses.elastic(system, HOLDS)]
    system = rigid(system)
    numbers = ConstantReader(system, "a USD stage")
    model = UsdModel(system, numbers, fittings)
    if numbers.missing:
        raise WriteError(numbers.missing.values())
    if not any(own.is_rigid for own in model.carried.values()):
        raise WriteError(error("bodies", "no body has a mass or moves", "a stage has one rigid body at least"))
    text = print_layer(model.name, model.layer.prims)
    facts = {"stage": 1, "metres": 1.0, "kilograms": 1.0, "up": "Z", "prims": model.layer.prims}
    lost += [*model.losses, *_list_losses(model, read_facts(facts, f"{system.name}.usda").system)]
    return Writing(text, tuple(lost), model.renamed, fitted=model.fitted.places)


def encode(text: str, file: str) -> bytes | None:
    """Return None: a layer is written as its text.

    Raises
    ------
    WriteError
        The file's name is that of a binary layer or an archive.
    """
    del text
    if file.lower().endswith((".usdc", ".usdz")):
        remedy = f"name it {file[:-5]}.usda; usdcat of OpenUSD makes others of it"
        raise WriteError(error("format", f"{file} is not text, and stages are written as text", remedy))
    return None


def _list_losses(model: UsdModel, again: System) -> Iterator[Loss]:
    """Yield losses in the order of the model; ``again`` is the model read back from the text."""
    system, numbers = model.system, model.numbers
    names = [model.renamed.get(name, name) for name in system.coordinate_names]
    if names != [*again.coordinate_names]:
        what = f"the order {', '.join(system.coordinate_names)}"
        yield Loss("coordinates", what, HOLDS.why("coordinate_order"), acts=False)
    read = {c.name: c for c in again.coordinates}
    for c in system.coordinates:
        place, own = f"coordinates/{c.name}", read.get(model.renamed.get(c.name, c.name))
        if c.name in model.renamed:
            why = f"it is called after its joint or body: it is read as {model.renamed[c.name]!r}"
            yield Loss(place, f"the name {c.name!r}", why, acts=False)
        for key in ("position", "velocity"):
            said = numbers.value(place, getattr(c, key))
            found = ZERO if own is None else getattr(own, key)
            if abs(float(numbers.precise(place, said)) - float(numbers.precise(place, found))) > SAME:
                what, why = f"the initial {key} {getattr(c, key)}", HOLDS.why(f"initial_{_MANY[key]}")
                yield Loss(f"{place}/{key}", what, why, acts=False)
    told = replace(HOLDS, kept=HOLDS.kept | {"initial_positions", "initial_velocities"})
    yield from (loss for loss in losses.coordinates(system, told) if loss.place not in model.held)
    yield from losses.parameters(system, numbers.used, "USD stage", model.held)
    yield from losses.functions(system, HOLDS)
    yield from losses.in_time(system, HOLDS)
    yield from losses.bodies(system, HOLDS)
    for carried in model.carried.values():
        if not carried.is_rigid:
            model.fitted.hold(f"computed-inertia/{carried.body.name}")
            why = "it has no mass: it is a frame of what carries it, or a part of the joint of what it carries"
            yield Loss(f"bodies/{carried.body.name}", "that it is a body", why, acts=False)
    yield from losses.acting(system, HOLDS, model.held)
    yield from losses.metadata(system, HOLDS)
    yield from model.fitted.losses
    yield from losses.list_omission_losses(model.fitted.list_rest(system.omissions), HOLDS)


_MANY: Final = {"position": "positions", "velocity": "velocities"}
