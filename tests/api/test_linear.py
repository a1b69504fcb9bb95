"""equilibrium and linearize as functions: arrays, tables, files, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api.tables import read_table
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import NumbersError, WriteError

PENDULUM = mb.read(text="z(a)°20 -j1 $1 [0,0,0] > z(b) -j1 $1 [0,0,0] g9.81-y", format="mbsd")
CRANK = folder() / "native" / "slider_crank.mbs.json"


@pytest.fixture(scope="module")
def near() -> mb.results.Linearization:
    return mb.linearize(PENDULUM, mb.equilibrium(PENDULUM).state, inputs=["a"])


def test_frequencies_and_tables(near: mb.results.Linearization) -> None:
    assert near.frequencies**2 / 9.81 == pytest.approx([2 - 2**0.5, 2 + 2**0.5])
    assert near.damping_ratios.tolist() == [0, 0] and near.verdict == "agrees"
    table = near.to_frame()
    columns = ["mode", "kind", "real", "imag", "rad/s", "Hz", "damping ratio", "e-folding time", "a", "b"]
    assert list(table.columns) == columns
    assert table["b"].tolist() == pytest.approx([2**0.5 - 1, 1.0])
    A = near.matrix("A")
    assert list(A.index) == list(A.columns) == ["a", "b", "a'", "b'"] == list(near.states)
    assert near.matrix("B_x").loc["a'"].tolist() == pytest.approx([1.0])
    assert near.matrix("K").loc["a", "b"] == pytest.approx(9.81)
    for name, x in near.arrays().items():
        assert near.matrix(name).to_numpy().shape == x.shape
    with pytest.raises(NumbersError, match=r"no 'N'.*known: M, C, K"):
        near.matrix("N")


def test_they_show_themselves(near: mb.results.Linearization) -> None:
    assert repr(near) == "<Linearization of mbsd by lagrange: 2 degrees of freedom, in equilibrium, stable, agrees>"
    assert near._repr_html_().count("<tr>") == 3
    found = mb.equilibrium(PENDULUM)
    assert repr(found) == "<Equilibrium of mbsd by lagrange: stable, agrees>"
    assert found._repr_html_().count("<tr>") == 3 and found.to_frame()["moved"][0] == pytest.approx(-np.pi / 9)
    assert found.stiffness_frame().loc["a", "a"] == pytest.approx(3 * 9.81)


def test_complex_shapes_have_columns_of_their_own() -> None:
    damped = mb.Mechanism("damped").body("m", mass=1, inertia=(0, 0, 0)).slides("x", along="x")
    damped = damped.body("n", on="m", mass=1, inertia=(0, 0, 0)).slides("y", along="x")
    damped = damped.effort("f", "x", "-4*x - 0.5*x'").effort("g", "y", "-9*y")
    table = mb.linearize(damped).to_frame()
    assert {"x imag", "y imag"} <= set(table.columns) and (table["damping ratio"] > 0).all()


def test_energies_of_modes_are_shared_by_masses_and_growth_has_its_time(near: mb.results.Linearization) -> None:
    """Links of 1 m with 1 kg each: x = (1, ±√2 - 1), energies 1 and (1 + x_b)² = 2 of 2 + … by hand."""
    along, bodies = near.shares
    (first, second), (upper, lower) = near.modes, bodies.values()
    for k, b in enumerate((2**0.5 - 1, -(2**0.5) - 1)):
        energies = np.array([1.0, (2 + b) ** 2])
        assert [upper[k], lower[k]] == pytest.approx((energies / energies.sum()).tolist())
        parts = np.array([5 + 2 * b, b * (2 + b)])
        assert along[k].tolist() == pytest.approx((parts / parts.sum()).tolist())
    assert np.isnan(first.time) and np.isnan(second.time)
    damped = mb.linearize(mb.read(text="u(x)\"(-4*x-0.5*x') $1", format="mbsd"))
    assert damped.modes[0].time == pytest.approx(4.0) and damped.to_json()["modes"][0]["e-folding time"] == 4.0


def test_shares_of_elastic_bodies_in_a_closed_chain_have_their_witness() -> None:
    found = mb.linearize(folder() / "elastic/slider_crank.mbs.json", t=0.0)
    _, bodies = found.shares
    assert np.sum([*bodies.values()], axis=0) == pytest.approx(np.ones(len(found.modes)))
    quantities = {c.quantity.partition(": ")[2] for c in found.comparisons if c.verdict == "agrees"}
    assert {"shares of bodies", "shares of coordinates", "shares of bodies in sum"} <= quantities


@pytest.mark.slow
def test_a_mode_in_motion_stays_closed() -> None:
    """Columns t and the coordinates over a period; the loop closes at each row."""
    rest = mb.equilibrium(CRANK).state
    near = mb.linearize(CRANK, rest, witness=False)
    table = near.mode_motion(1, amplitude=0.2, rows=9)
    assert list(table.columns) == ["t", *near.coordinates] and len(table) == 9
    for _, row in table.iterrows():
        (closed,) = mb.assemble(CRANK, {name: row[name] for name in near.coordinates})
        assert closed.placed.distance < 1e-10
    far = table.iloc[0]["piston"] - rest.q["piston"]
    assert abs(far) == pytest.approx(0.2 * abs(near.modes[0].shape[2]), rel=0.3)
    with pytest.raises(NumbersError, match=r"no mode 3.*2 modes"):
        near.mode_motion(3)


def test_motion_of_an_oscillating_mode(near: mb.results.Linearization) -> None:
    table = near.mode_motion(2, amplitude=0.5, rows=5, periods=2)
    assert table["t"].iloc[-1] == pytest.approx(4 * np.pi / near.frequencies[1])
    assert table["b"].tolist() == pytest.approx([0.5, -0.5, 0.5, -0.5, 0.5], abs=1e-9)
    assert near.mode_motion(2, rows=3)["b"].tolist() == pytest.approx([0.1, -0.1, 0.1], abs=1e-9)


@pytest.mark.parametrize("suffix", [".json", ".npz", ".csv", ".parquet"])
def test_files(near: mb.results.Linearization, suffix: str, tmp_path: Path) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow, of the extra [data], is not installed")
    path = near.save(tmp_path / f"out{suffix}")
    if suffix == ".json":
        data = json.loads(path.read_text("utf-8"))
        assert np.array_equal(data["matrices"]["A"], near.A) and data["verdict"] == "agrees"
        assert data["modes"][0]["Hz"] == near.modes[0].hertz and data["inputs"] == {"a": "N m"}
    elif suffix == ".npz":
        with np.load(path) as data:
            assert np.array_equal(data["A"], near.A) and data["states"].tolist() == list(near.states)
            assert np.array_equal(data["modes"][1], near.modes[1].shape)
            assert set(data) >= {"M", "C", "K", "B", "B_x", "damping", "gyroscopic", "stiffness", "circulatory"}
    else:
        assert read_table(path)["rad/s"].tolist() == near.frequencies.tolist()
    with pytest.raises(WriteError, match=r"'\.xls'.*known: \.json, \.npz"):
        near.save(tmp_path / "out.xls")


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_an_equilibrium_is_written(suffix: str, tmp_path: Path) -> None:
    found = mb.equilibrium(PENDULUM)
    path = found.save(tmp_path / f"rest{suffix}")
    if suffix == ".json":
        assert mb.State.from_json(json.loads(path.read_text("utf-8"))) == found.state
    else:
        assert read_table(path)["position"].tolist() == list(found.state.q.values())
    with pytest.raises(WriteError, match=r"known: \.json, \.csv"):
        found.save(tmp_path / "rest.npz")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"hold": ["c"]}, "hold: error: no such coordinate 'c'"),
        ({"independent": ["a", "a"]}, "a is named twice"),
        ({"independent": ["a"]}, "2 coordinates are independent"),
        ({"inputs": ["c"]}, "no coordinate, no force and no parameter 'c'"),
        ({"formalism": "lagrnge"}, "did you mean 'lagrange'"),
        ({"formalism": "static_moments"}, "does not deliver M, h, applied"),
        ({"q": [[0.1, 0], [0.2, 0]]}, "2 states were given"),
        ({"q": {"c": 0.1}}, "q/c: error"),
        ({"t": float("nan")}, "nan|not a finite"),
        ({"parameters": {"m": 1}}, "no such parameter"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(mb.MbconcordError, match=words):
        mb.linearize(PENDULUM, **arguments)


def test_what_is_told_of_an_equilibrium() -> None:
    upright = mb.equilibrium(PENDULUM, {"a": 3.0, "b": 0.1})
    assert upright.stability == "unstable" and upright.verdict == "agrees"
    assert len(upright.unstable) == 2  # both directions, of the same names
    assert sum("forces drive away along a, b" in d.message for d in upright.diagnostics) == 1
    cart = mb.read(text="u(x) $1 > z(a)°20 -j1 $1 [0,0,0] g9.81-y", format="mbsd")
    found = mb.equilibrium(cart, witness=False)
    assert found.comparisons == () and found.verdict == "not checked"
    assert any("no force draws back along x" in d.message for d in found.diagnostics)


def test_beyond_ten_coordinates_the_quickest_formalism_is_printed_and_another_is_its_witness() -> None:
    def chain(n: int) -> Any:
        text = " > ".join(f"z(a{k}) -j1 $1 [0,0,0]" for k in range(n))
        return mb.read(text=f"{text} g9.81-y", format="mbsd")

    assert mb.linearize(chain(10), witness=False).formalism == "lagrange"
    found, other = (mb.linearize(chain(11), formalism=by, witness=not by) for by in (None, "lagrange"))
    assert found.formalism == "newton_euler" and found.verdict == "agrees"
    assert {c.b for c in found.comparisons} >= {"lagrange", "50 digits"}
    assert found.frequencies == pytest.approx(other.frequencies, rel=1e-10)
