"""Terms of each form's equations in the order of the paper: pairs of a coefficient and a variable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mbconcord.model.expressions import Expression, as_expression
from mbconcord.records import dataclass

from ..forms import absolute
from ..linkage import Coefficients
from .named import NamedLinkage

#: A term: its factors.
Term = tuple[Expression, ...]
#: Coefficients of a form by letter, over names.
Letters = Mapping[str, Coefficients]
MINUS = as_expression(-1)


@dataclass(frozen=True)
class Shape:
    """Shape of the equation of link k in one form.

    Attributes
    ----------
    terms : left side, without gravity and loads
    difference : True if the right side is M_k - Σ M_i over the adjacent links instead of M_k
    relative : True if its accelerations are q'' instead of ε
    """

    terms: Callable[[NamedLinkage, Letters, int], Iterator[Term]]
    difference: bool = False
    relative: bool = False


def rud_terms(p: NamedLinkage, _: Letters, k: int) -> Iterator[Term]:
    """Yield Σ (J^c ε_i + J^s ω_i²) + J_k ε_k + Σ Σ (J^c_ij ε_i - J^s_ij ω_i²), (24)."""
    t, epsilon = p.topology, p.motion.epsilon
    for i in t.carriers(k):
        yield p.Jc[k, t.next_link(i, k)], epsilon[i]
        yield p.Js[k, t.next_link(i, k)], p.square[i]
    yield p.bodies[k].J, epsilon[k]
    for j in t.children[k]:
        for i in t.sub[j]:
            yield p.Jc[i, j], epsilon[i]
            yield MINUS, p.Js[i, j], p.square[i]


def matrix_terms(p: NamedLinkage, c: Letters, k: int) -> Iterator[Term]:
    """Yield Σ H_ki ε_i + Σ h_ki ω_i², (20)."""
    for letter, variables in (("H", p.motion.epsilon), ("h", p.square)):
        for i in p.topology.links:
            if (k, i) in c[letter]:
                yield c[letter][k, i], variables[i]


def absolute_terms(p: NamedLinkage, c: Letters, k: int) -> Iterator[Term]:
    """Yield Σ (A ε_i - B ω_i²) + Σ ([J_i + m_di R^x + Σ A_jj] ε_i + [m_di R^y - Σ B_jj] ω_i²), (1)."""
    t, epsilon = p.topology, p.motion.epsilon
    for i in t.carriers(k):
        yield c["A"][k, t.next_link(i, k)], epsilon[i]
        yield MINUS, c["B"][k, t.next_link(i, k)], p.square[i]
    for i in t.sub[k]:
        of_epsilon, of_square = absolute.link_coefficients(p, c["A"], c["B"], k, i)
        yield of_epsilon, epsilon[i]
        yield of_square, p.square[i]


def sums_terms(p: NamedLinkage, c: Letters, k: int) -> Iterator[Term]:
    """Yield Σ (A_ki ε_i + a_ki ω_i²) + Σ (B_ik ε_i + b_ik ω_i²), (6)."""
    t, epsilon = p.topology, p.motion.epsilon
    for i in t.carriers(k):
        yield c["A"][k, i], epsilon[i]
        yield c["a"][k, i], p.square[i]
    for i in t.sub[k]:
        yield c["B"][i, k], epsilon[i]
        yield c["b"][i, k], p.square[i]


def relative_terms(p: NamedLinkage, c: Letters, k: int) -> Iterator[Term]:
    """Yield Σ (H_ki q''_i + h_ki u_i) + H_kk q''_k + Σ (H_ik q''_i - h_ik u_i), (13)."""
    t, a = p.topology, p.motion.acceleration
    for i in t.carriers(k):
        yield c["H"][k, i], a[i]
        yield c["h"][k, i], p.u[i]
    yield c["H"][k, k], a[k]
    for i in t.find_descendants(k):
        yield c["H"][i, k], a[i]
        yield MINUS, c["h"][i, k], p.u[i]


_RELATIVE = Shape(relative_terms, relative=True)
#: The shape of every planar form.
SHAPES: Mapping[str, Shape] = {
    "rud": Shape(rud_terms, difference=True),
    "matrix": Shape(matrix_terms, difference=True),
    "absolute": Shape(absolute_terms),
    "absolute-sums": Shape(sums_terms),
    "absolute-recurrent": Shape(sums_terms),
    "relative": _RELATIVE,
    "relative-sums": _RELATIVE,
    "relative-recurrent": _RELATIVE,
}
