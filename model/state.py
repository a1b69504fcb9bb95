"""A state of a system: time, coordinates, velocities, accelerations, and parameter values set for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mbconcord.records import dataclass, field

from .diagnostics import Diagnostic, NumbersError, among, error

#: What a state file looks like.
FORM = '{"q": {"z1": 0.3}, "v": {"z1": 1}}'


@dataclass(frozen=True, slots=True)
class State:
    """Numbers by name; missing ones come from the model (accelerations: zero).

    ``q`` in m or rad, ``v`` per second, ``a`` per second squared, ``t`` in seconds.
    """

    t: float = 0.0
    q: Mapping[str, float] = field(default_factory=dict)
    v: Mapping[str, float] = field(default_factory=dict)
    a: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of a state file: ``{"t":0,"q":{"z1":0.3},"v":{…},"a":{…},"parameters":{…}}``."""
        return {
            "t": self.t,
            "q": dict(self.q),
            "v": dict(self.v),
            "a": dict(self.a),
            "parameters": dict(self.parameters),
        }

    @classmethod
    def from_json(cls, data: Any) -> State:
        """Read the state from a state file.

        Raises
        ------
        NumbersError
            Not an object of that form, or a value that is no finite number: all findings at once.
        """
        if not isinstance(data, Mapping):
            raise NumbersError(error("state", f"expected an object, found {type(data).__name__}", f"as in {FORM}"))
        findings: list[Diagnostic] = []
        known = ("t", "q", "v", "a", "parameters")
        for key in data:
            if key not in known:
                within = f"coordinates stand within q: {FORM}" if isinstance(data[key], (int, float)) else ""
                findings.append(error(f"state/{key}", "unknown key", within or among(str(key), known)))

        def finite(place: str, value: Any) -> float:
            try:
                if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
                    return float(value)
            except OverflowError:
                pass
            findings.append(error(place, f"{value!r:.40} is not a finite number"))
            return 0.0

        def group(key: str) -> dict[str, float]:
            values = data.get(key, {})
            if not isinstance(values, Mapping):
                findings.append(error(f"state/{key}", "expected an object of names and numbers", f"as in {FORM}"))
                return {}
            return {str(name): finite(f"state/{key}/{name}", value) for name, value in values.items()}

        state = cls(finite("state/t", data.get("t", 0.0)), group("q"), group("v"), group("a"), group("parameters"))
        if findings:
            raise NumbersError(findings)
        return state
