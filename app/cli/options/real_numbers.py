"""Real numbers of options: as people write them, refused with what to write in their place."""

from __future__ import annotations

import argparse

from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.model.diagnostics import NumbersError, error


def real(option: str, text: str | None) -> float | None:
    """The number of an option; None where it was not given.

    Raises
    ------
    NumbersError
        It is no number.
    """
    if text is None:
        return None
    try:
        return float(exact(text))
    except (NumeralError, OverflowError) as problem:
        remedy = getattr(problem, "remedy", "") or f"for example {option} 0.5"
        raise NumbersError(error(option, str(problem), remedy)) from None


def add_simulate(parser: argparse.ArgumentParser) -> None:
    """The option that makes motions evidence."""
    parser.add_argument(
        "--simulate", metavar="T",
        help="simulate T seconds by every formalism and compare the motions: what they are, energies, momenta, "
        "constraints, the way back; as far as neighbouring starts stay together (extra [sim])",
    )  # fmt: skip
