"""Options of a kernel's computation.

Products fused with the sums that use them: a b + c rounded once.

A product that is used once, by a sum, is fused with it; of two such products in one sum the right one. It is decided
here, for the whole program, so that the bits depend neither on how the program is split nor on a compiler.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal

from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.expressions.node import ADD, MUL
from mbconcord.model.expressions.program import SUB, Program, ProgramStep
from mbconcord.records import dataclass

from .vector import Vector

#: Operations of steps (a, b, c): a b + c, a b - c, c - a b.
FMA: Final = "fma"
FMS: Final = "fms"
FNMA: Final = "fnma"


def fuse_products(lines: Program) -> Program:
    """Fuse products and sums; a fused product loses its own step."""
    steps = lines.steps
    uses = Counter(arg for step in steps if not step.node.constant for arg in step.args)
    uses.update(lines.outputs)
    alone = {
        place for place, step in enumerate(steps) if step.op is MUL and not step.node.constant and uses[place] == 1
    }
    done: dict[int, ProgramStep] = {}
    gone: set[int] = set()
    for place, step in enumerate(steps):
        if (step.op is ADD or step.op is SUB) and not step.node.constant:
            a, b = step.args
            product, other = (b, a) if b in alone else (a, b)
            if product in alone:
                op = FMA if step.op is ADD else FNMA if product == b else FMS
                done[place] = ProgramStep(op, (*steps[product].args, other), step.node)
                gone.add(product)
    new: dict[int, int] = {}
    kept: list[ProgramStep] = []
    for place, step in enumerate(steps):
        if place not in gone:
            step = done.get(place, step)
            new[place] = len(kept)
            kept.append(ProgramStep(step.op, tuple(new[arg] for arg in step.args), step.node))
    return Program(tuple(kept), tuple(new[place] for place in lines.outputs))


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
