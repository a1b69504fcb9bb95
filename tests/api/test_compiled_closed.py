"""Machines with constraints, compiled: the numbers of another formalism at the same states, in every backend."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp

import mbconcord as mb
from laboratory.faults.models import closed_linkage, closed_tree
from laboratory.machines import four_bars
from mbconcord.api.compiling import closed, closing
from mbconcord.api.exporting.self_test import run_over_numpy
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.kernels import motion
from mbconcord.kernels.llvm.options import Options
from mbconcord.model.diagnostics import DisagreementError, NumbersError
from mbconcord.model.expressions import ZERO, evaluate, mpmath_arithmetic, number, symbol
from mbconcord.model.functions import define
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.rows import constraint_rows
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.witnesses.evaluated import check_constrained_slopes

from ..kernels.compiler import needs_compiler
from ..kernels.llvm import needs_llvm

MOTION = ("acceleration", "lambda", "reactions")
FILES = (
    "mbsd/four_bar.mbsd", "mbsd/andrews.mbsd", "mbsd/patu655.mbsd", "overconstrained/bennett.mbs.json",
    "overconstrained/bricard.mbs.json", "native/slider_crank.mbs.json", "native/chaplygin_sleigh.mbs.json",
    "native/universal_joint.mbs.json", "native/ball_on_turntable.mbs.json", "native/quick_return.mbs.json",
)  # fmt: skip
#: Virtual work has rows of its own: multipliers are compared with the formalism's interpreted ones.
OTHER = "virtual_work"


def columns(states):
    """Return positions and rates (n, N) of states."""
    names = list(states[0].q)
    return (np.array([[getattr(state, order)[name] for name in names] for state in states]) for order in "qv")


def differ(found, known):
    """Return the largest difference as a part of each state's largest number; NaN must stand where NaN stands."""
    assert (np.isnan(found) == np.isnan(known)).all()
    size = np.nanmax(np.abs(known), axis=1, initial=1e-300, keepdims=True)
    return float(np.nanmax(np.abs(found - known) / size, initial=0.0))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "python", pytest.param("llvm", marks=needs_llvm)])
@pytest.mark.parametrize("file", FILES)
def test_numbers_are_those_of_another_formalism(file, backend):
    system = mb.read(folder() / file).system
    states = closed_states(system, 6, 1).states
    f = mb.compile(system, MOTION, "newton_euler", backend)
    found = f(list(states))
    other = mb.evaluate(system, list(states), formalism=OTHER)
    own = mb.evaluate(system, list(states), formalism="newton_euler")
    for name in ("acceleration", "reactions"):
        assert differ(found[name], other[name]) < 1e-9, name
    assert differ(found["lambda"], own["lambda"]) < 1e-9
    assert "interpreter's" in f.witness.message


@pytest.mark.sampled(21)
@pytest.mark.parametrize("drawn", [closed_tree, closed_linkage])
@pytest.mark.parametrize("seed", range(12))
def test_random_machines(drawn, seed):
    states = drawn(seed)
    try:
        f = mb.compile(states.system, MOTION, "newton_euler", physics="ignore")
    except mb.MbconcordError as problem:  # of some no state near the initial one closes
        assert "no state" in str(problem)
        return
    found = f(list(states.states))
    other = registry.formalism(OTHER).constrained_motion(states.system, states.states)
    assert differ(found["acceleration"], other.acceleration) < 1e-9
    assert differ(found["reactions"], other.reactions) < 1e-9


def test_a_machine_at_rest_where_it_starts_is_compiled():
    f = mb.compile(four_bars(1), ("acceleration", "lambda"))
    assert np.abs(f()["acceleration"]).max() < 1e-12 < np.nanmax(np.abs(f()["lambda"]))


def test_rows_of_a_chain_of_loops_are_taken_from_both_ends():
    chain = [{i, i + 1} for i in range(6)]
    order = motion._order_rows(chain)
    assert order[:2] == [0, 5] and sorted(order) == [*range(6)]
    f = mb.compile(four_bars(5), ("acceleration", "lambda"), witness=False)
    other = mb.evaluate(f.system, formalism="lagrange")
    assert np.allclose(f()["lambda"], other["lambda"], rtol=1e-9, equal_nan=True)


def test_bare_arrays_are_the_call():
    system = mb.read(folder() / "mbsd/andrews.mbsd").system
    q, v = columns(closed_states(system, 6, 1).states)
    f = mb.compile(system, "acceleration", "newton_euler")
    assert np.array_equal(f.arrays(q, v), f(q, v)["acceleration"])


