"""Companion files of an input.dat: states (.xv) and parameters (.par)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mbconcord.converters.floats import NumeralError, exact
from mbconcord.converters.format import StateFile, Stored
from mbconcord.model import Loss, State, System
from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError, ReadError, error
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.model.limits import UM_STATE_BYTES, count, too_many
from mbconcord.model.numbers import environment, parameter_values
from mbconcord.records import dataclass

from .reading.reading import legal
from .syntax import choose_code_page, decode

# States of UM: an ``.xv`` file is ``xv``, the number of coordinates in digits, then q and q' as doubles.
#
# No separators; little-endian; SI and radians; coordinates in UM's order, which is that of a model read from its
# ``input.dat``. Time and accelerations are not in it.


_COUNT = re.compile(rb"0|[1-9][0-9]{0,8}")
_DOUBLES = np.dtype("<f8")


@dataclass(frozen=True, eq=False)
class Vectors:
    """Coordinates (m, rad) and velocities of an ``.xv`` file, n numbers each in UM's order."""

    q: NDArray[np.float64]
    v: NDArray[np.float64]

    def state(self, system: System, file: str = "-") -> State:
        """Return the state of a model that has as many coordinates as the file, in the model's order.

        Raises
        ------
        NumbersError
            The model has more or fewer coordinates.
        """
        names = system.coordinate_names
        if len(names) != len(self.q):
            found = f"{file} holds {count(len(self.q), 'coordinate')}; expected the model's {len(names)}"
            listed = ", ".join(names) or "none"
            raise NumbersError(error("state", found, f"the coordinates are {listed}"))
        _require_known(system)
        q, v = self.q.tolist(), self.v.tolist()
        return State(q=dict(zip(names, q, strict=True)), v=dict(zip(names, v, strict=True)))


def _require_known(system: System) -> None:
    """Refuse a model with a joint of a type that no file seen has: UM's coordinates for such a joint are unknown."""
    unseen = [r["joint"] for r in system.metadata.get("um:coordinates", []) if r.get("line") == "unseen"]
    if unseen:
        found = f"UM's coordinates of the joint {unseen[0]}, whose type no file seen has, are unknown"
        remedy = f"use a state in JSON, by names: {', '.join(system.coordinate_names)}"
        raise NumbersError(error("state", found, remedy))


def read_xv(data: bytes, file: str = "-") -> Vectors:
    """Read coordinates and velocities from the bytes of an ``.xv`` file.

    The first byte of the doubles may look like one more digit of the count n: the n is taken that fits the size,
    2 + len(n) + 16 n bytes.

    Raises
    ------
    ReadError
        The file does not begin with ``xv`` and a count, its size does not fit the count, or a number is not finite.
    """
    if len(data) > UM_STATE_BYTES:
        found = too_many(len(data), "bytes", UM_STATE_BYTES)
        raise _refusal(file, found, "no model has so many coordinates")
    if not data.startswith(b"xv"):
        raise _refusal(file, f"begins with {data[:2]!r}; expected b'xv'", "name a binary state file of UM, or JSON")
    possible = _possible(data)
    if not possible:
        raise _refusal(file, f"found {data[2:6]!r} after xv; expected the number of coordinates")
    digits = min(possible, key=lambda digits: abs(_size(digits) - len(data)))
    if _size(digits) != len(data):
        found = f"{len(data)} bytes; expected {_size(digits)} for {count(int(digits), 'coordinate')}"
        raise _refusal(file, found, "the file is cut off, or was changed as a text")
    values = np.frombuffer(data, _DOUBLES, offset=2 + len(digits)).astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        n, i = int(digits), int(wrong[0])
        which = f"coordinate {i + 1}" if i < n else f"velocity {i - n + 1}"
        raise _refusal(file, f"{which} of {n} is {values[i]}; expected finite numbers")
    return Vectors(values[: int(digits)], values[int(digits) :])


def write_xv(state: State, system: System) -> bytes:
    """Write an ``.xv`` file; values that the state leaves open are the model's initial ones.

    Identity: ``read_xv(write_xv(s, m)).state(m)`` is s, without time, accelerations and parameters.

    Raises
    ------
    NumbersError
        The state names something that the model lacks, or a required value is missing; UM's coordinates are unknown.
    """
    _require_known(system)
    values = environment(system, [state])[0]
    names = system.coordinate_names
    return encode([values[name] for name in names], [values[f"{name}'"] for name in names])


def encode(q: Iterable[float], v: Iterable[float]) -> bytes:
    """Encode coordinates and velocities as an ``.xv`` file."""
    positions, rates = list(q), list(v)
    return b"xv%d" % len(positions) + np.array([*positions, *rates], _DOUBLES).tobytes()


def list_losses(state: State) -> list[Loss]:
    """List what an ``.xv`` file cannot hold of a state: time, accelerations and values of parameters."""
    none = "an .xv file holds coordinates and velocities only"
    losses = [Loss("state/t", f"the time {state.t!r}", none)] if state.t else []
    losses += [Loss(f"state/a/{name}", "the acceleration", none, acts=False) for name in state.a]
    return losses + [
        Loss(f"state/parameters/{name}", "the parameter's value", none, acts=False) for name in state.parameters
    ]


