"""Lagrange's equations against closed forms of textbooks, in sixty digits."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.model import (
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    Function,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Parameter,
    Point,
    PointForce,
    Prescribed,
    System,
    Wrench,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import TIME, ZERO, call, cos, rate, sin, sqrt, symbol, symbols
from mbconcord.model.force import LENGTH, LENGTH_RATE

from .sixty_digits import EXACT, close, numbers

LAGRANGE = Lagrange()


m, l, k, l0, d, R, om, g = (symbol(s) for s in ("m", "l", "k", "l0", "d", "R", "om", "g"))
u, z, x = symbol("u"), symbol("z"), symbol("x")
u1, z1, x1 = rate("u"), rate("z"), rate("x")
DOWN = Gravity(g, (0, -1, 0))


def one(joint, inertia=None, gravity=DOWN, **more):
    """A system of one body."""

    names = [e.coordinate for e in joint if e.coordinate]
    known = map(Parameter, ("m", "l", "k", "l0", "d", "R", "om", "g", "A", "B", "C", "Fx", "Fy", "Mx", "My", "Mz"))
    inertia = inertia or Inertia(m)
    return System(
        "one", map(Coordinate, names), known, (Function("f", ("t",)),), gravity,
        (Body("b", None, joint, inertia),), **more,
    )  # fmt: skip


def f(order=0):
    return call("f", [TIME], [order])


A, B, C = symbol("A"), symbol("B"), symbol("C")
Fx, Fy = symbol("Fx"), symbol("Fy")
MOMENT = (symbol("Mx"), symbol("My"), symbol("Mz"))
y, y1 = symbol("y"), rate("y")
TOP = [rotation("z", "x"), rotation("x", "y"), rotation("z", "z")]
CLOSED = {
    # m l² z'' + m l (g + f'') sin z = 0
    "pendulum whose pivot moves upwards by f(t)": (
        one([translation("y", Prescribed(f())), rotation("z", "z"), translation("y", Constant(-l))]),
        [[m * l * l]], [m * l * f(2) * sin(z)], [-m * g * l * sin(z)], [0],
    ),
    # m l² z'' - m l f'' sin z ... with the pivot moving sideways: m l² z'' + m l f'' cos z + m g l sin z = 0
    "pendulum whose pivot moves sideways by f(t)": (
        one([translation("x", Prescribed(f())), rotation("z", "z"), translation("y", Constant(-l))]),
        [[m * l * l]], [m * l * f(2) * cos(z)], [-m * g * l * sin(z)], [0],
    ),
    # m u'' - m u f'² = -m g sin f
    "bead on a rod turned by f(t)": (
        one([rotation("z", Prescribed(f())), translation("x", "u")]),
        [[m]], [-m * u * f(1) ** 2], [-m * g * sin(f())], [0],
    ),
    # m R² z'' - m R² ω² sin z cos z + m g R sin z = 0, z from the lowest point
    "bead on a hoop that turns about the vertical": (
        one([rotation("y", Prescribed(om * TIME)), rotation("z", "z"), translation("y", Constant(-R))]),
        [[m * R * R]], [-m * R * R * om**2 * sin(z) * cos(z)], [-m * g * R * sin(z)], [0],
    ),
    # m u'' - m u z'² = m g cos z - k (u - l0) - d u', m u² z'' + 2 m u u' z' = -m g u sin z
    "spring pendulum": (
        one([rotation("z", "z"), translation("-y", "u")], forces=[
            Bipolar("s", Point(None), Point("b"), LinearLaw(k=k, l0=l0, d=d)),
        ]),
        [[m * u * u, 0], [0, m]], [2 * m * u * u1 * z1, -m * u * z1**2],
        [-m * g * u * sin(z), m * g * cos(z)], [0, -k * (sqrt(u * u) - l0) * u / sqrt(u * u) - d * u1],
    ),
    # force in world axes at the point (A, B) of the body, moment about z
    "plane body with a wrench": (
        one([translation("x", "u"), translation("y", "x"), rotation("z", "z")], Inertia(m, tensor=(0, 0, C)),
            gravity=None, forces=[Wrench("w", Point("b", (A, B, 0)), (Fx, Fy, 0), (0, 0, MOMENT[2]))]),
        [[m, 0, 0], [0, m, 0], [0, 0, C]], [0, 0, 0], [0, 0, 0],
        [Fx, Fy, MOMENT[2] + (A * cos(z) - B * sin(z)) * Fy - (A * sin(z) + B * cos(z)) * Fx],
    ),
    "plane body with a point force": (
        one([translation("x", "u"), translation("y", "x"), rotation("z", "z")], Inertia(m, tensor=(0, 0, C)),
            gravity=None, forces=[PointForce("p", Point("b", (A, B, 0)), (Fx * sin(TIME), -d * u1, 0))]),
        [[m, 0, 0], [0, m, 0], [0, 0, C]], [0, 0, 0], [0, 0, 0],
        [Fx * sin(TIME), -d * u1,
         -(A * cos(z) - B * sin(z)) * d * u1 - (A * sin(z) + B * cos(z)) * Fx * sin(TIME)],
    ),
    # centre at (l, 0) of the body, C about the centre: C + m l² about the pivot
    "physical pendulum with a drive and a joint effort": (
        replace(one([rotation("z", "z")], Inertia(m, (l, 0, 0), (A, B, C)),
                    forces=[JointEffort("e", "z", -k * z)]),
                coordinates=(Coordinate("z", drive=Effort(-d * z1)),)),
        [[C + m * l * l]], [0], [-m * g * l * cos(z)], [-d * z1 - k * z],
    ),
    # Lagrange's top: precession x, nutation y, spin z; body rates by Euler; moment in body axes
    "heavy top with a moment in body axes": (
        one(TOP, Inertia(m, (0, 0, l), (A, A, C)), Gravity(g, (0, 0, -1)),
            forces=[Wrench("w", Point("b"), moment=MOMENT)]),
        [[(A + m * l * l) * sin(y) ** 2 + C * cos(y) ** 2, 0, C * cos(y)],
         [0, A + m * l * l, 0],
         [C * cos(y), 0, C]],
        [
            2 * (A + m * l * l - C) * sin(y) * cos(y) * x1 * y1 - C * sin(y) * y1 * z1,
            -(A + m * l * l - C) * sin(y) * cos(y) * x1**2 + C * sin(y) * x1 * z1,
            -C * sin(y) * x1 * y1,
        ],
        [0, m * g * l * sin(y), 0],
        [
            sin(y) * (MOMENT[0] * sin(z) + MOMENT[1] * cos(z)) + cos(y) * MOMENT[2],
            MOMENT[0] * cos(z) - MOMENT[1] * sin(z),
            MOMENT[2],
        ],
    ),
    # a length driven in time: l = |u - f|, l' = ±(u' - f'); law f0 - d @' (positive pushes apart)
    "damper to a point that is moved by f(t)": (
        System("two", [Coordinate("u")], one([]).parameters, (Function("f", ("t",)),), None, (
            Body("cart", None, [translation("x", "u")], Inertia(m)),
            Body("pin", None, [translation("x", Prescribed(f()))]),
        ), (Bipolar("s", Point("pin"), Point("cart"), Fx - d * LENGTH_RATE - k * (LENGTH - l0)),)),
        [[m]], [0], [0],
        [(Fx - d * (u - f()) * (u1 - f(1)) / sqrt((u - f()) ** 2) - k * (sqrt((u - f()) ** 2) - l0))
         * (u - f()) / sqrt((u - f()) ** 2)],
    ),
    # a heavy rod between the pivot and the point mass: half of its mass moves with the point
    "pendulum on a massive spring": (
        one([rotation("z", "z"), translation("-y", Constant(l))],
            forces=[Bipolar("s", Point(None), Point("b"), k * (l0 - LENGTH), A)]),
        [[(m + A / 2) * l * l]], [0], [-(m + A / 2) * g * l * sin(z)], [0],
    ),
}  # fmt: skip


#: f, f', f'' at the one instant that is looked at
MOVED = {"f": lambda orders, t: EXACT.number(0) + (5, 3, -2)[orders[0]]}


@pytest.mark.parametrize("case", CLOSED)
def test_closed_forms(case):
    system, *expected = CLOSED[case]
    found = LAGRANGE.derive(system).quantities
    rng = Random(case)
    for name, value in zip(("M", "h", "gravity", "applied"), expected, strict=True):
        ours = list(flatten(found[name]))
        theirs = [ZERO + v for row in value for v in (row if isinstance(row, list) else [row])]
        for _ in range(3):
            values = {s: EXACT.number(0) + rng.randint(1, 40) / EXACT.number(7) for s in sorted(symbols(ours + theirs))}
            assert close(numbers(ours, values, MOVED), numbers(theirs, values, MOVED)), name