def test_a_state_with_nine_digits_has_the_rank_of_the_mechanism():
    system = mb.read(folder() / "overconstrained/bennett.mbs.json").system
    q, v = columns(closed_states(system, 5, 1).states)
    f = mb.compile(system, "acceleration")
    exact, printed = f(q, v)["acceleration"], f(np.round(q, 9), v)
    assert np.abs(printed["acceleration"] - exact).max() < 1e-7 * np.abs(exact).max()
    said = " ".join(map(str, printed.diagnostics))
    assert "off the constraints" in said or np.abs(np.round(q, 9) - q).max() < 1e-9


def test_states_off_the_constraints_are_told_with_the_row():
    system = mb.read(folder() / "mbsd/patu655.mbsd").system
    q, v = columns(closed_states(system, 5, 1).states)
    f = mb.compile(system, "acceleration")
    assert not [d for d in f(q, v).diagnostics if d.severity != "note"]
    q[2] += 1e-3
    (said,) = (d for d in f(q, v).diagnostics if d.severity != "note")
    assert said.severity == "warning"
    assert "1 of 5 states are off the constraints" in said.message
    assert said.place.startswith("constraints/rod")


def test_rates_off_the_constraints_are_told():
    system = mb.read(folder() / "mbsd/four_bar.mbsd").system
    q, v = columns(closed_states(system, 3, 1).states)
    found = mb.compile(system, "acceleration")(q, v + [[1e-3, 0, 0]] * 3)
    (said,) = (d for d in found.diagnostics if d.severity != "note")
    assert "off the constraints" in said.message


def sliders(factor):
    """Return blocks x, y and z, w on one line with x = y and factor (z - w) = 0."""
    bodies = [
        {"name": name, "parent": None, "joint": [{"translation": "x", "coordinate": name}], "inertia": {"mass": mass}}
        for name, mass in zip("xyzw", (1, 2, 1, 3), strict=True)
    ]
    forces = [{"kind": "joint_effort", "name": f"along {x}", "coordinate": x, "effort": f} for x, f in ("x3", "z5")]
    rows = [{"kind": "holonomic", "name": f, "expression": f} for f in ("x - y", f"{factor}*(z - w)")]
    names = [{"name": name} for name in "xyzw"]
    head = {"format": "mbconcord", "version": 1, "name": "blocks", "coordinates": names, "bodies": bodies}
    return mb.read(text=json.dumps({**head, "forces": forces, "constraints": rows}), format="native")


FACTORS = ("1e-20", "1", "1e20")


@pytest.mark.parametrize("factor", FACTORS)
def test_a_row_may_have_any_factor(factor):
    """The smaller of two rows was rounding: compile ended with an error from inside."""
    f = mb.compile(sliders(factor), MOTION, backend="numpy")
    found = f(np.zeros(4), np.array([0.5, 0.5, 0.25, 0.25]))
    assert found["acceleration"] == pytest.approx([1, 1, 1.25, 1.25], rel=1e-12)
    assert found["lambda"] == pytest.approx([-2, -3.75 / float(factor)], rel=1e-12)
    assert not [d for d in found.diagnostics if d.severity != "note"]
    (said,) = (d for d in f(np.zeros(4), np.array([0, 0, 0, 1.0])).diagnostics if d.severity != "note")
    assert "off the constraints" in said.message
    assert "z - w" in said.place


@pytest.mark.parametrize("factor", FACTORS)
def test_many_motions_keep_a_row_of_any_factor(factor):
    found = mb.ensemble(sliders(factor), mb.State(q={"x": 0.0}), 0.1, 0.01, backend="numpy")
    assert found.q[-1][0] == pytest.approx([0.005, 0.005, 0.00625, 0.00625], rel=1e-9)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("factor", FACTORS)
def test_an_fmu_keeps_a_row_of_any_factor(factor, tmp_path):
    made = mb.export(sliders(factor), tmp_path / "x.fmu")
    assert "are right" in made.witness.message


def test_a_flat_parallelogram_is_left_to_the_interpreter():
    system = mb.read(folder() / "mbsd/four_bar.mbsd").system
    flat, still = np.zeros((2, 3)), np.zeros((2, 3))
    flat[:, :] = [0.0, 0.0, 0.0]
    f = mb.compile(system, MOTION, "newton_euler")
    known = mb.evaluate(system, flat, still, formalism="newton_euler")
    found = f(flat, still)
    for name in MOTION:
        assert np.array_equal(found[name], known[name], equal_nan=True), name
    assert any("the interpreter computes" in d.message for d in found.diagnostics)


