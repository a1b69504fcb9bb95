"""Tables of parameters: each column, word and rule as numbers worked out by hand.

T is the angle of the triangle 3, 4, 5; the arm (2, 3, 5), turned by T, is (2, -0.6, 5.8) about x, (4.6, 3, 2.8) about
y, (-0.2, 3.6, 5) about z; by -T it is (2, 5.4, 2.2), (-1.4, 3, 5.2), (3.4, 1.2, 5). Gravity is 9.81 along -y.
"""

from __future__ import annotations

import math
from io import BytesIO

import openpyxl
import pytest

from mbconcord.converters import registry
from mbconcord.model import ReadError

from .seen import differences, read, seen, wrong

T = math.atan2(3, 4)
PI = math.pi
DOWN = {"gravity": (0, -9.81, 0)}
HEAD = "i;i-1;КП;q;d;x;y;z;m_o;R_x;R_y;R_z;c_x;c_y;c_z;I_xx;I_yy;I_zz;I_xy;I_xz;I_yz"
OWN = "7;0.2;0.3;0.5;0.11;0.13;0.17;2;3;4;0.19;0.23;0.29"
BODY = {"body1.mass": 7, "body1.centre": (0.11, 0.13, 0.17), "body1.tensor": (2, 3, 4, 0.19, 0.23, 0.29)}
ENGLISH = "body,base,joint,axis,cg,x,y,z,own_mass,R_x,R_y,R_z,c_x,c_y,c_z,I_xx,I_yy,I_zz,I_xy,I_xz,I_yz"


def one(**more):
    """The facts of one body with the numbers OWN; ``__`` stands for a dot."""
    facts = {"coordinates": "q1", "bodies": "body1", **DOWN, **BODY, "body1.at": (0.2, 0.3, 0.5)}
    return facts | {k.replace("__", "."): v for k, v in more.items()}


def table(*rows, head=HEAD):
    return "\n".join((head, *rows)) + "\n"


TURNS = [
    ("ВКП", "x", "x;y_1;z_1", T, (2, -0.6, 5.8)),
    ("ВКП", "-x", "x;y_1;z_1", T, (2, 5.4, 2.2)),
    ("ВКП", "y", "x_1;y;z_1", T, (4.6, 3, 2.8)),
    ("ВКП", "- y", "x_1;y;z_1", T, (-1.4, 3, 5.2)),
    ("ВКП", "z", "x_1;y_1;z", T, (-0.2, 3.6, 5)),
    ("вкп", "−z", "x_1;y_1;z", T, (3.4, 1.2, 5)),
    ("BKП", "z", "x_1;y_1;z", T, (-0.2, 3.6, 5)),
    ("R", "x", "x;y_1;z_1", T, (2, -0.6, 5.8)),
    ("revolute", "x", "x;y_1;z_1", T, (2, -0.6, 5.8)),
]
SLIDES = [  # (0.2, 0.3, 0.5) and 0.4 along the axis
    ("ПКП", "x", (0.6, 0.3, 0.5)), ("ПКП", "-x", (-0.2, 0.3, 0.5)), ("ПКП", "y", (0.2, 0.7, 0.5)),
    ("ПКП", "-y", (0.2, -0.1, 0.5)), ("P", "z", (0.2, 0.3, 0.9)), ("Prismatic", "–z", (0.2, 0.3, 0.1)),
]  # fmt: skip
JOINTS = [
    *((table(f"1;0;{kind};{q};;{names};{OWN}"), {"q1": at}, one(body1__arm=arm)) for kind, q, names, at, arm in TURNS),
    *((table(f"1;0;{kind};{q};;x;y;z;{OWN}"), {"q1": 0.4}, one(body1__at=place)) for kind, q, place in SLIDES),
]

