"""No module that is mutated loses its tests, and no mutant is lost, without a word: a renamed room is seen here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from laboratory.mutants import places

ROOT = Path(__file__).resolve().parents[3]
#: How many changes were possible when they were last counted: raise it after it grew.
POSSIBLE = 73_600
#: Of these so many may go without a word; more is a decision, told by a lower number in the commit.
LOSS = 0.02
#: Modules in which nothing can be changed that moves a number.
NOTHING: set[str] = set()
#: Rooms without tests of their name, which the tests of all of their kind watch.
BY_ALL = {
    "shared": "body checks constraint coordinate equations evaluation force functions joint_forces mixed numerals "
    "opened state system transformation turns",
    "readers": "carried constants floats inclusions joints json_text poses spelling xml_attributes xml_text",
}
WATCHED = {(places.kind(module), places.owner(module)) for module in places.modules()}


def list_own(kind: str, owner: str) -> list[Path]:
    """Tests that bear the name of a room, or stand for it elsewhere."""
    patterns = [p for group in places.WATCHING[kind] for p in group if "{owner}" in p]
    patterns += places.ELSEWHERE.get(owner, [])
    return [path for pattern in patterns for path in ROOT.glob(pattern.format(owner=owner))]


def test_every_mutated_room_has_tests_of_its_own() -> None:
    alone = {(kind, owner) for kind, owner in WATCHED if not list_own(kind, owner)}
    known = {(kind, owner) for kind, owners in BY_ALL.items() for owner in owners.split()}
    assert alone - known == set(), "name their tests in ELSEWHERE of laboratory/mutants/places.py, or here in BY_ALL"
    assert known - WATCHED == set(), "BY_ALL names no such room"


def test_every_pattern_of_tests_finds_some() -> None:
    for kind, groups in places.WATCHING.items():
        owners = [owner for of, owner in WATCHED if of == kind]
        for pattern in (p for group in groups for p in group):
            assert any(any(ROOT.glob(pattern.format(owner=owner))) for owner in owners), (kind, pattern)


def test_tests_elsewhere_exist() -> None:
    assert places.ELSEWHERE.keys() - {owner for _, owner in WATCHED} == set(), "ELSEWHERE names no mutated room"
    assert [p for paths in places.ELSEWHERE.values() for p in paths if not (ROOT / p).exists()] == []


@pytest.mark.slow
def test_no_mutants_are_lost() -> None:
    names = places.choose_modules(None)
    found = Counter(mutant.module for mutant in places.possible(names))
    assert found.total() >= POSSIBLE * (1 - LOSS), "name in laboratory/mutants/places.py what was renamed"
    assert found.total() <= POSSIBLE * (1 + 5 * LOSS), (
        f"write POSSIBLE = {found.total():_}: less than that would be lost"
    )
    assert {module for module in names if not found[module]} == NOTHING
