"""Conversion of an MJCF text to the model.

Rules of MuJoCo's compiler for masses and inertias: it refuses a whole model if one body breaks a rule.
"""

from __future__ import annotations

import os

# Keyframes: they are no part of the model, but their lengths show whether they were written for it.
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from mbconcord.converters.carried import read_root
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.findings import Findings, nearest
from mbconcord.converters.floats import Array, real
from mbconcord.converters.format import Reading
from mbconcord.converters.inclusions import Inclusions
from mbconcord.converters.shapes import ReferenceInertia
from mbconcord.converters.xml_text import COMMENT, XmlDocument, XmlElement, parse, print_lines
from mbconcord.model import Body, Coordinate, Effort, ModelError, ReadError, System
from mbconcord.model.diagnostics import Diagnostic, among
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import ONE, Expression, evaluate_float
from mbconcord.model.limits import MJCF_ITEMS, XML_ELEMENTS, count, too_many
from mbconcord.model.naming import Namer

from .reading.actuators import ActuatorReader
from .reading.beside import omissions
from .reading.bodies import MjcfBodies, along_joints, compensation, coordinates_of
from .reading.equalities import Equalities
from .reading.masses import MjcfMasses
from .reading.meshes import MjcfMeshes
from .reading.poses import Poses
from .reading.settings import ACTUATORS, DEGREE, MAIN, Classes, scalar, settings, yes
from .reading.tendons import tendons
from .reading.tree import MjcfTree, Trees
from .vocabulary import ATTACHED, INCLUDED, READ, REFERENCES, ROOT, SECTIONS, SHARED, TEXT, WORLD

#: mjMINVAL: lower bound of mass and moments of a body with joints, or of a body that is fixed on it.
LEAST: Final = 1e-15
#: Lower bound of the eigenvalues of a ``fullinertia``.
LEAST_FULL: Final = 1e-14
#: Rounding of a decomposition, as a part of the largest moment.
ROUNDING: Final = 1e-12
HEAVY: Final = "give it mass and moments above 1e-15, or fix a body on it that has them"
TRIANGLE: Final = 'give a tensor that a body can have, or <compiler balanceinertia="true"/>, which replaces it'


def refusals_of_urdf(system: System, told: Collection[str] = ()) -> Iterator[Diagnostic]:
    """Yield a warning of the first body of a URDF that MuJoCo refuses, but for places in ``told``, and the number left.

    In a URDF every nonzero tensor is a ``fullinertia``, and collision shapes give inertia to links without any. The
    effect of ``<mujoco>`` on masses and tensors is not known here: no body is judged then.
    """
    if any(o.kind == "extension" and o.acts and "MuJoCo" in o.place for o in system.omissions):
        return
    shaped = {o.place.partition("/")[2] for o in system.omissions if o.kind == "collision-shape"}
    unknown = {b.name for b in system.bodies if b.inertia.is_zero and b.name in shaped}
    full = {b.name for b in system.bodies if any(b.inertia.tensor)}
    found = [d for d in refusals(system, full, unknown) if d.place not in told]
    if found:
        more = f"; {len(found) - 1} more are such" if len(found) > 1 else ""
        message = found[0].message.replace("this:", "this URDF:") + more
        yield replace(found[0], message=message)


