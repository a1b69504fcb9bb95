"""What a campaign has learned, in a file of JSON lines: it goes on from there when it is run again.

The first line says of which source the results are; of another source they say nothing, and it begins anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Self

from mbconcord.model.diagnostics import MbconcordError, error

from ..faults.processes import source_file

#: What the first line is known by, and the version of what follows.
FORMAT: Final = "mbconcord mutants 1"
NOT_REACHED: Final = "not reached"
#: How a mutant ends.
ENDINGS: Final = ("check", "claims", "tests", "raised", "equivalent", NOT_REACHED, "survived")
#: What no check noticed, until the tests have been asked.
MISSED: Final = "missed"


@dataclass(frozen=True)
class Outcome:
    """How a mutant ended.

    Attributes
    ----------
    key, module, name : which it is; the name has its place and its change
    how : one of :data:`ENDINGS`, or :data:`MISSED`
    by : claim, quantity and discrepancy; tests; what was raised; why it is equivalent
    model : on which, or on which a result was another
    seconds : of the processor
    words : whether only what is said is another, of which tests alone are asked
    """

    key: str
    module: str
    name: str
    how: str
    by: str = ""
    model: str = ""
    seconds: float = 0.0
    words: bool = False


@dataclass
class Record:
    """Outcomes by key, and surveys by model; ``notes`` tell what of an earlier file was not taken."""

    path: Path | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    surveys: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def opened(cls, path: Path | None) -> Self:
        """The record of a file, which is made where there is none.

        Raises
        ------
        MbconcordError
            A line of the file is no line of a record; the last one may be torn.
        """
        made = cls(path)
        if path is None:
            return made
        lines = path.read_text("utf-8", errors="replace").split("\n") if path.exists() else []
        if lines and lines != [""]:
            made._take(lines)
        made._rewrite()
        return made

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        self.outcomes[outcome.key] = outcome
        self._append({"mutant": asdict(outcome)})

    def survey(self, model: str, found: Mapping[str, Any]) -> None:
        """Keep what a model gives."""
        self.surveys[model] = dict(found)
        self._append({"survey": model, "found": found})

    def _take(self, lines: list[str]) -> None:
        head = _object(lines[0])
        if head is None or head.get("format") != FORMAT:
            self._refuse(1, "it is no file of results of mutants")
        elif head.get("source") != digest():
            self.notes = (f"{self.path}: its results are of another source: begun anew",)
            return
        for number, line in enumerate(lines[1:], 2):
            if not self._taken(_object(line)):
                if number < len(lines):
                    self._refuse(number, "this line is no result")
                elif line:
                    self.notes = (f"{self.path}:{number}: the last line is torn: left out",)

    def _taken(self, value: dict[str, Any] | None) -> bool:
        try:
            if value and "mutant" in value:
                outcome = Outcome(**value["mutant"])
                self.outcomes[outcome.key] = outcome
                return outcome.how in (*ENDINGS, MISSED)
            if value and isinstance(value["found"], dict):
                self.surveys[value["survey"]] = value["found"]
                return True
        except (KeyError, TypeError):
            pass
        return False

    def _refuse(self, line: int, what: str) -> None:
        remedy = "name another file, or delete it"
        raise MbconcordError(error("", f"{self.path}:{line}: {what}", remedy))

    def _rewrite(self) -> None:
        """The whole file, without what was left out."""
        assert self.path is not None
        head: list[dict[str, Any]] = [{"format": FORMAT, "source": digest()}]
        head += [{"survey": model, "found": found} for model, found in self.surveys.items()]
        head += [{"mutant": asdict(outcome)} for outcome in self.outcomes.values()]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(_line(value) for value in head), "utf-8")

    def _append(self, value: Mapping[str, Any]) -> None:
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(value))


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


@cache
def digest() -> str:
    """Of every source and fixture on which a result depends."""
    found = sha256()
    for path in _sources():
        found.update(path.read_bytes())
    return found.hexdigest()[:32]


def _sources() -> Iterable[Path]:
    for part in ("model", "formalisms", "converters", "simulation", "validation", "fixtures"):
        base = source_file(f"mbconcord.{part}").parent
        suffixes = (".py", ".lark", ".json", ".toml", ".mbsd", ".dat", ".csv", ".urdf", ".xml", ".txt")
        yield from sorted(p for p in base.rglob("*") if p.suffix in suffixes and "reference" not in p.parts)
