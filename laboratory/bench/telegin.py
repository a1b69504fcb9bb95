"""Telegin's forms compared with Lagrange and Newton–Euler on random trees, and the linear form to 1,000 links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.telegin import FORMS, Telegin
from mbconcord.formalisms.telegin.linkage import LEAVES
from mbconcord.formalisms.telegin.planarity import SPATIAL
from mbconcord.model.expressions import count_operations
from mbconcord.validation.judge.comparison import compare_evaluations
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.tolerances import solution_tolerance
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.strategies.special_trees import planar_system
from mbconcord.validation.strategies.trees import random_system

from .agreement import relative
from .newton_euler import chain
from .row import BenchmarkRow, seconds

PLANAR_TREES, SPATIAL_TREES = 1000, 500
MOST_LINKS = 8
STATES = 2
#: Relative to scale; of accelerations, per condition number of the equilibrated mass matrix.
LIMIT = 1e-12
#: Lengths of the chains whose inverse dynamics is timed, and of one more that is counted; they differ by
#: multiples of three, because the axes of a chain repeat after three links.
SHORT = 10
LENGTHS = (130, 250, 490, 1000)


def rows() -> Iterator[BenchmarkRow]:
    """Yield worst discrepancies by form, then operations and times of the linear form."""
    yield from agreement(PLANAR_TREES, "planar", FORMS)
    yield from agreement(SPATIAL_TREES, "spatial", (SPATIAL,))
    yield from linear()


def agreement(trees: int, kind: str, forms: Iterable[str]) -> Iterator[BenchmarkRow]:
    """Return the worst discrepancies of each form from either formalism over the trees."""
    found: dict[str, list[tuple[int, Comparison]]] = {form: [] for form in forms}
    for seed in range(trees):
        for form, comparison in compare_forms(kind, seed, found):
            found[form].append((seed, comparison))
    for form, comparisons in found.items():
        title = f"telegin, {form}: {{}}, {trees} random {kind} trees of up to {MOST_LINKS} bodies"
        for what, quantities, limit, unit in (
            ("M, h and inverse dynamics", ("M", "h", "inverse_dynamics"), LIMIT, "of scale"),
            ("gravity and applied forces", ("gravity", "applied"), LIMIT, "of scale"),
            ("accelerations", ("acceleration",), solution_tolerance(1.0), "of scale and cond"),
        ):
            worst, seed = max((relative(c), s) for s, c in comparisons if c.quantity in quantities)
            yield BenchmarkRow(title.format(what), worst, unit, limit, note=f"seed {seed}")
        wrong = sum(c.verdict == "disagrees" for _, c in comparisons)
        blind = sum(c.verdict == "not checked" for _, c in comparisons)
        note = f"of {len(comparisons)}, {blind} ill-conditioned and not checked"
        yield BenchmarkRow(title.format("comparisons that disagree"), wrong, "", 0, note=note)


def compare_forms(kind: str, seed: int, forms: Iterable[str]) -> Iterator[tuple[str, Comparison]]:
    """Yield (form, comparison) of one tree; the planar forms alternate in computing J^c and J^s."""
    make = planar_system if kind == "planar" else random_system
    drawn = draw(make(seed, 1 + seed % MOST_LINKS), STATES, seed)
    made = trial(drawn.system, drawn.states, (Lagrange(), NewtonEuler()))
    for i, form in enumerate(forms):
        leaves = LEAVES[(seed // MOST_LINKS + i) % len(LEAVES)]
        own = Telegin(form, leaves).evaluate(drawn.system, drawn.states)
        for other in made.evaluations.values():
            for comparison in compare_evaluations(own, other, made.scales, made.states, made.names):
                yield form, comparison


def linear() -> Iterator[BenchmarkRow]:
    """Measure operations and time of inverse dynamics by links: a constant increment for each."""
    counts = {n: count_operations(Telegin().inverse_dynamics(chain(n))).total for n in (SHORT, *LENGTHS)}
    shorter, longer = LENGTHS[0], LENGTHS[-1]
    first = (counts[shorter] - counts[SHORT]) / (shorter - SHORT)
    last = (counts[longer] - counts[shorter]) / (longer - shorter)
    title = "telegin, spatial: operations of inverse dynamics for a link more"
    yield BenchmarkRow(f"{title}, {shorter} to {longer} links", last, "operations", first, note=f"{first:g} below")
    for n in LENGTHS:
        model = chain(n)
        wall = seconds(lambda model=model: Telegin().inverse_dynamics(model), 3)  # type: ignore[misc]
        note = f"{1000 * wall / n:.3g} ms a link, {counts[n]} operations"
        yield BenchmarkRow(f"telegin, spatial: derive inverse dynamics of {n} links", wall, "s", note=note)
