"""Options that equilibrium and linearize share."""

from __future__ import annotations

import argparse
from dataclasses import replace

from mbconcord.converters.companions import StateFile
from mbconcord.model.state import State
from mbconcord.model.system import System

from .names import listed
from .real_numbers import real


def add_linear(parser: argparse.ArgumentParser) -> None:
    """Formalism, time, what is held, evidence."""
    parser.add_argument(
        "--formalism", metavar="NAME", help="by whose equations (default: the first that takes the model)"
    )
    parser.add_argument("--time", metavar="T", help="the moment, s, where the equations depend on the time")
    parser.add_argument("--hold", metavar="A,B", help="coordinates that stay where they are")
    parser.add_argument(
        "--no-check", action="store_true",
        help="do not ask the other formalisms, nor take differences in 50 digits",
    )  # fmt: skip


def held(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The coordinates of --hold."""
    return () if arguments.hold is None else tuple(listed([arguments.hold]))


def state_of(file: StateFile | None, system: System, arguments: argparse.Namespace) -> tuple[State, bool]:
    """The state of a file, with the time of --time; and whether a time was stated."""
    state = file.of(system) if file else State()
    time = real("--time", arguments.time)
    if time is None:
        return state, bool(state.t)
    return replace(state, t=time), True
