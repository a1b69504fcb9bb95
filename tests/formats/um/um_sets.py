"""C++ sets in the grammar of Universal Mechanism, written from a model for tests.

The formulas are those of virtual work for the residual and the mass matrix, and derivatives of the frames for the
motion of the bodies; what a set means (signs, axes, transposition) is written down here a second time, apart from
the reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, System, Wrench
from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import (
    Expression,
    derivative,
    evaluate_float,
    rate,
    substitute,
    symbol,
    time_derivative,
)
from mbconcord.model.expressions.program import program
from mbconcord.model.force import JointEffort, Point
from mbconcord.validation.witnesses.um.body_formulas import frame

from .um_set_more import SETUP, loads, procedure, write_threads

SIGNATURE = "VectRPtr _x, VectRPtr _v, integer _index, integer _isubs"


def numbered(system: System) -> list[Body]:
    """The bodies in UM's order: a model that was read from UM knows it where it is another than its own."""
    order = system.metadata.get("um:bodies") or [body.name for body in system.bodies]
    return [system.body(name) for name in order]


def loaded(system: System) -> System:
    """The tree without gravity and forces, with a force and moment at every centre of mass and along coordinates."""
    system = system.lump_masses()
    names, forces = [], []
    for number, body in enumerate(numbered(system), 1):
        own = [[f"F{number}{axis}" for axis in "xyz"], [f"T{number}{axis}" for axis in "xyz"]]
        names += own[0] + own[1]
        point = Point(body.name, body.inertia.centre)
        forces.append(Wrench(f"load{number}", point, *(tuple(map(symbol, n)) for n in own)))
    for force in system.forces:
        if isinstance(force, JointEffort):
            names.append(f"J{force.coordinate}")
            forces.append(JointEffort(force.name, force.coordinate, symbol(f"J{force.coordinate}")))
    return replace(
        system, gravity=None, forces=tuple(forces), constraints=(),
        parameters=(*system.parameters, *map(Parameter, names)),
    )  # fmt: skip


class Set:
    """A set being written: work elements in the order of their creation."""

    def __init__(
        self, system: System, identifiers: Sequence[str] = (), centred: bool = False, along_path: bool = False,
        digits: int = 17,
    ) -> None:  # fmt: skip
        self.system, self.identifiers = system, tuple(identifiers)
        self.centred, self.along_path, self.digits = centred, along_path, digits
        self.tree = loaded(system)
        self.names = system.coordinate_names
        self.statements: list[str] = []
        self.places: dict[Expression, str] = {}
        driven = {f.coordinate for f in system.forces if isinstance(f, JointEffort)}
        self.efforts = [name for name in self.names if name in driven]
        self.angles: dict[int, None] = {}
        self.work = 0

    def operand(self, name: str) -> str:
        """A symbol of the model as the set writes it."""
        for order, array in ((2, "_->_ap"), (1, "_v"), (0, "_x")):
            bare = name.removesuffix("'" * order) if order else name
            if name == bare + "'" * order and bare in self.names:
                return f"{array}[{self.names.index(bare)}]"
        if name[0] in "FT" and name[-1] in "xyz" and name[1:-1].isdigit():
            array = "_bForce" if name[0] == "F" else "_bMoment"
            return f"{array}[_isubs-1][{int(name[1:-1]) - 1}][{'xyz'.index(name[-1])}]"
        if name[0] == "J" and name[1:] in self.efforts:
            return f"_->_jf{self.efforts.index(name[1:]) + 1}"
        assert name in self.identifiers, name
        return f"_->{name}"

    def write(self, formulas: Sequence[Expression]) -> list[str]:
        """Statements for the formulas, and an operand for each."""
        numbers = {
            symbol(p.name): p.value
            for p in self.system.parameters
            if p.value is not None and p.name not in self.identifiers
        }
        roots = list(formulas)
        for _ in range(3):
            roots = substitute(roots, numbers)
        lines = program(roots)
        place: list[str] = []
        for step in lines.steps:
            place.append(self._step(step.op, [place[i] for i in step.args], step.node))
        return [place[i] for i in lines.outputs]

    def _step(self, op: str, args: list[str], node: Expression) -> str:
        if node in self.places:
            return self.places[node]
        if node.constant:
            text = f"{evaluate_float(node, {}):.{self.digits}g}"
        elif op == "sym":
            text = self.operand(node.data)
        elif op == "fun":
            assert node.data in ("sin", "cos") and node.args[0].op == "sym", node
            k = self.names.index(node.args[0].data)
            self.angles[k] = None
            text = f"_->_{node.data[0]}{k + 1}"
        else:
            signs = {"neg": "-{0}", "add": "{0}+{1}", "sub": "{0}-{1}", "mul": "{0}*{1}", "div": "{0}/{1}"}
            right = signs[op].format(*(f"({a})" if a.startswith("-") else a for a in args))
            text = f"_->_[{self.work}]"
            self.statements.append(f"      {text} = {right};")
            self.work += 1
        self.places[node] = text
        return text


