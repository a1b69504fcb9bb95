"""Catalogs of what checks are expected to give, read from TOML.

::

    [witnesses.tree]                      # a set of witnesses
    M = ["one_formalism", "another", "direct"]

    [[model]]
    file = "arm.mbsd"                     # relative to the catalog
    witnesses = ["tree"]                  # all sets together
    zero = ["applied"]                    # quantities that are zero at every state
    verdict = "not checked"               # where it is not "agrees"; then with
    reason = "no inertia along z3"        # words that stand in the explanation of all that is not checked
    undecided = ["atan2"]                 # words of which some stand in every reason why equations are not proved equal

Entries may hold ``source``, ``known``, ``bodies`` and ``coordinates`` too; the last two are compared. An entry
without ``witnesses`` documents a file that is not checked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mbconcord.formalisms import registry
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, among, error
from mbconcord.model.omission import KINDS

from .claims.direct_evaluation import directly, evaluated
from .expectations import AGREES, NOT_CHECKED, OTHERS, Catalog, Expectation
from .named_files import absolute, toml_text

#: Keys of an entry, and the types of their values.
KEYS: Mapping[str, type] = {
    "file": str, "source": str, "known": str, "bodies": int, "coordinates": int, "witnesses": list, "zero": list,
    "verdict": str, "reason": str, "left_out": dict, "undecided": list,
}  # fmt: skip
TYPES = {str: "a string", int: "a whole number", list: "a list of strings", dict: "a table of counts"}


def read_catalog(file: str) -> Catalog:
    """The catalog in a TOML file.

    Raises
    ------
    ReadError
        It cannot be read, is no TOML, or is no catalog; all that is wrong is told, with its place.
    """
    try:
        text = toml_text(file)
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        place = re.search(r"line (\d+), column (\d+)", str(problem))
        line, column = map(int, place.groups()) if place else (1, 1)
        at = Location(file, line, column)
        raise ReadError(error("", f"no TOML: {problem}", "as in fixtures/catalog.toml", at)) from None
    read = _Reader(file, text.splitlines())
    found = read.catalog(data)
    if read.findings:
        raise ReadError(read.findings)
    return found


class _Reader:
    """Entries of a catalog from its tables; ``findings`` are what is wrong with them."""

    def __init__(self, file: str, lines: Sequence[str]) -> None:
        self.file, self.lines = file, lines
        names = registry.names()
        self.known = frozenset((*names, *map(directly, names), *map(evaluated, names), *OTHERS))
        self.findings: list[Diagnostic] = []

    def catalog(self, data: Mapping[str, Any]) -> Catalog:
        """The catalog of the whole file."""
        for key in data.keys() - {"witnesses", "model"}:
            self._wrong(
                "", key, "no such table", "known: witnesses, model", self._line(rf"\[+\s*{re.escape(key)}\b")
            )
        sets = data.get("witnesses", {})
        if not isinstance(sets, dict):
            self._wrong("", "witnesses", f"expected a table of tables, found {sets!r}")
            sets = {}
        named = {name: self._set(name, value) for name, value in sets.items()}
        models = data.get("model", [])
        if not isinstance(models, list) or not all(isinstance(m, dict) for m in models):
            self._wrong("", "model", "expected entries [[model]]")
            models = []
        starts = [n for n, line in enumerate(self.lines, 1) if re.match(r"\s*\[\[\s*model\s*\]\]", line)]
        if len(starts) != len(models):
            starts = [1] * len(models)
        found: dict[Path, Expectation] = {}
        for entry, line in zip(models, starts, strict=True):
            expected = self._entry(entry, named, Location(self.file, line, 1))
            path = absolute(str(Path(self.file).parent / expected.file))
            if path in found and expected.file:
                self._wrong(expected.file, "", f"a second entry: the first is in line {found[path].location.line}",
                            location=expected.location)  # fmt: skip
            found[path] = expected
        return Catalog(self.file, found)

    def _set(self, name: str, value: Any) -> dict[str, frozenset[str]]:
        place, location = f"witnesses/{name}", self._line(rf"\[\s*witnesses\s*\.\s*\"?{re.escape(name)}\b")
        if not isinstance(value, dict):
            self._wrong(place, "", f"expected a table of quantities, found {value!r}", location=location)
            return {}
        found: dict[str, frozenset[str]] = {}
        for quantity, names in value.items():
            found[quantity] = frozenset(self._strings(place, quantity, names, location))
            for who in sorted(found[quantity] - self.known):
                remedy = f"known: {', '.join(sorted(self.known))}"
                self._wrong(place, quantity, f"there is no witness {who!r}", remedy, location)
        return found

    def _entry(
        self, entry: Mapping[str, Any], named: Mapping[str, Mapping[str, frozenset[str]]], location: Location
    ) -> Expectation:
        file = entry.get("file", "")
        place = str(file) or "model"
        if not file:
            self._wrong(place, "file", "an entry needs the file of its model", location=location)
        for key, value in entry.items():
            if key not in KEYS:
                self._wrong(place, key, "no such key", f"known: {', '.join(KEYS)}", location)
            elif type(value) is not KEYS[key]:
                self._wrong(place, key, f"expected {TYPES[KEYS[key]]}, found {value!r}", location=location)
        sets = self._strings(place, "witnesses", entry.get("witnesses", []), location)
        for name in sets:
            if name not in named:
                known = f"known: {', '.join(named)}" if named else f"write a table [witnesses.{name}]"
                self._wrong(place, "witnesses", f"there is no set {name!r}", known, location)
        together: dict[str, frozenset[str]] = {}
        for name in sets:
            for quantity, names in named.get(name, {}).items():
                together[quantity] = together.get(quantity, frozenset()) | names
        zero = self._strings(place, "zero", entry.get("zero", []), location)
        for quantity in zero:
            if quantity not in QUANTITIES:
                self._wrong(place, "zero", f"there is no quantity {quantity!r}", f"known: {', '.join(QUANTITIES)}",
                            location)  # fmt: skip
        verdict, reason = entry.get("verdict", AGREES), entry.get("reason", "")
        if verdict not in (AGREES, NOT_CHECKED):
            self._wrong(place, "verdict", f"expected {AGREES!r} or {NOT_CHECKED!r}, found {verdict!r}",
                        "a catalog excuses no disagreement", location)  # fmt: skip
        if (verdict == NOT_CHECKED) != bool(reason):
            self._wrong(
                place, "reason", f"verdict = {NOT_CHECKED!r} and a reason belong together", location=location
            )
        left_out = self._counts(place, entry.get("left_out", {}), location)
        undecided = tuple(self._strings(place, "undecided", entry.get("undecided", []), location))
        sizes = {key: entry[key] for key in ("bodies", "coordinates") if type(entry.get(key)) is int}
        expected = together if "witnesses" in entry else None
        return Expectation(
            str(file),
            location,
            expected,
            frozenset(zero),
            str(verdict),
            str(reason),
            sizes,
            left_out,
            undecided,
        )

    def _counts(self, place: str, value: Any, location: Location) -> dict[str, int]:
        """Kinds of omissions and their counts; what is no table has been told."""
        found = value if isinstance(value, dict) else {}
        for kind, count in found.items():
            if kind not in KINDS:
                self._wrong(place, "left_out", f"unknown kind {kind!r}", among(kind, KINDS), location)
            elif type(count) is not int or count < 1:
                message = f"found {kind} = {count!r}, expected a count of one or more"
                self._wrong(place, "left_out", message, location=location)
        return {kind: n for kind, n in found.items() if kind in KINDS and type(n) is int}

    def _strings(self, place: str, key: str, value: Any, location: Location) -> list[str]:
        """A list of strings; what is none has been told or is told here."""
        if isinstance(value, list) and all(isinstance(x, str) for x in value):
            return value
        if isinstance(value, list) or key not in KEYS:
            self._wrong(place, key, f"expected {TYPES[list]}, found {value!r}", location=location)
        return []

    def _line(self, pattern: str) -> Location:
        """The first line that begins so."""
        found = (n for n, line in enumerate(self.lines, 1) if re.match(rf"\s*{pattern}", line))
        return Location(self.file, next(found, 1), 1)

    def _wrong(
        self, place: str, key: str, message: str, remedy: str = "", location: Location | None = None
    ) -> None:
        whole = "/".join(filter(None, (place, key)))
        self.findings.append(error(whole, message, remedy, location or Location(self.file, 1, 1)))
