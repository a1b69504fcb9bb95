"""Expressions in a prime field: a test of equality for all states and parameters, without a tolerance.

A graph of rationals, symbols, + - x /, whole powers, sines and cosines is a rational function of its symbols and of
exponentials. Two are equal exactly when they are equal as such functions, and that a random point of a large prime
field decides (Schwartz 1980, Zippel 1979): :func:`compare`, :func:`vanish`. Many scalars at the same points:
:class:`Sample`. The values themselves, of every node: :class:`Plan`, :class:`Point`.
"""

from .plan import Plan
from .point import Point, Value, points
from .sample import Sample, compare, vanish
from .sizes import Size
from .verdict import CERTAINTY, DIFFERS, IDENTICAL, UNDECIDED, Chance, Verdict

__all__ = [
    "CERTAINTY",
    "DIFFERS",
    "IDENTICAL",
    "UNDECIDED",
    "Chance",
    "Plan",
    "Point",
    "Sample",
    "Size",
    "Value",
    "Verdict",
    "compare",
    "points",
    "vanish",
]
