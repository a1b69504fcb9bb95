"""Table of all numbers that commands print and functions return: their assumptions, and the witnesses of each.

The page tests/laboratory/numbers.md is made from these rows (``python -m laboratory.evidence``), commands print the
assumptions at the heads of their tables, and a test runs every command: it fails if a printed field has no row, or
if the head does not state the assumption of a field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

from mbconcord.records import dataclass

NOT_CHECKED: Final = "not checked"
#: So many unchecked numbers are named in a head; JSON names all.
NAMED: Final = 16
INPUTS: Final = "inputs, as they were read; `check` reads the text a second time"
#: The assumption of what is no quantity of mechanics: inputs, counts, words, differences of two witnesses.
NOTHING: Final = "–"
#: What witnesses share: those of :mod:`mbconcord.validation.witnesses` by name, others in words.
DIRECT, BODIES, FORMALISM, SECOND = "direct", "bodies", "formalisms", "second reading"


@dataclass(frozen=True)
class WitnessedNumber:
    """Row of the table: numbers of some commands, or functions of the same name, and the witness that confirms them.

    Attributes
    ----------
    verbs : names of commands and functions, separated by blanks; ``*`` for all
    fields : names of fields in JSON, heads of tables and attributes of results, separated by ``|``; ``*`` is any
        text, ``[]`` for the elements of an array
    assumes : sentence on the motion, the frame and the branch for which the numbers hold; or :data:`NOTHING`
    witness : description of the witness and its method; :data:`NOT_CHECKED` if there is no witness
    by : names of the witness in the registry, which gives what it shares with the number
    shares : other parts that the witness shares with the number
    cost : CPU time of the witness on UR5 or a slider-crank, if it was measured
    """

    verbs: str
    fields: str
    assumes: str
    witness: str
    by: tuple[str, ...] = ()
    shares: str = ""
    cost: str = ""

    def names(self, verb: str, field: str) -> bool:
        """Return True if this row is about the field of the command ``verb``."""
        if verb not in self.verbs.split() and self.verbs != "*":
            return False
        return bool(_compile(self.fields).fullmatch(field))


@cache
def _compile(fields: str) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(each.strip()).replace(r"\*", ".*") for each in fields.split(" | ")))


COMPARISONS: Final = (
    "*pairs[].* | *witnesses[].* | *comparisons[].* | *largest.* | closest | discrepancy | tolerance | noticed from"
)
#: A field that every command asks about beside those of its numbers, of a model with constraints.
CONSTRAINTS: Final = "with constraints"
#: The same of efforts that are sought elsewhere than at what is driven.
ACTUATED: Final = "with --actuated"
#: The same of a motion that is given along coordinates which have drives of their own.
DRIVEN: Final = "with accelerations of what is driven"
#: Assumptions of several rows.
STATES: Final = "Differences are the largest over all states, which the seed draws or which are given."
WITHOUT: Final = (
    "M, h, generalized forces and inverse dynamics are without constraints; accelerations and reactions are with them."
)
FUNCTIONS: Final = "Equations are functions of t, q, q', q'' and the parameters, along the model's coordinates."
#: A field of what is printed or written of quantities in speeds.
SPEEDS: Final = "quantities in speeds"
ALONG_SPEEDS: Final = "Quantities in speeds are functions of t, q, q', q'' and the parameters, along the speeds."
STANDING: Final = (
    "Mass centres, plumb points and margins are of the machine at rest under its weight alone, in the hull's frame."
)
WORK: Final = "Work is what H gains from the first row on (T + Pi where time prescribes nothing); power is its rate."
MULTIPLIERS: Final = "Multipliers lambda act along their rows as the model writes them; reactions are D^T lambda."
LINEAR: Final = (
    "matrices.* | modes[].* | shapes* | multipliers.* | unbalanced | moved* | made_of | left | stiffness* | M | "
    "circulatory | damping | gyroscopic | geometric | mode | kind | rad/s | Hz | 1/s | lambda | position | row | A | "
    "B | C | K | B_x | q | inputs_to_state | acceleration | multipliers | shift | size | linear * | M times linear A | "
    "* off the state | mode * | *of eigenvalues* | states that the modes have | independent | reactions | "
    "balance | forces left | made of | stability | unstable directions | eigenvalues* | e-fold s"
)
FRAMES: Final = "frames multiplied out, and every formalism that has motions of points"
ANOTHER: Final = (
    "another formalism in 50 digits, by the table below; gravity, applied forces and h of each by the model's fields; "
    "the printed text read back"
)
ROWS: Final = (
    WitnessedNumber("*", COMPARISONS, NOTHING, "mutants of the judges, planted differences (`make mutants`)",
                    shares="–"),
    WitnessedNumber("*", "*seconds | evaluations | *steps | seed | *rows | operations.* | "
                    "formalisms[].operations.* | *.reached | reached | states | *.states | *closed_states | frames | "
                    "count", NOTHING, "counts of work and rows, no quantities of the model"),
    WitnessedNumber("*", "t | *.t | q | q[] | v | v[] | a | a[] | state.* | *.state.* | parameters.* | tolerance | "
                    "given.* | points[].* | position, m | rows[].value | rows[].state.*", NOTHING, INPUTS),
    WitnessedNumber("linearize equilibrium simulate evaluate assemble animate walk info derive",
                    "printed text | printed JSON | columns of the table | definitions | gravity and plots | "
                    "events | view and speed | head | options", NOTHING,
                    "texts, tables, JSON and pages read back, headings included; units, inputs and rest by their "
                    "definitions",
                    shares="the judged numbers"),
    WitnessedNumber("certify verify compare", "certificates[].* | system | written | bytes | verdict | said[]", NOTHING,
                    "verify_certificate.py derives the machine's equations from particles, in random prime fields",
                    shares="reader, model: the machine of the file"),
    WitnessedNumber("campaign", "models | verdicts.* | comparisons | bodies | closed | elastic | minute | "
                    "coordinates | s", NOTHING, "counts of rows that are kept, each of them a check",
                    shares="the rows"),
    WitnessedNumber("check compare convert", "quantity | exact | witnesses | verdict | proof | "
                    "largest difference | sensitivity | *.exact.* | exact.* | states[]*",
                    STATES, "words and proofs in prime fields; two fields and two seeds",
                    shares="arithmetic of fields"),
    WitnessedNumber("check", "reproduce | notes | defaults", NOTHING,
                    "the command parsed again by its own parser; findings sought in the text, Markdown and HTML",
                    shares="the evidence"),
    WitnessedNumber("check", "laws[].digits",
                    "Digits are those in which the one candidate law gives every printed number, their rounding "
                    "included.", "tables of closed forms, perturbed, and of foreign laws", shares="the probes"),
    WitnessedNumber("check compare convert evaluate", CONSTRAINTS, WITHOUT, "–", shares="–"),
    WitnessedNumber("compare", "alone | left after it | why.fields.rows[].alone | why.fields.rows[].left | "
                    "why.fields.before | why.fields.left",
                    "Effects are the largest differences at the drawn states, of scale.",
                    "the changes made once more, by the judge's comparison; text and JSON read back",
                    shares="the changes; groups of bodies"),
    WitnessedNumber("compare", "why.shares.* | why.fields.noise",
                    "Effects are the largest differences at the drawn states, of scale.", NOT_CHECKED),
    WitnessedNumber("compare", "A | B | models", "Effects are the largest differences at the drawn states, of scale.",
                    "groups of bodies of both models, which have the models' own numbers; text and JSON read back",
                    shares="groups of bodies"),
    WitnessedNumber("compare convert", "masses[].* | *.masses[].*",
                    "Masses and their centres are of the bodies that coordinates carry, in the fixed frame, at q = 0 "
                    "and t = 0.", "summed once more over the bodies' own frames", (DIRECT,)),
    WitnessedNumber("evaluate", "M | M[][] | h | h[] | gravity | gravity[] | applied | applied[] | inverse_dynamics | "
                    "inverse_dynamics[]",
                    "M, h, gravity, applied and inverse dynamics are at the state's t, q, q' and q'', along the "
                    "coordinates.", "the same from the model's fields", (DIRECT,), cost="0.02 s"),
    WitnessedNumber("evaluate", "acceleration | acceleration[] | effort | effort[]",
                    "Accelerations and efforts are of the motion that the line motion names, at the state.",
                    "put back into M a + h = gravity + applied + reactions + efforts", (DIRECT,), cost="0.02 s"),
    WitnessedNumber("evaluate", DRIVEN,
                    "Applied forces and inverse dynamics are without drives of what is given or held: effort has them.",
                    "put back as above", (DIRECT,)),
    WitnessedNumber("evaluate", ACTUATED, "The efforts of what --actuated names are among the applied forces, too.",
                    "put back as above", (DIRECT,)),
    WitnessedNumber("evaluate", "reactions | reactions[] | lambda | lambda[] | reactions_from_bodies*", MULTIPLIERS,
                    "put back as above; Dᵀ λ multiplied out", (DIRECT,), "the printed D"),
    WitnessedNumber("evaluate simulate", "*normal_force(*",
                    "Normal forces and accelerations are those that make each other; signs of rates are at the state.",
                    "every other formalism with the model's own reactions; across joints of trees, sums over bodies",
                    (FORMALISM, BODIES), "of rows the law, and how |a + B N| is solved"),
    WitnessedNumber("evaluate", "D | D[][] | constraints.rank | constraints.gap",
                    "D, rank and gap are at the printed state, on the constraints or off them, with a row for each "
                    "imposed drive.",
                    "validation's own rows: their space, singular values and gaps; D and rank on the constraints",
                    shares="the state; kinematics of validation; the factor of a row"),
    WitnessedNumber("evaluate", "constraints.distance | constraints.change | constraints.residual",
                    "D, rank and gap are at the printed state, on the constraints or off them, with a row for each "
                    "imposed drive.",
                    NOT_CHECKED),
    WitnessedNumber("evaluate simulate", "*pose(* | *position(* | *velocity(* | *jacobian(* | ex | ey | ez | r",
                    "Frames of bodies are seen from the fixed frame, along its axes or those of in=; J is velocity "
                    "over angular.", FRAMES, (DIRECT, FORMALISM)),
    WitnessedNumber("evaluate", "*acceleration(* | drift(*",
                    "Accelerations of frames are of the motion that the line motion names; drift is at q'' = 0.",
                    FRAMES, (DIRECT, FORMALISM)),
    WitnessedNumber("simulate", "*acceleration(* | *drift(*",
                    "Accelerations of frames are of the motion of the rows; drift is at q'' = 0.",
                    FRAMES + ", at five rows", (DIRECT, FORMALISM)),
    WitnessedNumber("evaluate simulate", "*center_of_mass* | *_momentum* | *kinetic_energy* | *potential_energy*",
                    "Momenta are about the fixed origin or what they name; potential energy is that of weights, zero "
                    "at the origin.",
                    "sums over the bodies, and every formalism that has motions of points", (DIRECT, FORMALISM)),
    WitnessedNumber("evaluate", "u | u[] | du_dv* | *_u | *_u[]*",
                    "Quantities in speeds are along the speeds, at the state's t, q, q' and q''; u' is of the motion.",
                    "motions of bodies against their carriers from the model's fields, Y inverted in numbers; of u, Y "
                    "and u' of bodies every formalism that has motions of points", (DIRECT, FORMALISM)),
    WitnessedNumber("evaluate", "dtau_d* | da_d*",
                    "Derivatives are partial: of tau at the q'' of the state (0 where it has none), of a as it is.",
                    "central differences of inverse dynamics, with constraints of another formalism's accelerations; "
                    "M da_dtau = 1", (DIRECT, FORMALISM), cost="0.03 s"),
    WitnessedNumber("evaluate", "regressor | regressor[][]",
                    "The regressor is at the q'' of the state (0 where it has none); parameters are about the bodies' "
                    "origins.",
                    "forces of bodies of which one parameter is 1", (BODIES,), cost="0.01 s"),
    WitnessedNumber("evaluate", "joint_forces* | cut_forces* | ground* | Fx | Fy | Fz | cut_joints*",
                    "Joint forces are what carriers exert on bodies in the motion that the line motion names.",
                    "sums over the bodies, and every formalism that has them", (BODIES, FORMALISM)),
    WitnessedNumber("evaluate", "joint_forces.* | Mx | My | Mz",
                    "Joint forces include drives; moments are about the bodies' origins, at cuts about the cuts.",
                    "sums over the bodies, and every formalism that has them; axes by poses", (BODIES, FORMALISM)),
    WitnessedNumber("evaluate", "joint_forces[].* | drives* | plane* | moment",
                    "Joint forces leave out drives and efforts; moments are about the normal at the origins.",
                    "sums over the bodies, and every formalism that has them", (BODIES, FORMALISM)),
    WitnessedNumber("walk", "*mass | *mass_centre[] | *plumb[] | centre * | *, m", STANDING, "sums over the bodies",
                    (DIRECT,), cost="0.01 s"),
    WitnessedNumber("walk", "*margin | margin, m", STANDING,
                    "the least reach of the feet over all directions; no polygon", (DIRECT,),
                    "numbers of the legs that stand"),
    WitnessedNumber("walk", "written moments", STANDING, "each line evaluated from its text; sums over the bodies",
                    (DIRECT,), "names of letters and vectors"),
    WitnessedNumber("walk", "*standing | *standing[]", NOTHING, "names of steps, cells of the gait, read once more",
                    shares="the file as text"),
    WitnessedNumber("walk", "*payload | payload, kg | *legs", NOTHING, INPUTS, shares="the file as text"),
    WitnessedNumber("simulate", "columns.* | q | v",
                    "Positions and rates are integrated from the first row on; with --motion they follow the table.",
                    "the last row: the same run with half the tolerance where cheap, and the growth of a neighbour's "
                    "distance; energies and equations at the others; rows within one step by their rates",
                    shares="everything but the steps",
                    cost="as many evaluations as the run, at most 10,000 by coordinates"),
    WitnessedNumber("simulate", "*'' | columns.*''[] | a", "Accelerations are of this motion at the rows.",
                    "M q'' + h - gravity - applied = Dᵀ λ at five rows; own rows D q'' + γ̃ = 0", (DIRECT,),
                    "Dᵀ of the integrated formalism", "0.04 s all of a run's"),
    WitnessedNumber("simulate", "lambda* | columns.lambda[* | multipliers", MULTIPLIERS,
                    "M q'' + h - gravity - applied = Dᵀ λ at five rows; own rows D q'' + γ̃ = 0", (DIRECT,),
                    "Dᵀ of the integrated formalism", "0.04 s all of a run's"),
    WitnessedNumber("simulate", "columns.effort[* | columns.lambda[drive* | effort *",
                    "Efforts are of this motion at the rows, along what is driven or what --actuated names.",
                    "M q'' + h - gravity - applied = Dᵀ λ at five rows; own rows D q'' + γ̃ = 0", (DIRECT,),
                    "Dᵀ of the integrated formalism", "0.04 s all of a run's"),
    WitnessedNumber("simulate", "columns.joint_forces[* | columns.cut_forces[* | columns.ground[*",
                    "Joint forces are about the bodies' origins, cut forces about the cuts, in bodies' axes; ground is "
                    "in fixed ones.",
                    "sums over the bodies at five rows", (BODIES,)),
    WitnessedNumber("simulate", "columns.kinetic[] | columns.potential[] | energy | kinetic | potential",
                    "Kinetic energy is in the fixed frame, potential energy is that of weights, zero at the fixed "
                    "origin.",
                    "sums over the bodies; the printed texts read back", (DIRECT,)),
    WitnessedNumber("simulate", "columns.work[] | columns.balance[] | balance | work", WORK,
                    "T + Π (H) against the integral of the power, within what the steps may err",
                    shares="derivation and code of H"),
    WitnessedNumber("simulate", "columns.lost in impacts[] | lost in impacts",
                    "Lost in impacts is what impulses of rigid contacts, ropes and stops took since the first row.",
                    "impulses times mean rates against the change of T, in the balance; positions by Moreau's time "
                    "stepping, a row of its own, of models without constraints, as far as its steps err",
                    (DIRECT,), cost="3,000 steps"),
    WitnessedNumber("simulate", "columns.power[] | power", WORK, "Q·q' - ∂L/∂t", (DIRECT,)),
    WitnessedNumber("simulate", "columns.position error[] | columns.rate error[] | position_error | rate_error",
                    "Errors of positions and rates are gaps of the constraints at the rows, as parts of what they are "
                    "made of.",
                    "gaps of validation's own rows at five rows", shares="states; kinematics of validation"),
    WitnessedNumber("ensemble", "t | q | v | difference | gap",
                    "Motions by steps of one length; the difference is that from half as many steps.",
                    "of three motions: rows by simulate at a tolerance of 1e-10, where the extra [sim] is; the "
                    "difference by the method's table; the gap from below, at the rows",
                    shares="derivation; rows of constraints", cost="three runs of simulate"),
    WitnessedNumber("simulate", "end.* | quartiles.* | difference | gap | least | mean | largest",
                    "Motions by steps of one length; the difference is that from half as many steps.",
                    "as of `ensemble`; least, mean, largest and quartiles by sorting and exact sums",
                    shares="derivation; rows of constraints", cost="three runs of simulate"),
    WitnessedNumber("simulate", "event",
                    "An event is when its formula, of a contact that of where it acts, changes its sign along the "
                    "computed motion.",
                    "signs of the formula around each row and between all rows; of rigid contacts none, but their "
                    "motion by time stepping", (DIRECT,)),
    WitnessedNumber("assemble", "*position | *moved* | *changed* | rate | *distance",
                    "Positions and rates are on the constraints, the nearest found to the start; given values stay "
                    "if they can.",
                    "differences to the start; least steps by own rows end no nearer", (DIRECT,),
                    "units of the coordinates; auxiliary coordinates", "0.1 s"),
    WitnessedNumber("assemble", "others*", "Other positions keep what is held; some may be of the same branch.",
                    "differences to the start", (DIRECT,), "units of the coordinates"),
    WitnessedNumber("assemble", "*rank | *gap | *rows",
                    "Rank and gap are of assemble's own rows, in which coordinates of cut joints are unknowns, too.",
                    "validation's own rows, singular values by what rows are made of; rows no fewer than "
                    "these have at the state, and no more than they are; as many aside of a regular one",
                    shares="the state; kinematics of validation"),
    WitnessedNumber("linearize", LINEAR,
                    "Matrices and modes are of small motions about the model's own state or that of --at, at the "
                    "printed t.",
                    ANOTHER, (FORMALISM,)),
    WitnessedNumber("linearize", "modes[].shares* | share of energy | mode *: shares of *",
                    "Shares are parts of a mode's kinetic energy along its shape: of coordinates, and of bodies with "
                    "flywheels and fluid.",
                    "M of another formalism; and what M of validation's kinematics gains where every rigid body is "
                    "heavier by another part",
                    (FORMALISM,), "shares among elastic bodies, but for their sum", "0.1 s"),
    WitnessedNumber("linearize", "neutral* | generator | A_rel | standing | monodromy of the steady motion | "
                    "steady motion elsewhere | motion along the generator | modes of A_rel",
                    "Stability is that of the steady motion, up to its neutral directions: of its orbit, not of where "
                    "it is on it.",
                    "variations of the motion, integrated and brought back by the symmetry, against exp(A_rel T); the "
                    "state elsewhere on its orbit, its symmetries found anew; A_rel by another formalism's graph",
                    (FORMALISM,), "the form of symmetries that are sought", "1.5 s of a bicycle"),
    WitnessedNumber("linearize", "periodic* | monodromy* | determinant of the monodromy | Floquet multipliers | "
                    "motion over the period | equations after the period",
                    "Stability is that of the periodic motion through the state; modes and matrices are of a moment.",
                    "variations by another formalism, extrapolated, and brought back along its own symmetries; exp of "
                    "the integral of tr A against the determinant; equations and the motion a period later",
                    (FORMALISM,), "the period, where the equations do not depend on time", "1 s"),
    WitnessedNumber("linearize", "crossings[].* | rows[].eigenvalues* | rows[].growing | rows[].family | crossing | "
                    "growing | families | largest 1/s | its rad/s | eigenvalues of the sweep",
                    "Each row is the steady motion near the one before, with its value and what --steady gives.",
                    "eigenvalues by another formalism at the first, middle and last row and at each crossing; the "
                    "printed text read back", (FORMALISM,), "states, symmetries, the root finder; other rows"),
    WitnessedNumber("linearize", "outputs* | output",
                    "C and D are those of y = C x + D u for small x and u, at the printed t.",
                    "motions of points by every other formalism that has them; the printed text read back",
                    (FORMALISM,), "small motions of the coordinates by x and u"),
    WitnessedNumber("equilibrium", LINEAR,
                    "Others may exist: the search from the start ends here; prescribed motions stand at --time, or go "
                    "on at constant rates.", ANOTHER, (FORMALISM,)),
    WitnessedNumber("equilibrium", "along.* | accelerations.* | residual | rate | * of the steady motion",
                    "The steady motion goes on along symmetries of the equations; others may have the same values.",
                    "accelerations of every formalism at the state against those of the symmetries, rates against "
                    "theirs; the printed text read back", (FORMALISM,), "the form of symmetries that are sought"),
    WitnessedNumber("equilibrium", "families", NOTHING, NOT_CHECKED),
    WitnessedNumber("linearize equilibrium", CONSTRAINTS,
                    "Small motions, their modes and stability are on the constraints, in the independent coordinates.",
                    ANOTHER, (FORMALISM,)),
    WitnessedNumber("linearize equilibrium animate", "mode_motion | npz | csv | scale | units", NOTHING, NOT_CHECKED),
    WitnessedNumber("animate simulate", "page",
                    "The page shows the given states as they are; coordinates without numbers stay where the "
                    "model begins.", "joints, axes, mass centres, loads, boxes and ends of lines at three "
                    "frames, decoded from the page", (DIRECT,), "that each end of a line is one of the known places",
                    "0.01 s"),
    WitnessedNumber("animate simulate", "what is between rows of a page",
                    "Between rows a page draws cubics through their positions and rates.", NOT_CHECKED),
    WitnessedNumber("info base_parameters", "*rank | *base* | parameters | *base_parameters.parameters",
                    "Base parameters are those of inverse dynamics over all motions.",
                    "regrouped columns, their rank and the equations at states of their own", (BODIES, DIRECT),
                    cost="0.04 s"),
    WitnessedNumber("info base_parameters", CONSTRAINTS,
                    "Base parameters are of the model without its constraints.", "–", shares="–"),
    WitnessedNumber("info", "bodies[].* | mass | inertia | initial | rate | value | run.* | simulate takes",
                    "Masses and inertias are the model's own, J of a body about its mass centre in the body's axes.",
                    NOT_CHECKED),
    WitnessedNumber("info", "freedom.*", "Degrees of freedom are those at drawn states on the constraints.",
                    NOT_CHECKED),
    WitnessedNumber("derive", "equations | text | python | c | json | latex | mathml", FUNCTIONS, "each formula "
                    "evaluated again from its text, against the interpreter", shares="expression graph"),
    WitnessedNumber("derive", "lists of papers in LaTeX and MathML", FUNCTIONS, NOT_CHECKED),
    WitnessedNumber("derive export", SPEEDS, ALONG_SPEEDS, "as what is along the coordinates", shares="–"),
    WitnessedNumber("derive compile export baseline", CONSTRAINTS,
                    "M, h and forces are without constraints; the equations of motion add D^T lambda to the forces.",
                    "–", shares="–"),
    WitnessedNumber("compile", "arrays | quantities", FUNCTIONS, "the interpreter at nine states, large angles and "
                    "denormals among them; 50 digits at one", shares="expression graph"),
    WitnessedNumber("compile export", "effort",
                    "Efforts are whole, of the motion with constraints at the accelerations a of what is actuated.",
                    "the interpreter at states on the constraints", shares="expression graph"),
    WitnessedNumber("compile export", "*_along",
                    "Changes are along dq, dv; those of accelerations and lambda are of the rows as they are written.",
                    "differences in 50 digits; of da, dlambda the interpreter, too", shares="expression graph"),
    WitnessedNumber("compile", "arrays of float32", FUNCTIONS, NOT_CHECKED),
    WitnessedNumber("export", "files", FUNCTIONS, "the self-test where its language is found, formulas over NumPy; "
                    "bounds by 50 digits", shares="expression graph"),
    WitnessedNumber("export", "fmu",
                    "The FMU is of t, q, q', parameters and, as inputs, efforts in addition to the model's forces.",
                    "its binary, called as importers call it, against 40 digits; names, units, starts, roles read back",
                    shares="expression graph"),
    WitnessedNumber("convert", "losses | text", NOTHING, "`--verify` alone: the original read a second time, the file "
                    "read back and compared", (SECOND,), "reader and writer of the format", "0.05 s"),
    WitnessedNumber("own", "M | forcing | findings",
                    "M and forcing are functions of t, the author's coordinates and speeds, as he derived them.",
                    "the source's own numbers at two states; `check` against a model", shares="SymPy's object"),
    WitnessedNumber("baseline", "residues | digits",
                    "Residues and digits are of the equations at points of the baseline's own.",
                    "every formalism has the same residues when they are saved", (FORMALISM,)),
)  # fmt: skip


VERBS: Final = frozenset(verb for row in ROWS for verb in row.verbs.split())


def find_rows(verb: str, field: str) -> Iterator[WitnessedNumber]:
    """Yield the rows of the table about a field of a command."""
    return (row for row in ROWS if row.names(verb, field))


def list_unchecked(verb: str, fields: Iterable[str], witnesses: bool = True) -> list[str]:
    """Return the fields without a witness; if not ``witnesses``, also all fields that hold under an assumption."""
    silent = {
        f: [row.witness == NOT_CHECKED or not (witnesses or row.assumes == NOTHING) for row in find_rows(verb, f)]
        for f in fields
        if f not in (CONSTRAINTS, ACTUATED, DRIVEN)
    }
    return [f for f, rows in silent.items() if all(rows)]


def list_fields(value: Any, path: str = "") -> Iterator[str]:
    """Yield the names of all numbers in JSON: ``matrices.M[][]``."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from list_fields(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from list_fields(inner, f"{path}[]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def list_assumptions(verb: str, fields: Iterable[str]) -> list[str]:
    """Return the assumptions under which these fields of a command hold, as sentences without repetition."""
    found = {row.assumes for name in fields for row in find_rows(verb, name)} - {NOTHING}
    return [sentence for sentence in dict.fromkeys(row.assumes for row in ROWS) if sentence in found]


