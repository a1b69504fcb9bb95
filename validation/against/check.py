"""Check a model against generated equations: they are one more witness, and every formalism is compared with it.

Beside the canonical quantities the motion of the bodies is compared, with validation's own kinematics: positions,
orientations, velocities, accelerations, Jacobians.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Parameter
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.diagnostics import Diagnostic, ModelError, NumbersError, error
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.expressions import ZERO, Expression, rate, substitute, symbols
from mbconcord.model.features import FEATURES, features
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.check import refereed, with_numbers
from mbconcord.validation.judge.comparison import Difference, compare_evaluations, difference_of, worst
from mbconcord.validation.judge.evidence import Against, Comparison, Evidence
from mbconcord.validation.judge.states import complete_state, draw

from .body_formulas import entry as symbolic_entry
from .body_formulas import frame
from .explain import explained
from .load_entry import levers
from .matched import DELIVERED, Case, Matched
from .numbers import QUANTITIES
from .pairing import Pairing

#: Who stands for the model where the motion of its bodies is compared.
KINEMATICS = "kinematics"


def against(
    system: System,
    equations: GeneratedEquations,
    file: str = "-",
    formalisms: Sequence[str | Formalism] | None = None,
    states: int = 10,
    seed: int = 0,
    given: Sequence[State] | None = None,
    coordinates: Mapping[str, str] | None = None,
) -> Evidence:
    """Evidence about a model and equations that another program generated for it.

    Parameters
    ----------
    system : System
    equations : of the other program
    file : name of the model for the report
    formalisms : names (or instances) to ask; None: all
    states, seed : how many states are drawn, and from what
    given : states to use instead
    coordinates : number of a generated coordinate -> ±coordinate of the model + constant; None: by order, and by
        the numbers where that does not fit

    Raises
    ------
    ModelError
        The numbers of coordinates differ, a body is physically impossible, or the model uses what no kinematics
        of a tree knows.
    NumbersError
        A state names what the model does not have, or some value is no number.
    """
    if given is None and states < 1:
        raise NumbersError(error("states", f"{states} states were asked for", "ask for at least one"))
    _require_fitting(system, equations)
    asked = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names()]
    whole, notes = _with_identifiers(_tree(system), equations)
    drawn = draw(whole, states if given is None else 0, seed)
    chosen = drawn.states if given is None else tuple(complete_state(whole, s, seed) for s in given)
    at = with_numbers(drawn.system, chosen)
    matched = Case(drawn.system, equations, at, tuple(asked), seed).paired(coordinates)
    comparisons = (
        *_canonical(matched), *_motions(matched), *_levers(matched), *_not_delivered(matched),
        *_motions_not_delivered(matched),
    )  # fmt: skip
    comparisons = (*comparisons, *_loops(system, equations))
    if not comparisons:
        reason = "the equations deliver nothing that could be compared"
        comparisons = (Comparison(equations.program, "", "M", "not checked", explanation=reason),)
    pairing = matched.pairing
    about = Against(
        f"{equations.program}:{equations.source}", equations.program, pairing.by,
        tuple((p.number + 1, str(p.formula)) for p in pairing.pairs),
        tuple((number, name) for number, name in matched.bodies.names.items() if name),
    )  # fmt: skip
    notes = [*drawn.diagnostics, *equations.diagnostics, *notes, _said(pairing, equations.program, system)]
    notes += matched.bodies.notes
    evidence = Evidence(
        file, drawn.system, seed, chosen, matched.trial.witnesses, comparisons, tuple(notes), about
    )
    loose = _loosened(system, equations)
    if given is not None or evidence.verdict == "disagrees" or loose is system:
        return evidence
    return _with_other_values(
        evidence, lambda: against(loose, equations, file, formalisms, states, seed, None, coordinates)
    )


def _loosened(system: System, equations: GeneratedEquations) -> System:
    """The system without the numbers of its parameters that the generated equations know by name."""

    def loose(p: Parameter) -> bool:
        return p.value is not None and p.value.constant and p.name in equations.identifiers

    if not any(map(loose, system.parameters)):
        return system
    return replace(system, parameters=tuple(Parameter(p.name) if loose(p) else p for p in system.parameters))


def _with_other_values(evidence: Evidence, repeat: Callable[[], Evidence]) -> Evidence:
    """The evidence, or that at drawn values of the identifiers where it says otherwise.

    Where parameters are zero or equal (m1 = m2 = 1), formulas that take one for another agree at the model's values.
    """
    place = f"{evidence.against.witness if evidence.against else ''}/identifiers"
    try:
        other = repeat()
    except NumbersError:
        message = "no other values of the identifiers are physical: compared at the model's values only"
        return replace(evidence, diagnostics=(*evidence.diagnostics, Diagnostic("warning", place, message)))
    if any(c.verdict == "disagrees" and c.discrepancy is not None for c in other.comparisons):
        message = "equal at the model's values of the identifiers, not at the drawn ones shown here"
        return replace(other, diagnostics=(*other.diagnostics, Diagnostic("warning", place, message)))
    if other.verdict == evidence.verdict and other.against != evidence.against:
        return other  # equal values made another matching of the coordinates or bodies fit
    return evidence


def _require_fitting(system: System, equations: GeneratedEquations) -> None:
    """Raise :class:`ModelError` where the two cannot be of one machine, or the model is beyond comparison."""
    n, findings = len(system.coordinates), []
    if equations.count is not None and equations.count != n:
        findings.append(
            error(
                "coordinates", f"the generated equations have {equations.count} coordinates, the model has {n}",
                "give the model that the equations were generated from",
            )
        )  # fmt: skip
    used = [
        int(name[2:])
        for name in symbols(equations.expressions())
        if name.startswith("_x") and name[2:].isdigit()
    ]
    if equations.count is None and max(used, default=0) > n:
        findings.append(
            error(
                "coordinates", f"the print uses coordinate {max(used)}, the model has {n}", "give its model"
            )
        )
    taken = {*system.coordinate_names, "t"}
    for name in equations.used:
        if name in taken:
            message = "the generated equations have an identifier of this name"
            findings.append(error(f"coordinates/{name}", message, "rename the coordinate in the model"))
    for feature, place in features(system):
        if feature in ("elastic_modes", "motion_drives", "flywheels", "added_inertia"):
            findings.append(error(place, f"generated equations of a tree do not hold {FEATURES[feature]}"))
    if findings:
        raise ModelError(findings)


def _loops(system: System, equations: GeneratedEquations) -> Iterator[Comparison]:
    """Closed loops are not compared: neither the model's, nor those that the other program has or may have."""
    if system.constraints:
        closed = ", ".join(constraint.name for constraint in system.constraints)
        reason = f"only the equations of the tree are compared; left out: {closed}"
    elif equations.loops:
        reason = "the generated equations have closed loops, the model has none: only trees are compared"
    elif equations.loops is None:
        reason = "whether the generated equations have closed loops is not known: the procedure is missing"
    else:
        return
    yield Comparison(equations.program, "", "constraints", "not checked", explanation=reason)


