"""Measure how simple the house is: each number beside its aim and its budget, above which it may not grow.

    python -m laboratory.house [--record]

The exit code is 1 where a number is above its budget; --record lowers the budgets of numbers that have fallen.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from inspect import CO_NEWLOCALS
from pathlib import Path
from typing import Final

from mbconcord.cli import check
from mbconcord.reports.table import table

ROOT: Final = Path(__file__).resolve().parents[1]
BUDGETS: Final = Path(__file__).with_name("house.toml")
PRODUCT: Final = ("app", "converters", "formalisms", "kernels", "model", "reports", "simulation", "validation")
#: A person checks a robot of this size.
ROBOT: Final = "fixtures/robots/ur5.mbsd"
#: Names of one word that are participles, regular ones and others.
PARTICIPLE: Final = re.compile(
    r"_*([a-z]{2,}(?<!e)ed|agreed|freed|told|held|said|given|kept|made|found|shown|drawn|seen|written|taken|known|done|sent"
    r"|lost|left|met|built|bound|begun|spent|chosen|borne|sought|meant|swept|thrown|grown|broken|spoken|laid|paid|bent"
    r"|brought|taught|caught|gone|split|spread)"
)


@cache
def files(*folders: str) -> tuple[Path, ...]:
    """Return the files of these folders that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return tuple(ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file())


@cache
def trees(*folders: str) -> Mapping[Path, ast.Module]:
    """Return the modules of these folders, parsed."""
    return {p: ast.parse(p.read_text("utf-8")) for p in files(*folders) if p.suffix == ".py"}


def lines(*folders: str) -> int:
    """Count lines of Python, and of whatever else the laboratory has."""
    return sum(p.read_bytes().count(b"\n") for p in files(*folders) if p.suffix == ".py" or folders != PRODUCT)


