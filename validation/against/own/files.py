"""Own equations by the name of a file, ``eqs:FILE`` or ``python:FILE:NAME``: read and never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mbconcord.model.diagnostics import MbconcordError, error

from .equations import OwnEquations
from .neutral import read_neutral
from .straight import read_python

EQS, PYTHON = PREFIXES = ("eqs:", "python:")


def read_file(
    source: str, q: Sequence[Any] | None = None, u: Sequence[Any] | None = None, qdot: Mapping[Any, Any] | None = None
) -> OwnEquations:
    """Read own equations from a file; only functions are told ``q``, ``u`` and ``qdot``.

    Raises
    ------
    MbconcordError
        The file cannot be read, or is of another form: with its line.
    """
    if source.startswith(PYTHON):
        return read_python(source.removeprefix(PYTHON), q, u, qdot)
    if any(x is not None for x in (q, u, qdot)):
        raise MbconcordError(error("own", f"found q, u or qdot beside {source!r}", "the file has its own"))
    return read_neutral(source.removeprefix(EQS))
