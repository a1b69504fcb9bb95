"""Another program as a witness: its answer to a question in the model's coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from mbconcord.converters.xml_text import XmlElement, parse
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import number
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ...judge.closed.rows import RowsByConstraint
from ...judge.comparison import ArrayDifference
from ...judge.tolerances import EPSILON, FOREIGN_SCALE, FOREIGN_ZEROS
from ...judge.witness import Answer, Labelled, Original, Question, SilentError
from .peer import Peer, PeerError, PeerRows, open_peer, takes_model, version_of

Versions = tuple[tuple[int, ...], tuple[int, ...]]
#: So much of the largest moment the two others may lack together: rounding.
EDGE: Final = 1e-12
EVER: Final[Versions] = ((0,), (9999,))


@dataclass(frozen=True)
class KnownFault:
    """A fault of a program: its versions (first and last), the elements, and the effect."""

    program: str
    versions: Versions
    elements: Callable[[XmlElement], list[str]]
    what: str

    def find_elements(self, peer: Peer, root: XmlElement) -> list[str]:
        """List the elements of a text that this version of the program misreads."""
        first, last = self.versions
        applies = peer.name == self.program and first <= version_of(peer.version) <= last
        return self.elements(root) if applies else []

    def says(self, peer: Peer, root: XmlElement) -> str:
        """Describe the fault if it applies to the version and the text; else return an empty string."""
        found = self.find_elements(peer, root)
        return f"{self.what} ({', '.join(found[:3])}{' and more' if len(found) > 3 else ''})" if found else ""


def _is_rotated(element: XmlElement | None) -> bool:
    """Return True if an origin rotates."""
    origin = None if element is None else element.first("origin")
    return origin is not None and any(word.strip("+-0.") for word in origin.attributes.get("rpy", "").split())


def _turned_inertials(root: XmlElement) -> list[str]:
    return [e.attributes.get("name", "") for e in root.all("link") if _is_rotated(e.first("inertial"))]


def _turned_fixed(root: XmlElement) -> list[str]:
    fixed = (e for e in root.all("joint") if e.attributes.get("type") == "fixed")
    return [e.attributes.get("name", "") for e in fixed if _is_rotated(e)]


def _weightless(root: XmlElement) -> list[str]:
    """List links with a tensor but no mass."""
    found = []
    for link in root.all("link"):
        inertial = link.first("inertial")
        mass, tensor = (None, None) if inertial is None else (inertial.first("mass"), inertial.first("inertia"))
        if mass is None or tensor is None or mass.attributes.get("value", "").strip("+-0. "):
            continue
        if any(value.strip("+-0. ") for value in tensor.attributes.values()):
            found.append(link.attributes.get("name", ""))
    return found


def _oblique_planes(root: XmlElement) -> list[str]:
    planar = (e for e in root.all("joint") if e.attributes.get("type") == "planar")
    return [e.attributes.get("name", "") for e in planar if _axis(e) != [0.0, 0.0, 1.0]]


def _axis(joint: XmlElement) -> list[float]:
    element = joint.first("axis")
    words = "1 0 0" if element is None else element.attributes.get("xyz", "1 0 0")
    return [float(word) for word in words.split()]


def _damped_planes(root: XmlElement) -> list[str]:
    damped = ((e, e.first("dynamics")) for e in root.all("joint") if e.attributes.get("type") == "planar")
    return [
        e.attributes.get("name", "")
        for e, dynamics in damped
        if dynamics is not None and dynamics.attributes.get("damping", "").strip("+-0. ")
    ]


def _quaternions(root: XmlElement) -> list[str]:
    tags = ("link", "joint")
    return [
        e.attributes.get("name", "")
        for e in root.children
        if e.tag in tags and any("quat_xyzw" in inner.attributes for inner in e.walk())
    ]


def _impossible(root: XmlElement) -> list[str]:
    """List links with an impossible tensor: a moment that is negative or exceeds the sum of the others."""
    found = []
    for link in _find_named(root, "link"):
        inertial = link.first("inertial")
        inertia = None if inertial is None else inertial.first("inertia")
        if inertia is None:
            continue
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        own = inertia.attributes or {e.tag: e.text for e in inertia.children}
        xx, xy, xz, yy, yz, zz = (float(own.get(key, "1" if key[1] == key[2] else "0")) for key in keys)
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if moments[0] < 0 or moments[0] + moments[1] < moments[2] * (1 - EDGE):
            found.append(link.attributes.get("name", ""))
    return found


def _find_named(root: XmlElement, tag: str) -> list[XmlElement]:
    return [e for e in root.walk() if e.tag == tag and "name" in e.attributes]


def _without_weight(root: XmlElement) -> list[str]:
    """List links with gravity switched off."""
    found = []
    for link in _find_named(root, "link"):
        gravity = link.first("gravity")
        if gravity is not None and gravity.text.lower() in ("0", "false"):
            found.append(link.attributes["name"])
    return found


def _unlike_axes(root: XmlElement) -> list[str]:
    """List universal joints of an SDF with different damping of their axes."""
    found = []
    for joint in _find_named(root, "joint"):
        if joint.attributes.get("type") == "universal":
            axes = (joint.first(tag) for tag in ("axis", "axis2"))
            dynamics = (None if axis is None else axis.first("dynamics") for axis in axes)
            damping = (None if d is None else d.first("damping") for d in dynamics)
            if len({0.0 if d is None else float(d.text) for d in damping}) > 1:
                found.append(joint.attributes["name"])
    return found


KNOWN: Final = (
    KnownFault("mujoco", ((3, 1, 3), (3, 13, 0)), _turned_inertials, "MuJoCo 3.1.3 to 3.13.0 drops turns of inertials"),
    KnownFault(
        "mujoco", ((3, 3, 3), (3, 10, 0)), _turned_fixed, "MuJoCo 3.3.3 to 3.10.0 merges turned fixed links wrongly"
    ),
    KnownFault("mujoco", EVER, _weightless, "MuJoCo drops the inertia of a fixed link without mass"),
    KnownFault("mujoco", EVER, _quaternions, "MuJoCo does not read quat_xyzw"),
    KnownFault("drake", EVER, _impossible, "Drake replaces a tensor that no body has by that of a ball of water"),
    KnownFault("drake", EVER, _weightless, "Drake drops the inertia of a fixed link without mass"),
    KnownFault("drake", EVER, _quaternions, "Drake does not read quat_xyzw"),
    KnownFault("drake", EVER, _without_weight, "Drake gives every link of an SDF its weight"),
    KnownFault("drake", EVER, _unlike_axes, "Drake damps both axes of a universal joint alike"),
    KnownFault("pinocchio", EVER, _damped_planes, "Pinocchio does not keep the damping of a planar joint"),
    KnownFault("pinocchio", EVER, _oblique_planes, "Pinocchio takes a planar joint in the plane xy, whatever its axis"),
)  # fmt: skip


def known_causes(peer: Peer, text: str) -> str:
    """Describe the known misreadings of this text by the program; empty if there are none."""
    root = parse(text, "-").root
    return "; ".join(filter(None, (known.says(peer, root) for known in KNOWN)))


def known_elements(peer: Peer, text: str) -> int:
    """Count the elements of this text that the program is known to misread."""
    root = parse(text, "-").root
    return len({name for known in KNOWN for name in known.find_elements(peer, root)})


#: Validation's own kinematics.
OWN = "physics"
#: Quantity of the rows of constraints.
ROWS: Final = "constraints"
#: Entries of a pose: rows of the rotation matrix, each with a component of the position.
PARTS = tuple(x for row in "xyz" for x in (*(f"R[{row},{column}]" for column in "xyz"), f"p[{row}]"))


@dataclass(frozen=True, eq=False)
class ProgramWitness:
    """A program that reads a text itself, or takes the model."""

    name: str
    original: Original

    @property
    def shares(self) -> frozenset[str]:
        """Parts taken from the model, if the program does not read the text."""
        return frozenset({"reader", "model"} if takes_model(self.name) else ())

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return no obstacles: the answer says whether it takes a model."""
        return ()

    def answer(self, question: Question) -> Answer:
        """Return its quantities and poses of links; raise where it is not installed, or reads other joints."""
        try:
            peer, k = question.once(self.peer), question.kinematics
        except PeerError as problem:
            raise SilentError(str(problem)) from None
        peer.take_inputs(question.states)
        with np.errstate(all="ignore"):
            found = peer.numbers(k.q, k.v, k.a)
        poses = [found.poses[link] for link in sorted(found.poses)]
        said = (f"version {peer.version}, {peer.reads}", *peer.notes)
        return Answer(
            Evaluation(full_name(peer), dict(found.quantities)),
            beside=_poses(peer, sorted(found.poses), np.array(poses)) | _label_rows(peer, question.once(self.rows)),
            allow=lambda quantity, difference: _loosen(quantity, difference, peer),
            faults="" if takes_model(self.name) else known_causes(peer, self.original.text),
            notes=tuple(Diagnostic("note", self.name, note) for note in said),
        )

    def peer(self, question: Question) -> Peer:
        """Return the program with the text that it has read, and the joints of the model found in it."""
        made = open_peer(self.name, self.original.text, self.original.format, self.original.file)
        made.fit(self.take_model(question) if takes_model(self.name) else question.original)
        return made

    def rows(self, question: Question) -> Mapping[str, PeerRows]:
        """Return the rows of its constraints at the states; empty where the states do not satisfy the model's."""
        return question.once(self.peer).constraints(question.kinematics.q) if question.assembly else {}

    def unseen(self, question: Question, found: Sequence[str]) -> tuple[str, ...]:
        """Name the elements of the model on which none of the quantities ``found`` depends: it never saw them."""
        original = question.original
        rows = {} if takes_model(self.name) else question.once(self.rows)
        named = [f"constraint {c.name}" for c in original.constraints if c.name not in rows]
        values = [dict(state.parameters) for state in question.states]
        zero = (p.name for p in original.parameters if not any(v.get(p.name) for v in values))
        named += [f"parameter {name} (zero at all states)" for name in zero]
        if "applied" not in found:
            named += [f"force {force.name}" for force in original.forces]
        return tuple(named)

    def take_model(self, question: Question) -> System:
        """Return the model; where the program takes it, with the values of its parameters, the same at all states."""
        if not takes_model(self.name):
            return question.system
        first = dict(question.states[0].parameters)
        if any(dict(state.parameters) != first for state in question.states):
            raise PeerError("is given numbers, and parameters change from state to state")
        parameters = (
            replace(p, value=number(Fraction(first[p.name]))) if p.name in first else p
            for p in question.system.parameters
        )
        return replace(question.system, parameters=tuple(parameters))


