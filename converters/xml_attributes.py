"""Attributes of elements: names, and numbers that keep their decimals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_text import LONGEST, XmlElement
from mbconcord.model.expressions import ONE, Expression, as_expression
from mbconcord.model.limits import XML_SHAPES, format_names, too_many
from mbconcord.model.omission import Omission, range_gaps

from .floats import NumeralError, exact

XACRO: Final = (
    "name the file .urdf.xacro and add --allow xacro, or expand it first: xacro robot.urdf.xacro > robot.urdf"
)

#: A stop that is this far away, or is missing, stops nothing (rad, m).
FAR: Final = 1e15

#: Elements that are shapes, of the formats of robots.
SHAPES: Final = ("visual", "collision", "geom")


def limit_shapes(root: XmlElement, findings: Findings) -> None:
    """Refuse a document with more shapes than are read."""
    shapes = [element.at for element in root.walk() if element.tag in SHAPES]
    if len(shapes) > XML_SHAPES:
        remedy = "leave out shapes that give no body its inertia"
        findings.refuse(shapes[XML_SHAPES], too_many(len(shapes), "shapes", XML_SHAPES), remedy)


def stop_gaps(
    value: Expression | str, lower: str | None, upper: str | None, unit: Expression = ONE
) -> tuple[Expression, ...]:
    """Return the gaps between a coordinate and its stops; empty if the stops are no range of numbers."""
    ends = []
    for text in (lower, upper):
        try:
            end = None if text is None else exact(text)
        except NumeralError:  # inf, and what is no number
            end = None
        ends.append(None if end is None or abs(end) >= FAR else end)
    low, high = ends
    if low is not None and high is not None and low >= high:
        return ()
    return range_gaps(value, *(None if end is None else as_expression(end) * unit for end in ends))


def read_name(element: XmlElement, attribute: str, findings: Findings) -> str | None:
    """Read a name; record an error and return None if there is none."""
    name = element.attributes.get(attribute)
    if name:
        return name
    found = "an empty" if name == "" else "no"
    findings.refuse(element.at, f"<{element.tag}> with {found} {attribute}", f'{attribute}="…" is needed')
    return None


def list_unknown_attributes(
    element: XmlElement,
    name: str,
    known: Collection[str],
    is_idle: Callable[[XmlElement, str], bool],
    findings: Findings,
) -> Iterator[Omission]:
    """Yield omissions of attributes that a format does not know; warn of those that may affect the motion."""
    for key, value in element.attributes.items():
        if key not in known and not key.startswith("xmlns"):
            idle = is_idle(element, key)
            if not idle:
                message = f"the attribute {key} of <{element.tag}> is not known, and left out"
                remedy = f"known: {format_names(sorted(known)) or 'none'}"
                findings.remark("warning", f"{element.tag} {key}", element.at, message, remedy)
            what = f'{element.tag} {key}="{value:.{LONGEST}}"'
            yield Omission(f"attribute/{name}", "attribute", what, "none" if idle else "unknown")


def number_in(element: XmlElement, attribute: str, findings: Findings) -> Expression | None:
    """Read a required numeric attribute; record an error and return None if it is missing or invalid."""
    text = element.attributes.get(attribute)
    if text is None:
        findings.refuse(element.at, f"<{element.tag}> without {attribute}", f'{attribute}="…" is needed')
        return None
    found = numbers_of(text, 1, f"{attribute} of <{element.tag}>", element, findings)
    return found[0] if found else None


def numbers_in(element: XmlElement, attribute: str, count: int, findings: Findings) -> list[Expression] | None:
    """Read ``count`` numbers of an attribute; None if it is missing or, with an error, invalid."""
    text = element.attributes.get(attribute)
    return None if text is None else numbers_of(text, count, f"{attribute} of <{element.tag}>", element, findings)


def numbers_of(text: str, count: int, what: str, element: XmlElement, findings: Findings) -> list[Expression] | None:
    """Parse ``count`` numbers from a text; record an error at the element and return None if it has others."""
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


def moves_joint(physics: XmlElement) -> bool:
    """Return True if the ``<physics>`` of a joint gives ODE a motor, softness or a suspension for it."""
    ode = physics.first("ode")
    parts = () if ode is None else (*ode.children, *(e for s in ode.all("suspension") for e in s.all("cfm")))
    return any(e.tag in ("max_force", "cfm") and e.text.strip("+-0. ") for e in parts)