def list_head(verb: str, fields: Iterable[str], judged: Iterable[Any] = (), witnesses: bool = True) -> list[str]:
    """Return the lines above the numbers of a command: their assumptions, and the names of unchecked ones with reasons.

    ``judged`` are the comparisons with witnesses; those that are not checked give the reasons.

    Raises
    ------
    ValueError
        The table has no row about this command.
    """
    if verb not in VERBS:
        raise ValueError(f"no row is about numbers of {verb!r}")
    fields = [f for f in dict.fromkeys(fields) if any(find_rows(verb, f))]
    paths = (re.sub(r"^columns\.|\[\].*", "", f) for f in list_unchecked(verb, fields, witnesses))
    names = list(dict.fromkeys(paths))
    named = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    reasons = (f"{c.quantity} ({c.explanation or 'no witness'})" for c in judged if c.verdict == NOT_CHECKED)
    said = "; ".join(dict.fromkeys((*filter(None, (named,)), *reasons)))
    return [*list_assumptions(verb, fields), *([f"{NOT_CHECKED}: {said}"] if said else [])]


def with_constraints(system: Any, *fields: str) -> list[str]:
    """Return these names of fields, followed by :data:`CONSTRAINTS` if the model has constraints."""
    return [*fields, *([CONSTRAINTS] if system.constraints else [])]


def with_evidence(verb: str, value: dict[str, Any], more: Iterable[str] = (), witnesses: bool = True) -> dict[str, Any]:
    """Return JSON of a command with its assumptions added, and the names of numbers without a witness.

    ``more`` are further fields with assumptions: quantities that the JSON has as texts, and :data:`CONSTRAINTS`.
    """
    fields = dict.fromkeys(list_fields(value))
    assumed, found = list_assumptions(verb, [*fields, *more]), list_unchecked(verb, fields, witnesses)
    return value | ({"assumes": assumed} if assumed else {}) | ({"not_checked": found} if found else {})
