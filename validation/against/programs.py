"""Check a model against what another program says of it: one more witness, with which every formalism is compared.

Generated equations, and numbers that it printed, row by row. A printed number may be anything that rounds to it. Of
states and parameters it is an uncertainty of the inputs, which running bounds carry into every result; of results it is
what they may differ by. The program's own rounding is not known, so the tolerance of scale stands for it. Where the
digits leave nothing to decide, nothing is checked.

Of equations, beside the canonical quantities, the motion of the bodies is compared, with validation's own kinematics:
positions, orientations, velocities, accelerations, Jacobians.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.coordinate import Parameter
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, ModelError, NumbersError, Severity, error
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import symbols
from mbconcord.model.features import FEATURES, features
from mbconcord.model.limits import count
from mbconcord.model.mixed import list_quantities
from mbconcord.model.omission import Omission, split_assumed
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.check import with_numbers
from mbconcord.validation.judge.evidence import Against, Comparison, Evidence
from mbconcord.validation.judge.states import complete_state, draw

from ..check import OF_THE_TREE, of_zeros
from ..explain.printed import Agrees, why_not_printed
from ..explain.programs import why_not_generated
from ..explain.terms import in_terms
from ..judge.agreement import compare
from ..judge.bounds import PARTS, ROWS, BoundedEquations
from ..judge.comparison import ArrayDifference, excess
from ..judge.evidence import WitnessRecord
from ..judge.matching import short_list
from ..judge.solutions import bounded_motion
from ..judge.tolerances import USELESS
from ..judge.trial import Trial, plausible, require_size, trial
from ..judge.witness import Answer
from ..witnesses.printed.columns import Columns, map_columns
from ..witnesses.printed.reader import Column, PrintedCell, PrintedTable
from ..witnesses.printed.table import TABLE, Printed, PrintedStates, printed_states
from ..witnesses.um.bodies import told_bodies
from ..witnesses.um.comparisons import comparisons
from ..witnesses.um.joint_loads import unseen_loads
from ..witnesses.um.matched import Matched, MatchedSides
from ..witnesses.um.pairing import by_order, note_unknown_order

#: Kinds of elements that act between bodies, by forces and moments on them.
LOADS = frozenset({"contact", "bushing", "linear-element", "magnetic-force", "special-force"})


def check_against(
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
    """Compare a model with equations that another program generated for it.

    Parameters
    ----------
    system : System
    equations : of the other program
    file : name of the model for the report
    formalisms : names (or instances) to ask; None: all
    states, seed : number of random states, and their seed
    given : states to use instead
    coordinates : number of a generated coordinate -> ±coordinate of the model + constant; None: by order, or by the
        numbers if that does not fit and the model is not of the same program; such a search is part of the verdict
    bodies : number of a generated body (``print``: that of a print) -> body of the model; None: by order, or by the
        motion if that does not fit
    physics : treatment of impossible masses and inertias: ``error``, ``warn`` or ``ignore``

    Raises
    ------
    ModelError
        The numbers of coordinates differ, a body is physically impossible, or the model has features outside the
        kinematics of a tree.
    NumbersError
        A state has an unknown name, or some value is no number.
    """
    require_size(system, states if given is None else 1)
    _require_fitting(system, equations)
    asked = tuple(registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names())
    told = told_bodies(bodies or {}, equations, system)

    def evidence(system: System) -> Evidence:
        """Return evidence about the model with the values that its parameters have, drawn where they have none."""
        whole, notes = _with_identifiers(_tree(system), equations)
        drawn = draw(whole, states if given is None else 0, seed)
        chosen = drawn.states if given is None else tuple(complete_state(whole, s, seed) for s in given)
        warned = plausible(drawn.system, chosen, physics)
        at = with_numbers(drawn.system, chosen)
        sides = MatchedSides(drawn.system, equations, at, asked, seed, told)
        matched = sides.pair(coordinates)
        found = (*in_terms(comparisons(matched), drawn.system, equations.used_identifiers), *_loops(system, equations))
        if not found:
            reason = "the equations deliver nothing that could be compared"
            found = (Comparison(equations.program, "", "M", "not checked", explanation=reason),)
        pairing, loads = matched.pairing, _find_loads(drawn.system, matched, found)
        about = Against(
            f"{equations.program}:{equations.source}", equations.program, pairing.by,
            tuple((p.number + 1, str(p.formula)) for p in pairing.pairs),
            tuple((number, name) for number, name in matched.bodies.names.items() if name),
            " and ".join(filter(None, (pairing.describe_search(system), matched.bodies.words))), through_loads=loads,
        )  # fmt: skip
        notes = [
            *warned,
            *drawn.diagnostics,
            *equations.diagnostics,
            *notes,
            *note_unknown_order(system, equations),
            _describe_matching(matched),
        ]
        notes += (*matched.bodies.notes, *why_not_generated(matched, found))
        own = tuple(o for o in drawn.system.omissions if o not in loads)
        notes += _note_loads(drawn.system, equations, loads)
        left_out = (*own, *equations.omissions, *unseen_loads(matched))
        covered = replace(drawn.system, omissions=left_out)
        return Evidence(file, covered, seed, chosen, matched.trial.witnesses, found, tuple(notes), about)

    found, loose = evidence(system), _loosen(system, equations)
    if given is not None or found.verdict == "disagrees" or loose is system:
        return found
    return _with_other_values(found, evidence, loose)


def _find_loads(system: System, matched: Matched, found: Sequence[Comparison]) -> tuple[Omission, ...]:
    """Find elements between bodies that the model leaves out, and that can only be loads on bodies in the equations.

    The equations are read whole, their procedures of forces are empty, and any load on these bodies enters them right:
    whatever the kernel makes of such an element, nothing else of the equations depends on it.
    """
    compared = [c for c in found if c.quantity == "body_loads"]
    if matched.sides.equations.doubt_of_loads or not compared or any(c.verdict != "agrees" for c in compared):
        return ()
    bodies = {name for name in matched.bodies.names.values() if name}
    return tuple(
        o for o in system.omissions if o.kind in LOADS and o.effect == "forces" and o.bodies and {*o.bodies} <= bodies
    )


def _note_loads(system: System, equations: GeneratedEquations, loads: Sequence[Omission]) -> Iterator[Diagnostic]:
    """Name the elements whose laws are not compared, or say why they are left out of the verdict."""
    place = f"{equations.program}/loads"
    if loads:
        names = short_list([o.place for o in loads])
        message = f"laws not compared, the equations have none: {names} (procedures of forces are empty, loads agree)"
        yield Diagnostic("note", place, message)
    elif equations.doubt_of_loads and any(o.kind in LOADS and o.acts for o in system.omissions):
        yield Diagnostic("note", place, f"contacts and other elements are left out: {equations.doubt_of_loads}")


def _loosen(system: System, equations: GeneratedEquations) -> System:
    """Remove the values of parameters that the generated equations know by name."""

    def loose(p: Parameter) -> bool:
        return p.value is not None and p.value.constant and p.name in equations.identifiers

    if not any(map(loose, system.parameters)):
        return system
    return replace(system, parameters=tuple(Parameter(p.name) if loose(p) else p for p in system.parameters))


def _with_other_values(
    evidence: Evidence, check: Callable[[System], Evidence], loose: System
) -> Evidence:  # fmt: skip
    """Return the evidence, or that at random values of the identifiers if it differs.

    If parameters are zero or equal (m1 = m2 = 1), formulas that confuse them agree at the model's values.
    """
    place = f"{evidence.against.witness if evidence.against else ''}/identifiers"
    try:
        other = check(loose)
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
                "coordinates", f"generated equations have {count(equations.count, 'coordinate')}, the model has {n}",
                "give the model that the equations were generated from",
            )
        )  # fmt: skip
    used = [int(name[2:]) for name in symbols(equations.expressions()) if name.startswith("_x") and name[2:].isdigit()]
    if equations.count is None and max(used, default=0) > n:
        findings.append(
            error("coordinates", f"the print uses coordinate {max(used)}, the model has {n}", "give its model")
        )
    taken = {*system.coordinate_names, "t"}
    for name in equations.used_identifiers:
        if name in taken:
            message = "the generated equations have an identifier of this name"
            findings.append(error(f"coordinates/{name}", message, "rename the coordinate in the model"))
    for feature, place in features(system):
        if feature in ("bushings", "torsions", "elastic_modes", "motion_drives", "flywheels", "added_inertia"):
            remedy = "read the model without --assume" if split_assumed(system.omissions)[1] else ""
            findings.append(error(place, f"generated equations of a tree do not hold {FEATURES[feature]}", remedy))
    if findings:
        raise ModelError(findings)


def _loops(system: System, equations: GeneratedEquations) -> Iterator[Comparison]:
    """Report that closed loops are not compared: the model's, and those that the other program has or may have."""
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
    """Return the open tree, with the masses of rods on the bodies that they join."""
    return replace(system.lump_masses(), constraints=()) if system.constraints else system


