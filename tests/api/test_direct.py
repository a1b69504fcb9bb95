"""Arrays of floats go to machine code as they are: the same numbers as by any other way, and never an unsound one."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api.compiling import closed
from mbconcord.api.compiling.direct import CONTEXTS, SILENT
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import DisagreementError, NumbersError

from ..kernels.llvm import needs_llvm

pytestmark = needs_llvm
UR5 = folder() / "robots/ur5.mbsd"
PENDULUM = folder() / "mbsd/double_pendulum.mbsd"
QUANTITIES = ("M", "inverse_dynamics", "acceleration")


@pytest.fixture(scope="module")
def arm():
    """Compile an arm once."""
    return mb.compile(UR5, QUANTITIES, "newton_euler", backend="llvm")


@pytest.fixture
def states():
    """Draw positions, rates and accelerations of seven states."""
    return np.random.default_rng(3).uniform(-2, 2, (3, 7, 6))


def forbid(*_):
    """Stand for the old way, which is not to be taken."""
    raise AssertionError


def test_arrays_are_not_taken_apart(arm, states, monkeypatch):
    q, v, a = states
    monkeypatch.setattr("mbconcord.api.compiling.compiled.read_states", forbid)
    found = arm(q, v, a=a)
    assert found["M"].shape == (7, 6, 6)
    assert found["acceleration"].shape == (7, 6)


def test_rates_that_are_not_given_are_the_models(monkeypatch):
    cart = mb.Mechanism("cart").body("cart", mass=2).parameters(w=4).slides("x", along="x", rate="w/2")
    f = mb.compile(cart.drive("x", "-3*x'").build(), ("M", "inverse_dynamics"), backend="llvm")
    known = f(np.zeros((3, 1)), np.full((3, 1), 2.0))
    monkeypatch.setattr("mbconcord.api.compiling.compiled.read_states", forbid)
    for q, first in ((np.zeros((3, 1)), slice(None)), ([0.0], 0)):
        found = f(q)
        assert np.array_equal(found["M"], known["M"][first])
        assert np.array_equal(found["inverse_dynamics"], known["inverse_dynamics"][first])
        assert np.array_equal(np.ravel(found.to_frame()["x'"]), np.full(len(np.atleast_2d(q)), 2.0))


def count_calls(work):
    """Count the functions of Python and of C that are called while work is done."""
    calls = []

    def note(frame, event, _):
        if event in ("call", "c_call"):
            calls.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(calls)


@pytest.mark.parametrize(
    ("file", "quantity"), [(UR5, "acceleration"), (UR5, "M"), (folder() / "mbsd/andrews.mbsd", "acceleration")]
)
def test_thousands_of_states_take_no_more_calls_of_python_than_one_and_these_are_few(file, quantity):
    f = mb.compile(file, quantity, witness=False)
    given = f(mb.assemble(file)).given.values
    start = [float(given[name].item()) for name in f.coordinates]
    counts = []
    for n in (2, 5000):
        q = np.tile(start, (n, 1))
        v = np.zeros_like(q)
        counts.append(count_calls(lambda q=q, v=v: f(q, v)))
    assert counts[0] >= counts[1]
    assert counts[1] <= (34 if CONTEXTS else 40)


def test_every_way_to_give_states_has_the_same_numbers(arm, states):
    q, v, a = states
    known = arm(q, v, a=a)
    names = arm.coordinates
    tables = [dict(zip(names, y.T, strict=True)) for y in states]
    ways = [
        arm(q.tolist(), v.tolist(), a=a.tolist()), arm(np.hstack([q, v]), a=a), arm(tables[0], tables[1], a=tables[2]),
        arm(np.asfortranarray(q), np.asfortranarray(v), a=a, t=0.0),
    ]  # fmt: skip
    for found in ways:
        for name in QUANTITIES:
            assert np.array_equal(found[name], known[name]), name
    for s in range(7):
        alone = arm(q[s], v[s], a=a[s])
        for name in QUANTITIES:
            assert np.array_equal(alone[name], known[name][s]), name


def test_the_numbers_are_those_of_another_formalism(arm, states):
    q, v, a = states
    other = mb.evaluate(UR5, q, v, a=a, formalism="lagrange", quantities=QUANTITIES)
    found = arm(q, v, a=a)
    for name in QUANTITIES:
        assert np.allclose(found[name], other[name], rtol=0, atol=1e-12 * np.abs(other[name]).max()), name


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("place", range(3))
def test_a_number_that_is_none_is_refused_by_name(arm, states, wrong, place):
    states[place, 4, 2] = wrong
    q, v, a = states
    with pytest.raises(NumbersError, match="qva"[place]):
        arm(q, v, a=a)


def test_an_input_that_no_formula_has_is_looked_at():
    f = mb.compile(UR5, "M", "newton_euler", backend="llvm")
    with pytest.raises(NumbersError, match="v"):
        f(np.zeros((2, 6)), np.full((2, 6), np.nan))
    with pytest.raises(NumbersError, match="a"):
        f(np.zeros((2, 6)), np.zeros((2, 6)), a=np.full((2, 6), np.nan))


def test_what_no_formula_has_is_shown_as_it_was():
    f = mb.compile(UR5, "M", "newton_euler", backend="llvm")
    q, v, a = np.ones((3, 2, 6))
    found = f(q, v, a=a)
    v[0, 0], a[1, 5] = 2, 3
    assert np.array_equal(found.to_frame().filter(like="'"), np.ones((2, 12)))
    assert np.isfinite(f(q, np.full((2, 6), 1e308))["M"]).all()


@pytest.mark.parametrize("shape", [(5,), (2, 5), (2, 2, 6), ()])
def test_other_shapes_are_refused_as_before(arm, shape):
    with pytest.raises(NumbersError, match="shape"):
        arm(np.zeros(shape), np.zeros(shape))


@pytest.mark.parametrize("value", [[True] * 6, ["x"] * 6, [None] * 6, [1j] * 6, [[1.0], [1.0, 2.0]]])
def test_what_is_no_number_is_refused(arm, value):
    with pytest.raises(NumbersError):
        arm(value, [0.0] * 6)


def test_without_inertia_the_coordinate_is_named():
    rod = mb.Mechanism("bead").gravity(y=-9.81).body("arm").turns("q1", "z").body("bead", on="arm", mass=1)
    rod.slides("q2", "x")
    f = mb.compile(rod.build(), "acceleration", "newton_euler", backend="llvm")
    found = f([[0.1, 1.0], [0.2, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
    assert np.isfinite(found["acceleration"][0]).all()
    assert np.isnan(found["acceleration"][1, 0])
    assert any("no inertia along q1" in d.message for d in found.diagnostics)


def test_states_changed_after_the_call_are_not_shown(arm, states):
    q, v, a = states
    found = arm(q, v, a=a)
    q[0, 0] += 1e-9
    with pytest.raises(NumbersError, match="changed after the call"):
        found.to_frame()


def test_states_of_a_call_are_shown(arm, states):
    q, v, a = states
    table = arm(q, v, a=a).to_frame()
    assert np.array_equal(table[list(arm.coordinates)].to_numpy(), q)
    assert np.array_equal(table[[f"{name}''" for name in arm.coordinates]].to_numpy(), a)
    assert "q1''" not in arm(q, v).given.values


def test_huge_numbers_are_looked_at(arm):
    big = np.full((1, 6), 1e200)
    found = arm(np.zeros((1, 6)), big)
    assert not np.isfinite(found["inverse_dynamics"]).all()
    assert any(d.severity == "error" for d in found.diagnostics)


def test_calls_are_silent_and_may_be_inside_of_each_other(arm):
    with np.errstate(all="raise"):
        found = arm(np.zeros((1, 6)), np.full((1, 6), 1e200))
        assert np.geterr()["invalid"] == "raise"
    assert not np.isfinite(found["inverse_dynamics"]).all()
    assert np.isfinite(SILENT.run(arm, np.zeros(6), np.ones(6))["acceleration"]).all()


def test_parameters_are_those_of_the_call():
    f = mb.compile(PENDULUM, "acceleration", "lagrange", backend="llvm")
    q, v = np.array([[0.3, 0.4]]), np.array([[1.0, 2.0]])
    known = mb.evaluate(PENDULUM, q, v, parameters={"g": 1.0}, quantities="acceleration")["acceleration"]
    assert np.allclose(f(q, v, g=1.0)["acceleration"], known, rtol=1e-12)
    assert not np.allclose(f(q, v)["acceleration"], known, rtol=1e-3)


def test_a_wrong_number_is_found_when_it_is_compiled(monkeypatch):
    solve = closed.solve_motion

    def broken(M, F, D, rest):
        found = solve(M, [x + x for x in F], D, rest)
        return found

    monkeypatch.setattr(closed, "solve_motion", broken)
    for file in (PENDULUM, folder() / "mbsd/andrews.mbsd"):
        with pytest.raises(DisagreementError, match="acceleration"):
            mb.compile(file, "acceleration", "lagrange", backend="llvm")
