"""Formulas of a text, evaluated while they are parsed: no syntax tree is built.

    sum      = product { (+|-) product }
    product  = signed { (*|/) signed | factor }        a factor without a sign before it multiplies
    signed   = [+|-] signed | power                    -x^2 is -(x^2)
    power    = atom [ ^ signed ]
    atom     = number | name | name(…) | (…) | function product of factors

A name with an opening bracket right behind it is a call; its first argument may be a comparison, which is 1 or 0. The
name of a function without brackets takes the factors that follow, up to a sign, a comma, a bracket or another function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

import mpmath

from .machine import UnreadError

#: Decimal digits of all numbers: enough for cancellation in formulas, and for rates as differences in time.
DIGITS: Final = 50
#: A number of mpmath.
Number = Any

CONTEXT: Final = mpmath.MPContext()
CONTEXT.dps = DIGITS

_TOKENS: Final = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([^\W\d]\w*'*|@'?)|(.))", re.S)

#: The part of its terms below which a result is rounding, and so zero: 0.1 + 0.2 - 0.3, sin(pi).
ROUNDING: Final = CONTEXT.mpf(10) ** (6 - DIGITS)


def settle(found: Number, size: Number) -> Number:
    """Return a result; zero if it is no larger than the rounding of terms of that size."""
    return CONTEXT.mpf(0) if abs(found) < ROUNDING * size else found


def _clip(x: Number) -> Number:
    """Return the argument of asin or acos; exactly 1 or -1 if it differs from that by rounding."""
    return CONTEXT.sign(x) if abs(abs(x) - 1) < ROUNDING else x


#: Functions that may be used without brackets; FUNCTIONS adds piecewise functions, which need brackets.
BARE: Final[dict[str, Callable[..., Number]]] = {
    "sin": lambda x: settle(CONTEXT.sin(x), abs(x)), "cos": lambda x: settle(CONTEXT.cos(x), abs(x)),
    "tan": lambda x: settle(CONTEXT.tan(x), abs(x)), "asin": lambda x: CONTEXT.asin(_clip(x)),
    "acos": lambda x: CONTEXT.acos(_clip(x)), "atan": CONTEXT.atan, "atan2": CONTEXT.atan2, "sqrt": CONTEXT.sqrt,
    "exp": CONTEXT.exp, "ln": lambda x: settle(CONTEXT.ln(x), 1), "log": lambda x: settle(CONTEXT.ln(x), 1),
    "abs": abs, "sign": CONTEXT.sign,
}  # fmt: skip
FUNCTIONS: Final[dict[str, Callable[..., Number]]] = BARE | {
    "max": max, "min": min,
    "clip": lambda a, low, high: min(high, max(low, a)), "step": lambda a: (1 + CONTEXT.sign(a)) / 2,
    "where": lambda holds, yes, no: yes if holds else no, "if": lambda holds, yes, no: yes if holds else no,
}  # fmt: skip

#: Comparisons, and the sign of the difference where they hold.
COMPARED: Final = {">": 1, "<": -1}

Value = Callable[[str], Number]
Call = Callable[[str, Sequence[Number]], Number]


def number(value: float | str) -> Number:
    """Return a number of 50 digits: the decimal of a text, or the exact value of a float."""
    return CONTEXT.mpf(value)


def compute(text: str, value: Value, call: Call, bare: Collection[str] = (), declared: Collection[str] = ()) -> Number:
    """Evaluate a formula.

    Parameters
    ----------
    value : function from a name to its number
    call : function from the name of a function and its arguments to its value
    bare : names of functions that may be used without brackets
    declared : functions with f'(…) as a derivative; any other x'(…) is the rate x' times a bracket

    Raises
    ------
    UnreadError
        The text is not such a formula, or its value is not a real number.
    """
    found = _SecondReader(text, value, call, bare, declared).whole()
    if not CONTEXT.isfinite(found) or CONTEXT.im(found):
        raise UnreadError(f"{text.strip()!r:.60} has no finite value")
    return found


class _SecondReader:
    def __init__(self, text: str, value: Value, call: Call, bare: Collection[str], declared: Collection[str]) -> None:
        self.text, self.value, self.call, self.bare, self.declared = text, value, call, bare, declared
        self.tokens = [(m.group(m.lastindex or 0), m.lastindex or 0, m.end()) for m in _TOKENS.finditer(text.rstrip())]
        self.at = 0

    @property
    def sign(self) -> str:
        """The next token, or the words ``number`` and ``name`` for a token of that kind; empty at the end."""
        if self.at >= len(self.tokens):
            return ""
        text, kind, _ = self.tokens[self.at]
        return text if kind == 3 else ("number" if kind == 1 else "name")

    def take(self) -> str:
        """Return the next token and advance."""
        if self.at >= len(self.tokens):
            raise self.unread()
        self.at += 1
        return self.tokens[self.at - 1][0]

    def unread(self) -> UnreadError:
        return UnreadError(f"the formula {self.text.strip()!r:.60}")

    def whole(self) -> Number:
        found = self.sum()
        if self.sign:
            raise self.unread()
        return found

    def sum(self) -> Number:
        found = self.product()
        size = abs(found)
        while self.sign in ("+", "-"):
            term = -self.product() if self.take() == "-" else self.product()
            size = max(size, abs(term))
            found = settle(found + term, size)
        return found

    def product(self) -> Number:
        found, divided = self.read_signed(), False
        while self.sign in ("*", "/", "(", "name"):
            if self.sign == "*":
                self.take()
                found, divided = found * self.read_signed(), False
            elif self.sign == "/":
                self.take()
                found, divided = self.divide(found, self.read_signed()), True
            elif divided:
                raise UnreadError(f"a product without a sign after / in {self.text.strip()!r:.60}")
            else:
                found = found * self.power()
        return found

    def divide(self, above: Number, below: Number) -> Number:
        if not below:
            raise UnreadError(f"a division by zero in {self.text.strip()!r:.60}")
        return above / below

    def read_signed(self) -> Number:
        if self.sign in ("+", "-"):
            return self.read_signed() if self.take() == "+" else -self.read_signed()
        return self.power()

    def power(self) -> Number:
        found = self.atom()
        if self.sign == "^":
            self.take()
            exponent = self.read_signed()
            if not found and exponent < 0:
                raise self.unread()
            return found**exponent
        return found

    def atom(self) -> Number:
        kind, text = self.sign, self.take()
        if kind == "number":
            return number(text)
        if kind == "(":
            found = self.sum()
            if self.take() != ")":
                raise self.unread()
            return found
        if kind != "name":
            raise self.unread()
        _, _, end = self.tokens[self.at - 1]
        called = not text.endswith("'") or text.rstrip("'") in self.declared
        if self.sign == "(" and self.text[end : end + 1] == "(" and called and text != "@":
            return self.call(text, self.arguments())
        return self.call(text, [self.following()]) if text in self.bare else self.value(text)

    def arguments(self) -> list[Number]:
        self.take()
        found = [self.sum()]
        if self.sign in COMPARED:
            relation = self.take()
            equal = self.sign == "=" and bool(self.take())
            other = self.sum()
            apart = settle(found[0] - other, max(abs(other), abs(found[0]))) * COMPARED[relation]
            found = [number(apart > 0 or (equal and apart == 0))]
        while self.sign == ",":
            self.take()
            found.append(self.sum())
        if self.take() != ")":
            raise self.unread()
        return found

    def following(self) -> Number:
        """Evaluate the argument of a function without brackets: the product of the factors that follow."""
        if self.sign in ("+", "-"):
            return self.following() if self.take() == "+" else -self.following()
        found = self.power()
        while self.sign in ("(", "name") and not (self.sign == "name" and self.tokens[self.at][0] in self.bare):
            found = found * self.power()
        return found