def write_set(system: System, folder: Path, identifiers: Sequence[str] = (), **options: Any) -> Path:
    """Write the set of a model (object ``Obj``) into a folder; the folder.

    Options: ``digits``: so many significant ones of each number; ``centred``: positions are of the centres of
    mass; ``along_path``: columns of Jacobians are counted along the path of the body; ``more``: identifiers are
    handed back, and there are loads of joint forces and formulas for threads.
    """
    more = options.pop("more", False)
    made, n = Set(system, identifiers, **options), len(system.coordinates)
    derivation = formalism("virtual_work").derive(made.tree)
    q = derivation.quantities
    a = [rate(name, 2) for name in made.names]
    residual = [
        sum((m * x for m, x in zip(row, a, strict=True)), h - w)
        for row, h, w in zip(q["M"], q["h"], q["applied"], strict=True)
    ]
    kinematics = "".join(_kinematics(made))
    if more:
        of_bodies, of_joints = loads(system, numbered(system), made.efforts)
        kinematics += procedure("JForceCalc", [made.write(row) for row in of_bodies])
        kinematics += procedure("SingleJointFrc", [made.write(row) for row in of_joints])
    forces = made.write(residual)
    first = made.statements
    made.statements = []
    mass = [
        (i, j, text) for i in range(n) for j, text in zip(range(i + 1), made.write(q["M"][i][: i + 1]), strict=True)
    ]
    assigned = [f"      _lMassMatrix[{i}][{j}] = {text};" for i, j, text in mass if text != "0.0"]
    _driver(made, folder, first, made.statements, assigned)
    rows = "".join(f"    _Frc_Vctr[{i}] = {text};\n" for i, text in enumerate(forces))
    head = "void EqCalc( MatrRPtr &_MassMtrx, VectRPtr _x, VectRPtr _v, VectRPtr &_Frc_Vctr, integer _isubs )"
    (folder / "EqObj.hpp").write_text(f"{head}\n {{\n{SETUP}{rows} }}\n")
    (folder / "_KObj.hpp").write_text(kinematics)
    if more:
        trigonometric, fetched = _fetched(made)
        filled = [line.replace("_lMassMatrix", "_mmatr") for line in assigned]
        result = [f"      _frc[{i}] = {text};" for i, text in enumerate(forces)]
        write_threads(folder, ([trigonometric, *first], [*made.statements, *filled], result), fetched)
        back = "".join(f"  _parmarr[{i}] = _->{name};\n" for i, name in enumerate(made.identifiers))
        with (folder / "ObjC.hpp").open("a") as constants:
            constants.write(f"void GetIdentifiers( integer _isubs, VectRPtr _parmarr )\n {{\n{SETUP}{back} }}\n")
    return folder


def _fetched(made: Set) -> tuple[str, str]:
    """Statements that take sines and cosines, and those that fetch joint forces."""
    trigonometric = "".join(
        f"  _->_s{k + 1} = sin( _x[{k}] );\n  _->_c{k + 1} = cos( _x[{k}] );\n" for k in made.angles
    )
    fetched = "".join(f"  InitJFrc( _isubs, {i}, _->_jf{i} );\n" for i in range(1, len(made.efforts) + 1))
    return trigonometric, fetched


