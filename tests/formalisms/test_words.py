"""Words in formulas of forces, vx(here), speed(tip), pz(tip, hull): closed forms, vectors, refusals, and who judges."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import cos, sin, sqrt, tanh
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import mbconcord as mb
from laboratory.machines import soft_arm
from mbconcord.converters.registry import read_text, write
from mbconcord.formalisms.changing import take_words
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.registry import formalism, names
from mbconcord.model import ModelError, NamedPoint, Point, PointForce, State, System
from mbconcord.model.diagnostics import MbconcordError, NumbersError
from mbconcord.model.expressions import ONE, ZERO, number, symbol, symbols
from mbconcord.model.force import WORDS, find_words, read_word
from mbconcord.model.kinematics import PointMotion
from mbconcord.records import replace
from mbconcord.validation.check import check
from mbconcord.validation.claims import EVERY
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.witnesses.direct.tree import direct

TAKE: Final = ("lagrange", "newton_euler", "virtual_work", "konoplev")
VECTORS: Final = Path(__file__).parents[2].parent / "shared" / "specs" / "vectors" / "asked"

# A hull that turns about z, and slides as the time says; on it a blade that turns about its y, 0.5 m along x; a tip.
Q1, Q2, V1, V2, T = 0.3, -0.4, 1.1, 0.7, 0.2
STATE: Final = State(T, {"q1": Q1, "q2": Q2}, {"q1": V1, "q2": V2}, {"q1": 0.0, "q2": 0.0})
#: Along the axes of the hull: the tip from the hull's origin, its velocity against that of the origin by hand.
ALONG, ACROSS, UP = 0.5 + 0.2 * cos(Q2), 0.0, -0.2 * sin(Q2)
FORTH, ASIDE, RISE = -0.2 * sin(Q2) * V2, ALONG * V1, -0.2 * cos(Q2) * V2
SLIDE, SLIDES = T * T, 2 * T  # along x of the world
VX: Final = SLIDES + cos(Q1) * FORTH - sin(Q1) * ASIDE
VY: Final = sin(Q1) * FORTH + cos(Q1) * ASIDE
#: Word -> what it is by hand.
BY_HAND: Final[dict[str, float]] = {
    "px(tip)": SLIDE + cos(Q1) * ALONG, "py(tip)": sin(Q1) * ALONG, "pz(tip)": UP,
    "px(hull)": SLIDE, "px(tip, hull)": cos(Q1) * SLIDE + ALONG, "py(tip, hull)": -sin(Q1) * SLIDE,
    "vx(tip)": VX, "vy(tip)": VY, "vz(tip)": RISE, "speed(tip)": sqrt(VX * VX + VY * VY + RISE * RISE),
    "vx(tip, hull)": cos(Q1) * SLIDES + FORTH, "vy(tip, hull)": -sin(Q1) * SLIDES + ASIDE,
    "speed(tip, blade)": sqrt(VX * VX + VY * VY + RISE * RISE), "vx(blade)": SLIDES - sin(Q1) * 0.5 * V1,
    "wx(tip)": -sin(Q1) * V2, "wy(blade)": cos(Q1) * V2, "wz(tip)": V1, "wz(hull)": V1,
    "wx(tip, tip)": -sin(Q2) * V1, "wy(tip, blade)": V2, "wz(tip, blade)": cos(Q2) * V1, "wy(tip, hull)": V2,
}  # fmt: skip


def machine(named: bool = False) -> mb.Mechanism:
    """The tip is a body without mass, or a point of the blade that has its name."""
    made = (
        mb.Mechanism("machine").gravity(z=-9.81)
        .body("hull", mass=2, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3)).shift(x="t^2").turns("q1", "z")
        .body("blade", on="hull", mass=1, com=(0.1, 0, 0.1), inertia=(0.02, 0.03, 0.04)).shift(x=0.5).turns("q2", "y")
    )  # fmt: skip
    if named:
        return made.parameters(l=0.2).point("tip", "blade", ("l", 0, 0))
    return made.body("tip", on="blade").shift(x=0.2)


def applied(name: str, system: System, state: State = STATE) -> np.ndarray:
    return formalism(name).evaluate(system, [state]).quantities["applied"][0]


def test_every_word_is_in_the_table() -> None:
    assert {word.partition("(")[0] for word in BY_HAND} == WORDS.keys()


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("name", TAKE)
def test_words_have_their_values_by_hand(name: str, named: bool) -> None:
    for word, expected in BY_HAND.items():
        system = machine(named).effort("e", "q1", word).drive("q2", f"2*{word}").build()
        np.testing.assert_allclose(
            applied(name, system), [expected, 2 * expected], rtol=1e-14, atol=1e-15, err_msg=word
        )


@pytest.mark.parametrize("named", [False, True])
def test_validation_has_the_same_values_by_its_own_kinematics(named: bool) -> None:
    for word, expected in BY_HAND.items():
        system = machine(named).effort("e", "q1", word).build()
        assert TreeKinematics(system, [STATE]).values[word] == pytest.approx(expected, rel=1e-14), word
        assert direct(system, [STATE]).quantities["applied"][0, 0] == pytest.approx(expected, rel=1e-14), word


@pytest.mark.parametrize("name", TAKE)
def test_here_is_the_point_of_the_force(name: str) -> None:
    """The tip of the blade as a point of it: the same drag, in axes of the world and of the body, and as of a body."""
    drag = [f"-3*speed({{0}})*v{x}({{0}})" for x in "xyz"]
    own = machine().force("drag", ("blade", (0.2, 0, 0)), [x.format("here") for x in drag]).build()
    named = machine().force("drag", "tip", [x.format("tip") for x in drag]).build()
    along = [f"-3*speed(here)*v{x}(here, blade)" for x in "xyz"]
    turned = machine().force("drag", ("blade", (0.2, 0, 0)), along, axes="body").build()
    speed = BY_HAND["speed(tip)"]
    by_hand = [-3 * speed * (cos(Q1) * VY - sin(Q1) * VX) * ALONG, -3 * speed * RISE * -0.2 * cos(Q2)]
    by_hand[1] += -3 * speed * (cos(Q1) * VX + sin(Q1) * VY) * -0.2 * sin(Q2)
    for system in (own, named, turned):
        np.testing.assert_allclose(applied(name, system), by_hand, rtol=1e-13)


@pytest.mark.parametrize("name", TAKE)
def test_a_paddle_by_hand(name: str) -> None:
    """A plate at the end of an arm of length L in still water: -c v|v| across it, L away from the axis."""
    system = (
        mb.Mechanism("paddle").body("arm", mass=1, inertia=(1, 1, 1)).turns("q", "z")
        .force("water", ("arm", (0.8, 0, 0)), (0, "-5*vy(here, arm)*abs(vy(here, arm))", 0), axes="body").build()
    )  # fmt: skip
    for rate in (2.0, -3.0):
        found = applied(name, system, State(0.0, {"q": 0.7}, {"q": rate}, {"q": 0.0}))
        np.testing.assert_allclose(found, [-5 * 0.8**3 * rate * abs(rate)], rtol=1e-14)


def falling(force: str = "-c*speed(here)*vz(here)") -> System:
    return (
        mb.Mechanism("drop").parameters(c=0.4).gravity(z=-9.81).body("drop", mass=2, inertia=(1, 1, 1)).slides("z", "z")
        .force("drag", "drop", (0, 0, force)).build()
    )  # fmt: skip


def test_a_drop_falls_with_its_terminal_velocity() -> None:
    """m v' = m g - c v²: v = u tanh(g t/u), u = sqrt(m g/c)."""
    u = sqrt(2 * 9.81 / 0.4)
    run = mb.simulate(falling(), 3.0, q=[0.0], v=[0.0])
    np.testing.assert_allclose(run.v[:, 0], [-u * tanh(9.81 * t / u) for t in run.t], atol=1e-8)
    assert not run.diagnostics


