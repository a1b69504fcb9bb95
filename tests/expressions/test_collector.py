"""Graphs are built without searches for cycles, and what they leave behind is not searched for at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from mbconcord.model.expressions.traversal import no_search_for_cycles

MANY = 20_000


def made() -> list[list[int]]:
    """Many objects that the collector knows."""
    return [[i] for i in range(MANY)]


@pytest.fixture
def nothing_apart() -> Iterator[None]:
    """What the session keeps apart from the collector is back for a test, and searches are due as they always are."""
    apart, seldom = gc.get_freeze_count(), gc.get_threshold()
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*seldom)
    if apart:
        gc.freeze()


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_as_it_was(on: bool) -> None:
    before = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        with no_search_for_cycles():
            assert not gc.isenabled()
        assert gc.isenabled() is on
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.slow
def test_what_was_made_meanwhile_is_not_young(nothing_apart: None) -> None:
    with no_search_for_cycles():
        kept = made()
    assert gc.get_count()[0] < MANY / 10 and len(kept) == MANY
    assert gc.get_freeze_count() == 0


@pytest.mark.slow
def test_what_a_program_keeps_apart_stays_apart(nothing_apart: None) -> None:
    gc.freeze()
    with no_search_for_cycles():
        kept = made()
    assert gc.get_freeze_count() > 0 and len(kept) == MANY


def test_where_little_was_made_nobody_counts_what_is_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that keeps a million objects apart counts them for hundredths of a second."""
    monkeypatch.setattr(gc, "get_freeze_count", lambda: pytest.fail("counted"))
    gc.collect()
    with no_search_for_cycles():
        kept = [[]]
    assert kept and gc.get_count()[0] < gc.get_threshold()[0]
