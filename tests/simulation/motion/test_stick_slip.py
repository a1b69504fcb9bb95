"""Coulomb's friction of rigid contacts: sticking, slipping, rocking, a limit cycle, and states without a motion."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from math import atan, atan2, cos, hypot, pi, sin, sqrt
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.optimize import nnls

import mbconcord as mb
from mbconcord.model.diagnostics import NumbersError
from mbconcord.simulation.motion import impacts
from mbconcord.validation.witnesses.runs import stepping

VECTORS = Path(__file__).parents[3].parent / "shared" / "specs" / "vectors" / "mechanics"
g = 9.81


def block(angle: float, mu: float, rate: float = 0) -> mb.Mechanism:
    """A point of 1 kg on a plane inclined by an angle, downhill along x."""
    made = mb.Mechanism("block").gravity(x=g * sin(angle), z=-g * cos(angle)).body("b", mass=1)
    made = made.slides("x", along="x", rate=rate).slides("z", along="z")
    return made.contact("floor", "b", law="rigid", friction="coulomb", mu=mu)


def list_events(found: mb.Simulation, kind: str = "") -> list[tuple[str, float]]:
    return [(row.event, row.t) for row in found.found if row.event.startswith(kind or row.event or "-")]


def stepped(found: mb.Simulation) -> str:
    return next(c.verdict for c in found.witnesses if c.quantity == stepping.IMPACTS)


@pytest.mark.slow
@pytest.mark.skipif(not VECTORS.is_dir(), reason="the vectors lie beside the repository")
def test_a_block_sticks_where_the_vectors_say() -> None:
    text = (VECTORS / "contact.expected.json").read_text(encoding="utf-8")
    (vector,) = (v for v in json.loads(text) if v["model"] == "incline_sticks.mbs.json")
    found = mb.simulate(VECTORS / vector["model"], vector["until"])
    assert found.last.q["x"] == vector["final"]["x"] and stepped(found) == "agrees"


def test_a_block_slides_just_above_its_angle_and_sticks_just_below() -> None:
    below = mb.simulate(block(atan(0.5) - 1e-9, 0.5), 10, witness=False)
    assert below.q[:, 0].tolist() == [0.0] * len(below.found)
    angle = atan(0.5) + 1e-9
    above = mb.simulate(block(angle, 0.5), 10, witness=False)
    assert above.last.q["x"] == pytest.approx((sin(angle) - 0.5 * cos(angle)) * g / 2 * 100, rel=1e-6)
    assert above.last.q["x"] == pytest.approx(5.484e-7, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(("angle", "word"), [(0.3, "sticks"), (0.6, "slips")])
def test_a_block_thrown_uphill_stays_or_slides_back(angle: float, word: str) -> None:
    found = mb.simulate(block(angle, 0.5, -2), 3)
    _, (event, t) = list_events(found)
    assert event == f"{word} floor" and t == pytest.approx(2 / (g * (sin(angle) + 0.5 * cos(angle))), abs=1e-12)
    back = g * (sin(angle) - 0.5 * cos(angle)) * (3 - t) ** 2 / 2 if word == "slips" else 0.0
    assert found.last.q["x"] == pytest.approx(back - t, abs=1e-12)
    assert all(c.verdict != "disagrees" for c in found.witnesses) and stepped(found) == "agrees"
    assert max(abs(row.balance) for row in found.found) < 1e-12


def test_steps_rub_with_the_whole_cone_where_slips_have_one_way() -> None:
    """A foot that strikes and slips moves on as the run says: its normal was taken for the second way to slip."""
    made = mb.Mechanism("foot").gravity(z=-g).body("b", mass=1, inertia=(0.02,) * 3).slides("x", along="x", rate=1)
    made = made.slides("z", along="z", start=0.15).turns("y", about="y", rate=2)
    made = made.contact("foot", ("b", (0.1, 0, -0.1)), law="rigid", e="0.4", friction="coulomb", mu="0.3")
    run = mb.simulate(made, 0.1, witness=False)
    steps = stepping.step_motion(made.build(), mb.State(0.0, *({n: float(x) for n, x in zip("xzy", row, strict=True)}
                                 for row in (run.q[0], run.v[0]))), 0.1, 500)  # fmt: skip
    assert list_events(run, "impact") and np.abs(steps.q[-1] - run.q[-1]).max() < 5e-4


@pytest.mark.slow
def test_energy_is_lost_at_impacts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is resumed goes on from what was lost; a joule that no impact took is a disagreement."""
    made = mb.Mechanism("ball").gravity(z=-g).body("b", mass=1).slides("z", along="z", start=0.2)
    ball = made.contact("floor", "b", radius=0.1, law="rigid", e=0.5).build()
    run = mb.simulate(ball, 0.2)
    assert run.found[-1].lost > 0
    again = mb.simulate(ball, 0.25, resume=run)
    assert not [c for r in (run, again) for c in r.witnesses if c.verdict == "disagrees"]
    whole = impacts.RigidContacts.begin

    def lose(self: impacts.RigidContacts, *of: object) -> None:
        whole(self, *of)  # type: ignore[arg-type]
        self.lost = 1.0

    monkeypatch.setattr(impacts.RigidContacts, "begin", lose)
    wrong = [c.explanation for c in mb.simulate(ball, 0.2).witnesses if c.verdict == "disagrees"]
    assert wrong == ["1 J are lost in impacts at t = 0, where there is none"]


