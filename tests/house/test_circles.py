"""No import circle: whoever reads a file from the top has read what it needs before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import mbconcord.formalisms

PARTS = {"formalisms": Path(mbconcord.formalisms.__file__).parent}


def modules(part: str, root: Path) -> dict[str, Path]:
    """Files of a part by their dotted name."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        inner = path.relative_to(root).with_suffix("").parts
        found[".".join(("mbconcord", part, *inner)).removesuffix(".__init__")] = path
    return found


def needed(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Modules of the part that a file imports anywhere: at the top, in functions, for types."""
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                yield inner if inner in known else module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def circle(part: str, root: Path) -> list[str]:
    """Modules that need each other, the first once more at the end; empty when there are none."""
    known = modules(part, root)
    graph = {name: set(needed(name, path, known)) & known.keys() - {name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


@pytest.mark.parametrize("part", PARTS)
def test_no_module_needs_what_needs_it(part: str) -> None:
    assert circle(part, PARTS[part]) == []


def test_a_circle_is_seen_wherever_its_imports_stand(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from .b import f\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("def f():\n    from . import c\n", encoding="utf-8")
    (tmp_path / "c.py").write_text("import mbconcord.sample.a\n", encoding="utf-8")
    assert set(circle("sample", tmp_path)) == {f"mbconcord.sample.{x}" for x in "abc"}
    (tmp_path / "c.py").write_text("", encoding="utf-8")
    assert circle("sample", tmp_path) == []
