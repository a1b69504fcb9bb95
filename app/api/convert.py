"""Conversion of a model to another format, with its losses and, on request, proof that it is the same machine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import isclose, isfinite, nan
from os import PathLike, fspath
from pathlib import Path
from re import findall
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError, fromstring

from mbconcord.converters import registry
from mbconcord.converters.fittings import MeshPaths
from mbconcord.converters.format import Writing
from mbconcord.converters.xacro import Allowed
from mbconcord.model.checks.scope import used_names
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, Loss, MbconcordError, WriteError, error
from mbconcord.model.expressions import symbols
from mbconcord.model.functions import hold_time
from mbconcord.model.limits import count, frame, html_table, line
from mbconcord.model.numbers import known_values
from mbconcord.model.omission import FRICTION, find_assumed
from mbconcord.model.system import System
from mbconcord.records import KW_ONLY, dataclass, field, replace
from mbconcord.validation.compare import Sameness
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.peers import Original
from mbconcord.validation.witnesses.peers.program import refusal

from .compare import CompareRequest, compare_sources
from .files import write
from .request import ModelRequest, takes
from .source import Model, Source, accepted_kinds, locate_errors

if TYPE_CHECKING:
    from pandas import DataFrame

#: Number of states at which the result is compared with the original.
STATES = 10
#: Largest relative difference between a formula's value and the number written for it: rounding of a few operations.
ROUNDING = 4 * 2.0**-52
_HELD = " held at "
_COLUMNS = ("place", "what", "reason")


@dataclass(frozen=True, repr=False)
class Conversion:
    """A model in another format.

    Attributes
    ----------
    format : name of the format
    writing : the text, its code page and line ends, and the losses
    diagnostics : findings of the model's reader, and parts that the format's own program will refuse
    verification : comparison of the result read back with the original; None unless requested
    source : the model, with its parameters set, held at the instant ``at``
    request : the options
    held : losses of functions and motions of time, which were held at the instant
    """

    format: str
    writing: Writing
    diagnostics: tuple[Diagnostic, ...] = ()
    verification: Sameness | None = None
    source: Source = field(default_factory=lambda: Source("", System("", ()), (), {}), repr=False)
    request: ConvertRequest = field(default_factory=lambda: ConvertRequest(), repr=False)
    held: tuple[Loss, ...] = ()

    @property
    def text(self) -> str:
        """The model's text."""
        return self.writing.text

    @cached_property
    def rereading(self) -> tuple[Comparison, ...]:
        """Comparisons of the original with a second reading of its text; none where the model is held."""
        from mbconcord.validation.check import read_again  # not before: who does not verify needs no claims

        of = self.source
        if self.held or not of.text:
            return ()
        text = Original(of.text, of.format, (), of.file, of.changed, of.packages)
        return tuple(read_again(of.system, text, self.request.seed))

    def verify(self, file: str = "") -> Sameness:
        """Read the original a second time; read the result back, as a file of this name, and compare the dynamics.

        Raises
        ------
        DisagreementError
            The second reading of the original gives another model; the result is no XML.
        """
        if wrong := [*contradict(self.rereading, self.source.file)]:
            raise DisagreementError(wrong)
        file, request, writing = (file or fspath(self.request.out or f"-.{self.format}"), self.request, self.writing)
        if writing.text.lstrip().startswith("<"):
            try:
                fromstring(writing.text.encode("utf-8"))  # other programs read no prefix that is not declared
            except ParseError as problem:
                why = f"{file}: what was written is no XML: {problem}"
                raise DisagreementError(error("", why, "please report the model and the command")) from None
        assumed = find_assumed(self.source.system.omissions) if registry.format_named(self.format).assumes else ()
        reading = registry.read_text(writing.text, file, self.format, request.physics, Allowed(assume=assumed))
        listed = {loss.place for loss in writing.losses}
        # said once, as a loss
        source = self.source.system
        told = {a: b for a, b in writing.coordinates.items() if b in reading.system.coordinate_names}
        lost = (replace(o, gaps=()) for o in source.omissions if f"omissions/{o.place}" in listed)
        told_lost = {name for x in writing.losses if x.place != "parameters" for name in findall(r"\w+", x.what)}
        unused = told_lost & {p.name for p in source.parameters if p.value is not None} - used_names(reading.system)
        normals = {p.name: p.normal for p in source.parameters if f"parameters/{p.name}" in listed}
        varying = {p.name: p.varies for p in source.parameters if f"parameters/{p.name}" in listed}
        system = replace(
            reading.system,
            omissions=(*reading.system.omissions, *lost),
            parameters=tuple(
                replace(p, normal=normals.get(p.name, p.normal), varies=varying.get(p.name, p.varies))
                for p in reading.system.parameters
                if p.name not in unused
            ),
        )
        back = Source(file, system, reading.diagnostics, reading.locations)
        asked = CompareRequest(seed=request.seed, coordinates=told, accept_omissions=request.accept_omissions)
        found, frozen = compare_sources(self.source, back, STATES, asked), ""
        if found.verdict == "not checked":  # a number is not identical to the formula that it was written for
            original, frozen = self._freeze(system)
            found = compare_sources(original, back, STATES, asked) if frozen else found
        held = f"held at t = {request.at:g}" if self.held else ""
        pressing = [f"{name} as a number" for name, of in normals.items() if of or varying[name] is not None]
        return replace(found, freed="; ".join(filter(None, (found.freed, *pressing, held, frozen))))

    def list_limits(self, found: Sameness) -> tuple[Loss, ...]:
        """List the losses, of time, formulas and friction, that the comparison of :meth:`verify` disregards."""
        limits = {f"parameters/{word.partition(_HELD)[0]}" for word in found.freed.split("; ") if _HELD in word}
        limits |= {f"parameters/{p.name}" for p in self.source.system.parameters if p.normal or p.varies is not None}
        limits |= {f"forces/{name}{FRICTION}" for name in found.alike}
        limits |= {f"omissions/joint-friction/{name}/law" for name in found.softened}
        return (*self.held, *(loss for loss in self.losses if loss.acts and loss.place in limits))

    def _freeze(self, written: System) -> tuple[Source, str]:
        """Return the source with numbers, as written, in place of formulas of parameters, and words that list them.

        These are parameters whose loss changes the motion. A number that differs from the formula's value is not used.
        """
        formulas = {f"parameters/{p.name}": p for p in self.source.system.parameters if p.value and symbols([p.value])}
        lost = {formulas[x.place].name for x in self.writing.losses if x.acts and x.place in formulas}
        if not lost:
            return self.source, ""
        values = known_values(self.source.system)
        numbers = {p.name: p.value for p in written.parameters if p.name in lost and p.value and p.value.op == "num"}
        numbers = {n: x for n, x in numbers.items() if isclose(x.value, values.get(n, nan), rel_tol=ROUNDING)}
        parameters = tuple(replace(p, value=numbers.get(p.name, p.value)) for p in self.source.system.parameters)
        words = "; ".join(f"{name}{_HELD}{float(x.value)!r}" for name, x in numbers.items())
        return replace(self.source, system=replace(self.source.system, parameters=parameters)), words

    def open(self, file: str = "") -> str:
        """Return why the format's own program refuses the text, as a file of this name; empty if it opens the text."""
        return refusal(self.format, self.writing.text, file or fspath(self.request.out or self.source.path))

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Parts of the model that the format cannot express, each with place, what is lost, and reason."""
        return self.writing.losses

    @property
    def acting(self) -> tuple[Loss, ...]:
        """Losses on which the motion depends: because of them the result is another machine."""
        return tuple(loss for loss in self.losses if loss.acts)

    def __repr__(self) -> str:
        lost = count(len(self.losses), "loss", "losses") if self.losses else "no losses"
        lost += f", {len(self.acting)} of them on the motion" if self.acting else ""
        proof = self.verification.headline if self.verification else "not verified"
        return line("Conversion", f"to {self.format}", lost, proof)

    def _repr_html_(self) -> str:
        rows = ((x.place, x.what, x.reason) for x in self.losses)
        return html_table(repr(self)[1:-1], _COLUMNS, rows, str(self.verification or "").splitlines())

    def to_frame(self) -> DataFrame:
        """Convert the losses to a pandas table: ``place``, ``what``, ``reason``."""
        return frame(({"place": x.place, "what": x.what, "reason": x.reason} for x in self.losses), _COLUMNS)

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the model to a file, replaced whole or not at all.

        Raises
        ------
        WriteError
            The file cannot be written.
        """
        path = Path(fspath(file))
        return write(path, registry.encode(self.writing, str(path), self.format))


