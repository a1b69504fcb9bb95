"""Another program as a witness: its answer to a question in the model's coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import numpy as np

from mbconcord.converters.floats import real
from mbconcord.model.body import Inertia
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import number
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ...judge.comparison import ArrayDifference
from ...judge.pair_scales import scale_by_mass
from ...judge.tolerances import EPSILON, FOREIGN_SCALE, FOREIGN_ZEROS
from ...judge.witness import Answer, Labelled, Original, Question, SilentError
from .peer import Peer, PeerError, PeerRows, open_peer, takes_model

#: Validation's own kinematics.
OWN = "physics"
#: Quantity of the rows of constraints.
ROWS: Final = "constraints"
#: Quantity of the inertia of bodies, and its entries.
MASSES: Final = "masses"
MASS_PARTS: Final = ("mass", *(f"centre {x}" for x in "xyz"), *(f"J {x}" for x in ("xx", "yy", "zz", "xy", "xz", "yz")))
#: Entries of a pose: rows of the rotation matrix, each with a component of the position.
PARTS = tuple(x for row in "xyz" for x in (*(f"R[{row},{column}]" for column in "xyz"), f"p[{row}]"))


@dataclass(frozen=True, eq=False)
class ProgramWitness:
    """Witness that is another program, which reads the text itself or takes the model."""

    name: str
    original: Original

    @property
    def shares(self) -> frozenset[str]:
        """Names of shared parts: the reader and the model if the program does not read the text; else none."""
        return frozenset({"reader", "model"} if takes_model(self.name) else ())

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return no obstacles: :meth:`answer` raises if the program does not take the model."""
        return ()

    def answer(self, question: Question) -> Answer:
        """Return the program's quantities, poses and rows; raise if it is not installed or reads other joints."""
        try:
            peer, k = question.once(self.peer), question.kinematics
        except PeerError as problem:
            raise SilentError(str(problem)) from None
        peer.take_inputs(question.states)
        from .known import known_causes  # not before: it brings the readers of robots, and few checks have a program

        with np.errstate(all="ignore"):
            found = peer.numbers(k.q, k.v, k.a)
        poses = [found.poses[link] for link in sorted(found.poses)]
        said = (f"version {peer.version}, {peer.reads}", *peer.notes)
        return Answer(
            Evaluation(full_name(peer), dict(found.quantities)),
            beside=_poses(peer, sorted(found.poses), np.array(poses))
            | _label_masses(peer.name, found.masses, peer.room)
            | _label_rows(peer, question.once(self.rows)),
            allow=lambda quantity, difference: _loosen(quantity, difference, peer, question.once(_find_sizes)),
            faults="" if takes_model(self.name) else known_causes(peer, self.original.text),
            notes=tuple(Diagnostic("note", self.name, note) for note in said),
        )

    def peer(self, question: Question) -> Peer:
        """Return the program with the text opened in it, and the joints of the model found in it."""
        made = open_peer(
            self.name, self.original.text, self.original.format, self.original.file, self.original.packages
        )
        made.fit(self.take_model(question) if takes_model(self.name) else question.original)
        return made

    def rows(self, question: Question) -> Mapping[str, PeerRows]:
        """Return the program's rows of constraints at the states; empty if these were not moved onto constraints."""
        return question.once(self.peer).constraints(question.kinematics.q) if question.assembly else {}

    def find_unseen(self, question: Question, found: Sequence[str]) -> tuple[str, ...]:
        """Return names of elements of the model that no quantity in ``found`` depends on, so that they go unseen."""
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
        """Return the model; for a program that takes it, with values of parameters, which all states must share."""
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
    """Return validation's own poses and constraint rows, in the form in which a program's answer has them."""
    found: dict[str, Labelled] = {}
    for quantity, theirs in answer.beside.items():
        if quantity.endswith(ROWS):
            found |= _label_rows(
                question.once(program.peer), _find_rows(question, question.once(program.rows)), own=True
            )
            continue
        if quantity.endswith(MASSES):
            named = {label.rpartition(" ")[0] for label in theirs.labels}
            own_masses = {b.name: _list_mass(b.inertia) for b in question.original.bodies if b.name in named}
            found |= _label_masses(program.name, own_masses)
            continue
        links = dict.fromkeys(label.rpartition(" ")[0] for label in theirs.labels)
        frames = [question.kinematics.frame(link) for link in links]
        own = np.array([np.concatenate([f.rotation, f.position[:, :, None]], axis=2) for f in frames])
        values = _flat(own)
        reach = np.fmax(1.0, np.abs(values).max(axis=1, initial=0.0))[:, None]
        found[quantity] = Labelled(values, theirs.labels, np.broadcast_to(reach, values.shape))
    return Answer(Evaluation(OWN, {}), beside=found)


