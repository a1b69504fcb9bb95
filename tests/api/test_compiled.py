"""Compiled equations: the numbers of the derivation at once, as a function that integrators call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.kernels.registry import BACKENDS
from mbconcord.model.diagnostics import FormalismError, NumbersError
from mbconcord.model.mixed import accelerations, coordinates_without_inertia, list_quantities
from mbconcord.validation.judge.states import draw_states

from ..fixture_models import model
from ..kernels.llvm import needs_llvm
from ..work import count_calls

FILES = (
    "mbsd/double_pendulum.mbsd", "mbsd/springs.mbsd", "mbsd/moving_support.mbsd", "mbsd/gimbal.mbsd",
    "native/pushed_gimbal.mbs.json", "konoplev/gyrostat.mbs.json",
)  # fmt: skip
PENDULUM = folder() / "mbsd" / "double_pendulum.mbsd"
STATE = [0.3, 0.7, 0.1, -0.4]


@pytest.mark.parametrize("name", ["lagrange", "newton_euler", "virtual_work"])
@pytest.mark.parametrize("file", FILES)
def test_the_numbers_are_those_of_the_derivation(file: str, name: str) -> None:
    system, states = model(file).system, model(file).states
    by = registry.formalism(name)
    if by.obstacles(system):
        with pytest.raises(FormalismError):
            mb.compile(system, formalism=name)
        return
    wanted = [q for q in list_quantities(system) if q != "acceleration"]
    found = mb.compile(system, [*wanted, "acceleration"], name, physics="ignore")(states)
    size = {q: max(1.0, float(np.abs(found[q]).max())) for q in found}
    expected = by.evaluate(system, states).quantities
    for quantity in found:
        assert np.allclose(found[quantity], expected[quantity], rtol=0, atol=1e-11 * size[quantity]), quantity
    derivation = mb.compile(system, wanted, name, physics="ignore")
    assert [derivation(state)["h"].tolist() for state in states] == found["h"].tolist()


def test_a_thousand_states_are_as_one_after_the_other_and_faster() -> None:
    f = mb.compile(folder() / "robots" / "ur5.mbsd", ("M", "acceleration"), "newton_euler")
    states = np.random.default_rng(1).uniform(-2, 2, (1000, 12))
    f(states[0])  # what is made at the first call
    one, many = [f(x) for x in states[:20]], f(states)
    assert count_calls(lambda: f(states)) < 20 * count_calls(lambda: f(states[0]))
    for name in f.quantities:
        assert np.allclose(many[name][:20], [x[name] for x in one], rtol=1e-12, atol=1e-12)


def test_forward_and_inverse_dynamics_are_inverse() -> None:
    f = mb.compile(PENDULUM, ("acceleration", "inverse_dynamics"))
    states = np.random.default_rng(2).uniform(-1, 1, (50, 4))
    found = f(states)["acceleration"]
    assert np.abs(f(states, a=found)["inverse_dynamics"]).max() < 1e-12


def test_an_integrator_keeps_the_energy() -> None:
    """y' = f(t, y), as solve_ivp of SciPy calls it: y holds positions, then rates."""
    f = mb.compile(PENDULUM, "acceleration")
    energy = mb.compile(PENDULUM, ("T", "Π"), "lagrange")

    def rate(t: float, y: Any) -> Any:
        return np.concatenate([y[2:], f(y, t=t)["acceleration"]])

    y, h = np.array([0.5, 0.3, 0.0, 0.0]), 0.01
    whole = []
    for i in range(25):
        now = energy(y)
        whole.append(float(now["T"] + now["Π"]))
        k1 = rate(i * h, y)
        k2 = rate(i * h + h / 2, y + h / 2 * k1)
        k3 = rate(i * h + h / 2, y + h / 2 * k2)
        k4 = rate(i * h + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert np.abs(y - [0.5, 0.3, 0, 0]).max() > 0.1
    assert max(whole) - min(whole) < 1e-5


NAMED = mb.Mechanism("named").parameters(a=2, m=None, g=9.81).gravity(y="-g")
NAMED.body("bob", mass="m").turns("q", about="z").shift(x="a")


def test_parameters_are_set_by_each_call() -> None:
    f = mb.compile(NAMED, "M")
    assert f.parameters == ("a", "m", "g")
    assert f([0.0], m=3.0)["M"].item() == 12.0
    assert f([0.0], [0.0], m=3.0, parameters={"a": 1.0})["M"].item() == 3.0
    assert f(np.zeros((3, 1)), parameters={"m": [1.0, 2.0, 3.0]})["M"].ravel().tolist() == [4.0, 8.0, 12.0]
    assert f({"q": 0.0, "m": 5.0})["M"].item() == 20.0
    for call, words in (
        (lambda: f([0.0]), "parameters/m: error: has no value .*m=1"),
        (lambda: f([0.0], k=1.0), "parameters/k: error: the model has no such parameter"),
        (lambda: f([0.0], m=1.0, a=3.0), "the parameter a is set by parameters=.'a'"),
        (lambda: f([0.0], m=float("nan")), "nan is not a finite number"),
        (lambda: f([0.0], m=[1.0, 2.0], parameters={"a": [1.0, 2.0, 3.0]}), "at the same states"),
    ):
        with pytest.raises(NumbersError, match=words):
            call()


def test_formulas_of_parameters_follow_those_that_are_set() -> None:
    f = mb.compile(mb.read(text="z i(b) $(m) ; b = 2, m = 2 b", format="mbsd"), "M")
    assert f()["M"].item() == 16.0
    assert f(b=3.0)["M"].item() == 54.0
    assert f(parameters={"b": [1.0, 3.0]})["M"].ravel().tolist() == [2.0, 54.0]


def test_what_is_missing_is_taken_from_the_model() -> None:
    f = mb.compile(PENDULUM, "h")
    table = f().to_frame()
    assert table["z1"][0] == table["z2"][0] == pytest.approx(np.pi / 6) and table["z1'"][0] == 0
    assert f({"z1": [0.1, 0.2]}).to_frame()["z2"].tolist() == pytest.approx([np.pi / 6] * 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"quantities": "MM"}, "did you mean 'M'.*acceleration"),
        ({"quantities": ()}, "none is asked for.*M, h"),
        ({"backend": "jax"}, "there is no backend 'jax'.*numpy"),
        ({"formalism": "lagrnge"}, "did you mean 'lagrange'"),
        ({"formalism": "static_moments"}, "static_moments does not deliver it here"),
        ({"parameters": {"m7": 1}}, "no such parameter"),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(mb.MbconcordError, match=words):
        mb.compile(PENDULUM, **arguments)


