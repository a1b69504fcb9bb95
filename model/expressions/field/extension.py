"""The quadratic extension F_p(s), s² = a non-residue: there every element of F_p has a square root.

Elements of F_p itself stay whole numbers, so that nothing costs more where no root is met. ``x % p`` of an element
outside F_p is the element: a loop that reduces after every operation needs to know nothing of it.
"""

from __future__ import annotations

from .primes import Prime


class Extended:
    """An element a + b s of the extension with b not zero; :func:`make_extended` makes the first, operations others."""

    __slots__ = ("a", "b", "field")

    def __init__(self, a: int, b: int, field: Prime) -> None:
        self.a, self.b, self.field = a, b, field

    def __add__(self, other: int | Extended) -> int | Extended:
        if isinstance(other, Extended):
            return make_extended(self.a + other.a, self.b + other.b, self.field)
        return Extended((self.a + other) % self.field.p, self.b, self.field)

    __radd__ = __add__

    def __neg__(self) -> Extended:
        p = self.field.p
        return Extended(-self.a % p, -self.b % p, self.field)

    def __sub__(self, other: int | Extended) -> int | Extended:
        return self + -other

    def __rsub__(self, other: int) -> int | Extended:
        return -self + other

    def __mul__(self, other: int | Extended) -> int | Extended:
        if isinstance(other, Extended):
            real = self.a * other.a + self.field.nonresidue * self.b * other.b
            return make_extended(real, self.a * other.b + self.b * other.a, self.field)
        return make_extended(self.a * other, self.b * other, self.field)

    __rmul__ = __mul__

    def __mod__(self, p: int) -> Extended:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extended) and self.a == other.a and self.b == other.b

    def __hash__(self) -> int:
        return hash((self.a, self.b))

    @property
    def norm(self) -> int:
        """The norm (a + b s)(a - b s), an element of F_p."""
        return (self.a * self.a - self.field.nonresidue * self.b * self.b) % self.field.p

    def inverse(self) -> Extended:
        """Return 1 / (a + b s)."""
        p = self.field.p
        scale = pow(self.norm, -1, p)
        return Extended(self.a * scale % p, -self.b * scale % p, self.field)


def make_extended(a: int, b: int, field: Prime) -> int | Extended:
    """Return a + b s, an integer if b is zero."""
    a, b = a % field.p, b % field.p
    return Extended(a, b, field) if b else a


def is_square(n: int, p: int) -> bool:
    """Return True if an integer is a square in F_p."""
    return n == 0 or pow(n, (p - 1) // 2, p) == 1


def root_in_field(n: int, field: Prime) -> int:
    """Return one of the two roots in F_p of a square (Shanks 1973)."""
    p = field.p
    if n == 0:
        return 0
    twos = (p - 1 & 1 - p).bit_length() - 1
    odd = p - 1 >> twos
    half = pow(n, odd // 2, p)
    root, rest = half * n % p, half * half % p * n % p
    step = pow(field.nonresidue, odd, p)
    while rest != 1:
        order, square = 0, rest
        while square != 1:
            square = square * square % p
            order += 1
        factor = pow(step, 1 << twos - order - 1, p)
        twos, step = order, factor * factor % p
        root, rest = root * factor % p, rest * step % p
    return root


def square_root(v: int | Extended, field: Prime) -> int | Extended | None:
    """Return one of the two roots in F_p(s); None for an element of F_p(s) that is not a square there."""
    p, delta = field.p, field.nonresidue
    if not isinstance(v, Extended):
        if is_square(v, p):
            return root_in_field(v, field)
        return Extended(0, root_in_field(v * pow(delta, -1, p) % p, field), field)
    if not is_square(v.norm, p):
        return None
    size = root_in_field(v.norm, field)
    real = (v.a + size) * pow(2, -1, p) % p  # of (v.a ± size)/2 one is a square, as their product is delta (v.b/2)²
    if not is_square(real, p):
        real = (real - size) % p
    x = root_in_field(real, field)
    return make_extended(x, v.b * pow(2 * x, -1, p), field)


def inverse(v: int | Extended, p: int) -> int | Extended:
    """Return 1 / v; :class:`ZeroDivisionError` for zero."""
    if isinstance(v, Extended):
        return v.inverse()
    if v == 0:
        raise ZeroDivisionError
    return pow(v, -1, p)


def power(v: int | Extended, n: int, p: int) -> int | Extended:
    """Return v^n for an integer n; :class:`ZeroDivisionError` for zero to a negative power."""
    if not isinstance(v, Extended):
        return pow(v, n, p) if n >= 0 else inverse(pow(v, -n, p), p)
    base: int | Extended = v if n >= 0 else v.inverse()
    result: int | Extended = 1
    for bit in f"{abs(n):b}":
        result = result * result % p
        if bit == "1":
            result = result * base % p
    return result
