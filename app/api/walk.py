"""Walking machines: first moments of mass as a formalism writes them, and static stability margins over a gait.

The hull is the fixed frame of the model and each branch a leg, whose last body is the foot. The machine is stable while
the plumb line through its mass centre meets the polygon of the supporting feet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.force import Point
from mbconcord.model.notation.listing import Walker
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass, field
from mbconcord.simulation.support import Reach, horizontal, stability_margin, support_polygon
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.witnesses.sums.joint_forces import compare_first_moment
from mbconcord.validation.witnesses.walking import PrintedStance, check_walk

from .gaits import Gait, GaitRow

#: Largest negative value (m) of a distance that is rounding of the assembly.
NOTHING = 1e-9
#: Largest number of findings about a gait in one error.
MOST = 20
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class HullWeight:
    """A mass (kg) at a point of the hull (m)."""

    mass: float
    at: Triple = (0.0, 0.0, 0.0)


#: Value for no hull or no payload: zero mass.
NOTHING_THERE = HullWeight(0.0)


@dataclass(frozen=True)
class WalkStep:
    """A step of a gait: its name, time, state of the machine, and numbers of the supporting legs."""

    name: str
    t: float | None
    state: State
    standing: tuple[int, ...]


@dataclass(frozen=True)
class Stance:
    """A step with a payload: total mass, its centre and plumb point, supporting feet (m), stability margin (m)."""

    step: WalkStep
    payload: float
    mass: float
    centre: Triple
    plumb: tuple[float, float]
    feet: Array = field(repr=False)
    margin: float

    @property
    def polygon(self) -> Array:
        """Corners of the support polygon, the convex hull of the supporting feet."""
        return support_polygon(self.feet)


@dataclass(frozen=True)
class Walk:
    """All stances, payload by payload; names of the horizontal axes; comparison of first moments; other comparisons."""

    stances: tuple[Stance, ...]
    axes: tuple[str, str]
    comparison: Comparison
    witnesses: tuple[Comparison, ...] = ()

    @property
    def least(self) -> Stance:
        """The stance with the least margin."""
        return min(self.stances, key=lambda s: s.margin)


def walker(system: System, legs: int | None = None) -> tuple[str, Walker]:
    """Return the name of the first formalism that takes the model as a walking machine, and the machine.

    Raises
    ------
    FormalismError
        The model is no walking machine, or no formalism writes one.
    """
    for name in registry.names():
        made = registry.formalism(name).walker(system, legs)
        if made is not None:
            return name, made
    raise FormalismError(error("formalism", "no formalism writes walking machines"))


def steps_of(system: System, made: Walker, state: State) -> tuple[WalkStep, ...]:
    """Return steps at the same state: all legs on the ground, then each leg lifted in turn."""
    every = tuple(range(1, len(made.legs) + 1))
    lifted = (WalkStep(f"leg {i} lifted", None, state, tuple(k for k in every if k != i)) for i in every)
    return (WalkStep("all stand", None, state, every), *lifted)


def steps_of_gait(system: System, made: Walker, gait: Gait, foot: Triple, start: State) -> tuple[WalkStep, ...]:
    """Return a step for each row of a gait, with the state in which the feet reach their places.

    Raises
    ------
    NumbersError
        A foot does not reach its place, or a distance would be negative; the error has all such rows and legs.
    """
    told = sorted(gait.rows[0].feet)
    reach = Reach(system, [Point(made.legs[i - 1].foot, vector(foot)) for i in told]) if told else None
    findings: list[Diagnostic] = []
    steps, last = [], start
    for row in gait.rows:
        state = State(row.t or 0.0, {**start.q, **last.q, **row.q}, parameters=start.parameters)
        if reach:
            found = reach.reach_places(state, [row.feet[i] for i in told])
            for i in found.short:
                leg = told[i]
                place = ", ".join(f"{x:g}" for x in row.feet[leg])
                away = f"{made.legs[leg - 1].foot} stays {found.gaps[i]:.3g} m away"
                message = f"leg {leg} cannot reach ({place}): {away}"
                remedy = "move the foot nearer to where the leg hangs, or the hull"
                findings.append(error("", message, remedy, gait.locate(row, f"foot{leg}.x")))
            state = found.state if not found.short else state
            if found.short:
                continue
        findings += _negative(made, state, gait, row)
        last = state
        steps.append(WalkStep(f"row {row.line}", row.t, state, row.standing))
    if findings:
        raise NumbersError(findings[:MOST])
    return tuple(steps)


def _negative(made: Walker, state: State, gait: Gait, row: GaitRow) -> list[Diagnostic]:
    """Return errors about negative distances, with which a leg would be shorter than fully retracted."""
    found = []
    for number, leg in enumerate(made.legs, 1):
        for name in leg.coordinates:
            value = state.q.get(name, 0.0)
            if name in made.distances and value < -NOTHING:
                message = f"leg {number} cannot reach: {name} is a distance and would be {value:.4g} m"
                remedy = "a sliding joint goes from its initial position outwards: move the foot, or the hull"
                heading = f"foot{number}.x" if number in row.feet else name
                found.append(error("", message, remedy, gait.locate(row, heading)))
    return found


def walk(
    system: System,
    made: Walker,
    name: str,
    steps: Sequence[WalkStep],
    hull: HullWeight = NOTHING_THERE,
    payloads: Sequence[HullWeight] = (NOTHING_THERE,),
    foot: Triple = (0.0, 0.0, 0.0),
    gait: Gait | None = None,
) -> Walk:
    """Compute the stability margin of every step with every payload, with witnesses; ``gait`` is that of the steps.

    Raises
    ------
    NumbersError
        A number is missing, the machine has no mass, or there is no gravity.
    """
    k = TreeKinematics(system, Instance(system, [step.state for step in steps]))
    mass, *moment = k.scalars([made.mass, *made.moment])
    comparison = compare_first_moment(name, np.stack(moment, axis=1), k)
    g = k.vectors(system.gravity_vector)[0]
    try:
        across = horizontal(g)
    except ValueError:
        raise NumbersError(
            error("gravity", "there is none, so no direction is down", "give the model gravity")
        ) from None
    feet = np.stack([k.point(Point(leg.foot, vector(foot))).position for leg in made.legs], axis=1) @ across.T
    stances = []
    for payload in payloads:
        total = mass + hull.mass + payload.mass
        if not (total > 0).all():
            raise NumbersError(error("bodies", "the machine has no mass", "give the bodies masses, or say --hull"))
        with np.errstate(all="ignore"):
            added = hull.mass * np.array(hull.at) + payload.mass * np.array(payload.at)
            centres = (np.stack(moment, axis=1) + added) / total[:, None]
        for s, step in enumerate(steps):
            standing = feet[s, [i - 1 for i in step.standing]].reshape(-1, 2)
            x, y, z = map(float, centres[s])
            with np.errstate(all="ignore"):
                plumb = across @ centres[s]
                margin = stability_margin(plumb, standing)
            if len(standing) and not np.isfinite(margin):
                remedy = "give masses in kg and places in m of a machine that can be built"
                raise NumbersError(error(step.name, "the margin is beyond the range of floats", remedy))
            at = (float(plumb[0]), float(plumb[1]))
            stances.append(Stance(step, payload.mass, float(total[s]), (x, y, z), at, standing, margin))
    loads = [((hull.mass, hull.at), (payload.mass, payload.at)) for payload in payloads for _ in steps]
    printed = [_printed(s, load, made, gait) for s, load in zip(stances, loads, strict=True)]
    axes = _names(across)
    witnesses = check_walk(system, [leg.foot for leg in made.legs], foot, axes, printed)
    return Walk(tuple(stances), axes, comparison, tuple(witnesses))


def _printed(s: Stance, loads: Sequence[tuple[float, Triple]], made: Walker, gait: Gait | None) -> PrintedStance:
    """Return a stance with the requested supporting legs and feet, from the gait's row or else the step's name."""
    every = {*range(1, len(made.legs) + 1)}
    feet: Mapping[int, Triple] = {}
    if gait is None:
        asked = every - {int(word) for word in s.step.name.split() if word.isdecimal()}
    else:
        place, row = next((i, row) for i, row in enumerate(gait.rows) if f"row {row.line}" == s.step.name)
        cell, feet = gait.cells[place].get("support"), row.feet
        asked = every if cell is None else {*map(int, cell.text.split())}
    return PrintedStance(
        s.step.name, s.step.state, s.step.standing, loads, s.mass, s.centre, s.plumb, s.margin, tuple(sorted(asked)),
        feet,
    )  # fmt: skip


def _names(across: Array) -> tuple[str, str]:
    """Return names of the two horizontal axes: letters of coordinate axes, such as x and z; else ``u`` and ``v``."""
    letters = ["xyz"[int(np.argmax(row))] if np.isclose(np.max(row), 1.0) else "" for row in across]
    return (letters[0], letters[1]) if all(letters) else ("u", "v")
