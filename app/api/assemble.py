"""Assembly: states of a model moved onto its constraints, with the distance that each coordinate moved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.limits import count, frame, html_table, line
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import KW_ONLY, dataclass, replace
from mbconcord.simulation.keeping import Placed, branches, describe_moves, place_state
from mbconcord.validation.judge.comparison import contradict, note_unchecked
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.assembly import check_assembly, search_nearer

from .request import ModelRequest, list_names, takes
from .source import Model, locate_errors
from .states import States, one_state

if TYPE_CHECKING:
    from pandas import DataFrame

#: Columns of the table of an assembly.
COLUMNS = ("coordinate", "position", "moved", "rate", "changed")


@dataclass(frozen=True, repr=False)
class Assembled:
    """A state on the constraints.

    Attributes
    ----------
    system : the model
    state : positions and rates of all coordinates of the model
    placed : distances moved, given values that could not be kept, rank and gaps
    diagnostics : warnings about the model, notes on what was moved, disagreements of witnesses
    comparisons : distances, rank and gap with those of witnesses
    """

    system: System
    state: State
    placed: Placed
    diagnostics: tuple[Diagnostic, ...] = ()
    comparisons: tuple[Comparison, ...] = ()

    @property
    def gap(self) -> float:
        """Largest remaining violation of a constraint, as a part of the size of its terms."""
        return float(self.placed.assembly.gaps[0])

    @property
    def rank(self) -> int:
        """Number of independent constraint rows."""
        return int(self.placed.assembly.rank[0])

    @property
    def regular(self) -> bool:
        """True if the position is regular, that is neither folded nor singular."""
        return bool(self.placed.assembly.regular[0])

    def __repr__(self) -> str:
        position = "" if self.regular else "folded or singular"
        return line(
            "Assembled", f"state of {self.system.name}", f"moved by {self.placed.distance:.3g}",
            f"rank {self.rank} of {count(self.placed.assembly.rows, 'row')}", position,
        )  # fmt: skip

    def as_states(self) -> State:
        """Return the state, so that other functions take this result as a state."""
        return self.state

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table: ``coordinate``, ``position``, shift ``moved``, ``rate``, its shift ``changed``."""
        rows = zip(
            self.system.coordinate_names, self.state.q.values(), self.placed.shift.tolist(), self.state.v.values(),
            self.placed.change.tolist(), strict=True,
        )  # fmt: skip
        return frame((dict(zip(COLUMNS, row, strict=True)) for row in rows), COLUMNS)

    def _repr_html_(self) -> str:
        rows = self.to_frame().itertuples(index=False)
        shown = ([name, *(f"{x:.9g}" for x in numbers)] for name, *numbers in rows)
        return html_table(repr(self)[1:-1], COLUMNS, shown, map(str, self.diagnostics))


@dataclass(frozen=True)
class AssembleRequest(ModelRequest):
    """Options of :func:`assemble`, documented there."""

    q: States | None = None
    v: States | None = None
    _: KW_ONLY
    t: float | None = None
    hold: str | Iterable[str] | None = None
    others: int = 0


@takes(AssembleRequest)
def assemble(model: Model, request: AssembleRequest) -> tuple[Assembled, ...]:
    r"""Find the state on the constraints nearest to the given one, and other states with the same kept coordinates.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    q, v, t : the start, as for :func:`mbconcord.evaluate`. Given values, and initial rates of the model, are kept as
        far as the constraints allow; other values move
    hold : names of coordinates to keep, in place of those in q
    others : number of other positions to search for; more may exist
    parameters, physics, format : as for :func:`mbconcord.evaluate`

    Returns
    -------
    tuple of Assembled
        The assembled states, the nearest first.

    Raises
    ------
    NumbersError
        No state near the start satisfies the constraints; the message names one and its violation.

    Examples
    --------
    >>> import mbconcord
    >>> crank = mbconcord.read(text="z(a) i1 #a i0 > z(b) i2 #b \\ u(s) #c \\ #b z(p) = < #c", format="mbsd")
    >>> (closed,) = mbconcord.assemble(crank, {"a": 0.5, "s": 2.5})
    >>> closed.state.q["a"], round(closed.state.q["s"], 6)
    (0.5, 2.618993)
    """
    found = request.source(model).plausible()
    system, others = found.system, request.others
    if others < 0:
        raise NumbersError(error("others", f"found {others}", "give 0 or more"))
    with locate_errors(found, request.q):
        state = one_state(system, request.q, request.v, request.t)
        require_ranges(system)
        kept = frozenset(state.q if request.hold is None else list_names(request.hold))
        unknown = sorted(kept - set(system.coordinate_names))
        if unknown:
            names = system.coordinate_names
            raise NumbersError([error("hold", f"no such coordinate {n!r}", among(n, names)) for n in unknown])
        made = branches(system, state, kept, 1 + others) if others else [place_state(system, state, kept)]
        printed = [Assembled(system, p.state, p) for p in made]
        judged = [tuple(check_assembly(system, state, a.placed, a.rank, a.gap, a.regular, kept)) for a in printed]
        said = [[*contradict(own, "assemble"), *note_unchecked(own, "assemble")] for own in judged]
        said[0] += search_nearer(system, state, made[0], kept) if made[0].distance else ()
    warned = tuple(d for d in found.diagnostics if d.severity != "note")
    told = [(*warned, *describe_moves(system, p), *own) for p, own in zip(made, said, strict=True)]
    return tuple(
        replace(a, diagnostics=tuple(map(found.locate, own)), comparisons=compared)
        for a, own, compared in zip(printed, told, judged, strict=True)
    )
