"""The models of fixtures/konoplev that no vector is known of: power balance and angular momentum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.model import State, System
from mbconcord.model.expressions import evaluate, symbol
from mbconcord.model.numbers import environment

FOLDER = folder("konoplev")


def model(name: str) -> System:
    return read(FOLDER / name, physics="ignore").system


#: Derivative of eighth order from values at ±h, ±2h, ±3h, ±4h.
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)


def rate(function: Any, h: float) -> Any:
    return sum(w * (function(k * h) - function(-k * h)) for k, w in enumerate(WEIGHTS, 1)) / h


class Machine:
    """Kinetic energy of a model from the poses of its bodies alone, along q(t) = q + q' t + q'' t²/2."""

    def __init__(self, system: System, acceleration: np.ndarray) -> None:
        self.system, self.acceleration = system, acceleration
        self.start = environment(system, [State()])[0]

    def values(self, t: float) -> dict[str, float]:
        found = dict(self.start) | {"t": t}
        for name, a in zip(self.system.coordinate_names, self.acceleration, strict=True):
            found[name] = self.start[name] + self.start[f"{name}'"] * t + a * t * t / 2
        return found

    def pose(self, joint: Any, values: dict[str, float]) -> np.ndarray:
        result = np.eye(4)
        for et in joint:
            amount, *axis = evaluate([et.amount, *et.axis], values)
            step = np.eye(4)
            u = np.array(axis, dtype=float)
            if et.is_translation:
                step[:3, 3] = amount * u
            else:
                K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
                step[:3, :3] += np.sin(amount) * K + (1 - np.cos(amount)) * K @ K
            result = result @ step
        return result

    def parts(self, t: float) -> list[tuple[np.ndarray, Any, Any]]:
        """(pose, inertia, added inertia) of the bodies and of their flywheels."""
        from mbconcord.model import rotation
        from mbconcord.model.transformation import Prescribed

        values = self.values(t)
        poses: dict[str | None, np.ndarray] = {None: np.eye(4)}
        found = []
        for body in self.system.bodies:
            poses[body.name] = poses[body.parent] @ self.pose(body.joint, values)
            found.append((poses[body.name], body.inertia, body.added_inertia))
            for wheel in body.flywheels:
                spin = (*wheel.mounting, rotation("z", Prescribed(wheel.angle)))
                found.append((poses[body.name] @ self.pose(spin, values), wheel.inertia, None))
        return found

    def kinetic(self, t: float) -> float:
        total = 0.0
        now = self.parts(t)
        for i, (pose, inertia, medium) in enumerate(now):
            change = rate(lambda dt, i=i: self.parts(t + dt)[i][0], 2e-3)
            twist = np.linalg.inv(pose) @ change
            v, w = twist[:3, 3], np.array([twist[2, 1], twist[0, 2], twist[1, 0]])
            m = evaluate([inertia.mass], self.start)[0]
            c = np.array(evaluate(list(inertia.centre), self.start))
            J = np.array([evaluate(list(row), self.start) for row in inertia.matrix()])
            vc = v + np.cross(w, c)
            total += 0.5 * m * vc @ vc + 0.5 * w @ J @ w
            if medium:
                L = np.array([evaluate(list(row), self.start) for row in medium.rows])
                V = np.concatenate([v, w])
                total += 0.5 * V @ L @ V
        return float(total)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["submarine.mbs.json", "gyrostat.mbs.json", "vectors/medium_flywheel.mbs.json"])
def test_power_balance_with_medium_and_flywheels(file):
    """The rate of all kinetic energy, wheels and fluid included, is the power of weight, forces and motors."""
    system = model(file)
    found = Konoplev().evaluate(system, [State()]).quantities
    acceleration = found["acceleration"][0]
    machine = Machine(system, acceleration)
    v = np.array([machine.start[f"{name}'"] for name in system.coordinate_names])
    known = machine.start | {f"{n}''": a for n, a in zip(system.coordinate_names, acceleration, strict=True)}
    torques = evaluate(list(Konoplev().derive(system).native["motor_torques"]), known)
    from mbconcord.model.expressions import derivative

    wheels = [wheel for body in system.bodies for wheel in body.flywheels]
    spins = evaluate([derivative(wheel.angle, symbol("t")) for wheel in wheels], known)
    motors = float(np.dot(torques, spins))
    weights = _weight_power_of_wheels(machine, wheels)
    power = float(v @ (found["gravity"][0] + found["applied"][0])) + motors + weights
    energy = machine.kinetic(0.0)
    assert abs(rate(machine.kinetic, 4e-3) - power) <= 1e-8 * (energy + abs(power))
    assert abs(motors) > 1e-6 * energy


def _weight_power_of_wheels(machine: Machine, wheels: Any) -> float:
    """Power of the weight of unbalanced wheels in their own spin: it is none of the coordinates' work."""
    from mbconcord.model import rotation
    from mbconcord.model.transformation import Prescribed

    g = np.array(evaluate(list(machine.system.gravity_vector), machine.start))
    values = machine.values(0.0)
    poses: dict[str | None, np.ndarray] = {None: np.eye(4)}
    power = 0.0
    for body in machine.system.bodies:
        poses[body.name] = poses[body.parent] @ machine.pose(body.joint, values)
        for wheel in body.flywheels:
            centre = np.append(evaluate(list(wheel.inertia.centre), values), 1.0)
            mass = evaluate([wheel.inertia.mass], values)[0]

            def height(dt: float, body: Any = body, wheel: Any = wheel, centre: Any = centre) -> float:
                spin = (*wheel.mounting, rotation("z", Prescribed(wheel.angle)))
                pose = poses[body.name] @ machine.pose(spin, values | {"t": dt})
                return float(g @ (pose @ centre)[:3])

            power += mass * rate(height, 1e-3)
    return power


def test_the_gyrostat_keeps_its_angular_momentum():
    """No weight, and the support of the bus is its frame's origin: the momentum about it is constant."""
    system = model("gyrostat.mbs.json")
    machine = Machine(system, Konoplev().evaluate(system, [State()]).quantities["acceleration"][0])

    def momentum(t: float) -> np.ndarray:
        total = np.zeros(3)
        for i, (pose, inertia, _) in enumerate(machine.parts(t)):
            change = rate(lambda dt, i=i: machine.parts(t + dt)[i][0], 2e-3)
            spin = change[:3, :3] @ pose[:3, :3].T
            w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
            m = evaluate([inertia.mass], machine.start)[0]
            c = np.append(evaluate(list(inertia.centre), machine.start), 1.0)
            J = np.array([evaluate(list(row), machine.start) for row in inertia.matrix()])
            r, v = (pose @ c)[:3], (change @ c)[:3]
            total += m * np.cross(r, v) + pose[:3, :3] @ J @ pose[:3, :3].T @ w
        return total

    assert np.abs(rate(momentum, 4e-3)).max() < 1e-8 * np.abs(momentum(0.0)).max()


def test_native_and_mbsd_files_are_the_same_machines():
    for name in ("mechanism", "mechanism_offset", "tree"):
        a, b = model(f"{name}.mbs.json"), model(f"{name}.mbsd")
        assert a.coordinate_names == b.coordinate_names
        for quantity in ("M", "h", "gravity"):
            x, y = (Konoplev().evaluate(s, [State()]).quantities[quantity] for s in (a, b))
            assert np.abs(x - y).max() < 1e-12 * (1 + np.abs(x).max())
