"""Conversion of an input.dat text to the model."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fittings, Shape
from mbconcord.converters.format import Reading as Result
from mbconcord.converters.poses import Steps, by_quaternion
from mbconcord.model import Body, FrameCoincidence, ModelError, NumbersError, ReadError, System
from mbconcord.model.diagnostics import error
from mbconcord.model.expressions import PI_NODE, ZERO, Expression, evaluate_float
from mbconcord.model.numbers import parameter_values
from mbconcord.model.omission import PlaneGaps
from mbconcord.model.transformation import Vector, X, Y, Z, rotation, shift, unit_vector

from . import ASSUMES
from .layout import headings, shapes
from .reading import bodies as _bodies
from .reading.bodies import closures, coordinate_locations, coordinates, find_rod, system_coordinates
from .reading.expressions import Expressions
from .reading.forces import assumable, forces
from .reading.images import draw_images
from .reading.links import links, tree
from .reading.reading import BASE, NO_VALUE, Identifiers, Thing, UmReading, identifiers, objects, place, remark_of
from .syntax import parse
from .tree import Attribute, Comment, UmBlock, UmDocument

# What the author of a file said in words: comments after ``$``, of identifiers, and of the object.


def comments(document: UmDocument, things: list[Thing], reading: UmReading) -> None:
    """Record each comment as an omission of the model, in file order, except headings that UM writes itself."""
    of = {id(thing.main): thing for thing in things}
    written, block = 0, document.blocks[-1]
    for block in document.walk():
        for at, found in _list_written(block):
            written += 1
            reading.record_comment(str(written), found.text, at)
        thing = of.get(id(block))
        if thing is not None:
            _of_object(thing, reading)
    for found in _keep_author_comments(document.comments):
        written += 1
        reading.record_comment(str(written), found.text, block)


def _list_written(block: UmBlock) -> Iterator[tuple[UmBlock | Attribute, Comment]]:
    """Yield the comments of a block, without those of inner blocks, with the item each belongs to."""
    yield from ((block, comment) for comment in _keep_author_comments(block.comments))
    for attribute in block.attributes:
        if attribute.comments:
            yield from ((attribute, comment) for comment in _keep_author_comments(attribute.comments))
    if block.closing:
        *_, last = block.walk()
        yield from ((last, comment) for comment in _keep_author_comments(block.closing))


def _keep_author_comments(found: tuple[Comment, ...]) -> Iterator[Comment]:
    return (comment for comment in found if comment.text and comment.text not in headings())


def _of_object(thing: Thing, reading: UmReading) -> None:
    """Record the comment of an object and those of its identifiers."""
    whole = thing.main.attribute("comments")
    if whole is not None and thing.main.text("comments").strip():
        reading.record_comment(thing.full_name("comments"), thing.main.text("comments"), whole)
    for block in thing.main.all("const"):
        for attribute in block.attributes:
            name, remark = remark_of(attribute)
            if remark and remark != NO_VALUE:
                reading.record_comment(thing.full_name(name), f"{thing.full_name(name)}: {remark}", attribute)


# What the model cannot hold: kept with the document, an omission of the model each, and said once a kind.
#
# What acts on the motion is a warning; images, sensors and the like are a note. The blocks and attributes that UM's
# files are known to have are those of the layout.


#: Forces that no part of the model holds, by keyword (and by type, where that says more).
ACTING: Final = {
    "cfrc": "contact forces",
    "lfrc": "linear force elements (6×6)",
    "sfrc": "special forces",
    "conn": "connections of elements to outer bodies",
}
SPECIAL: Final = {"bushing": "bushings", "maglev": "magnetic forces"}
#: Kinds of omissions, by keyword or type.
KINDS: Final = {
    "cfrc": "contact",
    "lfrc": "linear-element",
    "sfrc": "special-force",
    "bushing": "bushing",
    "maglev": "magnetic-force",
    "conn": "connection",
    "go": "image",
    "curve": "curve",
    "var": "variable",
    "sensor": "sensor",
    "cnstpages": "page",
}
#: Blocks that only show, name or measure something.
SHOWING: Final = {
    "go": "images",
    "curve": "curves",
    "var": "variables",
    "sensor": "sensors",
    "cnstpages": "pages of identifiers",
}
_MODEL: Final = frozenset(
    {"main", "const", "egravity", "subs", "body", "joint", "jnt1dof", "jnt6dof", "et", "scalarforce", "bfrc"}
)
_POINT: Final = re.compile(r"'([^']*)'")
_UNSEEN: Final = (
    *(f"ro{i}{axis}" for i in "12" for axis in "xyz"), "minx", "maxx", "clearance", "planelimited",
)  # fmt: skip
_PARTS: Final = frozenset({"ge", "curveexpression", "end"})


def note_kept_blocks(document: UmDocument, things: list[Thing], bodies: Iterable[Body], reading: UmReading) -> None:
    """Record remarks and omissions for every kind of block and attribute that the model does not hold."""
    planes = PlaneGaps(bodies)
    known, _ = shapes()
    for block, thing in _walk(document, things):
        at, kind = block.locate(reading.file), KINDS.get(block.keyword, "block")
        if id(block) in reading.assumed:
            if own := reading.assumed[id(block)]:
                message = f"elements of the kind {own} ({block.keyword}) are read by a law that is assumed [I]"
                reading.findings.remark("warning", own, at, message, "its evidence: docs/formats/um.md")
                reading.omit(f"assumed-{own}", block, thing, "forces")
        elif block.keyword in ACTING:
            special = block.get("type") if block.keyword == "sfrc" else ""
            words = SPECIAL.get(special, ACTING[block.keyword])
            message = f"{words} ({block.keyword}) are kept and left out: a loss for the motion"
            reading.findings.remark("warning", words, at, message)
            gaps = _heights(block, thing, planes, reading) if block.keyword == "cfrc" else ()
            reading.omit(KINDS.get(special, kind), block, thing, "forces", gaps=gaps, bodies=_joined(block, thing))
        elif block.keyword in SHOWING:
            words = SHOWING[block.keyword]
            message = f"{words} ({block.keyword}) are kept with the file: the model does not hold them"
            reading.findings.remark("note", words, at, message)
            reading.omit(kind, block, thing, "none")
        elif block.keyword not in _MODEL | _PARTS:
            message = f"found an unknown block {block.keyword}: kept and left out, perhaps a loss for the motion [?]"
            reading.findings.remark("warning", f"block {block.keyword}", at, message)
            reading.omit(kind, block, thing, "unknown")
            continue
        _attributes(block, thing, known[block.keyword].places, reading)
    for attribute in document.attributes:
        message = f"found an attribute {attribute.key} before any block: kept and left out [?]"
        reading.findings.remark("warning", "attribute before", attribute.locate(reading.file), message)
        reading.omit("attribute", attribute, things[0], "unknown")


def _joined(block: UmBlock, thing: Thing) -> tuple[str, ...]:
    """Return the model's names of the bodies, without the base, that an element joins or whose axes it refers to."""
    found = dict.fromkeys(block.text(key) for key in ("bd1", "bd2", "bodyref1", "bodyref2"))
    return tuple(thing.full_name(name) for name in found if name and name != BASE)


