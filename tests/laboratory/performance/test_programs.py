"""Other programs beside ours: what is not there is told, what is there is asked at the same states."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from laboratory.bench.kernels import Case
from laboratory.bench.peers import MOTION, Other, PeerTiming, _programs, programs, rows_of
from laboratory.bench.peers import programs as building
from laboratory.bench.peers.mechanisms import ALONG, Mechanism
from laboratory.bench.peers.programs import AbsentError, build_library, compiler, version
from laboratory.machines import four_bars
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import Body, Coordinate, Gravity, Inertia, System, rotation, translation
from mbconcord.model.numbers import parameter_values

from ...kernels.compiler import needs_compiler
from ...kernels.llvm import needs_llvm

UR5 = Case("UR5", read(folder("robots") / "ur5.mbsd").system, "inverse_dynamics")


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(building, "places", lambda: [tmp_path])
    found, absent = _programs(tmp_path)
    assert not found and absent == dict.fromkeys(programs.PROGRAMS, "not installed")
    measured = PeerTiming(
        "UR5", "M", 6, 0.1, 0.1, 1, 1, 2.0, 3.0, 1.0, 9.0, {"MuJoCo (C)": Other(note="not installed")}
    )
    told = [row for row in rows_of(measured) if "MuJoCo" in row.claim]
    assert [(row.note, row.is_met) for row in told] == [("not installed", None)]


def test_a_folder_of_packages_may_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    about = tmp_path / "casadi-9.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: casadi\nVersion: 9.9\n")
    monkeypatch.setenv(building.VARIABLE, str(tmp_path))
    assert version("casadi") == "9.9"


def test_without_a_compiler_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(AbsentError, match=r"no compiler of C\+\+ is installed"):
        compiler(".cpp")


@needs_compiler
def test_what_does_not_compile_is_told(tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int f(void) { return nothing; }\n")
    with pytest.raises(AbsentError, match=r"does not compile: .*nothing"):
        build_library([source], tmp_path)


EQUATIONS = """
int equations(const double **arg, double **res, long long *iw, double *w, int mem) {
  for (int i = 0; i < 6; ++i) res[0][i] = arg[0][i] + 10 * arg[1][i] + 100 * arg[2][i];
  return 0;
}
int equations_work(long long *arg, long long *res, long long *iw, long long *w) {
  *arg = 3; *res = 1; *iw = 0; *w = 0;
  return 0;
}
"""


@needs_compiler
def test_equations_in_c_are_asked_row_by_row(tmp_path: Path) -> None:
    (tmp_path / "equations.c").write_text(EQUATIONS)
    library = build_library([tmp_path / "equations.c", building.SOURCES / "casadi.c"], tmp_path)
    states = [*UR5.states(count=5).values()]
    out = np.empty((5, 6))
    programs._over_rows(library.run, 6, 6)(states, out)
    assert np.allclose(out, states[0] + 10 * states[1] + 100 * states[2], rtol=1e-14)


def test_poses_at_rest_are_those_of_the_transformations() -> None:
    shift, turn = translation("y", 2), rotation((0, 0.6, 0.8), 0.3)  # type: ignore[arg-type]
    assert programs._pose(shift)[:3, 3].tolist() == [0, 2, 0]
    R = programs._pose(turn)[:3, :3]
    assert np.allclose(R @ R.T, np.eye(3), atol=1e-15) and math.isclose(np.linalg.det(R), 1)
    assert np.allclose(R @ [0, 0.6, 0.8], [0, 0.6, 0.8]) and math.isclose(np.trace(R), 1 + 2 * math.cos(0.3))
    assert math.isclose(R[2, 1] - R[1, 2], 0, abs_tol=1e-15) and R[1, 0] > 0  # right-handed


@pytest.mark.parametrize(
    "joint",
    [(rotation((0, 0.6, 0.8), "x"),), (translation("y", 1), translation((0, 0.6, 0.8), "x"))],  # type: ignore[arg-type]
)
def test_joints_that_are_not_handed_over_are_refused(joint: Any) -> None:
    class Nothing:
        def robot(self, _: Any) -> int:
            return 1

    system = System(
        "one", (Coordinate("x"),), bodies=(Body("b", None, joint, Inertia(1)),), gravity=Gravity(9.81, (0, 0, -1))
    )  # type: ignore[arg-type]
    with pytest.raises(AbsentError, match="not handed over"):
        programs._bodies(Nothing(), system)  # type: ignore[arg-type]


@pytest.mark.parametrize("file", ["overconstrained/bennett.mbs.json", "mbsd/four_bar.mbsd"])
def test_points_on_the_axis_of_a_cut_joint_coincide_where_it_is_closed(file: str) -> None:
    system = read(folder() / file).system
    (row,), known = system.constraints, parameter_values(system)
    pairs = list(programs._points(row, file.endswith("mbsd"), known))
    assert len(pairs) == (1 if file.endswith("mbsd") else 2)
    for ends in pairs:
        at = []
        for body, point in ends:
            pose = np.eye(4)[:3] if body is None else mb.evaluate(system, quantities=f"pose({body})")[f"pose({body})"]
            at.append(pose[:3, :3] @ point + pose[:3, 3])
        assert np.allclose(*at, atol=1e-12)


@needs_llvm
def test_states_of_a_machine_and_the_directions_are_those_of_its_motion() -> None:
    case = Mechanism("four-bar", four_bars(1), ALONG)
    found = case.states(count=50)
    numbers = case.made(found["q"], found["v"], dq=found["dq"], dv=found["dv"])
    assert not [d for d in numbers.diagnostics if d.severity != "note"]
    assert np.allclose(numbers["acceleration"], found["dv"], rtol=1e-9) and [*found] == ["q", "v", "dq", "dv"]
    assert case.sure == 3 and len(case.outputs) == 6 and case.entries is None


def test_entries_of_a_triangle_and_of_a_regressor_have_their_places() -> None:
    lower = Mechanism("UR5", UR5.system, "M_lower")
    assert lower.entries is not None and all(i // 6 >= i % 6 for i in lower.entries)
    wide = Mechanism("UR5", UR5.system, "regressor_nonzero").entries
    assert wide is not None and len(wide) == len({*wide}) and max(wide) < 6 * 60
    assert 60 * 5 + 50 + 9 in wide and 5 not in wide  # Jzz of the last link moves it, Jxy of the first does not


@pytest.mark.slow
@needs_llvm
@needs_compiler
@pytest.mark.parametrize("name", ["MuJoCo (C)", "CasADi (its C)"])
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "acceleration", "M", MOTION])
def test_other_programs_agree(name: str, quantity: str, tmp_path: Path) -> None:
    try:
        program = programs.PROGRAMS[name](tmp_path)
    except AbsentError as reason:
        pytest.skip(f"{name} is {reason}")
    case = Case("UR5", UR5.system, quantity)
    named = case.states(count=20)
    states, ours = [*named.values()], case.function()(**named)
    for work in program.works(case).values():
        out = np.empty_like(ours)
        work(states, out)
        assert np.allclose(out, ours, rtol=0, atol=1e-9 * np.abs(ours).max())
