"""Augmented and extended bodies: the masses that a link carries, gathered in its joints."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model.expressions import ONE, TWO, Expression
from mbconcord.model.notation.collect import collect_terms
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .tree import Link, Tree
from .vectors import E, Matrix, add_tensors, dot, dyad, plus, point_tensor, scale_tensor, times


@dataclass(frozen=True)
class Augmented:
    """The augmented body of a link (ДТ), link axes.

    Attributes
    ----------
    m : mass of the link and of all it carries
    s : m O C_d = m_d d, first moment about the pole O; of a prismatic child at its present position (РТ)
    J : tensor about the pole O
    """

    m: Expression
    s: Vector
    J: Matrix


def augment_links(tree: Tree) -> Mapping[int, Augmented]:
    """Compute the augmented bodies of all links.

    s_i = m_oi c_i + Σ m_j R_j and J_i = I_i + m_oi (c² E - c cᵀ) + Σ m_j (R_j² E - R_j R_jᵀ) over the adjacent links j
    (eq. (5) as a tensor): children are point masses at their poles, and their rotation does not matter. m_i is the mass
    of the subtree. Like terms of s_i are gathered: if a table gives the centre of the augmented body, s_i is m_i d_i
    again.
    """
    found: dict[int, Augmented] = {}
    for k in tree.inward:
        body = alone(tree.links[k])
        for j in tree.children[k]:
            body = add_child(body, found[j].m, tree.links[j])
        x, y, z = (collect_terms(component, body.m) for component in body.s)
        found[k] = Augmented(body.m, (x, y, z), body.J)
    for k in tree.links:
        for j in tree.children[k]:
            if not tree.links[j].turns:
                found[k] = add_sliding_child(found[k], found[j].m, tree.links[j])
    return {k: found[k] for k in tree.links}


def alone(link: Link) -> Augmented:
    """Return the body of a link that carries nothing."""
    return Augmented(link.mass, link.moment, link.tensor)


def add_child(body: Augmented, m: Expression, child: Link) -> Augmented:
    """Add to the body the mass m of a child and of all it carries, at the child's pole at q = 0."""
    return Augmented(
        body.m + m, plus(body.s, times(m, child.offset)), add_tensors(body.J, point_tensor(m, child.offset))
    )


def add_sliding_child(body: Augmented, m: Expression, child: Link) -> Augmented:
    """Add to the body the mass m of a prismatic child displaced by q n from its initial position.

    s = s⁰ + m q n; J = J⁰ + m (q [2 (R_0·n) E - R_0 nᵀ - n R_0ᵀ] + q² [E - n nᵀ]).
    """
    n, R, q = child.direction, child.offset, child.q
    linear = add_tensors(scale_tensor(TWO * dot(R, n), E), scale_tensor(-ONE, add_tensors(dyad(R, n), dyad(n, R))))
    square = add_tensors(E, scale_tensor(-ONE, dyad(n, n)))
    J = add_tensors(
        body.J, add_tensors(scale_tensor(q, scale_tensor(m, linear)), scale_tensor(q * q, scale_tensor(m, square)))
    )
    return Augmented(body.m, plus(body.s, times(q, times(m, n))), J)
