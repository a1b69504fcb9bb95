"""Tell what this installation has, what each extra adds, and whether it works: versions, compiler, cache, a check.

Exit code 0 when the double pendulum agrees and what was compiled computes its numbers, whatever extras are absent;
1 when something computes other numbers, or breaks.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any, Final

from mbconcord import __version__
from mbconcord.api.check import check
from mbconcord.api.compiling.compile import compile
from mbconcord.api.exporting.export import export
from mbconcord.fixtures import folder
from mbconcord.kernels.llvm.cache import VARIABLE, Cache
from mbconcord.kernels.registry import AUTO
from mbconcord.model.diagnostics import DisagreementError, MbconcordError
from mbconcord.reports.table import table

from . import DISAGREEMENT, SUCCESS
from .output import print_json, say

#: Extra -> what it adds; a test compares them with pyproject.toml.
ADDS: Final[Mapping[str, str]] = {
    "plot": "motions as SVG, support polygons",
    "sim": "simulate, check --simulate",
    "data": "tables and rows in Parquet",
    "cluster": "campaigns on several machines",
    "jit": "equations as machine code",
    "peers": "other programs as witnesses",
    "mesh": "inertia from more formats of meshes",
    "usd": "stages of OpenUSD",
    "view": "the page of mbconcord view",
    "xacro": "macros of URDF, --allow xacro",
}
_REQUIRED: Final = re.compile(r"""([\w.-]+)[^;]*(?:;.*\bextra == ["'](\w+)["'])?""")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments: the command takes only those of all commands."""


def run(arguments: argparse.Namespace) -> int:
    """Examine the installation and print the results; return the exit code."""
    found = examine()
    if arguments.json:
        print_json(found)
    else:
        say(_shown(found))
    return SUCCESS if found["works"] else DISAGREEMENT


def examine() -> dict[str, Any]:
    """Return versions of the installed packages, and the result of each trial, as for ``--json``."""
    versions = _versions()
    tried = {
        "check": _try(lambda: check(_pendulum(), states=3).verdict),
        "compiled equations": _try(lambda: compile(_pendulum(), "M", backend=AUTO).backend),
        "C compiler": _try(_export),
        "cache of machine code": _try(_keep),
    }
    return {
        "mbconcord": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": platform.platform(),
        "encoding": getattr(sys.__stdout__, "encoding", None),
        "packages": versions.get("", {}),
        "extras": {name: {"adds": adds, "packages": versions.get(name, {})} for name, adds in ADDS.items()},
        "tried": {what: said for what, (said, _) in tried.items()},
        "works": tried["check"][0] == "agrees" and all(right for _, right in tried.values()),
    }


def _versions() -> dict[str, dict[str, str | None]]:
    """Map each extra (empty: required packages) to its packages, and these to their versions, None if absent."""
    found: dict[str, dict[str, str | None]] = {}
    for required in requires("mbconcord") or ():
        name, extra = _REQUIRED.match(required).groups("")  # type: ignore[union-attr]
        try:
            found.setdefault(extra, {})[name] = version(name)
        except PackageNotFoundError:
            found.setdefault(extra, {})[name] = None
    return found


def _try(job: Callable[[], str]) -> tuple[str, bool]:
    """Run a job; return its text or its error, and False if numbers disagree or an installed package is broken."""
    try:
        return job(), True
    except Exception as problem:
        right = isinstance(problem, (MbconcordError, OSError)) and not isinstance(problem, DisagreementError)
        kind = "" if isinstance(problem, MbconcordError) else f"{type(problem).__name__}: "
        return kind + " ".join(str(problem).split()), right


def _pendulum() -> str:
    return str(folder("mbsd") / "double_pendulum.mbsd")


def _export() -> str:
    """Write the equations in C, compile them and compare their numbers; return a sentence on the comparison."""
    with tempfile.TemporaryDirectory() as target:
        return export(_pendulum(), target).witness.message


def _keep() -> str:
    """Write a file into the cache and read it back; return the folder of the cache, or why there is none."""
    cache = Cache.own()
    cache.put("doctor", b"doctor")
    if not cache.findings and cache.get("doctor"):  # one of yesterday is read where nothing can be written
        return str(cache.folder)
    return cache.findings[0].message if cache.findings else f"none: no home is known, or {VARIABLE} is empty"


def _shown(found: Mapping[str, Any]) -> str:
    """Return the printed text of the results."""
    head = f"mbconcord {found['mbconcord']}, Python {found['python']}, {found['system']}, {found['encoding']}"
    rows = [
        (f"[{name}]", extra["adds"], ", ".join(f"{n} {v or 'absent'}" for n, v in extra["packages"].items()))
        for name, extra in found["extras"].items()
    ]
    return "\n".join(
        (
            head,
            ", ".join(f"{name} {version or 'absent'}" for name, version in found["packages"].items()),
            "",
            table(("extra", "adds", "packages"), rows),
            "an extra is added by pip install 'mbconcord[NAME]', every one by 'mbconcord[all]'",
            "",
            *(f"{what}: {said}" for what, said in found["tried"].items()),
        )
    )
