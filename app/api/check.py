"""The check of a model, with a result that displays and saves itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbconcord import reports
from mbconcord.converters.findings import remark_oversized
from mbconcord.converters.format import StateFile
from mbconcord.converters.registry import contents, reaches
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, error
from mbconcord.model.limits import count, format_names, html_table, line
from mbconcord.model.state import State
from mbconcord.records import dataclass, fields, replace
from mbconcord.reports.extras import simulation
from mbconcord.reports.quantities import quantities, table_of
from mbconcord.validation.check import check as check_system
from mbconcord.validation.claims import DEFAULT
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.judge.exact.proof import Mode, require_mode
from mbconcord.validation.judge.tolerances import require_span
from mbconcord.validation.witnesses.peers import Original, read_programs, require_programs, takes_model

from .files import write
from .request import ModelRequest, list_names, takes
from .source import Model, Source, accepted_kinds, locate_errors
from .states import States, read_states

if TYPE_CHECKING:
    from mbconcord.validation.against.fmu import FmuEquations
    from mbconcord.validation.against.own.equations import OwnEquations
    from mbconcord.validation.witnesses.um.sources import Other


def _original(found: Source, programs: Sequence[str]) -> Original | None:
    """Return the model's text with the programs that judge it; None if there are neither programs nor a text.

    Raises
    ------
    MbconcordError
        A program reads the model's file itself, and the model came from no file.
    """
    if not programs:
        return Original(found.text, found.format, (), found.file, found.changed, found.packages) if found.text else None
    readers = [name for name in programs if not takes_model(name)]
    if not readers:
        return Original(found.text, found.format, tuple(programs), found.file, found.changed, found.packages)
    if found.file in ("", "-"):
        message = f"{format_names(readers)} reads the model's file itself, and there is none"
        raise MbconcordError(error("--against", message, "name a file"))
    text = contents(found.file).decode("utf-8-sig", "replace")
    return Original(
        found.text or text, found.format, tuple(programs), found.file, found.changed, found.packages, not found.text
    )


@dataclass(frozen=True, repr=False)
class Check(Evidence):
    """Evidence about a model: agreements and disagreements of the formalisms, and unchecked quantities.

    ``verdict`` is ``agrees``, ``agrees in part`` (the model's reader left out parts that act on the motion), ``agrees
    after matching``, ``disagrees`` or ``not checked``; ``headline`` is the verdict with all that it does not cover.
    """

    def __repr__(self) -> str:
        speaking = {w.name for w in self.witnesses if w.derivation is not None}
        compared = [q for q in quantities(self.comparisons) if q.is_compared]
        return line(
            "Check", f"of {self.system.name or self.file}", self.headline,
            count(len(speaking), "witness", "witnesses"), count(len(compared), "quantity", "quantities"),
        )  # fmt: skip

    def _repr_html_(self) -> str:
        headers, rows = table_of(quantities(self.comparisons))
        said = [f"{c.quantity}: {c.explanation}" for c in self.comparisons if c.explanation]
        loud = [str(d) for d in self.diagnostics if d.severity != "note"]
        return html_table(repr(self)[1:-1], headers, rows, dict.fromkeys((*said, *loud)))

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the report to a file whose suffix determines its format: .html, .md, .xml (JUnit), .sarif or .json.

        Raises
        ------
        MbconcordError
            Another suffix, or the file cannot be written.
        """
        path = Path(fspath(file))
        return write(path, reports.render([self], str(path)).encode("utf-8"))


@dataclass(frozen=True, kw_only=True)
class CheckRequest(ModelRequest):
    """Options of :func:`check`, documented there."""

    formalisms: str | Sequence[str | Formalism] | None = None
    states: int | States = 10
    seed: int = 0
    claims: str | Sequence[str] = DEFAULT
    against: str | Sequence[str] | Other | OwnEquations | FmuEquations | None = None
    coordinates: Mapping[str, str] | None = None
    bodies: Mapping[str, str] | None = None
    accept_omissions: Mapping[str, int] | None = None
    exact: Mode = "auto"
    simulate: float | None = None
    count: bool = True
    allow_binary: bool = False


@takes(CheckRequest)
def check(model: Model, request: CheckRequest) -> Check:
    """Derive a model's equations of motion by every formalism that takes it, and compare the numbers.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    formalisms : names (or instances); None: all
    states : number of random states; or states in any form that :func:`mbconcord.evaluate` takes
    seed : seed of random states, and of random values for parameters that have no value
    parameters : values of parameters by name
    claims : names of claims to check in addition to the agreement of the formalisms; ``("all",)`` is every claim
    against : as one more witness, your own equations, :func:`mbconcord.own`, or their file, ``"eqs:FILE"``, or an
        FMU, ``"fmu:FILE"``;
        equations that another program generated, ``"um:FOLDER"``, or numbers that it printed, ``"table:FILE"``; or
        programs that read the model's file themselves, ``"pinocchio,mujoco"`` or ``["pinocchio", "mujoco"]``
    coordinates, bodies : with ``against``, the model's names for those of the equations, if known
    accept_omissions : known omissions of the model, ``{"contact": 19}``
    physics : treatment of impossible masses and inertias: ``"error"``, ``"warn"``, ``"ignore"``; None: the format's
        default, for a system ``"error"``
    exact : whether equations are proved to be the same functions, without tolerance: ``"auto"`` if that costs about a
        second at most, ``"on"``, ``"off"``
    format : format of the file, if its name does not determine it
    simulate : seconds over which motions are checked, too: agreement of the formalisms, energies, momenta,
        constraints, the way back. They begin at the given states, or at the model's own and at one near it; ``horizon``
        of the result is the time up to which motions are known
    allow_binary : with ``against`` an FMU: whether to run its binary, which is a program
    count : whether to count operations, which takes time; the counts appear in JSON and in reports

    Models with too many coordinates to compare matrices are compared link by link, by recursive formalisms alone.

    Returns
    -------
    Check
        Evidence with ``verdict``, ``headline``, ``comparisons``, ``witnesses`` and ``diagnostics``.

    Raises
    ------
    ReadError, ModelError
        The model cannot be read, or a body is physically impossible.
    NumbersError
        States or parameters that the model does not have, or that are no numbers.
    MbconcordError
        A formalism, claim or format has an unknown name, or ``exact`` has an unknown value.

    Examples
    --------
    >>> import mbconcord
    >>> found = mbconcord.check(mbconcord.read(text="z°30 i > z°30 i g", format="mbsd"), states=3)
    >>> found.verdict
    'agrees'
    >>> {c.exact.kind for c in found.comparisons if c.exact}
    {'identical'}
    """
    named = request.formalisms
    request = replace(
        request, claims=list_names(request.claims), formalisms=[named] if isinstance(named, str) else named
    )
    require_mode(request.exact)
    found = request.source(model)
    file = found.file or "-"
    programs, equations = _witnesses(request)
    accepted = accepted_kinds(request.accept_omissions)
    if request.simulate is not None:
        require_span(request.simulate)
        simulation()
    number, at, said = _states(found, request.states)
    at = at or None
    with locate_errors(found, request.states):
        if equations is None:
            evidence = check_system(
                found.system, file, request.formalisms, number, request.seed, at, request.claims, found.physics,
                _original(found, programs), request.exact, request.simulate, request.count,
            )  # fmt: skip
        else:
            evidence = _check_against(found, file, equations, request, number, at)
    sizes = remark_oversized(found.system, found.physics, reaches)
    notes = dict.fromkeys(map(found.locate, (*found.diagnostics, *said, *evidence.diagnostics, *sizes)))
    once = evidence.read_once or (bool(found.format) and not found.text)  # a model that is not quite that of its text
    evidence = replace(
        evidence, diagnostics=tuple(notes), accepted=accepted, locations=found.locations, read_once=once
    )  # fmt: skip
    return Check(**{field.name: getattr(evidence, field.name) for field in fields(evidence)})


def _witnesses(request: CheckRequest) -> tuple[Sequence[str], Other | OwnEquations | FmuEquations | None]:
    """Read ``against``: return names of programs, and equations, an FMU or a table; one of the two is empty or None."""
    against = request.against
    if not (against is None or isinstance(against, str | Sequence)):
        return (), against
    for item in against or ():
        if not isinstance(item, str):
            found = f"found {type(item).__name__} {item!r:.40}, expected names of programs or a file"
            raise MbconcordError(error("against", found, "for example against=['pinocchio', 'drake']"))
    named = against if against is None or isinstance(against, str) else ",".join(against)
    programs = () if named is None else read_programs(named)
    for option, value in (("coordinates", request.coordinates), ("bodies", request.bodies)):
        if value and (named is None or programs):
            raise MbconcordError(error(option, "found no equations in `against`: they are what these are of"))
    if named is None or programs:
        if programs:
            require_programs(programs)
        return programs, None
    from mbconcord.validation.against.own.files import PREFIXES  # not before: they bring readers of equations
    from mbconcord.validation.witnesses.um.sources import read_source

    if named.startswith(PREFIXES):
        from .own import own

        return (), own(named, coordinates=request.coordinates, allow_binary=request.allow_binary)

    return (), read_source(named)


def _check_against(
    found: Source, file: str, equations: Other | OwnEquations | FmuEquations, request: CheckRequest, number: int,
    at: Sequence[State] | None,
) -> Evidence:  # fmt: skip
    """Compare a model with ``equations``: those of another program, its table of numbers, an FMU or own ones."""
    if request.simulate is not None and type(equations).__name__ != "FmuEquations":
        message = "found beside equations or numbers of another program: motions are those of the model"
        raise MbconcordError(error("simulate", message, "check them one by one"))
    # not before: it brings readers of what other programs generate
    from mbconcord.model.equations import GeneratedEquations
    from mbconcord.validation.against.programs import against_table, check_against
    from mbconcord.validation.witnesses.printed import PrintedTable

    names, physics = request.formalisms, found.physics
    if type(equations).__name__ == "FmuEquations":
        return _check_fmu(found, file, equations, request, number, at)
    if isinstance(equations, PrintedTable):
        _require_own_names(at, request.coordinates, request.bodies)
        return against_table(found.system, equations, file, names, physics)
    if not isinstance(equations, GeneratedEquations):
        return _check_own(found, file, equations, request, number, at)
    return check_against(
        found.system, equations, file, names, number, request.seed, at, request.coordinates, request.bodies, physics
    )


def _check_fmu(
    found: Source, file: str, fmu: Any, request: CheckRequest, number: int, at: Sequence[State] | None
) -> Evidence:
    """Compare a model with an FMU: its equations in Model Exchange, else its motions in Co-Simulation."""
    from mbconcord.validation.against.fmu import check_fmu  # not before: seldom asked for
    from mbconcord.validation.against.fmu_motion import check_motions

    if request.bodies:
        raise MbconcordError(error("bodies", "found beside an FMU, which has none", "leave it out"))
    if request.exact == "on":
        message = "found 'on' beside an FMU, of which numbers alone are known"
        raise MbconcordError(error("exact", message, "leave it out"))
    options: Any = {"file": file, "formalisms": request.formalisms, "states": number, "given": at}
    options |= {"physics": found.physics, "seed": request.seed}
    if not fmu.archive.exchange:
        return check_motions(found.system, fmu, request.simulate, **options)
    if request.simulate is not None:
        raise MbconcordError(error("simulate", "an FMU of Model Exchange is asked for equations", "leave it out"))
    return check_fmu(found.system, fmu, **options)


def _check_own(
    found: Source, file: str, source: object, request: CheckRequest, number: int, at: Sequence[State] | None
) -> Evidence:
    """Compare a model with the user's own equations, or an object with them; refuse options that own(…) takes."""
    from mbconcord.validation.against.own.equations import OwnEquations, read_own  # not before: seldom asked for
    from mbconcord.validation.against.own.verdict import check_own

    for option, value in (("coordinates", request.coordinates), ("bodies", request.bodies), ("states", at)):
        if value and not (option == "coordinates" and isinstance(request.against, str)):
            message = "found beside own equations, which are compared at drawn states in your coordinates"
            raise MbconcordError(error(option, message, "say it in own(…), and leave it out"))
    equations = source if isinstance(source, OwnEquations) else read_own(source)
    return check_own(
        found.system, equations, file, request.formalisms, number, request.seed, found.physics, request.exact
    )


def _require_own_names(*told: object) -> None:
    """Refuse states and names of coordinates or bodies beside a table of numbers, whose columns contain them."""
    for option, value in zip(("--state", "--map coordinates", "--map bodies"), told, strict=True):
        if value:
            message = "found beside a table, whose columns name its states, coordinates and bodies"
            raise MbconcordError(error(option, message, "rename the columns, and leave it out"))


def _states(found: Source, states: int | States) -> tuple[int, tuple[State, ...] | None, tuple[Diagnostic, ...]]:
    """Return the number of states, the states if they are given (None: to be drawn), and notes on their file."""
    if isinstance(states, int):
        return states, None, ()
    with locate_errors(found, states):
        if isinstance(states, StateFile):
            return 1, (states.to_state(found.system),), tuple(states.notes(found.system))
        at = read_states(found.system, states).states()
    return len(at), at, ()