def test_a_block_on_a_belt_slips_when_its_spring_says() -> None:
    made = mb.Mechanism("belt").gravity(z=-g).body("belt").slides("u", along="x", rate=1).drive("u", acceleration=0)
    made = made.body("b", mass=1).slides("x", along="x", rate=1).slides("z", along="z").effort("k", "x", "-10*x")
    made = made.contact("c", "b", against="belt", law="rigid", friction="coulomb", mu="0.3")
    found = mb.simulate(made, 3, witness=False)
    assert list_events(found, "slips")[0][1] == pytest.approx(0.2943, abs=1e-12)
    assert max(abs(row.balance) for row in found.found) < 1e-8


@pytest.mark.slow
def test_a_block_rocks_to_rest() -> None:
    """The first impact by quadrature; there the rate falls by 1 - 1.5 sin²α (Housner 1963)."""
    w, h, th = 0.1, 0.4, 0.1
    made = mb.Mechanism("rocking").gravity(z=-g).body("b", mass=1, inertia=((w * w + h * h) / 3,) * 3)
    made = made.slides("x", along="x").slides("z", along="z", start=w * sin(th) + h * cos(th))
    made = made.turns("th", about="y", start=th)
    for name, x in (("left", -w), ("right", w)):
        made = made.contact(name, ("b", (x, 0, -h)), law="rigid", friction="coulomb", mu=5)
    found = mb.simulate(made, 5, tolerance=1e-13, witness=False)
    long, alpha = hypot(w, h), atan2(w, h)
    rate = 2 * g * long / ((w * w + h * h) / 3 + long * long)

    with mpmath.workdps(30):  # u² from the start, where the rate is zero
        start = mpmath.mpf(alpha) - th
        fallen = lambda u: 2 * mpmath.sin(start + u * u / 2) * mpmath.sin(u * u / 2)  # noqa: E731
        fall = float(mpmath.quad(lambda u: 2 * u / mpmath.sqrt(rate * fallen(u)), [0, mpmath.sqrt(th)]))
    impacts = list_events(found, "impact")
    assert impacts[0] == ("impact left", pytest.approx(fall, abs=1e-13))
    row = next(row for row in found.found if row.event == "impact left")
    before = sqrt(rate * (cos(alpha - th) - cos(alpha)))
    assert abs(row.v[2]) / before == pytest.approx(1 - 1.5 * sin(alpha) ** 2, abs=1e-12)
    assert found.stopped is None and impacts[-1][1] == pytest.approx(4.57130, abs=1e-4)
    assert np.abs([*found.last.v.values()]).max() < 1e-12


@pytest.mark.slow
def test_a_woodpecker_has_its_limit_cycle() -> None:
    """Constants and start by Glocker and Pfeiffer (1995); impacts and period by own time stepping at 3e-6 s."""
    made = mb.Mechanism("woodpecker").gravity(z=-g).coordinate("pm", start="-3/29")
    made = made.coordinate("ps", start="-0.2788", rate="-7.4583")
    made = made.body("sleeve", mass="0.0003").slides("y", along="z", rate="-0.3411")
    made = made.body("bird", mass="0.0045").slides(along="z", map="y + 0.01*pm + 0.015*ps")
    made = made.armature("jm", "5e-9", {"pm": 1}).armature("js", "7e-7", {"ps": 1})
    made = made.effort("km", "pm", "-0.0056*(pm - ps)").effort("ks", "ps", "-0.0056*(ps - pm)")
    for name, gap, along, e in (
        ("beak", "0.0024 - 0.02*ps", "y + 0.01*pm - 0.0051*ps", "0.5"),
        ("low", "0.0006 + 0.0058*pm", "y + 0.0031*pm", 0),
        ("up", "0.0006 - 0.0058*pm", "y + 0.0031*pm", 0),
    ):
        made = made.body(f"{name}_part").slides(along="x", map=gap).slides(along="z", map=along)
        made = made.contact(name, f"{name}_part", "x", law="rigid", e=e, friction="coulomb", mu="0.3")
    found = mb.simulate(made, 1.5, tolerance=1e-10, witness=False)
    impacts = list_events(found, "impact")
    own = [0.0778780, 0.0809888, 0.0815753, 0.1186751, 0.1213355]
    assert [t for _, t in impacts[:5]] == pytest.approx(own, abs=1e-6)
    beak = np.diff([t for word, t in impacts if word == "impact beak"])
    assert len(beak) == 9 and beak[-2:].mean() == pytest.approx(0.14598, abs=2e-5)


def rod(mu: float, angle: float, turning: float, slip: float) -> mb.Mechanism:
    """A rod of length 2 m that touches a floor by an end, at an angle to it, and slips there."""
    x, z = -cos(angle), -sin(angle)
    made = mb.Mechanism("rod").gravity(z=-g).body("b", mass=1, inertia=("1/3",) * 3)
    made = made.slides("x", along="x", rate=slip - turning * z).slides("z", along="z", start=-z, rate=turning * x)
    made = made.turns("th", about="y", start=-angle, rate=turning)
    return made.contact("tip", ("b", (-1, 0, 0)), law="rigid", friction="coulomb", mu=mu)


