"""Instants at which a motion first reaches what its model leaves out: stops and contacts, by the gaps of omissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.model.omission import Omission, find_reached

from .arrays import Array
from .trajectory import Trajectory

#: States that are looked at together, and instants within each step from one to the next.
STEPS: Final = 500
WITHIN: Final = 8
#: Halvings that find an instant between two others.
HALVINGS: Final = 40
#: Time, positions, rates and accelerations of a state.
Node = tuple[float, Array, Array, Array]


class Watch:
    """Search for the instants at which a motion reaches omissions: ``left`` has the indices not reached so far.

    ``found`` maps indices to instants. ``values`` are those of parameters; the motion is smooth between its states.
    """

    def __init__(self, omissions: Sequence[Omission], names: Sequence[str], values: Mapping[str, Any]) -> None:
        self.omissions, self.names, self.values = omissions, names, values
        self.left = [i for i, omission in enumerate(omissions) if omission.gaps]
        self.found: dict[int, float] = {}
        self._nodes: list[Node] = []

    def add(self, t: float, q: Array, v: Array, a: Array) -> None:
        """Add the next state of the motion."""
        if self.left:
            self._nodes.append((t, q, v, np.nan_to_num(a)))
            if len(self._nodes) > STEPS:
                self.finish()

    def back(self, t: float) -> None:
        """Forget what is later than a time."""
        self._nodes = [node for node in self._nodes if node[0] <= t]
        self.left += [i for i, instant in self.found.items() if instant > t]
        self.found = {i: instant for i, instant in self.found.items() if instant <= t}

    def finish(self) -> dict[int, float]:
        """Search the states that were added last, and return all instants by index of the omission."""
        if not self._nodes or not self.left:
            return self.found
        t, *rows = (np.array(column) for column in zip(*self._nodes, strict=True))
        self._nodes = self._nodes[-1:]
        parts = np.linspace(0, 1, WITHIN, endpoint=False)
        times = np.append((t[:-1, None] + parts * np.diff(t)[:, None]).ravel(), t[-1])
        for i, k in self._reach(times, self.left, t, rows).items():
            before, after = float(times[max(k - 1, 0)]), float(times[k])
            for _ in range(HALVINGS if k else 0):
                middle = (before + after) / 2
                reached = self._reach(np.array([middle]), [i], t, rows)
                before, after = (before, middle) if reached else (middle, after)
            self.found[i] = after
        self.left = [i for i in self.left if i not in self.found]
        return self.found

    def _reach(self, times: Array, which: Sequence[int], t: Array, rows: Sequence[Array]) -> dict[int, int]:
        q = _interpolate(times, t, *rows)
        values = {**self.values, **dict(zip(self.names, q.T, strict=True)), "t": times}
        found = find_reached([self.omissions[i] for i in which], values)
        return {which[i]: k for i, k in found.items()}


def find_instants(
    omissions: Sequence[Omission], made: Trajectory, values: Mapping[str, Any], passed: Mapping[int, float] | None
) -> dict[int, float]:
    """Return by index of the omission the time at which a motion first reaches it: the earliest in ``passed`` or of its
    rows; if ``passed`` is None, the rows are close to each other, and the motion is interpolated between them."""
    if passed is None:
        watch = Watch(omissions, made.coordinates, values)
        for row in zip(made.t, made.q, made.v, made.a, strict=True):
            watch.add(*row)
        return watch.finish()
    rows = {**values, **dict(zip(made.coordinates, made.q.T, strict=True)), "t": made.t}
    at_rows = {i: float(made.t[k]) for i, k in find_reached(omissions, rows).items()}
    return at_rows | {i: min(t, at_rows.get(i, t)) for i, t in passed.items()}


def _interpolate(times: Array, t: Array, q: Array, v: Array, a: Array) -> Array:
    """Interpolate positions (K, n) at times, on the quintics through the rows."""
    if len(t) == 1:
        return np.broadcast_to(q[0], (len(times), q.shape[1]))
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[:, None]
    s = (times - t[k])[:, None] / np.where(h, h, 1)
    shift, out, into = q[k + 1] - q[k], h * v[k], h * v[k + 1]
    first = h**2 * a[k] - 6 * shift + 4 * out + 2 * into  # what the cubic lacks of the accelerations
    last = h**2 * a[k + 1] + 6 * shift - 2 * out - 4 * into
    r = 1 - s
    cubic = q[k] + s * shift + s * r * (r * (out - shift) - s * (into - shift))
    return np.asarray(cubic + s**2 * r**2 * (r * first + s * last) / 2)
