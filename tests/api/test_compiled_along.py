"""Changes of forces and accelerations along a direction, compiled: differences of another formalism in 60 digits."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from mpmath import mp

import mbconcord as mb
from mbconcord.api.compiling import closed
from mbconcord.api.exporting.self_test import run_over_numpy
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.model.derivatives import dynamics
from mbconcord.model.diagnostics import DisagreementError, FormalismError, NumbersError
from mbconcord.model.expressions import evaluate, mpmath_arithmetic
from mbconcord.model.functions import define
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.reports.equations.source import SourceScalars
from mbconcord.validation.judge.closed.closed_states import closed_states

from ..kernels.compiler import needs_compiler
from ..kernels.llvm import needs_llvm
from .test_compiled_closed import LOOPS, columns, differences

BACKENDS = ["numpy", "python", pytest.param("llvm", marks=needs_llvm)]
TREES = ("robots/ur5.mbsd", "mbsd/moving_support.mbsd", "mbsd/springs.mbsd", "native/pushed_gimbal.mbs.json")
NAMES = ("dtau_along", "da_along", "d2tau_along", "d2a_along")


def differences_of_lagrange(system, state, dq, dv):
    """Return how τ and q'' (n,) of an open tree change along a direction, by Lagrange's equations in 60 digits."""
    q = registry.formalism("lagrange").derive(system).quantities
    names, n = system.coordinate_names, len(system.coordinates)
    outputs = define([*(x for row in q["M"] for x in row), *q["gravity"], *q["applied"], *q["h"]], system.functions)
    known = Instance(system, [state], mpmath_arithmetic(60)).environments[0]
    values = {name: mp.mpf(x) for name, x in known.items()}
    a = mp.matrix([values[f"{x}''"] for x in names])

    def move(step):
        shifted = {x: values[x] + step * mp.mpf(float(y)) for x, y in zip(names, dq, strict=True)}
        shifted |= {f"{x}'": values[f"{x}'"] + step * mp.mpf(float(y)) for x, y in zip(names, dv, strict=True)}
        x = [mp.mpf(y) for y in evaluate(outputs, values | shifted, mpmath_arithmetic(60))]
        M, force = mp.matrix(n), mp.matrix(n, 1)
        for i in range(n):
            force[i] = x[n * n + i] + x[n * n + n + i] - x[n * n + 2 * n + i]
            for k in range(n):
                M[i, k] = x[i * n + k]
        return M * a - force, mp.lu_solve(M, force)

    with mp.workdps(60):
        h = mp.mpf(10) ** -15
        sides = [*zip(move(h), move(0), move(-h), strict=True)]
        first = [np.array([float((x - z) / (2 * h)) for x, _, z in zip(*side, strict=True)]) for side in sides]
        return first + [np.array([float((x - 2 * y + z) / h**2) for x, y, z in zip(*s, strict=True)]) for s in sides]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("file", TREES)
def test_changes_are_differences_of_another_formalism_in_60_digits(file, backend):
    system, dice = mb.read(folder() / file).system, np.random.default_rng(1)
    q, v, a, dq, dv = dice.uniform(-1, 1, (5, len(system.coordinates)))
    state = State(0.0, *(dict(zip(system.coordinate_names, x.tolist(), strict=True)) for x in (q, v, a)))
    found = mb.compile(system, NAMES, "newton_euler", backend)(q, v, a=a, dq=dq, dv=dv)
    for name, known in zip(NAMES, differences_of_lagrange(system, state, dq, dv), strict=True):
        assert np.abs(found[name] - known).max() < 1e-11 * np.abs(known).max(), name


@pytest.mark.slow
@pytest.mark.parametrize("file", LOOPS)
def test_changes_of_closed_machines_are_differences_of_another_formalism_in_60_digits(file):
    system = mb.read(folder() / file).system
    (state,) = closed_states(system, 1, 3).states
    f = mb.compile(system, ("da_along", "dlambda_along"), "newton_euler")
    with mp.workdps(60):
        known = Instance(system, [state], mpmath_arithmetic(60)).environments[0]
        for dq, dv, changes in differences(system, f._closed.kept, {name: mp.mpf(x) for name, x in known.items()}):
            numbers, n = f([state], dq=dq, dv=dv), len(dq)
            loads = numbers["dlambda_along"][0]
            assert {*np.flatnonzero(np.isnan(loads))} == {*f._closed.open}
            for found, change in ((numbers["da_along"][0], changes[:n]), (loads[f._closed.kept], changes[n:])):
                off = np.where(np.isnan(found), 0.0, np.abs(found - change))
                assert off.max() < 1e-9 * max(np.abs(change).max(), np.nanmax(np.abs(found), initial=1e-3))


