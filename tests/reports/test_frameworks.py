"""Modules for JAX and CasADi: the numbers of ``evaluate``, and derivatives by them, where they are installed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.model import Body, Coordinate, Effort, Inertia, System
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import FUNCTIONS, apply, evaluate_float, number, symbol
from mbconcord.model.transformation import Variable, rotation
from mbconcord.reports.equations.languages import casadi

QUANTITIES = ("M", "gravity", "inverse_dynamics")
Q, V, A = [0.3, -0.7], [1.1, 0.4], [-0.2, 2.0]


def module(folder: Path, language: str, model: Any, *quantities: str) -> ModuleType:
    """The exported module, loaded where its package is installed."""
    pytest.importorskip(language, reason=f"{language} is not installed")
    file, *_ = mb.export(model, folder, quantities, "newton_euler", language, name="made").files
    made = ModuleType("made")
    exec(compile(file.read_text(encoding="utf-8"), "made.py", "exec"), made.__dict__)
    return made


def numbers() -> dict[str, Any]:
    made = mb.compile(mb.read(text="zi > zig", format="mbsd"), QUANTITIES, "newton_euler")
    return {name: made(Q, V, t=0.2, a=A)[name] for name in QUANTITIES}


def test_casadi(tmp_path: Path) -> None:
    made = module(tmp_path, "casadi", mb.read(text="zi > zig", format="mbsd"), *QUANTITIES)
    import casadi

    function = made.function("arm")
    found = function(t=0.2, q=Q, v=V, a=A, p=list(made.PARAMETERS.values()))
    for name, expected in numbers().items():
        assert np.array(found[name]).reshape(expected.shape) == pytest.approx(expected, rel=1e-13)
    a = casadi.SX.sym("a", 2)
    tau = function(t=0.2, q=Q, v=V, a=a, p=list(made.PARAMETERS.values()))["inverse_dynamics"]
    mass = casadi.Function("m", [a], [casadi.jacobian(tau, a)])(A)
    assert np.array(mass) == pytest.approx(numbers()["M"], rel=1e-13)


def test_jax(tmp_path: Path) -> None:
    made = module(tmp_path, "jax", mb.read(text="zi > zig", format="mbsd"), *QUANTITIES)
    import jax

    q, v, a = (jax.numpy.array(x) for x in (Q, V, A))
    found = jax.jit(made.quantities)(0.2, q, v, a)
    for name, expected in numbers().items():
        assert found[name].dtype == np.float64
        assert np.array(found[name]) == pytest.approx(expected, rel=1e-13)
    mass = jax.jacfwd(lambda a: made.quantities(0.2, q, v, a)["inverse_dynamics"])(a)
    assert np.array(mass) == pytest.approx(numbers()["M"], rel=1e-13)


X = symbol("x")
#: Values, and what CasADi makes of their numbers.
SHAPES = [
    (((X, X), (X, X)), "ca.blockcat([[r[0], r[1]], [r[2], r[3]]])"),
    ((X, X), "ca.vertcat(r[0], r[1])"),
    ((X, (X, X)), "ca.vertcat(r[0], r[1], r[2])"),
    (((X,), (X, X)), "ca.vertcat(r[0], r[1], r[2])"),
    ((((X, X),), (X,)), "ca.vertcat(r[0], r[1], r[2])"),
    (X, "ca.vertcat(r[0])"),
    ((), "ca.vertcat()"),
]


@pytest.mark.parametrize(("value", "expected"), SHAPES)
def test_matrices_where_there_are_rows_of_one_length(value: Any, expected: str) -> None:
    body = Body("b", None, (rotation("z", Variable("x")),), Inertia(1))
    derivation = Derivation("none", System("one", (Coordinate("x"),), bodies=(body,)), {}, native={"shown": value})
    assert f"'shown': {expected},\n" in casadi(derivation, {"shown": value})


@pytest.mark.parametrize("language", ["casadi", "jax"])
def test_every_function_has_its_name(tmp_path: Path, language: str) -> None:
    """Of a drive that is the sum of all elementary functions."""
    x = symbol("x")
    effort = sum((apply(name, *(x, x + 1)[:count]) for name, count in FUNCTIONS.items()), x ** number("0.5"))
    body = Body("b", None, (rotation("z", Variable("x")),), Inertia(1, (1, 0, 0)))
    system = System("all", (Coordinate("x", drive=Effort(effort)),), bodies=(body,))
    made = module(tmp_path, language, system, "applied")
    if language == "casadi":
        found = made.function()(t=0, q=[0.4], v=[0], a=[0], p=[])["applied"]
    else:
        found = made.quantities(0.0, [0.4], [0.0])["applied"]
    assert float(np.array(found).item()) == pytest.approx(evaluate_float(effort, {"x": 0.4}), rel=1e-14)
