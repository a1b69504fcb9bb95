"""Reference problems as data: models, times, and known motion (``reference.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mbconcord.converters import registry
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, ReadError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.state import State
from mbconcord.model.system import System

FILE: Final = "reference.toml"
KEYS: Final = {"name", "file", "source", "until", "tolerances"}


@dataclass(frozen=True)
class KnownMotion:
    """Values of formulas at a time.

    ``name`` says what they are. ``limit`` is of the errors; None: half a unit of the last digit of each number.
    ``relative``: to the largest.
    """

    name: str
    t: float
    formulas: tuple[Expression, ...]
    numbers: tuple[str, ...]
    limit: float | None
    relative: bool


@dataclass(frozen=True)
class Conserved:
    """A constant formula, relative to its size; None: the balance of energies with the work of forces."""

    name: str
    formula: Expression | None
    limit: float


@dataclass(frozen=True)
class ReferenceProblem:
    """A mechanism, its end time and tolerances, and its known motion.

    The limits are those of the last tolerance.
    """

    name: str
    system: System
    state: State
    source: str
    until: float
    tolerances: tuple[float, ...]
    values: tuple[KnownMotion, ...]
    conserved: tuple[Conserved, ...]

    @property
    def times(self) -> tuple[float, ...]:
        """At which something is known, in order."""
        return tuple(sorted({known.t for known in self.values}))


def problems(folder: Path) -> tuple[ReferenceProblem, ...]:
    """Read the problems of a folder that has a ``reference.toml``.

    Raises
    ------
    ReadError
        There is no such file, it is not TOML, or a problem is wrong: which, and why.
    """
    file = folder / FILE if folder.is_dir() else folder
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as problem:
        remedy = f"name a folder with a {FILE}, for example fixtures/reference"
        raise ReadError(error(str(file), f"{problem.strerror}", remedy)) from None
    except ValueError as problem:  # of TOML, or of its characters
        raise ReadError(error(str(file), f"not TOML: {problem}")) from None
    entries = data.get("problem")
    if not isinstance(entries, list) or not entries:
        raise ReadError(
            error(str(file), "it has no problems", "[[problem]] with name, file, source, until, tolerances")
        )
    found: list[ReferenceProblem] = []
    findings: list[Diagnostic] = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(_problem(entry, file))
        except MbconcordError as problem:
            findings += problem.diagnostics
        except (KeyError, TypeError, ValueError) as problem:
            name = entry.get("name", number) if isinstance(entry, dict) else number
            findings.append(error(str(file), f"problem {name}: {type(problem).__name__} {problem}"))
    if findings:
        raise ReadError(findings)
    return tuple(found)


def _problem(entry: Mapping[str, Any], file: Path) -> ReferenceProblem:
    missing = sorted(KEYS - entry.keys())
    if missing:
        raise ReadError(_wrong(file, entry, f"has no {', '.join(missing)}"))
    model = file.parent / entry["file"]
    system = registry.read(model, "native" if model.suffix == ".json" else None, "ignore").system
    values = tuple(_read_known(item, file, entry) for item in entry.get("values", ()))
    conserved = tuple(_read_conserved(entry.get("conserved", ())))
    if not values and not conserved:
        raise ReadError(_wrong(file, entry, "says nothing of the motion: give values or conserved"))
    until, tolerances = float(entry["until"]), tuple(map(float, entry["tolerances"]))
    late = [known.t for known in values if not 0 < known.t <= until]
    if late or not tolerances or until <= 0:
        raise ReadError(_wrong(file, entry, "its times are not within the run, or it has no tolerances"))
    return ReferenceProblem(
        entry["name"], system, _state(entry.get("state", {})), entry["source"], until, tolerances, values, conserved
    )


def _state(entry: Mapping[str, Any]) -> State:
    """Read the start, if it differs from the model's own."""
    q, v = ({name: float(x) for name, x in entry.get(part, {}).items()} for part in ("q", "v"))
    return State(0.0, q, v)


def _read_known(item: Mapping[str, Any], file: Path, entry: Mapping[str, Any]) -> KnownMotion:
    formulas, numbers = tuple(map(parse_formula, item["formulas"])), tuple(map(str, item["numbers"]))
    if len(formulas) != len(numbers):
        raise ReadError(_wrong(file, entry, f"has {len(formulas)} formulas for {len(numbers)} numbers"))
    for number in numbers:
        float(number)
    limit = None if item.get("digits") else float(item["limit"])
    return KnownMotion(item["name"], float(item["t"]), formulas, numbers, limit, bool(item.get("relative")))


def _read_conserved(items: Any) -> Iterator[Conserved]:
    for item in items:
        formula = parse_formula(item["formula"]) if "formula" in item else None
        yield Conserved(item["name"], formula, float(item["limit"]))


def _wrong(file: Path, entry: Mapping[str, Any], message: str) -> Diagnostic:
    return error(str(file), f"problem {entry.get('name', '')}: {message}")
