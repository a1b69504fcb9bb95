"""Jobs that need an extra: without its package the answer is one line with the command that installs it."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

import mbconcord
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.reports.extras import optional
from mbconcord.reports.plots.motion import support_plot

SQUARE = ((0, 0), (1, 0), (1, 1), (0, 1))


@pytest.mark.parametrize(
    ("package", "job", "said"),
    [
        (
            "matplotlib",
            lambda: support_plot((0.5, 0.5), SQUARE, SQUARE, 0.5),
            "error: drawing a support polygon needs matplotlib, which is not installed (pip install 'mbconcord[plot]')",
        ),
        (
            "no_such_package",
            lambda: optional("no_such_package.inner", "some", "a job"),
            "error: a job needs no_such_package, which is not installed (pip install 'mbconcord[some]')",
        ),
    ],
    ids=["plot", "any"],
)
def test_a_missing_package_is_one_line_with_the_command(monkeypatch, package, job, said) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MbconcordError) as problem:
        job()
    assert str(problem.value) == said


def test_a_package_that_is_there_is_imported() -> None:
    assert optional("json.decoder", "some", "a job") is sys.modules["json.decoder"]


@pytest.mark.skipif(
    not (Path(mbconcord.__file__).parent.parent / "pyproject.toml").exists(),
    reason="needs the source tree: runs from a checkout, not from a wheel",
)
def test_a_package_of_an_extra_is_not_in_the_default_install() -> None:
    root = Path(mbconcord.__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    default = {_package(line) for line in project["dependencies"]}
    assert {"numpy", "openpyxl", "sympy"} <= default
    assert "matplotlib" in {_package(line) for line in extras["plot"]}
    assert default.isdisjoint(_package(line) for lines in extras.values() for line in lines)


def _package(requirement: str) -> str:
    found = re.match(r"[\w-]+", requirement)
    assert found
    return found[0]