def test_linear_equations_at_rest_and_at_the_terminal_velocity() -> None:
    u = sqrt(2 * 9.81 / 0.4)
    moving = mb.linearize(falling(), q=[0.0], v=[-u])
    np.testing.assert_allclose(moving.damping + moving.gyroscopic, [[2 * 0.4 * u]], rtol=1e-12)
    resting = mb.linearize(falling(), q=[0.0], v=[0.0])
    assert resting.damping[0, 0] == 0 and resting.verdict == "agrees"
    with pytest.raises(NumbersError, match=r"forces/drag: error: no derivative at rest \(speed\(here\) = 0\)"):
        mb.linearize(falling("-c*speed(here)"), q=[0.0], v=[0.0])


def test_a_pendulum_in_air_rests_where_it_hangs() -> None:
    hanging = (
        mb.Mechanism("pendulum").gravity(y=-9.81).body("bob", mass=1, com=(0, -1, 0)).turns("a", "z", start=0.3)
        .force("drag", ("bob", (0, -1, 0)), ("-speed(here)*vx(here)", "-speed(here)*vy(here)", 0)).build()
    )  # fmt: skip
    found = mb.equilibrium(hanging)
    assert found.state.q["a"] == pytest.approx(0, abs=1e-12) and found.verdict == "agrees"
    spun = replace(hanging, forces=(replace(hanging.forces[0], force=(symbol("speed(here)"), ZERO, ZERO)),))
    with pytest.raises(NumbersError, match="no derivative at rest"):
        mb.equilibrium(spun)


