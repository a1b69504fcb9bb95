"""Coordinates that move several joints: values of an oracle in 60 digits, seeded faults, and what is not taken."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.converters.mbsd.writer import write
from mbconcord.converters.registry import read_text
from mbconcord.formalisms import registry
from mbconcord.formalisms.changing import JointCoordinates
from mbconcord.formalisms.interface import CHANGED
from mbconcord.model import Mapped, ModelError, State, System, rotation, translation
from mbconcord.model.beams import ClampedFree, bending, round_section
from mbconcord.model.diagnostics import ReadError, WriteError
from mbconcord.model.expressions import ONE, ZERO, evaluate_float, rate, substitute, symbol
from mbconcord.model.expressions.field import IDENTICAL, compare

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "maps.json").read_text("utf-8"))
CART, CRANK, CLOSED = "absolute_angles_on_a_cart", "maps_of_coordinates_and_time", "closed_absolute_angles"
OPEN = [name for name in VECTORS if name != CLOSED]
#: All that deliver equations; the first two derive them in the model's coordinates.
ALL = ("lagrange", "virtual_work", "newton_euler", "konoplev", "telegin", "flexible")
#: The cart with absolute angles, its last joint's angle to be filled in.
TEXT = """u(x)°0.1'0.2 $(m0) > -z(th1)°(54/pi)'0.5 $(m1) [m1, m1, m1*L1^2/3] {0, L1/2}
> j(L1) -z(ANGLE)°(-72/pi)'(-0.6) $(m2) [m2, m2, m2*L2^2/3] {0, L2/2} ; g9.80665-y
; m0 = 0.6, m1 = 0.2, m2 = 0.2, L1 = 0.5, L2 = 0.5"""


def vector(name: str) -> System:
    return read_text(json.dumps(VECTORS[name]["model"]), "-", "native").system


def mbsd(text: str) -> System:
    return read_text(text, "-", "mbsd").system


@pytest.mark.parametrize("by", ALL)
@pytest.mark.parametrize("name", OPEN)
def test_equations_along_such_coordinates_are_those_of_the_oracle(name: str, by: str) -> None:
    system, expected = vector(name), VECTORS[name]["expected"]
    if by == "telegin" and system.armatures:
        assert [o.feature for o in registry.formalism(by).obstacles(system)] == ["armatures"]
        return
    found = mbconcord.evaluate(system, formalism=by, **expected.get("state", {}))
    for quantity in ("M", "h", "gravity", "applied", "acceleration", "effort"):
        if quantity in expected:
            wanted = np.array(expected[quantity], dtype=float).reshape(np.shape(found[quantity]))
            np.testing.assert_allclose(found[quantity], wanted, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("name", OPEN)
def test_a_check_agrees_and_proves_it(name: str) -> None:
    evidence = mbconcord.check(vector(name), states=3)
    assert evidence.verdict == "agrees"
    said = [d.message for d in evidence.diagnostics if CHANGED in d.message]
    assert (
        len(said) == 1
        and said[0].startswith("newton_euler, konoplev, ")
        and "lagrange, virtual_work derive in" in said[0]
    )
    proofs = {c.exact.kind for c in evidence.comparisons if c.exact}
    assert proofs == {IDENTICAL}
    compared = {c.claim for c in evidence.comparisons if c.verdict == "agrees"}
    assert {"fields", "joint_forces", "kinetic_energy"} <= compared


def test_time_in_a_map_is_a_prescribed_law_of_which_passivity_says_nothing() -> None:
    evidence = mbconcord.check(vector(CRANK), states=1, claims=["passivity"], formalisms=["lagrange", "newton_euler"])
    assert evidence.verdict == "agrees" and not any(c.claim == "passivity" for c in evidence.comparisons)
    assert any("q'·h: piston moves by a prescribed law" in d.message for d in evidence.diagnostics)


def test_motions_of_points_are_the_same_functions() -> None:
    system = vector(CRANK)
    asked = ["velocity(arm)", "jacobian(arm)", "acceleration(arm)", "angular_velocity(piston)"]
    numbers = [mbconcord.evaluate(system, formalism=by, quantities=asked, t=0.3) for by in ALL[:4]]
    for quantity in asked:
        for found in numbers[1:]:
            np.testing.assert_allclose(found[quantity], numbers[0][quantity], rtol=1e-12, atol=1e-12)


def test_reads_and_writes_them_in_mbsd() -> None:
    system = mbsd(TEXT.replace("ANGLE", "th2 - th1"))
    found = mbconcord.compare(system, vector(CART))
    assert found.verdict == "agrees" and not found.matching.searched
    assert mbsd(write(system).text) == system
    reading = mbconcord.read(text=TEXT.replace("ANGLE", "th2 - th1"), format="mbsd")
    evidence = mbconcord.check(reading, states=2, formalisms=["lagrange", "newton_euler"])
    assert evidence.verdict == "agrees"
    assert "second_reading" in {c.claim for c in evidence.comparisons if c.verdict == "agrees"}


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("z(a + b)", "1:1", "found the new names a, b in a map"),
        ("z(a) > z(2*a)°1", "1:14", "found '°' on a map without a coordinate of its own"),
        ("z(a) > z(b - a')", "1:14", "found the rate a'"),
        ("z(2)", "1:1", "found no coordinate in the brackets after a coordinate letter"),
        ("z(a) > z(a)", "1:10", "a second coordinate 'a'"),
        ("#0 z(2*a) = j1 < #a; z(a) #a", "1:", ""),
    ],
)
def test_a_text_whose_map_is_not_one_is_refused(text: str, place: str, said: str) -> None:
    with pytest.raises(ReadError) as refusal:
        mbsd(text)
    assert said in str(refusal.value) and f"-:{place}" in str(refusal.value)


def test_a_map_with_a_parameter_without_value_is_not_written_as_one_with_a_coordinate() -> None:
    system = vector("screw")
    without = replace(system, parameters=(replace(system.parameters[0], value=None), *system.parameters[1:]))
    with pytest.raises(WriteError, match=r"p in the map p\*phi as coordinates.*give the parameters values"):
        write(without)


def test_a_mechanism_is_built_with_them() -> None:
    m = mbconcord.Mechanism("cart").parameters(m0=0.6, m1=0.2, m2=0.2, L1=0.5, L2=0.5)
    m.gravity(9.80665, "-y").body("cart", mass="m0").slides("x", "x", start=0.1, rate=0.2)
    m.body("p1", "cart", mass="m1", com=(0, "L1/2", 0), inertia=(0, 0, "m1*(L1/2)^2/3"))
    m.turns("th1", "-z", start=0.3, rate=0.5)
    m.body("p2", "p1", mass="m2", com=(0, "L2/2", 0), inertia=(0, 0, "m2*(L2/2)^2/3")).shift(0, "L1")
    m.coordinate("th2", start=-0.4, rate=-0.6).turns(map="th2 - th1", about="-z")
    built = m.build()
    assert built.bodies == vector(CART).bodies and built.coordinates == vector(CART).coordinates
    with pytest.raises(ModelError, match="found the coordinate 'th3' and a map"):
        m.body("p3", "p2").slides("th3", "x", map="th1")


def test_a_motion_in_absolute_angles_is_that_in_relative_ones() -> None:
    absolute, relative = (mbsd(TEXT.replace("ANGLE", angle)) for angle in ("th2 - th1", "th2"))
    th1, th2 = 54 / np.pi * np.pi / 180, -72 / np.pi * np.pi / 180
    ends = []
    for system, q, v in (
        (absolute, {"th2": th2}, {"th2": -0.6}), (relative, {"th2": th2 - th1}, {"th2": -1.1}),
    ):  # fmt: skip
        made = mbconcord.simulate(system, 0.5, q=q, v=v, tolerance=1e-10)
        ends.append(made.q[-1])
    np.testing.assert_allclose(ends[0], [*ends[1][:2], ends[1][1] + ends[1][2]], rtol=1e-7)


def test_absolute_and_relative_angles_are_not_compared_as_one_by_their_names() -> None:
    absolute, relative = (mbsd(TEXT.replace("ANGLE", angle)) for angle in ("th2 - th1", "th2"))
    found = mbconcord.compare(absolute, relative)
    assert found.verdict == "not checked"
    assert "A's th1 moves 2 joints, B's th1 moves 1" in found.matching.reason
    assert mbconcord.compare(absolute, mbsd(TEXT.replace("ANGLE", "th2 - 1.001*th1"))).verdict == "disagrees"


def _lose_drift(self: JointCoordinates) -> list[Any]:
    return [ZERO] * len(self.maps)


def _lose_slopes(self: JointCoordinates) -> list[Any]:
    return [[ZERO] * len(self.system.coordinates) for _ in self.maps]


@pytest.mark.parametrize(("wrong", "instead"), [("drift", _lose_drift), ("slopes", _lose_slopes)])
def test_a_fault_in_the_shared_change_of_coordinates_is_found(
    wrong: str, instead: Callable[[JointCoordinates], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JointCoordinates, wrong, property(instead))
    evidence = mbconcord.check(vector(CRANK), states=2, formalisms=["newton_euler", "konoplev"])
    assert evidence.verdict == "disagrees"  # both share it: the model's fields do not
    assert any(c.claim == "fields" and c.verdict == "disagrees" for c in evidence.comparisons)


def test_a_wrong_map_of_one_formalism_is_found_and_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    kinematics = import_module("mbconcord.formalisms.virtual_work.kinematics")
    monkeypatch.setattr(kinematics, "slopes", lambda et: dict.fromkeys(et.moving, ONE))
    evidence = mbconcord.check(vector(CRANK), states=2, formalisms=["lagrange", "virtual_work"])
    assert evidence.verdict == "disagrees"


def test_a_model_says_who_derives_it_by_the_change_of_coordinates() -> None:
    system = vector(CART)
    for by in ALL:
        notes = [str(note) for note in registry.formalism(by).derive(system).notes]
        assert any(CHANGED in note for note in notes) == (by not in ALL[:2])


def test_two_formalisms_prove_the_screw_in_closed_form() -> None:
    system = vector("screw")
    m, inertia, p = (symbol(name) for name in ("m", "I", "p"))
    for by in ALL[:4]:
        M = registry.formalism(by).derive(system).quantities["M"]
        (verdict,) = compare([(M[0][0], inertia + m * p * p)])  # type: ignore[index]
        assert verdict.kind == IDENTICAL


def with_map(system: System, amount: str) -> System:
    """Return the cart with another last angle."""
    found = read_text(json.dumps(VECTORS[CART]["model"]).replace("th2 - th1", amount), "-", "native")
    return found.system


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("th3 - th1", "bodies/p2/joint/1: 'th3' is not known here"),
        ("th2 - th1'", 'bodies/p2/joint/1: "th1\'" may not stand here'),
        ("L1*t", "bodies/p2/joint/1: no coordinate stands in the map"),
        ("th1 - th1 + L1", "coordinates/th2: no joint or mode moves by it"),
    ],
)
def test_what_is_no_map_is_refused_with_its_place(amount: str, said: str) -> None:
    with pytest.raises(ReadError) as refusal:
        with_map(vector(CART), amount)
    assert said in str(refusal.value).replace("error: ", "")


@pytest.mark.parametrize("by", ALL[:4])
def test_motions_with_constraints_are_those_of_the_oracle(by: str) -> None:
    system, expected = vector(CLOSED), VECTORS[CLOSED]["expected"]
    found = registry.formalism(by).constrained_motion(system, [State(0.0, **expected["state"])])
    assert found is not None and found.rank[0] == expected["rank"] and found.rows == ("r", "row")
    np.testing.assert_allclose(found.acceleration[0], expected["acceleration"], rtol=1e-10)
    np.testing.assert_allclose(found.reactions[0], expected["reactions"], rtol=1e-10)
    np.testing.assert_allclose(found.multipliers @ found.D[0], found.reactions, rtol=1e-12)


def gear() -> mbconcord.Mechanism:
    """Return a planet and a screw in the air, whose maps hold t and a square, pinned to a body that a rod holds."""
    m = mbconcord.Mechanism("gear").gravity(y=-9.81).parameters(l=0.8, p=0.2)
    m.body("arm", mass=1, com=(0.4, 0, 0), inertia=(0.01, 0.02, 0.05)).turns("th", about="z", start=0.3)
    m.body("planet", on="arm", mass=0.3, com=(0.01, 0, 0), inertia=(0.01, 0.01, 0.01)).shift(x="l")
    m.turns(map="-2*th + 0.3*sin(t)", about="z")
    m.body("screw", on="planet", mass=0.5, com=(0.2, 0, 0.1), inertia=(0.01, 0.02, 0.03)).turns("ph", about="x")
    m.slides(map="p*ph + s^2", along="x").coordinate("s", start=0.5)
    m.body("free", mass=0.4, inertia=(0.01, 0.02, 0.02)).slides("x", along="x").slides("y", along="y")
    m.slides("z", along="z").turns("f", about="z").drive("f", "-0.1*f'")
    m.force("drag", "screw", ("-0.4*vx(here)*speed(here)", "-0.2*vy(free)", 0))
    m.pin("pin", ("screw", (0.3, 0.1, 0)), ("free", (0.1, 0, 0)))
    return m.rod("rod", ("free", (0, 0.2, 0)), ("arm", (0.1, 0, 0.3)), 0.9)


def cut() -> mbconcord.Mechanism:
    """Return two links in absolute angles whose end turns about a point of the ground."""
    m = mbconcord.Mechanism("cut").gravity(y=-9.81)
    m.body("a", mass=1, com=(0.4, 0, 0), inertia=(0.01, 0.02, 0.05)).turns("q", about="z", start=0.7)
    m.body("b", on="a", mass=0.7, com=(0.3, 0.05, 0), inertia=(0.01, 0.02, 0.04)).shift(x=0.8)
    m.turns(map="p - q", about="z").coordinate("p", start=-0.4).slides("r", along="x")
    hub = [translation("x", 0.5), rotation("z", "own")]
    return m.close("hub", ("b", hub), (None, [translation("x", 1.2), translation("y", 0.1)]))


def soft() -> mbconcord.Mechanism:
    """Return an elastic beam between two links in absolute angles, held by a rod."""
    modes = {"e": bending(2, ClampedFree(1)), "f": bending(2, ClampedFree(2))}
    m = mbconcord.Mechanism("soft").gravity(y=-9.81)
    m.body("a", mass=1, com=(0.4, 0, 0), inertia=(0.01, 0.02, 0.05)).turns("q", about="z", start=0.3)
    given: dict[str, Any] = {"young": 2e11, "density": 7800, "nodes": {"tip": 0.6}}
    m.beam("b", on="a", length=0.6, section=round_section(0.005), modes=modes, **given).shift(x=0.8)
    m.turns(map="p - q", about="z").coordinate("p", start=1.1)
    m.body("c", on="b", node="tip", mass=0.5, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.03))
    m.turns(map="o - p", about="z").coordinate("o", start=-0.7)
    return m.rod("rod", ("c", (0.5, 0, 0)), (None, (1.2, -0.3, 0)), 0.9)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "pairs"), [(gear, 6), (cut, 6), (soft, 1)])
def test_a_check_beside_constraints_and_elastic_bodies_agrees_and_proves_it(
    make: Callable[[], mbconcord.Mechanism], pairs: int
) -> None:
    evidence = mbconcord.check(make(), states=3)
    assert evidence.verdict == "agrees"
    moved = [c for c in evidence.comparisons if c.quantity == "constrained acceleration" and c.exact]
    assert [c.exact and c.exact.kind for c in moved] == [IDENTICAL] * pairs
    assert {c.exact.kind for c in evidence.comparisons if c.exact} == {IDENTICAL}


@pytest.mark.slow
def test_forces_in_joints_of_a_closed_machine_with_maps_are_the_same_by_four_formalisms() -> None:
    made = gear()
    (start,) = mbconcord.assemble(made)
    known, *others = (
        mbconcord.evaluate(made, start.state, formalism=by, quantities="joint_forces")["joint_forces"] for by in ALL[:4]
    )
    for found in others:
        np.testing.assert_allclose(found, known, rtol=0, atol=1e-11 * np.abs(known).max())


def test_machine_code_simulation_and_equilibrium_follow_maps_beside_a_rod() -> None:
    system = vector(CLOSED)
    known = mbconcord.evaluate(system, formalism="lagrange")["acceleration"]
    f = mbconcord.compile(system, "acceleration", "newton_euler")
    np.testing.assert_allclose(f(known_state(system))["acceleration"], known, rtol=1e-12)
    motion = mbconcord.simulate(system, 0.2, tolerance=1e-10)
    other = mbconcord.simulate(in_joints(), 0.2, tolerance=1e-10)
    np.testing.assert_allclose(motion.q[-1], other.q[-1, :3], rtol=1e-7)


def known_state(system: System) -> dict[str, float]:
    """Return the positions and rates at which a vector's values are."""
    state = VECTORS[CLOSED]["expected"]["state"]
    return {**state["q"], **{f"{name}'": x for name, x in state["v"].items()}}


