"""Equations that Universal Mechanism generated: every formalism compared with their numbers, and reading time.

fixtures/um/reference_numbers.json quotes numbers only: 25 states of a machine of two bodies, with forces and moments
on the bodies, and what UM's equations give there. :func:`add_loads` gives a model of that machine those loads as
parameters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from mbconcord.converters.registry import read_equations, read_text
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Parameter
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import Expression, symbol
from mbconcord.model.force import Point, Wrench
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.judge.motion import Array

from .row import BenchmarkRow, seconds

Row = Mapping[str, Any]
_FOLDER = files("mbconcord.fixtures").joinpath("um")


def read_states() -> list[Row]:
    """Read the states with UM's numbers at each."""
    found: list[Row] = json.loads(_FOLDER.joinpath("reference_numbers.json").read_text("utf-8"))["states"]
    return found


def model() -> System:
    """Read the machine in this project's format."""
    text = _FOLDER.joinpath("reference_model.mbs.json").read_text("utf-8")
    return read_text(text, "reference_model.mbs.json").system


def add_loads(system: System) -> System:
    """Remove gravity from the machine, and add parameters F1x … T2z: forces (world axes), moments (body axes)."""
    names, wrenches = [], []
    for n, body in enumerate(system.bodies, 1):
        force, moment = _three(f"F{n}"), _three(f"T{n}")
        names += [str(x) for x in (*force, *moment)]
        wrenches.append(Wrench(f"load{n}", Point(body.name), force, moment))
    return replace(
        system, gravity=None, parameters=(*system.parameters, *map(Parameter, names)),
        forces=(*system.forces, *wrenches),
    )  # fmt: skip


def _three(name: str) -> tuple[Expression, Expression, Expression]:
    return symbol(f"{name}x"), symbol(f"{name}y"), symbol(f"{name}z")


def state(row: Row, names: Sequence[str]) -> State:
    """Return the state of a row for a loaded model with these coordinates; the joint force is the parameter ``a``."""
    q, v, a = (dict(zip(names, row[key], strict=True)) for key in ("q", "v", "a"))
    loads = {
        f"{kind}{n}{axis}": x
        for kind, key in (("F", "body_force"), ("T", "body_moment"))
        for n, components in enumerate(row[key], 1)
        for axis, x in zip("xyz", components, strict=True)
    }
    return State(0.0, q, v, a, {"a": row["joint_force"], **loads})


def mass_matrix(row: Row) -> Array:
    """Complete the matrix from the row's lower triangle."""
    lower = row["mass_matrix_lower"]
    m = np.zeros((len(lower), len(lower)))
    for i, entries in enumerate(lower):
        m[i, : len(entries)] = m[: len(entries), i] = entries
    return m


def worst(formalism: Formalism, system: System) -> tuple[float, float]:
    """Return largest differences of mass matrix and residual over all states, relative to the largest entry."""
    found, machine = read_states(), add_loads(system)
    states = [state(row, machine.coordinate_names) for row in found]
    evaluation = evaluate_derivation(formalism.derive(machine), states)
    pairs = (
        (evaluation.quantities["M"], [mass_matrix(row) for row in found]),
        (evaluation.quantities["inverse_dynamics"], [np.array(row["residual"], dtype=float) for row in found]),
    )
    mass, residual = (max(relative(x, y) for x, y in zip(ours, theirs, strict=True)) for ours, theirs in pairs)
    return mass, residual


def relative(found: Array, expected: Array) -> float:
    """Return the largest difference relative to the largest expected entry; infinite if that is zero."""
    gap, size = float(np.abs(found - expected).max()), float(np.abs(expected).max())
    return gap / size if size else (np.inf if gap else 0.0)


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
