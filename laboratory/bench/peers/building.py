"""Builds of other programs as libraries: short sources of ours over theirs, compiled for the measurement."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

#: A folder of packages beside this environment's own, in which other programs are looked for too.
VARIABLE: Final = "MBCONCORD_PEERS"
#: As their authors advise.
FLAGS: Final = ("-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC")
COMPILERS: Final = {".cpp": ("c++", "g++", "clang++"), ".c": ("cc", "gcc", "clang")}
SOURCES: Final = Path(__file__).parent


class AbsentError(Exception):
    """A program that is not measured, and why."""


def places() -> list[Path]:
    """Return folders of packages."""
    other = os.environ.get(VARIABLE)
    return [Path(place) for place in ([other] if other else []) + sys.path if place and Path(place).is_dir()]


def version(package: str) -> str:
    """Return the version of an installed package.

    Raises
    ------
    AbsentError
        It is not installed.
    """
    found = next(iter(distributions(name=package, path=[str(place) for place in places()])), None)
    if found is None:
        raise AbsentError("not installed")
    return found.version


def find_folder(*parts: str) -> Path:
    """Find a folder below one of the packages.

    Raises
    ------
    AbsentError
        There is none.
    """
    found = next((place.joinpath(*parts) for place in places() if place.joinpath(*parts).exists()), None)
    if found is None:
        raise AbsentError(f"installed without {Path(*parts).name}")
    return found


def compiler(suffix: str) -> str:
    """Find a compiler of files of that ending.

    Raises
    ------
    AbsentError
        There is none.
    """
    found = next(filter(None, map(shutil.which, COMPILERS[suffix])), None)
    if found is None:
        raise AbsentError(f"no compiler of C{'++' if suffix == '.cpp' else ''} is installed")
    return found


def build_library(sources: Sequence[Path], folder: Path, flags: Iterable[str] = ()) -> ctypes.CDLL:
    """Build the library of sources of one language in a folder.

    Raises
    ------
    AbsentError
        There is no compiler, or it refuses them; its first complaint is included.
    """
    target = folder / f"{sources[0].stem}.so"
    command = [compiler(sources[0].suffix), *FLAGS, *map(str, sources), *flags, "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        complaints = [line for line in done.stderr.splitlines() if "error" in line] or [f"exit {done.returncode}"]
        raise AbsentError(f"does not compile: {complaints[0]}")
    return ctypes.CDLL(str(target))
