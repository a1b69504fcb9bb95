"""A derivation as code: a Python module over NumPy, and a C99 function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mbconcord.model import NumbersError, State, System
from mbconcord.model.derivation import Derivation, Nested, restore
from mbconcord.model.expressions import (
    Expression,
    evaluate_float,
    rate,
    substitute,
    symbol,
    undefined_functions,
)
from mbconcord.model.expressions.code import c99_source, harmless, python_source
from mbconcord.model.numbers import define, environment

from .balances import Equations
from .listing import elements
from .solving import c99_equations, equations_of, python_equations


@dataclass(frozen=True)
class Prepared:
    """Scalars over independent symbols only, and the order in which code takes their values."""

    outputs: tuple[Expression, ...]
    coordinates: tuple[str, ...]
    parameters: tuple[str, ...]
    functions: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """t, q, q', q'', parameters."""
        rates = [str(rate(name, order).data) for order in (1, 2) for name in self.coordinates]
        return ("t", *self.coordinates, *rates, *self.parameters)


def prepare(derivation: Derivation, outputs: Sequence[Expression]) -> Prepared:
    """Functions and parameters that have a formula are replaced by it, so that code needs the others only."""
    system = derivation.system
    formulas = {
        symbol(p.name): p.value for p in system.parameters if p.value is not None and not p.value.constant
    }
    found = define(outputs, system.functions)
    for _ in formulas:
        found = define(substitute(found, formulas), system.functions)
    independent = tuple(p.name for p in system.parameters if symbol(p.name) not in formulas)
    return Prepared(
        tuple(found), system.coordinate_names, independent, tuple(sorted(undefined_functions(found)))
    )


def python(derivation: Derivation, quantities: dict[str, Nested], stated: Equations | None = None) -> str:
    """A module with ``COORDINATES``, ``PARAMETERS`` and ``quantities(t, q, v, a, parameters)``.

    Where the equations are ``stated``, also ``residuals`` of given motion and multipliers, and ``motion`` that solves.
    """
    listed = [e for name, value in quantities.items() for e in elements(derivation, name, value)]
    made = prepare(derivation, [e.expression for e in listed])
    core = python_source(made.outputs, made.inputs, "_scalars", made.functions)
    core = core.removeprefix("import numpy as np\n").strip("\n")
    places = iter(range(len(listed)))
    arrays = "".join(
        f"        {name!r}: np.array({_nested(value, places)}, dtype=float),\n"
        for name, value in quantities.items()
    )
    passed = ", functions" if made.functions else ""
    body = (
        "    a = [0.0] * len(COORDINATES) if a is None else a\n"
        f"    r = _scalars([t, *q, *v, *a, *values.values()]{passed})\n"
        f"    return {{\n{arrays}    }}"
    )
    return python_module(derivation, made, f"{body}\n\n\n{core}", stated is not None)


def python_module(derivation: Derivation, made: Prepared, body: str, stated: bool = False) -> str:
    """The module around the lines of its function, in which ``values`` holds the parameters by name."""
    values, q, v = given_numbers(derivation.system, made)
    return PYTHON.format(
        title=_title(derivation),
        coordinates=made.coordinates,
        parameters="".join(f"    {name!r}: {values.get(name)!r},\n" for name in made.parameters),
        q=q,
        v=v,
        needed=f", functions=()):\n    # functions: {harmless(', '.join(made.functions))}"
        if made.functions
        else "):",
        body=body,
        equations=equations_of(derivation),
        solved=python_equations(derivation) if stated else "",
    )


PYTHON = '''"""{title}

{equations}; rows of rotations in N m, of translations in N.
"""

import numpy as np

COORDINATES = {coordinates!r}
PARAMETERS = {{
{parameters}}}
#: Initial positions and velocities.
Q0 = {q!r}
V0 = {v!r}


def quantities(t, q, v, a=None, parameters=None{needed}
    """Quantities at a state: q, v, a as COORDINATES; parameters by name, others as in PARAMETERS."""
    values = dict(PARAMETERS, **(parameters or {{}}))
    wrong = sorted(set(values) - set(PARAMETERS)) or [name for name, x in values.items() if x is None]
    if wrong:
        raise ValueError("unknown, or without value: " + ", ".join(wrong))
{body}
{solved}

if __name__ == "__main__":
    for name, value in quantities(0.0, Q0, V0).items():
        print(name, value.tolist())
'''


def c99(derivation: Derivation, quantities: dict[str, Nested], stated: Equations | None = None) -> str:
    """A translation unit with ``void equations(const double in[], double out[])``.

    Where the equations are ``stated``, also ``void residuals(const double in[], const double lambda[], double r[])``.
    """
    listed = [e for name, value in quantities.items() for e in elements(derivation, name, value)]
    made = prepare(derivation, [e.expression for e in listed])
    places = ", ".join(f"[{i}] {harmless(e.label)}" for i, e in enumerate(listed))
    head = f"/* {_title(derivation)}\n   {equations_of(derivation)}\n   out: {places} */\n"
    code = c99_source(made.outputs, made.inputs, "equations", {name: name for name in made.functions})
    return head + code + (c99_equations(derivation, list(quantities)) if stated else "")


def _nested(value: Nested, places: Iterator[int]) -> str:
    """The nested list of ``r[i]`` in the shape of a quantity."""
    shape = restore(value, (f"r[{i}]" for i in places))
    return str(shape).replace("'", "")


def given_numbers(system: System, made: Prepared) -> tuple[dict[str, float], list[float], list[float]]:
    """Values of parameters, and the initial state: zero where a number is missing."""
    numeric = {
        p.name: p.value for p in system.parameters if p.name in made.parameters and p.value is not None
    }
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
