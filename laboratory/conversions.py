"""Every fixture in every format: what becomes of it, as the table of tests/laboratory/conversions.md.

    python -m laboratory.conversions > tests/laboratory/conversions.md

Each model of the catalog is written in each format that can be written, read back, and compared with the original.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache

from mbconcord.converters import registry
from mbconcord.converters.format import Writing
from mbconcord.fixtures import folder
from mbconcord.model import System
from mbconcord.model.diagnostics import MbconcordError, WriteError
from mbconcord.model.expressions.field import IDENTICAL
from mbconcord.validation.compare import same_machine

#: States that both are compared at.
STATES = 3
#: Larger models are converted, and their dynamics not compared here.
MOST_COORDINATES = 10
#: Parts of a model whose losses do not act.
ASIDE = ("omissions", "metadata")

HEAD = """# Conversions

Every model of `fixtures/catalog.toml` in every format: written, read back, and compared with the original.
`make conversions` writes this page.

| word | means |
|---|---|
| identical | the same machine, proved: the equations are the same functions of states and parameters |
| identical at values | the same machine, proved for the values of the parameters: the format holds some as numbers |
| equal | the same machine at random states, to the rounding of floats |
| −n | with n losses that leave the motion alone: names, initial values, comments, what stands beside the dynamics |
| less *x* | not the same machine: what acts on it is lost, and named as a loss; `convert --verify` writes nothing |
| refused *n* | nothing can be written, for the reason below |
| not compared | written and read back; no formalism compares it, or it has more than {most} coordinates |
"""


@dataclass(frozen=True)
class ConversionCell:
    """Result of converting a model: a word, the number of losses without effect on the motion, other losses or why."""

    word: str
    quiet: int = 0
    what: str = ""

    def format_cell(self, reasons: list[str]) -> str:
        """Format the cell for the table; append new reasons."""
        if self.word == "refused":
            if self.what not in reasons:
                reasons.append(self.what)
            return f"refused {reasons.index(self.what) + 1}"
        count = f" −{self.quiet}" if self.quiet else ""
        return f"{self.word}{f' {self.what}' if self.what else ''}{count}"


def files() -> list[str]:
    """List the models of the catalog, in its order."""
    catalog = tomllib.loads((folder() / "catalog.toml").read_text("utf-8"))
    return list(dict.fromkeys(entry["file"] for entry in catalog["model"]))


def formats() -> list[str]:
    """List the formats that can be written, and read back without an extra."""
    return [name for name in registry.BUILT_IN if name != "usd" and registry.format_named(name).write is not None]


@cache
def model(file: str) -> System | None:
    """Read a model; None if the catalog's file is refused."""
    try:
        return registry.read(folder() / file, physics="ignore").system
    except MbconcordError:
        return None


def cell(file: str, format: str) -> ConversionCell | None:
    """Convert a model to a format; None for a refused file."""
    system = model(file)
    if system is None:
        return None
    try:
        writing = registry.write(system, format, physics="ignore")
    except WriteError as refused:
        return ConversionCell("refused", what=_reason(refused))
    acting = [loss for loss in writing.losses if loss.acts and loss.place.partition("/")[0] not in ASIDE]
    name = f"model{registry.format_named(format).suffixes[0]}"
    back = registry.read_bytes(registry.encode(writing, name, format), name, format, "ignore").system
    found = _compare(system, back, writing)
    if acting and found not in (IDENTICAL, "equal"):
        return ConversionCell(
            "less", len(writing.losses) - len(acting), ", ".join(_kinds(loss.place for loss in acting))
        )
    return ConversionCell(found, len(writing.losses))


def _compare(system: System, back: System, writing: Writing) -> str:
    """Describe whether both are the same machine, in the words of the page."""
    if len(system.coordinates) > MOST_COORDINATES or not system.coordinates:
        return "not compared"
    told = {a: b for a, b in writing.coordinates.items() if b in back.coordinate_names}
    try:
        found = same_machine(system, back, STATES, coordinates=told)
    except MbconcordError:
        return "not compared"
    if found.verdict.startswith("disagrees"):
        return "differs"
    proved = found.proof is not None and found.proof.exact.kind == IDENTICAL
    if found.verdict == "not checked":
        return f"{IDENTICAL} at values" if proved else "not compared"
    return IDENTICAL if proved else "equal"


def _kinds(places: Iterable[str]) -> list[str]:
    """List the kinds of losses in words, each once."""
    words = {"coordinates": "drives", "bodies": "what bodies carry"}
    kinds = dict.fromkeys(place.partition("/")[0] for place in places)
    return [words.get(kind, kind) for kind in kinds]


def _reason(refused: WriteError) -> str:
    """Say why a model cannot be written, without names of its parts."""
    first = refused.diagnostics[0]
    kind = first.place.partition("/")[0]
    return f"{kind}: {first.message}" if kind else first.message


def row(file: str) -> list[ConversionCell | None]:
    """Convert a model to each format."""
    return [cell(file, format) for format in formats()]


def page(names: Iterable[str], rows: Iterable[list[ConversionCell | None]]) -> Iterator[str]:
    """Write the lines of the page."""
    yield HEAD.format(most=MOST_COORDINATES)
    yield f"| model | {' | '.join(formats())} |"
    yield "|---|" + "---|" * len(formats())
    reasons: list[str] = []
    for name, cells in zip(names, rows, strict=True):
        found = [found for found in cells if found is not None]
        if found:
            yield f"| {name} | {' | '.join(c.format_cell(reasons) for c in found)} |"
    yield "\nRefused:\n"
    yield from (f"{i}. {reason}" for i, reason in enumerate(reasons, 1))


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        sys.stdout.write("\n".join(page(files(), pool.map(row, files()))) + "\n")
