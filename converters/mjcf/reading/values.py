"""Attributes of elements: words of a choice, so many numbers at most, and what stands there where nothing is said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import Element
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import PI_NODE, Expression, number

DEGREE = PI_NODE / 180
_INTEGER = re.compile("[+-]?[0-9]+")


def row(element: Element, attribute: str, default: str, findings: Findings) -> list[Expression]:
    """As many numbers as the default has; the default where they are not given, or are none."""
    words = default.split()
    return numbers_in(element, attribute, len(words), findings) or [number(word) for word in words]


def scalar(element: Element, attribute: str, default: str, findings: Findings) -> Expression:
    """One number."""
    return row(element, attribute, default, findings)[0]


def integers(element: Element, attribute: str, default: str, findings: Findings) -> list[int]:
    """As many whole numbers as the default has; without point and exponent, as MuJoCo demands them."""
    text = element.attributes.get(attribute, default)
    if not all(map(_INTEGER.fullmatch, text.split())):
        message = f"{attribute} of <{element.tag}>: found {text!r:.60}, expected whole numbers"
        findings.refuse(element.at, message, "write them without point and exponent")
        return list(map(int, default.split()))
    return [int(x.value) for x in row(element, attribute, default, findings)]


def some(element: Element, attribute: str, most: int, findings: Findings) -> list[Expression] | None:
    """One number or more, so many at most; None where there are none."""
    count = len(element.attributes.get(attribute, "").split())
    if attribute in element.attributes and not 0 < count <= most:
        message = f"{attribute} of <{element.tag}>: found {count} numbers, expected 1 to {most}"
        findings.refuse(element.at, message)
        return None
    return numbers_in(element, attribute, count, findings)


def word(element: Element, attribute: str, known: Sequence[str], findings: Findings) -> str:
    """One of some words, the first where none is given."""
    given = element.attributes.get(attribute, known[0])
    if given not in known:
        message = f"{attribute} of <{element.tag}>: found {given!r:.60}"
        findings.refuse(element.at, message, among(given, known))
        return known[0]
    return given


def yes(element: Element, attribute: str, findings: Findings, default: str = "false") -> bool:
    """Whether something is so."""
    other = "true" if default == "false" else "false"
    return word(element, attribute, (default, other), findings) == "true"


def real(value: Expression) -> float:
    """The float of a number."""
    return float(value.value)
