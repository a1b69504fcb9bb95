"""Text of LLVM: the type of a vector of states, and a writer of instructions that names their results."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from mbconcord.records import dataclass


@dataclass(frozen=True, slots=True)
class Vector:
    """W numbers of one type.

    Attributes
    ----------
    scalar : ``double`` or ``float``
    width : int
        W, a power of two.
    """

    scalar: str
    width: int

    @property
    def size(self) -> int:
        """Bytes of a number."""
        return 8 if self.scalar == "double" else 4

    @property
    def bytes(self) -> int:
        """Bytes of the vector."""
        return self.size * self.width

    @property
    def whole(self) -> str:
        """The type of whole numbers of the same size."""
        return f"i{8 * self.size}"

    @property
    def suffix(self) -> str:
        """Suffix of intrinsic functions: ``v8f64``."""
        return f"v{self.width}f{8 * self.size}"

    def with_scalar(self, scalar: str) -> str:
        """Return the vector type of another scalar, of the same width."""
        return f"<{self.width} x {scalar}>"

    def __str__(self) -> str:
        return self.with_scalar(self.scalar)

    def splat(self, value: float) -> str:
        """Write the constant with that number, rounded to the type, in every lane."""
        with np.errstate(over="ignore"):
            held = value if self.size == 8 else float(np.float32(value))
        return f"splat ({self.scalar} {literal(held)})"


def literal(value: float) -> str:
    """Write a float exactly as LLVM does; a ``float`` as the double of the same value."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def as_double(value: str, scalar: str) -> str:
    """Write the instruction that converts a number to double, even if it is one."""
    return f"fpext float {value} to double" if scalar == "float" else f"fadd double {value}, {literal(-0.0)}"


def from_double(value: str, scalar: str) -> str:
    """Write the instruction that rounds a double to a type."""
    how = f"fptrunc double {value} to float"
    return how if scalar == "float" else f"fadd double {value}, {literal(-0.0)}"


class Writer:
    """Instructions of one function, one a line.

    The arithmetic below is of one type, ``vector``. Operations are never reassociated or contracted: what is written
    is what is rounded.
    """

    def __init__(self, vector: Vector, fused: bool = True, stem: str = "v", lines: list[str] | None = None) -> None:
        self.vector = vector
        self.fused = fused
        self.lines: list[str] = [] if lines is None else lines
        self.block = "entry"
        self._stem = stem

    def with_vector(self, vector: Vector, fused: bool) -> Writer:
        """Return a writer into the same function with arithmetic of another type."""
        return Writer(vector, fused, self._stem, self.lines)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def let(self, text: str) -> str:
        """Write an instruction and return the name of its result."""
        name = f"%{self._stem}{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Write an instruction without result."""
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")
        self.block = name

    def fresh(self, stem: str) -> str:
        """Return an unused block name."""
        return f"{stem}{len(self.lines)}"

    def number(self, value: float) -> str:
        """Write a constant."""
        return self.vector.splat(value)

    def add(self, a: str, b: str) -> str:
        """Return a + b."""
        return self.let(f"fadd {self.vector} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """Return a - b."""
        return self.let(f"fsub {self.vector} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """Write a product."""
        return self.let(f"fmul {self.vector} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """Write a / b."""
        return self.let(f"fdiv {self.vector} {a}, {b}")

    def neg(self, a: str) -> str:
        """Write -a: the sign alone."""
        return self.let(f"fneg {self.vector} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """Write a b + c, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def muladd(self, a: str, b: str, c: str) -> str:
        """Write a b + c, rounded once if operations are fused, else twice."""
        return self.fma(a, b, c) if self.fused else self.add(self.mul(a, b), c)

    def intrinsic(self, name: str, *arguments: str) -> str:
        """Call an intrinsic function of vectors."""
        return self.call(f"@llvm.{name}.{self.vector.suffix}", *arguments)

    def call(self, function: str, *arguments: str) -> str:
        """Call a function from vectors to a vector."""
        return self.let(f"call {self.vector} {function}({', '.join(f'{self.vector} {a}' for a in arguments)})")

    def polynomial(self, coefficients: Sequence[float], z: str) -> str:
        """Write Σ c_i z^i, from the highest power inward."""
        found = self.number(coefficients[-1])
        for c in coefficients[-2::-1]:
            found = self.muladd(found, z, self.number(c))
        return found
