"""Equations as files of source code, in a language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.c.texts import identifier
from mbconcord.kernels.c.trial import trial
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.ranges import require_ranges
from mbconcord.model.derivation import Derivation, Nested, flatten
from mbconcord.model.diagnostics import Diagnostic, NumbersError, WriteError, among, error
from mbconcord.model.expressions import Expression, count_operations, undefined_functions
from mbconcord.model.expressions.count import Operations
from mbconcord.model.functions import define
from mbconcord.model.shown import count, line
from mbconcord.model.system import System
from mbconcord.reports.equations.frameworks import casadi, jax
from mbconcord.reports.equations.listing import choose

from ..derivatives import derived_asked
from ..models import Model, Parameters, source
from ..obstacles import require
from ..source import located
from ..writing import write
from .known import known
from .library import library


@dataclass(frozen=True, repr=False)
class Export:
    """Files that were written.

    Attributes
    ----------
    system : name of the model
    formalism : by whose equations
    language : of the code
    quantities : what it computes, in order
    files : the files, the one to begin with first
    diagnostics : warnings of the model
    """

    system: str
    formalism: str
    language: str
    quantities: tuple[str, ...]
    files: tuple[Path, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        what = f"equations of {self.system} by {self.formalism} in {self.language}"
        return line("Export", what, ", ".join(self.quantities), count(len(self.files), "file"))


def export(
    model: Model,
    folder: str | PathLike[str],
    quantities: str | Iterable[str] = (),
    formalism: str | Formalism = registry.DEFAULT,
    language: str = "c",
    *,
    name: str | None = None,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> Export:
    """Write equations of motion as source code that needs nothing of mbconcord.

    In C (C99) these are a header, a source with a function of one state and one of many, a file for CMake and a test
    program, which compares the results with stored numbers and fails where rounding does not explain a difference. For
    JAX it is a module like that of :meth:`Equations.render`, for CasADi one whose ``function()`` is a casadi.Function.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    folder : where the files are written; made where it is missing
    quantities : canonical ones or the formalism's own; none: all canonical ones, of a model with constraints with D, γ̃
    formalism : by whose equations
    language : ``c``, ``jax`` or ``casadi``
    name : what files and functions are called by; None: as the model
    parameters : values that shall be in the model; the code takes others
    physics : what is made of masses and inertias that no body has; None: what the format's record says
    format : of the file, where its name does not tell

    Raises
    ------
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
    by = registry.formalism(formalism) if isinstance(formalism, str) else formalism
    names = [quantities] if isinstance(quantities, str) else list(quantities)
    with located(found):
        texts = chosen(by, found.system, names, language, name or found.system.name)
    warned = tuple(found.locate(d) for d in found.diagnostics if d.severity != "note")
    files = written(folder, texts.files)
    return Export(found.system.name, by.name, language, texts.quantities, files, warned)


@dataclass(frozen=True)
class Texts:
    """Name of a file -> its text, and what is computed at which cost."""

    files: Mapping[str, str]
    quantities: tuple[str, ...]
    operations: Operations


def chosen(by: Formalism, system: System, quantities: Sequence[str], language: str, name: str) -> Texts:
    """The files of :func:`export`."""
    require_ranges(system)
    require(by, system)
    derivation = derived_asked(by, system, quantities)
    values = choose(derivation, quantities)
    outputs = define([x for value in values.values() for x in flatten(value)], system.functions)
    _require_formulas(outputs)
    return Texts(LANGUAGES[language](derivation, values, name), tuple(values), count_operations(outputs))


def written(folder: str | PathLike[str], files: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files of that folder, which is made where it is missing.

    Raises
    ------
    WriteError
        The folder cannot be made, or a file not be written.
    """
    target = Path(fspath(folder))
    try:
        target.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise WriteError(error("", f"{target}: {reason}", "name a folder that can be made")) from None
    return tuple(write(target / file, text.encode("utf-8")) for file, text in files.items())


def _require_formulas(outputs: Iterable[Expression]) -> None:
    remedy = "give it one in the model, a Function with a formula"
    missing = sorted(undefined_functions(outputs))
    if missing:
        raise NumbersError(
            [error(f"functions/{f}", "it has no formula, so no code", remedy) for f in missing]
        )


def _c(derivation: Derivation, quantities: Mapping[str, Nested], name: str) -> dict[str, str]:
    made = library(derivation, quantities, name)
    return made.files() | trial(made, known(derivation.system, made))


Writer = Callable[[Derivation, Mapping[str, Nested], str], dict[str, str]]
#: Language -> what writes files of it: name of a file -> text.
LANGUAGES: Final[Mapping[str, Writer]] = {
    "c": _c,
    "jax": lambda derivation, quantities, name: {f"{identifier(name)}.py": jax(derivation, quantities)},
    "casadi": lambda derivation, quantities, name: {f"{identifier(name)}.py": casadi(derivation, quantities)},
}
