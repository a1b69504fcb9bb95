"""Static moments of subsystems by formulas (1) and (2), over the vectors НКО.

m̄_i = Σ m_op O_iC_p is the first moment of body i and of all bodies it carries, about the pole of i (kg m)::

    m̄_i = m̄_ri + Σ_{j ∈ S_i} m̄_j                 (1)      i = N, …, 1 m̄_ri = m_di d̄_i + Σ_{j ∈ S_i}
    m_qj q̄_j        (2)      m_di = m_i d_i ,  m_qj = m_j q_j (0 for revolute j)

m_di d̄_i is the first moment of the augmented body: the link's own masses, and m_j at the initial pole O_0j of
each j ∈ S_i.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbconcord.model.expressions import TIME, ZERO, Expression, symbol, symbols, undefined_functions
from mbconcord.model.notation.collect import collect_terms
from mbconcord.records import dataclass

from .links import LETTERS, NONE, Link, children, plus, times


@dataclass(frozen=True)
class Term:
    """A scalar times a vector of НКО.

    ``shown``: the scalar over the paper's names m_di, m_qj, m_ci, m_ri; ``value``: over the model's symbols.
    ``variable``: True if the scalar changes as the system moves.
    """

    unit: str
    shown: Expression
    value: Expression
    variable: bool


@dataclass(frozen=True)
class Scalar:
    """A named scalar: m_i, m_di or m_qj."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Moment:
    """Moment of one link by (1) and (2): m_i, m_di, m_qi, the terms of m̄_ri, and the links S_i."""

    link: Link
    mass: Expression
    scalars: tuple[Scalar, ...]
    shift: Scalar | None
    terms: tuple[Term, ...]
    carried: tuple[int, ...]


def noncollinear(made: Sequence[Link]) -> tuple[str, ...]:
    """List НКО: names of the fixed frame in use, in order x, y, z; then new names link by link."""
    used = {name for link in made for name in link.names}
    order = dict.fromkeys(name for name in LETTERS if name in used)
    for link in made:
        order.update(dict.fromkeys(link.names))
    return tuple(order)


def moments(made: Sequence[Link]) -> list[Moment]:
    """Apply formula (2) to every link."""
    carried = children(made)
    masses = subsystem_masses(made)
    shifts = {k.number: _shift(k, masses[k.number]) for k in made}
    found = []
    for link in made:
        scalars, terms = _augment_mass(link, carried[link.number], masses)
        for j in carried[link.number]:
            shift = shifts[j.number]
            if shift is not None:
                terms += _shift_terms(j, shift)
        numbers = tuple(j.number for j in carried[link.number])
        found.append(Moment(link, masses[link.number], tuple(scalars), shifts[link.number], tuple(terms), numbers))
    return found


def subsystem_masses(made: Sequence[Link]) -> dict[int, Expression]:
    """Compute m_i by link number: the mass of link i and of all links it carries."""
    carried = children(made)
    masses: dict[int, Expression] = {}
    for link in reversed(made):
        own = sum((mass for mass, _ in link.bodies), ZERO)
        masses[link.number] = sum((masses[j.number] for j in carried[link.number]), own)
    return masses


def _augment_mass(
    link: Link, carried: Sequence[Link], masses: Mapping[int, Expression]
) -> tuple[list[Scalar], list[Term]]:
    """Expand m_di d̄_i over the link's axes: m_di if it is along an axis, else m_dxi, m_dyi, m_dzi."""
    total = NONE
    for mass, centre in link.bodies:
        total = plus(total, times(mass, centre))
    for j in carried:
        total = plus(total, times(masses[j.number], j.arm))
    parts = [collect_terms(x, masses[link.number]) for x in total]
    along = [i for i in range(3) if parts[i]]
    scalars, terms = [], []
    for i in along:
        name = f"m_d{link.number}" if len(along) == 1 else f"m_d{LETTERS[i]}{link.number}"
        minus, size = split_sign(parts[i])
        scalars.append(Scalar(name, size))
        shown = -symbol(name) if minus else symbol(name)
        terms.append(Term(link.names[i], shown, parts[i], _varies(parts[i])))
    return scalars, terms


def _shift(link: Link, mass: Expression) -> Scalar | None:
    """Return m_qj = m_j q_j of a prismatic link, or None."""
    return None if link.revolute else Scalar(f"m_q{link.number}", mass * link.q)


def _shift_terms(j: Link, shift: Scalar) -> list[Term]:
    """Expand m_qj q̄_j over the link's axes."""
    return [
        Term(name, a * symbol(shift.name), a * shift.value, True)
        for name, a in zip(j.names, j.axis, strict=True)
        if a and shift.value
    ]


def split_sign(value: Expression) -> tuple[bool, Expression]:
    """Split off a leading minus: return whether there is one, and the expression without it."""
    if value.op == "neg" or (value.op == "num" and value.value < 0):
        return True, -value
    return False, value


def _varies(value: Expression) -> bool:
    """Return True if a first moment depends on time, as with bodies on a prescribed motion."""
    return TIME.data in symbols([value]) or bool(undefined_functions([value]))