def by_kinematics(question: Question, program: ProgramWitness, answer: Answer) -> Answer:
    """Return poses and rows of constraints, as a program gives them, by validation's own kinematics."""
    found = {}
    for quantity, theirs in answer.beside.items():
        if quantity.endswith(ROWS):
            found |= _label_rows(
                question.once(program.peer), _find_rows(question, question.once(program.rows)), own=True
            )
            continue
        links = dict.fromkeys(label.rpartition(" ")[0] for label in theirs.labels)
        frames = [question.kinematics.frame(link) for link in links]
        own = np.array([np.concatenate([f.rotation, f.position[:, :, None]], axis=2) for f in frames])
        values = _flat(own)
        reach = np.fmax(1.0, np.abs(values).max(axis=1, initial=0.0))[:, None]
        found[quantity] = Labelled(values, theirs.labels, np.broadcast_to(reach, values.shape))
    return Answer(Evaluation(OWN, {}), beside=found)


def _find_rows(question: Question, theirs: Mapping[str, PeerRows]) -> dict[str, PeerRows]:
    """Return validation's own rows of the same constraints."""
    assert question.closed is not None and question.assembly is not None
    made = RowsByConstraint(question.closed, question.assembly.extended)
    names, n = np.array(made.names), len(question.names)
    found = {}
    for name, rows in theirs.items():
        own = names == name
        gap, D = made.rows.gap[:, own], made.rows.D[:, own, :n]
        missing = rows.residuals.shape[1] - gap.shape[1]  # where the two have unlike rows, the last are not there
        if missing:
            gap = np.pad(gap, [(0, 0), (0, max(missing, 0))])[:, : rows.residuals.shape[1]]
            D = np.pad(D, [(0, 0), (0, max(missing, 0)), (0, 0)])[:, : rows.residuals.shape[1]]
        found[name] = PeerRows(gap, D, rows.turns)
    return found


