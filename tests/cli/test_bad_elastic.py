"""Elastic bodies and drives that cannot be: exit code 2, place and remedy, nothing written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mbconcord.fixtures import folder

from .commands import Run, runner

ARM = (folder() / "elastic" / "planar_arm.mbs.json").read_text("utf-8")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def modes(data: dict[str, Any]) -> Any:
    return data["bodies"][0]["modes"]


def copied(data: dict[str, Any]) -> None:
    """The second mode is the first once more."""
    own = modes(data)
    own["first_moments"][1] = own["first_moments"][0]
    P = own["second_moments"]
    P[2] = P[1]
    for row in P:
        row[2] = row[1]
    own["stiffness"] = [[own["stiffness"][0][0]] * 2] * 2


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    *way, key, value = path

    def change(data: dict[str, Any]) -> None:
        here: Any = data
        for step in way:
            here = here[step]
        here[key] = value

    return change


BODY = ("bodies", 0)
POINT = {"body": "1", "position": [0.3, 0, 0]}
#: What is done to the arm, the place, and words of the message.
WRONG: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str]] = {
    "shapes that depend": (copied, "bodies/1/modes/second_moments", "depend on each other"),
    "an unknown node": (put("bodies", 1, "parent_node", "top"), "bodies/2/parent_node", "no node 'top'"),
    "stiffness not symmetric": (
        put(*BODY, "modes", "stiffness", [[1000, 1], [2, 3000]]), "bodies/1/modes/stiffness", "not symmetric",
    ),
    "negative stiffness": (
        put(*BODY, "modes", "stiffness", [[-1000, 0], [0, 3000]]), "bodies/1/modes/stiffness", "smallest eigenvalue",
    ),
    "damping of another size": (
        put(*BODY, "modes", "damping", [[1]]), "bodies/1/modes/damping", "1 by 1 where 2 by 2 are expected",
    ),
    "a node that moves at the clamp": (
        put(*BODY, "modes", "nodes", 0, "position", [0, 0, 0]), "bodies/1/modes/nodes/tip", "clamped",
    ),
    "modes without mass": (put(*BODY, "inertia", "mass", 0), "bodies/1/modes", "modes on a body of 0 kg"),
    "a motion without a value": (
        put("coordinates", 0, "drive", {"kind": "motion"}), "coordinates/q1/drive", "acceleration",
    ),
    "a force between nodes": (
        put("forces", [{"kind": "point_force", "name": "push", "point": POINT, "force": [0, 1, 0]}]),
        "forces/push", "neither its origin nor a node",
    ),
    "a product of an unknown mode": (
        put(*BODY, "modes", "products", [["e1", "e9"]]), "bodies/1/modes/products", "no mode e9",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_refused_and_nothing_is_written(what: str, run: Run, tmp_path: Path) -> None:
    change, place, words = WRONG[what]
    data = json.loads(ARM)
    change(data)
    (tmp_path / "arm.mbs.json").write_text(json.dumps(data), encoding="utf-8")
    for command in (["check", "arm.mbs.json", "--states", "1"], ["convert", "arm.mbs.json", "out.mbsd"]):
        done = run(*command)
        said = done.err
        assert done.code == 2, said
        assert words in said and ("(" in said or "is missing" in said), said
        assert place in said, said
        assert not (tmp_path / "out.mbsd").exists() and "Traceback" not in said


def test_what_a_constraint_fixes_no_drive_imposes(run: Run, tmp_path: Path) -> None:
    data = json.loads((folder() / "native" / "bead_on_parabola.mbs.json").read_text("utf-8"))
    data["coordinates"][0]["drive"] = {"kind": "motion", "acceleration": 1}
    data["constraints"].append(
        {"kind": "holonomic", "name": "stop", "expression": f"{data['coordinates'][0]['name']} - 1"}
    )
    (tmp_path / "bead.mbs.json").write_text(json.dumps(data), encoding="utf-8")
    done = run("check", "bead.mbs.json", "--report", "out.html")
    why = "which the constraints and the drives before it fix already"
    assert done.code == 2 and why in done.err and why in (tmp_path / "out.html").read_text("utf-8")
