"""Compare motions of a model with those of an FMU that has only Co-Simulation: its equations are not compared.

Each motion is run twice, with different steps and tolerances; the change estimates the FMU's own integration error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.expressions import number
from mbconcord.model.force import JointEffort
from mbconcord.model.limits import format_names
from mbconcord.model.numbers import parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import replace
from mbconcord.simulation.motion.run import RunSettings, simulate

from ..judge.evidence import Comparison, Evidence, Verdict
from ..judge.motion import Array
from ..judge.trial import Trial
from ..witnesses.motion import POSITIONS, RATES, without_events
from . import fmu
from .fmu_archive import NamedReal, ask

#: Rows of each motion, and tolerances of its two runs.
ROWS, TOLERANCES = 32, (1e-7, 1e-9)
#: Own errors that are allowed; parts of the way: rounding, what agrees where an FMU shows no error of its own, and the
#: most that agrees where it does.
OWN, ROUNDED, NEAR, TELLING = 10.0, 1e-7, 1e-5, 1e-3
#: Errors of Euler's method, while they are this part of the way: beyond so many no inner steps explain a difference.
EULER, RESOLVED = 3.0, 0.1


def check_motions(system: System, own: fmu.FmuEquations, span: float | None, seed: int, **options: Any) -> Evidence:
    """Compare a model with an FMU in motions over ``span`` seconds; None: 1 s. Options are those of ``check_fmu``."""
    by = partial(compare_motions, span=span or 1.0, seed=seed)
    return fmu.check_fmu(system, own, seed=seed, motions=(tie_motion, by), **options)


def tie_motion(system: System, own: fmu.FmuEquations) -> fmu.TiedFmu:
    """Find the model's positions and rates among an FMU's variables: by the user's names, else as q.z1 and v.z1."""
    names = system.coordinate_names
    read: list[NamedReal] = []
    able = [x for x in own.archive.variables.values() if x.causality in ("output", "local")]
    for group, option, told in (("q", "coordinates", own.coordinates), ("v", "rates", own.rates)):
        fmu.require_names(option, told, names)
        for c in names:
            fitting = [x for x in able if (x.name == told[c].strip() if c in told else x.fits(group, c))]
            if len(fitting) != 1 or fitting[0].reference in (x.reference for x in read):
                message = f"{group} of {c} needs one variable of the FMU for it, which is not another's"
                remedy = f"--{option} {c}=NAME; {among(told.get(c, c), [x.name for x in able])}"
                raise MbconcordError(error(option, message, remedy))
            read += fitting
    by, n, at = "the command" if own.coordinates else "name", len(names), tuple(x.reference for x in read)
    return fmu.complete_tie(system, own, read, (at[:n], at[n:]), by, [x.name for x in read[:n]])


def compare_motions(tied: fmu.TiedFmu, made: Trial, span: float, seed: int) -> tuple[list[Comparison], str]:
    """Compare motions over ``span`` seconds, without and with constant efforts; describe, too, what was compared."""
    by = next((f for f in made.formalisms if "M" in getattr(made.evaluations.get(f.name), "quantities", {})), None)
    if by is None:
        return [], ""
    pace, dice = 2 * tied.own.archive.pace or span / ROWS, Random(seed)
    h = pace * max(1, round(span / ROWS / pace))
    rows = max(1, round(span / h))
    aims = [dice.choice((-1, 1)) * dice.uniform(2, 4) / span**2 for _ in tied.names]
    sizes: list[float] = (made.evaluations[by.name].quantities["M"][0] @ aims).tolist()
    motions = [(s, push) for push in (sizes[:0], sizes) if tied.efforts or not push for s in made.states]
    loose, tight = (run_fmu(tied, made.system, motions, h, rows, part) for part in (1, 2))
    found: list[Comparison] = []
    moved = np.zeros(len(tied.names), dtype=bool)
    for (start, push), one, other in zip(motions, loose, tight, strict=True):
        q, v = (dict(zip(tied.names, x.tolist(), strict=True)) for x in np.split(other[0], 2))
        begun = replace(start, q=q, v=v)
        runs = [run_model(made.system, by, begun, push, h, rows, part) for part in TOLERANCES]
        moved |= (far := np.abs(runs[1] - runs[1][0]).max(axis=0)[: len(moved)]) > ROUNDED * far.max()
        found += judge_motion(by.name, tied.names, begun, h, (one, other), runs)
    if not moved.all():
        why = f"nothing moves along {format_names([c for c, x in zip(tied.names, moved, strict=True) if not x])}"
        found.append(Comparison(fmu.NAME, by.name, POSITIONS, "not checked", explanation=why))
    worst = max((c.discrepancy for c in found if c.discrepancy), default=0.0)
    apart = {(*map(float, x[0]), *push) for x, (_, push) in zip(tight, motions, strict=True)}
    pushed = "with" if tied.efforts else "without"
    said = f"in motion alone: {len(apart)} of {h * rows:g} s {pushed} efforts, to {worst:.1g} of the way: never for"
    return found, f"{said} accelerations, nor events and stops elsewhere"


