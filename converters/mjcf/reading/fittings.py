"""Limits, dry friction and shapes that an MJCF gives."""

from __future__ import annotations

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fittings, Friction, Limit, bound
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import XmlElement, parse
from mbconcord.model.expressions import ONE, Expression

from .poses import Poses
from .settings import Classes, MjcfSettings, scalar, settings
from .tree import MjcfJoint, Trees

Ends = tuple[Expression | None, Expression | None]


def fittings(text: str) -> Fittings:
    """Find them; what is no number is left to the omissions of the model."""
    root, findings = parse(text, "-").root, Findings("-")
    chosen = settings(root, findings)
    tree = Trees(Classes(root, findings), Poses(chosen, findings), findings).read(root)
    moving = [joint for _, joint in tree.joints if joint.type in ("hinge", "slide")]
    rough = ((joint.name, scalar(joint.element, "frictionloss", "0", findings)) for joint in moving)
    limits = {joint.name: _limit(joint, chosen, findings) for joint in moving}
    return Fittings(
        {name: limit for name, limit in limits.items() if limit is not None},
        {name: Friction(f"joint-friction/{name}", value) for name, value in rough if value},
    )


def _limit(joint: MjcfJoint, settings: MjcfSettings, findings: Findings) -> Limit | None:
    unit = settings.angle if joint.type == "hinge" else ONE
    lower, upper = (
        (None, None) if "limit" in settings.without else _ends(joint.element, "range", "limited", settings, findings)
    )
    least, most = _ends(joint.element, "actuatorfrcrange", "actuatorfrclimited", settings, findings)
    effort = most if least is not None and most is not None and (least + most).value == 0 else None
    if lower is None and upper is None and effort is None:
        return None
    lower, upper = (None if end is None else end * unit for end in (lower, upper))
    return Limit(f"joint-limit/{joint.name}", lower, upper, effort)


def _ends(element: XmlElement, key: str, flag: str, settings: MjcfSettings, findings: Findings) -> Ends:
    """Return both ends of a range that MuJoCo enforces."""
    limited = element.attributes.get(flag, "auto")
    found = numbers_in(element, key, 2, findings)
    if found is None or not (limited == "true" or (limited == "auto" and settings.autolimits)):
        return None, None
    return bound(found[0]), bound(found[1])
