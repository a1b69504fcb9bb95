"""Wrong readers: is each noticed by the numbers of this folder? Run from a checkout, it is no test itself.

    python -m tests.readers.mutants [--seed N] [--count N] [--here] [--list] [FORMAT …]

Of every small change that can be made to the modules of a reader (:mod:`.mutations`) a drawn sample is tried: a
child process imports the changed source in place of its module and runs the tests of that format in this folder. A
survivor is named in ``excused.toml`` with the reason why no model is read otherwise, or the tests of ``tests/formats``
have to notice it (``noticed beside``: what is refused or said); if they do not, it is a gap and the exit code is 1.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import random
import resource
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .mutations import Mutant, mutants

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: What is drawn by default, and how much time of the processor the tests of one mutant have.
SEED, COUNT, SECONDS = 7, 40, 90
#: Modules of a format's folder, by how they begin, that do not read: they write, say what is wrong, keep what the model
#: does not hold, or put parameters in an order.
NOT_READING = {
    "mbsd": ("writ", "letters", "order"),
    "tp": ("writ", "links", "lost", "messages"),
    "um": ("writ", "equations", "layout", "findings", "kept"),
    "native": ("writ", "findings", "schema"),
}
WRITING = ("writer", "round_trip", "equations", "losses", "random", "printer")
#: Imported once, before the children fork.
SHARED = (
    "hypothesis", "lark", "numpy", "openpyxl", "mbconcord.cli", "mbconcord.converters.registry",
    "mbconcord.model.checks", "mbconcord.model.expressions.formula", "mbconcord.validation.witnesses.direct.tree",
)  # fmt: skip


class _Changed(Loader):
    """Loads a module from changed source."""

    def __init__(self, tree: ast.Module, path: str) -> None:
        self.tree, self.path = tree, path

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.tree, self.path, "exec"), module.__dict__)


class _Instead(MetaPathFinder):
    """Finds the changed source of one module."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.mutant.module:
            return None
        found = PathFinder.find_spec(name, path)
        assert found is not None and found.origin is not None
        spec = spec_from_loader(name, _Changed(self.mutant.tree(), found.origin), origin=found.origin)
        assert spec is not None
        spec.has_location = True
        return spec


def modules(name: str) -> list[tuple[str, Path]]:
    """Names and files of the modules that read a format."""
    folder = ROOT / "converters" / name
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if path.name != "__init__.py" and not any(p.startswith(NOT_READING[name]) for p in parts):
            found.append((".".join(("mbconcord.converters", name, *parts)), path))
    return found


def ending(mutant: Mutant | None, files: Sequence[Path]) -> str:
    """How tests end with a mutant: ``survived``, ``noticed`` or ``hangs``."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        if mutant is not None:
            sys.meta_path.insert(0, _Instead(mutant))
        os._exit(int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *map(str, files)])))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return "survived" if code == 0 else "hangs" if code < 0 else "noticed"


def numbers(name: str) -> list[Path]:
    """The tests of a format in this folder."""
    return sorted(HERE.glob(f"test_{name}_*.py"))


def others(name: str) -> list[Path]:
    """The tests of a format in the folder of formats, but for those of its writer."""
    found = sorted((ROOT / "tests" / "formats").rglob(f"test_{name}*.py"))
    return [path for path in found if not path.stem.endswith(WRITING)]


def excused() -> dict[str, str]:
    """Why a survivor reads no model otherwise, by what it is."""
    return {e["mutant"]: e["why"] for e in tomllib.loads((HERE / "excused.toml").read_text("utf-8"))["mutant"]}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.readers.mutants")
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT, help="how many of each format (0: all)")
    parser.add_argument("--here", action="store_true", help="ask the tests of this folder alone")
    parser.add_argument("--list", action="store_true", help="count the changes that can be made, and stop")
    given = parser.parse_args(arguments)
    for shared in SHARED:
        importlib.import_module(shared)
    known, total = excused(), Counter[str]()
    for name in given.formats or NOT_READING:
        possible = [m for module, path in modules(name) for m in mutants(module, path)]
        print(f"{name}: {len(possible)} changes can be made", flush=True)
        here, beside = numbers(name), others(name)
        if given.list:
            continue
        if ending(None, here) != "survived":
            print(f"{name}: the tests fail on the reader as it is")
            return 1
        drawn = random.Random(given.seed).sample(possible, min(given.count, len(possible)) or len(possible))
        for mutant in drawn:
            how = ending(mutant, here)
            if how == "survived":
                how = "excused" if str(mutant) in known else how
            if how == "survived" and not given.here:
                how = f"{ending(mutant, beside)} beside"
            total[how] += 1
            if how != "noticed":
                print(f"  {how}: {mutant}", flush=True)
    print(", ".join(f"{count} {how}" for how, count in sorted(total.items())))
    return int(total["survived beside"] + total["survived"] > 0)


if __name__ == "__main__":
    sys.exit(main())
