"""Omissions: parts of a source that the model does not hold. They appear in every verdict about the model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from mbconcord.records import dataclass, replace

from .diagnostics import ModelError, error
from .expressions import (
    ONE,
    TWO,
    ZERO,
    Expression,
    apply,
    cos,
    evaluate,
    numpy_arithmetic,
    rate,
    sin,
    sqrt,
    symbol,
    symbols,
)
from .limits import format_names
from .transformation import ElementaryTransformation, Vector

if TYPE_CHECKING:
    from .body import Body

Effect = Literal["none", "forces", "inertia", "geometry", "unknown"]
EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)

#: kind of what is left out -> what one is called, and what several are
KINDS: Final[dict[str, tuple[str, str]]] = {
    "contact": ("contact", "contacts"),
    "bushing": ("bushing", "bushings"),
    "linear-element": ("linear force element", "linear force elements"),
    "magnetic-force": ("magnetic force", "magnetic forces"),
    "special-force": ("special force", "special forces"),
    "bipolar-force": ("bipolar force", "bipolar forces"),
    "scalar-force": ("scalar force", "scalar forces"),
    "assumed-bushing": ("bushing", "bushings"),
    "assumed-linear": ("linear scalar force", "linear scalar forces"),
    "assumed-lfrc": ("linear force element", "linear force elements"),
    "assumed-stop": ("stop", "stops"),
    "assumed-contact": ("contact", "contacts"),
    "connection": ("connection to an outer body", "connections to outer bodies"),
    "computed-inertia": ("inertia computed from an image", "inertias computed from images"),
    "rigid-element": ("rigid element", "rigid elements"),
    "joint-friction": ("dry friction of a joint", "dry frictions of joints"),
    "stiction": ("joint that dry friction may hold at rest", "joints that dry friction may hold at rest"),
    "joint-damping": ("damping of a joint", "dampings of joints"),
    "joint-spring": ("spring of a joint", "springs of joints"),
    "tendon": ("tendon", "tendons"),
    "actuator": ("actuator", "actuators"),
    "joint": ("joint of an unseen type", "joints of unseen types"),
    "closure": ("closure of a loop", "closures of loops"),
    "medium": ("fluid around the bodies", "fluids around the bodies"),
    "deformable": ("deformable body", "deformable bodies"),
    "rotor": ("rotor of a transmission", "rotors of transmissions"),
    "subsystem": ("subsystem that does not stand in the file", "subsystems that do not stand in the file"),
    "gravity": ("gravity of a subsystem", "gravities of subsystems"),
    "block": ("unknown block", "unknown blocks"),
    "attribute": ("unknown attribute", "unknown attributes"),
    "extension": ("extension for another program", "extensions for other programs"),
    "collision-shape": ("collision shape", "collision shapes"),
    "saturation": ("limit of a drive", "limits of drives"),
    "joint-limit": ("limit of a joint", "limits of joints"),
    "calibration": ("calibration of a joint", "calibrations of joints"),
    "transmission": ("transmission", "transmissions"),
    "material": ("material", "materials"),
    "image": ("image", "images"),
    "curve": ("curve", "curves"),
    "variable": ("variable", "variables"),
    "sensor": ("sensor", "sensors"),
    "site": ("site", "sites"),
    "state": ("stored state", "stored states"),
    "setting": ("setting of a program", "settings of programs"),
    "page": ("page of identifiers", "pages of identifiers"),
    "procedure": ("generated procedure", "generated procedures"),
    "comment": ("comment", "comments"),
    "encoding": ("code page", "code pages"),
    "line-end": ("line end", "line ends"),
    "language": ("language of the headers", "languages of headers"),
    "sheet": ("sheet of a workbook", "sheets of a workbook"),
    "formula": ("formula of a workbook", "formulas of a workbook"),
}

#: Kind of contacts, ropes and stops whose forces only a motion in time has, as no formula of the state says them.
RIGID_ELEMENT: Final = "rigid-element"
#: Kinds of elements that the model holds by a law which the user assumes, as nobody knows theirs, and their page.
ASSUMED: Final = ("assumed-bushing", "assumed-linear", "assumed-lfrc", "assumed-stop", "assumed-contact")
#: Those of these whose law the option names, and no page.
STOP, TOUCH = NAMED = ("assumed-stop", "assumed-contact")
ASSUMPTIONS: Final = "docs/formats/um.md"
#: Kinds that a user may accept beforehand: what rests on an assumption never counts as proved.
ACCEPTABLE: Final = tuple(kind for kind in KINDS if kind not in ASSUMED)


@dataclass(frozen=True, slots=True)
class Omission:
    """One feature that a reader left out of the model.

    Attributes
    ----------
    place : str
        Name of the feature, as a path of names: ``contact/FL.foot``.
    kind : str
        A key of :data:`KINDS`.
    what : str
        The text of what was left out, verbatim where it is short.
    effect : "none", "forces", "inertia", "geometry" or "unknown"
        Part of the equations that the feature would change.
    parameters : tuple of str
        Parameters of the model that its text uses, by the model's names.
    gaps : tuple of Expression
        Formulas of coordinates, parameters and t, rad or m: the feature acts where one is negative. Empty: unknown.
    bodies : tuple of str
        Moving bodies in whose frames the numbers of its text are, if not in the fixed frame; empty: unknown.

    Raises
    ------
    ModelError
        The kind or the effect is not known, or there is no place.
    """

    place: str
    kind: str
    what: str
    effect: Effect = "unknown"
    parameters: tuple[str, ...] = ()
    gaps: tuple[Expression, ...] = ()
    bodies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(self.parameters))
        object.__setattr__(self, "gaps", tuple(self.gaps))
        newer = "a newer mbconcord may have written it"
        for name, value, known in (("kind", self.kind, KINDS), ("effect", self.effect, EFFECTS)):
            if value not in known:
                message = f"unknown {name} of an omission {value!r}; known: {', '.join(known)}"
                raise ModelError(error(f"omissions/{self.place}", message, newer))
        if not self.place:
            raise ModelError(error("omissions", f"an omission of kind {self.kind!r} without a place", "name it"))

    @property
    def acts(self) -> bool:
        """True if the feature acts, or may act, on the motion."""
        return self.effect != "none"

    def acts_on(self, quantity: str) -> bool:
        """Return True if the feature acts, or may act, on a quantity; unknown quantities depend on all forces."""
        spared = SPARED.get(self.effect, frozenset()) - SPARED_BY_KIND.get(self.kind, frozenset())
        return self.acts and quantity not in spared

    def to_json(self) -> dict[str, str]:
        """Convert the omission's place, kind, text and effect to a mapping."""
        return {"place": self.place, "kind": self.kind, "what": self.what, "effect": self.effect}


