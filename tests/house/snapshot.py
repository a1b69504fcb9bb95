"""What every command prints for every fixture, one file each, so that two states of the project can be compared.

    .venv/bin/python -m tests.house.snapshot FOLDER    # on the state before, and on the state after
    diff -r BEFORE AFTER
    .venv/bin/python -m tests.house.snapshot --against main --only check_json    # both now, and the differences

Times are blotted out; everything else is kept: text, JSON, losses, diagnostics, exit codes, reports. With ``--against``
the other state is a clean clone in a folder that goes, run by the same libraries on the same machine; the exit code is
1 where something differs and the model's file is named in no commit in between.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from mbconcord.cli import main
from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms

ROOT = Path(__file__).resolve().parents[2]
TIMES = (
    (re.compile(r'("(?:evaluation_)?seconds": )[0-9.e+-]+'), r"\1…"),
    (re.compile(r"\b[0-9.]+(?:e-?[0-9]+)? (ms|s|µs)\b"), r"… \1"),
    (re.compile(r'time="[0-9.]+"'), 'time="…"'),
)
MODELS = (
    "mbsd/*.mbsd", "konoplev/*.mbs*", "tp/*.tp.csv", "um/*.mbs.json", "um/*/input.dat", "robots/*.mbsd", "urdf/*.urdf",
    "mjcf/*.xml", "sdf/*.sdf", "elastic/*.mbs.json", "native/*.mbs.json", "overconstrained/*.mbs.json",
)  # fmt: skip
#: Lines of a difference that are shown, and models with one.
SHOWN, MOST = 8, 20


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


def snapshot(folder: str, only: str | None, model: str) -> str:
    """Run all commands on one model, or the one of a name, and write what they print."""
    out = Path(folder) / model
    out.mkdir(parents=True, exist_ok=True)
    for name, arguments in commands(model, out):
        if only not in (None, name):
            continue
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


def write_all(folder: str, only: str | None) -> None:
    """Write a snapshot of the fixtures in the current folder; each model by a fork that no other model has used."""
    if only is None:
        whole(folder)
    run(["check", "fixtures/mbsd/double_pendulum.mbsd"])  # what is imported once
    with get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        for done in pool.imap_unordered(partial(snapshot, folder, only), models(), chunksize=1):
            if only is None:
                print(done, flush=True)


def lay_out(clone: Path, site: Path) -> None:
    """Lay the folders of a clone under their import names, as an installation would."""
    tree = ast.parse((clone / "setup.py").read_text("utf-8"))
    (parts,) = (n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "PARTS")
    package = site / "mbconcord"
    package.mkdir(parents=True)
    for path in (*(clone / "app").iterdir(), *(clone / part for part in ast.literal_eval(parts))):
        (package / path.name).symlink_to(path)


def compare_with(ref: str, only: str | None) -> int:
    """Write snapshots of another state and of this one, and print how they differ; 1 where no commit says why."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    with tempfile.TemporaryDirectory() as place:
        clone, site = Path(place, "clone"), Path(place, "site")
        head = git("rev-parse", "--verify", f"{ref}^{{commit}}").strip()
        git("clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(clone))
        subprocess.run(["git", "-C", str(clone), "checkout", "--quiet", head], check=True)
        lay_out(clone, site)
        environment = os.environ | {"PYTHONPATH": str(site)}
        show = "import mbconcord; print(mbconcord.__file__)"
        found = subprocess.run(
            [sys.executable, "-Pc", show], env=environment, capture_output=True, text=True, check=True
        )
        assert found.stdout.startswith(str(site)), f"it would compare {found.stdout} with itself"
        words = ["--only", only] if only else []
        before, after = Path(place, "before"), Path(place, "after")
        other = [sys.executable, "-P", __file__, str(before), *words]
        subprocess.run(other, env=environment, cwd=clone, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-m", "tests.house.snapshot", str(after), *words], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        return tell(before, after, git("log", "--format=%B", f"{head}..HEAD"), ref)


def tell(before: Path, after: Path, commits: str, ref: str) -> int:
    """Print which outputs differ, and how the first do; 1 where the commits name no file of such a model."""
    texts = [
        {p.relative_to(d).as_posix(): p.read_text("utf-8") for p in sorted(d.rglob("*.txt"))} for d in (before, after)
    ]
    names = [name for name in sorted({*texts[0], *texts[1]}) if texts[0].get(name) != texts[1].get(name)]
    unsaid = [name for name in names if name.rpartition("/")[0] not in commits]
    for name in unsaid[:MOST]:
        print(f"{name} differs from {ref}")
        a, b = (text.get(name, "").splitlines() for text in texts)
        lines = [
            line for line in difflib.unified_diff(a, b, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))
        ]
        print(*(f"  {line[:200]}" for line in lines[:SHOWN]), *(["  …"] if len(lines) > SHOWN else []), sep="\n")
    said = len(names) - len(unsaid)
    print(f"{len(texts[1])} outputs: {len(names)} other than those of {ref}, {said} of them on purpose")
    if unsaid:
        print("mend it; or, where it is on purpose, name the model's file and why in the body of the commit")
    return int(bool(unsaid))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.house.snapshot")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", metavar="NAME", help="of the commands this one: check_json")
    parser.add_argument("--against", metavar="COMMIT", help="compare with this state: main")
    given = parser.parse_args()
    if given.against:
        sys.exit(compare_with(given.against, given.only))
    write_all(given.folder, given.only)
