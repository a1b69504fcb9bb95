"""Two models of one machine are found the same whatever they call things; a planted difference is located."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbconcord.converters.registry import read_text
from mbconcord.model import (
    Body,
    Coordinate,
    Function,
    Inertia,
    NumbersError,
    Parameter,
    Prescribed,
    State,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import TIME, as_expression, call, symbol
from mbconcord.validation.claims.same_motion import permute_bodies, split_bodies
from mbconcord.validation.compare import QUANTITIES, same_machine
from mbconcord.validation.judge import pair_scales
from mbconcord.validation.judge.matching import match
from mbconcord.validation.strategies.trees import random_system

from .fakes import double_pendulum, soft


def renamed(system: System, names: dict[str, str]) -> System:
    """The double pendulum with other names of coordinates."""
    from mbconcord.model.expressions import substitute
    from mbconcord.model.force import JointEffort
    from mbconcord.model.transformation import Variable

    def of(name: str) -> str:
        return names.get(name, name)

    old = {symbol(n + s): symbol(of(n) + s) for n in names for s in ("", "'")}
    bodies = tuple(
        replace(
            b, joint=tuple(replace(et, motion=Variable(of(et.coordinate))) if et.coordinate else et for et in b.joint)
        )
        for b in system.bodies
    )
    forces = tuple(
        replace(f, coordinate=of(f.coordinate), effort=substitute([f.expression()], old)[0])
        if isinstance(f, JointEffort)
        else f
        for f in system.forces
    )
    coordinates = tuple(replace(c, name=of(c.name)) for c in system.coordinates)
    return replace(system, coordinates=coordinates, bodies=bodies, forces=forces)


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "change", [permute_bodies, split_bodies, lambda s: replace(s, coordinates=s.coordinates[::-1])]
)
def test_the_same_machine_in_other_words(seed: int, change) -> None:  # type: ignore[no-untyped-def]
    model = random_system(seed, 1 + seed)
    found = same_machine(model, change(model), 3, seed)
    assert found.verdict == "agrees", str(found)
    assert {c.quantity for c in found.comparisons} == set(QUANTITIES)
    assert found.matching.by == "name"


def test_coordinates_of_other_names_are_matched_by_structure_and_reported() -> None:
    model = double_pendulum()
    other = renamed(model, {"z1": "phi", "z2": "psi"})
    other = replace(other, coordinates=other.coordinates[::-1])
    found = same_machine(model, other, 3)
    assert (found.verdict, found.stands, found.matching.by) == ("agrees after matching", True, "structure")
    assert found.matching.pairs == (("z1", "phi"), ("z2", "psi"))
    assert str(found).startswith("the same machine after matching z1 = phi, z2 = psi\n")
    assert "no other matching has its structure, and with it the equations are proved identical" in str(found)
    assert found.to_json()["matching"]["searched"] == "matching z1 = phi, z2 = psi"
    half = same_machine(model, renamed(model, {"z2": "psi"}), 3)
    assert (half.verdict, half.matching.by) == ("agrees after matching", "name and structure")
    assert half.headline == "the same machine after matching z2 = psi"


#: what is told -> verdict, how they were matched
TOLD = [
    ({"z1": "phi", "z2": "psi"}, "agrees", "given names"),
    ({"z2": "psi"}, "agrees after matching", "given names and structure"),
    ({"z1": "psi", "z2": "phi"}, "disagrees", "given names"),
]


@pytest.mark.parametrize(("told", "verdict", "by"), TOLD)
def test_what_is_told_of_the_coordinates_goes_first(told: dict[str, str], verdict: str, by: str) -> None:
    model = double_pendulum()
    found = same_machine(model, renamed(model, {"z1": "phi", "z2": "psi"}), 1, coordinates=told)
    assert (found.verdict, found.matching.by, found.stands) == (verdict, by, verdict != "disagrees")


def test_equal_names_of_other_coordinates_are_told_apart() -> None:
    model = double_pendulum()
    swapped = renamed(model, {"z1": "z2", "z2": "z1"})
    assert same_machine(model, swapped, 1).verdict == "disagrees"
    assert same_machine(model, swapped, 1, coordinates={"z1": "z2", "z2": "z1"}).verdict == "agrees"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"z3": "z1"}, "A has no coordinate 'z3' (known: z1, z2)"),
        ({"z1": "phi"}, "B has no coordinate 'phi' (known: z1, z2)"),
        ({"z1": "z1", "z2": "z1"}, "B's coordinate z1 is named twice (name it once)"),
    ],
)
def test_what_is_told_of_no_coordinate_is_refused(told: dict[str, str], words: str) -> None:
    with pytest.raises(NumbersError) as caught:
        same_machine(double_pendulum(), double_pendulum(), 1, coordinates=told)
    assert [str(d).split("error: ")[1] for d in caught.value.diagnostics] == [words]


def heavier(system: System) -> System:
    last = system.bodies[-1]
    inertia = replace(last.inertia, mass=last.inertia.mass * as_expression(1.000001))
    return replace(system, bodies=(*system.bodies[:-1], replace(last, inertia=inertia)))


DIFFERENT = [
    ("a heavier body", heavier, {"M", "h", "gravity"}),
    ("gravity turned", lambda s: replace(s, gravity=replace(s.gravity, direction=(1, 0, 0))), {"gravity"}),
    ("less friction", lambda s: replace(s, forces=s.forces[1:]), {"applied"}),
]


LINK = """<link name="{name}"><inertial><origin xyz="{centre}"/><mass value="{mass}"/>
<inertia ixx="0.01" iyy="0.012" izz="0.009" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial></link>
<joint name="{joint}" type="continuous"><parent link="{parent}"/><child link="{name}"/>
<origin xyz="0 0.02 0.2" rpy="0.3 0 0.1"/><axis xyz="{axis}"/></joint>"""


def two_links(xy: str, xz: str, yz: str, mass: str) -> System:
    """Two links on skew axes, with these products of inertia and this mass of the second."""
    first = LINK.format(
        name="l1",
        parent="l0",
        joint="j1",
        axis="0 1 0",
        mass="1.1",
        centre="-0.0366 0.0347 0.0264",
        xy=xy,
        xz=xz,
        yz=yz,
    )
    second = LINK.format(
        name="l2", parent="l1", joint="j2", axis="0 0 1", mass=mass, centre="0.0152 0.0289 -0.0406", xy=xy, xz=xz, yz=yz
    )
    return read_text(f'<robot name="r"><link name="l0"/>{first}{second}</robot>', format="urdf").system


def test_the_head_gives_the_largest_entry_of_scale_and_the_masses_in_both_orders() -> None:
    """The entry that decides is farthest beyond its tolerance; the largest of scale is another, and stands first."""
    a, b = two_links("0.0003", "0.0005", "0.00046", "1.2"), two_links("0", "0", "0", "1.3")
    found, back = same_machine(a, b, 10), same_machine(b, a, 10)
    parts = {d.quantity: d.of_scale for d in found.largest}
    assert parts == pytest.approx({d.quantity: d.of_scale for d in back.largest}) and parts["applied"] == 0
    for largest in found.largest:
        told = [c.largest.of_scale for c in found.comparisons if c.quantity == largest.quantity and c.largest]
        assert largest.of_scale == max(told)
    mass = next(d for d in found.largest if d.quantity == "M")
    entries = [(i, j) for i in ("j1", "j2") for j in ("j1", "j2")]
    assert mass.entry in entries and mass.of_scale > found.worst.discrepancy
    told = str(found).splitlines()
    assert told[0] == "not the same machine"
    assert told[1].startswith("moving mass 2.3 and 2.4 kg, centre (")
    assert told[2].startswith(f"largest difference, of scale: M {mass.of_scale:.2g} [{', '.join(mass.entry)}] ")
    assert any(line.startswith(f"decided by {found.worst.quantity}[") for line in told[3:])
    assert found.to_json()["largest"]["M"]["of_scale"] == mass.of_scale
    assert [m["mass"] for m in found.to_json()["masses"]] == pytest.approx([2.3, 2.4])


@pytest.mark.parametrize("stiffness", ["100", "1e-9", "1e9"])
def test_a_spring_of_one_model_alone_is_the_whole_scale_in_both_orders(stiffness: str) -> None:
    body = '<body><joint name="j"{}/><inertial pos="0 0 1" mass="8" diaginertia="1 1 1"/></body>'
    text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    a, b = (read_text(text.format(more), format="mjcf").system for more in ("", f' stiffness="{stiffness}"'))
    for pair in ((a, b), (b, a)):
        found = same_machine(*pair, 4)
        assert found.verdict == "disagrees"
        assert {d.quantity: d.of_scale for d in found.largest} == {"M": 0, "h": 0, "gravity": 0, "applied": 1}


def test_an_open_parameter_has_no_moving_mass() -> None:
    body = Body("b", None, (rotation("z", "q"),), Inertia(symbol("m"), (1, 0, 0)))
    model = System("open", (Coordinate("q"),), (Parameter("m"),), bodies=(body,))
    assert same_machine(model, model, 2).masses == ()


@pytest.mark.parametrize(("title", "change", "quantities"), DIFFERENT)
def test_a_planted_difference_is_found_and_located(title, change, quantities) -> None:  # type: ignore[no-untyped-def]
    model = double_pendulum()
    found = same_machine(model, change(model), 5)
    assert found.verdict == "disagrees"
    bad = [c for c in found.comparisons if c.verdict == "disagrees"]
    assert {c.quantity for c in bad} == quantities
    assert found.worst in bad and found.worst.state is not None
    assert found.worst.excess == max(c.excess for c in bad) > 1e3
    assert set(found.worst.entry) <= {"z1", "z2"} and found.worst.entry
    text = str(found)
    assert text.startswith("not the same machine")
    assert f"{found.worst.quantity}[{', '.join(found.worst.entry)}]" in text and "at the state" in text
    assert found.to_json()["verdict"] == "disagrees"


def test_a_difference_in_one_entry_names_that_entry() -> None:
    found = same_machine(double_pendulum(), replace(double_pendulum(), forces=double_pendulum().forces[1:]), 5)
    assert {c.entry for c in found.comparisons if c.verdict == "disagrees"} == {("z1",)}


def test_the_entry_is_that_of_the_first_model_although_orders_differ() -> None:
    model = double_pendulum()
    other = replace(model, forces=model.forces[1:], coordinates=model.coordinates[::-1])
    found = same_machine(model, other, 5)
    assert {c.entry for c in found.comparisons if c.verdict == "disagrees"} == {("z1",)}


def slider() -> System:
    body = Body("a", None, (translation("x", "z1"), rotation("z", "z2")), Inertia(1, (1, 2, 3), (1, 1, 1)))
    return System("slider", (Coordinate("z1"), Coordinate("z2")), bodies=(body,))


UNMATCHED = [
    (double_pendulum(), random_system(1, 1), "2 coordinates, B has 1"),
    (double_pendulum(), slider(), "of A's coordinates 2 are of rotation, of B's 1"),
]


@pytest.mark.parametrize(("a", "b", "reason"), UNMATCHED)
def test_other_numbers_of_coordinates_are_said(a: System, b: System, reason: str) -> None:
    if len(b.coordinates) == 2 and "2 coordinates" in reason:
        pytest.fail("the random model must have another number of coordinates")
    found = same_machine(a, b)
    assert found.verdict == "disagrees"
    assert reason in str(found)


def test_equal_names_that_move_differently_are_not_matched() -> None:
    swapped = renamed(slider(), {"z1": "z2", "z2": "z1"})
    assert match(slider(), swapped).pairs == (("z1", "z2"), ("z2", "z1"))
    assert same_machine(slider(), swapped, 3).verdict == "agrees after matching"


def test_what_one_model_leaves_open_is_taken_from_the_other_and_what_both_do_is_drawn_once() -> None:
    def model(m1: Parameter, formula) -> System:  # type: ignore[no-untyped-def]
        body = Body(
            "a", None, (translation("x", Prescribed(call("f", [TIME]))), rotation("z", "q")),
            Inertia(symbol("m1"), (symbol("l"), 0, 0)),
        )  # fmt: skip
        return System(
            "open", (Coordinate("q"),), (m1, Parameter("l")), (Function("f", ("t",), formula),), bodies=(body,)
        )

    known = model(Parameter("m1", as_expression(3)), TIME * TIME)
    unknown = model(Parameter("m1"), None)
    for a, b, said in ((known, unknown, "open in B and 3 in A"), (unknown, known, "open in A and 3 in B")):
        found = same_machine(a, b, 3)
        assert found.verdict == "not checked" and f"m1 is {said}" in str(found)
    assert same_machine(unknown, unknown, 3).verdict == "agrees"
    assert same_machine(known, model(Parameter("m1", as_expression(4)), TIME * TIME), 3).verdict == "disagrees"
    assert same_machine(known, model(Parameter("m1"), TIME), 3).verdict == "disagrees"


@pytest.mark.parametrize("direction", ["x", "y"])
def test_machines_that_are_zero_everywhere_are_not_said_to_be_the_same(direction: str) -> None:
    """A pendulum without mass is no pendulum, however long."""

    def massless(along: str) -> System:
        joint = (rotation("z", "q"), translation(along, as_expression(2)))
        return System("nothing", (Coordinate("q"),), bodies=(Body("a", None, joint, Inertia(0)),))

    found = same_machine(massless("x"), massless(direction), 3)
    assert found.verdict == "not checked"
    assert {c.verdict for c in found.comparisons} == {"agrees"} and all(c.zero for c in found.comparisons)
    assert "zero at all states: nothing was compared" in str(found)
    assert found.to_json()["verdict"] == "not checked"


def test_models_that_no_formalism_takes_are_not_checked() -> None:
    found = same_machine(soft(), soft(), formalisms=["newton_euler", "telegin"])
    assert found.verdict == "not checked"
    assert "elastic bodies" in str(found)


def test_given_states_are_used() -> None:
    state = State(q={"z1": 0.3, "z2": 0.2}, v={"z1": 1.0, "z2": -2.0})
    found = same_machine(double_pendulum(), heavier(double_pendulum()), [state])
    assert found.worst.state == state


#: Two lines of MBSD -> the verdict on them, and what is said of functions without a formula.
OPEN = [
    ('u"(f(u))', 'u"(f(u))', "agrees", ""),
    ('u"(f(u))', 'u"(h(u))', "not checked", "taken for the same: h of B for f of A"),
    ('u"(f(u)) i(a(t))', 'u"(h(u)) i(b(t))', "not checked", "b of B for a of A, h of B for f of A"),
    ('u"(f(u) + 0 h(t))', 'u"(f(u))', "agrees", ""),
    ('u"(f(u))', 'u"(2 h(u))', "disagrees", "h of B for f of A"),
    ('u"(f(u))', 'u"(h(u, t))', "disagrees", ""),
    ('u"(f(u)) v"(h(v))', 'u"(h(u)) v"(f(v))', "disagrees", ""),
    ('u"(h(u)) v"(f(v))', 'u"(h(u)) v"(f(v))', "agrees", ""),
    ('u"(f(t))', 'u"(f(t) + f(1) - f(1))', "agrees", ""),
    ('u"(f(u)) ; f(x) = a x, a = 2', 'u"(f(u)) ; a = 2', "not checked", ""),
    ("z i(t) g", "z i(abs(t)) g", "disagrees", ""),
    ("z i(t^2) g", "z i(t abs(t)) g", "disagrees", ""),
    ("z i(sqrt(t)) g", "z i(sqrt(abs(t))) g", "not checked", ""),
]


@pytest.mark.parametrize(("a", "b", "verdict", "said"), OPEN)
def test_functions_without_a_formula_and_times_before_zero(a: str, b: str, verdict: str, said: str) -> None:
    found = same_machine(read_text(a, "a.mbsd").system, read_text(b, "b.mbsd").system, 4)
    assert found.verdict == verdict
    told = [c.explanation for c in found.comparisons if c.quantity == "functions"]
    assert bool(told) == bool(said) and all(said in words for words in told)


def test_functions_that_nothing_uses_are_no_difference() -> None:
    system = read_text("u g", "a.mbsd").system
    a, b = (replace(system, functions=(Function(name, ("x",)),)) for name in "fh")
    assert same_machine(a, b, 2).verdict == "agrees"


WELDED = (
    '<mujoco><worldbody><body name="box1" pos="0 0 1"><joint name="u" axis="0 1 0"/><inertial pos="0.2 0 0" mass="1" '
    'diaginertia="0.02 0.02 0.02"/></body><body name="box2" pos="1.5 0 1"><joint name="x" type="slide" axis="1 0 0"/>'
    '<joint name="z" type="slide" axis="0 0 1"/><joint name="r" axis="0 1 0"/><inertial pos="0 0 0.1" mass="2" '
    'diaginertia="0.02 0.02 0.02"/></body></worldbody><equality><weld name="w" body1="box1" body2="box2" WAY/>'
    "</equality></mujoco>"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "verdict"),
    [
        ("", "agrees"),
        ('anchor="-1 0 0" relpose="0.5 0 0 1 0 0 0"', "agrees"),
        ('relpose="1.5 0 0 1 0 0 0"', "agrees"),
        ('anchor="-1 0 0" relpose="1.5 0 0 1 0 0 0"', "disagrees"),
    ],
)
def test_a_weld_by_a_point_is_the_same_only_where_the_point_is_held_at_the_same_place(way, verdict):
    """The box of 1.5 m away is held by its point at 0.5 m, or (the last) pushed by 1 m to the side."""
    one, other = (read_text(WELDED.replace("WAY", w), "m.xml").system for w in ('anchor="-1 0 0"', way))
    assert same_machine(one, other).verdict == verdict


@pytest.mark.parametrize(
    ("one", "other", "idle"),
    [
        ("z(b) i $0", "x(b) k3 $0", ("b",)),
        ('z(b)"(-2 b) i $0', 'x(b)"(-2 b) k3 $0', ("b",)),  # an effort is the same about any axis
        ('z(b) i2 $0 #h \\ #h :"(-3 @) < #0', 'z(b) i2 $0 #h \\ #h :"(-3 @) < #0', ()),
        ("z(b) i2 $1", "z(b) i2 $1", ()),
    ],
)
def test_what_moves_nothing_is_not_compared_and_the_head_says_so(one: str, other: str, idle: tuple[str, ...]) -> None:
    a, b = (read_text(f"z(a) i $1 > {text} ; g9.81-y", "a.mbsd").system for text in (one, other))
    found = same_machine(a, b, 3)
    assert found.verdict == "agrees"
    assert found.idle == idle and found.to_json()["idle"] == [*idle]
    assert ("; what b moves is not compared" in found.headline) == bool(idle)


def test_masses_that_are_summed_wrong_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The direct witness sums the bodies that coordinates carry by frames of its own."""
    a = two_links("0.0003", "0.0005", "0.00046", "1.2")
    assert same_machine(a, a, 3).verdict == "agrees"
    right = pair_scales.moving_mass
    for wrong in (lambda found: replace(found, mass=2 * found.mass), lambda found: replace(found, centre=(0.0,) * 3)):
        monkeypatch.setattr(pair_scales, "moving_mass", lambda system, wrong=wrong: wrong(right(system)))
        found = same_machine(a, a, 3)
        assert found.verdict == "disagrees" and found.worst.quantity == "masses"
