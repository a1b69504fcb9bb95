"""Parameters of UM: a ``.par`` file is the line ``par`` and then lines ``name = number``.

An identifier of a subsystem is written after the subsystem's name, ``FL.p1``; in the model it is ``FL_p1``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.model import System
from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError, ReadError, error
from mbconcord.model.expressions.formula_errors import RESERVED

from .reading.objects import legal

HEAD = "par"


def looks_like_par(text: str) -> bool:
    """Whether a text begins with the line ``par``."""
    return text.partition("\n")[0].strip() == HEAD


def read_par(text: str, file: str = "-") -> dict[str, Fraction]:
    """Numbers by name, names as they stand there, in the order of the file.

    Raises
    ------
    ReadError
        The first line is not ``par``.
    NumbersError
        A line that is not ``name = number``, a number that is not finite, or a name that comes twice: all
        findings at once.
    """
    lines = text.splitlines()
    if not looks_like_par(text):
        found = repr(lines[0].strip()[:40]) if lines else "an empty file"
        remedy = "a .par file begins with the line 'par': write it above, or name the file .txt"
        raise ReadError(error("", f"found {found}, expected 'par'", remedy, Location(file, 1, 1)))
    values: dict[str, Fraction] = {}
    findings: list[Diagnostic] = []
    for i, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        name, equals, shown = (part.strip() for part in line.partition("="))
        at = Location(file, i, 1)
        try:
            if not (name and equals):
                raise NumeralError(f"{line.strip()[:60]!r} is not name = number")
            value = exact(shown)
        except NumeralError as problem:
            findings.append(error("", str(problem), problem.remedy or "for example m1 = 2.5", at))
            continue
        if name in values:
            findings.append(
                error(f"parameters/{name}", "it has a number twice", "remove one of the lines", at)
            )
        values[name] = value
    if findings:
        raise NumbersError(findings)
    return values


def model_name(name: str) -> str:
    """The name that the reader of input.dat gives to an identifier: ``FL_p1`` for ``FL.p1``."""
    made = legal((), name)
    return f"{made}_" if made in RESERVED else made


def um_name(name: str, system: System) -> str:
    """UM's name of a parameter of a model."""
    original: str = system.metadata.get("um:identifiers", {}).get(name, name)
    return original


def write_par(values: Mapping[str, float]) -> str:
    """The text of a ``.par`` file; ``read_par`` reads the same doubles back."""
    lines = [f"{name} = {_number(value)}" for name, value in values.items()]
    return "\n".join([HEAD, *lines]) + "\n"


def _number(value: float) -> str:
    """Fifteen digits as UM writes them where they are enough to tell the double, else all that are needed."""
    short = f"{value:.15g}"
    return short if float(short) == value else repr(value)
