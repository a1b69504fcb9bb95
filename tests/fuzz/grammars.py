"""Texts that readers mostly read: by the grammar of each format, with something wrong now and then."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile, ZipInfo

#: A workbook whose sheet is put in place of another.
TEMPLATE = Path(__file__).parents[1] / "hostile" / "files" / "far_cell.tp.xlsx"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def number(random: Random) -> str:
    """A number."""
    return random.choice(("0", "1", "2.5", "-3", "1e-3", ".5", "7.", "1e9", str(random.random())))


def formula(random: Random, names: Sequence[str], depth: int = 3) -> str:
    """A formula over these names."""
    if depth == 0 or random.random() < 0.3:
        return random.choice((number(random), *names))
    a, b = formula(random, names, depth - 1), formula(random, names, depth - 1)
    shapes = (
        "{a} + {b}", "{a}-{b}", "{a}*{b}", "{a}/{b}", "({a})^{b}", "({a})", "-{a}", "sin {a}", "sqrt({a})",
        "atan2({a},{b})", "{a} {b}", "f({a})", "f'({a})", "h'[1,0]({a},{b})", "abs({a})", "log({a})",
    )  # fmt: skip
    return random.choice(shapes).format(a=a, b=b)


def mbsd(random: Random) -> str:
    """Bodies of a few letters each, a connector or assignments now and then."""
    fixed, moving = ("m", "L", "2"), ("m", "t", "z1", "z1'", "f(t)")

    def value() -> str:
        return random.choice(("", number(random), f"({formula(random, fixed, 1)})"))

    def degree() -> str:
        suffixes = ("", "", "", f"°{value()}", f"'{value()}", f'"({formula(random, moving, 1)})')
        return random.choice("uvwxyz") + random.choice(suffixes)

    def part() -> str:
        three = ",".join(random.choice(("1", "2", "L")) for _ in range(3))
        shift, mass = random.choice("ijklmn") + value(), f"$({random.choice(fixed)})"
        return random.choice((shift, degree(), degree(), mass, f"[{three}]", f"{{{three}}}"))

    bodies = ["".join(part() for _ in range(random.randrange(1, 4))) for _ in range(random.randrange(1, 4))]
    ends = ("", "g", "g9.81-y", " #b", f":({value() or 1}) < #0", f" (z i >)^{len(bodies)} x")
    names = random.sample(("m", "L", "k", "f(t)"), 2)
    given = ", ".join(f"{name} = {formula(random, ('k', '3'), 1)}" for name in names)
    return ">".join(bodies) + random.choice(ends) + random.choice(("", "", f" ; {given}"))


def tp(random: Random) -> str:
    """A chain or tree of turns about z, often the paper's own columns alone."""
    paper = ("i", "i-1", "КП", "q", "d", "x", "y", "z")
    more = ("R_x", "R_y", "R_z", "m_o", "c_x", "c_y", "c_z", "I_zz")
    keys = (*paper, *random.choice(((), (), more)), *random.choice(((), ("q0",))))
    header = [key for key in keys if random.random() < 0.99]
    separator = random.choice(";;;\t,")

    def cell(key: str, row: int) -> str:
        if random.random() < 0.01:
            return random.choice(("", "x", "1e400", "-", "9" * 20))
        known = {
            "i": str(row), "i-1": str(random.randrange(row)), "КП": "ВКП", "q": random.choice(("z", "z", "-z")),
            "d": random.choice(("0", f"x_{row}", f"-y_{row}")), "x": f"x_{row}", "y": f"y_{row}", "z": "z", "m_o": "2",
            "c_x": "0", "c_y": "0", "c_z": "0", "I_zz": "0.5",
        }  # fmt: skip
        return known.get(key, number(random))

    rows = [[cell(key, row) for key in header] for row in range(1, random.randrange(2, 6))]
    axis = random.choice((["-z"], ["2", "-3", "6"], [number(random), number(random), number(random)]))
    above = random.choice(([], [], [["g", random.choice(("9.81", "", "0")), *axis]]))
    return "\n".join(separator.join(row) for row in [*above, header, *rows])


