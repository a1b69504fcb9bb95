"""Identifiers: ``cnst=(name# value# "comment");`` become parameters, their formulas kept."""

from __future__ import annotations

from mbconcord.converters.findings import Findings
from mbconcord.model import Location, Parameter
from mbconcord.model.expressions import ZERO, symbol
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.records import dataclass

from ..tree import Attribute
from .expressions import Expressions, UmScope, UnrepresentableError
from .reading import Thing, legal

#: The comment of a zero that stands for a parameter without value, which UM has not: written by this project.
NO_VALUE = "no value"


@dataclass(frozen=True)
class _Entry:
    """An identifier: its name in the model, text and location of its value, the names it may use, its comment."""

    name: str
    text: str
    at: Location
    scope: UmScope
    comment: str = ""


@dataclass(frozen=True)
class Identifiers:
    """Parameters in the order of the file, UM's name of each (``FL.p1``), and their locations."""

    parameters: tuple[Parameter, ...]
    original: dict[str, str]
    locations: dict[str, Location]


def identifiers(things: list[Thing], expressions: Expressions) -> Identifiers:
    """Read the identifiers of all objects, and enter them in the objects' scopes.

    A formula may use any identifier of its own object, defined before or after; the model detects cycles.
    """
    entries: list[_Entry] = []
    original: dict[str, str] = {}
    for thing in things:
        for block in thing.main.all("const"):
            for attribute in block.attributes:
                if attribute.key == "cnst":
                    _declare(attribute, thing, original, entries, expressions.findings)
    parameters = []
    for entry in entries:
        try:
            value = expressions.text(entry.text, entry.at, entry.scope)
        except UnrepresentableError as problem:
            message = f"found {problem} in an identifier, expected numbers and identifiers"
            expressions.findings.refuse(entry.at, message)
            continue
        missing = entry.comment == NO_VALUE and value is ZERO
        parameters.append(Parameter(entry.name, None if missing else value))
    return Identifiers(tuple(parameters), original, {f"parameters/{entry.name}": entry.at for entry in entries})


def remark_of(attribute: Attribute) -> tuple[str, str]:
    """Return the name and the comment of an identifier."""
    name, _, rest = attribute.value[1:-1].partition("#")
    return name.strip(), rest.partition("#")[2].strip().strip('"').strip()


def _declare(
    attribute: Attribute, thing: Thing, original: dict[str, str], entries: list[_Entry], findings: Findings
) -> None:
    at = attribute.value_at(findings.file)
    head, _, rest = attribute.value[1:-1].partition("#")
    text = rest.partition("#")[0]
    name = head.strip()
    if attribute.value[:1] + attribute.value[-1:] != "()" or "#" not in attribute.value or not name.isidentifier():
        shown = attribute.value if len(attribute.value) < 60 else attribute.value[:57] + "..."
        findings.refuse(at, f"found cnst={shown}, expected cnst=(name# value); with a name of letters, digits, _")
        return
    if name in thing.scope.identifiers:
        findings.refuse(at, f"found a second identifier {name!r}, expected a name of its own", "rename it")
        return
    chosen = legal(thing.path, name)
    while chosen in RESERVED or chosen in original:
        chosen += "_"
    original[chosen] = thing.full_name(name)
    thing.scope.declare(name, symbol(chosen))
    begin = len(head) + 2 + len(text) - len(text.lstrip())
    before = attribute.value[:begin]
    line, last = at.line + before.count("\n"), len(before) - before.rfind("\n") - 1
    where = Location(at.file, line, (at.column if line == at.line else 1) + last)
    entries.append(_Entry(chosen, text.strip(), where, thing.scope, remark_of(attribute)[1]))
