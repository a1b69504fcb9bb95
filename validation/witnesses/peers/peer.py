"""Interface of other programs as witnesses: they read a text and compute numbers in the model's coordinates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import MbconcordError, among, error, find_similar
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field

Array = NDArray[np.float64]

#: Replaces the format for a program that takes the model and not its text.
ANY: Final = "any"
#: Name of a program -> format that it reads -> module and class of its witness.
PEERS: Final = {
    "pinocchio": {"urdf": "pinocchio:Pinocchio"},
    "mujoco": {"urdf": "mjcf:MuJoCo", "mjcf": "mjcf:MuJoCoOfMJCF"},
    "drake": {"urdf": "drake:Drake", "sdf": "drake:DrakeOfSDF"},
    "sympy": {ANY: "symbolic:SymPy"},
    "openusd": {"usd": "stages:OpenUSD"},
    "newton": {"usd": "stages:Newton"},
}
#: Formats whose files include others.
WITH_FILES: Final = frozenset({"mjcf", "sdf", "usd"})
INSTALL: Final = "pip install 'mbconcord[peers]'"
#: Name of a program -> its Python module, if that has another name; and the command that installs it, if not INSTALL.
MODULES: Final = {"drake": "pydrake", "openusd": "pxr"}
INSTALLED_BY: Final = {"openusd": "pip install 'mbconcord[usd]'", "newton": "pip install 'newton[importers]'"}


class PeerError(Exception):
    """Reason why a program is no witness of a model: it is not installed, refuses the file, or reads other joints in
    it.
    """


@dataclass(frozen=True)
class PeerNumbers:
    """Quantities at N states in the model's n coordinates: ``M`` (N, n, n), the others (N, n).

    ``poses`` has by name of a link its rotation and position in world axes (N, 3, 4); ``masses`` by name of a body its
    mass, centre, and tensor about that in the body's axes, xx yy zz xy xz yz (10,).
    """

    quantities: Mapping[str, Array]
    poses: Mapping[str, Array] = field(default_factory=dict)
    masses: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class PeerRows:
    """Rows of a constraint at N states: residuals (N, m) and their Jacobian in the model's coordinates (N, m, n).

    ``turns`` is True if the last three rows are a small rotation vector, in axes of the program's choice.
    """

    residuals: Array
    jacobian: Array
    turns: bool = False


class Peer(ABC):
    """A program that has read a text.

    Attributes
    ----------
    name, version : name and version of the program
    reads : what the program takes, for reports: the file, or the model
    slack : known error of the program's numbers, relative to their scale, beyond rounding of floats
    room : the same of its poses and masses
    notes : remarks for reports, such as changes that made the text readable
    text : changed copy that the program read; empty if it read the text itself
    """

    name: ClassVar[str]
    reads: ClassVar[str] = "reads the file itself"
    version: str = ""
    slack: float = 0.0
    room: float = 0.0
    text: str = ""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.inputs: tuple[Mapping[str, float], ...] = ()

    @abstractmethod
    def fit(self, system: System) -> None:
        """Find the joints and links of the model in the program.

        Raises
        ------
        PeerError
            The program has other joints than the model.
        """

    @abstractmethod
    def numbers(self, q: Array, v: Array, a: Array) -> PeerNumbers:
        """Compute quantities and poses at N states, (N, n) in the model's order."""

    def take_inputs(self, states: Sequence[State]) -> None:
        """Store the parameters, such as controls, of the states at which :meth:`numbers` is called next."""
        self.inputs = tuple(state.parameters for state in states)

    def constraints(self, q: Array) -> Mapping[str, PeerRows]:
        """Compute rows of the program's constraints at N positions (N, n), by the model's names; empty: it has none."""
        return {}

    def derivatives(self, q: Array, v: Array, a: Array) -> Mapping[str, Array]:
        """Compute derivatives of inverse and forward dynamics (:mod:`mbconcord.model.derivatives`), (N, n, n).

        Raises
        ------
        PeerError
            The program computes no derivatives, or none for these joints.
        """
        raise PeerError("gives no derivatives")