@dataclass(frozen=True)
class ConvertRequest(ModelRequest):
    """Options of :func:`convert`, documented there."""

    out: str | PathLike[str] | None = None
    _: KW_ONLY
    to: str | None = None
    strict: bool = False
    verify: bool = False
    seed: int = 0
    accept_omissions: Mapping[str, int] | None = None
    place: str | PathLike[str] | None = None
    at: float | None = None


@takes(ConvertRequest)
def convert(model: Model, request: ConvertRequest) -> Conversion:
    """Write a model in another format; parts that this format cannot express are listed as losses.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    out : file to write; None: write no file, the text is in the result
    to : name of the format; None: the format that the name of ``out`` determines
    strict : refuse any loss
    verify : read the result back and compare its dynamics with the original's; nothing is written if they differ or are
        not compared in full
    seed : seed of the random states of ``verify``
    parameters : values of parameters by name
    accept_omissions : known omissions of the model
    at : instant, s, at which the model is held: functions and motions of time become parameters with their values then,
        each a loss on which the motion depends; ``verify`` compares with the model held at this instant
    place : file in whose folder the text will be, as paths of meshes are relative to it; None: ``out``, or the model's
    physics : treatment of impossible masses and inertias
    format : of the model's file, if its name does not determine it

    Raises
    ------
    WriteError
        A loss, with ``strict``; with ``verify`` and ``out``, a result that is not, or could not be shown to be, the
        same machine; a file that cannot be written.
    ReadError
        The model cannot be read.

    Examples
    --------
    >>> import mbconcord
    >>> mbconcord.convert(mbconcord.read(text="z j-2 $3 g", format="mbsd"), to="native", verify=True)
    <Conversion to native: no losses, the same machine>
    """
    if request.out is None and request.to is None:
        names = f"known: {', '.join(registry.names())}"
        raise MbconcordError(error("to", "neither a format nor a file to write is named", names))
    accepted_kinds(request.accept_omissions)
    found = request.source(model).plausible()
    target = request.to or registry.detect(fspath(request.out or "")).name
    held: tuple[Loss, ...] = ()
    if request.at is not None:
        if not isfinite(request.at):
            raise MbconcordError(error("at", f"found {request.at}", "give a finite time, s"))
        still, changed = hold_time(found.system, request.at)
        found = replace(found, system=still)
        held = tuple(Loss(place, what, f"held as it is at t = {request.at:g}") for place, what in changed.items())
    with locate_errors(found):
        meshes = MeshPaths(found.path, fspath(request.out or request.place or ""), found.packages)
        writing = registry.write(found.system, target, request.strict, request.physics, meshes)
        writing = replace(writing, losses=(*held, *writing.losses))
    refuse = registry.format_named(target).refusals
    refused = () if refuse is None else refuse(found.system)
    notes = tuple(map(found.locate, dict.fromkeys((*found.diagnostics, *refused))))
    made = Conversion(target, writing, notes, source=found, request=request, held=held)
    if request.verify:
        made = replace(made, verification=made.verify())
    if request.out is not None:
        proof = made.verification
        if proof is not None and not proof.stands:
            message = f"{fspath(request.out)}: not written: {proof.headline}"
            raise WriteError(error("", message, "convert without out, and look"))
        made.save(request.out)
    return made
