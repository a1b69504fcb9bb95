"""Files of baselines, read: everything that is wrong with one is told, with its place and what to do."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError, ReadError, error
from mbconcord.model.limits import BASELINE_BYTES
from mbconcord.model.state import State

from ..named_files import toml_text
from .fingerprint import Row, hash_of
from .text import FORMAT, LISTS, STRINGS, Baselines, Saved

#: What to do about a file that is damaged.
ANEW: Final = "take the file from the history, or delete it and write it anew: mbconcord baseline save"
MISSING: Final = "write it: mbconcord baseline save"


def read_baselines(file: str | Path) -> Baselines:
    """The baselines of a file.

    Raises
    ------
    ReadError
        There is no such file, it is no TOML, or it is damaged.
    """
    path = Path(file)
    if not path.is_file():
        raise ReadError(error("", f"{file}: there is no such file of baselines", MISSING))
    text = toml_text(path, BASELINE_BYTES)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        place = re.search(r"line (\d+), column (\d+)", str(problem))
        line, column = map(int, place.groups()) if place else (1, 1)
        raise ReadError(error("", f"no TOML: {problem}", ANEW, Location(str(file), line, column))) from None
    reader = _Reader(str(file), text.splitlines())
    found = reader.baselines(data)
    if reader.findings:
        raise ReadError(reader.findings)
    return found


class _Reader:
    """Baselines from tables; ``findings`` are what is wrong with them."""

    def __init__(self, file: str, lines: Sequence[str]) -> None:
        self.file, self.lines = file, lines
        self.findings: list[Diagnostic] = []

    def baselines(self, data: Mapping[str, Any]) -> Baselines:
        """All of a file."""
        number, prime, models = data.get("format"), data.get("prime"), data.get("models", {})
        if type(number) is not int or not isinstance(prime, str) or not isinstance(models, dict):
            self._wrong("", "no file of baselines: expected format, prime and tables of models", "format")
            return Baselines({})
        if number > FORMAT:
            message = f"written by a newer version, in format {number}; this one knows {FORMAT}"
            remedy = "install that version, or write it anew: mbconcord baseline save"
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
            self._wrong(
                name, "the hash is not that of the model that stands there: one of them was edited", name
            )
            return None
        rows = {key: Row(first, tuple(more)) for key, (first, *more) in equations.items()}
        own_lists = {key: tuple(value) for key, value in lists.items()}
        return Saved(**strings, **own_lists, states=states, rows=rows, model=native)  # type: ignore[arg-type]

    def _states(self, name: str, texts: Sequence[str]) -> tuple[State, ...]:
        try:
            return tuple(State.from_json(json.loads(text)) for text in texts)
        except (ValueError, NumbersError, RecursionError) as problem:
            self._wrong(name, f"a state is none: {problem}", name)
            return ()

    def _line(self, word: str) -> Location:
        """The first line in which a word stands."""
        line = next((i for i, text in enumerate(self.lines, 1) if word in text), 1)
        return Location(self.file, line, 1)

    def _wrong(self, place: str, message: str, word: str) -> None:
        self.findings.append(error(place, message, ANEW, self._line(word)))


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(x, str) for x in value)
