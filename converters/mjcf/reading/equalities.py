"""Equalities as constraints: connections, welds, and polynomials between joints or tendons."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import FloatPose, compose_pose, decimals, to_steps
from mbconcord.converters.poses import by_quaternion
from mbconcord.converters.xml_attributes import numbers_in, read_name
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import Frame, FrameCoincidence, Holonomic, Point, PointCoincidence, shift
from mbconcord.model.constraint import Constraint
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import ZERO, Expression, symbol
from mbconcord.model.transformation import vector

from .bodies import reference
from .poses import Poses
from .settings import MAIN, Classes, MjcfSettings, row, scalar, some, yes
from .tendons import MjcfTendons
from .tree import MjcfLink, MjcfPart, MjcfTree

SOFT = "MuJoCo holds equalities by stiff springs: here they hold exactly"


class Equalities:
    """Reader of a document's equalities; ``unread`` are equalities of kinds that no constraint can express."""

    def __init__(
        self,
        tree: MjcfTree,
        tendons: MjcfTendons,
        classes: Classes,
        poses: Poses,
        settings: MjcfSettings,
        findings: Findings,
    ) -> None:
        self.tree, self.tendons, self.classes = tree, tendons, classes
        self.poses, self.settings, self.findings = poses, settings, findings
        self.joints = {joint.name: joint for _, joint in tree.joints}
        self.unread: list[tuple[str, XmlElement]] = []

    def read(self, root: XmlElement) -> Iterator[Constraint]:
        """Yield a constraint for each active equality."""
        names: set[str] = set()
        for section in root.all("equality"):
            for child in section.children:
                element = self.classes.resolve(child, MAIN, "equality")
                name = child.attributes.get("name") or f"{child.tag}{len(names) + 1}"
                while name in names:
                    name = f"{name}_{len(names)}"  # equal names of thousands cost what they are
                names.add(name)
                if not yes(element, "active", self.findings, "true") or "equality" in self.settings.without:
                    continue
                made = self._build_constraint(name, child.tag, element)
                if made is None:
                    self.unread.append((name, child))
                    continue
                self.findings.locations[f"constraints/{name}"] = child.at
                self.findings.remark("note", "soft", child.at, SOFT, place=f"constraints/{name}")
                yield made

    def _build_constraint(self, name: str, kind: str, element: XmlElement) -> Constraint | None:
        if kind == "connect":
            return self._read_connect(name, element)
        if kind == "weld":
            return self._read_weld(name, element)
        if kind in ("joint", "tendon"):
            return self._polynomial(name, kind, element)
        return None

    def _body(self, element: XmlElement, key: str, needed: bool) -> MjcfLink | None:
        if not needed and key not in element.attributes:
            return self.tree.links[0]
        name = read_name(element, key, self.findings)
        if name is not None and name not in self.tree.by_name:
            self.findings.refuse(element.at, f"there is no body {name!r}", among(name, self.tree.by_name))
        return self.tree.by_name.get(name or "")

    def _sites(self, element: XmlElement) -> list[tuple[MjcfLink, MjcfPart]] | None:
        """Return the two sites of an equality between sites; None for one between bodies."""
        if "site1" not in element.attributes and "site2" not in element.attributes:
            return None
        found = []
        for key in ("site1", "site2"):
            name = read_name(element, key, self.findings)
            if name is not None and name not in self.tree.sites:
                self.findings.refuse(element.at, f"there is no site {name!r}", among(name, self.tree.sites))
            elif name is not None:
                found.append(self.tree.sites[name])
        return found if len(found) == 2 else []

    def _pose(self, part: MjcfPart) -> FloatPose:
        return compose_pose(part.within).then(self.poses.pose(part.element))

    def _read_connect(self, name: str, element: XmlElement) -> Constraint | None:
        """Return the coincidence of two sites, or of points of bodies 1 and 2 that are at one place in the file."""
        sites = self._sites(element)
        if sites is not None:
            if len(sites) != 2:
                return PointCoincidence(name, Point(None), Point(None))
            ends = [Point(_name(link), vector(decimals(self._pose(part).p))) for link, part in sites]
            return PointCoincidence(name, *ends)
        one, other = self._body(element, "body1", True), self._body(element, "body2", False)
        anchor = numbers_in(element, "anchor", 3, self.findings)
        if one is None or other is None or anchor is None:
            if "anchor" not in element.attributes:
                self.findings.refuse(element.at, "<connect> without anchor", 'anchor="x y z" is needed')
            return PointCoincidence(name, Point(None), Point(None))
        there = one.pose.then(FloatPose(np.eye(3), np.array([float(x.value) for x in anchor])))
        at = there.seen_from(other.pose).p
        return PointCoincidence(name, Point(_name(one), vector(anchor)), Point(_name(other), vector(decimals(at))))

    def _read_weld(self, name: str, element: XmlElement) -> Constraint | None:
        """Weld a frame of body 2 at ``anchor`` to one of body 1: at ``relpose``, or where it is at the reference.

        If ``torquescale`` is zero only their origins coincide.
        """
        sites = self._sites(element)
        if not scalar(element, "torquescale", "1", self.findings):
            return self._hold_origins(name, element, sites)
        if sites is not None:
            frames = [Frame(_name(link), to_steps(self._pose(part))) for link, part in sites]
            return FrameCoincidence(name, *(frames if len(frames) == 2 else [Frame(None), Frame(None)]))
        one, other = self._body(element, "body1", True), self._body(element, "body2", False)
        if one is None or other is None:
            return FrameCoincidence(name, Frame(None), Frame(None))
        anchor = shift(row(element, "anchor", "0 0 0", self.findings))
        given = row(element, "relpose", "0 1 0 0 0 0 0", self.findings)
        turns = by_quaternion(given[3:])
        if turns is None:
            held = other.pose.then(compose_pose(anchor)).seen_from(one.pose)
        else:
            held = FloatPose(compose_pose(turns).R, np.array([float(x.value) for x in given[:3]]))
        return FrameCoincidence(name, Frame(_name(one), to_steps(held)), Frame(_name(other), anchor))

    def _hold_origins(
        self, name: str, element: XmlElement, sites: list[tuple[MjcfLink, MjcfPart]] | None
    ) -> Constraint | None:
        """Return the coincidence of the origins of a weld's frames, without that of their axes."""
        if sites is not None:
            return self._read_connect(name, element)
        held = self._read_weld(name, XmlElement(element.tag, element.attributes | {"torquescale": "1"}, element.at))
        assert isinstance(held, FrameCoincidence)
        ends = (
            Point(end.body, vector(decimals(compose_pose(end.transformations).p))) for end in (held.first, held.second)
        )
        return PointCoincidence(name, *ends)

    def _polynomial(self, name: str, kind: str, element: XmlElement) -> Constraint | None:
        """Return the constraint (y - y₀) - Σ a_k (x - x₀)^k = 0; y₀ and x₀ are the values at the reference."""
        first = self._deviation(element, f"{kind}1", kind, True)
        second = self._deviation(element, f"{kind}2", kind, False)
        a = some(element, "polycoef", 5, self.findings)
        coefficients = [
            *(a or []),
            *row(XmlElement("", {}, element.at), "x", "0 1 0 0 0", self.findings)[len(a or []) :],
        ]
        if first is None:
            return None
        total: Expression = coefficients[0]
        power = second if second is not None else ZERO
        for c in coefficients[1:] if second is not None else ():
            total = total + c * power
            power = power * second if second is not None else ZERO
        return Holonomic(name, first - total)

    def _deviation(self, element: XmlElement, key: str, kind: str, needed: bool) -> Expression | None:
        """Return the deviation of a joint or tendon from its reference value; None if it has no single coordinate."""
        if not needed and key not in element.attributes:
            return None
        name = read_name(element, key, self.findings)
        if name is None:
            return None
        known = self.joints if kind == "joint" else self.tendons.found
        if name not in known:
            self.findings.refuse(element.at, f"there is no {kind} {name!r}", among(name, known))
            return None
        if kind == "joint":
            joint = self.joints[name]
            if joint.type not in ("hinge", "slide"):
                return None
            return symbol(name) - reference(joint, self.settings, self.findings)
        tendon = self.tendons.found[name]
        if not tendon.coefficients:
            return None
        start = {n: reference(self.joints[n], self.settings, self.findings) for n in tendon.coefficients}
        return tendon.length() - tendon.length(start)


def _name(link: MjcfLink) -> str | None:
    return None if link.is_world else link.name
