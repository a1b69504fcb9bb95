"""Names that MBSD would misread, and the names written instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from mbconcord.model import FrameCoincidence, Loss, System
from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import Expression, call, substitute, symbol, symbols, to_text, topological
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.model.force import JointEffort

from ..letters import degree_letter
from ..syntax import CYRILLIC

_IDENTIFIER = re.compile(r"[^\W\d]\w*")


@dataclass
class Names:
    """New names by old ones; empty maps where nothing changes."""

    symbols: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)

    def text(self, value: Expression) -> str:
        """The formula of an expression in the new names."""
        return to_text(self.renamed(value))

    def renamed(self, value: Expression) -> Expression:
        """The expression in the new names."""
        if not self.symbols and not self.functions:
            return value
        new: dict[Expression, Expression] = {}
        for name in symbols([value]):
            bare = name.rstrip("'")
            if bare in self.symbols:
                new[symbol(name)] = symbol(self.symbols[bare] + name[len(bare) :])
        for node in topological([value]):
            if node.op == "call" and node.data[0] in self.functions:
                args = substitute(node.args, new)
                new[node] = call(self.functions[node.data[0]], args, node.data[1])
        return substitute([value], new)[0]

    def of(self, name: str) -> str:
        """The written name of a coordinate or parameter."""
        return self.symbols.get(name, name)

    def body(self, name: str) -> str:
        """The written name of a body."""
        return self.bodies.get(name, name)


def choose_names(system: System, losses: list[Loss]) -> Names:
    """Names to write; each that differs from the model's is a loss."""
    names = Names()
    auxiliary = [n for c in system.constraints if isinstance(c, FrameCoincidence) for n in c.auxiliary]
    coordinates = [*system.coordinate_names, *auxiliary]
    parameters = [p.name for p in system.parameters]
    functions = [f.name for f in system.functions]
    misread = _own_letters(system)
    bare = {p.name for p in system.parameters if p.value is None}
    taken = {*coordinates, *parameters, *functions}
    for kind, group in (("coordinates", coordinates), ("parameters", parameters), ("functions", functions)):
        used: set[str] = set()
        for name in group:
            wrong = not _sound(name) or name in misread or name in used or (name in bare and _cyrillic(name))
            if kind == "functions":
                wrong = wrong or name in coordinates or name in parameters
            elif kind == "parameters":
                wrong = wrong or name in auxiliary
            used.add(name)
            if wrong:
                target = names.functions if kind == "functions" else names.symbols
                target[name] = _fresh(name, taken)
                losses.append(Loss(f"{kind}/{name}", f"the name {name!r}", f"written as {target[name]}"))
    known = {b.name for b in system.bodies}
    for body in system.bodies:
        if not _IDENTIFIER.fullmatch(body.name):
            names.bodies[body.name] = _fresh(body.name, known)
            losses.append(
                Loss(
                    f"bodies/{body.name}", f"the name {body.name!r}", f"written as {names.bodies[body.name]}"
                )
            )
    return names


def _sound(name: str) -> bool:
    return bool(_IDENTIFIER.fullmatch(name)) and name.isidentifier() and name not in RESERVED


def _cyrillic(name: str) -> bool:
    """Whether a name looks Latin but is not: without a value the reader takes it for a misprint."""
    return not name.isascii() and "".join(CYRILLIC.get(letter, letter) for letter in name).isascii()


def _fresh(name: str, taken: set[str]) -> str:
    latin = "".join(CYRILLIC.get(letter, letter) for letter in name) if _cyrillic(name) else name
    new = re.sub(r"\W", "_", latin)
    if not _IDENTIFIER.fullmatch(new) or not new.isidentifier():
        new = "_" + re.sub(r"[^A-Za-z0-9_]", "_", new)
    while new in taken or new in RESERVED or new in set("uvwxyz"):
        new += "_"
    taken.add(new)
    return new


def _own_letters(system: System) -> set[str]:
    """Names that are the letter of a coordinate and something else in the force of this coordinate."""
    letters = {
        et.coordinate: degree_letter(et)
        for body in system.bodies
        for et in body.joint
        if et.coordinate is not None
    }
    found: set[str] = set()
    for coordinate, value in _efforts(system):
        letter = letters.get(coordinate, "")
        names = {name.rstrip("'") for name in symbols([value])}
        names |= {node.data[0] for node in topological([value]) if node.op == "call"}
        if letter in names and letter != coordinate:
            found.add(letter)
    return found


def _efforts(system: System) -> Iterable[tuple[str, Expression]]:
    for force in system.forces:
        if isinstance(force, JointEffort):
            yield force.coordinate, force.expression()
    for coordinate in system.coordinates:
        if isinstance(coordinate.drive, Effort):
            yield coordinate.name, coordinate.drive.value
