"""Lookup of formats by their names and by names of files; reading and writing of models in a format."""

from __future__ import annotations

import inspect
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import BinaryIO, NoReturn

from mbconcord.model.checks.physics import Policy, Reaches
from mbconcord.model.contact import COULOMB, RIGID, FrictionLaw, NormalLaw, assume_stops
from mbconcord.model.diagnostics import (
    Diagnostic,
    Location,
    MbconcordError,
    ReadError,
    WriteError,
    among,
    error,
    find_similar,
)
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.limits import FILE_BYTES, format_names, read_within
from mbconcord.model.omission import NAMED
from mbconcord.model.system import System
from mbconcord.plugins import entry_points, import_named

from . import spelling, xacro
from .findings import find_beside, implausible, judge_inertias, nearest
from .fittings import NO_FITTINGS, Fittings, MeshPaths, assume_contacts
from .format import (
    Buildable,
    Companion,
    Content,
    Decoded,
    Format,
    Reading,
    RunDefaults,
    StateFile,
    Writing,
    find_system,
)
from .losses import list_unnamed_losses, without_rigid
from .xacro import Allowed

__all__ = ["Decoded", "Format", "Reading", "Writing"]

GROUP = "mbconcord.formats"
#: Formats whose texts another program reads, too, and the function that finds the bodies it refuses.
IMPORTED = {"urdf": "mbconcord.converters.mjcf.reader:refusals_of_urdf"}
#: Number of characters or bytes at the beginning of a text that show its format.
HEAD = 2048
#: Permissions by default.
NOTHING = Allowed()
#: Elements whose law a user may assume -> the part of a model that has the element, in words.
ASSUMABLE = {"stop": "limit of a joint or tendon", "contact": "point or sphere on a plane at rest"}
#: Suffixes of formats that users ask for and that are not read.
FOREIGN = {xacro.SUFFIX: "xacro"}
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
    "usd": "mbconcord.converters.usd:FORMAT",
}


@cache
def names() -> tuple[str, ...]:
    """List the names of all formats, the built-in ones first."""
    return (*BUILT_IN, *sorted(e.name for e in entry_points(GROUP) if e.name not in BUILT_IN))


@cache
def format_named(name: str) -> Format:
    """Return the format of this name; an unknown name raises :class:`MbconcordError`, which lists the known names."""
    if not isinstance(name, str):
        raise MbconcordError(error("format", f"found {name!r}, expected a name", f"one of {', '.join(names())}"))
    if name in BUILT_IN:
        found: Format = import_named(BUILT_IN[name])
        return found
    for entry in entry_points(GROUP):
        if entry.name == name:
            found = entry.load()
            return found
    raise MbconcordError(error("format", f"there is no format {name!r}", among(name, names())))


def detect(file: str, head: str = "") -> Format:
    """Detect the format of a file by its suffix (the longest that fits), else by its content."""
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
        raise MbconcordError(error(str(file), f"{foreign} is not read by this version", remedy))
    listed = ", ".join(f"{f.name} ({' '.join(f.suffixes)})" for f in formats)
    raise MbconcordError(
        error(str(file), "the format cannot be told", f"{_suffix_meant(file)}name it with --from; known: {listed}")
    )


def _suffix_meant(file: str) -> str:
    """Suggest, as a question, the suffix that was probably intended."""
    known = [s for name in names() for s in format_named(name).suffixes if s.startswith(".")]
    likely = find_similar("".join(Path(file).suffixes[-2:]), known) or find_similar(Path(file).suffix, known)
    return f"did you mean {likely}? " if likely else ""


