"""Lay out once more what tables of evaluate and assemble must show, from the arrays that witnesses judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mbconcord.api.assemble import Assembled
from mbconcord.api.joint_forces import JointForces
from mbconcord.api.linkages import Linkage
from mbconcord.model.derivatives import DERIVED, labels
from mbconcord.model.derivatives.regressor import REGRESSOR
from mbconcord.model.joint_forces import COMPONENTS
from mbconcord.model.kinematics import KinematicQuantity
from mbconcord.model.system import System
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.screen import NULL, SIX, PrintedRows, read_tables
from mbconcord.validation.witnesses.sums.joint_forces import BODIES


def expect_numbers(
    system: System, found: Mapping[str, Any], vectors: Sequence[str], rows: Sequence[str]
) -> Iterator[PrintedRows]:
    """Yield the tables of quantities by name, of which ``vectors`` are side by side, and of constraint rows."""
    names = system.coordinate_names
    own = [name for name in vectors if name in found]
    columns = ([NULL] * len(names) if found[name] is None else found[name] for name in own)
    yield [("coordinate", *own), *zip(names, *columns, strict=True)]
    for name in ("M", *DERIVED):
        if found.get(name):
            turned = name == REGRESSOR  # a row for each parameter
            pairs = zip(labels(system), zip(*found[name], strict=True)) if turned else zip(names, found[name])
            yield [(name, *names), *((label, *line) for label, line in pairs)]
    if "D" in found:
        lines = zip(rows, found["D"], found["lambda"], strict=True)
        yield [("D", *names, "lambda"), *((row, *D, load) for row, D, load in lines)]


def expect_kinematics(
    system: System, found: Mapping[str, Any], asked: Mapping[str, KinematicQuantity]
) -> list[PrintedRows]:
    """Return the tables of kinematic quantities: scalars, then vectors of one kind together, matrices one by one."""
    axes = {name: x.indices(system) for name, x in asked.items()}
    order = list(dict.fromkeys(x if len(x) < 2 else (*x, (name,)) for name, x in axes.items()))
    tables: dict[int, list[PrintedRows]] = {}
    for name, x in axes.items():
        if len(x) < 2:
            own = found[name] or [NULL] * len(x[0]) if x else [NULL if found[name] is None else found[name]]
            cells = zip(*(x or [[""]]), own, strict=True)
            tables.setdefault(order.index(x) if x else -1, []).append([("", name), *cells])
        else:
            lines = zip(x[0], found[name] or [[NULL] * len(x[1])] * len(x[0]), strict=True) if x[1] else ()
            tables[order.index((*x, (name,)))] = [[(name, *x[1]), *((row, *line) for row, line in lines)]]
    return [table for place in sorted(tables) for table in tables[place]]


def expect_joint_forces(found: JointForces) -> Iterator[PrintedRows]:
    """Yield the tables of joint forces, of cuts, and of what the fixed frame bears."""
    joints = list(zip(found.bodies, found.carriers, strict=True))
    borne = [any(np.any(x[0, i]) for x in found.by.values()) for i in range(len(joints))]
    tables: list[tuple[Any, ...]] = [(("body", "carrier"), joints, found.by, borne)]
    if found.cuts:
        tables.append((("cut", "second", "first"), [*found.cuts], found.at_cuts, [True] * len(found.cuts)))
    for heads, places, by, shown in tables:
        rows = ((*places[i], *x[0, i], name) for i in np.flatnonzero(shown) for name, x in by.items())
        yield [(*heads, *COMPONENTS, "by"), *rows]
    if found.ground is not None:
        yield [(*COMPONENTS, "by"), (*found.ground[0], BODIES)]


def read_linkage(found: Linkage, system: System, by: str, text: str) -> Comparison:
    """Compare the text of a linkage with its forces."""
    forces, names = found.forces, system.coordinate_names
    moving = ([side.get(name) for name in names] for side in (found.state.q, found.state.v))
    joints = zip(forces.bodies, forces.force[0], forces.moment[0], strict=True)
    cuts = ((r.constraint, r.body, *r.force[0], forces.axes[2] @ r.moment[0]) for r in forces.reactions)
    tables: list[PrintedRows] = [
        [("coordinate", "q", "v", "acceleration"), *zip(names, *moving, forces.accelerations[0], strict=True)],
        [("body", "Fx", "Fy", "moment"), *((body, *force, moment) for body, force, moment in joints)],
        [("cut joint", "body", "Fx", "Fy", "Fz", "moment"), *cuts],
    ]
    drives = [f"drive of {name}, besides the model's own efforts: {float(x[0])!r}" for name, x in forces.drives.items()]
    return read_tables(by, text, tables, drives)


def read_assembled(found: Assembled, text: str, number: int) -> Comparison:
    """Compare the text of an assembled state, of several the one of this number, with its numbers."""
    state, moved = found.state, found.placed
    rows = [
        (name, state.q[name], (shift, SIX), state.v[name], (change, SIX))
        for name, shift, change in zip(found.system.coordinate_names, moved.shift, moved.change, strict=True)
    ]
    said = f"rank {found.rank} of {moved.assembly.rows} rows, largest gap {found.gap:.2g} of what it is made of"
    words = [said, f"another position, {moved.distance:.6g} away"][: 1 + (number > 0)]
    heads = ("coordinate", "position", "moved by", "rate", "changed by")
    return read_tables("assemble", text, [[heads, *rows]], words)
