"""The C++ set that Universal Mechanism generates, as equations: docs/formats/um_equations.md, table of procedures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lark import Token, Tree

from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error
from mbconcord.model.equations import GeneratedEquations, GeneratedMotion, Matrix, Row
from mbconcord.model.expressions import ZERO, Expression

from .files import ROLES, FileSet, find
from .machine import Machine, Written
from .syntax import Procedure, Unit, unit

TITLE = "Universal Mechanism, generated C++"
MODES = (1, 2, 3, 4)
KERNEL = Diagnostic(
    "note",
    "um/forces",
    "gravity and force laws are no part of these equations: the model's own are put into both sides, so the rows "
    "gravity and applied verify how forces enter, not the direction of gravity nor the laws; contacts are not compared",
)
_INTERNAL = re.compile(r"_(?:[sc]\d+|jf\d+|ap)?")

#: Procedure -> its output array, the field it fills, and the array's size.
OUTPUTS = {
    "Ai0Calc": ("_bodyorientation", "orientation", (3, 3)),
    "CoorCalc": ("_bodyposition", "position", (3,)),
    "VelCalc": ("_bodyvelocity", "velocity", (3,)),
    "VelaCalc": ("_angularvelocity", "angular_velocity", (3,)),
    "AccCalc": ("_bodyacceleration", "acceleration", (3,)),
    "AccaCalc": ("_angularacceleration", "angular_acceleration", (3,)),
    "DBCalc": ("_b", "jacobian", (6, None)),
    "SMatrCalc": ("_slocal", "screws", (None, 6)),
}  # fmt: skip

Cells = Mapping[tuple[int, ...], Written]


def read_folder(folder: Path) -> GeneratedEquations:
    """The equations of the set in a folder."""
    found = find(folder)
    units = {role: unit(text, file) for role, (text, file) in found.texts.items()}
    return equations(list(units.values()), str(folder), _missing(found))


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
    return equations([only], file, absent)


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
    identifiers = _identifiers(procedures, members)
    machine = Machine(procedures, frozenset(identifiers), _work_size(procedures), not absent)
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
    motions = dict(_motions(machine))
    n = _coordinates(machine, mass, forces, motions)
    _require_bodies(machine, motions)
    notes = [*absent, *machine.diagnostics, *_unknown(mass, forces, motions), KERNEL]
    return GeneratedEquations(
        program="um", title=TITLE, source=source, count=n, identifiers=identifiers,
        mass_matrix=_mass_matrix(mass, n), residual=_force_vector(forces, n),
        bodies={number: _motion(found) for number, found in motions.items()},
        joint_forces=tuple(dict.fromkeys(machine.joint_forces)), loops=_loops(procedures),
        diagnostics=tuple(notes),
    )  # fmt: skip


def _identifiers(procedures: Mapping[str, Procedure], members: tuple[str, ...]) -> tuple[str, ...]:
    """Names in the order of the array that ParCalc reads; without it, the members that UM has no use for."""
    if "ParCalc" not in procedures:
        return tuple(name for name in members if not _INTERNAL.fullmatch(name))
    numbered: dict[int, str] = {}
    for statement in procedures["ParCalc"].block.find_data("assignment"):
        target, right = (re.sub(r"\s+", "", _text(child)) for child in statement.children)
        name, source = re.fullmatch(r"_->(\w+)", target), re.fullmatch(r"_parmarr\[(\d{1,6})\]", right)
        if name and source:
            numbered[int(source[1])] = name[1]
    return tuple(numbered[k] for k in sorted(numbered))


def _text(node: Tree[Token] | Token) -> str:
    if isinstance(node, Token):
        return str(node)
    return "".join(str(token) for token in node.scan_values(lambda token: isinstance(token, Token)))


def _work_size(procedures: Mapping[str, Procedure]) -> int | None:
    """Elements of the work array, from its allocation: ``UMGetMem( 521*sizeof(real_) )``."""
    if "InPzMem" in procedures:
        for statement in procedures["InPzMem"].block.find_data("assignment"):
            words = [
                str(w) for w in statement.scan_values(lambda w: isinstance(w, Token) and w.type == "NUMBER")
            ]
            if str(statement.children[0]).endswith("->_") and len(words) == 1 and words[0].isdigit():
                return int(words[0][:9])
    return None


def _motions(machine: Machine) -> Iterator[tuple[int, dict[str, Cells]]]:
    """What every output procedure says of every body that it has a case for."""
    numbers: dict[int, None] = {}
    for name in OUTPUTS:
        if name in machine.procedures:
            for choice in machine.procedures[name].block.find_data("choice"):
                labels = (label for case in choice.find_data("label") for label in [_text(case)])
                numbers |= dict.fromkeys(int(x) for x in labels if x.isdigit() and len(x) < 8)
    for number in sorted(numbers):
        found: dict[str, Cells] = {}
        for name, (array, quantity, _) in OUTPUTS.items():
            if name in machine.procedures:
                machine.run(name, _index=number)
                cells = machine.output(array)
                if cells:
                    found[quantity] = cells
        if found:
            yield number, found


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


def _mass_matrix(cells: Cells, n: int) -> Matrix | None:
    """The symmetric matrix of its lower triangle; elements that are not assigned are zero."""
    if not cells or any(written.expression is None for written in cells.values()):
        return None
    rows = [[ZERO] * n for _ in range(n)]
    for indices, written in cells.items():
        if len(indices) != 2 or indices[1] > indices[0]:
            raise _misplaced("_lMassMatrix", indices, "the lower triangle", written.location)
        i, j = indices
        assert written.expression is not None
        rows[i][j] = rows[j][i] = written.expression
    return tuple(map(tuple, rows))


def _force_vector(cells: Cells, n: int) -> Row | None:
    if not cells or any(written.expression is None for written in cells.values()):
        return None
    wrong = next((indices for indices in cells if len(indices) != 1), None)
    if wrong is not None:
        raise _misplaced("_Frc_Vctr", wrong, "one index", cells[wrong].location)
    return tuple(_expression(cells, (i,)) for i in range(n))


def _motion(found: Mapping[str, Cells]) -> GeneratedMotion:
    """The motion of one body; a quantity with an element that is not known is left out."""
    values: dict[str, Any] = {}
    for array, quantity, size in OUTPUTS.values():
        cells = found.get(quantity, {})
        for indices, written in cells.items():
            limits = zip(indices, size, strict=False)
            if len(indices) != len(size) or any(most is not None and i >= most for i, most in limits):
                shape = " by ".join("n" if most is None else str(most) for most in size)
                raise _misplaced(array, indices, f"{shape} elements", written.location)
        if not cells or any(written.expression is None for written in cells.values()):
            continue
        if quantity == "jacobian":
            columns = sorted({j for _, j in cells})
            values[quantity] = {j: tuple(_expression(cells, (i, j)) for i in range(6)) for j in columns}
        elif len(size) == 1:
            values[quantity] = tuple(_expression(cells, (i,)) for i in range(3))
        else:
            rows = range(max(i for i, _ in cells) + 1)
            values[quantity] = tuple(
                tuple(_expression(cells, (i, j)) for j in range(size[1] or 0)) for i in rows
            )
    return GeneratedMotion(**values)


def _expression(cells: Cells, indices: tuple[int, ...]) -> Expression:
    written = cells.get(indices)
    return ZERO if written is None or written.expression is None else written.expression


def _misplaced(array: str, indices: tuple[int, ...], expected: str, location: Location) -> ReadError:
    text = array + "".join(f"[{i}]" for i in indices)
    return ReadError(error("", f"{text} is out of range; expected {expected}", "", location))


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
