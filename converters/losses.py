"""Features of a model that a format holds, declared once, and the losses that follow.

A format adds only its peculiarities: a value that it rounds, a name that it would misread. The parts
(:func:`coordinates`, :func:`bodies`, …) are separate so that a format lists losses in its own order;
:func:`list_losses` combines all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Set

from mbconcord.model.constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from mbconcord.model.contact import list_rigid
from mbconcord.model.coordinate import Coordinate, Effort, Motion
from mbconcord.model.diagnostics import Loss
from mbconcord.model.features import FEATURES, features, is_mapped
from mbconcord.model.force import Bipolar, Bushing, JointEffort, LinearLaw, PointForce, Torsion, Wrench, find_words
from mbconcord.model.limits import format_names
from mbconcord.model.omission import KINDS, REACHED, RIGID_ELEMENT, WHERE_REACHED, Omission
from mbconcord.model.system import System
from mbconcord.model.transformation import Prescribed
from mbconcord.records import dataclass, field, replace

from .spelling import MIXED

#: What a format may keep of a model beside the features -> what it means, for tables and messages
KEPT: dict[str, str] = {
    "initial_positions": "initial values of the coordinates",
    "initial_velocities": "initial values of their rates",
    "coordinate_order": "the order of the coordinates, whatever that of the joints",
    "coordinate_names": "names of coordinates",
    "body_names": "names of bodies",
    "force_names": "names of forces",
    "constraint_names": "names of constraints",
    "armature_names": "names of armatures",
    "points": "points of bodies that have names",
    "normal_forces": "parameters that are normal forces or vary with the time",
    "functions": "the author's functions by their names",
    "linear_laws": "the parts of a linear law of a force",
    "several_joint_forces": "several joint forces along one coordinate, each by itself",
    "masses_of_links": "the masses of bipolar elements and rods",
    "comments": "comments of the source, the text of each",
    "line_ends": "line ends of the source",
    "language": "the language of the source's headers",
    "elements": "contacts, ropes and stops by their laws, instead of formulas",
    "omissions": "what the reader of the source left out of the model",
}
#: Kind of omission -> key by which a format declares that it can hold this omission.
_DECLARED = {"comment": "comments", "line-end": "line_ends", "language": "language", "encoding": "encodings"}
_KNOWN_REASONS = {"metadata", "encodings"}
#: How much of a comment a loss shows.
LONGEST = 60

_WHAT: dict[type, tuple[str, str]] = {
    JointEffort: ("joint_efforts", "the joint force"),
    Bipolar: ("bipolar_forces", "the force between two points"),
    PointForce: ("point_forces", "the force at a point"),
    Wrench: ("wrenches", "the force and moment on a body"),
    Bushing: ("bushings", "the spring and damper between two frames"),
    Torsion: ("torsions", "the moment about an axis between two frames"),
    Rod: ("rods", "the rod"),
    PointCoincidence: ("point_coincidences", "the coincidence of two points"),
    FrameCoincidence: ("cut_joints", "the cut joint"),
    Holonomic: ("holonomic_rows", "the holonomic row"),
    Nonholonomic: ("nonholonomic_rows", "the nonholonomic row"),
}
_NAMES = {
    "coordinates": "coordinate_names",
    "bodies": "body_names",
    "forces": "force_names",
    "constraints": "constraint_names",
    "armatures": "armature_names",
}


@dataclass(frozen=True)
class Holds:
    """Features of a model that a format holds.

    ``features`` are keys of :data:`mbconcord.model.features.FEATURES`, ``kept`` of :data:`KEPT`. ``metadata`` is the
    prefix of the metadata entries that the format writes back (``""``: all), or None; ``encodings`` are the code pages
    that its files may have besides UTF-8, by Python's names. ``partly`` are features that the format holds in part: its
    writer names those that it cannot write. ``reason`` says why the rest is lost; ``reasons`` gives more exact ones, by
    key of either table, ``"metadata"`` or ``"encodings"``. A reason about a name may have the field ``{}`` for the name
    under which it is read.

    Raises
    ------
    ValueError
        A key is in neither table.
    """

    features: Set[str] = frozenset()
    kept: Set[str] = frozenset()
    metadata: str | None = None
    encodings: Set[str] = frozenset()
    reason: str = "the format does not hold it"
    reasons: Mapping[str, str] = field(default_factory=dict)
    partly: Set[str] = frozenset()

    def __post_init__(self) -> None:
        unknown = (
            {*self.features, *self.partly} - FEATURES.keys(),
            {*self.kept} - KEPT.keys(),
            {*self.reasons} - FEATURES.keys() - KEPT.keys() - _KNOWN_REASONS,
        )
        if any(unknown):
            raise ValueError(f"unknown of what a format holds: {', '.join(sorted(set().union(*unknown)))}")

    def __contains__(self, key: str) -> bool:
        """Return True if this feature, or key of :data:`KEPT`, is held."""
        return key in self.features or key in self.kept

    def why(self, key: str) -> str:
        """Return the reason why the feature or part with this key is lost."""
        return self.reasons.get(key, self.reason)


def list_losses(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield the losses of a model in a format, in the order of the model."""
    yield from order(system, holds)
    yield from coordinates(system, holds)
    yield from functions(system, holds)
    yield from bodies(system, holds)
    yield from elastic(system, holds)
    yield from forces(system, holds)
    yield from constraints(system, holds)
    yield from armatures(system, holds)
    yield from points(system, holds)
    yield from metadata(system, holds)
    yield from omissions(system, holds)


