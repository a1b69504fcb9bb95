"""Options of a kernel's computation."""

from __future__ import annotations

from typing import Final, Literal

from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.records import dataclass

from .vector import Vector

Accuracy = Literal["compensated", "plain", "library"]
ACCURACIES: Final[tuple[str, ...]] = ("compensated", "plain", "library")
#: Numbers of a vector: 64 bytes, of which processors with shorter registers take two or four.
WIDTHS: Final = {"float64": 8, "float32": 16}


@dataclass(frozen=True, slots=True)
class Options:
    """Options that determine the bits of a kernel's numbers, apart from its program, and its vector width.

    Attributes
    ----------
    fma : round a product and a sum once. If False, and with sines and cosines of the kernel, the numbers
        are those of the interpreter, bit for bit
    accuracy : of sines and cosines: ``compensated`` within 0.75 ulp, ``plain`` within 1.5 and a little faster,
        ``library``: those of the C library, angle by angle, which are those of Python's ``math``
    dtype : ``float64`` or ``float32``
    width : states per vector; no number depends on it. 0: the best
    reciprocals : invert divisors of several quotients once, as in every backend for many states
    """

    fma: bool = True
    accuracy: str = "compensated"
    dtype: str = "float64"
    width: int = 0
    reciprocals: bool = True

    def __post_init__(self) -> None:
        if self.accuracy not in ACCURACIES:
            message = f"there is no accuracy {self.accuracy!r}"
            raise MbconcordError(error("accuracy", message, among(self.accuracy, ACCURACIES)))

    @property
    def vector(self) -> Vector:
        """The type of a vector of states."""
        return Vector("double" if self.dtype == "float64" else "float", self.width or WIDTHS[self.dtype])
