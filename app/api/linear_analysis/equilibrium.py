"""Equilibria of a model, with evidence that every formalism's forces balance there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.ranges import require_ranges
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.limits import listed
from mbconcord.model.shown import frame, html_table, line
from mbconcord.model.state import State
from mbconcord.reports.as_json import dumps
from mbconcord.simulation.linear.equilibrium import Resting
from mbconcord.simulation.linear.equilibrium import equilibrium as found_from
from mbconcord.simulation.rewriting import standing_still
from mbconcord.validation.judge.evidence import Comparison, Verdict, verdict
from mbconcord.validation.linear import equilibrium_evidence

from ..models import Model, Parameters, source
from ..source import Source, located
from ..states import States
from ..tables import SUFFIXES, require_suffix, write_table
from ..writing import write
from .asked import everyone, known, loud, one_state, whose

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("coordinate", "position", "moved")
#: What is written, by suffix.
WRITTEN = (".json", *SUFFIXES)


@dataclass(frozen=True, repr=False)
class Equilibrium(Resting):
    """A position at rest in which the forces balance; ``state`` is what evaluate, linearize and simulate take.

    ``stability`` is ``stable``, ``unstable`` or ``indifferent``, by the sign of the stiffness on the constraints;
    ``unstable`` and ``indifferent`` name the coordinates of each such direction. ``comparisons`` say whether the forces
    of every formalism balance there, ``verdict`` sums them up.
    """

    comparisons: tuple[Comparison, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the forces of all formalisms balance."""
        return verdict(self.comparisons)

    def __repr__(self) -> str:
        return line("Equilibrium", f"of {self.system} by {self.formalism}", self.stability, self.verdict)

    def to_frame(self) -> DataFrame:
        """A table of pandas: ``coordinate``, its ``position`` (m or rad), and how far it ``moved`` from the start."""
        rows = zip(self.coordinates, self.state.q.values(), self.shift.tolist(), strict=True)
        return frame((dict(zip(COLUMNS, row, strict=True)) for row in rows), COLUMNS)

    def stiffness_frame(self) -> DataFrame:
        """The stiffness as a table of pandas: rows are forces along, columns shifts of, independent coordinates."""
        from pandas import DataFrame

        return DataFrame(self.stiffness, index=list(self.rates), columns=list(self.independent))

    def _repr_html_(self) -> str:
        rows = (
            [name, *(f"{x:.9g}" for x in numbers)]
            for name, *numbers in self.to_frame().itertuples(index=False)
        )
        return html_table(repr(self)[1:-1], COLUMNS, rows, map(str, self.diagnostics))

    def to_json(self) -> dict[str, Any]:
        """The form of ``equilibrium --json``."""
        return {
            "system": self.system, "formalism": self.formalism, "state": self.state.to_json(),
            "stability": self.stability, "unstable": [list(x) for x in self.unstable],
            "indifferent": [list(x) for x in self.indifferent],
            "moved": dict(zip(self.coordinates, self.shift.tolist(), strict=True)),
            "independent": list(self.independent), "stiffness": self.stiffness.tolist(),
            "multipliers": dict(zip(self.rows, self.multipliers.tolist(), strict=True)),
            "left": self.left, "steps": self.steps, "relative": self.relative, "verdict": self.verdict,
            "pairs": [c.to_json() for c in self.comparisons], "diagnostics": [str(d) for d in self.diagnostics],
        }  # fmt: skip

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


def equilibrium(
    model: Model,
    q: States | None = None,
    t: ArrayLike | None = None,
    *,
    hold: Iterable[str] = (),
    formalism: str | Formalism | None = None,
    check: bool = True,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> Equilibrium:
    """The equilibrium that is found from a position: forces and reactions balance, everything is at rest.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    q : where it is looked for, as for :func:`mbconcord.evaluate`; what is missing is the model's own; rates count not
    t : the time, s, at which prescribed motions stand still; needed where the equations depend on it
    hold : names of coordinates that stay where they are
    formalism : by whose equations; None: the first that takes the model
    check : whether the forces of the others are evaluated there too
    parameters, physics, format : as for :func:`mbconcord.evaluate`

    Returns
    -------
    Equilibrium

    Raises
    ------
    NumbersError
        None is near, and which force is left along which coordinate; the constraints do not close; a missing time.
    FormalismError
        The formalism does not take the model.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read_text("z(a)°30 -j1 $1 g9.81-y", format="mbsd")
    >>> found = mbconcord.equilibrium(pendulum)
    >>> found.stability, round(abs(found.state.q["a"]), 9)
    ('stable', 0.0)
    """
    found = source(model, format, physics, parameters).plausible()
    with located(found):
        state, timed = one_state(found.system, q, None, t)
    return balanced(found, state, tuple(hold), formalism, timed, check)


def balanced(
    found: Source, state: State, hold: tuple[str, ...] = (), formalism: str | Formalism | None = None,
    timed: bool = False, check: bool = True,
) -> Equilibrium:  # fmt: skip
    """:func:`equilibrium` of a model with what is known of where it came from."""
    system = found.system
    with located(found):
        require_ranges(system)
        kept = known(hold, system, "hold")
        by = whose(formalism, system)
        made = found_from(system, by, state, kept, timed)
        still = system if made.relative or not timed else standing_still(system, made.state.t)
        said = equilibrium_evidence(still, made, everyone(), kept) if check else ()
    notes = map(found.locate, (*loud(found.diagnostics), *made.diagnostics, *_unstable(made)))
    made = replace(made, diagnostics=tuple(notes))
    values = {field.name: getattr(made, field.name) for field in fields(made)}
    return Equilibrium(**values, comparisons=said)


def _unstable(made: Resting) -> Iterable[Diagnostic]:
    """What is said of directions in which nothing draws back."""
    for names in made.unstable:
        message = f"unstable: forces drive away along {listed(names)}"
        yield Diagnostic("warning", "state", message, "begin elsewhere for another equilibrium")
    for names in made.indifferent:
        yield Diagnostic("warning", "state", f"indifferent: no force draws back along {listed(names)}")
