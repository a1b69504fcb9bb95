"""Record of a campaign, in a file of JSON lines: a new run continues from there.

The first line identifies the source of the results; for another source they are invalid, and it starts again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Self

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.many.cluster import worker

#: What the first line is known by, and the version of what follows.
FORMAT: Final = "mbconcord mutants 1"
NOT_REACHED: Final = "not reached"
#: How a mutant ends.
ENDINGS: Final = ("check", "claims", "tests", "raised", "equivalent", NOT_REACHED, "survived")
#: What no check noticed, until the tests have been asked.
MISSED: Final = "missed"


@dataclass(frozen=True)
class ChangeOutcome:
    """Outcome of a mutant: its identity, the name with its place and change, and one of :data:`ENDINGS` or ``missed``.

    ``by``: claim, quantity and discrepancy; tests; what was raised; why it is equivalent. ``model``: the one that
    detected it, or whose result changed. ``seconds``: of the processor. ``words``: only messages change, for which
    tests alone are responsible.
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
class ChangeRecord:
    """Outcomes by key, and surveys by model; ``notes`` list what was rejected from an earlier file."""

    path: Path | None = None
    outcomes: dict[str, ChangeOutcome] = field(default_factory=dict)
    surveys: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def from_file(cls, path: Path | None) -> Self:
        """Open the record of a file, and create it if missing.

        :class:`MbconcordError` where a line is not a line of a record; the last one may be torn.
        """
        made = cls(path)
        if path is None:
            return made
        lines = path.read_text("utf-8", errors="replace").split("\n") if path.exists() else []
        if lines and lines != [""]:
            made._take(lines)
        made._rewrite()
        return made

    def add(self, outcome: ChangeOutcome) -> None:
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
            if not self._take_value(_object(line)):
                if number < len(lines):
                    self._refuse(number, "this line is no result")
                elif line:
                    self.notes = (f"{self.path}:{number}: the last line is torn: left out",)

    def _take_value(self, value: dict[str, Any] | None) -> bool:
        try:
            if value and "mutant" in value:
                outcome = ChangeOutcome(**value["mutant"])
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
        """Rewrite the file without what was left out."""
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
    """Return the hash of every source on which a result depends, those of the laboratory too."""
    found = sha256(worker.digest().encode())
    for path in sorted(p for p in Path(__file__).parents[1].rglob("*") if p.suffix in (".py", ".txt")):
        found.update(path.read_bytes())
    return found.hexdigest()[:32]
