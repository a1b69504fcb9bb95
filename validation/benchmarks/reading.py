"""Time of the processor to read a chain of 10,000 bodies in every format."""

from __future__ import annotations

import time
from collections.abc import Iterator

from mbconcord.converters import registry
from mbconcord.model import Body, Coordinate, Gravity, Inertia, System
from mbconcord.model.expressions import ONE, ZERO, number
from mbconcord.model.transformation import AXES, Variable, rotation, translation

from .row import Row

BODIES, LIMIT = 10_000, 10.0


def chain(bodies: int) -> System:
    """Bodies that turn about z, one on the other, at distances of 1 m along x."""
    x, y, z = AXES["y"]
    return System(
        "chain",
        tuple(Coordinate(f"z{i}") for i in range(bodies)),
        gravity=Gravity(number("9.81"), (-x, -y, -z)),
        bodies=tuple(
            Body(
                f"b{i}",
                f"b{i - 1}" if i else None,
                (rotation("z", Variable(f"z{i}")), translation("x", ONE)),
                Inertia(ONE, tensor=(ONE, ONE, ONE, ZERO, ZERO, ZERO)),
            )
            for i in range(bodies)
        ),
    )


def rows() -> Iterator[Row]:
    """Every format that is written and read; a text of MBSD also as a repetition."""
    system = chain(BODIES)
    texts = [(name, registry.write(system, name).text) for name in registry.BUILT_IN]
    for name, text in (*texts, ("mbsd", f"(z i >)^{BODIES - 1} z i g")):
        registry.read_text(registry.write(chain(3), name).text, "-", name)  # grammars are loaded
        began = time.process_time()
        registry.read_text(text, "-", name)
        kind = " in a repetition" if text.startswith("(") else ""
        yield Row(f"{name}: {BODIES:,} bodies read{kind}", time.process_time() - began, "s", LIMIT)
