"""Formats: a record of the name, suffixes, supported features, reader and writer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic, Location, Loss, ModelError, error
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.limits import count, html_table, line
from mbconcord.model.omission import Omission
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field

from .fittings import Fittings
from .losses import Holds

# Files that stand beside the models of a format: states, and values of parameters.


Content = TypeVar("Content")


@dataclass(frozen=True)
class StateFile(ABC):
    """A state as a file holds it. Without names of coordinates it needs a model."""

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
        """Add the location in the file to a finding about the state, if it has one."""
        return finding


@dataclass(frozen=True)
class Stored:
    """The bytes of a file, and the parts of the state or the parameters that it cannot hold."""

    data: bytes
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True)
class Companion(Generic[Content]):
    """A kind of companion files of a format's models, recognized by their suffix.

    ``read(data, file)`` gives what a file's bytes hold: a :class:`StateFile`, or the exact values of parameters by
    the model's names. ``write(system, state, file)`` gives the bytes of a file of that name: the state, or the
    values of the parameters of the model at the state. ``title`` is what such a file is called in messages.
    """

    title: str
    suffix: str
    read: Callable[[bytes, str], Content]
    write: Callable[[System, State, str], Stored]


@dataclass(frozen=True)
class RunDefaults:
    """Settings with which a format's own program last ran a model, from a file of its folder.

    ``until`` (s), ``step_out`` (s), ``method`` and ``tolerance`` are what :func:`mbconcord.simulate` makes of them,
    None where it makes nothing. ``settings`` are the program's own names and texts.
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

    ``format`` is the name of the format it was read as and ``text`` what was read, put in when the reader is done.
    ``singles`` says that what is beyond single precision stands nowhere in the text.
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
    """Return the system of a model: itself, what was read, or what a Mechanism builds, plausible or not.

    Raises
    ------
    ModelError
        It is none of these.
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
    """The text of a file, and what the text does not show: code page, sheets of a workbook, …"""

    text: str
    omissions: tuple[Omission, ...] = ()


@dataclass(frozen=True)
class Writing:
    """The text of a model in a format, its losses, and how a file encodes the text.

    ``coordinates`` has those that are read back under another name: that name by the model's. ``fitted`` are the places
    of omissions that the text holds all the same, limits, dry friction, shapes, and of forces, as ``forces/NAME``.
    ``encoding`` is the code page and ``newline`` the end of each line of the file; the text itself has LF. They are
    those of the file that the model was read from where the format can hold them.
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
        """Call it."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)(*arguments)


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised, which features it holds, its reader and writer.

    ``read(text, file) -> Reading`` and ``write(system) -> Writing`` are pure; ``sniff(head)`` looks at the first
    2,048 characters. ``holds`` says what of a model the format keeps; losses are derived from it
    (:mod:`mbconcord.converters.losses`). ``physics`` says what is made of masses and inertias that no body has where
    the user says nothing: an error, or a warning in formats whose published files are known to hold such. What follows
    is for formats that have it:

    * ``decode(data, file)`` decodes a file's bytes, ``encode(text, file)`` returns the bytes of a file of that name,
      None if they are the text: of files that are not always UTF-8 texts;
    * ``states`` and ``parameters``: companion files of a model;
    * ``runs``: the name of a file in a model's folder, and ``read(data, file)`` of its settings of a run;
    * ``equations(path)`` reads equations of motion that the format's program generated, from a file or a folder;
    * ``line(text)``: the same model on one line, to be quoted where a model is reproduced;
    * ``packages``: ``read`` takes a third argument, the folders of packages that files are included from;
    * ``assumes``: kinds of elements whose laws a user may assume; ``read`` takes those assumed as its third argument;
    * ``freed(text, file)``: the text of the model whose root moves freely, of formats in which it is welded, and what
      there is to say of it;
    * ``programs``: by the name of another program, what makes of a reading the model that this program reads;
    * ``words``: whose words alone ``read`` may take, its fourth argument: first the default, then those of programs;
    * ``fittings(text)`` finds limits, dry friction and shapes in the text that the reader keeps in the model's
      metadata under ``NAME:text``; ``write`` takes those of any such format as its second argument;
    * ``refusals(system)`` finds what the format's own program refuses in a model that is written, as warnings.
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
    physics: Policy = "error"
