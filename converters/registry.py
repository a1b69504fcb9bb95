"""The formats by name and by the names of files, and reading and writing by their records."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import (
    Diagnostic,
    Location,
    MbconcordError,
    ReadError,
    WriteError,
    among,
    error,
    meant,
)
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.limits import FILE_BYTES
from mbconcord.model.system import System

from . import spelling, xacro
from .companions import Companion, Content, StateFile
from .format import Decoded, Format, Reading, Writing
from .losses import unnamed
from .plausibility import implausible, judged
from .xacro import Allowed

__all__ = ["Decoded", "Format", "Reading", "Writing"]

GROUP = "mbconcord.formats"
#: So many files of a folder are looked through for one that was probably meant.
MOST_ENTRIES = 10_000
#: So much of a text is looked at to tell its format.
HEAD = 2048
#: What is allowed where nobody says anything.
NOTHING = Allowed()
#: Suffixes of formats that users ask for and that are not read.
FOREIGN = {xacro.SUFFIX: "xacro", ".usd": "USD", ".usda": "USD"}
#: Suffixes that files of several formats have: the content tells.
SHARED = {".xml"}
BUILT_IN = {
    "native": "mbconcord.converters.native:FORMAT",
    "tp": "mbconcord.converters.tp:FORMAT",
    "mbsd": "mbconcord.converters.mbsd:FORMAT",
    "um": "mbconcord.converters.um:FORMAT",
    "urdf": "mbconcord.converters.urdf:FORMAT",
    "mjcf": "mbconcord.converters.mjcf:FORMAT",
    "sdf": "mbconcord.converters.sdf:FORMAT",
}


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
    raise MbconcordError(error("format", f"there is no format {name!r}", among(name, names())))


def detect(file: str, head: str = "") -> Format:
    """The format of a file: by its suffix (the longest that fits), and by its content where that tells no format."""
    formats = [format_named(name) for name in names()]
    fitting = by_suffix(file)
    if fitting is not None:
        several = Path(file).suffix.lower() in SHARED and head and not fitting.sniff(head)
        return next((f for f in formats if several and f.sniff(head)), fitting)
    foreign = next((name for suffix, name in FOREIGN.items() if file.lower().endswith(suffix)), None)
    for f in formats:
        if head and not foreign and f.sniff(head):  # what is foreign is, whatever it looks like
            return f
    if foreign:
        expand = f"expand its macros first: xacro {Path(file).name} > robot.urdf"
        remedy = expand if foreign == "xacro" else "see mbconcord formats"
        raise MbconcordError(error("", f"{file}: {foreign} is not read by this version", remedy))
    listed = ", ".join(f"{f.name} ({' '.join(f.suffixes)})" for f in formats)
    raise MbconcordError(
        error(
            "",
            f"{file}: the format cannot be told",
            f"{_suffix_meant(file)}name it with --from; known: {listed}",
        )
    )


def _suffix_meant(file: str) -> str:
    """The suffix that was probably meant by a file's own, as a question."""
    known = [s for name in names() for s in format_named(name).suffixes if s.startswith(".")]
    likely = meant("".join(Path(file).suffixes[-2:]), known) or meant(Path(file).suffix, known)
    return f"did you mean {likely}? " if likely else ""


def by_suffix(file: str) -> Format | None:
    """The format whose suffix (the longest that fits) a file's name has."""
    formats = [format_named(name) for name in names()]
    fitting = [(len(s), f) for f in formats for s in f.suffixes if Path(file).name.lower().endswith(s)]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def is_model(path: Path) -> bool:
    """Whether a file found in a folder is one of a model: by its suffix, and its content where others have that."""
    chosen = by_suffix(path.name) if path.is_file() else None
    if chosen is None or path.suffix.lower() not in SHARED:
        return chosen is not None
    try:
        with path.open("rb") as opened:
            head = opened.read(HEAD).decode("utf-8", "replace")
    except OSError:
        return True
    return any(format_named(name).sniff(head) for name in names())


def model_file(path: str) -> str:
    """The file of a model: of a folder that is a model the file in it that a format knows by its whole name.

    Raises
    ------
    ReadError
        A folder without such a file, or with several.
    """
    folder = Path(path)
    if not folder.is_dir():
        return path
    whole = [s for name in names() for s in format_named(name).suffixes if not s.startswith(".")]
    found = sorted(
        str(entry) for entry in folder.iterdir() if entry.is_file() and entry.name.lower() in whole
    )
    if len(found) != 1:
        listed = ", ".join(found) or "none"
        message = f"{path}: a folder; expected one that is a model, with one {' or '.join(whole)} in it; found {listed}"
        raise ReadError(error("", message, "name a model file"))
    return found[0]


def contents(file: str) -> bytes:
    """The bytes of a file.

    Raises
    ------
    ReadError
        There is no such file, or it cannot be read.
    """
    if re.match(r"[a-z][a-z0-9+.-]+://", file):
        raise ReadError(error(file, "an address is not read", "download it, and name the file"))
    try:
        with Path(file).open("rb") as opened:
            return all_of(opened, file)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReadError(error(file, reason, _beside(Path(file)))) from None