def _tree(system: System) -> System:
    """The open tree, with the masses of rods on the bodies that they join."""
    return replace(system.lumped(), constraints=()) if system.constraints else system


def _with_identifiers(system: System, equations: GeneratedEquations) -> tuple[System, list[Diagnostic]]:
    """The system with a parameter for every identifier that the formulas use and the model does not know."""
    known = {p.name for p in system.parameters}
    absent = [name for name in equations.used if name not in known]
    if not absent:
        return system, []
    note = Diagnostic(
        "warning", f"{equations.program}/identifiers",
        f"not in the model, values are drawn: {', '.join(absent)}",
    )  # fmt: skip
    return replace(system, parameters=(*system.parameters, *map(Parameter, absent))), [note]


def _said(pairing: Pairing, program: str, system: System) -> Diagnostic:
    head = {
        "order": "matched by order", "the numbers": "matched by the numbers", "the command": "matched as given"
    }[pairing.by]  # fmt: skip
    turned = [p.coordinate for p in pairing.pairs if p.sign < 0]
    tail = f"; reversed: {', '.join(turned)}" if turned else ""
    if pairing.by == "the numbers" and f"{program}:coordinates" in system.metadata:
        tail += (
            f"; the model came from {program} with another order or sense: its states are no states of these"
        )
        return Diagnostic("warning", f"{program}/coordinates", f"{head}: {pairing}{tail}")
    return Diagnostic("note", f"{program}/coordinates", f"{head}: {pairing}{tail}")


def _canonical(matched: Matched) -> Iterator[Comparison]:
    """Mass matrix, forces and accelerations: the generated equations with every formalism."""
    made, names = matched.trial, matched.case.system.coordinate_names
    yield from made.failures()
    explained_already: set[str] = set()
    for own, other in matched.pairs:
        for c in compare_evaluations(own, other, made.scales, made.states, names):
            if c.quantity not in DELIVERED:
                continue
            if c.verdict == "disagrees" and c.discrepancy is not None:
                c = refereed(made, c)
                if c.verdict == "disagrees" and c.quantity not in explained_already:
                    c = _in_terms(matched, c, difference_of(own, other, c.quantity, made.scales))
                    if any(found.terms for found in c.terms):
                        explained_already.add(c.quantity)
            yield c


