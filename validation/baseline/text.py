"""A file of baselines as text: TOML with a line for every entry of the equations, so that a review shows changes.

::

    format = 1
    prime = "9b2d…"                            # hexadecimal

    [models."models/arm.mbsd"]                 # relative to the file
    hash = "sha256:…"                          # of the model's native JSON, below
    saved_by = "mbconcord 0.2.0"
    coordinates = ["z1", "z2"]
    witnesses = ["…", "…"]   # formalisms who gave the same residues
    left_out = []                              # what the reader left out of the model and acts on the motion
    reached = []                               # and what acts where the motion reaches it: limits of joints
    notes = []                                 # why residues are not exact, or digits are missing
    states = ['{"t": 0.3, …}']                 # those of the digits

    [models."models/arm.mbsd".equations]
    "M[z1, z1]" = ["x02ac…", "1.78136437449"]  # residue, then digits at every state

    [models."models/arm.mbsd".model]
    native = '''…'''                            # the model, so that what changed it can be told
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mbconcord.converters.findings import find_beside
from mbconcord.converters.inclusions import parse_toml, utf8_text
from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError, ReadError, error
from mbconcord.model.limits import BASELINE_BYTES
from mbconcord.model.state import State
from mbconcord.records import dataclass

from .fingerprint import PRIME, Fingerprint, FingerprintRow, format_key, hash_of

#: Of the text.
FORMAT: Final = 1
PRIME_TEXT: Final = f"{PRIME.p:x}"
HEAD: Final = (
    "# What the equations of motion of models are: `mbconcord baseline check` tells what has changed,\n"
    "# `mbconcord baseline save` writes this file. Of every entry: residue in a prime field, digits at the states.\n"
)
#: Keys of a model's table, and of the file.
LISTS: Final = ("coordinates", "witnesses", "left_out", "reached", "notes", "states")
STRINGS: Final = ("hash", "saved_by")


@dataclass(frozen=True)
class Saved:
    """The baseline of one model as saved in a file; see :class:`.fingerprint.Fingerprint`.

    ``rows``: name of an entry, ``M[q1, q2]``, -> its row. ``reached`` is None in older files, which did not save it.
    """

    hash: str
    saved_by: str
    coordinates: tuple[str, ...]
    witnesses: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    states: tuple[State, ...]
    rows: Mapping[str, FingerprintRow]
    model: str
    reached: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Baselines:
    """A file of baselines.

    Attributes
    ----------
    models : path of a model, relative to the file and with ``/`` -> its baseline
    format : version of the text's format
    prime : hexadecimal digits of the prime modulo which residues are computed
    """

    models: Mapping[str, Saved]
    format: int = FORMAT
    prime: str = PRIME_TEXT

    @property
    def exact(self) -> bool:
        """True if the format and the prime are this version's, so that residues can be compared."""
        return self.format == FORMAT and self.prime == PRIME_TEXT


def to_saved(found: Fingerprint, by: str) -> Saved:
    """Convert a fingerprint to its saved form."""
    rows = {format_key(key): row for key, row in found.rows.items()}
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
        found.reached,
    )


def to_toml(baselines: Baselines) -> str:
    """Write the text of a file: equal bytes for equal baselines, models in order of name."""
    parts = [f"{HEAD}\nformat = {baselines.format}\nprime = {_text(baselines.prime)}\n"]
    for name in sorted(baselines.models):
        parts.append("\n".join(_model(f"models.{_text(name)}", baselines.models[name])) + "\n")
    return "\n".join(parts)


