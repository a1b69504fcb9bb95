"""Numbers and names in C."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Final

from ..sincos import COSINE, MAGIC, PARTS, REACH, SHORT_PARTS, SHORT_REACH, SINE, TWO_OVER_PI


def template(name: str) -> str:
    """Read a text in C around what is generated; its braces are doubled, as :meth:`str.format` takes them."""
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")


# Sine and cosine of the lanes of a block in C99: a loop without branches, which compilers vectorise.
#
# As :mod:`..sincos` says. Where the machine fuses products with sums, every product is written as a fused one, so that
# no compiler can fuse two others: the reduction would lose its last digits next to multiples of π/2. Errors of a
# million angles up to 10⁶ in units of the last place: 0.77 at most, without fused products 1.07 next to multiples of
# π/2.


def definitions(upper: str) -> str:
    """Write macros that :func:`function` uses; they choose the C library if doubles do not have what the loop needs."""
    return template("sincos.h").format(
        N=upper,
        fused_reach=literal(REACH),
        reach=literal(SHORT_REACH),
        fused="\n".join(_parts(upper, PARTS)),
        short="\n".join(_parts(upper, SHORT_PARTS)),
    )


def function(upper: str) -> str:
    """Write the function ``sincos`` of a block of lanes."""
    return template("sincos.c").format(
        N=upper,
        two_over_pi=literal(TWO_OVER_PI),
        magic=literal(MAGIC),
        sine=_horner(upper, SINE),
        cosine=_horner(upper, COSINE),
    )


def _parts(upper: str, parts: Sequence[float]) -> list[str]:
    return [f"#define {upper}_PI_{i} {literal(part)}" for i, part in enumerate(parts, 1)]


def _horner(upper: str, coefficients: Sequence[float]) -> str:
    text = literal(coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        text = f"{upper}_FMA(z, {text}, {literal(coefficient)})"
    return text


#: Longest part of an identifier that a name gives.
LONGEST: Final = 40


def literal(value: float) -> str:
    """Write a double that reads back as the same number."""
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def identifier(name: str) -> str:
    """Convert a name to ASCII letters, digits and single underscores with no leading digit; ``z1'`` is ``z1_dot``."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name.replace("'", "_dot")).strip("_")[:LONGEST].rstrip("_")
    return plain if plain[:1].isalpha() else f"x{plain}"


def distinct(names: Iterable[str], taken: set[str]) -> list[str]:
    """Return a unique identifier for every name, and add these to the set of taken ones."""
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
