"""Verify a certificate of a difference. This file needs its neighbour verify_certificate.py and nothing else.

Below the models and programs of such a certificate stand ``state NAME=NUMBER ...`` and lines ``differs QUANTITY ENTRY
PROGRAM PROGRAM AMOUNT``. The programs are evaluated at the state, in intervals that hold all errors of rounding.
Intervals that are so far apart are a proof, without any probability.

Exit code: 0 everything is proved, 1 something is refused, 2 a file is not readable.
"""

import re
import sys
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isqrt

if __package__:
    from .verify_certificate import MAX_DIVISORS, NAME, NUMBER, Certificate, Run, expect, main, prove
else:
    from verify_certificate import MAX_DIVISORS, NAME, NUMBER, Certificate, Run, expect, main, prove

STATE = rf"state(?: {NAME}'{{0,2}}={NUMBER})+"
DIFFERS = rf"differs (\w+) ([1-9]\d{{0,3}}(?:,[1-9]\d{{0,3}})?) ({NAME}) ({NAME}) ({NUMBER})"
BITS, TERMS, LARGEST = 1000, 600, 60  # 60^600 / 600! < 2^-1000


class Interval:
    """All numbers from ``low`` to ``high``, in units of 2^-1000."""

    def __init__(self, low=0, high=0):
        self.low, self.high = low, high
        prove(max(abs(low), abs(high)).bit_length() < 20 * BITS, "a number above 2^19000")

    def __add__(self, other):
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other):
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other):
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners) >> BITS, -(-max(corners) >> BITS))


class Intervals:
    """Operations on intervals, which give values of programs at the state of a certificate."""

    def __init__(self, text):
        arcs = [
            ((-1) ** k * f << BITS) // (d ** (2 * k + 1) * (2 * k + 1))
            for k in range(300)
            for f, d in ((16, 5), (-4, 239))
        ]
        self.state = {name: self.number(x) for name, x in text.state.items()}
        self.state["pi"], self.left = Interval(sum(arcs) - 1, sum(arcs) + 601), MAX_DIVISORS  # Machin 1706
        self.roots = {q: self.function("#root", [self.number(Fraction(q))]) for q in text.primes}

    def lookup(self, name):
        """Return the value of a symbol."""
        prove(name in self.state, f"the state has no number for {name}")
        return self.state[name]

    def number(self, x):
        """Return an interval around a rational number."""
        return Interval((x.numerator << BITS) // x.denominator, -((-x.numerator << BITS) // x.denominator))

    def inverse(self, x):
        """Return 1 / x."""
        prove(not x.low <= 0 <= x.high, "a division by what may be zero")
        return Interval((1 << 2 * BITS) // x.high, -(-(1 << 2 * BITS) // x.low))

    def function(self, name, arguments):
        """Return a root, an exponential or a sign; refuse other functions, whose values are not known."""
        x = arguments[0]
        known = name == "exp" or (name == "#root" and x.low >= 0) or (name == "sign" and not x.low <= 0 <= x.high)
        prove(known and len(arguments) == 1, f"the value of {'a root' if name == '#root' else name} is not known here")
        if name == "exp":
            return sum(self.sum_powers(x), Interval())
        if name == "sign":
            return self.number(Fraction(1 if x.low > 0 else -1))
        return Interval(isqrt(x.low << BITS), isqrt(x.high << BITS) + 1)

    def turn(self, angle):
        """Return sine and cosine of an angle, given as a sum of factor times base."""
        sums = self.sum_powers(sum((self.number(factor) * base for factor, _, base in angle), Interval()))
        return sums[1] - sums[3], sums[0] - sums[2]

    def sum_powers(self, x):
        """Return four sums over every fourth term of the series of exp; the remainder is below 2^-1000."""
        sums, term, self.left = [Interval(-1, 1)] * 4, self.number(Fraction(1)), self.left - 1
        fits = max(-x.low, x.high) >> BITS < LARGEST and self.left >= 0
        prove(fits, f"an angle or exponent above {LARGEST}, or more than {MAX_DIVISORS} of these")
        for k in range(1, TERMS):
            sums[(k - 1) % 4], term = sums[(k - 1) % 4] + term, term * x
            term = Interval(term.low // k, -(-term.high // k))
        return sums


class Difference(Certificate):
    """A certificate that was read: models, programs, a state, and lower bounds of differences at that state."""

    def __init__(self, data):
        self.state, self.differences = {}, []
        super().__init__(data)
        expect(self.differences, "no line begins with 'differs'")

    def begin(self, line):
        """Read a line outside of models and programs."""
        kind, *words = line.split(" ")
        if kind not in ("state", "differs"):
            return super().begin(line)
        found = re.fullmatch(STATE if kind == "state" else DIFFERS, line, re.ASCII)
        fits = found and max(map(len, words)) <= 1000
        expect(fits, "state NAME=NUMBER ..., differs QUANTITY ENTRY PROGRAM PROGRAM AMOUNT")
        if kind == "state":
            pairs = [word.split("=") for word in words]
            expect(not self.state and len(dict(pairs)) == len(pairs), "the state or a symbol of it stands twice")
            self.state = {name: Fraction(value) for name, value in pairs}
        else:
            fits = self.state and {found[3], found[4]} <= self.programs.keys() and Fraction(found[5]) > 0
            fits = fits and len(self.differences) < 10
            expect(fits, "a difference is above 0 and of two programs, below their state")
            rows = [x for name in found.groups()[2:4] for x in self.programs[name].items if x[0] == "scale"]
            expect(found[1] not in ("D", "gamma") or not rows, "rows of a program that scales them are not compared")
            self.differences.append((*found.groups()[:4], Fraction(found[5])))
        return None


def verify(data, require=(), seed=None):
    """Return the lines that say what a certificate of a difference proves; raise if it does not."""
    prove(not require, "a certificate of a difference proves no quantity")
    text, lines = Difference(data), []
    algebra = Intervals(text)
    found = {name: Run(text.programs[name], algebra).tables() for x in text.differences for name in x[2:4]}
    for quantity, entry, first, other, amount in text.differences:
        i, j = map(int, f"1,{entry}".split(",")[-2:])
        rows = [found[name].get(quantity, [[]]) for name in (first, other)]
        fits = all(i <= len(x) and j <= len(x[0]) for x in rows) and ("," in entry) == (quantity in ("M", "D"))
        expect(fits, f"there is no {quantity} {entry} of {first} and {other}")
        x, y = (x[i - 1][j - 1] for x in rows)
        fits = max(x.low - y.high, y.low - x.high) >= amount * 2**BITS
        prove(fits, f"{quantity} {entry} of {first} and {other} is not shown to be so far apart")
        low = Context(15, ROUND_FLOOR).divide(*map(Decimal, amount.as_integer_ratio()))
        lines.append(f"{quantity} {entry} of {first} and {other} at least {low} apart")
    lines.append("proved (by intervals that hold all rounding, without any probability)")
    lines.append("At the state of the file the programs differ so much: these are two functions; no more is proved.")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(decide=verify))
