"""Own equations as functions of CasADi and of JAX, whose instructions become nodes one by one.

For CasADi these are instructions of SX, to which MX is expanded; for JAX primitives of ``make_jaxpr``. None is run.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FunctionType, ModuleType
from typing import Any, Final, NoReturn

import numpy as np

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions import ONE, TWO, ZERO, Expression, apply

from .straight import FUNCTIONS
from .traced import RESULTS, ByName, Traced, lift

#: Instructions of one number for one number or two, by their names in either library, without CasADi's OP_.
OPERATIONS: Final[Mapping[str, Callable[..., Expression]]] = {
    **{name: partial(apply, node) for name, node in FUNCTIONS.items()},
    **{name: partial(apply, name) for name in ("max", "min")},
    "clamp": lambda low, x, high: apply("clip", x, low, high),
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "pow", "neg")},
    **dict.fromkeys(("assign", "copy", "copy_p"), lambda x: x),
    **dict.fromkeys(("sq", "square"), lambda x: x**2),
    "div": operator.truediv, "add_any": operator.add, "constpow": operator.pow, "twice": lambda x: TWO * x,
    "inv": lambda x: ONE / x, "rsqrt": lambda x: ONE / apply("sqrt", x),
}  # fmt: skip
#: Primitives of JAX that move numbers, and which of their arguments are these; None: all.
MOVES: Final[Mapping[str, tuple[int, ...] | None]] = {
    **dict.fromkeys(("broadcast_in_dim", "concatenate", "expand_dims", "pad", "reshape", "rev", "slice", "split")),
    **dict.fromkeys(("squeeze", "stack", "tile", "transpose", "unstack")), "select_n": (*range(1, 9),),
    "dynamic_slice": (0,), "dynamic_update_slice": (0, 1), "gather": (0,), "scatter": (0, 2),
}  # fmt: skip
#: Primitives of JAX that hold others, which are read in their place.
NESTED: Final = ("jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call", "checkpoint", "remat")
LOOPS: Final = ("while", "scan", "cond")
PARAMETERS: Final = ("p", "params")


def _is_casadi(x: Any, *names: str) -> bool:
    return type(x).__module__.startswith("casadi") and type(x).__name__ in (names or ("Function",))


def is_jax(x: Any, seen: frozenset[int] = frozenset()) -> bool:
    """Return True for an object of JAX, and for a function that uses JAX, itself or through other functions."""
    homes = [x.__name__ if isinstance(x, ModuleType) else type(x).__module__, getattr(x, "__module__", "")]
    named = isinstance(x, FunctionType)
    homes += [x.__globals__.get("__name__", "")] if named else []
    if any(str(home).partition(".")[0] in ("jax", "jaxlib") for home in homes):
        return True
    if not named or "jax" not in sys.modules or id(x) in seen:
        return False
    cells = [cell.cell_contents for cell in x.__closure__ or () if cell != type(cell)()]
    near = [*cells, *(x.__globals__.get(name) for name in _list_names(x.__code__))]
    return any(is_jax(y, seen | {id(x)}) for y in near)


def _list_names(code: Any) -> list[str]:
    return [*code.co_names, *(name for x in code.co_consts if hasattr(x, "co_names") for name in _list_names(x))]


def adapt(source: Any, parameters: Sequence[str] | None) -> Any:
    """Wrap functions of CasADi and JAX, and CasADi's expressions, in converters; return other objects unchanged.

    Parameters
    ----------
    source : a function, or a mapping of results' names to functions
    parameters : names of the elements of argument p, if it is a vector
    """
    pair = isinstance(source, tuple) and len(source) == 2
    named = dict(zip(("M", "forcing"), source, strict=True)) if pair else source
    named = dict(named) if isinstance(named, Mapping) else {"": named}
    if named and all(_is_casadi(x, "SX", "MX") for x in named.values()):
        leaves = sys.modules["casadi"].symvar(sys.modules["casadi"].veccat(*named.values()))
        whole = [*named.values()], [x.name() for x in leaves], [*named]
        try:
            named = {"": sys.modules["casadi"].Function("expressions", leaves, *whole)}
        except RuntimeError as problem:
            said = f"found symbols that make no function: {_shorten(problem)}"
            raise MbconcordError(error("own", said, "name each of them once, by a plain name")) from None
    made = {
        name: CasadiFunction(x, parameters, name) if _is_casadi(x) else JaxFunction(x, parameters) if is_jax(x) else x
        for name, x in named.items()
    }  # fmt: skip
    return made if any(isinstance(x, Foreign) for x in made.values()) else source


def _shorten(problem: Exception) -> str:
    """Return the last part of CasADi's error message."""
    return str(problem).strip().rpartition("\n")[2].rpartition(": ")[2]


