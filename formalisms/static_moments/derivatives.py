"""Second derivatives of static moments, without any kinematics beyond the rotation of НКО.

With m̄ = Σ M_u ū over НКО::

    m̄'' = Σ [ M_u'' ū + 2 M_u' ω_u × ū + M_u (ε_u × ū + ω_u × (ω_u × ū)) ]

ω_u, ε_u are those of any link that has ū as an axis. M_u', M_u'' replace q_j by q_j', q_j'' in the m_qj and
drop the constants.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model import System
from mbconcord.model.expressions import rate, time_derivative

from .frames import Frames, frames
from .links import Link, links
from .moments import moments
from .vectors import NONE, Triple, cross, plus, times
from .writeout import Result, write_out


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
