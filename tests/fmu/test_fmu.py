"""An exported FMU called as an importer calls it: its numbers are those of ``evaluate``, its motion of ``simulate``."""

from __future__ import annotations

import ctypes as C
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.model import State

from ..kernels.compiler import built, needs_compiler
from .loader import FmuError, LoadedFmu, declared, exported

pytestmark = needs_compiler
#: Turning and sliding, with weights and parameters.
MODELS = {"double": "zi > zig", "mixed": "x(slide) $(m) g9.81-y > z(turn) i(L) $2 j(0.3) ; m=3, L=1.5"}


@pytest.fixture(scope="module", params=[(m, v) for m in MODELS for v in (2, 3)], ids=str)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[object, Path]]:
    name, version = request.param
    model, target = mb.read(text=MODELS[name], format="mbsd"), tmp_path_factory.mktemp("fmu") / "made.fmu"
    written = mb.export(model, target, fmi=version, formalism="newton_euler")
    assert written.files == (target,) and "are right" in written.witness.message
    yield model, target


def load(made: tuple[object, Path], folder: Path, **options: object) -> LoadedFmu:
    return LoadedFmu(made[1], folder, **options)  # type: ignore[arg-type]


def state(names: tuple[str, ...], seed: int) -> tuple[dict[str, float], dict[str, float]]:
    dice = np.random.default_rng(seed)
    q, v = dice.uniform(-3, 3, (2, len(names)))
    return dict(zip(names, map(float, q), strict=True)), dict(zip(names, map(float, v), strict=True))


def near(found: object, expected: object) -> bool:
    a, b = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    return bool(np.abs(a - b).max() <= 1e-14 * max(1.0, float(np.abs(b).max())))


@pytest.mark.slow
def test_numbers_are_those_of_evaluate(made: tuple[object, Path], tmp_path: Path) -> None:
    model, fmu = made[0], load(made, tmp_path)
    names = model.system.coordinate_names
    for seed in range(4):
        q, v = state(names, seed)
        at = mb.evaluate(
            model, q=q, v=v, formalism="newton_euler",
            quantities=["acceleration", "kinetic_energy", "potential_energy", "da_dq", "da_dv", "da_dtau"],
        )  # fmt: skip
        slope = fmu.slope(0.0, [*q.values(), *v.values()])
        assert slope[: len(names)] == [*v.values()]
        assert near(slope[len(names) :], at["acceleration"])
        assert near(fmu.get(*(f"der(v.{c})" for c in names)), at["acceleration"])
        energies = [float(at["kinetic_energy"]), float(at["potential_energy"])]
        assert near(fmu.get("energy.kinetic", "energy.potential"), energies)
        rows = [f"der(v.{c})" for c in names]
        for group, matrix in (("q", "da_dq"), ("v", "da_dv"), ("effort", "da_dtau")):
            columns = [fmu.change(rows, [f"{group}.{c}"], [1.0]) for c in names]
            assert near(np.transpose(columns), at[matrix])


@pytest.mark.slow
def test_efforts_push_and_parameters_are_tuned(made: tuple[object, Path], tmp_path: Path) -> None:
    model, fmu = made[0], load(made, tmp_path)
    names, system = model.system.coordinate_names, model.system
    q, v = state(names, 7)
    tuned = {p.name: 1.25 for p in system.parameters if p.value is not None and p.value.constant}
    at = mb.evaluate(
        model, q=q, v=v, parameters=tuned, formalism="newton_euler", quantities=["acceleration", "da_dtau"]
    )
    push = np.arange(1.0, 1.0 + len(names))
    fmu.set({f"parameter.{name}": x for name, x in tuned.items()})
    fmu.set(dict(zip((f"effort.{c}" for c in names), map(float, push), strict=True)))
    found = fmu.slope(0.0, [*q.values(), *v.values()])[len(names) :]
    assert near(found, np.asarray(at["acceleration"]) + np.asarray(at["da_dtau"]) @ push)


