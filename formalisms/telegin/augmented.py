"""Augmented and extended bodies: what a link carries, gathered in its joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbconcord.model.expressions import ONE, TWO, Expression
from mbconcord.model.notation.collect import collected
from mbconcord.model.transformation import Vector

from .tree import Link, Tree
from .vectors import E, Matrix, added, dot, dyad, plus, point_tensor, scaled, times


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


def augmented(tree: Tree) -> Mapping[int, Augmented]:
    """Augmented bodies of all links.

    s_i = m_oi c_i + Σ m_j R_j and J_i = I_i + m_oi (c² E - c cᵀ) + Σ m_j (R_j² E - R_j R_jᵀ) over the
    adjacent links j (eq. (5) as a tensor): children are point masses at their poles, and their
    rotation does not matter. m_i is the mass of the subtree. Like terms of s_i are gathered: where a table gives the
    centre of the augmented body, s_i is m_i d_i again.
    """
    found: dict[int, Augmented] = {}
    for k in tree.inward:
        body = alone(tree.links[k])
        for j in tree.children[k]:
            body = gathered(body, found[j].m, tree.links[j])
        x, y, z = (collected(component, body.m) for component in body.s)
        found[k] = Augmented(body.m, (x, y, z), body.J)
    for k in tree.links:
        for j in tree.children[k]:
            if not tree.links[j].turns:
                found[k] = extended(found[k], found[j].m, tree.links[j])
    return {k: found[k] for k in tree.links}


def alone(link: Link) -> Augmented:
    """The body of a link that carries nothing."""
    return Augmented(link.mass, link.moment, link.tensor)


def gathered(body: Augmented, m: Expression, child: Link) -> Augmented:
    """The body with the mass m of a child and of all it carries, at the child's pole at q = 0."""
    return Augmented(
        body.m + m,
        plus(body.s, times(m, child.offset)),
        added(body.J, point_tensor(m, child.offset)),
    )


def extended(body: Augmented, m: Expression, child: Link) -> Augmented:
    """The body with the mass m of a prismatic child moved by q n from its initial position.

    s = s⁰ + m q n; J = J⁰ + m (q [2 (R_0·n) E - R_0 nᵀ - n R_0ᵀ] + q² [E - n nᵀ]).
    """
    n, R, q = child.direction, child.offset, child.q
    linear = added(scaled(TWO * dot(R, n), E), scaled(-ONE, added(dyad(R, n), dyad(n, R))))
    square = added(E, scaled(-ONE, dyad(n, n)))
    J = added(body.J, added(scaled(q, scaled(m, linear)), scaled(q * q, scaled(m, square))))
    return Augmented(body.m, plus(body.s, times(q, times(m, n))), J)
