"""Quantities as functions of JAX and of CasADi, which compile and differentiate them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model.derivation import Derivation, Nested, flatten
from mbconcord.model.expressions.code import harmless, python_source

from .languages import identifier
from .listing import SPELLED, elements
from .solving import equations_of
from .source import given_numbers, prepare, python

#: Quantities in Greek -> how their names are spelled in ASCII.
SPELLING = {greek: spelled for spelled, greek in SPELLED.items()}
_NUMPY = "import numpy as np\n"


def jax(derivation: Derivation, quantities: Mapping[str, Nested]) -> str:
    """The module of :func:`.source.python` over ``jax.numpy``, in doubles: for ``jit``, ``vmap``, ``jacfwd``."""
    return python(derivation, dict(quantities)).replace(_NUMPY, JAX, 1)


JAX = """\
import jax
import jax.numpy as np

jax.config.update("jax_enable_x64", True)
"""


def casadi(derivation: Derivation, quantities: Mapping[str, Nested]) -> str:
    """A module with ``COORDINATES``, ``PARAMETERS`` and ``function()``: a ``casadi.Function`` of t, q, v, a, p."""
    listed = [e.expression for name, value in quantities.items() for e in elements(derivation, name, value)]
    made = prepare(derivation, listed)
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
        results="".join(
            f"        {identifier(SPELLING.get(name, name))!r}: {_array(value, places)},\n"
            for name, value in quantities.items()
        ),
        core=core.replace("np.abs(", "ca.fabs(").replace("np.", "ca."),
    )


def _array(value: Nested, places: Iterator[int]) -> str:
    """A matrix where it has rows of one length, else a column of all numbers."""
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
    """The quantities as a function of t, q, v, a, as COORDINATES, and p, the values of PARAMETERS in their order."""
    t, p = ca.SX.sym("t"), ca.SX.sym("p", len(PARAMETERS))
    q, v, a = (ca.SX.sym(each, len(COORDINATES)) for each in "qva")
    r = _scalars([t, *(each[i] for each in (q, v, a, p) for i in range(each.numel()))])
    results = {{
{results}    }}
    return ca.Function(name, [t, q, v, a, p], list(results.values()), ["t", "q", "v", "a", "p"], list(results))


{core}
'''
