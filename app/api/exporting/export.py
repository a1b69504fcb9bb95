"""Equations as files of source code in C, JAX or CasADi, or as an FMU."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from mbconcord import __version__
from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.c.trial import trial
from mbconcord.kernels.links.function import require_formulas
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.derivation import EFFORT, Derivation, Nested, flatten
from mbconcord.model.derivatives import ALONG, CHANGES, OF_FORWARD, OF_ROWS
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, NumbersError, WriteError, among, error
from mbconcord.model.evaluation import at_states
from mbconcord.model.expressions.program import Operations, count_program, program
from mbconcord.model.functions import define
from mbconcord.model.kinematics import IN_SPEEDS, Speeds, read_speeds
from mbconcord.model.limits import count, line
from mbconcord.model.numbers import Instance
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.reports.equations.languages import casadi, jax
from mbconcord.reports.equations.listing import choose, elements
from mbconcord.reports.summary import comment
from mbconcord.validation.judge.left_out import LeftOut

from ..compiling.closed import MOTION, SOUND, ClosedMotion
from ..compiling.compile import add_changes, extend_closed, judge_changes, solve_asked
from ..derivatives import NO_SPEEDS, choose_in_speeds, derived_asked, report_across, report_singular_speeds
from ..files import PREFIX, replace_file, require_replaceable, write
from ..interpreted import TURNED_OFF, Interpreted
from ..request import choose_formalism, list_names, require, require_kinds
from ..source import Model, Parameters, locate_errors, source
from ..states import States, one_state
from .fmu import SUFFIX, Fmu, FmuOptions, make_fmu, require_fmu
from .library import compute_known_numbers, library
from .self_test import compare_text, python_test, run_self_test


@dataclass(frozen=True, repr=False)
class Export:
    """Files that were written.

    Attributes
    ----------
    system : name of the model
    formalism : name of the formalism that gave the equations
    language : name of the language of the code
    quantities : names of the quantities that the code computes, in order
    files : paths of the files, the main file first
    diagnostics : warnings about the model
    left_out : omissions of the model that act on these quantities; a comment in every file lists them
    witness : result of the self-test before the files were written, or why nothing was compared
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


@require_kinds
def export(
    model: Model,
    folder: str | PathLike[str],
    quantities: str | Iterable[str] = (),
    formalism: str | Formalism | None = None,
    language: str | None = None,
    *,
    fmi: int | None = None,
    kind: str | None = None,
    step: float | None = None,
    q: States | None = None,
    inputs: str | Sequence[str] | None = None,
    binary: bool = True,
    speeds: Mapping[str, Any] | None = None,
    name: str | None = None,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
    witness: bool = True,
    actuated: str | Sequence[str] | None = None,
) -> Export:
    """Write equations of motion as source code that needs nothing of mbconcord.

    For C (C99) the files are a header, a source with a function of one state and one of many, a file for CMake and a
    test program, which compares the results with stored numbers and fails on differences beyond rounding. For JAX there
    is a module like that of :meth:`Equations.render`, for CasADi one whose ``function()`` is a casadi.Function, each
    with such a test in Python. The test runs before anything is written, if its language is installed. An FMU is one
    file, which is a model for other programs that simulate.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    folder : destination of the files; created if missing; of an FMU the file
    quantities : canonical ones or the formalism's own; none: all canonical ones, of a model with constraints with D, γ̃;
        an FMU has its own. What :func:`mbconcord.compile` solves with the constraints comes with ``sound``, the
        number of pivots and rows above rounding: the files say which number it has where the others are right.
        Those along a direction, as of :func:`mbconcord.compile`, make it an argument of the code, dq and dv
    formalism : source of the equations
    language : ``c``, ``jax``, ``casadi`` or ``fmu``; None: ``fmu`` where the path ends with .fmu, else ``c``
    fmi : version of an FMU, 2 or 3; None: 3
    kind : of an FMU: ``me``, Model Exchange, or ``cs``, Co-Simulation; None: both, ``me,cs``
    step : of an FMU: fixed step within Co-Simulation, s; None: the tolerance of the importer controls the steps
    q : of an FMU: its start, a State or names ``z1``, ``z1'``, ``t``; missing values are the model's
    inputs : of an FMU: names of coordinates along which it takes efforts, or ``none``; None: ``all``
    binary : whether an FMU holds the binary of this machine, beside its sources
    speeds : speeds other than rates, as of :func:`mbconcord.evaluate`, for quantities in them; an FMU has none
    name : name of files and functions; None: the model's name
    parameters : values for the model, which are the defaults of the code
    physics : treatment of impossible masses and inertias; None: the format's default
    format : of the file, if its name does not determine it
    witness : whether to run the test, and to compare the text of modules, run over NumPy, with the interpreter
    actuated : coordinates of a model with constraints whose accelerations the code takes, as of
        :func:`mbconcord.compile`: then ``effort``, the default quantity, are their whole efforts, inverse dynamics

    Raises
    ------
    DisagreementError
        A number of the code differs from the interpreter's; the message has both, and nothing is written.
    FormalismError
        The formalism does not take the model, and why.
    MbconcordError
        There is no such quantity or language; the known ones are listed.
    NumbersError
        A function of the model has no formula.
    WriteError
        A file cannot be written.
    """
    language = choose_language(language, folder)
    found = source(model, format, physics, parameters).plausible()
    by = choose_formalism(formalism, found.system)
    names = [*list_names(quantities)]
    given = {"fmi": fmi, "kind": kind, "step": step, "inputs": inputs, "q": q}
    with locate_errors(found, q):
        options = choose_options(found.system, language, given, binary)
        turned = None if speeds is None else read_speeds(found.system, speeds)
        moved = list_names(actuated or ())
        texts = generate_files(by, found.system, names, language, name or found.system.name, options, turned, moved)
    warned = tuple(found.locate(d) for d in found.diagnostics if d.severity != "note")
    compared = texts.compare() if witness else TURNED_OFF
    files = texts.write(folder)
    warned += tuple(map(found.locate, texts.said))
    if texts.lacks and binary:
        remedy = "install a C compiler, or let the program that imports the FMU compile its sources"
        warned += (Diagnostic("warning", str(files[0]), f"sources alone, no binary: {texts.lacks}", remedy),)
    return Export(found.system.name, by.name, language, texts.quantities, files, warned, texts.left_out, compared)