def in_joints() -> System:
    """Return the closed vector with coordinates of the joints, the maps as rows and bodies without inertia."""
    model = VECTORS[CLOSED]["model"]
    q, v = ({c["name"]: c[key] for c in model["coordinates"]} for key in ("position", "velocity"))
    text = json.dumps(model)
    for name, amount in (("qb", "b-a"), ("qc", "c-b")):
        text = text.replace(f'"map": "{amount}"', f'"coordinate": "{name}"')
    remade = json.loads(text)
    for name, (one, other) in {"qb": ("b", "a"), "qc": ("c", "b")}.items():
        remade["coordinates"].append({"name": name, "position": q[one] - q[other], "velocity": v[one] - v[other]})
        remade["constraints"].append({"kind": "holonomic", "name": name, "expression": f"{name} - ({one} - {other})"})
    for name in ("b", "c"):  # what no joint moves needs a body without inertia
        joint = [{"rotation": "z", "coordinate": name}]
        remade["bodies"].append({"name": f"of {name}", "parent": None, "joint": joint, "inertia": {"mass": 0}})
    return read_text(json.dumps(remade), "-", "native").system


def test_rows_that_maps_make_dependent_are_counted_without_those_of_the_maps() -> None:
    m = gear().pin("again", ("screw", (0.3, 0.1, 0)), ("free", (0.1, 0, 0))).build()
    (start,) = mbconcord.assemble(m)
    for by in ALL[:4]:
        found = mbconcord.evaluate(m, start.state, formalism=by)
        said = [d.message for d in found.diagnostics if "again" in str(d.place)]
        assert len(said) == 3 and all("the rank is 4 of 7 rows" in message for message in said), by


