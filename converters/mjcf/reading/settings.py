"""Settings of compilers and options: units, orders of angles, sources of inertia, gravity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import Gravity
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import ONE, PI_NODE, ZERO, Expression, number, sqrt
from mbconcord.model.transformation import Vector, vector
from mbconcord.records import dataclass, field

from ..vocabulary import ATTACHED, COMPILE, FLAGS, GRAVITY

# Attributes of elements: a word of several, a bounded count of numbers, and defaults of missing attributes.


DEGREE = PI_NODE / 180
_INTEGER = re.compile("[+-]?[0-9]+")


def row(element: XmlElement, attribute: str, default: str, findings: Findings) -> list[Expression]:
    """Read an attribute of as many numbers as the default has; return the default if it is missing or invalid."""
    words = default.split()
    return numbers_in(element, attribute, len(words), findings) or [number(word) for word in words]


def scalar(element: XmlElement, attribute: str, default: str, findings: Findings) -> Expression:
    """Read an attribute of one number; return the default if it is missing or invalid."""
    return row(element, attribute, default, findings)[0]


def integers(element: XmlElement, attribute: str, default: str, findings: Findings) -> list[int]:
    """Read an attribute of as many integers as the default has, without point and exponent, as MuJoCo demands."""
    text = element.attributes.get(attribute, default)
    if not all(map(_INTEGER.fullmatch, text.split())):
        message = f"{attribute} of <{element.tag}>: found {text!r:.60}, expected whole numbers"
        findings.refuse(element.at, message, "write them without point and exponent")
        return list(map(int, default.split()))
    return [int(x.value) for x in row(element, attribute, default, findings)]


def some(element: XmlElement, attribute: str, most: int, findings: Findings) -> list[Expression] | None:
    """Read an attribute of one to ``most`` numbers; None if it is missing or invalid."""
    count = len(element.attributes.get(attribute, "").split())
    if attribute in element.attributes and not 0 < count <= most:
        message = f"{attribute} of <{element.tag}>: found {count} numbers, expected 1 to {most}"
        findings.refuse(element.at, message)
        return None
    return numbers_in(element, attribute, count, findings)


def word(element: XmlElement, attribute: str, known: Sequence[str], findings: Findings) -> str:
    """Read an attribute that is one of the ``known`` words; the first is the default."""
    given = element.attributes.get(attribute, known[0])
    if given not in known:
        message = f"{attribute} of <{element.tag}>: found {given!r:.60}"
        findings.refuse(element.at, message, among(given, known))
        return known[0]
    return given


def yes(element: XmlElement, attribute: str, findings: Findings, default: str = "false") -> bool:
    """Read a true-or-false attribute."""
    other = "true" if default == "false" else "false"
    return word(element, attribute, (default, other), findings) == "true"


# Defaults: an element has its own attributes, else those of its class, else those of the class above that.
#
# Its class is its own ``class``, else the nearest ``childclass`` around it, else ``main``.


MAIN: Final = "main"
#: Elements of actuators, which share one set of defaults in a class.
ACTUATORS: Final = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
    "plugin",
)  # fmt: skip


class Classes:
    """The default classes of a model; each holds the elements of its defaults and the class above it."""

    def __init__(self, root: XmlElement, findings: Findings) -> None:
        self.findings = findings
        self.held: dict[str, tuple[str | None, list[XmlElement]]] = {MAIN: (None, [])}
        self._flat: dict[tuple[str, str], dict[str, str]] = {}
        for top in root.all("default"):
            self._collect(top, top.attributes.get(ATTACHED, MAIN), None)

    def _collect(self, default: XmlElement, name: str, above: str | None) -> None:
        known = self.held.setdefault(name, (above, []))
        if known[0] != above:
            message = f"the class {name!r} stands in two others"
            self.findings.refuse(default.at, message, "a class has one name and one place")
        for child in default.children:
            if child.tag != "default":
                known[1].append(child)
                continue
            inner = child.attributes.get("class", "")
            if not inner:
                self.findings.refuse(child.at, "a class without a name", 'class="…" is needed')
            else:
                self._collect(child, inner, name)

    def chain(self, name: str) -> list[str]:
        """List a class and the classes around it, outermost first."""
        found: list[str] = []
        at: str | None = name
        while at is not None and at in self.held and at not in found:
            found.insert(0, at)
            at = self.held[at][0]
        return found

    def find_class(self, element: XmlElement, around: str) -> str:
        """Return the class of an element; ``around`` is the class that applies if it names none."""
        name = element.attributes.get("class")
        return around if name is None else self.require_class(element, name, around)

    def find_child_class(self, element: XmlElement, around: str) -> str:
        """Return the class that applies to the children of a body or frame."""
        name = element.attributes.get("childclass")
        return around if name is None else self.require_class(element, name, around)

    def require_class(self, element: XmlElement, name: str, otherwise: str) -> str:
        """Return the name of a class if it exists; else record an error and return ``otherwise``."""
        if name in self.held:
            return name
        self.findings.refuse(element.at, f"there is no class {name!r}", among(name, self.held))
        return otherwise

    def resolve(self, element: XmlElement, around: str, tag: str = "") -> XmlElement:
        """Return an element with missing attributes filled from its class; ``tag`` is that of the defaults used."""
        name, tag = self.find_class(element, around), tag or element.tag
        known = self._flat.get((name, tag))
        if known is None:
            known = {}
            for default in self.defaults(name, (tag,)):
                known |= default.attributes
            self._flat[name, tag] = known
        own = element.attributes
        if not known:
            return element
        ways = [key for key in _EXCLUSIVE if key in own]
        merged = {k: v for k, v in known.items() if not (ways and k in _EXCLUSIVE)} | own
        return XmlElement(element.tag, merged, element.at, element.content)

    def defaults(self, name: str, tags: tuple[str, ...]) -> Iterator[XmlElement]:
        """Yield the default elements of a class with these tags, outermost class first."""
        for each in self.chain(name):
            yield from (element for element in self.held[each][1] if element.tag in tags)


#: Attributes of orientation: an element's own one replaces that of its class.
_EXCLUSIVE: Final = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


@dataclass(frozen=True)
class MjcfSettings:
    """Settings of a model; the last of several elements counts.

    Attributes
    ----------
    angle : unit of angles: a degree, or 1 (rad)
    sequence : order of Euler angles: ``xyz`` about rotated axes, ``XYZ`` about fixed ones
    from_shapes : use of shapes for inertia: "auto", "true" or "false"
    groups : first and last group of geoms that contribute inertia
    least_mass, least_inertia, total_mass : bounds for bodies; 0 and -1: none
    balanced : True if an impossible tensor is replaced by its mean
    aligned : True if frames of free bodies are moved to centres of mass and principal axes
    fused : True if bodies without joints are merged with their parents
    meshes, strip_paths : folder of meshes; True if folders in names of files are dropped
    without : effects that flags switch off
    autolimits : True if a range alone makes a stop
    groups_off : groups of actuators that are switched off
    gravity : acceleration of gravity; None without it
    fluid : True if bodies move in a fluid
    """

    angle: Expression = DEGREE
    sequence: str = "xyz"
    from_shapes: str = "auto"
    groups: tuple[int, int] = (0, 5)
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float = -1.0
    balanced: bool = False
    aligned: bool = False
    meshes: str = ""
    strip_paths: bool = False
    gravity: Gravity | None = None
    fluid: bool = False
    without: frozenset[str] = field(default_factory=frozenset)
    autolimits: bool = True
    groups_off: frozenset[int] = frozenset()
    fused: bool = False


def settings(root: XmlElement, findings: Findings) -> MjcfSettings:
    """Read the settings of a document."""
    compiler, option, flags = (_merge_elements(root, path) for path in (("compiler",), ("option",), ("option", "flag")))
    if word(compiler, "coordinate", ("local", "global"), findings) == "global":
        findings.refuse(compiler.at, "poses in global coordinates are no longer MJCF", COMPILE)
    angle = word(compiler, "angle", ("degree", "radian"), findings)
    sequence = compiler.attributes.get("eulerseq", "xyz")
    if len(sequence) != 3 or not {*sequence.lower()} <= {*"xyz"}:
        message = f"eulerseq of <compiler>: found {sequence!r:.60}, expected three of x, y, z, X, Y, Z"
        findings.refuse(compiler.at, message)
        sequence = "xyz"
    first, last = integers(compiler, "inertiagrouprange", "0 5", findings)
    least, tensor, total = (
        float(scalar(compiler, name, otherwise, findings).value)
        for name, otherwise in (("boundmass", "0"), ("boundinertia", "0"), ("settotalmass", "-1"))
    )
    folder = compiler.attributes.get("meshdir", compiler.attributes.get("assetdir", ""))
    without = {off for flag, off in FLAGS.items() if word(flags, flag, ("enable", "disable"), findings) == "disable"}
    if "constraint" in without:
        without |= {"equality", "limit", "contact"}
    if "passive" in without:
        without |= {"spring", "damper"}
    if not any(True for section in root.all("actuator") for _ in section.children):
        without |= {"actuation"}  # what actuators would hold up falls where there are none
    if {"spring", "damper"} <= without:  # then MuJoCo leaves out all passive forces, the weights that are held up too
        without |= {"passive"}
    g = row(option, "gravity", GRAVITY, findings)
    return MjcfSettings(
        DEGREE if angle == "degree" else ONE,
        sequence,
        word(compiler, "inertiafromgeom", ("auto", "true", "false"), findings),
        (first, last),
        least,
        tensor,
        total,
        yes(compiler, "balanceinertia", findings),
        yes(compiler, "alignfree", findings),
        folder,
        yes(compiler, "strippath", findings),
        None if "gravity" in without else _gravity(vector(g)),
        any(scalar(option, name, "0", findings) for name in ("density", "viscosity")),
        frozenset(without),
        yes(compiler, "autolimits", findings, "true"),
        frozenset(int(w) for w in option.attributes.get("actuatorgroupdisable", "").split() if w.isdigit()),
        yes(compiler, "fusestatic", findings),
    )


def _merge_elements(root: XmlElement, path: tuple[str, ...]) -> XmlElement:
    """Return one element with the attributes of all elements at a path, later ones winning, and the last location."""
    found = [root]
    for tag in path:
        found = [child for element in found for child in element.all(tag)]
    merged: dict[str, str] = {}
    for element in found:
        merged |= element.attributes
    return XmlElement(path[-1], merged, found[-1].at if found else root.at)


def _gravity(g: Vector) -> Gravity | None:
    """Return gravity of magnitude and direction of an acceleration; None for zero."""
    along = [x for x in g if x]
    if not along:
        return None
    if len(along) == 1:
        size: Expression = along[0] if along[0].value > 0 else -along[0]
    else:
        size = sqrt(sum((x * x for x in along), ZERO))
    return Gravity(size, g)