@pytest.mark.slow
@pytest.mark.parametrize("closed", [False, True])
def test_check_agrees_in_every_claim(closed: bool) -> None:
    made = machine(named=not closed).force(
        "drag", ("blade", (0.2, 0.1, 0)), ("-speed(here)*vx(here)", "-px(tip)", "wz(hull)*pz(here, hull)")
    )
    made = made.effort("servo", "q1", "-3*py(tip) - 0.4*vy(tip)")
    system = (made.holds("row", "q1 - 2*q2") if closed else made).build()
    found = check(system, states=3, claims=EVERY)
    assert found.verdict == "agrees"
    assert {c.verdict for c in found.comparisons} == {"agrees"}
    silent = [x.formalism for x in found.obstacles] if hasattr(found, "obstacles") else []
    assert not {*TAKE} & {*silent}


class Wrong(Lagrange):
    """Lagrange with velocities of the origin in place of those of the point."""

    def motions(self, system: System, points: Any) -> tuple[PointMotion, ...]:
        bare = super().motions(system, [Point(point.body) for point in points])
        return tuple(replace(x, v=y.v) for x, y in zip(super().motions(system, points), bare, strict=True))


def test_wrong_kinematics_in_a_formula_disagree() -> None:
    system = machine().force("drag", ("blade", (0.2, 0.1, 0)), ("-vx(here)", 0, 0)).build()
    wrong: Formalism = take_words(Wrong)()
    found = check(system, formalisms=[wrong, "newton_euler", "konoplev"], states=2)
    assert found.verdict == "disagrees"
    assert {c.quantity for c in found.comparisons if c.verdict == "disagrees" and "lagrange" in (c.a, c.b)} >= {
        "applied"
    }


@pytest.mark.slow
def test_elastic_bodies() -> None:
    """Origins of bodies on a section; a force at a node knows no motion of its point."""
    arm = soft_arm()
    last = arm.bodies[-1].name
    system = replace(arm, forces=(*arm.forces, PointForce("drag", Point(last), (symbol(f"vx({last})"), ZERO, ZERO))))
    assert check(system, formalisms=["lagrange", "virtual_work"], states=2).verdict == "agrees"
    soft = next(body for body in arm.bodies if body.modes and body.modes.nodes)
    node = next(n.position for n in soft.modes.nodes if any(n.position))  # type: ignore[union-attr]
    with pytest.raises(ModelError, match="an elastic body, motions of nodes are not known"):
        replace(arm, forces=(PointForce("drag", Point(soft.name, node), (symbol("vx(here)"), ZERO, ZERO)),))
    named = replace(arm, points=(NamedPoint("node", soft.name, node), NamedPoint("end", last)))
    with pytest.raises(ModelError, match=r"vx\(node\): of .* motions of nodes are not known"):
        replace(named, forces=(PointForce("drag", Point(last), (symbol("vx(node)"), ZERO, ZERO)),))
    with pytest.raises(ModelError, match=r"points/node: error: .* is neither its origin nor a node"):
        replace(arm, points=(NamedPoint("node", soft.name, (number(7), ZERO, ZERO)),))
    ended = replace(named, forces=(*arm.forces, PointForce("drag", Point(last), (symbol("vx(end)"), ZERO, ZERO))))
    assert check(ended, formalisms=["lagrange", "virtual_work"], states=2).verdict == "agrees"