def by_suffix(file: str) -> Format | None:
    """Return the format whose suffix (the longest that fits) a file's name has."""
    formats = [format_named(name) for name in names()]
    fitting = [(len(s), f) for f in formats for s in f.suffixes if Path(file).name.lower().endswith(s)]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def is_model(path: Path) -> bool:
    """Return True if a file is a model: by its suffix, and by its content, too, if several formats share the suffix."""
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
    """Return the path of a model's file: the path itself, or the one file in a folder with the name of a model file.

    Raises
    ------
    ReadError
        The folder has no such file, or several.
    """
    folder = Path(path)
    if not os.path.isdir(path):  # noqa: PTH112 - also of a name that is too long
        return path
    whole = [s for name in names() for s in format_named(name).suffixes if not s.startswith(".")]
    found = sorted(str(entry) for entry in folder.iterdir() if entry.is_file() and entry.name.lower() in whole)
    if len(found) != 1:
        listed = ", ".join(found) or "none"
        message = f"{path}: a folder; expected one that is a model, with one {' or '.join(whole)} in it; found {listed}"
        raise ReadError(error("", message, "name a model file"))
    return found[0]


def run_defaults(folder: str) -> RunDefaults | None:
    """Read the settings of a run that a model's folder holds; None if it has no such file.

    Raises
    ------
    ReadError, NumbersError
        The file cannot be read, or holds wrong settings.
    """
    kinds = [kind for kind in (format_named(name).runs for name in names()) if kind]
    found = [(str(Path(folder, name)), read) for name, read in kinds if folder and Path(folder, name).is_file()]
    return found[0][1](contents(found[0][0]), found[0][0]) if found else None


def contents(file: str) -> bytes:
    """Read the bytes of a file.

    Raises
    ------
    ReadError
        There is no such file, or it cannot be read.
    """
    if re.match(r"[a-z][a-z0-9+.-]+://", file):
        raise ReadError(error(file, "an address is not read", "download it, and name the file"))
    try:
        data = read_within(file)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReadError(error(file, reason, find_beside(file))) from None
    return data if data is not None else _refuse_size(file)


def all_of(opened: BinaryIO, file: str) -> bytes:
    """Read the contents of an open file.

    Raises
    ------
    ReadError
        The contents are larger than the limit, at which reading stops.
    """
    data = opened.read(FILE_BYTES + 1)
    return data if len(data) <= FILE_BYTES else _refuse_size(file)


def _refuse_size(file: str) -> NoReturn:
    found = f"more than {FILE_BYTES:,} bytes"
    raise ReadError(error("", found, "no model is so large", Location(file, 1, 1)))


def state_companions() -> tuple[Companion[StateFile], ...]:
    """List the kinds of state files of all formats."""
    return tuple(f.states for f in map(format_named, names()) if f.states is not None)


def parameter_companions() -> tuple[Companion[dict[str, Fraction]], ...]:
    """List the kinds of parameter files of all formats."""
    return tuple(f.parameters for f in map(format_named, names()) if f.parameters is not None)


def state_companion(file: str) -> Companion[StateFile] | None:
    """Return the kind of state file that a file's suffix shows; None if it shows none."""
    return _of_suffix(state_companions(), file)


def parameter_companion(file: str) -> Companion[dict[str, Fraction]] | None:
    """Return the kind of parameter file that a file's suffix shows; None if it shows none."""
    return _of_suffix(parameter_companions(), file)


def _of_suffix(kinds: Iterable[Companion[Content]], file: str) -> Companion[Content] | None:
    return next((kind for kind in kinds if Path(file).name.lower().endswith(kind.suffix)), None)


