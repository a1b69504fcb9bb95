"""Contacts, ropes and stops that begin and end to act: instants against closed forms and vectors, and their witness."""

from __future__ import annotations

import json
from math import cos, exp, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import mbconcord as mb
from mbconcord.model.expressions import symbol
from mbconcord.validation.witnesses.runs import equations

VECTORS = Path(__file__).parents[3].parent / "shared" / "specs" / "vectors" / "mechanics"
g = 9.81


def ball(z: float = 0.6, **law: object) -> mb.Mechanism:
    """A ball of radius 0.1 m over a floor."""
    made = mb.Mechanism("ball").gravity(z=-g).body("b", mass=1).slides("z", along="z", start=z)
    return made.contact("floor", "b", radius="0.1", **law)


def list_events(found: mb.Simulation) -> list[tuple[str, float]]:
    return [(row.event, row.t) for row in found.found if row.event]


def test_a_fall_and_a_contact_by_kelvin_and_voigt_end_where_closed_forms_say() -> None:
    """δ'' + c δ' + k δ = g from δ = 0, δ' = v0; the force is zero where k δ + c δ' is."""
    k, c, v0 = 1e4, 20.0, sqrt(g)
    w, offset = sqrt(k - c * c / 4), g / k

    def depth(t: float) -> tuple[float, float]:
        a, b = -offset, (v0 - c / 2 * offset) / w
        fades = exp(-c / 2 * t)
        swings, turns = a * cos(w * t) + b * sin(w * t), w * (b * cos(w * t) - a * sin(w * t))
        return offset + fades * swings, fades * (turns - c / 2 * swings)

    lasts = brentq(lambda t: k * depth(t)[0] + c * depth(t)[1], 0.02, 0.0314, xtol=1e-16)
    assert lasts == pytest.approx(0.030300154927, abs=1e-12)
    found = mb.simulate(ball(law="kelvin_voigt", k=k, c=c), 0.4, step_out=0.1, tolerance=1e-11, witness=False)
    (first, met), (last, left) = list_events(found)
    assert (first, last) == ("meets floor", "leaves floor")
    assert met == pytest.approx(sqrt(2 * 0.5 / g), abs=1e-14) and left - met == pytest.approx(lasts, abs=1e-12)
    (row,) = (row for row in found.found if row.event == "leaves floor")
    assert row.v[0] == pytest.approx(2.314982069082, abs=1e-10)


@pytest.mark.skipif(not VECTORS.is_dir(), reason="the vectors lie beside the repository")
@pytest.mark.parametrize("name", ["ball_kv.mbs.json", "ball_hc.mbs.json"])
def test_events_and_rows_are_those_of_the_vectors(name: str) -> None:
    text = (VECTORS / "contact.expected.json").read_text(encoding="utf-8")
    (vector,) = (v for v in json.loads(text) if v["model"] == name)
    found = mb.simulate(VECTORS / name, vector["until"], step_out=0.25, tolerance=1e-10, witness=False)
    events = list_events(found)[: len(vector["events"])]
    assert [word for word, _ in events] == [f"{e['what']} {e['contact']}" for e in vector["events"]]
    assert [t for _, t in events] == pytest.approx([e["t"] for e in vector["events"]], abs=1e-9)
    z = {row.t: row.q[0] for row in found.found}
    assert [z[row["t"]] for row in vector["rows"]] == pytest.approx([r["z"] for r in vector["rows"]], abs=1e-8)


@pytest.mark.parametrize("method", ["dop853", "radau", "lsoda"])
def test_a_rope_and_a_stop_by_every_method(method: str) -> None:
    """From -0.1 a fall of 0.9 m to the rope's length."""
    made = mb.Mechanism("rope").gravity(z=-g).body("b", mass=1).slides("z", along="z", start="-0.1")
    made = made.rope("rope", None, "b", 1, law="kelvin_voigt", k=1000, c=3)
    made = made.stop("end", "z", lower="-1.05", upper=2, law="hunt_crossley", k=10000, d=0)
    found = mb.simulate(made, 0.6, step_out=0.2, tolerance=1e-8, method=method)
    assert [word for word, _ in list_events(found)] == ["meets rope", "meets end", "leaves end", "leaves rope"]
    assert list_events(found)[0][1] == pytest.approx(sqrt(1.8 / g), abs=1e-6)
    judged = [c for c in found.witnesses if c.quantity == "events"]
    assert [(c.entry, c.verdict) for c in judged] == [(("rope",), "agrees"), (("end",), "agrees")]


@pytest.mark.parametrize("law", [{"law": "kelvin_voigt", "k": "1e-6"}, {"law": "rigid", "e": 1}], ids=["soft", "rigid"])
def test_a_plate_that_shakes_within_a_step_is_met_at_the_first_instant(law: dict[str, object]) -> None:
    """Nothing moves the ball, so that its step is the whole run, in which the plate turns back 60 times."""
    made = mb.Mechanism("shaker").body("plate").shift_along("sin(400*t)/100", "z").body("b", mass=1)
    made = made.slides("z", along="z", start="1/50", rate="-1/40").contact("top", "b", against="plate", **law)
    first, *_ = list_events(mb.simulate(made, 0.5, step_out=0.5, witness=False))

    def gap(t: Any) -> Any:
        return 0.02 - t / 40 - np.sin(400 * t) / 100

    times = np.linspace(0, 0.5, 500_001)
    i = int(np.argmax(gap(times) < 0))
    assert first[0] == ("impact top" if law["law"] == "rigid" else "meets top")
    assert first[1] == pytest.approx(brentq(gap, times[i - 1], times[i], xtol=1e-16), abs=1e-10)


def test_two_contacts_at_one_instant_are_two_rows() -> None:
    made = ball(law="kelvin_voigt", k=1000).contact("twin", "b", radius="0.1", law="kelvin_voigt", k=1000)
    found = list_events(mb.simulate(made, 0.5, step_out=0.1, witness=False))
    assert sorted(word for word, _ in found[:2]) == ["meets floor", "meets twin"]
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-12) == pytest.approx(sqrt(1 / g), abs=1e-12)
    assert sorted(word for word, _ in found[2:]) == ["leaves floor", "leaves twin"]


def test_what_rests_in_a_contact_says_so_and_has_no_events() -> None:
    found = mb.simulate(ball(0.1 - g / 1e4, law="hunt_crossley", k=10000, d=1), 1, step_out=0.5, witness=False)
    assert list_events(found) == [] and np.ptp(found.q) < 1e-9
    (note,) = (d for d in found.diagnostics if d.place == "contacts/floor")
    assert "presses or pulls from the start" in note.message
    apart = mb.simulate(ball(law="hunt_crossley", k=10000, d=1), 0.1, step_out=0.1, witness=False)
    assert not [d for d in apart.diagnostics if d.place == "contacts/floor"]


def test_a_law_that_acts_everywhere_has_no_events() -> None:
    assert list_events(mb.simulate(ball(law="smooth", k=1000, w="0.01"), 0.5, step_out=0.1, witness=False)) == []


def test_a_wrong_instant_and_a_lost_one_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = ball(law="kelvin_voigt", k=10000)
    rights = equations.list_touches(made.build())
    shifted = [equations.Event(e.name, e.formula - symbol("z") / 100) for e in rights]
    monkeypatch.setattr(equations, "list_touches", lambda system: shifted)
    (found,) = (c for c in mb.simulate(made, 0.5, step_out=0.1).witnesses if c.quantity == "events")
    assert (found.verdict, found.entry) == ("disagrees", ("floor",))