def workbook(random: Random) -> bytes:
    """A workbook of a table; a cell is a text, sometimes a number or a formula."""

    def cell(text: str) -> str:
        kinds = (f'<c t="inlineStr"><is><t>{text}</t></is></c>', f"<c><v>{text}</v></c>", f"<c><f>{text}</f></c>")
        return random.choices(kinds, (98, 1, 1))[0]

    rows = ("".join(map(cell, line.replace("\t", ";").split(";"))) for line in tp(random).splitlines())
    sheet = f'<worksheet xmlns="{SHEET}"><sheetData><row>{"</row><row>".join(rows)}</row></sheetData></worksheet>'
    if random.random() < 0.2:
        at = random.randrange(len(sheet))
        sheet = sheet[:at] + random.choice(("<", "&", "&x;", '<c r="ZZ9"/>', "<row/>", "#REF!")) + sheet[at:]
    stored = BytesIO()
    with ZipFile(TEMPLATE) as old, ZipFile(stored, "w") as new:
        for part in old.infolist():
            data = sheet if part.filename.endswith("sheet1.xml") else old.read(part)
            new.writestr(ZipInfo(part.filename), data)  # without the time of the clock
    return stored.getvalue()


def um(random: Random) -> str:
    """Blocks with attributes that they may have, in no order that makes sense."""
    keys = ("name", "body1", "body2", "type", "m", "ix", "ro1x", "ro2y", "coord0", "ex", "ez", "enabled", "rcx")
    values = ('"B1"', '"Base0"', '"B2"', "rotat", "transl", "6dof", "comm", "rv", "tc", "1", "a*2", "{1;2}", "sqr(a)")
    words = ("body1", "body2", "joint1", "joint2", "jnt1dof", "et1", "scalarforce", "const", "egravity", "go1", "lfrc1")

    def block() -> str:
        attributes = (
            f"{random.choice(keys)}={random.choice((*values, formula(random, ('a', 'b', 'x'), 2)))};"
            for _ in range(random.randrange(6))
        )
        return "\n".join((f"with {random.choice(words)};", *attributes))

    blocks = "\n".join(block() for _ in range(random.randrange(1, 10)))
    end = random.choice(("\nwith end;\n", "", "\nwith end;" * 2))
    return f"with main;\ncnst=(a# 2); cnst=(b# a+1);\n{blocks}{end}"


def urdf(random: Random) -> str:
    """Links in a tree, now and then in a circle; attributes that are numbers, and some that are not."""

    def numbers(count: int) -> str:
        odd = random.random() < 0.01
        return " ".join(random.choice(("x", "1e400", "${a}", "")) if odd else number(random) for _ in range(count))

    def origin() -> str:
        turned = random.choice((f'rpy="{numbers(3)}"', f'quat_xyzw="{numbers(4)}"', ""))
        return random.choice(("", f'<origin xyz="{numbers(3)}" {turned}/>', f"<origin {turned}/>"))

    def link(i: int) -> str:
        moments = " ".join(f'i{key}="{numbers(1)}"' for key in ("xx", "xy", "xz", "yy", "yz", "zz"))
        inertial = f'<inertial>{origin()}<mass value="{random.randrange(3)}"/><inertia {moments}/></inertial>'
        shape = random.choice(("", "<visual><geometry/></visual>", "<!-- a link -->", "<unknown/>"))
        return f'<link name="l{i}">{random.choice((inertial, inertial, ""))}{shape}</link>'

    def joint(i: int) -> str:
        kinds = ("revolute", "continuous", "prismatic", "fixed", "planar", "floating")
        parent = random.randrange(i if random.random() < 0.98 else 5)
        inner = random.choice((
            "", f'<axis xyz="{numbers(3)}"/>', f'<dynamics damping="{numbers(1)}" friction="{numbers(1)}"/>',
            f'<limit lower="{numbers(1)}" upper="1"/>', f'<mimic joint="j{random.randrange(4)}"/>',
        ))  # fmt: skip
        ends = f'<parent link="l{parent}"/><child link="l{i}"/>'
        return f'<joint name="j{i}" type="{random.choice(kinds)}">{origin()}{ends}{inner}</joint>'

    count = random.randrange(1, 5)
    parts = [*map(link, range(count)), *map(joint, range(1, count))]
    end = random.choice(("", "", "", "<gazebo>&lt;</gazebo>", "</robot>", '<transmission name="t"/>'))
    return f'<robot name="r">{"".join(parts)}{end}</robot>'