def _heights(block: UmBlock, thing: Thing, planes: PlaneGaps, reading: UmReading) -> tuple[Expression, ...]:
    """Return the heights of a contact's points, or sphere, above its plane; empty if its geometry is not understood."""
    name = thing.full_name(block.text("bd1"))
    if name not in planes.bodies or planes.left < 0 or (found := _contact(block, thing, reading.file)) is None:
        return ()
    plane, radius, points = found
    ball = tuple((radius * x, radius * y, radius * z) for x, y, z in (X, Y, Z)) if radius else ()
    return planes.above(plane, name, [(point, ball) for point in points])


def _contact(block: UmBlock, thing: Thing, file: str) -> tuple[tuple[Vector, Vector], Expression, list[Vector]] | None:
    """Return a contact's plane (point, normal) in Base0, its radius, and its points on the first body; None if unknown.

    In all files seen the plane is the second body's, reverse=true, and ro1, ro2, minx, maxx, clearance are empty [I].
    """
    quiet = Expressions(Findings(file))
    if block.text("bd2") != BASE or block.get("reverse") != "true" or any(block.get(key) for key in _UNSEEN):
        return None

    def vectors(values: Sequence[Attribute | None]) -> list[Vector]:
        found = [quiet.constant(value, thing.scope) for value in values]
        return list(zip(found[::3], found[1::3], found[2::3], strict=False))

    place, normal, centre = vectors([block.attribute(f"{k}{axis}") for k in "pes" for axis in "xyz"])
    (radius, *_), listed = vectors([block.attribute("sr")] * 3)[0], block.attribute("points")
    points = vectors([replace(listed, value=word) for word in _POINT.findall(listed.value)]) if listed else []
    chosen = {"plane_point": (ZERO, points), "plane_sphere": (radius, [centre])}.get(block.get("type"))
    known = all(n.constant for n in normal) and any(normal)
    if chosen is None or quiet.findings.errors or quiet.functions or not known:
        return None
    x, y, z = (a + b for a, b in zip(thing.shift, place, strict=True))
    return ((x, y, z), unit_vector(normal)), *chosen


