"""What the procedures of a set put out, as matrices and rows: indices checked, elements that are not written zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.equations import GeneratedEquations, GeneratedMotion, Matrix, Row
from mbconcord.model.expressions import ZERO, Expression

from .identifiers import text_of
from .machine import Machine, Written

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

Cells = Mapping[tuple[int, ...], Written]
Place: TypeAlias = tuple[str | int, ...]


def motions(machine: Machine) -> Iterator[tuple[int, dict[str, Cells]]]:
    """What every output procedure says of every body that it has a case for."""
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


def _labels(machine: Machine, name: str) -> list[int]:
    """The numbers that a procedure has a case for."""
    if name not in machine.procedures:
        return []
    choices = machine.procedures[name].block.find_data("choice")
    labels = [text_of(label) for choice in choices for label in choice.find_data("label")]
    return sorted({int(x) for x in labels if x.isdecimal() and len(x) < 8})


def loads(machine: Machine, name: str, of: dict[Place, Location]) -> dict[int, Row]:
    """Force and moment that a procedure puts out, by number; left out where an element is not known.

    ``of`` learns where each is written: procedure, number, index of 6.
    """
    found: dict[int, Row] = {}
    for number in _labels(machine, name):
        machine.run(name, _index=number)
        halves = [machine.output(array) for array in LOADS]
        for array, cells in zip(LOADS, halves, strict=True):
            wrong = next((at for at in cells if len(at) != 1 or at[0] > 2), None)
            if wrong is not None:
                raise _misplaced(array, wrong, "3 elements", cells[wrong].location)
            of |= {(name, number, 3 * LOADS.index(array) + i): w.location for (i,), w in cells.items()}
        if any(halves) and not any(w.expression is None for cells in halves for w in cells.values()):
            found[number] = tuple(_expression(cells, (i,)) for cells in halves for i in range(3))
    return found


def repeated(machine: Machine, n: int, source: str) -> GeneratedEquations | None:
    """Motion, mass matrix and residual as they are written for threads: three modes, with a memory of their own.

    Loads of joint forces are put out from elements that stand for something else there.
    """
    if "GetParallel" not in machine.procedures:
        return None
    own = Machine(machine.procedures, machine.identifiers, machine.size, complete=False)
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
        "um",
        "for threads",
        source,
        n,
        mass_matrix=mass_matrix(mass, n),
        residual=force_vector(forces, n),
        bodies=found,
    )


def places(mass: Cells, forces: Cells, found: Mapping[int, Mapping[str, Cells]]) -> dict[Place, Location]:
    """Where each entry is written."""
    of: dict[Place, Location] = {("M", *at): written.location for at, written in mass.items()}
    of |= {("residual", *at): written.location for at, written in forces.items()}
    for number, quantities in found.items():
        for quantity, cells in quantities.items():
            of |= {(number, quantity, *at): written.location for at, written in cells.items()}
    return of


def mass_matrix(cells: Cells, n: int) -> Matrix | None:
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


def force_vector(cells: Cells, n: int) -> Row | None:
    """The rows of the force vector; rows that are not assigned are zero."""
    if not cells or any(written.expression is None for written in cells.values()):
        return None
    wrong = next((indices for indices in cells if len(indices) != 1), None)
    if wrong is not None:
        raise _misplaced("_Frc_Vctr", wrong, "one index", cells[wrong].location)
    return tuple(_expression(cells, (i,)) for i in range(n))


def motion(found: Mapping[str, Cells]) -> GeneratedMotion:
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
