"""The planar forms as derivations in the coordinates of a system."""

from __future__ import annotations

from importlib import import_module

from mbconcord.model import System
from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.expressions import ZERO
from mbconcord.model.lazy import Lazy

from .forms.equations import Equations
from .linkage import Leaves, Linkage
from .loads import Loads, Places
from .planarity import linkage
from .stages import planar_stages
from .tree import tree

#: The planar forms by name, in the paper's order; each is a module of :mod:`.forms`.
PLANAR = (
    "rud", "absolute", "absolute-sums", "absolute-recurrent",
    "relative", "relative-sums", "relative-recurrent", "matrix",
)  # fmt: skip


def equations(form: str, p: Linkage) -> Equations:
    """Return the equations of a linkage in a planar form."""
    made: Equations = import_module(f"{__package__}.forms.{form.replace('-', '_')}").equations(p)
    return made


def derive(formalism: str, given: System, system: System, form: str, leaves: Leaves) -> Derivation:
    """Derive the canonical quantities of a planar linkage by a form; ``system`` has lumped masses.

    M_k of a form is the drive alone, so inverse dynamics is M_k less the efforts along the coordinate.
    """
    links = tree(system)
    places = Places(links)
    loads = Loads(system, links, places)
    p, sense = linkage(system, links, loads, leaves)
    made = equations(form, p)
    names = system.coordinate_names
    number, efforts = links.of_coordinate, loads.efforts
    quantities: dict[str, Nested] = {
        "M": tuple(
            tuple(sense[a] * sense[b] * made.mass.get((number[a], number[b]), ZERO) for b in names) for a in names
        ),
        "h": tuple(sense[a] * made.h[number[a]] for a in names),
        "gravity": tuple(sense[a] * p.G0[number[a]] for a in names),
        "applied": tuple(sense[a] * p.M_sum[number[a]] + efforts[a] for a in names),
        "inverse_dynamics": tuple(sense[a] * made.drives[number[a]] - efforts[a] for a in names),
    }
    bodies = tuple(body.name for body in given.bodies)
    native = Lazy({"r": lambda: tuple(places.origin(name) for name in bodies)}) | made.native
    indices = {"r": (bodies, ("x", "y", "z"))}
    named = planar_stages(p, made, links, system)
    return Derivation(formalism, given, quantities, named, native, indices=indices)
