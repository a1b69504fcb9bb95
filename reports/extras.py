"""Imports of optional packages: each belongs to an extra; if it is absent, the error names the extra to install."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from mbconcord.model.diagnostics import MbconcordError, error


def optional(module: str, extra: str, job: str) -> ModuleType:
    """Import a module of a package that only an extra of this project installs.

    Parameters
    ----------
    module : name of the module, dotted inside a package
    extra : the extra of pyproject.toml that installs it
    job : use of the module, the first words of the error: ``drawing a support polygon``

    Raises
    ------
    MbconcordError
        The package is not installed; the remedy is the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        package = (problem.name or module).partition(".")[0]
        remedy = f"pip install 'mbconcord[{extra}]'"
        raise MbconcordError(error("", f"{job} needs {package}, which is not installed", remedy)) from None


def simulation() -> None:
    """Raise if the packages for simulation, of the extra ``[sim]``, are not installed.

    Raises
    ------
    MbconcordError
        A package is not installed.
    """
    for package in ("scipy", "threadpoolctl"):
        optional(package, "sim", "simulation")


def is_installed(module: str) -> bool:
    """Return True if a package is installed."""
    return find_spec(module) is not None


def require(module: str, job: str) -> None:
    """Raise if a package that should be installed with this project is missing.

    Raises
    ------
    MbconcordError
        The package is missing.
    """
    if not is_installed(module):
        message = f"{job} needs {module}, which is not installed"
        raise MbconcordError(error("", message, f"pip install {module}"))