@pytest.mark.parametrize("by", ["virtual_work", "lagrange", "konoplev"])
def test_rows_of_a_carrier_whose_coordinate_is_in_a_map_are_slopes_of_their_rates(by: str) -> None:
    """Off the constraints, too: D q' is the rate of a row, where no time stands in it."""
    m = mbconcord.Mechanism("carried").body("a", mass=1, inertia=(1, 1, 1)).turns("q", about="z")
    m.body("b", on="a", mass=1).shift(x=0.5).turns(map="p - q", about="z").coordinate("p")
    m.body("c", on="a", mass=1).shift(x=-0.3).turns("r", about="z").pin("pin", ("b", (0.2, 0, 0)), ("c", (0, 0.7, 0)))
    found = registry.formalism(by).derive_closed(m.build())
    assert found is not None
    values = {symbol(x): ONE * k for k, x in enumerate(("q", "p", "r", "q'", "p'", "r'"), 1)}
    D: Any = found.native["D"]
    flow: Any = found.native["γ"]
    for row, speed in zip(D, flow, strict=True):
        off = speed - sum((x * rate(name) for x, name in zip(row, ("q", "p", "r"), strict=True)), ZERO)
        assert abs(evaluate_float(substitute([off], values)[0], {})) < 1e-14


def _lose_rests(self: JointCoordinates, row: Any, start: Any = ZERO) -> Any:
    return start