NOWHERE: Final = "a place, and a body for the axes"
REFUSED: Final[dict[str, tuple[Callable[[mb.Mechanism], Any], str]]] = {
    "a body": (
        lambda m: m.effort("e", "q1", "vx(blad)"),
        "forces/e: error: vx(blad): there is no body or point 'blad' (did you mean 'blade'?",
    ),
    "axes": (
        lambda m: m.effort("e", "q1", "vx(tip, hul)"),
        "forces/e: error: vx(tip, hul): there is no body or point 'hul' (did you mean 'hull'?",
    ),
    "a point": (
        lambda m: m.point("nozzle", "hull", (1, 0, 0)).effort("e", "q1", "vx(nozle)"),
        "forces/e: error: vx(nozle): there is no body or point 'nozle' (did you mean 'nozzle'?",
    ),
    "a point of nothing": (
        lambda m: m.point("end", "blad"),
        "points/end: error: there is no body 'blad' (known bodies:",
    ),
    "a point's formula": (
        lambda m: m.point("end", "blade", ("q1", 0, 0)),
        "points/end: error: 'q1' may not stand here (here only parameters may stand)",
    ),
    "a point and a body": (lambda m: m.point("tip", "hull"), "points/tip: error: 'tip' is there already"),
    "two points": (lambda m: m.point("a", "hull").point("a", "hull"), "points/a: error: 'a' is there already"),
    "a point called here": (
        lambda m: m.point("here", "hull"),
        "points/here: error: 'here' cannot be the name of a point",
    ),
    "here": (
        lambda m: m.effort("e", "q1", "vx(here)"),
        "vx(here): here is the point of a force, and this has none (name a body or a point)",
    ),
    "here of the ground": (
        lambda m: m.force("e", (None, (1, 0, 0)), ("vx(here)", 0, 0)),
        "vx(here): the point is one of the fixed frame",
    ),
    "many": (lambda m: m.force("e", "tip", ("vx(here, tip, tip)", 0, 0)), f"vx(here, tip, tip): {NOWHERE}"),
    "a number": (lambda m: m.effort("e", "q1", "vx(1)"), f"vx(1): {NOWHERE}"),
    "a rate": (lambda m: m.effort("e", "q1", "vx'(tip)"), f"vx'(tip): {NOWHERE}"),
    "a mass": (lambda m: m.body("m", mass="vx(tip)"), "bodies/m/inertia: error: 'vx(tip)' may not stand here"),
    "a parameter": (lambda m: m.parameters(k="vx(tip)"), "parameters/k: error: 'vx(tip)' may not stand here"),
    "a map": (
        lambda m: m.turns(about="z", map="q1*px(hull)"),
        "'px(hull)' may not stand here (here only parameters, q and t may stand)",
    ),
    "a motion": (lambda m: m.rotate("t*px(hull)", "z"), "'px(hull)' may not stand here"),
    "a function": (lambda m: m.function("f", ["x"], "x*wz(tip)"), "functions/f: error: 'wz(tip)' may not stand here"),
    "a reaction": (
        lambda m: m.effort("e", "q1", "-0.3*N*sign(q1')"),
        "forces/e: error: 'N' is not known here (a normal force is declared, as docs/asked.md does",
    ),
    "a reaction by a call": (
        lambda m: m.force("e", "tip", ("-abs(reaction(hull))", 0, 0)),
        "forces/e: error: the function 'reaction' is not declared (a normal force is declared, as docs/asked.md",
    ),
    "an acceleration": (
        lambda m: m.effort("e", "q1", "-2*q1''"),
        "here (here only parameters, q, q' and t may stand; a force of an acceleration is an inertia: a mass, or an",
    ),
    "N in a mass": (lambda m: m.body("m", mass="2*N"), "'N' is not known here (declare it as a parameter)"),
    "a row": (lambda m: m.holds("r", "px(tip)"), "constraints/r: error: 'px(tip)' may not stand here"),
    "a spring": (
        lambda m: m.bipolar("s", "tip", (None, (1, 0, 0)), "-vx(tip)*@"),
        "forces/s: error: 'vx(tip)' may not stand here",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_words_are_refused_with_their_place(case: str) -> None:
    change, said = REFUSED[case]
    with pytest.raises(ModelError) as problem:
        change(machine()).build()
    assert said in str(problem.value), problem.value


def test_a_body_called_here_is_refused_where_here_is_a_word() -> None:
    made = machine().body("here", on="tip").force("f", "tip", ("vx(here)", 0, 0))
    with pytest.raises(ModelError, match="here may mean the body of this name too"):
        made.build()


def test_formalisms_without_motions_refuse() -> None:
    system = machine().effort("e", "q1", "vx(tip)").build()
    for name in names():
        features = {o.feature for o in formalism(name).obstacles(system)}
        assert ("kinematic_words" in features) == (name not in TAKE), name


def test_a_function_of_the_author_wins() -> None:
    system = machine().function("speed", ["x"], "3*x").effort("e", "q1", "speed(q1)").build()
    assert not find_words(system.coordinates, system.forces)
    np.testing.assert_allclose(applied("lagrange", system), [3 * Q1, 0])


def test_texts_hold_words() -> None:
    """Native JSON all of them; MBSD those of efforts, under the names that it gives bodies."""
    made = machine().force('drag: left, "one"', ("blade", (0.2, 0, 0)), ("-speed(here)*vx(here, hull)", 0, 0)).build()
    text = write(made, "native").text
    assert "-speed(here)*vx(here, hull)" in text
    assert read_text(text, "-", "native").system == made
    (word, other) = sorted(find_words(made.coordinates, made.forces), key=str)
    assert {read_word(str(word)), read_word(str(other))} == {word, other}
    servo = machine().parameters(speed=3).effort("q1", "q1", "-speed*py(tip) - 0.4*vy(tip, hull)").build()
    servo = replace(
        servo,
        bodies=tuple(replace(b, name=_blank(b.name), parent=b.parent and _blank(b.parent)) for b in servo.bodies),
        forces=(replace(servo.forces[0], effort=_spoken()),),
    )
    made_text = write(servo, "mbsd")
    back = read_text(made_text.text, "-", "mbsd").system
    assert mb.compare(servo, back).verdict == "agrees"
    assert write(back, "mbsd").text == made_text.text


def _blank(name: str) -> str:
    return {"tip": "the tip"}.get(name, name)


def _spoken() -> Any:
    return -symbol("speed") * symbol('py("the tip")') - symbol('vy("the tip", hull)')


def test_mbsd_refuses_words_elsewhere() -> None:
    read_text('z(q1)"(-vy(b)) $2 #b ; g9.81-y', "-", "mbsd")
    for text in ("z(q1) $(vy(b)) #b", "z(q1) j(vy(b)) #b > z $1"):
        with pytest.raises(MbconcordError, match=r"found vy\(…\), expected"):
            read_text(text, "-", "mbsd")
    with pytest.raises(MbconcordError, match=r"-:1:6: error: forces/q1: vy\(c\): there is no body or point 'c'"):
        read_text('z(q1)"(-vy(c)) $2 #b', "-", "mbsd")


def test_models_whose_words_differ_differ() -> None:
    here = machine().force("f", ("blade", (0.2, 0, 0)), ("-vx(here)", 0, 0)).build()
    origin = machine().force("f", ("blade", (0.2, 0, 0)), ("-vx(blade)", 0, 0)).build()
    tip = machine().force("f", ("blade", (0.2, 0, 0)), ("-vx(tip)", 0, 0)).build()
    assert mb.compare(here, origin).verdict == "disagrees"
    assert mb.compare(here, tip).verdict == "agrees"


def test_a_point_that_moves_is_another_machine_where_a_force_names_it() -> None:
    """And none where nothing does: it says where to look, and acts on nothing."""
    servo = machine(named=True).effort("servo", "q1", "-vy(tip)").build()
    moved = replace(servo, points=(replace(servo.points[0], position=(number("0.21"), ZERO, ZERO)),))
    assert mb.compare(servo, moved).verdict == "disagrees"
    assert mb.compare(servo, machine().effort("servo", "q1", "-vy(tip)").build()).verdict == "agrees"
    idle = [replace(x, forces=()) for x in (servo, moved)]
    assert mb.compare(*idle).verdict == "agrees"


def test_names_are_unique_across_bodies_and_points() -> None:
    system = machine(named=True).build()
    with pytest.raises(ModelError, match="points/hull: error: a body has the same name"):
        replace(system, points=(NamedPoint("hull", "blade"),))
    with pytest.raises(ModelError, match="points/tip: error: 2 points have this name"):
        replace(system, points=system.points * 2)
    with pytest.raises(ModelError, match="points: error: one of them has an empty name"):
        replace(system, points=(NamedPoint("", "blade"),))


@pytest.mark.parametrize("to", ["mbsd", "urdf", "mjcf", "sdf", "um", "tp"])
def test_formats_that_cannot_hold_it_name_the_loss(to: str) -> None:
    system = machine().force("drag", "tip", ("-vx(here)", 0, 0)).build()
    system = replace(
        system,
        bodies=system.bodies[:1],
        coordinates=system.coordinates[:1],
        forces=(PointForce("drag", Point("hull"), (-symbol("vx(here)") * ONE, ZERO, ZERO)),),
        points=(NamedPoint("tip", "hull", (ONE, ZERO, ZERO)), NamedPoint("idle", "hull")),
    )
    losses = {loss.place: loss.acts for loss in write(system, to).losses}
    assert losses["forces/drag"] and not losses["points/tip"] and not losses["points/idle"]
    for word in ("vx(tip)", "vx(here, tip)"):
        used = replace(system, forces=(replace(system.forces[0], force=(symbol(word), ZERO, ZERO)),))
        losses = {loss.place: loss.acts for loss in write(used, to).losses}
        assert losses["points/tip"] == (to != "mbsd") and not losses["points/idle"]


def test_mbsd_writes_points_as_bodies_without_mass() -> None:
    servo = machine(named=True).effort("q1", "q1", "-3*py(tip) - 0.4*vy(hull, tip)").build()
    made = write(servo, "mbsd")
    assert [loss for loss in made.losses if loss.place == "points/tip"]
    back = read_text(made.text, "-", "mbsd").system
    assert back.bodies[-1].name == "tip" and not back.points
    assert mb.compare(servo, back).verdict == "agrees" and write(back, "mbsd").text == made.text


@pytest.mark.skipif(not VECTORS.exists(), reason="the vectors of the specification stand beside the project")
@pytest.mark.parametrize("case", ["09_drag_of_a_point", "10_paddle_in_a_stream"])
def test_vectors_by_an_oracle_in_60_digits(case: str) -> None:
    """By energies and differences."""
    system = mb.read(VECTORS / f"{case}.mbs.json").system
    expected = json.loads((VECTORS / "expected.json").read_text(encoding="utf-8"))[case]
    for name in TAKE:
        found = formalism(name).evaluate(system, [State()]).quantities
        for quantity in ("M", "h", "gravity", "applied"):
            np.testing.assert_allclose(found[quantity][0], expected[quantity], rtol=0, atol=expected["tolerance"])


def test_symbols_of_words_are_no_parameters() -> None:
    system = read_text('z(q1)"(-vy(b)*k) $2 #b ; k = 3', "-", "mbsd").system
    assert {p.name for p in system.parameters} == {"k", "Ix1", "Iy1", "Iz1"}
    assert symbols([system.forces[0].expression()]) == {"vy(b)", "k"}  # type: ignore[union-attr]
