"""Files of parameters: a JSON object, lines ``name = number``, or the file of a format, told by its suffix."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

from mbconcord.converters.registry import contents, parameter_companion
from mbconcord.model.diagnostics import Location, NumbersError, error

from .json_files import key_location, parsed, text_of

LINE = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=\s*(?P<value>\S+?)\s*[,;]?\s*(?:[%#].*)?$")
BLANK = re.compile(r"\s*(?:[%#].*)?$")


class Digits(str):
    """A number of a JSON text as it is written there."""


def exact(text: str) -> Fraction:
    """The number that a text shows, exactly; :class:`ValueError` when it shows none, or no finite one."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return Fraction(text.strip()) if value else Fraction(0)


def read_parameters(file: str) -> dict[str, Fraction]:
    """Names and numbers of a parameter file."""
    companion = parameter_companion(file)
    if companion is not None:
        return companion.read(contents(file), file)
    text = text_of(file)
    return _from_json(text, file) if text.lstrip().startswith("{") else _from_lines(text, file)


def _from_json(text: str, file: str) -> dict[str, Fraction]:
    data = parsed(text, file, parse_float=Digits, parse_int=Digits, parse_constant=Digits)
    values: dict[str, Fraction] = {}
    findings = []
    for name, shown in data.items():
        try:
            values[name] = exact(shown if isinstance(shown, Digits) else "")
        except ValueError:
            found = f"{json.dumps(shown)} is not a finite number"
            findings.append(error(f"parameters/{name}", found, location=key_location(text, file, [name])))
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
                raise ValueError
            values[match["name"]] = exact(match["value"])
        except ValueError:
            at = Location(file, i, match.start("value") + 1 if match else 1)
            found = f"{line.strip()!r} is not name = number with a finite number"
            findings.append(error("", found, "for example m1 = 2.5", at))
    if findings:
        raise NumbersError(findings)
    return values
