"""Equations that Universal Mechanism generated: every formalism compared with their numbers, and reading time."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files

from mbconcord.converters.registry import read_equations
from mbconcord.formalisms import registry

from .row import BenchmarkRow, seconds
from .um_reference import add_loads, model, worst

LIMIT = 1e-10


def rows() -> Iterator[BenchmarkRow]:
    """Yield worst differences of mass matrix and residual by formalism, and reading time."""
    machine = model()
    for name in registry.names():
        formalism = registry.formalism(name)
        if formalism.obstacles(add_loads(machine)) or "M" not in formalism.derive(add_loads(machine)).quantities:
            continue
        mass, residual = worst(formalism, machine)
        note = "25 states, forces and moments on the bodies"
        yield BenchmarkRow(f"{name}: mass matrix against UM's equations", mass, "relative", LIMIT, note=note)
        yield BenchmarkRow(f"{name}: force vector against UM's equations", residual, "relative", LIMIT, note=note)
    with as_file(files("mbconcord.fixtures").joinpath("um_equations/double_pendulum")) as folder:
        time = seconds(lambda: read_equations(f"um:{folder}"))
    yield BenchmarkRow("reading the set of a double pendulum", 1000 * time, "ms", note="12 kB")
