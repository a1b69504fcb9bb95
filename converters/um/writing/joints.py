"""Joints as generalized joints: a list of elementary transformations from body 1, the parent, to body 2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.model import (
    Bipolar,
    Constant,
    Effort,
    ElementaryTransformation,
    Frame,
    FrameCoincidence,
    JointEffort,
    LinearLaw,
    PointCoincidence,
    Prescribed,
    Rod,
    System,
)
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, number, substitute, symbol, symbols
from mbconcord.model.force import LENGTH, LENGTH_RATE, Law, Point
from mbconcord.model.transformation import Vector, rotation, translation

from ..tree import UmBlock
from .fields import Fields, block, find_unconfirmed, formula, quote

# Forces as blocks: one scalar force a coordinate, named by it, and bipolar elements.


X, V = symbol("x"), symbol("v")


def efforts(system: System, fields: Fields) -> dict[str, UmBlock]:
    """Write the scalar force of each coordinate, ``none`` if there is no force, by the coordinate's name."""
    laws: dict[str, list[tuple[str, Law]]] = {c.name: [] for c in system.coordinates}
    for c in system.coordinates:
        if isinstance(c.drive, Effort):
            laws[c.name].append((f"coordinates/{c.name}/drive", c.drive.value))
    for force in system.forces:
        if isinstance(force, JointEffort):
            laws[force.coordinate].append((f"forces/{force.name}", force.effort))
            if force.name != force.coordinate:
                reason = f"the force of a coordinate has its name: {fields.names.coordinate(force.coordinate)}"
                fields.lose(f"forces/{force.name}", f"the name {force.name!r}", reason, acts=False)
    made = {}
    for name, given in laws.items():
        variables = {symbol(name): X, symbol(f"{name}'"): V}
        alone = len(given) == 1
        spoken = [law for place, law in given if _is_confirmed(place, law, variables, fields, alone)]
        made[name] = _scalar_force(fields.names.coordinate(name), spoken, variables, f"coordinates/{name}", fields)
    for closure in system.constraints:
        if isinstance(closure, FrameCoincidence):
            made |= {name: _none(name) for name in closure.auxiliary}
    return made


def bipolars(system: System, fields: Fields, images: Mapping[str, int]) -> Iterator[UmBlock]:
    """Yield the bipolar elements, with their images; one with an unwritable force gets the force ``none``."""
    variables = {LENGTH: X, LENGTH_RATE: V}
    for force in system.forces:
        if not isinstance(force, Bipolar):
            continue
        place, name = f"forces/{force.name}", fields.names.force(force.name)
        spoken = [force.law] if _is_confirmed(place, force.law, variables, fields) else []
        shown = [("igrobj", str(images[force.name]))] if force.name in images else []
        points = [*_point("ro1", force.first, place, fields), *_point("ro2", force.second, place, fields)]
        ends = [
            ("bd1", quote(fields.names.body(force.first.body))),
            ("bd2", quote(fields.names.body(force.second.body))),
        ]
        yield block(
            "bfrc",
            None,
            [("name", quote(name)), *ends, *shown, *points],
            [_scalar_force(name, spoken, variables, place, fields)],
        )


def _point(key: str, point: Point, place: str, fields: Fields) -> Iterator[tuple[str, str]]:
    for axis, value in zip("xyz", point.position, strict=True):
        yield f"{key}{axis}", fields.formula(place, value)


def _is_confirmed(
    place: str, law: Law, variables: dict[Expression, Expression], fields: Fields, alone: bool = True
) -> bool:
    """Return True if a law can be written, alone or as a term of a sum; obstacles become losses."""
    if isinstance(law, LinearLaw) and not alone:
        fields.lose(
            place, "the structure of the linear law", "a coordinate has one force; the sum is written", acts=False
        )
        law = law.force_at(*variables)
    if isinstance(law, LinearLaw):
        if law.q:
            reason = "no UM file seen has one; it is written as q sin(w t + a)"
            fields.lose(place, "certainty about the harmonic part of the linear law", reason, acts=False)
        return True
    value = fields.expand_functions(law)
    missing = find_unconfirmed(value)
    others = symbols([value]) - {x.data for x in variables} - fields.known_parameters
    if missing is None and others:
        missing = f"another coordinate ({', '.join(sorted(others))}) in the formula of a force"
    if missing is not None:
        fields.lose(place, f"the force {law}", f"no UM file seen has {missing}: left out")
    return missing is None


def _in_um(law: Expression, variables: dict[Expression, Expression], fields: Fields) -> Expression:
    """Rewrite the law in x, v and the written names of the parameters."""
    renamed = {symbol(old): symbol(new) for old, new in fields.names.parameters.items()}
    return substitute([fields.expand_functions(law)], {**renamed, **variables})[0]


