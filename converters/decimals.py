"""Numbers that a person writes: in options of the command line, in files of states, parameters and settings."""

from __future__ import annotations

from fractions import Fraction

from mbconcord.model.checks.ranges import held
from mbconcord.model.expressions import ExpressionError, number


def exact(text: str) -> Fraction:
    """The number that a text shows, exactly.

    Raises
    ------
    ValueError
        It shows none, or one that floats hold as infinite, or as zero where it is not: the message says which.
    """
    try:
        value: Fraction = number(text).value
    except ExpressionError:
        raise ValueError(f"{text!r:.40} is not a finite number") from None
    if not held(value):
        raise ValueError(f"{text!r:.40} is beyond the range of floats")
    return value