class Foreign:
    """A function of another library: a call returns the library's own numbers, ``convert`` returns formulas."""

    library: str
    remedy: str

    def __init__(self, name: str, arguments: Sequence[str], parameters: Sequence[str] | None) -> None:
        self.__name__, self.parameters = name, parameters
        kind = inspect.Parameter.KEYWORD_ONLY
        self.__signature__ = inspect.Signature([inspect.Parameter(x, kind) for x in arguments])

    def refuse(self, said: str) -> NoReturn:
        """Raise :class:`MbconcordError` for a construct that cannot be converted."""
        raise MbconcordError(error(self.__name__, f"not converted: {said}", self.remedy))

    def operate(self, name: str, *args: Any) -> Any:
        """Return the result of an instruction on nodes."""
        if name not in OPERATIONS:
            self.refuse(f"{name} of {self.library} is not known")
        return OPERATIONS[name](*args)


def _array(x: Any) -> Any:
    """Return an array of nodes."""
    return np.array(np.frompyfunc(lift, 1, 1)(np.asarray(x, dtype=object)), dtype=object)


class CasadiFunction(Foreign):
    """A function of CasADi."""

    library, remedy = "CasADi", "write it by arithmetic and elementary functions, or give SymPy's matrices"

    def __init__(self, function: Any, parameters: Sequence[str] | None, key: str) -> None:
        super().__init__(function.name(), function.name_in(), parameters)
        self.casadi, self.function, self.key = sys.modules["casadi"], function, key

    def _list_inputs(self, args: Mapping[str, Any]) -> list[Any]:
        """Return for each input of the function its numbers or nodes, from arguments by name."""
        made = []
        for i, name in enumerate(self.function.name_in()):
            given = [args[name][x] for x in self.parameters or ()] if name in PARAMETERS else np.atleast_1d(args[name])
            if len(given) != self.function.numel_in(i):
                said = f"found the input {name} of {self.function.numel_in(i)} numbers, and {len(given)} are told"
                remedy = "inputs are q, v, u, a, tau, p with parameters=[names in its order], or numbers by their names"
                raise MbconcordError(error(self.__name__, said, remedy))
            made.append(given)
        return made

    def _name(self, results: Sequence[Any]) -> Any:
        """Return results by name, unless the names are only those that CasADi gives by default."""
        names = self.function.name_out()
        if self.key or not set(names) & {*RESULTS}:
            return results[0] if len(results) == 1 else tuple(results)
        return dict(zip(names, results, strict=True))

    def __call__(self, **args: Any) -> Any:
        """Return CasADi's own numbers."""
        dense = [self.casadi.DM([float(x) for x in given]) for given in self._list_inputs(args)]
        return self._name([np.array(x.full(), dtype=float) for x in self.function.call(dense)])

    def convert(self, **args: Any) -> Any:
        """Return formulas: the instructions of SX, one by one."""
        try:
            function = self.function.expand()
        except RuntimeError as problem:
            self.refuse(f"no SX is made of it: {_shorten(problem)}")
        kinds = {getattr(self.casadi, x): x for x in dir(self.casadi) if x.startswith("OP_")}
        given, work = self._list_inputs(args), dict[int, Any]()
        places = [x.find() for x in map(function.sparsity_in, range(function.n_in()))]
        out = [function.sparsity_out(i) for i in range(function.n_out())]
        results = [np.full(x.shape, Traced(ZERO), dtype=object) for x in out]
        for k in range(function.n_instructions()):
            kind = kinds.get(function.instruction_id(k), "an instruction")
            taken, to = function.instruction_input(k), function.instruction_output(k)
            if kind == "OP_INPUT":
                work[to[0]] = lift(given[taken[0]][places[taken[0]][taken[1]]])
            elif kind == "OP_CONST":
                work[to[0]] = lift(function.instruction_constant(k))
            elif kind == "OP_OUTPUT":
                i, nonzero = to
                results[i][out[i].row()[nonzero], out[i].get_col()[nonzero]] = Traced(work[taken[0]])
            else:
                known = kind.removeprefix("OP_").lower()
                work[to[0]] = self.operate(known if known in OPERATIONS else kind, *(work[x] for x in taken))
        return self._name(results)


