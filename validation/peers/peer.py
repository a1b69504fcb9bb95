"""What another program is here: it reads a text, and gives numbers at states in the model's coordinates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.system import System

Array = NDArray[np.float64]

#: In place of a format where a program takes the model and not its text.
ANY: Final = "any"
#: Name -> formats that it reads as they are meant -> module and class; what is not installed is said when asked for.
PEERS: Final = {
    "pinocchio": {"urdf": "pinocchio:Pinocchio"},
    "mujoco": {"urdf": "mujoco:MuJoCo", "mjcf": "mjcf:MuJoCoOfMJCF"},
    "drake": {"urdf": "drake:Drake", "sdf": "drake:DrakeOfSDF"},
    "sympy": {ANY: "symbolic:SymPy"},
}
#: Formats whose files include others.
WITH_FILES: Final = frozenset({"mjcf", "sdf"})
INSTALL: Final = "pip install 'mbconcord[peers]'"


class PeerError(Exception):
    """Why a program is no witness of a model: it is not installed, refuses the file, or reads other joints in it."""


@dataclass(frozen=True)
class Numbers:
    """Quantities at N states in the model's coordinates (n): ``M`` (N, n, n), the others (N, n).

    ``poses``: by the name of the link its rotation and position in world axes, (N, 3, 4).
    """

    quantities: Mapping[str, Array]
    poses: Mapping[str, Array] = field(default_factory=dict)


class Peer(ABC):
    """A program that has read a text.

    Attributes
    ----------
    name, version
    reads : what it takes
    slack : relative to scale, what its numbers may be off by beside the rounding of floats
    notes : what had to be done so that it reads the text
    """

    name: ClassVar[str]
    reads: ClassVar[str] = "reads the file itself"
    version: str = ""
    slack: float = 0.0

    def __init__(self) -> None:
        self.notes: list[str] = []

    @abstractmethod
    def fit(self, system: System) -> None:
        """Find the joints of the model.

        Raises
        ------
        PeerError
            It has others.
        """

    @abstractmethod
    def numbers(self, q: Array, v: Array, a: Array) -> Numbers:
        """Quantities and poses at N states, (N, n) in the model's order."""

    def derivatives(self, q: Array, v: Array, a: Array) -> Mapping[str, Array]:
        """Derivatives of inverse and forward dynamics (:mod:`mbconcord.model.derivatives`) at N states, (N, n, n).

        Raises
        ------
        PeerError
            It has none, or none of these joints.
        """
        raise PeerError("gives no derivatives")


def opened(name: str, text: str, format: str = "urdf", file: str = "-") -> Peer:
    """The program of that name with a text that it has read, beside whose file others may stand that it includes.

    Raises
    ------
    PeerError
        It is not installed, or refuses the text.
    """
    format = ANY if takes_model(name) else format
    if format not in PEERS[name]:
        able = " or ".join(sorted(PEERS[name]))
        raise PeerError(f"reads {able}, and the model is in {format or 'no format'}: convert it first")
    module, _, kind = PEERS[name][format].partition(":")
    try:
        made: type[Peer] = getattr(import_module(f"{__package__}.{module}"), kind)
    except ImportError as problem:
        raise PeerError(f"{name} is not installed ({problem}): {INSTALL}") from None
    return made(text, file) if format in WITH_FILES else made(text)  # type: ignore[call-arg]


def takes_model(name: str) -> bool:
    """Whether a program takes the model of any format, not its file."""
    return ANY in PEERS[name]


def asked(text: str | None) -> tuple[str, ...]:
    """The programs that an option names, ``pinocchio,mujoco``; none where it names something else.

    Raises
    ------
    MbconcordError
        One is named beside something else.
    """
    words = [] if text is None else [word.strip() for word in text.split(",")]
    found = tuple(dict.fromkeys(word for word in words if word in PEERS))
    other = [word for word in words if word not in PEERS]
    if found and other:
        raise MbconcordError(
            error("--against", f"found {other[0]!r} beside {found[0]!r}", among(other[0], PEERS))
        )
    return found


def version_of(text: str) -> tuple[int, ...]:
    """The numbers of a version, to be compared: ``"3.13.0"`` is (3, 13, 0)."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def stacked(rows: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Quantities state by state as arrays over all states."""
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]} if rows else {}