def refusals(
    system: System, full: Collection[str] | None = None, unknown: Collection[str] = ()
) -> Iterator[Diagnostic]:
    """Yield a warning for each body that MuJoCo refuses.

    ``full`` names bodies with ``fullinertia``; None: those of the writer. ``unknown`` are bodies whose inertia in
    MuJoCo is not that of the model.
    """
    system = rigid(system)
    numbers = ConstantReader(system, "an MJCF")
    fixed: dict[str, list[Body]] = {}
    for body in system.bodies:
        if body.parent is not None and not body.coordinates:
            fixed.setdefault(body.parent, []).append(body)
    lumps = {body.name: None if body.name in unknown else _lump(body, numbers) for body in system.bodies}
    for body in system.bodies:
        lump = lumps[body.name]
        if lump is None:
            continue
        mass, tensor = lump
        products = bool((tensor != np.diag(np.diag(tensor))).any())
        whole = products if full is None else body.name in full
        small, middle, large = np.linalg.eigvalsh(tensor) if products else np.sort(np.diag(tensor))
        word = "fullinertia" if whole else "inertia"
        if body.coordinates and not _is_heavy(body, fixed, lumps):
            least = min(mass, small)
            yield _refuse(body, f"its mass {mass:g} kg or its least moment {least:g} kg m² is too small", HEAVY)
        elif not body.inertia.is_zero and whole and small <= LEAST_FULL:
            yield _refuse(body, f"its fullinertia has an eigenvalue {small:g}, which is not positive", HEAVY)
        elif small + middle < large * (1 - ROUNDING):
            sides = f"{large:.6g} > {small:.6g} + {middle:.6g} kg m²"
            yield _refuse(body, f"its {word} breaks the triangle inequality: {sides}", TRIANGLE)
        elif products and small + middle < large * (1 + ROUNDING):
            what = f"its {word} keeps the triangle inequality without slack, and rounding decides"
            yield _refuse(body, what, TRIANGLE, "may")


def _refuse(body: Body, what: str, remedy: str, sure: str = "will") -> Diagnostic:
    message = f"MuJoCo {sure} refuse this: body {body.name}, {what}"
    return Diagnostic("warning", f"bodies/{body.name}/inertia", message, remedy)


def _is_heavy(body: Body, fixed: dict[str, list[Body]], lumps: dict[str, tuple[float, Array] | None]) -> bool:
    """Return True if a body, or a body that is fixed on it, has mass and moments; unknown masses count as such."""
    waiting = [body]
    while waiting:
        found = waiting.pop()
        lump = lumps[found.name]
        if lump is None or min(lump[0], np.linalg.eigvalsh(lump[1])[0]) > LEAST:
            return True
        waiting += fixed.get(found.name, [])
    return False


