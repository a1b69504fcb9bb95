"""A derivation as code: a Python module over NumPy, and a C99 function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import chain

from mbconcord.model import NumbersError, State, System
from mbconcord.model.derivation import Derivation, Nested, restore
from mbconcord.model.derivatives import ALONG, CHANGE
from mbconcord.model.expressions import Expression, evaluate_float, rate, substitute, symbol, undefined_functions
from mbconcord.model.expressions.code import c99_source, harmless, python_source
from mbconcord.model.numbers import define, environment
from mbconcord.records import dataclass

from .listing import LabelledEquations, elements

# Code beside the quantities: what is left of the equations at a motion, and the motion that satisfies them.


def _template(name: str) -> str:
    """Read the template of a source text; in one that is filled by ``format``, braces of code are doubled."""
    return (files("mbconcord.reports") / "templates" / f"equations_{name}.txt").read_text(encoding="utf-8")


def equations_of(derivation: Derivation) -> str:
    """Write the equations of a model in one line."""
    if derivation.rows:
        return "M(q) q'' + h(q, q', t) = gravity + applied + D(q)^T lambda, D q'' + γ̃(q, q', t) = 0"
    return "M(q) q'' + h(q, q', t) = gravity + applied"


def python_equations(derivation: Derivation) -> str:
    """Write the functions ``residuals`` and ``motion`` of a Python module, which call its ``quantities``."""
    return _template(f"{'closed' if derivation.rows else 'open'}_py")


def c99_equations(derivation: Derivation, quantities: Sequence[str]) -> str:
    """Write the C function ``residuals``, which calls ``equations``; that returns the quantities in this order."""
    n, m = len(derivation.system.coordinates), len(derivation.rows)
    sizes = {"M": n * n, "D": m * n, "γ̃": m}
    places, place = {}, 0
    for name in quantities:
        places[name] = place
        place += sizes.get(name, n)
    return _template(f"{'closed' if m else 'open'}_c").format(
        n=n, m=m, size=place, M=places["M"], h=places["h"], gravity=places["gravity"],
        applied=places["applied"], D=places.get("D"), rest=places.get("γ̃"), moving=1 + 2 * n,
    )  # fmt: skip


def c99_listed(derivation: Derivation) -> str:
    """Write the C function ``residuals``, which calls the function ``quantities`` of a listing."""
    return _template("listed_c").format(n=len(derivation.system.coordinates), m=len(derivation.rows))


@dataclass(frozen=True)
class SourceScalars:
    """Scalars to compute, in independent symbols only, and these symbols in the order in which code takes them.

    ``along``: True if some of them are along a direction, which the code takes, too.
    """

    outputs: tuple[Expression, ...]
    coordinates: tuple[str, ...]
    parameters: tuple[str, ...]
    functions: tuple[str, ...]
    along: bool

    @property
    def groups(self) -> dict[str, list[str]]:
        """Symbols of the arrays q, v, a, and of the direction dq, dv if the code takes one."""
        found = {x: [str(rate(c, order).data) for c in self.coordinates] for order, x in enumerate("qva")}
        return found | {f"d{x}": [f"{c}{CHANGE}" for c in found[x]] for x in ("qv" if self.along else "")}

    @property
    def inputs(self) -> tuple[str, ...]:
        """All inputs of the code in order: t, groups, parameters."""
        return ("t", *chain(*self.groups.values()), *self.parameters)


def prepare(derivation: Derivation, outputs: Sequence[Expression], quantities: Iterable[str] = ()) -> SourceScalars:
    """Replace functions and parameters that have a formula by their formula, so that code needs no values of them.

    ``quantities`` are the names of what is computed.
    """
    system = derivation.system
    formulas = {symbol(p.name): p.value for p in system.parameters if p.value is not None and not p.value.constant}
    found = define(outputs, system.functions)
    for _ in formulas:
        found = define(substitute(found, formulas), system.functions)
    independent = tuple(p.name for p in system.parameters if symbol(p.name) not in formulas)
    unknown, along = tuple(sorted(undefined_functions(found))), bool({*quantities} & {*ALONG})
    return SourceScalars(tuple(found), system.coordinate_names, independent, unknown, along)


def python(derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None = None) -> str:
    """Write a module with ``COORDINATES``, ``PARAMETERS`` and ``quantities(t, q, v, a, parameters)``.

    With ``stated``, also ``residuals`` of a given motion and multipliers, and ``motion``, which solves the equations.
    """
    listed = [e for name, value in quantities.items() for e in elements(derivation, name, value)]
    made = prepare(derivation, [e.expression for e in listed], quantities)
    core = python_source(made.outputs, made.inputs, "_scalars", made.functions)
    core = core.removeprefix("import numpy as np\n").strip("\n")
    places = iter(range(len(listed)))
    arrays = "".join(
        f"        {name!r}: np.array({_nest(value, places)}, dtype=float),\n" for name, value in quantities.items()
    )
    passed = ", functions" if made.functions else ""
    body = (
        f"    r = _scalars([t, {', '.join(f'*{x}' for x in made.groups)}, *values.values()]{passed})\n"
        f"    return {{\n{arrays}    }}"
    )
    return python_module(derivation, made, f"{body}\n\n\n{core}", stated is not None)


def python_module(derivation: Derivation, made: SourceScalars, body: str, stated: bool = False) -> str:
    """Wrap the lines of the function ``quantities`` in a Python module, with the values of parameters by name."""
    values, q, v = given_numbers(derivation.system, made)
    functions = ", functions=()" if made.functions else ""
    return _template("module_py").format(
        title=_title(derivation),
        coordinates=made.coordinates,
        parameters="".join(f"    {name!r}: {values.get(name)!r},\n" for name in made.parameters),
        q=q,
        v=v,
        needed=f"{functions}{', *, dq, dv' if made.along else ''}):"
        + (f"\n    # functions: {harmless(', '.join(made.functions))}" if functions else ""),
        named=", ".join(made.groups),
        lengths=" == ".join(f"len({x})" for x in made.groups),
        direction=", dq=[1.0] * len(Q0), dv=[0.0] * len(Q0)" if made.along else "",
        body=body,
        equations=equations_of(derivation),
        solved=python_equations(derivation) if stated else "",
    )


def c99(derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None = None) -> str:
    """Write a translation unit with ``void equations(const double in[], double out[])``.

    With ``stated``, also ``void residuals(const double in[], const double lambda[], double r[])``.
    """
    listed = [e for name, value in quantities.items() for e in elements(derivation, name, value)]
    made = prepare(derivation, [e.expression for e in listed])
    places = ", ".join(f"[{i}] {harmless(e.label)}" for i, e in enumerate(listed))
    head = f"/* {_title(derivation)}\n   {equations_of(derivation)}\n   out: {places} */\n"
    code = c99_source(made.outputs, made.inputs, "equations", {name: name for name in made.functions})
    return head + code + (c99_equations(derivation, list(quantities)) if stated else "")


def _nest(value: Nested, places: Iterator[int]) -> str:
    """Write nested lists of ``r[i]`` in the shape of a quantity, as source of Python."""
    shape = restore(value, (f"r[{i}]" for i in places))
    return str(shape).replace("'", "")


def given_numbers(system: System, made: SourceScalars) -> tuple[dict[str, float], list[float], list[float]]:
    """Return the parameters with values, and initial positions and rates, all zero if a number is missing."""
    numeric = {p.name: p.value for p in system.parameters if p.name in made.parameters and p.value is not None}
    values = {name: evaluate_float(value, {}) for name, value in numeric.items()}
    zeros = [0.0] * len(made.coordinates)
    try:
        start = environment(system, [State()])[0]
    except NumbersError:
        return values, zeros, zeros
    q = [float(start[name]) for name in made.coordinates]
    return values, q, [float(start[f"{name}'"]) for name in made.coordinates]


def _title(derivation: Derivation) -> str:
    return f"Equations of motion of {harmless(derivation.system.name)} by {harmless(derivation.formalism)}."