def _with_identifiers(system: System, equations: GeneratedEquations) -> tuple[System, list[Diagnostic]]:
    """Add a parameter for every identifier of the formulas that the model does not know."""
    known = {p.name for p in system.parameters}
    absent = [name for name in equations.used_identifiers if name not in known]
    if not absent:
        return system, []
    note = Diagnostic(
        "warning", f"{equations.program}/identifiers",
        f"not in the model, values are drawn: {', '.join(absent)}",
    )  # fmt: skip
    return replace(system, parameters=(*system.parameters, *map(Parameter, absent))), [note]


def _describe_matching(matched: Matched) -> Diagnostic:
    """Describe the matching of coordinates; warn if it was guessed, or if a model of the program's own is turned."""
    pairing, sides = matched.pairing, matched.sides
    program = sides.equations.program
    by = {"order": "by order", "the numbers": "by the numbers", "the command": "as given"}[pairing.by]
    turned = [p.coordinate for p in pairing.pairs if p.sign < 0]
    message = f"matched {by}: {pairing}" + (f"; reversed: {', '.join(turned)}" if turned else "")
    severity: Severity = "note"
    remedy = ""
    if pairing.describe_search(sides.system):
        severity, remedy = "warning", f"where this is meant: --map coordinates:{pairing.setting}"
    elif sides.same_program and pairing.by == "order":
        message += f"; no other order or sense is searched: the model came from {program} too"
    elif sides.same_program and pairing != by_order(sides.system, len(pairing.pairs), pairing.by):
        message += f"; the model came from {program} with another order or sense: its states are no states of these"
        severity = "warning"
    return Diagnostic(severity, f"{program}/coordinates", message, remedy)


