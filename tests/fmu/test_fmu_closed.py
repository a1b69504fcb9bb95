"""An exported FMU of a machine with constraints: its numbers are those of ``evaluate``, its motion of ``simulate``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api.exporting import fmu

from ..kernels.compiler import STRICT, built, needs_compiler
from .loader import FmuError, LoadedFmu

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
pytestmark = needs_compiler
FIXTURES = Path(__file__).parents[2] / "fixtures"
#: Closed trees (a pin, a slide, a universal joint), a change point, dependent rows, rows of rates, rows that move.
MACHINES = {
    "parallelogram that passes its change point": ("mbsd/four_bar.mbsd", 1.0),
    "slider-crank cut at its slide": ("native/slider_crank.mbs.json", 0.5),
    "universal joint": ("native/universal_joint.mbs.json", 0.5),
    "Bennett's overconstrained linkage": ("overconstrained/bennett.mbs.json", 0.5),
    "sleigh": ("native/chaplygin_sleigh.mbs.json", 0.5),
    "ball on a turntable that spins up": ("native/ball_on_turntable.mbs.json", 0.5),
}


def write(model: object, target: Path, **options: object) -> Path:
    found = mb.export(model, target, formalism="virtual_work", **options)
    assert "are right" in found.witness.message
    return target


def states_of(model: object) -> list[str]:
    names = mb.read(model).system.coordinate_names
    return [f"{group}.{name}" for group in "qv" for name in names]


def find_distance(model: object, q: Mapping[str, float]) -> float:
    """How far these positions are from the constraints."""
    (nearest, *_) = mb.assemble(model, q=q, hold=[])
    return max(abs(nearest.state.q[name] - x) for name, x in q.items())


def off(found: object, expected: object) -> float:
    a, b = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    return float(np.abs(a - b).max() / max(1.0, np.abs(b).max()))


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("version", [2, 3])
def test_it_moves_like_simulate(tmp_path: Path, machine: str, version: int) -> None:
    model, until = FIXTURES / MACHINES[machine][0], MACHINES[machine][1]
    names = states_of(model)
    target = write(model, tmp_path / "closed.fmu", fmi=version)
    run = mb.simulate(model, until, tolerance=1e-12, formalism="newton_euler")
    loaded = LoadedFmu(target, tmp_path, me=False)
    for k in range(5):
        loaded.step(k * until / 5, (k + 1) * until / 5 - k * until / 5)
    ended = [*np.asarray(run.q)[-1], *np.asarray(run.v)[-1]]
    assert off(loaded.get(*names), ended) < 1e-7
    at = mb.evaluate(model, q=run.last, formalism="newton_euler", quantities=["acceleration"])
    again = LoadedFmu(target, tmp_path / "again")
    found = again.slope(until, ended)
    assert found[: len(names) // 2] == ended[len(names) // 2 :]
    assert off(found[len(names) // 2 :], at["acceleration"]) < 1e-9


@pytest.mark.slow
def test_fixed_steps_stay_on_the_constraints(tmp_path: Path) -> None:
    """Half the step leaves an eighth of the error or less: putting the state back costs one order at most."""
    model, errors = FIXTURES / "native/slider_crank.mbs.json", []
    names = states_of(model)
    run = mb.simulate(model, 0.5, tolerance=1e-12)
    for step in (0.02, 0.01):
        target = write(model, tmp_path / f"{step}.fmu", step=step, kind="cs")
        loaded = LoadedFmu(target, tmp_path / str(step), me=False)
        for k in range(10):
            loaded.step(k * 0.05, (k + 1) * 0.05 - k * 0.05)
        errors.append(off(loaded.get(*names), [*np.asarray(run.q)[-1], *np.asarray(run.v)[-1]]))
        half = len(names) // 2
        state = dict(zip((n[2:] for n in names[:half]), loaded.get(*names[:half]), strict=True))
        assert find_distance(model, state) < 1e-13
    assert errors[1] < 2e-6 and errors[0] > 6 * errors[1]


@pytest.mark.slow
def test_an_importer_is_told_when_the_state_has_left_the_constraints(tmp_path: Path) -> None:
    """What it reads after that is on them again."""
    import ctypes as C

    model = FIXTURES / "mbsd/four_bar.mbsd"
    loaded = LoadedFmu(write(model, tmp_path / "x.fmu", fmi=3), tmp_path)
    names = states_of(model)
    start = np.array(loaded.get(*names))
    event, stop = C.c_bool(), C.c_bool()

    def completed(x: np.ndarray) -> bool:
        loaded.slope(0.0, x.tolist())
        loaded.call("CompletedIntegratorStep", C.c_bool(True), C.byref(event), C.byref(stop))
        return event.value

    assert not completed(start)
    moved = start + np.array([1e-4, *[0.0] * (len(start) - 1)])
    assert completed(moved)
    flags, following = [C.c_bool() for _ in range(5)], C.c_double()
    loaded.call("UpdateDiscreteStates", *map(C.byref, flags), C.byref(following))
    assert flags[3].value and not flags[0].value
    back = np.array(loaded.get(*names))
    assert 1e-6 < np.abs(back - start).max() < 1e-3 and not completed(back)
    rates = start + np.array([*[0.0] * (len(start) - 1), 1e-4])
    assert completed(rates)


@pytest.mark.slow
def test_efforts_and_parameters_act_and_those_of_constraints_are_fixed(tmp_path: Path) -> None:
    text = (FIXTURES / "mbsd/four_bar.mbsd").read_text(encoding="utf-8")
    model = mb.read(text=text, format="mbsd")
    target = write(model, tmp_path / "x.fmu")
    loaded = LoadedFmu(target, tmp_path)
    (variables,) = (v for v in loaded.root if v.tag == "ModelVariables")
    kinds = {v.attrib["name"]: v.attrib["variability"] for v in variables}
    assert kinds["parameter.b"] == "fixed"
    names = model.system.coordinate_names
    state = [f"{group}.{name}" for group in "qv" for name in names]
    still = np.array(loaded.slope(0.0, loaded.get(*state)))
    loaded.set({f"effort.{names[0]}": 3.0})
    assert np.abs(np.array(loaded.slope(0.0, loaded.get(*state))) - still).max() > 1e-2
    longer = LoadedFmu(target, tmp_path / "longer", start={"parameter.b": 1.1})
    at = dict(zip(names, longer.get(*state[: len(names)]), strict=True))
    assert find_distance(mb.read(text=text.replace("b = 1", "b = 1.1"), format="mbsd"), at) < 1e-12


@pytest.mark.slow
def test_a_state_far_from_the_start_stays_where_it_is(tmp_path: Path) -> None:
    """Angles of the cut joint are no states: an importer that sets the state cannot set them, too."""
    model = FIXTURES / MACHINES["universal joint"][0]
    path = write(model, tmp_path / "x.fmu")
    first, *_ = names = mb.read(model).system.coordinate_names
    for angle in (2.5, -2.0, 5.5):
        (far, *_) = mb.assemble(model, q={first: angle}, v={first: 1.3}, hold=[first])
        state = [*(far.state.q[x] for x in names), *(far.state.v[x] for x in names)]
        found = LoadedFmu(path, tmp_path / str(angle)).slope(0.0, state)
        at = mb.evaluate(model, q=far.state, formalism="lagrange", quantities=["acceleration"])
        assert off(found[len(names) :], at["acceleration"]) < 1e-9


@pytest.mark.slow
def test_a_start_that_does_not_close_is_an_error(tmp_path: Path) -> None:
    text = (FIXTURES / "mbsd/four_bar.mbsd").read_text(encoding="utf-8")
    text = text.replace("= {a, 0} <", "= {c, 0} <").replace("b = 1", "b = 1, c = 0.5")
    target = write(mb.read(text=text, format="mbsd"), tmp_path / "x.fmu")
    with pytest.raises(FmuError, match="do not close near this start"):
        LoadedFmu(target, tmp_path, start={"parameter.c": 9.0})


#: Changes of the sources of a closed machine: each is one that the test of the built FMU sees.
CHANGES = {
    "a row is forgotten": ("shorten(ROWS, A, b, row", "shorten(ROWS - 1, A, b, row"),
    "rows do not bend": ("b[k] = -rest[k] - dot", "b[k] = -dot"),
    "the sign of what rows demand": ("b[k] = -rest[k] - dot", "b[k] = rest[k] - dot"),
    "one elimination too few": ("A[k * N + i] -= part * row[i];", "A[k * N + i] -= 0 * row[i];"),
    "factor of the mass": ("sum -= M[i * N + k] * M[j * N + k]", "sum += M[i * N + k] * M[j * N + k]"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_the_test_of_the_built_fmu_sees_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: str) -> None:
    old, new = CHANGES[change]
    build = fmu.compile_binary

    def changed(files: Mapping[str, str], name: str) -> tuple[bytes, str]:
        assert files["closed.h"].count(old) == 1
        return build({**files, "closed.h": files["closed.h"].replace(old, new)}, name)

    monkeypatch.setattr(fmu, "compile_binary", changed)
    with pytest.raises(mb.MbconcordError, match="expected"):
        mb.export(FIXTURES / "native/slider_crank.mbs.json", tmp_path / "x.fmu", formalism="virtual_work")
    assert not (tmp_path / "x.fmu").exists()


@pytest.mark.slow
def test_a_start_off_the_constraints_is_said(tmp_path: Path) -> None:
    model = FIXTURES / "native/slider_crank.mbs.json"
    (name, *_) = mb.read(model).system.coordinate_names
    found = mb.export(model, tmp_path / "x.fmu", q={name: 0.9}, formalism="virtual_work")
    assert [d.place for d in found.diagnostics if "moved onto the constraints" in d.message] == ["state"]


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_the_sources_compile_without_a_warning(tmp_path: Path, version: int) -> None:
    write(FIXTURES / "native/slider_crank.mbs.json", tmp_path / "x.fmu", fmi=version)
    LoadedFmu(tmp_path / "x.fmu", tmp_path)
    sources = tmp_path / "sources"
    built(sources, [str(sources / "fmu.c")], "strict.so", *STRICT, "-shared", "-fPIC")


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
@pytest.mark.parametrize("version", [2, 3])
def test_fmpy_validates_and_moves_it_like_simulate(tmp_path: Path, kind: str, version: int) -> None:
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    from fmpy.validation import validate_fmu

    for machine in ("parallelogram that passes its change point", "sleigh"):
        model, until = FIXTURES / MACHINES[machine][0], MACHINES[machine][1]
        path = write(model, tmp_path / "x.fmu", fmi=version)
        assert validate_fmu(str(path)) == []
        names = states_of(model)
        rows = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=until, output_interval=until / 10, relative_tolerance=1e-10,
            output=names,
        )  # fmt: skip
        run = mb.simulate(model, until, tolerance=1e-12)
        ended = [*np.asarray(run.q)[-1], *np.asarray(run.v)[-1]]
        assert off([rows[-1][name] for name in names], ended) < 1e-6
