"""From the text of an input.dat to the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mbconcord.converters.findings import Findings
from mbconcord.converters.format import Reading as Result
from mbconcord.model import ModelError, ReadError, System

from .document import Document, parse
from .reading import bodies as _bodies
from .reading.comments import comments
from .reading.coordinates import coordinates, locations, system_coordinates
from .reading.expressions import Expressions
from .reading.forces import forces
from .reading.identifiers import Identifiers, identifiers
from .reading.kept import kept
from .reading.links import links, tree
from .reading.loops import closures
from .reading.objects import Thing, objects, place
from .reading.reading import Reading


def read(text: str, file: str) -> Result:
    """The model of an input.dat.

    The lines of the file are kept in ``metadata["um:text"]``; ``um:identifiers`` has UM's name of each parameter that
    is named otherwise in the model, ``um:coordinates`` the joint and line of each coordinate, ``um:bodies`` the bodies
    in UM's order where the model's is another, ``um:functions`` UM's name of each function that is kept without a
    formula. What the model does not hold is its ``omissions``.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    document = parse(text, file)
    findings = Findings(file)
    expressions = Expressions(findings)
    things = objects(document, findings)
    findings.stop()
    known = identifiers(things, expressions)
    place(things, expressions)
    reading = Reading(file, findings, expressions)
    joints = links(things, reading)
    findings.stop()
    grown = tree(joints, things, reading)
    findings.stop()
    moving = coordinates(grown, {p.name for p in known.parameters}, reading)
    made = _bodies.bodies(grown, things, moving, known.parameters, reading)
    efforts = forces(moving, things, grown.cuts, reading)
    gravity = _bodies.gravity(things, reading)
    kept(document, things, reading)
    comments(document, things, reading)
    findings.stop()
    taken = {*(m.name for m in moving), *(p.name for p in known.parameters)}
    findings.locations |= {
        **known.locations,
        **locations(moving),
        **_bodies.locations(things, file),
        **{f"constraints/{link.name}": link.block.at(file) for link in grown.cuts},
    }
    try:
        system = System(
            _name(file, document),
            system_coordinates(moving),
            known.parameters,
            tuple(expressions.functions.values()),
            gravity,
            made,
            efforts,
            closures(grown.cuts, taken),
            _metadata(text, known, [m.record() for m in moving], expressions.original)
            | _order(things, [body.name for body in made]),
            reading.omissions(),
        )
    except ModelError as problem:
        raise ReadError(map(findings.placed, problem.diagnostics)) from None
    remarks = sorted(findings.remarks(), key=lambda d: d.severity != "warning")
    return Result(system, tuple(remarks), findings.locations)


def _metadata(
    text: str, known: Identifiers, moving: list[dict[str, Any]], functions: dict[str, str]
) -> dict[str, Any]:
    renamed = {name: original for name, original in known.original.items() if name != original}
    found: dict[str, Any] = {"um:text": text.split("\n"), "um:coordinates": moving}
    if renamed:
        found["um:identifiers"] = renamed
    if functions:
        found["um:functions"] = dict(functions)
    return found


def _order(things: list[Thing], names: list[str]) -> dict[str, Any]:
    """The bodies as UM numbers them, in the order of the file, where the model has parents first and another order."""
    own = [thing.named(name) for thing in things for name in thing.bodies]
    return {} if own == names else {"um:bodies": own}


def _name(file: str, document: Document) -> str:
    """The name of the model: UM calls an object after its folder; a text without a file has its identifier."""
    path = Path(file)
    if path.stem.lower() != "input" and file not in ("-", ""):
        return path.stem
    folder = path.parent.name
    main = document.main
    return folder or (main.get("objectidentifier") if main else "") or "um"
