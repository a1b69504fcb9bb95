"""Lagrange's equations once more, sharing nothing with the formalism but the graph.

Rotations from quaternions, 4×4 matrices multiplied out, T = ½ Σ tr(dT/dt Ĵ dT/dtᵀ) without ω,
generalized forces as the slope of power by the rates.
"""

from __future__ import annotations

from mbconcord.model import Bipolar, JointEffort, Wrench
from mbconcord.model.expressions import (
    HALF,
    ONE,
    ZERO,
    cos,
    directional,
    gradient,
    rate,
    sin,
    sqrt,
    symbol,
    time_derivative,
)


def elementary(step):
    """4×4 matrix of one transformation, its rotation from the quaternion cos φ/2, n sin φ/2."""
    x, y, z = step.axis
    a = step.amount
    if step.is_translation:
        return [[ONE, ZERO, ZERO, a * x], [ZERO, ONE, ZERO, a * y], [ZERO, ZERO, ONE, a * z], [ZERO, ZERO, ZERO, ONE]]
    w, s = cos(a / 2), sin(a / 2)
    x, y, z = s * x, s * y, s * z
    return [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y), ZERO],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x), ZERO],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z, ZERO],
        [ZERO, ZERO, ZERO, ONE],
    ]


def times(a, b):
    return [[sum((a[i][k] * b[k][j] for k in range(4)), ZERO) for j in range(4)] for i in range(4)]


def placements(system):
    """World 4×4 matrix of every body."""
    found = {None: [[ONE if i == j else ZERO for j in range(4)] for i in range(4)]}
    for body in system.bodies:
        matrix = found[body.parent]
        for step in body.joint:
            matrix = times(matrix, elementary(step))
        found[body.name] = matrix
    return found


def world(matrix, position):
    column = [[p] for p in (*position, ONE)]
    return [sum((matrix[i][k] * column[k][0] for k in range(4)), ZERO) for i in range(3)]


def moved(matrix, names):
    flat = time_derivative([x for row in matrix for x in row], names)
    return [flat[4 * i : 4 * i + 4] for i in range(4)]


def turning(matrix, names):
    """Body components of the angular velocity: elements of AᵀdA/dt."""
    d = moved(matrix, names)
    w = [[sum((matrix[k][i] * d[k][j] for k in range(3)), ZERO) for j in range(3)] for i in range(3)]
    return w[2][1], w[0][2], w[1][0]


def kinetic_energy(system, place):
    """½ Σ tr(dT/dt Ĵ dT/dtᵀ), Ĵ the 4×4 matrix ∫ (ρ,1)(ρ,1)ᵀ dm of the body."""
    total = ZERO
    for body in system.bodies:
        m, c = body.inertia.mass, body.inertia.centre
        s = [m * x for x in c]
        xx, yy, zz, xy, xz, yz = body.inertia.tensor
        half = (xx + yy + zz) / 2
        second = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
        second = [[second[i][k] + m * c[i] * c[k] for k in range(3)] + [s[i]] for i in range(3)] + [[*s, m]]
        d = moved(place[body.name], system.coordinate_names)
        for row in d[:3]:
            for i in range(4):
                for k in range(4):
                    total += HALF * (row[i] * second[i][k] * row[k])
    return total


def potential_energy(system, place):
    total = ZERO
    for body in system.bodies:
        centre = world(place[body.name], body.inertia.centre)
        total -= body.inertia.mass * sum((g * x for g, x in zip(system.gravity_vector, centre)), ZERO)
    return total


def left_side(energy, system):
    """d/dt ∂T/∂q' - ∂T/∂q with accelerations in it."""
    names = system.coordinate_names
    p = gradient(energy, [rate(n) for n in names])
    return [a - b for a, b in zip(time_derivative(p, names), gradient(energy, [symbol(n) for n in names]))]


def generalized_force(system, place):
    """∂(power)/∂q' of all drives and forces, each force itself held fixed."""
    names = system.coordinate_names
    total = dict.fromkeys(names, ZERO)

    def add(force, speeds):
        for name in names:
            for f, slope in zip(force, directional(speeds, {rate(name): ONE}), strict=True):
                total[name] += f * slope

    for c in system.coordinates:
        if c.drive:
            add([c.drive.value], [rate(c.name)])
    for f in system.forces:
        if isinstance(f, JointEffort):
            add([f.expression()], [rate(f.coordinate)])
        elif isinstance(f, Bipolar):
            a, b = (world(place[p.body], p.position) for p in (f.first, f.second))
            length = sqrt(sum(((x - y) * (x - y) for x, y in zip(a, b)), ZERO))
            (speed,) = time_derivative([length], names)
            add([f.force(length, speed)], [speed])
        else:
            add(f.force, time_derivative(world(place[f.point.body], f.point.position), names))
            if isinstance(f, Wrench):
                add(f.moment, turning(place[f.point.body], names))
    return [total[name] for name in names]