class PeerByStates(Peer):
    """A program that computes numbers at one state at a time."""

    def numbers(self, q: Array, v: Array, a: Array) -> PeerNumbers:
        """Compute quantities and poses at N states, (N, n) in the model's order."""
        found = [self.at(*state) for state in zip(q, v, a, strict=True)]
        return PeerNumbers(*(stack_states([part[k] for part in found]) for k in (0, 1)))

    @abstractmethod
    def at(self, q: Array, v: Array, a: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        """Compute quantities and poses of links at one state, given by positions, rates and accelerations (n,)."""


def open_peer(name: str, text: str, format: str = "urdf", file: str = "-", packages: tuple[str, ...] = ()) -> Peer:
    """Return the named program with a text opened in it; files that it includes are beside ``file``, or in packages.

    Raises
    ------
    PeerError
        The program is not installed, does not read the format, or refuses the text.
    """
    format = ANY if takes_model(name) else format
    if format not in PEERS[name]:
        able = " or ".join(sorted(PEERS[name]))
        raise PeerError(f"reads {able}, and the model is in {format or 'no format'}: convert it first")
    module, _, kind = PEERS[name][format].partition(":")
    try:
        made: type[Peer] = getattr(import_module(f"{__package__}.{module}"), kind)
    except ImportError as problem:
        if (problem.name or "").startswith(f"{__package__}."):  # a module of ours
            raise
        raise PeerError(f"{name} is not installed ({problem}): {INSTALL}") from None
    return made(text, file, packages) if format in WITH_FILES else made(text)  # type: ignore[call-arg]


def require_programs(names: Sequence[str]) -> None:
    """Check that the named programs are installed.

    Raises
    ------
    MbconcordError
        One is not installed; the remedy is the command that installs it.
    """
    for name in names:
        module = MODULES.get(name, name)
        if find_spec(module) is None:
            raise MbconcordError(
                error("--against", f"{name} needs {module}, which is not installed", INSTALLED_BY.get(name, INSTALL))
            )


def takes_model(name: str) -> bool:
    """Return True if a program takes the model of any format instead of its file."""
    return ANY in PEERS[name]


def read_programs(text: str | None) -> tuple[str, ...]:
    """Return the programs that an option names, ``pinocchio,mujoco``; empty if it names something else.

    Raises
    ------
    MbconcordError
        A program is mixed with something else.
    """
    words = [] if text is None else [word.strip() for word in text.split(",")]
    found = tuple(dict.fromkeys(word for word in words if word in PEERS))
    other = [word for word in words if word not in PEERS]
    if found and other:
        raise MbconcordError(error("--against", f"found {other[0]!r} beside {found[0]!r}", among(other[0], PEERS)))
    if other and find_similar(other[0], PEERS):
        raise MbconcordError(error("--against", f"there is no program {other[0]!r}", among(other[0], PEERS)))
    return found


def version_of(text: str) -> tuple[int, ...]:
    """Return the numbers of a version for comparison: ``"3.13.0"`` is (3, 13, 0)."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def stack_states(rows: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Stack quantities state by state to arrays over all states."""
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]} if rows else {}


@dataclass(frozen=True)
class PeerJoint:
    """A joint: its name in the file, its body, and the places of its coordinates in the model's order."""

    name: str
    body: str
    at: tuple[int, ...]


def joints(system: System) -> Iterator[PeerJoint]:
    """Yield a model's moving joints; coordinates ``deck_TX``, ``deck_TY``, ``deck_RZ`` are of the joint ``deck``."""
    order = {name: i for i, name in enumerate(system.coordinate_names)}
    for body in system.bodies:
        names = body.coordinates
        if names:
            name = names[0] if len(names) == 1 else names[0].rpartition("_")[0] or names[0]
            yield PeerJoint(name, body.name, tuple(order[n] for n in names))


@dataclass(frozen=True)
class JointChart:
    """A joint at a state: rotation (3, 3) and shift (3,) of its motion; G (k, k), where u = G q'; and Ġ q' (k,)."""

    rotation: Array
    shift: Array
    G: Array
    rest: Array


def rotation_about(axis: int, angle: float) -> Array:
    """Return the rotation matrix about the x, y or z axis."""
    c, s = np.cos(angle), np.sin(angle)
    i, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[k, k] = c
    R[i, k], R[k, i] = -s, s
    return R


def plane(q: Array, v: Array) -> JointChart:
    """Return the chart of a planar joint, x, y and a turn about z; u: velocity in turned axes, and the turn's rate."""
    R = rotation_about(2, q[2])
    G = R.T.copy()
    c, s = np.cos(q[2]), np.sin(q[2])
    turned = np.array([[-s, c, 0.0], [-c, -s, 0.0], [0.0, 0.0, 0.0]])
    return JointChart(R, np.array([q[0], q[1], 0.0]), G, v[2] * turned @ v)


def free(q: Array, v: Array, moving: bool, fixed: Array | None = None) -> JointChart:
    """Return the chart of a free joint: shifts, turns rz ry rx; u: origin velocity, angular velocity in turned axes.

    Parameters
    ----------
    q, v : (6,) positions and rates: x, y, z, rz, ry, rx
    moving : True if the velocity of the origin is in the turned axes, too; else it is in those of ``fixed``
    fixed : (3, 3) rotation from the joint's axes to those of that velocity; None: they are the joint's
    """
    Rz, Ry, Rx = (rotation_about(axis, q[3 + k]) for k, axis in enumerate((2, 1, 0)))
    R = Rz @ Ry @ Rx
    x, y, z = np.eye(3)
    to_z, to_y = Rx.T @ Ry.T @ z, Rx.T @ y
    W = np.stack([to_z, to_y, x], axis=1)
    turn_z, turn_y, turn_x = v[3:]
    rest = turn_z * (-turn_x * np.cross(x, to_z) - turn_y * Rx.T @ np.cross(y, Ry.T @ z))
    rest = rest - turn_y * turn_x * np.cross(x, to_y)
    omega = W @ v[3:]
    seen = R.T if moving else np.eye(3) if fixed is None else fixed
    G = np.zeros((6, 6))
    G[:3, :3], G[3:, 3:] = seen, W
    carried = -np.cross(omega, R.T @ v[:3]) if moving else np.zeros(3)
    return JointChart(R, q[:3].copy(), G, np.concatenate([carried, rest]))


def in_model(G: Array, rest: Array, M: Array, h: Array, gravity: Array, applied: Array) -> dict[str, Array]:
    """Return a program's M, h, gravity and applied in the model's coordinates q, from u = G q' and rest = Ġ q'."""
    return {"M": G.T @ M @ G, "h": G.T @ (h + M @ rest), "gravity": G.T @ gravity, "applied": G.T @ applied}
