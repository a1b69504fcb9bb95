"""Models for trials of faults: without symmetry, together using all features of open trees; closed ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

from laboratory.machines import fixture, four_links, soft_arm
from mbconcord.model import Armature, Body, Coordinate, Effort, Function, Gravity, Inertia, Motion, Parameter, System
from mbconcord.model.body import tensor
from mbconcord.model.expressions import TIME, Expression, as_expression, call, number, sin, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Force, JointEffort, LinearLaw, Point, PointForce, Wrench
from mbconcord.model.transformation import Constant, Prescribed, Vector, rotation, shift, translation, vector
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.states import ClosedStates, DrawnModel, draw
from mbconcord.validation.strategies import special_trees as special
from mbconcord.validation.strategies.machines import KINDS, random_constraints
from mbconcord.validation.strategies.trees import random_system

#: Seeds and numbers of bodies of the random trees that are tried after the written machine.
TREES = ((2, 4), (11, 5))
#: Seed and number of bodies of a tree so deep, ten coordinates, that sums are gathered along it; it has flywheels.
DEEP = (34, 5)
#: Seed and number of links of the planar linkage.
PLANAR = (5, 6)
STATES = 3


@cache
def subjects() -> tuple[DrawnModel, ...]:
    """Return the models with their states, each drawn once.

    The last five cover features that not every formalism takes, bushings, armatures, a deep tree, and a planar linkage
    for forms that take nothing else.
    """
    bent = {"a3": sin(TIME) - 1, "swing": as_expression(2) - symbol("a2'")}
    posed = [(everything(), 1), (special.ball_joints(), 1)]
    posed += [(random_system(seed, bodies), seed) for seed, bodies in TREES]
    posed += [(build_twisted(), 1), (special.driven(soft_arm(), bent), 1), (four_links("stiffened"), 1)]
    posed += [(special.gyrostats(), 1), (special.sprung_system(9, 3), 1), (special.build_geared(), 1)]
    posed += [(deep_tree(), DEEP[0]), (special.planar_system(*PLANAR), 1)]
    return tuple(draw(system, STATES, seed) for system, seed in posed)


def build_twisted() -> System:
    """Build a short chain whose joints turn about axes that are tilted twice against the bodies before them."""
    bodies = []
    for i in (1, 2, 3):
        tilts = (rotation(axis, Constant(as_expression(Fraction(i + k, 9)))) for k, axis in enumerate("xy"))
        joint = (*shift(vector((Fraction(i, 4), Fraction(-1, 3), Fraction(2, 5)))), *tilts, rotation("z", f"q{i}"))
        products = Fraction(1, 8), Fraction(-1, 9), Fraction(1, 7)
        moments = tensor((Fraction(3, 2), Fraction(7, 5), Fraction(i + 5, 5), *products))
        inertia = Inertia(as_expression(i + 1), vector((Fraction(1, 5), Fraction(i, 7), Fraction(-1, 4))), moments)
        bodies.append(Body(f"b{i}", f"b{i - 1}" if i > 1 else None, joint, inertia))
    gravity = Gravity(as_expression(9.81), vector((1, 2, -7)))
    return System("twisted", tuple(Coordinate(f"q{i}") for i in (1, 2, 3)), gravity=gravity, bodies=tuple(bodies))


def deep_tree() -> System:
    """Build a deep tree with flywheels, and with a rotor that turns with the ends of two of its branches."""
    tree = random_system(*DEEP, flywheels=True)
    *_, first, last = tree.coordinate_names
    return replace(tree, armatures=(Armature("tendon", number("0.4"), {first: number("1.5"), last: number(-3)}),))


def everything() -> System:
    """Build a branched machine that uses every feature of open trees.

    A carriage that slews and lifts about and along general axes on a moving way; on it a welded plate, a massless cross
    with two rotations and a log in it, and a free load of six coordinates.
    """
    names = ("slew", "lift", "sway", "nod", "twist", "x", "y", "z", "roll", "pitch", "yaw")
    drives: dict[str, Effort | Motion] = {
        "lift": Effort(sin(symbol("slew")) - symbol("lift'") * _n("0.4") + TIME),
        "twist": Motion(_n("1.5") * TIME - symbol("sway")),
        "y": Motion(_n("0.7") - symbol("y'") * TIME),
    }
    return System(
        "every feature",
        tuple(Coordinate(name, drive=drives.get(name)) for name in names),
        (Parameter("mass", as_expression(3)), Parameter("reach")),
        (Function("way", ("t",)), Function("piston", ("t", "@", "@'"))),
        Gravity(as_expression(9.81), vector((1, -2, -6))),
        _bodies(),
        _forces(),
    )


def _bodies() -> tuple[Body, ...]:
    way = translation("x", Prescribed(call("way", [TIME])))
    turn = rotation((1, 0, 2), Prescribed(_n("0.3") * TIME * TIME + sin(TIME)))
    tilt = rotation((2, -1, 2), Constant(_n("0.7")))
    arm = shift((_n("0.9"), 0, _n("0.1")))
    free = (
        *(translation(axis, name) for axis, name in zip("xyz", ("x", "y", "z"), strict=True)),
        *(rotation(axis, name) for axis, name in zip("zxz", ("roll", "pitch", "yaw"), strict=True)),
    )
    return (
        Body("carriage", None, (way, tilt, rotation((1, 2, 2), "slew"), translation((3, 0, 4), "lift")), _inertia(1)),
        Body("plate", "carriage", (*shift((_n("0.2"), _n("-0.4"), symbol("reach"))), tilt), _inertia(2)),
        Body("cross", "carriage", (*arm, rotation("y", "sway"), turn, rotation("x", "nod"))),
        Body("log", "cross", (*shift((0, _n("-0.8"), _n("0.3"))), rotation((2, 3, 6), "twist")), _inertia(3)),
        Body("load", "log", free, _inertia(4)),
    )  # fmt: skip


def _inertia(i: int) -> Inertia:
    """Return a different tensor per body, tr(P) E - P of P = Σ r rᵀ, so it is physical."""
    third = (Fraction(2, 5), Fraction(-3, 4), Fraction(1, i))
    arms = ((i, 1, Fraction(1, 2)), (Fraction(-1, 3), Fraction(i, 2), 1), third)
    p = [[sum((Fraction(r[a]) * Fraction(r[b]) for r in arms), Fraction(0)) for b in range(3)] for a in range(3)]
    whole = p[0][0] + p[1][1] + p[2][2]
    mass = symbol("mass") if i == 1 else as_expression(Fraction(5, 2 * i))
    moments = (whole - p[0][0], whole - p[1][1], whole - p[2][2], -p[0][1], -p[0][2], -p[1][2])
    return Inertia(mass, _vector(f"0.{i}", "-0.25", f"0.{i + 3}"), tensor(moments))


def _forces() -> tuple[Force, ...]:
    slew, rates = symbol("slew"), [symbol(f"{name}'") for name in ("slew", "sway", "twist")]
    linear = LinearLaw(*(_n(x) for x in ("0.3", "2", "0.5", "0.7", "1.1", "1.3", "0.2")))
    plate, load = Point("plate", _vector("0.3", "0.2", "-0.6")), Point("load", _vector("0.2", "-0.7", "0.5"))
    strut = call("piston", [TIME, LENGTH, LENGTH_RATE])
    return (
        JointEffort("motor", "slew", 2 * sin(TIME) - _n("0.3") * rates[0] + slew),
        JointEffort("spring", "sway", linear),
        JointEffort("brake", "lift", _n("-1.7") * symbol("lift'")),
        Bipolar("strut", Point(None, _vector("1.5", "-2", "0.7")), plate, strut, _n("0.8")),
        Bipolar("damper", Point("carriage", _vector("0.4", "0.1", "0.2")), load, linear),
        Wrench("press", plate, vector((_n("0.7"), slew, TIME)), vector((_n("1.1"), _n("-0.8"), rates[1]))),
        PointForce("wind", Point("log", _vector("0.6", "-0.2", "0.9")), vector((sin(TIME), _n("1.2"), -rates[1]))),
        PointForce("jet", Point("plate", _vector("-0.7", "0.4", "0.2")), vector((3, _n("-0.4"), rates[1])), "body"),
        Wrench(
            "tool", Point("load", _vector("-0.4", "0.8", "0.3")),
            vector((_n("0.9"), rates[2], TIME)), vector((_n("1.4"), -rates[0], _n("-0.6"))),
        ),
    )  # fmt: skip


def _n(text: str) -> Expression:
    return as_expression(Fraction(text))


def _vector(*texts: str) -> Vector:
    return vector(map(_n, texts))


@cache
def closed_tree(seed: int) -> ClosedStates:
    """Draw a tree of one to four bodies with up to three constraints, at three states."""
    return build_closed(seed, random_system(seed, 1 + seed % 4), KINDS)


@cache
def cut_tree(seed: int) -> ClosedStates:
    """Draw a tree of three to five bodies with cut joints, at three states."""
    return build_closed(seed, random_system(seed, 3 + seed % 3), ("cut",))


@cache
def closed_linkage(seed: int) -> ClosedStates:
    """Draw a planar linkage of three to six links with coincident points, at three states."""
    return build_closed(seed, special.planar_system(seed, 3 + seed % 4), ("point",))


#: Loops cut at a slide, at a pin in a slot, at a universal joint.
CUT_FIXTURES = ("slider_crank", "quick_return", "universal_joint")


@cache
def cut_fixture(name: str) -> ClosedStates:
    """Read a loop of :data:`CUT_FIXTURES`, at three states."""
    return closed_states(fixture(f"native/{name}.mbs.json"), 3, 0)


def build_closed(seed: int, tree: System, kinds: tuple[str, ...]) -> ClosedStates:
    """Add constraints to the tree that hold at a state, and find states near it that satisfy them."""
    drawn, random = draw(tree, 1, seed), Random(seed)
    (start,) = drawn.states
    q, v = ({name: random.uniform(-size, size) for name in drawn.system.coordinate_names} for size in (2, 3))
    start = replace(start, q=q, v=v)
    tried = (random_constraints(seed + k, drawn.system, start, kinds=kinds) for k in range(0, 12000, 1000))
    system = next((found for found in tried if found.constraints), None) or random_constraints(
        seed, drawn.system, start, kinds=("holonomic",)
    )  # too few coordinates for these kinds
    around = (replace(start, q={name: x + random.uniform(-0.1, 0.1) for name, x in start.q.items()}) for _ in "12")
    return closed_states(system, 3, seed, [start, *around])


def closed_subjects() -> Iterator[ClosedStates]:
    """Yield the closed models for faults of constrained motions, each closed on demand."""
    yield from map(cut_fixture, CUT_FIXTURES)
    yield from map(closed_tree, range(8))
    yield from map(cut_tree, range(12))
    yield from map(closed_linkage, range(4))
