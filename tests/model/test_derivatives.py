"""Derivatives as quantities: what they are of, that τ = Y π, and what is refused with its reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.coordinate import Motion
from mbconcord.model.derivation import flatten
from mbconcord.model.derivatives import DERIVED, TEN, inertial_parameters, labels, with_derivatives
from mbconcord.model.derivatives.dynamics import factors
from mbconcord.model.diagnostics import FormalismError, MbconcordError, NumbersError
from mbconcord.model.expressions import ZERO, evaluate, number, symbol, symbols
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.strategies.trees import random_system
from mbconcord.validation.witnesses.evaluated import check_numbers

#: A pendulum of mass 3 at 2, with a spring and a damper: τ = 12 a + 6 g sin z + 5 z + 0.5 z'.
PENDULUM = "z j-2 $3 g9.81"
TREES = [random_system(500 + seed, 1 + seed % 4) for seed in range(6)]
Q, V, A = [0.4], [0.7], [1.3]


def pendulum() -> System:
    return read_text(PENDULUM, "mbsd").system


def of(system: System, name: str, by: str = "newton_euler") -> Any:
    f = formalism(by)
    return with_derivatives(f.derive_whole(system), f.derive).native[name]


EXPECTED = {
    "dtau_dq": 6 * 9.81 * np.cos(0.4), "dtau_dv": 0.0, "da_dq": -0.5 * 9.81 * np.cos(0.4), "da_dv": 0.0,
    "da_dtau": 1 / 12, "C": 0.0,
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_a_pendulum_by_hand(name: str) -> None:
    found = mbconcord.evaluate(pendulum(), q=Q, v=V, a=A, quantities=name)[name]
    assert found == pytest.approx(np.array([[EXPECTED[name]]]), rel=1e-14)


@pytest.mark.parametrize("by", ["lagrange", "newton_euler", "virtual_work", "konoplev", "telegin"])
def test_the_coriolis_matrix_of_two_bars_by_hand(by: str) -> None:
    """C = [[-s q2', -s (q1' + q2')], [s q1', 0]], s = m2 l1 c2 sin q2; a damper is no part of it."""
    arm = mbconcord.read(text="z(q1)'0.7 i(2) $1 > z(q2) i(1.5) $4 g9.81-y", format="mbsd")
    found = mbconcord.evaluate(arm, q=[0.3, 0.8], v=[1.1, -0.6], quantities="C", formalism=by)
    s = 4 * 2 * 1.5 * np.sin(0.8)
    assert found["C"] == pytest.approx(np.array([[s * 0.6, -s * 0.5], [s * 1.1, 0.0]]), rel=1e-13, abs=1e-13)
    assert {(c.quantity, c.verdict) for c in found.witnesses} == {("C", "agrees")}


def test_a_coriolis_matrix_of_zeros_has_the_size_of_inertias_times_rates() -> None:
    """The witness's rounding is no disagreement, whatever the rates; a part in 1e6 of M q' is one."""
    bar = mbconcord.read(text="n(0.4) z(q1) i(0.3) n(0.7) $2 [0.1,0.2,0.3]", format="mbsd").system
    for v in (1e6, 0.7, 1e-6, 1e-80, 0.0):
        states = [State(q={"q1": q}, v={"q1": v}) for q in np.linspace(0.1, 1.5, 8)]
        for state in states:
            (found,) = check_numbers(bar, "lagrange", [state], {"C": np.zeros((1, 1, 1))})
            assert found.verdict == "agrees"
        (wrong,) = check_numbers(bar, "lagrange", states[:1], {"C": np.full((1, 1, 1), 1e-6 * (v or 1.0))})
        assert wrong.verdict == "disagrees"


def test_the_coriolis_matrix_of_a_base_that_is_moved_leaves_out_what_is_not_quadratic() -> None:
    """A bar on a turning table: C q' is what of h is quadratic in the rates of its own coordinates."""
    table = mbconcord.read(text="n(3*t) i(2) x(r) z(a) i(1) $2 #bead", format="mbsd")
    at = {"q": [0.2, 0.5], "v": [0.3, 0.7]}
    found = mbconcord.evaluate(table, **at, quantities=["C", "h"])
    still = mbconcord.evaluate(table, q=at["q"], v=[0.0, 0.0], quantities="h")["h"]
    back = mbconcord.evaluate(table, q=at["q"], v=[-0.3, -0.7], quantities="h")["h"]
    assert found["C"] @ at["v"] == pytest.approx((found["h"] + back) / 2 - still, abs=1e-12)
    assert {c.verdict for c in found.witnesses} == {"agrees"}