@pytest.mark.slow
def test_co_simulation_moves_like_simulate(made: tuple[object, Path], tmp_path: Path) -> None:
    model = made[0]
    names = model.system.coordinate_names
    q, v = state(names, 3)
    start = {f"q.{c}": x for c, x in q.items()} | {f"v.{c}": x for c, x in v.items()}
    fmu = load(made, tmp_path, start=start, me=False)
    for k in range(5):
        fmu.step(0.2 * k, 0.2 * (k + 1) - 0.2 * k)
        if k == 1:
            kept, there = fmu.save(), fmu.get(*start)
    ended = fmu.get(*start)
    run = mb.simulate(model, 1.0, q=q, v=v, tolerance=1e-12, formalism="newton_euler")
    expected = [*np.asarray(run.q)[-1], *np.asarray(run.v)[-1]]
    assert np.abs(np.array(ended) - expected).max() < 1e-8
    fmu.restore(kept)
    assert fmu.get(*start) == there


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_fixed_steps_are_of_the_fourth_order(tmp_path: Path, version: int) -> None:
    """Half the step leaves a sixteenth of the error; a step of the importer that is no multiple is divided evenly."""
    model, off = mb.read(text=MODELS["mixed"], format="mbsd"), []
    names = model.system.coordinate_names
    q, v = state(names, 3)
    run = mb.simulate(model, 1.0, q=q, v=v, tolerance=1e-12, formalism="newton_euler")
    expected = np.array([*np.asarray(run.q)[-1], *np.asarray(run.v)[-1]])
    for step in (0.02, 0.01):
        target = tmp_path / f"{step}.fmu"
        mb.export(
            model, target, fmi=version, step=step, q=State(q=q, v=v), kind="cs", inputs=[names[1]],
            formalism="newton_euler", witness=False,
        )  # fmt: skip
        for h, n in ((0.2, 5), (1.0, 1), (step, round(1 / step)), (0.125, 8)):
            fmu = LoadedFmu(target, tmp_path / f"{step} {h}", me=False)
            for k in range(n):
                fmu.step(k * h, (k + 1) * h - k * h)
            found = np.array(fmu.get(*(f"{group}.{c}" for group in "qv" for c in names)))
            off.append(float(np.abs(found - expected).max()))
    assert 8 < off[0] / off[4] < 32 and off[4] < 1e-6
    assert np.allclose(off[:3], off[0], rtol=1e-3) and np.allclose(off[4:7], off[4], rtol=1e-2)
    assert off[3] <= off[0] and off[7] <= off[4]
    with pytest.raises(FmuError, match="no step leads on"):
        fmu.step(1.0, 1e9)


@pytest.mark.slow
def test_efforts_along_chosen_coordinates_alone(made: tuple[object, Path], tmp_path: Path) -> None:
    model = made[0]
    names = model.system.coordinate_names
    mb.export(model, tmp_path / "x.fmu", inputs=[names[1]], formalism="newton_euler")
    fmu = LoadedFmu(tmp_path / "x.fmu", tmp_path)
    assert [name for name in fmu.references if name.startswith("effort")] == [f"effort.{names[1]}"]
    q, v = state(names, 5)
    at = mb.evaluate(model, q=q, v=v, formalism="newton_euler", quantities=["acceleration", "da_dtau"])
    fmu.set({f"effort.{names[1]}": 2.0})
    found = fmu.slope(0.0, [*q.values(), *v.values()])[len(names) :]
    assert near(found, np.asarray(at["acceleration"]) + 2.0 * np.asarray(at["da_dtau"])[:, 1])
    rows = [f"der(v.{c})" for c in names]
    assert near(fmu.change(rows, [f"effort.{names[1]}"], [1.0]), np.asarray(at["da_dtau"])[:, 1])


