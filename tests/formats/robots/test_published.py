"""Published robots: every URDF of packages that hold some is read, or refused for what is wrong in it; others agree.

The packages (example-robot-data, hello-robot-stretch-urdf) are no part of the project: this runs where they, Pinocchio,
MuJoCo and Drake are installed.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.model import ReadError

INSTALLED = Path(sysconfig.get_paths()["purelib"])
SETS = ("cmeel.prefix/share/example-robot-data", "stretch_urdf")
FILES = {p.relative_to(INSTALLED).as_posix(): p for s in SETS for p in sorted((INSTALLED / s).rglob("*.urdf"))}
#: What is wrong in a file that is refused.
REFUSED = {"alex_psyonic_hands.urdf": "there is no joint 'index_q1'", "ur3.urdf": "a robot without links"}
#: What is known of MuJoCo where it disagrees.
DIFFERENT = {"bolt.urdf": "drops the inertia of a fixed link without mass"}
#: Why MuJoCo does not read a file.
UNREAD = ("A + B >= C", "positive eigenvalues", "mjMINVAL")

UNREAD_BY_DRAKE = ("which has 0 DOF cannot mimic", "is not positive-definite")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FILES, reason="no package of robots is installed: example-robot-data"),
]


@pytest.mark.parametrize("name", FILES)
def test_a_published_robot_is_read_and_others_agree(name: str) -> None:
    pytest.importorskip("pinocchio", reason="pinocchio is not installed: the extra peers")
    pytest.importorskip("mujoco", reason="mujoco is not installed: the extra peers")
    path = FILES[name]
    if path.name in REFUSED:
        with pytest.raises(ReadError, match=REFUSED[path.name]):
            registry.read(path)
        return
    text = registry.read(path)
    assert registry.write(text.system, "urdf", strict=True).text == _text(path)
    if not text.system.coordinates:
        return
    found = mbconcord.check(path, formalisms=["newton_euler"], states=2, claims=(), against="pinocchio,mujoco")
    by_pinocchio, by_mujoco = ([c for c in found.comparisons if c.claim == p] for p in ("pinocchio", "mujoco"))
    assert {c.verdict for c in by_pinocchio if c.quantity != "acceleration"} == {"agrees"}
    assert "disagrees" not in {c.verdict for c in by_pinocchio}
    if path.name in DIFFERENT:
        wrong = [c for c in by_mujoco if c.verdict == "disagrees"]
        assert wrong and all(DIFFERENT[path.name] in c.explanation for c in wrong)
    elif len(by_mujoco) == 1:
        assert any(reason in by_mujoco[0].explanation for reason in UNREAD)
    else:
        assert {c.verdict for c in by_mujoco} == {"agrees"}


@pytest.mark.parametrize("name", FILES)
def test_drake_agrees_with_a_published_robot_or_is_known_not_to(name: str) -> None:
    pytest.importorskip("pydrake", reason="drake is not installed: the extra peers")
    path = FILES[name]
    if path.name in REFUSED or not registry.read(path).system.coordinates:
        return
    found = mbconcord.check(path, formalisms=["newton_euler"], states=2, claims=(), against="drake")
    by_drake = [c for c in found.comparisons if c.claim == "drake"]
    if len(by_drake) == 1:
        assert any(reason in by_drake[0].explanation for reason in UNREAD_BY_DRAKE), by_drake
    for c in by_drake if len(by_drake) > 1 else ():
        assert c.verdict.startswith("agrees") or "known of it: Drake" in c.explanation, c


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
