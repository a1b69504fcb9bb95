"""Equations as files of source code, in a language."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.c.texts import identifier
from mbconcord.kernels.c.trial import trial
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.derivation import Derivation, Nested, flatten
from mbconcord.model.diagnostics import Diagnostic, NumbersError, WriteError, among, error
from mbconcord.model.expressions import Expression, undefined_functions
from mbconcord.model.expressions.count import Operations, count_program
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.shown import count, line
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.reports.equations.languages import casadi, jax
from mbconcord.reports.equations.listing import choose, elements
from mbconcord.reports.summary import comment
from mbconcord.validation.judge.left_out import LeftOut

from ..derivatives import derived_asked
from ..files import PREFIX, require_replaceable, write
from ..interpreted import TURNED_OFF, Interpreted
from ..models import Model, Parameters, source
from ..obstacles import choose_formalism, require
from ..source import locate_errors
from .library import compute_known_numbers, library
from .self_test import compare_text, python_test, run_self_test


@dataclass(frozen=True, repr=False)
class Export:
    """Files that were written.

    Attributes
    ----------
    system : name of the model
    formalism : source of the equations
    language : of the code
    quantities : what it computes, in order
    files : the files, the one to begin with first
    diagnostics : warnings of the model
    left_out : what acts on these quantities and the model does not hold; it begins every file
    witness : what the self-test said before the files were written, or why nothing was compared
    """

    system: str
    formalism: str
    language: str
    quantities: tuple[str, ...]
    files: tuple[Path, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)
    witness: Diagnostic = TURNED_OFF

    def __repr__(self) -> str:
        what = f"equations of {self.system} by {self.formalism} in {self.language}"
        return line("Export", what, ", ".join(self.quantities), count(len(self.files), "file"), self.left_out.without)


def export(
    model: Model,
    folder: str | PathLike[str],
    quantities: str | Iterable[str] = (),
    formalism: str | Formalism | None = None,
    language: str = "c",
    *,
    name: str | None = None,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
    witness: bool = True,
) -> Export:
    """Write equations of motion as source code that needs nothing of mbconcord.

    In C (C99) these are a header, a source with a function of one state and one of many, a file for CMake and a test
    program, which compares the results with stored numbers and fails on differences beyond rounding. For JAX it is a
    module like that of :meth:`Equations.render`, for CasADi one whose ``function()`` is a casadi.Function, each with
    such a test, a program of Python. The test runs before anything is written, if its language is installed.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    folder : destination of the files; created if missing
    quantities : canonical ones or the formalism's own; none: all canonical ones, of a model with constraints with D, γ̃
    formalism : source of the equations
    language : ``c``, ``jax`` or ``casadi``
    name : of files and functions; None: as the model
    parameters : values for the model; the code accepts others
    physics : treatment of impossible masses and inertias; None: the format's default
    format : of the file, if its name does not determine it
    witness : whether the test is run, and the text of modules compared with the interpreter over NumPy

    Raises
    ------
    DisagreementError
        A number of the code is another than the interpreter's: both numbers; nothing is written.
    FormalismError
        The formalism does not take the model, and why.
    MbconcordError
        There is no such quantity or language; the known ones are listed.
    NumbersError
        A function of the model has no formula.
    WriteError
        A file cannot be written.
    """
    if language not in LANGUAGES:
        raise WriteError(error("language", f"there is no language {language!r}", among(language, LANGUAGES)))
    found = source(model, format, physics, parameters).plausible()
    by = choose_formalism(formalism, found.system)
    names = [quantities] if isinstance(quantities, str) else list(quantities)
    with locate_errors(found):
        texts = generate_files(by, found.system, names, language, name or found.system.name)
    warned = tuple(found.locate(d) for d in found.diagnostics if d.severity != "note")
    compared = texts.compare() if witness else TURNED_OFF
    files = write_files(folder, texts.files)
    return Export(found.system.name, by.name, language, texts.quantities, files, warned, texts.left_out, compared)


@dataclass(frozen=True)
class Texts:
    """Texts by file name, and the computed quantities with their cost."""

    files: Mapping[str, str]
    quantities: tuple[str, ...]
    operations: Operations
    left_out: LeftOut
    language: str
    interpreted: Callable[[], Interpreted]
    labels: Sequence[str]

    def compare(self) -> Diagnostic:
        """Return what the self-test says of the files; of a module what its text gives over NumPy, too.

        Raises
        ------
        DisagreementError
            A number is another.
        """
        said = run_self_test(self.files, self.language)
        if self.language == "c":
            return said
        found = compare_text(next(iter(self.files.values())), self.language, self.interpreted(), self.labels)
        return replace(found, message=f"{found.message}; {said.message}")


def generate_files(by: Formalism, system: System, quantities: Sequence[str], language: str, name: str) -> Texts:
    """Write the files of :func:`export`."""
    require_ranges(system)
    require(by, system)
    derivation = derived_asked(by, system, quantities)
    values = choose(derivation, quantities)
    outputs = define([x for value in values.values() for x in flatten(value)], system.functions)
    _require_formulas(outputs)
    left_out = LeftOut(system.omissions, quantities=tuple(values))
    files = {
        file: comment(left_out, "c" if Path(file).suffix in (".c", ".h") else "python") + text
        for file, text in LANGUAGES[language](derivation, values, name).items()
    }
    labels = [e.label for each, value in values.items() for e in elements(derivation, each, value)]
    lines = program(outputs)
    counted = count_program(lines, lines.outputs)
    return Texts(files, tuple(values), counted, left_out, language, lambda: Interpreted(system, values, lines), labels)


def write_files(folder: str | PathLike[str], files: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files of that folder, which is made where it is missing: all of them, or none.

    They are written to temporary files, so that a full disk is detected, and then renamed; if one rename fails, the
    previous files are restored.

    Raises
    ------
    WriteError
        The folder cannot be made, or a file not be written.
    """
    target = Path(fspath(folder))
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=PREFIX, dir=target) as aside:
            new, old = Path(aside) / "new", Path(aside) / "old"
            new.mkdir()
            old.mkdir()
            for file, text in files.items():
                require_replaceable(target / file)
                if (target / file).exists() and not (target / file).is_file():
                    raise OSError(errno.EISDIR, "it is no file", str(target / file))
                write(new / file, text.encode("utf-8"))
            _exchange(target, new, old, tuple(files))
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        named = getattr(problem, "filename", None) or target
        raise WriteError(error(str(named), reason, "name a folder that can be made and written")) from None
    return tuple(target / file for file in files)