@pytest.mark.slow
@pytest.mark.parametrize(("mu", "refused"), [(1.2, False), (1.4, True), (2, True)])
def test_states_of_a_rod_without_a_motion_are_refused(mu: float, refused: bool) -> None:
    """There is one at every state for mu below 4/3 (Painlevé)."""
    said = Counter[str]()
    for angle, turning, slip in product((0.9, 1.1, 1.3), (-1, 0), (-1, 1)):
        try:
            found = mb.simulate(rod(mu, angle, turning, slip), 1e-4, step_out=1e-4, witness=False)
            said["stopped" if found.stopped else "moves"] += 1
        except NumbersError as problem:
            assert "no solution (Painlevé) of the motion at tip; the state: x = " in str(problem)
            assert problem.diagnostics[0].place == "contacts/tip"
            said["refused"] += 1
    assert (said["refused"] > 0) == refused and not said["stopped"]


def in_space(radius: float = 0, z: float = 0, mu: float = 0.3, **rates: float) -> mb.Mechanism:
    """A ball of 1 kg that may move and turn in space, above a floor; without a radius a point."""
    made = mb.Mechanism("ball").gravity(z=-g).body("b", mass=1, inertia=(0.4 * radius**2,) * 3 if radius else (0, 0, 0))
    for name, start in (("x", 0), ("y", 0), ("z", z or radius)):
        made = made.slides(name, along=name, start=start, rate=rates.get(name, 0))
    for name, axis in (("a", "z"), ("b", "y"), ("c", "x")) if radius else ():
        made = made.turns(f"turn_{name}", about=axis, rate=rates.get(name, 0))
    return made.contact("floor", "b", radius=radius, law="rigid", friction="coulomb", mu=mu)


@pytest.mark.slow
def test_a_block_that_slides_diagonally_stops_on_its_line() -> None:
    found = mb.simulate(in_space(x=1, y=2), 1)
    v = sqrt(5)
    assert list_events(found, "sticks") == [("sticks floor", pytest.approx(v / (0.3 * g), abs=1e-12))]
    assert [*found.last.q.values()] == pytest.approx([v / (0.6 * g), 2 * v / (0.6 * g), 0], abs=1e-12)
    assert stepped(found) == "agrees" and max(abs(row.balance) for row in found.found) < 1e-12


@pytest.mark.parametrize("way", ["t", "t^2"])
def test_a_plane_that_moves_sideways_takes_a_part_of_friction(way: str) -> None:
    """x'' = -mu g x'/√(x'² + V²) under a plane with V = 1 or 2 t across, by power series; no coordinate is across."""
    made = mb.Mechanism("belt").gravity(z=-g).body("b", mass=1).slides("x", along="x", rate=1).slides("z", along="z")
    made = made.body("belt", mass=1).shift(y=way)
    made = made.contact("floor", "b", against="belt", law="rigid", friction="coulomb", mu=0.3)
    found = mb.simulate(made, 0.5, step_out=0.5, witness=False)
    across = (lambda t: mpmath.mpf(1)) if way == "t" else (lambda t: 2 * t)
    solved = mpmath.odefun(lambda t, y: [y[1], -0.3 * g * y[1] / mpmath.hypot(y[1], across(t))], 0, [0, 1])
    assert found.last.q["x"] == pytest.approx(float(solved(0.5)[0]), abs=1e-7)


@pytest.mark.slow
def test_an_impact_in_space_takes_slip_by_its_cone() -> None:
    """A fall of 0.5 m ends at √g, and takes mu √g of the slip along it; friction takes the rest."""
    found = mb.simulate(in_space(x=1, y=2, z=0.5), 1)
    t, left = sqrt(1 / g), sqrt(5) - 0.3 * sqrt(g)
    way = t * sqrt(5) + left**2 / (0.6 * g)
    assert list_events(found, "sticks")[0][1] == pytest.approx(t + left / (0.3 * g), abs=1e-12)
    assert [*found.last.q.values()] == pytest.approx([way / sqrt(5), 2 * way / sqrt(5), 0], abs=1e-12)
    assert found.found[-1].lost == pytest.approx((g + 5 - left**2) / 2, abs=1e-9) and stepped(found) == "agrees"


