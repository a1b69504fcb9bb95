"""Causes of converters to OpenUSD: what they change or leave out, undone one by one, and what is left then.

A cause is a correction: of the stage, if it states less than the model, or of the model, if the converter misread it.
It is stated only if the two models come nearer by this correction, all others being made already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from mbconcord.converters import registry
from mbconcord.converters.floats import decimal_of, real
from mbconcord.converters.xml_text import XmlElement, parse, print_lines
from mbconcord.model.body import Armature, Body, Inertia, tensor
from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.coordinate import Coordinate, Parameter
from mbconcord.model.diagnostics import MbconcordError, ModelError
from mbconcord.model.expressions import ONE, ZERO, ExpressionError
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.force import JointEffort
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, rotation, vector
from mbconcord.records import dataclass, replace

from ..judge.kinematics import turn
from ..judge.motion import Array
from ..witnesses.peers.known import INERTIA_OF_ROTOR, drop, find_rotors, forget_attribute, list_quaternions
from .groups import place_mass

#: What the reader of a stage keeps beside the model, and the texts of models that are converted.
STAGE: Final = "usd:text"
TEXTS: Final = {"urdf:text": "urdf", "mjcf:text": "mjcf"}
#: Numbers of bodies are the same where they differ by less, of the largest: singles, and sums of them.
SAME: Final = 2e-6
#: Turns that are so small (rad) may be changed in single precision; turns are the same where they differ by less.
SMALL, ALIKE = 0.5, 2e-7
#: Of a difference, and of scale: what a cause has to leave less.
LESS: Final = 1e-9
MOST_NAMED: Final = 4
#: Of free joints, what a converter drops.
FREE: Final = ("damping", "armature")
Pair = tuple[System, System]
#: Measures two models: how far they are apart, in all and at most, of scale; infinite where they cannot be compared.
Measure = Callable[[System, System], tuple[float, float]]


@dataclass(frozen=True)
class UndoneCause:
    """A cause in words, and both models, the converted one last, with the cause undone."""

    said: str
    apply: Callable[[System, System], Pair]


@dataclass(frozen=True)
class UndoneCauses:
    """Verified causes, both models with these undone, and the largest difference left, relative to its scale."""

    causes: tuple[str, ...]
    models: Pair
    left: float


def find_converted(a: System, b: System, measure: Measure) -> UndoneCauses | None:
    """Find what a converter changed between a model and a stage, A or B; None if no correction brings them nearer."""
    if (STAGE in a.metadata) == (STAGE in b.metadata):
        return None
    turned = STAGE in a.metadata
    model, stage = (b, a) if turned else (a, b)

    def apart(pair: Pair) -> tuple[float, float]:
        return measure(*(pair[::-1] if turned else pair))

    found: list[UndoneCause] = []
    pair = model, stage
    for list_corrections in (_texts, _parallel, _lost, _unsaid, _turns):
        with suppress(ExpressionError):  # a number of a body is a formula of parameters
            for correction in list_corrections(*pair):
                found.append(correction)
                pair = correction.apply(*pair)
    stops = tuple(_list_unmoved(model, stage))
    if not found:
        return UndoneCauses(stops, (a, b), apart(pair)[1]) if stops else None
    least, left = apart(_make(found, (model, stage)))
    while found:  # one that brings them no nearer hides what the others do
        rests = [apart(_make([x for x in found if x is not one], (model, stage))) for one in found]
        at = min(range(len(found)), key=rests.__getitem__)
        if rests[at][0] > least + LESS * max(1.0, least):
            break
        (least, left), found = rests[at], [x for x in found if x is not found[at]]
    if not np.isfinite(least) or not (found or stops):
        return None
    made = _make(found, (model, stage))
    return UndoneCauses((*(x.said for x in found), *stops), made[::-1] if turned else made, left)


def _list_unmoved(model: System, stage: System) -> Iterator[str]:
    """Yield the coordinates whose stops in a stage are off by MuJoCo's ``ref``, and are those of the model without."""
    held = {c.name: real(c.position) for c in stage.coordinates}  # where the stage stands
    ours, theirs = registry.fittings(model).limits, registry.fittings(stage).limits
    names = [
        f"{name} by {held[name]:.6g}"
        for name in [name for name in ours if name in theirs and held.get(name)]
        if all(
            (x is None) is (y is None) and (x is None or y is None or abs(real(y - x) - held[name]) <= SAME)
            for x, y in ((ours[name].lower, theirs[name].lower), (ours[name].upper, theirs[name].upper))
        )
        and ours[name].stops
    ]
    if names:
        yield f"the converter does not move stops (rad, m) by ref: {_name(names)}"