def _label_rows(peer: Peer, rows: Mapping[str, PeerRows], own: bool = False) -> dict[str, Labelled]:
    """Return residuals and Jacobians as one quantity.

    Of a turn, which programs give in different axes, the length of the residual and JᵀJ of the Jacobian.
    """
    values, labels = [], []
    for name, of in rows.items():
        plain = of.residuals.shape[1] - 3 * of.turns
        J, turned = of.jacobian, of.jacobian[:, plain:]
        parts = {
            "residual": of.residuals[:, :plain], "J": J[:, :plain],
            "residual of the turn": np.linalg.norm(of.residuals[:, plain:], axis=1, keepdims=True)[:, : of.turns],
            "JᵀJ of the turn": np.einsum("sik,sil->skl", turned, turned)[:, : len(J[0, 0]) * of.turns],
        }  # fmt: skip
        for part, array in parts.items():
            flat = array.reshape(len(array), -1)
            values.append(flat)
            labels += [f"{name}: {part} {','.join(str(1 + int(i)) for i in at)}" for at in np.ndindex(array.shape[1:])]
    if not rows:
        return {}
    whole = np.concatenate(values, axis=1)
    size = np.fmax(1.0, np.abs(whole).max(axis=1, initial=0.0))[:, None]
    return {f"{peer.name}: {ROWS}": Labelled(whole, labels, np.broadcast_to(size, whole.shape) if own else None)}