#: A quarter about z: (x, y, z) goes to (-y, x, z).
TREE = table(
    "1;0;ВКП;z;;x_1;y_1;z;7;0;0;0;0.11;0.13;0.17;2;3;4;0.19;0.23;0.29",
    "2;1;ПКП;-x_1;;x_1;y_1;z;2;0.2;0.3;0.5;0.1;0;0;1;1.5;2;0;0;0",  # (0.2 - 0.4, 0.3, 0.5), turned
    "3;1;ВКП;y_1;;x_3;y_1;z_3;3;0.6;0.7;0.8;0;0.1;0;1;1.5;2;0;0;0",  # the arm (4.6, 3, 2.8), turned
    "4;3;ПКП;x_3;;x_3;y_1;z_3;5;0;0;0;0;0;0.1;1;1.5;2;0;0;0",  # 0.5 (0.8, 0, -0.6) from O_3, turned
)
BRANCHES = {
    "coordinates": "q1 q2 q3 q4", "bodies": "body1 body2 body3 body4", **DOWN, **BODY, "body1.arm": (-3, 2, 5),
    "body2.on": "body1", "body2.at": (-0.3, -0.2, 0.5), "body2.arm": (-3, 2, 5), "body2.mass": 2,
    "body2.centre": (0.1, 0, 0), "body2.tensor": (1, 1.5, 2, 0, 0, 0), "body3.on": "body1",
    "body3.at": (-0.7, 0.6, 0.8),
    "body3.arm": (-3, 4.6, 2.8), "body3.mass": 3, "body3.centre": (0, 0.1, 0), "body3.tensor": (1, 1.5, 2, 0, 0, 0),
    "body4.on": "body3", "body4.at": (-0.7, 1, 0.5), "body4.arm": (-3, 4.6, 2.8), "body4.mass": 5,
    "body4.centre": (0, 0, 0.1), "body4.tensor": (1, 1.5, 2, 0, 0, 0),
}  # fmt: skip
AT = {"q1": PI / 2, "q2": 0.4, "q3": T, "q4": 0.5}

ROW = f"1;0;ВКП;z;;x_1;y_1;z;{OWN}"
CELLS = ROW.split(";")
HERE = {"q1": T}
Z = one(body1__arm=(-0.2, 3.6, 5))
STARTS = HEAD + ";q0"
WAYS = [
    (TREE, AT, BRANCHES),
    (TREE.replace(";", "\t"), AT, BRANCHES),
    (TREE.replace(";", ","), AT, BRANCHES),
    (TREE.replace(".", ","), AT, BRANCHES),
    (table(ROW.replace(";", ",").replace("ВКП", "R"), head=ENGLISH), HERE, Z),
    ("g;9.81;-z\n" + table(ROW), HERE, {**Z, "gravity": (0, 0, -9.81)}),
    ("\n g ;1,62; x ;;\n\n" + table(ROW), HERE, {**Z, "gravity": (1.62, 0, 0)}),
    ("g\t7\t2\t-3\t6\n" + table(ROW).replace(";", "\t"), HERE, {**Z, "gravity": (2, -3, 6)}),
    ("g;0\n" + table(ROW), HERE, {k: v for k, v in Z.items() if k != "gravity"}),
    ("g;;0;3;-4\n" + table(ROW), {**HERE, "g": 5}, {**Z, "gravity": (0, 3, -4), "g.given": None}),
    (table(ROW, head=HEAD.replace("_", "").replace("КП", "KP")), HERE, Z),
    (table(ROW, head=HEAD.replace("КП", " Kп ").replace("m_o", "m _o")), HERE, Z),
    ("\ufeff\n\n" + table(ROW, ";;;") + "\n ; ", HERE, Z),
    (table(ROW + ";;", head=HEAD), HERE, Z),
    (table(ROW + ";", head=HEAD + ";"), HERE, Z),
    (table(ROW.replace("0.2;", '"0.2";'), head=HEAD), HERE, Z),
    (table(";".join(CELLS[1:]), head=HEAD[2:]), HERE, Z),  # without numbers
    (table(";" + ";".join(CELLS[1:])), HERE, Z),
    (table(ROW.replace("0.2;0.3", "2e-1; +0.3")), HERE, Z),
    # columns in another order
    (table(";".join(CELLS[::-1]), head=";".join(HEAD.split(";")[::-1])), HERE, Z),
    # initial positions are metres and radians
    (table(ROW + ";0.4", head=STARTS), HERE, {**Z, "q1.q": 0.4}),
    (table(ROW + ";", head=STARTS), HERE, Z),
    (table(f"1;0;ПКП;x;;x;y;z;{OWN};-0.4", head=STARTS), {}, one(q1__q=-0.4, body1__at=(-0.2, 0.3, 0.5))),
    (table(f"1;0;ПКП;-x;;x;y;z;{OWN};0.4", head=STARTS), {}, one(q1__q=0.4, body1__at=(-0.2, 0.3, 0.5))),
]  # fmt: skip

