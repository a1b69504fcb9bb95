"""Every number that commands print and functions return: who witnesses it, what that shares with it, at what cost.

The table of docs/evidence.md is made of these rows (``python -m laboratory.evidence``), and a test runs every command
and fails where it prints a field that no row names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from mbconcord.records import dataclass

NOT_CHECKED: Final = "not checked"
#: What witnesses share: those of :mod:`mbconcord.validation.witnesses.registry` by name, others in words.
DIRECT, BODIES, FORMALISM, SECOND = "direct", "bodies", "formalisms", "second reading"


@dataclass(frozen=True)
class WitnessedNumber:
    """Numbers of some commands, or functions of the same name, and who witnesses them.

    Attributes
    ----------
    verbs : names of commands and functions, apart by blanks; ``*``: every one
    fields : names of fields in JSON, heads of tables and attributes of results, apart by ``|``; ``*`` stands for any
        text, ``[]`` for the elements of an array
    witness : who, and how; or that nobody does
    by : names of witnesses of the registry, whose ``shares`` are those of this row
    shares : what else the witness shares with the number
    cost : CPU time on UR5 or a slider-crank, where it was measured
    """

    verbs: str
    fields: str
    witness: str
    by: tuple[str, ...] = ()
    shares: str = ""
    cost: str = ""

    def names(self, verb: str, field: str) -> bool:
        """Tell whether this row is about a field of a command."""
        if verb not in self.verbs.split() and self.verbs != "*":
            return False
        patterns = (re.escape(each.strip()).replace(r"\*", ".*") for each in self.fields.split(" | "))
        return any(re.fullmatch(pattern, field) for pattern in patterns)


COMPARISONS: Final = (
    "*pairs[].* | *witnesses[].* | *comparisons[].* | *largest.* | closest | discrepancy | tolerance | noticed from"
)
ROWS: Final = (
    WitnessedNumber("*", COMPARISONS, "mutants of the judges, planted differences (`make mutants`)", shares="–"),
    WitnessedNumber("*", "*seconds | evaluations | *steps | seed | rows | operations.* | "
                    "formalisms[].operations.* | *.reached | reached | states | frames | count", NOT_CHECKED),
    WitnessedNumber("*", "t | *.t | q | q[] | v | v[] | a | a[] | state.* | *.state.* | parameters.* | tolerance | "
                    "given.*", "inputs, as they were read; `check` reads the text a second time"),
    WitnessedNumber("campaign", "models | verdicts.* | comparisons | bodies | closed | elastic | minute | "
                    "coordinates | s", "counts of rows that are kept, each of them a check", shares="the rows"),
    WitnessedNumber("check compare", "quantity | exact | witnesses | verdict | *.exact.* | exact.* | states[]*",
                    "words and proofs in prime fields; two fields and two seeds", shares="arithmetic of fields"),
    WitnessedNumber("compare convert", "masses[].* | *.masses[].*", NOT_CHECKED),
    WitnessedNumber("evaluate", "M | M[][] | h | h[] | gravity | gravity[] | applied | applied[] | inverse_dynamics | "
                    "inverse_dynamics[]", "the same from the model's fields", (DIRECT,), cost="0.02 s"),
    WitnessedNumber("evaluate", "acceleration | acceleration[] | effort | effort[]",
                    "put back into M a + h = gravity + applied + reactions + efforts", (DIRECT,), cost="0.02 s"),
    WitnessedNumber("evaluate", "reactions | reactions[] | lambda | lambda[] | reactions_from_bodies*",
                    "put back as above; Dᵀ λ multiplied out", (DIRECT,), "the printed D"),
    WitnessedNumber("evaluate", "D | D[][] | constraints.*", NOT_CHECKED),
    WitnessedNumber("evaluate", "dtau_d* | da_d*", "central differences of inverse dynamics; M da_dtau = 1", (DIRECT,),
                    cost="0.03 s"),
    WitnessedNumber("evaluate", "regressor | regressor[][]", "forces of bodies of which one parameter is 1", (BODIES,),
                    cost="0.01 s"),
    WitnessedNumber("evaluate check", "joint_forces* | cut_forces* | ground* | Fx | Fy | Fz | Mx | My | Mz | drives* | "
                    "joints* | forces*", "sums over the bodies, and every formalism that has them",
                    (BODIES, FORMALISM)),
    WitnessedNumber("walk", "*mass | *mass_centre[] | *plumb[] | centre * | *, m", "sums over the bodies", (DIRECT,),
                    cost="0.01 s"),
    WitnessedNumber("walk", "*margin | margin, m", "the least reach of the feet over all directions; no polygon",
                    (DIRECT,), "numbers of the legs that stand"),
    WitnessedNumber("walk", "*standing | *standing[]", "names of steps, cells of the gait, read once more",
                    shares="the file as text"),
    WitnessedNumber("walk", "*payload | payload, kg | *legs", NOT_CHECKED),
    WitnessedNumber("simulate", "*'' | columns.*''[] | a | lambda* | columns.lambda[* | multipliers | effort *",
                    "M q'' + h - gravity - applied = Dᵀ λ at five rows; own rows D q'' + γ̃ = 0", (DIRECT,),
                    "Dᵀ of the integrated formalism", "0.04 s all of a run's"),
    WitnessedNumber("simulate", "columns.joint_forces[* | columns.cut_forces[* | columns.ground[*",
                    "sums over the bodies at five rows", (BODIES,)),
    WitnessedNumber("simulate", "columns.kinetic[] | columns.potential[] | energy | kinetic | potential",
                    "sums over the bodies; the printed texts read back", (DIRECT,)),
    WitnessedNumber("simulate", "columns.work[] | columns.balance[] | balance | work",
                    "T + Π (H) against the integral of the power, within what the steps may err",
                    shares="derivation and code of H"),
    WitnessedNumber("simulate", "columns.power[] | power", "Q·q' - ∂L/∂t", (DIRECT,)),
    WitnessedNumber("simulate", "columns.position error[] | columns.rate error[] | position_error | rate_error",
                    "gaps of validation's own rows at five rows", shares="states; kinematics of validation"),
    WitnessedNumber("simulate", "event", "signs of the formula around each row and between all rows", (DIRECT,)),
    WitnessedNumber("simulate", "columns.* | q | v",
                    "the last row: the same run with half the tolerance where cheap, and the growth of a neighbour's "
                    "distance; energies and equations at the others", shares="everything but the steps",
                    cost="at most a fifth of the run"),
    WitnessedNumber("assemble", "*position | *moved* | *changed* | rate | *distance", "differences to the start",
                    (DIRECT,), "units of the coordinates", "0.01 s"),
    WitnessedNumber("assemble", "*rank | *gap", "validation's own rows, singular values by what rows are made of",
                    shares="the state; kinematics of validation"),
    WitnessedNumber("assemble", "*rows", NOT_CHECKED),
    WitnessedNumber("linearize equilibrium", "matrices.* | modes[].* | shapes* | multipliers.* | unbalanced | moved* | "
                    "made_of | left | stiffness* | M | circulatory | damping | gyroscopic | geometric | mode | kind | "
                    "rad/s | Hz | 1/s | lambda | position | row | A | B | C | K | B_x | q | "
                    "inputs_to_state | acceleration | multipliers | shift | size",
                    "another formalism in 50 digits, by the table below; the printed text read back", (FORMALISM,)),
    WitnessedNumber("linearize equilibrium", "mode_motion | npz | csv | scale | units", NOT_CHECKED),
    WitnessedNumber("animate simulate", "page", "joints, axes, mass centres, loads, boxes and ends of lines at three "
                    "frames, decoded from the page", (DIRECT,), "that each end of a line is one of the known places",
                    "0.01 s"),
    WitnessedNumber("info base_parameters", "*rank | *base* | parameters | *base_parameters.parameters",
                    "regrouped columns, their rank and the equations at states of their own", (BODIES, DIRECT),
                    cost="0.04 s"),
    WitnessedNumber("info", "bodies[].* | freedom.* | mass | inertia | initial | rate | value", NOT_CHECKED),
    WitnessedNumber("derive", "text | python | c | json", "each formula evaluated again from its text, against the "
                    "interpreter", shares="expression graph"),
    WitnessedNumber("derive", "latex | mathml | closed form | equations", NOT_CHECKED),
    WitnessedNumber("compile", "arrays | quantities", "the interpreter at nine states, large angles and denormals "
                    "among them", shares="expression graph"),
    WitnessedNumber("compile", "arrays of float32", NOT_CHECKED),
    WitnessedNumber("export", "files", "the self-test where its language is found, formulas over NumPy",
                    shares="expression graph"),
    WitnessedNumber("convert", "losses | text", "`--verify`: the file read back, both models compared", (SECOND,),
                    "reader and writer of the format"),
    WitnessedNumber("baseline", "residues | digits", "every formalism has the same residues when they are saved",
                    (FORMALISM,)),
)  # fmt: skip


def find_rows(verb: str, field: str) -> Iterator[WitnessedNumber]:
    """Yield the rows about a field of a command."""
    return (row for row in ROWS if row.names(verb, field))


def list_unchecked(verb: str, fields: Iterable[str]) -> list[str]:
    """Return those fields of a command that nobody witnesses."""
    return [f for f in fields if all(row.witness == NOT_CHECKED for row in find_rows(verb, f))]


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


def with_unchecked(verb: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return JSON of a command with the names of its numbers that nobody witnesses, if there are any."""
    found = list_unchecked(verb, dict.fromkeys(list_fields(value)))
    return value | ({"not_checked": found} if found else {})
