"""The project of docs/examples/ci: green as it stands, red with the cause named where a sign is changed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mbconcord.cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "ci"


def outcome_of(folder: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and output of pytest in a copy of the project."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *arguments],
        cwd=folder, capture_output=True, encoding="utf-8", timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "project"))


@pytest.mark.slow
def test_it_is_green(project: Path) -> None:
    code, said = outcome_of(project)
    assert code == 0, said
    assert "43 passed, 1 skipped" in said


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "cause"),
    [
        ("arm.urdf", '0.12 0 0.03"', '0.12 0 -0.03"', "the centre of mass of fore has the other sign in z"),
        ("arm.mbsd", "i0.4", "i(-0.4)", "the offset of the joint of fore points the other way"),
    ],
)
def test_a_changed_sign_is_red_with_its_cause(project: Path, file: str, old: str, new: str, cause: str) -> None:
    model = project / "models" / file
    text = model.read_text("utf-8")
    assert text.count(old) == 1
    model.write_text(text.replace(old, new), encoding="utf-8")
    code, said = outcome_of(project)
    assert code == 1
    assert f"FAILED models/{file}::baseline" in said
    assert f"why: the model equals the baseline when {cause}" in said
    assert "FAILED tests/test_models.py::test_the_urdf_is_the_arm" in said
    assert "2 failed" in said


def test_its_baseline_is_what_would_be_saved(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for the version that saved it."""
    monkeypatch.chdir(project)
    file = Path(tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["mbconcord"]["baseline"])
    before = file.read_text("utf-8")
    assert main(["baseline", "save", "models"]) == 0
    lines = zip(before.splitlines(), file.read_text("utf-8").splitlines(), strict=True)
    assert [x for x, y in lines if x != y and not x.startswith("saved_by")] == []


@pytest.mark.parametrize("name", [".github/workflows/models.yml", ".gitlab-ci.yml"])
def test_its_jobs_run_what_the_page_says(name: str) -> None:
    text = (EXAMPLE / name).read_text("utf-8")
    assert "pip install ./mbconcord pytest\n" in text and "pytest --junitxml=models.xml\n" in text
    assert "://" not in text


@pytest.mark.parametrize(
    "file",
    ["README.md", "docs/ci.md", *(f"docs/examples/ci/{x}" for x in (".github/workflows/models.yml", ".gitlab-ci.yml"))],
)
def test_a_job_that_takes_a_submodule_fetches_it(file: str) -> None:
    text = (EXAMPLE.parents[2] / file).read_text("utf-8")
    jobs = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if file.endswith(".md") else [text]
    taken = [job for job in jobs if re.search(r"(install|uses:) \./mbconcord", job)]
    assert taken and all("submodules: true" in job or "GIT_SUBMODULE_STRATEGY: recursive" in job for job in taken)