# A chain without bases: i-1 is the row before.
CHAIN = (
    "КП;q;d;x;y;z;m_o;R_x;R_y;R_z;c_x;c_y;c_z;I_xx;I_yy;I_zz\n"
    "ПКП;x;;x;y;z;2;0;0;0;0.1;0;0;1;1.5;2\nПКП;y;;x;y;z;3;0.2;0;0;0;0.1;0;1;1.5;2\nПКП;z;;x;y;z;5;0;0.3;0;0;0;0.1;1;1.5;2\n"
)
CHAINED = {
    "coordinates": "q1 q2 q3", "bodies": "body1 body2 body3", **DOWN, "body1.mass": 2, "body2.mass": 3, "body3.mass": 5,
    "body2.on": "body1", "body3.on": "body2", "body1.at": (10, 0, 0), "body2.at": (10.2, 20, 0),
    "body3.at": (10.2, 20.3, 30), "body1.centre": (0.1, 0, 0), "body2.centre": (0, 0.1, 0), "body3.centre": (0, 0, 0.1),
    **{f"body{n}.tensor": (1, 1.5, 2, 0, 0, 0) for n in (1, 2, 3)},
}  # fmt: skip

#: Two bodies of 4 and 2 kg, the second with its pole at (0.3, 0.1, 0.7) and its centre in it: m_1 = 6, Σ m_j R_j =
#: (0.6, 0.2, 1.4). With d_1 = 0.5 along d̄: c_1 = (3 d̄ - (0.6, 0.2, 1.4))/4.
TENSORS = "I_xx;I_yy;I_zz;I_xy;I_xz;I_yz"
SOLID = "2;3;4;0.19;0.23;0.29"
DISTANCES = [
    ("x_1", (0.6, -0.05, -0.35)), ("-x_1", (-0.9, -0.05, -0.35)), ("y_1", (-0.15, 0.7, -0.35)),
    ("-y_1", (-0.15, -0.8, -0.35)), ("z", (-0.15, -0.05, 0.4)), ("-z", (-0.15, -0.05, -1.1)),
    ("0", (-0.15, -0.05, -0.35)), ("-0", (-0.15, -0.05, -0.35)),
]  # fmt: skip


def pair(centre, **more):
    """The facts of the two bodies."""
    facts = {
        "coordinates": "q1 q2", "bodies": "body1 body2", **DOWN, "body1.mass": 4, "body2.mass": 2, "body2.on": "body1",
        "body2.at": (0.3, 0.1, 0.7), "body1.centre": centre, "body1.tensor": (2, 3, 4, 0.19, 0.23, 0.29),
        "body2.tensor": (2, 3, 4, 0.19, 0.23, 0.29),
    }  # fmt: skip
    return facts | {k.replace("__", "."): v for k, v in more.items()}


