"""From the text of an MJCF to the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mbconcord.converters.findings import Findings
from mbconcord.converters.format import Reading
from mbconcord.converters.xml_text import Document
from mbconcord.model import Coordinate, Effort, ModelError, ReadError, System
from mbconcord.model.expressions import Expression
from mbconcord.model.naming import Namer

from .reading.actuators import drives
from .reading.beside import omissions
from .reading.bodies import Bodies
from .reading.classes import Classes
from .reading.documents import Documents
from .reading.effects import along_joints, compensation
from .reading.equalities import Equalities
from .reading.masses import Masses
from .reading.meshes import Meshes
from .reading.poses import Poses
from .reading.settings import settings
from .reading.tendons import tendons
from .reading.tree import Trees
from .vocabulary import ROOT, TEXT


def read(text: str, file: str) -> Reading:
    """The model of an MJCF: what MuJoCo compiles of it.

    Bodies and joints keep their names, coordinates are in the order of MuJoCo's velocities and have its values where
    one number is all that a joint has. Free and ball joints have three angles: zero at the pose of the file.
    The lines of a file that includes no others are kept in ``metadata["mjcf:text"]``; what they say besides the
    equations of motion are ``omissions``.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    findings = Findings(file)
    documents = Documents(text, file, findings)
    root = documents.document.root
    if root.tag != ROOT:
        remedy = "name the format with --from" if root.tag in ("robot", "sdf") else ""
        findings.refuse(root.at, f"the root element is <{root.tag}>; expected <{ROOT}>", remedy)
    findings.stop()
    system = _system(documents.document, file, findings)
    if documents.whole:
        system = replace(system, metadata={TEXT: text.split("\n")})
    return Reading(system, findings.remarks(), findings.locations)


def _system(document: Document, file: str, findings: Findings) -> System:
    root = document.root
    chosen, classes = settings(root, findings), Classes(root, findings)
    poses = Poses(chosen, findings)
    tree = Trees(classes, poses, findings).read(root)
    findings.stop()
    masses = Masses(tree, Meshes(root, classes, chosen, findings), poses, chosen, findings)
    made = Bodies(tree, masses.found, chosen, findings)
    effects = along_joints(tree, made.inertias, chosen, findings)
    bodies, coordinates = tuple(made.bodies()), tuple(made.coordinates())
    along = tendons(root, tree, classes, poses, chosen, findings)
    taken = Namer(c.name for c in coordinates)
    driven = drives(root, tree, along, classes, taken, chosen, findings)
    equalities = Equalities(tree, along, classes, poses, chosen, findings)
    constraints = tuple(equalities.read(root))
    weights = tuple(compensation(tree, made.inertias, chosen, findings))
    left_out = tuple(omissions(document, tree, masses, effects, along, driven, equalities, chosen, findings))
    findings.stop()
    try:
        return System(
            root.attributes.get("model", Path(file).stem),
            tuple(_driven(c, driven.efforts) for c in coordinates),
            tuple(driven.parameters),
            gravity=chosen.gravity,
            bodies=bodies,
            forces=(*effects.forces, *along.forces, *weights),
            constraints=constraints,
            omissions=left_out,
            armatures=(*effects.armatures, *along.armatures, *driven.armatures),
        )
    except ModelError as problem:
        raise ReadError(map(findings.placed, problem.diagnostics)) from None


def _driven(coordinate: Coordinate, efforts: Mapping[str, Expression]) -> Coordinate:
    effort = efforts.get(coordinate.name)
    return coordinate if effort is None else replace(coordinate, drive=Effort(effort))
