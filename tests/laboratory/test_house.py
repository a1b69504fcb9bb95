"""The numbers of the house: what is counted, and that none of them may grow."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from laboratory import house


@pytest.mark.parametrize("name", ["told", "_held", "compared", "turned", "given"])
def test_a_bare_participle_is_seen(name: str) -> None:
    assert house.PARTICIPLE.fullmatch(name)


@pytest.mark.parametrize("name", ["speed", "need", "derive_closed", "tell", "read", "is_closed", "held_by"])
def test_other_names_are_none(name: str) -> None:
    assert not house.PARTICIPLE.fullmatch(name)


def test_floors_and_circles_of_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = {"check": {"judge", "claims"}, "claims": {"judge"}, "judge": {"claims", "scale"}, "scale": set()}
    monkeypatch.setattr(house, "arrows", lambda: {room: frozenset(others) for room, others in rooms.items()})
    assert (house.floors(), house.in_circles()) == (3, 2)


def test_every_room_of_validation_is_counted() -> None:
    assert {"check", "claims", "judge", "witnesses"} <= house.arrows().keys()
    assert "judge" in house.arrows()["check"] and house.count_named("check.py") >= 1


TABLE = '["lines"]\naim = 10\nbudget = 20\n\n["rooms"]\naim = 3\nbudget = 5\n'


@pytest.mark.parametrize(
    ("lines", "rooms", "words", "code", "budgets"),
    [
        (20, 5, (), 0, (20, 5)),
        (21, 5, (), 1, (20, 5)),
        (15, 2, (), 0, (20, 5)),
        (15, 2, ("--record",), 0, (15, 3)),
        (25, 4, ("--record",), 1, (20, 4)),
    ],
)
def test_a_number_may_fall_and_not_rise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    lines: int, rooms: int, words: tuple[str, ...], code: int, budgets: tuple[int, int],
) -> None:  # fmt: skip
    kept = tmp_path / "house.toml"
    kept.write_text(TABLE, "utf-8")
    monkeypatch.setattr(house, "BUDGETS", kept)
    monkeypatch.setattr(house, "measure", lambda: {"lines": lines, "rooms": rooms})
    assert house.main(words) == code
    assert ("ABOVE ITS BUDGET" in capsys.readouterr().out) == bool(code)
    found = tomllib.loads(kept.read_text("utf-8"))
    assert tuple(found[name]["budget"] for name in ("lines", "rooms")) == budgets