def _scalar_force(
    name: str, laws: list[Law], variables: dict[Expression, Expression], place: str, fields: Fields
) -> UmBlock:
    if not laws:
        return _none(name)
    if len(laws) == 1 and isinstance(laws[0], LinearLaw):
        law = laws[0]
        keys = ("f0", "k", "l0", "d", "q", "w", "a")
        values = [(key, fields.formula(place, getattr(law, key)) or "0") for key in keys]
        return block("scalarforce", None, [("name", quote(name)), ("type", "linear"), *values])
    x, v = variables
    total = sum((law.force_at(x, v) if isinstance(law, LinearLaw) else law for law in laws), ZERO)
    shown = formula(_in_um(total, variables, fields)) or "0"
    head = [("name", quote(name)), ("type", "expression")]
    return block("scalarforce", None, [*head, ("expression", shown)])


def _none(name: str) -> UmBlock:
    return block("scalarforce", None, [("name", quote(name)), ("type", "none")])


Transformation = ElementaryTransformation
#: Block of the force along a coordinate.
Efforts = Mapping[str, UmBlock]


def close_loops(system: System, fields: Fields) -> tuple[System, dict[str, Expression]]:
    """Replace rods and points that coincide by cut joints; also return the angles of these at the start.

    A rod is two turns at its first end, its length, and three turns at its second end; points that coincide are three
    turns. The first turn of a rod is about the axis of its body that is farthest from it: in a plane, the normal.
    """
    places = _poses(system, fields)
    starts: dict[str, Expression] = {}
    closed = []
    for c in system.constraints:
        if not isinstance(c, Rod | PointCoincidence):
            closed.append(c)
            continue
        (A, a), (B, b) = places[c.first.body], places[c.second.body]
        here, there = (np.array([fields.value(x) for x in end.position]) for end in (c.first, c.second))
        apart = A.T @ (b + B @ there - a - A @ here)
        order = sorted(range(3), key=lambda i: abs(round(float(apart[i]), 9))) if isinstance(c, Rod) else [0, 1, 2]
        axes = ["xyz"[i] for i in order]
        hand = float(np.linalg.det(np.eye(3)[order]))  # turns about the axes of a left-handed triple are reversed
        d, Q = apart[order] / (float(np.linalg.norm(apart)) or 1.0), (A.T @ B)[np.ix_(order, order)]
        angles: list[float] = []
        if isinstance(c, Rod):
            angles = [math.atan2(-d[1], d[2]), math.asin(max(-1.0, min(1.0, d[0])))]
            Q = (_turned((1, 0, 0), angles[0]) @ _turned((0, 1, 0), angles[1])).T @ Q
        middle = math.asin(max(-1.0, min(1.0, Q[0, 2])))
        angles += [math.atan2(-Q[1, 2], Q[2, 2]), middle, math.atan2(-Q[0, 1], Q[0, 0])]
        taken, names = {*system.coordinate_names, *starts}, list[str]()
        for k in range(1, len(angles) + 1):
            name = f"{c.name}_{k}"
            while name in taken:
                name += "_"
            names.append(name)
        starts |= {name: number(repr(hand * angle)) for name, angle in zip(names, angles, strict=True)}
        about = [*axes[:2], *axes] if isinstance(c, Rod) else axes
        turns = [rotation(axis, name) for axis, name in zip(about, names, strict=True)]
        if isinstance(c, Rod):
            turns.insert(2, translation(axes[2], c.length))
            reason = (
                "no UM file seen has a block for it; it is written as a joint of two turns, its length and three turns"
            )
            fields.lose(f"constraints/{c.name}", "certainty about the rod", reason, acts=False)
        first, second = (
            tuple(translation(axis, value) for axis, value in zip("xyz", end.position, strict=True) if value)
            for end in (c.first, c.second)
        )
        closed.append(FrameCoincidence(c.name, Frame(c.first.body, (*first, *turns)), Frame(c.second.body, second)))
    return replace(system, constraints=tuple(closed)), starts


def _poses(system: System, fields: Fields) -> dict[str | None, tuple[np.ndarray, np.ndarray]]:
    """Return axes and origins of the bodies at the start, t = 0, in the fixed frame."""
    at = {symbol(c.name): number(repr(fields.value(c.position))) for c in system.coordinates} | {TIME: ZERO}
    found: dict[str | None, tuple[np.ndarray, np.ndarray]] = {None: (np.eye(3), np.zeros(3))}
    for body in system.bodies:
        R, r = found[body.parent]
        for et in body.joint:
            axis = [fields.value(x) for x in et.axis]
            amount = fields.value(substitute([fields.expand_functions(et.amount)], at)[0])
            if et.is_translation:
                r = r + R @ axis * amount
            else:
                R = R @ _turned(axis, amount)
        found[body.name] = R, r
    return found


