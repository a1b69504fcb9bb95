"""Derivatives of one formalism at one state: the code that makes them is shared by all, and so are its faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.model.derivatives.dynamics import PARTS, Dynamics
from mbconcord.model.derivatives.quantities import OF_FORWARD, OF_INVERSE
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.mixed import imposed

from ...judge.evidence import Comparison
from ...judge.tolerances import REFEREE_DIGITS
from ...judge.trial import Trial
from ..claim import not_checked
from .by_graph import Graph, accelerated
from .differences import Differences

SENTENCE = (
    "The derivatives of inverse and forward dynamics by q, q' and τ of one formalism are those of differences in "
    "50 digits, at one state in one direction."
)

#: What is compared, as it stands in evidence; where not all of them are, the names of those that are.
WHAT: Final = "derivatives"
#: Steps of the equations times coordinates beyond which they would cost more than all other claims.
MOST: Final = 30_000


def claim(made: Trial) -> list[Comparison]:
    """Those of the first formalism whose equations are short enough: what disagrees, else the worst of them for all."""
    able = [name for name, own in made.equations.items() if {*PARTS} <= {*own.derivation.quantities}]
    if not able or not made.names or not made.states:
        return []
    sizes = {name: made.equations[name].size * len(made.names) for name in able}
    name = next((one for one, size in sizes.items() if size <= MOST), None)
    if name is None:
        why = (
            f"some {min(sizes.values()):,} operations, more than {MOST:,}: --claims derivatives compares them"
        )
        return [not_checked(able[0], WHAT, why)]
    own = Dynamics(made.derivations[name])
    found = _of(made, name, own, OF_INVERSE, 0)
    if made.closed is None and not imposed(made.system):
        found += [
            c for i in np.flatnonzero(accelerated(made))[:1] for c in _of(made, name, own, OF_FORWARD, int(i))
        ]
    wrong = [c for c in found if c.verdict == "disagrees"]
    unsaid = [c for c in found if c.verdict == "not checked"]
    right = [c for c in found if c.verdict == "agrees"]
    names = [c.quantity for c in right]
    what = WHAT if {*OF_INVERSE, *OF_FORWARD} == {*names} else ", ".join(names)
    worst = sorted(right, key=lambda c: c.discrepancy or 0.0)[-1:]
    return wrong or [*(replace(c, quantity=what) for c in worst), *unsaid]


def _of(made: Trial, name: str, own: Dynamics, quantities: Sequence[str], state: int) -> list[Comparison]:
    """Each of some matrices of a formalism beside its difference; nothing where there are none."""
    try:
        graph = Graph(made.derivations[name], {quantity: getattr(own, quantity) for quantity in quantities})
    except FormalismError:  # coordinates without inertia have no accelerations
        return []
    try:
        return [*Differences(made, name, graph, state).compared(quantities)]
    except (ExpressionError, ArithmeticError) as problem:
        return [not_checked(name, WHAT, f"no value in {REFEREE_DIGITS} digits: {problem}")]
