"""States of UM: an ``.xv`` file is ``xv``, the number of coordinates in digits, then q and q' as doubles.

No separators; little-endian; SI and radians; coordinates in UM's order, which is that of a model read from its
``input.dat``. Time and accelerations are not in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import Loss, State, System
from mbconcord.model.diagnostics import Diagnostic, NumbersError, ReadError, error
from mbconcord.model.limits import UM_STATE_BYTES, too_many
from mbconcord.model.numbers import environment

_COUNT = re.compile(rb"0|[1-9][0-9]{0,8}")
_DOUBLES = np.dtype("<f8")


@dataclass(frozen=True, eq=False)
class Vectors:
    """Coordinates (m, rad) and velocities of an ``.xv`` file, each an array of n numbers in UM's order."""

    q: NDArray[np.float64]
    v: NDArray[np.float64]

    def state(self, system: System, file: str = "-") -> State:
        """The state of a model that has as many coordinates, in their order.

        Raises
        ------
        NumbersError
            The model has more or fewer coordinates.
        """
        names = system.coordinate_names
        if len(names) != len(self.q):
            found = f"{file} holds {_coordinates(len(self.q))}; expected the model's {len(names)}"
            listed = ", ".join(names) or "none"
            raise NumbersError(error("state", found, f"the coordinates are {listed}"))
        q, v = self.q.tolist(), self.v.tolist()
        return State(q=dict(zip(names, q, strict=True)), v=dict(zip(names, v, strict=True)))


def read_xv(data: bytes, file: str = "-") -> Vectors:
    """Coordinates and velocities of the bytes of an ``.xv`` file.

    The first byte of the numbers may look like a digit: the number of coordinates is that which fits the size,
    2 + len(n) + 16 n bytes.

    Raises
    ------
    ReadError
        Other bytes, another size than the count asks for, or a number that is not finite.
    """
    if len(data) > UM_STATE_BYTES:
        found = too_many(len(data), "bytes", UM_STATE_BYTES)
        raise _refused(file, found, "no model has so many coordinates")
    if not data.startswith(b"xv"):
        raise _refused(
            file, f"begins with {data[:2]!r}; expected b'xv'", "name a binary state file of UM, or JSON"
        )
    possible = _possible(data)
    if not possible:
        raise _refused(file, f"found {data[2:6]!r} after xv; expected the number of coordinates")
    digits = min(possible, key=lambda digits: abs(_size(digits) - len(data)))
    if _size(digits) != len(data):
        found = f"{len(data)} bytes; expected {_size(digits)} for {_coordinates(int(digits))}"
        raise _refused(file, found, "the file is cut off, or was changed as a text")
    values = np.frombuffer(data, _DOUBLES, offset=2 + len(digits)).astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        n, i = int(digits), int(wrong[0])
        which = f"coordinate {i + 1}" if i < n else f"velocity {i - n + 1}"
        raise _refused(file, f"{which} of {n} is {values[i]}; expected finite numbers")
    return Vectors(values[: int(digits)], values[int(digits) :])


def write_xv(state: State, system: System) -> bytes:
    """The bytes of an ``.xv`` file: what the state leaves open is the model's initial value.

    Identity: ``read_xv(write_xv(s, m)).state(m)`` is s, without time, accelerations and parameters.

    Raises
    ------
    NumbersError
        The state names what the model has not, or a value that is needed has none.
    """
    values = environment(system, [state])[0]
    names = system.coordinate_names
    return encode([values[name] for name in names], [values[f"{name}'"] for name in names])


def encode(q: Iterable[float], v: Iterable[float]) -> bytes:
    """The bytes of an ``.xv`` file with these coordinates and velocities."""
    positions, rates = list(q), list(v)
    return b"xv%d" % len(positions) + np.array([*positions, *rates], _DOUBLES).tobytes()


def lost(state: State) -> list[Loss]:
    """What of a state an ``.xv`` file cannot hold."""
    none = "an .xv file holds coordinates and velocities only"
    losses = [Loss("state/t", f"the time {state.t!r}", none)] if state.t else []
    losses += [Loss(f"state/a/{name}", "the acceleration", none) for name in state.a]
    return losses + [
        Loss(f"state/parameters/{name}", "the parameter's value", none) for name in state.parameters
    ]


def order_note(system: System, file: str) -> Diagnostic | None:
    """That the order of the coordinates is taken for UM's, for a model that UM did not write."""
    if any(key.startswith("um:") for key in system.metadata):
        return None
    listed = ", ".join(system.coordinate_names)
    return Diagnostic("note", "state", f"the numbers of {file} are taken in the model's order: {listed}")


def _possible(data: bytes) -> list[bytes]:
    """What may be the digits of the count: the first of them, or more; at most one fits the size."""
    match = _COUNT.match(data, 2)
    leading = match[0] if match else b""
    return [leading[:k] for k in range(1, len(leading) + 1)]


def _size(digits: bytes) -> int:
    return 2 + len(digits) + 16 * int(digits)


def _coordinates(n: int) -> str:
    return f"{n} coordinate" + "s" * (n != 1)


def _refused(file: str, found: str, remedy: str = "") -> ReadError:
    return ReadError(error("", f"{file}: {found}", remedy))
