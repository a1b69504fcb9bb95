"""The native format: lossless for every type, deterministic, true to its schema, strict about input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mbconcord.converters import registry
from mbconcord.converters.native.reader import read, write
from mbconcord.model import (
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Function,
    Gravity,
    Inertia,
    LinearLaw,
    Motion,
    Nonholonomic,
    Parameter,
    Point,
    Prescribed,
    System,
    Wrench,
    rotation,
    translation,
)
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.expressions import PI_NODE, TIME, Expression, as_expression, number, sin

from ..work import at_most
from .every_type import SYSTEMS, base, dz, jk, m1
from .native_files import VALIDATOR, assert_round_trip


@pytest.mark.parametrize("name", SYSTEMS)
def test_round_trip(name: str) -> None:
    assert_round_trip(SYSTEMS[name])


def test_every_type_of_the_model_is_in_the_table() -> None:
    """A type that the model gains and this table forgets fails here."""
    import mbconcord.model as model

    met: set[str] = set()

    def visit(value: Any) -> None:
        if hasattr(value, "__dataclass_fields__"):
            met.add(type(value).__name__)
            for name in value.__dataclass_fields__:
                visit(getattr(value, name))
        elif isinstance(value, (tuple, list)):
            for item in value:
                visit(item)

    for system in SYSTEMS.values():
        visit(system)
    types = {n for n in model.__all__ if hasattr(getattr(model, n), "__dataclass_fields__")}
    assert types - met == {"Diagnostic", "Location", "Loss", "State"}


def test_losses_and_features() -> None:
    chosen = registry.format_named("native")
    assert registry.detect("a/b/arm.mbs.json") is chosen
    assert chosen.sniff('\n{"format": "mbconcord"') and not chosen.sniff("{zi}g")
    assert not registry.write(SYSTEMS["constraints"], "native", strict=True).losses


# --- how things are written ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (as_expression(0.1), "0.1"), (as_expression(-2.4e-6), "-2.4e-6"), (number("1/3"), '"1/3"'),
        (as_expression(0), "0"), (as_expression(-7), "-7"), (m1 * m1, '"m1^2"'), (PI_NODE, '"pi"'),
        (number(10**30), "1e30"),
    ],
)  # fmt: skip
def test_scalars(value: Expression, text: str) -> None:
    written = write(base(parameters=(Parameter("m1"), Parameter("p", value)))).text
    assert f'{{"name": "p", "value": {text}}}' in written


def test_a_number_is_the_decimal_that_is_shown() -> None:
    long = "0.1000000000000000055511151231257827021181583404541015625"
    text = write(base(parameters=(Parameter("m1", 8.75),))).text.replace("8.75", long)
    (parameter,) = read(text).system.parameters
    assert parameter.value is number(long) and parameter.value is not as_expression(float(long))


def test_what_is_shared_is_written_once() -> None:
    assert len(assert_round_trip(SYSTEMS["a large shared formula"])) < 20_000


@pytest.mark.rest
@pytest.mark.slow
def test_a_megabyte_is_read_in_seconds() -> None:
    bodies = [
        Body(f"b{i}", f"b{i - 1}" if i else None, (rotation("z", f"q{i}"), translation("x", m1 * (i + 1))),
             Inertia(1.5 + i / 8, (m1 / 2, 2, 3), (1, 2, i + 1)))
        for i in range(4000)
    ]  # fmt: skip
    system = base(coordinates=tuple(Coordinate(f"q{i}") for i in range(4000)), bodies=tuple(bodies))
    text = write(system).text
    assert len(text) > 1_000_000
    with at_most(15):
        assert read(text).system == system


@pytest.mark.parametrize(
    "metadata",
    [{"a": float("nan")}, {"a": (1, 2)}, {"a": {1: 2}}, {"a": {1, 2}}, {"a": b"x"}, {"a": "\ud800"}, {"a": 10**5000}],
)
def test_metadata_that_json_cannot_hold(metadata: Any) -> None:
    with pytest.raises(WriteError):
        write(base(metadata=metadata))


def test_metadata_nested_too_deep() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(WriteError):
        write(base(metadata={"a": deep}))


FIXED = """
{"format": "mbconcord", "version": 1, "name": "fixed",
 "coordinates": [{"name": "z", "velocity": "1/3", "drive": {"kind": "motion", "acceleration": "2 - z'"}}],
 "parameters": [{"name": "m1", "value": 0.1, "origin": "drawn"}],
 "functions": [{"name": "JK", "arguments": ["t"], "formula": "sin(t)"}],
 "gravity": {"value": 9.81, "direction": "-y"},
 "bodies": [
   {"name": "b", "parent": null, "joint": [{"rotation": "-z", "coordinate": "z"}, {"translation": [3, 0, 4],
    "prescribed": "JK(t)"}],
    "inertia": {"mass": "m1", "centre": [1, 2, 3], "tensor": [1, 2, 3, 0.1, 0.2, 0.3]}},
   {"name": "c", "parent": "b", "joint": [{"rotation": "y", "constant": -2}],
    "inertia": {"mass": 1, "tensor": [4, 5, 6]}}],
 "forces": [
   {"kind": "bipolar", "name": "f", "first": {"body": "c", "position": [1, 0, 0]}, "second": {"body": null},
    "law": {"linear": {"k": 3, "d": 2}}, "mass": 0.5},
   {"kind": "wrench", "name": "w", "point": {"body": "b"}, "force": [1, 2, 3], "moment": [4, 5, 6]}],
 "constraints": [{"kind": "nonholonomic", "name": "n", "coefficients": {"z": 2}, "rest": "t"}]}
"""


def test_a_document_means_what_it_says() -> None:
    """Reading and writing could share an error; here the text is written by hand."""
    assert read(FIXED).system == System(
        "fixed",
        (Coordinate("z", 0, number("1/3"), Motion(2 - dz)),),
        (Parameter("m1", number("1/10"), "drawn"),),
        (Function("JK", ("t",), sin(TIME)),),
        Gravity(9.81, (0, -1, 0)),
        (
            Body(
                "b",
                None,
                (rotation((0, 0, -1), "z"), translation((number("3/5"), 0, number("4/5")), Prescribed(jk))),
                Inertia(m1, (1, 2, 3), (1, 2, 3, 0.1, 0.2, 0.3)),
            ),
            Body("c", "b", (rotation((0, 1, 0), Constant(-2)),), Inertia(1, (0, 0, 0), (4, 5, 6, 0, 0, 0))),
        ),
        (
            Bipolar("f", Point("c", (1, 0, 0)), Point(None), LinearLaw(k=3, d=2), 0.5),
            Wrench("w", Point("b"), (1, 2, 3), (4, 5, 6)),
        ),
        (Nonholonomic("n", {"z": 2}, TIME),),
    )


def test_the_example_of_the_documentation_is_read() -> None:
    page = Path(__file__).parents[2] / "docs" / "formats" / "native.md"
    if not page.exists():
        pytest.skip("the documentation is not installed with the package")
    example = page.read_text("utf-8").split("```json\n")[1].split("```")[0]
    system = read(example).system
    VALIDATOR.validate(json.loads(example))
    assert system.coordinate_names == ("u", "z") and system == read(write(system).text).system
    assert replace(system, name="") != system
