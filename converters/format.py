"""What a format is: a record of its name, its suffixes, what it holds, and who reads and writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import Any

from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic, Location, Loss
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.omission import Omission
from mbconcord.model.shown import count, html_table, line
from mbconcord.model.system import System

from .companions import Companion, StateFile
from .losses import Holds


@dataclass(frozen=True, repr=False)
class Reading:
    """A model read from a text; warnings and notes (defaults used, …); where each place stands in the text.

    ``format`` is the name of the format it was read as and ``text`` what was read, put in when the reader is done.
    """

    system: System
    diagnostics: tuple[Diagnostic, ...] = ()
    locations: Mapping[str, Location] = field(default_factory=dict)
    format: str = ""
    text: str = field(default="", repr=False, compare=False)

    def __repr__(self) -> str:
        found = [d for d in self.diagnostics if d.severity != "note"]
        warned = count(len(found), "warning") if found else ""
        return line("Reading", f"as {self.format}" if self.format else "", repr(self.system)[1:-1], warned)

    def _repr_html_(self) -> str:
        headers = ("severity", "place", "message", "remedy")
        rows = ((d.severity, str(d.location or d.place), d.message, d.remedy) for d in self.diagnostics)
        return html_table(repr(self)[1:-1], headers, rows)


@dataclass(frozen=True)
class Decoded:
    """The text of a file, and what of the file the text does not show: its code page, sheets of a workbook, …"""

    text: str
    omissions: tuple[Omission, ...] = ()


@dataclass(frozen=True)
class Writing:
    """The text of a model in a format, what the format could not hold, and how the text stands in a file.

    ``coordinates`` has those that are read back under another name: that name by the model's. ``encoding`` is the code
    page and ``newline`` the end of each line of the file; the text itself has LF. They are those of the file that the
    model was read from where the format can hold them.
    """

    text: str
    losses: tuple[Loss, ...] = ()
    coordinates: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    newline: str | None = None


@dataclass(frozen=True)
class Later:
    """A function ``module:name``, imported when it is called: a run needs the reader of one format, not of all."""

    target: str

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)(*arguments)


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised, what it holds, and who reads and writes it.

    ``read(text, file) -> Reading`` and ``write(system) -> Writing`` are pure; ``sniff(head)`` looks at the first
    2,048 characters. ``holds`` says what of a model the format keeps; losses are derived from it
    (:mod:`mbconcord.converters.losses`). ``physics`` says what is made of masses and inertias that no body has where
    the user says nothing: an error, or a warning in formats whose published files are known to hold such. What follows
    is for formats that have it:

    * files that are not always UTF-8 texts: ``decode(data, file)`` gives what a file's bytes hold,
      ``encode(text, file)`` the bytes of a file of that name, None where they are the text;
    * ``states`` and ``parameters``: files of these that stand beside a model;
    * ``equations(path)`` reads equations of motion that the format's program generated, from a file or a folder;
    * ``line(text)``: the same model on one line, to be quoted where a model is reproduced;
    * ``packages``: ``read`` takes a third argument, the folders of packages that files are included from;
    * ``freed(text, file)``: the text of the model whose root moves freely, of formats in which it is welded.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    holds: Holds
    sniff: Callable[[str], bool]
    read: Callable[..., Reading] | None
    write: Callable[[System], Writing] | None
    decode: Callable[[bytes, str], Decoded] | None = None
    encode: Callable[[str, str], bytes | None] | None = None
    states: Companion[StateFile] | None = None
    parameters: Companion[dict[str, Fraction]] | None = None
    equations: Callable[[str], GeneratedEquations] | None = None
    line: Callable[[str], str] | None = None
    packages: bool = False
    freed: Callable[[str, str], str] | None = None
    physics: Policy = "error"
