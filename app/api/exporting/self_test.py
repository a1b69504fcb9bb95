"""Tests before an export is written: its own self-test, if the language is installed, and its text run over NumPy."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from mbconcord.kernels.c.library import Library
from mbconcord.kernels.c.trial import StoredNumbers
from mbconcord.model.derivatives import ALONG
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, error

from ..interpreted import REMEDY, WITNESS, Interpreted, not_compared

#: Seconds that a compiler, and then a self-test, may take.
SECONDS: Final = 120
#: Names of C compilers, the first of which that is installed is used.
COMPILERS: Final = ("cc", "gcc", "clang")


def python_test(library: Library, known: StoredNumbers, language: str) -> dict[str, str]:
    """Return the file of the self-test of a module of Python: its name and text."""
    rows = {"PARAMETERS": known.parameters, "STATES": known.states, "EXPECTED": known.expected, "BOUNDS": known.bounds}
    numbers = "\n".join(f"{name} = {_write_list(value)}" for name, value in rows.items())
    of = {"name": library.plain, "numbers": numbers, "groups": len(library.state) - 1, "results": RESULTS[language]}
    template = (files(__package__) / "templates" / "self_test.txt").read_text(encoding="utf-8")
    return {f"{library.plain}_test.py": template.format(**of)}


def _write_list(value: Sequence[Any]) -> str:
    """Write numbers as Python lists; a matrix gets one line for each row."""
    if value and isinstance(value[0], Sequence):
        return "[\n" + "".join(f"    {[*map(float, row)]!r},\n" for row in value) + "]"
    return repr([*map(float, value)])


RESULTS: Final[Mapping[str, str]] = {
    "jax": """direction = dict(zip(("dq", "dv"), along))
    found = made.quantities(t, q, v, a, dict(zip(made.PARAMETERS, PARAMETERS)), **direction)
    return np.concatenate([np.ravel(value) for value in found.values()])""",
    "casadi": """found = FUNCTION(t, q, v, a, *along, PARAMETERS)
    found = found if isinstance(found, (list, tuple)) else [found]
    return np.concatenate([np.ravel(value.full()) for value in found])""",
}


def run_self_test(files: Mapping[str, str | bytes], language: str, absent: str = "") -> Diagnostic:
    """Run the self-test among these files in a temporary folder, and return a note of its result.

    Parameters
    ----------
    files : contents of the files by name
    language : language of the test; ``fmu``: C, linked with the binary among the files
    absent : reason why the test cannot run; empty if none is known

    Raises
    ------
    DisagreementError
        A result differs from the stored one beyond rounding.
    """
    (test,) = (file for file in files if Path(file).stem.endswith("_test"))
    absent = absent or find_missing(language)
    if absent:
        return not_compared(f"{absent}, so {test} did not run")
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            (Path(folder) / file).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        for words in _commands(files, language, test, Path(folder)):
            try:
                done = subprocess.run(
                    words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=SECONDS
                )
            except (OSError, subprocess.TimeoutExpired) as problem:
                late = isinstance(problem, subprocess.TimeoutExpired)
                why = f"did not end in {SECONDS} s" if late else f"did not start: {problem}"
                return not_compared(f"{Path(words[0]).name} {why}, so {test} says nothing")
            said = (done.stdout or done.stderr).strip()
            if done.returncode == 1 and "expected" in done.stdout:  # compilers write elsewhere
                lines = said.splitlines()
                raise DisagreementError([error(f"{WITNESS}/{test}", line, REMEDY) for line in lines])
            if done.returncode:
                last = said.splitlines()[-1] if said else "no word"
                return not_compared(f"{Path(words[0]).name} ends with {done.returncode} for {test}: {last}")
    return Diagnostic("note", WITNESS, f"{test}: {said}")


def find_missing(language: str) -> str:
    """Return what is not installed here but needed for the self-test of a language; empty if nothing is missing."""
    if language in ("c", "fmu"):
        return "" if find_compiler() else "there is no C compiler"
    install = "'mbconcord[peers]'" if language == "casadi" else language
    return "" if find_spec(language) else f"{language} is not installed (pip install {install})"


def find_compiler() -> str:
    """Return the path of a C compiler; empty if there is none."""
    return next((found for name in COMPILERS if (found := shutil.which(name))), "")


def _commands(files: Mapping[str, str | bytes], language: str, test: str, folder: Path) -> Iterator[list[str]]:
    """Yield the commands that compile and run the test, in order."""
    if language in ("c", "fmu"):
        sources = [f"./{file}" for file, text in files.items() if file.endswith(".c") or isinstance(text, bytes)]
        # with fused products, which need -O1, sines take other parts of π; a binary has its own
        for own in (["-O0"], ["-O1", "-march=native"]) if language == "c" else (["-O1"],):
            yield [find_compiler(), "-std=c99", *own, *sources, "-o", "self_test", "-lm"]
            yield [str(folder / "self_test")]
    else:
        yield [sys.executable, test]


#: NumPy's functions by the names that CasADi has for them, where these differ.
_CASADI: Final = {"fabs": np.abs, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2}


def compare_text(text: str, language: str, known: Interpreted, labels: Sequence[str]) -> Diagnostic:
    """Run a module's text with NumPy in the place of its package, and compare its results with the interpreter's.

    ``labels`` name all scalars. For CasADi the formulas alone are compared, not how matrices are put together.

    Raises
    ------
    DisagreementError
        A number differs from the interpreter's by more than rounding explains.
    """
    namespace = run_over_numpy(text)
    by = f"{language}, over NumPy"
    coordinates, parameters = namespace["COORDINATES"], [*namespace["PARAMETERS"]]
    along = ("~", "'~") if {*ALONG} & {label.partition("[")[0] for label in labels} else ()
    marks = [[name + mark for name in coordinates] for mark in ("", "'", "''", *along)]
    if language == "casadi":
        names = ["t", *(name for group in marks for name in group), *parameters]
        with np.errstate(all="ignore"):
            rows = namespace["_scalars"]([known.values[name] for name in names])
        known.compare_rows(by, np.array([np.broadcast_to(row, (known.count,)) for row in rows]), labels)
        return known.note(by)
    found: list[Mapping[str, Any]] = []
    for state in range(known.count):
        at = known.values_at(state)
        groups = [[at[name] for name in group] for group in marks]
        with np.errstate(all="ignore"):
            direction = dict(zip(("dq", "dv"), groups[3:], strict=False))
            given = {name: at[name] for name in parameters}
            found.append(namespace["quantities"](at["t"], *groups[:3], given, **direction))
    for name in found[0]:
        known.compare(by, name, np.array([each[name] for each in found]), *known.array(name))
    return known.note(by)


def run_over_numpy(text: str) -> dict[str, Any]:
    """Run a module's text with NumPy in the place of JAX and of CasADi; return its namespace."""
    numpy = {name: getattr(np, name) for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "sign", "power")}
    arcs = {name: getattr(np, name) for name in ("arcsin", "arccos", "arctan", "arctan2")}
    stands = {
        "numpy": np,
        "casadi": SimpleNamespace(**numpy, **arcs, **_CASADI),
        "jax": SimpleNamespace(config=SimpleNamespace(update=lambda *_: None), numpy=np),
    }

    def take(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        return stands[name.partition(".")[0]]

    own = {name: value for name, value in vars(__import__("builtins")).items() if name != "__import__"}
    namespace: dict[str, Any] = {"__builtins__": own | {"__import__": take}, "__name__": "exported"}
    exec(compile(text, "<exported code>", "exec"), namespace)
    return namespace
