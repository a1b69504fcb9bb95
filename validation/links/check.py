"""Check a model link by link: recursions of several formalisms at random states, in time linear in the bodies.

Inverse dynamics M q'' + h - gravity - applied holds all of the equations, at random positions, rates and accelerations;
M q'', h and gravity are compared alone too, at the first state: that tells where a difference is, and finds what sums
of fast turns would hide in their rounding. Two agree where rounding alone explains what they differ by
(:mod:`.errors`), and differ where prime fields say so (:mod:`.exact`). The floats are those of generated Python: no
verdict depends on what compiles.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.links.function import require_formulas
from mbconcord.kernels.links.numbers import Layout, planned
from mbconcord.model.checks.physics import Policy
from mbconcord.model.derivation import Derivation, Obstacle
from mbconcord.model.diagnostics import Diagnostic, FormalismError, error
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.collector import no_search_for_cycles
from mbconcord.model.expressions.field import DIFFERS
from mbconcord.model.functions import define
from mbconcord.model.instance import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..exact.agreement import SIZE, Mode, with_proof
from ..exact.premises import approximate
from ..judge.comparison import Difference, excess, worst
from ..judge.evidence import Comparison, Evidence, Witness
from ..judge.plausible import plausible
from ..judge.states import complete_state, draw
from .errors import Errors, Given
from .exact import BUDGET, Links
from .outermost import outermost

Array = NDArray[np.float64]

#: What is compared, and what of it is at rest: accelerations, rates, weight.
QUANTITIES: Final[Mapping[str, tuple[bool, bool, bool]]] = {
    "M q''": (False, True, True), "h": (True, False, True), "gravity": (True, True, False),
    "inverse_dynamics": (False, False, False),
}  # fmt: skip
#: The one that is compared at every state; the others at the first one.
WHOLE: Final = "inverse_dynamics"
#: Said of every model that is checked so.
SAID: Final = Diagnostic(
    "note", "",
    "checked link by link, equations as a whole were not derived: inverse_dynamics was compared at all states, M q'', "
    "h and gravity at the first; M itself, applied and acceleration were not; no claim was asked",
)  # fmt: skip
#: States that are drawn where nothing else is asked for.
STATES: Final = 3


@dataclass(frozen=True)
class Numbers:
    """What a formalism gives, with bounds and scales: quantity -> (n, C) each."""

    values: Mapping[str, Array]
    bounds: Mapping[str, Array]
    scales: Mapping[str, Array]


def check_links(
    system: System,
    file: str,
    asked: Sequence[Formalism],
    states: int = STATES,
    seed: int = 0,
    given: Sequence[State] | None = None,
    physics: Policy = "error",
    exact: Mode = "auto",
) -> Evidence:
    """Evidence about an open tree whose equations are not derived as a whole.

    Parameters
    ----------
    asked : formalisms; those without steps of links say nothing
    states, seed, given, physics, exact : as :func:`mbconcord.validation.check.check` takes them

    Raises
    ------
    FormalismError
        No formalism that is asked takes the model, and why.
    """
    drawn = draw(system, states if given is None else 0, seed)
    chosen = drawn.states if given is None else tuple(complete_state(system, s, seed) for s in given)
    warned = plausible(drawn.system, chosen, physics)
    at = Instance(drawn.system, chosen)
    witnesses: list[Witness] = []
    numbers: dict[str, Numbers] = {}
    layouts: dict[str, Layout] = {}
    with no_search_for_cycles():
        for by in asked:
            witness, own = witnessed(by, drawn.system, at)
            witnesses.append(witness)
            if own:
                layouts[by.name], numbers[by.name] = own
    if not numbers:
        raise FormalismError(
            list(dict.fromkeys(error(o.place, o.reason) for w in witnesses for o in w.obstacles))
        )
    found = proved(compared(drawn.system, chosen, numbers), Links(system, layouts, seed), exact)
    notes = (*warned, *drawn.diagnostics, SAID)
    return Evidence(file, drawn.system, seed, chosen, tuple(witnesses), found, notes, by_links=True)


def proved(found: Iterable[Comparison], links: Links, mode: Mode) -> tuple[Comparison, ...]:
    """Comparisons with what prime fields say of inverse dynamics, of which alone they say something.

    M q'', h and gravity are made at rest of what a model moves; where that is prescribed they are no special cases.
    """
    listed = list(found)
    pairs = dict.fromkeys((c.a, c.b) for c in listed if c.b)
    if mode == "off" or not pairs:
        return tuple(listed)
    tried = mode == "on" or links.operations <= BUDGET
    told = {pair: links.compared(*pair) if tried else SIZE for pair in pairs}
    why = approximate(links.system) if any(x.kind == DIFFERS for x in told.values()) else ""
    return tuple(
        with_proof(c, told[c.a, c.b], lambda _: "", why) if c.b and c.quantity == WHOLE else c for c in listed
    )


def witnessed(by: Formalism, system: System, at: Instance) -> tuple[Witness, tuple[Layout, Numbers] | None]:
    """A formalism and its numbers at states; None where it has no steps of links, or these do not take the model."""
    begin = time.process_time()
    try:
        layout = Layout(by.recursion(system), system.functions)
    except FormalismError as refused:
        obstacles = tuple(Obstacle(d.place, "links", d.message) for d in refused.diagnostics)
        return Witness(by.name, by.title, by.reference, obstacles, by=by), None
    require_formulas([*layout.formulas, *define(layout.recursion.efforts, system.functions)])
    made = time.process_time()
    found = numbers_of(layout, system, at)
    derivation = Derivation(by.name, system, {}, ())
    witness = Witness(
        by.name, by.title, by.reference, derivation=derivation, seconds=made - begin,
        evaluation_seconds=time.process_time() - made, by=by,
    )  # fmt: skip
    return witness, (layout, found)


def numbers_of(layout: Layout, system: System, at: Instance) -> Numbers:
    """The quantities of a recursion at states, with bounds of their rounding."""
    errors = Errors(layout)
    efforts = planned(define(layout.recursion.efforts, system.functions))
    names = system.coordinate_names
    found: dict[str, list[tuple[Array, Array, Array]]] = {name: [] for name in QUANTITIES}
    for state, values in enumerate(at.environments):
        numbers = _tables(layout, values)
        motions, off = _motions(layout, names, values)
        acting, unsure = run_bounds(efforts, values)
        for name in QUANTITIES if not state else (WHOLE,):
            resting = QUANTITIES[name]
            forces, doubt, scale = errors(_resting(layout, Given(*numbers, motions, off), resting))
            if name == WHOLE:
                forces, doubt = (
                    forces - acting[:, 0],
                    doubt + unsure[:, 0] + np.finfo(float).eps * abs(forces),
                )
                scale = scale + np.abs(acting[:, 0])
            found[name].append((-forces if name == "gravity" else forces, doubt, scale))
    return Numbers(*({name: np.array([row[i] for row in x]) for name, x in found.items()} for i in range(3)))


def _tables(layout: Layout, values: Mapping[str, Any]) -> tuple[Array, Array, Array, Array]:
    """Numbers of the links, and of the fixed frame, each with what it may be off by."""
    exact, off = run_bounds(layout.constants, values)
    (numbers, ground), (unsure, doubt) = layout.tables(exact[:, 0]), layout.tables(off[:, 0])
    return numbers, unsure, ground, doubt


def _motions(layout: Layout, names: Sequence[str], values: Mapping[str, Any]) -> tuple[Array, Array]:
    """Motions of all joints, (3, M), and what they may be off by: coordinates are exact."""
    own = np.array([[values[name + mark] for name in names] for mark in ("", "'", "''")], dtype=float)
    given, off = run_bounds(layout.moving, values)
    return (
        np.concatenate([own, layout.motions(given)[..., 0]], axis=1),
        np.concatenate([np.zeros_like(own), layout.motions(off)[..., 0]], axis=1),
    )


def _resting(layout: Layout, given: Given, resting: tuple[bool, bool, bool]) -> Given:
    """What is given, with coordinates without acceleration, with all joints without rates, or without weight.

    Prescribed motions have accelerations where there are rates.
    """
    accelerations, rates, weight = resting
    motions, off = given.motions.copy(), given.motion_errors.copy()
    count = layout.recursion.coordinates
    if accelerations:
        motions[2, :count] = off[2, :count] = 0.0
    if rates:
        motions[1] = off[1] = 0.0
        motions[2, count:] = off[2, count:] = 0.0
    ground, doubt = given.ground, given.ground_errors
    if weight:
        ground, doubt = np.zeros_like(ground), np.zeros_like(doubt)
    return Given(given.numbers, given.number_errors, ground, doubt, motions, off)


def compared(system: System, states: Sequence[State], numbers: Mapping[str, Numbers]) -> Iterator[Comparison]:
    """Every quantity of every two; of one alone, that it was not checked."""
    names = system.coordinate_names
    if len(numbers) < 2:
        (only,) = numbers
        for quantity in QUANTITIES:
            why = "no second formalism computes it link by link"
            yield Comparison(only, "", quantity, "not checked", explanation=why)
    for a, b in combinations(numbers, 2):
        for quantity in QUANTITIES:
            x, y = numbers[a].values[quantity], numbers[b].values[quantity]
            bound = numbers[a].bounds[quantity] + numbers[b].bounds[quantity]
            scale = np.fmax(numbers[a].scales[quantity], numbers[b].scales[quantity])
            none = np.zeros(len(x))
            difference = Difference(x, y, scale, none, none + 1.0, None, bound, certain=True)
            found = worst(a, b, quantity, difference, states[: len(x)], names)
            if found.verdict == "disagrees":
                found = replace(found, explanation=outermost(system, excess(difference)))
            yield found
