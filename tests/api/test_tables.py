"""A model shaken by measured tables: every formalism, backend and verb finds the same; beyond a table is no number."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import interpolant, substitute, symbol
from mbconcord.simulation.motion.events import Switches
from tests.kernels.compiler import needs_compiler


def _function(name: str, x: list[float], y: list[float], **ways: str) -> dict[str, Any]:
    return {"name": name, "arguments": ["x"], "table": {"x": x, "y": y, **ways}}


HELD = {"method": "cubic", "beyond": "hold"}
#: A bar with a bob on it, on a base that a table moves; a spring and an effort by two others.
SHAKEN: dict[str, Any] = {
    "format": "mbconcord", "version": 1, "name": "shaken", "gravity": {"value": 9.81, "direction": "-y"},
    "coordinates": [{"name": "a", "position": 0.4}, {"name": "u", "position": 0.1, "velocity": 0.3}],
    "functions": [
        _function("road", [0, 0.5, 1.25, 2, 3.5, 4, 5], [0, 1.2, 1.2, 0.3, -0.7, -0.2, 2], **HELD),
        _function("soft", [0, 1, 2, 5, 9], [0, 3, 4, 4.5, 9], method="cubic", beyond="extend"),
        _function("push", [0, 1, 2, 4], [0, 2, -1, 0.5]),
    ],
    "bodies": [
        {"name": "base", "parent": None, "joint": [{"translation": "y", "prescribed": "road(t)"}],
         "inertia": {"mass": 1}},
        {"name": "bar", "parent": "base", "joint": [{"rotation": "z", "coordinate": "a"}],
         "inertia": {"mass": 1, "centre": [0.5, 0, 0], "tensor": [0, 0, 0.1]}},
        {"name": "bob", "parent": "bar", "joint": [{"translation": "x", "coordinate": "u"}], "inertia": {"mass": 0.5}},
    ],
    "forces": [
        {"kind": "bipolar", "name": "b", "first": {"body": None, "position": [1, 2, 0]}, "second": {"body": "bob"},
         "law": "-soft(@)"},
        {"kind": "joint_effort", "name": "e", "coordinate": "u", "effort": "push(0.2*u+1.5) - road(t)"},
    ],
}  # fmt: skip
#: Mass, weights and accelerations at t = 1.6 by energies and differences in 60 digits.
KNOWN = {
    "M": [[0.355, 0.0], [0.0, 0.5]],
    "h": [-0.8025612123482189, -0.3084703983664589],
    "gravity": [-4.969584593142566, -1.9100969690239307],
    "applied": [0.16295748997812523, 2.7300484855343954],
    "acceleration": [-11.27905884736964, 2.2568438297538473],
}


@pytest.fixture(scope="module")
def model() -> Any:
    return mb.read(text=json.dumps(SHAKEN), format="native")


@pytest.mark.parametrize("formalism", ["lagrange", "newton_euler", "virtual_work", "konoplev", "telegin", "flexible"])
def test_every_formalism_finds_the_known_numbers(model: Any, formalism: str) -> None:
    found = mb.evaluate(model, t=1.6, quantities=list(KNOWN), formalism=formalism)
    for name, value in KNOWN.items():
        assert found[name] == pytest.approx(np.array(value), abs=1e-11)


def test_a_check_proves_them_and_draws_states_within_the_tables(model: Any) -> None:
    evidence = mb.check(model)
    assert evidence.verdict == "agrees"
    rows = {(c.quantity, c.a, c.b): c for c in evidence.comparisons}
    assert any("directly" in (a, b) or "direct" in (a, b) for _, a, b in rows)
    assert "drawn anew, as tables end" in str([str(d) for d in evidence.diagnostics])


def test_a_wrong_row_is_a_disagreement(model: Any) -> None:
    other = json.loads(json.dumps(SHAKEN))
    other["functions"][1]["table"]["y"][4] = 9.001
    assert mb.compare(model, mb.read(text=json.dumps(other), format="native")).verdict == "disagrees"


def test_a_row_far_from_the_states_tells_two_machines_apart() -> None:
    text = 'x(c)"(push(c)) $2 #a g9.81-y; push(x) = table(x, -1000, 5, 0, 0, 1, -3, 400, -6, 500, -7)'
    one, other = (mb.read(text=x, format="mbsd") for x in (text, text.replace("500, -7", "500, -7.01")))
    assert mb.compare(one, one).verdict == "agrees"
    assert mb.compare(one, other).verdict == "disagrees"


@pytest.mark.parametrize("backend", ["numpy", "python", "llvm"])
def test_compiled_tables_have_the_same_values_on_every_backend(model: Any, backend: str) -> None:
    if backend == "llvm":
        pytest.importorskip("llvmlite", reason="the extra jit is not installed")
    q, v, t = (
        np.array([[0.4, 0.1], [0.4, 0.3], [-1.0, 2.0]]),
        np.array([[0, 0.3], [0.1, 0.2], [1, 2.0]]),
        [1.6, 0.5, 7.0],
    )
    made = mb.compile(model, quantities=["M", "acceleration"], backend=backend)
    found = made(q, v, t=np.array(t))["acceleration"]
    assert found[0] == pytest.approx(KNOWN["acceleration"], abs=1e-11)
    for k in range(3):
        one = mb.evaluate(model, q=q[k], v=v[k], t=t[k], quantities="acceleration")["acceleration"]
        assert found[k] == pytest.approx(one, abs=1e-12)
    assert np.isnan(made([0.4, 20.0], [0, 0], t=1.0)["acceleration"]).any()


@needs_compiler
def test_the_library_in_c_passes_its_own_test(model: Any, tmp_path: Path) -> None:
    made = mb.export(model, tmp_path / "c", quantities=["M", "applied", "h"])
    assert "results at" in str(made.witness) and "are right" in str(made.witness)


def test_tables_are_not_written_for_casadi(model: Any, tmp_path: Path) -> None:
    with pytest.raises(MbconcordError, match="tables of numbers are not written for CasADi"):
        mb.export(model, tmp_path / "casadi", language="casadi", quantities=["M", "applied"])


def test_a_run_ends_its_steps_at_the_rows_and_balances(model: Any) -> None:
    (road,) = (f.formula for f in model.system.functions if f.name == "road")
    (of_time,) = substitute([road], {symbol("x"): 2 * symbol("t")})
    assert Switches([of_time], 0.0, 1.0).times == [0.25, 0.625]
    run = mb.simulate(model, 2.0)
    assert run.found[-1].t == 2.0
    assert not [d for d in run.diagnostics if d.severity == "error"]


def test_a_run_stops_where_a_prescribed_motion_would(model: Any) -> None:
    with pytest.raises(MbconcordError, match="it stops at t = 5, where a table ends that holds its last value"):
        mb.simulate(model, 6.0)


def test_at_a_row_of_a_linear_table_there_is_no_derivative(model: Any) -> None:
    with pytest.raises(MbconcordError, match="along u have a kink at the state"):
        mb.linearize(model, q=[0.4, 2.5], t=1.6)
    mb.linearize(model, q=[0.4, 2.4], t=1.6)


SPRING = 'x(c)"({}) $2 #a; f(x) = table(x, -1, -5, 0, 0, 1, 3, 2, 3{})'


@pytest.mark.parametrize(
    ("force", "ways", "kinked"),
    [
        ("-f(c)", ", extend", (0, 1)), ("-f(c)", ", hold", (-1, 0, 1)), ("-f(c)", "", (-1, 0, 1, 2)),
        ("-f(c)", ", cubic, hold", (-1,)), ("-f(c)", ", cubic, extend", ()), ("-f(c)", ", cubic", (-1, 2)),
        ("-f'(c)", ", cubic, extend", (-1, 0, 1)), ("-f(t)", ", hold", ()),
    ],
)  # fmt: skip
def test_where_a_table_has_corners_or_ends_there_is_no_derivative(
    force: str, ways: str, kinked: tuple[int, ...]
) -> None:
    spring = mb.read(text=SPRING.format(force, ways), format="mbsd")
    for at in (-1, 0, 1, 2):
        if at in kinked:
            with pytest.raises(MbconcordError, match="along c have a kink at the state"):
                mb.linearize(spring, q=[at], t=0)
        else:
            mb.linearize(spring, q=[at], t=0)


def test_a_row_of_a_table_is_no_dry_friction() -> None:
    rest = mb.equilibrium(mb.read(text=SPRING.format("-f(c)", ", extend"), format="mbsd"), q=[0.0])
    assert "friction" not in " ".join(map(str, rest.diagnostics))


def test_the_direct_witness_finds_a_wrong_slope_that_all_formalisms_share(monkeypatch: pytest.MonkeyPatch) -> None:
    slopes, off = interpolant._slopes, 1 + Fraction(1, 10**9)
    monkeypatch.setattr(interpolant, "_slopes", lambda steps, rises: [x * off for x in slopes(steps, rises)])
    other = json.loads(json.dumps(SHAKEN))
    other["functions"][0]["table"]["y"][-1] = 2.5  # pieces of a table are made once
    evidence = mb.check(mb.read(text=json.dumps(other), format="native"))
    wrong = [c for c in evidence.comparisons if c.verdict == "disagrees"]
    assert evidence.verdict == "disagrees" and wrong


def _cart(argument: str) -> mb.Mechanism:
    made = mb.Mechanism("cart").table("push", ([0, 0.1, 0.4], [0, 50, 80])).body("cart", mass=2)
    return made.slides("x", along="x").effort("bump", "x", f"-push({argument})")


def _found(call: Any) -> str:
    try:
        made = call()
    except MbconcordError as problem:
        return str(problem)
    return "\n".join(map(str, (*made.diagnostics, getattr(made, "stopped", None))))


#: A verb -> a call of it beyond the table of push(x), from 0 to 0.4.
BEYOND_ENDS: dict[str, Any] = {
    "evaluate": lambda: mb.evaluate(_cart("x"), q=[0.5]),
    "evaluate one quantity": lambda: mb.evaluate(_cart("x"), q=[[0.2], [0.5]], quantities="applied"),
    "joint forces": lambda: mb.evaluate(_cart("x"), q=[0.5], quantities="joint_forces"),
    "compile by llvm": lambda: mb.compile(_cart("x"), backend="llvm")([0.5]),
    "compile by numpy": lambda: mb.compile(_cart("x"), backend="numpy")([0.5]),
    "compile by python": lambda: mb.compile(_cart("x"), backend="python")([0.5]),
    "simulate from there": lambda: mb.simulate(_cart("x"), 1, q=[0.5]),
    "simulate into it": lambda: mb.simulate(_cart("x"), 1, q=[0.39], v=[2.0]),
    "linearize": lambda: mb.linearize(_cart("x"), q=[0.5]),
    "equilibrium": lambda: mb.equilibrium(_cart("x"), q=[0.5]),
}


@pytest.mark.parametrize("verb", BEYOND_ENDS)
def test_beyond_the_ends_a_verb_names_the_table_the_argument_and_the_range(verb: str) -> None:
    said = _found(BEYOND_ENDS[verb])
    assert "push(x)" in said and "table_" not in said and "0 to 0.4" in said, said
    assert "0.5" in said or "x = 0.4" in said, said


def test_beyond_the_ends_in_time_and_of_several_states_the_first_is_named() -> None:
    said = _found(lambda: mb.compile(_cart("t"), "applied")([[0.2], [0.5]], t=1.0))
    assert said.startswith("forces/bump: error: push(t) is beyond its table, from 0 to 0.4: the argument is 1 (beyond")
    said = _found(lambda: mb.evaluate(_cart("2*x"), q=[[0.2], [0.25], [0.6]]))
    assert (
        "push(2*x) is beyond its table, from 0 to 0.4: the argument is 0.5 at state 1 (beyond: hold or extend)" in said
    )
    assert "table" not in _found(lambda: mb.evaluate(_cart("x"), q=[0.5], quantities="M"))