def test_the_regressor_of_a_pendulum_by_hand() -> None:
    """The frame is at the mass, 2 below the axis: τ = m (4 a + 2 g sin z) + mx g cos z + my (g sin z + 4 a) … ."""
    (row,) = mbconcord.evaluate(pendulum(), q=Q, v=V, a=A, quantities="regressor")["regressor"]
    s, c, a, g = np.sin(0.4), np.cos(0.4), A[0], 9.81
    by_hand = dict.fromkeys(TEN, 0.0) | {
        "m": 4 * a + 2 * g * s, "mx": g * c, "my": -(g * s + 4 * a), "Jzz": a
    }  # fmt: skip
    assert row == pytest.approx(list(by_hand.values()), rel=1e-13)
    assert [x.partition(".")[2] for x in labels(pendulum())] == list(TEN)


@pytest.mark.parametrize("by", ["newton_euler", "lagrange", "konoplev"])
def test_equals_what_compile_evaluate_and_derive_give(by: str) -> None:
    system = read(folder() / "mbsd/double_pendulum.mbsd").system
    n = len(system.coordinates)
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, n))
    names = ("dtau_dq", "da_dq", "da_dtau", "regressor")
    numbers = mbconcord.evaluate(system, q, v, a=a, formalism=by, quantities=names)
    compiled = mbconcord.compile(system, names, by)(q, v, a=a)
    for name in names:
        assert compiled[name] == pytest.approx(numbers[name], rel=1e-12, abs=1e-12)
        assert np.shape(mbconcord.derive(system, by)[name]) == numbers[name].shape


@pytest.mark.parametrize("system", TREES, ids=lambda s: f"{len(s.bodies)} bodies")
def test_the_regressor_is_over_the_symbols_of_the_model(system: System) -> None:
    found = of(system, "regressor")
    assert len(found) == len(system.coordinates) and len(found[0]) == len(inertial_parameters(system))
    assert set(symbols(flatten(found))) <= set(system.names) | {
        f"{c}{dot}" for c in system.coordinate_names for dot in ("'", "''")
    } | {"t"}


def test_factors_solve_what_they_are_of() -> None:
    rows = [[number(x) for x in row] for row in ((4, 2, 0), (2, 5, 1), (0, 1, 3))]
    found = factors(rows, "abc").inverse()
    values = np.array([[evaluate([x], {})[0] for x in row] for row in found])
    assert values @ np.array([[4, 2, 0], [2, 5, 1], [0, 1, 3]]) == pytest.approx(np.eye(3), abs=1e-15)


def test_a_coordinate_without_inertia_has_no_accelerations() -> None:
    with pytest.raises(FormalismError, match=r"coordinates/b.*no body has inertia"):
        factors([[symbol("m"), ZERO], [ZERO, ZERO]], "ab")


REFUSED = {
    "fixtures/mbsd/four_bar.mbsd": ("da_dq", "constraints"),
    "fixtures/elastic/planar_arm.mbs.json": ("regressor", "elastic body"),
}


@pytest.mark.parametrize("file", REFUSED)
def test_what_there_is_not_is_said_with_its_reason(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    quantity, reason = REFUSED[file]
    closed = "elastic" not in file
    by = "newton_euler" if closed else "flexible"
    path = str(folder() / file.removeprefix("fixtures/"))
    for command in ("derive",) if closed else ("derive", "evaluate"):
        assert main([command, path, "--formalism", by, "--quantity", quantity]) == 2
        assert reason in capsys.readouterr().err
    if not closed:  # these solve the accelerations with the constraints
        with pytest.raises(MbconcordError, match=reason):
            mbconcord.compile(path, quantity, by)


def test_accelerations_that_drives_impose_have_no_derivatives() -> None:
    system = pendulum()
    (z,) = system.coordinates
    driven = replace(system, coordinates=(replace(z, drive=Motion(number(1))),))
    with pytest.raises(FormalismError, match=f"coordinates/{z.name}/drive.*imposed by a drive"):
        of(driven, "da_dq")
    assert of(driven, "dtau_dq") == of(system, "dtau_dq")


def test_a_formalism_without_equations_of_motion_has_none() -> None:
    with pytest.raises(FormalismError, match="static_moments does not deliver M, h, applied"):
        of(pendulum(), "dtau_dq", "static_moments")


@pytest.mark.parametrize("call", [mbconcord.evaluate, mbconcord.compile])
def test_names_that_there_are_not_suggest_these(call: Any) -> None:
    with pytest.raises(NumbersError, match=r"did you mean 'dtau_d[qv]'"):
        call(pendulum(), quantities="dtau_du")


def test_the_command_line_shows_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder() / "mbsd/double_pendulum.mbsd")
    asked = ["--formalism", "lagrange", "--quantity", ",".join(DERIVED)]
    assert main(["evaluate", path, *asked]) == 0
    shown = capsys.readouterr().out
    assert [name for name in (*DERIVED, "body2.Jzz") if name not in shown] == []
    assert main(["derive", path, *asked]) == 0
    out = capsys.readouterr().out
    assert "regressor[z2, body2.Jzz] = z1'' + z2''" in out and "da_dtau[z1, z1]" in out
