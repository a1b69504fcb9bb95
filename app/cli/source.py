"""A model file as commands take it: read, with its parameters set, and its findings located."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

from mbconcord.api.source import Source, with_values
from mbconcord.converters import registry
from mbconcord.converters.xacro import ARGUMENT, Allowed
from mbconcord.model.checks.physics import POLICIES, Policy
from mbconcord.model.diagnostics import Diagnostic, among
from mbconcord.model.omission import ASSUMED, NAMED
from mbconcord.records import replace

from .io.json_files import STANDARD_INPUT, read_standard_input
from .numbers import add_parameters, overrides
from .output import least, tell

#: Title of the options that say how models are read.
READING = "reading models"
#: The option that frees a root, and the place of what readers say of it.
FREED = "--read free-base"
#: Another spelling of ``--read assume=…``.
ASSUME = "--assume"
#: Elements whose law the option itself names: its constants follow.
STOPPING = tuple(registry.ASSUMABLE)
#: The option that says how files are read: names, what joins a value to each, and the values that it may have.
READ: Final = "--read"
READINGS: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "physics": ("=", POLICIES),
    "package-path": ("=", ()),
    "free-base": ("", ()),
    "snap-angles": ("", ()),
    "encoding": ("=", ()),
    "as": ("=", ("mujoco", "physics", "newton", "all")),
    "xacro": (":", ()),
    "assume": ("=", ()),
}
#: Names whose values may hold commas.
WHOLE: Final = "package-path", "xacro", "assume"
#: Names that may have several values.
SEVERAL: Final = "package-path", "assume"
EXAMPLES: Final = {
    "package-path": "package-path=FOLDER", "encoding": "encoding=cp1252", "xacro": "xacro:NAME=VALUE",
    "assume": "assume=bushing,linear",
}  # fmt: skip
#: Words that begin values, for completion.
_ELEMENTS: Final = {"assume": tuple(kind.removeprefix("assumed-") + "=" * (kind in NAMED) for kind in ASSUMED)}
#: What is run where it is allowed.
RUNS: Final = {
    "xacro": "which expands a file .xacro and runs what the file says",
    "binary": "the FMU of --against fmu:FILE",
}


def add_file(parser: argparse.ArgumentParser, name: str = "file") -> None:
    """Add the positional argument of a model file and the option that names its format."""
    parser.add_argument(name, metavar=name.upper(), help="model file; - is standard input")
    find_group(parser).add_argument(
        "--from", dest="source_format", metavar="FORMAT", help="format of the file (default: by its name or content)"
    )
    add_allowed(parser)


def find_group(parser: argparse._ActionsContainer) -> argparse._ActionsContainer:
    """Return the group of options about reading models; add it to the parser if it is missing."""
    groups = (parser, *parser._action_groups)
    found = next((g for g in groups if getattr(g, "title", None) == READING), None)
    return found or parser.add_argument_group(READING)


def add_reading(parser: argparse.ArgumentParser, *more: str) -> None:
    """Add the options of a command that reads several files: format, ways of reading, programs to run, parameters."""
    group = find_group(parser)
    group.add_argument("--from", dest="source_format", metavar="FORMAT", help="format of the files")
    add_allowed(group, *more)
    add_parameters(group)


class Collect(argparse._AppendAction):
    """Action that appends a text, and raises if ``understand`` refuses all texts so far; ``known`` are completions."""

    def __init__(
        self, *, understand: Callable[[Sequence[str]], object], known: Sequence[str] = (), **options: Any
    ) -> None:
        super().__init__(**options)
        self.understand, self.known = understand, known

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Append the value; ``--assume KIND`` is stored as ``--read assume=KIND``."""
        super().__call__(parser, namespace, f"assume={values}" if option == ASSUME else values, option)
        try:
            self.understand(getattr(namespace, self.dest))
        except ValueError as problem:
            raise argparse.ArgumentError(None, f"argument {option}: {problem}") from None


