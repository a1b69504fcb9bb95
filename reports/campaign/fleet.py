"""Reports on a fleet, many compared pairs of models, as tables: text, CSV, Markdown, HTML, JSON."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from mbconcord.model.limits import count
from mbconcord.records import dataclass
from mbconcord.validation.many.campaign.corpus import EXITS, ComparedPair, FleetRequest

from ..markdown import plain
from ..part import dumps
from ..summary import versions
from ..table import table
from ..templating import environment, template

HEADS: Final = ("robot", "converter", "verdict", "largest, of scale", "cause", "exit")
SUFFIXES: Final = (".html", ".md", ".csv", ".json")


@dataclass(frozen=True)
class FleetTable:
    """A table of texts with a title and a header for each column."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def list_rows(found: Sequence[ComparedPair]) -> FleetTable:
    """Return the table with a row for each pair; without a column of converters if no converter ran."""
    columns = [i for i, head in enumerate(HEADS) if head != "converter" or any(c.converter for c in found)]
    rows = ((c.robot, c.converter, c.verdict, c.largest, c.cause, _format_exit(c)) for c in found)
    return FleetTable("Pairs", tuple(HEADS[i] for i in columns), tuple(tuple(row[i] for i in columns) for row in rows))


def _format_exit(c: ComparedPair) -> str:
    return "" if c.exit is None else str(c.exit)


def sum_up(found: Sequence[ComparedPair]) -> FleetTable:
    """Return the table with a row for each converter: its numbers of robots by exit code."""
    there = [code for code in EXITS if any(c.exit == code for c in found)][::-1]
    rows = []
    for name in _list_converters(found):
        codes = Counter(c.exit for c in found if c.converter == name)
        rows.append((name, str(codes.total()), *(str(codes[code]) for code in there)))
    return FleetTable(
        "Converters", ("converter", "robots", *(f"{EXITS[code]} ({code})" for code in there)), tuple(rows)
    )


def tabulate(found: Sequence[ComparedPair]) -> FleetTable:
    """Return the table of robots by converters: verdicts, and the largest difference if models are not the same."""
    names = _list_converters(found)
    cells = {(c.robot, c.converter): _cell(c) for c in found}
    robots = dict.fromkeys(c.robot for c in found)
    rows = tuple((robot, *(cells.get((robot, name), "") for name in names)) for robot in robots)
    return FleetTable("Robots by converters", ("robot", *names), rows)


def _cell(c: ComparedPair) -> str:
    return f"{c.verdict}, {' '.join(c.largest.split()[:2])}" if c.exit == 1 and c.largest else c.verdict


def _list_converters(found: Sequence[ComparedPair]) -> list[str]:
    return list(dict.fromkeys(c.converter for c in found))


def tables(found: Sequence[ComparedPair]) -> list[FleetTable]:
    """Return the tables of a page: all pairs, preceded by summaries of converters if there are any."""
    if not any(c.converter for c in found):
        return [list_rows(found)]
    several = len(_list_converters(found)) > 1
    return [sum_up(found), *([tabulate(found)] if several else []), list_rows(found)]


def describe_counts(found: Sequence[ComparedPair]) -> str:
    """Write the numbers of pairs by the meaning of their exit codes, as a sentence."""
    codes = Counter(c.exit for c in found)
    said = [f"{codes[code]} {words}" for code, words in reversed(EXITS.items()) if codes[code]]
    said += [f"{codes[None]} not compared yet"] if codes[None] else []
    return f"{count(len(found), 'pair')}: {', '.join(said) or 'none'}"


def text(found: Sequence[ComparedPair]) -> str:
    """Write the table of pairs for the terminal."""
    rows = list_rows(found)
    return table(rows.heads, rows.rows, frozenset({len(rows.heads) - 1}))


def page(found: Sequence[ComparedPair], wanted: FleetRequest, file: str) -> str:
    """Write the report in the form that a file's name selects."""
    match Path(file).suffix.lower():
        case ".json":
            return dumps(as_json(found)) + "\n"
        case ".csv":
            return _csv(list_rows(found))
        case ".md":
            return _markdown(found, wanted)
        case _:
            return _html(found, wanted)


def as_json(found: Sequence[ComparedPair]) -> dict[str, Any]:
    """Convert to the form of ``compare --pairs --json``."""
    return {"pairs": [c.to_json() for c in found]}


def _csv(of: FleetTable) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows((of.heads, *of.rows))
    return out.getvalue()


def _describe_request(found: Sequence[ComparedPair], wanted: FleetRequest) -> str:
    moved = f", and motions of {wanted.simulate:g} s" if wanted.simulate else ""
    return f"{describe_counts(found)}. Compared at {count(wanted.states, 'state')} from seed {wanted.seed}{moved}."


def _markdown(found: Sequence[ComparedPair], wanted: FleetRequest) -> str:
    parts = ["# A fleet", "", _describe_request(found, wanted)]
    for one in tables(found):
        lines = (one.heads, ["---"] * len(one.heads), *one.rows)
        cells = ("| " + " | ".join(plain(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)
        parts += ["", f"## {one.title}", "", *cells]
    made = ", ".join(f"{name} {version}" for name, version in versions().items())
    return "\n".join((*parts, "", made, ""))


def _describe_pair(c: ComparedPair) -> Iterator[str]:
    """Yield details of a pair: the cause of a difference, parts that were left out, and the readers' warnings."""
    if why := c.found.get("why"):
        yield why["said"]
    if not c.found["stands"]:
        yield from (f"left out: {o['place']}: {o['what']}" for o in c.found["omissions"] if o["effect"] != "none")
    yield from c.found["warnings"]


def _html(found: Sequence[ComparedPair], wanted: FleetRequest) -> str:
    whole = [(c, c.found["headline"], "\n".join(_describe_pair(c))) for c in found if c.found]
    return (
        environment()
        .get_template("fleet.html")
        .render(
            style=Markup(template("report.css")), intro=_describe_request(found, wanted), tables=tables(found),
            whole=[one for one in whole if one[2]], versions=versions(),
        )
    )  # fmt: skip
