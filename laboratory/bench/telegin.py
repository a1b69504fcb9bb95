"""Telegin's forms: operations of each compared with the published table, and the cheapest form by task.

Chains of n = 1…8 links and a binary tree of seven; constants are folded, what is shared counts once. Forms
in absolute angles get θ, ω, ε, those in relative coordinates q, q', q''. All are compared with Lagrange and
Newton–Euler on random trees; the linear form goes to 1,000 links.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

from mbconcord.fixtures import folder
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.telegin import FORMS, Telegin
from mbconcord.formalisms.telegin.forms import rud
from mbconcord.formalisms.telegin.linkage import GROUND, LEAVES, Leaves, Linkage, PlanarBody, PlanarMotion, Topology
from mbconcord.formalisms.telegin.planarity import SPATIAL, equations
from mbconcord.model import Body, Coordinate, Gravity, Inertia, Parameter, System, rotation, shift
from mbconcord.model.expressions import ZERO, Expression, Operations, count_operations, rate, substitute, symbol
from mbconcord.model.expressions.traversal import topological
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
    """Yield operations of all forms, worst discrepancies by form, then operations and times of the linear form."""
    yield from count_rows()
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


Counter = Callable[[str, Leaves, Mapping[int, int]], Operations]

LINKS = range(1, 9)
CHAINS: dict[int, dict[int, int]] = {n: {k: k - 1 for k in range(1, n + 1)} for n in LINKS}
BINARY_TREE = {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 3}
#: The linkages that forms are recommended for.
PLACES = {**{f"chain of {n}": base for n, base in CHAINS.items()}, "binary tree of 7": BINARY_TREE}
#: Letters of the forms' coefficients of ε, ω², q'' and u.
COEFFICIENTS = ("Jc", "Js", "A", "a", "B", "b", "H", "h")


def count_rows() -> Iterator[BenchmarkRow]:
    """Compare operations with the table, then the recommendations."""
    published, counters = table(), {"inverse_dynamics": operations, "coefficients": coefficients}
    for leaves, (kind, count) in product(LEAVES, counters.items()):
        for form, limits in published[kind][leaves].items():
            for n, limit in zip(LINKS, limits, strict=True):
                claim = f"{kind.replace('_', ' ')}, {form}, {leaves}, chain of {n}"
                yield row(claim, count(form, leaves, CHAINS[n]), limit)
    for form, limit in published["tree"]["angles"].items():
        counted = operations(form, "angles", BINARY_TREE)
        yield row(f"inverse dynamics, {form}, angles, binary tree of 7", counted, limit)
    yield from recommendations()


def row(claim: str, counted: Operations, limit: str) -> BenchmarkRow:
    """Total all operations; the note lists them separately, ours and the published."""
    note = f"{format_operations(counted)} of {limit}"
    return BenchmarkRow(claim, counted.total, "operations", sum(parse(limit)), note=note)


def recommendations() -> Iterator[BenchmarkRow]:
    """Find the cheapest form for each task and each linkage; the note names it."""
    for task in tasks():
        for place, base in PLACES.items():
            form, leaves, counted = cheapest(task, base)
            note = f"{form} ({leaves}): {format_operations(counted)}"
            yield BenchmarkRow(f"cheapest form: {task}, {place}", counted.total, "operations", note=note)


def cheapest(task: str, base: Mapping[int, int], trig: int = 1) -> tuple[str, Leaves, Operations]:
    """Return the cheapest form, its leaves and its operations, if trigonometric functions cost ``trig`` others."""
    counter, forms = tasks()[task]
    counts = {(form, leaves): counter(form, leaves, base) for form in forms for leaves in LEAVES}
    form, leaves = min(counts, key=lambda c: counts[c].total + (trig - 1) * counts[c].trig)
    return form, leaves, counts[form, leaves]


def tasks() -> Mapping[str, tuple[Counter, tuple[str, ...]]]:
    """Return tasks, how their operations are counted, and their forms."""
    absolute = ("rud", "absolute", "absolute-sums", "absolute-recurrent")
    relative = ("relative", "relative-sums", "relative-recurrent")
    return {
        "inverse dynamics from absolute angles": (operations, absolute),
        "inverse dynamics from relative coordinates": (operations, ("rud, relative", "spatial", *relative)),
        "coefficients in absolute angles": (coefficients, absolute),
        "H and h in relative coordinates": (coefficients, relative),
        "H alone in relative coordinates": (coefficients, ("relative-sums, H", "relative-recurrent, H")),
    }


@cache
def table() -> Mapping[str, Any]:
    """Read the published counts: quantity -> leaves -> form -> ``mult/add/trig`` by number of links."""
    return tomllib.loads((folder("telegin") / "operation_counts.toml").read_text("utf-8"))


def parse(text: str) -> tuple[int, int, int]:
    """Parse multiplications, additions and trigonometric functions of ``20/11/4``."""
    mul, add, trig = map(int, text.split("/"))
    return mul, add, trig


def format_operations(counted: Operations) -> str:
    """Format ``20/11/4``."""
    return f"{counted.mul}/{counted.add}/{counted.trig}"


def operations(form: str, leaves: Leaves, base: Mapping[int, int]) -> Operations:
    """Count all M_k by a form; ``rud, relative`` is the form rud with θ, ω, ε summed from relative coordinates."""
    if form == "spatial":
        return count_folded(Telegin(form).inverse_dynamics(system(base)), parameters(base))
    p = linkage(base, leaves, form.startswith("relative") or form.endswith("relative"))
    made = rud.equations(p) if form == "rud, relative" else equations(form, p)
    return count_folded(made.drives.values(), parameters(base))


def coefficients(form: str, leaves: Leaves, base: Mapping[int, int]) -> Operations:
    """Count the coefficients of ε, ω² or of q'', u by a form; ``…, H``: those of q'' alone."""
    name, _, only = form.partition(", ")
    p = linkage(base, leaves, name.startswith("relative"))
    letters = (only,) if only else COEFFICIENTS
    made = equations(name, p).coefficients
    outputs = [value for letter in letters if letter in made for value in made[letter].values()]
    return count_folded(outputs, parameters(base))


def count_folded(outputs: Iterable[Expression], constants: frozenset[str]) -> Operations:
    """Count operations without those on constants alone, computed beforehand."""
    roots = list(outputs)
    fixed: dict[Expression, bool] = {}
    known: dict[Expression, Expression] = {}
    for node in topological(roots):
        if node.op == "sym":
            fixed[node] = node.data in constants
        else:
            fixed[node] = node.constant or (bool(node.args) and all(fixed[arg] for arg in node.args))
        if fixed[node] and node.args and not node.constant:
            known[node] = symbol(f"constant {len(known)}")
    return count_operations(substitute(roots, known))


def parameters(base: Mapping[int, int]) -> frozenset[str]:
    """Name the constants of the linkages and systems below."""
    return frozenset({"g", *(f"{letter}{k}" for letter in ("m", "md", "J", "Rx", "Ry") for k in base)})


def linkage(base: Mapping[int, int], leaves: Leaves, relative: bool) -> Linkage:
    """Build a linkage whose links have x along i (so s = m_d i), R in a general direction, and gravity along y."""
    t = Topology(base)
    bodies = {
        k: PlanarBody(symbol(f"m{k}"), (symbol(f"md{k}"), ZERO), symbol(f"J{k}"), (symbol(f"Rx{k}"), symbol(f"Ry{k}")))
        for k in t.links
    }
    given = [{k: rate(f"q{k}", order) if order else symbol(f"q{k}") for k in t.links} for order in range(3)]
    if relative:
        motion = PlanarMotion.relative(t, *given)
    else:
        none = dict.fromkeys(t.links, ZERO)
        theta, omega, epsilon = ({GROUND: ZERO, **values} for values in given)
        motion = PlanarMotion(theta, omega, epsilon, none, none)
    return Linkage(t, bodies, motion, (ZERO, symbol("g")), (), leaves)


def system(base: Mapping[int, int]) -> System:
    """Build the same system for the spatial form: own centres such that s of every augmented body is along x.

    All own masses are 1, so that s_y = -Σ m_j R_jy + Σ m_j R_jy vanishes exactly.
    """
    t = Topology(base)
    bodies = []
    for k in t.links:
        R = (symbol(f"Rx{k}"), symbol(f"Ry{k}"), ZERO) if base[k] != GROUND else (ZERO, ZERO, ZERO)
        aside = sum((-len(t.sub[j]) * symbol(f"Ry{j}") for j in t.children[k]), ZERO)
        inertia = Inertia(1, (symbol(f"md{k}"), aside, 0), (0, 0, symbol(f"J{k}")))  # type: ignore[arg-type]
        parent = f"b{base[k]}" if base[k] != GROUND else None
        bodies.append(Body(f"b{k}", parent, (*shift(R), rotation("z", f"q{k}")), inertia))
    constants = tuple(Parameter(name) for name in sorted(parameters(base)))
    down = Gravity(symbol("g"), (0, -1, 0))  # type: ignore[arg-type]
    return System("linkage", tuple(Coordinate(f"q{k}") for k in t.links), constants, (), down, tuple(bodies))
