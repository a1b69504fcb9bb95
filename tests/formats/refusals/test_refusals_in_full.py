"""What readers refuse and writers lose is said in full: every word is on a page, read before it is changed."""

from __future__ import annotations

import pytest

from ...said import NOTHING, file, page
from . import TABLES


@pytest.mark.parametrize("name", TABLES)
def test_every_word_is_the_one_that_was_read(name: str) -> None:
    """After a change of words: ``python -m tests.said``, and read what ``git diff`` shows."""
    found = page(TABLES[name]())
    assert found.splitlines() == file("tests.formats.refusals", name).read_text("utf-8").splitlines()
    assert NOTHING not in found
