"""What every command prints for every fixture, one file each, so that two states of the project can be compared.

    .venv/bin/python -m tests.house.snapshot FOLDER    # on the state before, and on the state after
    diff -r BEFORE AFTER

Times are blotted out; everything else is kept: text, JSON, losses, diagnostics, exit codes, reports.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from mbconcord.cli import main
from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms

TIMES = (
    (re.compile(r'("(?:evaluation_)?seconds": )[0-9.e+-]+'), r"\1…"),
    (re.compile(r"\b[0-9.]+(?:e-?[0-9]+)? (ms|s|µs)\b"), r"… \1"),
    (re.compile(r'time="[0-9.]+"'), 'time="…"'),
)
MODELS = ("mbsd/*.mbsd", "konoplev/*.mbs*", "tp/*.tp.csv", "um/*.mbs.json", "um/*/input.dat", "robots/*.mbsd")


def models() -> list[str]:
    """Every model file of the fixtures, from the project's root."""
    return sorted(str(path) for pattern in MODELS for path in Path("fixtures").glob(pattern))


def commands(model: str, out: Path) -> Iterator[tuple[str, list[str]]]:
    """Names and arguments of all commands on one model."""
    yield "info", ["info", model]
    yield "info_json", ["info", model, "--json"]
    large = "talos" in model
    yield "check", ["check", model, "--states", "2"]
    yield "check_json", ["check", model, "--states", "2", "--json"]
    for name in formats.names():
        target = out / f"converted.{name}"
        yield f"convert_{name}", ["convert", model, "-", "--to", name]
        if not large:
            yield f"verify_{name}", ["convert", model, str(target), "--to", name, "--verify", "--force"]
    for name in formalisms.names():
        yield f"evaluate_{name}", ["evaluate", model, "--formalism", name]
        if not large:
            yield f"evaluate_{name}_json", ["evaluate", model, "--formalism", name, "--json"]
        for output in ("text", "latex", "python", "c", "json"):
            if not large or output == "text":
                yield f"derive_{name}_{output}", ["derive", model, "--formalism", name, "--output", output]
        if not large:
            yield f"derive_{name}_h", ["derive", model, "--formalism", name, "--quantity", "h,gravity"]


def run(arguments: list[str]) -> str:
    """Exit code, standard output and standard error of a command, times blotted out."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
    return blotted(f"exit {code}\n--- stdout\n{stdout.getvalue()}\n--- stderr\n{stderr.getvalue()}")


def blotted(text: str) -> str:
    """The text without times."""
    for pattern, instead in TIMES:
        text = pattern.sub(instead, text)
    return text


def snapshot(model: str, folder: str) -> str:
    """Run all commands on one model and write what they print."""
    out = Path(folder) / re.sub(r"[^A-Za-z0-9.-]+", "_", model)
    out.mkdir(parents=True, exist_ok=True)
    for name, arguments in commands(model, out):
        text = run(arguments).replace(str(folder), "OUT")
        (out / f"{name}.txt").write_text(text, encoding="utf-8")
    return model


def whole(folder: str) -> None:
    """Commands that are not about one model, and one report of several."""
    out = Path(folder) / "whole"
    out.mkdir(parents=True, exist_ok=True)
    report = out / "report.html"
    several = ["fixtures/mbsd/zi_zig.mbsd", "fixtures/tp/table7.tp.csv", "fixtures/konoplev/tree.mbsd",
               "fixtures/mbsd/four_bar.mbsd", "fixtures/um/two_bodies"]  # fmt: skip
    junit, markdown = out / "report.xml", out / "report.md"
    double = "fixtures/mbsd/zi_zig.mbsd"
    wrong = "um:fixtures/um_equations/double_pendulum_wrong"
    calls = {
        "help": ["--help"],
        "formats": ["formats"],
        "formats_json": ["formats", "--json"],
        "formalisms": ["formalisms"],
        "formalisms_json": ["formalisms", "--json"],
        "against": ["check", double, "--against", "um:fixtures/um_equations/double_pendulum"],
        "against_wrong": ["check", double, "--against", wrong],
        "against_json": ["check", double, "--against", wrong, "--json"],
        "compare": ["compare", "fixtures/mbsd/zig.mbsd", "fixtures/mbsd/zjg.mbsd"],
        "compare_same": ["compare", "fixtures/konoplev/tree.mbsd", "fixtures/konoplev/tree.mbs.json"],
        "closed_form": ["derive", "fixtures/mbsd/u_z-jg.mbsd", "--formalism", "lagrange", "--closed-form"],
        "subsystems": ["derive", "fixtures/konoplev/tree.mbsd", "--formalism", "konoplev", "--subsystems", "branches"],
        "forms": ["derive", "fixtures/tp/table7.tp.csv", "--formalism", "telegin", "--form", "rud"],
        "report": ["check", *several, "--states", "2", "--report", str(report)],
        "junit": ["check", *several, "--states", "2", "--report", str(junit)],
        "markdown": ["check", *several, "--states", "2", "--report", str(markdown)],
    }  # fmt: skip
    for command in ("check", "convert", "compare", "derive", "evaluate", "info", "formats", "formalisms"):
        calls[f"help_{command}"] = [command, "--help"]
    for name, arguments in calls.items():
        (out / f"{name}.txt").write_text(run(arguments).replace(str(folder), "OUT"), encoding="utf-8")
    for path in (report, junit, markdown):
        if path.exists():
            path.write_text(blotted(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    where = sys.argv[1]
    whole(where)
    found = models()
    with ProcessPoolExecutor(2) as pool:
        for done in pool.map(snapshot, found, [where] * len(found)):
            print(done, flush=True)