def _find_rows(question: Question, theirs: Mapping[str, PeerRows]) -> dict[str, PeerRows]:
    """Return validation's own rows of the constraints in ``theirs``, padded or cut to as many rows."""
    from ...judge.closed.rows import RowsByConstraint  # not before: trees have none

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
    """Return residuals and Jacobians of all rows as one labelled quantity.

    Programs give a small turn in different axes, so only its residual's length and JᵀJ of its Jacobian are taken.
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


def _list_mass(inertia: Inertia) -> np.ndarray:
    """Return mass, centre, and tensor about it as xx yy zz xy xz yz (10,)."""
    J = np.array([[real(x) for x in row] for row in inertia.matrix()])
    return np.array([real(inertia.mass), *map(real, inertia.centre), *J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]])


def _label_masses(name: str, masses: Mapping[str, np.ndarray], room: float = 0.0) -> dict[str, Labelled]:
    """Return the masses of bodies as one labelled quantity, in a row; centres by the larger of them and of the size."""
    values = np.array([x for body in sorted(masses) for x in masses[body]])[None]
    labels = [f"{body} {part}" for body in sorted(masses) for part in MASS_PARTS]
    scale = np.ones_like(values)
    for k, body in enumerate(sorted(masses)):
        m, centre, J = abs(masses[body][0]), masses[body][1:4], np.abs(masses[body][4:]).max()
        reach = max(float(np.abs(centre).max()), float(np.sqrt(J / m)) if m else 0.0)
        scale[0, 10 * k : 10 * k + 10] = [m, *[reach] * 3, *[J] * 6]
    return {f"{name}: {MASSES}": Labelled(values, labels, scale, room=room * scale)} if labels else {}


def _poses(peer: Peer, links: list[str], poses: np.ndarray) -> dict[str, Labelled]:
    labels = [f"{link} {part}" for link in links for part in PARTS]
    if not links:
        return {}
    values = _flat(poses)
    room = peer.room * np.fmax(1.0, np.abs(values).max(axis=1, initial=0.0))[:, None] * np.ones_like(values)
    return {f"{peer.name}: poses": Labelled(values, labels, room=room if peer.room else None)}


def _flat(poses: np.ndarray) -> np.ndarray:
    """Flatten poses (links, N, 3, 4) to rows (N, 12 links)."""
    return np.concatenate([pose.reshape(-1, len(PARTS)) for pose in poses], axis=1)


def full_name(peer: Peer) -> str:
    """Return the name and version of a program, its name as a witness."""
    return f"{peer.name} {peer.version}"


def _find_sizes(question: Question) -> dict[str, np.ndarray]:
    """Return the largest terms (N,) of which a program may make what is zero: of weights and centrifugal forces."""
    roots = question.scales.roots
    found = scale_by_mass(question.kinematics, roots)
    found["inverse_dynamics"] = found["gravity"] + found["h"]
    with np.errstate(all="ignore"):
        found["acceleration"] = found["inverse_dynamics"] / roots**2
    return {name: np.max(x, axis=1, initial=0.0, where=np.isfinite(x)) for name, x in found.items()}


def _loosen(quantity: str, difference: ArrayDifference, peer: Peer, sizes: Mapping[str, np.ndarray]) -> ArrayDifference:
    """Return the difference with the program's known error (slack · condition number) added to the tolerance.

    Structural zeros of a program are accurate to some ε of the largest scale at the state only, or of ``sizes`` (N,) by
    quantity: of a body whose centre is on its axis no weight acts, but the program's numbers of it are rounding. Where
    the formalism has no number (accelerations with a singular mass matrix), the program's is dropped.
    """
    if quantity.endswith(("poses", ROWS, MASSES)):
        return difference
    scales, shape = difference.scales, difference.a.shape
    flat = scales.reshape(len(scales), -1)
    largest = np.max(flat, axis=1, initial=0.0, where=np.isfinite(flat))
    largest = np.fmax(largest, sizes.get(quantity, 0.0)).reshape((-1,) + (1,) * (len(shape) - 1))
    zeros = FOREIGN_ZEROS * EPSILON * largest
    bound = np.broadcast_to(zeros + (0.0 if difference.bound is None else difference.bound), shape)
    scale = np.maximum(scales, FOREIGN_SCALE * largest)
    tolerance = difference.tolerance + peer.slack * difference.cond
    theirs = np.where(np.isfinite(difference.a), difference.b, np.nan)
    return replace(difference, b=theirs, scale=scale, tolerance=tolerance, bound=bound)


def refusal(format: str, text: str, file: str) -> str:
    """Return the error with which the program of a format refuses a text; empty if it opens it, or is not installed.

    Meshes are looked for from the folder of ``file``.
    """
    if format != "mjcf":
        return ""
    try:
        import mujoco
    except ImportError:
        return ""
    try:
        spec = mujoco.MjSpec.from_string(text)
        spec.modelfiledir = str(Path.cwd() if file in ("", "-") else Path(file).resolve().parent)
        spec.compile()
    except ValueError as problem:
        return f"MuJoCo {mujoco.__version__} refuses it: {' '.join(str(problem).split())}"
    return ""