def images(text: str) -> Fittings:
    """Return the shapes that pictures draw of an input.dat: images of bodies; points, spheres, planes of contacts."""
    document, findings = parse(text, "-"), Findings("-")
    expressions = Expressions(findings)
    things = objects(document, findings)
    identifiers(things, expressions)
    place(things, expressions)
    shapes, undrawn = draw_images(things, UmReading("-", findings, expressions))
    planes: list[Shape] = []
    for block, thing in _walk(document, things):
        if block.keyword != "cfrc":
            continue
        of = f"contact/{thing.full_name(block.text('name'))}"
        if (found := _contact(block, thing, "-")) is None:
            undrawn.append(f"contact {thing.full_name(block.text('name'))}")
            continue
        plane, radius, points = found
        body, kind = thing.full_name(block.text("bd1")), "sphere" if radius else "point"
        size = (radius,) if radius else ()
        shapes += (Shape(of, body, kind, size, shift(point), True, (0, 0)) for point in points)
        point, normal = plane
        way = (*shift(point), *_raise(normal))
        planes.append(Shape(of, None, "plane", (ZERO, ZERO), way, True, (0, 0)))
    return Fittings(shapes=(*shapes, *planes), undrawn=tuple(undrawn))


def _raise(normal: Vector) -> Steps:
    """Return the rotation that takes the z axis to a normal."""
    x, y, z = normal
    if not (x or y):
        return () if evaluate_float(z, {}) > 0 else (rotation("x", PI_NODE),)
    return by_quaternion((1 + z, -y, x, ZERO)) or ()


def _attributes(block: UmBlock, thing: Thing, places: Container[str], reading: UmReading) -> None:
    """Record attributes of a block that no known file has; in a block of the model they may have effects."""
    for attribute in block.attributes:
        if attribute.key in places:
            continue
        message = f"found an unknown attribute {attribute.key} in {block.keyword}: kept and left out [?]"
        modelled, at = block.keyword in _MODEL, attribute.locate(reading.file)
        kind = f"attribute {block.keyword} {attribute.key}"
        reading.findings.remark("warning" if modelled else "note", kind, at, message)
        if modelled:
            owner = block.text("name") or block.heading
            reading.omit("attribute", attribute, thing, "unknown", f"{owner}/{attribute.key}")


def _walk(document: UmDocument, things: list[Thing]) -> Iterator[tuple[UmBlock, Thing]]:
    """Yield all blocks, each with its object."""
    of = {id(thing.main): thing for thing in things}
    stack = [(block, things[0]) for block in reversed(document.blocks)]
    while stack:
        block, around = stack.pop()
        thing = of.get(id(block), around)
        yield block, thing
        stack.extend((inner, thing) for inner in reversed(block.blocks))


def find_assumable(document: UmDocument) -> list[str]:
    """List the kinds of elements in a file whose laws may be assumed."""
    found = {assumable(block) for block in document.walk()}
    return [kind for kind in ASSUMES if kind in found]


