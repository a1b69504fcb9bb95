"""From the text of an SDF to the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mbconcord.converters.findings import Findings
from mbconcord.converters.format import Reading
from mbconcord.converters.xml_text import Element
from mbconcord.model import ModelError, ReadError, System
from mbconcord.model.constraint import Constraint
from mbconcord.model.force import Force

from .reading.beside import omissions
from .reading.bodies import Bodies
from .reading.documents import Documents
from .reading.effects import forces, mimics, rotors, screws, weights
from .reading.joints import Joints
from .reading.masses import Masses
from .reading.remarks import remarks
from .reading.scopes import Scopes
from .reading.top import gravity, top, version
from .reading.tree import tree
from .vocabulary import ROOT, TEXT


def read(text: str, file: str, packages: tuple[str, ...] = ()) -> Reading:
    """The model of an SDF: its only model, or all that stands in its world.

    Coordinates are zero as the file stands; they are called after their joints, those of links that no joint carries
    after these. The lines of a file that includes no others are kept in ``metadata["sdf:text"]``; what they say besides
    the equations of motion are ``omissions``. Out of the folders of ``packages`` files are
    included, and meshes read, too.

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
    said = version(root, findings)
    ground = top(root, findings)
    falling = gravity(ground, findings)
    scopes = Scopes(ground, said, findings)
    joints = Joints(scopes, said, findings)
    findings.stop()
    grown = tree(scopes.world, scopes.links, joints.found.values())
    masses = Masses(scopes, documents.inclusions, findings)
    made = Bodies(scopes, joints, grown, findings)
    bodies, coordinates, closures = (
        tuple(made.bodies(masses.found)),
        tuple(made.coordinates()),
        tuple(made.closures()),
    )
    acting: tuple[Force, ...] = (
        *forces(grown, findings),
        *weights([*scopes.links], masses.found, falling, findings),
    )
    rows: tuple[Constraint, ...] = (*closures, *screws(grown, findings), *mimics(grown, joints, findings))
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
        raise ReadError(map(findings.placed, problem.diagnostics)) from None


def _name(ground: Element, file: str) -> str:
    """What the model is called: as its only model, else as the world, else as the file."""
    models = ground.all("model")
    named = models[0] if len(models) == 1 else ground
    return named.attributes.get("name") or Path(file).stem