def _make(corrections: Sequence[UndoneCause], pair: Pair) -> Pair:
    for correction in corrections:
        pair = correction.apply(*pair)
    return pair


def _name(names: Sequence[str]) -> str:
    more = [f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*names[:MOST_NAMED], *more])


# Texts: elements that a converter does not read, or reads otherwise.


def _resolve(root: XmlElement, tag: str) -> Iterator[tuple[XmlElement, XmlElement, dict[str, str]]]:
    """Yield the elements of MJCF bodies, each with its parent and its attributes, those of its classes included."""
    known: dict[str, dict[str, str]] = {}
    waiting = [(own, dict[str, str]()) for own in root.all("default")]
    while waiting:
        own, said = waiting.pop()
        said = said | {key: value for e in own.all(tag) for key, value in e.attributes.items()}
        known[own.attributes.get("class", "main")] = said
        waiting += [(inner, said) for inner in own.all("default")]
    bodies = [(own, "main") for own in root.all("worldbody")]
    while bodies:
        body, around = bodies.pop()
        around = body.attributes.get("childclass", around)
        for e in body.children:
            if e.tag == tag:
                yield body, e, known.get(e.attributes.get("class", around), {}) | e.attributes
        bodies += [(e, around) for e in body.children if e.tag in ("body", "frame")]


def _list_free(root: XmlElement) -> list[str]:
    return [
        e.attributes.get("name", "joint")
        for _, e, said in _resolve(root, "joint")
        if said.get("type") == "free" and any(said.get(key, "0") != "0" for key in FREE)
    ]


def _forget_free(root: XmlElement) -> None:
    for _, e, said in _resolve(root, "joint"):
        if said.get("type") == "free":
            e.attributes.update(dict.fromkeys(FREE, "0"))  # else those of classes act


def _list_lost(root: XmlElement) -> list[tuple[XmlElement, XmlElement]]:
    """List ellipsoids with mass, each with its body, if the body has no image that weighs: then its mass is written."""
    geoms = [*_resolve(root, "geom")]
    images = [
        body for body, _, said in geoms
        if said.get("contype") == said.get("conaffinity") == "0" and said.get("mass", said.get("density")) != "0"
    ]  # fmt: skip
    return [
        (body, e) for body, e, said in geoms
        if said.get("type") == "ellipsoid" and said.get("mass") != "0" and not any(x is body for x in images)
    ]  # fmt: skip


def _list_ellipsoids(root: XmlElement) -> list[str]:
    return [e.attributes.get("name", "geom") for _, e in _list_lost(root)]


def _drop_ellipsoids(root: XmlElement) -> None:
    for body, e in _list_lost(root):
        body.content = [c for c in body.content if c is not e]


def _list_framed(root: XmlElement) -> list[str]:
    return [j.attributes.get("name", "joint") for e in root.walk() if e.tag == "frame" for j in e.all("joint")]


def _take_out_of_frames(root: XmlElement) -> None:
    """Move joints that stand in ``frame`` elements into the bodies that hold these."""
    for body in root.walk():
        content: list[str | XmlElement] = []
        for c in body.content:
            if not isinstance(c, str) and c.tag == "frame":
                content += c.all("joint")
                c.content = [x for x in c.content if isinstance(x, str) or x.tag != "joint"]
            content.append(c)
        body.content = content


def _list_of_geoms(root: XmlElement) -> list[str]:
    forced = any(e.attributes.get("inertiafromgeom") == "true" for e in root.all("compiler"))
    return [e.attributes.get("name", "body") for e in root.walk() if forced and e.tag == "body" and e.first("inertial")]


def _list_alone(root: XmlElement) -> list[str]:
    rows = [e for own in root.all("equality") for e in own.children]
    found = [e for e in rows if e.tag == "tendon" or (e.tag == "joint" and "joint2" not in e.attributes)]
    return [e.attributes.get("name") or e.attributes.get("joint1") or e.tag for e in found]


