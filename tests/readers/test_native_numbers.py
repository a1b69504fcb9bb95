"""The native format: each key of each type, as the number that stands in the text."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

from mbconcord.converters.registry import read_text
from mbconcord.model import ReadError, System
from mbconcord.model.coordinate import Effort, Motion
from mbconcord.model.expressions import evaluate_float

from .seen import differences, read, seen

T = math.atan2(3, 4)
DEFAULT = {"coordinates": [{"name": "z"}]}
SLIDE = {"translation": "z", "coordinate": "z"}


def model(**keys) -> System:
    """A model called ``native`` with a coordinate z and what is given."""
    return read(json.dumps({"format": "mbconcord", "version": 1, "name": "native", **DEFAULT, **keys}), "native")


def unlikely(**keys) -> System:
    """The same of numbers that no body has."""
    text = json.dumps({"format": "mbconcord", "version": 1, "name": "native", **DEFAULT, **keys})
    return read_text(text, "-", "native", "ignore").system


def of(value) -> list | float | str | None:
    """Expressions within tuples as numbers within lists."""
    if isinstance(value, (tuple, list)):
        return [of(v) for v in value]
    return (
        value if isinstance(value, (str, float, int)) or value is None else evaluate_float(value, {"z": 0.3, "t": 0.5})
    )


def body(*joint, **more):
    return {"name": "B", "parent": None, "joint": list(joint), **more}


def step(kind, axis, motion, amount):
    return {kind: axis, motion: amount}


B = {"coordinates": "z", "bodies": "B"}
STEPS = [
    *((step("translation", sign + axis, "constant", 0.3), {"B.at": [s * 0.3 * (a == axis) for a in "xyz"]})
      for axis in "xyz" for sign, s in (("", 1), ("-", -1))),
    (step("translation", [2, -3, 6], "constant", 7), {"B.at": (2, -3, 6)}),
    (step("translation", [0.6, 0, 0.8], "coordinate", "z"), {"B.at": (0.6, 0, 0.8)}),
    (step("translation", "y", "prescribed", "3*t"), {"B.at": (0, 1.5, 0)}),
    (step("rotation", "x", "constant", "asin(0.6)"), {"B.arm": (2, -0.6, 5.8)}),
    (step("rotation", "-y", "constant", "asin(0.6)"), {"B.arm": (-1.4, 3, 5.2)}),
    (step("rotation", "z", "prescribed", "asin(0.6)*2*t"), {"B.arm": (-0.2, 3.6, 5)}),
    (step("rotation", [0, 0, 2], "coordinate", "z"),
     {"B.arm": (2 * math.cos(1) - 3 * math.sin(1), 2 * math.sin(1) + 3 * math.cos(1), 5)}),
]  # fmt: skip


@pytest.mark.parametrize(("transformation", "expected"), STEPS)
def test_a_transformation(transformation, expected):
    free = DEFAULT["coordinates"] if "coordinate" in transformation else []
    found = seen(model(bodies=[body(transformation)], coordinates=free), {"z": 1, "t": 0.5}, "native")
    assert differences(found, {"bodies": "B", **({"coordinates": "z"} if free else {}), **expected}) == []


POINTS = {"first": {"body": "B", "position": [1, 2, 3]}, "second": {"body": None, "position": [4, 5, 7]}}
LINEAR = {"f0": 11, "k": 13, "l0": 0.2, "d": 17, "q": 19, "w": "pi", "a": "pi/6"}
#: z = 0.3, z' = 0.7, t = 1/3.
AT = {"z": 0.3, "z'": 0.7, "t": 1 / 3}
FORCES = [
    ({"kind": "joint_effort", "coordinate": "z", "effort": "2*z - 5*z' + 3*t"}, {"Q": -1.9}),  # 0.6 - 3.5 + 1
    ({"kind": "joint_effort", "coordinate": "z", "effort": {"linear": LINEAR}}, {"Q": 16.8}),  # 11 - 1.3 - 11.9 + 19
    ({"kind": "joint_effort", "coordinate": "z", "effort": {"linear": {"k": 13}}}, {"Q": -3.9}),
    # from (4, 5, 7) to (1, 2, 3.3): (-3, -3, -3.7), length √31.69; pushed apart, B gets 2 · -3.7/√31.69
    ({"kind": "bipolar", **POINTS, "law": 2, "mass": 0.5},
     {"f.joins": "B None", "f.ends": (1, 2, 3.3, 4, 5, 7), "f.mass": 0.5, "Q": -7.4 / math.sqrt(31.69)}),
    ({"kind": "bipolar", "first": {"body": None}, "second": {"body": "B"}, "law": "@ + 10*@'"},
     {"f.joins": "None B", "f.ends": (0, 0, 0, 0, 0, 0.3), "Q": 7.3}),
    ({"kind": "bipolar", "first": {"body": None}, "second": {"body": "B"}, "law": {"linear": LINEAR}},
     {"f.joins": "None B", "f.ends": (0, 0, 0, 0, 0, 0.3), "Q": 16.8}),
    ({"kind": "point_force", "point": POINTS["first"], "force": [2, 3, "5*z"]}, {"Q": 1.5}),
    ({"kind": "wrench", "point": {"body": "B"}, "force": [2, 3, 5], "moment": [7, 11, 13]}, {"Q": 5}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("force", "expected"), FORCES)
def test_a_force(force, expected):
    found = seen(model(bodies=[body(SLIDE)], forces=[{"name": "f", **force}]), AT, "native")
    assert differences(found, {**B, "B.at": (0, 0, 0.3), "forces": "f", **expected}) == []


def test_places_of_forces():
    """Force, point and moment of wrenches and point forces, component by component."""
    made = model(
        bodies=[body(SLIDE)],
        forces=[
            {"name": "p", "kind": "point_force", "point": POINTS["first"], "force": [2, 3, 5]},
            {"name": "w", "kind": "wrench", "point": POINTS["second"], "force": [7, 11, 13], "moment": [17, 19, 23]},
            {"name": "v", "kind": "wrench", "point": {"body": "B"}},
        ],
    ).forces
    assert [f.point.body for f in made] == ["B", None, "B"]
    assert [of(f.point.position) for f in made] == [[1, 2, 3], [4, 5, 7], [0, 0, 0]]
    assert [of(f.force) for f in made] == [[2, 3, 5], [7, 11, 13], [0, 0, 0]]
    assert [of(f.moment) for f in made[1:]] == [[17, 19, 23], [0, 0, 0]]


WAY = [step("translation", "x", "constant", 2), step("rotation", "x", "coordinate", "c")]
QUARTER = {"rotation": "z", "constant": "pi/2"}
CONSTRAINTS = [
    ({"kind": "rod", **POINTS, "length": 1.5, "mass": 0.25},
     {"f.joins": "B None", "f.ends": (1, 2, 3.3, 4, 5, 7), "f.length": 1.5, "f.mass": 0.25}),
    ({"kind": "rod", "first": {"body": None}, "second": {"body": "B"}, "length": 2},
     {"f.joins": "None B", "f.ends": (0, 0, 0, 0, 0, 0.3), "f.length": 2}),
    ({"kind": "point_coincidence", **POINTS}, {"f.joins": "B None", "f.ends": (1, 2, 3.3, 4, 5, 7)}),
    ({"kind": "frame_coincidence",
      "first": {"body": "B", "transformations": WAY},
      "second": {"body": None, "transformations": [QUARTER]}},
     {"f.joins": "B None", "f.cut": "c", "f.first": (2, 0, 0.3, 2, -0.6, 5.8), "f.second": (0, 0, 0, -3, 2, 5)}),
    ({"kind": "frame_coincidence", "first": {"body": None}, "second": {"body": "B"}},
     {"f.joins": "None B", "f.first": (0, 0, 0, 2, 3, 5), "f.second": (0, 0, 0.3, 2, 3, 5)}),
    ({"kind": "holonomic", "expression": "2*z - 3*t"}, {"f.row": -0.4}),
    ({"kind": "nonholonomic", "coefficients": {"z": "7*z"}, "rest": "6*t"}, {"f.of": "z", "f.row": 2.1, "f.rest": 2}),
    ({"kind": "nonholonomic", "coefficients": {"z": 3}}, {"f.of": "z", "f.row": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "expected"), CONSTRAINTS)
def test_a_constraint(constraint, expected):
    found = seen(model(bodies=[body(SLIDE)], constraints=[{"name": "f", **constraint}]), {**AT, "c": T}, "native")
    assert differences(found, {**B, "B.at": (0, 0, 0.3), **expected}) == []


TOP = [
    ({"gravity": {"value": 7, "direction": [2, -3, 6]}}, {"gravity": (2, -3, 6)}),
    *(({"gravity": {"value": "g0", "direction": sign + axis}, "parameters": [{"name": "g0", "value": 3}]},
       {"gravity": [s * 3 * (a == axis) for a in "xyz"], "g0.given": 3})
      for axis in "xyz" for sign, s in (("", 1), ("-", -1))),
    ({"coordinates": [{"name": "z", "position": 0.3, "velocity": -0.4}]},
     {"z.q": 0.3, "z.v": -0.4, "B.at": (0, 0, 0.3)}),
    ({"coordinates": [{"name": "z"}, {"name": "a"}]}, {"coordinates": "z a"}),
    ({"parameters": [{"name": "a", "value": 2}, {"name": "b", "value": "3*a", "origin": "default"},
                     {"name": "d", "value": 7, "origin": "given"},
                     {"name": "c", "value": 5, "origin": "drawn"}]},
     {"a.given": 2, "b.default": 6, "c.drawn": 5, "d.given": 7}),
    ({"parameters": [{"name": "a", "value": "1/3"}, {"name": "b", "value": -2.5e-1}]},
     {"a.given": 1 / 3, "b.given": -0.25}),
    ({"functions": [{"name": "f", "arguments": ["x", "y"], "formula": "10*x - y"}]}, {"f(x, y)": 4.7}),
    ({"functions": [{"name": "f", "arguments": ["x", "y"]}]}, {"f(x, y)": 35}),
    ({"name": "arm"}, {"name": "arm"}),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "expected"), TOP)
def test_keys_of_the_model(keys, expected):
    slides = [step("translation", "z", "coordinate", c["name"]) for c in keys.get("coordinates", [{"name": "z"}])]
    assert differences(seen(model(bodies=[body(*slides)], **keys), {}, "native"), {**B, **expected}) == []


def test_a_tree():
    bodies = [
        body(SLIDE, inertia={"mass": 7, "centre": [0.1, 0.2, -0.3], "tensor": [2, 3, 4, 0.19, 0.23, 0.29]}),
        {"name": "C", "parent": "B", "joint": [QUARTER, {"translation": "x", "constant": 2}], "inertia": {"mass": 5}},
        {"name": "D", "parent": "C", "inertia": {"mass": 3, "tensor": [5, 6, 7]}},
        {"name": "E", "parent": None},
    ]
    expected = {
        "coordinates": "z", "bodies": "B C D E", "B.mass": 7, "B.centre": (0.1, 0.2, -0.3), "B.at": (0, 0, 0.3),
        "B.tensor": (2, 3, 4, 0.19, 0.23, 0.29), "C.on": "B", "C.at": (0, 2, 0.3), "C.arm": (-3, 2, 5), "C.mass": 5,
        "D.on": "C", "D.at": (0, 2, 0.3), "D.arm": (-3, 2, 5), "D.mass": 3, "D.tensor": (5, 6, 7, 0, 0, 0),
    }  # fmt: skip
    assert differences(seen(model(bodies=bodies), AT, "native"), expected) == []


def test_drives():
    drives = [{"kind": "effort", "value": "5*z"}, {"kind": "motion", "acceleration": "7*t"}]
    moved = [{"name": "z", "drive": drives[0]}, {"name": "y", "drive": drives[1]}, {"name": "x"}]
    slides = [step("translation", "z", "coordinate", c["name"]) for c in moved]
    found = [c.drive for c in model(coordinates=moved, bodies=[body(*slides)]).coordinates]
    assert isinstance(found[0], Effort) and isinstance(found[1], Motion) and found[2] is None
    assert (of(found[0].value), of(found[1].acceleration)) == (1.5, 3.5)


def test_added_inertia_and_flywheels():
    rows = [[10 * min(i, k) + max(i, k) + (300 if i == k else 0) for k in range(6)] for i in range(6)]
    wheel = {
        "name": "w", "mounting": [{"translation": "y", "constant": 2}, QUARTER], "angle": "4*t",
        "inertia": {"mass": 3, "centre": [0.1, 0.2, 0.3], "tensor": [5, 6, 7]},
    }  # fmt: skip
    (made,) = model(bodies=[body(SLIDE, added_inertia={"rows": rows}, flywheels=[wheel])]).bodies
    assert of(made.added_inertia.rows) == rows
    (wheel,) = made.flywheels
    assert (wheel.name, of(wheel.angle), of(wheel.inertia.mass)) == ("w", 2, 3)
    assert (of(wheel.inertia.centre), of(wheel.inertia.tensor)) == ([0.1, 0.2, 0.3], [5, 6, 7, 0, 0, 0])
    assert [(et.kind, of(et.axis), of(et.amount)) for et in wheel.mounting] == [
        ("translation", [0, 1, 0], 2), ("rotation", [0, 0, 1], math.pi / 2),
    ]  # fmt: skip


def test_elastic_modes():
    def rows(first, count, columns):
        return [[first + columns * i + k for k in range(columns)] for i in range(count)]

    modes = {
        "coordinates": ["e2", "e1"],
        "first_moments": rows(100, 2, 3),
        "second_moments": [[rows(200 + 30 * i + 10 * k, 3, 3) for k in range(3)] for i in range(3)],
        "stiffness": rows(300, 2, 2), "damping": rows(310, 2, 2),
        "section_inertia": [rows(400, 3, 3), rows(420, 3, 2), rows(440, 2, 2)],
        "nodes": [{"name": "tip", "position": [1, 2, 3], "translation": rows(500, 3, 2), "rotation": rows(600, 3, 2)}],
    }  # fmt: skip
    hand = {"name": "H", "parent": "B", "parent_node": "tip"}
    coordinates = [{"name": "e1"}, {"name": "z"}, {"name": "e2"}]
    made = unlikely(coordinates=coordinates, bodies=[body(SLIDE, modes=modes), hand]).bodies
    assert (made[1].parent, made[1].parent_node, made[0].parent_node) == ("B", "tip", None)
    found = made[0].modes
    assert found.coordinates == ("e2", "e1")
    for key in ("first_moments", "second_moments", "stiffness", "damping", "section_inertia"):
        assert of(getattr(found, key)) == modes[key], key
    (node,) = found.nodes
    assert (node.name, of(node.position)) == ("tip", [1, 2, 3])
    assert (of(node.translation), of(node.rotation)) == (rows(500, 3, 2), rows(600, 3, 2))


NODES = [["num", "1/2"], ["sym", "a"], ["sym", "z"], ["add", 1, 2], ["mul", 0, 3]]
NUMBERS = [
    ("-0.25", -0.25), ("12.5e-3", 0.0125), ("1E+2", 100), ('"-a*2 + z"', -3.7), ('"2^-3/4"', 1 / 32), ("0", 0),
    (json.dumps({"graph": {"nodes": NODES, "outputs": [4]}}), 1.15),  # (2 + 0.3)/2
    ('  "\\u0061 / 4"', 0.5),
]  # fmt: skip
TEXT = json.dumps({
    "format": "mbconcord", "version": 1, "name": "n", **DEFAULT, "bodies": [body(SLIDE)],
    "parameters": [{"name": "a", "value": 2}],
    "constraints": [{"kind": "holonomic", "name": "h", "expression": "HERE"}],
})  # fmt: skip


@pytest.mark.parametrize(("written", "value"), NUMBERS)
def test_numbers_and_formulas(written, value):
    made = read(TEXT.replace('"HERE"', written), "native")
    assert seen(made, {"z": 0.3}, "n").get("h.row", 0) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "layout", [{"separators": (",", ":")}, {"indent": 3}, {"separators": (" ,\t", "\r\n :  ")}], ids=str
)
def test_blanks_say_nothing(layout):
    whole = json.loads(TEXT.replace("HERE", "a")) | {
        "metadata": {"a": [], "b": {}, "c": [1, [2, 3]], "d": ""},
        "name": "é",
    }
    made = read(f" \n{json.dumps(whole, **layout)}\t ", "native")
    assert made.metadata == whole["metadata"]
    assert differences(seen(made, {}, "é"), {**B, "a.given": 2, "h.row": 2}) == []


@pytest.mark.parametrize("text", ["0.1", "1e1000", "2E-1000", "-5e+1000", "0." + "7" * 998, "8" * 1000])
def test_numbers_are_the_decimals_that_stand_there(text):
    """One tenth is not the double next to it; a thousand digits, or an exponent of a thousand, are not too many."""
    (row,) = read(TEXT.replace('"HERE"', text), "native").constraints
    assert row.expression.value == Fraction(text)


def test_metadata_is_kept():
    kept = {"um:x": [1, -2.5, True, False, None, {"a": "b"}], "s": "é\n"}
    assert model(bodies=[body(SLIDE)], metadata=kept).metadata == kept


REFUSED = [
    {"format": "other"}, {"version": 2}, {"version": "1"}, {"name": 3}, {"more": 1}, {"bodies": [{"name": "B"}]},
    {"bodies": [body(SLIDE, inertia={"mass": 1, "tensor": [1, 2]})]},
    {"bodies": [body(SLIDE, inertia={"mass": 1, "centre": [1, 2]})]},
    {"bodies": [body({"translation": "w", "coordinate": "z"})]},
    {"bodies": [body({"translation": [1, 2], "coordinate": "z"})]},
    {"bodies": [{"name": "B", "parent": 3, "joint": [SLIDE]}]},
    {"bodies": [body({"translation": "x", "rotation": "x", "coordinate": "z"})]},
    {"bodies": [body({"translation": "x", "coordinate": "z", "constant": 1})]},
    {"bodies": [body({"coordinate": "z"})]}, {"bodies": [body({"translation": "z"})]},
    {"parameters": [{"name": ""}]}, {"parameters": [{"name": "a", "origin": "guessed"}]},
    {"parameters": [{"name": "a", "value": True}]}, {"forces": [{"kind": "push", "name": "f"}]},
    {"gravity": {"value": 1}},
]  # fmt: skip


@pytest.mark.parametrize("keys", REFUSED, ids=str)
def test_what_is_no_model(keys):
    whole = {"format": "mbconcord", "version": 1, "name": "n", **DEFAULT, "bodies": [body(SLIDE)]}
    read(json.dumps(whole), "native")
    with pytest.raises(ReadError):
        read(json.dumps(whole | keys), "native")


ONCE = '"version": 1'
TEXTS = [
    "", "nope", '{"format": nope}', TEXT[:-1], TEXT + "}", TEXT.replace('"a"', "'a'"), TEXT.replace('"z"', '"z', 1),
    TEXT.replace(ONCE, '"version": 01'), TEXT.replace(ONCE, f"{ONCE}, {ONCE}"), TEXT.replace("HERE", "2*"),
    TEXT.replace("HERE", "b"), TEXT.replace("HERE", "\\ud800"),
    TEXT.replace('"HERE"', "1e1001"), TEXT.replace('"HERE"', "1e-1001"), TEXT.replace('"HERE"', "8" * 1001),
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_no_text_of_a_model(text):
    with pytest.raises(ReadError):
        read(text, "native")