def _poses(peer: Peer, links: list[str], poses: np.ndarray) -> dict[str, Labelled]:
    labels = [f"{link} {part}" for link in links for part in PARTS]
    return {f"{peer.name}: poses": Labelled(_flat(poses), labels)} if links else {}


def _flat(poses: np.ndarray) -> np.ndarray:
    """Flatten poses (links, N, 3, 4) to rows (N, 12 links)."""
    return np.concatenate([pose.reshape(-1, len(PARTS)) for pose in poses], axis=1)


def full_name(peer: Peer) -> str:
    """Name a program as a witness."""
    return f"{peer.name} {peer.version}"


def _loosen(quantity: str, difference: ArrayDifference, peer: Peer) -> ArrayDifference:
    """Widen the tolerance by the known inexactness of the program: for solved quantities, times the condition number.

    Its structural zeros are accurate to some ε of the largest scale at the state. If the formalism has no number, as
    for accelerations with a singular mass matrix, it is not a witness.
    """
    if quantity.endswith(("poses", ROWS)):
        return difference
    scales, shape = difference.scales, difference.a.shape
    flat = scales.reshape(len(scales), -1)
    largest = np.max(flat, axis=1, initial=0.0, where=np.isfinite(flat)).reshape((-1,) + (1,) * (len(shape) - 1))
    zeros = FOREIGN_ZEROS * EPSILON * largest
    bound = np.broadcast_to(zeros + (0.0 if difference.bound is None else difference.bound), shape)
    scale = np.maximum(scales, FOREIGN_SCALE * largest)
    tolerance = difference.tolerance + peer.slack * difference.cond
    theirs = np.where(np.isfinite(difference.a), difference.b, np.nan)
    return replace(difference, b=theirs, scale=scale, tolerance=tolerance, bound=bound)
