"""Files that stand beside the models of a format: states, and values of parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from mbconcord.model.diagnostics import Diagnostic, Loss
from mbconcord.model.state import State
from mbconcord.model.system import System

Content = TypeVar("Content")


@dataclass(frozen=True)
class StateFile(ABC):
    """A state as a file holds it. Where the file names no coordinates, it is a state only beside a model."""

    file: str

    @abstractmethod
    def of(self, system: System) -> State:
        """The state of this model.

        Raises
        ------
        NumbersError
            The model has other coordinates than the file has numbers.
        """

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """What is taken for granted when the file is read beside this model."""
        return ()

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """The finding with its location in the file, where it is about the state and has one."""
        return finding


@dataclass(frozen=True)
class Stored:
    """The bytes of a file, and what of the state or the parameters it cannot hold."""

    data: bytes
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True)
class Companion(Generic[Content]):
    """A kind of files that stand beside a format's models, told by their suffix.

    ``read(data, file)`` gives what a file's bytes hold: a :class:`StateFile`, or the exact values of parameters by
    the model's names. ``write(system, state, file)`` gives the bytes of a file of that name: the state, or the
    values of the parameters of the model at the state. ``title`` is what such a file is called in messages.
    """

    title: str
    suffix: str
    read: Callable[[bytes, str], Content]
    write: Callable[[System, State, str], Stored]
