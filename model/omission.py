"""What a reader met in a source and the model does not hold: it stands in every verdict about the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from .diagnostics import ModelError, error

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
    "connection": ("connection to an outer body", "connections to outer bodies"),
    "computed-inertia": ("inertia computed from an image", "inertias computed from images"),
    "joint-friction": ("dry friction of a joint", "dry frictions of joints"),
    "joint-damping": ("damping of a joint", "dampings of joints"),
    "joint-spring": ("spring of a joint", "springs of joints"),
    "tendon": ("tendon", "tendons"),
    "actuator": ("actuator", "actuators"),
    "closure": ("closure of a loop", "closures of loops"),
    "medium": ("fluid around the bodies", "fluids around the bodies"),
    "deformable": ("deformable body", "deformable bodies"),
    "rotor": ("rotor of a transmission", "rotors of transmissions"),
    "gravity": ("gravity of a subsystem", "gravities of subsystems"),
    "block": ("unknown block", "unknown blocks"),
    "attribute": ("unknown attribute", "unknown attributes"),
    "extension": ("extension for another program", "extensions for other programs"),
    "collision-shape": ("collision shape", "collision shapes"),
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


@dataclass(frozen=True, slots=True)
class Omission:
    """One thing that a reader left out of the model.

    Attributes
    ----------
    place : str
        What it is, as a path of names: ``contact/FL.foot``.
    kind : str
        A key of :data:`KINDS`.
    what : str
        The text of what was left out, verbatim where it is short.
    effect : "none", "forces", "inertia", "geometry" or "unknown"
        What of the motion it changes.
    parameters : tuple of str
        Parameters of the model that its text uses, by the model's names.

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(self.parameters))
        newer = "a newer mbconcord may have written it"
        for name, value, known in (("kind", self.kind, KINDS), ("effect", self.effect, EFFECTS)):
            if value not in known:
                message = f"unknown {name} of an omission {value!r}; known: {', '.join(known)}"
                raise ModelError(error(f"omissions/{self.place}", message, newer))
        if not self.place:
            raise ModelError(
                error("omissions", f"an omission of kind {self.kind!r} without a place", "name it")
            )

    @property
    def acts(self) -> bool:
        """Whether it acts, or may act, on the motion."""
        return self.effect != "none"

    def to_json(self) -> dict[str, str]:
        """Place, kind, text and effect."""
        return {"place": self.place, "kind": self.kind, "what": self.what, "effect": self.effect}


#: Kinds that act once a parameter which they use has another value than in the source, and their effect then.
UNTIL_CHANGED: Final[dict[str, Effect]] = {"computed-inertia": "inertia"}


def with_changed(omissions: Iterable[Omission], changed: Collection[str]) -> tuple[Omission, ...]:
    """What is left out of a model where these parameters have other values than in its source."""
    return tuple(
        replace(o, effect=UNTIL_CHANGED[o.kind])
        if o.kind in UNTIL_CHANGED and not set(changed).isdisjoint(o.parameters)
        else o
        for o in omissions
    )


def acting(omissions: Iterable[Omission]) -> dict[str, int]:
    """How many of each kind act, or may act, on the motion, in the order of :data:`KINDS`."""
    found = Counter(omission.kind for omission in omissions if omission.acts)
    return {kind: found[kind] for kind in KINDS if kind in found}


def counted(counts: Mapping[str, int]) -> str:
    """Counts of kinds in words: ``19 contacts, 1 bushing``."""
    return ", ".join(f"{n} {KINDS[kind][n != 1]}" for kind, n in counts.items())
