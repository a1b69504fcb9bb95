"""Whole numbers of options: how many of something, and seeds."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from mbconcord.model.limits import CHECKED_STATES, PROCESSES, SEED, cut


def whole(least: int, most: int) -> Callable[[str], int]:
    """What reads the text of an option as a whole number between two; other texts are wrong usage."""

    def read(text: str) -> int:
        digits = text.strip()
        if (
            digits.isascii()
            and digits.isdigit()
            and len(digits) <= len(str(most))
            and least <= int(digits) <= most
        ):
            return int(digits)
        raise argparse.ArgumentTypeError(
            f"found {cut(text)!r}, expected a whole number from {least:,} to {most:,}"
        )

    return read


def add_states(parser: argparse.ArgumentParser) -> None:
    """How many states are drawn, and from which seed."""
    parser.add_argument(
        "--states", type=whole(1, CHECKED_STATES), default=10, metavar="N",
        help=f"how many random states (default: 10; at most {CHECKED_STATES:,}, fewer of large models)",
    )  # fmt: skip
    add_seed(parser, "seed of the states (default: 0)", 0)


def add_seed(parser: argparse._ActionsContainer, help: str, default: int | None) -> None:
    """The seed of what is drawn."""
    parser.add_argument("--seed", type=whole(0, SEED), default=default, metavar="N", help=help)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """How many processes work."""
    parser.add_argument(
        "--jobs", type=whole(1, PROCESSES), metavar="N",
        help="check so many models at a time (default: as many as there are processors)",
    )  # fmt: skip
