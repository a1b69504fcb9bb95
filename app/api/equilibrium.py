"""Equilibria and steady motions of a model, with evidence that every formalism's forces agree there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from mbconcord.converters.format import StateFile
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.limits import format_names, frame, html_table, line
from mbconcord.model.omission import PASSED
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import KW_ONLY, dataclass, field, fields, replace
from mbconcord.reports.part import dumps
from mbconcord.reports.summary import list_conditions
from mbconcord.simulation.linear.equilibrium import Resting
from mbconcord.simulation.linear.equilibrium import equilibrium as found_from
from mbconcord.simulation.linear.following import RelativeEquilibrium, find_relative_equilibrium
from mbconcord.simulation.linear.smooth import omit_speeds
from mbconcord.simulation.rows import standing_still
from mbconcord.validation.claims.linear.by_formalisms import equilibrium_evidence, steady_evidence
from mbconcord.validation.judge.evidence import Comparison, Verdict, verdict
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.witnesses.screen import PRINTED

from .files import write
from .request import ModelRequest, choose_formalism, list_names, require, takes
from .source import Model, Source, locate_errors
from .states import States, one_state, read_states
from .tables import SUFFIXES, require_suffix, write_table

if TYPE_CHECKING:
    from pandas import DataFrame

# What equilibrium and linearize have in common: whose equations are taken, which state is meant.


def whose(asked: str | Formalism | None, system: System) -> Formalism:
    """Return the requested formalism, or the first that takes the model."""
    by = choose_formalism(asked, system)
    require(by, system)
    return by


def everyone() -> list[Formalism]:
    """Return all formalisms, which are the witnesses of the evidence."""
    return [registry.formalism(name) for name in registry.names()]


def timed_state(system: System, q: States | None, v: States | None, t: ArrayLike | None) -> tuple[State, bool]:
    """Return the given state, and True if its time is given, too."""
    state = one_state(system, q, v, t)
    if isinstance(q, StateFile):
        return state, t is not None or bool(state.t)
    at = read_states(system, q, v, None, t, None)
    return state, t is not None or bool(at.own) or "t" in at.values


def left_out_at(system: System, state: State, passed: float = PASSED) -> LeftOut:
    """Return omissions of the model that act at a state with all positions; of contacts, gaps below ``passed`` act."""
    return LeftOut.at_states(system, {**state.parameters, **state.q, "t": state.t}, passed=passed)


def require_coordinates(names: str | Iterable[str], system: System, place: str) -> list[str]:
    """Check names of coordinates; raise :class:`NumbersError` for an unknown or repeated one."""
    asked, own = [*list_names(names)], system.coordinate_names
    findings = [error(place, f"no such coordinate {n!r}", among(n, own)) for n in asked if n not in own]
    findings += [error(place, f"{n} is named twice", "name it once") for n in set(asked) if asked.count(n) > 1]
    if findings:
        raise NumbersError(findings)
    return asked


def loud(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the reader's warnings and errors, without notes."""
    return tuple(d for d in diagnostics if d.severity != "note")


def split_answers(said: Sequence[Comparison]) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...]]:
    """Split comparisons: return those that were made, and for printed numbers without a witness notes with reasons."""
    compared, notes = [], []
    for c in said:
        if c.claim == PRINTED and c.verdict == "not checked":
            notes.append(Diagnostic("note", c.quantity, f"not compared: {c.explanation}"))
        else:
            compared.append(c)
    return tuple(compared), tuple(notes)


COLUMNS = ("coordinate", "position", "moved")
RATES = ("coordinate", "position", "rate")
#: Suffixes of files that a state can be saved to.
WRITTEN = (".json", *SUFFIXES)