def read(
    source: str | Path | None = None,
    format: str | None = None,
    physics: Policy | None = None,
    *,
    text: str | None = None,
    allow_xacro: bool = False,
    package_path: str | Path | Iterable[str | Path] = (),
    free_base: bool = False,
    xacro_arguments: Mapping[str, str] | None = None,
    snap_angles: bool = False,
    program: str = "",
    assume: str | Iterable[str] = (),
    encoding: str = "",
) -> Reading:
    """Read a model file, the file of a folder that is a model, or a text.

    ``text`` is the model itself; messages then call it ``source``. ``physics`` treats impossible masses and inertias:
    ``"error"`` refuses the model, ``"warn"`` adds diagnostics, ``"ignore"`` accepts them; None is the format's default.
    ``allow_xacro`` lets the program xacro expand a file ``.xacro``, which executes code of the file;
    ``xacro_arguments`` are values of its arguments, ``$(arg NAME)``. ``package_path`` are folders that contain ROS
    packages, or are packages: files may be included from them, too. ``free_base`` lets the root of a URDF move freely,
    by a floating joint from the world. ``snap_angles`` replaces constant angles that approximate a multiple of 90
    degrees in seven digits or more, such as 1.570796, by that multiple: formulas become shorter,
    and the model differs slightly from the text. ``program="mujoco"`` applies the settings of ``<mujoco>`` in a URDF
    for masses, inertia and gravity, and takes the inertia of links without any from collision shapes, as MuJoCo does.
    For a stage of OpenUSD ``program`` names the schemas that are read besides UsdPhysics: ``"physics"`` (none),
    ``"newton"``, ``"mujoco"``, ``"all"``.
    ``assume`` names kinds of elements for which a law is assumed because theirs is unknown, such as ``"bushing"`` of an
    input.dat: results that depend on them never count as proved. ``encoding`` is the code page, such as
    ``"cp1252"``, of a file whose format does not name one, such as an input.dat, if its bytes do not show it.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    arguments = tuple(f"{name}:={value}" for name, value in (xacro_arguments or {}).items())
    folders = (package_path,) if isinstance(package_path, str | Path) else package_path
    kinds = (assume,) if isinstance(assume, str) else tuple(assume)
    allowed = Allowed(
        allow_xacro, tuple(map(str, folders)), free_base, arguments, snap_angles, program, kinds, encoding
    )
    if not isinstance(text, str | None):
        raise ReadError(error("text", f"found {type(text).__name__}, expected a text", "decode bytes, or name a file"))
    if text is not None:
        return read_text(text, "-" if source is None else str(source), format, physics, allowed)
    if not isinstance(source, str | os.PathLike | None):
        message = f"found {type(source).__name__}, expected a path"
        raise ReadError(error("source", message, "give a model as it is to the other functions, which take it"))
    if source is None:
        raise ReadError(error("source", "found neither a file nor a text", "name a file, or give text=…"))
    return read_allowed(source, format, physics, allowed)


def read_allowed(source: str | Path, format: str | None, physics: Policy | None, allowed: Allowed) -> Reading:
    """Call :func:`read` with the permissions in one value."""
    file = model_file(str(source))
    data = contents(file)
    if file.lower().endswith(xacro.SUFFIX):
        return _read_macros(file, format, physics, allowed)
    reading = read_bytes(data, file, format, physics, allowed)
    if not allowed.arguments:
        return reading
    unused = Diagnostic("warning", "--read xacro", f"{file} is no file of macros", "name one whose name ends in .xacro")
    return replace(reading, diagnostics=(unused, *reading.diagnostics))


def _read_macros(file: str, format: str | None, physics: Policy | None, allowed: Allowed) -> Reading:
    """Read the model of a macro file; its locations are those in the expanded text."""
    text = xacro.expand_macros(file, allowed)
    inner = file[: -len(xacro.SUFFIX)]
    chosen = format or detect(inner, text[:HEAD]).name
    reading = read_text(text, f"{inner} (expanded)", chosen, physics, allowed)
    note = "macros are expanded by xacro: places are those of the text that it prints"
    return replace(reading, diagnostics=(Diagnostic("note", file, note), *reading.diagnostics))


def read_bytes(
    data: bytes, file: str, format: str | None = None, physics: Policy | None = None, allowed: Allowed = NOTHING
) -> Reading:
    """Read a model from the bytes of a file (``-``: standard input)."""
    chosen = format_named(format) if format else by_suffix(file)
    said: tuple[Diagnostic, ...] = ()
    if chosen is not None and chosen.decode is not None:
        given = spelling.decode_given(data, file, allowed.encoding)
        decoded = Decoded(given[0], spelling.of_encoding(given[1])) if given else chosen.decode(data, file)
    else:
        decoded = _decode(data, file)
        if allowed.encoding:
            message = f"{file} is UTF-8, or names its code page itself: the option is not for it"
            said = (Diagnostic("warning", spelling.OPTION, message, "--from um, if it is an input.dat"),)
    reading = read_text(decoded.text, file, format, physics, allowed)
    reading = replace(reading, diagnostics=(*said, *reading.diagnostics))
    return replace(reading, system=spelling.with_spelling(reading.system, decoded.omissions))


def _decode(data: bytes, file: str) -> Decoded:
    """Decode a file of UTF-8, or of the code page that its XML declares."""
    spelling.require_text(data, file)
    declared = spelling.decode_declared(data)
    if declared is not None:
        return Decoded(declared[0], spelling.of_encoding(declared[1]))
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
    text: str, file: str = "-", format: str | None = None, physics: Policy | None = None, allowed: Allowed = NOTHING
) -> Reading:
    """Read a model from a text."""
    chosen = format_named(format) if format else detect(file, text[:HEAD])
    if not text.strip():
        message = f"the file is empty; expected a model in {chosen.name}"
        raise ReadError(error("", message, "name a file that holds a model", Location(file, 1, 1)))
    if chosen.read is None:
        raise MbconcordError(error("format", f"{chosen.name} can be written but not read"))
    plain, said = spelling.with_line_feeds(text)
    plain, loose = _free_base(chosen, plain, file) if allowed.free_base else (plain, "")
    try:
        beside: tuple[object, ...] = (allowed.packages,) if chosen.packages and allowed.packages else ()
        if allowed.program in chosen.words:
            beside = (allowed.packages, allowed.program)
        laws = [kind for kind in allowed.assume if "=" in kind]
        if own := tuple(kind for kind in allowed.assume if kind not in laws):
            beside = (_require_assumable(chosen, own),)
        reading = replace(chosen.read(plain, file, *beside), format=chosen.name, text=plain)
    except ReadError as problem:
        other = None if format else _of_content(chosen, text[:HEAD])
        if other is None:
            raise
        told = error(str(file), f"the content looks like {other}", f"name it with --from {other}")
        raise ReadError((*problem.diagnostics, told)) from None
    welded = chosen.freed and not reading.system.coordinates
    freeing = Diagnostic("note", "", "no joint moves", "--read free-base lets the root move, in Python free_base=True")
    if loose:
        note = Diagnostic("note", "--read free-base", loose)
        reading = replace(reading, diagnostics=(*reading.diagnostics, note))
    if said:
        reading = replace(reading, system=spelling.with_spelling(reading.system, said))
    if allowed.program in chosen.words[1:]:
        words = "its own words and those of the format are read, and no others: the model is not that of the whole text"
        note = Diagnostic("note", "--read as", f"{allowed.program}: {words}")
        reading = replace(reading, diagnostics=(*reading.diagnostics, note), text="")
    elif allowed.program and allowed.program not in chosen.words:
        reading = _read_as(chosen, reading, allowed.program)
    if allowed.snap_angles:
        reading = _snap_angles(reading)
    for law in laws:
        reading = _assume_law(reading, law)
    refused = [d.with_location(nearest(d.place, reading.locations)) for d in refused_elsewhere(reading)]
    reading = replace(reading, diagnostics=(*reading.diagnostics, *([freeing] if welded else ()), *refused))
    return judge_inertias(reading, physics or chosen.physics, file, reaches)


def _require_assumable(chosen: Format, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds without repetitions; an unknown kind raises :class:`MbconcordError`, which lists all known."""
    for kind in kinds:
        if kind not in chosen.assumes:
            able = "; ".join(f"{n}: {', '.join(known)}" for n in names() if (known := format_named(n).assumes))
            message = f"{chosen.name} has no kind {kind!r} of elements whose law may be assumed"
            raise MbconcordError(error("--assume", message, f"kinds by format: {able}"))
    return tuple(dict.fromkeys(kinds))