#: Effect -> quantities that are right without it: a force enters neither the mass matrix nor the bias forces.
SPARED: Final[dict[Effect, frozenset[str]]] = {
    "forces": frozenset({"M", "h", "gravity", "D", "gamma_tilde"}),
    "inertia": frozenset({"applied", "D", "gamma_tilde"}),
}
#: Kinds that act on some of these all the same: a row that is missing, a gravity.
SPARED_BY_KIND: Final[dict[str, frozenset[str]]] = {
    "closure": frozenset({"D", "gamma_tilde"}),
    "connection": frozenset({"D", "gamma_tilde"}),
    "gravity": frozenset({"gravity"}),
    "tendon": frozenset({"applied"}),
}

#: Kinds that act once a parameter which they use has another value than in the source, and their effect then.
UNTIL_CHANGED: Final[dict[str, Effect]] = {"computed-inertia": "inertia", "saturation": "forces"}
#: Kinds that act where the motion reaches them, and not before: no effect at a state does not mean no effect at all.
REACHED: Final = frozenset({"joint-limit", "stiction", "contact", "collision-shape", "saturation"})
#: Effect on the motion of one of these that is not known to be reached, in words.
WHERE_REACHED: Final = "where it is reached"


def with_changed(omissions: Iterable[Omission], changed: Collection[str]) -> tuple[Omission, ...]:
    """Update a model's omissions for parameters whose values differ from the source."""
    return tuple(
        replace(o, effect=UNTIL_CHANGED[o.kind])
        if o.kind in UNTIL_CHANGED and not set(changed).isdisjoint(o.parameters)
        else o
        for o in omissions
    )


