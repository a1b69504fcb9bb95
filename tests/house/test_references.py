"""Sources are cited so that a reader can find them: by author and year, in full on one page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mbconcord.formalisms import registry

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "references.md"
FOLDERS = (
    "app",
    "converters",
    "docs",
    "fixtures",
    "formalisms",
    "model",
    "reports",
    "simulation",
    "tests",
    "validation",
)
SUFFIXES = {".py", ".md", ".toml", ".lark", ".html", ".csv", ".mbsd"}
#: A number that means something only to who has the author's shelf.
SHELF = re.compile(r"\bseed(?:[ ]paper|s?[ ](?:no\.?[ ])?0\d\d)\b", re.IGNORECASE)
#: ``Luh, Walker & Paul 1980``, ``Featherstone 1983 and 2008``.
CITATION = re.compile(r"((?:[A-Z]\w+(?:, | & ))*[A-Z]\w+) ((?:(?:19|20)\d\d)(?: and (?:19|20)\d\d)*)")


def texts() -> Iterator[tuple[Path, str]]:
    for path in (*ROOT.glob("*.md"), *(p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*")))):
        if path.suffix in SUFFIXES:
            yield path, path.read_text(encoding="utf-8", errors="replace")


def cited(text: str) -> set[str]:
    """Author and year of each citation in a text."""
    return {f"{who} {year}" for who, years in CITATION.findall(text) for year in years.split(" and ")}


def listed() -> set[str]:
    """What the page gives in full."""
    return set(re.findall(r"^\* \*\*(.+?)\*\*", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


def test_no_file_cites_a_number_on_a_shelf() -> None:
    found = [f"{path.relative_to(ROOT)}: {match[0]}" for path, text in texts() for match in SHELF.finditer(text)]
    assert found == []


@pytest.mark.parametrize("number", ["004", "001"])
def test_such_a_number_is_seen(number: str) -> None:
    for before in ("seed ", "seed no. ", "Seed "):
        assert SHELF.search(f"by eq. (5) of {before}{number}.")
    assert SHELF.search("the seed" + " paper's figures")
    assert not SHELF.search(f"(10 states, seed 0), seed {int(number)}")


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_what_a_formalism_refers_to_is_given_in_full(name: str) -> None:
    reference = registry.formalism(name).reference
    found = cited(reference) or {reference.partition(",")[0]}  # the one source that bears no year
    assert found <= listed(), found - listed()


@pytest.mark.slow
def test_every_reference_is_cited() -> None:
    sources = " ".join(re.sub(r"\s+", " ", text) for path, text in texts() if path != PAGE)
    assert listed() <= cited(sources) | {"Timofeev"}
