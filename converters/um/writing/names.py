"""Names that UM would misread, and their replacements."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from mbconcord.model import Bipolar, Effort, JointEffort, Loss, System
from mbconcord.model.expressions import symbols
from mbconcord.model.expressions.formula_errors import RESERVED as RESERVED_WORDS
from mbconcord.model.force import law_expressions
from mbconcord.records import dataclass, field

#: Words with a meaning of their own in UM's formulas, and those that no formula of ours may have as a name.
RESERVED: Final = RESERVED_WORDS | {"x", "v", "p", "time", "sqr", "coordinate"}
#: Names of bodies that UM has for itself.
BASE, EXTERNAL = "Base0", "External"
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
#: A name between quotation marks, without the dot that leads into a subsystem.
_PART = re.compile(r"[^\".\r\n\t]+")


@dataclass
class UmNames:
    """Maps from the model's names to written names; only names that change are in them."""

    parameters: dict[str, str] = field(default_factory=dict)
    coordinates: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    forces: dict[str, str] = field(default_factory=dict)

    def parameter(self, name: str) -> str:
        """Return the written name of a parameter."""
        return self.parameters.get(name, name)

    def coordinate(self, name: str) -> str:
        """Return the written name of a coordinate."""
        return self.coordinates.get(name, name)

    def force(self, name: str) -> str:
        """Return the written name of a bipolar element."""
        return self.forces.get(name, name)

    def body(self, name: str | None) -> str:
        """Return the written name of a body; None is the base."""
        return BASE if name is None else self.bodies.get(name, name)


def choose_names(system: System, losses: list[Loss]) -> UmNames:
    """Choose the names to write; each that differs from the model's is a loss.

    UM may be case-insensitive: identifiers that differ only in case are renamed, and so are X and V in the force of a
    coordinate, where x and v have a meaning.
    """
    names = UmNames()
    parameters = [p.name for p in system.parameters]
    reserved = RESERVED | {name for name in _in_forces(system) if name.lower() in ("x", "v")}
    _rename("parameters", parameters, _IDENTIFIER, reserved, names.parameters, losses, str.lower)
    written = {names.parameter(name) for name in parameters}
    # UM shows a coordinate by its number; the name is that of its scalar force.
    _rename(
        "coordinates", list(system.coordinate_names), _IDENTIFIER, RESERVED_WORDS | written,
        names.coordinates, losses,
    )  # fmt: skip
    _rename("bodies", [b.name for b in system.bodies], _PART, {BASE, EXTERNAL}, names.bodies, losses)
    forces = [f.name for f in system.forces if isinstance(f, Bipolar)]
    taken = {names.coordinate(name) for name in system.coordinate_names}
    _rename("forces", forces, _PART, taken, names.forces, losses)
    return names


def _in_forces(system: System) -> Iterator[str]:
    """Yield the names in the laws of forces."""
    for force in system.forces:
        if isinstance(force, (JointEffort, Bipolar)):
            yield from symbols(law_expressions(force.effort if isinstance(force, JointEffort) else force.law))
    for c in system.coordinates:
        if isinstance(c.drive, Effort):
            yield from symbols([c.drive.value])


def _rename(
    kind: str,
    group: list[str],
    sound: re.Pattern[str],
    reserved: Collection[str],
    new: dict[str, str],
    losses: list[Loss],
    told: Callable[[str], str] = str,
) -> None:
    """Choose new names for unsound or reserved ones, and for duplicates under the key ``told``."""
    taken = {told(name) for name in (*group, *reserved)}
    seen: set[str] = set()
    for name in group:
        if sound.fullmatch(name) and name not in reserved and told(name) not in seen:
            seen.add(told(name))
            continue
        fresh = re.sub(r"\W", "_", name) or "_"
        fresh = fresh if _IDENTIFIER.fullmatch(fresh) else f"_{fresh}"
        while told(fresh) in taken:
            fresh += "_"
        taken.add(told(fresh))
        new[name] = fresh
        reason = f"UM would or might misread it: written as {fresh}"
        losses.append(Loss(f"{kind}/{name}", f"the name {name!r}", reason, acts=False))
