"""What the native format refuses: broken texts, wrong values, models that cannot be; and so its schema."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from mbconcord.converters.native import layout, schema
from mbconcord.converters.native.reader import read, write
from mbconcord.converters.native.record import Field
from mbconcord.converters.native.shape import Text
from mbconcord.model import Body, Coordinate, Parameter, System, rotation, translation
from mbconcord.model.diagnostics import ReadError

from .native_files import SCHEMA, VALIDATOR

HEAD = '{"format": "mbconcord", "version": 1, "name": "x"'
PARAMETER = HEAD + ', "parameters": [{"name": "a", '
GRAVITY = HEAD + ', "gravity": {'
BODY = HEAD + ', "bodies": [{"name": "b", "parent": null, '
JOINT = BODY + '"joint": [{'
OMISSION = HEAD + ', "omissions": [{"place": "contact/a", '
BAD = {
    # text: (line, column, words of the message)
    "": (1, 1, "end of the text"),
    "[1, 2]": (1, 1, "found a list; expected an object"),
    '{"name": "x"}': (1, 1, "no format"),
    '{"format": "other", "version": 1}': (1, 12, "other"),
    '{"format": "mbconcord"}': (1, 1, "knows version 1"),
    '{"format": "mbconcord",\n "version": 2, "name": 3}': (2, 13, "version 2; this program knows version 1"),
    '{"format": "mbconcord", "version": true}': (1, 36, "knows version 1"),
    '{"format": "mbconcord", "version": 1}': (1, 1, "'name' is missing"),
    HEAD: (1, 50, "end of the text"),
    HEAD + ",}": (1, 51, "a key in double quotes"),
    HEAD + "} x": (1, 52, "'x'; expected the end"),
    HEAD + ', "name": "y"}': (1, 52, "twice"),
    HEAD + ', "parameters": [01]}': (1, 68, "',' or ']'"),
    HEAD + ', "parameters": [NaN]}': (1, 67, "NaN"),
    HEAD + ', "metadata": {"a": 1e999}}': (1, 64, "too large"),
    HEAD + ', "metadata": {"a": 1e99999999999}}': (1, 70, "digits"),
    HEAD + ', "metadata": {"a": "\\ud800"}}': (1, 70, "half a character"),
    HEAD + ', "metadata": ' + "[" * 100_000: (1, 264, "nested deeper"),
    HEAD + ', "metadata": [' + "9" * 5000 + "]}": (1, 65, "digits"),
    HEAD + ', "metadata": []}': (1, 64, "found a list; expected an object"),
    HEAD + ', "colour": 1}': (1, 62, "unknown key"),
    HEAD + ', "gravity": null}': (1, 63, "found null; expected an object"),
    GRAVITY + '"value": 1, "direction": [0, 0, 0]}}': (1, 63, "no direction"),
    GRAVITY + '"value": 1, "direction": "up"}}': (1, 89, "found 'up'; expected one of x, -x"),
    GRAVITY + '"value": true, "direction": "x"}}': (1, 73, "found true or false; expected a number"),
    HEAD + ', "parameters": {}}': (1, 66, "expected a list"),
    HEAD + ', "parameters": [{"name": ""}]}': (1, 76, "not empty"),
    HEAD + ', "parameters": [{"name": 5}]}': (1, 76, "found a number; expected a name"),
    PARAMETER + '"value": "1 +"}]}': (1, 94, "formula"),
    PARAMETER + '"value": "1/0"}]}': (1, 91, "division by zero"),
    PARAMETER + '"value": {"graph": 3}}]}': (1, 90, "graph"),
    PARAMETER + '"value": {"graph": {"nodes": [], "outputs": []}}}]}': (1, 90, "graph"),
    PARAMETER + '"value": {"graph": {"nodes": [["num", "1e999999999"]], "outputs": [0]}}}]}':
        (1, 90, "row 0"),
    PARAMETER + '"origin": "heard"}]}': (1, 91, "given, default, drawn"),
    PARAMETER + '"value": "b"}]}': (1, 67, "'b' is not known"),
    HEAD + ', "parameters": [{"name": "a"}, {"name": "a"}]}': (1, 82, "2 parameters have this name"),
    HEAD + ', "coordinates": [{"name": "z", "drive": null}]}': (1, 91, "found null; expected an object"),
    HEAD + ', "forces": [{"name": "a"}]}': (1, 63, "'kind'"),
    HEAD + ', "forces": [{"kind": "magic"}]}': (1, 72, "found 'magic'; expected one of joint_effort"),
    HEAD + ', "forces": [{"kind": {}}]}': (1, 72, "expected one of joint_effort"),
    HEAD + ', "forces": [{"kind": "wrench", "name": "w", "point": {"body": "b"}}]}': (1, 63, "no body 'b'"),
    OMISSION + '"kind": "sinews", "what": ""}]}': (1, 97, "found 'sinews'; expected one of contact, bushing"),
    OMISSION + '"kind": "contact", "what": "", "effect": "heat"}]}': (1, 130, "'heat'; expected one of none, forces"),
    OMISSION + '"kind": "contact"}]}': (1, 66, "'what' is missing"),
    HEAD + ', "omissions": [{"place": "", "kind": "contact", "what": ""}]}': (1, 76, "not empty"),
    HEAD + ', "bodies": [{"name": "b"}]}': (1, 63, "'parent' is missing"),
    HEAD + ', "bodies": [{"name": "b", "parent": "c"}]}': (1, 87, "no body 'c'"),
    BODY + '"inertia": {"mass": 1, "centre": [1]}}]}':
        (1, 126, "found 1 value; expected 3"),
    BODY + '"inertia": {"mass": 1, "tensor": [1, 2, 3, 4]}}]}':
        (1, 126, "found 4 values; expected 3 or 6"),
    BODY + '"added_inertia": {"rows": [[1]]}}]}': (1, 110, "6 by 6"),
    JOINT + '"rotation": "z"}]}]}': (1, 103, "expected one of"),
    JOINT + '"constant": 1}]}]}': (1, 103, "'translation'"),
    JOINT + '"rotation": [0, 0, 0], "constant": 1}]}]}':
        (1, 103, "zero length"),
    JOINT + '"rotation": "z", "constant": "q"}]}]}':
        (1, 103, "'q' is not known"),
}  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[48:100])
def test_bad_input(text: str) -> None:
    line, column, words = BAD[text]
    with pytest.raises(ReadError) as caught:
        read(text, "bad.mbs.json")
    first = caught.value.diagnostics[0]
    assert words in first.message
    assert first.location is not None
    assert (first.location.file, first.location.line, first.location.column) == ("bad.mbs.json", line, column)


def test_all_errors_come_at_once() -> None:
    text = (
        HEAD
        + """,
      "colour": 1,
      "parameters": [{"name": "a", "value": []}, {"name": "b", "value": "1 +"}, {"nome": "c"}],
      "bodies": [{"name": "arm", "parent": null, "inertia": {"mass": "m", "weight": 3}}]}"""
    )
    with pytest.raises(ReadError) as caught:
        read(text)
    places = [d.place for d in caught.value.diagnostics]
    assert places == [
        "colour", "parameters/a/value", "parameters/b/value", "parameters/2/nome", "parameters/2",
        "bodies/arm/inertia/weight",
    ]  # fmt: skip
    assert [d.location.line for d in caught.value.diagnostics if d.location] == [2, 3, 3, 3, 3, 4]


# --- the schema refuses what the reader refuses ----------------------------------------------------


def test_the_published_schema_is_that_of_the_readers_table() -> None:
    """After a change of the table, write ``mbconcord.converters.native.schema.text()`` to schema.json."""
    assert (files("mbconcord.converters.native") / "schema.json").read_text("utf-8") == schema.text()
    VALIDATOR.check_schema(SCHEMA)


def test_a_key_that_the_reader_learns_stands_in_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    key = Field("colour", Text(), None)
    monkeypatch.setattr(layout.BODY, "fields", (*layout.BODY.fields, key))
    assert schema.schema()["$defs"]["body"]["properties"]["colour"] == {"type": "string"}


TREE = System(
    "tree",
    (Coordinate("z"), Coordinate("y")),
    (Parameter("m1", 2),),
    bodies=(Body("b", None, (translation("x", "z"),)), Body("c", "b", (rotation("z", "y"),)), Body("d", "b")),
)


def test_locations_of_a_reading() -> None:
    text = write(TREE).text
    reading = read(text, "f")
    place = reading.locations["bodies/c/joint"]
    line = text.splitlines()[place.line - 1]
    assert line[place.column - 1 :].startswith('[{"rotation": "z"')
    assert {"coordinates/y", "bodies/d", "parameters/m1"} <= set(reading.locations)


REFUSED_BY_SCHEMA: list[dict[str, Any]] = [
    {"version": 2},
    {"format": "other"},
    {"name": None},
    {"colour": 1},
    {"gravity": None},
    {"gravity": {"value": 1, "direction": "up"}},
    {"gravity": {"value": 1}},
    {"parameters": [{"value": 1}]},
    {"parameters": [{"name": ""}]},
    {"parameters": [{"name": "a", "origin": "heard"}]},
    {"parameters": [{"name": "a", "value": True}]},
    {"parameters": [{"name": "a", "value": {"graph": 3}}]},
    {"coordinates": [{"name": "z", "drive": {"kind": "effort"}}]},
    {"bodies": [{"name": "b"}]},
    {"bodies": [{"name": "b", "parent": None, "joint": [{"rotation": "z"}]}]},
    {"bodies": [{"name": "b", "parent": None, "joint": [{"rotation": "z", "constant": 1, "prescribed": "t"}]}]},
    {"bodies": [{"name": "b", "parent": None, "joint": [{"constant": 1}]}]},
    {"bodies": [{"name": "b", "parent": None, "inertia": {"mass": 1, "centre": [1]}}]},
    {"bodies": [{"name": "b", "parent": None, "inertia": {"mass": 1, "tensor": [1, 2, 3, 4]}}]},
    {"bodies": [{"name": "b", "parent": None, "inertia": {"centre": [0, 0, 0]}}]},
    {"bodies": [{"name": "b", "parent": None, "added_inertia": {"rows": [[1]]}}]},
    {"forces": [{"kind": "magic", "name": "a"}]},
    {"forces": [{"kind": "joint_effort", "name": "a", "coordinate": "z", "effort": {"linear": {"p": 1}}}]},
    {"forces": [{"name": "a", "coordinate": "z", "effort": 1}]},
    {"constraints": [{"kind": "holonomic", "name": "a"}]},
    {"metadata": []},
]


@pytest.mark.parametrize("change", REFUSED_BY_SCHEMA, ids=str)
def test_the_schema_refuses_what_the_reader_refuses(change: dict[str, Any]) -> None:
    document = {"format": "mbconcord", "version": 1, "name": "x"}
    VALIDATOR.validate(document)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document | change)
    with pytest.raises(ReadError):
        read(json.dumps(document | change))