def _beside(file: Path) -> str:
    """What to do where a file cannot be read: the file beside it that was probably meant."""
    try:
        if not file.parent.is_dir():
            return f"there is no folder {file.parent}"
        entries = () if file.exists() else islice(file.parent.iterdir(), MOST_ENTRIES)
        others = {entry.stem: entry for entry in entries if entry.name != file.name}
    except (OSError, ValueError):
        others = {}
    likely = meant(file.stem, others)
    return f"did you mean {others[likely]}?" if likely else "name a file that can be read"


def all_of(opened: BinaryIO, file: str) -> bytes:
    """What an open file holds.

    Raises
    ------
    ReadError
        It is beyond the limit: what more there is, is not read.
    """
    data = opened.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
        found = f"more than {FILE_BYTES:,} bytes"
        raise ReadError(error("", found, "no model is so large", Location(file, 1, 1)))
    return data


def state_companions() -> tuple[Companion[StateFile], ...]:
    """The kinds of files of states that formats have."""
    return tuple(f.states for f in map(format_named, names()) if f.states is not None)


def parameter_companions() -> tuple[Companion[dict[str, Fraction]], ...]:
    """The kinds of files of parameters that formats have."""
    return tuple(f.parameters for f in map(format_named, names()) if f.parameters is not None)


def state_companion(file: str) -> Companion[StateFile] | None:
    """The kind of files of states that a file is of, by its suffix; None where it is of none."""
    return _of_suffix(state_companions(), file)


def parameter_companion(file: str) -> Companion[dict[str, Fraction]] | None:
    """The kind of files of parameters that a file is of, by its suffix; None where it is of none."""
    return _of_suffix(parameter_companions(), file)


def _of_suffix(kinds: Iterable[Companion[Content]], file: str) -> Companion[Content] | None:
    return next((kind for kind in kinds if Path(file).name.lower().endswith(kind.suffix)), None)


