"""What runs compiled equations: one entry for each backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.expressions import Expression

from .batch import Run, one_by_one, over_numpy

#: Name -> what makes a :data:`.batch.Run` of expressions.
BACKENDS: Final[Mapping[str, Callable[[Sequence[Expression]], Run]]] = {
    "numpy": over_numpy,
    "python": one_by_one,
}


def backend(name: str) -> Callable[[Sequence[Expression]], Run]:
    """The backend of that name.

    Raises
    ------
    MbconcordError
        There is none; those that there are are listed.
    """
    if name not in BACKENDS:
        raise MbconcordError(error("backend", f"there is no backend {name!r}", among(name, BACKENDS)))
    return BACKENDS[name]