def _lump(body: Body, numbers: ConstantReader) -> tuple[float, Array] | None:
    """Return mass and tensor of a body; None if a number has no value."""
    place = f"bodies/{body.name}/inertia"

    def real(x: Expression) -> float:
        return float(x.value) if x.op == "num" else float(numbers.precise(place, x))

    found = real(body.inertia.mass), np.array([[real(x) for x in row] for row in body.inertia.matrix()])
    return None if numbers.missing else found


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

    def __init__(
        self, text: str, file: str, findings: Findings, packages: tuple[str, ...] = (), shown: str = "",
        around: tuple[Path, ...] = (),
    ) -> None:  # fmt: skip
        self.findings, self.packages = findings, packages
        self.inclusions = Inclusions(text, file, OUTSIDE, findings, packages)
        self.seen: set[Path] = set()
        self.around = (*around, self.inclusions.own)  # files of models in which this one is attached
        self.elements = 0
        document = parse(text, shown or file)
        self.outside = list(document.outside)
        self._complete(document.root)
        self.meshes = _folder(document.root)
        self._attach(document.root)
        self.document = XmlDocument(document.root, tuple(self.outside))

    def _attach(self, root: XmlElement) -> None:
        """Replace every <attach> by the bodies of its model; what refers to them alone follows into the sections."""
        assets = [a for section in root.all("asset") for a in section.all("model")]
        for section in root.all("asset"):
            section.content = [c for c in section.content if c not in assets]
            if assets and not any(isinstance(c, XmlElement) for c in section.content):
                root.content = [c for c in root.content if c is not section]
        held = [(x, c) for x in root.walk() for c in x.children if c.tag == "attach"]
        self.attached = bool(held)
        order = {id(x): i for i, x in enumerate(root.walk())}
        models: dict[str, XmlElement] = {}
        for a in assets if held else ():
            child = self._model(a)
            if child is not None:
                models[a.attributes.get("name") or child.attributes.get("model", "")] = child
        self.findings.stop()
        once: set[tuple[str, str]] = set()
        for element, c in sorted(held, key=lambda pair: order[id(pair[1])]):  # in the order of the text, as MuJoCo
            name, prefix = c.attributes.get("model", ""), c.attributes.get("prefix")
            if name not in models or prefix is None:
                found, remedy = f"there is no model {name!r} in <asset>", among(name, models)
                if name in models:
                    found, remedy = "<attach> without prefix", 'prefix="left_" stands before its names'
                self.findings.refuse(c.at, found, remedy)
                continue
            attached = AttachedModel(models[name], c, root, self.findings)
            at = next(i for i, x in enumerate(element.content) if x is c)
            element.content[at] = attached.place()
            root.content += attached.sections(whole=(name, prefix) not in once)
            once.add((name, prefix))
            self.elements += attached.count
            if self.elements > XML_ELEMENTS:
                found = too_many(self.elements, "elements in all files", XML_ELEMENTS)
                self.findings.refuse(c.at, found, "no model has so many")
                self.findings.stop()

    def _model(self, asset: XmlElement) -> XmlElement | None:
        """Return the root of a model in <asset>, with files of its meshes as seen from here; None if it is refused."""
        name = asset.attributes.get("file", "")
        path = self.inclusions.path(name, asset.at) if name else None
        if path is None or path in self.around:
            if path is not None or not name:
                found = f"{name} attaches itself" if name else "<model> without file"
                self.findings.refuse(asset.at, found, 'file="…" names the file of another model')
            return None
        text = self.inclusions.text(path, name, asset.at)
        if text is None:
            return None
        self.seen.add(path)
        own = self.inclusions.own.parent
        near = (*self.packages, str(own))
        child = MjcfDocuments(text, str(path), self.findings, near, self.inclusions.name_file(path), self.around)
        root = child.document.root
        if root.tag != ROOT:
            self.findings.refuse(root.at, f"the root element is <{root.tag}>; expected <{ROOT}>")
            return None
        self.elements += child.elements
        self.outside += child.outside
        for mesh in (m for section in root.all("asset") for m in section.all("mesh")):
            file = mesh.attributes.get("file", "")
            if file and "://" not in file:
                mesh.attributes.setdefault("name", Path(file).stem)
                mesh.attributes["file"] = os.path.relpath(path.parent / _folder(root) / file, own / self.meshes)
        return root

    def lines(self, text: str) -> list[str]:
        """Return the lines of the file, whose text this is, or of what it and those that it includes are together."""
        if self.seen:
            text = "\n".join(x for part in (*self.outside, self.document.root) for x in print_lines(part))
        return text.split("\n")

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
        self.outside += document.outside  # whatever the root, as MuJoCo
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


def _compiler(root: XmlElement) -> dict[str, str]:
    """Return the settings of all <compiler>, the later ones first."""
    return {key: value for section in root.all("compiler") for key, value in section.attributes.items()}


def _folder(root: XmlElement) -> str:
    chosen = _compiler(root)
    return chosen.get("meshdir", chosen.get("assetdir", ""))


