"""Programs that read stages themselves as witnesses: OpenUSD's physics, and Newton; each in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from mbconcord.converters.usd.opening import COMPOSE, compose
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.limits import USD_MEMORY, USD_SECONDS
from mbconcord.model.system import System

from ...judge.kinematics import turn
from .peer import Array, Peer, PeerError, PeerNumbers, free, rotation_about

#: Errors of single precision, relative: of a number, and of the pose of a body behind one joint.
SINGLE: Final = 2.0**-22
#: Moments that are shorter (units of the stage) OpenUSD takes for not said.
SHORT: Final = 1e-5
#: Of its largest entry: a tensor of Newton's words that differs by more is another one.
UNLIKE: Final = 1e-5
#: Types of shapes that are measured for OpenUSD, which measures none itself.
MEASURED: Final = frozenset({"Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane"})
#: Known differences of OpenUSD, in words.
NO_MASS: Final = "OpenUSD gives a body without mass and shapes -1 kg"
NO_MOMENTS: Final = "OpenUSD gives a body without moments and shapes those of a ball of 0.1 m"
SHORT_MOMENTS: Final = "OpenUSD takes moments shorter than 1e-5 for not said"
OTHER_WORDS: Final = (
    "OpenUSD reads no words of MuJoCo and Newton, nor is a mesh measured for it, as the mass of these is"
)
NO_AXES: Final = "OpenUSD leaves the axes of moments unset where the stage and no shape says them"
#: Known differences of Newton, in words.
WATER: Final = "Newton gives a body with a tensor of zeros that of a ball of water"
TOTAL: Final = "Newton ignores setTotalMass"
UNMOVED: Final = "Newton does not move the moments of shapes to a centre of mass that is given"
#: Seconds and bytes of address space of Newton, which compiles for a minute when it is used first.
NEWTON_SECONDS, NEWTON_MEMORY = 300, 64 << 30
Pose = tuple[Array, Array]


class StageProgram(Peer):
    """A program that reads a stage in a process of its own, by a script that prints what it finds."""

    script: ClassVar[str]
    limits: ClassVar[tuple[int, int]] = (USD_SECONDS, USD_MEMORY)

    def __init__(self, text: str, file: str = "-", packages: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._stage = file, text, packages
        self.found: Mapping[str, Any] = self.ask()
        self.version = self.found["version"]
        self.metres, self.kilograms = (self.found[key] for key in ("metres", "kilograms"))
        self.masses: dict[str, Array] = {}

    def ask(self, *arguments: str) -> dict[str, Any]:
        """Return what the script prints of the stage; ``arguments`` are its first ones."""
        file, text, packages = self._stage
        script = ("-W", "ignore", str(Path(__file__).with_name(self.script)), *arguments, str(COMPOSE))
        suffix = ".usda" if text.startswith("#usda") else Path(file).suffix
        try:
            found: dict[str, Any] = json.loads(compose(file, text.encode(), suffix, packages, script, self.limits))
        except (MbconcordError, ValueError) as problem:
            raise PeerError(f"fails: {problem}") from None
        if "unread" in found:
            raise PeerError(f"does not read the stage: {found['unread']}")
        return found

    def match_bodies(self, system: System) -> dict[str, str]:
        """Map names of the model's bodies to paths of prims; bodies go by displayName or name, where unique, or path.

        Raises
        ------
        PeerError
            A body with inertia is not there.
        """
        known = _find_names(self.found["bodies"])
        if missing := [b.name for b in system.bodies if b.name not in known and not b.inertia.is_zero]:
            raise PeerError(f"has no body {missing[0]!r}")
        return {b.name: known[b.name] for b in system.bodies if b.name in known}

    def note_known(self, known: Mapping[str, Sequence[str]]) -> None:
        """Note known differences with the bodies that have them."""
        self.notes += (f"{said}: {', '.join(names)}" for said, names in known.items())


class OpenUSD(StageProgram):
    """The bodies and joints that OpenUSD's physics finds on a stage: masses, and poses by the joint frames."""

    name = "openusd"
    script = "openusd_child.py"

    def fit(self, system: System) -> None:
        """See :meth:`Peer.fit`."""
        paths, known = self.match_bodies(system), dict[str, list[str]]()
        for name, path in paths.items():
            self._take_mass(name, self.found["bodies"][path], known)
        self.note_known(known)
        self.poses: dict[str, tuple[str | None, list[_Link]]] = {}
        at = {name: i for i, name in enumerate(system.coordinate_names)}
        unposed = []
        for body in system.bodies:
            links = self._links(body.parent, body.name, paths, [at[q] for q in body.coordinates])
            if not links or body.parent not in {None, *self.poses}:
                unposed.append(body.name)
            else:
                self.poses[body.name] = body.parent, links
        if unposed:
            self.notes.append(f"not compared: poses of {', '.join(unposed)}, behind joints of several coordinates")

    def _take_mass(self, name: str, own: Mapping[str, Any], known: dict[str, list[str]]) -> None:
        """Store mass, centre and tensor of a body (SI), or the known difference because of which it has others."""
        said = {key: x for key, x in own["said"].items() if x is not None}
        moments, shapes = said.get("moments", [0.0]), {*own["shapes"]} - {"Plane"}
        if unset := not any(said.get("axes", [0.0])) and not shapes:
            own = {**own, "axes": [1.0, 0.0, 0.0, 0.0]}
        whole = said.get("mass", 0.0) > 0 and any(moments) and np.isfinite(said.get("centre", [np.inf])).all()
        bare = not (said.get("mass", 0.0) > 0 or shapes)
        reasons = {
            NO_MASS: bare, NO_MOMENTS: not (bare or any(moments) or shapes),
            SHORT_MOMENTS: any(moments) and float(np.linalg.norm(moments)) < SHORT,
            OTHER_WORDS: self.found["scaled"]
            or _is_unlike(own)
            or not (whole or (shapes <= MEASURED and not own["other"])),
        }  # fmt: skip
        if reason := next((word for word, holds in reasons.items() if holds), ""):
            known.setdefault(reason, []).append(name)
            return
        if unset:
            known.setdefault(NO_AXES, []).append(name)
        J = _tensor(own) * self.kilograms * self.metres**2
        centre = np.array(own["centre"]) * self.metres
        tensor = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        self.masses[name] = np.array([own["mass"] * self.kilograms, *centre, *tensor])

    def _links(self, parent: str | None, name: str, paths: Mapping[str, str], at: list[int]) -> list[_Link]:
        """Return the ways from one body to another by OpenUSD's frames of the joints between them; none if unknown.

        Joints of one axis act behind one another, each at its frame in the second body.
        """
        if name not in paths or (parent is not None and parent not in paths):
            return []
        ends = ["" if parent is None else paths[parent], paths[name]]
        between = [
            joint for joint in self.found["joints"].values()
            if {*joint["bodies"]} == {*ends} and not joint["closes"] and joint["type"] != "DistanceJoint"
        ]  # fmt: skip
        if not between and parent is None:
            own = self.found["bodies"][paths[name]]
            stands = _rotation(own["turn"]), np.array(own["place"]) * self.metres
            return [_Link((stands, _HERE), "free", 0, tuple(at), 0.0, False)] if len(at) in (0, 6) else []
        kinds = [_KINDS.get(joint["type"], "") for joint in between]
        several = len(between) > 1 and ("fixed" in kinds or any(joint["bodies"] != ends for joint in between))
        if "" in kinds or several or len(at) != sum(kind != "fixed" for kind in kinds):
            return []
        links = []
        for i, (joint, kind) in enumerate(zip(between, kinds, strict=True)):
            frames = [
                (_rotation(q), np.array(p) * self.metres)
                for q, p in zip(joint["turns"], joint["places"], strict=True)
            ]  # fmt: skip
            axis, backwards = "XYZ".find(joint["axis"] or "X"), joint["bodies"][0] == paths[name]
            first = frames[1 if i else 0]
            links.append(_Link((first, frames[1]), kind, axis, tuple(at[i : i + 1]), joint["ref"], backwards))
        return links

    def numbers(self, q: Array, v: Array, a: Array) -> PeerNumbers:
        """See :meth:`Peer.numbers`: poses alone."""
        placed: dict[str, Array] = {}
        for name, (parent, links) in self.poses.items():
            placed[name] = np.eye(4)[None] if parent is None else placed[parent]
            for link in links:
                placed[name] = placed[name] @ np.array([link.at(row) for row in q])
        self.room = SINGLE * (1 + len(self.poses))
        return PeerNumbers({}, {name: T[:, :3] for name, T in placed.items()}, self.masses)


