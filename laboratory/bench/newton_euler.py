"""Newton–Euler: derivation time, remaining operations, their growth, and batches of states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

import numpy as np

from laboratory.machines import fixture
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.newton_euler.equations import Equations
from mbconcord.formalisms.newton_euler.vectors import Batch, Graph
from mbconcord.model import Body, Coordinate, Gravity, Inertia, State, System, rotation, translation
from mbconcord.model.expressions import FLOAT, Expression, count_operations, numpy_arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.model.numbers import Instance

from .row import BenchmarkRow, seconds

#: States of the batch, and how many of them the loop over single states goes through.
STATES, SINGLE = 10_000, 200
CHAIN = "revolute, full tensors"
INERTIA = Inertia(1.5, (0.1, 0.2, 0.25), (0.3, 0.4, 0.5, 0.01, 0.02, 0.03))  # type: ignore[arg-type]
DOWN = Gravity(9.81, (0, 0, -1))  # type: ignore[arg-type]
GENERAL = "skew axes at distances, offsets, full tensors"


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    arm = fixture("robots/ur5.mbsd")
    formalism = NewtonEuler()
    time = seconds(lambda: formalism.inverse_dynamics(arm)) * 1e3
    yield BenchmarkRow("6R arm: inverse dynamics derived", time, "ms", 20)
    time = seconds(lambda: formalism.derive(arm)) * 1e3
    yield BenchmarkRow("6R arm: all six quantities derived, with stages", time, "ms")
    wanted = formalism.inverse_dynamics(arm)
    counted = count_operations(wanted)
    yield BenchmarkRow("6R arm: multiplications of inverse dynamics", counted.mul, "", 165)
    yield BenchmarkRow("6R arm: additions of inverse dynamics", counted.add, "", 120)
    counted = count_operations(formalism.inverse_dynamics(general()))
    yield BenchmarkRow("general 6R: multiplications of inverse dynamics", counted.mul, "", 400, note=GENERAL)
    yield BenchmarkRow("general 6R: additions of inverse dynamics", counted.add, "", 340, note=GENERAL)
    accelerations = count_operations(Equations(arm, Graph()).forward.accelerations)
    yield BenchmarkRow("6R arm: multiplications of forward dynamics", accelerations.mul, "", note="articulated bodies")
    for n, limit in ((30, 0.3), (100, 1.5)):
        system = chain(n)
        time = seconds(partial(formalism.inverse_dynamics, system), 3)
        yield BenchmarkRow(f"chain of {n} bodies: inverse dynamics derived", time, "s", limit, note=CHAIN)
        time = seconds(partial(formalism.derive, system), 3)
        yield BenchmarkRow(f"chain of {n} bodies: all six quantities derived", time, "s", note="M has n² entries")
    short, long = (seconds(partial(formalism.inverse_dynamics, chain(n)), 3) for n in (100, 200))
    yield BenchmarkRow("inverse dynamics derived: time of 200 bodies over that of 100", long / short, "", 3)
    short, long = (count_operations(formalism.inverse_dynamics(chain(n))).total for n in (100, 200))
    yield BenchmarkRow("inverse dynamics: operations of 200 bodies over those of 100", long / short, "", 2.05)
    short, long = (seconds(partial(directly, chain(n)), 1) for n in (500, 2000))
    claim = "inverse and forward dynamics in numbers: time of 2000 bodies over that of 500"
    yield BenchmarkRow(claim, long / short, "", 6, note=f"{long:.2g} s")
    faster = gain(arm, wanted)
    yield BenchmarkRow(f"6R arm: {STATES} states at once over one by one", faster, "times faster", 10, False)


def directly(system: System) -> None:
    """Compute inverse and forward dynamics of one state in numbers, without a graph of the equations."""
    equations = Equations(system, Batch(system, Instance(system, [State()]).values, 1))
    _ = equations.inverse_dynamics, equations.forward


def gain(system: System, outputs: Sequence[Expression]) -> float:
    """Return the speed-up of a batch of states over a loop over single states, both by the same program."""
    dice = Random(1)
    names = [f"{name}{mark}" for name in system.coordinate_names for mark in ("", "'", "''")]
    lines = program(outputs)
    arrays = {name: np.array([dice.uniform(-3, 3) for _ in range(STATES)]) for name in names}
    states = [{name: float(values[i]) for name, values in arrays.items()} for i in range(SINGLE)]
    together = seconds(lambda: run(lines, arrays, numpy_arithmetic())) / STATES
    one_by_one = seconds(lambda: [run(lines, values, FLOAT) for values in states]) / SINGLE
    return one_by_one / together


def general(n: int = 6) -> System:
    """Build a chain of skew axes at distances from each other, with offsets along them."""
    bodies = []
    for i in range(n):
        before = (translation("x", 0.4), rotation("x", 0.3 + 0.4 * i)) if i else ()
        joint = (*before, translation("z", 0.3), rotation("z", f"q{i}"))
        bodies.append(Body(f"b{i}", f"b{i - 1}" if i else None, joint, INERTIA))
    return System("general", tuple(Coordinate(f"q{i}") for i in range(n)), gravity=DOWN, bodies=tuple(bodies))


def chain(n: int) -> System:
    """Build a chain about x, y, z in turn, with full tensors and centres of mass off the axes."""
    links = ((f"b{i}", f"b{i - 1}" if i else None, rotation("xyz"[i % 3], f"q{i}")) for i in range(n))
    bodies = tuple(Body(name, parent, (translation("x", 0.5), turn), INERTIA) for name, parent, turn in links)
    return System("chain", tuple(Coordinate(f"q{i}") for i in range(n)), gravity=DOWN, bodies=bodies)