def _drop_alone(root: XmlElement) -> None:
    for own in root.all("equality"):
        own.content = [
            c for c in own.content
            if isinstance(c, str) or not (c.tag == "tendon" or (c.tag == "joint" and "joint2" not in c.attributes))
        ]  # fmt: skip


def _list_geared(root: XmlElement) -> list[str]:
    found = [e for own in root.all("actuator") for e in own.children if {"armature", "damping"} & e.attributes.keys()]
    return [e.attributes.get("name", e.tag) for e in found]


def _forget_geared(root: XmlElement) -> None:
    for e in (e for own in root.all("actuator") for e in own.children):
        for key in ("armature", "damping"):
            e.attributes.pop(key, None)


def _list_several(root: XmlElement) -> list[str]:
    found = [e for e in root.walk() if e.tag == "joint" and any(_count(e, key) > 1 for key in ("stiffness", "damping"))]
    return [e.attributes.get("name", e.tag) for e in found]


def _count(e: XmlElement, key: str) -> int:
    return len(e.attributes.get(key, "").split())


def _keep_first(root: XmlElement) -> None:
    for e in root.walk():
        for key in ("stiffness", "damping"):
            if e.tag == "joint" and _count(e, key) > 1:
                e.attributes[key] = e.attributes[key].split()[0]


def _list_aligned(root: XmlElement) -> list[str]:
    whole = any(e.attributes.get("alignfree") == "true" for e in root.all("compiler"))
    return [
        e.attributes.get("name", e.tag)
        for e in root.walk()
        if (e.tag == "freejoint" or (e.tag == "joint" and e.attributes.get("type") == "free"))
        and e.attributes.get("align", "true" if whole else "auto") == "true"
    ]  # fmt: skip


def _forget_aligned(root: XmlElement) -> None:
    for e in root.walk():
        for key in ("align", "alignfree"):
            e.attributes.pop(key, None)


TextCause = tuple[str, Callable[[XmlElement], list[str]], str, Callable[[XmlElement], None]]
#: By format: elements that converters (urdf-usd-converter 0.3.4, mujoco-usd-converter 0.8.0) take otherwise, in words.
NOT_READ: Final[tuple[TextCause, ...]] = (
    ("urdf", list_quaternions, "the converter does not read quat_xyzw", forget_attribute("origin", "quat_xyzw")),
    ("urdf", find_rotors, "the converter reads no rotors of transmissions", drop(INERTIA_OF_ROTOR)),
    ("mjcf", _list_ellipsoids, "the converter leaves out ellipsoids with their mass", _drop_ellipsoids),
    ("mjcf", _list_free, "the converter drops damping and armature of free joints", _forget_free),
    ("mjcf", _list_framed, "the converter ignores the frame around a joint", _take_out_of_frames),
    ("mjcf", _list_of_geoms, 'the converter writes the <inertial> that inertiafromgeom="true" replaces',
     forget_attribute("compiler", "inertiafromgeom")),
    ("mjcf", _list_alone, "the converter drops equations of one joint and of tendons", _drop_alone),
    ("mjcf", _list_geared, "the converter drops armature and damping of actuators", _forget_geared),
    ("mjcf", _list_several, "the converter takes the first number alone of stiffness and damping", _keep_first),
    ("mjcf", _list_aligned, "the converter does not align free joints with principal axes", _forget_aligned),
)  # fmt: skip


def _texts(model: System, stage: System) -> Iterator[UndoneCause]:
    """Yield corrections of the model: its text without the elements that a converter does not read."""
    del stage
    found = _take_text(model)
    if found is None:
        return
    text, format = found
    try:
        if replace(registry.read_text(text, "-", format, "ignore").system, name=model.name) != model:
            return  # what the command line says, or files beside it, are in the model
        root = parse(text, "-").root
        causes = [(names, said, take) for own, find, said, take in NOT_READ if own == format and (names := find(root))]
    except (MbconcordError, ValueError):
        return
    for names, said, take in causes:
        try:
            _read_otherwise(model, take)
        except MbconcordError:
            continue
        yield UndoneCause(f"{said}: {_name(names)}", lambda a, b, take=take: (_read_otherwise(a, take), b))  # type: ignore[misc]


