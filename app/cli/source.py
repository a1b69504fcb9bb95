"""A model file as commands take it: read, with its parameters set, and its findings located."""

from __future__ import annotations

import argparse

from mbconcord.api.source import Source, with_values
from mbconcord.converters import registry
from mbconcord.converters.xacro import Allowed
from mbconcord.model.checks.physics import POLICIES, Policy
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.records import replace

from .io.json_files import STANDARD_INPUT, read_standard_input
from .numbers import add_parameters, overrides
from .output import least, tell

#: Title of the options that say how models are read.
READING = "reading models"
#: The option that frees a root, and the place of what readers say of it.
FREED = "--free-base"
#: The option that has elements read by assumed laws.
ASSUME = "--assume"


def add_file(parser: argparse.ArgumentParser, name: str = "file") -> None:
    """Add the positional argument of a model file and the option that names its format."""
    parser.add_argument(name, metavar=name.upper(), help="model file; - is standard input")
    find_group(parser).add_argument(
        "--from", dest="source_format", metavar="FORMAT", help="format of the file (default: by its name or content)"
    )
    add_physics(parser)
    add_allowed(parser)


def find_group(parser: argparse._ActionsContainer) -> argparse._ActionsContainer:
    """Return the group of options that say how models are read, below what a command has of its own."""
    groups = (parser, *parser._action_groups)
    found = next((g for g in groups if getattr(g, "title", None) == READING), None)
    return found or parser.add_argument_group(READING)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that reads several files: their format, what no body has, parameters."""
    group = find_group(parser)
    group.add_argument("--from", dest="source_format", metavar="FORMAT", help="format of the files")
    add_physics(group)
    add_allowed(group)
    add_parameters(group)


def add_allowed(parser: argparse._ActionsContainer) -> None:
    """Add the options that permit a reader more than reading the file."""
    parser = find_group(parser)
    parser.add_argument(
        "--allow-xacro", action="store_true",
        help="expand a file .xacro by the program xacro, within limits: it runs what the file says",
    )  # fmt: skip
    parser.add_argument(
        "--xacro-arg", metavar="NAME:=VALUE", action="append", default=[],
        help="with --allow-xacro: a value of an argument of its macros, $(arg NAME); may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--package-path", metavar="FOLDER", action="append", default=[],
        help="a folder in which packages of ROS stand, or that is one: package://NAME/…, model://NAME, $(find NAME)",
    )  # fmt: skip
    parser.add_argument(
        FREED, action="store_true",
        help="the root of a URDF moves freely, by a floating joint from the world (default: it is welded)",
    )  # fmt: skip
    parser.add_argument(
        "--snap-angles", action="store_true",
        help="take angles written in seven digits or more for a multiple of 90 degrees for it: 1.570796 is pi/2",
    )  # fmt: skip
    parser.add_argument(
        ASSUME, metavar="KIND,…", action="append", default=[],
        help="read elements of an input.dat whose laws nobody saw by the laws of docs/formats/um.md: bushing, linear, "
        "lfrc; the verdict names them, and the exit code is never 0",
    )  # fmt: skip
    parser.add_argument(
        "--encoding", metavar="PAGE", default="",
        help="code page of an input.dat, such as cp1251, gbk or cp1252 (default: told by its bytes)",
    )  # fmt: skip
    parser.add_argument(
        "--as", dest="program", choices=("mujoco",), default="",
        help="as MuJoCo reads a URDF: apply what <mujoco> says of masses, inertia and gravity, and weigh collision "
        "shapes of links without inertia",
    )  # fmt: skip


def read_allowed(arguments: argparse.Namespace) -> Allowed:
    """Return what the command line permits."""
    packages = tuple(arguments.package_path)
    given = tuple(arguments.xacro_arg)
    assume = tuple(kind.strip() for text in arguments.assume for kind in text.split(","))
    return Allowed(
        arguments.allow_xacro, packages, arguments.free_base, given, arguments.snap_angles, arguments.program, assume,
        arguments.encoding,
    )  # fmt: skip


def add_physics(parser: argparse._ActionsContainer) -> None:
    """Add the option for the treatment of physically impossible inertias."""
    parser = find_group(parser)
    own = {name: registry.format_named(name).physics for name in registry.names()}
    by = "; ".join(f"{p}: {', '.join(n for n in own if own[n] == p)}" for p in POLICIES if p in own.values())
    parser.add_argument(
        "--physics", choices=POLICIES,
        help=f"masses and inertias that no body has: refuse them, warn, or say nothing (default by format: {by})",
    )  # fmt: skip


def load(arguments: argparse.Namespace, file: str) -> Source:
    """Read a model file and set the parameters that the command line gives."""
    source = read(file, getattr(arguments, "source_format", None), arguments.physics, read_allowed(arguments))
    values = overrides(arguments)
    return with_values(source, values) if values.numbers else source


def read(
    file: str, format: str | None = None, physics: Policy | None = None, allowed: Allowed = registry.NOTHING
) -> Source:
    """Read a model from a file, from the folder that is one, or from standard input.

    Impossible masses and inertias are searched once the parameters have values. ``physics`` is the option; None: the
    format's default.
    """
    file = registry.model_file(file)
    if file == STANDARD_INPUT:
        reading = registry.read_bytes(read_standard_input(), STANDARD_INPUT, format, "ignore", allowed)
    else:
        reading = registry.read_allowed(file, format, "ignore", allowed)
    policy = physics or registry.format_named(reading.format).physics
    return Source(
        file, reading.system, reading.diagnostics, reading.locations, policy, reading.format, reading.text,
        packages=allowed.packages,
    )  # fmt: skip


def read_pair(arguments: argparse.Namespace, a: str, b: str) -> list[Source]:
    """Read both files; ``--free-base`` is of those whose format welds the root, and a note says which are not.

    So is ``--assume`` of those whose format has elements of unknown laws.
    """
    files, allowed = (a, b), read_allowed(arguments)
    plain = [read(f, physics=arguments.physics, allowed=replace(allowed, free_base=False, assume=())) for f in files]
    if allowed.assume:
        able = [bool(registry.format_named(source.format).assumes) for source in plain]
        alone = replace(allowed, free_base=False)
        plain = [
            read(source.file, physics=arguments.physics, allowed=alone) if is_able or not any(able) else source
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
        read(file, physics=arguments.physics, allowed=allowed) if is_own or not any(own) else source
        for file, source, is_own in zip(files, plain, own, strict=True)
    ]
    freed = (replace(d, message=f"{s.file}: {d.message}") for s in found for d in s.diagnostics if d.place == FREED)
    tell(freed, least(arguments, "note"))
    return found
