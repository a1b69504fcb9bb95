"""Whether two models are the same machine, with a result that shows itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from mbconcord.converters.companions import StateFile
from mbconcord.model.checks.physics import Policy
from mbconcord.model.shown import html_table, line
from mbconcord.model.state import State
from mbconcord.reports.extras import simulation
from mbconcord.reports.quantities import quantities, table_of
from mbconcord.validation.horizon import require_span
from mbconcord.validation.judge.frames import comparisons_frame
from mbconcord.validation.same_machine import Sameness, same_machine

from .models import Model, Parameters, accepted_kinds, exact_values, source
from .parameters import Values
from .source import Source, located, with_values
from .states import States, given

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, repr=False)
class Comparison(Sameness):
    """Evidence whether two models are the same machine, or the entry and state where they differ most.

    ``verdict`` is ``agrees``, ``agrees in part`` (both readers left out the same of what acts on the motion), ``agrees
    after matching`` (of coordinates that nobody told), ``disagrees`` or ``not checked``; ``headline`` says it in words,
    and ``str()`` with the numbers.
    """

    def __repr__(self) -> str:
        compared = dict.fromkeys(c.quantity for c in self.comparisons if c.verdict != "not checked")
        return line("Comparison", "", self.headline, f"{', '.join(compared) or 'nothing'} compared")

    def _repr_html_(self) -> str:
        headers, rows = table_of(quantities(self.comparisons))
        return html_table(repr(self)[1:-1], headers, rows, str(self).splitlines()[1:])

    def to_frame(self) -> DataFrame:
        """A table of pandas with a row for each quantity and formalism: the worst entry over the states."""
        return comparisons_frame(self.comparisons)


def compared(
    a: Source, b: Source, states: int | StateFile | Sequence[State], seed: int,
    accepted: Mapping[str, int] | None = None, coordinates: Mapping[str, str] | None = None, printed: bool = False,
    simulate: float | None = None,
) -> Sameness:  # fmt: skip
    """Compare the dynamics of two sources at so many random states, at the state of a file, or at states of A.

    ``accepted`` is what they are known to leave out, ``coordinates`` which coordinate of B each of A's is known to be,
    ``printed`` whether another program may have printed numbers, ``simulate`` over how many seconds they move.
    """
    if simulate is not None:
        require_span(simulate)
        simulation()
    with located(a, b, *((states,) if isinstance(states, StateFile) else ())):
        at = [states.of(a.system)] if isinstance(states, StateFile) else states
        found = same_machine(a.system, b.system, at, seed, None, coordinates, printed, simulate)
    return replace(found, left_out=replace(found.left_out, accepted=accepted))


def both_with_values(a: Source, b: Source, values: Values) -> tuple[Source, Source]:
    """Both sources with the values of parameters; each takes those it has."""
    own = {p.name for p in a.system.parameters}
    other = {p.name for p in b.system.parameters}
    ours = values.keeping(lambda name: name in own or name not in other)
    return with_values(a, ours), with_values(b, values.keeping(other.__contains__))


def compare(
    a: Model,
    b: Model,
    *,
    states: int | States = 10,
    seed: int = 0,
    coordinates: Mapping[str, str] | None = None,
    parameters: Parameters | None = None,
    accept_omissions: Mapping[str, int] | None = None,
    physics: Policy | None = None,
    simulate: float | None = None,
) -> Comparison:
    """Tell whether two models are the same machine: M, h, gravity, applied forces, and what constraints say.

    Parameters
    ----------
    a, b : paths, what :func:`mbconcord.read` gave, Systems or Mechanisms
    states : how many are drawn; or states of A, in any form that :func:`mbconcord.evaluate` takes
    seed : of what is drawn
    coordinates : which coordinate of B each of A's is; None: that of the same name, then found by structure
    parameters : values by name, for the model that has them
    accept_omissions : what the models are known to leave out, ``{"contact": 19}``
    physics : what is made of masses and inertias that no body has
    simulate : seconds over which motions from corresponding states are compared, too; they begin at A's states where
        these are given, or at A's own and at one near it

    Raises
    ------
    ReadError, ModelError
        A model cannot be read, or a body is physically impossible.
    NumbersError
        States, parameters or coordinates that the models do not have.

    Examples
    --------
    >>> import mbconcord
    >>> one, other = (mbconcord.read_text(text, format="mbsd") for text in ("z j-2 $3 g", "z j-2 $3.1 g"))
    >>> mbconcord.compare(one, other).verdict
    'disagrees'
    """
    accepted = accepted_kinds(accept_omissions)
    first, second = source(a, None, physics), source(b, None, physics)
    first, second = both_with_values(first, second, Values(exact_values(parameters or {})))
    warnings = (*first.implausible(), *second.implausible())
    with located(first):
        at = states if isinstance(states, int) else given(first.system, states).states()
    found = compared(first, second, at, seed, accepted, coordinates, printed=True, simulate=simulate)
    found = replace(found, diagnostics=(*warnings, *found.diagnostics))
    return Comparison(**{field.name: getattr(found, field.name) for field in fields(found)})
