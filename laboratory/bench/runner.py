"""Runner of benchmarks by name: every module of this package with a function ``rows``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from mbconcord.model.diagnostics import MbconcordError, among, error

from .row import BenchmarkRow

#: Modules of this package that measure nothing: what the others stand on.
HELPERS = frozenset({"pair_trees", "row", "runner", "um_image", "um_reference"})


def names() -> tuple[str, ...]:
    """Return names of benchmarks: this package's modules except its machinery."""
    package = import_module(__package__)
    return tuple(sorted(m.name for m in iter_modules(package.__path__) if m.name not in HELPERS))


def run(chosen: Iterable[str] | None = None) -> Iterator[tuple[str, BenchmarkRow]]:
    """Yield (benchmark, row) as they are measured.

    Raises
    ------
    MbconcordError
        There is no benchmark of that name; the known ones are listed.
    """
    wanted = list(chosen or names())
    for name in wanted:
        if name not in names():
            raise MbconcordError(error("bench", f"there is no benchmark {name!r}", among(name, names())))
    for name in wanted:
        for row in _module(name).rows():
            yield name, row


def _module(name: str) -> ModuleType:
    """Import the benchmark; :class:`MbconcordError` if a package that it needs is not installed."""
    try:
        return import_module(f"{__package__}.{name}")
    except ModuleNotFoundError as problem:
        if problem.name is None or problem.name.startswith("mbconcord"):
            raise
        message = f"{problem.name}, which {name} needs, is not installed"
        raise MbconcordError(error("bench", message, "pip install 'mbconcord[sim]'")) from None
