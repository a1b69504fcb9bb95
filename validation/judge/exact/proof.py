"""Exact agreement of a trial's witnesses: whether each pair's equations are the same functions.

An exact difference is a disagreement, whatever floats say, unless the model's own numbers are rounded: then floats
decide.

Derivations use premises, that an axis is a unit vector or that the integrals of an elastic body belong to one body, in
different forms. If a model's rounded decimals violate a premise in their last digits, the equations are not identical
functions, which says nothing about the derivations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Final, Literal

from mbconcord.model.body import Body
from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.derivation import QUANTITIES, Derivation
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.elastic.modes import ElasticModes
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, vanish
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation
from mbconcord.records import dataclass, replace

from ..bounds import BoundedEquations
from ..evidence import CONSTRAINED, Comparison
from ..exactness import NOT_TRIED, Exactness
from ..referee import judge
from ..tolerances import REFEREE_DIGITS
from ..trial import Trial
from .equations import DRAWS, ExactEquations, exact_equations

if TYPE_CHECKING:
    from .closed import ClosedEquations

#: Whether exact agreement is looked at: where it costs no more than the budget, always, never.
Mode = Literal["auto", "on", "off"]
MODES: Final[tuple[Mode, ...]] = ("auto", "on", "off")
#: Operations in prime fields that ``auto`` allows: about a second.
BUDGET: Final = 1_000_000
SIZE: Final = Exactness(NOT_TRIED, "size")


@dataclass(frozen=True)
class ProofRequest:
    """Settings of a proof of exact agreement.

    ``seed`` of the random points. ``given``: the author's model, if functions without a formula were given a random
    one: then the proof holds for every function.
    """

    mode: Mode = "auto"
    seed: int = 0
    given: System | None = None


def require_mode(mode: str) -> None:
    """Raise :class:`MbconcordError` if there is no mode of this name."""
    if mode not in MODES:
        raise MbconcordError(error("exact", f"found {mode!r}", f"known: {', '.join(MODES)}"))


def operations(equations: Mapping[str, BoundedEquations]) -> int:
    """Count operations in prime fields: every step at every point, and an elimination."""
    n = len(next(iter(equations.values())).names)
    return DRAWS * (sum(each.size for each in equations.values()) + n**3 // 3)


def exactly(found: Sequence[Comparison], made: Trial, asked: ProofRequest) -> tuple[Comparison, ...]:
    """Return the comparisons; those of pairs of formalisms with the result of the proof, see :class:`Exactness`.

    The proof covers the canonical quantities, and constrained motions if the trial has some.
    """
    return _of_motions(_of_tree(found, made, asked), made, asked)


def _of_tree(found: Sequence[Comparison], made: Trial, asked: ProofRequest) -> tuple[Comparison, ...]:
    equations = made.equations

    def prove(names: Sequence[str]) -> ExactEquations:
        return exact_equations({name: equations[name] for name in names}, asked.seed, asked.given)

    def confirm(c: Comparison, x: Exactness) -> Exactness:
        derivations = {name: equations[name].derivation for name in (c.a, c.b)}
        return in_digits(derivations, replace(c, entry=x.entry), x)

    return _attach_proofs(found, QUANTITIES, equations, asked, prove, confirm)


def _of_motions(found: Sequence[Comparison], made: Trial, asked: ProofRequest) -> tuple[Comparison, ...]:
    equations = {name: own.equations for name, own in made.motions.items() if own.equations is not None}
    ranks = [rank for name in equations for rank in made.motions[name].solution.rank]
    freedom = len(made.names) - int(max(ranks, default=0))

    def prove(names: Sequence[str]) -> ClosedEquations | str:
        from .closed import closed_equations  # not before: most models have no constraints

        formalisms = [f for f in made.formalisms if f.name in names]
        return closed_equations(made.original, formalisms, freedom, asked.seed)

    return _attach_proofs(found, CONSTRAINED, equations, asked, prove)


def in_digits(derivations: Mapping[str, Derivation], c: Comparison, x: Exactness) -> Exactness:
    """Turn an undecided proof into "differs" if the two sides differ in 50 digits at the comparison's state."""
    if x.kind != UNDECIDED or judge(derivations, c).verdict != "derivations differ":
        return x
    return replace(x, kind=DIFFERS, reason=f"in {REFEREE_DIGITS} digits; {x.reason}")


