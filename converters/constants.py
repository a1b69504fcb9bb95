"""Formulas of a model as numbers, for formats without formulas: with parameters substituted, at t = 0."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isfinite

from mpmath import mp, mpf

from mbconcord.model import Diagnostic, System
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.expressions import (
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    evaluate,
    mpmath_arithmetic,
    substitute,
    symbol,
    symbols,
    undefined_functions,
)
from mbconcord.model.expressions.text import decimal
from mbconcord.model.expressions.traversal import in_order
from mbconcord.model.functions import Definitions

#: Digits of computations whose result is rounded to the double that is written.
DIGITS = 40
#: Longer decimals are written as the nearest double.
LONGEST = 24
PRECISE = mpmath_arithmetic(DIGITS)


class ConstantReader:
    """Evaluator of formulas to numbers; those without a value are recorded in ``missing``, by place.

    ``where`` names the written text in messages: ``"a URDF"``.
    """

    def __init__(self, system: System, where: str) -> None:
        self.alone = f"{where} has numbers alone"
        self.definitions = Definitions(system.functions)
        self.missing: dict[str, Diagnostic] = {}
        self.used: set[str] = set()
        self.names = {p.name for p in system.parameters}
        self.known: dict[Expression, Expression] = {TIME: ZERO}
        values = {p.name: p.value for p in system.parameters if p.value is not None}
        for name in in_order({name: symbols([value]) for name, value in values.items()}):
            if name in values:
                self.known[symbol(name)] = self._put_in(f"parameters/{name}", values[name])

    def _put_in(self, place: str, formula: Expression) -> Expression:
        try:
            (found,) = self.definitions.apply([formula])
            return substitute([found], self.known)[0]
        except ExpressionError as problem:
            self.missing[place] = error(place, str(problem), self.alone)
            return ZERO

    def formula(self, place: str, formula: Expression) -> Expression:
        """Insert the values of parameters into a formula; record parameters and functions without values as missing."""
        self.used |= symbols([formula])
        found = self._put_in(place, formula)
        for name in sorted(symbols([found]) & self.names):
            remedy = f"{self.alone}: set it, for example --set {name}=1"
            self.missing[name] = error(f"parameters/{name}", "has no value", remedy)
        for name in sorted(undefined_functions([found])):
            remedy = f"{self.alone}; {place} uses it"
            self.missing[f"{name}()"] = error(f"functions/{name}", "has no formula", remedy)
        return found

    def value(self, place: str, formula: Expression) -> Expression:
        """Evaluate a formula to a constant; zero if it has no value, which is recorded as missing."""
        found = self.formula(place, formula)
        return found if found.constant else ZERO

    def precise(self, place: str, formula: Expression) -> mpf:
        """Evaluate a formula in many digits."""
        try:
            with mp.workdps(DIGITS):
                return mpf(evaluate([self.value(place, formula)], {}, PRECISE)[0])
        except (ExpressionError, ZeroDivisionError) as problem:
            self.missing[place] = error(place, str(problem), self.alone)
            return mpf(0)

    def text(self, place: str, formula: Expression) -> str:
        """Write the number of a formula: an exact decimal if possible, else the nearest double."""
        found = self.value(place, formula)
        return self.exact(found) or format_number(self.precise(place, formula))

    @staticmethod
    def exact(formula: Expression) -> str:
        """Return a formula's value as an exact decimal; empty if it is none or is longer than :data:`LONGEST`."""
        found = decimal(abs(formula.value)) if formula.op == "num" else None
        if found is None or len(found) > LONGEST:
            return ""
        return f"-{found}" if formula.value < 0 else found

    def texts(self, place: str, formulas: Iterable[Expression]) -> str:
        """Write several numbers, with blanks between them."""
        return " ".join(self.text(place, formula) for formula in formulas)


def format_number(value: mpf | float) -> str:
    """Write the nearest double in the fewest digits that identify it.

    Raises
    ------
    WriteError
        The value is beyond the range of floats, or is not a number.
    """
    nearest = float(value)
    if not isfinite(nearest):
        raise WriteError(error("numbers", "a number is beyond the range of floats", "no program can read it"))
    if abs(nearest) < 1e15 and nearest == int(nearest):
        return repr(int(nearest))
    text = decimal(Fraction(repr(abs(nearest)))) or repr(abs(nearest))
    return f"-{text}" if nearest < 0 else text