ACCELERATION = "acceleration"


@np.errstate(all="ignore")
def against_table(
    system: System,
    table: PrintedTable,
    file: str = "-",
    formalisms: Sequence[str | Formalism] | None = None,
    physics: Policy = "error",
    why: bool = True,
) -> Evidence:
    """Compare a model with a table of numbers that another program printed for it; explain differences.

    ``why`` off: skip the search for causes.

    Raises
    ------
    ReadError
        Columns or states that the model does not have, with line and column of the table.
    ModelError, NumbersError
        As for :func:`mbconcord.validation.check.check`.
    """
    witnesses = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names()]
    evidence, wrong = _compare(system, table, file, witnesses, physics)
    if not (wrong and why):
        return evidence
    answer = why_not_printed(system, table, wrong, _by_one(evidence, witnesses))
    return replace(evidence, diagnostics=(*evidence.diagnostics, Diagnostic("note", f"{TABLE}/why", str(answer))))


def _by_one(evidence: Evidence, witnesses: Sequence[Formalism]) -> Agrees:
    """Judge a change by one formalism: everything that was compared agrees.

    Quantities with digits too coarse to show anything but a larger difference are excluded.
    """
    told = {c.quantity for c in evidence.comparisons if c.verdict != "not checked"}
    coarse = {c.quantity for c in evidence.comparisons if (c.tolerance or 0.0) > USELESS}
    spoke = {c.b for c in evidence.comparisons if c.quantity in QUANTITIES and c.quantity in told}
    who = [w for w in witnesses if w.name in spoke][:1]

    def agrees(system: System, table: PrintedTable) -> bool:
        try:
            found, _ = _compare(system, table, evidence.file, who, "ignore")
        except MbconcordError:
            return False
        equal = {c.quantity for c in found.comparisons if c.verdict == "agrees"}
        apart = {c.quantity for c in found.comparisons if c.verdict == "disagrees"}
        return bool(equal) and not apart and told <= equal | coarse

    return agrees


def _compare(
    system: System, table: PrintedTable, file: str, witnesses: Sequence[Formalism], physics: Policy
) -> tuple[Evidence, tuple[PrintedCell, ...]]:  # fmt: skip
    """Return the evidence, and the cells that their digits do not explain."""
    require_size(system, table.count)
    columns = map_columns(table, system)
    found = printed_states(system, table, columns)
    warned = plausible(system, found.states, physics)
    closed = system if system.constraints else None
    tree = system.open_loops() if closed else system
    canonical = any(q in columns.canonical for q in QUANTITIES)
    at = with_numbers(tree, found.states)
    made = trial(tree, at, witnesses if canonical else (), count=True, given=found.inputs, closed=closed)
    judge = _ProgramJudge(system, table, columns, found, made)
    comparisons = tuple(judge.comparisons())
    witness = WitnessRecord(TABLE, f"numbers of {table.file}", f"{count(table.count, 'row')}")
    notes = [*warned, *judge.notes(), *_left_open(comparisons), *of_zeros(comparisons)]
    evidence = Evidence(
        file, system, 0, tuple(found.states), (witness, *made.witnesses), comparisons, tuple(notes),
        Against(f"{TABLE}:{table.file}", TABLE, "name", (), ()),
    )  # fmt: skip
    return evidence, tuple(judge.wrong.values())


