"""Transformations that are one joint of several coordinates, as it would be read."""

from __future__ import annotations

from collections.abc import Set

from mbconcord.converters.steps import Transformations
from mbconcord.model import System
from mbconcord.model.transformation import Vector

from ..reading.motions import floating, planar
from ..vocabulary import FLOATING, PLANAR


def whole(
    moving: Transformations, system: System, single: Set[str]
) -> tuple[str, str, Vector | None, int] | None:
    """Name, kind, axis and number of transformations of a planar or floating joint, as it would be read."""
    names = system.coordinate_names
    for kind, endings in (("floating", FLOATING), ("planar", PLANAR)):
        count = len(endings)
        found = tuple(et.coordinate or "" for et in moving[:count])
        name = found[0].removesuffix(endings[0]) if found else ""
        if found != tuple(name + ending for ending in endings) or any(et.coordinate for et in moving[count:]):
            continue
        at = names.index(found[0])
        axis = moving[count - 1].axis
        made = floating(name) if kind == "floating" else planar(name, axis)
        if made == tuple(moving[:count]) and names[at : at + count] == found and {*single}.isdisjoint(found):
            return name, kind, None if kind == "floating" else axis, count
    return None
