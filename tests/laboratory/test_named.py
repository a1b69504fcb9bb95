"""What tables name by words is there: a room, module, command or function that was renamed is missing here first.

A word that names nothing would watch nothing, and say so nowhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from laboratory import house
from laboratory.bench import __main__ as runner
from laboratory.mutants import campaign, places, rooms, wording
from mbconcord.cli import COMMANDS
from mbconcord.validation.many.cluster import child, worker

from ..house import test_no_formalism_named

ROOT = Path(__file__).resolve().parents[2]
#: table -> dotted names of modules that its words stand for
TABLES = {
    "laboratory.mutants.places.JUDGES": [f"mbconcord.validation.{w.replace('/', '.')}" for w in places.JUDGES],
    "laboratory.mutants.places.JUDGING": places.JUDGING,
    "laboratory.mutants.places.BUILDING": places.BUILDING,
    "laboratory.mutants.wording.PARTS": [f"mbconcord.{part}" for part in wording.PARTS],
    "laboratory.mutants.rooms.ROOMS": [f"mbconcord.{room}" for room in rooms.ROOMS],
    "laboratory.mutants.campaign.IMPORTED": [campaign.ROOM, *campaign.WARM],
    "laboratory.bench.__main__.HELPERS": [f"laboratory.bench.{name}" for name in runner.HELPERS],
    "validation.many.cluster.worker.PARTS": [f"mbconcord.{part}" for part in worker.PARTS],
    "validation.many.cluster.child.STANDS_ON": child.STANDS_ON,
}
#: table -> paths
PATHS = {
    "laboratory.house.PRODUCT": (*house.PRODUCT, house.ROBOT),
    "tests.house.test_no_formalism_named.ABOVE": test_no_formalism_named.ABOVE,
    "tests.house.test_no_formalism_named.QUANTITIES": [
        path for paths in test_no_formalism_named.QUANTITIES.values() for path in paths
    ],
}
#: A module of ours, or a function in it.
NAME = re.compile(r"((?:mbconcord|laboratory|tests)(?:\.\w+)+)(?::(\w+))?")
#: Groups of entry points, which are named like modules.
GROUPS = {"mbconcord.formats", "mbconcord.witnesses"}


def exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_every_module_of_a_table_exists() -> None:
    """All tables in one test: rows of a long table are no part of the fast loop."""
    missing = {table: [m for m in names if not exists(m)] for table, names in TABLES.items()}
    assert {table: names for table, names in missing.items() if names} == {}
    assert all(TABLES.values())


def test_every_path_of_a_table_exists() -> None:
    missing = {table: [p for p in paths if not (ROOT / p).exists()] for table, paths in PATHS.items()}
    assert {table: paths for table, paths in missing.items() if paths} == {}
    assert all(PATHS.values())


def list_modules(path: Path) -> Iterator[str]:
    """Yield the modules and functions that texts of a source name in full, those put together too."""
    text = path.read_text("utf-8")
    texts = [
        node for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    ]  # fmt: skip
    parts = [n for n in texts if isinstance(n, ast.JoinedStr)] if re.search(r"\{(ROOM|__\w+__)\}", text) else []
    known = vars(import_module(dotted(path))) if parts else {}
    for node in texts:
        if isinstance(node, ast.Constant):
            given = node.value
        elif all(isinstance(v.value, ast.Name) and v.value.id in known for v in node.values if hasattr(v, "value")
                 and isinstance(v, ast.FormattedValue)):  # fmt: skip
            given = eval(compile(ast.Expression(node), str(path), "eval"), known)
        else:
            continue
        if NAME.fullmatch(given) and given not in GROUPS:
            yield given


def dotted(path: Path) -> str:
    names = path.relative_to(ROOT).with_suffix("").parts
    names = names[:-1] if names[-1] == "__init__" else names
    names = names if names[0] == "laboratory" else ("mbconcord", *names[names[0] == "app" :])
    return ".".join(names)


def find_missing(names: Iterable[str]) -> list[str]:
    """Return those that are neither a module, nor a function or a name in one."""
    found = []
    for name in names:
        module, function = NAME.fullmatch(name).groups()
        owner, _, last = module.rpartition(".")
        there = exists(module) or (exists(owner) and hasattr(import_module(owner), last))
        if not there or (function and not hasattr(import_module(module), function)):
            found.append(name)
    return found


@pytest.mark.slow
def test_every_module_that_a_text_names_exists() -> None:
    parts = ("laboratory", "validation", "converters", "app")
    named = {n: p for part in parts for p in sorted((ROOT / part).rglob("*.py")) for n in list_modules(p)}
    assert {name: str(named[name]) for name in find_missing(named)} == {}


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("laboratory.mutants.attempt:attempt", False),
        ("laboratory.mutants.attempt:attempted", True),
        ("laboratory.mutants.attempted", True),
        ("mbconcord.validation.many.cluster.worker:perform", False),
        ("mbconcord.validate.many", True),
    ],
)
def test_a_name_of_nothing_is_found(name: str, missing: bool) -> None:
    assert bool(find_missing([name])) is missing


def test_modules_that_make_runs_exist() -> None:
    named = set(re.findall(r"\bpython -m ([\w.]+)", (ROOT / "Makefile").read_text("utf-8")))
    ours = {name for name in named if name.split(".")[0] in ("laboratory", "tests")}
    assert ours and [name for name in ours if not exists(name)] == []


def test_commands_of_seeded_faults_are_commands() -> None:
    assert {words[0] for words in rooms.COMMANDS} <= {*COMMANDS, "python"}


@cache
def names_of_sources() -> set[str]:
    """Names of functions and classes of what is mutated."""
    trees = [ast.parse(places.source_file(m).read_text("utf-8")) for m in (*places.modules(), *rooms.modules())]
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def alternatives(pattern: re.Pattern[str]) -> list[str]:
    return re.split(r"\|(?![^(]*\))", pattern.pattern)


def test_every_pattern_of_modules_set_aside_finds_one() -> None:
    parts = ("formalisms", "model", "converters", "validation")
    names = {n for part in parts for p in (ROOT / part).rglob("*.py") for n in p.with_suffix("").parts}
    assert [a for a in alternatives(places.ASIDE) if not any(re.fullmatch(a, n) for n in names)] == []


@pytest.mark.slow
def test_every_pattern_of_words_finds_a_function() -> None:
    assert [a for a in alternatives(places.WORDS) if not any(re.search(a, n) for n in names_of_sources())] == []


def test_every_benchmark_measures_something() -> None:
    folder = ROOT / "laboratory" / "bench"
    files = {name: folder / f"{name}.py" for name in runner.names()}
    sources = {n: (f if f.exists() else folder / n / "__init__.py").read_text("utf-8") for n, f in files.items()}
    assert [name for name, text in sources.items() if "\ndef rows()" not in text] == []
