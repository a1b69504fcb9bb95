"""Mutants of texts: messages, names, titles, printing. They change no number, so only tests run on them.

Words of a text are set between marks, and a value shown in a text is removed. The mutant is run against the tests that
quote the text, those that import its module, and those that watch the module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from mbconcord.model.diagnostics import MbconcordError

from ..faults.mutants import Mutant, Operators, mutants
from ..runner.change import source_file
from .places import PACKAGE, tests

#: Parts of the package whose texts are changed.
PARTS: Final = ("formalisms", "model", "converters", "simulation", "validation", "reports", "cli")
#: What a text is set between.
MARK: Final = "XX"
#: Two words, or one and what it says: no key, no symbol, no name of a column.
_WORDS: Final = re.compile(r"[A-Za-z]{2,}[,:;]? |[ ][A-Za-z]{2,}")
#: A piece of a text that a test may quote.
_PIECE: Final = re.compile(r"[A-Za-z][A-Za-z ,;:'-]*[a-z]")
#: Groups of tests that are asked of a text, files in a group, and seconds of the processor for each.
GROUPS, FILES, SECONDS = 3, 6, 30
#: So many words one after another are a quotation.
QUOTED = 3


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the replacements of a text."""
    match node:
        case ast.Constant(str(text)) if _WORDS.search(text):
            yield ast.Constant(MARK + text + MARK)
        case ast.JoinedStr(values):
            shown = [i for i, value in enumerate(values) if isinstance(value, ast.FormattedValue)]
            if shown and len(values) > 1:
                yield ast.JoinedStr([*values[: shown[0]], *values[shown[0] + 1 :]])
        case _:
            pass


def aside(node: ast.AST, part: ast.AST) -> bool:
    """Return True if a part is documentation, import, assertion, or a pattern for reading texts."""
    if isinstance(part, (ast.Import, ast.ImportFrom, ast.Assert)):
        return True
    if isinstance(part, ast.Call):
        return isinstance(part.func, ast.Attribute) and part.func.attr == "compile"
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


WORDING: Final = Operators(changes, aside)


@cache
def texts() -> tuple[Mutant, ...]:
    """Return all changes of texts."""
    found: list[Mutant] = []
    for part in PARTS:
        base = source_file(f"{PACKAGE}.{part}").parent
        for path in sorted(base.rglob("*.py")):
            names = path.relative_to(base).with_suffix("").parts
            names = names[:-1] if names[-1] == "__init__" else names
            found += mutants(".".join((PACKAGE, part, *names)), path, WORDING)
    return tuple(found)


def watching(mutant: Mutant, root: Path) -> list[list[str]]:
    """List tests that quote the text, import its module, or watch it: the likeliest first, each file once."""
    read = {path: _read(path) for path in sorted((root / "tests").rglob("test_*.py"))}
    said = _quotations(mutant.change)
    shared = {p: sum(words in text for words in said) for p, text in read.items()}
    quoting = sorted((p for p in read if shared[p]), key=lambda p: -shared[p])
    parent, _, name = mutant.module.rpartition(".")
    imports = re.compile(rf"{re.escape(mutant.module)}\b|from {re.escape(parent)} import [^\n]*\b{name}\b")
    importing = [p for p, text in read.items() if imports.search(text)]
    named = re.compile(rf"(?<![a-z]){name}(?![a-z])|refus|bad_input")
    own = sorted({*map(Path, _own(mutant.module, root))}, key=lambda p: (not named.search(p.stem), p))
    seen, found = set[Path](), list[list[str]]()
    for group in (quoting[:FILES], importing[:FILES], own[:FILES]):
        found.append([str(path) for path in group if path not in seen])
        seen.update(group)
    return [paths for paths in found if paths][:GROUPS]


def _read(path: Path) -> str:
    """Read a file of tests with its expected pages: texts in a folder next to it that its name begins with."""
    pages = (p for p in sorted(path.parent.glob("*/*.txt")) if path.stem.startswith(f"test_{p.parent.name}"))
    return "\n".join(p.read_text("utf-8") for p in (path, *pages))


def _quotations(change: str) -> set[str]:
    """Return successive words that a test may quote, from the text and its surroundings."""
    pieces = _PIECE.findall(change.partition(" -> ")[0]) + _PIECE.findall(change.rpartition(" in ")[2])
    rows = [piece.replace("XX", "").split() for piece in pieces]
    return {" ".join(row[i : i + QUOTED]) for row in rows for i in range(len(row) - QUOTED + 1)}


def _own(module: str, root: Path) -> list[str]:
    """Return test files of this module alone; for reports and commands those of its name."""
    part, _, rest = module.partition(".")[2].partition(".")
    if part in ("reports", "cli", "simulation"):
        name = rest.rpartition(".")[2] or part
        return [str(p) for p in sorted((root / "tests" / part).rglob(f"test_{name}*.py"))]
    try:
        groups = tests(module, root)
    except (IndexError, MbconcordError):
        return []
    files = [Path(path) for group in (groups[:-1] or groups) for path in group]
    return [str(p) for path in files for p in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]
