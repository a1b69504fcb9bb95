"""Formats: a record of the name, suffixes, supported features, reader and writer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic, Location, Loss, ModelError, error
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.limits import count, html_table, line
from mbconcord.model.omission import Omission
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.plugins import import_named
from mbconcord.records import dataclass, field

from .fittings import Fittings
from .losses import Holds

# Companion files of a format's models: states, and values of parameters.


Content = TypeVar("Content")


@dataclass(frozen=True)
class StateFile(ABC):
    """A state read from a file. If the file does not name the coordinates, it needs a model to be understood."""

    file: str

    @abstractmethod
    def to_state(self, system: System) -> State:
        """Return the state for this model.

        Raises
        ------
        NumbersError
            The model has other coordinates than the file has numbers.
        """

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """List the assumptions made when the file is read with this model."""
        return ()

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """Return a finding about the state with its location in the file, if the file has one for it."""
        return finding


@dataclass(frozen=True)
class Stored:
    """The bytes of a file, and the parts of the state or the parameters that it cannot hold."""

    data: bytes
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True)
class Companion(Generic[Content]):
    """A kind of companion files of a format's models, recognized by their suffix.

    ``read(data, file)`` decodes the bytes of a file: to a :class:`StateFile`, or to the exact values of parameters by
    the model's names. ``write(system, state, file)`` returns the bytes of a file of that name: the state, or the
    values of the parameters of the model at the state. ``title`` is what such a file is called in messages.
    """

    title: str
    suffix: str
    read: Callable[[bytes, str], Content]
    write: Callable[[System, State, str], Stored]


@dataclass(frozen=True)
class RunDefaults:
    """Settings with which a format's own program last ran a model, from a file of its folder.

    ``until`` (s), ``step_out`` (s), ``method`` and ``tolerance`` are the equivalent arguments of
    :func:`mbconcord.simulate`, None where there is none. ``settings`` are the program's own names and texts.
    """

    file: str
    settings: Mapping[str, str]
    until: float | None = None
    step_out: float | None = None
    method: str | None = None
    tolerance: float | None = None


@dataclass(frozen=True, repr=False)
class Reading:
    """A model read from a text; warnings and notes (defaults used, …); the location of each place in the text.

    ``format`` is the name of the format and ``text`` the text that was read; both are set after the reader is done.
    ``singles`` is True if the text holds its numbers in single precision, with no more digits anywhere.
    """

    system: System
    diagnostics: tuple[Diagnostic, ...] = ()
    locations: Mapping[str, Location] = field(default_factory=dict)
    format: str = ""
    text: str = field(default="", repr=False, compare=False)
    singles: bool = False

    def __repr__(self) -> str:
        found = [d for d in self.diagnostics if d.severity != "note"]
        warned = count(len(found), "warning") if found else ""
        return line("Reading", f"as {self.format}" if self.format else "", repr(self.system)[1:-1], warned)

    def _repr_html_(self) -> str:
        headers = ("severity", "place", "message", "remedy")
        rows = ((d.severity, str(d.location or d.place), d.message, d.remedy) for d in self.diagnostics)
        return html_table(repr(self)[1:-1], headers, rows)


@runtime_checkable
class Buildable(Protocol):
    """Builder of a system, such as :class:`mbconcord.Mechanism`."""

    def build(self, physics: Policy = "error") -> System:
        """Build the system."""


def find_system(model: System | Reading | Buildable) -> System:
    """Return the system of a model: a System itself, that of a Reading, or what a Mechanism builds, plausible or not.

    Raises
    ------
    ModelError
        The model is none of these.
    """
    if isinstance(model, Reading):
        return model.system
    if isinstance(model, Buildable):
        return model.build("ignore")
    if isinstance(model, System):
        return model
    message = f"found {type(model).__name__}, expected a System, a Mechanism or what mbconcord.read gave"
    raise ModelError(error("model", message, "mbconcord.read reads a file; mbconcord.convert converts one"))


@dataclass(frozen=True)
class Decoded:
    """The text of a file, and as omissions what the text does not show: code page, sheets of a workbook, …"""

    text: str
    omissions: tuple[Omission, ...] = ()


@dataclass(frozen=True)
class Writing:
    """The text of a model in a format, its losses, and how a file encodes the text.

    ``coordinates`` maps the model's names that change when read back to the new ones. ``fitted`` are places of parts
    that the text holds after all: of omissions (limits, dry friction, shapes), and of forces, as ``forces/NAME``.
    ``encoding`` is the code page and ``newline`` the end of each line of the file; the text itself has LF. Both are
    those of the model's source file if the format can hold them.
    """

    text: str
    losses: tuple[Loss, ...] = ()
    coordinates: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    newline: str | None = None
    fitted: frozenset[str] = field(default=frozenset(), repr=False)


@dataclass(frozen=True)
class Later:
    """A function ``module:name``, imported on its first call: a run needs the reader of one format, not of all."""

    target: str

    def __call__(self, *arguments: Any) -> Any:
        """Import the function, call it and return its value."""
        return import_named(self.target)(*arguments)


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised, which features it holds, its reader and writer.

    ``read(text, file) -> Reading`` and ``write(system) -> Writing`` are pure; ``sniff(head)`` looks at the first
    2,048 characters. ``holds`` lists the parts of a model that the format keeps; losses are derived from it
    (:mod:`mbconcord.converters.losses`). ``physics`` is the default treatment of masses and inertias that no body can
    have: an error, or a warning in formats whose published files are known to hold such. The following
    attributes are optional:

    * ``decode(data, file)`` decodes a file's bytes, ``encode(text, file)`` returns the bytes of a file of that name,
      None if they are simply the text; for formats whose files are not always UTF-8 texts;
    * ``states`` and ``parameters``: companion files of a model;
    * ``runs``: the name of a file with settings of a run in a model's folder, and its reader ``read(data, file)``;
    * ``equations(path)`` reads equations of motion that the format's program generated, from a file or a folder;
    * ``line(text)``: the same model on one line, to be quoted where a model is reproduced;
    * ``packages``: True if ``read`` takes, as a third argument, folders of packages that files are included from;
    * ``assumes``: kinds of elements whose laws a user may assume; ``read`` takes those assumed as its third argument;
    * ``freed(text, file)``: for formats in which the root is welded, returns the text of the model with a freely moving
      root, and a note about it;
    * ``programs``: by the name of another program, a function from a reading to the model that this program reads;
    * ``words``: names of programs whose vocabulary ``read`` may be limited to, its fourth argument; the default first;
    * ``fittings(text)`` finds limits, dry friction and shapes in the text that the reader keeps in the model's
      metadata under ``NAME:text``; ``write`` takes those of any such format as its second argument;
    * ``refusals(system)`` finds what the format's own program refuses in a model that is written, as warnings;
    * ``transcribe(data, kept)`` returns the text of a binary part of a file as the format's own program prints it, and
      the paths of long arrays left out of it, but those that are ``kept``: for the second reading.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    holds: Holds
    sniff: Callable[[str], bool]
    read: Callable[..., Reading] | None
    write: Callable[..., Writing] | None
    decode: Callable[[bytes, str], Decoded] | None = None
    encode: Callable[[str, str], bytes | None] | None = None
    states: Companion[StateFile] | None = None
    parameters: Companion[dict[str, Fraction]] | None = None
    runs: tuple[str, Callable[[bytes, str], RunDefaults]] | None = None
    equations: Callable[[str], GeneratedEquations] | None = None
    line: Callable[[str], str] | None = None
    packages: bool = False
    assumes: tuple[str, ...] = ()
    freed: Callable[[str, str], tuple[str, str]] | None = None
    programs: Mapping[str, Callable[[Reading], Reading]] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    fittings: Callable[[str], Fittings] | None = None
    images: Callable[[str], Fittings] | None = None
    refusals: Callable[[System], Iterable[Diagnostic]] | None = None
    transcribe: Callable[..., tuple[str, list[str]]] | None = None
    physics: Policy = "error"
