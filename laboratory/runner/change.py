"""A module with another source, in a process that forks for each task.

A formalism can be replaced in a running process (:mod:`mbconcord.testing.injection`); what everything else is built on
cannot, because it has been imported long since. Functions of a module that is there are changed in place
(:func:`swap_functions`), or where that cannot be, the whole package is imported anew with the other source.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mbconcord.model.diagnostics import MbconcordError, error

if TYPE_CHECKING:
    from mbconcord.validation.many.cluster.worker import Children, ProcessAnswer

import ast
from collections.abc import Iterator
from functools import cached_property
from types import CodeType, FunctionType


def swap_functions(module: ModuleType, path: str, source: str) -> bool:
    """Give the functions of a module the code that they have in another source; whether that was possible.

    All references to a function then see the changed one, by whatever name they imported it, and nothing is imported
    again. This requires the change to be inside functions that can be found by name; otherwise nothing is done.
    """
    honest, changed = (_compile(text, path) for text in (Path(path).read_text("utf-8"), source))
    pairs = _different(honest, changed)
    if not pairs:
        return False
    found = [(_functions(module, name), code) for name, code in pairs.items()]
    if not all(functions for functions, _ in found):
        return False
    if any(len(f.__code__.co_freevars) != len(code.co_freevars) for fs, code in found for f in fs):
        return False
    for functions, code in found:
        for function in functions:
            function.__code__ = code
    return True


def _compile(source: str, path: str) -> CodeType:
    """Compile a source, with line numbers as without comments and layout."""
    return compile(ast.unparse(ast.parse(source)), path, "exec", dont_inherit=True)


def _different(honest: CodeType, changed: CodeType) -> dict[str, CodeType] | None:
    """Return the outermost functions that differ, by their qualified names; None if one is ambiguous."""
    before, after = (_outermost(code) for code in (honest, changed))
    if before is None or after is None or before.keys() != after.keys():
        return None
    return {name: code for name, code in after.items() if code != before[name]}


def _outermost(module: CodeType) -> dict[str, CodeType] | None:
    """Return functions of a module and of its classes; None if a name is shared or missing."""
    found: dict[str, CodeType] = {}
    for code in _codes(module):
        name = code.co_qualname
        if name in found:
            return None
        found[name] = code
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and "<" not in inner.co_name:
            if inner.co_flags & CO_NEWLOCALS:
                yield inner
            else:
                yield from _codes(inner)  # a class


def _functions(module: ModuleType, name: str) -> list[FunctionType]:
    """List the functions of a qualified name, without decorators; empty if there is none."""
    held: Any = module
    for part in name.split("."):
        if part not in vars(held):
            return []
        held = vars(held)[part]
    around = (held.fget, held.fset) if isinstance(held, property) else (held,)
    plain = [_plain(one) for one in around if one is not None]
    return [one for one in plain if isinstance(one, FunctionType) and one.__code__.co_qualname == name]


def _plain(held: Any) -> Any:
    while not isinstance(held, FunctionType) or hasattr(held, "__wrapped__"):
        if isinstance(held, cached_property):
            held = held.func
        elif hasattr(held, "__wrapped__"):
            held = held.__wrapped__
        else:
            break
    return held


#: Imported anew with a change.
PACKAGES = ("mbconcord", "laboratory")


class UntriedError(MbconcordError):
    """A change was not tried, as its module was not imported anew: that says nothing of the change."""


@dataclass(frozen=True)
class SourceChange:
    """A changed source of a module.

    ``anew``: the package is imported with it, though it may be there: what runs on import has changed.
    """

    module: str
    source: str
    anew: bool = False


def run(children: Children, change: SourceChange | None, function: str, *arguments: Any) -> ProcessAnswer:
    """Call ``module:name`` with arguments that JSON can hold, in a process that imports a module with its change."""
    if change is None:
        return children.run(function, *arguments)
    task = {**asdict(change), "path": str(source_file(change.module))}
    answer = children.run(f"{__name__}:call", task, function, arguments)
    if answer.failure.startswith(UntriedError.__name__):
        said = f"{change.module} was not imported with its change, which was not tried"
        raise UntriedError(error("laboratory", said, "mend how laboratory/runner/change.py replaces modules"))
    return answer


def call(change: Mapping[str, Any], function: str, arguments: Sequence[Any]) -> Any:
    """Import the function with the module changed, and call it: in the process that has forked for it."""
    changed = None if _swap(change) else Changed(change["module"], change["path"], change["source"])
    if changed:
        forget()
        sys.meta_path.insert(0, changed)
        importlib.import_module(changed.module)  # though nothing may need it that is called
        if not changed.loaded:
            raise UntriedError(error("", f"{changed.module} was there already"))
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)(*arguments)


def source_file(module: str) -> Path:
    """Return the file of a module; :class:`MbconcordError` if it has none."""
    found = find_spec(module)
    if found is None or found.origin is None or not found.origin.endswith(".py"):
        remedy = "name a file of Python"
        raise MbconcordError(error(f"faults/{module}", "it is no module with a source", remedy))
    return Path(found.origin)


def forget() -> None:
    """Let nothing of the package be there any more."""
    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        del sys.modules[name]


class Changed(MetaPathFinder, Loader):
    """Finder of one module, as a file with changed source."""

    def __init__(self, module: str, path: str, source: str) -> None:
        self.module, self.path, self.source = module, path, source
        self.loaded = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the module on import."""
        return spec_from_file_location(fullname, self.path, loader=self) if fullname == self.module else None

    def is_package(self, fullname: str) -> bool:
        """Return whether it has submodules."""
        return self.path.endswith("__init__.py")

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        exec(compile(self.source, self.path, "exec", dont_inherit=True), module.__dict__)
        self.loaded = True


def _swap(change: Mapping[str, Any]) -> bool:
    """Return whether the functions of a loaded module could be replaced in place."""
    module = sys.modules.get(change["module"])
    if module is None or change["anew"]:
        return False
    return swap_functions(module, change["path"], change["source"])