@pytest.mark.parametrize("name", [pytest.param("llvm", marks=needs_llvm), *(n for n in BACKENDS if n != "llvm")])
def test_backends_that_there_are_run(name: str) -> None:
    f = mb.compile(PENDULUM, "M", backend=name)
    assert f.backend == name and np.allclose(f()["M"], mb.evaluate(PENDULUM)["M"], rtol=1e-14)


def test_of_a_closed_model_the_accelerations_are_those_of_evaluate() -> None:
    crank = folder() / "native" / "slider_crank.mbs.json"
    found, expected = mb.compile(crank, ("M", "h", "D", "γ̃", "acceleration"))(), mb.evaluate(crank)
    for name in ("M", "h", "D", "acceleration"):
        assert np.allclose(found[name], expected[name], rtol=0, atol=1e-12), name
    assert np.allclose(found["D"] @ expected["acceleration"], -found["γ̃"], rtol=0, atol=1e-12)


def test_a_function_without_formula_has_no_numbers() -> None:
    with pytest.raises(NumbersError, match=r"functions/lift.*no formula"):
        mb.compile(mb.read(text="j(lift(t)) z i2 $1 g", format="mbsd"), "h")


# --- accelerations -----------------------------------------------------------------------------------------


def test_without_inertia_accelerations_are_no_numbers_and_it_is_said() -> None:
    mechanism = mb.Mechanism("rod").gravity(y=-9.81).body("a", mass=3).turns("q1", "z").shift(x=2)
    mechanism.body("b", on="a").turns("q2", "z")
    found = mb.compile(mechanism, "acceleration")(np.zeros((4, 2)))
    assert np.isnan(found["acceleration"]).all()
    assert [d.place for d in found.diagnostics] == ["coordinates/q2"]


