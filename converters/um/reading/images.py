"""Images of bodies, their shapes, for pictures, and the mass and inertia that UM computes from them; frames on bodies.

With ``AutoCalcInertia=true`` a body has the mass and inertia of its image.

The file holds the numbers that UM computed last. They become functions of the parameters by the shape's formulas, if
these formulas, at the file's values of the parameters, give the numbers of the file:

    BAR       V = a b c ,             I_x = m (b² + c²)/12 , … , centre (0, 0, c/2)
    CYLINDER  V = r² h (n/2) sin(2π/n) , I_z = m r² (2 + cos(2π/n))/6 , I_x = I_z/2 + m h²/12 , centre (0, 0, h/2)

a cylinder being a prism of n = npc sides, as the digits of a real file show. Formulas of other shapes are unknown: the
numbers stay, and an omission of the model records that UM would change them.

UM writes frames on bodies in parts: ``position=1; p1x=…; p2x=…; axis1=…; angle1=…;``. Angles are in degrees, exactly;
in the model they are in radians.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from mbconcord.converters.fittings import Shape
from mbconcord.converters.poses import Steps
from mbconcord.model import Inertia, Parameter, rotation, translation
from mbconcord.model.expressions import (
    PI_NODE,
    TWO,
    ZERO,
    Expression,
    evaluate_float,
    number,
    substitute,
    symbol,
    symbols,
)
from mbconcord.model.transformation import Kind
from mbconcord.records import dataclass, replace

from ..tree import Attribute, UmBlock
from .reading import Thing, UmReading


def to_radians(angle: Expression) -> Expression:
    """Convert an angle from degrees to radians; a multiple of a degree is a rational part of π."""
    return angle * PI_NODE / 180


#: Keys of a frame: they stand once for each position.
FRAME: Final = tuple(f"{key}{n}" for key in ("axis", "angle") for n in (1, 2, 3)) + tuple(
    f"p{n}{axis}" for n in (1, 2) for axis in "xyz"
)


def frame(block: UmBlock, which: str, thing: Thing, reading: UmReading) -> list[tuple[Kind, str, Expression]]:
    """Read the path from a body's frame to the joint frame ``position=which``: (kind, axis, amount).

    For an image, whose only frame has no ``position``, ``which`` is empty.

    The path is the shift p1, rotations by angle1, angle2, angle3 (degrees) about the axes numbered axis1, axis2, axis3
    [I], then the shift p2 [M]; real files with equations have zeros only.
    """
    part = section(block, which)
    reading.single(replace(block, attributes=tuple(part)))
    values = {a.key: reading.value(a, thing) for a in part}
    way: list[tuple[Kind, str, Expression]] = [
        ("translation", axis, values[f"p1{axis}"]) for axis in "xyz" if values.get(f"p1{axis}", ZERO)
    ]
    if way:
        message = "p1x, p1y, p1z of a joint frame are read as its place on the body [I]"
        reading.findings.remark("note", "p1", block.locate(reading.file), message)
    for place in "123":
        angle = values.get(f"angle{place}", ZERO)
        if angle is ZERO:
            continue
        axis = next((a for a in part if a.key == f"axis{place}"), None)
        if axis is None or axis.value not in ("1", "2", "3"):
            found = f"found axis{place}={axis.value if axis else ''} with angle{place}, expected 1, 2 or 3"
            reading.findings.refuse((axis or part[0]).locate(reading.file), found)
            continue
        way.append(("rotation", "xyz"[int(axis.value) - 1], to_radians(angle)))
        message = f"axis{place}, angle{place} of a joint frame are read as a turn after the shift p1 [?]"
        reading.findings.remark("warning", "turned frame", axis.locate(reading.file), message)
    last: list[tuple[Kind, str, Expression]] = [
        ("translation", axis, values[f"p2{axis}"]) for axis in "xyz" if values.get(f"p2{axis}", ZERO)
    ]
    if last:
        message = "p2x, p2y, p2z of a joint frame are read as a shift after its turns [M]"
        reading.findings.remark("warning", "p2", block.locate(reading.file), message)
    return [*way, *last]


def section(block: UmBlock, which: str) -> list[Attribute]:
    """Return the attributes between ``position=which;`` and the next ``position=…;``."""
    part: list[Attribute] = []
    inside = not which
    for attribute in block.attributes:
        if attribute.key == "position":
            inside = attribute.value == which
        elif inside and (which or attribute.key in FRAME):
            part.append(attribute)
    return part


KIND: Final = "computed-inertia"
#: How far the numbers of a file may be from those of its image: UM prints a mass to four digits, moments to eight.
MASS_DIGITS, MOMENT_DIGITS, LENGTH_DIGITS = 1e-3, 1e-5, 1e-6
#: What stands in an image whose solid is not the whole shape.
_HOLLOW = ("SolidType", "wired")
_PLACED = ("p1x", "p1y", "p1z", "p2x", "p2y", "p2z", "angle2", "angle3")
_AXES = {"1": 0, "2": 1, "3": 2}


@dataclass(frozen=True)
class UmShape:
    """A solid in its own axes: factor k and formula of its volume k V, gyration I/m about x, y, z, its centre on z."""

    factor: float
    volume: Expression
    gyration: tuple[Expression, Expression, Expression]
    centre: Expression


def compute_inertia(
    inertia: Inertia, block: UmBlock, thing: Thing, parameters: Sequence[Parameter], reading: UmReading
) -> Inertia:
    """Return a body's inertia as a function of its image's parameters; if that is unknown, unchanged."""
    images = thing.images
    number_of = block.get("igrobj")
    if block.get("AutoCalcInertia").lower() != "true" or not number_of.isdecimal():
        return inertia
    if not 1 <= int(number_of) <= len(images):
        return inertia
    image = images[int(number_of) - 1]
    used = _parameters(image, images, thing)
    if not used:
        return inertia
    at = block.locate(reading.file)
    found = _following(inertia, image, thing, parameters, reading)
    name = block.text("name")
    if found is None:
        message = (
            f"the inertia of {thing.full_name(name)} was computed from an image with parameters, of a shape "
            f"that is not "
            "known [?]: it stays when they change"
        )
        reading.findings.remark("note", "inertia of image", at, message)
        reading.omit(KIND, image, thing, "none", name)
        return inertia
    message = "the inertia of a body with AutoCalcInertia follows the parameters of its image, a bar or a cylinder [N]"
    reading.findings.remark("note", "inertia of known image", at, message)
    return found


def _parameters(image: UmBlock, images: Sequence[UmBlock], thing: Thing) -> set[str]:
    """Collect the identifiers in an image, and in the images that it contains."""
    found: set[str] = set()
    seen: list[UmBlock] = []
    pending = [image]
    while pending:
        block = pending.pop()
        seen.append(block)
        for element in block.walk():
            for attribute in element.attributes:
                found |= set(_words(attribute)) & thing.scope.identifiers.keys()
            inner = element.get("igo")
            if inner.isdecimal() and int(inner) < len(images) and images[int(inner)] not in seen:
                pending.append(images[int(inner)])
    return found


def _words(attribute: Attribute) -> Iterator[str]:
    text = attribute.value
    if not text.startswith('"'):
        yield from "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def _following(
    inertia: Inertia, image: UmBlock, thing: Thing, parameters: Sequence[Parameter], reading: UmReading
) -> Inertia | None:
    """Return the inertia as formulas; None for an unknown shape, or if the formulas do not give the file's numbers."""
    elements = image.all("ge")
    stored = (inertia.mass, *inertia.tensor, *inertia.centre)
    if len(elements) != 1 or not all(x.constant for x in stored):
        return None
    element = elements[0]
    turn = _turn(image, element)
    shape = _shape(element, thing, reading)
    density = reading.value(element.attribute("Density"), thing)
    if turn is None or shape is None or not density.constant:
        return None
    now = _at_values((shape.volume, *shape.gyration, shape.centre), parameters)
    if now is None or not all(x.constant and evaluate_float(x, {}) for x in now):
        return None
    volume, *gyration, centre = now
    place, sign = turn
    mass = shape.factor * float(evaluate_float(density * volume, {}))
    expected = [mass * float(evaluate_float(gyration[place[i]], {})) for i in range(3)]
    along = [sign * float(evaluate_float(centre, {})) if place[i] == 2 else 0.0 for i in range(3)]
    if not (
        _close([inertia.mass], [mass], MASS_DIGITS * mass)
        and _close(inertia.tensor[:3], expected, MOMENT_DIGITS * max(expected))
        and _close(inertia.tensor[3:], [0.0] * 3, MOMENT_DIGITS * max(expected))
        and _close(inertia.centre, along, LENGTH_DIGITS * abs(float(evaluate_float(centre, {}))))
    ):
        return None
    grown = inertia.mass / volume * shape.volume
    tensor = [
        inertia.tensor[i] / (volume * gyration[place[i]]) * (shape.volume * shape.gyration[place[i]]) for i in range(3)
    ]
    moved = [c / centre * shape.centre if place[i] == 2 else c for i, c in enumerate(inertia.centre)]
    return replace(
        inertia, mass=grown, centre=(moved[0], moved[1], moved[2]),
        tensor=(tensor[0], tensor[1], tensor[2], *inertia.tensor[3:]),
    )  # fmt: skip


