"""The original file as the template of the written file.

Whatever the model does not hold stays where it was; numbers that changed are put in their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mbconcord.converters.format import Reading
from mbconcord.model import Coordinate, Location, Loss, System
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import PI_NODE, Expression, evaluate_float, number
from mbconcord.model.omission import find_assumed
from mbconcord.records import dataclass, replace

from ..reader import read
from ..syntax import parse
from ..tree import UmDocument
from .fields import Fields, UmNames, find_unconfirmed, formula, gravity_block, pascal

KEY = "um:text"
#: The attribute that holds the initial value, by the line that makes a coordinate.
_INITIAL = {"rv": "coord0", "tv": "coord0", "rotat": "x0", "transl": "x0"}
#: Relative difference that degrees and back may cost: 4 units in the last place.
_ROUNDING = 2**-50


@dataclass(frozen=True)
class UmTemplate:
    """The original document, and the model that it reads as."""

    document: UmDocument
    text: str
    reading: Reading

    @classmethod
    def from_system(cls, system: System) -> UmTemplate | None:
        """Return the template in a model's metadata; None if missing or unreadable."""
        kept = system.metadata.get(KEY)
        if kept is None:
            return None
        try:
            text = "\n".join(kept)
            return cls(parse(text), text, read(text, "input.dat", find_assumed(system.omissions)))
        except (MbconcordError, KeyError, TypeError, IndexError, AttributeError):
            return None

    def patch(self, system: System, losses: list[Loss]) -> str | None:
        """Replace gravity, parameter values and initial positions in the text by the model's.

        Return None if the model differs in anything else, or in values that a place of the file cannot take.
        """
        base = self.reading.system
        if _without_numbers(system, base) != base:
            return None
        found: list[Loss] = []
        edits = [
            *self._parameters(system), *self._positions(system), *self._gravity(system, found),
            *self._inertias(system),
        ]  # fmt: skip
        if any(edit is None for edit in edits):
            return None
        if not edits:
            return self.text
        text = self.text
        for (start, end), value in sorted((e for e in edits if e is not None), reverse=True):
            text = text[:start] + value + text[end:]
        if not _same_numbers(read(text, "input.dat").system, system):
            return None
        losses += found
        return text

    def _gravity(self, system: System, losses: list[Loss]) -> Iterator[tuple[tuple[int, int], str]]:
        """Yield edits (span, new text) of the gravity of the object and of its subsystems, which is the same."""
        if system.gravity == self.reading.system.gravity:
            return
        made = gravity_block(system, Fields(system, UmNames(), losses))
        shown = " ".join(f"{a.key}={a.value};" for a in made.attributes)
        for found in re.finditer(r"\bwith\s+egravity\s*;((?:\s*gravity[xyz]\s*=[^;]*;)*)", self.text):
            yield found.span(1), f" {shown}"

    def _parameters(self, system: System) -> Iterator[tuple[tuple[int, int], str] | None]:
        for old, new in zip(self.reading.system.parameters, system.parameters, strict=True):
            if old.value is new.value:
                continue
            if new.value is None or not new.value.constant or find_unconfirmed(new.value) is not None:
                yield None
                continue
            start = self._offset(self.reading.locations[f"parameters/{old.name}"])
            end = re.compile(r"[^#;]*?(?=\s*(?:#[^;]*)?\)\s*;)").match(self.text, start)
            yield ((start, end.end()), formula(new.value) or "0") if end else None

    def _inertias(self, system: System) -> Iterator[tuple[tuple[int, int], str]]:
        """Yield edits of inertias that follow parameters, where UM would recompute them."""
        base = self.reading.system
        values, before = (Fields(s, UmNames(), []) for s in (system, base))
        for body in system.bodies:
            start = self._offset(self.reading.locations[f"bodies/{body.name}"])
            following = re.compile(r"\bwith\s").search(self.text, start + 1)
            inside = self.text[start : following.start() if following else len(self.text)]
            if not re.search(r"\bAutoCalcInertia\s*=\s*true\b", inside, re.IGNORECASE):
                continue
            xx, yy, zz, *_ = body.inertia.tensor
            centre = zip(("rcx", "rcy", "rcz"), body.inertia.centre, strict=True)
            for key, value in (("m", body.inertia.mass), ("ixx", xx), ("iyy", yy), ("izz", zz), *centre):
                found = re.compile(rf"\b{key}\s*=([^;]*);").search(inside)
                if found and not value.constant and before.value(value) != values.value(value):
                    shown = formula(number(repr(values.value(value)))) or "0"
                    yield (start + found.start(1), start + found.end(1)), shown

    def _positions(self, system: System) -> Iterator[tuple[tuple[int, int], str] | None]:
        base = self.reading.system
        turning = {et.coordinate for body in base.bodies for et in body.joint if not et.is_translation}
        records: list[dict[str, Any]] = base.metadata["um:coordinates"]
        for old, new, record in zip(base.coordinates, system.coordinates, records, strict=True):
            if old.position is new.position:
                continue
            if not new.position.constant:
                yield None
                continue
            start = self._offset(self.reading.locations[f"coordinates/{old.name}"])
            key = _INITIAL.get(record["line"], record["line"])
            following = re.compile(r"\bwith\s").search(self.text, start + 1)
            stop = following.start() if following else len(self.text)
            found = re.compile(rf"\b{key}\s*=([^;]*);").search(self.text, start, stop)
            shown = _initial(new.position, old.name in turning)
            yield (found.span(1), shown) if found else None

    def _offset(self, at: Location) -> int:
        """Convert a location in the rendered text to an offset."""
        lines = self.text.split("\n")
        return sum(len(line) + 1 for line in lines[: at.line - 1]) + at.column - 1


def _initial(position: Expression, turns: bool) -> str:
    value = position * 180 / PI_NODE if turns else position
    shown = pascal(value.value if value.op == "num" else float(evaluate_float(value, {})))
    return f" {shown}" if shown[0] not in "-0" else shown


def _without_numbers(system: System, base: System) -> System | None:
    """Return the model with name, metadata, omissions, gravity, parameters, initial positions of the base, or None."""
    if [p.name for p in system.parameters] != [p.name for p in base.parameters]:
        return None
    if system.coordinate_names != base.coordinate_names:
        return None
    coordinates = tuple(
        Coordinate(old.name, old.position, old.velocity, new.drive)
        for old, new in zip(base.coordinates, system.coordinates, strict=True)
    )
    return replace(
        system, name=base.name, metadata=base.metadata, gravity=base.gravity, parameters=base.parameters,
        coordinates=coordinates, omissions=base.omissions,
    )  # fmt: skip


def _same_numbers(again: System, system: System) -> bool:
    """Return True if parameters and initial positions equal those of the model."""
    parameters = all(a.value is b.value for a, b in zip(again.parameters, system.parameters, strict=True))
    return parameters and all(
        a.position is b.position or _close(a.position, b.position)
        for a, b in zip(again.coordinates, system.coordinates, strict=True)
    )


def _close(a: Expression, b: Expression) -> bool:
    if not (a.constant and b.constant):
        return False
    x, y = float(evaluate_float(a, {})), float(evaluate_float(b, {}))
    return abs(x - y) <= _ROUNDING * max(abs(x), abs(y))
