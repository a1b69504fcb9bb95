"""Formulas of numbers alone that stand where a number is read, such as ``pi/2``."""

from __future__ import annotations

import re

from ..expressions.evaluate import evaluate_float
from ..expressions.formula import parse_formula
from ..expressions.traversal import symbols
from ..limits import COUNT_DIGITS
from .written import hint


def number_hint(text: str) -> str:
    """What to write in place of a text that is no number, where that can be told; else empty."""
    return hint(text) or _value(text.strip())


def _value(text: str) -> str:
    if not re.search(r"[0-9]|pi", text) or re.search(rf"[0-9]{{{COUNT_DIGITS},}}|\^", text):
        return ""
    try:
        formula = parse_formula(text)
        return "" if symbols([formula]) else f"a number, no formula: write {evaluate_float(formula, {})!r}"
    except Exception:  # whatever is wrong with a text that is no formula either
        return ""
