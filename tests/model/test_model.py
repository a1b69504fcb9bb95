"""The shared model: what it refuses when it is built, and how it says so."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from mbconcord.model import (
    AddedInertia,
    Armature,
    Bipolar,
    Body,
    Bushing,
    Constant,
    Coordinate,
    Effort,
    ElasticModes,
    ElasticNode,
    ElementaryTransformation,
    Flywheel,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    LinearLaw,
    ModelError,
    Nonholonomic,
    Parameter,
    Point,
    PointForce,
    Prescribed,
    Rod,
    Torsion,
    Wrench,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import (
    TIME,
    ZERO,
    as_expression,
    call,
    evaluate,
    evaluate_float,
    number,
    rate,
    sin,
    sqrt,
    symbol,
)

from .slider import SLIDE, carrying, m1, model, q


def modes(**more: Any) -> ElasticModes:
    one, three = ((1,),), ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    given: dict[str, Any] = {
        "coordinates": ("e1",), "first_moments": ((1, 2, 3),),
        "second_moments": ((three, three), (three, three)), "stiffness": one, "damping": one,
    }  # fmt: skip
    return ElasticModes(**(given | more))


TIP = ElasticNode("tip", (1, 0, 0), ((1,),) * 3, ((1,),) * 3)

# Each refusal: how to build it, its place, a word of the condition, a word of the remedy.
REFUSED: dict[str, tuple[Callable[[], object], str, str, str]] = {
    "two bodies of one name": (
        lambda: model(bodies=(Body("b", None, SLIDE), Body("b", None))),
        "bodies/b", "2 bodies have this name", "unique",
    ),
    "two coordinates of one name": (
        lambda: model(coordinates=(Coordinate("q"), Coordinate("q"))),
        "coordinates/q", "2 coordinates", "unique",
    ),
    "two flywheels of one name": (
        lambda: carrying(flywheels=(Flywheel("w", (), Inertia(1), ZERO),) * 2),
        "bodies/b/flywheels/w", "2 flywheels", "unique",
    ),
    "two nodes of one name": (
        lambda: carrying(modes=modes(nodes=(TIP, TIP))), "bodies/b/modes/nodes/tip", "2 nodes", "unique",
    ),
    "a coordinate named as a parameter": (
        lambda: model(parameters=(Parameter("m1"), Parameter("q"))), "coordinates/q", "a parameter", "rename",
    ),
    "a mode named as a coordinate": (
        lambda: carrying(modes=modes(coordinates=("q",))),
        "coordinates/q", "elastic mode", "rename",
    ),
    "a mode of two bodies": (
        lambda: model(bodies=(Body("b", None, SLIDE, modes=modes()), Body("c", "b", modes=modes()))),
        "coordinates/e1", "another elastic mode", "rename",
    ),
    "a mode that is not listed": (
        lambda: model(coordinates=(Coordinate("q"),), bodies=(Body("b", None, SLIDE, modes=modes()),)),
        "coordinates/e1", "does not list it", "add it",
    ),
    "a parameter named t": (
        lambda: model(parameters=(Parameter("m1"), Parameter("t"))), "parameters/t", "the time", "rename",
    ),
    "a parameter named as a rate": (
        lambda: model(parameters=(Parameter("m1"), Parameter("q'"))),
        "parameters/q'", "cannot be a name", "rename",
    ),
    "a body without name": (
        lambda: model(bodies=(Body("", None, SLIDE),)), "bodies", "empty name", "name it",
    ),
    "no such parent": (
        lambda: model(bodies=(Body("b", "tower", SLIDE),)),
        "bodies/b/parent", "no body 'tower'", "known bodies: b",
    ),
    "parent after child": (
        lambda: model(bodies=(Body("b", "c", SLIDE), Body("c", None))),
        "bodies/b/parent", "'c' stands after it", "parents come first",
    ),
    "bodies in a circle": (
        lambda: model(bodies=(Body("b", "c", SLIDE), Body("c", "b"))),
        "bodies/b/parent", "carried by itself", "constraint",
    ),
    "a body that carries itself": (
        lambda: model(bodies=(Body("b", "b", SLIDE),)),
        "bodies/b/parent", "carried by itself", "constraint",
    ),
    "no such node": (
        lambda: model(bodies=(
            Body("b", None, SLIDE, modes=modes(nodes=(TIP,))), Body("c", "b", parent_node="top"),
        )),
        "bodies/c/parent_node", "no node 'top'", "known nodes: tip",
    ),
    "a node of a rigid parent": (
        lambda: model(bodies=(Body("b", None, SLIDE), Body("c", "b", parent_node="top"))),
        "bodies/c/parent_node", "no node 'top'", "none",
    ),
    "a coordinate of two joints": (
        lambda: model(bodies=(Body("b", None, SLIDE), Body("c", "b", (rotation("x", "q"),)))),
        "coordinates/q", "2 transformations", 'write the others as maps: "map": "q"',
    ),
    "a coordinate twice in a joint": (
        lambda: model(bodies=(Body("b", None, (translation("x", "q"), rotation("x", "q"))),)),
        "coordinates/q", "2 transformations", 'write the others as maps: "map": "q"',
    ),
    "a coordinate that is not listed": (
        lambda: model(coordinates=()), "coordinates/q", "does not list it", "add it",
    ),
    "a coordinate without joint": (
        lambda: model(coordinates=(Coordinate("q"), Coordinate("p"))),
        "coordinates/p", "no joint", "remove it",
    ),
    "a cut joint's coordinate of the system": (
        lambda: model(constraints=(FrameCoincidence("c", Frame("b", (rotation("z", "q"),)), Frame(None)),)),
        "constraints/c", "of the system and of the cut joint", "its own",
    ),
    "a coordinate twice in a cut joint": (
        lambda: model(constraints=(FrameCoincidence("c", Frame("b", (rotation("x", "p"), rotation("y", "p"))),
                                                    Frame(None)),)),
        "constraints/c", "2 transformations of cut joints move by 'p'", "its own",
    ),
    "a coordinate of two cut joints": (
        lambda: model(constraints=tuple(FrameCoincidence(name, Frame("b", (rotation("x", "p"),)), Frame(None))
                                        for name in "cd")),
        "constraints/c", "2 transformations of cut joints move by 'p'", "its own",
    ),
    "a closure with coordinates on both sides": (
        lambda: FrameCoincidence("c", Frame("b"), Frame(None, (rotation("z", "p"),))),
        "constraints/c", "second frame", "",
    ),
    "a force on no body": (
        lambda: model(forces=(PointForce("f", Point("c"), (1, 0, 0)),)),
        "forces/f", "no body 'c'", "known bodies: b",
    ),
    "an effort on no coordinate": (
        lambda: model(forces=(JointEffort("f", "p", 1),)),
        "forces/f", "no coordinate 'p'", "known coordinates: q",
    ),
    "a rod to no body": (
        lambda: model(constraints=(Rod("r", Point("b"), Point("c"), 1),)),
        "constraints/r", "no body 'c'", "known",
    ),
    "a rod from a body to itself": (
        lambda: model(constraints=(Rod("r", Point("b"), Point("b", (1, 0, 0)), 1),)),
        "constraints/r", "the body 'b' to itself", "name two",
    ),
    "a rod from the fixed frame to itself": (
        lambda: model(constraints=(Rod("r", Point(None), Point(None, (1, 0, 0)), 1),)),
        "constraints/r", "the fixed frame to itself", "name two",
    ),
    "a row over no coordinate": (
        lambda: model(constraints=(Nonholonomic("n", {"p": 1}),)),
        "constraints/n", "no coordinate 'p'", "known",
    ),
    "a parameter defined by itself": (
        lambda: model(parameters=[Parameter(a, 2 * symbol(b)) for a, b in (["m1", "a"], "ab", ("b", "m1"))]),
        "parameters/m1", "m1 -> a -> b -> m1", "break the cycle",
    ),
    "an unknown name in a parameter": (
        lambda: model(parameters=(Parameter("m1", symbol("k")),)),
        "parameters/m1", "'k' is not known", "declare",
    ),
    "a coordinate in a parameter": (
        lambda: model(parameters=(Parameter("m1", q),)), "parameters/m1", "'q' may not stand here",
        "parameters",
    ),
    "time in a mass": (
        lambda: carrying(inertia=Inertia(TIME)), "bodies/b/inertia", "'t' may not stand", "takes momentum with it",
    ),
    "a coordinate in a moment of inertia": (
        lambda: carrying(inertia=Inertia(1, tensor=(q, 1, 1, 0, 0, 0))),
        "bodies/b/inertia", "'q' may not stand", "takes momentum with it",
    ),
    "a rate in the mass of a flywheel": (
        lambda: carrying(flywheels=(Flywheel("w", (), Inertia(rate("q")), ZERO),)),
        "bodies/b/flywheels/w/inertia", '"q\'" may not stand', "takes momentum with it",
    ),
    "time in the mass of a bipolar element": (
        lambda: model(forces=(Bipolar("f", Point("b"), Point(None, (1, 1, 1)), 1, TIME),)),
        "forces/f", "'t' may not stand", "takes momentum with it",
    ),
    "time in the mass of a rod": (
        lambda: model(constraints=(Rod("r", Point("b"), Point(None, (1, 1, 1)), 1, TIME),)),
        "constraints/r", "'t' may not stand", "takes momentum with it",
    ),
    "time in an armature": (
        lambda: model(armatures=(Armature("a", TIME, {"q": 1}),)),
        "armatures/a", "'t' may not stand", "takes momentum with it",
    ),
    "time in an added inertia": (
        lambda: carrying(added_inertia=AddedInertia([[TIME * (i == k) for k in range(6)] for i in range(6)])),
        "bodies/b/added_inertia", "'t' may not stand", "takes momentum with it",
    ),
    "a row that is not linear in rates": (
        lambda: model(constraints=(Nonholonomic("n", {"q": rate("q")}, -1),)),
        "constraints/n", '"q\'" may not stand', "not linear in them exerts is an assumption",
    ),
    "a rest that is not free of rates": (
        lambda: model(constraints=(Nonholonomic("n", {"q": 1}, rate("q") ** 2),)),
        "constraints/n", '"q\'" may not stand', "Chetaev",
    ),
    "a row of a product of rates": (
        lambda: model(constraints=(Holonomic("h", rate("q") * rate("q", 2)),)),
        "constraints/h", "\"q'\", \"q''\" may not stand here", "of a large k, hold it as Appell and Chetaev assume",
    ),
    "an acceleration in a row": (
        lambda: model(constraints=(Holonomic("h", rate("q", 2)),)), "constraints/h", '"q\'\'" may not stand', "q and t",
    ),
    "an acceleration in a force": (
        lambda: model(forces=(JointEffort("f", "q", rate("q", 2)),)), "forces/f", '"q\'\'" may not', "q, q' and t",
    ),
    "time in a constant length": (
        lambda: model(bodies=(Body("b", None, (*SLIDE, translation("y", Constant(TIME)))),)),
        "bodies/b/joint/1", "'t' may not stand", "only parameters",
    ),
    "a coordinate in a constant length": (
        lambda: model(bodies=(Body("b", None, (*SLIDE, translation("y", Constant(q)))),)),
        "bodies/b/joint/1", "'q' may not stand", "only parameters",
    ),
    "a coordinate in a prescribed length": (
        lambda: model(bodies=(Body("b", None, (*SLIDE, translation("y", Prescribed(q * TIME)))),)),
        "bodies/b/joint/1", "'q' may not stand", "parameters and t",
    ),
    "a rate in a holonomic row": (
        lambda: model(constraints=(Holonomic("h", rate("q")),)), "constraints/h", '"q\'" may not', "a factor of each",
    ),
    "a coordinate in a bipolar law": (
        lambda: model(forces=(Bipolar("f", Point("b"), Point(None, (1, 1, 1)), q),)),
        "forces/f", "'q' may not stand", "@ and @'",
    ),
    "a length in a wrench": (
        lambda: model(forces=(Wrench("w", Point("b"), (symbol("@"), 0, 0)),)),
        "forces/w", "'@' may not", "q' and t",
    ),
    "a coordinate in a stiffness": (
        lambda: model(forces=(Bushing("s", Frame(None), Frame("b"), [[q] * 6] * 6),)),
        "forces/s", "'q' may not", "only parameters",
    ),
    "five stiffnesses": (
        lambda: model(forces=(Bushing("s", Frame(None), Frame("b"), [[1] * 6] * 5),)),
        "bushing", "found 5 rows, expected 6", "x, y, z",
    ),
    "a frame of a bushing that moves": (
        lambda: model(forces=(Bushing("s", Frame(None), Frame("b", (translation("x", Prescribed(TIME)),))),)),
        "forces/s/second", "moves in its body", "constant",
    ),
    "a bushing on no body": (
        lambda: model(forces=(Bushing("s", Frame("nobody"), Frame("b")),)), "forces/s", "no body 'nobody'", "b",
    ),
    "a bushing on an elastic body": (
        lambda: replace(carrying(modes=modes()), forces=(Bushing("s", Frame(None), Frame("b")),)),
        "forces/s/second", "on the elastic body 'b'", "massless",
    ),
    "a coordinate in the law of a torsion": (
        lambda: model(forces=(Torsion("s", Frame(None), Frame("b"), q),)), "forces/s", "'q' may not stand", "@ and @'",
    ),
    "a frame of a torsion that moves": (
        lambda: model(forces=(Torsion("s", Frame(None), Frame("b", (rotation("x", Prescribed(TIME)),)), 1),)),
        "forces/s/second", "the frame of a torsion moves", "constant",
    ),
    "a torsion on no body": (
        lambda: model(forces=(Torsion("s", Frame("nobody"), Frame("b"), 1),)), "forces/s", "no body 'nobody'", "b",
    ),
    "an unknown name in a drive": (
        lambda: model(coordinates=(Coordinate("q", drive=Effort(symbol("k") * q)),)),
        "coordinates/q/drive", "'k' is not known", "declare",
    ),
    "an unknown name in a stiffness": (
        lambda: carrying(modes=modes(stiffness=((symbol("k"),),))),
        "bodies/b/modes", "'k' is not known", "declare",
    ),
    "an undeclared function": (
        lambda: model(forces=(JointEffort("f", "q", call("KK", [TIME])),)),
        "forces/f", "'KK' is not declared", "declare",
    ),
    "a function of another number of arguments": (
        lambda: model(forces=(JointEffort("f", "q", call("JK", [TIME, q])),)),
        "forces/f", "takes 1 argument, not 2", "declaration",
    ),
    "a zero axis": (lambda: rotation((0, 0, 0), "q"), "axis", "zero length", "not all zero"),
    "an axis of parameters": (lambda: rotation((m1, 0, 1), "q"), "axis", "made of numbers", ""),
    "an axis of an unknown letter": (lambda: rotation("w", "q"), "axis", "'w' is no axis", ""),
    "a kind of transformation that is none": (
        lambda: ElementaryTransformation("screw", (1, 0, 0), Constant(1)),  # type: ignore[arg-type]
        "kind", "'screw'", "",
    ),
    "gravity without direction": (lambda: Gravity(9.81, (0, 0, 0)), "axis", "zero length", ""),
    "added inertia of another size": (lambda: AddedInertia([[1]]), "added_inertia", "found 1 row of 1", "six"),
    "added inertia that is not symmetric": (
        lambda: AddedInertia([[i + 2 * k for k in range(6)] for i in range(6)]),
        "added_inertia", "elements (2,1) and (1,2) differ: 1 and 2", "make them equal",
    ),
    "a flywheel on a coordinate": (
        lambda: Flywheel("w", (rotation("z", "q"),), Inertia(1), ZERO),
        "flywheels/w", "found q; a flywheel's mounting has no coordinates", "give constants",
    ),
    "first moments of another size": (
        lambda: modes(first_moments=((1, 2),)), "modes/first_moments", "1 by 3 are expected for 1 mode", "",
    ),
    "stiffness of another size": (lambda: modes(stiffness=((1, 2),)), "modes/stiffness", "1 by 1", ""),
    "second moments of another size": (
        lambda: modes(second_moments=((((1,),),),)), "modes/second_moments", "2 by 2 blocks of 3 by 3", "",
    ),
    "second moments with a crooked block": (
        lambda: modes(second_moments=((((1,),),) * 2,) * 2), "modes/second_moments", "blocks of 3 by 3", "",
    ),
    "section inertia that is incomplete": (
        lambda: modes(section_inertia=(((1, 0, 0),) * 3,)), "modes/section_inertia", "three matrices", "",
    ),
    "section inertia of another size": (
        lambda: modes(section_inertia=(((1, 0, 0),) * 3, ((1, 2),) * 3, ((1,),))),
        "modes/section_inertia", "3 by 1", "",
    ),
    "node shapes of another size": (
        lambda: modes(nodes=(ElasticNode("tip", (1, 0, 0), ((1, 2),) * 3, ((1,),) * 3),)),
        "modes/nodes/tip/translation", "3 by 1", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_model_that_cannot_be(case: str) -> None:
    build, place, condition, remedy = REFUSED[case]
    with pytest.raises(ModelError) as caught:
        build()
    found = [d for d in caught.value.diagnostics if d.place == place]
    assert found, str(caught.value)
    assert condition in found[0].message and remedy in found[0].remedy
    assert place in str(caught.value) and condition in str(caught.value)


def test_all_findings_come_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        model(coordinates=(), parameters=(Parameter("a"), Parameter("a")), constraints=(Holonomic("h", symbol("k")),))
    places = {d.place for d in caught.value.diagnostics}
    assert places == {"coordinates/q", "parameters/a", "bodies/b/inertia", "constraints/h"}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none(value: float) -> None:
    with pytest.raises(ValueError, match="not a number"):
        Inertia(value)


def test_axes_are_normalised_exactly() -> None:
    assert rotation((3, 0, 4), "q").axis == (number("3/5"), ZERO, number("4/5"))
    assert rotation("-z", "q").axis == (ZERO, ZERO, as_expression(-1))
    once = rotation((1, 2, 3), "q").axis
    assert once == rotation(once, "q").axis == (1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14))


def test_the_tree_of_a_system() -> None:
    system = model(bodies=(Body("b", None, SLIDE), Body("c", "b"), Body("d", "b"), Body("e", None)))
    assert [b.name for b in system.path("c")] == ["b", "c"] and system.path(None) == ()
    assert [b.name for b in system.children("b")] == ["c", "d"]
    assert [b.name for b in system.children(None)] == ["b", "e"]
    with pytest.raises(ModelError, match=r"no body 'x' \(known: b, c, d, e"):
        system.body("x")


def test_linear_law() -> None:
    """UM's law f0 - k (x - l0) - d v + q sin(w t + a)."""
    law = LinearLaw(1, 2, 3, 4, 5, 6, 7)
    x, v, t = 0.3, -0.8, 0.2
    value = evaluate_float(law.force_at(q, rate("q")), {"q": x, "q'": v, "t": t})
    assert value == pytest.approx(1 - 2 * (x - 3) - 4 * v + 5 * math.sin(6 * t + 7), rel=1e-15)
    assert JointEffort("f", "q", law).expression() is law.force_at(q, rate("q"))


