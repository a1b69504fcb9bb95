"""Expressions in the syntax of Python and C99, names kept."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import ClassVar

from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.printer import ATOM, POWER, SUM, Form
from mbconcord.model.expressions.text import TextStyle


class Code(TextStyle):
    """What the languages share: numbers are floats, symbols have identifiers of the language."""

    reserved: ClassVar[frozenset[str]]
    functions: ClassVar[dict[str, str]]

    def __init__(self, names: Callable[[str], str]) -> None:
        self.names = names

    def name(self, name: str) -> Form:
        """The identifier of a name."""
        return ATOM, [self.names(name)]

    def number(self, value: Fraction) -> Form:
        """A float."""
        return SUM if value < 0 else ATOM, [repr(float(value))]

    def pi(self) -> Form:
        """The number pi."""
        return ATOM, [repr(3.141592653589793)]

    def function(self, name: str, args: Sequence[Expression]) -> Form:
        """The language's own function."""
        return super().function(self.functions.get(name, name), args)


class Python(Code):
    """Python over NumPy."""

    reserved = frozenset(keyword.kwlist)
    functions: ClassVar[dict[str, str]] = {
        "asin": "np.arcsin", "acos": "np.arccos", "atan": "np.arctan", "atan2": "np.arctan2",
    } | {name: f"np.{name}" for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "abs", "sign")}  # fmt: skip

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:
        """``a**b``."""
        return POWER, [(base, ATOM), "**", (exponent, ATOM)]


class C99(Code):
    """C99 with math.h."""

    reserved = frozenset(
        re.findall(
            r"\w+",
            "auto break case char const continue default do double else enum extern float for goto if inline int "
            "long register restrict return short signed sizeof static struct switch typedef union unsigned void "
            "volatile while main y0 y1 yn j0 j1 jn gamma",
        )
    )
    functions: ClassVar[dict[str, str]] = {"abs": "fabs"}

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:
        """``pow(a, b)``."""
        return ATOM, ["pow(", (base, 0), ", ", (exponent, 0), ")"]

    def function(self, name: str, args: Sequence[Expression]) -> Form:
        """``sign`` of x is ``((x > 0) - (x < 0))``."""
        if name == "sign":
            return ATOM, ["((", (args[0], SUM), " > 0) - (", (args[0], SUM), " < 0))"]
        return super().function(name, args)


def identifier(name: str) -> str:
    """A name in ASCII letters, digits and underscores, which no digit begins; ``z1'`` is ``z1_dot``."""
    plain = re.sub(r"\W+", "_", name.replace("'", "_dot"), flags=re.ASCII).strip("_")
    return plain if plain[:1].isalpha() else f"x{plain}"