_HERE: Final[Pose] = (np.eye(3), np.zeros(3))
_KINDS: Final = {"FixedJoint": "fixed", "RevoluteJoint": "turn", "PrismaticJoint": "shift"}


class _Link:
    """Way from a body to another one: frames of the joint in both, and its motion."""

    def __init__(
        self, frames: tuple[Pose, Pose], kind: str, axis: int, at: tuple[int, ...], offset: float, backwards: bool
    ) -> None:  # fmt: skip
        self.frames = [_matrix(*frame) for frame in frames]
        self.kind, self.axis, self.where, self.offset, self.backwards = kind, axis, list(at), offset, backwards

    def at(self, q: Array) -> Array:
        """Return the pose (4, 4) at coordinates (n,)."""
        own = q[self.where]
        moved = np.eye(4)
        if self.kind == "turn":
            moved[:3, :3] = rotation_about(self.axis, own[0] - self.offset)
        elif self.kind == "shift":
            moved[self.axis, 3] = own[0] - self.offset
        elif len(own):
            chart = free(own, np.zeros(6), moving=False)
            moved = _matrix(chart.rotation, chart.shift)
        found: Array = self.frames[0] @ moved @ np.linalg.inv(self.frames[1])
        return np.asarray(np.linalg.inv(found)) if self.backwards else found