def _model(table: str, own: Saved) -> Iterator[str]:
    yield f"[{table}]"
    yield f"hash = {_text(own.hash)}"
    yield f"saved_by = {_text(own.saved_by)}"
    for key in LISTS[:-1]:
        if getattr(own, key) is not None:
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
    """Write a basic string of TOML: as in JSON, with the control character DEL escaped too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(value: str) -> str:
    """Write a literal string, which has no escapes, where possible."""
    return _text(value) if "'" in value or "\x7f" in value else f"'{value}'"


#: What to do about a file that is damaged.
ANEW: Final = "take the file from the history, or delete it and write it anew"


def read_baselines(file: str | Path, models: Sequence[str] = ("FILE",)) -> Baselines:
    """Read all baselines in a file; ``models`` are only named in the command that an error message advises.

    Raises
    ------
    ReadError
        The file does not exist, is not TOML, or is damaged.
    """
    path = Path(file)
    save = shlex.join(["mbconcord", "baseline", "save", *models, "--output", str(file)])
    if not path.is_file():
        likely = find_beside(path, "")
        remedy = f"{likely} or write it: {save}" if likely.endswith(f"{path.suffix}?") else f"write it: {save}"
        raise ReadError(error(str(file), "there is no such file of baselines", remedy))
    text = utf8_text(path, BASELINE_BYTES)
    data = parse_toml(text, path, f"{ANEW}: {save}")
    reader = _BaselineReader(str(file), text.splitlines(), save)
    found = reader.baselines(data)
    if reader.findings:
        raise ReadError(reader.findings)
    return found


class _BaselineReader:
    """Reader of baselines from TOML tables; ``findings`` are the errors in them."""

    def __init__(self, file: str, lines: Sequence[str], save: str) -> None:
        self.file, self.lines, self.save = file, lines, save
        self.findings: list[Diagnostic] = []

    def baselines(self, data: Mapping[str, Any]) -> Baselines:
        """Read a whole file."""
        number, prime, models = data.get("format"), data.get("prime"), data.get("models", {})
        if type(number) is not int or not isinstance(prime, str) or not isinstance(models, dict):
            self._wrong("", "no file of baselines: expected format, prime and tables of models", "format")
            return Baselines({})
        if number > FORMAT:
            message = f"written by a newer version, in format {number}; this one knows {FORMAT}"
            remedy = f"install that version, or delete it and write it anew: {self.save}"
            self.findings.append(error("", message, remedy, self._line("format")))
            return Baselines({})
        found = {name: self._model(name, own) for name, own in models.items()}
        return Baselines({name: own for name, own in found.items() if own is not None}, number, prime)

    def _model(self, name: str, own: Any) -> Saved | None:
        before = len(self.findings)
        table = own if isinstance(own, dict) else {}
        strings = {key: table.get(key) for key in STRINGS}
        lists = {key: table.get(key, []) for key in LISTS}
        equations = table.get("equations")
        inner = table.get("model")
        native = inner.get("native") if isinstance(inner, dict) else None
        for key, value in strings.items():
            if not isinstance(value, str):
                self._wrong(name, f"{key} is missing or no string", name)
        for key, value in lists.items():
            if not _strings(value):
                self._wrong(name, f"{key} is no list of strings", name)
        if not isinstance(equations, dict) or not all(_strings(row) and row for row in equations.values()):
            self._wrong(name, "equations are missing, or one of them is no list of strings", name)
        if not isinstance(native, str):
            self._wrong(name, "the model is missing", name)
        if len(self.findings) > before:
            return None
        assert isinstance(equations, dict) and isinstance(native, str)
        states = self._states(name, lists.pop("states"))
        if hash_of(native) != strings["hash"]:
            self._wrong(name, "the hash is not that of the model that stands there: one of them was edited", name)
            return None
        rows = {key: FingerprintRow(first, tuple(more)) for key, (first, *more) in equations.items()}
        own_lists: dict[str, tuple[str, ...] | None] = {key: tuple(value) for key, value in lists.items()}
        if "reached" not in table:
            own_lists["reached"] = None
        return Saved(**strings, **own_lists, states=states, rows=rows, model=native)  # type: ignore[arg-type]

    def _states(self, name: str, texts: Sequence[str]) -> tuple[State, ...]:
        try:
            return tuple(State.from_json(json.loads(text)) for text in texts)
        except (ValueError, NumbersError, RecursionError) as problem:
            self._wrong(name, f"a state is none: {problem}", name)
            return ()

    def _line(self, word: str) -> Location:
        """Find the first line that contains a word."""
        line = next((i for i, text in enumerate(self.lines, 1) if word in text), 1)
        return Location(self.file, line, 1)

    def _wrong(self, place: str, message: str, word: str) -> None:
        self.findings.append(error(place, message, f"{ANEW}: {self.save}", self._line(word)))


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(x, str) for x in value)
