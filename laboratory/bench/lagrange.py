"""Derivation by Lagrange's equations: arms, a humanoid, and a pendulum compared with SymPy's mechanics."""

from __future__ import annotations

import time
from collections.abc import Iterator

from laboratory.machines import fixture
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.model import Body, Constant, Coordinate, Gravity, Inertia, Parameter, System, rotation, translation
from mbconcord.model.expressions import count_operations, symbol

from .row import BenchmarkRow, seconds


def rows() -> Iterator[BenchmarkRow]:
    """Measure UR5, Panda and Talos."""
    for robot, limit in (("ur5", 0.1), ("panda", None), ("talos", 6.0)):
        yield from robot_rows(robot, limit)


def robot_rows(name: str, limit: float | None) -> Iterator[BenchmarkRow]:
    """Measure time of M, h and generalized forces, numbers folded in, and count operations."""
    system = fixture(f"robots/{name}.mbsd")
    claim = f"lagrange: M, h, Q of {name} ({len(system.coordinates)} coordinates)"
    yield BenchmarkRow(claim, derivation_time(system), "s", limit)
    count = count_operations(Lagrange().derive(system).outputs())
    note = f"{count.mul} multiplications, {count.add} additions, {count.trig} sines and cosines"
    yield BenchmarkRow(f"{claim}: operations", count.total, "", note=note)


def derivation_time(system: System) -> float:
    """Measure the median wall time of a derivation (s); nodes die with it, so that runs share none."""
    return seconds(lambda: Lagrange().derive(system))


def pendulum(links: int) -> System:
    """Build point masses on massless rods, angles relative to the link before, gravity along -y."""
    names = [f"z{i + 1}" for i in range(links)]
    bodies = []
    for i, name in enumerate(names, 1):
        joint = (rotation("z", name), translation("x", Constant(symbol(f"i{i}"))))
        bodies.append(Body(f"b{i}", f"b{i - 1}" if i > 1 else None, joint, Inertia(symbol(f"m{i}"))))
    parameters = [Parameter(f"{letter}{i + 1}") for letter in "im" for i in range(links)]
    down = Gravity(symbol("g"), (0, -1, 0))  # type: ignore[arg-type]
    return System("pendulum", tuple(map(Coordinate, names)), (*parameters, Parameter("g")), (), down, tuple(bodies))


def sympy_time(links: int) -> float:
    """Time ``form_lagranges_equations``, ``mass_matrix`` and ``forcing`` from T and V (wall time, s)."""
    import sympy
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    t = dynamicsymbols._t
    angles = dynamicsymbols(f"z1:{links + 1}")
    lengths = sympy.symbols(f"i1:{links + 1}")
    masses = sympy.symbols(f"m1:{links + 1}")
    x = y = angle = kinetic = potential = sympy.Integer(0)
    for z, length, mass in zip(angles, lengths, masses, strict=True):
        angle = angle + z
        x, y = x + length * sympy.cos(angle), y + length * sympy.sin(angle)
        kinetic += mass * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
        potential += mass * sympy.Symbol("g") * y
    start = time.perf_counter()
    method = LagrangesMethod(kinetic - potential, angles)
    method.form_lagranges_equations()
    _ = method.mass_matrix, method.forcing
    return time.perf_counter() - start
