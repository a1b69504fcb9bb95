"""Options whose values are numbers: whole, real, durations."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from mbconcord.converters.floats import NumeralError, exact
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.limits import CHECKED_STATES, PROCESSES, SEED, cut

# Durations of options: ``90s``, ``10m``, ``2h``; a number alone is seconds.


UNITS = {"s": 1, "m": 60, "h": 3600}
#: A month: who wants more has no end in mind.
MOST = 31 * 24 * 3600


def seconds(option: str, text: str | None) -> float | None:
    """Parse the seconds of a duration; None if it was not given.

    Raises
    ------
    NumbersError
        The text is not a duration, or the duration is not above zero or exceeds a month.
    """
    if text is None:
        return None
    given = text.strip()
    unit = UNITS.get(given[-1:], 0)
    try:
        found = float(exact(given[:-1] if unit else given)) * (unit or 1)
    except (NumeralError, OverflowError):
        found = 0.0
    if not 0 < found <= MOST:
        raise NumbersError(
            error(option, f"found {text[:40]!r}, expected a time above zero", f"for example {option} 10m")
        )
    return found


# Real numbers of options: as people write them, refused with what to write in their place.


def real(option: str, text: str | None) -> float | None:
    """Parse the number of an option; None if it was not given.

    Raises
    ------
    NumbersError
        The text is not a number.
    """
    if text is None:
        return None
    try:
        return float(exact(text))
    except (NumeralError, OverflowError) as problem:
        remedy = getattr(problem, "remedy", "") or f"for example {option} 0.5"
        raise NumbersError(error(option, str(problem), remedy)) from None


def add_simulate(parser: argparse.ArgumentParser) -> None:
    """Add the option that compares motions too."""
    parser.add_argument(
        "--simulate", metavar="T",
        help="simulate T seconds by every formalism and compare the motions: what they are, energies, momenta, "
        "constraints, the way back; as far as neighbouring starts stay together (extra [sim])",
    )  # fmt: skip


# Whole numbers of options: how many of something, and seeds.


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return a function that parses an integer between two bounds, for argparse; it raises for other texts."""

    def read(text: str) -> int:
        digits = text.strip()
        if digits.isascii() and digits.isdigit() and len(digits) <= len(str(most)) and least <= int(digits) <= most:
            return int(digits)
        raise argparse.ArgumentTypeError(f"found {cut(text)!r}, expected a whole number from {least:,} to {most:,}")

    return read


def add_states(parser: argparse._ActionsContainer) -> None:
    """Add the option for the number of random states."""
    parser.add_argument(
        "--states", type=whole(1, CHECKED_STATES), default=10, metavar="N",
        help=f"how many random states (default: 10; at most {CHECKED_STATES:,}, fewer of large models)",
    )  # fmt: skip


def add_seed(parser: argparse._ActionsContainer, help: str, default: int | None) -> None:
    """Add the option for the random seed."""
    parser.add_argument("--seed", type=whole(0, SEED), default=default, metavar="N", help=help)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the option for the number of processes."""
    parser.add_argument(
        "--jobs", type=whole(1, PROCESSES), metavar="N",
        help="check so many models at a time (default: as many as there are processors)",
    )  # fmt: skip