class JaxFunction(Foreign):
    """A function of JAX, in numbers of 64 bits."""

    library, remedy = "JAX", "write it by arithmetic, elementary functions and arrays, with loops of Python"

    def __init__(self, function: Any, parameters: Sequence[str] | None) -> None:
        while type(function).__name__ == "PjitFunction":
            function = function.__wrapped__  # whose p may be any object
        super().__init__(function.__name__, [*inspect.signature(function).parameters], parameters)
        if hasattr(inspect.unwrap(function), "__code__"):
            self.__code__ = inspect.unwrap(function).__code__
        self.jax, self.function = sys.modules["jax"], function
        self.names: list[str] = list(parameters or ())
        self.numbers = self.jax.jit(self._run)

    def _run(self, given: Mapping[str, Any], p: Sequence[Any]) -> Any:
        """Call the function with p as a vector, or as a mapping if no parameter names were given."""
        named = dict(zip(self.names, p, strict=False))  # p is empty where it is not taken
        whole = self.jax.numpy.stack(p) if self.parameters and p else ByName(named.__getitem__)
        return self.function(**{x: given.get(x, whole) for x in self.__signature__.parameters})

    def _separate_parameters(self, args: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """Return the arguments without p, and the elements of p."""
        whole = [y for x, y in args.items() if x in PARAMETERS]
        return {x: y for x, y in args.items() if x not in PARAMETERS}, [whole[0][x] for x in self.names if whole]

    def __call__(self, **args: Any) -> Any:
        """Return JAX's own numbers."""
        with self.jax.enable_x64(True):
            return self.jax.tree_util.tree_map(
                lambda x: np.asarray(x, dtype=float), self.numbers(*self._separate_parameters(args))
            )

    def convert(self, **args: Any) -> Any:
        """Return formulas: the primitives of JAX, one by one."""
        shapes = {
            x: np.full(np.asarray(y, dtype=object).shape, 0.7) for x, y in self._separate_parameters(args)[0].items()
        }
        with self.jax.enable_x64(True), np.errstate(invalid="ignore"):
            if not self.parameters:  # the function tells which elements of p there are
                seen = dict[str, float]()
                asked = ByName(lambda name: seen.setdefault(name, 0.7))
                _ = shapes.keys() == args.keys() or self.function(**dict.fromkeys(args, asked) | shapes)
                self.names = [*seen]
            given, p = self._separate_parameters(args)
            made, shape = self.jax.make_jaxpr(self._run, return_shape=True)(shapes, [0.7] * len(p))
            found = self._walk(made.jaxpr, made.consts, [_array(x) for x in (*(given[x] for x in sorted(given)), *p)])
        whole = [np.frompyfunc(Traced, 1, 1)(_array(x)) for x in found]
        return self.jax.tree_util.tree_unflatten(self.jax.tree_util.tree_structure(shape), whole)

    def _walk(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        if loop := next((x.primitive.name for x in jaxpr.eqns if x.primitive.name in LOOPS), ""):
            self.refuse(f"{loop} of JAX is not known")
        known = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True))
        for each in jaxpr.eqns:
            values = [np.asarray(x.val if hasattr(x, "val") else known[x]) for x in each.invars]
            known |= zip(each.outvars, self._compute(each, values), strict=True)
        return [np.asarray(x.val if hasattr(x, "val") else known[x]) for x in jaxpr.outvars]

    def _compute(self, each: Any, values: list[Any]) -> list[Any]:
        """Return the results of a primitive."""
        name, given, bind = each.primitive.name, each.params, partial(each.primitive.bind, **each.params)
        if name in NESTED:
            inner = next(given[x] for x in ("jaxpr", "call_jaxpr", "fun_jaxpr") if x in given)
            return self._walk(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), values)
        if all(x.dtype != object for x in values):
            found = bind(*values)  # of numbers alone
            return [*found] if each.primitive.multiple_results else [found]
        if name in MOVES:
            found = self._move(name, bind, values)
            return found if each.primitive.multiple_results else found[:1]
        if name == "scatter-add":
            return [self._scatter(bind, *values)]
        if name == "dot_general":
            return [_multiply(*map(_array, values), *given["dimension_numbers"])]
        if name == "reduce_sum":
            return [np.array(np.sum(_array(values[0]), axis=tuple(map(int, given["axes"]))), dtype=object)]
        if name == "convert_element_type" and np.dtype(given["new_dtype"]) == np.float64:
            return values
        if name == "integer_pow":
            return [_array(values[0] ** given["y"])]
        return [_array(np.frompyfunc(partial(self.operate, name), len(values), 1)(*map(_array, values)))]

    def _move(self, name: str, bind: Callable[..., Any], values: Sequence[Any]) -> list[Any]:
        """Return results of a primitive that only rearranges numbers: JAX rearranges their indices."""
        moved = [i for i in MOVES[name] or range(len(values)) if i < len(values)]
        cells, places = list[Expression](), [*values]
        for i in moved:
            places[i] = np.arange(len(cells), len(cells) + values[i].size).reshape(values[i].shape)
            cells += _array(values[i]).flat
        if any(x.dtype == object for x in places):
            self.refuse(f"the index of {name} is a formula")
        found = bind(*places)
        found = [*map(np.asarray, found if isinstance(found, list | tuple) else [found])]
        if any(x.size and not 0 <= x.min() <= x.max() < len(cells) for x in found):
            self.refuse(f"an index of {name} is beyond its array")
        return [np.array(np.array(cells, dtype=object)[x], dtype=object) for x in found]

    def _scatter(self, bind: Callable[..., Any], whole: Any, at: Any, updates: Any) -> Any:
        """Return the array with each update added at the place where JAX adds it."""
        if at.dtype == object:
            self.refuse("the index of scatter-add is a formula")
        found = _array(whole)
        for one, x in zip(np.eye(updates.size), _array(updates).flat, strict=True):
            for place in np.argwhere(np.asarray(bind(np.zeros(whole.shape), at, one.reshape(updates.shape)))):
                found[tuple(place)] = found[tuple(place)] + x
        return found


def _multiply(a: Any, b: Any, summed: Any, shared: Any) -> Any:
    """Return the product of arrays over axes that are summed, with axes that they share first."""
    left, right = [*range(a.ndim)], [*range(a.ndim, a.ndim + b.ndim)]
    for i, k in zip((*summed[0], *shared[0]), (*summed[1], *shared[1]), strict=True):
        right[k] = left[i]
    kept = [left[i] for i in shared[0]]
    free = [x for x in (*left, *right) if (x in left) != (x in right)]
    return np.array(np.einsum(a, left, b, right, [*kept, *free]), dtype=object)
