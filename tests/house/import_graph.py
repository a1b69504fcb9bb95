"""Who imports whom among the modules of the project, read from their sources.

Every import counts: at the top of a file, inside of a function, or for annotations alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib.util import resolve_name
from pathlib import Path

Graph = Mapping[str, frozenset[str]]


def modules(packages: Mapping[str, Path]) -> dict[str, Path]:
    """Files of all modules by dotted name; ``packages`` are folders by the name of the package they hold."""
    found = {}
    for package, folder in packages.items():
        for path in sorted(folder.rglob("*.py")):
            inner = path.relative_to(folder).with_suffix("").parts
            found[".".join((package, *inner)).removesuffix(".__init__")] = path
    return found


def graph(files: Mapping[str, Path]) -> Graph:
    """The modules that each module needs."""
    return {name: frozenset(_needs(name, files)) for name in files}


def _needs(module: str, files: Mapping[str, Path]) -> Iterator[str]:
    package = module if files[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(files[module].read_text(encoding="utf-8"))):
        targets = []
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module
            inner = [f"{base}.{alias.name}" for alias in node.names]
            targets = [name if name in files else str(base) for name in inner]
        for target in targets:
            yield from (name for name in _loaded(target, module) if name in files and name != module)


def _loaded(target: str, module: str) -> Iterator[str]:
    """A module and the packages around it, which are loaded before it; less those that hold the importer."""
    parts = target.split(".")
    yield target
    for k in range(1, len(parts)):
        package = ".".join(parts[:k])
        if not f"{module}.".startswith(f"{package}."):
            yield package


def circles(needs: Graph) -> list[tuple[str, ...]]:
    """Sets of modules that need one another (strong components of more than one), sorted."""
    reach = {name: _reached(name, needs) for name in needs}
    found = {tuple(sorted(b for b in reach[a] if a in reach[b])) for a in needs if a in reach[a]}
    return sorted(found)


def _reached(start: str, needs: Graph) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = needs[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen
