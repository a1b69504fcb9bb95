"""Files that stand beside UM's ``input.dat``, as the command line takes and writes them: ``.xv`` and ``.par``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbconcord.converters.um.state import Vectors
    from mbconcord.model.diagnostics import Diagnostic, Loss
    from mbconcord.model.state import State
    from mbconcord.model.system import System

STATE, PARAMETERS = ".xv", ".par"


def is_xv(file: str) -> bool:
    """Whether a file is a state of UM, by its name."""
    return Path(file).suffix.lower() == STATE


def is_par(file: str) -> bool:
    """Whether a file holds parameters of UM, by its name."""
    return Path(file).suffix.lower() == PARAMETERS


def kind(file: str) -> str:
    """What a file of UM holds, in words."""
    return "um state" if is_xv(file) else "um parameters"


@dataclass(frozen=True)
class VectorFile:
    """A state without names: it becomes a model's state when it has as many numbers as the model."""

    file: str
    vectors: Vectors

    def of(self, system: System) -> State:
        """The state of this model; the count must be the same."""
        return self.vectors.state(system, self.file)

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """Whose order the coordinates are taken in, unless the model is UM's."""
        from mbconcord.converters.um.state import order_note

        note = order_note(system, self.file)
        return (note,) if note else ()

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """The finding itself: bytes have no lines."""
        return finding


def read_vectors(file: str) -> VectorFile:
    """Read an ``.xv`` file."""
    from mbconcord.converters.um.state import read_xv

    return VectorFile(file, read_xv(_bytes(file), file))


def read_parameters(file: str) -> dict[str, Fraction]:
    """Names, as the model has them, and numbers of a ``.par`` file."""
    from mbconcord.converters.um.encoding import decode
    from mbconcord.converters.um.parameters import model_name, read_par
    from mbconcord.model.diagnostics import NumbersError, error

    values = read_par(decode(_bytes(file), file), file)
    named = {model_name(name): value for name, value in values.items()}
    if len(named) != len(values):
        counts = Counter(map(model_name, values))
        found = f"{file}: two of UM's names are this one in the model"
        raise NumbersError([error(f"parameters/{n}", found) for n, count in counts.items() if count > 1])
    return named


def contents(system: System, state: State, out: str) -> tuple[bytes, list[Loss]]:
    """The bytes of a file of that name, a state or the parameters of a model, and what it cannot hold."""
    from mbconcord.converters.um.encoding import encode
    from mbconcord.converters.um.parameters import um_name, write_par
    from mbconcord.converters.um.state import lost, write_xv
    from mbconcord.model.numbers import parameter_values

    if is_xv(out):
        return write_xv(state, system), lost(state)
    values = parameter_values(system, state.parameters)
    return encode(write_par({um_name(name, system): value for name, value in values.items()}), out), []


def _bytes(file: str) -> bytes:
    from mbconcord.model.diagnostics import ReadError, error

    try:
        return Path(file).read_bytes()
    except OSError as problem:
        raise ReadError(
            error("", f"{file}: {problem.strerror or problem}", "name a file that can be read")
        ) from None
