"""Formulas of the paper that no command needs: second derivatives of static moments, the moment of equal legs.

Second derivatives need no kinematics beyond the rotation of НКО.

With m̄ = Σ M_u ū over НКО::

    m̄'' = Σ [ M_u'' ū + 2 M_u' ω_u × ū + M_u (ε_u × ū + ω_u × (ω_u × ū)) ]

ω_u, ε_u are those of any link that has ū as an axis. M_u', M_u'' replace q_j by q_j', q_j'' in the m_qj and
drop the constants.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.formalisms.static_moments import expand_sums, one_root
from mbconcord.formalisms.static_moments.links import NONE, Frames, Link, Triple, cross, frames, links, plus, times
from mbconcord.formalisms.static_moments.moments import moments
from mbconcord.formalisms.static_moments.writeout import Result, write_out
from mbconcord.model import System
from mbconcord.model.expressions import ZERO, Expression, rate, substitute, symbol, time_derivative


def second_derivatives(system: System) -> list[Triple]:
    """Derive m̄'' of every link in fixed axes (kg m/s²), over q, q' and q''.

    For joints moved only by their coordinates. Identity: the second time derivative of m̄.
    """
    made = links(system.lump_masses())
    placed = frames(made)
    written = write_out(moments(made))
    turning = _rotations(made, placed)
    return [_second(written.find_result(link.number), placed, turning, system) for link in made]


def _rotations(made: Sequence[Link], placed: Frames) -> dict[int, tuple[Triple, Triple]]:
    """Compute ω and ε of every link: ω_i = ω_b + q̄_i q_i', ε_i = ε_b + q̄_i q_i'' + q_i' ω_b × q̄_i."""
    found: dict[int, tuple[Triple, Triple]] = {0: (NONE, NONE)}
    for link in made:
        omega, epsilon = found[link.base]
        if link.revolute:
            axis = placed.joint_axis(link)
            first, second = rate(link.coordinate), rate(link.coordinate, 2)
            epsilon = plus(epsilon, plus(times(second, axis), times(first, cross(omega, axis))))
            omega = plus(omega, times(first, axis))
        found[link.number] = omega, epsilon
    return found


def _second(result: Result, placed: Frames, turning: dict[int, tuple[Triple, Triple]], system: System) -> Triple:
    total = NONE
    for term in result.terms:
        unit = placed.units[term.unit]
        omega, epsilon = turning[placed.owner[term.unit]]
        first = time_derivative([term.value], system.coordinate_names)[0]
        second = time_derivative([first], system.coordinate_names)[0]
        swept = cross(omega, unit)
        total = plus(total, times(second, unit))
        total = plus(total, times(2 * first, swept))
        total = plus(total, times(term.value, plus(cross(epsilon, unit), cross(omega, swept))))
    return total


def machine_moment(leg: System, legs: int) -> dict[str, Expression]:
    """Derive m̄_c of a machine with ``legs`` equal legs, over НКО: the scalar of each vector.

    Constants m_di are those of the first leg, the same for all; m_qj is written m_j q, with q numbered
    through the machine: leg l of n bodies has q_{n(l-1)+1} to q_{nl}. A vector that is not of the fixed
    frame has the leg's number behind its own: ``x_1`` of leg 3 is ``x_1_3``.

    Raises
    ------
    FormalismError
        The table of a leg has several roots: a leg hangs from the hull at one point.
    """
    made = links(leg)
    root = one_root(made)
    terms = expand_sums(write_out(moments(made)), root.number)
    n = len(made)
    total: dict[str, Expression] = {}
    for number in range(1, legs + 1):
        own = {
            symbol(f"m_q{k.number}"): symbol(f"m_{k.number}") * symbol(f"q{n * (number - 1) + k.number}") for k in made
        }
        for unit, scalar in terms.items():
            name = unit if unit in ("x", "y", "z") else f"{unit}_{number}"
            total[name] = total.get(name, ZERO) + substitute([scalar], own)[0]
    return total
