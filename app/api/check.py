"""The check of a model, with a result that shows and saves itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from mbconcord import reports
from mbconcord.converters.companions import StateFile
from mbconcord.converters.registry import contents
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.limits import listed
from mbconcord.model.shown import count, html_table, line
from mbconcord.model.state import State
from mbconcord.reports.extras import simulation
from mbconcord.reports.quantities import quantities, table_of
from mbconcord.validation.check import check as check_system
from mbconcord.validation.claims import DEFAULT
from mbconcord.validation.exact.agreement import Mode, require_mode
from mbconcord.validation.horizon import require_span
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.peers import Original, asked, takes_model

from .models import Model, Parameters, accepted_kinds, source
from .source import Source, located
from .states import States, given
from .writing import write

if TYPE_CHECKING:
    from mbconcord.validation.against.sources import Other


def _original(found: Source, programs: Sequence[str]) -> Original | None:
    """The text that the model was read from, and programs that read its file themselves; None where there is no text.

    Raises
    ------
    MbconcordError
        The model came from no file.
    """
    if not programs:
        return Original(found.text, found.format, (), found.file, found.changed) if found.text else None
    readers = [name for name in programs if not takes_model(name)]
    if not readers:
        return Original(found.text, found.format, tuple(programs), found.file, found.changed)
    if found.file in ("", "-"):
        message = f"{listed(readers)} reads the model's file itself, and there is none"
        raise MbconcordError(error("--against", message, "name a file"))
    text = contents(found.file).decode("utf-8-sig", "replace")
    return Original(found.text or text, found.format, tuple(programs), found.file, found.changed)


@dataclass(frozen=True, repr=False)
class Check(Evidence):
    """Evidence about a model: where the formalisms agree, where not, and what was not checked.

    ``verdict`` is ``agrees``, ``agrees in part`` (the model's reader left out what acts on the motion), ``agrees after
    matching``, ``disagrees`` or ``not checked``; ``headline`` says it with what it does not cover.
    """

    def __repr__(self) -> str:
        speaking = {w.name for w in self.witnesses if w.derivation is not None}
        compared = [q for q in quantities(self.comparisons) if q.compared]
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
        """Write the report to a file whose suffix tells its form: .html, .md, .xml (JUnit) or .json.

        Raises
        ------
        MbconcordError
            Another suffix, or the file cannot be written.
        """
        path = Path(fspath(file))
        return write(path, reports.render([self], str(path)).encode("utf-8"))


def checked(
    found: Source,
    file: str,
    formalisms: Sequence[str | Formalism] | None,
    states: int,
    seed: int,
    given: Sequence[State | StateFile] = (),
    claims: Sequence[str] = DEFAULT,
    equations: Other | None = None,
    coordinates: Mapping[str, str] | None = None,
    bodies: Mapping[str, str] | None = None,
    programs: Sequence[str] = (),
    exact: Mode = "auto",
    simulate: float | None = None,
    per_link: bool | None = None,
    count: bool = True,
) -> Evidence:
    """Evidence about a model, by formalisms or against another program's equations; findings carry their places.

    Parameters
    ----------
    found : the model
    file : name for reports
    formalisms, states, seed, claims : as :func:`mbconcord.validation.check.check` takes them
    given : states, or files of states, that stand for those that are drawn
    equations, coordinates, bodies : as :func:`mbconcord.validation.against.against` takes them; or the equations are
        a table of numbers, whose columns say at which states and of what they are
    programs : names of other programs that read the model's file themselves, :data:`mbconcord.validation.peers.PEERS`
    exact : as :func:`mbconcord.validation.check.check` takes it
    simulate : seconds over which motions are evidence, too
    per_link : as :func:`mbconcord.validation.check.check` takes it
    count : as :func:`mbconcord.validation.check.check` takes it
    """
    if per_link and equations is not None:
        message = "found beside equations or numbers of another program: these are compared as a whole"
        raise MbconcordError(error("per_link", message, "check them one by one"))
    if simulate is not None:
        require_span(simulate)
        simulation()
    files = [s for s in given if isinstance(s, StateFile)]
    with located(found, *files):
        at = [s.of(found.system) if isinstance(s, StateFile) else s for s in given] or None
        if equations is None:
            evidence = check_system(
                found.system,
                file,
                formalisms,
                states,
                seed,
                at,
                claims,
                found.physics,
                _original(found, programs),
                exact,
                simulate,
                count=count,
                per_link=per_link,
            )
        else:
            if simulate is not None:
                message = (
                    "found beside equations or numbers of another program: motions are those of the model"
                )
                raise MbconcordError(error("simulate", message, "check them one by one"))
            # not before: it brings readers of what other programs generate
            from mbconcord.validation.against import against as check_against
            from mbconcord.validation.against.printed import PrintedTable, against_table

            if isinstance(equations, PrintedTable):
                _require_own_names(at, coordinates, bodies)
                evidence = against_table(found.system, equations, file, formalisms, found.physics)
            else:
                evidence = check_against(
                    found.system,
                    equations,
                    file,
                    formalisms,
                    states,
                    seed,
                    at,
                    coordinates,
                    bodies,
                    found.physics,
                )
    notes = [note for s in files for note in s.notes(found.system)]
    said = map(found.locate, (*found.diagnostics, *notes, *evidence.diagnostics))
    return replace(evidence, diagnostics=tuple(dict.fromkeys(said)))


def check(
    model: Model,
    *,
    formalisms: Sequence[str | Formalism] | None = None,
    states: int | States = 10,
    seed: int = 0,
    parameters: Parameters | None = None,
    claims: Sequence[str] = DEFAULT,
    against: str | Sequence[str] | None = None,
    coordinates: Mapping[str, str] | None = None,
    bodies: Mapping[str, str] | None = None,
    accept_omissions: Mapping[str, int] | None = None,
    physics: Policy | None = None,
    exact: Mode = "auto",
    format: str | None = None,
    simulate: float | None = None,
    per_link: bool | None = None,
) -> Check:
    """Derive a model's equations of motion by every formalism that takes it, and compare the numbers.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    formalisms : names (or instances); None: all
    states : how many are drawn; or the states, in any form that :func:`mbconcord.evaluate` takes
    seed : of what is drawn: states, and values of parameters without one
    parameters : values by name
    claims : which are checked beside the agreement of the formalisms; ``("all",)`` is every one
    against : as one more witness, equations that another program generated, ``"um:FOLDER"``, or numbers that it
        printed, ``"table:FILE"``; or programs that read the model's file themselves, ``"pinocchio,mujoco"`` or
        ``["pinocchio", "mujoco"]``
    coordinates, bodies : with ``against``, which of the model each of the equations' is, where that is known
    accept_omissions : what the model is known to leave out, ``{"contact": 19}``
    physics : what is made of masses and inertias that no body has: ``"error"``, ``"warn"``, ``"ignore"``; None: what
        the format's record says, of a system ``"error"``
    exact : whether equations are proved to be the same functions, without tolerance: ``"auto"`` where that costs about
        a second at most, ``"on"``, ``"off"``
    format : of the file, where its name does not tell
    simulate : seconds over which motions are evidence, too: the same by every formalism, energies, momenta,
        constraints, the way back. They begin at the given states, or at the model's own and at one near it; ``horizon``
        of the result says up to when motions are known
    per_link : whether recursions are compared link by link, in time linear in the bodies, and no equations derived:
        inverse dynamics, h and gravity of open trees. None: of models too large for anything else

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
        There is no formalism, claim or format of a given name, or no such value of ``exact``.

    Examples
    --------
    >>> import mbconcord
    >>> found = mbconcord.check(mbconcord.read_text("z°30 i > z°30 i g", format="mbsd"), states=3)
    >>> found.verdict
    'agrees'
    >>> {c.exact.kind for c in found.comparisons if c.exact}
    {'identical'}
    """
    require_mode(exact)
    found = source(model, format, physics, parameters)
    if against is not None and not isinstance(against, str):
        against = ",".join(against)
    for option, value in (("coordinates", coordinates), ("bodies", bodies)):
        if value and (against is None or asked(against)):
            raise MbconcordError(error(option, "found no equations in `against`: they are what these are of"))
    programs = asked(against)
    equations = None if against is None or programs else _other(against)
    accepted = accepted_kinds(accept_omissions)
    number, at = (states, ()) if isinstance(states, int) else _at(found, states)
    evidence = checked(
        found,
        found.file or "-",
        formalisms,
        number,
        seed,
        at,
        claims,
        equations,
        coordinates,
        bodies,
        programs,
        exact,
        simulate,
        per_link,
    )
    evidence = replace(evidence, accepted=accepted)
    return Check(**{field.name: getattr(evidence, field.name) for field in fields(evidence)})


def _other(source: str) -> Other:
    from mbconcord.validation.against.sources import read_source

    return read_source(source)


def _require_own_names(*told: object) -> None:
    """Raise :class:`MbconcordError` where a table of numbers is told what its own columns say."""
    for option, value in zip(("--state", "--coordinates", "--bodies"), told, strict=True):
        if value:
            message = "found beside a table, whose columns name its states, coordinates and bodies"
            raise MbconcordError(error(option, message, "rename the columns, and leave it out"))


def _at(found: Source, states: States) -> tuple[int, tuple[State, ...]]:
    """How many states are given, and they."""
    with located(found):
        at = given(found.system, states).states()
    return len(at), at