class SolvedState(ABC):
    """A state that was computed, of an equilibrium or a steady motion, with its table and the verdict on it."""

    state: State
    diagnostics: tuple[Diagnostic, ...]
    comparisons: tuple[Comparison, ...]
    left_out: LeftOut

    @property
    def verdict(self) -> Verdict:
        """Verdict of all formalisms on the balance of forces, or on the accelerations."""
        return verdict(self.comparisons)

    def as_states(self) -> State:
        """Return the state, so that other functions take this result as a state."""
        return self.state

    @abstractmethod
    def to_frame(self) -> DataFrame:
        """Convert to a pandas table of the coordinates."""

    def _repr_html_(self) -> str:
        table = self.to_frame()
        rows = ([name, *(f"{x:.9g}" for x in numbers)] for name, *numbers in table.itertuples(index=False))
        said = [*list_conditions(self.left_out), *map(str, self.diagnostics)]
        return html_table(repr(self)[1:-1], [*table.columns], rows, said)

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the state, as ``--state`` and ``--at`` take it (.json), or the table (.csv; .parquet).

        Raises
        ------
        MbconcordError
            Another suffix, or the file cannot be written.
        """
        path = Path(fspath(file))
        if path.suffix == ".json":
            return write(path, (dumps(self.state.to_json()) + "\n").encode("utf-8"))
        require_suffix(path, WRITTEN)
        return write_table(path, self.to_frame())


@dataclass(frozen=True, repr=False)
class Equilibrium(SolvedState, Resting):
    """A position at rest in which the forces balance; evaluate, linearize and simulate take it as a state.

    ``stability`` is ``stable``, ``unstable`` or ``indifferent``, by the sign of the stiffness on the constraints, or by
    the eigenvalues if that does not decide; ``undecided`` if forces of higher order decide; ``not
    judged`` where rows restrict rates alone. ``unstable`` and ``indifferent`` name the coordinates of each such
    direction. ``comparisons`` check that the forces of every formalism balance there; ``verdict`` sums them up.
    """

    comparisons: tuple[Comparison, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut, repr=False)

    def __repr__(self) -> str:
        return line(
            "Equilibrium", f"of {self.system} by {self.formalism}", self.stability, self.verdict, self.left_out.without
        )

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table: ``coordinate``, ``position`` (m or rad), shift from the start ``moved``."""
        rows = zip(self.coordinates, self.state.q.values(), self.shift.tolist(), strict=True)
        return frame((dict(zip(COLUMNS, row, strict=True)) for row in rows), COLUMNS)

    def stiffness_frame(self) -> DataFrame:
        """Convert the stiffness to a pandas table: rows are forces along independent coordinates, columns shifts."""
        from pandas import DataFrame

        return DataFrame(self.stiffness, index=list(self.rates), columns=list(self.independent))

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``equilibrium --json``."""
        return {
            "system": self.system, "formalism": self.formalism, "state": self.state.to_json(),
            "stability": self.stability, "still": self.still, "unstable": [list(x) for x in self.unstable],
            "indifferent": [list(x) for x in self.indifferent],
            "moved": dict(zip(self.coordinates, self.shift.tolist(), strict=True)),
            "independent": list(self.independent), "stiffness": self.stiffness.tolist(),
            "multipliers": dict(zip(self.rows, self.multipliers.tolist(), strict=True)),
            "left": self.left, "made_of": self.made_of, "steps": self.steps, "relative": self.relative,
            "verdict": self.verdict, "pairs": [c.to_json() for c in self.comparisons],
            "diagnostics": [str(d) for d in self.diagnostics], **self.left_out.head(),
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class SteadyState(SolvedState, RelativeEquilibrium):
    """A state of a steady motion; evaluate, linearize and simulate take it as a state.

    ``generator`` describes the symmetries of the equations along which the motion goes on, ``along`` has their factors
    by name. ``families`` is the number of families of neighbouring steady motions with the same given values.
    ``comparisons`` check that every formalism accelerates as the symmetries require; ``verdict`` sums them up.
    """

    comparisons: tuple[Comparison, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut, repr=False)

    def __repr__(self) -> str:
        return line(
            "SteadyState", f"of {self.system} by {self.formalism}", self.generator, self.verdict, self.left_out.without
        )

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table: ``coordinate``, ``position`` (m or rad) and ``rate`` (by seconds)."""
        rows = zip(self.coordinates, self.state.q.values(), self.state.v.values(), strict=True)
        return frame((dict(zip(RATES, row, strict=True)) for row in rows), RATES)

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``equilibrium --steady … --json``."""
        return {
            "system": self.system, "formalism": self.formalism, "state": self.state.to_json(), "kind": "steady",
            "generator": self.generator, "along": dict(self.along), "given": dict(self.given),
            "accelerations": dict(zip(self.coordinates, self.accelerations.tolist(), strict=True)),
            "residual": self.residual, "families": self.families, "steps": self.steps,
            "verdict": self.verdict, "pairs": [c.to_json() for c in self.comparisons],
            "diagnostics": [str(d) for d in self.diagnostics], **self.left_out.head(),
        }  # fmt: skip


@dataclass(frozen=True)
class EquilibriumRequest(ModelRequest):
    """Options of :func:`equilibrium`, documented there."""

    q: States | None = None
    _: KW_ONLY
    v: States | None = None
    t: ArrayLike | None = None
    steady: Mapping[str, float] | None = None
    hold: str | Iterable[str] = ()
    formalism: str | Formalism | None = None
    witness: bool = True


@takes(EquilibriumRequest)
def equilibrium(model: Model, request: EquilibriumRequest) -> Equilibrium | SteadyState:
    """Find the static equilibrium near a position: forces and reactions balance, everything is at rest.

    With ``steady``, find instead the steady motion near a state: it goes on along symmetries of the equations, as a
    bicycle in a circle, a governor, or a top that precesses.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    q : start of the search, as for :func:`mbconcord.evaluate`; missing values are the model's own; rates are ignored
        but for a steady motion
    v : rates at the start of the search for a steady motion
    t : the time, s, at which prescribed motions are frozen; needed if the equations depend on it
    steady : positions (``"lean"``) and rates (``"lean'"``) of the steady motion; what is not given stays near the start
    hold : names of coordinates that stay fixed
    formalism : formalism whose equations are used; None: the first that takes the model
    witness : also evaluate the forces of the other formalisms there
    parameters, physics, format : as for :func:`mbconcord.evaluate`

    Returns
    -------
    Equilibrium, or SteadyState with ``steady``

    Raises
    ------
    NumbersError
        No equilibrium is near: the force left along a coordinate; constraints that do not close; a missing time.
    FormalismError
        The formalism does not take the model.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z(a)°30 -j1 $1 g9.81-y", format="mbsd")
    >>> found = mbconcord.equilibrium(pendulum)
    >>> found.stability, round(abs(found.state.q["a"]), 9)
    ('stable', 0.0)
    """
    found = request.source(model).plausible()
    system = found.system
    with locate_errors(found, request.q):
        state, timed = timed_state(system, request.q, None, request.t)
        require_ranges(system)
        kept = require_coordinates(request.hold, system, "hold")
        by = whose(request.formalism, system)
        if request.steady is not None:
            return _find_steady(found, request, kept, by)
        made = found_from(system, by, state, kept, timed)
        still = omit_speeds(system if made.relative or not timed else standing_still(system, made.state.t))
        values = {field.name: getattr(made, field.name) for field in fields(made)}
        shown = Equilibrium(**values, left_out=left_out_at(system, made.state))
        said = equilibrium_evidence(still, made, everyone(), kept, shown.to_json(), state) if request.witness else ()
    compared, unanswered = split_answers(said)
    notes = map(found.locate, (*loud(found.diagnostics), *made.diagnostics, *_unstable(made), *unanswered))
    return replace(shown, comparisons=compared, diagnostics=tuple(notes))


def require_steady(given: Mapping[str, float], system: System) -> dict[str, float]:
    """Check positions and rates that are given by name; raise :class:`NumbersError` for an unknown or infinite one."""
    known = [*system.coordinate_names, *(f"{name}'" for name in system.coordinate_names)]
    findings = [
        error(f"steady/{name}", "no such coordinate or rate", among(name, known)) for name in given if name not in known
    ]
    findings += [
        error(f"steady/{name}", f"found {x!r}", "give a finite number")
        for name, x in given.items() if not isfinite(x)
    ]  # fmt: skip
    if findings:
        raise NumbersError(findings)
    return {name: float(x) for name, x in given.items()}


def _find_steady(found: Source, request: EquilibriumRequest, kept: Sequence[str], by: Formalism) -> SteadyState:
    """Find the steady motion that a request asks for, and check it by all formalisms."""
    system, given = found.system, require_steady(request.steady or {}, found.system)
    state, timed = timed_state(system, request.q, request.v, request.t)
    if not any(state.v.values()) and not any(name.endswith("'") for name in given):
        system = omit_speeds(system)
    made = find_relative_equilibrium(system, by, state, given, kept, timed)
    values = {each.name: getattr(made, each.name) for each in fields(made)}
    shown = SteadyState(**values, left_out=left_out_at(system, made.state, -PASSED))
    said = steady_evidence(system, made, everyone(), kept, shown.to_json()) if request.witness else ()
    compared, unanswered = split_answers(said)
    notes = map(found.locate, (*loud(found.diagnostics), *made.diagnostics, *unanswered))
    return replace(shown, comparisons=compared, diagnostics=tuple(notes))


def _unstable(made: Resting) -> Iterable[Diagnostic]:
    """Yield a warning for each unstable or indifferent direction of an equilibrium."""
    for names in dict.fromkeys(made.unstable):
        message = f"unstable: forces drive away along {format_names(names)}"
        yield Diagnostic("warning", "state", message, "begin elsewhere for another equilibrium")
    for names in dict.fromkeys(made.indifferent):
        message = "to first order, beside the largest stiffness, no force draws back along"
        yield Diagnostic("warning", "state", f"indifferent: {message} {format_names(names)}")
