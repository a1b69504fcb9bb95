"""Compiled equations as functions of bare arrays, and by machine code: the numbers of the other backends, quickly."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mbconcord as mb
from mbconcord.api.compiling import closed
from mbconcord.fixtures import folder
from mbconcord.kernels.llvm import engine
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import DisagreementError, NumbersError
from mbconcord.model.expressions.formula import parse_formula

from ..kernels.llvm import needs_llvm

PENDULUM = folder() / "mbsd" / "double_pendulum.mbsd"
UR5 = folder() / "robots" / "ur5.mbsd"
NAMED = mb.Mechanism("named").parameters(a=2, m=None, g=9.81).gravity(y="-g")
NAMED.body("bob", mass="m").turns("q", about="z").shift(x="a")
BACKENDS = [pytest.param("llvm", marks=needs_llvm), "numpy", "python"]
STATES = np.random.default_rng(5).uniform(-2, 2, (3, 9, 6))
OPERANDS = dict(zip("qva", STATES, strict=True))


def close(one: Any, other: Any) -> bool:
    return np.allclose(one, other, rtol=0, atol=1e-12 * max(1.0, float(np.abs(other).max())))


@pytest.mark.slow
@needs_llvm
@pytest.mark.parametrize(
    ("quantities", "options"),
    [
        (("M", "h"), {}), (("inverse_dynamics",), {}), (("inverse_dynamics",), {"fma": False}),
        (("inverse_dynamics",), {"accuracy": "plain"}), (("acceleration",), {}),
    ],
    ids=str,
)  # fmt: skip
def test_machine_code_gives_the_numbers_of_numpy(quantities: tuple[str, ...], options: dict[str, Any]) -> None:
    q, v, a = STATES
    by_code, by_numpy = (
        mb.compile(UR5, quantities, "newton_euler", backend=name, **options) for name in ("llvm", "numpy")
    )
    assert "llvm" in repr(by_code)
    found, expected, one = by_code(q, v, a=a), by_numpy(q, v, a=a), by_code(q[2], v[2], a=a[2])
    for name in quantities:
        assert close(found[name], expected[name]) and np.array_equal(one[name], found[name][2])


@needs_llvm
def test_constants_and_singular_matrices_are_as_everywhere() -> None:
    assert mb.compile(mb.read(text="ug", format="mbsd"), "M", backend="llvm")()["M"].tolist() == [[1.0]]
    still = mb.compile(mb.Mechanism("still").body("a", mass=1), "T", "lagrange", backend="llvm")
    assert still()["T"] == 0
    mechanism = mb.Mechanism("rod").gravity(y=-9.81).body("a", mass=3).turns("q1", "z").shift(x=2)
    mechanism.body("b", on="a").turns("q2", "z")
    found = mb.compile(mechanism, "acceleration", backend="llvm")(np.zeros((4, 2)))
    assert np.isnan(found["acceleration"]).all()
    assert [d.place for d in found.diagnostics] == ["coordinates/q2"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_are_the_numbers_of_states(backend: str) -> None:
    q, v, a = STATES
    f = mb.compile(UR5, ("M", "inverse_dynamics"), "newton_euler", backend=backend)
    k = f.arrays
    assert [o.name for o in k.operands] == ["q", "v", "a"] and k.signature == "(6),(6),(6)->(36),(6)"
    mass, torque = k(q, v, a=a)
    expected = f(q, v, a=a)
    assert mass.shape == (9, 6, 6) and close(mass, expected["M"])
    assert close(torque, expected["inverse_dynamics"])
    one, many = k(q[0], v, a=a)  # broadcast
    assert one.shape == (9, 6, 6) and many.shape == (9, 6) and np.array_equal(many[0], torque[0])
    outs = np.empty((9, 6, 6)), np.empty((9, 6))
    assert k(q, v=v, a=a, out=outs) is outs
    assert np.array_equal(outs[0], mass) and np.array_equal(outs[1], torque)
    assert k(q[:0], v[:0], a=a[:0])[0].shape == (0, 6, 6)
    still = k(q[0], np.tile(v, (40, 1)), a=a[0], threads=2)[1]
    assert np.array_equal(still[40], k(q[0], v[4], a=a[0])[1])
    shared = k(np.tile(q, (40, 1)), np.tile(v, (40, 1)), a=np.tile(a, (40, 1)), threads=2)
    assert np.array_equal(shared[0][-9:], mass) and np.array_equal(shared[1][:9], torque)


@pytest.mark.parametrize("backend", BACKENDS)
def test_operands_are_those_that_are_needed(backend: str) -> None:
    f = mb.compile(NAMED, "M", backend=backend)
    assert [o.name for o in f.arrays.operands] == ["parameters"]
    assert f.arrays(parameters=[2.0, 3.0, 9.81]).tolist() == [[12.0]]
    whole = mb.compile(NAMED, "M", backend=backend, parameters={"m": 3.0}).arrays()
    assert whole.tolist() == [[12.0]] and whole.dtype == np.float64
    assert f.arrays(parameters=np.array([[2.0, 3.0, 9.81], [1.0, 1.0, 0.0]])).ravel().tolist() == [12.0, 1.0]
    moving = mb.compile(folder() / "mbsd" / "moving_support.mbsd", "h", backend=backend)
    assert [(o.name, o.axis) for o in moving.arrays.operands[-2:]] == [("t", False), ("parameters", True)]
    q, t = np.full((2, len(moving.coordinates)), 0.3), np.array([0.0, 0.5])
    given = {"q": q, "v": q, "t": t}
    found = moving.arrays(**{o.name: given[o.name] for o in moving.arrays.operands if o.name in given})
    assert close(found, moving(q, q, t=t)["h"])


@pytest.mark.parametrize("backend", BACKENDS)
def test_tables_are_taken_by_their_names(backend: str) -> None:
    f = mb.compile(PENDULUM, "inverse_dynamics", backend=backend)
    q, v, a = (np.random.default_rng(i).uniform(-1, 1, (5, 2)) for i in range(3))
    expected = f.arrays(q, v, a=a)
    frames = [pd.DataFrame({"z2": x[:, 1], "z1": x[:, 0], "comment": "none"}) for x in (q, v, a)]
    whole = pd.concat([x[["z1", "z2"]].add_suffix(s) for x, s in zip(frames, ("", "'", "''"), strict=True)], axis=1)
    assert np.array_equal(f.arrays(*frames[:2], a=frames[2]), expected) and np.array_equal(f.arrays(whole), expected)
    with pytest.raises(NumbersError, match="q: error: the table has no column z2"):
        f.arrays(whole.drop(columns="z2"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_bound_arrays_are_read_at_each_call(backend: str) -> None:
    k = mb.compile(PENDULUM, ("h", "M"), backend=backend).arrays
    q, v = np.array([0.1, 0.2]), np.array([0.3, 0.4])
    bound = k.bind(q, v)
    for _ in range(2):
        q += 0.5
        h, mass = bound()
        assert h is bound.results[0] and mass is bound.results[1]
        assert [h.tolist(), mass.tolist()] == [x.tolist() for x in k(q, v)]
    out = np.zeros(2), np.zeros((2, 2))
    assert k.bind(q, v, out=out)() is out and out[1].any()
    for bad in ([0.1, 0.2], np.array([1, 2]), np.array([1, 2], np.float32)):
        with pytest.raises(NumbersError, match="expected an array of float64"):
            k.bind(bad, v)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_does_not_fit_is_refused(backend: str) -> None:
    k = mb.compile(PENDULUM, "M", backend=backend).arrays
    for call, words in (
        (lambda: k(), "expected q, parameters, found 0"),
        (lambda: k([0.0, 0.0], [0.0] * 5), "expected q, parameters, found 2: q, v"),
        (lambda: k([0.0, 0.0], w=1), "expected q, parameters, found 2: q, w"),
        (lambda: k([0.0, 0.0], out=np.empty(4)), r"out/M: error: expected an array \(…, 2, 2\), found \(4,\)"),
        (lambda: k([0.0, 0.0], out=(np.empty((2, 2)),) * 2), "found 2, expected 1 array: M"),
        (lambda: k(np.zeros((5, 2)), out=np.empty((5, 2, 3))[:, :, ::2]), "not contiguous"),
    ):
        with pytest.raises(NumbersError, match=words):
            call()
    for shape in ((3,), ()):
        with pytest.raises(ValueError, match=r"2|core dim"):
            k(np.zeros(shape))
    with pytest.raises((TypeError, ValueError)):
        k(["a", "b"])


@needs_llvm
def test_single_precision_is_computed_where_it_is_given() -> None:
    k = mb.compile(UR5, "inverse_dynamics", "newton_euler", backend="llvm").arrays
    fine = k(**OPERANDS)
    single = STATES.astype(np.float32)
    coarse = k(**dict(zip("qva", single, strict=True)))
    assert fine.dtype == np.float64 and coarse.dtype == np.float32
    assert np.abs(coarse - fine).max() < 1e-5 * np.abs(fine).max()
    assert k(single[0], STATES[1], a=single[2]).dtype == np.float64


@needs_llvm
def test_threads_have_the_same_bits_and_leave_the_interpreter_free() -> None:
    k = mb.compile(UR5, "M", "newton_euler", backend="llvm").arrays
    q = np.random.default_rng(6).uniform(-3, 3, (50_000, 6))
    whole = k(q)
    assert np.array_equal(k(q, threads=3), whole)
    assert np.array_equal(k(q.astype(np.float32), threads=3), k(q.astype(np.float32)))
    ran, runs, switching = threading.Event(), 0, sys.getswitchinterval()

    def compute() -> None:
        nonlocal runs
        while runs < 2000 and not (runs and ran.is_set()):
            k(q, out=whole)
            runs += 1

    worker = threading.Thread(target=compute)
    sys.setswitchinterval(1e6)  # a thread goes on until it leaves the interpreter free by itself
    try:
        worker.start()
        ran.set()
        worker.join()
    finally:
        sys.setswitchinterval(switching)
    assert runs < 2000


@needs_llvm
def test_the_function_of_numpy_itself() -> None:
    k = mb.compile(PENDULUM, "M", backend="llvm").arrays
    assert isinstance(k.ufunc, np.ufunc) and k.ufunc.signature == k.signature == "(2),(5)->(4)"
    assert np.array_equal(k.ufunc([0.1, 0.2], k.operands[1].default).reshape(2, 2), k([0.1, 0.2]))
    with pytest.raises(NumbersError, match=r"numpy computes.*backend='llvm'"):
        _ = mb.compile(PENDULUM, "M", backend="numpy").arrays.ufunc


def test_accelerations_with_imposed_ones_are_no_function_of_arrays() -> None:
    system = mb.read(PENDULUM).system
    first, *others = system.coordinates
    driven = replace(system, coordinates=(replace(first, drive=Motion(parse_formula("2"))), *others))
    f = mb.compile(driven, "acceleration", "lagrange", backend="numpy")
    with pytest.raises(NumbersError, match="solved from M, h, gravity, applied"):
        _ = f.arrays


# --- parameters and backends -------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_fixed_parameters_are_numbers_of_the_equations(backend: str) -> None:
    model = mb.read(text="z i(b) $(m) ; b = 2, m = 2 b", format="mbsd")
    free, fixed = (mb.compile(model, "M", backend=backend, parameters=how) for how in ("free", "fixed"))
    assert free()["M"].tolist() == fixed()["M"].tolist() == [[16.0]]
    assert fixed.operations.total < free.operations.total and fixed.fixed == {"b": 2.0, "m": 4.0}
    with pytest.raises(NumbersError, match=r"parameters/b: error: .* fixed .*parameters='free'"):
        fixed(b=3.0)
    with pytest.raises(NumbersError, match="parameters/m: error: has no value"):
        mb.compile(NAMED, "M", backend=backend, parameters="fixed")
    with pytest.raises(NumbersError, match="did you mean 'fixed'"):
        mb.compile(NAMED, "M", backend=backend, parameters="fixd")  # type: ignore[arg-type]


@needs_llvm
def test_auto_is_the_best_of_what_is_there() -> None:
    f = mb.compile(PENDULUM, "M", backend="auto")
    assert f.backend == "llvm" and not f.warnings


@pytest.mark.parametrize(
    ("found", "words"),
    [(None, "llvmlite is not installed"), ("0.41.1", "llvmlite 0.41.1 is installed, and kernels are written for 0.50")],
)
def test_without_llvm_numpy_computes_and_a_note_says_so(
    found: str | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda _: found)
    monkeypatch.setattr(engine, "version", lambda _: found)
    f = mb.compile(PENDULUM, "M", backend="auto")
    (note,) = f.warnings
    assert f.backend == "numpy" and note.severity == "note" and words in note.message
    assert f().diagnostics == () and "mbconcord[jit]" in note.remedy
    with pytest.raises(mb.MbconcordError, match=words):
        mb.compile(PENDULUM, "M", backend="llvm")


@needs_llvm
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    """Threads are kept between calls; a child has none of its parent's and would wait for ever."""
    k = mb.compile(UR5, "M", "newton_euler", backend="llvm").arrays
    q = np.random.default_rng(2).uniform(-1, 1, (500, 6))
    whole, forked = k(q, threads=2), get_context("fork")
    same = forked.Value("b", 0)

    def child() -> None:
        same.value = np.array_equal(k(q, threads=2), whole)

    process = forked.Process(target=child)
    process.start()
    process.join(600)  # only where it hangs
    alive = process.is_alive()
    process.kill()
    assert not alive and same.value
    assert np.array_equal(k(q, threads=2), whole)


def test_accelerations_that_no_formalism_delivers_are_solved_on_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, 5, 6))
    arm = folder() / "robots" / "ur5.mbsd"
    found = mb.compile(arm, "acceleration", "lagrange", backend="numpy").arrays(q, v)
    known = mb.evaluate(arm, q, v, formalism="newton_euler", quantities="acceleration")["acceleration"]
    assert np.allclose(found, known, rtol=0, atol=1e-12 * np.abs(known).max())
    solve = closed.solve_motion
    monkeypatch.setattr(closed, "solve_motion", lambda M, F, D, rest: solve(M, [x + x for x in F], D, rest))
    with pytest.raises(DisagreementError, match="M acceleration"):
        _ = mb.compile(arm, "acceleration", "lagrange", backend="numpy").arrays
