"""Names in options that may be repeated: ``--quantity M,h --quantity gravity``."""

from __future__ import annotations

from collections.abc import Iterable


def listed(given: Iterable[str]) -> list[str]:
    """The names of all of them, in the order in which they were given."""
    return [name.strip() for item in given for name in item.split(",") if name.strip()]