def _exchange(target: Path, new: Path, old: Path, files: Sequence[str]) -> None:
    """Put new files in the place of old ones, which are put back where that fails."""
    try:
        for file in files:
            if (target / file).exists():
                (new / file).chmod((target / file).stat().st_mode & 0o777)
                (target / file).replace(old / file)
            (new / file).replace(target / file)
    except BaseException:
        for file in files:
            if not (new / file).exists():
                (target / file).unlink(missing_ok=True)
            if (old / file).exists():
                (old / file).replace(target / file)
        raise


def _require_formulas(outputs: Iterable[Expression]) -> None:
    remedy = "give it one in the model, a Function with a formula"
    missing = sorted(undefined_functions(outputs))
    if missing:
        raise NumbersError([error(f"functions/{f}", "it has no formula, so no code", remedy) for f in missing])


def _c(derivation: Derivation, quantities: Mapping[str, Nested], name: str) -> dict[str, str]:
    made = library(derivation, quantities, name)
    return made.files() | trial(made, compute_known_numbers(derivation.system, made))


def _python(language: str, write_module: Callable[[Derivation, Mapping[str, Nested]], str]) -> Writer:
    def files(derivation: Derivation, quantities: Mapping[str, Nested], name: str) -> dict[str, str]:
        made = library(derivation, quantities, name)
        test = python_test(made, compute_known_numbers(derivation.system, made), language)
        return {f"{identifier(name)}.py": write_module(derivation, quantities)} | test

    return files


Writer = Callable[[Derivation, Mapping[str, Nested], str], dict[str, str]]
#: Language -> what writes files of it: name of a file -> text.
LANGUAGES: Final[Mapping[str, Writer]] = {"c": _c, "jax": _python("jax", jax), "casadi": _python("casadi", casadi)}