def _take_text(model: System) -> tuple[str, str] | None:
    """Return the text that a model was read from, and the text's format; None if it has none."""
    key = next((key for key in TEXTS if key in model.metadata), None)
    kept = None if key is None else model.metadata[key]
    return ("\n".join(map(str, kept)), TEXTS[key]) if key is not None and isinstance(kept, Sequence) else None


def _read_otherwise(model: System, take: Callable[[XmlElement], None]) -> System:
    """Read the text of a model again after ``take`` changed its XML elements."""
    found = _take_text(model)
    assert found is not None
    root = parse(found[0], "-").root
    take(root)
    system = registry.read_text("\n".join(print_lines(root)), "-", found[1], "ignore").system
    return replace(system, name=model.name)


# Coordinates: joints that hold one another, and what is lost behind a merged link.


def _parallel(model: System, stage: System) -> Iterator[UndoneCause]:
    """Yield the correction that stacks joints of the stage which connect the same two bodies."""
    missing = {*model.coordinate_names} - {*stage.coordinate_names}
    names = [c.name for c in stage.constraints if _is_parallel(stage, c) and {*getattr(c, "auxiliary", ())} & missing]
    if names:
        said = "joints of one body hold one another, as newton:jointsAddMobility is missing"
        yield UndoneCause(f"{said}: {_name(names)}", lambda a, b: (a, _act(_stack(b), _read_kept(b))))


def _is_parallel(stage: System, row: object) -> bool:
    """Return True for a joint that closes a loop between a body and the one that carries it."""
    return (
        isinstance(row, FrameCoincidence)
        and len(row.auxiliary) == 1
        and row.second.body is not None
        and stage.body(row.second.body).parent == row.first.body
    )


def _stack(stage: System) -> System:
    """Put joints that connect the same two bodies in series, in place of the loops that they close."""
    for row in stage.constraints:
        if not isinstance(row, FrameCoincidence) or not _is_parallel(stage, row):
            continue
        frame = row.second.transformations
        back = tuple(replace(et, motion=Constant(-et.amount)) for et in reversed(frame))
        moves = tuple(et for et in row.first.transformations if et.coordinate)
        stage = replace(
            stage, coordinates=(*stage.coordinates, *map(Coordinate, row.auxiliary)),
            constraints=tuple(c for c in stage.constraints if c.name != row.name),
            bodies=tuple(
                replace(b, joint=(*b.joint, *frame, *moves, *back)) if b.name == row.second.body else b
                for b in stage.bodies
            ),
        )  # fmt: skip
    return stage


def _act(stage: System, kept: Mapping[str, Any]) -> System:
    """Put back what acts along joints in series, which the reader keeps beside a model in which they are loops."""
    acting: dict[str, list[list[str]]] = kept.get("stacked", {})
    efforts = [JointEffort(name, own, parse_formula(force)) for name, own, force in acting.get("efforts", ())]
    others = [f for f in stage.forces if f.name not in {e.name for e in efforts}]
    given = [
        Parameter(name, parse_formula(value), "input" if origin == "input" else "given")
        for name, value, origin in acting.get("parameters", ())
    ]
    rotors = [Armature(name, parse_formula(a), {own: ONE}) for name, a, own in acting.get("armatures", ())]
    with suppress(ModelError):  # they act along a joint that is still a loop
        return replace(
            stage, parameters=(*stage.parameters, *given), forces=(*others, *efforts),
            armatures=(*stage.armatures, *rotors),
        )  # fmt: skip
    return stage


def _read_kept(stage: System) -> dict[str, Any]:
    """Return what the reader of a stage keeps beside the model."""
    kept = stage.metadata.get(STAGE)
    return dict(json.loads(str(kept[0]))) if isinstance(kept, Sequence) else {}


def _lost(model: System, stage: System) -> Iterator[UndoneCause]:
    """Yield the correction that removes coordinates missing in the stage, with all bodies that they carry."""
    missing = {*model.coordinate_names} - {*stage.coordinate_names}
    if not missing or {*stage.coordinate_names} - {*model.coordinate_names}:
        return
    gone = _list_behind(model, missing)
    parent = next(b for b in model.bodies if b.name in gone).parent
    merged = ", which it merged" if parent not in {None, *(b.name for b in stage.bodies)} else ""
    behind = f" behind {parent}{merged}" if parent else ""
    said = f"the converter lost what is{behind}: coordinates {_name(sorted(missing))}, bodies {_name(gone)}"
    try:
        _without(model, missing)
    except MbconcordError:
        return
    yield UndoneCause(said, lambda a, b: (_without(a, missing), b))


