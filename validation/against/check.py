"""Check a model against generated equations: they are one more witness, and every formalism is compared with it.

Beside the canonical quantities the motion of the bodies is compared, with validation's own kinematics: positions,
orientations, velocities, accelerations, Jacobians.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.coordinate import Parameter
from mbconcord.model.diagnostics import Diagnostic, ModelError, NumbersError, Severity, error
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.expressions import symbols
from mbconcord.model.features import FEATURES, features
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.check import with_numbers
from mbconcord.validation.judge.evidence import Against, Comparison, Evidence
from mbconcord.validation.judge.plausible import plausible
from mbconcord.validation.judge.size import require_size
from mbconcord.validation.judge.states import complete_state, draw

from .bodies import told_bodies
from .comparisons import comparisons
from .joint_loads import unseen_loads
from .matched import Matched, Sides
from .order import unordered
from .pairing import by_order
from .why import why_not_generated


def against(
    system: System,
    equations: GeneratedEquations,
    file: str = "-",
    formalisms: Sequence[str | Formalism] | None = None,
    states: int = 10,
    seed: int = 0,
    given: Sequence[State] | None = None,
    coordinates: Mapping[str, str] | None = None,
    bodies: Mapping[str, str] | None = None,
    physics: Policy = "error",
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
        the numbers where that does not fit and the model is not of the same program; what is found so is part of the
        verdict
    bodies : number of a generated body (``print``: that of a print) -> body of the model; None: by order, and by the
        motion where that does not fit
    physics : what is made of masses and inertias that no body has: ``error``, ``warn`` or ``ignore``

    Raises
    ------
    ModelError
        The numbers of coordinates differ, a body is physically impossible, or the model uses what no kinematics
        of a tree knows.
    NumbersError
        A state names what the model does not have, or some value is no number.
    """
    require_size(system, states if given is None else 1)
    _require_fitting(system, equations)
    asked = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names()]
    told = told_bodies(bodies or {}, equations, system)
    check = _Check(equations, file, tuple(asked), states, seed, given, coordinates, told, physics)
    evidence = check.evidence(system)
    loose = _loosened(system, equations)
    if given is not None or evidence.verdict == "disagrees" or loose is system:
        return evidence
    return _with_other_values(evidence, check, loose)


@dataclass(frozen=True)
class _Check:
    """What a model is checked against, and how: asked for the model's own parameters, then for drawn ones."""

    equations: GeneratedEquations
    file: str
    formalisms: tuple[Formalism, ...]
    count: int
    seed: int
    given: Sequence[State] | None
    coordinates: Mapping[str, str] | None
    bodies: Mapping[int, str]
    physics: Policy

    def evidence(self, system: System) -> Evidence:
        """Evidence about the model with the values that its parameters have, drawn where they have none."""
        equations, given, seed = self.equations, self.given, self.seed
        whole, notes = _with_identifiers(_tree(system), equations)
        drawn = draw(whole, self.count if given is None else 0, seed)
        chosen = drawn.states if given is None else tuple(complete_state(whole, s, seed) for s in given)
        warned = plausible(drawn.system, chosen, self.physics)
        at = with_numbers(drawn.system, chosen)
        sides = Sides(drawn.system, equations, at, self.formalisms, seed, self.bodies)
        matched = sides.paired(self.coordinates)
        found = (*comparisons(matched), *_loops(system, equations))
        if not found:
            reason = "the equations deliver nothing that could be compared"
            found = (Comparison(equations.program, "", "M", "not checked", explanation=reason),)
        pairing = matched.pairing
        about = Against(
            f"{equations.program}:{equations.source}", equations.program, pairing.by,
            tuple((p.number + 1, str(p.formula)) for p in pairing.pairs),
            tuple((number, name) for number, name in matched.bodies.names.items() if name),
            " and ".join(filter(None, (pairing.searched(system), matched.bodies.words))),
        )  # fmt: skip
        notes = [
            *warned,
            *drawn.diagnostics,
            *equations.diagnostics,
            *notes,
            *unordered(system, equations),
            _said(matched),
        ]
        notes += (*matched.bodies.notes, *why_not_generated(matched, found))
        left_out = (*drawn.system.omissions, *equations.omissions, *unseen_loads(matched))
        covered = replace(drawn.system, omissions=left_out)
        return Evidence(self.file, covered, seed, chosen, matched.trial.witnesses, found, tuple(notes), about)


def _loosened(system: System, equations: GeneratedEquations) -> System:
    """The system without the numbers of its parameters that the generated equations know by name."""

    def loose(p: Parameter) -> bool:
        return p.value is not None and p.value.constant and p.name in equations.identifiers

    if not any(map(loose, system.parameters)):
        return system
    return replace(system, parameters=tuple(Parameter(p.name) if loose(p) else p for p in system.parameters))


def _with_other_values(evidence: Evidence, check: _Check, loose: System) -> Evidence:
    """The evidence, or that at drawn values of the identifiers where it says otherwise.

    Where parameters are zero or equal (m1 = m2 = 1), formulas that take one for another agree at the model's values.
    """
    place = f"{evidence.against.witness if evidence.against else ''}/identifiers"
    try:
        other = check.evidence(loose)
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
        if feature in (
            "bushings",
            "torsions",
            "elastic_modes",
            "motion_drives",
            "flywheels",
            "added_inertia",
        ):
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


def _said(matched: Matched) -> Diagnostic:
    """How the coordinates were matched; a warning where nobody told it, or a model of the program's own is turned."""
    pairing, sides = matched.pairing, matched.sides
    program = sides.equations.program
    by = {"order": "by order", "the numbers": "by the numbers", "the command": "as given"}[pairing.by]
    turned = [p.coordinate for p in pairing.pairs if p.sign < 0]
    message = f"matched {by}: {pairing}" + (f"; reversed: {', '.join(turned)}" if turned else "")
    severity: Severity = "note"
    remedy = ""
    if pairing.searched(sides.system):
        severity, remedy = "warning", f"where this is meant: --coordinates {pairing.setting}"
    elif sides.same_program and pairing.by == "order":
        message += f"; no other order or sense is searched: the model came from {program} too"
    elif sides.same_program and pairing != by_order(sides.system, len(pairing.pairs), pairing.by):
        message += (
            f"; the model came from {program} with another order or sense: its states are no states of these"
        )
        severity = "warning"
    return Diagnostic(severity, f"{program}/coordinates", message, remedy)
