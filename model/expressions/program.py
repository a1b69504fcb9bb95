"""The straight-line program of a graph, its operations in order; their counts with sharing, and the critical path.

Evaluation, operation counts and generated code all run over this one program, so that what is counted
is what is computed. Here, and only here, ``a * b^-1`` becomes one division, ``a + (-b)`` one subtraction,
and ``x^n`` a chain of squarings and multiplications. Symbol-free nodes are computed beforehand and cost
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NamedTuple

from mbconcord.records import asdict, dataclass

from .algebra import mul, neg, power
from .node import ADD, CALL, FUN, MUL, NEG, NUM, ONE, POW, Expression, number

SUB: Final = "sub"  # a - b
DIV: Final = "div"  # a / b


class ProgramStep(NamedTuple):
    """One operation. ``args`` are the places of its operands in the program.

    ``op`` is NUM, PI, SYM, NEG, ADD, SUB, MUL, DIV, POW (no integer exponent), FUN or CALL; ``node`` is the
    node of the graph that the step computes and carries its ``data`` and whether it is ``constant``.
    """

    op: str
    args: tuple[int, ...]
    node: Expression


@dataclass(frozen=True, slots=True)
class Program:
    """Steps ordered with operands first; ``outputs`` are the places of the results."""

    steps: tuple[ProgramStep, ...]
    outputs: tuple[int, ...]


Operands = tuple[Expression, ...]


def operation(node: Expression) -> tuple[str, Operands]:
    """Return the machine operation for one node, and its operands."""
    op, args = node.op, node.args
    if op is ADD:
        a, b = args
        if b.op is NEG or (b.op is NUM and b.data.numerator < 0):
            return SUB, (a, neg(b))
    elif op is MUL:
        a, b = args
        if a.op is NUM and b.op is MUL:
            a, b = args = _constants_joined(a, b)
        if a.op is POW or b.op is POW:
            for x, y in ((a, b), (b, a)):
                divisor = _divisor(y)
                if divisor is not None and (x.constant or not y.constant):
                    return DIV, (x, divisor)
    elif op is POW:
        divisor = _divisor(node)
        if divisor is not None:
            return DIV, (ONE, divisor)
        base, exponent = args
        if exponent.op is NUM and exponent.data.denominator == 1:
            n = exponent.data.numerator
            if n % 2:
                return MUL, (power(base, number(n - 1)), base)
            half = power(base, number(n // 2))
            return MUL, (half, half)
    return op, args


def _constants_joined(a: Expression, b: Expression) -> Operands:
    """Rewrite 2 (pi x) as (2 pi) x, where 2 pi is computed beforehand."""
    p, q = b.args
    if b.constant or not (p.constant or q.constant):
        return a, b
    return (mul(a, p), q) if p.constant else (mul(a, q), p)


def _divisor(node: Expression) -> Expression | None:
    """Return b^n for a node b^-n, n an integer."""
    if node.op is POW:
        exponent = node.args[1]
        if exponent.op is NUM and exponent.data.numerator < 0 and exponent.data.denominator == 1:
            return power(node.args[0], neg(exponent))
    return None


def program(outputs: Iterable[Expression]) -> Program:
    """Make the program that computes the outputs; every shared node is computed once (no recursion)."""
    return extend(Program((), ()), outputs)


def extend(lines: Program, outputs: Iterable[Expression]) -> Program:
    """Extend a program by the computation of further outputs, after its own.

    While its operands are missing, a node waits on the stack below them, as the step that it becomes.
    """
    roots = list(outputs)
    place = {step.node: i for i, step in enumerate(lines.steps)}
    steps = list(lines.steps)
    put = steps.append
    pending: list[Any] = roots[::-1]
    wait, take = pending.append, pending.pop
    while pending:
        node = take()
        if node.__class__ is tuple:
            op, args, node = node
        elif node in place:
            continue
        elif node.args:
            op, args = operation(node)
            if len(args) == 2:  # most have two, and this program is made more often than anything else
                first, second = args
                if first not in place:
                    if first.args:
                        wait((op, args, node))
                        if second not in place:
                            wait(second)
                        wait(first)
                        continue
                    place[first] = len(steps)  # a leaf waits for nothing: here it takes a third of the time
                    put(_step((first.op, (), first)))
                if second not in place:
                    if second.args:
                        wait((op, args, node))
                        wait(second)
                        continue
                    place[second] = len(steps)
                    put(_step((second.op, (), second)))
            else:
                waiting = [arg for arg in args if arg not in place]
                if waiting:
                    wait((op, args, node))
                    pending += waiting[::-1]
                    continue
        else:
            op, args = node.op, ()
        place[node] = len(steps)
        if len(args) == 2:
            first, second = args
            put(_step((op, (place[first], place[second]), node)))
        else:
            put(_step((op, tuple([place[arg] for arg in args]), node)))
    return Program(tuple(steps), lines.outputs + tuple([place[root] for root in roots]))


def part_of(lines: Program, places: Iterable[int]) -> Program:
    """Extract the steps that the results at these places need, in program order."""
    wanted = list(places)
    needed = bytearray(len(lines.steps))
    for place in wanted:
        needed[place] = 1
    for place in range(len(needed) - 1, -1, -1):
        if needed[place]:
            for operand in lines.steps[place].args:
                needed[operand] = 1
    moved: dict[int, int] = {}
    steps: list[ProgramStep] = []
    for place, step in enumerate(lines.steps):
        if needed[place]:
            moved[place] = len(steps)
            steps.append(_step((step.op, tuple([moved[i] for i in step.args]), step.node)))
    return Program(tuple(steps), tuple([moved[place] for place in wanted]))


#: A step of a tuple of its parts, without a call of Python's.
_step: Final[Callable[[tuple[str, tuple[int, ...], Expression]], ProgramStep]] = partial(tuple.__new__, ProgramStep)


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