@pytest.mark.parametrize("backend", ["numpy", "python", pytest.param("llvm", marks=needs_llvm)])
def test_one_singular_state_alone(backend):
    system = mb.read(folder() / "mbsd/four_bar.mbsd").system
    known = mb.evaluate(system, np.zeros(3), np.zeros(3), formalism="newton_euler")
    found = mb.compile(system, MOTION, "newton_euler", backend)(np.zeros(3), np.zeros(3))
    for name in MOTION:
        assert np.array_equal(found[name], known[name], equal_nan=True), name


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "python", pytest.param("llvm", marks=needs_llvm)])
def test_one_state_has_open_multipliers(backend):
    system = mb.read(folder() / "mbsd/andrews.mbsd").system
    (state,) = closed_states(system, 1, 1).states
    known = mb.evaluate(system, state, formalism="newton_euler")
    found = mb.compile(system, "lambda", "newton_euler", backend)(list(state.q.values()), list(state.v.values()))
    assert differ(found["lambda"][None], known["lambda"][None]) < 1e-9


def test_sound_states_do_not_depend_on_others_beside_them():
    system = mb.read(folder() / "mbsd/four_bar.mbsd").system
    q, v = columns(closed_states(system, 5, 1).states)
    f = mb.compile(system, "acceleration")
    alone = f(q, v)["acceleration"]
    among = f(np.vstack([q, np.zeros((1, 3))]), np.vstack([v, np.zeros((1, 3))]))["acceleration"]
    assert np.array_equal(among[:5], alone)


def test_parameters_stay_free():
    system = mb.read(folder() / "mbsd/four_bar.mbsd").system
    states = closed_states(system, 4, 1).states
    q, v = columns(states)
    f = mb.compile(system, "acceleration", "newton_euler")
    known = mb.evaluate(system, q, v, parameters={"g": 3.7}, formalism=OTHER)["acceleration"]
    assert differ(f(q, v, g=3.7)["acceleration"], known) < 1e-12


def test_a_wrong_formula_is_found_when_it_is_compiled(monkeypatch):
    solve = closed.solve_motion

    def broken(M, F, D, rest):
        return solve(M, F, D, [-x for x in rest])

    monkeypatch.setattr(closed, "solve_motion", broken)
    with pytest.raises(DisagreementError, match="acceleration"):
        mb.compile(folder() / "mbsd/andrews.mbsd", "acceleration")


def test_efforts_of_drives_are_left_to_evaluate():
    with pytest.raises(NumbersError, match="evaluate gives them"):
        mb.compile(folder() / "mbsd/four_bar.mbsd", ("acceleration", "effort"))


def test_a_coordinate_without_inertia_is_no_pivot():
    with pytest.raises(motion.NoPivotError):
        motion.solve_motion([[number(1), ZERO], [ZERO, ZERO]], [symbol("f"), symbol("g")], [], [])


def test_a_massless_body_has_inertia_by_the_constraints():
    machine = (
        mb.Mechanism("m").gravity(9.81, along="-z")
        .body("cart", mass=2, inertia=(1, 1, 1)).slides("x", along="x")
        .body("rack").slides("y", along="x")
        .rolls("gear", {"y": 1, "x": -2})
        .build()
    )  # fmt: skip
    found = mb.compile(machine, "acceleration")([[0.1, 0.2]], [[0.5, 1.0]])
    assert np.allclose(found["acceleration"], 0.0)


SLOPES = ("da_dq", "da_dv", "da_dtau")
#: With rows that depend on others: a four-bar of space by Bennett, one of threefold symmetry by Bricard.
LOOPS = (
    "mbsd/four_bar.mbsd",
    "mbsd/patu655.mbsd",
    "overconstrained/bennett.mbs.json",
    "overconstrained/bricard.mbs.json",
)