def pairs(head, first, second, d="x_1"):
    """The table of the two bodies; ``head`` are the columns after z."""
    rows = f"1;0;ВКП;z;{d};x_1;y_1;z;{first};{SOLID}", f"2;1;ПКП;x_1;0;x_1;y_1;z;{second};{SOLID}"
    return table(*rows, head=f"i;i-1;КП;q;d;x;y;z;{head};{TENSORS}")


ARMS = "R_x;R_y;R_z"
FREE = {
    **{f"{key}{n}.given": None for key in ("m_o", *TENSORS.split(";")) for n in (1, 2)},
    **{f"{key}2.given": None for key in ARMS.split(";")},
}
GIVEN = {"m_o1": 4, "m_o2": 2, "R_x2": 0.3, "R_y2": 0.1, "R_z2": 0.7, "d_1": 0.5} | {
    f"{key}{n}": float(value) for key, value in zip(TENSORS.split(";"), SOLID.split(";")) for n in (1, 2)
}
CENTRES = "m_o;R_x;R_y;R_z;c_x;c_y;c_z"
SECOND = "2;0.3;0.1;0.7;0;0;0"
MASSES = [
    *((pairs(f"m_o;d_i;{ARMS}", "4;0.5;0;0;0", "2;0;0.3;0.1;0.7", d), {}, pair(c)) for d, c in DISTANCES),
    (pairs(f"m_i;d_i;{ARMS}", "6;0.5;0;0;0", "2;0;0.3;0.1;0.7", "-y_1"), {}, pair((-0.15, -0.8, -0.35))),
    (pairs(f"m_o;m_i;d_i;{ARMS}", "4;6;0.5;0;0;0", "2;2;0;0.3;0.1;0.7", "z"), {}, pair((-0.15, -0.05, 0.4))),
    (pairs(f"m_o;{ARMS}", "4;0;0;0", "2;0.3;0.1;0.7", "-y_1"), {"d_1": 0.5},
     pair((-0.15, -0.8, -0.35), d_1__given=None)),
    (pairs(f"m_o;d_i;{ARMS}", "4;0.5;0.01;0.02;0.03", "2;0;0.3;0.1;0.7", "z"), {},
     pair((-0.15, -0.05, 0.4), body1__at=(0.01, 0.02, 0.03), body2__at=(0.31, 0.12, 0.73))),
    # nothing but the paper's own columns
    ("i;i-1;КП;q;d;x;y;z\n1;0;ВКП;z;-y_1;x_1;y_1;z\n2;1;ПКП;x_1;0;x_1;y_1;z\n", GIVEN,
     pair((-0.15, -0.8, -0.35), d_1__given=None, **FREE)),
    # a centre that is given is held to d, whose direction completes its digits
    (pairs(CENTRES, "4;0;0;0;0.6;-0.0499999997;-0.3500000002", SECOND), {}, pair((0.6, -0.05, -0.35))),
    (pairs(CENTRES, "4;0;0;0;-0.15;-0.0500000003;0.4", SECOND, "z"), {}, pair((-0.15, -0.05, 0.4))),
    (pairs(CENTRES, "4;0;0;0;-0.1500000001;-0.05;-0.35", SECOND), {}, pair((-0.1500000001, -0.05, -0.35))),
    (pairs(CENTRES, "4;0;0;0;-0.1500000001;-0.05;-0.35", SECOND, "0"), {}, pair((-0.15, -0.05, -0.35))),
    (pairs(CENTRES, "4;0;0;0;0.5;0.4;0.3", SECOND, ""), {}, pair((0.5, 0.4, 0.3))),
    (pairs(CENTRES + ";d_i", "4;0;0;0;0.6;-0.05;-0.35;0.5", SECOND + ";0"), {}, pair((0.6, -0.05, -0.35))),
    # what s is made of counts whole, whatever its signs: 4·0.9 + 0.6 + 0.2 + 0.2 + 1.4 + 1.4 = 7.4
    (pairs(CENTRES, "4;0;0;0;0.9;0.0500000015;0.35", "2;-0.3;-0.1;-0.7;0;0;0"), {},
     pair((0.9, 0.05, 0.35), body2__at=(-0.3, -0.1, -0.7))),
    # without arms there is nothing to hold it to
    (pairs("m_o;c_x;c_y;c_z", "4;0.5;0.4;0.3", "2;0;0;0"), {"R_x2": 0.3, "R_y2": 0.1, "R_z2": 0.7},
     pair((0.5, 0.4, 0.3), R_x2__given=None, R_y2__given=None, R_z2__given=None)),
    # a planar table
    ("i-1;КП;q;d;x;y;z;m_o;R_x;R_y;c_x;c_y;I_zz\n0;ВКП;z;;x_1;y_1;z;2;0;0;0.3;0.1;0.05\n1;ПКП;y_1;;x_1;y_1;z;1;0.5;0.6;0;0;0.01\n",
     {"q1": PI / 2, "q2": 0.2}, {  # (0.5, 0.8, 0), a quarter turned
        "coordinates": "q1 q2", "bodies": "body1 body2", **DOWN, "body1.mass": 2, "body2.mass": 1, "body2.on": "body1",
        "body1.centre": (0.3, 0.1, 0), "body1.tensor": (0.025, 0.025, 0.05, 0, 0, 0), "body1.arm": (-3, 2, 5),
        "body2.arm": (-3, 2, 5), "body2.at": (-0.8, 0.5, 0), "body2.tensor": (0.005, 0.005, 0.01, 0, 0, 0)}),
    ("КП;q;d;x;y;z;m_o;R_x;R_y;I_xx;I_yy;I_zz;c_x;c_y\nВКП;z;;x_1;y_1;z;2;0;0;0.02;0.04;0.05;0;0.1\n", {},
     {"coordinates": "q1", "bodies": "body1", **DOWN, "body1.mass": 2, "body1.centre": (0, 0.1, 0),
      "body1.tensor": (0.02, 0.04, 0.05, 0, 0, 0)}),
    ("КП;q;d;x;y;z;m_o;R_x;R_y;I_xx;I_yy;I_zz;c_x;c_y\nВКП;z;;x_1;y_1;z;2;0;0;0;0.05;0.05;0;0.1\n", {},
     {"coordinates": "q1", "bodies": "body1", **DOWN, "body1.mass": 2, "body1.centre": (0, 0.1, 0),
      "body1.tensor": (0, 0.05, 0.05, 0, 0, 0)}),
    ("КП;q;d;x;y;z;m_o;R_x;R_y;I_xx;I_yy;I_zz;c_x;c_y\nВКП;z;;x_1;y_1;z;2;0;0;0.05;0;0.05;0;0.1\n", {},
     {"coordinates": "q1", "bodies": "body1", **DOWN, "body1.mass": 2, "body1.centre": (0, 0.1, 0),
      "body1.tensor": (0.05, 0, 0.05, 0, 0, 0)}),
]  # fmt: skip
REFUSED = [
    pairs(CENTRES, "4;0;0;0;0.6;-0.049999997;-0.35", SECOND),  # beside d by more than 1e-9 of what s is made of
    pairs(CENTRES, "4;0;0;0;0.6;-0.05;-0.350000003", SECOND),
    pairs(CENTRES, "4;0;0;0;0.6;-0.05;-0.35", SECOND, "-x_1"),
    pairs(CENTRES, "4;0;0;0;0.6;-0.05;-0.35", SECOND, "y_1"),
    pairs(CENTRES, "4;0;0;0;0.6;-0.05;-0.35", SECOND, "0"),
    pairs(CENTRES + ";d_i", "4;0;0;0;0.6;-0.05;-0.35;0.50000001", SECOND + ";0"),
    pairs(CENTRES + ";d_i", "4;0;0;0;0.6;-0.05;-0.35;-0.5", SECOND + ";0"),
    pairs(f"m_o;m_i;d_i;{ARMS}", "4;6.0000001;0.5;0;0;0", "2;2;0;0.3;0.1;0.7"),
    table("1;0;ПКП;z;;x;y;z;7;1;2;0.1;0.2;0.5", head="i;i-1;КП;q;d;x;y;z;m_o;R_x;R_y;c_x;c_y;I_zz"),  # not planar
    table("1;0;ВКП;x;;x;y_1;z_1;7;1;2;0.1;0.2;0.5", head="i;i-1;КП;q;d;x;y;z;m_o;R_x;R_y;c_x;c_y;I_zz"),
    table(ROW.replace("1;0;", "2;0;")),
    table(ROW.replace("1;0;", "1;1;")),
    table(ROW.replace("1;0;", "1;;")),
    table(ROW.replace("x_1;", "x_2;")),
    table(ROW.replace("z;;", "y_1;;")),
    table(ROW.replace("z;;", "z;y;")),
    table(ROW.replace("2;3;4", "2;3;-4")),
    table(ROW.replace("0.11", "")),
    table(ROW.replace(";", ",").replace("0.11", '"0,11"'), head=HEAD.replace(";", ",")),
    table(ROW, head=HEAD + ";;"),
    *(table(ROW, head=HEAD.replace(f";{name};", f";{name}{name};")) for name in ("КП", "q", "d", "x", "y", "z", "m_o")),
]


