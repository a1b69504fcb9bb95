"""What compilers and options say: units, orders of angles, where inertia comes from, gravity."""

from __future__ import annotations

from dataclasses import dataclass, field

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_text import Element
from mbconcord.model import Gravity
from mbconcord.model.expressions import ONE, ZERO, Expression, sqrt
from mbconcord.model.transformation import Vector, vector

from ..vocabulary import COMPILE, FLAGS, GRAVITY
from .values import DEGREE, integers, row, scalar, word, yes


@dataclass(frozen=True)
class Settings:
    """Settings of a model; where several elements say one, the last does.

    Attributes
    ----------
    angle : what an angle is multiplied by: a degree, or 1
    sequence : order of Euler angles: ``xyz`` about turned axes, ``XYZ`` about fixed ones
    from_shapes : "auto", "true" or "false"
    groups : first and last group of geoms that have inertia
    least_mass, least_inertia, total_mass : of bodies; 0 and -1: nothing
    balanced : whether an impossible tensor becomes its mean
    aligned : whether free bodies have frames in their centres of mass
    meshes : folder of meshes
    without : flags that are off
    gravity : None without it
    fluid : whether bodies are in one
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


def settings(root: Element, findings: Findings) -> Settings:
    """The settings of a document."""
    compiler, option, flags = (
        _merged(root, path) for path in (("compiler",), ("option",), ("option", "flag"))
    )
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
    without = {
        off for flag, off in FLAGS.items() if word(flags, flag, ("enable", "disable"), findings) == "disable"
    }
    if "passive" in without:
        without |= {"spring", "damper"}
    g = row(option, "gravity", GRAVITY, findings)
    return Settings(
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
    )


def _merged(root: Element, path: tuple[str, ...]) -> Element:
    """All elements at a path as one, later attributes over earlier ones; it stands where the last does."""
    found = [root]
    for tag in path:
        found = [child for element in found for child in element.all(tag)]
    merged: dict[str, str] = {}
    for element in found:
        merged |= element.attributes
    return Element(path[-1], merged, found[-1].at if found else root.at)


def _gravity(g: Vector) -> Gravity | None:
    """Magnitude and direction of the acceleration of gravity."""
    along = [x for x in g if x]
    if not along:
        return None
    if len(along) == 1:
        size: Expression = along[0] if along[0].value > 0 else -along[0]
    else:
        size = sqrt(sum((x * x for x in along), ZERO))
    return Gravity(size, g)
