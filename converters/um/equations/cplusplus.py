"""The C++ set that Universal Mechanism generates, as equations: docs/formats/um_equations.md, table of procedures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lark import Token

from mbconcord.model.diagnostics import Diagnostic, ReadError, error
from mbconcord.model.equations import GeneratedEquations

from . import outputs
from .files import ROLES, FileSet, find
from .identifiers import identifiers
from .machine import Machine
from .outputs import Cells
from .syntax import Procedure, Unit, unit
from .unread import control, unread
from .values import digits

TITLE = "Universal Mechanism, generated C++"
MODES = (1, 2, 3, 4)
KERNEL = Diagnostic(
    "note",
    "um/forces",
    "gravity and force laws are no part of these equations: the model's own are put into both sides, so the rows "
    "gravity and applied verify how forces enter, not the direction of gravity nor the laws; contacts are not compared",
)


def read_folder(folder: Path) -> GeneratedEquations:
    """The equations of the set in a folder."""
    found = find(folder)
    texts = {role: text for role, text in found.texts.items() if role != "control"}
    made = equations([unit(*text) for text in texts.values()], str(folder), _missing(found))
    own = control(*found.texts["control"]) if "control" in found.texts else ()
    shown = digits(text for text, _ in texts.values())
    return replace(made, omissions=(*made.omissions, *own), digits=shown)


def read_file(text: str, file: str) -> GeneratedEquations:
    """The equations of one file: what a whole set would tell is missing and said so."""
    only = unit(text, file)
    absent = [
        Diagnostic("warning", "um/files", f"{name} is not in {file}: {told} not known")
        for name, told in (
            ("InPzMem", "constants are"), ("DoElement", "the mass matrix is"), ("EqCalc", "the force vector is"),
            ("CoorCalc", "positions are"),
        )
        if name not in only.procedures
    ]  # fmt: skip
    return replace(equations([only], file, absent), digits=digits([text]))


def _missing(found: FileSet) -> list[Diagnostic]:
    return [
        Diagnostic("warning", "um/files", f"{pattern.format(found.identifier)} is missing: {told} not read")
        for role, (pattern, told) in ROLES.items()
        if role in found.missing
    ]


def equations(units: list[Unit], source: str, absent: list[Diagnostic]) -> GeneratedEquations:
    """Run the procedures of a set and collect what they put out.

    Parameters
    ----------
    units : what the files define
    source : their folder, for messages
    absent : what is missing; when something is, an unwritten element is unknown and no error

    Raises
    ------
    ReadError
        An element is read before it is written, or an index is out of range.
    """
    procedures = {name: p for u in units for name, p in u.procedures.items()}
    members = tuple(name for u in units for name in u.members)
    names, doubts = identifiers(procedures, members)
    machine = Machine(procedures, frozenset(names), _work_size(procedures), not absent)
    for name in ("InPzMem", "AllCalc"):
        if name in procedures:
            machine.run(name)
    if "AllCalc" not in procedures and "DoElement" in procedures:
        for mode in MODES:
            machine.run("DoElement", _mode=mode)
    mass = machine.output("_lMassMatrix")
    if "EqCalc" in procedures:
        machine.run("EqCalc")
    forces = machine.output("_Frc_Vctr")
    motions = dict(outputs.motions(machine))
    places = outputs.places(mass, forces, motions)
    loads, reactions = (outputs.loads(machine, name, places) for name in ("JForceCalc", "SingleJointFrc"))
    n = _coordinates(machine, mass, forces, motions)
    _require_bodies(machine, motions)
    notes = [*absent, *machine.diagnostics, *_unknown(mass, forces, motions), KERNEL]
    return GeneratedEquations(
        program="um", title=TITLE, source=source, count=n, identifiers=names,
        mass_matrix=outputs.mass_matrix(mass, n), residual=outputs.force_vector(forces, n),
        bodies={number: outputs.motion(found) for number, found in motions.items()},
        joint_forces=tuple(dict.fromkeys(machine.joint_forces)), loops=_loops(procedures),
        loads=loads, reactions=reactions, repeated=outputs.repeated(machine, n, source),
        doubts=tuple(("identifiers", doubt) for doubt in doubts),
        omissions=tuple(unread(procedures, [(array, w) for (array, _), w in machine.outputs.items()])),
        statements=machine.statements, places=places, diagnostics=tuple(notes),
    )  # fmt: skip


def _work_size(procedures: Mapping[str, Procedure]) -> int | None:
    """Elements of the work array, from its allocation: ``UMGetMem( 521*sizeof(real_) )``."""
    if "InPzMem" in procedures:
        for statement in procedures["InPzMem"].block.find_data("assignment"):
            words = [
                str(w) for w in statement.scan_values(lambda w: isinstance(w, Token) and w.type == "NUMBER")
            ]
            if str(statement.children[0]).endswith("->_") and len(words) == 1 and words[0].isdecimal():
                return int(words[0][:9])
    return None


def _coordinates(
    machine: Machine, mass: Cells, forces: Cells, motions: Mapping[int, Mapping[str, Cells]]
) -> int:
    """How many coordinates there are: as many as the force vector has rows; else the largest index tells."""
    rows = max((i for (i, *_) in forces), default=-1) + 1
    used = {**machine.coordinates}
    for indices, written in mass.items():
        used |= {i: written.location for i in indices if i not in used}
    for found in motions.values():
        for indices, written in found.get("jacobian", {}).items():
            if len(indices) == 2:
                used.setdefault(indices[1], written.location)
    if not rows:
        return max(used, default=-1) + 1
    beyond = [k for k in used if k >= rows]
    if beyond:
        k = min(beyond)
        raise ReadError(
            error("", f"coordinate {k}; expected 0 to {rows - 1}, the rows of _Frc_Vctr", "", used[k])
        )
    return rows


def _require_bodies(machine: Machine, motions: Mapping[int, object]) -> None:
    beyond = [number for number in machine.bodies if motions and number not in motions]
    if beyond:
        last = max(motions)
        raise ReadError(
            error("", f"a force on body {beyond[0]}; expected 1 to {last}", "", machine.bodies[beyond[0]])
        )


def _loops(procedures: Mapping[str, Procedure]) -> bool | None:
    """Whether the set has equations of constraints; None without the procedure that would hold them."""
    if "ConstrCalc" not in procedures:
        return None
    cases = procedures["ConstrCalc"].block.find_data("case")
    return any(tree.data == "assignment" for case in cases for tree in case.iter_subtrees())


def _unknown(mass: Cells, forces: Cells, motions: Mapping[int, Mapping[str, Cells]]) -> Iterator[Diagnostic]:
    """Quantities that a missing file makes unknown."""
    groups = {"the mass matrix": [mass], "the force vector": [forces]}
    for found in motions.values():
        for quantity, cells in found.items():
            groups.setdefault(quantity.replace("_", " "), []).append(cells)
    lost = [
        name for name, parts in groups.items()
        if any(written.expression is None for cells in parts for written in cells.values())
    ]  # fmt: skip
    if lost:
        yield Diagnostic(
            "warning", "um/files", f"{', '.join(lost)}: not read, a missing file sets elements of them"
        )
