"""Knowledge of a formalism stays in its room: who asks all of them names none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mbconcord.formalisms import registry

ROOT = Path(__file__).resolve().parents[2]
#: Folders above the formalisms.
ABOVE = ("app", "reports", "validation", "simulation")
#: A claim about static moments, the quantity of mechanics; who delivers them is not said.
QUANTITIES = {"static_moments": {"validation/claims/__init__.py"}}

NAMES = re.compile(rf"\b({'|'.join((*registry.BUILT_IN, 'Konoplev', 'Telegin', 'Timofeev'))})\b")
INSIDE = re.compile(r"mbconcord\.formalisms\.(?!interface\b|registry\b)\w+")


def sources() -> Iterator[str]:
    for part in ABOVE:
        for path in sorted((ROOT / part).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in (".py", ".html", ".css"):
                yield name


@pytest.mark.parametrize("name", [*sources()])
def test_it_names_no_formalism(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    found = {match[1] for match in NAMES.finditer(text) if name not in QUANTITIES.get(match[1], ())}
    assert found == set()
    assert INSIDE.findall(text) == []


def test_such_a_name_is_seen() -> None:
    assert NAMES.search("use --formalism konoplev") and NAMES.search("Konoplev's tiers")
    assert INSIDE.search("from mbconcord.formalisms.telegin import Telegin")
    assert not INSIDE.search("from mbconcord.formalisms.registry import names")