def differences(system, rows, values):
    """Return directions (dq, dv) that these rows admit, and changes of q'', then of λ, by Lagrange in 60 digits."""
    made = registry.formalism("lagrange").derive_closed(system)
    names, n, k = system.coordinate_names, len(system.coordinates), len(rows)
    q, native = made.quantities, made.native
    parts = [[x for row in q["M"] for x in row], *(q[name] for name in ("gravity", "applied", "h"))]
    parts += [[x for i in rows for x in native["D"][i]], [native["γ̃"][i] for i in rows]]
    outputs, own = define([x for part in parts for x in part], system.functions), mpmath_arithmetic(60)

    def move(dq, dv, step):
        shifted = {x: values[x] + step * mp.mpf(float(a)) for x, a in zip(names, dq, strict=True)}
        shifted |= {f"{x}'": values[f"{x}'"] + step * mp.mpf(float(b)) for x, b in zip(names, dv, strict=True)}
        numbers = iter(map(mp.mpf, evaluate(outputs, values | shifted, own)))
        M, gravity, applied, h, D, rest = ([next(numbers) for _ in part] for part in parts)
        D = mp.matrix([D[i * n : (i + 1) * n] for i in range(k)])
        whole = mp.zeros(n + k)
        whole[:n, :n] = mp.matrix([M[i * n : (i + 1) * n] for i in range(n)])
        whole[n:, :n], whole[:n, n:] = D, -D.T
        right = mp.matrix([a + b - c for a, b, c in zip(gravity, applied, h, strict=True)] + [-x for x in rest])
        rates = mp.matrix([values[f"{x}'"] for x in names])
        return np.array([float(x) for x in D]).reshape(k, n), D * rates, mp.lu_solve(whole, right)

    step, still = mp.mpf(10) ** -20, np.zeros(n)
    D = move(still, still, 0)[0]
    for column in np.linalg.svd(D)[2][k:]:
        yield still, column, change(move(still, column, step)[2], move(still, column, -step)[2], step)
        turning = change(move(column, still, step)[1], move(column, still, -step)[1], step)
        follow = -np.linalg.pinv(D) @ turning
        yield column, follow, change(move(column, follow, step)[2], move(column, follow, -step)[2], step)


def change(a, b, step):
    """Return a central difference."""
    return np.array([float((x - y) / (2 * step)) for x, y in zip(a, b, strict=True)])


@pytest.mark.slow
@pytest.mark.parametrize("file", LOOPS)
def test_derivatives_are_differences_of_another_formalism_in_60_digits(file):
    system = mb.read(folder() / file).system
    (state,) = closed_states(system, 1, 3).states
    f = mb.compile(system, SLOPES, "newton_euler")
    found = f([state])
    assert not any("interpreter computes" in d.message for d in found.diagnostics)
    by_q, by_v = (found[name][0] for name in SLOPES[:2])
    with mp.workdps(60):
        known = Instance(system, [state], mpmath_arithmetic(60)).environments[0]
        for dq, dv, slope in differences(system, f._closed.kept, {name: mp.mpf(x) for name, x in known.items()}):
            size = (np.abs(by_q) @ np.abs(dq) + np.abs(by_v) @ np.abs(dv)).max()
            assert np.abs(by_q @ dq + by_v @ dv - slope[: len(dq)]).max() < 1e-9 * size


@pytest.mark.slow
@pytest.mark.parametrize("by", ["newton_euler", "telegin"])
@pytest.mark.parametrize("file", FILES)
def test_derivatives_along_admitted_motions_are_another_formalism_s(file, by):
    system = mb.read(folder() / file).system
    states = closed_states(system, 3, 1).states
    if registry.formalism(by).constraint_obstacles(system):
        pytest.skip(f"{by} does not take the constraints")
    f = mb.compile(system, SLOPES, by)
    found, known = f(list(states)), mb.evaluate(system, list(states), quantities=SLOPES, formalism=by)
    assert differ(*(x["da_dtau"].reshape(3, -1) for x in (found, known))) < 1e-9
    judged = {c.quantity: c.verdict for c in known.witnesses}
    assert judged.keys() == {"da_dq and da_dv along admitted motions", "da_dtau in M and D"}
    for s, state in enumerate(states):
        numbers = {name: found[name][s] for name in SLOPES}
        for one in check_constrained_slopes(system, by, registry.formalism(OTHER), state, numbers):
            assert one.verdict == "agrees", str(one)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOPES)
def test_a_wrong_derivative_is_found(name):
    system = mb.read(folder() / "overconstrained/bennett.mbs.json").system
    state = closed_states(system, 1, 1).states[0]
    found = mb.evaluate(system, [state], quantities=SLOPES, formalism="newton_euler")
    numbers = {each: found[each][0].copy() for each in SLOPES}
    numbers[name] *= 1.001
    judged = check_constrained_slopes(system, "newton_euler", registry.formalism(OTHER), state, numbers)
    assert "disagrees" in {one.verdict for one in judged}


def test_derivatives_off_the_constraints_are_not_judged_and_say_of_which_rows_they_are():
    names = mb.compile(folder() / "mbsd/andrews.mbsd", "M").coordinates
    found = mb.evaluate(folder() / "mbsd/andrews.mbsd", np.zeros(len(names)), quantities="da_dq")
    assert {c.verdict for c in found.witnesses} == {"not checked"}
    assert any("rows as the formalism writes them" in d.message for d in found.diagnostics)


