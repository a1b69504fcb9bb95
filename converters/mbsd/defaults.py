"""What a text need not say: default names of parameters and coordinates, and the value of gravity."""

from __future__ import annotations

from mbconcord.model.expressions import number

STANDARD_GRAVITY = number("9.81")
#: Stems of default names by letter: l, mu, nu instead of l, m, n keep m1 a mass.
STEMS = {"m": "mu", "n": "nu"}


def default_name(letter: str, number: int) -> str:
    """The default name of the numbered letter."""
    return f"{STEMS.get(letter, letter)}{number}"
