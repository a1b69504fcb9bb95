"""Rigid contacts, ropes and stops: impacts, closing, opening and energies against closed forms, and their witness."""

from __future__ import annotations

import json
import re
from math import cos, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.cli import main
from mbconcord.model.diagnostics import NumbersError
from mbconcord.validation.witnesses.direct import formulas
from mbconcord.validation.witnesses.runs import stepping

VECTORS = Path(__file__).parents[3].parent / "shared" / "specs" / "vectors" / "mechanics"
g = 9.81


def list_events(found: mb.Simulation) -> list[tuple[str, float]]:
    return [(row.event, row.t) for row in found.found if row.event]


def slider(**start: Any) -> mb.Mechanism:
    return mb.Mechanism("slider").body("b", mass=2).slides("x", along="x", **start)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_a_ball_bounces_at_the_times_of_parabolas(tolerance: float) -> None:
    made = mb.Mechanism("ball").gravity(z=-g).body("b", mass=1).slides("z", along="z", start=1)
    made = made.contact("floor", "b", law="rigid", e="0.7")
    found = mb.simulate(made, 3, step_out=0.5, tolerance=tolerance, witness=False)
    *impacts, (meets, closed) = list_events(found)
    assert [word for word, _ in impacts] == ["impact floor"] * 36 and meets == "meets floor"
    t0, e = sqrt(2 / g), 0.7
    own = [t0 * (1 + 2 * sum(e**j for j in range(1, k + 1))) for k in range(36)]
    assert [t for _, t in impacts] == pytest.approx(own, rel=0, abs=6e-14)
    assert t0 * (1 + 2 * e / (1 - e)) - closed == pytest.approx(8e-6, abs=4e-6)
    assert found.last.q["z"] == pytest.approx(0, abs=1e-15) and found.found[-1].lost == pytest.approx(g, abs=1e-9)
    assert max(abs(row.balance) for row in found.found) < 1e-9
    (note,) = (d for d in found.diagnostics if d.place == "contacts/floor")
    assert "impacts accumulate: closed at t = 2.55862" in note.message


@pytest.mark.skipif(not VECTORS.is_dir(), reason="the vectors lie beside the repository")
def test_a_ball_is_that_of_the_vectors() -> None:
    text = (VECTORS / "contact.expected.json").read_text(encoding="utf-8")
    (vector,) = (v for v in json.loads(text) if v["model"] == "ball_rigid.mbs.json")
    found = mb.simulate(VECTORS / vector["model"], vector["until"], tolerance=1e-10, witness=False)
    events = list_events(found)
    assert [t for _, t in events[: len(vector["events"])]] == pytest.approx(
        [e["t"] for e in vector["events"]], abs=vector["tolerance"]
    )
    assert events[-1] == ("meets floor", pytest.approx(vector["rest_from"], abs=vector["rest_within"]))
    assert found.last.q["z"] == pytest.approx(vector["final"]["z"], abs=vector["tolerance"])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dop853", "radau", "lsoda"])
def test_a_stop_holds_until_the_force_turns(method: str) -> None:
    """x'' = 3 cos t with x' = 1 at 0, up to x = 1: x = t + 3 (1 - cos t); it leaves where the force is zero."""
    made = mb.Mechanism("s").body("b", mass=1).slides("x", along="x", rate=1).effort("F", "x", "3*cos(t)")
    found = mb.simulate(made.stop("end", "x", upper=1, law="rigid"), 3, tolerance=1e-9, method=method)
    (struck, at), (meets, closed), (leaves, left) = list_events(found)
    assert (struck, meets, leaves) == ("impact end", "meets end", "leaves end")
    assert at + 3 * (1 - cos(at)) == pytest.approx(1, abs=1e-7) and closed == at
    assert left == pytest.approx(pi / 2, abs=1e-9)
    t, x = (np.array([getattr(row, name) for row in found.found]) for name in ("t", "q"))
    late = t > left
    assert x[late, 0] == pytest.approx(1 - 3 * np.cos(t[late]) - 3 * (t[late] - pi / 2), abs=1e-7)
    (stepped,) = (c for c in found.witnesses if c.quantity == stepping.IMPACTS)
    assert stepped.verdict == "agrees" and stepped.discrepancy is not None and stepped.discrepancy < 2e-3
    assert all(c.verdict == "agrees" for c in found.witnesses if c.verdict != "not checked")