@pytest.mark.slow
@pytest.mark.parametrize("formalisms", [["newton_euler", "lagrange"], ["newton_euler", "konoplev"]])
def test_a_fault_in_the_rows_that_are_changed_is_found(formalisms: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JointCoordinates, "add_drift", _lose_rests)
    assert mbconcord.check(gear(), states=2, formalisms=formalisms).verdict == "disagrees"


@pytest.mark.parametrize("to", ["urdf", "mjcf", "sdf", "um"])
def test_formats_without_maps_lose_what_acts(to: str, tmp_path: Path) -> None:
    made = mbconcord.convert(vector(CART), tmp_path / "model.out", to=to)
    assert any(loss.place.startswith("bodies/p2/joint") and loss.acts for loss in made.losses)


def test_a_table_of_joints_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"bodies/p2/joint.*write the model in coordinates of its joints"):
        mbconcord.convert(vector(CART), tmp_path / "model.csv", to="tp")


def test_units_of_coordinates_that_stand_in_maps_alone() -> None:
    assert vector(CART).angles == {"th1", "th2"}
    assert mbsd("u(x) > z(k*th - x); k = 2").kinds == {"x": "translation"}  # k*th is an angle, th whatever k makes it


def test_the_system_fills_in_which_symbols_are_coordinates() -> None:
    body = vector(CART).bodies[2]
    assert body.joint[1].motion == Mapped(body.joint[1].amount, ("th1", "th2"))
    assert body.joint[1].coordinate is None and body.joint[1].moving == ("th1", "th2")


def test_a_walking_machine_with_maps_is_refused() -> None:
    for name in registry.names():
        if registry.formalism(name).walker(mbsd("x(q)i1 $2")) is not None:
            with pytest.raises(mbconcord.MbconcordError, match="no walking machine with maps"):
                registry.formalism(name).walker(vector(CART))
