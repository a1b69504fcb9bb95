"""Eigenvalues of steady motions over a parameter, a position or a rate, and where they cross.

Root loci: the k-th largest real part is a continuous function of the parameter, so where it changes its sign between
two rows a root is found by Brent's method. Campbell diagrams: over the rate of a coordinate along which the motion goes
on, |Im λ| equal to that rate is a critical speed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, NumbersError, among, error
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from .equations import equations
from .following import Spectrum, SteadySearch

#: Roots are found to this part of the larger of a step and the value; those nearer to each other are one.
ROOT, SAME = 1e-13, 1e-9
#: So far from a root its sign is looked at beyond rounding, as a part of the same.
ASIDE: Final = 1e-7
#: Where it grows, the imaginary part of what diverges is below this part of it.
REAL: Final = 1e-3
DIVERGENCE, FLUTTER, CRITICAL = "divergence", "flutter", "critical speed"


@dataclass(frozen=True)
class SweepRow:
    """A value, and the steady motion with its eigenvalues there; or the reason why there is none."""

    value: float
    state: State | None = None
    spectrum: Spectrum | None = None
    problem: str = ""


@dataclass(frozen=True)
class Crossing:
    """A value at which an eigenvalue crosses the imaginary axis, or a frequency equals the rate that is swept.

    ``kind`` is ``divergence`` (a real eigenvalue), ``flutter`` (a pair) or ``critical speed``; ``change`` how many more
    eigenvalues grow above the value than below it;
    ``family`` the number of families on both sides.
    """

    value: float
    kind: str
    eigenvalue: complex
    change: int
    state: State
    family: int


@dataclass(frozen=True)
class SweptMotion:
    """Rows and crossings of a parameter, position or rate ``name``."""

    system: str
    formalism: str
    name: str
    rows: tuple[SweepRow, ...]
    crossings: tuple[Crossing, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


class Sweeper:
    """Search for steady motions of a system at values of one parameter, position or rate."""

    def __init__(
        self, system: System, by: Formalism, state: State, name: str, given: Mapping[str, float],
        hold: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.system, self.by, self.state, self.name = system, by, state, name
        self.given, self.hold = dict(given), hold
        self._known: SteadySearch | None = None
        self._moving = name.rstrip("'") in system.coordinate_names
        parameters = [p.name for p in system.parameters]
        if not self._moving and name not in parameters:
            known = [*parameters, *(x + dot for x in system.coordinate_names for dot in ("", "'"))]
            raise NumbersError(error(f"sweep/{name}", "no such parameter, coordinate or rate", among(name, known)))

    def find(self, value: float, near: State, family: int | None = None) -> SweepRow:
        """Return the row of the steady motion with a value near a state; an error becomes the row's problem."""
        try:
            state, given = near, self.given
            if self._moving:
                given = {**given, self.name: value}
            else:
                state = replace(near, parameters={**near.parameters, self.name: value})
            search = self._search(state)
            start = search.place(state, given)
            here = search.find(start, given)
            return SweepRow(value, here.near.state, search.find_eigenvalues(here, family))
        except (MbconcordError, ArithmeticError, ValueError) as problem:
            return SweepRow(value, problem=" ".join(str(problem).split()) or type(problem).__name__)

    def judge(self, state: State, family: int | None = None) -> Spectrum:
        """Return the eigenvalues at a state, even if its motion is not exactly steady."""
        search = self._search(state)
        return search.find_eigenvalues(search.look(state), family)

    def _search(self, state: State) -> SteadySearch:
        if self._known is None or not self._moving:
            made = equations(self.system, self.by, state.parameters, (), sorted(self.hold))
            self._known = SteadySearch(self.system, self.by, made, self.hold)
        return self._known


def sweep(
    system: System, by: Formalism, state: State, name: str, values: Sequence[float], given: Mapping[str, float],
    hold: Collection[str] = (), timed: bool = False,
) -> SweptMotion:  # fmt: skip
    """Follow steady motions over the values of a parameter, a position or a rate.

    Parameters
    ----------
    system, by : the model, and the formalism that gives its equations
    state : start of the search for the first value; each next one begins where the one before ended
    name, values : what is varied, in order
    given : other values of the motions, by coordinate or rate
    hold : coordinates that stay fixed
    timed : True if the time of the state was given

    Raises
    ------
    NumbersError
        There is no such name; the equations depend on a time that was not given.
    """
    sweeper = Sweeper(system, by, state, name, given, hold)
    made = equations(system, by, state.parameters, (), sorted(hold))
    if made.rheonomic and not timed:
        raise NumbersError(error("t", "the equations depend on the time", "state it: --time 0, in Python t=0"))
    made.require_undriven()
    rows: list[SweepRow] = []
    near = state
    for value in values:
        rows.append(sweeper.find(value, near))
        near = rows[-1].state or near
    found: list[Crossing] = []
    notes: list[Diagnostic] = []
    for pair in pairwise(rows):
        for one in find_crossings(sweeper, *pair):
            if isinstance(one, Diagnostic):
                notes.append(one)
            elif not any(x.kind == one.kind and _same(x.value, one.value) for x in found):
                found.append(one)
    lost = [row for row in rows if row.problem]
    notes += [Diagnostic("warning", f"sweep/{name}={row.value:g}", row.problem) for row in lost]
    return SweptMotion(system.name, made.formalism, name, tuple(rows), tuple(found), tuple(notes))


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= SAME * max(1.0, abs(a))