def read(text: str, file: str, assume: Sequence[str] = ()) -> Result:
    """Read the model of an input.dat; ``assume`` names the kinds of elements that are read by assumed laws.

    The lines of the file are kept in ``metadata["um:text"]``; ``um:identifiers`` has UM's name of each parameter that
    is renamed in the model, ``um:coordinates`` the joint and line of each coordinate, ``um:bodies`` the bodies in UM's
    order if the model's differs, ``um:functions`` UM's name of each function that is kept without a formula. Content
    that the model cannot hold becomes its ``omissions``.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    document = parse(text, file)
    if missing := [kind for kind in assume if kind not in (there := find_assumable(document))]:
        message = f"{file} has no element of the kind {missing[0]}"
        raise ReadError(error("--assume", message, f"it has: {', '.join(there) or 'none whose law may be assumed'}"))
    findings = Findings(file)
    expressions = Expressions(findings)
    things = objects(document, findings)
    findings.stop()
    known = identifiers(things, expressions)
    place(things, expressions)
    reading = UmReading(file, findings, expressions, tuple(assume))
    joints = links(things, reading)
    findings.stop()
    grown = tree(joints, things, reading)
    findings.stop()
    moving = coordinates(grown, {p.name for p in known.parameters}, reading)
    made = _bodies.bodies(grown, things, moving, known.parameters, reading)
    efforts = forces(moving, things, grown.cuts, made, reading)
    gravity = _bodies.gravity(things, reading)
    note_kept_blocks(document, things, made, reading)
    comments(document, things, reading)
    findings.stop()
    taken = {*(m.name for m in moving), *(p.name for p in known.parameters)}
    findings.locations |= {
        **known.locations,
        **coordinate_locations(moving),
        **_bodies.locations(things, file),
        **{f"constraints/{link.name}": link.block.locate(file) for link in grown.cuts},
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
        system = _with_rods(system, findings)
    except ModelError as problem:
        raise ReadError(map(findings.locate, problem.diagnostics)) from None
    remarks = sorted(findings.remarks(), key=lambda d: d.severity != "warning")
    return Result(system, tuple(remarks), findings.locations)


def _with_rods(system: System, findings: Findings) -> System:
    """Replace each cut joint that only keeps two points at a distance by a rod, and record a note."""
    open_values = {p.name: 1.0 for p in system.parameters if p.value is None}
    try:
        values = parameter_values(system, open_values) if system.constraints else {}
    except NumbersError:  # nothing shows the sign of a length
        return system
    made = []
    for c in system.constraints:
        rod = find_rod(c, values) if isinstance(c, FrameCoincidence) else None
        if rod is not None:
            message = "two turns, a length and three turns that close a loop are read as a rod"
            findings.remark("note", "rod", findings.locations[f"constraints/{c.name}"], message)
        made.append(rod or c)
    return replace(system, constraints=tuple(made))


def _metadata(text: str, known: Identifiers, moving: list[dict[str, Any]], functions: dict[str, str]) -> dict[str, Any]:
    renamed = {name: original for name, original in known.original.items() if name != original}
    found: dict[str, Any] = {"um:text": text.split("\n"), "um:coordinates": moving}
    if renamed:
        found["um:identifiers"] = renamed
    if functions:
        found["um:functions"] = dict(functions)
    return found


def _order(things: list[Thing], names: list[str]) -> dict[str, Any]:
    """Return the metadata ``um:bodies``, the bodies in file order; empty if the model's order is the same."""
    own = [thing.full_name(name) for thing in things for name in thing.bodies]
    return {} if own == names else {"um:bodies": own}


def _name(file: str, document: UmDocument) -> str:
    """Return the model's name: the file's; for an input.dat its folder's, as in UM; without a file the identifier."""
    path = Path(file)
    if path.stem.lower() != "input" and file not in ("-", ""):
        return path.stem
    folder = path.parent.name
    main = document.main
    return folder or (main.get("objectidentifier") if main else "") or "um"