class AttachedModel:
    """A copy of a model, or of the tree of one of its bodies or frames, with a prefix before all names.

    Its elements keep their own defaults, and angles the unit of its compiler; options stay those of the model around.
    """

    def __init__(self, child: XmlElement, at: XmlElement, root: XmlElement, findings: Findings) -> None:
        self.child, self.at, self.findings, self.count = child, at, findings, 0
        self.name, self.prefix = at.attributes["model"], at.attributes["prefix"]
        self.main = f"{self.prefix or self.name + ' '}{MAIN}"
        tops = (d.attributes for d in child.all("default"))
        self.tops = {MAIN, *(own.get("class", MAIN) for own in tops if ATTACHED not in own)}
        self.classes = Classes(child, findings)
        own, other = _compiler(child), _compiler(root)
        units = [DEGREE if x.get("angle", "degree") == "degree" else ONE for x in (own, other)]
        self.factor = units[0] / units[1]
        turned = any("euler" in e.attributes for e in child.walk())
        for key, usual in (SHARED | ({"eulerseq": "xyz"} if turned else {})).items():
            if (found := own.get(key, usual)) != (wanted := other.get(key, usual)):
                message = f"{key} of the attached model {self.name!r} is {found!r}, of this one {wanted!r}"
                findings.refuse(at.at, message, "give both the same, or save what MuJoCo compiles of them")
        for key in ("gravity", "wind", "density", "viscosity"):
            options = {e.attributes.get(key) for e in child.all("option")} - {None}
            if options - {e.attributes.get(key) for e in root.all("option")}:
                message = f"{key} of the attached model {self.name!r} does not act, that of this one does"
                findings.remark("warning", "", at.at, message, "say it in one model")
        if child.all("keyframe"):
            findings.note(at.at, "state", f"keyframes of the attached model {self.name!r} are left out")
        self.tree, self.around = self._select()
        self.kept: dict[str, set[str]] = {}
        for element in (x for part in self.tree for x in part.walk()):
            kind = "joint" if element.tag == "freejoint" else element.tag
            self.kept.setdefault(kind, set()).add(element.attributes.get("name", ""))

    def _select(self) -> tuple[list[XmlElement], str]:
        """Return the elements to attach, and the class that applies to them."""
        every = [x for section in self.child.all("worldbody") for x in section.children]
        wanted = next(((tag, self.at.attributes[tag]) for tag in ("body", "frame") if tag in self.at.attributes), None)
        if wanted is None or wanted == ("body", WORLD):
            return every, MAIN
        waiting = [(x, MAIN, False) for x in reversed(every)]
        names = []
        while waiting:
            element, around, framed = waiting.pop()
            if element.tag == wanted[0]:
                names.append(element.attributes.get("name", ""))
                if names[-1] == wanted[1]:
                    if framed:
                        message = f"{wanted[1]!r} of the attached model {self.name!r} stands in a frame of its body"
                        self.findings.refuse(self.at.at, message, "attach that frame")
                    return [element], around
            inner = element.attributes.get("childclass", around)
            below = [x for x in element.children if x.tag in ("body", "frame")]
            waiting += [(x, inner, element.tag == "frame") for x in reversed(below)]
        message = f"the attached model {self.name!r} has no {wanted[0]} {wanted[1]!r}"
        self.findings.refuse(self.at.at, message, among(wanted[1], names))
        return [], MAIN

    def _rename_class(self, name: str) -> str:
        return self.main if name in self.tops else f"{self.prefix}{name}"

    def _scale(self, text: str, first: int = 0) -> str:
        """Convert the numbers of an attribute, from the one at ``first``, to the unit of the model around."""
        words = text.split()
        try:
            turned = [repr(float(w) * evaluate_float(self.factor, {})) for w in words[first:]]
        except ValueError:  # the reader of the attribute refuses it
            return text
        return " ".join([*words[:first], *turned])

    def _copy(self, element: XmlElement, around: str) -> XmlElement:
        """Copy an element with prefixes before names; ``around`` is the class that applies to it."""
        self.count += 1
        own = dict(element.attributes)
        if self.factor is not ONE and element.tag == "joint":
            whole = self.classes.resolve(element, around).attributes
            if whole.get("type", "hinge") in ("hinge", "ball"):
                own |= {key: self._scale(whole[key]) for key in ("range", "ref", "springref") if key in whole}
        for key, value in own.items():
            if key in ("class", "childclass"):
                own[key] = self._rename_class(value)
            elif key == "name" or (key in REFERENCES and value != WORLD):
                own[key] = f"{self.prefix}{value}"
            elif self.factor is not ONE and key in ("euler", "axisangle"):
                own[key] = self._scale(value, 3 * (key == "axisangle"))
        around = element.attributes.get("childclass", around)
        parts = [c if isinstance(c, str) or c.tag == COMMENT else self._copy(c, around) for c in element.content]
        return XmlElement(element.tag, own, element.at, parts)

    def place(self) -> XmlElement:
        """Return the bodies in a frame with their class."""
        parts: list[XmlElement | str] = [self._copy(x, self.around) for x in self.tree]
        return XmlElement("frame", {"childclass": self._rename_class(self.around)}, self.at.at, parts)

    def sections(self, whole: bool) -> Iterator[XmlElement]:
        """Yield the sections beside the bodies that refer to these alone; with ``whole`` also defaults and assets."""
        if whole:
            empty = XmlElement("default", {}, self.at.at)
            for top in (empty, *self.child.all("default")):
                own = self._rename_class(top.attributes.get(ATTACHED, MAIN))
                yield XmlElement("default", {ATTACHED: own}, top.at, [self._copy(x, MAIN) for x in top.children])
            yield from (self._copy(x, MAIN) for x in (*self.child.all("asset"), *self.child.all("deformable")))
        for tag in ("tendon", "equality", "actuator", "contact", "sensor"):
            for section in self.child.all(tag):
                kept = [x for x in section.children if self._is_within(x)]
                self.kept.setdefault(tag, set()).update(x.attributes.get("name", "") for x in kept)
                copied = [self._copy(x, MAIN) for x in kept]
                for x in copied if tag in ("tendon", "equality", "actuator") else ():
                    x.attributes.setdefault("class", self.main)
                yield XmlElement(tag, {}, section.at, [*copied])

    def _is_within(self, element: XmlElement) -> bool:
        """Return True if an element refers only to what is attached, and to the world."""
        named = [(REFERENCES[k], v) for x in element.walk() for k, v in x.attributes.items() if k in REFERENCES]
        return all(
            v == WORLD or v in self.kept.get(kind, ()) for kind, v in named
            if kind in ("body", "joint", "geom", "site", "tendon", "actuator")
        )  # fmt: skip