@dataclass(frozen=True)
class Texts:
    """Texts of the files by name, the quantities that they compute, and the number of operations."""

    files: Mapping[str, str]
    quantities: tuple[str, ...]
    operations: Operations
    left_out: LeftOut
    language: str
    interpreted: Callable[[], Interpreted]
    labels: Sequence[str]
    said: tuple[Diagnostic, ...]
    judge: Callable[[], Iterable[Diagnostic]]

    @property
    def lacks(self) -> str:
        """Reason why a part is missing from the files; empty if they are complete."""
        return ""

    def compare(self) -> Diagnostic:
        """Run the self-test of the files, and compare a module's text, run over NumPy; return a note of the results.

        Raises
        ------
        DisagreementError
            A number differs from the known one.
        """
        left = "".join(f"; {note.message}" for note in self.judge())
        said = run_self_test(self.files, self.language)
        said = replace(said, message=said.message + left)
        if self.language == "c":
            return said
        found = compare_text(next(iter(self.files.values())), self.language, self.interpreted(), self.labels)
        return replace(found, message=f"{found.message}; {said.message}")

    def targets(self, folder: str | PathLike[str]) -> list[Path]:
        """List the files that will be written."""
        return [Path(fspath(folder)) / file for file in self.files]

    def write(self, folder: str | PathLike[str]) -> tuple[Path, ...]:
        """Write the files, all of them or none."""
        return write_files(folder, self.files)


@dataclass(frozen=True)
class FmuTexts(Texts):
    """Texts of an FMU, which are packed into one file."""

    fmu: Fmu

    @property
    def lacks(self) -> str:
        """Reason why the FMU has no binary; empty if it has one."""
        return self.fmu.binary[1] if self.fmu.packed else "it is left out, as --no-binary says"

    def compare(self) -> Diagnostic:
        """Test the built FMU, and return a note of the result."""
        return self.fmu.compare()

    def targets(self, folder: str | PathLike[str]) -> list[Path]:
        """List the path of the archive, the only file."""
        require_fmu(Path(fspath(folder)))
        return [Path(fspath(folder))]

    def write(self, folder: str | PathLike[str]) -> tuple[Path, ...]:
        """Write the archive, and return its path."""
        (target,) = self.targets(folder)
        return (write(target, self.fmu.archive()),)


