"""Faults put into a private, in-memory copy of a formalism; its source on disk is only read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import MbconcordError, error


@dataclass(frozen=True)
class Fault:
    """A physical fault: in ``module`` the text ``original``, which stands there once, becomes ``faulty``.

    Attributes
    ----------
    title : str
        What is wrong, in the words of mechanics: "Coriolis term dropped in (7)".
    module : str
        Full name, as it is imported.
    original, faulty : str
        Source text; may span lines.
    form : str or None
        The form of the formalism that has the fault; None: the one it chooses.
    owner : str
        Name of the formalism; empty: that of the folder of ``mbconcord.formalisms`` in which the module is.
    """

    title: str
    module: str
    original: str
    faulty: str
    form: str | None = None
    owner: str = ""

    @property
    def formalism(self) -> str:
        """Name of the formalism the module belongs to."""
        return self.owner or self.module.split(".")[2]


@contextmanager
def injected(fault: Fault) -> Iterator[Formalism]:
    """The faulty formalism, for as long as the context lasts.

    Inside, the formalism's modules in ``sys.modules`` are the private copies (a module may import others when it
    is run); afterwards the honest ones are back, the same objects as before.

    Raises
    ------
    MbconcordError
        The original text does not stand in the module exactly once, or the module is none of the formalism's.
    """
    registry.formalism(
        fault.formalism
    )  # the honest one first, so that the registry can never hold the faulty
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
    """What is copied of a formalism: its module or package here, of another distribution the whole package."""
    module, _ = registry.target(name)
    return module if name in registry.BUILT_IN else module.partition(".")[0]


def _family(root: str) -> list[str]:
    """Loaded modules below a name, and that itself."""
    return [name for name in sys.modules if _below(root, name)]


def _below(root: str, module: str) -> bool:
    return module == root or module.startswith(root + ".")


def _unalterable(fault: Fault, root: str) -> MbconcordError:
    remedy = f"name a module of {root}, which is a file of Python"
    return MbconcordError(error(f"faults/{fault.title}", f"{fault.module} cannot be altered", remedy))


class _Finder(MetaPathFinder):
    """Finds the one module that has the fault; all others are found as always."""

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
    """Compiles the altered source; reads and writes no bytecode."""

    def __init__(self, fullname: str, path: str, fault: Fault) -> None:
        super().__init__(fullname, path)
        self.fault = fault

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode("utf-8")
        return compile(altered(source, self.fault), f"<{self.fault.title}>", "exec", dont_inherit=True)

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Nothing is written."""


def altered(source: str, fault: Fault) -> str:
    """The source with the fault; :class:`MbconcordError` unless the original text stands in it exactly once."""
    count = source.count(fault.original)
    if count != 1:
        times = "does not stand" if count == 0 else f"stands {count} times"
        raise MbconcordError(
            error(
                f"faults/{fault.title}",
                f"{fault.original!r} {times} in {fault.module}",
                "quote it so that it is unique",
            )
        )
    return source.replace(fault.original, fault.faulty)