@pytest.mark.slow
def test_both_ends_of_a_stop_take_their_part_of_the_energy() -> None:
    found = mb.simulate(slider(rate=1).stop("end", "x", lower=-1, upper=1, law="rigid", e="0.5"), 10, witness=False)
    assert list_events(found) == [("impact end", pytest.approx(1)), ("impact end", pytest.approx(5))]
    assert found.found[-1].lost == pytest.approx(1 - 1 / 16) and found.last.v["x"] == pytest.approx(0.25)
    table = found.to_frame()
    assert table["lost in impacts"].iloc[-1] == found.found[-1].lost
    again = mb.simulate(slider(rate=1).stop("end", "x", lower=-1, upper=1, law="rigid", e="0.5"), 12, resume=table)
    assert again.found[-1].lost == pytest.approx(1 - 1 / 16)


@pytest.mark.slow
def test_a_rope_goes_taut_and_is_a_pendulum() -> None:
    made = mb.Mechanism("rope").gravity(z=-g).body("b", mass=1).slides("x", along="x", start="0.5")
    made = made.slides("z", along="z").rope("rope", None, "b", 1, law="rigid")
    found = mb.simulate(made, 2, step_out=0.1)
    (_, taut), _ = list_events(found)
    assert taut == pytest.approx(sqrt(2 * sqrt(0.75) / g), abs=1e-12)
    long = np.hypot(*found.q[found.t > taut].T)
    assert long == pytest.approx(1, abs=1e-12)
    assert found.found[-1].lost == pytest.approx(g * sqrt(0.75) * 0.75, abs=1e-9)
    assert all(c.verdict != "disagrees" for c in found.witnesses)


def cradle(first: float = 1, last: float = 0) -> mb.Mechanism:
    made = mb.Mechanism("cradle")
    for i, (x, v) in enumerate([(-1, first), (0, 0), (-last, last)]):
        made = made.body(f"b{i}", mass=1).slides(f"x{i}", along="x", start=x, rate=v)
    made = made.contact("c01", "b0", "-x", against="b1", law="rigid", e=1)
    return made.contact("c12", "b1", "-x", against="b2", law="rigid", e=1)


def test_impacts_at_once_that_are_not_unique_are_refused() -> None:
    found = mb.simulate(cradle(), 2, witness=False)
    assert found.stopped is not None and found.reached == pytest.approx(1)
    known = ("c01, c12 are not unique: rates of x0, x1, x2 simultaneous", "x0' = 1")
    for words in (*known, "(-0.333333, 0.666667, 0.666667), sequential (0, 0, 1)"):
        assert words in found.stopped.message
    turns = mb.simulate(cradle(), 2, impacts="sequential", witness=False)
    assert [*turns.last.v.values()] == pytest.approx([0, 0, 1], abs=1e-12)
    once = mb.simulate(cradle(), 2, impacts="simultaneous", witness=False)
    assert [*once.last.v.values()] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)
    with pytest.raises(NumbersError, match=r"impacts.*'never'"):
        mb.simulate(cradle(), 2, impacts="never")


def test_many_impacts_are_refused_by_the_rates_that_differ_most() -> None:
    """Eight balls of which the first strikes: in turn the last flies on, at once all but the first do."""
    made = mb.Mechanism("cradle")
    for i in range(8):
        made = made.body(f"b{i}", mass=1).slides(f"x{i}", along="x", rate=int(i == 0))
    for i in range(7):
        made = made.contact(f"c{i}", f"b{i}", "-x", against=f"b{i + 1}", law="rigid", e=1)
    words = r"are not unique: rates of x0, x1, x3, x4, x5, x7 simultaneous \(-0.75, 0.25, 0.25, 0.25, 0.25, 0.25\), seq"
    with pytest.raises(NumbersError, match=words + r"uential \(0, 0, 0, 0, 0, 1\);"):
        mb.simulate(made, 1)


def test_impacts_that_do_not_act_on_one_another_have_no_order() -> None:
    made = mb.Mechanism("balls").gravity(z=-10)
    for i in range(7):
        made = made.body(f"b{i}", mass=1 + i).slides(f"z{i}", along="z", rate=-1)
        made = made.contact(f"c{i}", f"b{i}", law="rigid", e=f"{i}/7")
    found = mb.simulate(made, 0.01, step_out=0.01, witness=False)
    rates = [i / 7 - 0.1 if i else 0 for i in range(7)]
    assert found.stopped is None and [*found.last.v.values()] == pytest.approx(rates, abs=1e-12)


@pytest.mark.slow
def test_a_hit_from_both_sides_is_unique() -> None:
    found = mb.simulate(cradle(1, -1), 2, step_out=1)
    assert found.stopped is None and [*found.last.v.values()] == pytest.approx([-1, 0, 1], abs=1e-12)