def _turned(axis: Sequence[float], angle: float) -> np.ndarray:
    """Return the matrix of a turn about a unit vector: Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    found: np.ndarray = np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K
    return found


def joints(
    system: System, fields: Fields, efforts: Efforts, names: Mapping[str, str], closed: Mapping[str, Expression]
) -> Iterator[UmBlock]:
    """Yield the joints that carry the bodies, in coordinate order, then those that close loops.

    ``names`` has the existing names of joints, by the bodies they carry; ``closed`` angles of cut joints at the start.
    """
    starts = {c.name: c.position for c in system.coordinates}
    order = _order(system)
    bodies = {body.name: body for body in system.bodies}
    written = tuple(name for body in order for name in bodies[body].coordinates)
    if written != system.coordinate_names:
        listed = ", ".join(system.coordinate_names)
        fields.lose(
            "coordinates", f"the order {listed}", f"UM numbers them by joints: {', '.join(written)}", acts=False
        )
    number = 0
    for number, name in enumerate(order, 1):
        body = bodies[name]
        made = list(_transformations(body.joint, f"bodies/{name}/joint", fields, starts, efforts))
        yield _joint(number, fields.names.body(body.parent), fields.names.body(name), made, names.get(name))
    for closure in (c for c in system.constraints if isinstance(c, FrameCoincidence)):
        number += 1
        place = f"constraints/{closure.name}"
        listed = f" {', '.join(closure.auxiliary)}" if closure.auxiliary else ""
        reason = "no UM file seen closes a loop; it is written as a joint that does"
        fields.lose(place, f"certainty about the loop and the names{listed} of its coordinates", reason, acts=False)
        items = (*closure.first.transformations, *_inverse(closure.second.transformations))
        made = list(_transformations(items, place, fields, closed, efforts))
        first, second = (fields.names.body(end.body) for end in (closure.first, closure.second))
        yield _joint(number, first, second, made, closure.name)


def _joint(
    number: int, first: str, second: str, transformations: Sequence[UmBlock], name: str | None = None
) -> UmBlock:
    """Write a generalized joint, by default named after its bodies; an empty shift if it has no transformations."""
    empty = block("et", None, [("type", "tc"), ("ex", ""), ("ey", ""), ("ez", "")])
    return block(
        "joint",
        number,
        [
            ("name", quote(name or f"j{first}_{second}")),
            ("type", "comm"),
            ("bd1", quote(first)),
            ("bd2", quote(second)),
        ],
        transformations or [empty],
    )


def _order(system: System) -> list[str]:
    """Order bodies by the first coordinate of their joints; one without coordinates stays after its predecessor."""
    index = {name: i for i, name in enumerate(system.coordinate_names)}
    keys: dict[str, int] = {}
    last = -1
    for body in system.bodies:
        last = min((index[name] for name in body.coordinates), default=last)
        keys[body.name] = last
    return sorted(keys, key=keys.__getitem__)


def _transformations(
    items: Iterable[Transformation], place: str, fields: Fields, starts: Mapping[str, Expression], efforts: Efforts
) -> Iterator[UmBlock]:
    """Yield the blocks of a joint; consecutive constant shifts along x, y, z are one block."""
    waiting: list[Expression] = []
    for i, et in enumerate(items):
        where = f"{place}/{i}"
        if et.coordinate is None:
            amount = et.amount
            if not isinstance(et.motion, Constant):
                amount = fields.hold_at_start(where, amount, {symbol(q): starts[q] for q in et.moving})
            if not et.is_translation:
                yield from _shift(waiting, where, fields)
                yield _turn("rc", et.axis, fields.number(where, amount, degrees=True), where, fields)
                continue
            first = next(k for k in range(3) if et.axis[k])
            if first < len(waiting):
                yield from _shift(waiting, where, fields)
            parts = [amount * part for part in et.axis]
            waiting += [ZERO] * (first - len(waiting))
            waiting += parts[first : max(k for k in range(3) if et.axis[k]) + 1]
            continue
        yield from _shift(waiting, where, fields)
        start = fields.number(
            f"coordinates/{et.coordinate}", starts.get(et.coordinate, ZERO), degrees=not et.is_translation
        )
        made = _turn("tv" if et.is_translation else "rv", et.axis, start, where, fields)
        yield block(made.keyword, None, [(a.key, a.value) for a in made.attributes], [efforts[et.coordinate]])
    yield from _shift(waiting, place, fields)


def _shift(waiting: list[Expression], place: str, fields: Fields) -> Iterator[UmBlock]:
    """Yield the block of the pending constant shifts, if there are any."""
    if any(waiting):
        values = [*waiting, ZERO, ZERO][:3]
        parts = zip(("ex", "ey", "ez"), (fields.formula(place, v) for v in values), strict=True)
        yield block("et", None, [("type", "tc"), *parts])
    waiting.clear()


def _turn(kind: str, axis: Vector, amount: str, place: str, fields: Fields) -> UmBlock:
    """Write a block with a numeric axis and an amount: ``rc``, ``rv`` or ``tv``."""
    parts = zip(("ex", "ey", "ez"), (fields.number(place, part) for part in axis), strict=True)
    return block("et", None, [("type", kind), *parts, ("coord0", amount)])


def _inverse(items: Sequence[Transformation]) -> Iterator[Transformation]:
    """Yield the inverse transformations; none may have a coordinate."""
    for et in reversed(items):
        kind = Prescribed if isinstance(et.motion, Prescribed) else Constant
        yield ElementaryTransformation(et.kind, et.axis, kind(-ONE * et.amount))
