"""A change of a source in a process that has imported its module: its functions get the changed code.

All references to a function then see the changed one, by whatever name they imported it, and nothing is imported again.
This requires the change to be inside functions that can be found by name; otherwise nothing is done.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any


def swap_functions(module: ModuleType, path: str, source: str) -> bool:
    """Give the functions of a module the code that they have in another source; whether that was possible."""
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
            if inner.co_flags & _NEWLOCALS:
                yield inner
            else:
                yield from _codes(inner)  # a class


#: Flag of the code of functions, which the body of a class does not have.
_NEWLOCALS = 0x2


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
