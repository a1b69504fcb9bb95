"""Limits, dry friction and shapes that an SDF gives."""

from __future__ import annotations

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fittings, Friction, Limit, bound
from mbconcord.converters.xml_attributes import numbers_of
from mbconcord.converters.xml_text import XmlElement, parse
from mbconcord.model.expressions import Expression

from ..reader import top, version
from .documents import scalar
from .joints import SdfJoint, SdfJoints
from .scopes import SdfScopes


def fittings(text: str) -> Fittings:
    """Find them; what is no number is left to the omissions of the model."""
    root, findings = parse(text, "-").root, Findings("-")
    said = version(root, findings)
    joints = SdfJoints(SdfScopes(top(root, findings), said, findings), said, findings).found.values()
    axes = [(joint, coordinate, axis) for joint in joints for coordinate, axis in joint.axes.items()]
    limits = ((joint, coordinate, axis.first("limit")) for joint, coordinate, axis in axes)
    rough = ((coordinate, scalar(axis.first("dynamics"), "friction", "0", findings)) for _, coordinate, axis in axes)
    return Fittings(
        {name: _limit(joint, element, findings) for joint, name, element in limits if element is not None},
        {name: Friction(f"joint-friction/{name}", value) for name, value in rough if value},
    )


def _limit(joint: SdfJoint, element: XmlElement, findings: Findings) -> Limit:
    lower, upper, effort, velocity = (
        _number(element.first(tag), findings) for tag in ("lower", "upper", "effort", "velocity")
    )
    if joint.type == "continuous":
        lower = upper = None
    effort, velocity = (None if x is not None and x.value < 0 else x for x in (effort, velocity))  # -1: none
    return Limit(f"joint-limit/{joint.frame.element.attributes.get('name')}", lower, upper, effort, velocity)


def _number(element: XmlElement | None, findings: Findings) -> Expression | None:
    found = None if element is None else numbers_of(element.text, 1, f"<{element.tag}>", element, findings)
    return bound(found[0]) if found else None
