"""Conversion of a model to another format, with what is lost and, on request, proof that it is the same machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from mbconcord.converters import registry
from mbconcord.converters.format import Writing
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic, Loss, MbconcordError, WriteError, error
from mbconcord.model.shown import count, frame, html_table, line
from mbconcord.validation.same_machine import Sameness

from .compare import compared
from .models import Model, Parameters, accepted_kinds, source
from .source import Source, located
from .writing import write

if TYPE_CHECKING:
    from pandas import DataFrame

#: At so many states the result is compared with the original.
STATES = 10
_COLUMNS = ("place", "what", "reason")


@dataclass(frozen=True, repr=False)
class Conversion:
    """A model in another format.

    Attributes
    ----------
    format : name of the format
    writing : the text, its code page and line ends, and the losses
    diagnostics : what the reader of the model said
    verification : whether the result read back is the same machine; None where that was not asked for
    """

    format: str
    writing: Writing
    diagnostics: tuple[Diagnostic, ...] = ()
    verification: Sameness | None = None

    @property
    def text(self) -> str:
        """The model's text."""
        return self.writing.text

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What the format cannot hold: place, what, reason."""
        return self.writing.losses

    def __repr__(self) -> str:
        lost = count(len(self.losses), "loss", "losses") if self.losses else "no losses"
        proof = self.verification.headline if self.verification else "not verified"
        return line("Conversion", f"to {self.format}", lost, proof)

    def _repr_html_(self) -> str:
        rows = ((x.place, x.what, x.reason) for x in self.losses)
        return html_table(repr(self)[1:-1], _COLUMNS, rows, str(self.verification or "").splitlines())

    def to_frame(self) -> DataFrame:
        """The losses as a table of pandas: ``place``, ``what``, ``reason``."""
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


def verified(
    original: Source, writing: Writing, file: str, format: str, physics: Policy | None, seed: int,
    accepted: Mapping[str, int] | None,
) -> Sameness:  # fmt: skip
    """Read a result back, as a file of this name, and compare its dynamics with the original's."""
    reading = registry.read_text(writing.text, file, format, physics)
    listed = {loss.place for loss in writing.losses}
    lost = (o for o in original.system.omissions if f"omissions/{o.place}" in listed)  # said once, as a loss
    system = replace(reading.system, omissions=(*reading.system.omissions, *lost))
    back = Source(file, system, reading.diagnostics, reading.locations)
    told = {a: b for a, b in writing.coordinates.items() if b in system.coordinate_names}
    return compared(original, back, STATES, seed, accepted, told)


def convert(
    model: Model,
    out: str | PathLike[str] | None = None,
    *,
    to: str | None = None,
    strict: bool = False,
    verify: bool = False,
    seed: int = 0,
    parameters: Parameters | None = None,
    accept_omissions: Mapping[str, int] | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> Conversion:
    """Write a model in another format; what that format cannot hold is among the losses.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    out : file to write; None: none, the text is in the result
    to : name of the format; None: told by the name of ``out``
    strict : refuse any loss
    verify : read the result back and compare its dynamics with the original's; nothing is written where they differ
        or could not be compared in full
    seed : of the states of ``verify``
    parameters : values by name
    accept_omissions : what the model is known to leave out
    physics : what is made of masses and inertias that no body has
    format : of the model's file, where its name does not tell

    Raises
    ------
    WriteError
        A loss with ``strict``; with ``verify`` and ``out`` a result that is not, or could not be shown to be, the same
        machine; a file that cannot be written.
    ReadError
        The model cannot be read.

    Examples
    --------
    >>> import mbconcord
    >>> mbconcord.convert(mbconcord.read_text("z j-2 $3 g", format="mbsd"), to="native", verify=True)
    <Conversion to native: no losses, the same machine>
    """
    if out is None and to is None:
        names = f"known: {', '.join(registry.names())}"
        raise MbconcordError(error("to", "neither a format nor a file to write is named", names))
    accepted = accepted_kinds(accept_omissions)
    found = source(model, format, physics, parameters).plausible()
    target = to or registry.detect(fspath(out or "")).name
    with located(found):
        writing = registry.write(found.system, target, strict, physics)
    name = fspath(out) if out is not None else f"-.{target}"
    proof = verified(found, writing, name, target, physics, seed, accepted) if verify else None
    made = Conversion(target, writing, tuple(map(found.locate, found.diagnostics)), proof)
    if out is not None:
        if proof is not None and not proof.stands:
            raise WriteError(
                error("", f"{name}: not written: {proof.headline}", "convert without out, and look")
            )
        made.save(out)
    return made