def without_rigid(system: System, holds: Holds) -> tuple[System, tuple[Loss, ...]]:
    """Return a model without rigid elements, as their forces are no formulas, and their losses; or all if held."""
    elements = {e: None for f in system.forces if (e := getattr(f, "element", None)) is not None}
    rigid = [] if "elements" in holds else list_rigid(elements)
    places = {f"{RIGID_ELEMENT}/{x.name}" for x in rigid}
    forces = tuple(f for f in system.forces if getattr(f, "element", None) not in rigid)
    omissions = tuple(o for o in system.omissions if o.place not in places)
    lost = (Loss(f"contacts/{x.name}", f"the rigid {type(x).__name__.lower()}", holds.reason) for x in rigid)
    return replace(system, forces=forces, omissions=omissions), tuple(lost)


def order(system: System, holds: Holds) -> Iterator[Loss]:
    """Report the order of coordinates as lost if the format reads them in the order of the joints."""
    own = {name for body in system.bodies for name in body.coordinates}
    steps = [step for body in system.bodies for step in body.joint]
    in_joints = tuple(dict.fromkeys(q for step in steps for q in step.moving if step.coordinate or q not in own))
    if "coordinate_order" not in holds and in_joints != system.coordinate_names:
        listed = ", ".join(system.coordinate_names)
        yield Loss("coordinates", f"the order {listed}", holds.why("coordinate_order"), acts=False)