def native(random: Random) -> str:
    """A chain with a function, a force and a constraint; a value is of the wrong kind now and then."""
    names = ("m", "z0", "z0'", "t", "f(t)")
    graph = {"graph": {"nodes": [["sym", "t"], ["call", "f", [1], 0]], "outputs": [1]}}

    def value(*own: str) -> Any:
        if random.random() < 0.02:
            return random.choice((None, [], {}, True, "x", [0, 0, 1], 1e300, -3, graph))
        return random.choice((formula(random, own or ("m",), 1), "m", 1, 2.5, "m/3"))

    def body(i: int) -> Any:
        motions = ({"coordinate": f"z{i}"}, {"coordinate": f"z{i}"}, {"constant": value()}, {"prescribed": value("t")})
        axis = random.choice(("z", "-x", [0, 1, 1]))
        step = {random.choice(("rotation", "translation")): axis, **random.choice(motions)}
        inertia = {"mass": value(), "tensor": [1, 1, 1], "centre": [0, value(), 0]}
        parent = random.choice((f"b{i - 1}", "b0", None)) if i else None
        return {"name": f"b{i}", "parent": parent, "joint": [step], "inertia": inertia}

    bodies = [body(i) for i in range(random.randrange(1, 4))]
    moving = [name for b in bodies for step in b["joint"] if (name := step.get("coordinate"))]
    parts: dict[str, Any] = {
        "format": "mbconcord", "version": 1, "name": "m", "coordinates": [{"name": name} for name in moving],
        "bodies": bodies, "parameters": [{"name": "m", "value": random.choice((1, 2.5, "1/3", value("t")))}],
        "functions": [{"name": "f", "arguments": ["t"], "formula": value("t")}],
        "gravity": {"value": value(), "direction": "-y"},
        "forces": [{"kind": "joint_effort", "name": "e", "coordinate": "z0", "effort": value(*names)}],
        "constraints": [{"kind": "holonomic", "name": "c", "expression": value("z0", "t")}],
    }  # fmt: skip
    return json.dumps({key: part for key, part in parts.items() if key[0] not in "fc" or random.random() < 0.8})


def cplusplus(random: Random) -> str:
    """Procedures that assign, branch and call one another."""
    operands = ("_->_c1", "_->_s2", "_v[0]", "_x[1]", "_->_[1]", "_->m", "2.5", "1", "t", "_bForce[_isubs-1][0][1]")
    targets = ("_->_[1]", "_->_[2]", "_lMassMatrix[1][0]", "_Frc_Vctr[0]", "_bodyposition[1]", "_->_ap")
    heads = ("AllCalc()", "f0(integer _isubs, integer _mode)", "f1(integer _isubs, integer _index)", "EqCalc()")

    def statement(depth: int = 2) -> str:
        inner = "".join(statement(depth - 1) for _ in range(2)) if depth else ""
        a, b, c = random.choices(operands, k=3)
        return random.choice((
            f"{random.choice(targets)} = {a}*{b}-{c};\n", f"f{random.randrange(3)}(_isubs, {random.randrange(3)});\n",
            f"switch( _index ) {{ case 0 : {{ {inner} break; }} }}\n", f"if (_mode == 1) {{ {inner} }}\n",
            "InitJFrc(0, 1, _->_jf1);\n",
        ))  # fmt: skip

    def procedure(head: str) -> str:
        return f"void {head}\n{{\n{''.join(statement() for _ in range(random.randrange(1, 5)))}}}\n"

    return "".join(map(procedure, random.sample(heads, 3)))


def pascal(random: Random) -> str:
    """Rows of two arrays of a body."""
    signs = ("_s1", "_c2", "_k1", "_x[1]", "_v[2]", "2.5", "sin(_x[2])")

    def right() -> str:
        return "".join(random.choice(signs) + random.choice("+-*/") for _ in range(random.randrange(4))) + "_s2"

    arrays = random.sample(("_bodyposition", "_bodyvelocity", "_angularvelocity"), 2)
    return "".join(f"{array}[{i}] := {right()};\n" for array in arrays for i in (1, 2, 3))


def par(random: Random) -> str:
    """Lines of a file of parameters."""
    return "par\n" + "".join(f"{random.choice(('m', 'FL.p1', 'a b'))} = {number(random)}\n" for _ in range(3))