@pytest.mark.slow
@pytest.mark.parametrize("base", ["acceleration", "lambda"])
@pytest.mark.parametrize("file", ["mbsd/four_bar.mbsd", "mbsd/andrews.mbsd", "mbsd/patu655.mbsd"])
def test_second_derivatives_of_closed_machines_are_differences_of_the_interpreter(file, base):
    """Beside the constraints accelerations are those of the rows, which the interpreter solves by linear algebra."""
    system, dice = mb.read(folder() / file).system, np.random.default_rng(2)
    q, v = (x[0] for x in columns(closed_states(system, 1, 3).states))
    dq, dv = dice.uniform(-1, 1, (2, len(q)))
    name = "d2a_along" if base == "acceleration" else "d2lambda_along"
    found = mb.compile(system, (base, name), "newton_euler")(q, v, dq=dq, dv=dv)

    def move(step):
        return mb.evaluate(system, q + step * dq, v + step * dv, formalism="newton_euler", witness=False)[base]

    wide, half = ((move(h) - 2 * found[base] + move(-h)) / h**2 for h in (2e-3, 1e-3))
    known = (4 * half - wide) / 3
    assert (np.isnan(found[name]) == np.isnan(known)).all() and np.isfinite(known).any()
    assert np.nanmax(np.abs(found[name] - known)) < 1e-4 * np.nanmax(np.abs(known))


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("file", ["robots/ur5.mbsd", "mbsd/four_bar.mbsd"])
def test_one_direction_or_one_at_each_state(file, backend):
    system, dice = mb.read(folder() / file).system, np.random.default_rng(1)
    names = system.coordinate_names
    q, v = columns(closed_states(system, 4, 1).states) if system.constraints else dice.uniform(-1, 1, (2, 4, 6))
    f = mb.compile(system, ("da_along", "da_dq", "da_dv"), "newton_euler", backend)
    dq, dv = dice.uniform(-1, 1, (2, 4, len(names)))
    whole = f(q, v, dq=dq, dv=dv)
    size = np.abs(whole["da_along"]).max()
    by_parts = (whole["da_dq"] @ dq[..., None] + whole["da_dv"] @ dv[..., None])[..., 0]
    assert np.abs(whole["da_along"] - by_parts).max() < 1e-10 * size
    one = f(dict(zip(names, q[0], strict=True)), v[0], dq=dq, dv=dv)["da_along"]
    assert one.shape == (4, len(names)) and np.abs(one[0] - whole["da_along"][0]).max() < 1e-12 * size
    alone = f(q, v, dq={names[0]: 1.0})["da_along"]
    assert np.abs(alone - whole["da_dq"][..., 0]).max() < 1e-10 * size
    assert f(q[0], v[0], dv=dv[0])["da_along"].shape == (len(names),)
    arrays = f.arrays
    assert [x.name for x in arrays.operands][-2:] == ["dq", "dv"]
    assert np.abs(arrays(q, v, dq=dq, dv=dv)[0] - whole["da_along"]).max() < 1e-12 * size


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "da_along is along a direction"), ({"dq": [[1.0, 0.0]]}, r"dq.*shape \(1, 2\)"),
        ({"dv": np.ones((3, 6))}, "3 directions at 2 states"), ({"dq": {"z9": 1.0}}, "dq/z9.*no such coordinate"),
        ({"dq": [np.nan] * 6}, "not a finite number"),
    ],
)  # fmt: skip
def test_a_direction_that_does_not_fit_is_refused(given, said):
    f = mb.compile(folder() / "robots/ur5.mbsd", "da_along", "newton_euler", "numpy")
    with pytest.raises(NumbersError, match=said):
        f(np.zeros((2, 6)), np.zeros((2, 6)), **given)


@needs_compiler
@pytest.mark.parametrize("pair", ["qv", ("dq", "dv")])
def test_groups_that_are_swapped_in_c_are_found_when_it_is_exported(pair, monkeypatch, tmp_path):
    right = SourceScalars.groups.fget

    def wrong(self):
        found = right(self)
        return found | {pair[0]: found[pair[1]], pair[1]: found[pair[0]]}

    monkeypatch.setattr(SourceScalars, "groups", property(wrong))
    with pytest.raises(DisagreementError, match="double_pendulum_test"):
        mb.export(folder() / "mbsd/double_pendulum.mbsd", tmp_path, "da_along", "newton_euler")


def test_changes_that_are_zero_are_no_disagreement():
    block = folder() / "native/block_on_incline.mbs.json"
    f = mb.compile(block, ("da_along", "dlambda_along"), "newton_euler", "numpy")
    (state,) = closed_states(f.system, 1, 1).states
    found = f([state], dq=np.ones(4), dv=np.ones(4))
    assert np.abs(found["da_along"]).max() < 1e-12 and np.nanmax(np.abs(found["dlambda_along"])) < 1e-12


def test_a_direction_that_nothing_needs_is_refused():
    f = mb.compile(folder() / "robots/ur5.mbsd", "M")
    with pytest.raises(NumbersError, match="no quantity is along one"):
        f(np.zeros(6), dq=np.ones(6))