def _assume_law(reading: Reading, said: str) -> Reading:
    """Return the model with a law for stops or contacts, such as ``stop=kelvin_voigt,k=1e4,c=10``, which is assumed."""
    (element, _, law), *constants = (part.partition("=") for part in said.split(","))
    rubs = ("mu", "v_s") if element == "contact" else ()
    known = [*(key for key in inspect.signature(NormalLaw).parameters if key != "law"), *rubs]
    wrong = [element] if element not in ASSUMABLE else [key for key, _, _ in constants if key not in known]
    if wrong:
        remedy = "for example --assume stop=kelvin_voigt,k=1e4,c=10 or --assume contact=hunt_crossley,k=1e4,d=0.3"
        raise MbconcordError(error("--assume", f"found {wrong[0]!r:.60} in {said!r:.80}", remedy))
    try:
        given = {key: parse_formula(value) for key, _, value in constants}
        friction = {key: given.pop(key) for key in rubs if key in given}
        rigid = law == RIGID and {*friction} == {"mu"}
        if len(friction) == 1 and not rigid:
            raise MbconcordError(error("", f"found {''.join(friction)} alone in {said!r:.80}", "friction: mu and v_s"))
        rubs_by = COULOMB if rigid else "regularised"
        normal, rough = NormalLaw(law, **given), FrictionLaw(rubs_by, **friction) if friction else None
        beside = fittings(reading.system, seen=True)
        if element == "contact":
            system = assume_contacts(reading.system, beside, normal, rough, said)
        else:
            system = assume_stops(reading.system, normal, said, beside.ropes)
    except MbconcordError as problem:
        raise MbconcordError(replace(d, place="--assume", location=None) for d in problem.diagnostics) from None
    if system.forces == reading.system.forces:
        message = f"the model has no {ASSUMABLE[element]} that a law may be assumed for: {said}"
        raise MbconcordError(error("--assume", message, "leave it out"))
    left = {o.place for o in system.omissions if o.kind not in NAMED}
    held = [reading.locations.get(f"omissions/{o.place}") for o in system.omissions if o.place not in left]
    told = tuple(d for d in reading.diagnostics if d.location is None or d.location not in held)
    return replace(reading, system=system, diagnostics=told, text="")