def order_note(system: System, file: str) -> Diagnostic | None:
    """Return a note that the model's order of coordinates is assumed; None for a model read from UM's files."""
    if any(key.startswith("um:") for key in system.metadata):
        return None
    listed = ", ".join(system.coordinate_names)
    return Diagnostic("note", "state", f"the numbers of {file} are taken in the model's order: {listed}")


def _possible(data: bytes) -> list[bytes]:
    """List the candidates for the digits of the count: the first digit, the first two, …; at most one fits the size."""
    match = _COUNT.match(data, 2)
    leading = match[0] if match else b""
    return [leading[:k] for k in range(1, len(leading) + 1)]


def _size(digits: bytes) -> int:
    return 2 + len(digits) + 16 * int(digits)


def _refusal(file: str, found: str, remedy: str = "") -> ReadError:
    return ReadError(error(str(file), found, remedy))


# Parameters of UM: a ``.par`` file is the line ``par`` and then lines ``name = number``.
#
# An identifier of a subsystem is written after the subsystem's name, ``FL.p1``; in the model it is ``FL_p1``.


HEAD = "par"


def looks_like_par(text: str) -> bool:
    """Return True if a text begins with the line ``par``."""
    return text.partition("\n")[0].strip() == HEAD


def read_par(text: str, file: str = "-") -> dict[str, Fraction]:
    """Read a ``.par`` text: map each name, as written there, to its number, in file order.

    Raises
    ------
    ReadError
        The first line is not ``par``.
    NumbersError
        A line is not ``name = number``, a number is not finite, or a name occurs twice: all
        findings at once.
    """
    lines = text.splitlines()
    if not looks_like_par(text):
        found = repr(lines[0].strip()[:40]) if lines else "an empty file"
        remedy = "a .par file begins with the line 'par': write it above, or name the file .txt"
        raise ReadError(error("", f"found {found}, expected 'par'", remedy, Location(file, 1, 1)))
    values: dict[str, Fraction] = {}
    findings: list[Diagnostic] = []
    for i, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        name, equals, shown = (part.strip() for part in line.partition("="))
        at = Location(file, i, 1)
        try:
            if not (name and equals):
                raise NumeralError(f"{line.strip()[:60]!r} is not name = number")
            value = exact(shown)
        except NumeralError as problem:
            findings.append(error("", str(problem), problem.remedy or "for example m1 = 2.5", at))
            continue
        if name in values:
            findings.append(error(f"parameters/{name}", "it has a number twice", "remove one of the lines", at))
        values[name] = value
    if findings:
        raise NumbersError(findings)
    return values


def model_name(name: str) -> str:
    """Return the name that the reader of input.dat gives to an identifier: ``FL_p1`` for ``FL.p1``."""
    made = legal((), name)
    return f"{made}_" if made in RESERVED else made


def um_name(name: str, system: System) -> str:
    """Return UM's name of a parameter of a model."""
    original: str = system.metadata.get("um:identifiers", {}).get(name, name)
    return original


def write_par(values: Mapping[str, float]) -> str:
    """Write a ``.par`` file; ``read_par`` reads the same doubles back."""
    lines = [f"{name} = {_number(value)}" for name, value in values.items()]
    return "\n".join([HEAD, *lines]) + "\n"


def _number(value: float) -> str:
    """Write fifteen digits as UM does if they identify the double, else all that are needed."""
    short = f"{value:.15g}"
    return short if float(short) == value else repr(value)


@dataclass(frozen=True)
class VectorFile(StateFile):
    """An ``.xv`` file, which holds no names: it fits a model with the same number of coordinates."""

    vectors: Vectors

    def to_state(self, system: System) -> State:
        """Return the state of a model; its number of coordinates must be that of the file."""
        return self.vectors.state(system, self.file)

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """Return a note on the assumed order of coordinates; nothing for a model that was read from UM's files."""
        note = order_note(system, self.file)
        return (note,) if note else ()


def read_vectors(data: bytes, file: str) -> VectorFile:
    """Read the state of an ``.xv`` file."""
    return VectorFile(file, read_xv(data, file))


def write_vectors(system: System, state: State, file: str) -> Stored:
    """Write the ``.xv`` file of a state."""
    return Stored(write_xv(state, system), tuple(list_losses(state)))


def read_parameters(data: bytes, file: str) -> dict[str, Fraction]:
    """Read a ``.par`` file: map the model's names of parameters to their numbers.

    Raises
    ------
    ReadError, NumbersError
        As :func:`read_par`; or two of UM's names become the same name in the model.
    """
    values = read_par(decode(data, file).text, file)
    named = {model_name(name): value for name, value in values.items()}
    if len(named) != len(values):
        counts = Counter(map(model_name, values))
        found = f"{file}: two of UM's names are this one in the model"
        raise NumbersError([error(f"parameters/{n}", found) for n, count in counts.items() if count > 1])
    return named


def write_parameters(system: System, state: State, file: str) -> Stored:
    """Write the ``.par`` file of a model's parameters, with the values that the state sets."""
    values = parameter_values(system, state.parameters)
    text = write_par({um_name(name, system): value for name, value in values.items()})
    return Stored(text.encode(choose_code_page(text)))
