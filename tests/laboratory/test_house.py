"""The numbers of the house: what is counted, and that none of them may grow."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

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


@pytest.mark.slow
def test_every_room_of_validation_is_counted() -> None:
    assert {"check", "claims", "judge", "witnesses"} <= house.arrows().keys()
    assert "judge" in house.arrows()["check"] and house.count_named("check.py") >= 1


@pytest.mark.parametrize(
    ("sources", "foldable"),
    [
        ({"a": "from . import b", "b": ""}, 1),
        ({"a": "from .b import x", "b": "\n" * 300}, 0),
        ({"a": "from . import b", "b": "", "c": "from mbconcord.model.b import x"}, 0),
        ({"a": "import mbconcord.model.b", "b": "", "c": ""}, 1),
        ({"a": "", "b": ""}, 0),
    ],
)
def test_a_module_of_one_importer_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sources: dict[str, str], foldable: int
) -> None:
    monkeypatch.setattr(house, "ROOT", tmp_path)
    (tmp_path / "model").mkdir()
    for name, text in sources.items():
        (tmp_path / "model" / f"{name}.py").write_text(text, "utf-8")
    found = {path: ast.parse(path.read_text("utf-8")) for path in (tmp_path / "model").iterdir()}
    monkeypatch.setattr(house, "trees", lambda *parts: found if "model" in parts else {})
    assert house.count_foldable() == foldable


PAGE = """# A title

One `long.piece_of_code` [here](page.md#place).

```sh
run
```

| a | b |
|---|---|

* An item

Two.
"""


def test_reading_ease_is_of_prose_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flesch 1948 by hand: seven words, four sentences, ten syllables."""
    seen: list[str] = []
    counted = SimpleNamespace(
        lexicon_count=lambda text: seen.append(text) or 7, sentence_count=lambda _: 4, syllable_count=lambda _: 10
    )
    monkeypatch.setitem(sys.modules, "textstat", counted)
    assert house.ease(PAGE) == pytest.approx(206.835 - 1.015 * 7 / 4 - 84.6 * 10 / 7, abs=0.05)
    assert " ".join(seen[0].split()) == "A title. One code here. An item. Two."
    monkeypatch.setitem(sys.modules, "textstat", None)
    assert house.ease(PAGE) is None


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
