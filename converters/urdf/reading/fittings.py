"""Limits, dry friction and shapes that a URDF gives."""

from __future__ import annotations

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fittings, Friction, Limit, bound
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import XmlElement, parse
from mbconcord.model.expressions import ZERO, Expression

from ..vocabulary import TYPES
from .effects import constant
from .robot import robot


def fittings(text: str) -> Fittings:
    """Find them; what is no number is left to the omissions of the model."""
    root, findings = parse(text, "-").root, Findings("-")
    found = robot(root, findings)
    moving = [joint for joint in found.joints if TYPES[joint.type] == 1]
    limits = ((joint, joint.element.first("limit")) for joint in moving)
    rough = ((joint.name, constant(joint, "friction", findings)) for joint in moving)
    return Fittings(
        {j.name: _limit(j.name, j.type, element, findings) for j, element in limits if element is not None},
        {name: Friction(f"joint-friction/{name}", value) for name, value in rough if value},
    )


def _limit(name: str, kind: str, element: XmlElement, findings: Findings) -> Limit:
    """Return the limit of a joint; of an end that is missing beside another, zero."""
    lower, upper, effort, velocity = (_number(element, k, findings) for k in ("lower", "upper", "effort", "velocity"))
    if kind == "continuous" or not {"lower", "upper"} & element.attributes.keys():
        lower = upper = None
    else:
        lower, upper = (ZERO if k not in element.attributes else x for k, x in (("lower", lower), ("upper", upper)))
    return Limit(f"joint-limit/{name}", lower, upper, effort, velocity)


def _number(element: XmlElement, key: str, findings: Findings) -> Expression | None:
    found = numbers_in(element, key, 1, findings)
    return bound(found[0]) if found else None
