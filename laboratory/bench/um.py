"""1,000 random models through an input.dat of Universal Mechanism and back: equal, and of the same dynamics."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from mbconcord.converters import registry
from mbconcord.formalisms.registry import formalism
from mbconcord.model import (  # fmt: skip
    Bipolar,
    Body,
    Constant,
    Effort,
    ElementaryTransformation,
    Gravity,
    JointEffort,
    LinearLaw,
    System,
    shift,
)
from mbconcord.model.expressions import (
    TIME,
    ZERO,
    Expression,
    evaluate_float,
    number,
    substitute,
    symbol,
    symbols,
    topological,
)
from mbconcord.model.force import Force, Law
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.pair import NAMES
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

from .row import BenchmarkRow

#: Numbers may differ by so many units in the last place of the larger one: degrees and directions cost that.
ULPS = 4
#: The instant at which motions given in time are held, and g (m/s²).
INSTANT, G = number("0.7"), number("9.81")


def um_image(system: System) -> System:
    """Build the nearest model of bodies, coordinates and forces that an input.dat holds.

    Time is fixed, constant rotations are numbers, each coordinate has one force, of itself alone, and no initial
    velocity, formulas have no functions, gravity has UM's size, coordinates follow the order of the joints.
    """
    values = {symbol(p.name): p.value for p in system.parameters if p.value is not None}
    bodies = tuple(_body(body, values) for body in system.lump_masses().bodies)
    gravity = system.gravity and Gravity(G, system.gravity.direction)
    at = {c.name: c for c in system.coordinates}
    place = {name: i for i, name in enumerate(system.coordinate_names)}
    jointed = sorted(
        (b.coordinates for b in bodies if b.coordinates), key=lambda names: min(map(place.__getitem__, names))
    )
    coordinates = tuple(replace(at[name], velocity=ZERO, drive=None) for names in jointed for name in names)
    forces = tuple(_forces(system, [c.name for c in coordinates]))
    return System(system.name, coordinates, system.parameters, (), gravity, bodies, forces)


def _body(body: Body, values: dict[Expression, Expression]) -> Body:
    return replace(body, joint=tuple(_joint(body.joint, values)), added_inertia=None, flywheels=())


def _joint(
    joint: Iterable[ElementaryTransformation], values: dict[Expression, Expression]
) -> Iterator[ElementaryTransformation]:
    """Yield constants in place of prescribed motion; shifts along x, y, z."""
    for et in joint:
        if et.coordinate is not None:
            yield et
        elif et.is_translation:
            yield from shift([_plain(et.amount) * part for part in et.axis])
        else:
            yield replace(et, motion=Constant(substitute([_plain(et.amount)], values)[0]))


def _forces(system: System, order: list[str]) -> Iterator[Force]:
    """Yield one effort per coordinate, then the bipolar elements."""
    efforts: dict[str, Law] = {}
    for c in system.coordinates:
        if isinstance(c.drive, Effort):
            efforts[c.name] = _law(c.drive.value, {c.name})
    for force in system.forces:
        if isinstance(force, JointEffort):
            efforts[force.coordinate] = _law(force.effort, {force.coordinate})
    for name in filter(efforts.__contains__, order):
        yield JointEffort(name, name, efforts[name])
    for force in system.forces:
        if isinstance(force, Bipolar):
            yield replace(force, law=_law(force.law, {"@"}), mass=ZERO)


def _law(law: Law, own: set[str]) -> Law:
    if isinstance(law, LinearLaw):
        return law
    value = _plain(law)
    foreign = {name for name in symbols([value]) if name.rstrip("'") not in own}
    return ZERO if foreign else value


def _plain(value: Expression) -> Expression:
    """Replace each function of a formula by its first argument, at a fixed time."""
    made: dict[Expression, Expression] = {}
    for node in topological([value]):
        if node.op in ("fun", "call"):
            made[node] = substitute([node.args[0]], made)[0]
    return substitute(substitute([value], made), {TIME: INSTANT})[0]


def apart(a: Any, b: Any, place: str = "") -> Iterator[str]:
    """Yield places where two models differ: in structure, or in a number by more than :data:`ULPS` ulp.

    Formulas are the same node, or differ in their constants only by that little at one point.
    """
    if isinstance(a, Expression) and isinstance(b, Expression):
        if a is not b and not _close(a, b):
            yield f"{place}: {a} and {b}"
    elif is_dataclass(a) and type(a) is type(b):
        for field in fields(a):
            if field.name not in ("metadata", "origin"):
                yield from apart(getattr(a, field.name), getattr(b, field.name), f"{place}/{field.name}")
    elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from apart(x, y, f"{place}/{i}")
    elif a != b:
        yield f"{place}: {a!r} and {b!r}"


def _close(a: Expression, b: Expression) -> bool:
    names = sorted(symbols([a]))
    if names != sorted(symbols([b])):
        return False
    values = {name: 0.6 + 0.37 * i for i, name in enumerate(names)}
    x, y = float(evaluate_float(a, values)), float(evaluate_float(b, values))
    return abs(x - y) <= ULPS * max(math.ulp(x), math.ulp(y))


def furthest(a: System, b: System, states: int = 2, seed: int = 0) -> float:
    """Return the largest discrepancy of the dynamics of two models with the same coordinates, by Newton-Euler.

    Rows of h and of forces are relative to scale, entries of M to the largest entry of their unit: a small moment of
    inertia that is the difference of large ones amplifies rounding a thousandfold, even for one model by two
    formalisms.
    """
    found = same_machine(a, b, states, seed, ["newton_euler"])
    compared = [c for c in found.comparisons if c.quantity != NAMES]  # a parameter of one formula is no discrepancy
    rows = [c.discrepancy or 0.0 for c in compared if c.quantity != "M"]
    if found.matching.by != "name" or not rows or any(c.discrepancy is None for c in compared):
        return math.inf
    drawn = draw(a, states, seed)
    by = formalism("newton_euler")
    first = by.evaluate(drawn.system, drawn.states).quantities["M"]
    names = b.coordinate_names
    order = [names.index(name) for name in a.coordinate_names]
    second = by.evaluate(b, drawn.states).quantities["M"][:, order][:, :, order]
    turning = {et.coordinate for body in a.bodies for et in body.joint if not et.is_translation}
    turns = np.array([name in turning for name in a.coordinate_names])
    worst = max(rows)
    for down, across in ((turns, turns), (turns, ~turns), (~turns, ~turns)):
        block = np.ix_(np.arange(len(first)), down, across)
        if first[block].size:
            largest = np.abs(first[block]).max(axis=(1, 2))
            off = np.abs(first[block] - second[block]).max(axis=(1, 2))
            worst = max(worst, float((off[largest > 0] / largest[largest > 0]).max(initial=0.0)))
    return worst


MODELS = 1000
MOST_BODIES = 10
STATES = 2
#: As :func:`laboratory.bench.um.furthest` measures it.
LIMIT = 1e-13


def rows() -> Iterator[BenchmarkRow]:
    """Count failed round trips, changed texts, the worst discrepancy of dynamics, and time."""
    different = unstable = 0
    worst, where, seconds = 0.0, 0, 0.0
    for seed in range(MODELS):
        model = um_image(random_system(seed, 1 + seed % MOST_BODIES))
        start = time.perf_counter()
        text = registry.write(model, "um").text
        again = registry.read_text(text, "input.dat", "um").system
        seconds += time.perf_counter() - start
        different += any(apart(again, replace(model, name=again.name)))
        unstable += registry.write(again, "um").text != text
        discrepancy = furthest(model, again, STATES, seed)
        if discrepancy > worst:
            worst, where = discrepancy, seed
    of = f"of {MODELS}"
    yield BenchmarkRow("random models that do not come back from input.dat", different, "", 0, note=of)
    yield BenchmarkRow(
        f"dynamics: worst discrepancy over {MODELS} models", worst, "relative", LIMIT, note=f"seed {where}"
    )
    yield BenchmarkRow("texts that change when read and written again", unstable, "", 0, note=of)
    yield BenchmarkRow("time to write and read a model", 1000 * seconds / MODELS, "ms", note="mean")
