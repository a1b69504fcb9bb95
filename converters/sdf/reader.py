"""Conversion of an SDF text to the model."""

from __future__ import annotations

from pathlib import Path

from mbconcord.converters.carried import read_root
from mbconcord.converters.findings import Findings
from mbconcord.converters.format import Reading
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import Gravity, ModelError, ReadError, System
from mbconcord.model.constraint import Constraint
from mbconcord.model.expressions import ZERO, Expression, sqrt
from mbconcord.model.force import Force
from mbconcord.model.limits import format_names

from .reading.beside import omissions, remarks
from .reading.documents import SdfDocuments, row
from .reading.joints import SdfJoints
from .reading.masses import SdfMasses
from .reading.scopes import SdfScopes
from .reading.tree import SdfBodies, forces, gearboxes, mimics, rotors, screws, tree, weights
from .vocabulary import OF_MODEL, OF_WORLD, ROOT, TEXT, VERSIONS, WORLD_GRAVITY

# Settings of a document: its version, the world or the model that is read, and gravity.


def version(root: XmlElement, findings: Findings) -> tuple[int, ...]:
    """Return the format version of a document; record an error if it is older than the first supported one."""
    text = root.attributes.get("version", "")
    first, last = VERSIONS
    known = f"{_format_version(first)} to {_format_version(last)}"
    try:
        major, minor = (int(part) for part in text.split("."))
        found = (major, minor)
    except ValueError:
        findings.refuse(root.at, f"version of <sdf>: found {text!r:.40}, expected one from {known}")
        return last
    if found < first:
        message = f"SDF {text}: poses and axes had other meanings before {_format_version(first)}"
        findings.refuse(root.at, message, "bring it to a newer version: gz sdf -p model.sdf")
    elif found > last:
        message = f"SDF {text} is newer than what is known: {known}"
        findings.remark("warning", "", root.at, message, "what it says that is not known is left out")
    return found


def _format_version(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def top(root: XmlElement, findings: Findings) -> XmlElement:
    """Return the world of a document, or the root if it has only a model.

    Raises
    ------
    ReadError
        The document has neither a world nor a model, or several.
    """
    worlds, models = root.all("world"), root.all("model")
    found = [*worlds, *models]
    if not found:
        findings.refuse(root.at, "an <sdf> without <model> and without <world>", "a model stands in one of them")
    elif len(found) > 1:
        names = format_names(f"the {e.tag} {e.attributes.get('name', '')!r}" for e in found)
        findings.refuse(found[1].at, f"several stand in one file: {names}", "put each into a file of its own")
    findings.stop()
    return worlds[0] if worlds else root


def gravity(ground: XmlElement, version: tuple[int, ...], findings: Findings) -> Gravity | None:
    """Return the acceleration of gravity: that of the world, or the default of programs."""
    physics = ground.first("physics")
    element = ground.first("gravity")
    if element is None and version < WORLD_GRAVITY and physics is not None:
        element = physics.first("gravity")
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


def read(text: str, file: str, packages: tuple[str, ...] = ()) -> Reading:
    """Read the model of an SDF: its only model, or the contents of its world.

    Coordinates are zero at the pose of the file and are named after their joints, followed by those of links without
    joints. The lines of a file without includes are kept in ``metadata["sdf:text"]``; content other than the equations
    of motion becomes ``omissions``. Files may also be included, and meshes read, from the folders of ``packages``.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    findings = Findings(file)
    documents = SdfDocuments(text, file, findings, packages)
    kept = {TEXT: text.split("\n")} if documents.whole else {}
    return read_root(documents.document.root, ROOT, kept, findings, lambda: _system(documents, file, findings))


def _system(documents: SdfDocuments, file: str, findings: Findings) -> System:
    document, root = documents.document, documents.document.root
    said = version(root, findings)
    ground = top(root, findings)
    falling = gravity(ground, said, findings)
    scopes = SdfScopes(ground, said, findings, documents.placed)
    joints = SdfJoints(scopes, said, findings)
    findings.stop()
    grown = tree(scopes.world, scopes.links, joints.found.values())
    masses = SdfMasses(scopes, documents.inclusions, findings)
    made = SdfBodies(scopes, joints, grown, findings)
    bodies, coordinates, closures = (
        tuple(made.bodies(masses.found)),
        tuple(made.coordinates()),
        tuple(made.closures()),
    )
    acting: tuple[Force, ...] = (*forces(grown, findings), *weights([*scopes.links], masses.found, falling, findings))
    rows: tuple[Constraint, ...] = (
        *closures,
        *screws(grown, findings),
        *gearboxes(grown, joints, findings),
        *mimics(grown, joints, findings),
    )
    turning = tuple(rotors(grown, findings))
    left_out = tuple(omissions(document, joints, grown, masses, findings))
    findings.stop()
    remarks(grown, masses, findings)
    try:
        return System(
            _name(ground, file),
            coordinates,
            gravity=falling,
            bodies=bodies,
            forces=acting,
            constraints=rows,
            omissions=left_out,
            armatures=turning,
        )
    except ModelError as problem:
        raise ReadError(map(findings.locate, problem.diagnostics)) from None


def _name(ground: XmlElement, file: str) -> str:
    """Return the model's name: that of its only model, else of the world, else of the file."""
    models = ground.all("model")
    named = models[0] if len(models) == 1 else ground
    return named.attributes.get("name") or Path(file).stem