@pytest.mark.slow
def test_a_ball_that_spins_obliquely_begins_to_roll() -> None:
    """From 2 |s|/(7 mu g) on, s = (1 - 0.1·2, 0.5 + 0.1·3); 2/7 of s leave its velocity."""
    found = mb.simulate(in_space(0.1, mu=0.2, x=1, y=0.5, b=2, c=3), 0.5, tolerance=1e-12, witness=False)
    (event,) = list_events(found, "sticks")
    assert event[1] == pytest.approx(2 * 0.8 * sqrt(2) / (7 * 0.2 * g), abs=1e-11)
    assert [*found.last.v.values()][:3] == pytest.approx([1 - 1.6 / 7, 0.5 - 1.6 / 7, 0], abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(("start", "stops"), [({"x": 1, "y": 2}, sqrt(5) / (0.3 * g)), ({}, None)])
def test_a_box_in_space_slides_and_rests_on_four_feet(start: dict[str, float], stops: float | None) -> None:
    made = mb.Mechanism("box").gravity(z=-g).body("b", mass=2, inertia=(1, 1, 1))
    for name in "xyz":
        made = made.slides(name, along=name, start="0.2" if name == "z" else 0, rate=start.get(name, 0))
    made = made.turns("a", about="z").turns("b", about="y").turns("c", about="x")
    for i in range(4):
        at = ("b", ((-1, 1)[i % 2], (-1, 1)[i // 2], "-0.2"))
        made = made.contact(f"foot{i}", at, law="rigid", friction="coulomb", mu="0.3")
    found = mb.simulate(made, 1, witness=False)
    assert [t for _, t in list_events(found, "sticks")] == pytest.approx([stops] * 4 if stops else [], abs=1e-12)
    far = [v * (stops or 0) / 2 for v in (start.get("x", 0), start.get("y", 0))]
    assert [*found.last.q.values()] == pytest.approx([*far, 0.2, 0, 0, 0], abs=1e-12)
    assert found.stopped is None and np.isnan(found.found[-1].loads).all()


@pytest.mark.slow
def test_slip_in_space_begins_along_the_force() -> None:
    """A force of 5 t along (4, 3)/5 moves 1 kg from mu g/5 on."""
    found = mb.simulate(in_space().effort("fx", "x", "4*t").effort("fy", "y", "3*t"), 1, step_out=0.5)
    t = 0.3 * g / 5
    assert list_events(found, "slips") == [("slips floor", pytest.approx(t, abs=1e-9))]
    way = 5 * (1 - t**3) / 6 - 5 * t * t / 2 * (1 - t) - 0.3 * g / 2 * (1 - t) ** 2
    assert [*found.last.q.values()] == pytest.approx([0.8 * way, 0.6 * way, 0], abs=2e-8)
    assert stepped(found) == "agrees" and max(abs(row.balance) for row in found.found) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("power", [1, 2])
def test_slip_in_space_that_begins_turns(power: int) -> None:
    """Forces under which the slip is t^k/k (cos t, sin t): it begins at once, or from t = 0 on by a growing force."""
    made = in_space()
    for name, along, across in (("x", "cos(t)", "-sin(t)"), ("y", "sin(t)", "cos(t)")):
        made = made.effort(f"f{name}", name, f"(t^{power - 1} + 2.943)*{along} + t^{power}/{power}*{across}")
    found = mb.simulate(made, 2, t=0.0 if power == 1 else -0.5, step_out=0.5, witness=False)
    assert [t for _, t in list_events(found, "slips")] == pytest.approx([0.0] * (power - 1), abs=1e-9)
    with mpmath.workdps(20):
        own = [mpmath.quad(lambda t, f=f: t**power / power * f(t), [0, 2]) for f in (mpmath.cos, mpmath.sin)]
    assert [*found.last.q.values()][:2] == pytest.approx([float(x) for x in own], abs=2e-8)


@pytest.mark.slow
def test_an_impact_in_space_turns_its_slip() -> None:
    """A cart of 3 kg in x carries 1 kg: of 0.3 √(2g) each takes its part, and (0.6, 0.8) m/s are left."""
    taken = 0.3 * sqrt(2 * g)
    made = mb.Mechanism("cart").gravity(z=-g).body("cart", mass=3).slides("x", along="x", rate=0.6 * (1 + taken / 4))
    made = made.body("b", "cart", mass=1).slides("y", along="y", rate=0.8 * (1 + taken))
    made = made.slides("z", along="z", start=1).contact("floor", "b", law="rigid", friction="coulomb", mu="0.3")
    found = mb.simulate(made, 1)
    row = next(row for row in found.found if row.event == "impact floor")
    assert row.v == pytest.approx([0.6, 0.8, 0], abs=1e-12) and stepped(found) == "agrees"
    assert row.lost == pytest.approx((4 * made_of(0.6, taken / 4) + made_of(0.8, taken) + 2 * g) / 2, abs=1e-9)


def made_of(rate: float, taken: float) -> float:
    return rate**2 * ((1 + taken) ** 2 - 1)


STOOL = [(1.0, 0.0), (-0.5, 0.8), (-0.5, -0.8)]
CHAIR = [(x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]


def chair(feet: list[tuple[float, float]], angle: float = 0, mu: float = 0.3, **rates: float) -> mb.Mechanism:
    """A body of 2 kg on feet 0.2 m below it, on a plane inclined by an angle, downhill along x."""
    made = mb.Mechanism("chair").gravity(x=g * sin(angle), z=-g * cos(angle)).body("b", mass=2, inertia=(1, 1.3, 0.7))
    for name in "xyz":
        made = made.slides(name, along=name, start="0.2" if name == "z" else 0, rate=rates.get(name, 0))
    for name, about in (("a", "z"), ("b", "y"), ("c", "x")):
        made = made.turns(name, about=about, rate=rates.get(name, 0))
    for i, (x, y) in enumerate(feet):
        made = made.contact(f"foot{i}", ("b", (x, y, "-0.2")), law="rigid", friction="coulomb", mu=mu)
    return made


def off_coulomb(feet: list[tuple[float, float]], mu: float, slips: np.ndarray, change: np.ndarray) -> float:
    """Return what of M changes (x, y, z, about z, y, x) no loads N ≥ 0 give, with friction μ N against each slip."""
    rows = []
    for x, y in feet:
        turns = [np.cross(axis, (x, y, -0.2)) for axis in np.eye(3)[::-1]]
        J = np.hstack([np.eye(3), np.array(turns).T])
        slip = J[:2] @ slips
        rows.append(J[2] - mu * slip / np.hypot(*slip) @ J[:2])
    loads, off = nnls(np.array(rows).T, np.array([2, 2, 2, 0.7, 1.3, 1]) * change)
    assert loads.min() > 0.1
    return float(off)


@pytest.mark.parametrize("feet", [STOOL, CHAIR])
def test_a_chair_slides_down_a_slope_on_all_feet(feet: list[tuple[float, float]]) -> None:
    found = mb.simulate(chair(feet, 0.4), 0.3, step_out=0.3, witness=False)
    way = (sin(0.4) - 0.3 * cos(0.4)) * g * 0.3**2 / 2
    assert found.stopped is None and [*found.last.q.values()] == pytest.approx([way, 0, 0.2, 0, 0, 0], abs=1e-9)
    assert np.isnan(found.found[-1].loads).all() == (feet is CHAIR)


def test_a_stool_that_is_pushed_aside_rubs_against_the_slip_of_each_foot() -> None:
    made = chair(STOOL, 0.1).effort("F", "y", 2).effort("T", "a", 8)
    found = mb.simulate(made, 0.1, step_out=0.05, witness=False)
    pulled = np.array([g * sin(0.1), 1, -g * cos(0.1), 8 / 0.7, 0, 0])
    a = np.array(found.found[1].a)
    assert off_coulomb(STOOL, 0.3, a, a - pulled) < 1e-10 and found.stopped is None


@pytest.mark.parametrize("rates", [{"a": 3}, {"x": 1, "y": 0.4, "a": 2, "c": 0.3}])
def test_feet_that_strike_rub_against_the_slip_of_each_after_it(rates: dict[str, float]) -> None:
    """Its first slips turn; from rest a foot had none along which it was sought."""
    found = mb.simulate(chair(STOOL, z=-2, **rates), 1e-3, step_out=1e-3, impacts="simultaneous", witness=False)
    before, after = found.found[0].v, next(row for row in found.found if row.event == "impact foot2").v
    assert off_coulomb(STOOL, 0.3, np.array(after), np.array(after) - before) < 1e-10
    (note,) = (d.message for d in found.diagnostics if d.place == "contacts")
    assert "directions of its slips were found by iteration" in note


def test_a_point_bounces_while_another_begins_to_slip_in_space() -> None:
    """The direction of the slip stood where the acceleration of the other was looked for: the run broke."""
    made = mb.Mechanism("two").gravity(x=5, z=-g)
    for name, rate in (("p", 0), ("q", -1)):
        made = made.body(name, mass=1)
        for axis in "xyz":
            made = made.slides(f"{axis}_{name}", along=axis, rate=rate if axis == "z" else 0)
        made = made.contact(name, name, law="rigid", friction="coulomb", mu="0.3", e="0.5" if rate else 0)
    found = mb.simulate(made, 0.1, step_out=0.1, impacts="simultaneous", witness=False)
    own = [(5 - 0.3 * g) / 200, 0, 0, 0.025, 0, 0.05 - g / 200]
    assert [*found.last.q.values()] == pytest.approx(own, abs=1e-12)


def test_slips_that_iteration_does_not_find_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is not Painlevé's: whether there is a motion is not known."""
    monkeypatch.setattr(impacts.Choice, "_seek_ways", lambda *_: [])
    with pytest.raises(NumbersError, match="foot0, foot1, foot2 has slips in space that iteration sought and did not"):
        mb.simulate(chair(STOOL, 0.4), 1)


def test_six_feet_seek_directions_where_no_others_hold_and_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """An impact that holds without had hundreds of iterations, as a start on a slope had."""
    feet, calls = [*STOOL, *((-x, y) for x, y in STOOL)], list[list[str]]()
    seek = impacts.Choice._seek_ways
    monkeypatch.setattr(impacts.Choice, "_seek_ways", lambda own, *at: calls.append(at[0]) or seek(own, *at))
    found = mb.simulate(chair(feet, z=-1, x=0.2), 1e-3, step_out=1e-3, impacts="simultaneous", witness=False)
    assert not calls and "were not sought by iteration in the impact" in str(found.diagnostics)
    monkeypatch.setattr(impacts, "SOUGHT", 0)
    with pytest.raises(NumbersError, match="more than 0 combinations of modes may slip in several directions at 6 con"):
        mb.simulate(chair(feet, 0.4), 1e-3, witness=False)


def test_a_bar_that_slides_across_itself_is_refused_by_the_friction_of_its_loads() -> None:
    """Along itself it slides as one point; across it turns by the loads of its feet, which are not unique."""
    for way, refused in (("x", False), ("y", True)):
        made = mb.Mechanism("bar").gravity(**{way: 5}, z=-g).body("b", mass=2, inertia=(1, 1, 1))
        made = made.slides("x", along="x").slides("y", along="y").slides("z", along="z").turns("a", about="z")
        for i in (-1, 1):
            made = made.contact(f"foot{i}", ("b", (i, 0, 0)), law="rigid", friction="coulomb", mu="0.3")
        if refused:
            with pytest.raises(NumbersError, match="the motion at foot-1, foot1 is not unique"):
                mb.simulate(made, 1)
        else:
            found = mb.simulate(made, 1, step_out=0.5, witness=False)
            assert [*found.last.q.values()] == pytest.approx([(5 - 0.3 * g) / 2, 0, 0, 0], abs=1e-12)


def test_a_slip_in_space_whose_load_a_stop_shares_is_refused() -> None:
    """The stop was left open as if the floor bore all: singular, friction of both had no direction."""
    made = in_space().gravity(x=5, z=-g).stop("end", "z", lower=0, law="rigid")
    with pytest.raises(NumbersError, match="is not unique: their forces are not, and friction with them"):
        mb.simulate(made, 1)


def test_slip_in_space_begins_at_one_of_several_contacts_that_rest() -> None:
    """Of two points that forces of 5 t and 2 t pull each slips by its own, though the other rests."""
    made = mb.Mechanism("two").gravity(z=-g)
    for name, along, across in (("p", 4, 3), ("q", 0, -2)):
        made = made.body(name, mass=1)
        for axis in "xyz":
            made = made.slides(f"{axis}_{name}", along=axis)
        made = made.effort(f"fx_{name}", f"x_{name}", f"{along}*t").effort(f"fy_{name}", f"y_{name}", f"{across}*t")
        made = made.contact(name, name, law="rigid", friction="coulomb", mu="0.3")
    found = mb.simulate(made, 1.6, step_out=0.8, witness=False)
    begun = [0.3 * g / 5, 0.3 * g / 2]
    assert list_events(found, "slips") == [
        (f"slips {x}", pytest.approx(t, abs=1e-9)) for x, t in zip("pq", begun, strict=True)
    ]
    p, q = (
        k * ((1.6**3 - t**3) / 6 - t * t / 2 * (1.6 - t) - t / 2 * (1.6 - t) ** 2)
        for k, t in zip((5, 2), begun, strict=True)
    )
    assert [*found.last.q.values()] == pytest.approx([0.8 * p, 0.6 * p, 0, 0, -q, 0], abs=1e-7)


@pytest.mark.parametrize("turn", [0, 2.5])
def test_feet_of_a_box_that_slides_stop_together(turn: float) -> None:
    """However their directions lie: rates of 1e-9 m/s, of rounding, had some slip on while others stuck."""
    made, v = mb.Mechanism("box").gravity(z=-g).body("b", mass=2, inertia=(1, 1.3, 0.7)), np.hypot(1, 0.4)
    rates = {"x": v * cos(turn + atan(0.4)), "y": v * sin(turn + atan(0.4)), "z": 0}
    for name, rate in rates.items():
        made = made.slides(name, along=name, start="0.2" if name == "z" else 0, rate=rate)
    made = made.turns("a", about="z", start=turn).turns("b", about="y").turns("c", about="x")
    for i, (x, y) in enumerate(product((-1, 1), repeat=2)):
        made = made.contact(f"foot{i}", ("b", (x, y, "-0.2")), law="rigid", friction="coulomb", mu="0.3")
    found = mb.simulate(made, 0.5, step_out=0.25, witness=False)
    assert [t for _, t in list_events(found, "sticks")] == pytest.approx([v / (0.3 * g)] * 4, abs=1e-8)
    far = v / (0.6 * g)
    assert [*found.last.q.values()] == pytest.approx([far * rates["x"], far * rates["y"], 0.2, turn, 0, 0], abs=1e-8)


@pytest.mark.parametrize(("e", "says"), [(0.9, True), (0.3, False)])
def test_an_impact_that_gains_energy_is_named(e: float, says: bool) -> None:
    """Newton's e of 0.9 raises the energy of a rod whose tip sticks by Delassus' matrix; its number is noted."""
    angle, v = 0.9, np.array([-0.75, -1.0, 0.0])
    made = mb.Mechanism("rod").body("b", mass=1, inertia=(1, "1/12", 1)).slides("x", along="x", rate=float(v[0]))
    made = made.slides("z", along="z", start=0.5 * sin(angle) + 0.01, rate=float(v[1])).turns(
        "th", about="y", start=angle
    )
    found = mb.simulate(
        made.contact("tip", ("b", (0.5, 0, 0)), law="rigid", friction="coulomb", mu=1, e=e), 0.02, witness=False
    )
    R, M = np.array([[0, 1, -cos(angle) / 2], [1, 0, -sin(angle) / 2]]), np.diag([1, 1, 1 / 12])
    after = v - np.linalg.solve(M, R.T @ np.linalg.solve(R @ np.linalg.solve(M, R.T), R @ v + [e * (R @ v)[0], 0]))
    gain = float(after @ M @ after - v @ M @ v) / 2
    assert found.found[-1].lost == pytest.approx(-gain, abs=1e-9) and (gain > 0.01) is says
    notes = [d.message for d in found.diagnostics if d.place == "contacts/tip"]
    assert [note.split(" gains ")[1].split(",")[0] for note in notes] == [f"{gain:.3g} J"] * says


@pytest.mark.parametrize(("angle", "rate"), [(0, 0), (0.3, 0), (pi / 2, 0), (pi, 0), (0.3, 1)])
def test_the_foot_of_an_arm_rests_though_it_moves_along_one_direction(angle: float, rate: float) -> None:
    """A moment of 2 N m turns an arm with a foot at (0.5, 0.3) m, which 0.4·2g holds; it stops after √0.34 Θ ω/…."""
    made = mb.Mechanism("crane").gravity(z=-g).body("b", mass=2, inertia=(0.3, 0.4, 0.5)).slides("z", along="z")
    made = made.turns("th", about="z", start=angle, rate=rate).effort("M", "th", 2)
    made = made.contact("foot", ("b", (0.5, 0.3, 0)), law="rigid", friction="coulomb", mu="0.4")
    found = mb.simulate(made, 1, step_out=0.5, witness=False)
    t = 0.5 * rate / (0.8 * g * sqrt(0.34) - 2)
    assert [x for _, x in list_events(found, "sticks")] == pytest.approx([t] if rate else [], abs=1e-9)
    assert found.stopped is None and found.last.q["th"] == pytest.approx(angle + rate * t / 2, abs=1e-9)


def test_a_point_on_its_normal_and_a_slip_that_turns_downhill_come_to_rest() -> None:
    n = np.array([0.19777292, -0.04266831, 0.97931879])
    n /= np.linalg.norm(n)
    guided, made = (mb.Mechanism("block").gravity(z=-g).body("b", mass=2) for _ in range(2))
    guided = guided.slides("s", along=tuple(n))
    for name, rate in zip("xyz", np.cross(n, [-1, -1, 1.2]), strict=True):
        made = made.slides(name, along=name, rate=float(rate))
    for one, words in ((guided, []), (made, ["sticks floor"])):
        rubs = one.contact("floor", "b", tuple(n), law="rigid", friction="coulomb", mu="0.8")
        found = mb.simulate(rubs, 1, step_out=0.5, witness=False)
        assert found.stopped is None and [word for word, _ in list_events(found)] == ["meets floor", *words]
        assert np.abs(found.found[-1].v).max() < 1e-12


@pytest.mark.slow
def test_a_ball_that_bounces_begins_to_roll() -> None:
    """A hoop of radius 1 m that slides at 3 m/s rolls at half of it, from v/(2 mu g) on."""
    made = mb.Mechanism("hoop").gravity(z=-g).body("b", mass=1, inertia=(1, 1, 1)).slides("x", along="x", rate=3)
    made = made.slides("z", along="z", start=1).turns("th", about="y")
    made = made.contact("floor", "b", radius=1, law="rigid", friction="coulomb", mu="0.3")
    found = mb.simulate(made, 1)
    assert list_events(found, "sticks") == [("sticks floor", pytest.approx(3 / (2 * 0.3 * g), abs=1e-12))]
    assert [*found.last.v.values()] == pytest.approx([1.5, 0, 1.5], abs=1e-12) and stepped(found) == "agrees"


@pytest.mark.slow
def test_friction_without_a_cone_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    press = stepping._press
    monkeypatch.setattr(stepping, "_press", lambda A, b, mu: press(A, b, [0.5 * x for x in mu]))
    assert stepped(mb.simulate(block(0.3, 0.5, -2), 3)) == "disagrees"


def box(feet: tuple[int, ...], mu: float | None = None) -> mb.Mechanism:
    """A box of 2 kg on feet that a moment of 5 N m/s tips from t = m g/5 on about those at x = 1."""
    made = mb.Mechanism("box").gravity(z=-g).body("b", mass=2, inertia=(1, 1, 1)).slides("x", along="x")
    made = made.slides("z", along="z", start="0.5").turns("th", about="y").effort("T", "th", "5*t")
    rubs = {"friction": "coulomb", "mu": mu} if mu else {}
    for i, x in enumerate(feet):
        made = made.contact(f"foot{i}", ("b", (x, 0, "-0.5")), law="rigid", **rubs)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize("feet", [(-1, 0, 1), (-1, -1, 1, 1)])
def test_a_box_on_more_feet_tips_as_on_two(feet: tuple[int, ...], mu: float | None) -> None:
    """Its motion is unique, though the forces of its feet are not: those have no numbers, and it is said."""
    two, more = (mb.simulate(box(x, mu), 4, step_out=0.5, witness=False) for x in ((-1, 1), feet))
    assert more.stopped is None and [*more.last.q.values()] == pytest.approx([*two.last.q.values()], abs=1e-9)
    left = [t for word, t in list_events(more, "leaves")]
    assert left == pytest.approx([2 * g / 5] * len(left), abs=1e-9) and len(left) == len(feet) - feet.count(1)
    loads = [next(row.loads for row in found.found if row.t == 1) for found in (two, more)]
    assert loads[0] == pytest.approx([g - 2.5, g + 2.5]) and np.isnan(loads[1]).all()
    (note,) = (d for d in more.diagnostics if d.place == "contacts")
    assert "the forces of foot0" in note.message and "are not: they have no numbers" in note.message
    assert not [d for d in two.diagnostics if d.place == "contacts"]  # two that rub have unique numbers


def test_friction_by_forces_that_are_not_unique_is_refused() -> None:
    made = mb.Mechanism("slot").gravity(z=-g).body("b", mass=1).slides("x", along="x").slides("z", along="z", rate=-1)
    for name, side in (("left", "x"), ("right", "-x")):
        made = made.contact(name, "b", side, law="rigid", friction="coulomb", mu=1)
    with pytest.raises(NumbersError, match="the motion at left, right is not unique: their forces are not"):
        mb.simulate(made, 1)


def test_a_plate_on_twenty_points_rests_and_tips_over_its_edge() -> None:
    """Nearest accelerations by Gauss's principle: a moment of 3 m g at its middle turns it about its edge at x = 1."""
    made = mb.Mechanism("plate").gravity(z=-g).body("b", mass=2, inertia=(1, 1, 1)).slides("z", along="z")
    made = made.turns("a", about="x").turns("b", about="y").parameters(T=0).effort("T", "b", "T")
    for i in range(20):
        made = made.contact(f"p{i}", ("b", (-1 + 2 * (i % 5) / 4, -1 + 2 * (i // 5) / 3, 0)), law="rigid")
    rests = mb.simulate(made, 1, step_out=0.5, witness=False)
    assert np.abs(rests.q).max() < 1e-9 and np.isnan(rests.found[-1].loads).all()
    tips = mb.simulate(made, 1e-3, step_out=1e-3, parameters={"T": 6 * g}, witness=False)
    assert tips.found[-2].a == pytest.approx([(6 - 2) * g / 3, 0, (6 - 2) * g / 3], rel=1e-9)


def test_more_modes_with_friction_than_are_tried_are_refused() -> None:
    with pytest.raises(NumbersError, match="7 contacts with friction touch at once, in 16,384 combinations"):
        mb.simulate(box((-3, -2, -1, 0, 1, 2, 3), 0.5).effort("F", "x", 1), 1)


def test_feet_that_need_no_friction_rest_however_many_and_bear_unknown_loads() -> None:
    """Ten feet that strike at once, and rest: with any friction theirs is the only motion, as no forces do work."""
    feet = [(x / 2, y) for x in range(-2, 3) for y in (-1.0, 1.0)]
    found = mb.simulate(chair(feet, z=-1), 0.5, step_out=0.5, impacts="simultaneous", witness=False)
    assert (
        found.stopped is None
        and np.abs([*found.last.v.values()]).max() < 1e-12
        and np.isnan(found.found[-1].loads).all()
    )
    assert found.found[-1].lost == pytest.approx(1, abs=1e-12)
    (note,) = (d.message for d in found.diagnostics if d.place == "contacts")
    assert "the motion is unique, and the forces of foot0" in note


def test_a_tip_that_leaves_without_friction_may_be_pressed_with_it() -> None:
    """A slender rod of length 2 with tan = 2, pulled by 1 along and 0.1 off the plane: Λ of 0.215 and -0.37 hold it."""
    for pull, refused in ((1, False), (-1, True)):
        made = mb.Mechanism("rod").gravity(x=pull, z="0.1").body("b", mass=1, inertia=("1/3", "1/3", "1/3"))
        made = made.slides("x", along="x").slides("z", along="z", start="2/sqrt(5)").turns("th", about="y")
        made = made.contact("tip", ("b", ("-1/sqrt(5)", 0, "-2/sqrt(5)")), law="rigid", friction="coulomb", mu=2)
        if refused:
            with pytest.raises(NumbersError, match="the motion at tip is not unique: sticks or slips forth or open"):
                mb.simulate(made, 1)
        else:
            found = mb.simulate(made, 1, step_out=1, witness=False)
            assert [*found.last.q.values()] == pytest.approx([0.5, 2 / 5**0.5 + 0.05, 0], abs=1e-12)


def test_bodies_that_do_not_touch_one_another_are_solved_one_by_one() -> None:
    """Five boxes on two feet each have 16 combinations each, and 1,048,576 together."""
    made = mb.Mechanism("boxes").gravity(x=1, z=-g)
    for k in range(5):
        made = made.body(f"b{k}", mass=1 + k, inertia=(1, 1, 1)).slides(f"x{k}", along="x")
        made = made.slides(f"z{k}", along="z", rate=-1).turns(f"th{k}", about="y")
        for i in (-1, 1):
            made = made.contact(f"foot{k}{i}", (f"b{k}", (i, 0, 0)), law="rigid", friction="coulomb", mu=0.05 + k / 50)
    found = mb.simulate(made, 1, step_out=0.5, impacts="simultaneous", witness=False)
    pulled = [max(1 - (0.05 + k / 50) * g, 0) / 2 for k in range(5)]
    assert found.stopped is None and [found.last.q[f"x{k}"] for k in range(5)] == pytest.approx(pulled, abs=1e-12)