def range_gaps(value: Expression | str, lower: Expression | None, upper: Expression | None) -> tuple[Expression, ...]:
    """Return the gaps between a coordinate and the ends of its range, of which either may be missing."""
    at = symbol(value) if isinstance(value, str) else value
    return (*(() if lower is None else (at - lower,)), *(() if upper is None else (upper - at,)))


#: What follows the name of a coordinate in that of its dry friction.
FRICTION: Final = "_friction"


def find_stiction(coordinate: str, said: str) -> Omission:
    """Return the omission of Coulomb's law at rest, which has no formula: up to its size friction balances a load."""
    gap = apply("abs", rate(coordinate)) + TWO * PASSED
    return Omission(f"stiction/{coordinate}", "stiction", said, "none", gaps=(gap,))


#: Bodies behind more joints are not watched, nor balls of a body beyond so many, nor planes; and so many gaps in all.
MOST_GAPS: Final = 10_000
DEEPEST: Final = 100
MOST_BALLS: Final = 200
MOST_PLANES: Final = 20
#: A point of a body and the semi-axes, as vectors, of the ellipsoid round it: none, of a point; two, of a disc.
Ball = tuple[Vector, tuple[Vector, ...]]
#: A point of a plane of the fixed frame and its unit normal.
Plane = tuple[Vector, Vector]


class PlaneGaps:
    """Heights of balls of bodies above planes; each plane is expressed in the frame of a body by that of its parent."""

    def __init__(self, bodies: Iterable[Body]) -> None:
        self.bodies: dict[str | None, Body] = {body.name: body for body in bodies}
        self._planes: dict[Plane, dict[str | None, tuple[Vector, Expression]]] = {}
        self.left = MOST_GAPS

    def above(self, plane: Plane, body: str | None, balls: Collection[Ball]) -> tuple[Expression, ...]:
        """Return the heights (m) of balls of a body above a plane; empty if there are more than the limits allow."""
        place, normal = plane
        found = self._planes.setdefault(plane, {None: (normal, ZERO - _dot(normal, place))})
        chain = [body]
        while chain[-1] is not None:
            chain.append(self.bodies[chain[-1]].parent)
        self.left -= len(balls)
        if len(chain) > DEEPEST or len(balls) > MOST_BALLS or len(self._planes) > MOST_PLANES or self.left < 0:
            return ()
        for parent, child in zip(chain[:0:-1], chain[-2::-1], strict=True):
            if child not in found:
                found[child] = _carried(*found[parent], self.bodies[child].joint)
        n, height = found[body]
        return tuple(
            height + _dot(n, point) - (sqrt(sum((_dot(n, a) ** 2 for a in axes), ZERO)) if axes else ZERO)
            for point, axes in balls
        )


def _carried(n: Vector, height: Expression, joint: Iterable[ElementaryTransformation]) -> tuple[Vector, Expression]:
    """Return a plane's normal, and the height of the origin above it, in the frame that a joint leads to."""
    for step in joint:
        u, s, along = step.axis, step.amount, _dot(n, step.axis)
        if step.is_translation:
            height = height + s * along
            continue
        across = (n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0])
        x, y, z = (n[i] * cos(s) + across[i] * sin(s) + u[i] * along * (ONE - cos(s)) for i in range(3))
        n = x, y, z
    return n, height


def _dot(a: Vector, b: Vector) -> Expression:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


#: A gap is passed below this, rad or m: the rounding of a state that stands at its stop.
PASSED: Final = -1e-9


def watchable(omissions: Iterable[Omission], known: Collection[str]) -> tuple[Omission, ...]:
    """Return the omissions; one whose gaps contain a symbol without a value loses its gaps."""
    return tuple(o if symbols(o.gaps) <= set(known) else replace(o, gaps=()) for o in omissions)