def test_shorthands() -> None:
    assert shift((1, 0, 3)) == (translation("x", Constant(1)), translation("z", Constant(3)))
    assert isinstance(translation("x", sin(TIME)).motion, Prescribed)
    assert isinstance(translation("x", m1).motion, Constant)
    assert translation("x", "q").coordinate == "q" and translation("x", "q").amount is q


def test_lumped_masses_stand_half_and_half_on_the_ends() -> None:
    system = model(
        bodies=(Body("b", None, SLIDE, Inertia(m1)), Body("c", "b")),
        forces=(Bipolar("f", Point("b", (1, 0, 0)), Point("c", (0, 2, 0)), LinearLaw(k=3), 0.5),),
        constraints=(Rod("r", Point("c", (0, 0, 3)), Point(None, (7, 7, 7)), 1, m1),),
    )
    lumped = system.lump_masses()
    values = {"m1": 2.0}
    b, c = (body.inertia for body in lumped.bodies)
    assert evaluate([b.mass, *b.centre], values) == pytest.approx([2.25, 0.25 / 2.25, 0, 0])
    assert evaluate([c.mass, *c.centre], values) == pytest.approx([1.25, 0, 0.5 / 1.25, 3 / 1.25])
    assert not list(lumped.massive()) and lumped.lump_masses() is lumped
    tree = lumped.open_loops()
    assert tree.open_loops() is tree and not tree.constraints
    assert lumped.forces[0].first == system.forces[0].first  # type: ignore[union-attr]
    assert model().lump_masses() == model()


@pytest.mark.parametrize("size", [5, Fraction(1, 10**200), Fraction(10**200)])
def test_the_length_of_an_axis_does_not_matter(size: Fraction | int) -> None:
    (turn, unit) = (rotation(axis, "q") for axis in ((0, 3 * size, 4 * size), (0, Fraction(3, 5), Fraction(4, 5))))
    assert turn == unit
    slant = rotation((0, size, size), "q").axis
    assert [evaluate_float(x, {}) for x in slant] == pytest.approx([0, math.sqrt(0.5), math.sqrt(0.5)], rel=1e-15)
