"""Equations that Universal Mechanism generated: every formalism against their numbers, and how fast sets are read."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files

from mbconcord.converters.registry import read_equations
from mbconcord.formalisms import registry

from .row import Row, seconds
from .um_reference import loaded, model, worst

LIMIT = 1e-10


def rows() -> Iterator[Row]:
    """Worst differences of mass matrix and residual by formalism, and the time to read a set."""
    machine = model()
    for name in registry.names():
        formalism = registry.formalism(name)
        if formalism.obstacles(loaded(machine)) or "M" not in formalism.derive(loaded(machine)).quantities:
            continue
        mass, residual = worst(formalism, machine)
        note = "25 states, forces and moments on the bodies"
        yield Row(f"{name}: mass matrix against UM's equations", mass, "relative", LIMIT, note=note)
        yield Row(f"{name}: force vector against UM's equations", residual, "relative", LIMIT, note=note)
    with as_file(files("mbconcord.fixtures").joinpath("um_equations/double_pendulum")) as folder:
        time = seconds(lambda: read_equations(f"um:{folder}"))
    yield Row("reading the set of a double pendulum", 1000 * time, "ms", note="12 kB")