def refused_elsewhere(reading: Reading) -> Iterable[Diagnostic]:
    """Return warnings about bodies that another program, which also reads texts of this format, refuses."""
    if reading.format not in IMPORTED:
        return ()
    told = {d.place for d in reading.diagnostics}
    found: Iterable[Diagnostic] = import_named(IMPORTED[reading.format])(reading.system, told)
    return found


def _snap_angles(reading: Reading) -> Reading:
    """Replace decimals of multiples of 90 degrees by the exact angles; remove the text, which then differs."""
    from mbconcord.model.turns import snap_angles  # not before: it is seldom asked for

    system, written = snap_angles(reading.system)
    if not written:
        return reading
    message = f"taken for multiples of 90 degrees: {format_names(written)}"
    told = Diagnostic("warning", "--read snap-angles", message, "the model is not quite that of the text")
    return replace(reading, system=system, diagnostics=(*reading.diagnostics, told), text="")


def _read_as(chosen: Format, reading: Reading, program: str) -> Reading:
    """Return the model as another program understands the text."""
    if program not in chosen.programs:
        programs = (*chosen.programs, *chosen.words)
        known = f"known: {', '.join(programs)}" if programs else "it is of a URDF, or of a stage"
        raise MbconcordError(error("--read as", f"no program {program!r} is known to read {chosen.name}", known))
    return chosen.programs[program](reading)


def _free_base(chosen: Format, text: str, file: str) -> tuple[str, str]:
    """Return the text of the model with a freely moving root, and a note about it for the user."""
    if chosen.freed is None:
        message = f"{file} is in {chosen.name}, which says itself what moves freely"
        raise MbconcordError(error("--read free-base", message, "it is of a URDF, whose root is welded"))
    return chosen.freed(text, file)


def _of_content(chosen: Format, head: str) -> str | None:
    """Name the other format that a text resembles, if it does not match the format of its suffix."""
    if chosen.sniff(head):
        return None
    others = (format_named(name) for name in names() if name != chosen.name)
    return next((other.name for other in others if other.sniff(head)), None)


