"""What every text of the native format has to satisfy: the round trip, and the published schema."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema

from mbconcord.converters.native.reader import read, write
from mbconcord.model import System

SCHEMA = json.loads((files("mbconcord.converters.native") / "schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def assert_round_trip(system: System) -> str:
    """The text of a system that is read as the same system, and written as the same text."""
    text = write(system).text
    again = read(text, "model.mbs.json")
    assert again.system == system
    assert write(again.system).text == text
    VALIDATOR.validate(json.loads(text))
    return text