def coordinates(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of initial values, drives and joint forces of the coordinates.

    A drive effort equals a joint force in the equations: a format that holds joint forces writes it as one.
    """
    forced = Counter(force.coordinate for force in system.forces if isinstance(force, JointEffort))
    for c in system.coordinates:
        place = f"coordinates/{c.name}"
        yield from _initial(c, holds)
        if isinstance(c.drive, Motion) and "motion_drives" not in holds:
            what = "the drive that imposes an acceleration"
            yield Loss(f"{place}/drive", what, holds.why("motion_drives"))
        elif isinstance(c.drive, Effort) and "effort_drives" not in holds:
            if "joint_efforts" in holds:
                added = " and added to it" if forced[c.name] else ""
                reason = f"it is written as the joint force{added}"
                yield Loss(f"{place}/drive", "that the effort is a drive", reason, acts=False)
            else:
                yield Loss(f"{place}/drive", "the drive that applies a force or torque", holds.why("effort_drives"))
        if forced[c.name] > 1 and "joint_efforts" in holds and "several_joint_forces" not in holds:
            what = f"the {forced[c.name]} joint forces"
            yield Loss(place, what, holds.why("several_joint_forces"), acts=False)


def initial_values(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of initial values of the coordinates and their rates alone."""
    for c in system.coordinates:
        yield from _initial(c, holds)


def _initial(c: Coordinate, holds: Holds) -> Iterator[Loss]:
    place = f"coordinates/{c.name}"
    if c.position and "initial_positions" not in holds:
        what = f"the initial position {c.position}"
        yield Loss(f"{place}/position", what, holds.why("initial_positions"), acts=False)
    if c.velocity and "initial_velocities" not in holds:
        what = f"the initial velocity {c.velocity}"
        yield Loss(f"{place}/velocity", what, holds.why("initial_velocities"), acts=False)


def functions(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of the author's functions."""
    if "functions" not in holds:
        for f in system.functions:
            yield Loss(f"functions/{f.name}", "the function", holds.why("functions"), acts=False)


def bodies(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of added inertia and flywheels of the bodies."""
    for body in system.bodies:
        place = f"bodies/{body.name}"
        if body.added_inertia is not None and "added_inertia" not in holds:
            yield Loss(f"{place}/added_inertia", "the added inertia of the fluid", holds.why("added_inertia"))
        if "flywheels" not in holds:
            for wheel in body.flywheels:
                what = "the flywheel with its mass"
                yield Loss(f"{place}/flywheels/{wheel.name}", what, holds.why("flywheels"))


def elastic(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of elastic modes with their coordinates, and of elastic nodes that carry bodies: a writer without
    modes writes the model that :func:`mbconcord.model.elastic.rigid.rigid` returns.
    """
    if "elastic_modes" in holds:
        return
    for body in system.bodies:
        place = f"bodies/{body.name}"
        if body.modes is not None:
            named = f" with {format_names(body.modal)}" if body.modal else ""
            yield Loss(f"{place}/modes", f"the elastic modes{named}", holds.why("elastic_modes"))
        if body.parent_node is not None:
            what = f"the motion of the elastic node {body.parent_node!r}"
            yield Loss(f"{place}/parent_node", what, holds.why("elastic_modes"))
    modal = {name for body in system.bodies for name in body.modal}
    for force in system.forces:
        if isinstance(force, JointEffort) and force.coordinate in modal:
            yield Loss(f"forces/{force.name}", "the force along an elastic mode", holds.why("elastic_modes"))


def forces(system: System, holds: Holds, read_as: Mapping[str, str] | None = None) -> Iterator[Loss]:
    """Yield losses of forces, of parts of their laws, of their masses, and of names that change when read back."""
    for force in system.forces:
        place = f"forces/{force.name}"
        feature, what = _WHAT[type(force)]
        mass = isinstance(force, Bipolar) and bool(force.mass)
        element = getattr(force, "element", None)
        if isinstance(force, (PointForce, Wrench)) and force.follows:
            feature, what = "follower_forces", f"{what}, which follows the body"
        if element is not None:
            what = f"{what} of the {type(element).__name__.lower()}"
        if feature not in holds:
            reason = holds.why(feature) if element is None else holds.reason
            yield Loss(place, f"{what} with its mass" if mass else what, reason)
            continue
        if mass and "masses_of_links" not in holds:
            yield Loss(place, "its mass", holds.why("masses_of_links"))
        if element is not None and "elements" not in holds:
            yield Loss(place, f"the {type(element).__name__.lower()}", holds.why("elements"), acts=False)
        if isinstance(force, (JointEffort, Bipolar, Torsion)):
            law = force.effort if isinstance(force, JointEffort) else force.law
            if isinstance(law, LinearLaw) and "linear_laws" not in holds:
                yield Loss(place, "the structure of the linear law", holds.why("linear_laws"), acts=False)
        yield from list_rename_losses("forces", force.name, holds, read_as)


def constraints(system: System, holds: Holds, read_as: Mapping[str, str] | None = None) -> Iterator[Loss]:
    """Yield losses of constraints, of masses of rods, and of names that change when read back."""
    for constraint in system.constraints:
        place = f"constraints/{constraint.name}"
        feature, what = _WHAT[type(constraint)]
        if feature not in holds:
            rolls = getattr(constraint, "element", None)
            yield Loss(
                place, what if rolls is None else f"{what} of the rolling body {rolls.body!r}", holds.why(feature)
            )
            continue
        if isinstance(constraint, Rod) and constraint.mass and "masses_of_links" not in holds:
            yield Loss(place, "its mass", holds.why("masses_of_links"))
        yield from list_rename_losses("constraints", constraint.name, holds, read_as)


def armatures(system: System, holds: Holds, read_as: Mapping[str, str] | None = None) -> Iterator[Loss]:
    """Yield losses of armatures (inertia along coordinates), and of their names that change when read back."""
    for armature in system.armatures:
        if "armatures" not in holds:
            what = f"the inertia along {format_names(armature.coefficients)} alone"
            yield Loss(f"armatures/{armature.name}", what, holds.why("armatures"))
        else:
            yield from list_rename_losses("armatures", armature.name, holds, read_as)


def points(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of named points; the loss of a point that a formula uses changes the motion."""
    words = find_words(system.coordinates, system.forces) if system.points else ()
    used = {name for word in words for name in (word.place, word.along)}
    for p in system.points if "points" not in holds else ():
        if p.element is not None and "kinematic_words" not in holds:
            continue  # its forces are lost
        yield Loss(f"points/{p.name}", f"the point of {p.body!r}", holds.why("points"), acts=p.name in used)
    yield from normal_forces(system, holds)


def normal_forces(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of parameters that are normal forces or vary with time: written without a value, or not at all."""
    for p in system.parameters if "normal_forces" not in holds else ():
        if p.varies is not None:
            yield Loss(f"parameters/{p.name}", f"its change with the time, {p.varies}", holds.why("normal_forces"))
        if p.normal and p.value is None:
            yield Loss(f"parameters/{p.name}", f"the normal force of {p.normal!r}", holds.why("normal_forces"))


def in_time(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of prescribed motions and of motions by maps, for formats that write both as constants at t = 0."""
    for body in system.bodies:
        if is_mapped(body.joint):
            yield Loss(f"bodies/{body.name}/joint", "the motion by a map of coordinates", holds.why("mapped_motion"))
        if any(isinstance(et.motion, Prescribed) for et in body.joint):
            yield Loss(f"bodies/{body.name}/joint", "the motion in time", holds.why("prescribed_motion"))
    for c in system.constraints if "cut_joints" in holds.partly else ():
        steps = (*c.first.transformations, *c.second.transformations) if isinstance(c, FrameCoincidence) else ()
        if any(isinstance(et.motion, Prescribed) for et in steps):
            yield Loss(f"constraints/{c.name}/frames", "the motion in time", holds.why("prescribed_motion"))


def parameters(
    system: System, used: Collection[str], written: str, held: Mapping[str, str] | None = None
) -> Iterator[Loss]:
    """Yield losses of parameters where numbers are written; ``written`` names the text, ``used`` its parameters.

    Those of ``held`` are controls of actuators, which are read back.
    """
    for p in system.parameters:
        if held and f"parameters/{p.name}" in held:
            if p.value:
                why = f"controls are no part of the {written}: they are zero"
                yield Loss(f"parameters/{p.name}", f"the control {p.value}", why)
        elif p.value is None and p.name not in used:
            yield Loss(f"parameters/{p.name}", "the parameter", f"nothing in the {written} uses it", acts=False)
        elif p.value is not None:
            yield Loss(f"parameters/{p.name}", "the name of its value", "numbers are written", acts=False)


def acting(system: System, holds: Holds, held: Mapping[str, str]) -> Iterator[Loss]:
    """Yield losses of forces, constraints, armatures, points; ``held`` maps places of written parts to names there."""
    kinds = (("forces", forces), ("constraints", constraints), ("armatures", armatures))
    for kind, parts in kinds:
        yield from (loss for loss in parts(system, holds) if loss.place not in held)
        for item in getattr(system, kind):
            place = f"{kind}/{item.name}"
            if place in held:
                yield from list_rename_losses(kind, item.name, holds, {item.name: held[place]})
    yield from points(system, holds)


def metadata(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of metadata entries of other formats."""
    for key in sorted(system.metadata):
        if holds.metadata is None or not key.startswith(holds.metadata):
            yield Loss(f"metadata/{key}", "what another format kept there", holds.why("metadata"), acts=False)


def omissions(system: System, holds: Holds) -> Iterator[Loss]:
    """Yield losses of the model's omissions; a format that writes its source text back loses only the code page."""
    own = bool(holds.metadata) and any(key.startswith(holds.metadata or "") for key in system.metadata)
    if "omissions" not in holds:
        lost = (o for o in system.omissions if not own or (o.kind == "encoding" and o.what != "utf-8-sig"))
        yield from list_omission_losses(lost, holds)


def list_omission_losses(left_out: Iterable[Omission], holds: Holds) -> Iterator[Loss]:
    """Yield a loss of each omission that a format cannot hold; it may hold comments, line ends and code pages alone."""
    for omission in left_out:
        key = _DECLARED.get(omission.kind, "omissions")
        if key == "encodings":
            held = omission.what in holds.encodings
        else:
            held = key in holds and omission.what != MIXED
        if not held:
            yield Loss(f"omissions/{omission.place}", _left_out(omission), holds.why(key), omission.acts)


def _left_out(omission: Omission) -> str:
    """Describe in words what an omission left out."""
    what = f"the {KINDS[omission.kind][0]}"
    if omission.kind in _DECLARED:
        shown = omission.what if len(omission.what) <= LONGEST else f"{omission.what[:LONGEST]}…"
        return f"{what} {shown}"
    effect = WHERE_REACHED if omission.kind in REACHED and not omission.acts else omission.effect
    return f"{what} that the reader left out (effect on the motion: {effect})"


def list_rename_losses(kind: str, name: str, holds: Holds, read_as: Mapping[str, str] | None = None) -> Iterator[Loss]:
    """Report the loss of a part's name that is read back as another (``read_as``: names read, None if unknown)."""
    key = _NAMES[kind]
    if key not in holds and (read_as is None or read_as.get(name, name) != name):
        instead = "" if read_as is None else read_as[name]
        yield Loss(f"{kind}/{name}", f"the name {name!r}", holds.why(key).format(instead), acts=False)


def list_unnamed_losses(
    system: System, holds: Holds, named: Iterable[Loss], fitted: Collection[str] = ()
) -> Iterator[Loss]:
    """Yield losses of unsupported features and omissions that the writer did not name: none is dropped silently.

    ``fitted`` are the places of omissions and of forces that the written text holds after all.
    """
    places = [*(loss.place for loss in named), *fitted, *(f"omissions/{place}" for place in fitted)]
    for feature, place in features(system):
        said = any(p == place or p.startswith(f"{place}/") for p in places)
        if feature not in holds and feature not in holds.partly and not said:
            yield Loss(place, FEATURES[feature], holds.why(feature))
    yield from (loss for loss in omissions(system, holds) if loss.place not in places)
