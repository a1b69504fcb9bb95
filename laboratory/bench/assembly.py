"""States on the constraints: from rough starts, and at random regular ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import pi
from random import Random

from laboratory.machines import fixture, four_bars
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import assemble
from mbconcord.simulation.continuation import sample
from mbconcord.validation.judge.states import draw

from .row import BenchmarkRow

#: Starts of each mechanism; fewer of forty four-bars.
COUNT, FEW = 40, 10
#: Within which a start closes always; the others are told.
SURE = (0.1, 0.3, 0.6)
SIZES = (*SURE, 1.0, pi)


@cache
def mechanisms() -> Mapping[str, System]:
    """Return mechanisms by name."""
    files = {"crane": "mbsd/patu655.mbsd", "slider-crank": "native/slider_crank.mbs.json", "A03": "mbsd/andrews.mbsd"}
    found = {f"{n} four-bars": four_bars(n) for n in (2, 10, 40)}
    return found | {name: draw(fixture(file), 0, 0).system for name, file in files.items()}


def rows() -> Iterator[BenchmarkRow]:
    """Count the starts that do not close, and the random states that are not regular."""
    for name, system in mechanisms().items():
        count = FEW if name.startswith("40") else COUNT
        left = {s: int((~assemble(system, starts(system, s, count)).is_closed).sum()) for s in SIZES}
        near = ", ".join(f"± {size:g}" for size in SURE)
        note = f"within ± 1: {left[1.0]}, at any angle: {left[pi]}"
        claim = f"{name}, {count} starts within each of {near}: not closed"
        yield BenchmarkRow(claim, sum(left[size] for size in SURE), "", 0, note=note)
    for n, count in ((2, COUNT), (10, COUNT), (40, FEW)):
        made = sample(four_bars(n), random_states(four_bars(n), count), 1)
        regular = int((made.is_closed & made.regular).sum())
        yield BenchmarkRow(f"{n} four-bars, random states: regular ones of {count}", regular, "", count, at_most=False)


def starts(system: System, size: float, count: int) -> list[State]:
    """Assemble states within ± size of the model's own position; any angle for π."""
    (own,) = assemble(system, [State()]).states
    random = Random(1)
    centre = {name: 0.0 if size == pi else x for name, x in own.q.items()}
    return [State(q={name: x + random.uniform(-size, size) for name, x in centre.items()}) for _ in range(count)]


def random_states(system: System, count: int) -> list[State]:
    """Draw states at any angles, with any rates."""
    random = Random(2)
    names = system.coordinate_names
    return [State(0.0, *({name: random.uniform(-x, x) for name in names} for x in (pi, 1))) for _ in range(count)]