def mjcf(random: Random) -> str:
    """Bodies within one another with joints, shapes and classes; numbers now and then none, or too few of them."""

    def numbers(count: int) -> str:
        odd = random.random() < 0.003
        count = random.randrange(1, 7) if random.random() < 0.003 else count
        return " ".join(random.choice(("x", "1e400", "nan", "")) if odd else number(random) for _ in range(count))

    def pose() -> str:
        turns = (("quat", 4), ("euler", 3), ("axisangle", 4), ("zaxis", 3), ("xyaxes", 6))
        key, count = random.choice(turns)
        return random.choice(
            ("", f'pos="{numbers(3)}"', f'{key}="{numbers(count)}"', f'pos="1 2 3" {key}="{numbers(count)}"')
        )

    def geom() -> str:
        kinds = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "plane", "mesh")
        few = random.random() < 0.03
        sizes = " ".join(str(random.randrange(1, 9) / 10) for _ in range(random.randrange(1, 3) if few else 3))
        ends = random.choice(("", "", f'fromto="{numbers(6)}"'))
        return f'<geom type="{random.choice(kinds)}" size="{sizes}" {ends} {pose()} mesh="m"/>'.replace(
            'mesh="m"', random.choice(("", "", 'mesh="m"', 'mass="2"', 'density="3"', 'shellinertia="true"'))
        )

    def joint(i: int) -> str:
        kinds = ("hinge", "hinge", "slide", "slide", "slide", "ball", "free" if i == 0 else "hinge")
        more = random.choice((
            "", 'damping="1 2"', 'stiffness="3" springref="0.1"', 'armature="0.1"', 'class="c"', f'ref="{numbers(1)}"',
            f'axis="{numbers(3)}"', 'frictionloss="1"', 'springdamper="1 1"',
        ))  # fmt: skip
        return f'<joint name="j{i}" type="{random.choice(kinds)}" {more}/>'

    def body(i: int) -> str:
        inertial = f'<inertial pos="{numbers(3)}" mass="1" diaginertia="1 2 2"/>'
        inner = "".join(random.choice((geom(), joint(i), inertial, "<!-- x -->")) for _ in range(random.randrange(4)))
        below = body(i + 1) if i < 4 and random.random() < 0.6 else ""
        frame = (f"<frame {pose()}>", "</frame>") if random.random() < 0.2 else ("", "")
        return f'{frame[0]}<body name="b{i}" {pose()} gravcomp="0.5">{inner}{below}</body>{frame[1]}'

    joints = f'joint{{}}="j{random.randrange(4)}"'
    ends = (
        "", f'<equality><joint {joints.format(1)} {joints.format(2)} polycoef="{numbers(3)}"/></equality>',
        f'<equality><connect body1="b0" body2="b1" anchor="{numbers(3)}"/></equality>', '<include file="../x.xml"/>',
        f'<tendon><fixed name="t" stiffness="1" armature="1"><joint {joints.format("")} coef="2"/></fixed></tendon>',
        f'<actuator><position {joints.format("")} kp="2"/></actuator>', '<equality><weld body1="b1"/></equality>',
    )  # fmt: skip
    heads = (
        "", '<compiler angle="radian"/>', '<compiler settotalmass="3" balanceinertia="true"/>',
        '<option gravity="1 2 3"/>',
        '<default><default class="c"><joint damping="1"/></default></default>', '<compiler boundinertia="0.1"/>',
        f'<asset><mesh name="m" vertex="{numbers(12)}" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>',
    )  # fmt: skip
    inside = "".join(body(5 * k) for k in range(random.randrange(1, 3)))
    return f"<mujoco>{random.choice(heads)}<worldbody>{inside}</worldbody>{random.choice(ends)}</mujoco>"


