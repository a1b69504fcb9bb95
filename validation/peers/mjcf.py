"""MuJoCo reads an MJCF: joints in its own order, free bodies and balls by quaternions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.numbers import known_values
from mbconcord.model.system import System
from mbconcord.validation.judge.tolerances import MESHES

from .charts import Array, free
from .mujoco import MuJoCo
from .peer import PeerError

#: Coordinates of its joints by type: free, ball, slide, hinge.
COUNTS = (6, 3, 1, 1)
#: What follows the names of joints in those of our coordinates.
ENDINGS = (("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX"), ("_RZ", "_RY", "_RX"), ("",), ("",))


class MuJoCoOfMJCF(MuJoCo):
    """A model of MuJoCo from its own format.

    What the model says that it leaves out (a fluid, actuators with states, tendons that wrap) is switched off, and so
    are the bounds of controls and forces; each is told.
    """

    def __init__(self, text: str, file: str = "-") -> None:
        self.file = file
        super().__init__(text)
        self.controls = np.zeros(self.model.nu)
        if self.model.nmesh:
            self.slack = max(self.slack, MESHES)

    def _read(self, text: str) -> Any:
        try:
            if self.file != "-" and Path(self.file).is_file():
                return mujoco.MjModel.from_xml_path(self.file)
            return mujoco.MjModel.from_xml_string(text)
        except ValueError as problem:
            raise PeerError(f"refuses the file: {' '.join(str(problem).split())}") from None

    def fit(self, system: System) -> None:
        """See :meth:`Peer.fit`: joint by joint in its order, named alike."""
        self.n, names, at = len(system.coordinates), list(system.coordinate_names), 0
        if self.model.nv != self.n:
            raise PeerError(f"has {self.model.nv} velocities, the model {self.n} coordinates")
        self.places: list[tuple[int, list[int]]] = []
        for i in range(self.model.njnt):
            kind = int(self.model.jnt_type[i])
            said = mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT, i)
            own = names[at : at + COUNTS[kind]]
            if said and own != [said + ending for ending in ENDINGS[kind]]:
                raise PeerError(f"has the joint {said!r} where the model has {', '.join(own)}")
            self.places.append((i, list(range(at, at + COUNTS[kind]))))
            at += COUNTS[kind]
        ids = (
            (b.name, mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, b.name)) for b in system.bodies
        )
        self.links = {name: i for name, i in ids if i > 0}
        self._aligned(system)

    def _aligned(self, system: System) -> None:
        """Switch off what the model leaves out, and bounds; take controls from its parameters."""
        model, left_out = self.model, {o.place: o for o in system.omissions if o.acts}
        if "medium/option" in left_out:
            model.opt.density = model.opt.viscosity = 0.0
            self.notes.append("without the fluid, as the model")
        for bounded in (
            "actuator_ctrllimited",
            "actuator_forcelimited",
            "jnt_actfrclimited",
            "tendon_actfrclimited",
        ):
            if hasattr(model, bounded) and getattr(model, bounded).any():
                getattr(model, bounded)[:] = 0
                self._said("without bounds of controls and forces")
        try:
            values = known_values(system)
        except NumbersError:
            values = {}
        for i in range(model.nu):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i) or f"actuator{i}"
            if f"actuator/{name}" in left_out:
                model.actuator_gainprm[i] = model.actuator_biasprm[i] = 0.0
                model.actuator_gaintype[i] = model.actuator_biastype[i] = 0
                self._said("without actuators that the model leaves out")
            self.controls[i] = values.get(f"{name}_ctrl", 0.0)
        for i in range(model.ntendon):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TENDON, i) or f"tendon{i}"
            if f"tendon/{name}" in left_out:
                model.tendon_stiffness[i] = model.tendon_damping[i] = 0.0
                self._said("without tendons that the model leaves out")
        for i in range(model.njnt):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) or ""
            left = left_out.get(f"joint-spring/{name}")
            if left is not None:
                model.jnt_stiffness[i] = 0.0
                if left.what.startswith("springdamper"):
                    model.dof_damping[model.jnt_dofadr[i]] = 0.0
                self._said("without springs that the model leaves out")

    def _said(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _applied(self) -> Array:
        return np.asarray(self.data.qfrc_passive + self.data.qfrc_actuator)

    def _chart(self, q: Array, v: Array) -> tuple[Array, Array]:
        """See :meth:`MuJoCo._chart`."""
        model, data = self.model, self.data
        data.ctrl[:] = self.controls
        G, rest = np.zeros((self.n, self.n)), np.zeros(self.n)
        for i, at in self.places:
            own, place = model.jnt_dofadr[i], model.jnt_qposadr[i]
            if len(at) == 1:
                G[own, at[0]], data.qpos[place] = 1.0, q[at[0]]
                continue
            start, turn = model.qpos0[place : place + 7], np.zeros(9)
            if len(at) == 6:
                mujoco.mju_quat2Mat(turn, start[3:])
                fixed = turn.reshape(3, 3)
                block = free(q[at], v[at], moving=False, fixed=fixed)
                data.qpos[place : place + 3] = start[:3] + fixed @ block.shift
                mujoco.mju_mat2Quat(data.qpos[place + 3 : place + 7], (fixed @ block.rotation).ravel())
                G[own : own + 6, at], rest[own : own + 6] = block.G, block.rest
                continue
            block = free(
                np.concatenate([np.zeros(3), q[at]]), np.concatenate([np.zeros(3), v[at]]), moving=False
            )
            mujoco.mju_mat2Quat(data.qpos[place : place + 4], block.rotation.ravel())
            G[own : own + 3, at], rest[own : own + 3] = block.G[3:, 3:], block.rest[3:]
        return G, rest
