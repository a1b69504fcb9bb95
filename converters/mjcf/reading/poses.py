"""Poses of elements: exact transformations, and the same in floats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import FloatPose, compose_pose, turned_to
from mbconcord.converters.poses import Steps, by_quaternion
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import Constant, ElementaryTransformation, rotation, shift
from mbconcord.model.expressions import PI_NODE, Expression, apply, sqrt

from ..vocabulary import TURNED
from .settings import MjcfSettings, row


class Poses:
    """Reader of poses in the units of a model."""

    def __init__(self, settings: MjcfSettings, findings: Findings) -> None:
        self.settings, self.findings = settings, findings

    def steps(self, element: XmlElement) -> Steps:
        """Return constant transformations to an element's frame: a shift, then rotations; none for zeros."""
        return (*shift(row(element, "pos", "0 0 0", self.findings)), *self.turns(element))

    def turns(self, element: XmlElement) -> Steps:
        """Return the rotations by the orientation attribute of an element."""
        given = [key for key in TURNED if key in element.attributes]
        if len(given) > 1:
            message = f"<{element.tag}> with {' and '.join(given)}"
            self.findings.refuse(element.at, message, "it is turned by one of them")
        if not given:
            return ()
        ways = {
            "quat": self._quaternion, "axisangle": self._about_axis, "euler": self._euler, "xyaxes": self._axes,
            "zaxis": self._read_zaxis,
        }  # fmt: skip
        count = {"quat": 4, "axisangle": 4, "xyaxes": 6}.get(given[0], 3)
        values = numbers_in(element, given[0], count, self.findings)
        return () if values is None else ways[given[0]](element, values)

    def _none(self, element: XmlElement, what: str) -> Steps:
        self.findings.refuse(
            element.at, f"{what} of <{element.tag}>: it has no direction", "the length does not matter"
        )
        return ()

    def _quaternion(self, element: XmlElement, values: Sequence[Expression]) -> Steps:
        found = by_quaternion(values)
        return self._none(element, "quat") if found is None else found

    def _about_axis(self, element: XmlElement, values: Sequence[Expression]) -> Steps:
        *axis, angle = values
        if not any(axis):
            return self._none(element, "axisangle")
        return (rotation(axis, Constant(angle * self.settings.angle)),) if angle else ()

    def _euler(self, element: XmlElement, values: Sequence[Expression]) -> Steps:
        """Return rotations in the order of the sequence: about rotated axes (small letters), or about fixed ones."""
        found: list[ElementaryTransformation] = []
        for letter, angle in zip(self.settings.sequence, values, strict=True):
            if angle:
                made = rotation(letter.lower(), Constant(angle * self.settings.angle))
                found.insert(len(found) if letter.islower() else 0, made)
        return tuple(found)

    def _read_zaxis(self, element: XmlElement, values: Sequence[Expression]) -> Steps:
        """Return the smallest rotation of z to a direction a: by atan2(|ẑ × a|, ẑ · a) about ẑ × a = (-a_y, a_x, 0)."""
        x, y, z = values
        if not (x or y):
            return self._none(element, "zaxis") if not z else () if z.value > 0 else (rotation("x", PI_NODE),)
        return (rotation((-y, x, 0), Constant(apply("atan2", sqrt(x * x + y * y), z))),)

    def _axes(self, element: XmlElement, values: Sequence[Expression]) -> Steps:
        """Return the rotation to a frame with given x axis and a y axis that is made orthogonal to it."""
        given = np.array([float(v.value) for v in values]).reshape(2, 3)
        x, y = given[0], given[1]
        with np.errstate(all="ignore"):
            x = x / np.linalg.norm(x)
            y = y - x * (x @ y)
            y = y / np.linalg.norm(y)
        if not np.isfinite([x, y]).all() or abs(np.linalg.norm(np.cross(x, y)) - 1) > 1e-6:
            return self._none(element, "xyaxes")
        return turned_to(np.stack([x, y, np.cross(x, y)], axis=1))

    def pose(self, element: XmlElement) -> FloatPose:
        """Return the pose of an element's frame, in floats."""
        return compose_pose(self.steps(element))
