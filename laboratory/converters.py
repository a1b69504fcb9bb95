"""Converters of robots as the page tests/laboratory/converters.md: what becomes of the fixtures, and why.

    python -m laboratory.converters [FOLDER]

FOLDER (default: out/with) has an environment for each program of PyPI. The rows are kept in converters.csv.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

LABORATORY = Path(__file__).resolve().parent
ROWS, PAGE = LABORATORY / "converters.csv", LABORATORY.parent / "tests/laboratory/converters.md"
#: Formats of the robots; a format is the name of its folder of fixtures.
FORMATS = ("urdf", "mjcf")
HEADS = ("converter", "version", "format", "robot", "verdict", "exit", "cause")
UNCHANGED = "wrote its input again"
#: Columns of counts, and the exit codes of others.
COUNTS = (
    "the same", "the same to digits", "the same but for omissions", "not the same", UNCHANGED, "refused or failed",
    "could not be told, or after a matching that nobody told", "cannot take this format",
)  # fmt: skip
CODES = {"0": 0, "4": 2, "1": 3, "2": 5, "70": 5, "3": 6, "5": 6}
HEAD = """# Converters

What converters of robots make of the fixtures in URDF and MJCF: each file is converted, and
`mbconcord campaign compare` compares what the converter wrote with what it read
([many pairs](../../docs/campaigns.md#pairs)). `make converters` writes this page; the rows of all pairs are in
`laboratory/converters.csv`, the commands and causes in `laboratory/converters.toml`.

Six robots show kinds of faults, not how often they occur.
"""


def known() -> dict[str, Any]:
    """Read the converters, and the causes of all of them."""
    found = tomllib.loads((LABORATORY / "converters.toml").read_text("utf-8"))
    causes = ((c["name"], *cause) for c in found["converter"] for cause in c.get("causes", ()))
    return found | {"cause": [dict(zip(("converter", "verdict", "in", "says"), x, strict=True)) for x in causes]}


def ask(environments: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of all pairs, a campaign for each format; a converter that is not there has one row."""
    versions = {c["name"]: _find_version(c["package"], environments) for c in known()["converter"]}
    for format in FORMATS:
        asked: dict[str, tuple[dict[str, Any], dict[str, str]]] = {}
        for c in known()["converter"]:
            row = {"converter": c["name"], "version": versions[c["name"]], "format": format}
            if format not in c.get("takes", FORMATS):
                robots = sorted(file.stem for file in Path("fixtures", format).iterdir())
                yield from (row | {"robot": robot, "verdict": "cannot take this format"} for robot in robots)
            elif row["version"]:
                asked[f"c{len(asked)}"] = c, row
            elif format == FORMATS[0]:
                yield row | {"verdict": "not installed"}
        found = Path("out/converters") / f"{format}.csv"
        found.parent.mkdir(parents=True, exist_ok=True)
        options = []
        for name, (c, _) in asked.items():
            text = c["command"].replace("{with}", str(environments)).replace("{here}", str(Path(sys.executable).parent))
            options += ["--convert", f"{name}={text}"]
        command = [sys.executable, "-m", "mbconcord", "campaign", "compare", f"fixtures/{format}", "--quiet"]
        for report in (found.with_suffix(".html"), found):
            rows = ["--output", f"out/converters/{format}", "--report", str(report)]
            subprocess.run([*command, *rows, *options], check=False)
        for r in csv.DictReader(io.StringIO(found.read_text("utf-8"))):
            c, row = asked[r["converter"]]
            cause = re.sub(r"out/converters/\S*/", "", r["cause"]).replace(f"{r['converter']} ", f"{c['package']} ")
            yield row | {"robot": r["robot"], "verdict": r["verdict"], "exit": r["exit"], "cause": cause}


def _find_version(package: str, environments: Path) -> str:
    python = sys.executable if package == "mbconcord" else str(environments / package / "bin/python")
    code = f"from importlib.metadata import version; print(version({package!r}))"
    try:
        return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def count(row: Mapping[str, str]) -> str:
    """Return the column that a row counts in."""
    if UNCHANGED in row["cause"]:
        return UNCHANGED
    if row["verdict"] == "agrees to digits":
        return COUNTS[1]
    return COUNTS[CODES[row["exit"]]] if row["exit"] else row["verdict"]


def page(rows: Sequence[Mapping[str, str]], causes: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Write the lines of the page: a table, and a line for each cause and each row that has none."""
    yield HEAD
    heads = [head for head in COUNTS if head != COUNTS[6] or any(count(r) == head for r in rows)]
    yield f"| converter | version | {' | '.join(heads)} |"
    yield "|---|---|" + "---:|" * len(heads)
    for name in dict.fromkeys(r["converter"] for r in rows):
        own = [r for r in rows if r["converter"] == name]
        found = Counter(map(count, own))
        yield f"| {name} | {own[0]['version'] or '-'} | {' | '.join(str(found[head]) for head in heads)} |"
    yield "\n## Causes\n"
    explained: set[int] = set()
    for cause in causes:
        fitting = {
            i for i, r in enumerate(rows)
            if (r["converter"], count(r)) == (cause["converter"], cause["verdict"]) and cause["in"] in r["cause"]
        }  # fmt: skip
        explained |= fitting
        if fitting:
            where = ", ".join(dict.fromkeys(rows[i]["robot"] for i in sorted(fitting) if rows[i]["robot"]))
            yield f"* {cause['converter']}{f' ({where})' if where else ''}: {cause['says']}"
    for i, r in enumerate(rows):
        if i not in explained and (r["cause"] or r["exit"] != "0") and count(r) not in (UNCHANGED, COUNTS[-1]):
            yield f"* {r['converter']} ({r['robot']}): not verified: {r['verdict']}, {r['cause']}"


def read() -> list[dict[str, str]]:
    """Read the rows that are kept."""
    return list(csv.DictReader(io.StringIO(ROWS.read_text("utf-8"))))


def main(arguments: Sequence[str]) -> None:
    """Ask the converters, and write rows and page."""
    names = [c["name"] for c in known()["converter"]]
    rows = ask(Path(*arguments or ("out/with",)))
    found = sorted(rows, key=lambda r: (names.index(r["converter"]), r["format"] != "urdf"))
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, HEADS, restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(found)
    PAGE.write_text("\n".join(page(read(), known()["cause"])) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
