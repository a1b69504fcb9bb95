"""How a run ends, or does not: lock-up, rows that are nearly dependent, events, an interrupt, a run that goes on."""

from __future__ import annotations

from math import asin, sqrt

import numpy as np
import pytest

from mbconcord.model import State
from mbconcord.model.diagnostics import FormalismError, NumbersError
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.simulation.motion.events import Event

from .runs import LOCKS, PENDULUM, go, mbsd, parallelogram

#: When 0.3 sin 2t = 0.2.
LOCKED = asin(2 / 3) / 2
#: A point of 1 kg that falls from 5 m.
FALL = "w(z)°5 $1 g9.81-z"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dop853", "ida"])
def test_a_mechanism_that_locks_stops_there(method: str) -> None:
    """Not before, and never beyond; the rows until then are on the constraints."""
    if method == "ida":
        pytest.importorskip("sksundae", reason="scikit-sundae, of the extra [sim], is not installed")
    found = go(mbsd(LOCKS), 1.0, 1e-8, method=method, step_out=0.01)
    assert found.stopped is not None and found.stopped.severity == "error"
    late = {"dop853": 1e-9, "ida": 1e-4}[method]
    assert LOCKED - late < found.reached < LOCKED + 1e-9
    assert "fastest is b" in found.stopped.message and "closure1" in found.stopped.message
    assert [row.t for row in found.found] == pytest.approx([0.01 * i for i in range(37)])
    for row in found.found:
        assert row.q[1] == pytest.approx(
            0.3 * np.cos(2 * row.t) - sqrt(0.04 - (0.3 * np.sin(2 * row.t)) ** 2), abs=1e-11
        )


@pytest.mark.slow
@pytest.mark.parametrize("excess", ["1e-4", "1e-9"])
def test_rows_that_nearly_depend_are_kept(excess: str) -> None:
    """With a longer base the position in line is passed by on the same side: coarse and fine judgement agree."""
    system = parallelogram(excess)
    found = go(system, 1.0, 1e-9, step_out=0.5)
    assert found.stopped is None
    assert max(row.gap for row in found.found) < 1e-12
    assert max(abs(row.balance) for row in found.found) < 1e-5


def event(text: str, stops: bool = False) -> Event:
    return Event(text, parse_formula(text), stops)


def test_events_are_found_to_the_accuracy_of_the_run() -> None:
    """The pendulum passes its lowest point after a quarter of its period, and every half one."""
    period = 2.367841947576237
    found = go(mbsd(PENDULUM), 3.0, 1e-11, events=(event("x"), event("y + 2")), step_out=1.0)
    times = [row.t for row in found.found if row.event == "x"]
    assert times == pytest.approx([period / 4, 3 * period / 4, 5 * period / 4], abs=1e-9)
    assert all(abs(row.q[0]) < 1e-12 and row.gap < 1e-14 for row in found.found if row.event)


@pytest.mark.parametrize("method", ["dop853", "lsoda"])
def test_every_crossing_in_a_step_is_found(method: str) -> None:
    """A fall of one or two steps: a formula of the time, one of the height that is ever faster, one that touches."""
    formulas = ("sin(400*t)", "sin(300*z)", "(t - 1/2)^2", "abs(sin(20*t)) - 1/2", "sin(300*z)/(z - 6)")
    found = go(mbsd(FALL), 1.0, method=method, step_out=1.0, events=tuple(map(event, formulas)))
    times = {name: np.array([row.t for row in found.found if row.event == name]) for name in formulas}
    lines = np.arange(477, 0, -1) * np.pi / 300
    falls = np.sqrt((5 - lines[lines > 5 - 9.81 / 2]) * 2 / 9.81)
    kinks = np.array([(k + s / 6) * np.pi / 20 for k in range(7) for s in (1, 5)])
    for name, known in zip(
        formulas, (np.arange(1, 128) * np.pi / 400, falls, [], kinks[kinks < 1], falls), strict=True
    ):
        assert times[name] == pytest.approx(known, abs=1e-9), name


def test_a_stop_ends_the_run_at_its_time() -> None:
    found = go(mbsd(PENDULUM), 3.0, 1e-9, events=(event("x", stops=True),), step_out=0.1)
    assert found.stopped is not None and found.stopped.severity == "note"
    assert found.found[-1].event == "x" and found.reached == found.found[-1].t < 0.6
    assert [row.t for row in found.found[:-1]] == pytest.approx(np.arange(6) / 10)


def test_unknown_names_of_events_are_refused() -> None:
    with pytest.raises(NumbersError, match=r"events/z: error: the model has no 'z'"):
        go(mbsd(PENDULUM), 1.0, events=(event("z"),))


def test_an_interrupt_keeps_what_there_is_and_the_run_goes_on() -> None:
    def told(t: float, work: float) -> None:
        if t > 0.5:
            raise KeyboardInterrupt

    system = mbsd(PENDULUM)
    first = go(system, 1.0, 1e-11, told=told, step_out=0.05)
    assert first.stopped is not None and "interrupted" in first.stopped.message
    assert 9 <= len(first.found) < 15
    second = go(system, 1.0, 1e-11, first.last, before=first.found[-1], step_out=0.05)
    whole = go(system, 1.0, 1e-11, step_out=0.05)
    assert np.abs(second.q[-1] - whole.q[-1]).max() < 1e-9
    assert second.found[0].balance == pytest.approx(first.found[-1].balance, abs=1e-14)


def test_work_is_counted_on_where_a_run_goes_on() -> None:
    """A table that turns as t² has worked on what hangs from it when the run is taken up again."""
    system = mbsd("n(t^2) i1 $1 [0,0,1] #table > z(a) i1 $1 [0,0,0.1]")
    first = go(system, 0.5, 1e-10, step_out=0.25)
    assert abs(first.found[-1].work) > 1e-2
    second = go(system, 1.0, 1e-10, first.last, before=first.found[-1], step_out=0.25)
    whole = go(system, 1.0, 1e-10, step_out=0.25)
    for a, b in zip(second.found, whole.found[2:], strict=True):
        assert (a.work, a.balance) == pytest.approx((b.work, b.balance), abs=1e-8)


def test_a_start_off_the_constraints_is_moved_and_said() -> None:
    found = go(mbsd(PENDULUM), 0.1, state=State(q={"x": -0.9}), step_out=0.1)
    (said,) = found.diagnostics
    assert "moved onto the constraints" in said.message and said.severity == "warning"
    assert found.q[0] == pytest.approx([-0.9, sqrt(0.19)]) or found.q[0] == pytest.approx([-0.9, -sqrt(0.19)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("i(sign(t-1)) z(a) -j1 $1 ; g", r"bodies/.*: error: it jumps at t = 1, from -1 to 1"),
        (
            "z(a) j1 z(b) $1 [0,0,0]",
            "the mass matrix is singular to rounding: double precision shows no inertia along b",
        ),
        ("u(x)°5 $1 #a ; g \\ #a :(1, 0) {9, 0} < #0 \\ #a :(1, 0) {-9, 0} < #0", "a gap of .* m is left"),
    ],
)
def test_what_cannot_move_is_refused(text: str, words: str) -> None:
    with pytest.raises(NumbersError, match=words):
        go(mbsd(text), 2.0)


def test_who_has_no_equations_of_motion_says_so() -> None:
    with pytest.raises(FormalismError, match="does not deliver M, h"):
        go(mbsd("z(a) i1 $1 ; g"), 1.0, by="static_moments")
