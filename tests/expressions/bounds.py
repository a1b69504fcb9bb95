"""Values with bounds of their rounding in doubles: what evaluators and generated code may be off by."""

import math

from mbconcord.model.expressions import Arithmetic, evaluate

from .recipes import compute

EPS = 2.0**-52


class IrregularError(Exception):
    """A state near a pole, a jump, a cancellation or an overflow, where rounding decides."""


class Bounded:
    """A float with a first-order bound on its rounding error, the tolerance of every comparison here."""

    def __init__(self, value, error=0.0):
        regular = math.isfinite(value) and abs(value) < 1e12 and error <= 1e-6 * abs(value)
        if not regular:  # the first order is no bound any more
            raise IrregularError
        self.value, self.error = value, error

    def made(self, value, *shares):
        return Bounded(value, sum(shares) * 1.01 + 4 * EPS * abs(value))

    def __add__(self, o):
        return self.made(self.value + o.value, self.error, o.error)

    def __sub__(self, o):
        return self.made(self.value - o.value, self.error, o.error)

    def __neg__(self):
        return Bounded(-self.value, self.error)

    def __mul__(self, o):
        return self.made(self.value * o.value, abs(o.value) * self.error, abs(self.value) * o.error)

    def __truediv__(self, o):
        value = self.value / o.value
        return self.made(value, self.error / abs(o.value), abs(value / o.value) * o.error)

    def through(self, function, slope):
        return self.made(function(self.value), abs(slope(self.value)) * self.error)

    def power(self, exponent):
        value = math.pow(self.value, exponent.value)
        shares = abs(exponent.value * value / self.value) * self.error if value else self.error
        return self.made(value, shares, abs(value * math.log(abs(self.value))) * exponent.error if value else 0)

    def atan2(self, o):
        norm = self.value**2 + o.value**2
        value = math.atan2(self.value, o.value)
        if o.value <= 0 and abs(self.value) <= 1e3 * self.error:  # at the cut
            raise IrregularError
        return self.made(value, abs(o.value) / norm * self.error, abs(self.value) / norm * o.error)

    def jump(self):
        if self.error and abs(self.value) <= 1e3 * self.error:
            raise IrregularError
        return Bounded(math.copysign(1, self.value) if self.value else 0.0)


def _away(value):
    if abs(1 - abs(value)) < 1e-6:
        raise IrregularError
    return 1 / math.sqrt(1 - value * value)


BOUNDED = Arithmetic(
    "bounded",
    lambda n: Bounded(float(n), EPS * abs(float(n))),
    Bounded(math.pi, EPS),
    {
        "sin": lambda u: u.through(math.sin, math.cos),
        "cos": lambda u: u.through(math.cos, math.sin),
        "tan": lambda u: u.through(math.tan, lambda v: 1 + math.tan(v) ** 2),
        "asin": lambda u: u.through(math.asin, _away),
        "acos": lambda u: u.through(math.acos, _away),
        "atan": lambda u: u.through(math.atan, lambda v: 1 / (1 + v * v)),
        "atan2": Bounded.atan2,
        "sqrt": lambda u: u.through(math.sqrt, lambda v: 0.5 / math.sqrt(v)),
        "exp": lambda u: u.through(math.exp, math.exp),
        "log": lambda u: u.through(math.log, lambda v: 1 / v),
        "abs": lambda u: Bounded(abs(u.value), u.error),
        "sign": Bounded.jump,
    },
    Bounded.power,
    lambda v: v if isinstance(v, Bounded) else Bounded(float(v)),
)
#: f(u, v) = u v and derivatives, JK(u) = 3 u and derivatives: simple enough for every arithmetic.
MEANING = {
    "JK": lambda orders, u: [u + u + u, u - u + 3.0, u - u][min(orders[0], 2)],
    "f": lambda orders, u, v: _product(orders, u, v),
}
BOUNDED_MEANING = {
    "JK": lambda orders, u: [u + u + u, Bounded(3.0), Bounded(0.0)][min(orders[0], 2)],
    "f": lambda orders, u, v: {(0, 0): u * v, (1, 0): v, (0, 1): u, (1, 1): Bounded(1.0)}.get(orders, Bounded(0.0)),
}


def bound_of(recipe, e, values):
    """Bound of the rounding error of a graph, or None where a value on the way is not regular."""
    try:
        compute(recipe, values, BOUNDED, BOUNDED_MEANING)
        return evaluate([e], values, BOUNDED, BOUNDED_MEANING)[0].error
    except (IrregularError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _product(orders, u, v):
    return {(0, 0): u * v, (1, 0): v, (0, 1): u, (1, 1): u - u + 1.0}.get(orders, u - u)