def find_reached(omissions: Iterable[Omission], values: Mapping[str, Any], passed: float = PASSED) -> dict[int, int]:
    """Map the index of each omission that the states (values (N,) of symbols) reach to the first state that does."""
    import numpy as np  # not before: a model is read without it

    found: dict[int, int] = {}
    for i, omission in enumerate(omissions):
        for gap in evaluate(omission.gaps, values, numpy_arithmetic()) if omission.gaps else ():
            beyond = np.flatnonzero(np.atleast_1d(np.asarray(gap, dtype=float)) < passed)
            if len(beyond):
                found[i] = min(int(beyond[0]), found.get(i, int(beyond[0])))
    return found


def with_reached(omissions: Iterable[Omission], reached: Collection[int]) -> tuple[Omission, ...]:
    """Return the omissions; those with these indices get the effect ``forces``, because the motion reaches them."""
    return tuple(replace(o, effect="forces") if i in reached and not o.acts else o for i, o in enumerate(omissions))


def acting(omissions: Iterable[Omission]) -> dict[str, int]:
    """Count the omissions of each kind that act, or may act, on the motion, in the order of :data:`KINDS`."""
    return count_kinds(omission for omission in omissions if omission.acts)


def count_kinds(omissions: Iterable[Omission]) -> dict[str, int]:
    """Count the omissions of each kind, in the order of :data:`KINDS`."""
    found = Counter(omission.kind for omission in omissions)
    return {kind: found[kind] for kind in KINDS if kind in found}


def format_counts(counts: Mapping[str, int], extensions: str = "", named: str = "") -> str:
    """Write ``19 contacts, 1 bushing``; append ``extensions`` to the extensions and ``named`` to the named laws."""
    said = {kind: f"{n} {KINDS[kind][n != 1]}{extensions * (kind == 'extension')}" for kind, n in counts.items()}
    own = [said.pop(kind) for kind in NAMED if kind in said]
    assumed = [said.pop(kind) for kind in ASSUMED if kind in said]
    laws = [f"law of {', '.join(assumed)} assumed as in {ASSUMPTIONS}"] * bool(assumed)
    laws += [f"law of {', '.join(own)} assumed by --assume{named}"] * bool(own)
    return ", ".join([*said.values(), *laws])


def format_acting(omissions: Iterable[Omission]) -> str:
    """Write in words how many omissions of each kind act; extensions are named as their places end."""
    found = [o for o in omissions if o.acts]
    told = (re.search(r"^extension/.*\(([A-Z]\w+: .+)\)$", o.place) for o in found)
    named = dict.fromkeys(match[1] for match in told if match)
    laws = find_laws(found)
    return format_counts(
        acting(found), f" ({format_names(named)})" if named else "", f" {','.join(laws)}" if laws else ""
    )


def split_assumed(omissions: Iterable[Omission]) -> tuple[tuple[Omission, ...], tuple[Omission, ...]]:
    """Return the omissions whose elements the model lacks, and those whose elements it has with an assumed law."""
    found = tuple(omissions)
    return tuple(o for o in found if o.kind not in ASSUMED), tuple(o for o in found if o.kind in ASSUMED)


def find_assumed(omissions: Iterable[Omission]) -> tuple[str, ...]:
    """Return the kinds of elements whose laws are assumed as in :data:`ASSUMPTIONS`, as the user names them."""
    kinds = (o.kind for o in omissions if o.kind in ASSUMED and o.kind not in NAMED)
    return tuple(dict.fromkeys(kind.removeprefix("assumed-") for kind in kinds))


def find_laws(omissions: Iterable[Omission]) -> tuple[str, ...]:
    """Return the laws that the option ``--assume`` names, as the user wrote them."""
    return tuple(dict.fromkeys(o.what.rpartition("; ")[2] for o in omissions if o.kind in NAMED))


def format_without(omissions: Iterable[Omission]) -> str:
    """Write in words what verdicts do not cover: ``without 19 contacts, law of 1 bushing assumed as in …``."""
    left_out, assumed = map(format_acting, split_assumed(omissions))
    return ", ".join(filter(None, (f"without {left_out}" if left_out else "", assumed)))