def _driver(made: Set, folder: Path, kinematics: list[str], mass: list[str], assigned: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    trigonometric, fetched = _fetched(made)
    members = [*made.identifiers, *(f"_{f}{k + 1}" for k in made.angles for f in "sc")]
    (folder / "_TObj.hpp").write_text("struct _ObjVars\n {\n" + "".join(f"  real_ {m};\n" for m in members) + " };\n")
    read = "".join(f"  _->{name} = _parmarr[{i}];\n" for i, name in enumerate(made.identifiers))
    (folder / "ObjC.hpp").write_text(
        "void InPzMem( integer _nsubs )\n {\n"
        f"  _PzAll[i-1]->_ = (real_*)UMGetMem( {made.work + 1}*sizeof(real_) );\n }}\n"
        f"void ParCalc( real_ _t, integer _isubs, VectRPtr _parmarr )\n {{\n{SETUP}{read} }}\n"
    )
    (folder / "AlObj.hpp").write_text(
        f"void AllCalc( VectRPtr _x, VectRPtr _v, integer &_isubs )\n {{\n{SETUP}{trigonometric}{fetched}"
        + "".join(f"  DoElement( _x, _v, {mode}, _isubs );\n" for mode in (1, 2, 3, 4))
        + " }\n"
    )
    cases = [(1, kinematics), (2, []), (3, mass), (4, assigned)]
    body = "".join(
        f"    case {k} :\n     {{\n" + "".join(f"{line}\n" for line in lines) + "      break;\n     }\n"
        for k, lines in cases
    )
    (folder / "ObjE.hpp").write_text(
        "void DoElement( VectRPtr _x, VectRPtr _v, integer _mode, integer _isubs )\n"
        f" {{\n{SETUP}  switch( _mode )\n   {{\n{body}   }}\n }}\n"
    )
    (folder / "CtObj.hpp").write_text(
        "void ConstrCalc( pointer _Joint, VectRPtr _x, VectRPtr _v, integer _index, integer _isubs )\n"
        f" {{\n{SETUP}  switch( _index )\n   {{\n    case 0 :\n     {{\n      break;\n     }}\n   }}\n }}\n"
    )


def _kinematics(made: Set) -> Iterator[str]:
    """Output procedures: positions and velocities of the origins, orientations transposed."""
    system, names = made.system, made.names
    tables: dict[tuple[str, str], list[tuple[int, list[tuple[str, Expression]]]]] = {}
    for number, body in enumerate(numbered(system), 1):
        f = frame(system, body.name, made.centred)
        r, rt = f.rotation, tuple(zip(*f.rotation, strict=True))
        velocity = time_derivative(f.position, names)
        rates = time_derivative([x for row in r for x in row], names)
        skew = [
            [sum((rt[i][k] * rates[3 * k + j] for k in range(3)), start=0 * r[0][0]) for j in range(3)]
            for i in range(3)
        ]
        spin = [skew[2][1], skew[0][2], skew[1][0]]
        path = [c for b in system.path(body.name) for c in b.coordinates]
        turned = [sum((r[i][k] * spin[k] for k in range(3)), start=0 * spin[0]) for i in range(3)]
        at_origin = [
            velocity[i] - turned[(i + 1) % 3] * f.position[(i + 2) % 3] + turned[(i + 2) % 3] * f.position[(i + 1) % 3]
            for i in range(3)
        ]
        for key, cells in (
            (("Ai0Calc", "_bodyorientation"), [(f"[{i}][{j}]", rt[i][j]) for i in range(3) for j in range(3)]),
            (("CoorCalc", "_bodyposition"), [(f"[{i}]", x) for i, x in enumerate(f.position)]),
            (("VelCalc", "_bodyvelocity"), [(f"[{i}]", x) for i, x in enumerate(velocity)]),
            (("VelaCalc", "_angularvelocity"), [(f"[{i}]", x) for i, x in enumerate(spin)]),
            (("AccCalc", "_bodyacceleration"), [(f"[{i}]", x) for i, x in enumerate(time_derivative(velocity, names))]),
            (("AccaCalc", "_angularacceleration"), [(f"[{i}]", x) for i, x in enumerate(time_derivative(spin, names))]),
            (("DBCalc", "_b"), [
                (f"[{i}][{place if made.along_path else names.index(c)}]", derivative(x, rate(c)))
                for place, c in enumerate(sorted(path, key=names.index)) for i, x in enumerate((*velocity, *spin))
            ]),
            (("SMatrCalc", "_slocal"), [
                (f"[{row}][{i}]", derivative(x, rate(c)))
                for row, c in enumerate(c for c in names if c in body.coordinates)
                for i, x in enumerate((*at_origin, *turned))
            ]),
        ):  # fmt: skip
            if cells:
                tables.setdefault(key, []).append((number, cells))
    for (name, array), bodies in tables.items():
        cases = ""
        for number, cells in bodies:
            texts = made.write([x for _, x in cells])
            lines = "".join(f"      {array}{at} = {text};\n" for (at, _), text in zip(cells, texts, strict=True))
            cases += f"    case {number} :\n     {{\n{lines}      break;\n     }}\n"
        head = f"void {name}( coordin &{array}, {SIGNATURE} )\n {{\n{SETUP}"
        yield f"{head}  switch( _index )\n   {{\n{cases}   }}\n }}\n\n"
