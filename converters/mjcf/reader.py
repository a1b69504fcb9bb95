"""Conversion of an MJCF text to the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from mbconcord.converters.carried import read_root
from mbconcord.converters.findings import Findings, nearest
from mbconcord.converters.floats import real
from mbconcord.converters.format import Reading
from mbconcord.converters.inclusions import Inclusions
from mbconcord.converters.xml_text import COMMENT, XmlDocument, XmlElement, parse
from mbconcord.model import Coordinate, Effort, ModelError, ReadError, System
from mbconcord.model.expressions import Expression
from mbconcord.model.limits import MJCF_ITEMS, XML_ELEMENTS, count, too_many
from mbconcord.model.naming import Namer

from .reading.actuators import ActuatorReader
from .reading.beside import omissions
from .reading.bodies import MjcfBodies, along_joints, compensation
from .reading.compiled import ReferenceInertia
from .reading.equalities import Equalities
from .reading.masses import MjcfMasses
from .reading.meshes import MjcfMeshes
from .reading.poses import Poses
from .reading.settings import ACTUATORS, Classes, settings, yes
from .reading.tendons import tendons
from .reading.tree import MjcfTree, Trees
from .refusals import refusals
from .vocabulary import INCLUDED, ROOT, TEXT

# Keyframes: they are no part of the model, but their lengths show whether they were written for it.


#: Count of numbers for the position and for the velocity of each type of joint: MuJoCo's quaternions have four.
POSITIONS: Final = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
RATES: Final = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}


def keyframes(root: XmlElement, tree: MjcfTree, findings: Findings) -> None:
    """Warn of keyframes with other numbers of positions, rates or controls than the model has: MuJoCo refuses them."""
    kinds = [joint.type for _, joint in tree.joints]
    actuators = sum(child.tag in ACTUATORS for section in root.all("actuator") for child in section.children)
    mocap = sum(yes(link.element, "mocap", findings) for link in tree.bodies)
    expected = {
        "qpos": (sum(POSITIONS[kind] for kind in kinds), "a ball has four, a free body seven"),
        "qvel": (sum(RATES[kind] for kind in kinds), "a ball has three, a free body six"),
        "ctrl": (actuators, "one for each actuator"),
        "mpos": (3 * mocap, "three for each mocap body"),
        "mquat": (4 * mocap, "four for each mocap body"),
    }
    for number, key in enumerate(key for section in root.all("keyframe") for key in section.all("key")):
        name = key.attributes.get("name") or str(number)
        for attribute, (most, rule) in expected.items():
            found = len(key.attributes.get(attribute, "").split())
            if found not in (0, most):
                message = f"{attribute} of the keyframe {name!r} has {count(found, 'number')}; the model has {most}"
                remedy = f"{rule}: write it for this model, or remove it; MuJoCo refuses the file"
                findings.remark("warning", "", key.at, message, remedy, f"state/{name}")


# The document of a model, with included files in place; each element keeps the location in its own file.


OUTSIDE = "put the files into one folder, or save what MuJoCo compiles of them"


class MjcfDocuments:
    """The document of a model's file with its included files, each once, from its folder and from packages."""

    def __init__(self, text: str, file: str, findings: Findings, packages: tuple[str, ...] = ()) -> None:
        self.findings = findings
        self.inclusions = Inclusions(text, file, OUTSIDE, findings, packages)
        self.seen: set[Path] = set()
        self.elements = 0
        document = parse(text, file)
        self.outside = list(document.outside)
        self._complete(document.root)
        self.document = XmlDocument(document.root, tuple(self.outside))

    @property
    def whole(self) -> bool:
        """True if the file includes no others."""
        return not self.seen

    def _complete(self, root: XmlElement) -> None:
        """Replace every <include> below the root by the contents of its file."""
        waiting = [root]
        while waiting:
            element = waiting.pop()
            self.elements += 1
            while any(not isinstance(c, str) and c.tag == "include" for c in element.content):
                element.content = [
                    part
                    for c in element.content
                    for part in (self._include(c) if not isinstance(c, str) and c.tag == "include" else [c])
                ]
            waiting += [c for c in element.content if not isinstance(c, str) and c.tag != COMMENT]
        if self.elements > XML_ELEMENTS:
            found = too_many(self.elements, "elements in all files", XML_ELEMENTS)
            self.findings.refuse(root.at, found, "no model has so many")

    def _include(self, element: XmlElement) -> list[XmlElement | str]:
        """Return the contents of an included file, with its own inclusions still to be expanded."""
        path = self._path(element)
        if path is None:
            return []
        text = self.inclusions.text(path, element.attributes["file"], element.at)
        if text is None:
            return []
        document = parse(text, self.inclusions.name_file(path))
        if document.root.tag not in (ROOT, INCLUDED):
            found = f"the root element is <{document.root.tag}>; expected <{ROOT}> or <{INCLUDED}>"
            self.findings.refuse(document.root.at, found)
        self.outside += document.outside
        return document.root.content

    def _path(self, element: XmlElement) -> Path | None:
        """Return the path of the file that an element includes; record an error and return None if it may not."""
        name = element.attributes.get("file", "")
        if not name:
            self.findings.refuse(element.at, "<include> without file", 'file="…" is needed')
            return None
        path = self.inclusions.path(name, element.at)
        if path is None:
            return None
        if path in self.seen or path == self.inclusions.own:
            self.findings.refuse(element.at, f"{name} is included twice", "a file is included once")
            return None
        self.seen.add(path)
        return path


