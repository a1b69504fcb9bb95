"""Fewer rows of each motion than a check has: tests ask many motions."""

from __future__ import annotations

import pytest

from mbconcord.validation.witnesses import motion


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(motion, "SAMPLES", 12)
