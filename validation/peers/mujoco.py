"""MuJoCo reads a URDF: a compiler of its own, composite bodies and recursions in C, a free body in world axes."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from mbconcord.converters.xml_text import Element, parse, printed
from mbconcord.model.system import System
from mbconcord.validation.judge.tolerances import COARSE_AXES, PRINCIPAL_AXES

from .charts import Array, free, in_model
from .joints import Joint, joints
from .peer import Numbers, Peer, PeerError, stacked, version_of

#: From this version on tensors are decomposed to the last digits, before to some millionths.
EXACT = (3, 14)


class MuJoCo(Peer):
    """A model of MuJoCo without constraints: limits, dry friction and copies of joints are none of M, h and forces."""

    name = "mujoco"

    def __init__(self, text: str) -> None:
        super().__init__()
        self.version: str = mujoco.__version__
        self.slack = PRINCIPAL_AXES if version_of(self.version) >= EXACT else COARSE_AXES
        mujoco.set_mju_user_warning(self._warned)  # else it writes them to a file in the working folder
        self.model: Any = self._read(text)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data: Any = mujoco.MjData(self.model)
        self.joints: list[tuple[Joint, list[int]]] = []
        self.n = 0

    def _warned(self, text: str) -> None:
        note = f"warns: {' '.join(text.split())}"
        if note not in self.notes:
            self.notes.append(note)

    def _read(self, text: str) -> Any:
        """The text as it is, or without shapes where these stop it."""
        try:
            return mujoco.MjModel.from_xml_string(text)
        except ValueError:
            bare = without_shapes(text)
        try:
            found = mujoco.MjModel.from_xml_string(bare)
        except ValueError as problem:
            raise PeerError(f"refuses the file: {' '.join(str(problem).split())}") from None
        self.notes.append("reads a copy without visual and collision shapes: it cannot find theirs")
        return found

    def fit(self, system: System) -> None:
        """See :meth:`Peer.fit`."""
        self.n = len(system.coordinates)
        for joint in joints(system):
            names = [system.coordinate_names[i] for i in joint.at] if len(joint.at) == 3 else [joint.name]
            found = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name) for name in names]
            if min(found) < 0:
                raise PeerError(f"has no joint {names[found.index(min(found))]!r}")
            self.joints.append((joint, found))
        if self.model.nv != self.n:
            raise PeerError(f"has {self.model.nv} velocities, the model {self.n} coordinates")
        ids = (
            (b.name, mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, b.name)) for b in system.bodies
        )
        self.links = {name: i for name, i in ids if i > 0}

    def numbers(self, q: Array, v: Array, a: Array) -> Numbers:
        """See :meth:`Peer.numbers`."""
        rows, poses = [], []
        for state in zip(q, v, a, strict=True):
            found, placed = self._at(*state)
            rows.append(found)
            poses.append(placed)
        return Numbers(stacked(rows), stacked(poses))

    def _at(self, q: Array, v: Array, a: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        model, data = self.model, self.data
        G, rest = self._chart(q, v)
        data.qvel[:] = 0.0
        mujoco.mj_forward(model, data)
        weight = data.qfrc_bias.copy()
        data.qvel[:] = G @ v
        falling = model.opt.gravity.copy()
        model.opt.gravity[:] = 0.0  # not subtracted afterwards: that would cost the digits of what is small
        mujoco.mj_forward(model, data)
        h = data.qfrc_bias.copy()
        model.opt.gravity[:] = falling
        mujoco.mj_forward(model, data)
        M, unit = np.zeros((self.n, self.n)), np.eye(self.n)
        for k in range(self.n):
            mujoco.mj_mulM(model, data, M[k], unit[k])
        applied, moving = self._applied().copy(), data.qacc.copy()
        found = in_model(G, rest, M, h, -weight, applied)
        placed = {
            name: np.hstack([data.xmat[i].reshape(3, 3), data.xpos[i][:, None]])
            for name, i in self.links.items()
        }
        with np.errstate(all="ignore"):
            try:
                found["acceleration"] = np.linalg.solve(G, moving - rest)
            except np.linalg.LinAlgError:
                found["acceleration"] = np.full(self.n, np.nan)
        data.qacc[:] = G @ a + rest
        mujoco.mj_inverse(model, data)
        found["inverse_dynamics"] = G.T @ (data.qfrc_inverse + data.qfrc_passive - applied)
        return found, placed

    def _applied(self) -> Array:
        """Passive forces, and those of actuators where there are some."""
        return np.asarray(self.data.qfrc_passive)

    def _chart(self, q: Array, v: Array) -> tuple[Array, Array]:
        """G (n, n) and Ġ q'; its position is put where it is."""
        model, data = self.model, self.data
        G, rest = np.zeros((self.n, self.n)), np.zeros(self.n)
        for joint, ids in self.joints:
            for at, i in zip(joint.at, ids, strict=False):
                own, place = model.jnt_dofadr[i], model.jnt_qposadr[i]
                if len(joint.at) != 6:
                    G[own, at], data.qpos[place] = 1.0, q[at]
                    continue
                # The position of a free body is that in the world; its file's pose is where it is at zero.
                shift, turn = model.qpos0[place : place + 3], np.zeros(9)
                mujoco.mju_quat2Mat(turn, model.qpos0[place + 3 : place + 7])
                fixed, all_at = turn.reshape(3, 3), list(joint.at)
                block = free(q[all_at], v[all_at], moving=False, fixed=fixed)
                data.qpos[place : place + 3] = shift + fixed @ block.shift
                mujoco.mju_mat2Quat(data.qpos[place + 3 : place + 7], (fixed @ block.rotation).ravel())
                G[own : own + 6, all_at], rest[own : own + 6] = block.G, block.rest
        return G, rest


def without_shapes(text: str) -> str:
    """The text without what is seen and what is touched."""
    root = parse(text, "-").root

    def strip(element: Element) -> None:
        element.content = [
            c for c in element.content if isinstance(c, str) or c.tag not in ("visual", "collision")
        ]
        for child in element.children:
            strip(child)

    strip(root)
    return "\n".join(printed(root))