def read(
    source: str | Path,
    format: str | None = None,
    physics: Policy | None = None,
    *,
    allow_xacro: bool = False,
    package_path: Iterable[str | Path] = (),
    free_base: bool = False,
    xacro_arguments: Mapping[str, str] | None = None,
) -> Reading:
    """Read a model file, or the file of a folder that is a model.

    ``physics`` says what is made of masses and inertias that no body has: ``"error"`` refuses the model, ``"warn"``
    tells them among the diagnostics, ``"ignore"`` says nothing; None is what the format's record says.
    ``allow_xacro`` lets the program xacro expand a file ``.xacro``, which runs what the file says;
    ``xacro_arguments`` are values of its arguments, ``$(arg NAME)``. ``package_path`` are folders in which packages of
    ROS stand, or that are one: out of these files may be included, too. ``free_base`` has the root of a URDF move
    freely, by a floating joint from the world.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    arguments = tuple(f"{name}:={value}" for name, value in (xacro_arguments or {}).items())
    return read_allowed(
        source, format, physics, Allowed(allow_xacro, tuple(map(str, package_path)), free_base, arguments)
    )


def read_allowed(source: str | Path, format: str | None, physics: Policy | None, allowed: Allowed) -> Reading:
    """:func:`read` with what is allowed in one value."""
    file = model_file(str(source))
    data = contents(file)
    if file.lower().endswith(xacro.SUFFIX):
        return _expanded(file, format, physics, allowed)
    reading = read_bytes(data, file, format, physics, allowed)
    if not allowed.arguments:
        return reading
    unused = Diagnostic(
        "warning", "--xacro-arg", f"{file} is no file of macros", "name one whose name ends in .xacro"
    )
    return replace(reading, diagnostics=(unused, *reading.diagnostics))


def _expanded(file: str, format: str | None, physics: Policy | None, allowed: Allowed) -> Reading:
    """The model of a file of macros; places are those of the text that they stand for."""
    text = xacro.expanded(file, allowed)
    inner = file[: -len(xacro.SUFFIX)]
    chosen = format or detect(inner, text[:HEAD]).name
    reading = read_text(text, f"{inner} (expanded)", chosen, physics, allowed)
    note = "macros are expanded by xacro: places are those of the text that it prints"
    return replace(reading, diagnostics=(Diagnostic("note", file, note), *reading.diagnostics))


def read_bytes(
    data: bytes,
    file: str,
    format: str | None = None,
    physics: Policy | None = None,
    allowed: Allowed = NOTHING,
) -> Reading:
    """Read a model from the bytes of a file (``-``: standard input)."""
    chosen = format_named(format) if format else by_suffix(file)
    if chosen is not None and chosen.decode is not None:
        decoded = chosen.decode(data, file)
    else:
        decoded = _decoded(data, file)
    reading = read_text(decoded.text, file, format, physics, allowed)
    return replace(reading, system=spelling.spelled(reading.system, decoded.omissions))


def _decoded(data: bytes, file: str) -> Decoded:
    """The text of a file in UTF-8."""
    spelling.require_text(data, file)
    marked = data.startswith(BOM_UTF8)
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
    return Decoded(text, spelling.of_encoding("utf-8-sig" if marked else spelling.UTF8))


def read_text(
    text: str,
    file: str = "-",
    format: str | None = None,
    physics: Policy | None = None,
    allowed: Allowed = NOTHING,
) -> Reading:
    """Read a model from a text."""
    chosen = format_named(format) if format else detect(file, text[:HEAD])
    if not text.strip():
        message = f"the file is empty; expected a model in {chosen.name}"
        raise ReadError(error("", message, "name a file that holds a model", Location(file, 1, 1)))
    if chosen.read is None:
        raise MbconcordError(error("format", f"{chosen.name} can be written but not read"))
    plain, said = spelling.with_line_feeds(text)
    if allowed.free_base:
        plain = _freed(chosen, plain, file)
    try:
        beside = (allowed.packages,) if chosen.packages and allowed.packages else ()
        reading = replace(chosen.read(plain, file, *beside), format=chosen.name, text=plain)
    except ReadError as problem:
        other = None if format else _of_content(chosen, text[:HEAD])
        if other is None:
            raise
        told = error("", f"{file}: the content looks like {other}", f"name it with --from {other}")
        raise ReadError((*problem.diagnostics, told)) from None
    if said:
        reading = replace(reading, system=spelling.spelled(reading.system, said))
    return judged(reading, physics or chosen.physics, file)


def _freed(chosen: Format, text: str, file: str) -> str:
    """The text of the model whose root moves freely."""
    if chosen.freed is None:
        message = f"{file} is in {chosen.name}, which says itself what moves freely"
        raise MbconcordError(error("--free-base", message, "it is of a URDF, whose root is welded"))
    return chosen.freed(text, file)


def _of_content(chosen: Format, head: str) -> str | None:
    """The name of the other format that a text looks like, where it does not look like the one told by its suffix."""
    if chosen.sniff(head):
        return None
    others = (format_named(name) for name in names() if name != chosen.name)
    return next((other.name for other in others if other.sniff(head)), None)


def encode(writing: Writing, file: str, format: str) -> bytes:
    """The bytes of a file of that name that holds what was written in the format.

    Raises
    ------
    WriteError
        A name has a character that the file cannot hold: half of one, as names of files may have.
    """
    chosen = format_named(format)
    made = chosen.encode(writing.text, file) if chosen.encode is not None else None
    if made is not None:
        return made
    try:
        return writing.text.replace("\n", writing.newline or "\n").encode(writing.encoding or spelling.UTF8)
    except UnicodeEncodeError as problem:
        found = f"the character {problem.object[problem.start]!r} cannot be written in {problem.encoding}"
        raise WriteError(error("", found, "rename what has it: the model is called after its file")) from None


def with_equations() -> tuple[str, ...]:
    """Names of the formats whose programs generate equations that are read."""
    return tuple(n for n in names() if format_named(n).equations is not None)


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
    able = ", ".join(f"{n}:PATH" for n in with_equations())
    if not colon or not path:
        raise MbconcordError(error("--against", f"found {source!r}, expected {able}", f"for example {able}"))
    chosen = format_named(name)
    if chosen.equations is None:
        raise MbconcordError(error("--against", f"{name} has no equations to read", f"known: {able}"))
    return chosen.equations(path)


def write(system: System, format: str, strict: bool = False, physics: Policy | None = None) -> Writing:
    """Text of a model in a format.

    Raises
    ------
    WriteError
        With ``strict`` a loss; where ``physics`` (None: what the format's record says) is ``"error"`` a mass or an
        inertia that no body has, so that what is written is read back.
    """
    chosen = format_named(format)
    if chosen.write is None:
        raise MbconcordError(error("format", f"{chosen.name} can be read but not written"))
    impossible = implausible(system, physics or chosen.physics)
    if any(d.severity == "error" for d in impossible):
        raise WriteError(impossible)
    made = chosen.write(system)
    losses = (*made.losses, *unnamed(system, chosen.holds, made.losses))
    writing = _as_in_the_source(replace(made, losses=losses), system, chosen)
    if strict and writing.losses:
        raise WriteError(
            [error(loss.place, f"{loss.what} would be lost: {loss.reason}") for loss in writing.losses]
        )
    return writing


def _as_in_the_source(writing: Writing, system: System, chosen: Format) -> Writing:
    """The text in the code page and with the line ends of the source, where the format holds these as its own."""
    named = spelling.encoding(system)
    encoding = named if named in chosen.holds.encodings else spelling.UTF8
    newline = (
        spelling.newline(system) if "line_ends" in chosen.holds and "omissions" not in chosen.holds else "\n"
    )
    return replace(writing, encoding=writing.encoding or encoding, newline=writing.newline or newline)
