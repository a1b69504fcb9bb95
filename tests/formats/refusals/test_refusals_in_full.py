"""What a refusal says is said in full: every word of it stands in a file that is read before it is changed."""

from __future__ import annotations

import pytest

from . import TABLES, file, page


@pytest.mark.parametrize("name", TABLES)
def test_every_word_of_a_refusal_is_the_one_that_was_read(name: str) -> None:
    """After a change of words: ``python -m tests.formats.refusals``, and read what ``git diff`` shows."""
    found = page(name)
    assert found.splitlines() == file(name).read_text("utf-8").splitlines()
    assert "    nothing\n" not in found
