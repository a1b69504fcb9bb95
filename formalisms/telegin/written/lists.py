"""The list of a planar linkage: names, coefficients by the form's letters, the equations, and the closure of loops."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model.derivation import Nested
from mbconcord.model.expressions import ZERO, Expression, to_text
from mbconcord.model.notation.balance import Balance, Product, products
from mbconcord.model.notation.listing import Listing

from ..forms.equations import Equations
from ..linkage import Coefficients
from ..planar import PLANAR
from .closures import Closures
from .given import Given
from .lines import Lines
from .named import NamedLinkage
from .notation import WRITTEN
from .terms import MINUS, SHAPES, Letters, Shape


def listing(formalism: str, given: Given, form: str) -> Listing:
    """The equations in a form over names; evaluating the lines in order gives M, h, gravity, applied, D and γ̃."""
    lines = Lines(given.system.names)
    p = NamedLinkage(given.linkage, lines)
    made = PLANAR[form](p)
    letters = _coefficients(made, lines)
    shape, drives = SHAPES[form], _drives(given, lines)
    loops = Closures(p, given, lines, shape)
    balances = [
        Balance(given.coordinates[k - 1], _left(p, letters, shape, k), _right(p, drives, loops, shape, k))
        for k in p.topology.links
    ]
    quantities = _quantities(p, made, given, drives, lines)
    return Listing(
        formalism,
        given.system,
        quantities,
        lines.stages(),
        native=loops.native,
        rows=loops.rows,
        notation=WRITTEN,
        balances=(*balances, *loops.balances),
        unknowns=_unknowns(p, given, shape) | loops.unknowns,
    )


def _coefficients(made: Equations, lines: Lines) -> Letters:
    """The form's coefficients by name; J^c, J^s and G have theirs, and left sides are the equations themselves."""
    found: dict[str, Coefficients] = {}
    for letter, values in made.coefficients.items():
        if letter in ("Jc", "Js", "G", "G0", "L"):
            continue
        named = found[letter] = {}
        for index, value in values.items():
            assert isinstance(index, tuple)
            name = "_".join((letter, *map(str, index)))
            named[index] = lines.give("coefficients", name, value)
    return found


def _drives(given: Given, lines: Lines) -> dict[int, Expression]:
    """M_k of every link: zero where the model drives a joint with nothing."""
    return {
        k: lines.always("drives", f"M_{k}", given.sense[name] * given.efforts[name])
        for k, name in enumerate(given.coordinates, 1)
    }


def _left(p: NamedLinkage, letters: Letters, shape: Shape, k: int) -> tuple[Product, ...]:
    """Inertia, less gravity, less loads."""
    weight, load = (p.G[k], p.M_difference[k]) if shape.difference else (p.G0[k], p.M_sum[k])
    return products(*shape.terms(p, letters, k), (MINUS, weight), (MINUS, load))


def _right(
    p: NamedLinkage, drives: Mapping[int, Expression], loops: Closures, shape: Shape, k: int
) -> tuple[Product, ...]:
    """Drives, and the moments of the reactions of cut joints."""
    adjacent = p.topology.children[k] if shape.difference else ()
    return products((drives[k],), *((MINUS, drives[j]) for j in adjacent), *loops.moments(k))


def _quantities(
    p: NamedLinkage, made: Equations, given: Given, drives: Mapping[int, Expression], lines: Lines
) -> dict[str, Nested]:
    """The canonical quantities over names, in the order and the senses of the model's coordinates."""
    number = {name: k for k, name in enumerate(given.coordinates, 1)}
    names, sense, written = given.system.coordinate_names, given.sense, lines.over_names
    return {
        "M": tuple(
            tuple(written(sense[a] * sense[b] * made.mass.get((number[a], number[b]), ZERO)) for b in names)
            for a in names
        ),
        "h": tuple(written(sense[a] * made.h[number[a]]) for a in names),
        "gravity": tuple(sense[a] * p.G0[number[a]] for a in names),
        "applied": tuple(sense[a] * (p.M_sum[number[a]] + drives[number[a]]) for a in names),
    }


def _unknowns(p: NamedLinkage, given: Given, shape: Shape) -> dict[str, str]:
    """ε_k, where the equations have them."""
    if shape.relative:
        return {}
    epsilon = given.linkage.motion.epsilon
    return {
        str(p.motion.epsilon[k]): f"angular acceleration of {given.bodies[k - 1]}: {to_text(epsilon[k])}"
        for k in p.topology.links
    }
