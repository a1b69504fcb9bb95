"""A slice of the sweep; that it says what disagrees; and that its models are what it says."""

from __future__ import annotations

import pytest

from laboratory import sweep as swept
from laboratory.sweep import SCALED, STATES, Subject, main, robot
from mbconcord.model import System
from mbconcord.model.expressions import as_expression, evaluate_float
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.strategies.trees import random_system

from ..validation.fakes import Altered, entry


@pytest.mark.slow
def test_a_slice_has_no_disagreement(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "8:9"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("robots 8:9: 0 models disagree; comparisons: ") and " agrees" in said
    assert "not checked" not in said


def test_a_disagreement_is_told_with_its_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = Altered(entry("gravity", (0,), lambda x: x * as_expression(1001) / 1000))

    def faulty(subject: Subject, seed: int) -> Evidence:
        return check(subject.system, states=1, seed=seed, formalisms=["lagrange", wrong], claims=())

    monkeypatch.setattr(swept, "check_subject", faulty)
    monkeypatch.setattr(swept, "robot", lambda seed: Subject(random_system(seed, 2)))
    assert main(["--seeds", "1:3"]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("robot 1: gravity, lagrange and altered: ") and "of what is allowed" in first
    assert " at {'t': " in first
    assert last.startswith("robots 1:3: 2 models disagree")


def test_robots_are_as_heavy_and_turned_as_far_as_they_say() -> None:
    def mass(system: System) -> float:
        return sum(evaluate_float(b.inertia.mass, {}) for b in system.bodies)

    light, heavy = robot(SCALED.index(("ur5", 1e-12, 3.0))), robot(SCALED.index(("ur5", 1e12, 1e6)))
    assert mass(heavy.system) / mass(light.system) == pytest.approx(1e24)
    assert light.given is not None and heavy.given is not None and len(heavy.given) == STATES
    angles = [[abs(x) for s in given for x in s.q.values()] for given in (light.given, heavy.given)]
    assert max(angles[0]) <= 3.0 and 5e5 < max(angles[1]) <= 1e6