def _list_behind(model: System, missing: set[str]) -> list[str]:
    gone: list[str] = []
    for body in model.bodies:
        if missing & {*body.coordinates} or body.parent in gone:
            gone.append(body.name)
    return gone


def _without(model: System, missing: set[str]) -> System:
    """Return the model without these coordinates and the bodies that they carry."""
    gone = {*_list_behind(model, missing)}
    lost = {q for b in model.bodies if b.name in gone for q in b.coordinates}
    return replace(
        model, bodies=tuple(b for b in model.bodies if b.name not in gone),
        coordinates=tuple(c for c in model.coordinates if c.name not in lost),
        forces=tuple(f for f in model.forces if getattr(f, "coordinate", "") not in lost),
        armatures=tuple(x for x in model.armatures if not {*x.coefficients} & lost),
        omissions=(), points=(),
    )  # fmt: skip


# Inertia: what a stage does not say of a body is that of its collision shapes.


def _unsaid(model: System, stage: System) -> Iterator[UndoneCause]:
    """Yield corrections, one for each kind, of inertias that a stage omits, so that readers take them from shapes."""
    shapes = _read_kept(stage).get("shapes", {})
    own, found = {body.name: body for body in model.bodies}, dict[str, dict[str, Inertia]]()
    links = not any(key.startswith("mjcf:") for key in model.metadata)
    for name, facts in shapes.items():
        if name not in own or own[name].modal:
            continue
        for said, inertia in _correct(own[name], stage.body(name).inertia, facts, links):
            if _same(_numbers(inertia), _numbers(own[name].inertia)):
                found.setdefault(said, {})[name] = inertia
                break
    for said, new in found.items():
        words = said.format(_name([*new]))
        yield UndoneCause(words, lambda a, b, new=new: (a, _with(b, new)))  # type: ignore[misc]


def _correct(own: Body, there: Inertia, facts: Mapping[str, Any], links: bool) -> Iterator[tuple[str, Inertia]]:
    """Yield corrected inertias of a body in the stage, each with a description, in which ``{}`` is the body's name.

    Of ``links``, which are not of an MJCF, shapes have no mass.
    """
    unsaid, bare = facts["unsaid"], facts["bare"]
    if "mass" in unsaid:
        if links and not own.inertia.mass and bare:
            said = f"the mass of its collision shape at 1000 kg/m³, {bare[0]:.6g} kg"
            yield f"the converter gave {{}}, which has no mass, {said}", _without_mass(own.inertia, there)
        mass, shown = _numbers(own.inertia)[0], _numbers(there)[0]
        if bare:
            said = f"collision shapes of {{}} that weigh nothing weigh {bare[0]:.6g} kg in the stage, at 1000 kg/m³"
            yield said, _subtract(there, bare)
        if mass > shown * (1 + SAME):
            yield "the stage says no mass of {}: it is that of its collision shapes, which is less", own.inertia
    elif "centre" in unsaid:
        at = ", ".join(f"{x:.6g}" for x in _numbers(there)[1])
        J = own.inertia.tensor if "tensor" in unsaid else there.tensor
        said = f"the stage says no centre of mass of {{}}: it is that of its collision shapes, ({at})"
        yield said, Inertia(there.mass, own.inertia.centre, J)
    elif "tensor" in unsaid:
        said = "the stage says no moments of {}, for zeros say nothing there: they are those of its collision shapes"
        yield said, Inertia(there.mass, there.centre, own.inertia.tensor)


def _without_mass(own: Inertia, there: Inertia) -> Inertia:
    """Return the inertia of a body without mass: its own if it has none, or the tensor that the stage gives."""
    return own if own.is_zero else Inertia(own.mass, own.centre, there.tensor)


def _with(system: System, new: Mapping[str, Inertia]) -> System:
    return replace(system, bodies=tuple(replace(b, inertia=new.get(b.name, b.inertia)) for b in system.bodies))


