"""Fault injection into a private, in-memory copy of a formalism; its source on disk is only read."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.records import dataclass

# Faults, each at a place of a source: a module, a function in it, and the syntax that is changed there.
#
# A line that is moved or laid out anew is the same syntax, so it changes no table of faults.


@dataclass(frozen=True)
class Fault:
    """A physical fault: in a function the syntax ``original`` becomes ``faulty``.

    Attributes
    ----------
    title : str
        What is wrong, in the words of mechanics: "Coriolis term dropped in (7)".
    module : str
        Full name of the module, as it is imported.
    function : str
        Qualified name of the function, ``Class.method``; empty: the whole module.
    original, faulty : str
        An expression or consecutive statements; an empty ``faulty`` deletes statements.
    form : str or None
        The form of the formalism to test; None: the form that it chooses itself.
    owner : str
        Name of the formalism; empty: the name of the module's folder in ``mbconcord.formalisms``.
    """

    title: str
    module: str
    function: str
    original: str
    faulty: str
    form: str | None = None
    owner: str = ""

    @property
    def formalism(self) -> str:
        """Name of the formalism to which the module belongs."""
        return self.owner or self.module.split(".")[2]


def seed_fault(source: str, fault: Fault) -> str:
    """Return the source of a module with the fault in it; comments and layout are lost.

    Raises
    ------
    MbconcordError
        The original text is not found exactly once, a text is not Python, or the fault changes nothing.
    """
    tree = ast.parse(source)
    scopes = list(_scopes(tree, fault.function.split("."))) if fault.function else [tree]
    try:
        original, faulty = _parse(fault.original), _parse(fault.faulty)
    except SyntaxError as problem:
        raise _misplacement(fault, f"{problem.text!r} is no Python") from None
    if not scopes:
        raise _misplacement(fault, f"{fault.module} has no function {fault.function}")
    if not original or list(map(_shape, original)) == list(map(_shape, faulty)):
        raise _misplacement(fault, "it changes nothing")
    found = [place for scope in scopes for place in _places(scope, original)]
    if len(found) != 1:
        times = f"stands {len(found)} times" if found else "does not stand"
        raise _misplacement(fault, f"{fault.original!r} {times} in {fault.function or 'it'} of {fault.module}")
    ((node, field, index, count),) = found
    if index is None or not isinstance(getattr(node, field)[index], ast.stmt):
        if len(faulty) != 1 or not isinstance(faulty[0], ast.Expr):
            raise _misplacement(fault, f"an expression is expected in place of {fault.original!r}")
        if index is None:
            setattr(node, field, faulty[0].value)
        else:
            getattr(node, field)[index] = faulty[0].value
    else:
        body = getattr(node, field)
        body[index : index + count] = faulty or ([] if len(body) > count else [ast.Pass()])
    return ast.unparse(ast.fix_missing_locations(tree))


#: A node, its field, the index in it where that is a list, and how many of its entries are meant.
_Place = tuple[Any, str, int | None, int]


def _places(scope: ast.AST, original: list[ast.stmt]) -> Iterator[_Place]:
    """Yield the places where this syntax occurs in a scope, in the order of the source."""
    first = original[0].value if len(original) == 1 and isinstance(original[0], ast.Expr) else original[0]
    wanted = [_shape(first), *map(_shape, original[1:])]
    for node in _inside(scope):
        for field, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            for i, part in enumerate(parts):
                if type(part) is type(first) and [_shape(p) for p in parts[i : i + len(wanted)]] == wanted:
                    yield node, field, i if isinstance(value, list) else None, len(wanted)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes below it, in the order of the source."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _inside(child)


def _scopes(node: ast.AST, names: list[str]) -> Iterator[ast.AST]:
    """Yield the definitions with a qualified name: several if a property has a setter."""
    if not names:
        yield node
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if child.name == names[0]:
                yield from _scopes(child, names[1:])
        else:
            yield from _scopes(child, names)


def _parse(text: str) -> list[ast.stmt]:
    return ast.parse(text.strip()).body


def _shape(node: ast.AST) -> str:
    """Return the syntax as a text for comparison, without positions, and the same for reading and assignment."""
    return ast.dump(node).replace("ctx=Store()", "ctx=Load()")


def _misplacement(fault: Fault, message: str) -> MbconcordError:
    return MbconcordError(error(f"faults/{fault.title}", message, "name a function, and syntax that stands there once"))


@contextmanager
def inject(fault: Fault) -> Iterator[Formalism]:
    """Yield the faulty formalism for the duration of the context.

    Inside, the formalism's modules in ``sys.modules`` are the private copies (a module may import others at run time);
    afterwards the original objects are back.

    Raises
    ------
    MbconcordError
        The original text of the fault is not in the module, or the module is not part of the formalism.
    """
    registry.formalism(fault.formalism)  # the honest one first, so that the registry can never hold the faulty
    root = _root(fault.formalism)
    if not _below(root, fault.module):
        raise _unalterable(fault, root)
    above, _, stem = root.rpartition(".")
    parent = sys.modules.get(above)
    honest = {name: sys.modules.pop(name) for name in _family(root)}
    honest_attribute = vars(parent).get(stem) if parent else None
    finder = _Finder(fault)
    sys.meta_path.insert(0, finder)
    invalidate_caches()
    try:
        made = registry.load(fault.formalism)
        import_module(fault.module)
        if not finder.found:
            raise _unalterable(fault, root)
        yield made.in_form(fault.form) if fault.form else made
    finally:
        sys.meta_path.remove(finder)
        for name in _family(root):
            del sys.modules[name]
        sys.modules.update(honest)
        if honest_attribute is not None:
            setattr(parent, stem, honest_attribute)
        elif parent and stem in vars(parent):
            delattr(parent, stem)


def _root(name: str) -> str:
    """Name the package to copy: the formalism's own if it is built in, the whole top package of another project."""
    module = registry.target(name).partition(":")[0]
    return module if name in registry.BUILT_IN else module.partition(".")[0]


def _family(root: str) -> list[str]:
    """List the loaded modules of a package: the package itself and all below it."""
    return [name for name in sys.modules if _below(root, name)]


def _below(root: str, module: str) -> bool:
    return module == root or module.startswith(root + ".")


def _unalterable(fault: Fault, root: str) -> MbconcordError:
    remedy = f"name a module of {root}, which is a file of Python"
    return MbconcordError(error(f"faults/{fault.title}", f"{fault.module} cannot be altered", remedy))


class _Finder(MetaPathFinder):
    """Import finder that loads one module with the fault, and leaves all others to the usual finders."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.found = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.fault.module:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(fullname, path, target) for finder in others)), None)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            return None
        spec.loader = _Loader(fullname, spec.origin, self.fault)
        self.found = True
        return spec


class _Loader(SourceFileLoader):
    """Loader that compiles the source with the fault in it, without cached bytecode."""

    def __init__(self, fullname: str, path: str, fault: Fault) -> None:
        super().__init__(fullname, path)
        self.fault = fault

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode("utf-8")
        return compile(seed_fault(source, self.fault), f"<{self.fault.title}>", "exec", dont_inherit=True)

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Write no bytecode: the faulty module stays in memory."""