def choose_language(asked: str | None, target: str | PathLike[str]) -> str:
    """Return the requested language; without a request ``fmu`` for paths that end with .fmu, else ``c``.

    Raises
    ------
    WriteError
        There is no such language.
    """
    if asked is None:
        return FMU if Path(fspath(target)).suffix.lower() == SUFFIX else "c"
    if asked not in (*LANGUAGES, FMU):
        raise WriteError(error("language", f"there is no language {asked!r}", among(asked, (*LANGUAGES, FMU))))
    return asked


def choose_options(system: System, language: str, given: Mapping[str, Any], binary: bool) -> FmuOptions:
    """Return the options of an FMU, with its start q; refuse such options for other languages."""
    known = {name: value for name, value in given.items() if value is not None}
    for name in (*known, *(() if binary else ("no-binary",))) if language != FMU else ():
        message = f"it is of an FMU, and {language} is written"
        raise WriteError(error(f"--{'state' if name == 'q' else name}", message, "name OUT.fmu, or leave it out"))
    start = one_state(system, known.pop("q", None), None, None, "an FMU starts from one")
    return FmuOptions(known.pop("fmi", 3), **known, start=start, binary=binary)


def generate_files(
    by: Formalism, system: System, quantities: Sequence[str], language: str, name: str, options: FmuOptions,
    speeds: Speeds | None = None, actuated: Sequence[str] = (),
) -> Texts:  # fmt: skip
    """Generate the texts of the files that :func:`export` writes."""
    require_ranges(system)
    for place, given, why in (("--speeds", speeds, "has rates"), ("actuated", actuated, "takes efforts")):
        if language == FMU and given:
            raise WriteError(error(place, f"an FMU {why}", "leave it out, or name a folder for a library in C"))
    if language == FMU:
        return _fmu(by, system, quantities, name, options)
    require(by, system)
    if not speeds and (in_speeds := [name for name in quantities if name in IN_SPEEDS]):
        raise NumbersError([error(f"quantities/{name}", *NO_SPEEDS) for name in in_speeds])
    if speeds and actuated:
        raise NumbersError(error("actuated", f"{EFFORT} is along coordinates, not along other speeds", "remove either"))
    quantities = quantities or ((EFFORT,) if actuated else ())
    quantities = quantities or (choose_in_speeds(None, accelerated=False) if speeds else ())
    head = [f"{note.message}; {note.remedy}." for note in report_across(system, quantities)]
    along = [name for name in quantities if name in ALONG]
    closed = solve_asked(by, system, quantities, actuated)
    if not closed and EFFORT in quantities:
        message, first = "it is of actuated coordinates of a model with constraints", system.coordinate_names[:1]
        remedy = f"name these, --actuated {first[0]}" if system.constraints and first else "ask for inverse_dynamics"
        raise NumbersError(error(f"quantities/{EFFORT}", message, remedy))
    closed = closed and extend_closed(closed, by, quantities, speeds)
    derivation = closed.derivation if closed else derived_asked(by, system, quantities, speeds=speeds)
    if along:
        derivation = add_changes(by, derivation, along, closed)
        head.append("dq and dv are the direction along which positions and rates change.")
    if closed:
        closed = replace(closed, derivation=derivation)
        _compare_closed(closed, quantities)
        quantities = (*quantities, SOUND)
        head.append(f"Where {SOUND} is not {closed.sound}, rows of constraints depend on each other: use no number.")
        if actuated:
            head.append(f"The accelerations a of {', '.join(actuated)} are given, those of others are not used.")
    values = choose(derivation, quantities)
    outputs = define([x for value in values.values() for x in flatten(value)], system.functions)
    require_formulas(outputs, "code")
    left_out = LeftOut(system.omissions, quantities=tuple(values))
    files = {
        file: comment(left_out, "c" if Path(file).suffix in (".c", ".h") else "python", head) + text
        for file, text in _write(language, derivation, values, name).items()
    }
    labels = [e.label for each, value in values.items() for e in elements(derivation, each, value)]
    lines = program(outputs)
    counted = count_program(lines, lines.outputs)
    return Texts(
        files,
        tuple(values),
        counted,
        left_out,
        language,
        lambda: Interpreted(system, values, lines),
        labels,
        tuple(report_singular_speeds(derivation, quantities)),
        lambda: judge_changes(derivation, along, closed) if along else (),
    )