def off(system, size, count=40):
    """Return the constraint rows, and positions and rates (n, N) beside a state on the constraints."""
    (state,) = closed_states(system, 1, 3).states
    dice = np.random.default_rng(0)
    q, v = (x + size * dice.uniform(-1, 1, (count, len(system.coordinates))) for x in columns([state]))
    names = system.coordinate_names
    return (
        RowsAtStates(constraint_rows(system), system, [State(0.0, dict(zip(names, x, strict=True))) for x in q]),
        q,
        v,
    )


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "python", pytest.param("llvm", marks=needs_llvm)])
@pytest.mark.parametrize("file", ["mbsd/four_bar.mbsd", "mbsd/andrews.mbsd"])
def test_states_are_closed_in_the_metric_of_another_formalism(file, backend):
    system = mb.read(folder() / file).system
    at, q, v = off(system, 1e-2)
    f = mb.compile(system, "closing", backend=backend)
    own, more = q.shape[1], np.zeros((len(q), at.k - q.shape[1]))

    def wide(x):
        return np.hstack([x, more])

    there, found = at.positions(wide(q)), f.close(q, v)
    masses = mb.evaluate(system, q, v, formalism=OTHER, quantities="M", witness=False)["M"]
    kept = [i for i, row in enumerate(f._closing._rows.rows) if row in f._closing._places]
    for D, gap, M, step in zip(there.D[:, kept, :own], there.f[:, kept], masses, f(q, v)["closing"], strict=True):
        known = -np.linalg.solve(M, D.T) @ np.linalg.solve(D @ np.linalg.solve(M, D.T), gap)
        assert np.abs(step - known).max() < 1e-9 * np.abs(known).max()
    whole, rates = at.positions(wide(found["q"])), at.rates(wide(found["q"]), wide(found["v"]))
    seen = ~(whole.D[:, :, own:] != 0).any(axis=(0, 2))
    assert np.abs(whole.f[:, seen]).max() < 1e-13
    assert np.abs(rates.speed[:, seen]).max() < 1e-11 * np.abs(rates.flow).max()
    assert np.abs(found["q"] - q).max() < 0.2
    assert not [d for d in found.diagnostics if d.severity != "note"]
    alone = f.close(q[7], v[7])
    assert np.array_equal(alone["q"], found["q"][7]) and np.array_equal(alone["v"], found["v"][7])


def test_rates_are_closed_where_rows_restrict_rates_alone():
    """The blade of a sleigh takes the rates across it away, by an impulse along its row; positions stay."""
    system = mb.read(folder() / "native/chaplygin_sleigh.mbs.json").system
    q, v = np.array([0.1, 0.2, 0.7]), np.array([1.0, 0.5, 0.3])
    found = mb.compile(system, "closing").close(q, v)
    D = np.array([-np.sin(0.7), np.cos(0.7), 0])
    M = mb.evaluate(system, q, v, formalism=OTHER, quantities="M", witness=False)["M"]
    known = v - np.linalg.solve(M, D) * (D @ v) / (D @ np.linalg.solve(M, D))
    assert np.array_equal(found["q"], q) and np.abs(found["v"] - known).max() < 1e-14


@pytest.mark.slow
def test_a_state_that_cannot_be_closed_is_none_and_no_others_change():
    system = mb.read(folder() / "mbsd/andrews.mbsd").system
    _, q, v = off(system, 1e-3)
    f = mb.compile(system, "acceleration")
    known = f.close(q, v)
    q[3] = 1e6
    found = f.close(q, v)
    assert np.isnan(found["q"][3]).all() and np.isnan(found["v"][3]).all()
    (said,) = (d for d in found.diagnostics if d.severity != "note")
    assert "1 state of 40, the first is number 3" in said.message
    others = np.arange(40) != 3
    assert all(np.array_equal(found[name][others], known[name][others]) for name in ("q", "v", "gap"))


@needs_llvm
@pytest.mark.slow
@pytest.mark.parametrize("file", ["mbsd/four_bar.mbsd", "mbsd/andrews.mbsd"])
def test_closing_has_the_bits_of_python_and_no_state_depends_on_others(file):
    """Without fused products and with the C library's sines; a state that is none stays among the others."""
    f = mb.compile(system := mb.read(folder() / file).system, "closing", backend="python")
    made = copy(f)
    made.backend, made._options = "llvm", Options(fma=False, accuracy="library", reciprocals=False)
    strict, fast = f._closing.compile(made), mb.compile(system, "closing", backend="llvm")._closing
    _, q, v = off(system, 1e-2)
    (state,) = closed_states(system, 1, 3).states
    q[3], q[7, 0], v[9, 0], q[12] = 1e6, np.nan, np.inf, [state.q[x] for x in f.coordinates]
    whole = strict(q, v, 0.0)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(whole, f._closing(q, v, 0.0), strict=True))
    assert np.flatnonzero(np.isnan(whole[0]).any(axis=1)).tolist() == [7]
    assert np.flatnonzero(np.isnan(whole[1]).any(axis=1)).tolist() == [7, 9]
    order, whole = np.random.default_rng(0).permutation(len(q)), fast(q, v, 0.0)
    turned = np.asfortranarray(q[order]), v[order]
    for first in range(0, len(q), size := 11):
        part = slice(first, first + size)
        found = fast(turned[0][part], turned[1][part], 0.0)
        assert all(np.array_equal(a[order[part]], b, equal_nan=True) for a, b in zip(whole, found, strict=True))