def add_allowed(parser: argparse._ActionsContainer, *more: str) -> None:
    """Add the options on ways of reading a file, and on programs that may be run for it: ``xacro`` and ``more``."""
    parser = find_group(parser)
    own = {name: registry.format_named(name).physics for name in registry.names()}
    by = "; ".join(f"{p}: {', '.join(n for n in own if own[n] == p)}" for p in POLICIES if p in own.values())
    parser.add_argument(
        READ, ASSUME, metavar="NAME[=VALUE],…", action=Collect, default=[], understand=split_reading,
        known=[f"{n}{mark}{v}" for n, (mark, values) in READINGS.items() for v in values or _ELEMENTS.get(n, ("",))],
        help="how the files are read; may be repeated, and FOLDER, VALUE and KIND take all that follows, commas too. "
        f"physics={'|'.join(POLICIES)}: masses and inertias that no body has are refused, warned of, or taken "
        f"(default by format: {by}). package-path=FOLDER: packages of ROS stand in it, or it is one: "
        "package://NAME/…, model://NAME, $(find NAME). free-base: the root of a URDF moves freely, by a floating joint "
        "from the world (default: it is welded). snap-angles: angles written in seven digits or more for a multiple of "
        "90 degrees are that multiple: 1.570796 is pi/2. encoding=PAGE: the code page of an input.dat, such as cp1251, "
        "gbk or cp1252 (default: told by its bytes). as=mujoco: a URDF as MuJoCo reads it: apply what <mujoco> says of "
        "masses, inertia and gravity, and weigh collision shapes of links without inertia. "
        "as=physics|newton|mujoco|all: whose words of a stage of OpenUSD are read beside those of UsdPhysics (default: "
        "all); compare of a stage with itself reads it whole first, and then so. xacro:NAME=VALUE: an argument of "
        "macros, $(arg NAME), with --allow xacro. assume=KIND,… or --assume KIND,…: elements of an "
        "input.dat whose laws nobody saw, by the laws of docs/formats/um.md: bushing, linear, lfrc; or limits of "
        "joints, and spheres and points on planes, by a law: --assume stop=kelvin_voigt,k=1e4,c=10, "
        "stop=rigid,e=0 or contact=hunt_crossley,k=1e4,d=0.3,mu=0.5,v_s=1e-3; "
        "the verdict names them, the exit code is never 0",
    )  # fmt: skip
    runs = {name: RUNS[name] for name in ("xacro", *more)}
    parser.add_argument(
        "--allow", metavar=",".join(runs), action=Collect, default=[],
        understand=partial(split_allowed, runs), known=tuple(runs),
        help=f"run programs, in a process with limits: {'; '.join(f'{name}, {what}' for name, what in runs.items())}",
    )  # fmt: skip


def split_reading(given: Iterable[str]) -> dict[str, list[str]]:
    """Return the values of --read by name; raise :class:`ValueError` if they are wrong or contradict each other."""
    found: dict[str, list[str]] = {name: [] for name in READINGS}
    for text in given:
        comma, later = ",", text
        while comma:
            _, name, mark, value = re.split(r"^\s*([\w-]*)([=:]?)", later, maxsplit=1)
            if name not in READINGS:
                raise ValueError(f"there is no {later.partition(',')[0]!r:.60} ({among(name, READINGS)})")
            expected, values = READINGS[name]
            value, comma, later = (value, "", "") if name in WHOLE else value.partition(",")
            value = value if name in WHOLE else value.strip()
            _require_value(name, mark, value, expected, values)
            key = value.partition("=")[0] + "=" if name == "xacro" else ""
            before = [v for v in found[name] if v.startswith(key) and v != value and name not in SEVERAL]
            if before:
                raise ValueError(f"found {name}{mark}{before[0]}, and {name}{mark}{value}; give it once")
            found[name] += [value] if value not in found[name] else []
    return found


def _require_value(name: str, mark: str, value: str, expected: str, values: Sequence[str]) -> None:
    """Raise a :class:`ValueError` if the value of a name of --read does not have the expected form."""
    example = EXAMPLES.get(name, f"{name}{expected}{values[0] if values else ''}")
    wrong = name == "xacro" and not ARGUMENT.fullmatch(value.replace("=", ":=", 1))
    if wrong or mark != expected or bool(value) != bool(expected):
        raise ValueError(f"found {f'{name}{mark}{value}'!r:.60}, expected {example}")
    if values and value not in values:
        raise ValueError(f"{name} has no value {value!r:.60} ({among(value, values)})")


def split_allowed(known: Collection[str], given: Iterable[str]) -> set[str]:
    """Return the names of --allow; raise :class:`ValueError` if a name is not known."""
    names = {name.strip() for text in given for name in text.split(",")}
    for name in sorted(names - {*known}):
        raise ValueError(f"there is no {name!r:.60} ({among(name, known)})")
    return names


def is_allowed(arguments: argparse.Namespace, name: str) -> bool:
    """Return True if the option --allow contains this name."""
    return name in split_allowed(RUNS, arguments.allow)


