"""Faults put into a private, in-memory copy of a formalism; its source on disk is only read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import BUILT_IN, formalism
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
    """

    title: str
    module: str
    original: str
    faulty: str
    form: str | None = None

    @property
    def formalism(self) -> str:
        """Name of the formalism the module belongs to."""
        return self.module.split(".")[2]


@contextmanager
def injected(fault: Fault) -> Iterator[Formalism]:
    """The faulty formalism, for as long as the context lasts.

    Inside, the formalism's modules in ``sys.modules`` are the private copies (a module may import others when it
    is run); afterwards the honest ones are back, the same objects as before.

    Raises
    ------
    MbconcordError
        The original text does not stand in the module exactly once.
    """
    formalism(fault.formalism)  # the honest one is made first, so that the registry can never hold the faulty
    module, _, attribute = BUILT_IN[fault.formalism].partition(":")
    parent = sys.modules[module.rpartition(".")[0]]
    stem = module.rpartition(".")[2]
    honest = {name: sys.modules.pop(name) for name in _family(module)}
    honest_attribute = vars(parent).get(stem)
    finder = _Finder(fault)
    sys.meta_path.insert(0, finder)
    invalidate_caches()
    try:
        made: Formalism = getattr(import_module(module), attribute)()
        import_module(fault.module)
        yield made.in_form(fault.form) if fault.form else made
    finally:
        sys.meta_path.remove(finder)
        for name in _family(module):
            del sys.modules[name]
        sys.modules.update(honest)
        if honest_attribute is not None:
            setattr(parent, stem, honest_attribute)
        elif stem in vars(parent):
            delattr(parent, stem)


def _family(module: str) -> list[str]:
    """Loaded modules of the formalism: its module, or its package and what is below."""
    return [name for name in sys.modules if name == module or name.startswith(module + ".")]


class _Finder(MetaPathFinder):
    """Finds the one module that has the fault; all others are found as always."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.fault.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            return None
        spec.loader = _Loader(fullname, spec.origin, self.fault)
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
