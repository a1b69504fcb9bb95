"""Attributes of elements: names, and numbers that stay the decimals they are."""

from __future__ import annotations

from typing import Final

from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_text import Element
from mbconcord.model.expressions import Expression, as_expression

XACRO: Final = "expand the macros first, for example: xacro robot.urdf.xacro > robot.urdf"


def named(element: Element, attribute: str, findings: Findings) -> str | None:
    """A name; None, and an error, where there is none."""
    name = element.attributes.get(attribute)
    if name:
        return name
    found = "an empty" if name == "" else "no"
    findings.refuse(element.at, f"<{element.tag}> with {found} {attribute}", f'{attribute}="…" is needed')
    return None


def number_in(element: Element, attribute: str, findings: Findings) -> Expression | None:
    """The number of an attribute that must be there; None, and an error, where it is none."""
    text = element.attributes.get(attribute)
    if text is None:
        findings.refuse(element.at, f"<{element.tag}> without {attribute}", f'{attribute}="…" is needed')
        return None
    found = numbers_of(text, 1, f"{attribute} of <{element.tag}>", element, findings)
    return found[0] if found else None


def numbers_in(element: Element, attribute: str, count: int, findings: Findings) -> list[Expression] | None:
    """So many numbers of an attribute; None where it is not there, and, with an error, where it shows others."""
    text = element.attributes.get(attribute)
    return (
        None
        if text is None
        else numbers_of(text, count, f"{attribute} of <{element.tag}>", element, findings)
    )


def numbers_of(
    text: str, count: int, what: str, element: Element, findings: Findings
) -> list[Expression] | None:
    """So many numbers that a text shows; None, and an error at the element, where it shows others."""
    words = text.split()
    if "${" in text or "$(" in text:
        findings.refuse(element.at, f"{what}: found the macro {text!r:.60}, expected numbers", XACRO)
        return None
    if len(words) != count:
        expected = "one number" if count == 1 else f"{count} numbers"
        remedy = "separate them by blanks" if count > 1 else ""
        findings.refuse(element.at, f"{what}: found {text!r:.60}, expected {expected}", remedy)
        return None
    found = []
    for word in words:
        try:
            found.append(as_expression(exact(word)))
        except NumeralError as problem:
            remedy = problem.remedy or "numbers are in metres, radians, kilograms, seconds, without units"
            findings.refuse(element.at, f"{what}: {problem}", remedy)
            return None
    return found
