"""The files that stand beside an input.dat, as what they hold of a model: states (.xv) and parameters (.par)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from mbconcord.converters.companions import StateFile, Stored
from mbconcord.model import State, System
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.numbers import parameter_values

from .encoding import decode, suited
from .parameters import model_name, read_par, um_name, write_par
from .state import Vectors, lost, order_note, read_xv, write_xv


@dataclass(frozen=True)
class VectorFile(StateFile):
    """A state without names: it becomes a model's state when it has as many numbers as the model."""

    vectors: Vectors

    def of(self, system: System) -> State:
        """The state of this model; the count must be the same."""
        return self.vectors.state(system, self.file)

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """Whose order the coordinates are taken in, unless the model is UM's."""
        note = order_note(system, self.file)
        return (note,) if note else ()


def read_vectors(data: bytes, file: str) -> VectorFile:
    """The state of an ``.xv`` file."""
    return VectorFile(file, read_xv(data, file))


def write_vectors(system: System, state: State, file: str) -> Stored:
    """The ``.xv`` file of a state."""
    return Stored(write_xv(state, system), tuple(lost(state)))


def read_parameters(data: bytes, file: str) -> dict[str, Fraction]:
    """Names, as the model has them, and numbers of a ``.par`` file.

    Raises
    ------
    ReadError, NumbersError
        As :func:`.parameters.read_par`; or two of UM's names are one name of the model.
    """
    values = read_par(decode(data, file).text, file)
    named = {model_name(name): value for name, value in values.items()}
    if len(named) != len(values):
        counts = Counter(map(model_name, values))
        found = f"{file}: two of UM's names are this one in the model"
        raise NumbersError([error(f"parameters/{n}", found) for n, count in counts.items() if count > 1])
    return named


def write_parameters(system: System, state: State, file: str) -> Stored:
    """The ``.par`` file of the parameters of a model, with the values that the state sets."""
    values = parameter_values(system, state.parameters)
    text = write_par({um_name(name, system): value for name, value in values.items()})
    return Stored(text.encode(suited(text)))