def test_calls_that_are_wrong_are_answered(made: tuple[object, Path], tmp_path: Path) -> None:
    fmu = load(made, tmp_path)
    first = next(name for name in fmu.references if name.startswith("effort"))
    with pytest.raises(FmuError, match="no finite number"):
        fmu.set({first: float("nan")})
    fmu.references["nothing"] = 10_000
    with pytest.raises(FmuError, match="no variable with this value reference"):
        fmu.get("nothing")
    with pytest.raises(FmuError, match="no variable to set"):
        fmu.set({"energy.kinetic": 1.0})
    with pytest.raises(FmuError, match="another number of states"):
        fmu.slope(0.0, [0.0])
    with pytest.raises(FmuError, match="no such derivative"):
        fmu.change(["energy.kinetic"], ["time"], [1.0])
    with pytest.raises(FmuError, match="no accelerations"):
        fmu.slope(0.0, [float("inf")] * 4)
    with pytest.raises(FmuError, match="does not go forward"):
        fmu.step(0.0, -1.0)
    assert not fmu.instantiate("{another}")
    assert "is another" in fmu.said[-1]


def test_it_exports_the_functions_of_the_standard_and_nothing_else(made: tuple[object, Path], tmp_path: Path) -> None:
    """Checked by the headers of the standard that FMPy has: the compiler compares every declaration."""
    if shutil.which("nm") is None:
        pytest.skip("there is no nm on this machine")
    headers = Path(pytest.importorskip("fmpy", reason="FMPy, which has the headers, is not installed").__file__).parent
    fmu = load(made, tmp_path)
    sources = tmp_path / "sources"
    official = ("-DFMI_HEADERS", f"-I{headers / 'c-code'}", "-shared", "-fPIC", "-fvisibility=hidden")
    library = built(sources, [str(sources / "fmu.c")], "made.so", *official)
    header = f"fmi{fmu.version}Functions.h"
    assert exported(library) == declared(headers / "c-code" / header)
    (own,) = (tmp_path / "binaries").rglob("*.*")
    assert exported(own) == exported(library)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_fmpy_validates_and_moves_it_like_simulate(made: tuple[object, Path], kind: str) -> None:
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    from fmpy.validation import validate_fmu

    model, path = made
    assert validate_fmu(str(path)) == []
    names = model.system.coordinate_names
    q, v = state(names, 3)
    start = {f"q.{c}": x for c, x in q.items()} | {f"v.{c}": x for c, x in v.items()}
    rows = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=1.0, output_interval=0.5, relative_tolerance=1e-10, start_values=start
    )
    run = mb.simulate(model, 1.0, q=q, v=v, tolerance=1e-12, formalism="newton_euler")
    expected = [*np.asarray(run.q)[-1], *np.asarray(run.v)[-1]]
    assert np.abs(np.array([rows[-1][name] for name in start]) - expected).max() < 1e-6


def test_serialized_states_are_whole(made: tuple[object, Path], tmp_path: Path) -> None:
    fmu = load(made, tmp_path)
    n = len(made[0].system.coordinate_names)
    before = fmu.slope(0.25, [0.1 * (k + 1) for k in range(2 * n)])
    kept, size = fmu.save(), C.c_size_t()
    end = "State" if fmu.version == 3 else "state"
    fmu.call(f"SerializedFMU{end}Size", kept, C.byref(size))
    data = (C.c_char * size.value)()
    fmu.call(f"SerializeFMU{end}", kept, data, size)
    back = C.c_void_p()
    name = "DeserializeFMUState" if fmu.version == 3 else "DeSerializeFMUstate"
    fmu.call(name, data, size, C.byref(back))
    fmu.call("Reset")
    fmu.restore(back)
    states = (C.c_double * (2 * n))()
    fmu.call("GetContinuousStates", states, C.c_size_t(2 * n))
    assert fmu.slope(0.25, [*states]) == before
    with pytest.raises(FmuError, match="no state of this FMU"):
        fmu.call(name, data, C.c_size_t(3), C.byref(back))
