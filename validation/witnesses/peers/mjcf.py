"""MuJoCo as a witness of MJCF and URDF: joints in its own order, free bodies and balls by quaternions."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from mbconcord.converters.joints import MIMIC
from mbconcord.converters.xml_text import XmlElement, parse, print_lines
from mbconcord.model.limits import count
from mbconcord.model.system import System
from mbconcord.validation.judge.tolerances import COARSE_AXES, MESHES, PRINCIPAL_AXES

from .peer import (
    Array,
    PeerByStates,
    PeerError,
    PeerNumbers,
    PeerRows,
    free,
    in_model,
    joints,
    stack_states,
    version_of,
)

# MuJoCo reads a URDF by a compiler of its own; composite bodies and recursions in C; a free body in world axes.


#: Flags in a file that switch off all equalities.
NO_EQUALITIES = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_EQUALITY)
#: Types of equalities whose rows are compared with the model's constraints.
KINDS = {
    int(mujoco.mjtEq.mjEQ_CONNECT): "connect", int(mujoco.mjtEq.mjEQ_WELD): "weld",
    int(mujoco.mjtEq.mjEQ_JOINT): "joint", int(mujoco.mjtEq.mjEQ_TENDON): "tendon",
}  # fmt: skip
#: First version that computes principal axes of tensors to the last digits; older ones to some millionths.
EXACT = (3, 14)


class MuJoCo(PeerByStates):
    """A model of MuJoCo without constraints: limits, dry friction and mimics do not enter M, h and forces."""

    name = "mujoco"

    def __init__(self, text: str) -> None:
        super().__init__()
        self.version: str = mujoco.__version__
        self.slack = PRINCIPAL_AXES if version_of(self.version) >= EXACT else COARSE_AXES
        mujoco.set_mju_user_warning(self._note_warning)  # else it writes them to a file in the working folder
        self.model: Any = self._read(text)
        self.flags = int(self.model.opt.disableflags)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        self.data: Any = mujoco.MjData(self.model)
        self.places: list[tuple[int, list[int]]] = []
        self.n = 0

    def _note_warning(self, text: str) -> None:
        note = f"warns: {' '.join(text.split())}"
        if note not in self.notes:
            self.notes.append(note)

    def _read(self, text: str) -> Any:
        """Return MuJoCo's model of a text; if it refuses that, of a copy without shapes."""
        try:
            return mujoco.MjModel.from_xml_string(text)
        except ValueError:
            bare = without_shapes(text)
        try:
            found = mujoco.MjModel.from_xml_string(bare)
        except ValueError as problem:
            raise PeerError(f"refuses the file: {' '.join(str(problem).split())}") from None
        self.text = bare
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
            at = [[*joint.at]] if len(joint.at) == 6 else [[i] for i in joint.at]
            self.places += zip(found, at, strict=False)
        if self.model.nv != self.n:
            raise PeerError(f"has {count(self.model.nv, 'degree')} of freedom, the model {self.n}")
        ids = ((b.name, mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, b.name)) for b in system.bodies)
        self.links = {name: i for name, i in ids if i > 0}
        self._name_equalities(system)

    def _name_equalities(self, system: System) -> None:
        """Store the name of the model's constraint of each equality, found by name, kind and number, or mimic joint."""
        model, self.equalities = self.model, {}
        known = {c.name for c in system.constraints}
        left_out = {o.place.removeprefix("closure/") for o in system.omissions}
        for i in range(model.neq):
            kind = KINDS.get(int(model.eq_type[i]), "")
            said = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_EQUALITY, i) or f"{kind}{i + 1}"
            if kind == "joint" and said not in known:
                said = f"{mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, int(model.eq_obj1id[i]))}{MIMIC}"
            if said in known:
                self.equalities[i] = said
            elif model.eq_active0[i] and said not in left_out and not self.flags & NO_EQUALITIES:
                raise PeerError(f"holds the equality {said!r}, which the model has not")

    def constraints(self, q: Array) -> dict[str, PeerRows]:
        """See :meth:`Peer.constraints`: ``efc_pos`` and ``efc_J`` of equalities, without contacts and limits."""
        bits, parts = mujoco.mjtDisableBit, defaultdict[str, list[tuple[Array, Array]]](list)
        turned = {name for i, name in self.equalities.items() if KINDS[int(self.model.eq_type[i])] == "weld"}
        switched = self.model.opt.disableflags
        self.model.opt.disableflags = self.flags | bits.mjDSBL_CONTACT | bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS
        for position in q:
            for name, rows in self._rows(position).items():
                parts[name].append(rows)
        self.model.opt.disableflags = switched
        whole = {name: found for name, found in parts.items() if len(found) == len(q)}
        return {
            name: PeerRows(np.stack([r for r, _ in found]), np.stack([J for _, J in found]), name in turned)
            for name, found in whole.items()
        }

    def _rows(self, q: Array) -> dict[str, tuple[Array, Array]]:
        """Return residuals and Jacobian at one position by constraint; a weld's turn becomes a rotation vector."""
        model, data = self.model, self.data
        G, _ = self._chart(q, np.zeros(self.n))
        mujoco.mj_fwdPosition(model, data)
        is_equality = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        J, found = data.efc_J.reshape(-1, model.nv) @ G, {}
        for i, name in self.equalities.items():
            own = is_equality & (data.efc_id == i)
            if not own.any():
                continue
            residuals, jacobian = data.efc_pos[own].copy(), J[own]
            if KINDS[int(model.eq_type[i])] == "weld":  # its turn is half the vector, times torquescale
                half = model.eq_data[i][10] / 2
                factor = 1 / half if half else 0.0
                residuals[3:] *= factor
                jacobian[3:] *= factor
            found[name] = (residuals, jacobian)
        return found

    def at(self, q: Array, v: Array, a: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        """See :meth:`Peer.at`."""
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
        applied, moving = self._applied_forces().copy(), data.qacc.copy()
        found = in_model(G, rest, M, h, -weight, applied)
        placed = {
            name: np.hstack([data.xmat[i].reshape(3, 3), data.xpos[i][:, None]]) for name, i in self.links.items()
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

    def _applied_forces(self) -> Array:
        """Return the applied generalized forces: passive forces, of springs and dampers."""
        return np.asarray(self.data.qfrc_passive)

    def _chart(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Set MuJoCo's position to our coordinates q; return G (n, n), where its velocities are G q', and Ġ q'."""
        model, data = self.model, self.data
        G, rest = np.zeros((self.n, self.n)), np.zeros(self.n)
        for i, at in self.places:
            own, place = model.jnt_dofadr[i], model.jnt_qposadr[i]
            if len(at) == 1:
                G[own, at[0]], data.qpos[place] = 1.0, q[at[0]]
                continue
            start, turn = model.qpos0[place : place + 7], np.zeros(9)
            if len(at) == 6:
                # The position of a free body is that in the world; its file's pose is where it is at zero.
                mujoco.mju_quat2Mat(turn, start[3:])
                fixed = turn.reshape(3, 3)
                block = free(q[at], v[at], moving=False, fixed=fixed)
                data.qpos[place : place + 3] = start[:3] + fixed @ block.shift
                mujoco.mju_mat2Quat(data.qpos[place + 3 : place + 7], (fixed @ block.rotation).ravel())
                G[own : own + 6, at], rest[own : own + 6] = block.G, block.rest
                continue
            block = free(np.concatenate([np.zeros(3), q[at]]), np.concatenate([np.zeros(3), v[at]]), moving=False)
            mujoco.mju_mat2Quat(data.qpos[place : place + 4], block.rotation.ravel())
            G[own : own + 3, at], rest[own : own + 3] = block.G[3:, 3:], block.rest[3:]
        return G, rest


def without_shapes(text: str) -> str:
    """Return the text without visual and collision elements."""
    root = parse(text, "-").root

    def strip(element: XmlElement) -> None:
        element.content = [c for c in element.content if isinstance(c, str) or c.tag not in ("visual", "collision")]
        for child in element.children:
            strip(child)

    strip(root)
    return "\n".join(print_lines(root))


#: Number of coordinates of MuJoCo's joints by type: free, ball, slide, hinge.
COUNTS = (6, 3, 1, 1)
#: Endings that the joint's name gets in names of our coordinates, by the same types.
ENDINGS = (("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX"), ("_RZ", "_RY", "_RX"), ("",), ("",))
#: What acts along joints and a model may leave out: kind of omission, numbers of MuJoCo's degrees of freedom, words.
ALONG_JOINTS = (
    ("rotor", ("dof_armature",), "armatures of joints"),
    ("joint-damping", ("dof_damping", "dof_dampingpoly"), "dampings of joints"),
)


class MuJoCoOfMJCF(MuJoCo):
    """A model of MuJoCo from its own format.

    The model's stated omissions (a fluid, actuators with states, tendons that wrap) are switched off, and so are the
    bounds of controls and forces; each is reported.
    """

    def __init__(self, text: str, file: str = "-", packages: tuple[str, ...] = ()) -> None:
        self.file, self.packages = file, packages
        super().__init__(text)
        if self.model.nmesh:
            self.slack = max(self.slack, MESHES)

    def _read(self, text: str) -> Any:
        try:
            if self.file != "-" and Path(self.file).is_file():
                return self._compile() if self.packages else mujoco.MjModel.from_xml_path(self.file)
            return mujoco.MjModel.from_xml_string(text)
        except ValueError as problem:
            raise PeerError(f"refuses the file: {' '.join(str(problem).split())}") from None

    def _compile(self) -> Any:
        """Compile the file, with meshes that it names by packages read from the folders of these packages."""
        spec = mujoco.MjSpec.from_file(self.file)
        for mesh in spec.meshes:
            package, _, inner = (
                mesh.file.partition(":/")[2].lstrip("/").partition("/")
            )  # it has one of two slashes left
            roots = (r for p in map(Path, self.packages) for r in (p.resolve(), p.resolve() / package))
            found = next((r / inner for r in roots if package and r.name == package and (r / inner).is_file()), None)
            mesh.file = mesh.file if found is None else str(found)
        return spec.compile()

    def fit(self, system: System) -> None:
        """See :meth:`Peer.fit`: joints have the same order in both, and the same names."""
        self.n, names, at = len(system.coordinates), list(system.coordinate_names), 0
        if self.model.nv != self.n:
            raise PeerError(f"has {count(self.model.nv, 'degree')} of freedom, the model {self.n}")
        for i in range(self.model.njnt):
            kind = int(self.model.jnt_type[i])
            said = mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT, i)
            own = names[at : at + COUNTS[kind]]
            if said and own != [said + ending for ending in ENDINGS[kind]]:
                raise PeerError(f"has the joint {said!r} where the model has {', '.join(own)}")
            self.places.append((i, list(range(at, at + COUNTS[kind]))))
            at += COUNTS[kind]
        ids = ((b.name, mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, b.name)) for b in system.bodies)
        self.links = {name: i for name, i in ids if i > 0}
        self._name_equalities(system)
        self._align_options(system)

    def numbers(self, q: Array, v: Array, a: Array) -> PeerNumbers:
        """See :meth:`Peer.numbers`."""
        names, found = [f"{self._actuator(i)}_ctrl" for i in range(self.model.nu)], []
        for given, *state in zip(self.inputs, q, v, a, strict=True):
            self.data.ctrl[:] = [given.get(name, 0.0) for name in names]
            found.append(self.at(*state))
        return PeerNumbers(*(stack_states([part[k] for part in found]) for k in (0, 1)))

    def _actuator(self, i: int) -> str:
        return mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_ACTUATOR, i) or f"actuator{i}"

    def _align_options(self, system: System) -> None:
        """Switch off in MuJoCo what the model omits, and bounds of controls and forces; add a note for each."""
        model, left_out = self.model, {o.place: o for o in system.omissions if o.acts}
        if "medium/option" in left_out:
            model.opt.density = model.opt.viscosity = 0.0
            self.notes.append("without the fluid, as the model")
        bounds = [o.place.removeprefix("saturation/") for o in system.omissions if o.what.startswith("forcerange")]
        held = [i for i in range(model.nu) if model.actuator_forcelimited[i] and self._actuator(i) not in bounds]
        for bounded in ("actuator_ctrllimited", "actuator_forcelimited", "jnt_actfrclimited", "tendon_actfrclimited"):
            if hasattr(model, bounded):
                given, kept = getattr(model, bounded), held if bounded == "actuator_forcelimited" else []
                left = given.copy()
                left[kept] = 0
                given[left != 0] = 0
                if left.any():
                    self._add_note("without bounds of controls and forces")
        for i in range(model.nu):
            name = self._actuator(i)
            if f"actuator/{name}" in left_out:
                model.actuator_gainprm[i] = model.actuator_biasprm[i] = 0.0
                model.actuator_gaintype[i] = model.actuator_biastype[i] = 0
                for own in ("actuator_damping", "actuator_dampingpoly", "actuator_armature"):
                    if hasattr(model, own):
                        getattr(model, own)[i] = 0.0
                self._add_note("without actuators that the model leaves out")
        for i in range(model.ntendon):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TENDON, i) or f"tendon{i}"
            if f"tendon/{name}" in left_out:
                model.tendon_stiffness[i] = model.tendon_damping[i] = 0.0
                if hasattr(model, "tendon_armature"):
                    model.tendon_armature[i] = 0.0
                self._add_note("without tendons that the model leaves out")
        for i in range(model.njnt):
            name = system.coordinate_names[self.places[i][1][0]].removesuffix(ENDINGS[int(model.jnt_type[i])][0])
            along = slice(at := model.jnt_dofadr[i], at + COUNTS[int(model.jnt_type[i])])
            if (left := left_out.get(f"joint-spring/{name}")) is not None:
                model.jnt_stiffness[i] = 0.0
                if left.what.startswith("springdamper"):
                    model.dof_damping[along] = 0.0
                self._add_note("without springs that the model leaves out")
            for kind, parts, things in ALONG_JOINTS:
                if f"{kind}/{name}" in left_out:
                    for part in parts:
                        if hasattr(model, part):
                            getattr(model, part)[along] = 0.0
                    self._add_note(f"without {things} that the model leaves out")

    def _add_note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _applied_forces(self) -> Array:
        return np.asarray(self.data.qfrc_passive + self.data.qfrc_actuator)
