"""Exchange with SymPy both ways: exact numbers, real symbols, undefined functions and their derivatives.

SymPy is imported only when something is exchanged: it takes longer to load than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any, Final

from .algebra import add, mul, power
from .arithmetic import sympy_arithmetic
from .evaluate import evaluate
from .functions import apply, call, choose
from .node import ADD, FUNCTIONS, HALF, MINUS_ONE, MUL, NEG, ONE, PI_NODE, Expression, ExpressionError, number, symbol
from .traversal import symbols, topological, undefined_functions

#: Deepest expression that SymPy can also print and differentiate: it recurs several times for each level.
MAX_DEPTH: Final = 100
_TOO_DEEP: Final = f"the expression is {{}} levels deep and SymPy takes {MAX_DEPTH}: export its named parts one by one"

_NAMES = {"Abs": "abs", "sign": "sign", "log": "log"} | {
    name: name for name in FUNCTIONS if name not in ("sqrt", "abs")
}
_RECIPROCALS = {"sec": "cos", "csc": "sin", "cot": "tan"}


def to_sympy(output: Expression) -> Any:
    """Convert to SymPy: symbols are real, numbers exact, undefined functions applied ``Function``.

    Raises
    ------
    ExpressionError
        The graph is deeper than SymPy can take, or SymPy finds a division by zero.
    """
    import sympy

    levels = _levels(output)
    if levels > MAX_DEPTH:
        raise ExpressionError(_TOO_DEEP.format(levels))
    values = {name: sympy.Symbol(name, real=True) for name in symbols([output])}
    functions = {name: _make_applier(sympy.Function(name, real=True)) for name in undefined_functions([output])}
    try:
        value = evaluate([output], values, sympy_arithmetic(), functions)[0]
    except RecursionError:
        raise ExpressionError(_TOO_DEEP.format(levels)) from None
    if value.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise ExpressionError("a division by zero shows when SymPy simplifies the expression")
    return value


def _levels(output: Expression) -> int:
    """Return the depth in SymPy's sense: a sum of sums is one level, and so is a product of products."""
    level: dict[Expression, int] = {}
    kind: dict[Expression, str] = {}
    for node in topological([output]):
        shape = node.op
        if shape is NEG:
            shape = kind[node.args[0]] if kind[node.args[0]] is ADD else MUL
        flat = shape is ADD or shape is MUL
        level[node] = max([level[a] + (not (flat and kind[a] is shape)) for a in node.args], default=0)
        kind[node] = shape
    return level[output]


def _make_applier(function: Any) -> Callable[..., Any]:
    import sympy

    def apply_function(orders: tuple[int, ...], *args: Any) -> Any:
        if not any(orders):
            return function(*args)
        inner = [
            a if a.is_Symbol and args.count(a) == 1 else sympy.Dummy(f"x{i}", real=True) for i, a in enumerate(args)
        ]
        slope = sympy.Derivative(function(*inner), *[(x, n) for x, n in zip(inner, orders, strict=True) if n])
        moved = [(x, a) for x, a in zip(inner, args, strict=True) if x is not a]
        return sympy.Subs(slope, *zip(*moved, strict=True)) if moved else slope

    return apply_function


def from_sympy(value: Any) -> Expression:
    """Convert a SymPy expression to a graph.

    Numbers must be exact or floats (a float is read as its printed decimal), symbols are taken by name.

    Raises
    ------
    ExpressionError
        The expression holds something that the graph has no node for; the message names it.
    """
    import sympy

    return SymPyReader().read(sympy.sympify(value))


class SymPyReader:
    """Conversion of SymPy expressions to one graph; parts that several of them share are converted once.

    ``leaf`` is called with each different part first; it returns its node, or None to have it converted by its kind.
    """

    def __init__(self, leaf: Callable[[Any], Expression | None] = lambda item: None) -> None:
        self._leaf = leaf
        self._made: dict[Any, Expression] = {}

    def read(self, root: Any) -> Expression:
        """Convert an expression; raises as :func:`from_sympy` does."""
        made, stack = self._made, [(root, False)]
        while stack:
            item, ready = stack.pop()
            if item in made:
                continue
            found = None if ready else self._leaf(item)
            if found is not None:
                made[item] = found
                continue
            below = _operands(item)
            if ready or not below:
                made[item] = _node(item, [made[arg] for arg in below])
            else:
                stack.append((item, True))
                stack += [(arg, False) for arg in below]
        return made[root]


def _operands(item: Any) -> list[Any]:
    """Return the operands of a part that must be converted before it."""
    function, points = _split_derivative(item)
    if function is not None:
        return [points.get(arg, arg) for arg in function.args]
    if type(item).__name__ == "Piecewise":
        return [part for piece, holds in item.args for part in (piece, *_split_condition(holds))]
    return list(item.args)


def _split_condition(condition: Any) -> tuple[Any, ...]:
    """Return both sides of a comparison; an empty tuple for a condition that always holds."""
    import sympy

    if condition == sympy.true:
        return ()
    if isinstance(condition, sympy.StrictGreaterThan | sympy.StrictLessThan | sympy.GreaterThan | sympy.LessThan):
        return condition.lhs, condition.rhs
    raise ExpressionError(f"the graph has no node for the condition {condition}")


def _split_derivative(item: Any) -> tuple[Any, dict[Any, Any]]:
    """Return the undefined function under a derivative, and the arguments for its variables."""
    import sympy

    points: dict[Any, Any] = {}
    if isinstance(item, sympy.Subs):
        points = dict(zip(item.variables, item.point, strict=True))
        item = item.expr
    if isinstance(item, sympy.Derivative):
        function = item.expr
        if isinstance(function, sympy.core.function.AppliedUndef) and set(item.variables) <= set(function.args):
            return function, points
    return None, {}


def _node(item: Any, args: list[Expression]) -> Expression:
    import sympy

    name = type(item).__name__
    function, _ = _split_derivative(item)
    if function is not None:
        derivative = item.expr if isinstance(item, sympy.Subs) else item
        orders = [derivative.variables.count(arg) for arg in function.args]
        return call(function.func.__name__, args, orders)
    if item.is_Symbol:
        return symbol(item.name)
    if item.is_Rational:
        return number(Fraction(int(item.p), int(item.q)))
    if item.is_Float and item.is_finite:
        return number(repr(float(item))) if item._prec == 53 else number(str(item))
    if item is sympy.pi:
        return PI_NODE
    if item is sympy.E:
        return apply("exp", ONE)
    if item.is_Add:
        return reduce(add, args)
    if item.is_Mul:
        return reduce(mul, args)
    if item.is_Pow:
        return power(*args)
    if isinstance(item, sympy.core.function.AppliedUndef):
        return call(name, args)
    if name in _NAMES and len(args) == FUNCTIONS[_NAMES[name]]:
        return apply(_NAMES[name], *args)
    if name == "Piecewise":
        if item.args[-1].cond != sympy.true:
            raise ExpressionError(f"{item} has no value where none of its conditions holds")
        chosen = args.pop()
        for piece in reversed(item.args[:-1]):
            last, first, second = args.pop(), args.pop(), args.pop()
            chosen = choose(first, piece.cond.rel_op, last, second, chosen)
        return chosen
    if name in ("Max", "Min"):
        return apply(name.lower(), *args)
    if name == "Heaviside" and args[1:] in ([], [HALF]):
        return apply("step", args[0])
    if name in _RECIPROCALS:
        return power(apply(_RECIPROCALS[name], *args), MINUS_ONE)
    raise ExpressionError(f"the graph has no node for SymPy's {name} in {item}")
