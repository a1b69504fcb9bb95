"""C of libraries compiled and called, where there is a compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from mbconcord.kernels.c.library import Library

COMPILER = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler on this machine")
#: Nothing may be warned of.
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")


def put(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write the files; the sources among them."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files if name.endswith(".c")]


def built(folder: Path, sources: Sequence[str], name: str, *options: str) -> Path:
    """What the compiler makes of the sources, without a warning."""
    target = folder / name
    done = subprocess.run(
        [str(COMPILER), *STRICT, *options, *sources, "-o", str(target), "-lm"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[:3000]
    return target


class Called:
    """A library that was compiled and loaded."""

    def __init__(self, library: Library, folder: Path, *options: str) -> None:
        self.library = library
        path = built(folder, put(folder, library.files()), f"{library.plain}.so", "-shared", "-fPIC", *options)
        self.loaded = ctypes.CDLL(str(path))

    def one(self, state: np.ndarray, parameters: Sequence[float] = ()) -> np.ndarray:
        """The results at one state."""
        found = np.full(len(self.library.outputs), -7.0)
        self._call("evaluate", state, parameters, found)
        return found

    def batch(self, states: np.ndarray, parameters: Sequence[float] = ()) -> np.ndarray:
        """The results at many states (n, state)."""
        found = np.full((len(states), len(self.library.outputs)), -7.0)
        self._call("batch", states, parameters, found, ctypes.c_size_t(len(states)))
        return found

    def _call(
        self, what: str, states: np.ndarray, parameters: Sequence[float], found: np.ndarray, *count: ctypes.c_size_t
    ) -> None:
        arrays = (np.ascontiguousarray(states, dtype=float), np.array([*parameters, 0.0]), found)
        pointers = [x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in arrays]
        getattr(self.loaded, f"{self.library.plain}_{what}")(*count, *pointers)