def test_changes_that_do_not_exist_are_refused(tmp_path):
    tree = mb.Mechanism("m").gravity(z=-9.81).body("bob", mass=1).turns("q", about="x").shift(y=-0.8)
    driven = tree.drive("q", acceleration="2").build()
    with pytest.raises(FormalismError, match="imposed by a drive"):
        mb.compile(driven, "da_along", "newton_euler")
    assert mb.compile(driven, "dtau_along", "newton_euler")(0.5 * np.ones(1), dq=[1.0])["dtau_along"].shape == (1,)
    for make in (mb.compile, partial(mb.export, folder=tmp_path)):
        with pytest.raises(NumbersError, match="without constraints there are no multipliers"):
            make(tree.build(), quantities="d2lambda_along")
    with pytest.raises(FormalismError, match="no inertia"):
        mb.compile(mb.Mechanism("m").body("bob").turns("q", about="x").build(), "da_along", "newton_euler")


@pytest.mark.parametrize("file", ["robots/ur5.mbsd", "mbsd/four_bar.mbsd"])
@pytest.mark.parametrize("name", (*NAMES, "dlambda_along", "d2lambda_along"))
def test_a_wrong_change_is_found_when_it_is_compiled_or_exported(file, name, monkeypatch, tmp_path):
    right = dynamics.change_along
    made = mb.read(folder() / file).system
    if "lambda" in name:  # whose multiplier is unique
        made = mb.read(folder() / "mbsd/patu655.mbsd").system

    def wrong(residuals, names, known, solve, order):
        found = [*right(residuals, names, known, solve, order)]
        place = -1 if "lambda" in name else 0
        found[place] = found[place] * 2
        return found

    monkeypatch.setattr(dynamics, "change_along", wrong)
    monkeypatch.setattr(closed, "change_along", wrong)
    with pytest.raises(DisagreementError, match=f"{name}.*differences in 50 digits"):
        mb.compile(made, name, "newton_euler", "numpy")
    with pytest.raises(DisagreementError, match=f"{name}.*(differences in 50 digits|the interpreter)"):
        mb.export(made, tmp_path, name, "newton_euler")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["da_along", "dlambda_along"])
def test_changes_of_closed_machines_are_the_interpreter_s_too(name, monkeypatch):
    right = closed.change_along
    monkeypatch.setattr(closed, "change_along", lambda *of: [x * 2 for x in right(*of)])
    monkeypatch.setattr("mbconcord.api.compiling.compile.compare_along", lambda *of: "")
    with pytest.raises(DisagreementError, match=rf"{name}.*the interpreter"):
        mb.compile(folder() / "mbsd/patu655.mbsd", name, "newton_euler", "numpy")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["jax", "casadi", pytest.param("c", marks=needs_compiler)])
@pytest.mark.parametrize("file", ["robots/ur5.mbsd", "mbsd/patu655.mbsd"])
def test_exported_changes_are_those_that_are_compiled(file, language, tmp_path):
    system, dice = mb.read(folder() / file).system, np.random.default_rng(3)
    names = (*NAMES[:2], "dlambda_along", "d2lambda_along") if system.constraints else NAMES
    made = mb.export(system, tmp_path, names, "newton_euler", language)
    assert made.quantities == (*names, "sound") if system.constraints else names
    assert "are right" in made.witness.message if language == "c" else "interpreter's" in made.witness.message
    text = made.files[0].read_text("utf-8")
    assert "dq and dv are the direction" in text
    if language != "jax":
        return
    module = run_over_numpy(text)
    q, v = columns(closed_states(system, 1, 2).states)
    a, dq, dv = dice.uniform(-1, 1, (3, *q[0].shape))
    f = mb.compile(system, names, "newton_euler", "numpy")
    given = {name: f._fixed_values[name] for name in module["PARAMETERS"]}
    found = module["quantities"](0.0, q[0], v[0], a, given, dq=dq, dv=dv)
    known = f(q[0], v[0], a=a, dq=dq, dv=dv)
    for name in names:
        assert np.abs(found[name] - known[name]).max() < 1e-12 * np.abs(known[name]).max(), name
    for wrong in ({"dq": dq}, {"dq": dq, "dv": dv[1:]}):
        with pytest.raises(TypeError, match="dv"):
            module["quantities"](0.0, q[0], v[0], a, given, **wrong)


def test_a_singular_state_is_left_to_the_interpreter():
    f = mb.compile(folder() / "mbsd/four_bar.mbsd", ("da_along", "da_dq", "da_dv"), "newton_euler")
    found = f(np.zeros((2, 3)), np.zeros((2, 3)), dq=[[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]], dv=[1.0, 0.5, 0.25])
    known = found["da_dq"] @ np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]])[..., None]
    known = (known + found["da_dv"] @ np.array([1.0, 0.5, 0.25])[:, None])[..., 0]
    assert np.array_equal(found["da_along"], known, equal_nan=True)
    assert any("the interpreter computes" in d.message for d in found.diagnostics)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["d2a_along", "dlambda_along", "d2lambda_along"])
def test_a_singular_state_has_no_second_derivative_and_says_so(name):
    f = mb.compile(folder() / "mbsd/four_bar.mbsd", name, "newton_euler")
    (state,) = closed_states(f.system, 1, 1).states
    (q,), (v,) = columns([state])
    found = f(np.array([q, 0 * q]), np.array([v, v]), dq=np.ones(3))
    assert np.isfinite(found[name][0]).any() and np.isnan(found[name][1]).all()
    assert any(d.place == name and "depend on each other" in d.message for d in found.diagnostics)