def _numbers(inertia: Inertia) -> tuple[float, Array, Array]:
    """Return mass, centre, and tensor about it (3, 3)."""
    centre, J = (np.array([[real(x) for x in row] for row in rows]) for rows in ([inertia.centre], inertia.matrix()))
    return real(inertia.mass), centre[0], J


def _same(x: tuple[float, Array, Array], y: tuple[float, Array, Array]) -> bool:
    """Return True if two inertias are the same to single precision."""
    return all(
        np.abs(np.asarray(a) - b).max() <= SAME * max(np.abs(np.asarray(a)).max(), np.abs(np.asarray(b)).max(), 1e-9)
        for a, b in zip(x, y, strict=True)
    )


def _subtract(whole: Inertia, bare: Sequence[float]) -> Inertia:
    """Subtract a lump (mass, centre, tensor about it as xx yy zz xy xz yz) from an inertia."""
    (m, c, J), n, d = _numbers(whole), bare[0], np.array(bare[1:4])
    xx, yy, zz, xy, xz, yz = bare[4:]
    K = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    rest = m - n
    if abs(rest) <= SAME * m:  # nothing but these shapes
        return Inertia(ZERO, vector([ZERO] * 3), tensor([ZERO] * 6))
    centre = (m * c - n * d) / rest

    left = J + place_mass(m, c) - K - place_mass(n, d) - place_mass(rest, centre)
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return Inertia(
        decimal_of(rest),
        vector(map(decimal_of, map(float, centre))),
        tensor(decimal_of(float(left[p])) for p in places),
    )


# Turns: an angle that is the arc cosine of a single.


def _turns(model: System, stage: System) -> Iterator[UndoneCause]:
    """Yield the correction of small constant rotations of joints that single precision changes or loses."""
    there, new, said = {body.name: body for body in stage.bodies}, dict[str, float](), []
    for body in model.bodies:
        if body.name not in there:
            continue
        R, other = _turn_before(body), _turn_before(there[body.name])
        angle, axis = _angle(R)
        if not 0 < angle < SMALL or np.abs(R - other).max() <= ALIKE:
            continue
        for made in (2 * float(np.arccos(np.float64(np.float32(np.cos(angle / 2))))), 0.0):
            if np.abs(turn(axis[None], np.array([made]))[0] - other).max() <= ALIKE:
                new[body.name] = made
                digits = 6 if f"{made:.6g}" != f"{angle:.6g}" else 9
                said.append(f"{body.name} by {made:.{digits}g} for {angle:.{digits}g}")
                break
    if new:
        words = "the converter turns frames by angles (rad) that are arc cosines of singles"
        yield UndoneCause(f"{words}: {_name(said)}", lambda a, b: (_turn_by(a, new), b))


def _turn_before(body: Body) -> Array:
    """Return the rotation (3, 3) of the constant transformations before a joint's motion."""
    R = np.eye(3)
    for et in body.joint:
        if et.coordinate:
            break
        if not et.is_translation and isinstance(et.motion, Constant):
            axis = np.array([real(x) for x in et.axis])
            R = R @ turn(axis[None], np.array([real(et.amount)]))[0]
    return R


def _angle(R: Array) -> tuple[float, Array]:
    """Return angle and unit axis of a small rotation."""
    off = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    size = float(np.linalg.norm(off))
    return float(np.arctan2(size, (np.trace(R) - 1) / 2)), off / size if size else np.array([0.0, 0.0, 1.0])


def _turn_by(model: System, new: Mapping[str, float]) -> System:
    """Replace the constant rotations before joints' motions by one about the same axis; ``new``: body -> its angle."""
    bodies = []
    for body in model.bodies:
        if body.name in new:
            first = next((k for k, et in enumerate(body.joint) if et.coordinate), len(body.joint))
            last = max(k for k, et in enumerate(body.joint[:first]) if not et.is_translation)
            shifts = [et for et in body.joint[:last] if et.is_translation]
            _, axis = _angle(_turn_before(body))
            own = rotation(vector(map(decimal_of, map(float, axis))), Constant(decimal_of(new[body.name])))
            body = replace(body, joint=(*shifts, *((own,) if new[body.name] else ()), *body.joint[last + 1 :]))
        bodies.append(body)
    return replace(model, bodies=tuple(bodies))