def encode(writing: Writing, file: str, format: str) -> bytes:
    """Encode a written text to the bytes of a file of that name in the format.

    Raises
    ------
    WriteError
        A name has a character that the file cannot hold: a lone surrogate, as file names may have.
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
    """List the formats whose programs generate equations that can be read."""
    return tuple(n for n in names() if format_named(n).equations is not None)


def read_equations(source: str) -> GeneratedEquations:
    """Read equations of motion that a program generated: ``um:FOLDER`` or ``um:FILE``.

    Raises
    ------
    MbconcordError
        The source names no format or no path, or the format has no equations to read.
    ReadError
        There are no equations at that path, or they cannot be read.
    """
    name, colon, path = source.partition(":")
    able = ", ".join(f"{n}:PATH" for n in with_equations())
    if not colon or not path:
        raise MbconcordError(error("--against", f"found {source!r}", f"expected {able}"))
    chosen = format_named(name)
    if chosen.equations is None:
        raise MbconcordError(error("--against", f"{name} has no equations to read", f"known: {able}"))
    return chosen.equations(path)


def write(
    model: System | Reading | Buildable, format: str, strict: bool = False, physics: Policy | None = None,
    meshes: MeshPaths | None = None,
) -> Writing:  # fmt: skip
    """Write a System, a Mechanism or a Reading as text in a format. ``meshes`` finds the files of its meshes.

    Raises
    ------
    ModelError
        The argument is no model; a file is converted by :func:`mbconcord.convert`.
    WriteError
        With ``strict`` any loss. If ``physics`` (None: the default of the format) is ``"error"``, a mass or an inertia
        that no body can have: the text could not be read back.
    """
    system, chosen = find_system(model), format_named(format)
    if chosen.write is None:
        able = ", ".join(n for n in names() if format_named(n).write is not None)
        message = f"{chosen.name} can be read but not written"
        raise MbconcordError(error("format", message, f"formats that are written: {able}"))
    impossible = implausible(system, physics or chosen.physics, reaches)
    if any(d.severity == "error" for d in impossible):
        raise WriteError(impossible)
    system, rigid = without_rigid(system, chosen.holds)
    if chosen.fittings is None:
        made = chosen.write(system)
    else:
        found = fittings(system)
        made = chosen.write(system, found if meshes is None else meshes.place(found))
    losses = (*rigid, *made.losses, *list_unnamed_losses(system, chosen.holds, made.losses, made.fitted))
    writing = _as_in_the_source(replace(made, losses=losses), system, chosen)
    if strict and writing.losses:
        raise WriteError([error(loss.place, f"{loss.what} would be lost: {loss.reason}") for loss in writing.losses])
    return writing


def fittings(system: System, seen: bool = False) -> Fittings:
    """Return the limits, dry friction and shapes in the text that a model was read from; none if it has no text.

    ``seen`` adds the shapes that are drawn only.
    """
    for key, lines in system.metadata.items():
        name, _, kept = key.partition(":")
        if kept != "text" or name not in names():
            continue
        chosen = format_named(name)
        if (find := (seen and chosen.images) or chosen.fittings) is not None:
            try:
                return find("\n".join(lines))
            except (MbconcordError, TypeError):
                return NO_FITTINGS
    return NO_FITTINGS


def reaches(system: System) -> Reaches:
    """Map each body to how far (m) its shapes in the text reach from its origin, and whether these are all it has."""
    shapes = fittings(system).shapes
    left_out = sum(o.kind in ("image", "collision-shape") for o in system.omissions)
    found: dict[str, tuple[float, bool]] = {}
    for shape in shapes:
        if shape.body is not None:
            reach, whole = found.get(shape.body, (0.0, left_out == len(shapes)))
            own = shape.reach
            found[shape.body] = (reach, False) if own is None else (max(reach, own), whole)
    return found


def _as_in_the_source(writing: Writing, system: System, chosen: Format) -> Writing:
    """Apply the source's code page and line ends to the text, if the format supports them."""
    named = spelling.encoding(system)
    encoding = named if named in chosen.holds.encodings else spelling.UTF8
    newline = spelling.newline(system) if "line_ends" in chosen.holds and "omissions" not in chosen.holds else "\n"
    return replace(writing, encoding=writing.encoding or encoding, newline=writing.newline or newline)
