"""Operation counts with sharing, and the critical path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mbconcord.records import asdict, dataclass

from .node import ADD, CALL, FUN, MUL, POW, Expression
from .program import DIV, SUB, Program, program

_TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "asin", "acos", "atan", "atan2"})
_COLUMN = {ADD: "add", SUB: "add", MUL: "mul", DIV: "div", POW: "other", CALL: "other"}


@dataclass(frozen=True, slots=True)
class Operations:
    """Operations after sharing: common subexpressions are counted once.

    Attributes
    ----------
    mul, add, div : int
        Multiplications, additions and subtractions, divisions.
    trig : int
        Trigonometric functions and their inverses.
    other : int
        Square roots, exponentials, powers that are not whole, undefined functions, …
    critical_path : int
        Length of the longest chain of operations that wait for each other.
    """

    mul: int = 0
    add: int = 0
    div: int = 0
    trig: int = 0
    other: int = 0
    critical_path: int = 0

    @property
    def total(self) -> int:
        """All operations."""
        return self.mul + self.add + self.div + self.trig + self.other

    @property
    def parallelism(self) -> float:
        """Average parallelism: operations per step of the critical path (0 without operations)."""
        return self.total / self.critical_path if self.critical_path else 0.0

    def to_json(self) -> dict[str, int]:
        """Convert to a mapping."""
        return asdict(self)


def count_operations(outputs: Iterable[Expression]) -> Operations:
    """Count the operations that compute all outputs together.

    A sum of k terms is k - 1 additions, a subtraction is an addition, a change of sign and a factor ±1 are free, a
    square is one multiplication, xⁿ goes by repeated squaring, ``a/b`` is one division, and terms without symbols are
    free, since they are computed beforehand.

    Parameters
    ----------
    outputs : expressions
        What two of them share counts once; so the count of a union is at most the sum of the counts.

    Examples
    --------
    >>> from mbconcord.model.expressions import sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> count_operations([x * sin(y) + x**3 / y])
    Operations(mul=3, add=1, div=1, trig=1, other=0, critical_path=4)
    """
    lines = program(outputs)
    return count_program(lines, lines.outputs)


def count_program(lines: Program, places: Iterable[int]) -> Operations:
    """Count the operations of a program that its steps at these places need; see :func:`count_operations`."""
    return count_parts(lines, [places])[0]


def count_parts(lines: Program, parts: Iterable[Iterable[int]]) -> list[Operations]:
    """Count the operations for each of several sets of places like :func:`count_program`, in one walk."""
    sets = [list(places) for places in parts]
    needed = [0] * len(lines.steps)  # bit number k: by set number k
    for k, places in enumerate(sets):
        for place in places:
            needed[place] |= 1 << k
    for place in range(len(needed) - 1, -1, -1):
        users = needed[place]
        if users:
            for operand in lines.steps[place].args:
                needed[operand] |= users
    counted: list[tuple[int, str]] = []
    depth: list[int] = []
    for (op, args, node), users in zip(lines.steps, needed, strict=True):
        below = 0
        for i in args:
            if depth[i] > below:
                below = depth[i]
        column = _COLUMN.get(op)
        if op is FUN:
            column = "trig" if node.data in _TRIGONOMETRIC else "other"
        if column is None or node.constant:
            depth.append(below)
        else:
            counted.append((users, column))
            depth.append(below + 1)
    counts = Counter(counted)
    found = []
    for k, places in enumerate(sets):
        own: Counter[str] = Counter()
        for (users, column), count in counts.items():
            own[column] += count if users >> k & 1 else 0
        found.append(Operations(**own, critical_path=max((depth[place] for place in places), default=0)))
    return found