def find_crossings(sweeper: Sweeper, a: SweepRow, b: SweepRow) -> Iterator[Crossing | Diagnostic]:
    """Yield the crossings between two rows, or a remark that they cannot be sought."""
    if not (a.spectrum and b.spectrum and a.state):
        return
    near, family = a.state, min(a.spectrum.family, b.spectrum.family)
    sizes = {len(x.spectrum.values) + x.spectrum.family for x in (a, b) if x.spectrum}
    if len(sizes) > 1:
        message = f"symmetries differ between {a.value:g} and {b.value:g}: crossings there are not sought"
        yield Diagnostic("warning", f"sweep/{sweeper.name}", message, "take other values, or a smaller step")
        return

    def grow(spectrum: Spectrum, part: float, k: int) -> float:
        return spectrum.sort_growth(family, part)[k][0]

    counts = [row.spectrum.growing for row in (a, b) if row.spectrum]
    for k in range(min(counts), max(counts)):
        there = _find_root(sweeper, a, b, near, lambda s, part, k=k: grow(s, part, k))  # type: ignore[misc]
        if isinstance(there, SweepRow) and there.spectrum and there.state:
            s = there.spectrum.sort_growth(family, 0.0)[k][1]
            aside = ASIDE * max(abs(a.value), abs(b.value), abs(b.value - a.value))
            aside *= 1 if (counts[1] > counts[0]) == (b.value > a.value) else -1
            beside = sweeper.find(there.value + aside, there.state, family).spectrum
            growing = beside.sort_growth(family, 0.0)[k][1] if beside else s
            kind = FLUTTER if abs(growing.imag) > REAL * abs(growing) else DIVERGENCE
            yield Crossing(there.value, kind, complex(s.real, abs(s.imag)), counts[1] - counts[0], there.state, family)
        else:
            yield from _report_lost(sweeper, a, b, there)
    name = sweeper.name.removesuffix("'")
    if name == sweeper.name or not all(list(row.spectrum.along) == [name] for row in (a, b) if row.spectrum):
        return

    def lag(spectrum: Spectrum, k: int) -> float:
        return sorted(abs(s.imag) for s in spectrum.values)[k] - abs(spectrum.along[name])

    for k in range(min(len(row.spectrum.values) for row in (a, b) if row.spectrum)):
        if lag(a.spectrum, k) * lag(b.spectrum, k) < 0:
            there = _find_root(sweeper, a, b, near, lambda s, part, k=k: lag(s, k))  # type: ignore[misc]
            if isinstance(there, SweepRow) and there.spectrum and there.state:
                s = sorted(there.spectrum.values, key=lambda s: abs(s.imag))[k]
                yield Crossing(there.value, CRITICAL, complex(s.real, abs(s.imag)), 0, there.state, family)
            else:
                yield from _report_lost(sweeper, a, b, there)


def _report_lost(sweeper: Sweeper, a: SweepRow, b: SweepRow, there: SweepRow | str) -> Iterator[Diagnostic]:
    reason = there if isinstance(there, str) else there.problem
    message = f"an eigenvalue crosses between {a.value:g} and {b.value:g}, not located: {reason}"
    yield Diagnostic("warning", f"sweep/{sweeper.name}", message, "take a smaller step there")


def _find_root(
    sweeper: Sweeper, a: SweepRow, b: SweepRow, near: State, f: Callable[[Spectrum, float], float]
) -> SweepRow | str:
    """Return the row between two at which a function of eigenvalues is zero, or the reason why there is none.

    The function subtracts a part of the bounds of rounding: where eigenvalues meet, this tells which have parted. In
    the end nothing is subtracted, if the sign changes by more than rounding.
    """
    from scipy.optimize import brentq

    family = min(row.spectrum.family for row in (a, b) if row.spectrum)

    def measure(value: float, part: float) -> float:
        row = sweeper.find(value, near, family)
        if row.spectrum is None:
            raise NumbersError(error(f"sweep/{sweeper.name}", row.problem))
        return f(row.spectrum, part)

    scale = max(abs(a.value), abs(b.value), abs(b.value - a.value))
    try:
        root = brentq(measure, a.value, b.value, (1.0,), xtol=ROOT * scale, rtol=8.9e-16)
        ends = [root - ASIDE * scale, root + ASIDE * scale]
        signs = [(measure(x, 10.0) > 0, measure(x, -10.0) > 0) for x in ends]
        if all(x == y for x, y in signs) and signs[0] != signs[1]:
            root = brentq(measure, *ends, (0.0,), xtol=ROOT * scale, rtol=8.9e-16)
    except (NumbersError, ValueError, IndexError) as problem:
        return " ".join(str(problem).split())
    return sweeper.find(float(root), near, family)