def run_fmu(
    tied: fmu.TiedFmu, system: System, motions: Sequence[tuple[State, Sequence[float]]], h: float, rows: int, part: int
) -> Array:
    """Run K motions with steps of h/part; return positions and rates at multiples of h, (K, rows + 1, 2n)."""
    read, runs = [*tied.q, *tied.v], []
    able = {x.reference for x in tied.own.archive.variables.values() if x.start is not None}
    for state, push in motions:
        references, values = tied.list_settings(parameter_values(system, dict(state.parameters)))
        start = [float(x.get(c, 0.0)) for x in (state.q, state.v) for c in tied.names]
        known = {at: x for at, x in zip(read, start, strict=True) if at in able}
        own = {"t": state.t, "h": h / part, "steps": rows * part, "set": [tied.efforts[: len(push)], push]}
        setting = [[*references, *known], [*values, *known.values()]]
        exact = TOLERANCES[part - 1]
        runs.append({"t": state.t, "tolerance": exact, "set": setting, "points": [{"read": read, **own}]})
    found = np.array([answer["d"] for answer in ask(tied.own.archive, runs)])
    if not np.isfinite(found).all():
        raise MbconcordError(error(tied.own.archive.file, "values of its motion are no numbers", "look at it there"))
    return found.reshape(len(motions), -1, len(read))[:, ::part]


def run_model(
    system: System, by: Formalism, start: State, push: Sequence[float], h: float, rows: int, tolerance: float
) -> Array:
    """Return positions, rates and accelerations of the model at multiples of h, until the motion ends."""
    pairs = zip(system.coordinate_names, push, strict=False)
    forces = (JointEffort(f"effort of the FMU along {c}", c, number(Fraction(x))) for c, x in pairs)
    settings = RunSettings(start.t + rows * h, tolerance=tolerance / 10, step_out=h)
    found = simulate(replace(system, forces=(*system.forces, *forces)), by, start, settings)
    return np.array([[*row.q, *row.v, *row.a] for row in without_events(found).found])


def judge_motion(
    by: str, names: Sequence[str], start: State, h: float, fmus: Sequence[Array], models: Sequence[Array]
) -> Iterator[Comparison]:
    """Compare the FMU's positions and rates, for two step sizes, with the model's, for two tolerances."""
    n, (loose, tight), (rough, fine) = len(names), fmus, models
    if not len(rough) == len(fine) == len(tight):
        yield Comparison(fmu.NAME, "", POSITIONS, "not checked", explanation="the model's motion ends before")
        return
    turns = np.pad(np.abs(np.diff(fine, axis=0)) * h / 2, ((1, 0), (0, 0)))  # what Euler's method errs by in a step
    of_rates = np.cumsum(turns[:, 2 * n :], axis=0)
    errors = np.hstack([np.cumsum(turns[:, n : 2 * n] + h * of_rates, axis=0), of_rates])
    far = np.abs(fine - fine[0]).max(axis=0)
    ways = np.hstack([np.maximum(x, max(x.max() * TELLING, 1e-300)) for x in (far[:n], far[n : 2 * n])])
    resolved = (errors <= RESOLVED * ways).all(axis=1, keepdims=True)
    for quantity, part in ((POSITIONS, slice(0, n)), (RATES, slice(n, 2 * n))):
        a, b, way = tight[:, part], fine[:, part], ways[part]
        gap, own, ours = np.abs(a - b), *(np.abs(x - y[:, part]).max(axis=0) for x, y in ((a, loose), (b, rough)))
        off, room = gap.max(axis=0), OWN * (own + ours) + ROUNDED * way
        shows = own > ROUNDED / 10 * way
        limit = np.where(shows, np.minimum(room, TELLING * way), np.maximum(room, NEAR * way))
        wrong = (resolved & (gap > np.maximum(np.maximum(room, NEAR * way), EULER * errors[:, part]))).any(axis=0)
        i = int(np.argmax(off / limit + np.where(wrong, 1e9, 0.0)))
        k = int(np.argmax(gap[:, i]))
        said: Verdict = "disagrees" if wrong[i] else "agrees" if off[i] <= limit[i] else "not checked"
        why = ""
        if said == "not checked":
            why = f"{off[i] / way[i]:.1g} of the way off: its equations or inner steps; a shorter --simulate may tell"
        elif not off.any() and not far.any():
            said, why = "not checked", "nothing moves"
        yield Comparison(
            fmu.NAME, by, quantity, said, off[i] / way[i], limit[i] / way[i], way[i], state=start, entry=(names[i],),
            values=(float(a[k, i]), float(b[k, i])), explanation=why,
        )  # fmt: skip