def _in_terms(matched: Matched, c: Comparison, difference: Difference) -> Comparison:
    system, derivations = matched.case.system, matched.trial.derivations
    names = system.coordinate_names
    entries = list(product(names, names)) if c.quantity == "M" else [(name,) for name in names]
    sides = [_by_entry(derivations[who], c.quantity, entries) for who in (c.a, c.b)]

    def formulas(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
        return sides[0].get(entry), sides[1].get(entry)

    return explained(c, difference, entries, formulas, system, matched.case.equations.used)


def _by_entry(
    derivation: Derivation, quantity: str, entries: Sequence[tuple[str, ...]]
) -> dict[tuple[str, ...], Expression]:
    """Formulas of a quantity; inverse dynamics of their parts where they are not delivered."""
    found = derivation.quantities
    if quantity in found:
        return dict(zip(entries, flatten(found[quantity]), strict=True))
    if quantity != "inverse_dynamics" or any(name not in found for name in ("M", "h", "gravity", "applied")):
        return {}
    a = [rate(name, 2) for name in derivation.system.coordinate_names]
    mass, parts = flatten(found["M"]), [flatten(found[name]) for name in ("h", "gravity", "applied")]
    inertia = [sum((next(mass) * x for x in a), ZERO) for _ in a]
    rows = (m + h - g - q for m, h, g, q in zip(inertia, *parts, strict=True))
    return dict(zip(entries, rows, strict=True))


def _motions(matched: Matched) -> Iterator[Comparison]:
    """Motion of the bodies: the generated equations with validation's kinematics."""
    system, states = matched.case.system, matched.case.states
    for quantity, (made, difference) in matched.motions.items():
        labels = [
            f"{body or 'fixed frame'} {label}" for body, label in zip(made.bodies, made.labels, strict=True)
        ]
        places: dict[tuple[str, ...], int] = {(label,): i for i, label in enumerate(labels)}

        def formulas(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
            i = places[entry]  # noqa: B023
            own = substitute([made.formulas[i]], matched.pairing.replacements)  # noqa: B023
            f = frame(system, made.bodies[i], matched.bodies.centred)  # noqa: B023
            return own[0], symbolic_entry(system, quantity, made.labels[i], f)  # noqa: B023

        c = worst(matched.generated.name, KINEMATICS, f"body_{quantity}", difference, states, labels)
        if c.verdict == "disagrees" and c.discrepancy is not None:
            c = explained(c, difference, list(places), formulas, system, matched.case.equations.used)
        yield c


def _levers(matched: Matched) -> Iterator[Comparison]:
    """How forces and moments on the bodies enter the force vector, whether the model has any or not."""
    case = matched.case
    found = levers(case.equations, case.kinematics, matched.bodies.names, matched.pairing, matched.values)
    if found is not None:
        labels, difference = found
        yield worst(matched.generated.name, KINEMATICS, "body_loads", difference, case.states, labels)


def _not_delivered(matched: Matched) -> Iterator[Comparison]:
    """Canonical quantities that a set lacks are not checked; a print never has them."""
    if matched.case.equations.count is not None:
        for quantity, reason in matched.generated.missing.items():
            yield Comparison(matched.generated.name, "", quantity, "not checked", explanation=reason)
    compared = {w for own, other in matched.pairs for w in (own.formalism, other.formalism)}
    if matched.case.equations.count is not None and not compared:
        yield Comparison(
            matched.generated.name, "", "M", "not checked", explanation="no formalism takes the model"
        )


def _motions_not_delivered(matched: Matched) -> Iterator[Comparison]:
    """Motion of bodies that a set does not tell is not checked; a print tells of one body only."""
    equations, system = matched.case.equations, matched.case.system
    if equations.count is None:
        return
    for quantity in QUANTITIES:
        absent = [
            name
            for number, name in matched.bodies.names.items()
            if name
            and (quantity != "jacobian" or any(body.coordinates for body in system.path(name)))
            and (quantity != "screws" or system.body(name).coordinates)
            and getattr(equations.bodies.get(number), quantity, None) is None
        ]
        if absent:
            reason = f"not delivered: {', '.join(absent)}"
            yield Comparison(equations.program, "", f"body_{quantity}", "not checked", explanation=reason)
    left = [str(number) for number in equations.bodies if number not in matched.bodies.names]
    if left:
        reason = f"the model has no body for number {', '.join(left)} of the equations"
        yield Comparison(equations.program, "", "body_position", "not checked", explanation=reason)