def read(text: str, file: str, packages: tuple[str, ...] = ()) -> Reading:
    """Read the model of an MJCF as MuJoCo compiles it.

    Bodies and joints keep their names; coordinates follow the order of MuJoCo's velocities and have its values for
    joints with one coordinate. Free and ball joints have three angles: zero at the pose of the file. The lines of a
    file without includes are kept in ``metadata["mjcf:text"]``; content other than the equations of motion becomes
    ``omissions``. Files may also be included, and meshes read, from the folders of ``packages``.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    findings = Findings(file)
    documents = MjcfDocuments(text, file, findings, packages)
    kept = {TEXT: text.split("\n")} if documents.whole else {}
    return read_root(documents.document.root, ROOT, kept, findings, lambda: _system(documents, file, findings))


def _system(documents: MjcfDocuments, file: str, findings: Findings) -> System:
    document, root = documents.document, documents.document.root
    for part in ("actuator", "tendon", "equality"):
        items = [child for section in root.all(part) for child in section.children]
        if len(items) > MJCF_ITEMS:
            message = too_many(len(items), f"elements in <{part}>", MJCF_ITEMS)
            findings.refuse(items[MJCF_ITEMS].at, message, "read a part of the model")
    findings.stop()
    chosen, classes = settings(root, findings), Classes(root, findings)
    poses = Poses(chosen, findings)
    tree = Trees(classes, poses, findings).read(root)
    findings.stop()
    masses = MjcfMasses(
        tree, MjcfMeshes(root, classes, chosen, documents.inclusions, findings), poses, chosen, findings
    )
    made = MjcfBodies(tree, masses, chosen, findings)
    light = set[str]()
    for link in masses.weightless(tree):
        light.add(f"bodies/{link.name}/inertia")
        message = f"the body {link.name!r} moves, and nothing on it has mass: MuJoCo refuses it"
        remedy = "its coordinates have no inertia: give it mass, or take away its joints"
        findings.remark("warning", "", link.element.at, message, remedy, f"bodies/{link.name}/inertia")
    coordinates = tuple(made.coordinates())
    along = tendons(root, tree, classes, poses, chosen, findings)
    compiled = ReferenceInertia(tree, masses.found, any(link.moves for link, _, _ in masses.unread), findings)
    for armature in along.armatures:
        compiled.add(real(armature.inertia), {name: real(c) for name, c in armature.coefficients.items()})
    taken = Namer(c.name for c in coordinates)
    driven = ActuatorReader(tree, along, classes, taken, compiled, chosen, poses, findings).read(root)
    effects = along_joints(tree, made.inertias, compiled, chosen, findings)
    bodies = tuple(made.bodies())
    equalities = Equalities(tree, along, classes, poses, chosen, findings)
    constraints = tuple(equalities.read(root))
    keyframes(root, tree, findings)
    weights = tuple(compensation(tree, made.inertias, chosen, findings))
    left_out = tuple(omissions(document, tree, masses, effects, along, driven, equalities, chosen, bodies, findings))
    findings.stop()
    try:
        found = System(
            root.attributes.get("model", Path(file).stem),
            tuple(_driven(c, driven.efforts) for c in coordinates),
            tuple(driven.parameters),
            gravity=chosen.gravity,
            bodies=bodies,
            forces=(*effects.forces, *along.forces, *weights, *driven.forces),
            constraints=constraints,
            omissions=left_out,
            armatures=(*effects.armatures, *along.armatures, *driven.armatures),
        )
    except ModelError as problem:
        raise ReadError(map(findings.locate, problem.diagnostics)) from None
    full = {b.name for b in tree.bodies if b.inertial is not None and "fullinertia" in b.inertial.attributes}
    for d in () if masses.unread else refusals(found, full):
        if d.place not in light:
            findings.remark("warning", "", nearest(d.place, findings.locations), d.message, d.remedy, d.place)
    return found


def _driven(coordinate: Coordinate, efforts: Mapping[str, Expression]) -> Coordinate:
    effort = efforts.get(coordinate.name)
    return coordinate if effort is None else replace(coordinate, drive=Effort(effort))