@pytest.mark.slow
def test_states_to_close_are_taken_in_any_form():
    f = mb.compile(system := mb.read(folder() / "mbsd/four_bar.mbsd").system, "closing")
    _, q, v = off(system, 1e-2)
    known = f.close(q, v)
    pairs = ((q, v), (q.tolist(), v), (np.hstack([q, v]), None))
    named = [dict(zip(f.coordinates, x.T, strict=True)) for x in (q, v)]
    for found in (*(f.close(*pair) for pair in pairs), f.close(*named), f.close(q, v, t=np.zeros(len(q)))):
        assert all(np.array_equal(found[x], known[x]) for x in ("q", "v", "gap"))
        assert np.array_equal(found.given.values[f.coordinates[0]], q[:, 0])
    with pytest.raises(NumbersError, match="states: error: there are none"):
        f.close(q[:0], v[:0])
    q[2, 0] = np.nan
    with pytest.raises(NumbersError, match=f"state/2/{f.coordinates[0]}.*not a finite number"):
        f.close(q, v)


def test_what_cannot_be_closed_is_refused():
    with pytest.raises(NumbersError, match="their own coordinates"):
        mb.compile(folder() / "native/slider_crank.mbs.json", "closing")
    with pytest.raises(NumbersError, match="by itself"):
        mb.compile(folder() / "mbsd/four_bar.mbsd", ("closing", "M"))
    with pytest.raises(NumbersError, match="has none"):
        mb.compile(folder() / "mbsd/double_pendulum.mbsd", "M").close([0, 0])


@pytest.mark.slow
@pytest.mark.parametrize(("part", "place"), [("step", "closing"), ("turn", "closing_rates")])
def test_a_wrong_step_is_found_when_it_is_compiled(monkeypatch, part, place):
    whole = closing.Closing.__init__

    def broken(self, *given):
        whole(self, *given)
        setattr(self, part, tuple(number("1.01") * x for x in getattr(self, part)))

    monkeypatch.setattr(closing.Closing, "__init__", broken)
    with pytest.raises(DisagreementError, match=f"witness/{place}:"):
        mb.compile(folder() / "mbsd/andrews.mbsd", "closing")


MOVED = (
    "mbsd/four_bar.mbsd", "mbsd/andrews.mbsd", "overconstrained/bennett.mbs.json", "native/slider_crank.mbs.json",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "python", pytest.param("llvm", marks=needs_llvm)])
@pytest.mark.parametrize("file", MOVED)
def test_efforts_are_those_of_another_formalism_and_cause_the_motion(file, backend):
    system = mb.read(folder() / file).system
    moved = system.coordinate_names[0]
    q, v = columns(closed_states(system, 6, 1).states)
    a = np.random.default_rng(0).uniform(-1, 1, q.shape)
    f = mb.compile(system, ("effort", "acceleration"), "newton_euler", backend, actuated=moved)
    found = f(q, v, a=a)
    given = {"a": {moved: a[:, 0]}, "formalism": OTHER, "driven": [moved], "actuated": [moved]}
    known = mb.evaluate(system, q, v, quantities=("effort", "acceleration"), **given)
    for name in ("effort", "acceleration"):
        assert differ(found[name], known[name]) < 1e-9, name
    assert (found["effort"][:, 1:] == 0).all()
    assert np.array_equal(f(q[2], v[2], a=a[2])["effort"], found["effort"][2])
    if any(c.drive for c in system.coordinates):
        return  # whose own effort is among the applied forces of the others
    M, h, gravity, applied = (known_part(system, q, v, part) for part in ("M", "h", "gravity", "applied"))
    D = mb.evaluate(system, q, v, formalism=OTHER)["D"]
    for s in range(len(q)):  # what the constraints do not bear is nothing
        left = M[s] @ found["acceleration"][s] + h[s] - gravity[s] - applied[s] - found["effort"][s]
        reaction = D[s].T @ np.linalg.lstsq(D[s].T, left, rcond=1e-9)[0]
        terms = np.abs(M[s]) @ np.abs(found["acceleration"][s]) + np.abs(h[s]) + np.abs(gravity[s]) + np.abs(left)
        assert np.abs(left - reaction).max() < 1e-10 * terms.max()


