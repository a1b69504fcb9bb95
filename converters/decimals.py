"""Numbers that a person writes: in options of the command line, in files of states, parameters and settings."""

from __future__ import annotations

from fractions import Fraction

from mbconcord.model.checks.ranges import held
from mbconcord.model.expressions import ExpressionError, number
from mbconcord.model.numerals.constant import number_hint


class NumeralError(ValueError):
    """A text that shows no number; ``remedy`` is what was probably meant, or empty."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


def exact(text: str) -> Fraction:
    """The number that a text shows, exactly.

    Raises
    ------
    NumeralError
        It shows none, or one that floats hold as infinite, or as zero where it is not: the message says which.
    """
    try:
        value: Fraction = number(text).value
    except ExpressionError:
        raise NumeralError(f"{text!r:.40} is not a finite number", number_hint(text)) from None
    if not held(value):
        raise NumeralError(f"{text!r:.40} is beyond the range of floats", "from 2.3e-308 to 1.7e308")
    return value
