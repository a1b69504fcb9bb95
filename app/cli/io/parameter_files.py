"""Files of parameters: a JSON object, lines ``name = number``, or the file of a format, told by its suffix."""

from __future__ import annotations

import re
from fractions import Fraction

from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.converters.json_text import Numeral
from mbconcord.converters.registry import contents, parameter_companion
from mbconcord.model.diagnostics import Location, NumbersError, error

from .json_files import key_location, no_number, parsed, text_of

LINE = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=\s*(?P<value>\S.*?)\s*[,;]?\s*(?:[%#].*)?$")
#: What is said of a name that comes again, and what to do.
TWICE = ("it has a number twice", "remove one of them")
BLANK = re.compile(r"\s*(?:[%#].*)?$")


def read_parameters(file: str) -> dict[str, Fraction]:
    """Names and numbers of a parameter file."""
    companion = parameter_companion(file)
    if companion is not None:
        return companion.read(contents(file), file)
    text = text_of(file)
    if text.lstrip().startswith("["):
        raise NumbersError(
            error("", "found a list", 'expected an object, as in {"m1": 2.5}', Location(file, 1, 1))
        )
    return _from_json(text, file) if text.lstrip().startswith("{") else _from_lines(text, file)


def _from_json(text: str, file: str) -> dict[str, Fraction]:
    values: dict[str, Fraction] = {}
    findings = []
    for name, value in parsed(text, file).data.items():
        try:
            if not isinstance(value.data, Numeral):
                raise no_number(value)
            values[name] = exact(value.data.text)
        except NumeralError as problem:
            at = key_location(text, file, [name])
            findings.append(error(f"parameters/{name}", str(problem), problem.remedy, at))
    if findings:
        raise NumbersError(findings)
    return values


def _from_lines(text: str, file: str) -> dict[str, Fraction]:
    values: dict[str, Fraction] = {}
    findings = []
    for i, line in enumerate(text.splitlines(), 1):
        if BLANK.match(line):
            continue
        match = LINE.match(line)
        try:
            if match is None:
                raise NumeralError(f"{line.strip()!r:.60} is not name = number")
            value = exact(match["value"])
        except NumeralError as problem:
            at = Location(file, i, match.start("value") + 1 if match else 1)
            findings.append(error("", str(problem), problem.remedy or "for example m1 = 2.5", at))
            continue
        name = match["name"]
        if name in values:
            at = Location(file, i, match.start("name") + 1)
            findings.append(error(f"parameters/{name}", *TWICE, at))
        values[name] = value
    if findings:
        raise NumbersError(findings)
    return values