@pytest.mark.parametrize(
    ("made", "place", "words"),
    [
        (slider(start=2).stop("end", "x", upper=1, law="rigid"), "contacts/end", "past its stop by 1 at the start"),
        (slider(start=2).rope("r", None, "b", 1, law="rigid"), "contacts/r", "shorter than the distance of its ends"),
        (slider(start=-1).contact("c", "b", "x", law="rigid"), "contacts/c", "inside the plane by 1 at the start"),
    ],
)
def test_a_start_beyond_is_refused_where_it_is(made: mb.Mechanism, place: str, words: str) -> None:
    with pytest.raises(NumbersError, match=f"{place}.*{words}"):
        mb.simulate(made, 1)


def test_a_restitution_by_a_parameter_is_looked_at() -> None:
    made = slider(rate=1).parameters(e="0.5").stop("end", "x", upper=1, law="rigid", e="e")
    assert mb.simulate(made, 2, witness=False).last.v["x"] == pytest.approx(-0.5)
    with pytest.raises(NumbersError, match=r"contacts/end/normal/e.*restitution 2"):
        mb.simulate(made, 2, parameters={"e": 2})


def test_a_method_that_cannot_begin_anew_is_refused() -> None:
    pytest.importorskip("sksundae", reason="ida is of an extra")
    with pytest.raises(NumbersError, match="ida is not for models with rigid contacts"):
        mb.simulate(slider(rate=1).stop("end", "x", upper=1, law="rigid"), 3, method="ida")


@pytest.mark.slow
def test_other_verbs_say_what_they_leave_out() -> None:
    made = slider().stop("end", "x", upper=1, law="rigid").contact("c", "b", "-x", offset=-3, law="rigid").build()
    assert [o.kind for o in made.omissions] == ["rigid-element"] * 2
    for verb in (mb.evaluate, mb.derive, mb.linearize):
        assert verb(made).left_out.without == "without 2 rigid elements"
    assert mb.check(made).verdict == "agrees in part"
    text = mb.write(made, "native").text
    assert '"omissions"' not in text and mb.read(text=text, format="native").system == made
    assert mb.simulate(made, 1).left_out.without == ""


def test_two_models_whose_stops_differ_in_their_restitution_are_told_apart() -> None:
    one, other = (slider().stop("end", "x", upper=1, law="rigid", e=e).build() for e in (0, "0.5"))
    same, unlike = mb.compare(one, one), mb.compare(one, other)
    assert not same.differences and [d.place for d in unlike.differences] == ["rigid-element/end"]
    assert (same.verdict, unlike.verdict) == ("agrees in part", "not checked")


@pytest.mark.slow
def test_a_restitution_that_is_another_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    press = stepping._press
    monkeypatch.setattr(stepping, "_press", lambda A, b, mu: 0.7 * press(A, b, mu))
    made = mb.Mechanism("ball").gravity(z=-g).body("b", mass=1).slides("z", along="z", start=1)
    found = mb.simulate(made.contact("floor", "b", law="rigid", e="0.7"), 1)
    (stepped,) = (c for c in found.witnesses if c.quantity == stepping.IMPACTS)
    assert stepped.verdict == "disagrees"


@pytest.mark.slow
def test_joint_forces_have_no_number_where_rigid_elements_press() -> None:
    beam = mb.Mechanism("beam").gravity(y=-10).body("b", mass=2, com=("1/2", 0, 0), inertia=("1/100", "1/6", "1/6"))
    held = beam.turns("a", about="z").contact("c", ("b", (1, 0, 0)), "y", law="rigid")
    found = mb.simulate(held, 0.2, step_out=0.1, forces=True)
    assert [row.event for row in found.found[:2]] == ["", "meets c"]
    for column, falling in {"joint_forces[b, Fy]": 5, "joint_forces[b, Mz]": 0, "ground[Fy]": 5}.items():
        assert found.forces[column][0] == pytest.approx(falling)  # 2 (10 - 15/2) N, before it touches
        assert np.isnan(found.forces[column][1:]).all()  # borne with the floor: 10 N, not 20 N and 10 N m
    assert [str(d) for d in found.diagnostics if "there are none in 3 rows: rigid elements press" in str(d)]
    bob = mb.Mechanism("bob").gravity(y=-10).body("b", mass=1).slides("x", along="x", start="0.6")
    bob = bob.slides("y", along="y", start="-0.8").rod("rod", "b", (None, (0, 0, 0)), 1)
    closed = mb.simulate(bob.contact("c", "b", "x", offset="0.6", law="rigid"), 0.2, step_out=0.1, forces=True)
    assert np.isnan(np.array(list(closed.forces.values()))[:, 1:]).all()
    assert closed.forces["ground[Fy]"][0] == pytest.approx(6.4)  # (1 - 0.6²) m g
    free = mb.simulate(slider(rate=1).stop("end", "x", upper=1, law="rigid", e=1), 2, step_out=0.25, forces=True)
    assert not np.isnan(np.array(list(free.forces.values()))).any()