def list_imports(path: Path, tree: ast.Module, package: str) -> Iterator[str]:
    """Give dotted names that a module imports; ``package``: the folder that relative imports start from."""
    here = [package, *path.relative_to(ROOT / package).parts[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            parts = [*base, *(node.module.split(".") if node.module else [])]
            yield from (".".join((*parts, alias.name)).removeprefix("mbconcord.") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.removeprefix("mbconcord.") for alias in node.names)


@cache
def arrows() -> Mapping[str, frozenset[str]]:
    """Return which rooms of validation each of them imports: folders at its top, and modules there."""
    found: dict[str, set[str]] = {}
    for path, tree in trees("validation").items():
        room = path.relative_to(ROOT / "validation").parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        others = {n.split(".")[1] for n in list_imports(path, tree, "validation") if n.startswith("validation.")}
        found.setdefault(room, set()).update(others - {room})
    return {room: frozenset(others & found.keys()) for room, others in found.items()}


def find_reached(room: str) -> frozenset[str]:
    """Return the rooms that a room depends on, directly or not."""
    seen: set[str] = set()
    waiting = [room]
    while waiting:
        new = arrows()[waiting.pop()] - seen
        seen |= new
        waiting += new
    return frozenset(seen)


def in_circles() -> int:
    """Count rooms of validation that depend on themselves."""
    return sum(room in find_reached(room) for room in arrows())


def floors() -> int:
    """Count layers of validation; rooms of one cycle share a layer."""

    @cache
    def height(room: str) -> int:
        own = {room} | {other for other in find_reached(room) if room in find_reached(other)}
        below = {other for each in own for other in arrows()[each]} - own
        return 1 + max(map(height, below), default=0)

    return max(map(height, arrows()))


def functions() -> Iterator[ast.FunctionDef]:
    """Give every function and method of the product."""
    for tree in trees(*PRODUCT).values():
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def participles() -> float:
    """Return the per cent of functions whose name is a bare participle."""
    named = [f.name for f in functions() if not f.name.startswith("__")]
    return round(100 * sum(bool(PARTICIPLE.fullmatch(name)) for name in named) / len(named), 1)


def docstrings() -> int:
    """Count docstrings that begin with a word of a question, or with Of."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    texts = [
        ast.get_docstring(node) or ""
        for tree in trees(*PRODUCT).values() for node in ast.walk(tree) if isinstance(node, kinds)
    ]  # fmt: skip
    return sum(bool(re.match(r"(What|Whether|How|Of)\b", text)) for text in texts)


def shared_names() -> int:
    """Count names that more than one class of the product has."""
    names = Counter(
        node.name for tree in trees(*PRODUCT).values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    return sum(count > 1 for count in names.values())


def count_named(name: str) -> int:
    """Count modules of validation of a name."""
    return sum(path.name == name for path in files("validation"))


def count_foldable() -> int:
    """Count modules that their one importer could hold in 300 lines, without those that tables name to import later."""
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts).removeprefix("app."): p for p in trees(*PRODUCT)}
    importers: dict[str, set[Path]] = {}
    for part in PRODUCT:
        for path, tree in trees(part).items():
            for name in (n.removeprefix("app.") for n in list_imports(path, tree, part)):
                importers.setdefault(name if name in names else name.rpartition(".")[0], set()).add(path)
    texts = "".join(p.read_text("utf-8") for p in trees(*PRODUCT))
    own = (
        n for n, by in importers.items() if n in names and len(by) == 1 and not re.search(rf'"mbconcord.{n}[":]', texts)
    )
    pairs = ((names[n], *importers[n]) for n in own)
    return sum(sum(p.read_bytes().count(b"\n") for p in pair) < 300 for pair in pairs)


def count_options() -> int:
    """Count the options of ``mbconcord check``."""
    check.arguments(parser := argparse.ArgumentParser(add_help=False))
    return sum(bool(action.option_strings) for action in parser._actions)


ENTERED: Final = f"""
import sys
from mbconcord.cli import main
seen = set()
sys.setprofile(lambda frame, *_: frame.f_code.co_flags & {CO_NEWLOCALS} and seen.add(frame.f_code.co_filename))
main(["check", {ROBOT!r}, "--quiet", "--jobs", "1"])
sys.setprofile(None)
print(sum(file.startswith(tuple(sys.argv[1:])) for file in seen), file=sys.stderr)
"""


def count_entered() -> int:
    """Count files of the product in which a check of a robot runs a function."""
    folders = [str(ROOT / part) + "/" for part in PRODUCT]
    done = subprocess.run(
        [sys.executable, "-c", ENTERED, *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(done.stderr.split()[-1])


def pages() -> tuple[Path, ...]:
    """Return the pages of docs/, decision records apart."""
    return tuple(p for p in files("docs") if p.suffix == ".md" and "decisions" not in p.parts)


def words() -> int:
    """Count the words of these pages, code and tables included; a word has a letter or a digit."""
    return sum(any(map(str.isalnum, w)) for p in pages() for w in p.read_text("utf-8").split())


#: What is no prose of a page, and what stands in its place; each item and heading is a sentence.
PROSE: Final = (
    (r"^ *```[\s\S]*?^ *```$", ""), (r"^ *\|.*$", ""), (r"!\[[^]]*\]\(.*?\)", ""), (r"\[([^]]*)\]\([^)]*\)", r"\1"),
    (r"`[^`]+`", "code"), (r"<[^<>\n]+>|[*_]{2}", ""), (r"^#+ *(.*)$", r"\1.\n"), (r"^ *(?:[-*]|\d+\.) (.*)$", r"\n\1"),
    (r"([^.!?:;\s])\s*\n\s*\n", r"\1.\n\n"),
)  # fmt: skip


def ease(text: str) -> float | None:
    """Return Flesch's reading ease (1948) of a page's prose, None where textstat or its list of words is missing."""
    for pattern, new in PROSE:
        text = re.sub(pattern, new, text, flags=re.MULTILINE)
    try:
        from textstat import lexicon_count, sentence_count, syllable_count

        count = lexicon_count(text)
        return float(round(206.835 - 1.015 * count / sentence_count(text) - 84.6 * syllable_count(text) / count, 1))
    except (ImportError, LookupError):
        return None


def measure() -> dict[str, float]:
    """Measure everything, by the names of the budgets."""
    return {
        "lines of the product": lines(*PRODUCT),
        "lines of the laboratory": lines("laboratory"),
        "modules of the product": len(trees(*PRODUCT)),
        "rooms of validation": len(arrows()),
        "floors of validation": floors(),
        "arrows between its rooms": sum(map(len, arrows().values())),
        "its rooms in circles": in_circles(),
        **{f"{name} in validation": count_named(name) for name in ("check.py", "agreement.py", "witness.py")},
        "names of several classes": shared_names(),
        "functions that are bare participles, %": participles(),
        "docstrings that begin What, Whether, How, Of": docstrings(),
        "modules that their one importer could hold": count_foldable(),
        "options of check": count_options(),
        "files that a check of a UR5 enters": count_entered(),
        "pages of docs": len(pages()),
        "words of docs": words(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the numbers; exit code 1 where one is above its budget."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.house")
    parser.add_argument("--record", action="store_true", help="lower the budgets of numbers that have fallen")
    asked = parser.parse_args(arguments)
    text = BUDGETS.read_text("utf-8")
    budgets, found, worse = tomllib.loads(text), measure(), 0
    rows = []
    for name, value in found.items():
        aim, budget = budgets[name]["aim"], budgets[name]["budget"]
        worse += value > budget
        word = "ABOVE ITS BUDGET" if value > budget else "met" if value <= aim else ""
        rows.append((name, f"{value:,}", f"{aim:,}", f"{budget:,}", word))
        if asked.record and value < budget:
            head = f'["{name}"]\naim = {aim}\nbudget = '
            text = text.replace(f"{head}{budget}\n", f"{head}{max(value, aim)}\n")
    print(table(("the house", "today", "aim", "budget", ""), rows, frozenset({1, 2, 3})))
    if easy := ease("\n\n".join(p.read_text("utf-8") for p in pages())):
        print(f"Flesch's reading ease of docs: {easy} (more is easier; the aim is 48, as MuJoCo's overview has)")
    BUDGETS.write_text(text, "utf-8")
    if worse:
        remedy = "make it simpler elsewhere, or say in the commit why laboratory/house.toml rises"
        print(f"\n{worse} above the budget: {remedy}")
    return int(worse > 0)


if __name__ == "__main__":
    sys.exit(main())
