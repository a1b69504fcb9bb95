"""A change that no residue and no digit of a baseline shows is no "same": what compare says of the two decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord.cli import main

from ..test_pairs import FORCES, NAMES, SAME, along_x

CHANGED = [(along_x("-5*x"), along_x(force)) for force, verdicts, _ in FORCES if verdicts is not SAME]
CHANGED += [(along_x(a, x), along_x(b, y)) for a, x, b, y, verdicts, _ in NAMES if verdicts is not SAME]


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_no_change_is_the_same(before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("m.mbsd")
    file.write_text(before, "utf-8")
    assert main(["baseline", "save", "m.mbsd"]) == 0
    file.write_text(after, "utf-8")
    assert main(["baseline", "check", "m.mbsd"]) in (1, 3)
