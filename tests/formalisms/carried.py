"""Random models with flywheels and a medium, the flywheels as bodies, and Lagrange's equations of both once more."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

from mbconcord.model import AddedInertia, Body, Flywheel, Function, Inertia, Parameter, Prescribed, rotation, shift
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import (
    HALF,
    TIME,
    ZERO,
    as_expression,
    call,
    derivative,
    rate,
    sin,
    symbol,
    time_derivative,
)
from mbconcord.model.numbers import define, environment
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

from .second_derivation import kinetic_energy, left_side, moved, placements, potential_energy, turning
from .sixty_digits import EXACT, close, numbers

QUANTITIES = ("M", "h", "gravity", "applied")


def carrying(seed, bodies=3):
    """A random tree whose first body has two flywheels, its last one and a medium, as has its second."""
    system, dice = random_system(seed, bodies), Random(seed)

    def n(low=-9, high=9):
        return as_expression(Fraction(dice.randint(low, high), 10))

    def medium():
        root = [[Fraction(dice.randint(-9, 9), 8) for _ in range(6)] for _ in range(6)]
        return AddedInertia([[as_expression(sum(r[i] * r[k] for r in root)) for k in range(6)] for i in range(6)])

    def wheel(name, angle):
        axes = [dice.choice([(1, 0, 0), (1, 2, 2), (2, -3, 6), (0, 3, -4)]) for _ in range(2)]
        mounting = (*shift((n(), n(), n())), rotation(axes[0], n()), *shift((n(), n(), n())), rotation(axes[1], n()))
        tensor = (n(20, 29), n(20, 29), n(20, 29), n(-3, 3), n(-3, 3), n(-3, 3))
        return Flywheel(name, mounting, Inertia(n(4, 19), (n(), n(), n()), tensor), angle)

    first, last = system.bodies[0], system.bodies[-1]
    polynomial = symbol("speed") * TIME + TIME * TIME / 3 + sin(2 * TIME)
    wheels = (wheel("u", polynomial), wheel("v", call("turn", [TIME])))
    more = {
        system.bodies[1].name: replace(system.bodies[1], added_inertia=medium()),
        first.name: replace(first, flywheels=wheels),
        last.name: replace(last, flywheels=(wheel("u", TIME - polynomial),), added_inertia=medium()),
    }
    return replace(
        system,
        parameters=(*system.parameters, Parameter("speed", as_expression(7))),
        functions=(*system.functions, Function("turn", ("t",))),
        bodies=tuple(more.get(body.name, body) for body in system.bodies),
    )


def as_bodies(system):
    """The same system with every flywheel as a body on a joint of constant and prescribed transformations."""
    bodies = []
    for body in system.bodies:
        bodies.append(replace(body, flywheels=()))
        for wheel in body.flywheels:
            joint = (*wheel.mounting, rotation("z", Prescribed(wheel.angle)))
            bodies.append(Body(f"{body.name} wheel {wheel.name}", body.name, joint, wheel.inertia))
    return replace(system, bodies=tuple(bodies))


def fluid_energy(system, place):
    """½ VᵀΛV of all media, V from the 4×4 matrices."""
    total, names = ZERO, system.coordinate_names
    for body in system.bodies:
        if body.added_inertia:
            matrix = place[body.name]
            d = moved(matrix, names)
            u = [sum((matrix[k][i] * d[k][3] for k in range(3)), ZERO) for i in range(3)]
            V = (*u, *turning(matrix, names))
            for x, row in zip(V, body.added_inertia.rows, strict=True):
                for element, y in zip(row, V, strict=True):
                    total += HALF * (x * element * y)
    return total


def differences(formalism, seed):
    """Quantities by which a formalism differs from Lagrange's equations made once more, in sixty digits."""
    found = draw(carrying(seed), 1, seed)
    system = as_bodies(found.system.lump_masses())
    names = system.coordinate_names
    (values,) = environment(found.system, found.states, EXACT)

    def at(expressions, more=None):
        known = {**values, **(more or {})}
        return numbers(define(flatten(tuple(expressions)), found.system.functions), known)

    place = placements(system)
    equations = left_side(kinetic_energy(system, place) + fluid_energy(system, place), system)
    still = {n + "''": EXACT.number(0) for n in names}
    energy = potential_energy(system, place)
    ours = formalism.derive(found.system).quantities
    right = {
        "M": at([derivative(e, rate(n, 2)) for e in equations for n in names]),
        "h": at(equations, still),
        "gravity": at([-derivative(energy, symbol(n)) for n in names]),
    }
    return [name for name, expected in right.items() if not close(at(flatten(ours[name])), expected)]


def velocity_and_rate(system, body, state, a):
    """V = (u; ω) of a body in its axes and dV/dt, with accelerations: numbers."""
    names = system.coordinate_names
    matrix = placements(system)[body]
    d = moved(matrix, names)
    u = [sum((matrix[k][i] * d[k][3] for k in range(3)), ZERO) for i in range(3)]
    V = [*u, *turning(matrix, names)]
    (values,) = environment(system, [state], EXACT)
    values |= {f"{n}''": EXACT.number(0) + x for n, x in zip(names, a, strict=True)}
    found = numbers([*V, *time_derivative(V, names)], values)
    return [float(x) for x in found[:6]], [float(x) for x in found[6:]]
