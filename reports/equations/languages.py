"""Expressions in the syntax of Python and C99."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from mbconcord.model.derivation import Derivation, Nested, flatten
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions import Expression, topological
from mbconcord.model.expressions.code import C_KEYWORDS, harmless, python_source
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.printer import ATOM, POWER, SUM, Form
from mbconcord.model.expressions.text import TextStyle

from .listing import SPELLED, elements
from .source import equations_of, given_numbers, prepare, python

# Quantities as functions of JAX and of CasADi, which compile and differentiate them.


#: Quantities in Greek -> how their names are spelled in ASCII.
SPELLING = {greek: spelled for spelled, greek in SPELLED.items()}
_NUMPY = "import numpy as np\n"


def jax(derivation: Derivation, quantities: Mapping[str, Nested]) -> str:
    """Write the module of :func:`.source.python` over ``jax.numpy``, in doubles: for ``jit``, ``vmap``, ``jacfwd``."""
    return python(derivation, dict(quantities)).replace(_NUMPY, JAX, 1)


JAX = """\
import jax
import jax.numpy as np

jax.config.update("jax_enable_x64", True)
"""


def casadi(derivation: Derivation, quantities: Mapping[str, Nested]) -> str:
    """Write a module with ``COORDINATES``, ``PARAMETERS`` and ``function()``: ``casadi.Function`` of t, groups, p."""
    listed = [e.expression for name, value in quantities.items() for e in elements(derivation, name, value)]
    made = prepare(derivation, listed, quantities)
    if any(isinstance(node.data, Interpolant) for node in topological(list(made.outputs))):
        remedy = "write it in C or for JAX, or give the functions formulas"
        raise MbconcordError(error("functions", "tables of numbers are not written for CasADi", remedy))
    values, q, v = given_numbers(derivation.system, made)
    core = python_source(made.outputs, made.inputs, "_scalars").removeprefix(_NUMPY).strip("\n")
    places = iter(range(len(listed)))
    return CASADI.format(
        title=f"Equations of motion of {harmless(derivation.system.name)} by {harmless(derivation.formalism)}.",
        equations=equations_of(derivation),
        coordinates=made.coordinates,
        parameters="".join(f"    {name!r}: {values.get(name)!r},\n" for name in made.parameters),
        q=q,
        v=v,
        named=", ".join(made.groups),
        groups=[*made.groups],
        results="".join(
            f"        {identifier(SPELLING.get(name, name))!r}: {_array(value, places)},\n"
            for name, value in quantities.items()
        ),
        core=core.replace("np.abs(", "ca.fabs(").replace("np.", "ca."),
    )


def _array(value: Nested, places: Iterator[int]) -> str:
    """Write a matrix if it has rows of one length, else a column of all numbers."""
    entries = value if isinstance(value, tuple) else ()
    rows = [row for row in entries if isinstance(row, tuple) and not any(isinstance(x, tuple) for x in row)]
    if rows and len(rows) == len(entries) and len({len(row) for row in rows}) == 1:
        texts = (f"[{', '.join(f'r[{next(places)}]' for _ in row)}]" for row in rows)
        return f"ca.blockcat([{', '.join(texts)}])"
    return f"ca.vertcat({', '.join(f'r[{next(places)}]' for _ in flatten(value))})"


CASADI = '''"""{title}

{equations}; rows of rotations in N m, of translations in N.
"""

import casadi as ca

COORDINATES = {coordinates!r}
PARAMETERS = {{
{parameters}}}
#: Initial positions and velocities.
Q0 = {q!r}
V0 = {v!r}


def function(name="equations"):
    """The quantities of t, {named}, as COORDINATES, and p, the values of PARAMETERS in their order."""
    t, p = ca.SX.sym("t"), ca.SX.sym("p", len(PARAMETERS))
    {named} = (ca.SX.sym(each, len(COORDINATES)) for each in {groups!r})
    r = _scalars([t, *(each[i] for each in ({named}, p) for i in range(each.numel()))])
    results = {{
{results}    }}
    given = {{"t": t, **dict(zip({groups!r}, ({named}))), "p": p}}
    return ca.Function(name, [*given.values()], list(results.values()), [*given], list(results))


{core}
'''


class Code(TextStyle):
    """Shared rules of the languages: numbers are floats, symbols have identifiers of the language."""

    reserved: ClassVar[frozenset[str]]
    functions: ClassVar[dict[str, str]]

    def __init__(self, names: Callable[[str], str]) -> None:
        self.names = names

    def name(self, name: str) -> Form:
        """Return the identifier of a name."""
        return ATOM, [self.names(name)]

    def number(self, value: Fraction) -> Form:
        """Write a float."""
        return SUM if value < 0 else ATOM, [repr(float(value))]

    def pi(self) -> Form:
        """Write the number pi."""
        return ATOM, [repr(3.141592653589793)]

    def function(self, name: str, args: Sequence[Expression]) -> Form:
        """Write the call of a function by its name in the language."""
        return super().function(self.functions.get(name, name), args)


class Python(Code):
    """Notation of Python with functions of NumPy."""

    reserved = frozenset(keyword.kwlist)
    functions: ClassVar[dict[str, str]] = {
        "asin": "np.arcsin", "acos": "np.arccos", "atan": "np.arctan", "atan2": "np.arctan2",
    } | {name: f"np.{name}" for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "abs", "sign")}  # fmt: skip

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:
        """Write ``a**b``."""
        return POWER, [(base, ATOM), "**", (exponent, ATOM)]


class C99(Code):
    """Notation of C99 with functions of math.h."""

    reserved = C_KEYWORDS | {"y0", "y1", "yn", "j0", "j1", "jn", "gamma"}
    functions: ClassVar[dict[str, str]] = {"abs": "fabs"}

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:
        """Write ``pow(a, b)``."""
        return ATOM, ["pow(", (base, 0), ", ", (exponent, 0), ")"]

    def function(self, name: str, args: Sequence[Expression]) -> Form:
        """Write ``sign`` of x as ``(x > 0 ? 1.0 : x < 0 ? -1.0 : x * 0.0)``: a double, and NaN of NaN."""
        if name == "sign":
            x = args[0]
            return ATOM, ["(", (x, SUM), " > 0 ? 1.0 : ", (x, SUM), " < 0 ? -1.0 : ", (x, ATOM), " * 0.0)"]
        return super().function(name, args)


def identifier(name: str) -> str:
    """Convert a name to ASCII letters, digits and underscores with no leading digit; ``z1'`` is ``z1_dot``."""
    plain = re.sub(r"\W+", "_", name.replace("'", "_dot"), flags=re.ASCII).strip("_")
    return plain if plain[:1].isalpha() else f"x{plain}"
