"""The motion in which joint forces are computed: each coordinate is held, given, imposed or free.

A coordinate that is named to be held has no acceleration, one that the state accelerates has the state's, one whose
drive imposes a formula has that formula's; the others are free and move as forces and constraints make them. Held and
given coordinates get drives that impose accelerations, in place of their own: this is the mixed problem of
:mod:`mbconcord.model.mixed`, which every formalism solves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Motion, Parameter
from mbconcord.model.derivation import EFFORT
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, NumbersError, among, error
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation
from mbconcord.model.expressions import ZERO, evaluate, numpy_arithmetic, symbol
from mbconcord.model.features import is_prescribed
from mbconcord.model.force import find_words
from mbconcord.model.functions import define
from mbconcord.model.limits import count
from mbconcord.model.mixed import drive_row, find_imposed_accelerations, imposed_numbers
from mbconcord.model.numbers import Instance, bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.validation.judge.kinematics import TreeKinematics

from .request import require

#: Value of ``hold`` that holds every coordinate whose acceleration is not given.
ALL: Final = "all"
#: Largest difference of given from own accelerations, weighted by √M_ii, as a part of the largest, that is rounding.
SAME: Final = 1e-7
#: Singular values below this, of matrices with rows of length 1, are rounding.
DEPENDENT: Final = 1e-9
#: Largest number of coordinates for which accelerations are printed beside the motion.
SHOWN: Final = 6


@dataclass(frozen=True)
class JointMotion:
    """The part that each of n coordinates plays in the motion at N states.

    Attributes
    ----------
    free, imposed, given, held : names of the coordinates in each of these groups
    by_time : names of bodies and flywheels that formulas of t move
    acceleration, effort (N, n) : q''; the whole effort of the drive along what is imposed, given or held, 0 along free
        coordinates; NaN where the motion has no number
    accelerations_by : name of the formalism that computed the accelerations
    own (N, n) : efforts of the model's own drives, which ``effort`` replaces along held and given coordinates; NaN
        where a drive imposes an acceleration
    actuated : efforts (N,) by coordinate or parameter, if efforts act there and not along driven coordinates
    is_own : True if the states give all accelerations, and the model's own forces cause the same ones
    system, states : the model whose drives impose the motion, and its states
    findings : warnings
    """

    free: tuple[str, ...]
    imposed: tuple[str, ...]
    given: tuple[str, ...]
    held: tuple[str, ...]
    by_time: tuple[str, ...]
    system: System = field(repr=False)
    states: tuple[State, ...] = field(repr=False)
    acceleration: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    effort: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    accelerations_by: str = ""
    own: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    is_own: bool = False
    actuated: Mapping[str, Array] = field(default_factory=dict, repr=False)
    findings: tuple[Diagnostic, ...] = field(default=(), repr=False)

    @property
    def driven(self) -> tuple[str, ...]:
        """Coordinates that are not free, in the order of the model."""
        return tuple(name for name in self.system.coordinate_names if name not in self.free)

    @property
    def constrained(self) -> bool:
        """True if the model has constraints, which take part in the motion."""
        return bool(self.system.constraints)

    def __str__(self) -> str:
        moved = f"as formulas of t say: {', '.join(self.by_time)}" if self.by_time else ""
        by = f"; by efforts of: {', '.join(self.actuated)}" if self.actuated else ""
        if not self.system.coordinates:
            return moved or "none, nothing moves"
        if len(self.given) == len(self.system.coordinates):
            own = ", which is the model's own" if self.is_own else ""
            return f"as the states give it{own}{by}{moved and f'; {moved}'}"
        free = "; the others as forces and constraints make them" if self.constrained else ""
        groups = (("imposed", self.imposed), ("given", self.given), ("held", self.held))
        said = [f"{word}: {', '.join(names)}" for word, names in groups if names]
        if not said:
            whole = "free, as forces and constraints make it" if self.constrained else "free"
            return f"{whole}; {moved}" if moved else whole
        said += [f"free: {', '.join(self.free)}"] if self.free and not self.constrained else []
        return "; ".join(said) + by + (f"; {moved}" if moved else "") + (free if self.free else "")

    def list_efforts(self) -> Array:
        """Return the efforts of the drives along all coordinates (N, n); along free ones those of the model itself."""
        if self.actuated:
            return self.own
        return np.where([name in self.driven for name in self.system.coordinate_names], self.effort, self.own)

    def whole_efforts(self) -> Array:
        """Return the efforts along coordinates (N, n) that cause the motion, with those of actuated coordinates."""
        found = self.effort.copy()
        for i, name in enumerate(self.system.coordinate_names):
            if name in self.actuated:
                found[:, i] = self.actuated[name]
        return found

    def describe(self) -> str:
        """Describe the motion in words; for a single state of a small model with accelerations and efforts."""
        names = self.system.coordinate_names
        if len(self.acceleration) != 1 or not 0 < len(names) <= SHOWN:
            return str(self)
        numbers = [f"{name}'' = {x:.6g}" for name, x in zip(names, self.acceleration[0] + 0.0, strict=True)]
        efforts = [
            f"effort {name}: {x:.6g}{f' ({x - own:.6g} beside its own {own:.6g})' if own and own == own else ''}"
            for name, x, own in zip(names, self.effort[0] + 0.0, self.own[0], strict=True)
            if name in self.driven and not self.is_own and not self.actuated
        ]
        efforts += [f"effort {name}: {x[0]:.6g}" for name, x in self.actuated.items()]
        return f"{self}  ({', '.join(numbers)}{'; ' if efforts else ''}{', '.join(efforts)})"

    def to_json(self) -> dict[str, Any]:
        """Convert to keys of ``evaluate --json``, at the first state."""
        numbers = {n: x if np.isfinite(x) else None for n, x in self._first(self.acceleration)}
        efforts = {n: x if np.isfinite(x) else None for n, x in self._first(self.effort) if n in self.driven}
        efforts = {name: float(x[0]) for name, x in self.actuated.items()} or efforts
        return {
            "motion": self.groups(), "acceleration": numbers, "accelerations_by": self.accelerations_by,
            "effort": efforts,
        }  # fmt: skip

    def groups(self) -> dict[str, Any]:
        """Return the groups of coordinates (free, imposed, given, held, …) as in ``evaluate --json``."""
        groups = ("free", "imposed", "given", "held", "by_time", "constrained")
        return {name: list(x) if isinstance(x := getattr(self, name), tuple) else x for name in groups}

    def _first(self, x: Array) -> Iterator[tuple[str, float]]:
        return zip(self.system.coordinate_names, x[0].tolist(), strict=True)

    def accelerate(self, places: Sequence[int]) -> Instance:
        """Return the states with these numbers, with accelerations of the motion added."""
        rows = (dict(zip(self.system.coordinate_names, self.acceleration[i].tolist(), strict=True)) for i in places)
        made = [replace(self.states[i], a=a) for i, a in zip(places, rows, strict=True)]
        return Instance(self.system, made)

    def solve(self, by: Formalism, evaluation: Evaluation, motion: ConstrainedMotion | None) -> JointMotion:
        """Return a copy with accelerations and efforts from a formalism's evaluation of :attr:`system`.

        Raises
        ------
        NumbersError
            Constraints make held, given or imposed coordinates depend on each other; or no formalism gives the motion.
        """
        if motion is not None:
            require_independent(self.driven, motion)
            effort = find_efforts(self.system, motion)
            return replace(self, acceleration=motion.acceleration, effort=effort, accelerations_by=by.name)
        for each in (by, *(registry.formalism(name) for name in registry.names() if name != by.name)):
            if each is not by:
                if each.obstacles(self.system):
                    continue
                evaluation = each.evaluate(self.system, self.states)
            a = evaluation.quantities.get("acceleration")
            if a is not None:
                effort = evaluation.quantities.get(EFFORT, np.zeros_like(a))
                is_own = len(self.given) == a.shape[1] > 0 and self._is_own(evaluation, effort)
                return replace(self, acceleration=a, effort=effort, accelerations_by=each.name, is_own=is_own)
        raise NumbersError(error("acceleration", "no formalism that takes the model gives its motion", "give a"))

    def _is_own(self, evaluation: Evaluation, effort: Array) -> bool:
        """Return True if the accelerations need no efforts but those of the model's own drives, up to rounding."""
        terms = [np.abs(evaluation.quantities[name]) for name in ("h", "gravity", "applied")]
        terms.append(
            np.einsum("sij,sj->si", np.abs(evaluation.quantities["M"]), np.abs(evaluation.quantities["acceleration"]))
        )
        needed = np.where(np.isnan(self.own), 0.0, np.abs(effort - self.own))
        return bool((needed <= SAME * np.sum(terms, axis=0).max(axis=1, keepdims=True, initial=0.0)).all())

    def advise(self, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the findings; those about free coordinates without inertia also advise to hold or accelerate these."""
        for finding in findings:
            name = finding.place.removeprefix("coordinates/")
            if name in self.free and "no inertia along" in finding.message:
                finding = replace(
                    finding, remedy=f"{finding.remedy}, or hold it: --hold {name}, or give its acceleration"
                )
            yield finding


def assign_motion(
    system: System, states: Sequence[State], hold: str | Iterable[str] = (), driven: Sequence[str] | None = None,
    place: str = "hold",
) -> JointMotion:  # fmt: skip
    """Assign each coordinate to a group: held, else given by the states, else imposed by its drive, else free.

    Parameters
    ----------
    hold : a name, names, or ``all``, which is every coordinate that the states do not accelerate
    driven : coordinates whose accelerations in the states are taken as given; None: all that have one
    place : place that findings about ``hold`` name

    Raises
    ------
    NumbersError
        A coordinate is unknown, or both held and given, or given at some of the states only.
    """
    names, by_time = system.coordinate_names, tuple(_list_joints_by_time(system))
    accelerated = [name for name in names if any(name in state.a for state in states)]
    findings = [
        error(f"state/a/{name}", "given at some of the states only", "give it at all of them")
        for name in accelerated
        if not all(name in state.a for state in states)
    ]
    findings += [
        error("driven", f"the state gives no acceleration of {name}", 'give it in "a", or --drive NAME=Q,V,A')
        for name in driven or ()
        if name not in accelerated
    ]
    given = accelerated if driven is None else [name for name in names if name in driven]
    every = hold == ALL or (not isinstance(hold, str) and [*hold] == [ALL])
    asked = [hold] if isinstance(hold, str) and not every else [*hold] if not every else []
    findings += _refuse_holds(asked, names, by_time, given, place)
    if findings:
        raise NumbersError(findings)
    held = [name for name in names if name in asked or (every and name not in given)]
    if not every and {*held} != {*asked}:
        said = f"{', '.join(held) or 'nothing'} is held; {', '.join(asked)} was asked for"
        raise DisagreementError(error(place, said))
    imposed = [name for name in find_imposed_accelerations(system) if name not in (*held, *given)]
    free = [name for name in names if name not in (*held, *given, *imposed)]
    warnings = _compare_given(system, states, [name for name in given if name in find_imposed_accelerations(system)])
    moved, at = impose(system, states, held, given)
    own, at_states = np.full((len(states), len(names)), np.nan), bind_states(system, states).values
    if find_words(system.coordinates, ()):
        at_states = TreeKinematics(system.open_loops(), states).values
    for i, c in enumerate(system.coordinates):
        if not isinstance(c.drive, Motion):
            (value,) = define([c.drive.value], system.functions) if c.drive else [ZERO]
            own[:, i] = evaluate([value], at_states, numpy_arithmetic())[0]
    return JointMotion(
        tuple(free), tuple(imposed), tuple(given), tuple(held), by_time, moved, at, own=own, findings=tuple(warnings)
    )


def choose_motion(
    system: System, states: Sequence[State], by: Formalism, hold: str | Iterable[str] = (),
    driven: Sequence[str] | None = None, place: str = "hold", moved_by: Sequence[str] = (),
) -> JointMotion:  # fmt: skip
    """Assign as :func:`assign_motion` does, but no coordinate is given if states of a closed model move by themselves.

    Rows of a table of simulate give all accelerations: as drives they would leave every force undetermined. If they
    follow another motion, the coordinates ``moved_by``, which were driven in that run, are the given ones.
    """
    if system.constraints:
        require(by, system)
    if (
        driven is None
        and system.constraints
        and system.coordinates
        and all(n in s.a for s in states for n in system.coordinate_names)
    ):
        own = assign_motion(system, states, hold, (), place)
        motion = by.constrained_motion(own.system, own.states)
        given = np.array([[state.a[name] for name in system.coordinate_names] for state in states])
        if motion is not None and is_same(given, motion.acceleration, motion.tree.quantities["M"]):
            return own
        driven = tuple(moved_by) or None
    return assign_motion(system, states, hold, driven, place)


def require_motion(driven: Sequence[str] | None, place: str = "driven") -> None:
    """Refuse the option ``driven`` if no requested quantity depends on the motion that it chooses."""
    if driven is not None:
        found = "it chooses the motion of joint forces and of accelerations of bodies, and none of them is asked for"
        raise NumbersError(error(place, found, "ask for joint_forces or acceleration(BODY), or leave it out"))


def find_motion(system: System, states: Sequence[State], by: Formalism) -> JointMotion:
    """Assign the coordinates as :func:`choose_motion` does, and compute the accelerations by a formalism."""
    moving = choose_motion(system, states, by)
    motion = by.constrained_motion(moving.system, moving.states) if system.constraints else None
    return moving.solve(by, motion.tree if motion else by.evaluate(moving.system, moving.states), motion)


def is_same(given: Array, own: Array, mass: Array) -> bool:
    """Return True if accelerations (N, n) differ by rounding and steps of integration alone."""
    units = np.sqrt(np.maximum(np.einsum("sii->si", mass), 0.0))
    size = (units * np.fmax(np.abs(given), np.abs(own))).max(axis=1, initial=0.0)
    return bool(((units * np.abs(given - own)).max(axis=1, initial=0.0) <= SAME * size).all())


def _list_joints_by_time(system: System) -> Iterator[str]:
    for body in system.bodies:
        if any(map(is_prescribed, body.joint)):
            yield body.name
        yield from (f"{body.name} ({wheel.name})" for wheel in body.flywheels)


def _refuse_holds(
    asked: Iterable[str], names: Sequence[str], by_time: Sequence[str], given: Sequence[str], place: str
) -> Iterator[Diagnostic]:
    for name in asked:
        if name in given:
            yield error(place, f"the state gives the acceleration of {name}", "leave one of both out")
        elif name in by_time and name not in names:
            yield error(place, f"{name} is moved by a formula of t", "its joint's forces are in the table")
        elif name not in names:
            yield error(place, f"there is no coordinate {name!r}", among(name, names))


def _compare_given(system: System, states: Sequence[State], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each coordinate whose given acceleration differs from the one that its drive imposes."""
    if not names:
        return
    imposed = imposed_numbers(system, bind_states(system, states).values, len(states))
    for name in names:
        own = imposed[:, system.coordinate_names.index(name)]
        given = np.array([state.a[name] for state in states])
        for x, y in zip(given[given != own][:1], own[given != own][:1], strict=True):
            message = f"{x:g}, and the drive of {name} imposes {y:g}: the state's is taken"
            yield Diagnostic("warning", f"state/a/{name}", message)


def impose(
    system: System, states: Sequence[State], held: Sequence[str], given: Sequence[str]
) -> tuple[System, tuple[State, ...]]:
    """Return the model with drives that impose held and given accelerations, and states with their parameters."""
    if not held and not given:
        return system, tuple(states)
    stem = "given"
    while any(name.startswith(stem) for name in system.names):
        stem += "_"
    of = {name: f"{stem}{i + 1}" for i, name in enumerate(given)}
    drives = dict.fromkeys(held, Motion(ZERO)) | {name: Motion(symbol(own)) for name, own in of.items()}
    coordinates = tuple(replace(c, drive=drives.get(c.name, c.drive)) for c in system.coordinates)
    made = replace(system, coordinates=coordinates, parameters=(*system.parameters, *map(Parameter, of.values())))
    if not of:
        return made, tuple(states)
    numbers: list[Mapping[str, float]] = [{own: state.a[name] for name, own in of.items()} for state in states]
    return made, tuple(
        replace(state, parameters={**state.parameters, **own}) for state, own in zip(states, numbers, strict=True)
    )


def find_efforts(system: System, motion: ConstrainedMotion) -> Array:
    """Return efforts along coordinates (N, n): the multiplier of the drive's row if a drive imposes it, else zero."""
    effort = np.zeros_like(motion.acceleration)
    for i, name in enumerate(system.coordinate_names):
        if drive_row(name) in motion.rows:
            effort[:, i] = motion.multipliers[:, motion.rows.index(drive_row(name))]
    return effort


def require_independent(driven: Sequence[str], motion: ConstrainedMotion) -> None:
    """Refuse driven coordinates that constraints make dependent: more of them than degrees of freedom."""
    drives = np.array([row in map(drive_row, driven) for row in motion.rows])
    if not drives.any():
        return
    mass = np.einsum("sii->si", motion.tree.quantities["M"])
    for D, inertia in zip(motion.D, mass, strict=True):
        rows = D / np.sqrt(np.where(inertia > 0, inertia, 1.0))
        lengths = np.linalg.norm(rows, axis=1)
        kept = np.isfinite(lengths) & (lengths > DEPENDENT * lengths.max(initial=0.0))
        rows = rows[kept] / lengths[kept, None]
        closed, whole = (_rank(x) for x in (rows[~drives[kept]], rows))
        more = closed + int(drives.sum()) - whole
        if more > 0:
            names = ", ".join(driven)
            freedom = count(D.shape[1] - closed, "degree of freedom", "degrees of freedom")
            message = f"{names} cannot all be held, given or imposed: the machine has {freedom} and the constraints"
            raise NumbersError(error("coordinates", f"{message} tie them", f"leave {more} of them out"))


def _rank(rows: Array) -> int:
    return int((np.linalg.svd(rows, compute_uv=False) > DEPENDENT).sum()) if rows.size else 0
