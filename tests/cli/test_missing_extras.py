"""Every package of every extra, hidden in turn: each command that needs it names the extra, and no other needs it."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mbconcord.fixtures import folder

from ..formats.robots.test_meshes import FORMATS, obj

PENDULUM = str(folder() / "mbsd/double_pendulum.mbsd")
CRANK = str(folder() / "native/slider_crank.mbs.json")
LEG = str(folder() / "tp/quadruped.tp.csv")
ARM, FINGER = str(folder() / "urdf/arm.urdf"), str(folder() / "mjcf/finger.xml")
#: Package of an extra -> the module that is hidden.
MODULES = {
    "scikit-sundae": "sksundae", "pin": "pinocchio", "cmeel-eigen": "cmeel", "drake": "pydrake", "usd-core": "pxr",
}  # fmt: skip
#: Of these, what needs them is in another package of the extra, or in a witness of its own.
NEEDED_BY_OTHERS = {"cmeel-eigen", "dask", "cryptography"}
#: What Python sees of a package that is not installed: no finder knows it.
HIDE = """
import os, sys
class Hide:
    def __init__(self, finder): self.finder = finder
    def __getattr__(self, name): return getattr(self.finder, name)
    def find_spec(self, name, *more):
        return None if name.partition(".")[0] == os.environ["HIDDEN_MODULE"] else self.finder.find_spec(name, *more)
sys.meta_path[:] = map(Hide, sys.meta_path)
"""
#: Extra, package, command, exit code: 2 where what was asked for needs it; 0 where one of two tests of a text does.
ROWS = [
    ("sim", "scipy", ("simulate", PENDULUM, "--until", "0.1"), 2),
    ("sim", "scipy", ("check", PENDULUM, "--simulate", "0.1"), 2),
    ("sim", "scipy", ("compare", PENDULUM, PENDULUM, "--simulate", "0.1"), 2),
    ("sim", "scipy", ("export", CRANK, "crank.fmu"), 2),
    ("sim", "threadpoolctl", ("simulate", PENDULUM, "--until", "0.1"), 2),
    ("sim", "threadpoolctl", ("check", PENDULUM, "--simulate", "0.1"), 2),
    ("sim", "threadpoolctl", ("compare", PENDULUM, PENDULUM, "--simulate", "0.1"), 2),
    ("sim", "scikit-sundae", ("simulate", PENDULUM, "--until", "0.1", "--method", "cvode"), 2),
    ("sim", "scikit-sundae", ("simulate", PENDULUM, "--until", "0.1", "--method", "ida"), 2),
    ("data", "pyarrow", ("simulate", PENDULUM, "--until", "0.1", "--output", "run.parquet"), 2),
    ("data", "pyarrow", ("simulate", PENDULUM, "--motion", "run.parquet"), 2),
    ("data", "pyarrow", ("animate", PENDULUM, "run.parquet", "run.html"), 2),
    ("data", "pyarrow", ("equilibrium", PENDULUM, "--output", "rest.parquet"), 2),
    ("data", "pyarrow", ("linearize", PENDULUM, "--output", "modes.parquet"), 2),
    ("plot", "matplotlib", ("python", f"import mbconcord as mb; mb.simulate({PENDULUM!r}, 0.1).plot()"), 2),
    ("plot", "matplotlib", ("simulate", PENDULUM, "--until", "0.1", "--plot", "run.svg"), 2),
    ("plot", "matplotlib", ("walk", LEG, "--plot", "leg.svg"), 2),
    ("cluster", "distributed", ("campaign", "run", PENDULUM, "--output", "out", "--cluster", "local"), 2),
    ("jit", "llvmlite", ("python", f"import mbconcord as mb; mb.compile({PENDULUM!r}, backend='llvm')"), 2),
    ("peers", "mujoco", ("check", FINGER, "--against", "mujoco"), 2),
    ("peers", "pin", ("check", ARM, "--against", "pinocchio"), 2),
    ("peers", "drake", ("check", ARM, "--against", "drake"), 2),
    ("peers", "casadi", ("export", PENDULUM, "out", "--language", "casadi"), 0),
    ("mesh", "trimesh", ("check", "robot.sdf"), 2),
    ("xacro", "xacro", ("info", "robot.xacro", "--allow", "xacro"), 2),
    ("xacro", "xacro", ("check", "robot.xacro", "--allow", "xacro"), 2),
    ("usd", "usd-core", ("check", "robot.usda"), 2),
    ("view", "starlette", ("view", "--no-browser"), 2),
    ("view", "uvicorn", ("view", "--no-browser"), 2),
]  # fmt: skip


def list_declared() -> dict[str, set[str]]:
    """Extra -> its packages, of what users install."""
    found: dict[str, set[str]] = {}
    for line in importlib.metadata.requires("mbconcord") or ():
        package, extra = re.match(r"([\w.-]+)[^;]*(?:;.*\bextra == [\"'](\w+)[\"'])?", line).groups()  # type: ignore[union-attr]
        if extra and extra not in ("all", "docs", "test", "lint"):
            found.setdefault(extra, set()).add(package)
    return found


def test_every_package_of_every_extra_is_hidden_in_a_row() -> None:
    rows: dict[str, set[str]] = {}
    for extra, package, _, _ in ROWS:
        rows.setdefault(extra, set()).add(package)
    assert {extra: packages - NEEDED_BY_OTHERS for extra, packages in list_declared().items()} == rows


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("extra", "package", "words", "code"), ROWS, ids=lambda x: "" if isinstance(x, tuple) else None
)
def test_a_command_without_its_extra_names_it(extra, package, words, code, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HIDE, "utf-8")
    (tmp_path / "robot.xacro").write_bytes(Path(ARM).read_bytes())
    (tmp_path / "robot.sdf").write_text(FORMATS["sdf"]("box.obj"), "utf-8")
    (tmp_path / "robot.usda").write_text("#usda 1.0", "utf-8")
    (tmp_path / "box.obj").write_bytes(obj())
    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    hidden = {"PYTHONPATH": str(tmp_path), "HIDDEN_MODULE": MODULES.get(package, package), "PATH": ""}
    command = ["-c", words[1]] if words[0] == "python" else ["-m", "mbconcord", *words]
    done = subprocess.run(
        [sys.executable, *command], cwd=tmp_path, env=os.environ | hidden, capture_output=True, text=True
    )
    said = done.stdout + done.stderr
    assert f"mbconcord[{extra}]" in said, said
    assert MODULES.get(package, package) in said
    if words[0] == "export" and code == 0:
        assert f"\nself-test did not run: {package} is not installed (pip install 'mbconcord[{extra}]')\n" in said
    if words[0] != "python":
        assert (done.returncode, "Traceback" in said) == (code, False), said
