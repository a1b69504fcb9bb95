"""From the text of a URDF to the model."""

from __future__ import annotations

from pathlib import Path

from mbconcord.converters.findings import Findings
from mbconcord.converters.format import Reading
from mbconcord.converters.xml_text import parse
from mbconcord.model import Coordinate, Gravity, ModelError, ReadError, System
from mbconcord.model.expressions import MINUS_ONE, ZERO, number

from .reading.beside import masses, omissions
from .reading.bodies import bodies
from .reading.effects import damping, mimics
from .reading.robot import robot
from .reading.rotors import rotors
from .vocabulary import GRAVITY, TEXT


def read(text: str, file: str) -> Reading:
    """The model of a URDF.

    Coordinates are called after their joints, in the order of the file; fixed links are bodies without coordinates.
    The root is welded to the fixed frame. The lines of the file are kept in ``metadata["urdf:text"]``; what they say
    besides the equations of motion are ``omissions``.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    document = parse(text, file)
    findings = Findings(file)
    found = robot(document.root, findings)
    made = tuple(bodies(found, findings))
    forces, rows = tuple(damping(found, findings)), tuple(mimics(found, findings))
    turning = tuple(rotors(document.root, found, findings))
    left_out = tuple(omissions(document, found, findings))
    findings.stop()
    masses(found, findings)
    moving = {body.name: body.coordinates for body in made}
    try:
        system = System(
            document.root.attributes.get("name", Path(file).stem),
            tuple(Coordinate(name) for joint in found.joints for name in moving.get(joint.child, ())),
            gravity=Gravity(number(GRAVITY), (ZERO, ZERO, MINUS_ONE)),
            bodies=made,
            forces=forces,
            constraints=rows,
            metadata={TEXT: text.split("\n")},
            omissions=left_out,
            armatures=turning,
        )
    except ModelError as problem:
        raise ReadError(map(findings.placed, problem.diagnostics)) from None
    return Reading(system, findings.remarks(), findings.locations)
