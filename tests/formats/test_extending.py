"""The format of docs/extending.md, installed as a package of its own: no file of this project knows it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## A format")[2]
MODULE = re.findall(r"^```python\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)[0]
ANNOUNCED = tomllib.loads(re.findall(r"^```toml\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)[0])
TWO = "arm 0.5 2\nhand 0.25 1\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and its metadata, as an installer leaves them."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "my_package.py").write_text(MODULE, encoding="utf-8")
    info = folder / "my_package-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1\n", encoding="utf-8")
    groups = ANNOUNCED["project"]["entry-points"].items()
    lines = [f"[{group}]\n{name} = {target}\n" for group, named in groups for name, target in named.items()]
    (info / "entry_points.txt").write_text("".join(lines), encoding="utf-8")
    return folder


#: Runs commands one after another: their exit codes and both streams, as JSON.
COMMANDS = """
import contextlib, io, json, sys
from mbconcord.cli import main
done = []
for command in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(command)
    done.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(done))
"""


class Installed:
    """Runs ``mbconcord`` where the package is installed, in an empty folder with a file of the format."""

    def __init__(self, site: Path, folder: Path) -> None:
        self.site, self.folder = site, folder
        (folder / "two.links").write_text(TWO, encoding="utf-8")

    def __call__(self, *commands: str) -> list[tuple[int, str, str]]:
        """Exit code and both streams of each command."""
        environment = os.environ | {"PYTHONPATH": str(self.site), "PYTHONIOENCODING": "utf-8"}
        asked = json.dumps([shlex.split(command) for command in commands])
        done = subprocess.run(
            [sys.executable, "-c", COMMANDS, asked], cwd=self.folder, env=environment, capture_output=True,
            encoding="utf-8", timeout=300, check=True,
        )  # fmt: skip
        return [(code, out, err) for code, out, err in json.loads(done.stdout)]


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Installed:
    return Installed(installed, tmp_path)


def test_the_format_is_listed(run: Installed) -> None:
    ((_, out, _),) = run("formats --json")
    found = json.loads(out)["formats"][-1]
    assert (found["name"], found["suffixes"], found["keeps"]) == ("links", [".links"], ["body_names"])
    assert found["reads"] and found["writes"] and not found["holds"]


@pytest.mark.slow
def test_a_model_of_the_format_is_checked_and_converted(run: Installed) -> None:
    checked, *converted = run(
        "check two.links --states 2",
        "convert two.links two.mbsd --verify",
        "convert two.mbsd again.links --strict --verify",
    )
    assert checked[0] == 0 and "agrees" in checked[1], checked[2]
    assert [(code, err) for code, _, err in converted if code] == []
    assert (run.folder / "again.links").read_text(encoding="utf-8") == TWO


@pytest.mark.slow
def test_what_it_does_not_hold_is_a_loss(run: Installed) -> None:
    others = ("z i0.5 $2 > u $1", "z i0.5 $2 {1,0}", "z i(L) $2", "z $2", "y i0.5 $2")
    for i, other in enumerate(others):
        (run.folder / f"other{i}.mbsd").write_text(f"{other} ; g9.81-y ; L = 1\n", encoding="utf-8")
    (run.folder / "moved.mbsd").write_text("z°30'2\"(-z') i0.5 $2 #arm ; g9.81-y\n", encoding="utf-8")
    *refused, moved = run(
        *(f"convert other{i}.mbsd - --to links" for i in range(len(others))), "convert moved.mbsd - --to links --json"
    )
    assert [o for o, (code, _, err) in zip(others, refused, strict=True) if code != 2 or "no link" not in err] == []
    found = json.loads(moved[1])
    assert found["text"] == "arm 0.5 2\n"
    lost = {loss["place"]: loss["what"] for loss in found["losses"]}
    assert lost == {
        "coordinates/z1/position": "the initial position pi/6",
        "coordinates/z1/velocity": "the initial velocity 2",
        "forces/z1": "the joint force",
        "coordinates/z1": "the name 'z1'",
    }


@pytest.mark.slow
def test_all_errors_come_at_once(run: Installed) -> None:
    (run.folder / "bad.links").write_text("arm 0.5\nhand 0.25 1\nfinger x 1\n", encoding="utf-8")
    ((code, _, err),) = run("info bad.links")
    assert code == 2
    assert [line.split(" ")[0] for line in err.splitlines()] == ["bad.links:1:1:", "bad.links:3:1:"]
