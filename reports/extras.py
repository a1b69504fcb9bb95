"""Packages that some jobs need and most do not: each belongs to an extra, and its absence is told with the remedy."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from mbconcord.model.diagnostics import MbconcordError, error


def optional(module: str, extra: str, job: str) -> ModuleType:
    """A module of a package that only an extra of this project installs.

    Parameters
    ----------
    module : name of the module, dotted where it stands in a package
    extra : the extra of pyproject.toml that installs it
    job : what it is needed for, as the sentence begins: ``drawing a support polygon``

    Raises
    ------
    MbconcordError
        It is not installed; the remedy is the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        package = (problem.name or module).partition(".")[0]
        remedy = f"pip install 'mbconcord[{extra}]'"
        raise MbconcordError(error("", f"{job} needs {package}, which is not installed", remedy)) from None


def simulation() -> None:
    """What simulating needs, of the extra ``[sim]``.

    Raises
    ------
    MbconcordError
        A package is not installed.
    """
    for package in ("scipy", "threadpoolctl"):
        optional(package, "sim", "simulation")


def installed(module: str) -> bool:
    """Whether a package is there."""
    return find_spec(module) is not None


def needed(module: str, job: str) -> None:
    """What a job needs of the packages that come with this project.

    Raises
    ------
    MbconcordError
        It is not installed all the same.
    """
    if not installed(module):
        message = f"{job} needs {module}, which is not installed"
        raise MbconcordError(error("", message, f"pip install {module}"))