def read(text: str, file: str, packages: tuple[str, ...] = ()) -> Reading:
    """Read the model of an MJCF as MuJoCo compiles it.

    Bodies and joints keep their names; coordinates follow the order of MuJoCo's velocities and have its values for
    joints with one coordinate. Free and ball joints have three angles: zero at the pose of the file. The lines of a
    file that attaches no other, with what it includes, are kept in ``metadata["mjcf:text"]``; content other than the
    equations of motion becomes ``omissions``. Files may also be included, and meshes read, from the folders of
    ``packages``.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    findings = Findings(file)
    documents = MjcfDocuments(text, file, findings, packages)
    kept = {} if documents.attached else {TEXT: documents.lines(text)}
    root = documents.document.root
    if root.tag in (INCLUDED, *READ, *SECTIONS):
        found = f"a fragment: the root element is <{root.tag}>; expected <{ROOT}>"
        findings.refuse(root.at, found, f"name a model that includes it, or put it into <{ROOT}>")
        findings.stop()
    return read_root(root, ROOT, kept, findings, lambda: _system(documents, file, findings))


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
    carried = [*made.bodies()]
    rotors = (
        (real(scalar(joint.element, "armature", "0", findings)), {name: 1.0})
        for _, joint in tree.joints for name in coordinates_of(joint)
    )  # fmt: skip
    unknown = "the mass of a shape is not known" if any(link.moves for link, _, _ in masses.unread) else ""
    compiled = ReferenceInertia(carried, {c.name: c.position for c in coordinates}, rotors, unknown)
    for armature in along.armatures:
        compiled.add(real(armature.inertia), {name: real(c) for name, c in armature.coefficients.items()})
    for tendon in along.unheld:
        compiled.add(real(scalar(tendon.element, "armature", "0", findings)), {})
    taken = Namer(c.name for c in coordinates)
    driven = ActuatorReader(tree, along, classes, taken, compiled, chosen, poses, findings).read(root)
    effects = along_joints(tree, made.inertias, compiled, chosen, findings)
    bodies = tuple(replace(body, inertia=made.inertias[body.name]) for body in carried)
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
