"""B(q, q̇) of (4.1), as a matrix and element by element, (4.4), (4.5). The equations themselves need only b = B q̇."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .aggregates import Moving
from .screw import phi_matrix
from .structure import Direction
from .vectors import Vector, add, against, along, dot, plus, product, summed, transposed

Elements = dict[tuple[Direction, Direction], Any]


def velocity_matrix(bodies: Iterable[Moving], skew: bool = False) -> Elements:
    """B = S B Sᵀ + S A Ṡᵀ, (4.1); ``skew`` takes the variant with which Ȧ - 2 B is skew.

    ``B q̇ = b`` where nothing is prescribed; B is not symmetric.
    """
    result: Elements = {}
    for body in bodies:
        own = body.inertia.B(body.twist, skew)
        free = [d for d in body.rows if d.coordinate]
        for first in free:
            turned = against(body.rows[first], own)
            for second in free:
                share = dot(turned, body.rows[second])
                if second in body.rates:
                    share = add(share, dot(body.z[first], body.rates[second]))
                result[first, second] = add(result.get((first, second), 0), share)
    return result


def velocity_matrix_by_elements(bodies: Iterable[Moving], simple_pairs: bool = False) -> Elements:
    """``B_J^I = Σ_p s_p^I A_p c_p^J + s_p^I K_p^j (s_p^J)ᵀ``, (4.4), over the bodies that I and J both move.

    ``c_p^J = (L_p^j)ᵀ Ṁ_j f_β``, ``K_p^j = B_p + A_p Φ(V_p^{j,p})ᵀ``. Equals :func:`velocity_matrix`. ``simple_pairs``
    leaves c out, (4.5): right where ``Ṁ_j f_β = 0``, as in pairs of one coordinate.
    """
    result: Elements = {}
    for body in bodies:
        own = body.inertia.B(body.twist)
        free = [d for d in body.rows if d.coordinate]
        for second in free:
            turn = phi_matrix(body.relative[second.link])
            K = summed(own, product(body.inertia.matrix, transposed(turn)))
            column: Vector = along(K, body.rows[second])
            if second in body.pair_rates and not simple_pairs:
                column = plus(column, along(body.inertia.matrix, body.pair_rates[second]))
            for first in free:
                share = dot(body.rows[first], column)
                result[first, second] = add(result.get((first, second), 0), share)
    return result
