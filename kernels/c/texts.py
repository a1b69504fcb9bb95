"""How numbers and names are written in C."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

#: Longest part of an identifier that a name gives.
LONGEST: Final = 40


def literal(value: float) -> str:
    """A double that reads back as the same number."""
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def identifier(name: str) -> str:
    """A name in ASCII letters, digits and single underscores, which no digit begins; ``z1'`` is ``z1_dot``."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name.replace("'", "_dot")).strip("_")[:LONGEST].rstrip("_")
    return plain if plain[:1].isalpha() else f"x{plain}"


def distinct(names: Iterable[str], taken: set[str]) -> list[str]:
    """An identifier for every name, none twice and none of those taken, to which they are added."""
    found = []
    for name in names:
        plain = identifier(name)
        number, other = 2, plain
        while other in taken:
            other = f"{plain}_{number}"
            number += 1
        taken.add(other)
        found.append(other)
    return found