def test_efforts_that_the_interpreter_computes_are_those_of_given_accelerations():
    system = mb.read(folder() / "mbsd/four_bar.mbsd").system
    q, v = columns(closed_states(system, 3, 1).states)
    a = np.random.default_rng(0).uniform(-1, 1, q.shape)
    f = mb.compile(system, ("effort", "acceleration"), backend="numpy", actuated=system.coordinate_names[0])
    known = f(q, v, a=a)
    f._closed = replace(f._closed, sound=-1)  # no state is, as where rows depend on each other
    found = f(q, v, a=a)
    assert "of 3 states the interpreter computes" in str(found.diagnostics)
    for name in ("effort", "acceleration"):
        assert differ(found[name], known[name]) < 1e-9


def known_part(system, q, v, part):
    """Return a quantity of the open tree by another formalism."""
    return mb.evaluate(system, q, v, formalism=OTHER, quantities=part, witness=False)[part]


def test_a_dead_point_of_the_actuated_coordinate_has_no_effort_and_others_have():
    system = mb.read(Path(__file__).parent / "reactions" / "slider_crank.mbs.json").system
    q, v = columns(closed_states(system, 5, 1).states)
    f = mb.compile(system, "effort", actuated="s")
    known = f(q, v)["effort"]
    (reached,) = mb.assemble(system, {"a": 0.0}, hold="a")
    dead, _ = columns([reached.as_states()])
    found = f(np.vstack([q, dead]), np.vstack([v, np.zeros_like(dead)]))
    assert np.isfinite(known).all() and np.array_equal(found["effort"][:-1], known)
    assert np.isnan(found["effort"][-1, system.coordinate_names.index("s")])
    assert [d for d in found.diagnostics if d.severity != "note"]


@pytest.mark.parametrize(
    ("quantities", "actuated", "said"),
    [
        ("effort", ["z1", "z2"], "cannot all be held, given or imposed"), ("effort", "z9", "no coordinate 'z9'"),
        (("effort", "M"), "z1", "a call of its own"), ("effort", None, r"actuated=\['z1'\]"),
    ],
)  # fmt: skip
def test_efforts_that_cannot_be_are_refused(quantities, actuated, said):
    with pytest.raises(NumbersError, match=said):
        mb.compile(folder() / "mbsd/four_bar.mbsd", quantities, actuated=actuated)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["mbsd/andrews.mbsd", "overconstrained/bennett.mbs.json"])
def test_exported_text_gives_the_numbers_of_another_formalism(file, tmp_path):
    system = mb.read(folder() / file).system
    (state,) = closed_states(system, 1, 2).states
    made = mb.export(system, tmp_path, ("acceleration", "reactions", "da_dtau"), "newton_euler", "jax")
    text = made.files[0].read_text("utf-8")
    namespace = run_over_numpy(text)
    parameters = mb.compile(system, "M")._fixed_values
    given = {name: parameters[name] for name in namespace["PARAMETERS"]}
    q, v = (np.array(list(x.values())) for x in (state.q, state.v))
    found = namespace["quantities"](0.0, q, v, np.zeros(len(q)), given)
    known = mb.evaluate(system, state, formalism=OTHER)
    for name in ("acceleration", "reactions"):
        assert differ(np.array(found[name])[None], known[name][None]) < 1e-9, name
    D, M = known["D"], known["M"]
    assert np.abs(D @ np.array(found["da_dtau"])).max() < 1e-9 * np.abs(D).max() * np.abs(np.linalg.inv(M)).max()
    assert f"Where sound is not {float(found['sound']):g}, rows of constraints" in text


def test_motions_are_exported_beside_quantities_in_other_speeds(tmp_path):
    """Export took the motion for one of an open tree, and refused it; both refused C_u, for C was not derived."""
    system, names, speeds = mb.read(folder() / FILES[0]).system, ("acceleration", "M_u", "C_u"), {"w": "2*z1'"}
    (state,) = closed_states(system, 1, 2).states
    made = mb.export(system, tmp_path, (*names, "da_along"), "newton_euler", "jax", speeds=speeds)
    namespace = run_over_numpy(made.files[0].read_text("utf-8"))
    q, v = (np.array(list(x.values())) for x in (state.q, state.v))
    found = namespace["quantities"](0.0, q, v, 0 * q, dq=v, dv=0 * q)
    known = mb.evaluate(system, state, formalism=OTHER, speeds=speeds, quantities=names[:2])
    along = mb.compile(system, (*names, "da_along"), speeds=speeds, backend="numpy")(q, v, dq=v)
    for name in names[:2]:
        assert differ(np.array(found[name]).reshape(1, -1), known[name].reshape(1, -1)) < 1e-9, name
    for name in ("C_u", "da_along"):
        assert differ(np.array(found[name]).reshape(1, -1), along[name].reshape(1, -1)) < 1e-9, name


