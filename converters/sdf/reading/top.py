"""What a document begins with: its version, the world or the model that is read, and gravity."""

from __future__ import annotations

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_text import Element
from mbconcord.model import Gravity
from mbconcord.model.expressions import ZERO, Expression, sqrt
from mbconcord.model.limits import listed

from ..vocabulary import OF_MODEL, OF_WORLD, VERSIONS
from .values import row


def version(root: Element, findings: Findings) -> tuple[int, ...]:
    """The version of the format that a document says it is in; those before the first that is known are refused."""
    text = root.attributes.get("version", "")
    first, last = VERSIONS
    known = f"{_shown(first)} to {_shown(last)}"
    try:
        major, minor = (int(part) for part in text.split("."))
        found = (major, minor)
    except ValueError:
        findings.refuse(root.at, f"version of <sdf>: found {text!r:.40}, expected one from {known}")
        return last
    if found < first:
        message = f"SDF {text}: poses and axes had other meanings before {_shown(first)}"
        findings.refuse(root.at, message, "bring it to a newer version: gz sdf -p model.sdf")
    elif found > last:
        message = f"SDF {text} is newer than what is known: {known}"
        findings.remark("warning", "", root.at, message, "what it says that is not known is left out")
    return found


def _shown(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def top(root: Element, findings: Findings) -> Element:
    """The world of a document, or the root where it has a model alone.

    Raises
    ------
    ReadError
        It has neither, or several.
    """
    worlds, models = root.all("world"), root.all("model")
    found = [*worlds, *models]
    if not found:
        findings.refuse(
            root.at, "an <sdf> without <model> and without <world>", "a model stands in one of them"
        )
    elif len(found) > 1:
        names = listed(f"the {e.tag} {e.attributes.get('name', '')!r}" for e in found)
        findings.refuse(found[1].at, f"several stand in one file: {names}", "put each into a file of its own")
    findings.stop()
    return worlds[0] if worlds else root


def gravity(ground: Element, findings: Findings) -> Gravity | None:
    """The acceleration of gravity: that of the world, or what programs take where there is none."""
    element = ground.first("gravity")
    if element is None:
        default = OF_WORLD if ground.tag == "world" else OF_MODEL
        what = "the world" if ground.tag == "world" else "a model without a world"
        message = f"gravity is {default} m/s²: {what} says none"
        findings.remark("note", "gravity", ground.at, message, place="gravity")
        g = row(None, default, findings)
    else:
        findings.locations["gravity"] = element.at
        g = row(element, OF_WORLD, findings)
    along = [x for x in g if x]
    if not along:
        return None
    size: Expression = sqrt(sum((x * x for x in along), ZERO))
    if len(along) == 1:
        size = along[0] if along[0].value > 0 else -along[0]
    return Gravity(size, (g[0], g[1], g[2]))
