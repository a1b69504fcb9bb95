"""Texts of elements: numbers, words of a choice, and what holds where an element is not there."""

from __future__ import annotations

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_attributes import numbers_of
from mbconcord.converters.xml_text import Element
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import Expression, number

#: Words for truth.
WORDS = {"true": True, "1": True, "false": False, "0": False}


def row(element: Element | None, default: str, findings: Findings) -> list[Expression]:
    """As many numbers as the default has; the default where the element is not there, or shows others."""
    words = default.split()
    found = None
    if element is not None:
        found = numbers_of(element.text, len(words), f"<{element.tag}>", element, findings)
    return found or [number(word) for word in words]


def scalar(parent: Element | None, tag: str, default: str, findings: Findings) -> Expression:
    """The number of an element within another."""
    return row(None if parent is None else parent.first(tag), default, findings)[0]


def yes(element: Element | None, default: bool, findings: Findings) -> bool:
    """Whether something is so."""
    if element is None:
        return default
    return truth(element.text, element, f"<{element.tag}>", default, findings)


def truth(text: str, element: Element, what: str, default: bool, findings: Findings) -> bool:
    """Whether a text says yes."""
    said = text.strip().lower()
    if said not in WORDS:
        findings.refuse(element.at, f"{what}: found {text!r:.60}", among(said, WORDS))
        return default
    return WORDS[said]
