"""What a written set has beside the equations: identifiers handed back, loads of joint forces, formulas for threads.

A joint force J along a turn puts the moment J e on the outer body and -J e on the inner one; e is read off the frames:
the turn's part of the angular velocity. Of other joint forces nothing is known, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mbconcord.model import Body, System
from mbconcord.model.expressions import ZERO, Expression, derivative, rate, symbol, time_derivative
from mbconcord.validation.witnesses.um.body_formulas import frame

SETUP = "  _ObjVarPtr _;\n  _ = _PzAll[SubIndx[_isubs-1]-1];\n"
NUMBERED = "VectRPtr _x, VectRPtr _v, integer _index, integer _isubs"


def axis(system: System, body: Body, coordinate: str, of: str | None) -> list[Expression]:
    """The axis of a turn of the body's joint, in the axes of a body (None: world)."""
    r = frame(system, body.name, False).rotation
    rates = time_derivative([x for row in r for x in row], system.coordinate_names)
    spin = [sum((rates[3 * i + k] * r[j][k] for k in range(3)), ZERO) for i, j in ((2, 1), (0, 2), (1, 0))]
    world = [derivative(x, rate(coordinate)) for x in spin]
    own = frame(system, of, False).rotation
    return [sum((own[k][i] * world[k] for k in range(3)), ZERO) for i in range(3)]


def loads(system: System, bodies: Sequence[Body], efforts: Sequence[str]) -> tuple[list[list[Expression]], ...]:
    """Force and moment on every body, and of the joint forces of every joint on its inner body: 6 formulas each."""
    of_bodies = [[symbol(f"{kind}{n}{a}") for kind in "FT" for a in "xyz"] for n in range(1, len(bodies) + 1)]
    of_joints: list[list[Expression]] = []
    order = [next(b for b in bodies if c in b.coordinates) for c in system.coordinate_names]
    for body in dict.fromkeys(order):
        of_joints.append([ZERO] * 6)
        (et, *others) = [et for et in body.joint if et.coordinate]
        if et.coordinate in efforts and not others and not et.is_translation:
            force = symbol(f"J{et.coordinate}")
            for sign, name in ((1, body.name), (-1, body.parent)):
                moment = [sign * force * x for x in axis(system, body, et.coordinate, name)]
                if name is not None:
                    row = of_bodies[[b.name for b in bodies].index(name)]
                    row[3:] = [a + b for a, b in zip(row[3:], moment, strict=True)]
                if sign < 0:
                    of_joints[-1][3:] = moment
    return of_bodies, of_joints


def procedure(name: str, rows: Sequence[Sequence[str]]) -> str:
    """A procedure of force and moment with a case for each number from 1."""
    cases = ""
    for number, row in enumerate(rows, 1):
        cells = [*(f"_JForce[{i}]" for i in range(3)), *(f"_JMoment[{i}]" for i in range(3))]
        lines = "".join(f"      {cell} = {text};\n" for cell, text in zip(cells, row, strict=True))
        cases += f"    case {number} :\n     {{\n{lines}      break;\n     }}\n"
    head = f"void {name}( coordin &_JForce, coordin &_JMoment, {NUMBERED} )\n {{\n{SETUP}"
    return f"{head}  switch( _index )\n   {{\n{cases}   }}\n }}\n\n"


def write_threads(folder: Path, parts: Sequence[Sequence[str]], fetched: str) -> None:
    """The file of the formulas for threads: kinematics, mass matrix, residual, each with its statements."""
    modes = "".join(
        f"      if( _mode == {mode} )\n       {{\n" + "".join(f"{line}\n" for line in lines) + "       }\n"
        for mode, lines in enumerate(parts)
    )
    (folder / "ObjParallel.hpp").write_text(
        f"void GetJointForcesP( integer _isubs )\n {{\n{SETUP}{fetched} }}\n"
        "void GetParallel( VectRPtr _x, VectRPtr _v, VectRPtr _frc, MatrRPtr _mmatr, integer _index, integer _mode, "
        f"integer _isubs )\n {{\n{SETUP}  switch( _index )\n   {{\n    case 1 :\n     {{\n{modes}      break;\n"
        "     }\n   }\n }\n"
    )
