"""A file of baselines as text: TOML with a line for every entry of the equations, so that a review sees what changed.

::

    format = 1
    prime = "9b2d…"                            # hexadecimal

    [models."models/arm.mbsd"]                 # relative to the file
    hash = "sha256:…"                          # of the model's native JSON, below
    saved_by = "mbconcord 0.2.0"
    coordinates = ["z1", "z2"]
    witnesses = ["…", "…"]   # formalisms who gave the same residues
    left_out = []                              # what the reader left out of the model and acts on the motion
    notes = []                                 # why residues are not exact, or digits are missing
    states = ['{"t": 0.3, …}']                 # those of the digits

    [models."models/arm.mbsd".equations]
    "M[z1, z1]" = ["x02ac…", "1.78136437449"]  # residue, then digits at every state

    [models."models/arm.mbsd".model]
    native = '''…'''                            # the model, so that what changed it can be told
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mbconcord.model.state import State

from .field_point import PRIME
from .fingerprint import Fingerprint, Row, called

#: Of the text.
FORMAT: Final = 1
PRIME_TEXT: Final = f"{PRIME.p:x}"
HEAD: Final = (
    "# What the equations of motion of models are: `mbconcord baseline check` tells what has changed,\n"
    "# `mbconcord baseline save` writes this file. Of every entry: residue in a prime field, digits at the states.\n"
)
#: Keys of a model's table, and of the file.
LISTS: Final = ("coordinates", "witnesses", "left_out", "notes", "states")
STRINGS: Final = ("hash", "saved_by")


@dataclass(frozen=True)
class Saved:
    """The baseline of one model, as a file has it; see :class:`.fingerprint.Fingerprint`.

    ``rows`` are known by names such as ``M[q1, q2]``.
    """

    hash: str
    saved_by: str
    coordinates: tuple[str, ...]
    witnesses: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    states: tuple[State, ...]
    rows: Mapping[str, Row]
    model: str


@dataclass(frozen=True)
class Baselines:
    """A file of baselines.

    Attributes
    ----------
    models : path of a model, relative to the file and with ``/`` -> its baseline
    format : of the text
    prime : hexadecimal digits of the prime of its residues
    """

    models: Mapping[str, Saved]
    format: int = FORMAT
    prime: str = PRIME_TEXT

    @property
    def exact(self) -> bool:
        """Whether its residues are those of this version."""
        return self.format == FORMAT and self.prime == PRIME_TEXT


def saved(found: Fingerprint, by: str) -> Saved:
    """A fingerprint as it is saved."""
    rows = {called(key): row for key, row in found.rows.items()}
    return Saved(
        found.hash,
        by,
        found.coordinates,
        found.witnesses,
        found.left_out,
        found.notes,
        found.states,
        rows,
        found.model,
    )


def written(baselines: Baselines) -> str:
    """The text of a file: the same bytes for the same baselines, models in the order of their names."""
    parts = [f"{HEAD}\nformat = {baselines.format}\nprime = {_text(baselines.prime)}\n"]
    for name in sorted(baselines.models):
        parts.append("\n".join(_model(f"models.{_text(name)}", baselines.models[name])) + "\n")
    return "\n".join(parts)


def _model(table: str, own: Saved) -> Iterator[str]:
    yield f"[{table}]"
    yield f"hash = {_text(own.hash)}"
    yield f"saved_by = {_text(own.saved_by)}"
    for key in LISTS[:-1]:
        yield f"{key} = {_list(getattr(own, key))}"
    states = (json.dumps(state.to_json(), ensure_ascii=False) for state in own.states)
    yield f"states = [{''.join(f'{chr(10)}  {_plain(state)},' for state in states)}\n]"
    yield f"\n[{table}.equations]"
    yield from (f"{_text(key)} = {_list((row.residue, *row.digits))}" for key, row in own.rows.items())
    yield f"\n[{table}.model]"
    yield f"native = '''\n{own.model}'''"


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    """A basic string of TOML: that of JSON, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(value: str) -> str:
    """A literal string where that can be, which has no escapes."""
    return _text(value) if "'" in value or "\x7f" in value else f"'{value}'"
