"""Tables as functions of one argument: linear, or smooth monotone cubic; knots and coefficients are exact rationals.

Piece i holds from knot i to the next, as a polynomial in s = x - knot i; at a knot the piece to the right holds, at the
last one that to the left. The slopes of the cubic are those of Fritsch and Butland (1984): harmonic means of the slopes
beside a knot, zero where these differ in sign, and three-point slopes at both ends.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ..limits import TABLE_ROWS, count, too_many
from .node import ExpressionError

#: How values are found between the rows, and beyond the first and the last.
METHODS: Final = ("linear", "cubic")
BEYOND: Final = ("refuse", "hold", "extend")
#: Degree of the pieces.
_DEGREE: Final = {"linear": 1, "cubic": 3}
#: Larger numbers and coefficients are no floats, or their derivatives are none.
LARGEST: Final = 10**300
#: Refusal of a row too many.
FEWER_ROWS: Final = f"{too_many('more', 'rows', TABLE_ROWS)}: keep fewer, every tenth one for example"
#: The word for a table in formulas.
TABLE: Final = "table"

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
Piece = tuple[Fraction, ...]


class RowError(ExpressionError):
    """A row that a table cannot have; ``row`` counts from 1."""

    def __init__(self, row: int, message: str) -> None:
        super().__init__(f"row {row}: {message}")
        self.row, self.message = row, message


class Interpolant:
    """Function through the rows of a table, or its derivative: data of a node, equal by content.

    Attributes
    ----------
    x, y : exact arguments, which increase, and values
    method : ``linear`` or ``cubic``
    beyond : ``refuse``, ``hold`` (the values at the ends) or ``extend`` (straight on)
    order : int
        How often it is differentiated.

    Raises
    ------
    ExpressionError
        The rows are no table; :class:`RowError` names the row.
    """

    def __init__(
        self, x: Sequence[Fraction], y: Sequence[Fraction], method: str = "linear", beyond: str = "refuse",
        order: int = 0,
    ) -> None:  # fmt: skip
        if method not in METHODS or beyond not in BEYOND:
            wrong, known = (method, METHODS) if method not in METHODS else (beyond, BEYOND)
            raise ExpressionError(f"{wrong!r} is no way to read a table: write one of {', '.join(known)}")
        if len(x) != len(y):
            raise ExpressionError(f"{count(len(x), 'argument')} and {count(len(y), 'value')}: every row has both")
        if len(x) < 2:
            raise ExpressionError(f"a table needs two rows at least, found {len(x)}")
        if len(x) > TABLE_ROWS:
            raise RowError(TABLE_ROWS + 1, FEWER_ROWS)
        for row, (a, b) in enumerate(pairwise(x), 2):
            if not b > a:
                raise RowError(row, f"the argument {_shown(b)} does not lie beyond {_shown(a)} (arguments increase)")
        self.x, self.y, self.method, self.beyond, self.order = tuple(x), tuple(y), method, beyond, order
        for of in (zip(x, y, strict=True), () if order else self.pieces[1:-1]):
            for row, numbers in enumerate(of, 1):
                if max(map(abs, numbers or ())) > LARGEST:
                    raise RowError(row, "its numbers or slopes are beyond the range of floats")
        content = repr((self.x, self.y, method, beyond)).encode()
        self.key: Final = int.from_bytes(blake2b(content, digest_size=7).digest(), "big")

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Interpolant)
            and (self.key, self.order, self.method, self.beyond) == (other.key, other.order, other.method, other.beyond)
            and self.x == other.x
            and self.y == other.y
        )

    def __hash__(self) -> int:
        return hash((self.key, self.order))

    def __repr__(self) -> str:
        return f"{TABLE}_{self.key:014x}{chr(39) * self.order}"

    @property
    def label(self) -> str:
        """Name made from the table's content, the same in every process; without primes."""
        return f"{TABLE}_{self.key % 16**8:08x}"

    @property
    def ends(self) -> str:
        """First and last argument of the table in words."""
        return f"from {_shown(self.x[0])} to {_shown(self.x[-1])}"

    @property
    def broken(self) -> bool:
        """True if the slope of the function jumps at rows."""
        return not self.order and self.method == "linear" and (len(self.x) > 2 or self.beyond == "hold")

    @property
    def stops(self) -> list[Fraction]:
        """Ends of a smooth table at which the slope jumps, because the value is held constant beyond."""
        if self.order or self.method != "cubic" or self.beyond != "hold":
            return []
        slopes = self.differentiated()
        return [x for x in (self.x[0], self.x[-1]) if slopes.over(Fraction)(x)]

    def corners(self, slopes: bool = True) -> list[Fraction]:
        """List the arguments at which the value of the function, or its slope, jumps from piece to piece."""
        steps = [Fraction(0), *(b - a for a, b in pairwise(self.x))]
        return [
            x for x, s, left, right in zip(self.x, steps, self.pieces, self.pieces[1:], strict=False)
            if left is not None and right is not None and any(
                sum((c * (k if of else 1) * s ** (k - of) for k, c in enumerate(left) if k >= of), Fraction(0))
                != (right[of] if of < len(right) else 0) for of in range(1 + slopes)
            )
        ]  # fmt: skip

    @cached_property
    def jumps(self) -> tuple[tuple[Fraction, Piece], ...]:
        """Knots at which the polynomial changes, each with the difference of the two polynomials in powers of x - knot.

        For a table that ends, only the knots between its ends.
        """
        steps = [Fraction(0), *(b - a for a, b in pairwise(self.x))]
        found = []
        for x, h, left, right in zip(self.x, steps, self.pieces, self.pieces[1:], strict=False):
            if left is None or right is None:
                continue
            wide = [*right, *[Fraction(0)] * len(left)]
            moved = (sum(math.comb(n, k) * c * h ** (n - k) for n, c in enumerate(left) if n >= k) for k in range(4))
            apart = tuple(b - a for a, b in zip(moved, wide, strict=False))
            found += [(x, apart)] if any(apart) else []
        return tuple(found)

    def thin_out(self) -> Interpolant:
        """Return the same function by the rows of a linear table where its slope changes, and by its ends."""
        if self.method != "linear" or self.order or not self.jumps:
            return self
        rows, value = {x for x, _ in self.jumps}, self.over(Fraction)
        if self.beyond == "refuse":
            rows |= {self.x[0], self.x[-1]}
        elif self.beyond == "extend":
            rows |= {min(rows) - 1, max(rows) + 1}
        x = sorted(rows)
        return Interpolant(x, [value(z) for z in x], self.method, self.beyond)

    @property
    def vanishes(self) -> bool:
        """True if this derivative is zero everywhere, because its order exceeds the degree of the pieces."""
        return self.order > _DEGREE[self.method]

    def differentiated(self) -> Interpolant:
        """Return the derivative of this function."""
        return Interpolant(self.x, self.y, self.method, self.beyond, self.order + 1)

    @cached_property
    def pieces(self) -> tuple[Piece | None, ...]:
        """Coefficients of s⁰, s¹, … before the first knot, between knots, and beyond the last; None: refused."""
        steps = [b - a for a, b in pairwise(self.x)]
        rises = [(b - a) / h for a, b, h in zip(self.y, self.y[1:], steps, strict=False)]
        if self.method == "linear":
            inner: list[Piece] = [(y, d) for y, d in zip(self.y, rises, strict=False)]
            first, last = rises[0], rises[-1]
        else:
            m = _slopes(steps, rises)
            inner = [
                (y, m[i], (3 * rises[i] - 2 * m[i] - m[i + 1]) / h, (m[i] + m[i + 1] - 2 * rises[i]) / h**2)
                for i, (y, h) in enumerate(zip(self.y, steps, strict=False))
            ]
            first, last = m[0], m[-1]
        before: Piece | None = None
        after: Piece | None = None
        if self.beyond != "refuse":
            going = self.beyond == "extend"
            before, after = (self.y[0], first * going), (self.y[-1], last * going)
        return tuple(None if p is None else self._differentiate(p) for p in (before, *inner, after))

    def _differentiate(self, piece: Piece) -> Piece:
        for _ in range(self.order):
            piece = tuple(k * c for k, c in enumerate(piece))[1:] or (Fraction(0),)
        return piece

    def over(self, number: Callable[[Fraction], Any]) -> Callable[[Any], Any]:
        """Return this function over the scalars of an arithmetic, which ``number`` makes of rationals.

        It raises ValueError beyond a table that ends there.
        """
        knots = [number(x) for x in self.x]

        def function(a: Any) -> Any:
            if a != a:
                raise ValueError("not a number")
            i = len(knots) - 1 if a == knots[-1] else bisect_right(knots, a)
            piece = self.pieces[i]
            if piece is None:
                raise ValueError(f"{_shown(a)} is beyond the table, which goes {self.ends} ({REMEDY})")
            s, total = a - (knots[i - 1] if i else knots[0]), number(piece[-1])
            for c in piece[-2::-1]:
                total = total * s + number(c)
            return total + 0 * s

        return function

    @cached_property
    def of_one(self) -> Callable[[float], float]:
        """This function for one float argument."""
        return self.over(float)

    @cached_property
    def floats(self) -> tuple[Array, Array]:
        """Knots (n,) and coefficients (n + 1, degree + 1) as floats; NaN beyond the ends of a table that ends."""
        import numpy as np

        width = max(len(p) for p in self.pieces if p is not None)
        rows = np.zeros((len(self.pieces), width))
        for row, piece in zip(rows, self.pieces, strict=True):
            row[: width if piece is None else len(piece)] = np.nan if piece is None else [float(c) for c in piece]
        return np.array([float(x) for x in self.x]), rows

    def __call__(self, a: Any, out: Any = None) -> Any:
        """Evaluate over NumPy; NaN beyond a table that ends there."""
        import numpy as np

        knots, rows = self.floats
        a = np.asarray(a, dtype=float)
        i = np.where(a == knots[-1], len(knots) - 1, np.searchsorted(knots, a, side="right"))
        s, c = a - knots[np.maximum(i - 1, 0)], rows[i]
        total = c[..., -1]
        for k in range(c.shape[-1] - 2, -1, -1):
            total = total * s + c[..., k]
        return np.add(total, 0 * s, out=out)

    @cached_property
    def _spans(self) -> tuple[Array, Array, bool]:
        """Jumps at the knots, infinite where the table ends; and True if all knots are floats."""
        import numpy as np

        jumps = []
        for i, x in enumerate(self.x):
            left, right = self.pieces[i], self.pieces[i + 1]
            if left is None or right is None:
                jumps.append(math.inf)
                continue
            s = x - self.x[max(i - 1, 0)]
            jumps.append(abs(float(sum((c * s**k for k, c in enumerate(left)), Fraction(0)) - right[0])))
        whole = all(Fraction(float(x)) == x for x in self.x)
        sizes = np.array([math.inf if p is None else 1.0 for p in self.pieces])
        return np.array(jumps), sizes, whole

    def bound(self, v: Array, a: Array, e: Array, u: float) -> Array:
        """Bound the error of the value at arguments with error bounds e; u is the rounding of a float.

        The sum of e times the steepest slope of the pieces in reach, jumps of knots in reach, and roundings of s, of
        the coefficients and of Horner's rule. An argument that may be beyond the end of a table, or reaches over more
        than one knot, has no bound.
        """
        import numpy as np

        knots, rows = self.floats
        jumps, ends, whole = self._spans
        last, degree = len(knots), rows.shape[1] - 1
        reach = e * (1 + 4 * u) + (0 if whole else 2 * u * np.maximum(np.abs(a), np.abs(knots).max()))
        low, high = (np.searchsorted(knots, a - reach, side="right"), np.searchsorted(knots, a + reach, side="right"))
        at = (a == knots[-1]) & (reach == 0)
        low, high = np.where(at, last - 1, low), np.where(at, last - 1, high)
        far, steep = np.zeros_like(a), np.zeros_like(a)
        for i in (low, high):
            anchors = knots[np.maximum(i - 1, 0)]
            s = np.abs(a - anchors)
            off = reach + u * (s + np.abs(anchors) * (not whole))
            c = np.abs(rows[i])
            slope = sum((k * c[..., k] * (s + off) ** (k - 1) for k in range(1, degree + 1)), np.zeros_like(a))
            size = sum((c[..., k] * (s + off) ** k for k in range(degree + 1)), np.zeros_like(a))
            steep = np.maximum(steep, slope * off)
            far = np.maximum(far, 2 * (degree + 2) * u * size)
            far = np.where(np.isfinite(ends[i]), far, np.inf)
        crossed = np.where(low == high, 0.0, jumps[np.minimum(low, last - 1)])
        found: Array = np.where(high - low > 1, np.inf, 2 * steep * (low != high) + steep + far + crossed)
        return found

    def to_json(self) -> dict[str, Any]:
        """Convert to plain data; :func:`from_json` reads it."""
        return {
            "x": [str(z) for z in self.x], "y": [str(z) for z in self.y],
            "method": self.method, "beyond": self.beyond, "order": self.order,
        }  # fmt: skip


