"""From the text of an MJCF to the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mbconcord.converters.findings import Findings
from mbconcord.converters.format import Reading
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
from .reading.keyframes import keyframes
from .reading.masses import Masses
from .reading.meshes import Meshes
from .reading.poses import Poses
from .reading.settings import settings
from .reading.tendons import tendons
from .reading.tree import Trees
from .vocabulary import ROOT, TEXT


def read(text: str, file: str, packages: tuple[str, ...] = ()) -> Reading:
    """The model of an MJCF: what MuJoCo compiles of it.

    Bodies and joints keep their names, coordinates are in the order of MuJoCo's velocities and have its values where
    one number is all that a joint has. Free and ball joints have three angles: zero at the pose of the file.
    The lines of a file that includes no others are kept in ``metadata["mjcf:text"]``; what they say besides the
    equations of motion are ``omissions``. Out of the folders of ``packages`` files are included, and meshes read, too.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    findings = Findings(file)
    documents = Documents(text, file, findings, packages)
    root = documents.document.root
    findings.require_root(root.at, root.tag, ROOT)
    findings.stop()
    system = _system(documents, file, findings)
    if documents.whole:
        system = replace(system, metadata={TEXT: text.split("\n")})
    return Reading(system, findings.remarks(), findings.locations)


def _system(documents: Documents, file: str, findings: Findings) -> System:
    document, root = documents.document, documents.document.root
    chosen, classes = settings(root, findings), Classes(root, findings)
    poses = Poses(chosen, findings)
    tree = Trees(classes, poses, findings).read(root)
    findings.stop()
    masses = Masses(
        tree, Meshes(root, classes, chosen, documents.inclusions, findings), poses, chosen, findings
    )
    made = Bodies(tree, masses.found, chosen, findings)
    for link in masses.weightless(tree):
        message = f"the body {link.name!r} moves, and nothing on it has mass: MuJoCo refuses it"
        remedy = "its coordinates have no inertia: give it mass, or take away its joints"
        findings.remark("warning", "", link.element.at, message, remedy, f"bodies/{link.name}/inertia")
    effects = along_joints(tree, made.inertias, chosen, findings)
    bodies, coordinates = tuple(made.bodies()), tuple(made.coordinates())
    along = tendons(root, tree, classes, poses, chosen, findings)
    taken = Namer(c.name for c in coordinates)
    driven = drives(root, tree, along, classes, taken, chosen, findings)
    equalities = Equalities(tree, along, classes, poses, chosen, findings)
    constraints = tuple(equalities.read(root))
    keyframes(root, tree, findings)
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
