"""Limits, dry friction and shapes in an MJCF text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fittings, Friction, Limit, Shape, bound
from mbconcord.converters.floats import decimals, real, to_steps
from mbconcord.converters.inclusions import Inclusions
from mbconcord.converters.poses import Steps, back, by_quaternion
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import XmlElement, parse
from mbconcord.model import shift
from mbconcord.model.expressions import ONE, ZERO, Expression, as_expression
from mbconcord.model.force import Point

from ..vocabulary import RUBBING, SOLVED, TURNED, USUAL, WORLD
from .beside import find_gaps
from .masses import SIZES, MjcfMasses
from .meshes import MjcfMeshes
from .poses import Poses
from .settings import MAIN, Classes, MjcfSettings, integers, row, scalar, settings, some
from .tendons import MjcfTendons, tendons
from .tree import MjcfJoint, MjcfLink, MjcfPart, MjcfTree, Trees

Ends = tuple[Expression | None, Expression | None]


def fittings(text: str) -> Fittings:
    """Find limits, friction and shapes in an MJCF text; attributes that are not numbers stay omissions of the model."""
    root, findings = parse(text, "-").root, Findings("-")
    chosen, classes = settings(root, findings), Classes(root, findings)
    poses = Poses(chosen, findings)
    tree = Trees(classes, poses, findings).read(root)
    moving = [joint for _, joint in tree.joints if joint.type in ("hinge", "slide")]
    rough = ((joint, scalar(joint.element, "frictionloss", "0", findings)) for joint in moving)
    limits = {joint.name: _limit(joint, chosen, findings) for joint in moving}
    return Fittings(
        {name: limit for name, limit in limits.items() if limit is not None},
        {
            j.name: Friction(f"joint-friction/{j.name}", value, _softness(j.element, RUBBING, findings))
            for j, value in rough
            if value
        },
        tuple(_Shapes(root, classes, chosen).read(tree)),
        apart=frozenset(
            frozenset(None if x == WORLD else x for x in (e.attributes.get("body1"), e.attributes.get("body2")))
            for section in root.all("contact")
            for e in section.all("exclude")
        ),
        ropes=dict(_list_ropes(tree, tendons(root, tree, classes, poses, chosen, findings), chosen)),
    )


def _list_ropes(
    tree: MjcfTree, tendons: MjcfTendons, settings: MjcfSettings
) -> Iterator[tuple[str, tuple[Point, Point, Expression]]]:
    """Yield places, ends and greatest lengths of straight tendons whose range has no other end that they can reach."""
    moved = tree.aligned(settings)
    for tendon in tendons.found.values():
        match find_gaps(tendon.element, ZERO, settings), tendon.ends:
            case (low, length), (first, second) if low.value >= 0 and not {first.body, second.body} & {*moved}:
                yield f"joint-limit/{tendon.name}", (first, second, length)


#: Attributes of a geom that a shape holds, or that matter for its mass only.
HELD: Final = frozenset(
    {
        "name", "class", "type", "size", "mass", "density", "shellinertia", "group", "contype", "conaffinity", "rgba",
        "material", "mesh", "fromto", "pos", *TURNED,
    }
)  # fmt: skip
#: Last group of geoms that is drawn by default.
SEEN: Final = 2


class _Shapes:
    """Reader of geoms as shapes; those that cannot be read stay omissions."""

    def __init__(self, root: XmlElement, classes: Classes, settings: MjcfSettings) -> None:
        self.classes, self.settings = classes, settings
        self.assets = {tag: self._assets(root, tag) for tag in ("mesh", "material")}

    def _assets(self, root: XmlElement, tag: str) -> dict[str, XmlElement]:
        found = (self.classes.resolve(e, MAIN) for asset in root.all("asset") for e in asset.all(tag))
        return {e.attributes.get("name") or PurePosixPath(e.attributes.get("file", "")).stem: e for e in found}

    def read(self, tree: MjcfTree) -> Iterator[Shape]:
        """Yield the shapes of all bodies except free ones that MuJoCo describes in their principal axes."""
        aligned = tree.aligned(self.settings)
        for link in tree.links:
            for number, part in enumerate(() if link.name in aligned else link.geoms, 1):
                self.findings = Findings("-")
                self.poses = Poses(self.settings, self.findings)
                made = self._shape(link, number, part)
                if made is not None and not self.findings.errors:
                    yield made

    def _shape(self, link: MjcfLink, number: int, part: MjcfPart) -> Shape | None:
        element = part.element
        own = element.attributes.get("name") or f"{link.name}.{number}"
        kind = element.attributes.get("type", "sphere")
        idle = "contact" in self.settings.without
        contacts = tuple(integers(element, key, "1", self.findings)[0] for key in ("contype", "conaffinity"))
        (group,) = integers(element, "group", "0", self.findings)
        measured = self._measure(element, kind)
        if measured is None:
            return None
        size, pose, file, asset = measured
        untouched = all(element.attributes.get(key) == "0" for key in ("contype", "conaffinity"))
        colour, material = self._colour(element)
        return Shape(
            f"{'image' if untouched or idle else 'collision-shape'}/{own}", None if link.is_world else link.name, kind,
            size, (*part.within, *pose), group <= SEEN or not any(contacts), (contacts[0], contacts[1]), file,
            colour=colour, materials=tuple(f"material/{name}" for name in (asset, material) if name),
            left=tuple(key for key in element.attributes if key not in HELD),
        )  # fmt: skip

    def _measure(self, element: XmlElement, kind: str) -> tuple[tuple[Expression, ...], Steps, str, str] | None:
        """Return size, pose, mesh file and name of the asset of a geom; None if it cannot be a shape."""
        given, findings = element.attributes.get("mesh"), self.findings
        if kind == "mesh":
            asset = self.assets["mesh"].get(given or "")
            if asset is None or not asset.attributes.get("file"):
                return None
            away, turned = row(asset, "refpos", "0 0 0", findings), row(asset, "refquat", "1 0 0 0", findings)
            pose = (*self.poses.steps(element), *back(by_quaternion(turned) or ()), *shift([-x for x in away]))
            named = asset.attributes.get("name") or asset.attributes["file"]
            return tuple(row(asset, "scale", "1 1 1", findings)), pose, self._file(asset.attributes["file"]), named
        if given is not None or (kind not in SIZES and kind != "plane"):
            return None
        if kind == "plane":
            half = some(element, "size", 3, findings) or []
            return tuple(2 * x for x in half[:2]), self.poses.steps(element), "", ""
        meshes = MjcfMeshes(element, self.classes, self.settings, Inclusions("", "-", "", findings), findings)
        masses = MjcfMasses(MjcfTree(), meshes, self.poses, self.settings, findings)
        found = masses.size(element, kind)
        if found is None:
            return None
        halves = decimals(found[0][: SIZES[kind]])
        lengths = {"box": (2, 2, 2), "cylinder": (1, 2), "capsule": (1, 2)}.get(kind, (1, 1, 1))
        size = tuple(as_expression(x) * times for x, times in zip(halves, lengths, strict=False))
        pose = to_steps(found[1]) if "fromto" in element.attributes else self.poses.steps(element)
        return size, pose, "", ""

    def _file(self, file: str) -> str:
        """Return the path of a mesh file relative to the folder of the model."""
        if "://" in file:
            return file
        name = PurePosixPath(file).name if self.settings.strip_paths else file
        return str(PurePosixPath(self.settings.meshes, name))

    def _colour(self, element: XmlElement) -> tuple[tuple[Expression, ...] | None, str]:
        """Return the colour of a geom, and the name of its material if that has no texture."""
        name = element.attributes.get("material", "")
        material = self.assets["material"].get(name)
        plain = material is not None and "texture" not in material.attributes
        for each in (element, material):
            found = None if each is None else numbers_in(each, "rgba", 4, self.findings)
            if found:
                return tuple(found), name if plain else ""
        return None, name if plain else ""


def _limit(joint: MjcfJoint, settings: MjcfSettings, findings: Findings) -> Limit | None:
    unit = settings.angle if joint.type == "hinge" else ONE
    lower, upper = (
        (None, None) if "limit" in settings.without else _ends(joint.element, "range", "limited", settings, findings)
    )
    least, most = _ends(joint.element, "actuatorfrcrange", "actuatorfrclimited", settings, findings)
    effort = most if least is not None and most is not None and (least + most).value == 0 else None
    if lower is None and upper is None and effort is None:
        return None
    lower, upper = (None if end is None else end * unit for end in (lower, upper))
    return Limit(f"joint-limit/{joint.name}", lower, upper, effort, soft=_softness(joint.element, SOLVED, findings))


def _softness(element: XmlElement, keys: Iterable[str], findings: Findings) -> dict[str, tuple[float, ...]]:
    """Return the solver attributes of a stop or friction whose values differ from MuJoCo's defaults."""
    found = {key: tuple(map(real, some(element, key, 5, findings) or ())) for key in keys if key in USUAL}
    return {key: of for key, of in found.items() if of != USUAL[key][: len(of)]}


def _ends(element: XmlElement, key: str, flag: str, settings: MjcfSettings, findings: Findings) -> Ends:
    """Return both ends of a range if MuJoCo enforces it; an end is None if missing or very large."""
    limited = element.attributes.get(flag, "auto")
    found = numbers_in(element, key, 2, findings)
    if found is None or not (limited == "true" or (limited == "auto" and settings.autolimits)):
        return None, None
    return bound(found[0]), bound(found[1])
