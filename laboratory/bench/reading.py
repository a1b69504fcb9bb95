"""Time of the processor to read a chain of 10,000 bodies in every format.

MJCF files are chains of 150 side by side, SDF files have fewer: they reach its limit of elements.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

from mbconcord.converters import registry
from mbconcord.model import Body, Coordinate, Gravity, Inertia, System
from mbconcord.model.expressions import ONE, ZERO, number
from mbconcord.model.transformation import AXES, Variable, rotation, translation

from .row import BenchmarkRow

BODIES, LIMIT = 10_000, 10.0
#: Bodies within one another that MJCF is written with; bodies that are few enough for a file of SDF.
DEEPEST, SPARSE = 150, 6_000


def chain(bodies: int, longest: int = BODIES) -> System:
    """Build a chain turning about z, spaced 1 m along x; after the longest, another chain."""
    x, y, z = AXES["y"]
    made, inertia = [], Inertia(ONE, tensor=(ONE, ONE, ONE, ZERO, ZERO, ZERO))
    for i in range(bodies):
        joint = (rotation("z", Variable(f"z{i}")), translation("x", ONE))
        made.append(Body(f"b{i}", f"b{i - 1}" if i % longest else None, joint, inertia))
    coordinates = tuple(Coordinate(f"z{i}") for i in range(bodies))
    return System("chain", coordinates, gravity=Gravity(number("9.81"), (-x, -y, -z)), bodies=tuple(made))


def files() -> Iterator[tuple[str, str, Callable[[int], bytes]]]:
    """Yield the inputs: format, name of the file, its bytes for a number of bodies."""
    for name in registry.BUILT_IN:
        suffix = registry.format_named(name).suffixes[0]
        file = f"chain{suffix}" if suffix.startswith(".") else suffix
        yield name, file, partial(_write, format=name, file=file)
    yield "tp", "chain.tp.xlsx", partial(_write, format="tp", file="chain.tp.xlsx")
    yield "mbsd", "a repetition", lambda bodies: f"(z i >)^{bodies - 1} z i g".encode()


def _write(bodies: int, format: str, file: str) -> bytes:
    longest = DEEPEST if format == "mjcf" else bodies
    return registry.encode(registry.write(chain(bodies, longest), format), file, format)


def rows() -> Iterator[BenchmarkRow]:
    """Measure every format that is read and written, tables also as workbooks, MBSD also repeated."""
    for name, file, made in files():
        registry.read_bytes(made(3), file, name)  # grammars and libraries are loaded
        bodies = SPARSE if name == "sdf" else BODIES
        data = made(bodies)
        began = time.process_time()
        registry.read_bytes(data, file, name)
        yield BenchmarkRow(f"{name}: {bodies:,} bodies read ({file})", time.process_time() - began, "s", LIMIT)