def test_solved_at_once_they_are_those_solved_one_by_one() -> None:
    """Of regular matrices, of nearly singular ones, of singular ones, of ones without numbers."""
    system = mb.read(PENDULUM).system
    random = np.random.default_rng(3)
    roots = random.standard_normal((60, 2, 2))
    mass = roots @ roots.transpose(0, 2, 1)
    mass[10:20, 1] = mass[10:20, :, 1] = 0.0
    for i, gap in enumerate(10.0 ** -np.arange(10, 20)):
        mass[20 + i] = [[1, 1], [1, 1 + gap]]
    mass[30, 0, 0] = np.nan
    mass[31] *= 1e-200
    mass[32] = [[1.0, 0.0], [0.0, 1e-15]]  # so little beside the other that no body has it
    rhs = random.standard_normal((60, 2))
    found, findings = accelerations(mass, rhs, None, system)
    for m, b, a in zip(mass, rhs, found, strict=True):
        if coordinates_without_inertia(m, system.coordinate_names):
            assert np.isnan(a).all()
        else:
            scale = 1 / np.sqrt(np.diag(m))
            assert np.array_equal(a, scale * np.linalg.solve(m * np.outer(scale, scale), scale * b))
    assert np.isnan(found[10:20]).all() and np.isnan(found[[30, 32]]).all() and np.isfinite(found[:10]).all()
    assert {d.message.partition(":")[0] for d in findings} == {
        "the mass matrix is singular", "the mass matrix is singular to rounding",
        "the mass matrix has no numbers along z1",
    }  # fmt: skip


def test_drawn_states_of_a_check_are_states_here() -> None:
    system = mb.read(PENDULUM).system
    states = draw_states(system, 4, 0)
    assert np.array_equal(mb.compile(system, "M")(states)["M"], mb.evaluate(system, states)["M"])


def test_only_what_is_asked_for_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inverse dynamics alone is a matter of one pass outward and one inward."""
    by: Any = type(registry.formalism("newton_euler"))
    expected = mb.compile(PENDULUM, ("h", "inverse_dynamics"), "newton_euler")(STATE)["inverse_dynamics"]
    monkeypatch.setattr(by, "derive", lambda *_: pytest.fail("all quantities were derived"))
    found = mb.compile(PENDULUM, "inverse_dynamics", "newton_euler")(STATE)
    assert np.array_equal(found["inverse_dynamics"], expected)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("llvm", marks=needs_llvm)])
@pytest.mark.parametrize("name", ["M_lower", "M_nonzero", "dtau_dv_nonzero", "da_dtau_lower", "regressor_nonzero"])
def test_entries_that_are_not_zero_are_those_of_another_formalism(name, backend):
    arm, base = mb.read(folder() / "robots" / "ur5.mbsd").system, name.rpartition("_")[0]
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 4, 6))
    f = mb.compile(arm, name, "newton_euler", backend)
    found = f(q, v, a=a)
    known = mb.evaluate(arm, q, v, a=a, formalism="lagrange", quantities=base, witness=False)[base]
    rows, columns = f.places[name]
    whole = np.zeros_like(known)
    whole[:, rows, columns] = found[name]
    if name.endswith("_lower"):
        assert (rows >= columns).all()
        whole[:, columns, rows] = found[name]
    assert np.abs(whole - known).max() < 1e-12 * np.abs(known).max()
    labels = [label.split(", ") for label in found.indices[name][0]]
    assert [row for row, *_ in labels] == [f.coordinates[i] for i in rows]
    if base != "regressor":
        assert [column for _, column in labels] == [f.coordinates[k] for k in columns]
    assert len({tuple(label) for label in labels}) == len(rows)
    assert len(found.indices[name][0]) == len(rows) < known[0].size


def test_entries_that_cannot_be_listed_are_refused():
    with pytest.raises(NumbersError, match="solved with constraints as a whole"):
        mb.compile(folder() / "mbsd/four_bar.mbsd", "da_dq_nonzero")
    with pytest.raises(NumbersError, match="does not deliver"):
        mb.compile(folder() / "robots" / "ur5.mbsd", "dtau_dq_lower")