def _compare_closed(closed: ClosedMotion, quantities: Sequence[str]) -> None:
    """Compare what is solved with constraints with the interpreter's numbers at states on these.

    Raises
    ------
    DisagreementError
        The formulas have other numbers.
    NumbersError
        A multiplier is not unique.
    """
    system, native = closed.derivation.system, closed.derivation.native
    values = {**Instance(system, closed.states).values, **closed.columns, **closed.directions}
    found = {}
    for name in (name for name in quantities if name in (*MOTION, *OF_FORWARD, *CHANGES, EFFORT)):
        found[name] = at_states(define(flatten(native[name]), system.functions), values, len(closed.states))
    closed.leave_open(found)
    closed.compare(found, closed.by.name)
    if closed.open and (lost := [name for name in quantities if name in OF_ROWS]):
        message = f"the multiplier of {closed.derivation.rows[closed.open[0]]} is not unique"
        raise NumbersError(error(f"quantities/{lost[0]}", message, "ask for reactions, which are"))


def _fmu(by: Formalism, system: System, quantities: Sequence[str], name: str, options: FmuOptions) -> FmuTexts:
    """Generate the texts of an FMU."""
    if quantities:
        message = f"an FMU has quantities of its own, and {quantities[0]!r} was asked for"
        raise MbconcordError(error("--quantity", message, "leave it out, or name a folder for a library in C"))
    made, left_out = make_fmu(by, system, name, options, f"mbconcord {__version__}")
    require_formulas(made.operations, "code")
    lines = program(made.operations)
    counted = count_program(lines, lines.outputs)
    whole = made.whole.results
    return FmuTexts(
        made.texts, tuple(whole), counted, left_out, FMU, lambda: Interpreted(system, {}, lines),
        [label for labels in whole.values() for label in labels], made.closed.notes if made.closed else (), tuple, made,
    )  # fmt: skip


def write_files(folder: str | PathLike[str], files: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files into a folder, all of them or none; the folder is created if missing.

    Texts are written to temporary files, so that a full disk is detected, and these are then renamed; if one rename
    fails, the previous files are restored.

    Raises
    ------
    WriteError
        The folder cannot be created, or a file cannot be written. Then created folders are removed again.
    """
    target = Path(fspath(folder))
    missing: list[Path] = []
    try:
        missing = [each for each in (target, *target.parents) if not each.exists()]
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=PREFIX, dir=target) as aside:
            new, old = Path(aside) / "new", Path(aside) / "old"
            new.mkdir()
            old.mkdir()
            for file, text in files.items():
                require_replaceable(target / file)
                if (target / file).exists() and not (target / file).is_file():
                    raise OSError(errno.EISDIR, "it is no file", str(target / file))
                replace_file(new / file, text.encode("utf-8"))
            _exchange(target, new, old, tuple(files))
    except (OSError, ValueError) as problem:
        for each in missing:
            with suppress(OSError):
                each.rmdir()
        reason = getattr(problem, "strerror", None) or str(problem)
        named = Path(getattr(problem, "filename", None) or target)
        if PREFIX in str(named):  # a temporary file stands for the one of its name
            named = target / named.name if named.name in files else target
        full = getattr(problem, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        remedy = "make room, and export again" if full else "name a folder that can be made and written"
        raise WriteError(error(str(named), reason, remedy)) from None
    return tuple(target / file for file in files)


def _exchange(target: Path, new: Path, old: Path, files: Sequence[str]) -> None:
    """Replace files in ``target`` by those in ``new``, moving the replaced ones to ``old``; on failure restore them."""
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


def _write(language: str, derivation: Derivation, quantities: Mapping[str, Nested], name: str) -> dict[str, str]:
    made = library(derivation, quantities, name)
    known = compute_known_numbers(derivation.system, made)
    if language == "c":
        return made.files() | trial(made, known)
    return {f"{made.plain}.py": MODULES[language](derivation, quantities)} | python_test(made, known, language)


#: Language of a module of Python -> function that writes it.
MODULES: Final[Mapping[str, Callable[[Derivation, Mapping[str, Nested]], str]]] = {"jax": jax, "casadi": casadi}
#: The language of FMUs, C in an archive; languages of files.
FMU: Final = "fmu"
LANGUAGES: Final = ("c", *MODULES)
