"""Inputs of a list of equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbconcord.model import System
from mbconcord.model.expressions import Expression
from mbconcord.records import dataclass, replace

from .. import planarity
from ..closed import cuts
from ..closed.loops import Cut
from ..linkage import Linkage
from ..loads import Loads, Places
from ..tree import tree


@dataclass(frozen=True)
class Given:
    """Inputs of a list of equations.

    Attributes
    ----------
    system : the model, with its constraints
    linkage, sense : its tree as a planar linkage, and 1 or -1 by coordinate
    coordinates, bodies : of the links, in order
    efforts : drive efforts of the model, by coordinate
    cuts : its constraints as cut joints
    """

    system: System
    linkage: Linkage
    sense: Mapping[str, Expression]
    coordinates: Sequence[str]
    bodies: Sequence[str]
    efforts: Mapping[str, Expression]
    cuts: Sequence[Cut] = ()


def prepare_given(system: System) -> Given:
    """Prepare a system that the planar forms accept."""
    opened = replace(system.lump_masses(), constraints=())
    links = tree(opened)
    loads = Loads(opened, links, Places(links))
    plane = planarity.plane_of(links)
    p, sense = planarity.linkage(opened, links, loads, "components")
    return Given(
        system,
        p,
        sense,
        tuple(link.coordinate or "" for link in links.links.values()),
        tuple(link.body for link in links.links.values()),
        loads.efforts,
        tuple(cuts.cut(c, links, plane) for c in system.constraints),
    )
