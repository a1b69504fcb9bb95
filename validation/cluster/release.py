"""What a worker must have in common with who asks it: the same program, in every byte of its sources."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from mbconcord.model.diagnostics import MbconcordError, error

from ..mutation.record import digest


@cache
def release() -> dict[str, str]:
    """Versions by name, the program's first, and of its sources the hash."""
    found = {"mbconcord": version("mbconcord")}
    for name in ("hypothesis", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found | {"Python": platform.python_version(), "sources": digest()}


def require_same(other: Mapping[str, str], worker: str) -> None:
    """Nothing where a worker is of this release.

    Raises
    ------
    MbconcordError
        It has another version of the program, or of what decides which models are drawn and what their numbers are.
    """
    for name, own in release().items():
        if other.get(name) != own:
            found = f"the worker {worker} has {name} {other.get(name, 'none')}, this program {own}"
            raise MbconcordError(error("--cluster", found, "install the same versions on all workers"))