def test_steps_compute_constants_once_and_what_moves_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made = mb.Mechanism("all").gravity(z="-g").parameters(g="9.81", L="3/10", k="100*L + 7").varies("m", "1 + L*t")
    made = made.varies("p", "1 + t").function("f", "x", "x^2*L").body("plate").shift_along("f(t) - L/10", "z")
    made = made.body("b", mass="m", inertia=("L/10",) * 3).slides("z", along="z", rate="-1/10").turns("a", about="x")
    made = made.effort("F", "z", "-k*z - z'*sqrt(p)").effort("M", "a", "m*f(a + 1)")
    system = made.contact("top", ("b", (0, "L", 0)), against="plate", law="rigid", e="L").build()
    start, rounded = mb.State(0.0, {"z": 0.0, "a": 0.1}, {"z": -0.1, "a": -1.0}), list[int]()
    whole, real = stepping.bind, formulas._float
    monkeypatch.setattr(formulas, "_float", lambda x: rounded.append(1) or real(x))
    few = stepping.step_motion(system, start, 0.005, 2)
    once = len(rounded)
    kept = stepping.step_motion(system, start, 0.2, 40)
    assert len(rounded) == 2 * once and (few.jumps > 0).all()
    monkeypatch.setattr(stepping, "bind", lambda system, states, at_rest, before: whole(system, states, at_rest))
    anew = stepping.step_motion(system, start, 0.2, 40)
    assert np.array_equal(kept.q, anew.q) and np.array_equal(kept.jumps, anew.jumps)


def test_impacts_are_neither_turned_back_nor_without_momentum() -> None:
    made = mb.Mechanism("ball").body("b", mass=1).slides("x", along="x", start=1, rate=-1).slides("y", along="y")
    made = made.contact("wall", "b", "x", law="rigid", e="1/2")
    found = mb.check(made, simulate=2, formalisms=["lagrange", "newton_euler"])
    assert "disagrees" not in {c.verdict for c in found.comparisons}
    said = " ".join(str(d) for d in found.diagnostics)
    assert "motion there and back not checked: impacts of rigid elements are not turned back" in said
    assert "momentum not checked: rigid elements press by no formula" in said


@pytest.mark.slow
def test_a_start_within_what_touches_and_a_rope_whose_ends_coincide_are_stepped() -> None:
    ball = mb.Mechanism("ball").gravity(z=-g).body("b", mass=1).slides("z", along="z", start="-1e-11")
    bob = mb.Mechanism("bob").gravity(y=-g).body("b", mass=1).slides("x", along="x").slides("y", along="y")
    for made in (ball.contact("floor", "b", law="rigid"), bob.rope("r", "b", (None, (0, 0, 0)), 1, law="rigid")):
        found = mb.simulate(made, 0.6, step_out=0.1)
        (stepped,) = (c for c in found.witnesses if c.quantity == stepping.IMPACTS)
        assert stepped.verdict == "agrees", stepped.explanation


def test_a_rope_whose_ends_coincide_lets_a_floor_press() -> None:
    made = mb.Mechanism("sled").gravity(z=-g).body("b", mass=1).slides("x", along="x", rate=1).slides("z", along="z")
    made = made.contact("floor", "b", law="rigid").rope("r", "b", (None, (0, 0, 0)), "1/2", law="rigid", e=1)
    found = mb.simulate(made, 1, step_out=0.5, witness=False)
    assert found.stopped is None and found.last.q["x"] == pytest.approx(0, abs=1e-12)


def test_motion_takes_the_table_of_a_run_with_events_at_one_time() -> None:
    found = mb.simulate(slider(rate=1).stop("end", "x", upper=0, law="rigid", e=1), 1, step_out=0.5, witness=False)
    assert found.t.tolist() == [0, 0, 0.5, 1] and [word for word, _ in list_events(found)] == ["impact end"]
    given = mb.simulate(slider(), motion=found.to_frame())
    assert given.t.tolist() == [0, 0.5, 1] and given.v[:, 0].tolist() == [-1, -1, -1]
    assert all(c.verdict != "disagrees" for c in given.witnesses)
    with pytest.raises(NumbersError, match="row 2 is not later than the one before"):
        mb.simulate(slider(), motion=found.to_frame().assign(event=""))


@pytest.mark.slow
def test_energy_that_impacts_do_not_take_is_printed_as_none(tmp_path: Path, capsys: Any) -> None:
    model = tmp_path / "m.mbs.json"
    made = slider(rate="0.3").effort("F", "x", 7).stop("end", "x", upper="0.1", law="rigid", e=1)
    model.write_text(mb.write(made, "native").text)
    assert main(["simulate", str(model), "--until", "1", "--step-out", "0.5"]) == 0
    assert re.search(r"lost in impacts: 0 J, to \de-1\d J", capsys.readouterr().out)