def _left_open(comparisons: Sequence[Comparison]) -> Iterator[Diagnostic]:
    """Warn of quantities that agree but could not be compared at some states."""
    told = {c.quantity: c.explanation for c in comparisons if c.verdict == "agrees" and c.explanation}
    for quantity, words in told.items():
        yield Diagnostic("warning", TABLE, f"{quantity}: {words}")


class _ProgramJudge:
    """The numbers of a table and those of the witnesses at the same states."""

    def __init__(self, system: System, table: PrintedTable, columns: Columns, at: PrintedStates, made: Trial) -> None:
        self.system, self.table, self.columns, self.at, self.made = system, table, columns, at, made
        #: Cells that their digits do not explain.
        self.wrong: dict[tuple[str, int], PrintedCell] = {}

    def comparisons(self) -> Iterator[Comparison]:
        """Compare the table with every formalism, and with validation's own kinematics."""
        yield from self.made.failures()
        witness = Printed(self.columns)
        table, expected = witness.answer(self.made), witness.expect_motions(self.made)
        found = [x for e in self._evaluations() for x in compare(table, Answer(e), self.made)]
        for quantity in QUANTITIES:
            own = [x for x in found if x[0].quantity == quantity]
            if own:
                yield from (self._judge(c, d, witness.find_columns(quantity), table.entries[quantity]) for c, d in own)
            elif quantity in self.columns.canonical:
                reason = "no formalism that takes the model delivers it with bounds"
                yield Comparison(TABLE, "", quantity, "not checked", explanation=reason)
        for c, d in compare(table, expected, self.made):
            yield self._judge(c, d, witness.find_columns(c.quantity), table.beside[c.quantity].labels)

    def notes(self) -> Iterator[Diagnostic]:
        """Note the quantities missing from the table, and the limits of few rows."""
        if self.system.constraints:
            yield OF_THE_TREE
        told = [*self.columns.canonical, *self.columns.motions, *(["force"] if self.columns.forces else [])]
        silent = ", ".join(q for q in list_quantities(self.system) if q not in told)
        message = f"{count(self.table.count, 'row')} with {', '.join(told)}" + (
            f"; nothing of {silent}" if silent else ""
        )
        yield Diagnostic("note", TABLE, message)
        if self.table.count == 1:
            remedy = "give rows at other states, with rates that are not zero"
            place = Location(self.table.file, self.table.lines[0], 1)
            message = "one row is one state: terms that vanish or cancel there are not seen"
            yield Diagnostic("warning", TABLE, message, remedy, place)

    def _evaluations(self) -> Iterator[Evaluation]:
        """Yield the evaluations of the formalisms; for a model with constraints, with constrained accelerations."""
        yield from self.made.evaluations.values()
        wanted = self.system.constraints and ACCELERATION in self.columns.canonical
        for formalism in self.made.formalisms if wanted else ():
            if formalism.constraint_obstacles(self.system):
                continue
            derivation = formalism.derive_closed(self.system)
            if derivation is None:
                continue
            q = BoundedEquations(derivation).evaluate(self.at.inputs)
            if all(name in q for name in (*PARTS, *ROWS)):
                motion = bounded_motion(q).acceleration
                yield Evaluation(formalism.name, {ACCELERATION: motion.values}, (), {ACCELERATION: motion.bounds})

    def _judge(
        self, c: Comparison, difference: ArrayDifference, columns: Sequence[Column], labels: Sequence[str]
    ) -> Comparison:
        """Judge the worst entry, with its row and column in the table."""
        if c.verdict == "not checked" and c.entry:
            text = f"{c.explanation}; column {c.entry[0]}: the digits that were printed leave nothing to compare"
            return replace(c, explanation=text)
        if c.verdict != "disagrees" or not c.entry or c.state is None:
            return c
        row = next(i for i, state in enumerate(self.at.states) if state is c.state)
        column = columns[list(labels).index(c.entry[0])]
        head, line = column.heading, self.table.lines[row]
        cells = excess(difference) > 1.0
        for i, k in np.argwhere(cells).tolist():
            self.wrong.setdefault((columns[k].heading.key, i), PrintedCell(columns[k], i))
        beyond = int(np.sum(np.any(cells, axis=1)))
        said = (
            f"row {row + 1} ({self.table.file}:{line}), column {head.text}: {column.texts[row]} {head.unit.text}, "
            f"printed to ±{column.room[row] / head.unit.factor:.1g}; beyond what the digits explain in {beyond} of "
            f"{count(self.table.count, 'row')}"
        )
        return replace(c, explanation=". ".join(filter(None, (said, c.explanation))))