def read_allowed(arguments: argparse.Namespace) -> Allowed:
    """Return the settings for readers that the command line gives: permissions and ways of reading."""
    found = split_reading(arguments.read)
    assume: list[str] = []
    for kind in (kind.strip() for text in found["assume"] for kind in text.split(",")):
        if "=" in kind and assume and "=" in assume[-1] and kind.partition("=")[0] not in STOPPING:
            assume[-1] += f",{kind}"
        else:
            assume.append(kind)
    return Allowed(
        is_allowed(arguments, "xacro"), tuple(found["package-path"]), bool(found["free-base"]),
        tuple(text.replace("=", ":=", 1) for text in found["xacro"]), bool(found["snap-angles"]),
        "".join(found["as"]), tuple(assume), "".join(found["encoding"]),
    )  # fmt: skip


def read_physics(arguments: argparse.Namespace) -> Policy | None:
    """Return the treatment of physically impossible inertias that --read sets; None: the default of the format."""
    return cast("Policy | None", next(iter(split_reading(arguments.read)["physics"]), None))


def load(arguments: argparse.Namespace, file: str) -> Source:
    """Read a model file and set the parameters that the command line gives."""
    source = read(file, getattr(arguments, "source_format", None), read_physics(arguments), read_allowed(arguments))
    values = overrides(arguments)
    return with_values(source, values) if values.numbers else source


def read(
    file: str, format: str | None = None, physics: Policy | None = None, allowed: Allowed = registry.NOTHING
) -> Source:
    """Read a model from a file, from a folder that is a model, or from standard input.

    Physically impossible masses and inertias are found later, when parameters have values; ``physics`` says how they
    are treated, None: the format's default.
    """
    named, file = file, registry.model_file(file)
    if file == STANDARD_INPUT:
        reading = registry.read_bytes(read_standard_input(), STANDARD_INPUT, format, "ignore", allowed)
    else:
        reading = registry.read_allowed(file, format, "ignore", allowed)
    policy = physics or registry.format_named(reading.format).physics
    return Source(
        file, reading.system, reading.diagnostics, reading.locations, policy, reading.format, reading.text,
        packages=allowed.packages, singles=reading.singles, folder="" if file == named else named,
    )  # fmt: skip


def read_pair(arguments: argparse.Namespace, a: str, b: str) -> list[Source]:
    """Read both files; ``--read free-base`` acts only if a format welds the root, and a note names the other file.

    Likewise ``--assume`` acts only if a format has elements of unknown laws, and ``--read as`` if the program reads
    the format. If A and B are the same file, A is read whole, and B as that program reads it.
    """
    files, allowed, physics = (a, b), read_allowed(arguments), read_physics(arguments)
    bare = replace(allowed, free_base=False, assume=(), program="")
    plain = [read(f, physics=physics, allowed=bare) for f in files]
    if allowed.program:
        formats = [registry.format_named(source.format) for source in plain]
        knows = [allowed.program in {*f.programs, *f.words} for f in formats]
        if a == b and allowed.program in formats[0].words:
            message = f"A is {a} with the words of all programs, B with those that {allowed.program} reads"
            tell((Diagnostic("note", "--read as", message),), least(arguments, "note"))
            return [plain[0], read(b, physics=physics, allowed=replace(bare, program=allowed.program))]
        wanted = replace(bare, program=allowed.program)
        plain = [
            read(f, physics=physics, allowed=wanted) if own or not any(knows) else source
            for f, own, source in zip(files, knows, plain, strict=True)
        ]
        if not all(knows):
            allowed = replace(allowed, program="")
    if allowed.assume:
        laws = all("=" in kind for kind in allowed.assume)
        able = [laws or bool(registry.format_named(source.format).assumes) for source in plain]
        alone = replace(allowed, free_base=False)
        plain = [
            read(source.file, physics=physics, allowed=alone) if is_able or not any(able) else source
            for source, is_able in zip(plain, able, strict=True)
        ]
        allowed = replace(allowed, assume=())
    if not allowed.free_base:
        return plain
    own = [registry.format_named(source.format).freed is not None for source in plain]
    if any(own):
        said = [f"{source.file} is in {source.format}" for source, is_own in zip(plain, own, strict=True) if not is_own]
        told = "which says itself what moves freely: the option is of the other file"
        tell((Diagnostic("note", FREED, f"{words}, {told}") for words in said), least(arguments, "note"))
    found = [
        read(file, physics=physics, allowed=allowed) if is_own or not any(own) else source
        for file, source, is_own in zip(files, plain, own, strict=True)
    ]
    freed = (replace(d, message=f"{s.file}: {d.message}") for s in found for d in s.diagnostics if d.place == FREED)
    tell(freed, least(arguments, "note"))
    return found