def _attach_proofs(
    found: Sequence[Comparison],
    quantities: Sequence[str],
    equations: Mapping[str, BoundedEquations],
    asked: ProofRequest,
    proved: Callable[[Sequence[str]], ExactEquations | ClosedEquations | str],
    confirmed: Callable[[Comparison, Exactness], Exactness] = lambda c, x: x,
) -> tuple[Comparison, ...]:
    """Attach proofs to the comparisons of these quantities between formalisms that have equations."""
    pairs = [
        i for i, c in enumerate(found) if not c.claim and c.quantity in quantities and {c.a, c.b} <= equations.keys()
    ]
    if asked.mode == "off" or not pairs:
        return tuple(found)
    told: dict[int, Exactness] = {}
    why = ""
    sides: Callable[[str], str] = str
    if asked.mode == "auto" and operations(equations) > BUDGET:
        told = dict.fromkeys(pairs, SIZE)
    else:
        names = list(dict.fromkeys(name for i in pairs for name in (found[i].a, found[i].b)))
        known = proved(names)
        for i in pairs:
            c = found[i]
            x = Exactness(UNDECIDED, known) if isinstance(known, str) else known.compare(c.a, c.b, c.quantity)
            if x is not None:
                told[i] = x
        if not isinstance(known, str) and any(x.entry for x in told.values()):
            why, sides = approximate(known.system), known.sides
            told = {i: x if why or not x.entry else confirmed(found[i], x) for i, x in told.items()}
    return tuple(with_proof(c, told[i], sides, why) if i in told else c for i, c in enumerate(found))


def with_proof(c: Comparison, x: Exactness, sides: Callable[[str], str], why: str) -> Comparison:
    """Attach a proof to a comparison; ``why`` names a premise that the model violates: then "differs" means nothing."""
    if x.entry and why:
        return replace(c, exact=replace(x, kind=UNDECIDED, reason=why))
    if x.kind != DIFFERS or c.verdict == "disagrees":
        return replace(c, exact=x)
    text = f"proved to differ: {c.quantity}{x.where} of {c.a} and of {c.b} are different functions"
    said = filter(None, (f"{text} ({x.reason})" if x.reason else text, sides(c.quantity)))
    explanation = ". ".join(filter(None, ("; ".join(said), c.explanation)))
    return replace(c, exact=x, verdict="disagrees", explanation=explanation)


#: Place, what it is taken for, and what should be zero.
Premise = tuple[str, str, Expression]


def approximate(system: System) -> str:
    """Name the premise that the model satisfies only up to rounding; empty if there is none."""
    asked = [premise for premise in _premises(system) if premise[2]]
    for (place, said, _), found in zip(asked, vanish(x for _, _, x in asked), strict=True):
        if found.kind != IDENTICAL:
            return f"the model's numbers are rounded: {place}: {said} to rounding only"
    turned = (
        f"bodies/{body.name}/modes/nodes/{node.name}"
        for body in system.bodies
        for node in (body.modes.nodes if body.modes else ())
        if any(x for row in node.rotation for x in row)
    )
    place = next(turned, "")
    return f"{place}: its turn is a power series, which derivations break off after different terms" if place else ""


def _premises(system: System) -> Iterator[Premise]:
    for body in system.bodies:
        yield from _axes(f"bodies/{body.name}/joint", body.joint)
        for flywheel in body.flywheels:
            yield from _axes(f"bodies/{body.name}/flywheels/{flywheel.name}", flywheel.mounting)
        if body.modes is not None:
            yield from _elastic(f"bodies/{body.name}/modes", body, body.modes)
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            for side in (constraint.first, constraint.second):
                yield from _axes(f"constraints/{constraint.name}", side.transformations)


def _axes(place: str, steps: Sequence[ElementaryTransformation]) -> Iterator[Premise]:
    for step in steps:
        yield place, "an axis is a unit vector", sum((x * x for x in step.axis), -ONE)


def _elastic(place: str, body: Body, modes: ElasticModes) -> Iterator[Premise]:
    P = modes.second_moments
    count = len(P)
    for k, m in combinations_with_replacement(range(count), 2):
        said = f"P_{k}{m} is the transpose of P_{m}{k}"
        for i, j in product(range(3), repeat=2):
            yield f"{place}/second_moments", said, P[k][m][i][j] - P[m][k][j][i]
    for name, matrix in (("stiffness", modes.stiffness), ("damping", modes.damping)):
        for k, row in enumerate(matrix):
            for m in range(k):
                yield f"{place}/{name}", "it is symmetric", row[m] - matrix[m][k]
    own = P[0][0]
    sections = modes.section_inertia[0] if modes.section_inertia else ((ZERO,) * 3,) * 3
    xx, yy, zz, xy, xz, yz = body.inertia.tensor_about_origin()
    about = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    for i, j in product(range(3), repeat=2):
        whole = own[0][0] + own[1][1] + own[2][2] if i == j else ZERO
        said = "the body's tensor is tr(P_00) E - P_00 + I_s"
        yield f"{place}/second_moments", said, whole - own[i][j] + sections[i][j] - about[i][j]
