"""What runs compiled equations: one entry for each backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mbconcord.model.diagnostics import Diagnostic, MbconcordError, among, error
from mbconcord.model.expressions import Expression

from .batch import Run, one_by_one, over_numpy
from .llvm.batch import OverLLVM
from .llvm.engine import missing
from .llvm.options import Options

#: Name -> what makes a :data:`.batch.Run` of expressions.
BACKENDS: Final[Mapping[str, Callable[[Sequence[Expression], Options], Run]]] = {
    "llvm": OverLLVM,
    "numpy": lambda outputs, _: over_numpy(outputs),
    "python": lambda outputs, _: one_by_one(outputs),
}
#: What is best of what is installed.
AUTO: Final = "auto"


def chosen(name: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The backend that a name stands for, and what there is to say of it.

    Raises
    ------
    MbconcordError
        There is none; those that there are are listed. Or what it needs is not installed.
    """
    if name not in (AUTO, *BACKENDS):
        raise MbconcordError(
            error("backend", f"there is no backend {name!r}", among(name, (AUTO, *BACKENDS)))
        )
    if name not in (AUTO, "llvm"):
        return name, ()
    absent = missing()
    if not absent:
        return "llvm", ()
    remedy = "pip install 'mbconcord[jit]'"
    if name == "llvm":
        raise MbconcordError(error("backend", absent, remedy))
    return "numpy", (Diagnostic("note", "backend", f"{absent}: NumPy computes", remedy),)
