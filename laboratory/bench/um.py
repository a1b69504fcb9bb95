"""Universal Mechanism: 1,000 random models through an input.dat and back; equations that it generated.

fixtures/um/reference_numbers.json quotes numbers only: 25 states of a machine of two bodies, with forces and moments
on the bodies, and what UM's equations give there. :func:`add_loads` gives a model of that machine those loads as
parameters.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import Bipolar, Body, Effort, Gravity, JointEffort, LinearLaw
from mbconcord.model.coordinate import Parameter
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import TIME, ZERO, Expression, evaluate_float, number, substitute, symbol
from mbconcord.model.expressions.traversal import symbols, topological
from mbconcord.model.force import Force, Law, Point, Wrench
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, ElementaryTransformation, shift
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.motion import Array
from mbconcord.validation.judge.pair import NAMES
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

from .row import BenchmarkRow, seconds

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
    by = registry.formalism("newton_euler")
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
    """Count failed round trips, changed texts, the worst discrepancy of dynamics, and time; then the equations."""
    yield from against_generated()
    different = unstable = 0
    worst, where, seconds = 0.0, 0, 0.0
    for seed in range(MODELS):
        model = um_image(random_system(seed, 1 + seed % MOST_BODIES))
        start = time.perf_counter()
        text = formats.write(model, "um").text
        again = formats.read_text(text, "input.dat", "um").system
        seconds += time.perf_counter() - start
        different += any(apart(again, replace(model, name=again.name)))
        unstable += formats.write(again, "um").text != text
        discrepancy = furthest(model, again, STATES, seed)
        if discrepancy > worst:
            worst, where = discrepancy, seed
    of = f"of {MODELS}"
    yield BenchmarkRow("random models that do not come back from input.dat", different, "", 0, note=of)
    claim = f"dynamics: worst discrepancy over {MODELS} models"
    yield BenchmarkRow(claim, worst, "relative", LIMIT, note=f"seed {where}")
    yield BenchmarkRow("texts that change when read and written again", unstable, "", 0, note=of)
    yield BenchmarkRow("time to write and read a model", 1000 * seconds / MODELS, "ms", note="mean")


Row = Mapping[str, Any]
_FOLDER = files("mbconcord.fixtures").joinpath("um")


def read_states() -> list[Row]:
    """Read the states with UM's numbers at each."""
    found: list[Row] = json.loads(_FOLDER.joinpath("reference_numbers.json").read_text("utf-8"))["states"]
    return found


def model() -> System:
    """Read the machine in this project's format."""
    text = _FOLDER.joinpath("reference_model.mbs.json").read_text("utf-8")
    return formats.read_text(text, "reference_model.mbs.json").system


def add_loads(system: System) -> System:
    """Remove gravity from the machine, and add parameters F1x … T2z: forces (world axes), moments (body axes)."""
    names, wrenches = [], []
    for n, body in enumerate(system.bodies, 1):
        force, moment = _three(f"F{n}"), _three(f"T{n}")
        names += [str(x) for x in (*force, *moment)]
        wrenches.append(Wrench(f"load{n}", Point(body.name), force, moment))
    return replace(
        system, gravity=None, parameters=(*system.parameters, *map(Parameter, names)),
        forces=(*system.forces, *wrenches),
    )  # fmt: skip


def _three(name: str) -> tuple[Expression, Expression, Expression]:
    return symbol(f"{name}x"), symbol(f"{name}y"), symbol(f"{name}z")


def state(row: Row, names: Sequence[str]) -> State:
    """Return the state of a row for a loaded model with these coordinates; the joint force is the parameter ``a``."""
    q, v, a = (dict(zip(names, row[key], strict=True)) for key in ("q", "v", "a"))
    loads = {
        f"{kind}{n}{axis}": x
        for kind, key in (("F", "body_force"), ("T", "body_moment"))
        for n, components in enumerate(row[key], 1)
        for axis, x in zip("xyz", components, strict=True)
    }
    return State(0.0, q, v, a, {"a": row["joint_force"], **loads})


def mass_matrix(row: Row) -> Array:
    """Complete the matrix from the row's lower triangle."""
    lower = row["mass_matrix_lower"]
    m = np.zeros((len(lower), len(lower)))
    for i, entries in enumerate(lower):
        m[i, : len(entries)] = m[: len(entries), i] = entries
    return m


def worst(formalism: Formalism, system: System) -> tuple[float, float]:
    """Return largest differences of mass matrix and residual over all states, relative to the largest entry."""
    found, machine = read_states(), add_loads(system)
    states = [state(row, machine.coordinate_names) for row in found]
    evaluation = evaluate_derivation(formalism.derive(machine), states)
    pairs = (
        (evaluation.quantities["M"], [mass_matrix(row) for row in found]),
        (evaluation.quantities["inverse_dynamics"], [np.array(row["residual"], dtype=float) for row in found]),
    )
    mass, residual = (max(relative(x, y) for x, y in zip(ours, theirs, strict=True)) for ours, theirs in pairs)
    return mass, residual


def relative(found: Array, expected: Array) -> float:
    """Return the largest difference relative to the largest expected entry; infinite if that is zero."""
    gap, size = float(np.abs(found - expected).max()), float(np.abs(expected).max())
    return gap / size if size else (np.inf if gap else 0.0)


GENERATED = 1e-10


def against_generated() -> Iterator[BenchmarkRow]:
    """Yield worst differences of mass matrix and residual by formalism, and reading time."""
    machine = model()
    for name in registry.names():
        formalism = registry.formalism(name)
        if formalism.obstacles(add_loads(machine)) or "M" not in formalism.derive(add_loads(machine)).quantities:
            continue
        mass, residual = worst(formalism, machine)
        note = "25 states, forces and moments on the bodies"
        yield BenchmarkRow(f"{name}: mass matrix against UM's equations", mass, "relative", GENERATED, note=note)
        yield BenchmarkRow(f"{name}: force vector against UM's equations", residual, "relative", GENERATED, note=note)
    with as_file(files("mbconcord.fixtures").joinpath("um_equations/double_pendulum")) as folder:
        time = seconds(lambda: formats.read_equations(f"um:{folder}"))
    yield BenchmarkRow("reading the set of a double pendulum", 1000 * time, "ms", note="12 kB")