#: What helps where an argument is beyond a table.
REMEDY: Final = "beyond: hold or extend"


def from_json(data: Any) -> Interpolant:
    """Rebuild a table of :meth:`Interpolant.to_json`; anything else raises a ValueError or a relative of it."""
    x, y = ([Fraction(z) for z in data[key]] for key in "xy")
    order = data["order"]
    if set(data) != {"x", "y", "method", "beyond", "order"} or type(order) is not int or not 0 <= order <= 3:
        raise ExpressionError("a table has x, y, method, beyond and order")
    return Interpolant(x, y, data["method"], data["beyond"], order)


def _slopes(steps: Sequence[Fraction], rises: Sequence[Fraction]) -> list[Fraction]:
    """Return the slopes of the monotone cubic at all knots."""
    if len(rises) == 1:
        return [rises[0], rises[0]]
    inner = []
    for h, g, d, e in zip(steps, steps[1:], rises, rises[1:], strict=False):
        w, v = 2 * g + h, g + 2 * h
        inner.append((w + v) / (w / d + v / e) if d * e > 0 else Fraction(0))
    ends = [_end(*steps[:2], *rises[:2]), _end(*steps[:-3:-1], *rises[:-3:-1])]
    return [ends[0], *inner, ends[1]]


def _end(h: Fraction, g: Fraction, d: Fraction, e: Fraction) -> Fraction:
    """Return the three-point slope at an end, kept so that the values stay monotone."""
    slope = ((2 * h + g) * d - h * e) / (h + g)
    if slope * d <= 0:
        return Fraction(0)
    return 3 * d if d * e <= 0 and abs(slope) > 3 * abs(d) else slope


def _shown(value: Any) -> str:
    return f"{float(value):.6g}"
