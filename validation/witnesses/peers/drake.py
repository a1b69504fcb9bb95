"""Drake as a witness of URDF and SDF: articulated bodies in C++, free bodies by quaternions, world-axes velocities."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.inverse_kinematics import AddMultibodyPlantConstraints
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, JointIndex, MultibodyForces
from pydrake.solvers import MathematicalProgram

from mbconcord.converters.floats import compose_pose
from mbconcord.converters.joints import MIMIC
from mbconcord.model.body import Body
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import ExpressionError, evaluate_float
from mbconcord.model.limits import count
from mbconcord.model.system import System

from .peer import Array, PeerByStates, PeerError, PeerJoint, PeerRows, free, in_model, joints

#: Separator between the name of a model and that of an element in it.
WITHIN = "::"
#: Drake's description of a coupler: the numbers of the following joint and of the leading joint.
COUPLER = re.compile(r"Coupler constraint for joint (\d+) and joint (\d+)")
#: Types of joints whose velocities in Drake are rates of our coordinates, in the same order.
PLAIN = ("RevoluteJoint", "PrismaticJoint", "UniversalJoint", "PlanarJoint")


class Drake(PeerByStates):
    """A plant of Drake in continuous time; links that it would leave free are welded to the world as in the model."""

    name = "drake"
    format = "urdf"

    def __init__(self, text: str, file: str = "-", packages: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.version: str = version("drake")
        self.plant: Any = MultibodyPlant(0.0)
        parser = Parser(self.plant)
        named = [Path(p).resolve() for p in packages if Path(p).is_dir()]
        for folder in (own for p in named for own in (p, *p.iterdir())):
            if folder.is_dir() and not parser.package_map().Contains(folder.name):
                parser.package_map().Add(folder.name, folder)
        with self._heard():
            try:
                if file != "-" and Path(file).is_file():
                    parser.AddModels(Path(file).resolve())
                else:
                    parser.AddModelsFromString(text, self.format)
            except (RuntimeError, ValueError) as problem:
                raise PeerError(f"refuses the file: {' '.join(str(problem).split())}") from None
        self.joints: list[tuple[PeerJoint, Any]] = []
        self.n = 0

    @contextmanager
    def _heard(self) -> Iterator[None]:
        """Collect Drake's log messages as notes while this context is open."""
        said, log = _Notes(self.notes), logging.getLogger("drake")
        before, up = log.handlers[:], log.propagate
        log.handlers[:], log.propagate = [said], False
        try:
            yield
        finally:
            log.handlers[:], log.propagate = before, up

    def fit(self, system: System) -> None:
        """See :meth:`Peer.fit`."""
        plant, self.n = self.plant, len(system.coordinates)
        bodies = [plant.get_body(BodyIndex(i)) for i in range(1, plant.num_bodies())]
        self.links = {b.name: _find_named(b.name, bodies, plant, "link") for b in system.bodies}
        self._weld(system)
        falling = [_float(x) for x in system.gravity_vector]
        if not np.allclose(plant.gravity_field().gravity_vector(), falling, rtol=0, atol=1e-14):
            plant.mutable_gravity_field().set_gravity_vector(falling)
            self.notes.append("takes no gravity of a world: it is given the model's")
        with self._heard():
            try:
                plant.Finalize()
            except RuntimeError as problem:
                raise PeerError(f"refuses the model: {' '.join(str(problem).split())}") from None
        every = [plant.get_joint(i) for i in plant.GetJointIndices()]
        self.fixed = {b.name: compose_pose(_constants(b)) for b in system.bodies}
        for joint in joints(system):
            theirs = self._joint(joint, every)
            if theirs.num_velocities() != len(joint.at):
                found = f"has {count(theirs.num_velocities(), 'degree')} of freedom in {joint.name!r}"
                raise PeerError(f"{found}, the model {len(joint.at)}")
            self.joints.append((joint, theirs))
        if plant.num_velocities() != self.n:
            raise PeerError(f"has {count(plant.num_velocities(), 'degree')} of freedom, the model {self.n}")
        self.context: Any = plant.CreateDefaultContext()
        more = plant.num_constraints() - len(self._couplers())
        if more:
            self.notes.append(f"holds {count(more, 'constraint')} besides mimics, of which it is not asked")

    def _weld(self, system: System) -> None:
        """Weld to the world the links that no joint of Drake's carries and that are not free in the model."""
        plant = self.plant
        carried = {plant.get_joint(i).child_body().index() for i in plant.GetJointIndices()}
        welded = []
        for body in system.bodies:
            theirs = self.links[body.name]
            if theirs.index() in carried or body.parent is not None or len(body.coordinates) == 6:
                continue
            X = compose_pose(_constants(body))
            turn: Any = RotationMatrix(X.R)
            shift: Any = X.p
            pose: Any = RigidTransform(turn, shift)
            plant.WeldFrames(plant.world_frame(), theirs.body_frame(), pose)
            welded.append(body.name)
        if welded:
            self.notes.append(f"would free {', '.join(welded)}: welded to the world, as in the model")

    def _joint(self, joint: PeerJoint, every: list[Any]) -> Any:
        """Return Drake's joint with the name of a joint of the model; for a free link, the joint that carries it."""
        if len(joint.at) == 6:
            body = self.links[joint.body]
            found = next((j for j in every if j.child_body().index() == body.index()), None)
            if found is None:
                raise PeerError(f"has no joint for the link {joint.body!r}")
            return found
        return _find_named(joint.name, every, self.plant, "joint")

    def constraints(self, q: Array) -> dict[str, PeerRows]:
        """See :meth:`Peer.constraints`: Drake's couplers of joints, which its parser makes of mimics."""
        found, there = {}, [self._chart(each, np.zeros(self.n)) for each in q]
        for name, (A, b) in self._couplers().items():
            rows = [(A @ position - b, A @ G) for position, G, _ in there]
            found[name] = PeerRows(np.stack([r for r, _ in rows]), np.stack([J for _, J in rows]))
        return found

    def _couplers(self) -> dict[str, tuple[Array, Array]]:
        """Return A (1, positions) and b (1,) of A q = b for each of Drake's couplers, by the name of the mimic."""
        plant, program, found = self.plant, MathematicalProgram(), {}
        x = program.NewContinuousVariables(plant.num_positions())
        AddMultibodyPlantConstraints(plant, x, program, self.context)
        for binding in program.linear_equality_constraints():
            row = binding.evaluator()
            coupler = COUPLER.fullmatch(row.get_description())
            if coupler is not None:
                A = np.zeros((1, len(x)))
                A[:, program.FindDecisionVariableIndices(binding.variables())] = row.GetDenseA()
                found[plant.get_joint(JointIndex(int(coupler[1]))).name() + MIMIC] = A, np.array(row.lower_bound())
        return found

    def at(self, q: Array, v: Array, a: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        """See :meth:`Peer.at`."""
        plant, context = self.plant, self.context
        there, G, rest = self._chart(q, v)
        plant.SetPositions(context, there)
        plant.SetVelocities(context, G @ v)
        acting = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, acting)
        applied = np.array(acting.generalized_forces()).ravel()  # springs and damping; weight acts on bodies
        M, h = plant.CalcMassMatrix(context), plant.CalcBiasTerm(context)
        found = in_model(G, rest, M, h, plant.CalcGravityGeneralizedForces(context), applied)
        residual = plant.CalcInverseDynamics(context, G @ a + rest, acting)
        found["inverse_dynamics"] = G.T @ residual
        if not plant.num_constraints():  # copies of joints, with which it has none in continuous time
            found["acceleration"] = self._moving(G, rest)
        placed = {
            name: np.array(plant.EvalBodyPoseInWorld(context, body).GetAsMatrix34())
            for name, body in self.links.items()
        }
        return found, placed

    def _moving(self, G: Array, rest: Array) -> Array:
        """Return the accelerations of our coordinates, from the rates of Drake's velocities; NaN if G is singular."""
        derivatives = self.plant.EvalTimeDerivatives(self.context).CopyToVector()
        start = self.plant.num_positions()
        with np.errstate(all="ignore"):
            try:
                return np.asarray(np.linalg.solve(G, derivatives[start : start + self.n] - rest))
            except np.linalg.LinAlgError:
                return np.full(self.n, np.nan)

    def _chart(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return Drake's positions at our coordinates q; G (n, n) with Drake's velocities G q'; and Ġ q'."""
        there, G, rest = np.zeros(self.plant.num_positions()), np.zeros((self.n, self.n)), np.zeros(self.n)
        for joint, theirs in self.joints:
            at = list(joint.at)
            own = slice(theirs.velocity_start(), theirs.velocity_start() + len(at))
            place = theirs.position_start()
            if len(at) == 1 or type(theirs).__name__ in PLAIN:
                G[own, at] = np.eye(len(at))
                there[place : place + len(at)] = q[at]
            elif len(at) == 3:  # a ball: its angles are ours, the last first; its velocity is in the parent's axes
                block = free(np.r_[np.zeros(3), q[at]], np.r_[np.zeros(3), v[at]], moving=False)
                G[own, at], rest[own] = block.rotation @ block.G[3:, 3:], block.rotation @ block.rest[3:]
                there[place : place + 3] = q[at][::-1]
            else:
                fixed = self.fixed[joint.body]
                block = free(q[at], v[at], moving=False, fixed=fixed.R)
                R = fixed.R @ block.rotation
                turn, shift = slice(own.start, own.start + 3), slice(own.start + 3, own.stop)
                G[turn, at[3:]], rest[turn] = R @ block.G[3:, 3:], R @ block.rest[3:]
                G[shift, at[:3]] = fixed.R
                there[place : place + 4] = RotationMatrix(R).ToQuaternion().wxyz()
                there[place + 4 : place + 7] = fixed.p + fixed.R @ block.shift
        return there, G, rest


class DrakeOfSDF(Drake):
    """A plant of Drake that was read from an SDF."""

    format = "sdf"


class _Notes(logging.Handler):
    """Handler of log messages that stores warnings as notes."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.notes = notes

    def emit(self, record: logging.LogRecord) -> None:
        """Store a warning as a note, without the file name, unless it is there already."""
        text = " ".join(record.getMessage().split())
        said = f"warns: {text.rpartition('warning: ')[2]:.300}"
        if said not in self.notes:
            self.notes.append(said)


def _find_named(name: str, every: list[Any], plant: Any, what: str) -> Any:
    """Return the link or joint with a name, by its last part, or if several have that, with Drake's model name."""
    last = name.rpartition(WITHIN)[2]
    found = [x for x in every if x.name() == last]
    if len(found) > 1:
        full = {f"{plant.GetModelInstanceName(x.model_instance())}{WITHIN}{last}": x for x in found}
        found = [x for known, x in full.items() if known == name or known.endswith(f"{WITHIN}{name}")]
    if len(found) != 1:
        raise PeerError(f"has {len(found) or 'no'} {what}{'s' if found else ''} {name!r}")
    return found[0]


def _constants(body: Body) -> tuple[Any, ...]:
    """Return the leading constant transformations of a body's joint."""
    first = next((i for i, et in enumerate(body.joint) if et.coordinate), len(body.joint))
    return body.joint[:first]


def _float(value: Any) -> float:
    try:
        return float(evaluate_float(value, {}))
    except (ExpressionError, NumbersError) as problem:
        raise PeerError(f"gravity has no value: {problem}") from None
