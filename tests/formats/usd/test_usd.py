"""Stages read from stored facts, against numbers of hand-written kinematics that read no USD."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.converters.format import Reading
from mbconcord.converters.usd.reader import read_facts
from mbconcord.converters.usd.stage import in_model_units
from mbconcord.model import ReadError, System
from tests.readers.seen import seen

HERE = Path(__file__).parent
FACTS = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
#: The vector of a body that the direct witness shows.
ARM = np.array([2.0, 3.0, 5.0])
MOVING = [name for name, row in EXPECTED.items() if "M" in row]
#: Rounding, of the largest entry; h of the vectors is from differences.
ROUNDING = 1e-12


@cache
def read(name: str) -> Reading:
    text = (HERE / "stages" / f"{name}.usda").read_text(encoding="utf-8")
    return read_facts(FACTS[name], f"{name}.usda", text)


def numbers(system: System, row: dict, quantity: str) -> np.ndarray:
    names = row["coordinates"]
    state = dict(zip(names, row["q"])) | {n + "'": v for n, v in zip(names, row["v"])}
    found = mbconcord.evaluate(system.open_loops(), state, quantities=[quantity], witness=False, physics="ignore")
    return np.asarray(found[quantity])


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "05_bad"])
def test_coordinates_of_a_stage(name):
    system = read(name).system
    assert list(system.coordinate_names) == EXPECTED[name]["coordinates"]
    assert {o.kind for o in system.omissions if o.acts} == set(EXPECTED[name].get("omissions", ()))


@pytest.mark.parametrize("quantity", ["M", "h", "gravity", "applied"])
@pytest.mark.parametrize("name", MOVING)
def test_numbers_of_a_stage(name, quantity):
    row = EXPECTED[name]
    expected = np.array(row[quantity])
    scale = np.abs(expected).max(initial=0.0) + np.abs(np.array(row["M"])).max() * (quantity != "M")
    off = np.abs(numbers(read(name).system, row, quantity) - expected).max()
    assert off <= ROUNDING * scale * (1e3 if quantity == "h" else 1)


@pytest.mark.parametrize("name", MOVING)
def test_poses_of_a_stage(name):
    row = EXPECTED[name]
    found = seen(read(name).system.open_loops(), dict(zip(row["coordinates"], row["q"])))
    for body, (R, p) in row["poses"].items():
        assert found.get(f"{body}.at", np.zeros(3)) == pytest.approx(np.array(p), abs=1e-12)
        assert found.get(f"{body}.arm", ARM) == pytest.approx(np.array(R) @ ARM, abs=1e-12)


def test_a_bad_stage_is_refused_with_every_finding():
    with pytest.raises(ReadError) as caught:
        read("05_bad")
    found = [str(d).partition("error: ")[2] for d in caught.value.diagnostics]
    for message in EXPECTED["05_bad"]["messages"]:
        words = message.replace("<", "").replace(">", "").replace("/", "")
        assert any(words in text.replace("<", "").replace(">", "").replace("/", "") for text in found), message


def test_a_loop_leaves_the_motion_of_the_parallelogram():
    (row,) = read("15_loop").system.constraints
    assert (row.name, row.auxiliary) == ("s", ("s",))


def test_two_joints_of_one_pair_hold_one_another():
    reading = read("14_parallel")
    (row,) = reading.system.constraints
    assert row.name == "second"
    assert any("the two hold one another" in d.message for d in reading.diagnostics)


def test_rows_of_mimics_are_zero_where_they_follow():
    from mbconcord.model.expressions import evaluate_float, symbol

    row = EXPECTED["17_mimic"]
    values = {symbol(n).data: q for n, q in zip(row["coordinates"], row["q"])}
    for constraint in read("17_mimic").system.constraints:
        assert abs(evaluate_float(constraint.expression, values)) < 1e-12


# Numbers: the shortest decimal, in the unit of the model, that single precision does not tell from the stage's.


@pytest.mark.parametrize(
    ("kind", "x", "factor", "degrees", "expected"),
    [
        ("float", 0.10000000149011612, "1", 0, "0.1"),
        ("float", 0.008726646192371845, "1", -1, "0.5"),  # 0.5 per radian
        ("float", 1000.0, "0.0000001", -1, "0.018/pi"),  # per degree, in grams and centimetres
        ("float", 30.0, "1", 1, "pi/6"),
        ("float", 20.053522109985352, "1", 1, "0.35"),
        ("float", 12.300000190734863, "0.01", 0, "0.123"),
        ("double", 0.1, "1", 0, "0.1"),
        ("double", 0.3, "0.01", 0, "0.003"),
    ],
)
def test_numbers_are_the_shortest_decimals(kind, x, factor, degrees, expected):
    assert str(in_model_units(kind, x, Fraction(factor), degrees)) == expected