def sdf(random: Random) -> str:
    """Links, joints and frames that name one another, some of them not there; numbers now and then none."""

    def numbers(count: int) -> str:
        odd = random.random() < 0.004
        count = random.randrange(9) if random.random() < 0.004 else count
        return " ".join(random.choice(("x", "1e400", "nan", "")) if odd else number(random) for _ in range(count))

    def pose() -> str:
        name = random.choice(("l0", "l1", "f0", "j1", "__model__", "inner::l0", "world"))
        relative = f'relative_to="{name}"' if random.random() < 0.1 else ""
        forms = (("", 6), ('degrees="true"', 6), ('rotation_format="quat_xyzw"', 7))
        form, count = random.choice(forms)
        return random.choice(("", "", f"<pose {relative} {form}>{numbers(count)}</pose>", f"<pose {relative}/>"))

    def shape() -> str:
        sizes = "<size>1 2 3</size>", "<radius>0.5</radius>", "<radius>1</radius><length>2</length>"
        kind, size = random.choice(
            (("box", sizes[0]), ("sphere", sizes[1]), ("capsule", sizes[2]), ("cylinder", sizes[2]), ("mesh", ""))
        )
        return f"<collision>{pose()}<geometry><{kind}>{size}</{kind}></geometry></collision>"

    def link(i: int) -> str:
        moments = "".join(f"<i{key}>{numbers(1)}</i{key}>" for key in ("xx", "xy", "yy", "zz") if random.random() < 0.8)
        inertial = f"<inertial>{pose()}<mass>{random.randrange(3)}</mass><inertia>{moments}</inertia></inertial>"
        more = random.choice(("", "<gravity>false</gravity>", "<!-- x -->", "<unknown/>", "<kinematic>1</kinematic>"))
        own = random.choice((inertial, inertial, "", f'<inertial auto="true"/>{shape()}'))
        return f'<link name="l{i}">{pose()}{own}{more}</link>'

    def axis(tag: str, i: int) -> str:
        said = random.choice(("", "", 'expressed_in="__model__"', 'expressed_in="l0"'))
        acts = random.choice((
            "", f"<dynamics><damping>{numbers(1)}</damping><spring_stiffness>2</spring_stiffness></dynamics>",
            f'<mimic joint="j{random.randrange(4)}"><multiplier>{numbers(1)}</multiplier></mimic>',
            "<limit><lower>-1</lower></limit>", "<dynamics><friction>1</friction></dynamics>",
        ))  # fmt: skip
        return f"<{tag}><xyz {said}>{numbers(3)}</xyz>{acts}</{tag}>"

    def joint(i: int) -> str:
        kinds = ("revolute", "prismatic", "fixed", "ball", "universal", "screw", "continuous")
        parent = random.choice(("world", f"l{random.randrange(4)}", f"l{i - 1}", f"l{i - 1}", "inner", "f0"))
        child = random.choice((f"l{i}", f"l{i}", f"l{i}", "world", f"l{random.randrange(4)}"))
        inner = f"{pose()}<parent>{parent}</parent><child>{child}</child>{axis('axis', i)}{axis('axis2', i)}"
        return f'<joint name="j{i}" type="{random.choice(kinds)}">{inner}</joint>'

    def model(name: str, depth: int) -> str:
        count = random.randrange(1, 5)
        parts = [*map(link, range(count)), *map(joint, range(1, count))]
        if random.random() < 0.4:
            held = random.choice(("", 'attached_to="l0"', 'attached_to="f0"'))
            parts.append(f'<frame name="f0" {held}>{pose()}</frame>')
        if depth and random.random() < 0.3:
            parts.append(model("inner", depth - 1))
        if random.random() < 0.1:
            parts.append("<static>true</static>")
        placed = random.choice(("", "", "", 'placement_frame="l0"', 'canonical_link="l0"'))
        return f'<model name="{name}" {placed}>{pose()}{"".join(parts)}</model>'

    end = random.choice(("", "", "", "<include><uri>../x.sdf</uri></include>", "</sdf>", "<plugin/>"))
    inside = model("m", 2)
    if random.random() < 0.4:
        inside = f'<world name="w"><gravity>{numbers(3)}</gravity>{inside}{end}</world>'
    return f'<sdf version="{random.choice(("1.6", "1.7", "1.9", "1.11"))}">{inside}</sdf>'


def _text(grammar: Callable[[Random], str]) -> Callable[[Random], bytes]:
    return lambda random: grammar(random).encode()


GRAMMARS: dict[str, Callable[[Random], bytes]] = {
    "mbsd": _text(mbsd),
    "tp": _text(tp),
    "workbook": workbook,
    "um": _text(um),
    "native": _text(native),
    "urdf": _text(urdf),
    "mjcf": _text(mjcf),
    "sdf": _text(sdf),
    "equations": _text(cplusplus),
    "prints": _text(pascal),
    "formula": _text(lambda random: formula(random, ("m", "x", "u'", "t", "@"), 5)),
    "par": _text(par),
}
