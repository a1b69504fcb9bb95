"""Values in one line."""

from __future__ import annotations


def line(kind: str, name: str, *facts: str) -> str:
    """``<System arm: 2 bodies, 2 coordinates>``."""
    subject = f"{kind} {name}" if name else kind
    said = ", ".join(filter(None, facts))
    return f"<{subject}: {said}>" if said else f"<{subject}>"


def count(number: int, thing: str, things: str = "") -> str:
    """``1 body``, ``2 bodies``."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"
