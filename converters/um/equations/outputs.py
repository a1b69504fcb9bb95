"""Outputs of a set's procedures as matrices and rows: indices checked, unwritten elements zero."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.equations import GeneratedEquations, GeneratedMotion, Matrix, Row
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.limits import UM_EQUATION_BYTES, UM_FOLDER_ENTRIES, UM_SET_CHARACTERS, read_within
from mbconcord.records import dataclass

from .machine import UmMachine, UmWritten
from .syntax import text_of

# The files of a generated set: which there are, which are missing, and their texts within limits.


#: Role of a file in a set -> its name around the object identifier, and what it tells.
ROLES = {
    "variables": ("_T{}.hpp", "the struct of identifiers"),
    "constants": ("{}C.hpp", "constants and the order of identifiers"),
    "driver": ("Al{}.hpp", "sines and cosines, joint forces and the order of evaluation"),
    "elements": ("{}E.hpp", "the formulas"),
    "equations": ("Eq{}.hpp", "the force vector"),
    "kinematics": ("_K{}.hpp", "positions, orientations, velocities, accelerations and Jacobians"),
    "constraints": ("Ct{}.hpp", "constraints of closed loops"),
}
#: Files that a set may have beside these.
MORE = {"parallel": "{}Parallel.hpp", "control": "Cl{}.hpp"}
_TELLING = re.compile(r"(?:_T|_K|Al|Eq|Ct)(\w+)\.hpp", re.IGNORECASE)


@dataclass(frozen=True)
class FileSet:
    """The object identifier of a set, its texts by role, with their file names, and the missing roles."""

    identifier: str
    texts: Mapping[str, tuple[str, str]]
    missing: tuple[str, ...]


def find(folder: Path) -> FileSet:
    """Find the set in a folder, or in its subfolder ``C``; file names are case-insensitive, as in UM.

    Raises
    ------
    ReadError
        There is no set, there are several, or it is too large.
    """
    for candidate in (folder, *_find_subfolders(folder)):
        found = _identifiers(candidate)
        if len(found) > 1:
            names = ", ".join(found)
            raise ReadError(
                error(str(candidate), f"the equations of {len(found)} objects ({names})", "keep one in a folder")
            )
        if found:
            return _read(candidate, found[0])
    expected = "expected _KUMObject.hpp, EqUMObject.hpp, … or a folder C with them"
    raise ReadError(error(str(folder), f"no equations that Universal Mechanism generated; {expected}"))


def find_files(found: FileSet) -> list[Path]:
    """Return the files of the folder in which a set is."""
    folders = {Path(file).parent for _, file in found.texts.values()}
    return [entry for folder in folders for entry in _entries(folder) if entry.is_file()]


def read_text(path: Path) -> str:
    """Read the text of one file.

    Raises
    ------
    ReadError
        It cannot be read, is too large, empty or binary.
    """
    try:
        data = read_within(path, UM_EQUATION_BYTES)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ReadError(error(str(path), reason, "name a file that can be read")) from None
    if data is None:
        size = f"more than {UM_EQUATION_BYTES:,} bytes"
        raise ReadError(error("", size, "generated equations are smaller", Location(str(path), 1, 1)))
    if b"\0" in data:
        raise ReadError(error("", "a binary file; expected a text", location=Location(str(path), 1, 1)))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1251", "replace")  # comments of the author


def _find_subfolders(folder: Path) -> list[Path]:
    """Return the subfolder of the equations, ``C`` or ``c``."""
    if not folder.is_dir():
        return []
    return sorted(entry for entry in _entries(folder) if entry.name.lower() == "c" and entry.is_dir())


def _entries(folder: Path) -> Iterator[Path]:
    """Yield the entries of a folder, within limits."""
    for number, entry in enumerate(folder.iterdir() if folder.is_dir() else ()):
        if number >= UM_FOLDER_ENTRIES:
            message = f"{folder}: more than {UM_FOLDER_ENTRIES:,} files; expected the folder of one object"
            raise ReadError(error("", message))
        yield entry


def _identifiers(folder: Path) -> list[str]:
    """List the object identifiers in file names, each once."""
    found = (_TELLING.fullmatch(entry.name) for entry in sorted(_entries(folder)) if entry.is_file())
    return list({name[1].lower(): name[1] for name in found if name}.values())


def _read(folder: Path, identifier: str) -> FileSet:
    texts: dict[str, tuple[str, str]] = {}
    total = 0
    there = {entry.name.lower(): entry for entry in _entries(folder) if entry.is_file()}
    for role, pattern in ({role: pattern for role, (pattern, _) in ROLES.items()} | MORE).items():
        path = there.get(pattern.format(identifier).lower())
        if path is not None:
            text = read_text(path)
            total += len(text)
            if total > UM_SET_CHARACTERS:
                found = f"{folder}: more than {UM_SET_CHARACTERS:,} characters of equations"
                raise ReadError(error("", found))
            texts[role] = (text, str(path))
    return FileSet(identifier, texts, tuple(role for role in ROLES if role not in texts))


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
#: Arrays of force and moment of the procedures of joint forces.
LOADS = ("_JForce", "_JMoment")

Cells = Mapping[tuple[int, ...], UmWritten]
Place: TypeAlias = tuple[str | int, ...]


def motions(machine: UmMachine) -> Iterator[tuple[int, dict[str, Cells]]]:
    """Yield the results of all output procedures for every body with a case."""
    for number in sorted({number for name in OUTPUTS for number in _labels(machine, name)}):
        found: dict[str, Cells] = {}
        for name, (array, quantity, _) in OUTPUTS.items():
            if name in machine.procedures:
                machine.run(name, _index=number)
                cells = machine.output(array)
                if cells:
                    found[quantity] = cells
        if found:
            yield number, found


def _labels(machine: UmMachine, name: str) -> list[int]:
    """List the numbers for which a procedure has a case."""
    if name not in machine.procedures:
        return []
    choices = machine.procedures[name].block.find_data("choice")
    labels = [text_of(label) for choice in choices for label in choice.find_data("label")]
    return sorted({int(x) for x in labels if x.isdecimal() and len(x) < 8})


def loads(machine: UmMachine, name: str, of: dict[Place, Location]) -> dict[int, Row]:
    """Return the force and moment (6) that a procedure writes in each of its cases, by number; without unknown ones.

    ``of`` receives the location of each element by (procedure, number, index from 0 to 5).
    """
    found: dict[int, Row] = {}
    for number in _labels(machine, name):
        machine.run(name, _index=number)
        halves = [machine.output(array) for array in LOADS]
        for array, cells in zip(LOADS, halves, strict=True):
            wrong = next((at for at in cells if len(at) != 1 or at[0] > 2), None)
            if wrong is not None:
                raise _index_error(array, wrong, "3 elements", cells[wrong].location)
            of |= {(name, number, 3 * LOADS.index(array) + i): w.location for (i,), w in cells.items()}
        if any(halves) and not any(w.expression is None for cells in halves for w in cells.values()):
            found[number] = tuple(_expression(cells, (i,)) for cells in halves for i in range(3))
    return found


def read_parallel_outputs(machine: UmMachine, n: int, source: str) -> GeneratedEquations | None:
    """Return motions, mass matrix and residual that GetParallel, UM's copy for threads, computes; None without it.

    Loads of joint forces are left out: GetParallel writes them from elements that have another meaning there.
    """
    if "GetParallel" not in machine.procedures:
        return None
    own = UmMachine(machine.procedures, machine.identifiers, machine.size, complete=False)
    for name in ("InPzMem", "GetJointForcesP"):
        if name in own.procedures:
            own.run(name)
    numbers, found = _labels(own, "GetParallel"), {}
    for mode in (0, 1, 2):
        for number in numbers:
            own.run("GetParallel", _index=number, _mode=mode)
        if mode == 0:
            found = {number: motion(cells) for number, cells in motions(own)}
    mass, forces = own.output("_mmatr"), own.output("_frc")
    return GeneratedEquations(
        "um", "for threads", source, n, mass_matrix=mass_matrix(mass, n), residual=force_vector(forces, n), bodies=found
    )


def places(mass: Cells, forces: Cells, found: Mapping[int, Mapping[str, Cells]]) -> dict[Place, Location]:
    """Return the location of each entry, by ("M", i, j), ("residual", i) or (number of body, quantity, indices…)."""
    of: dict[Place, Location] = {("M", *at): written.location for at, written in mass.items()}
    of |= {("residual", *at): written.location for at, written in forces.items()}
    for number, quantities in found.items():
        for quantity, cells in quantities.items():
            of |= {(number, quantity, *at): written.location for at, written in cells.items()}
    return of


def mass_matrix(cells: Cells, n: int) -> Matrix | None:
    """Complete the symmetric matrix from its lower triangle; unassigned elements are zero."""
    if not cells or any(written.expression is None for written in cells.values()):
        return None
    rows = [[ZERO] * n for _ in range(n)]
    for indices, written in cells.items():
        if len(indices) != 2 or indices[1] > indices[0]:
            raise _index_error("_lMassMatrix", indices, "the lower triangle", written.location)
        i, j = indices
        assert written.expression is not None
        rows[i][j] = rows[j][i] = written.expression
    return tuple(map(tuple, rows))


def force_vector(cells: Cells, n: int) -> Row | None:
    """Return the rows of the force vector; unassigned rows are zero."""
    if not cells or any(written.expression is None for written in cells.values()):
        return None
    wrong = next((indices for indices in cells if len(indices) != 1), None)
    if wrong is not None:
        raise _index_error("_Frc_Vctr", wrong, "one index", cells[wrong].location)
    return tuple(_expression(cells, (i,)) for i in range(n))


def motion(found: Mapping[str, Cells]) -> GeneratedMotion:
    """Return the motion of one body; a quantity with an unknown element is left out."""
    values: dict[str, Any] = {}
    for array, quantity, size in OUTPUTS.values():
        cells = found.get(quantity, {})
        for indices, written in cells.items():
            limits = zip(indices, size, strict=False)
            if len(indices) != len(size) or any(most is not None and i >= most for i, most in limits):
                shape = " by ".join("n" if most is None else str(most) for most in size)
                raise _index_error(array, indices, f"{shape} elements", written.location)
        if not cells or any(written.expression is None for written in cells.values()):
            continue
        if quantity == "jacobian":
            columns = sorted({j for _, j in cells})
            values[quantity] = {j: tuple(_expression(cells, (i, j)) for i in range(6)) for j in columns}
        elif len(size) == 1:
            values[quantity] = tuple(_expression(cells, (i,)) for i in range(3))
        else:
            rows = range(max(i for i, _ in cells) + 1)
            values[quantity] = tuple(tuple(_expression(cells, (i, j)) for j in range(size[1] or 0)) for i in rows)
    return GeneratedMotion(**values)


def _expression(cells: Cells, indices: tuple[int, ...]) -> Expression:
    written = cells.get(indices)
    return ZERO if written is None or written.expression is None else written.expression


def _index_error(array: str, indices: tuple[int, ...], expected: str, location: Location) -> ReadError:
    text = array + "".join(f"[{i}]" for i in indices)
    return ReadError(error("", f"{text} is out of range; expected {expected}", "", location))
