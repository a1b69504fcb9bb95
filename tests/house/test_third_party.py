"""A package of another author brings a formalism with its faults, a witness and a format; nothing is edited for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parent / "sample_package"
MODEL = "pendulum\nlength = 1.2\nmass = 3\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the sample is installed, as any package is, without a network."""
    source, target = tmp_path_factory.mktemp("source") / "sample", tmp_path_factory.mktemp("site")
    shutil.copytree(SAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    install = ("pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target")
    subprocess.run([sys.executable, "-m", *install, target, source], check=True, capture_output=True)
    (target / "model.pend").write_text(MODEL, encoding="utf-8")
    return target


def python(site: Path, *arguments: str, code: int = 0) -> str:
    """Standard output of Python that sees the sample."""
    known = {**os.environ, "PYTHONPATH": str(site), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=site, env=known, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == code, done.stderr
    return done.stdout


def test_it_is_listed_with_the_others(site: Path) -> None:
    formalisms = json.loads(python(site, "-m", "mbconcord", "formalisms", "--json"))["formalisms"]
    formats = json.loads(python(site, "-m", "mbconcord", "formats", "--json"))["formats"]
    assert formalisms[-1]["name"] == "height" and len(formalisms) > 1
    assert formats[-1]["name"] == "pend" and formats[-1]["reads"] and not formats[-1]["writes"]


@pytest.mark.slow
def test_its_model_is_checked_by_its_formalism_among_the_others(site: Path) -> None:
    page = site / "report.md"
    options = ("--formalisms", "height,lagrange,newton_euler", "--states", "3", "--report", str(page))
    found = json.loads(python(site, "-m", "mbconcord", "check", "model.pend", *options, "--json", code=0))
    pairs = [(p["a"], p["b"]) for p in found["pairs"] if p["quantity"] == "gravity" and p["verdict"] == "agrees"]
    assert ("height", "lagrange") in pairs or ("lagrange", "height") in pairs
    beside = {(p["a"], p["b"], p["verdict"]) for p in found["pairs"] if p["claim"] == "weights"}
    assert beside == {(name, "weights", "agrees") for name in ("height", "lagrange", "newton_euler")}
    assert "Weights:\n\n| body | mass, kg |\n| --- | --- |\n| bob | 3 |\n" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_its_equations_are_printed_in_its_own_way(site: Path) -> None:
    text = python(site, "-m", "mbconcord", "derive", "model.pend", "--formalism", "height")
    assert "\n# heights: potential of weight\nV = " in text and "tier" not in text
    assert "mass" in python(site, "-m", "mbconcord", "convert", "model.pend", "-", "--to", "native")


@pytest.mark.rest
@pytest.mark.slow
def test_its_faults_are_put_in_and_caught(site: Path) -> None:
    """All three; what changes nothing survives."""
    code = (
        "from dataclasses import replace\n"
        "from mbconcord.testing import try_faults\n"
        "from mbconcord_sample.faults import FAULTS\n"
        "harmless = replace(FAULTS[0], faulty=f'iter({FAULTS[0].original})')\n"
        "print(*(tried.catch is not None for tried in try_faults('height', (*FAULTS, harmless))))"
    )
    assert python(site, "-c", code) == "True True True False\n"


INJECTION = """
import sys
from dataclasses import replace
from mbconcord.formalisms.registry import formalism
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.testing import inject
from mbconcord_sample.faults import FAULTS

honest, modules = formalism("height"), {k: v for k, v in sys.modules.items() if k.startswith("mbconcord_sample")}
for fault in FAULTS:
    fault = replace(fault, owner="height")
    with inject(fault) as faulty:
        assert type(faulty) is not type(honest) and formalism("height") is honest
        assert sys.modules[fault.module] is not modules.get(fault.module)
    assert all(sys.modules[name] is module for name, module in modules.items())
for module in ("json", "mbconcord.formalisms.lagrange.kinematics"):
    try:
        with inject(replace(fault, module=module)):
            raise SystemExit("a module of others was altered")
    except MbconcordError as problem:
        assert "cannot be altered" in str(problem), problem
assert all(sys.modules[name] is module for name, module in modules.items())
"""


@pytest.mark.slow
def test_only_its_own_modules_are_altered_and_all_are_put_back(site: Path) -> None:
    python(site, "-c", INJECTION)
