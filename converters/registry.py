"""Formats as records, and reading and writing by them.

The record of a format is what the CLI, the table in the documentation and detection read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from mbconcord.model.diagnostics import (
    Diagnostic,
    Location,
    Loss,
    MbconcordError,
    ReadError,
    WriteError,
    error,
)
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.system import System

GROUP = "mbconcord.formats"
BUILT_IN = {
    "native": "mbconcord.converters.native:FORMAT",
    "tp": "mbconcord.converters.tp:FORMAT",
    "mbsd": "mbconcord.converters.mbsd:FORMAT",
    "um": "mbconcord.converters.um:FORMAT",
}


@dataclass(frozen=True)
class Reading:
    """A model read from a text; warnings and notes (defaults used, …); where each place stands in the text."""

    system: System
    diagnostics: tuple[Diagnostic, ...] = ()
    locations: Mapping[str, Location] = field(default_factory=dict)


@dataclass(frozen=True)
class Writing:
    """The text of a model in a format, and what the format could not hold."""

    text: str
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised, what it holds, and who reads and writes it.

    ``read(text, file) -> Reading`` and ``write(system) -> Writing`` are pure; ``sniff(head)`` looks at the first
    2,048 characters. ``holds`` are keys of ``mbconcord.model.features.FEATURES``. A format whose files are not
    always UTF-8 texts says how: ``decode(data, file)`` gives the text of a file's bytes, ``encode(text, file)``
    the bytes of a file of that name. ``equations(path)`` reads equations of motion that the format's program
    generated, from a file or a folder.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    holds: frozenset[str]
    sniff: Callable[[str], bool]
    read: Callable[[str, str], Reading] | None
    write: Callable[[System], Writing] | None
    decode: Callable[[bytes, str], str] | None = None
    encode: Callable[[str, str], bytes] | None = None
    equations: Callable[[str], GeneratedEquations] | None = None


@cache
def names() -> tuple[str, ...]:
    """Names of all formats, the built-in ones first."""
    return (*BUILT_IN, *sorted(e.name for e in entry_points(group=GROUP) if e.name not in BUILT_IN))


@cache
def format_named(name: str) -> Format:
    """The format of that name; :class:`MbconcordError` naming the known ones when there is none."""
    target = BUILT_IN.get(name)
    if target is not None:
        module, _, attribute = target.partition(":")
        found: Format = getattr(import_module(module), attribute)
        return found
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            found = entry.load()
            return found
    raise MbconcordError(error("format", f"there is no format {name!r}", f"known: {', '.join(names())}"))


def detect(file: str, head: str = "") -> Format:
    """The format of a file: by its suffix (the longest that fits), else by its content."""
    formats = [format_named(name) for name in names()]
    fitting = by_suffix(file)
    if fitting is not None:
        return fitting
    for f in formats:
        if head and f.sniff(head):
            return f
    listed = ", ".join(f"{f.name} ({' '.join(f.suffixes)})" for f in formats)
    raise MbconcordError(
        error("", f"{file}: the format cannot be told", f"name it with --from; known: {listed}")
    )


def by_suffix(file: str) -> Format | None:
    """The format whose suffix (the longest that fits) a file's name has."""
    formats = [format_named(name) for name in names()]
    fitting = [(len(s), f) for f in formats for s in f.suffixes if Path(file).name.lower().endswith(s)]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def read(source: str | Path, format: str | None = None) -> Reading:
    """Read a model file."""
    path = Path(source)
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise ReadError(
            error("", f"{path}: {problem.strerror or problem}", "name a file that can be read")
        ) from None
    return read_bytes(data, str(path), format)


def read_bytes(data: bytes, file: str, format: str | None = None) -> Reading:
    """Read a model from the bytes of a file (``-``: standard input)."""
    chosen = format_named(format) if format else by_suffix(file)
    if chosen is not None and chosen.decode is not None:
        return read_text(chosen.decode(data, file), file, chosen.name)
    if b"\0" in data[:65536]:
        raise ReadError(error("", "a binary file; expected a text", location=Location(file, 1, 1)))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        found = f"byte 0x{data[problem.start]:02x} is not UTF-8"
        raise ReadError(
            error("", f"{found}; expected UTF-8", "save the file as UTF-8", Location(file, line, column))
        ) from None
    return read_text(text, file, format)


def read_text(text: str, file: str = "-", format: str | None = None) -> Reading:
    """Read a model from a text."""
    chosen = format_named(format) if format else detect(file, text[:2048])
    if not text.strip():
        message = f"the file is empty; expected a model in {chosen.name}"
        raise ReadError(error("", message, location=Location(file, 1, 1)))
    if chosen.read is None:
        raise MbconcordError(error("format", f"{chosen.name} can be written but not read"))
    return chosen.read(text, file)


def encode(text: str, file: str, format: str) -> bytes:
    """The bytes of a file of that name that hold a text of the format."""
    chosen = format_named(format)
    return chosen.encode(text, file) if chosen.encode is not None else text.encode("utf-8")


def read_equations(source: str) -> GeneratedEquations:
    """Equations of motion that a program generated: ``um:FOLDER`` or ``um:FILE``.

    Raises
    ------
    MbconcordError
        No format is named, or it has no equations to read.
    ReadError
        There are none at that path, or they cannot be read.
    """
    name, colon, path = source.partition(":")
    able = ", ".join(f"{n}:PATH" for n in names() if format_named(n).equations is not None)
    if not colon or not path:
        raise MbconcordError(error("--against", f"found {source!r}, expected {able}"))
    chosen = format_named(name)
    if chosen.equations is None:
        raise MbconcordError(error("--against", f"{name} has no equations to read", f"known: {able}"))
    return chosen.equations(path)


def write(system: System, format: str, strict: bool = False) -> Writing:
    """Text of a model in a format; with ``strict`` a loss raises :class:`WriteError`."""
    chosen = format_named(format)
    if chosen.write is None:
        raise MbconcordError(error("format", f"{chosen.name} can be read but not written"))
    writing = chosen.write(system)
    if strict and writing.losses:
        raise WriteError(
            [error(loss.place, f"{loss.what} would be lost: {loss.reason}") for loss in writing.losses]
        )
    return writing