@pytest.mark.parametrize(
    ("text", "at", "expected"), [*JOINTS, *WAYS, (CHAIN, {"q1": 10, "q2": 20, "q3": 30}, CHAINED), *MASSES]
)
def test_a_table_is_these_numbers(text, at, expected):
    assert wrong(text, "tp", at, expected) == []


@pytest.mark.parametrize("text", REFUSED)
def test_a_table_that_contradicts_itself_is_no_model(text):
    with pytest.raises(ReadError):
        read(text, "tp")


def test_bytes_that_no_page_has_are_no_model():
    wild = TREE.encode("cp1251").replace("КП".encode("cp1251"), b"\x98", 1)
    with pytest.raises(ReadError):
        registry.read_bytes(wild, "-", "tp")


def test_free_parameters_stand_in_the_order_of_their_numbers():
    text = "КП;q;d;x;y;z;R_x;R_y;R_z;I_xx;I_yy;I_zz\n" + "ПКП;x;0;x;y;z;1;0;0;2;3;4\n" * 11
    assert [p.name for p in read(text, "tp").parameters] == [f"m_o{n}" for n in range(1, 12)]


@pytest.mark.parametrize(
    ("file", "name"), [("a.b.tp.csv", "a.b"), ("some/c.tp.xlsx", "c"), ("d.csv", "d.csv"), ("-", ""), ("", "")]
)
def test_a_model_is_called_after_its_file(file, name):
    assert seen(read(TREE, "tp", file), {}, "tp").get("name", "") == name


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1251"])
def test_bytes(encoding):
    model = registry.read_bytes(TREE.encode(encoding), "-", "tp").system
    assert differences(seen(model, AT, "tp"), BRANCHES) == []


@pytest.mark.parametrize("below", [0, 4], ids=["whole", "empty rows below"])
def test_a_workbook(below):
    """Numbers and words of its cells, of the first sheet."""
    book = openpyxl.Workbook()
    for line in TREE.splitlines():
        book.active.append([_cell(text) for text in line.split(";")])
    if below:
        book.active.cell(5 + below, 1).value = ""
    book.create_sheet("other").append(["nothing"])
    stored = BytesIO()
    book.save(stored)
    for file in ("t.tp.xlsx", "-"):
        model = registry.read_bytes(stored.getvalue(), file, "tp").system
        assert differences(seen(model, AT, "t"), {**BRANCHES, **({"name": "tp"} if file == "-" else {})}) == []


def _cell(text):
    try:
        return float(text) if text else None
    except ValueError:
        return text
