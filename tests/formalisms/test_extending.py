"""The formalism of docs/extending.md, as it stands on the page: right on its model, and it says why on every other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbconcord import check, read
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import FormalismError
from mbconcord.validation.judge.evidence import Evidence

ROOT = Path(__file__).parents[2]
FIXTURES = sorted((ROOT / "fixtures" / "mbsd").glob("*.mbsd"))
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCK = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]


def formalism(text: str = BLOCK) -> Formalism:
    names: dict[str, type[Formalism]] = {}
    exec(text, names)
    return names["HandWritten"]()


def checked(made: Formalism, model: str) -> Evidence:
    system = read(ROOT / "fixtures" / "mbsd" / f"{model}.mbsd").system
    return check(system, formalisms=[made, "lagrange"], states=3)


def test_it_agrees_on_its_model() -> None:
    assert checked(formalism(), "zig").verdict == "agrees"


def test_a_misprint_is_found() -> None:
    wrong = BLOCK.replace("-(m * g", "(m * g")
    assert wrong != BLOCK
    found = [c for c in checked(formalism(wrong), "zig").comparisons if c.verdict == "disagrees"]
    assert "gravity" in {c.quantity for c in found}


@pytest.mark.parametrize("path", [p for p in FIXTURES if p.stem != "zig"], ids=lambda p: p.stem)
def test_on_another_model_it_says_why(path: Path) -> None:
    system = read(path).system
    with pytest.raises(FormalismError, match=r"z1, m1, i1 and g alone|hand_written does not take"):
        formalism().derive(system)
    assert formalism().obstacles(system)


def test_an_obstacle_is_not_a_disagreement() -> None:
    evidence = checked(formalism(), "double_pendulum")
    assert evidence.verdict != "disagrees"
    (witness,) = (w for w in evidence.witnesses if w.name == "hand_written")
    assert [o.place for o in witness.obstacles] == ["coordinates"]


def test_without_the_obstacle_the_finding_tells_what_was_delivered() -> None:
    """No array that cannot be reshaped: the quantity, its shape, and what to do."""
    bare = BLOCK.replace('if system.names == {"z1", "m1", "i1", "g"}', "if True")
    assert bare != BLOCK
    (failure,) = (c for c in checked(formalism(bare), "double_pendulum").comparisons if c.verdict == "disagrees")
    assert "hand_written/M" in failure.explanation and "2 rows of 2 expressions" in failure.explanation
    assert "reshape" not in failure.explanation