@pytest.mark.slow
@pytest.mark.parametrize("language", ["jax", "casadi"])
@pytest.mark.parametrize("file", ["mbsd/andrews.mbsd", "native/slider_crank.mbs.json"])
def test_exported_efforts_are_those_of_another_formalism(file, language, tmp_path):
    system = mb.read(folder() / file).system
    moved = system.coordinate_names[0]
    q, v = columns(closed_states(system, 1, 2).states)
    made = mb.export(system, tmp_path, ("effort", "acceleration"), "newton_euler", language, actuated=moved)
    assert made.quantities == ("effort", "acceleration", "sound")
    assert f"a of {moved} are given" in made.files[0].read_text("utf-8")
    if language == "jax":
        namespace = run_over_numpy(made.files[0].read_text("utf-8"))
        parameters = mb.compile(system, "M")._fixed_values
        given = {name: parameters[name] for name in namespace["PARAMETERS"]}
        a = np.full(len(q[0]), 0.7)
        found = namespace["quantities"](0.0, q[0], v[0], a, given)
        by_other = {"a": {moved: [0.7]}, "formalism": OTHER, "driven": [moved], "actuated": [moved]}
        known = mb.evaluate(system, q, v, quantities=("effort", "acceleration"), **by_other)
        for name in ("effort", "acceleration"):
            assert differ(np.array([np.broadcast_to(x, ()) for x in found[name]])[None], known[name]) < 1e-9, name


@pytest.mark.slow
@needs_compiler
def test_c_of_efforts_passes_its_test(tmp_path):
    made = mb.export(folder() / "mbsd/andrews.mbsd", tmp_path, "effort", actuated="beta")
    assert "are right" in made.witness.message and made.quantities == ("effort", "sound")


@pytest.mark.parametrize(
    ("file", "quantities", "given", "said"),
    [
        ("mbsd/four_bar.mbsd", "M", {"actuated": "z1"}, "a call of its own"),
        ("mbsd/double_pendulum.mbsd", "effort", {"actuated": "z1"}, "a model with constraints"),
        ("mbsd/four_bar.mbsd", "effort", {"actuated": "z9"}, "no coordinate 'z9'"),
        ("mbsd/four_bar.mbsd", (), {"actuated": "z1", "language": "fmu"}, "an FMU takes efforts"),
    ],
)
def test_efforts_that_cannot_be_exported_are_refused(file, quantities, given, said, tmp_path):
    with pytest.raises(mb.MbconcordError, match=said):
        mb.export(folder() / file, tmp_path, quantities, **given)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("quantities", [("acceleration", "da_dq", "dtau_dv"), ("closing", "closing_rates")])
def test_c_of_machines_with_constraints_passes_its_test(quantities, tmp_path):
    made = mb.export(folder() / "mbsd/four_bar.mbsd", tmp_path, quantities)
    assert "are right" in made.witness.message
    assert made.quantities == (*quantities, "sound")


def test_what_cannot_be_exported_is_refused(tmp_path, monkeypatch):
    with pytest.raises(NumbersError, match="not unique"):
        mb.export(folder() / "mbsd/four_bar.mbsd", tmp_path, "lambda")
    with pytest.raises(NumbersError, match="by itself"):
        mb.export(folder() / "mbsd/four_bar.mbsd", tmp_path, ("closing", "acceleration"))
    solve = closed.solve_motion
    monkeypatch.setattr(closed, "solve_motion", lambda M, F, D, rest: solve(M, F, D, [-x for x in rest]))
    with pytest.raises(DisagreementError, match="acceleration"):
        mb.export(folder() / "mbsd/andrews.mbsd", tmp_path, "acceleration")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["nonsense", "sizes of gaps"])
def test_quantities_that_judge_others_are_no_names(name, tmp_path):
    """Lists of known quantities named ``sizes of gaps``, which no one can ask for alone."""
    four_bar, names = folder() / FILES[0], ("acceleration", name)
    for call in (lambda: mb.compile(four_bar, names, witness=False), lambda: mb.export(four_bar, tmp_path, names)):
        with pytest.raises(mb.MbconcordError, match="does not deliver") as problem:
            call()
        assert "gaps" not in str(problem.value).partition("known:")[2]