def _close(found: Sequence[Expression], expected: Sequence[float], slack: float) -> bool:
    return all(abs(float(evaluate_float(x, {})) - y) <= slack for x, y in zip(found, expected, strict=True))


def _at_values(formulas: Sequence[Expression], parameters: Sequence[Parameter]) -> list[Expression] | None:
    """Put the file's values of parameters into formulas; None if a value is missing or circular."""
    values = {symbol(p.name): p.value for p in parameters if p.value is not None}
    found = list(formulas)
    for _ in range(len(values) + 1):
        if not symbols(found):
            return found
        found = substitute(found, values)
    return None


def _turn(image: UmBlock, element: UmBlock) -> tuple[tuple[int, int, int], int] | None:
    """Return the shape's axis along each axis of the body, and the sign of the shape's z; None if placed otherwise.

    At most one rotation is allowed, by a multiple of 90 degrees about an axis.
    """
    placed = [(block, key) for block in (image, element) for key in _PLACED]
    if any(block.get(key) not in ("", "0") for block, key in placed) or image.get("angle1") not in ("", "0"):
        return None
    if any(element.get(key) not in ("", "false") for key in _HOLLOW):
        return None
    try:
        angle = float(element.get("angle1") or 0)
    except ValueError:
        return None
    about = _AXES.get(element.get("axis1"))
    if angle and (about is None or angle % 90):
        return None
    order, sense = [0, 1, 2], 1
    for _ in range(int(angle % 360 // 90)):
        assert about is not None
        ahead, behind = (about + 1) % 3, (about + 2) % 3
        if order[behind] == 2:  # a turn carries "behind" to minus "ahead", "ahead" to "behind"
            sense = -sense
        order[ahead], order[behind] = order[behind], order[ahead]
    return (order[0], order[1], order[2]), sense


def _shape(element: UmBlock, thing: Thing, reading: UmReading) -> UmShape | None:
    """Return the solid of an element whose shape a real file confirms."""
    if element.get("type") == "BAR":
        return _bar(element.attribute("box"), thing, reading)
    if element.get("type") == "CYLINDER":
        return _cylinder(element, thing, reading)
    return None


def _bar(box: Attribute | None, thing: Thing, reading: UmReading) -> UmShape | None:
    sides = box.value.split(",") if box is not None else []
    if box is None or len(sides) != 3:
        return None
    at = box.value_at(reading.file)
    a, b, c = (reading.expressions.text(side, at, thing.scope) for side in sides)
    gyration = ((b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12)
    return UmShape(1.0, a * b * c, gyration, c / 2)


def _cylinder(element: UmBlock, thing: Thing, reading: UmReading) -> UmShape | None:
    h, r, other = (reading.value(element.attribute(key), thing) for key in ("h", "r1", "r2"))
    sides = element.get("npc")
    if r is not other or not sides.isdecimal() or int(sides) < 3:
        return None
    n = int(sides)
    axial = r * r * number(repr((2 + math.cos(2 * math.pi / n)) / 6))
    across = axial / 2 + h * h / 12
    return UmShape(n / 2 * math.sin(2 * math.pi / n), r * r * h, (across, across, axial), h / 2)


# Shapes of images, for pictures. Bars and cylinders stand on the origin of their element; a cylinder has the radius r1
# there, r2 at its other end [I]; an ellipsoid is about it [I]. A row of Faces is a number of unknown meaning, then
# numbers of Vertices, from 1 [I].


#: Most elements of images, and most corners of a polygon, that are drawn.
MOST_ELEMENTS, MOST_CORNERS = 2_000, 20_000


def draw_images(things: Sequence[Thing], reading: UmReading) -> tuple[list[Shape], list[str]]:
    """Return the shapes of the bodies' images, and a text for each element not drawn: ``image frame: SPRING``."""
    shapes: list[Shape] = []
    undrawn: list[str] = []
    for thing in things:
        for name, block in thing.bodies.items():
            number_of = block.get("igrobj")
            if number_of.isdecimal() and 1 <= int(number_of) <= len(thing.images):
                for found in _elements(int(number_of) - 1, (), (), thing, reading):
                    shape = found if isinstance(found, str) else _draw(*found, thing.full_name(name), thing, reading)
                    if len(shapes) >= MOST_ELEMENTS:
                        undrawn.append(f"more than {MOST_ELEMENTS:,} elements of images")
                        return shapes, list(dict.fromkeys(undrawn))
                    if isinstance(shape, str):
                        undrawn.append(f"image {thing.images[int(number_of) - 1].text('name')}: {shape}")
                    else:
                        shapes.append(shape)
    return shapes, list(dict.fromkeys(undrawn))


def _elements(
    place: int, way: Steps, around: tuple[int, ...], thing: Thing, reading: UmReading
) -> Iterator[tuple[UmBlock, Steps] | str]:
    """Yield each element of an image, and of images inside it, with its frame; a text for an inner image not found."""
    image = thing.images[place]
    here = (*way, *_steps(image, thing, reading))
    for element in image.all("ge"):
        there = (*here, *_steps(element, thing, reading))
        inner = element.get("igo")
        if element.get("type") != "GO":
            yield element, there
        elif inner.isdecimal() and int(inner) < len(thing.images) and int(inner) not in (*around, place):
            yield from _elements(int(inner), there, (*around, place), thing, reading)
        else:
            yield f"GO with igo={inner}"


def _steps(block: UmBlock, thing: Thing, reading: UmReading) -> Steps:
    made = {"translation": translation, "rotation": rotation}
    return tuple(made[kind](axis, amount) for kind, axis, amount in frame(block, "", thing, reading))


def _draw(element: UmBlock, way: Steps, body: str, thing: Thing, reading: UmReading) -> Shape | str:
    """Return the shape of an element; the name of its type if it cannot be drawn."""
    kind = element.get("type")
    edges: tuple[tuple[int, int], ...] = ()
    if kind == "BAR" and (sides := _numbers(element.attribute("box"), thing, reading, 3)):
        shape, size, way = "box", sides, (*way, translation("z", sides[2] / TWO))
    elif kind == "ELLIPSOID" and (axes := _numbers(element.attribute("abc"), thing, reading, 3)):
        shape, size = "ellipsoid", axes
    elif kind == "CYLINDER":
        h, *radii = (reading.value(element.attribute(key), thing) for key in ("h", "r1", "r2"))
        shape, size, way = "cone", (*radii, h), (*way, translation("z", h / TWO))
    elif kind == "POLYGON" and (found := _polygon(element, thing, reading)):
        shape, (size, edges) = "polyhedron", found
    else:
        return kind or "an element without a type"
    return Shape(f"image/{body}", body, shape, tuple(size), way, True, (0, 0), edges=edges)


def _numbers(values: Attribute | None, thing: Thing, reading: UmReading, count: int) -> tuple[Expression, ...]:
    """Read ``a,b,c``, empty values as zero; return an empty tuple if there are not ``count`` values."""
    words = values.value.split(",") if values is not None else []
    if values is None or len(words) != count:
        return ()
    at = values.value_at(reading.file)
    return tuple(reading.expressions.text(w, at, thing.scope) if w.strip() else ZERO for w in words)


def _polygon(
    element: UmBlock, thing: Thing, reading: UmReading
) -> tuple[tuple[Expression, ...], tuple[tuple[int, int], ...]] | None:
    """Return coordinates of a polygon's corners, and its edges as pairs of corners; None if its lists are unusual."""
    corners, faces = (_rows(element.attribute(key)) for key in ("Vertices", "Faces"))
    if not corners or not faces or len(corners) > MOST_CORNERS or any(len(row) != 3 for row in corners):
        return None
    edges: dict[tuple[int, int], None] = {}
    for _, *row in faces:
        if not all(word.isdecimal() and 1 <= int(word) <= len(corners) for word in row):
            return None
        round_it = [int(word) - 1 for word in (*row, *row[:1])]
        edges |= dict.fromkeys((min(pair), max(pair)) for pair in pairwise(round_it))
    try:
        return tuple(number(repr(float(word or 0))) for row in corners for word in row), tuple(edges)
    except ValueError:
        return None


def _rows(values: Attribute | None) -> list[list[str]]:
    text = "" if values is None else values.value.strip().removeprefix("{").removesuffix("}")
    return [[word.strip() for word in row.split(",")] for row in text.split(";") if row.strip()]
