"""States of a model with constraints: put onto them, and told by how much they were moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.ranges import require_ranges
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.shown import count, frame, html_table, line
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import Placed, branches, placed
from mbconcord.simulation.shifts import moved

from .models import Model, Parameters, source
from .source import Source, located
from .states import States, given

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
    state : positions and rates of all its coordinates
    placed : how far it was moved, what could not be kept, rank and gaps
    diagnostics : warnings of the model, what was moved
    """

    system: System
    state: State
    placed: Placed
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def gap(self) -> float:
        """Largest gap that is left, as a part of what it is made of."""
        return float(self.placed.assembly.gaps[0])

    @property
    def rank(self) -> int:
        """How many rows of the constraints are independent."""
        return int(self.placed.assembly.rank[0])

    @property
    def regular(self) -> bool:
        """Whether the position is; a folded or singular one is not."""
        return bool(self.placed.assembly.regular[0])

    def __repr__(self) -> str:
        position = "" if self.regular else "folded or singular"
        return line(
            "Assembled", f"state of {self.system.name}", f"moved by {self.placed.distance:.3g}",
            f"rank {self.rank} of {count(self.placed.assembly.rows, 'row')}", position,
        )  # fmt: skip

    def to_frame(self) -> DataFrame:
        """A table of pandas: ``coordinate``, ``position``, how it ``moved``, ``rate`` and how it ``changed``."""
        rows = zip(
            self.system.coordinate_names, self.state.q.values(), self.placed.shift.tolist(), self.state.v.values(),
            self.placed.change.tolist(), strict=True,
        )  # fmt: skip
        return frame((dict(zip(COLUMNS, row, strict=True)) for row in rows), COLUMNS)

    def _repr_html_(self) -> str:
        rows = self.to_frame().itertuples(index=False)
        shown = ([name, *(f"{x:.9g}" for x in numbers)] for name, *numbers in rows)
        return html_table(repr(self)[1:-1], COLUMNS, shown, map(str, self.diagnostics))


def assemble(
    model: Model,
    q: States | None = None,
    v: States | None = None,
    t: float | None = None,
    *,
    hold: Iterable[str] | None = None,
    others: int = 0,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> tuple[Assembled, ...]:
    """The state on the constraints that is nearest to the given one, and others that hold the same coordinates.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    q, v, t : the start, as for :func:`mbconcord.evaluate`. What is given is kept as far as the constraints let it, and
        so are rates with which the model begins; the rest moves
    hold : names of coordinates that shall stay, in place of those of q
    others : how many other positions are looked for; there may be more
    parameters, physics, format : as for :func:`mbconcord.evaluate`

    Returns
    -------
    tuple of Assembled
        The nearest first.

    Raises
    ------
    NumbersError
        No state near it closes: which constraint does not, and by how much.

    Examples
    --------
    >>> import mbconcord
    >>> crank = mbconcord.read_text("z(a) i1 #a i0 > z(b) i2 #b \\\\ u(s) #c \\\\ #b z(p) = < #c", format="mbsd")
    >>> (closed,) = mbconcord.assemble(crank, {"a": 0.5, "s": 2.5})
    >>> closed.state.q["a"], round(closed.state.q["s"], 6)
    (0.5, 2.618993)
    """
    found = source(model, format, physics, parameters).plausible()
    with located(found):
        at = given(found.system, q, v, None, t, None)
        if at.count != 1:
            raise NumbersError(error("q", f"{at.count} states were given", "give one"))
        return assembled(found, at.states()[0], hold, others)


def assembled(
    found: Source, state: State, hold: Iterable[str] | None = None, others: int = 0
) -> tuple[Assembled, ...]:
    """:func:`assemble` of a model with what is known of where it came from."""
    system = found.system
    with located(found):
        require_ranges(system)
        kept = frozenset(state.q if hold is None else hold)
        unknown = sorted(kept - set(system.coordinate_names))
        if unknown:
            names = system.coordinate_names
            raise NumbersError([error("hold", f"no such coordinate {n!r}", among(n, names)) for n in unknown])
        made = branches(system, state, kept, 1 + others) if others else [placed(system, state, kept)]
    warned = tuple(d for d in found.diagnostics if d.severity != "note")
    return tuple(
        Assembled(system, p.state, p, tuple(map(found.locate, (*warned, *moved(system, p))))) for p in made
    )