def _matrix(R: Array, p: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def _rotation(q: Sequence[float]) -> Array:
    """Return the rotation matrix of a quaternion, its real part first."""
    size = float(np.linalg.norm(q[1:]))
    angle = 2 * np.arctan2(size, q[0])
    return turn(np.array([q[1:]]) / size, np.array([angle]))[0] if size else np.eye(3)


def _tensor(own: Mapping[str, Any]) -> Array:
    """Return the tensor (3, 3) of a body's moments and axes, in units of the stage."""
    R = _rotation(own["axes"])
    return np.asarray(R @ np.diag(own["moments"]) @ R.T)


def _is_unlike(own: Mapping[str, Any]) -> bool:
    """Return True if ``newton:inertia`` is not the tensor of a body's moments and axes."""
    if own["newton"] is None or len(own["newton"]) != 6:
        return False
    xx, yy, zz, xy, xz, yz = own["newton"]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return bool(np.abs(_tensor(own) - J).max() > UNLIKE * np.abs(J).max(initial=0.0))


def _find_names(prims: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Map names to paths of prims: displayName or name where it is unique, else the path."""
    short = [own["names"][0] for own in prims.values()]
    return {own["names"][short.count(own["names"][0]) > 1]: path for path, own in prims.items()}


class Newton(StageProgram):
    """The bodies that Newton makes of a stage: masses, and M where all joints have one axis.

    Masses are taken before Newton corrects tensors, which it does when it completes its model.
    """

    name = "newton"
    script = "newton_child.py"
    limits = (NEWTON_SECONDS, NEWTON_MEMORY)
    slack = 2e-5
    room = 2e-5

    def fit(self, system: System) -> None:
        """See :meth:`Peer.fit`."""
        if (self.metres, self.kilograms) != (1, 1):
            raise PeerError("takes the units of every stage for metres and kilograms")
        known = dict[str, list[str]]()
        for name, path in self.match_bodies(system).items():
            own, inertia = self.found["bodies"][path], system.body(name).inertia
            zero = not any(x.value for x in inertia.tensor)
            if self.found["scaled"] or zero or own["moved"]:
                known.setdefault(WATER if zero else UNMOVED if own["moved"] else TOTAL, []).append(name)
            else:
                self.masses[name] = np.array(own["mass"])
        self.note_known(known)
        joints, self.order = _find_names(self.found["joints"]), list[str]()
        single = all(self.found["joints"][path]["axes"] == 1 for path in joints.values())
        if single and {*joints} == {*system.coordinate_names} and not known:
            self.order = [joints[name] for name in system.coordinate_names]
        else:
            self.notes.append("M is not compared: joints of several axes, loops, or bodies of other masses")

    def numbers(self, q: Array, v: Array, a: Array) -> PeerNumbers:
        """See :meth:`Peer.numbers`: M alone, in single precision."""
        if not self.order:
            return PeerNumbers({}, {}, self.masses)
        offset = [self.found["joints"][path]["ref"] for path in self.order]
        found = self.ask(json.dumps([dict(zip(self.order, (row - offset).tolist(), strict=True)) for row in q]))
        if found["M"] is None:
            self.notes.append("M is not compared: Newton has joints outside of one articulation")
            return PeerNumbers({}, {}, self.masses)
        places = [found["joints"][path]["at"] for path in self.order]
        M = np.array(found["M"])[:, places][:, :, places]
        return PeerNumbers({"M": M}, {}, self.masses)
