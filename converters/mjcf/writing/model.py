"""Conversion of a model to the elements of an MJCF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from mbconcord.converters.carried import XmlNames, replace_unwritable
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import Fitted, Fittings, Shape
from mbconcord.converters.joints import CONTROL, actuators, frictions, springs
from mbconcord.converters.poses import matrix
from mbconcord.converters.xml_text import UNWRITABLE, XmlElement, make_element
from mbconcord.model import (
    Bipolar,
    Body,
    FrameCoincidence,
    Inertia,
    LinearLaw,
    Location,
    Loss,
    Point,
    PointCoincidence,
    PointForce,
    System,
)
from mbconcord.model.diagnostics import Diagnostic, WriteError, error
from mbconcord.model.expressions import ZERO, Expression, evaluate_float
from mbconcord.model.limits import XML_DEPTH, too_many
from mbconcord.model.naming import Namer
from mbconcord.model.transformation import Frame, shift

from ..vocabulary import ARMATURE, COMPENSATION, GRAVITY, WORLD
from .elements import (
    SEQUENCE,
    MjcfGroup,
    axes,
    find_angles,
    format_direction,
    frozen,
    group,
    joined_points,
    polynomials,
    pose_attributes,
    texts,
)

#: Suffixes of mesh files that MuJoCo reads, and the most triangles of one .stl.
READABLE: Final = (".stl", ".obj", ".msh")
MOST_TRIANGLES: Final = 200_000
#: Kind of shape -> indices of the sizes that MuJoCo gives as halves.
HALVED: Final = {"box": (0, 1, 2), "cylinder": (1,), "capsule": (1,), "plane": (0, 1)}
#: Usual groups of geoms: drawn shapes, and shapes that collide and are not drawn.
SEEN, HIDDEN = "2", "3"


class MjcfShapes:
    """Writer of shapes; ``meshes`` are the assets that they use, by file and scale."""

    def __init__(self, fittings: Fittings, fitted: Fitted, numbers: ConstantReader) -> None:
        self.fittings, self.fitted, self.numbers = fittings, fitted, numbers
        self.meshes: dict[tuple[str, str], XmlElement] = {}
        self.names = Namer(())

    def geoms(self, body: str | None) -> Iterator[XmlElement]:
        """Yield the geoms of a body, without mass and with the contacts that its shapes had."""
        for shape in self.fittings.on(body):
            place = f"omissions/{shape.place}"
            why = self._refusal(shape)
            if why:
                self.fitted.lose(shape.place, f"the {shape.kind} {shape.file}".rstrip(), why)
                continue
            self.fitted.hold_shape(shape)
            attributes = {"type": shape.kind} | self._size(shape, place)
            attributes |= pose_attributes(shape.pose, self.numbers, place)
            attributes |= {"mass": "0", "group": SEEN if shape.seen else HIDDEN}
            if shape.contacts != (1, 1):
                attributes |= dict(zip(("contype", "conaffinity"), map(str, shape.contacts), strict=True))
            if shape.colour is not None:
                attributes["rgba"] = self.numbers.texts(place, shape.colour)
            yield XmlElement("geom", attributes, Location("", 1, 1))

    def _size(self, shape: Shape, place: str) -> dict[str, str]:
        if shape.kind == "mesh":
            return {"mesh": self._mesh(shape, place)}
        halved = HALVED.get(shape.kind, ())
        size = [x / 2 if i in halved else x for i, x in enumerate(shape.size)]
        texts = [self.numbers.text(place, x) for x in size]
        if shape.kind == "plane":  # the third is the spacing of its grid
            texts = [*(texts or ["0", "0"]), "1"]
        return {"size": " ".join(texts)}

    def _mesh(self, shape: Shape, place: str) -> str:
        """Return the name of a mesh's asset, which has a shell's inertia: flat meshes have one, and no body uses it."""
        scale = self.numbers.texts(place, shape.size)
        known = self.meshes.get((shape.beside, scale))
        if known is None:
            name = self.names.fresh(Path(shape.beside).stem)
            attributes = {"name": name, "file": shape.beside, "inertia": "shell"}
            attributes |= {} if scale == "1 1 1" else {"scale": scale}
            known = self.meshes[shape.beside, scale] = XmlElement("mesh", attributes, Location("", 1, 1))
        return known.attributes["name"]

    @staticmethod
    def _refusal(shape: Shape) -> str:
        """Return the reason why MuJoCo would refuse a shape; empty if it would not."""
        sizes = [evaluate_float(x, {}) for x in shape.size]
        if shape.kind != "mesh":
            return "" if shape.kind == "plane" or min(sizes) > 0 else "MuJoCo refuses sizes that are not positive"
        if shape.path is None:
            return "its file is not found: MuJoCo would refuse the model (--read package-path=FOLDER names its package)"
        if shape.path.suffix.lower() not in READABLE:
            return f"MuJoCo reads {', '.join(READABLE)}"
        return _refuse_stl(shape.path) if shape.path.suffix.lower() == ".stl" else ""


def _refuse_stl(path: Path) -> str:
    """Return the reason why MuJoCo refuses an .stl file, which must be binary with a bounded number of triangles."""
    if path.exists() and not path.is_file():
        return f"{path.name}: no regular file"
    try:
        with path.open("rb") as opened:
            head, size = opened.read(84), path.stat().st_size
    except OSError as problem:
        return f"{path.name}: {problem.strerror}"
    count = int.from_bytes(head[80:84], "little")
    if size != 84 + 50 * count:
        return "MuJoCo reads binary .stl"
    return "" if 0 < count <= MOST_TRIANGLES else f"MuJoCo reads {MOST_TRIANGLES:,} triangles at most"


#: Deepest nesting of bodies that can be read back: ``mujoco``, ``worldbody`` and contents of a body are elements, too.
DEEPEST = XML_DEPTH - 3


def too_deep(body: str) -> Diagnostic:
    """Return the error of a body that is nested too deep in the tree."""
    message = too_many(DEEPEST + 1, "bodies within one another", DEEPEST)
    return error(f"bodies/{body}", message, "write URDF or SDF: they list the bodies of a chain")


def find_names(names: Iterable[str], namer: Namer | None = None) -> dict[str, str]:
    """Map names to names that XML can write: each to itself, or to a new name that no other has."""
    names = list(names)
    namer = namer or Namer(names)
    plain = {name: replace_unwritable(name) for name in names}
    return {name: name if name == now else namer.fresh(now) for name, now in plain.items()}


class MjcfModel:
    """The elements of a model under ``root``; ``held`` maps places of written parts to names; losses of others."""

    def __init__(self, system: System, numbers: ConstantReader, fittings: Fittings) -> None:
        self.system, self.numbers, self.fittings, self.fitted = system, numbers, fittings, Fitted()
        self.held: dict[str, str] = {}
        self.losses: list[Loss] = []
        self.names = XmlNames(system, WORLD)
        self.drives = actuators(system, numbers, self.held)
        self.springs = springs(system, numbers, self.held)
        rubbing: dict[str, str] = {}
        self.rough = frictions(system, numbers, rubbing)
        soft = "MuJoCo's frictionloss of the same size, which is written, is a soft constraint of its solver"
        self.losses += (Loss(place, "Coulomb's law of the dry friction", soft) for place in rubbing)
        self.held |= {place: place.removeprefix("forces/") for place in rubbing}
        self.rows = polynomials(system, numbers)
        self.tendon_names = Namer(f.name for f in system.forces if isinstance(f, Bipolar))
        self.armature, self.tendons = self._armatures()
        self.weights = self._find_gravity_compensation()
        apart = self.springs.coordinates | {*self.rough} | {d.coordinate for d in self.drives} | {*self.armature}
        apart |= {n for tendon in self.tendons for n in tendon[1]}
        apart |= {*fittings.limits, *fittings.friction}
        apart |= {n for row in self.rows.values() for n in (row.first, row.second)}
        order = system.coordinate_names
        found = {body.name: group(body, order, apart) for body in system.bodies}
        self.groups: dict[str, MjcfGroup | None] = {
            name: None if joint is None or UNWRITABLE.search(joint.name) else joint for name, joint in found.items()
        }
        self.sites: dict[str | None, list[XmlElement]] = {}
        self.taken = Namer(())
        self.equalities = Namer(c.name for c in system.constraints)
        self.rows_named = find_names((c.name for c in system.constraints), self.equalities)
        self.shapes = MjcfShapes(fittings, self.fitted, numbers)
        equality, straight = self._equalities(), self._straight()
        bodies = self._children(None)
        self._in_order()
        model = UNWRITABLE.sub("_", system.name)
        self.root = make_element("mujoco", {"model": model})
        self.root.content += self._option()
        ground = [*self.sites.get(None, []), *self.shapes.geoms(None)]
        if self.shapes.meshes:
            self.root.content.append(make_element("asset", {}, *self.shapes.meshes.values()))
        self.root.content.append(make_element("worldbody", {}, *ground, *bodies))
        fixed = [self._write_fixed_tendon(name, coefficients, place) for name, coefficients, place in self.tendons]
        for tag, content in (("tendon", [*fixed, *straight]), ("equality", equality), ("actuator", self._actuators())):
            if content:
                self.root.content.append(make_element(tag, {}, *content))
        angles = {"eulerseq": SEQUENCE} if any("euler" in e.attributes for e in self.root.walk()) else {}
        self.root.content.insert(0, make_element("compiler", {"angle": "radian", "autolimits": "false"} | angles))
        self.losses += self.names.losses()

    def body(self, name: str) -> str:
        """Return the written name of a body."""
        return self.names.bodies.get(name, name)

    def joint(self, name: str) -> str:
        """Return the written name of a coordinate's joint."""
        return self.names.coordinates.get(name, name)

    def _option(self) -> Iterator[XmlElement]:
        g = self.numbers.texts("gravity", self.system.gravity_vector)
        if g != GRAVITY:
            yield make_element("option", {"gravity": g})

    def _armatures(self) -> tuple[dict[str, Expression], list[tuple[str, dict[str, Expression], str]]]:
        """Return armatures a c² by coordinate if they act along one joint, and fixed tendons for the others."""
        single: dict[str, Expression] = {}
        several = []
        moving = {name for body in self.system.bodies for name in body.coordinates}
        for armature in self.system.armatures:
            place, along = f"armatures/{armature.name}", dict(armature.coefficients)
            if not {*along} <= moving:
                continue
            if len(along) == 1:
                ((name, c),) = along.items()
                value = self.numbers.value(place, armature.inertia * (c * c))
                single[name] = single.get(name, ZERO) + value
                self.held[place] = name + ARMATURE
            else:
                name = self.tendon_names.fresh(UNWRITABLE.sub("_", armature.name.removesuffix(ARMATURE)))
                several.append((name, along, place))
                self.held[place] = name + ARMATURE
        return single, several

    def _write_fixed_tendon(self, name: str, along: dict[str, Expression], place: str) -> XmlElement:
        armature = next(a for a in self.system.armatures if f"armatures/{a.name}" == place)
        made = make_element("fixed", {"name": name, "armature": self.numbers.text(place, armature.inertia)})
        for coordinate, c in along.items():
            attributes = {"joint": self.joint(coordinate), "coef": self.numbers.text(place, c)}
            made.content.append(make_element("joint", attributes))
        return made

    def _find_gravity_compensation(self) -> dict[str, Expression]:
        """Return, by body, the fraction of its weight that a force at its centre of mass compensates."""
        found: dict[str, Expression] = {}
        g = self.system.gravity_vector
        along = next((i for i in range(3) if g[i]), None)
        for force in self.system.forces:
            if not isinstance(force, PointForce) or force.follows or force.point.body is None or along is None:
                continue
            body, place = self.system.body(force.point.body), f"forces/{force.name}"
            values = [*force.force, *force.point.position, *body.inertia.centre, body.inertia.mass, *g]
            formulas = [self.numbers.definitions.apply([x])[0] for x in values]
            if body.name in found or not all(x.constant for x in formulas) or not body.inertia.mass:
                continue
            if force.point.position != body.inertia.centre:
                continue
            part = -(force.force[along] / (body.inertia.mass * g[along]))
            value = self.numbers.value(place, part)
            if all((x + value * body.inertia.mass * y) is ZERO for x, y in zip(force.force, g, strict=True)):
                found[body.name] = value
                self.held[place] = body.name + COMPENSATION
        return found

    def _children(self, parent: str | None) -> list[XmlElement]:
        """Return the elements of the bodies on ``parent``, nested in one another without recursion for long chains."""
        made: dict[str | None, XmlElement] = {None: make_element("worldbody")}
        depth: dict[str | None, int] = {None: 0}
        for body in self.system.bodies:
            depth[body.name] = depth[body.parent] + 1
            if depth[body.name] > DEEPEST:
                raise WriteError(too_deep(body.name))
            made[body.name] = self._body(body)
        for body in self.system.bodies:
            made[body.parent].content.append(made[body.name])
        return [c for c in made[parent].content if not isinstance(c, str)]

    def _body(self, body: Body) -> XmlElement:
        place = f"bodies/{body.name}/joint"
        made = make_element("body", {"name": self.body(body.name)})
        found = self.groups[body.name]
        made.attributes |= pose_attributes(frozen(body.joint), self.numbers, place)
        if body.name in self.weights:
            made.attributes["gravcomp"] = self.numbers.text(f"forces/{body.name}", self.weights[body.name])
        if len(body.coordinates) > 6:
            reason = "a body of MuJoCo has six coordinates at most"
            self.losses.append(
                Loss(place, f"that MuJoCo reads it: {len(body.coordinates)} coordinates", reason, acts=False)
            )
        for axis in axes(body.joint, self.numbers, place):
            if found is not None and axis.coordinate in found.coordinates:
                if axis.coordinate == found.coordinates[0]:
                    made.content.append(self._whole(found, body, place))
                continue
            attributes = {"name": self.joint(axis.coordinate), "type": "slide" if axis.slides else "hinge"}
            if not axis.slides and texts(axis.point) != "0 0 0":
                attributes["pos"] = texts(axis.point)
            attributes["axis"] = format_direction(axis.direction)
            made.content.append(make_element("joint", attributes | self._joint_attributes(axis.coordinate)))
        made.content += [*self._inertial(body), *self.sites.get(body.name, []), *self.shapes.geoms(body.name)]
        return made

    def _whole(self, found: MjcfGroup, body: Body, place: str) -> XmlElement:
        if found.kind == "free":
            return make_element("freejoint", {"name": found.name})
        made = make_element("joint", {"name": found.name, "type": "ball"})
        about = next(a for a in axes(body.joint, self.numbers, place) if a.coordinate == found.coordinates[0])
        if texts(about.point) != "0 0 0":
            made.attributes["pos"] = texts(about.point)
        return made

    def _joint_attributes(self, coordinate: str) -> dict[str, str]:
        """Return a joint's attributes of springs, damping, armature, limits and dry friction."""
        found, place = {}, f"coordinates/{coordinate}"
        k = self.springs.stiffness.get(coordinate)
        if k is not None and k:
            found["stiffness"] = self.numbers.text(place, k)
            rest = self.springs.pull[coordinate]
            if rest:
                found["springref"] = self.numbers.text(place, rest / k)
        for name, values in (("damping", self.springs.damping), ("armature", self.armature)):
            if values.get(coordinate):
                found[name] = self.numbers.text(place, values[coordinate])
        return found | self._limits(coordinate, place)

    def _limits(self, coordinate: str, place: str) -> dict[str, str]:
        """Return a joint's attributes of range, largest effort and dry friction."""
        found, limit, rough = {}, self.fittings.limits.get(coordinate), self.fittings.friction.get(coordinate)
        if coordinate in self.rough:
            found["frictionloss"] = self.numbers.text(place, self.rough[coordinate])
        elif rough is not None and rough.value.value > 0:
            found["frictionloss"] = self.numbers.text(place, rough.value)
        if rough is not None and rough.value.value > 0:
            self.fitted.hold(rough.place)
            found |= {key: " ".join(map(repr, of)) for key, of in (rough.soft or {}).items()}
        if limit is None:
            return found
        ends = [self.numbers.text(place, end) for end in limit.ends]
        if limit.stops and limit.width <= 0:
            self.fitted.lose(limit.place, f"the range {' '.join(ends)}", "MuJoCo takes no range without a width")
            return found
        self.fitted.hold(limit.place)
        if limit.stops:
            found |= {"limited": "true", "range": " ".join(ends)}
            found |= {key: " ".join(map(repr, of)) for key, of in (limit.soft or {}).items()}
        if limit.effort is not None and limit.effort.value > 0:
            most = self.numbers.text(place, limit.effort)
            found |= {"actuatorfrclimited": "true", "actuatorfrcrange": f"-{most} {most}"}
        if limit.velocity is not None:
            what = f"the largest speed {self.numbers.text(place, limit.velocity)}"
            self.fitted.lose(f"{limit.place}/velocity", what, "MJCF has no element for it")
        return found

    def _inertial(self, body: Body) -> Iterator[XmlElement]:
        inertia, place = body.inertia, f"bodies/{body.name}/inertia"
        if inertia.is_zero:
            return
        mass = self.numbers.value(place, inertia.mass)
        if self.numbers.precise(place, mass) < 0:
            self.numbers.missing[place] = error(place, f"the mass is {mass} kg", "a mass is not negative")
        attributes = {"pos": self.numbers.texts(place, inertia.centre), "mass": self.numbers.text(place, inertia.mass)}
        turns, own = self.fittings.turned.get(body.name, ((), inertia.tensor))
        same = Inertia(inertia.mass, tensor=own).rotate(matrix(turns)).tensor == inertia.tensor
        angles = find_angles(turns, self.numbers, place) if same and not any(own[3:]) else {}  # none beside fullinertia
        moments = [self.numbers.text(place, x) for x in (own if angles else inertia.tensor)]
        full = moments[3:] != ["0"] * 3
        attributes["fullinertia" if full else "diaginertia"] = " ".join(moments if full else moments[:3])
        yield make_element("inertial", attributes | angles)

    def _site(self, name: str, frame: Frame, place: str) -> str:
        """Add a site at a frame of a body, and return its name."""
        own = self.taken.fresh(replace_unwritable(name))
        made = make_element("site", {"name": own} | pose_attributes(frame.transformations, self.numbers, place))
        self.sites.setdefault(frame.body, []).append(made)
        return own

    def _ends(self, kind: str, name: str, ends: Iterable[Point | Frame]) -> dict[str, str]:
        """Add a site at each of two points or frames; return the attributes of an equality between them."""
        place = f"{kind}/{name}"
        frames = [Frame(p.body, shift(p.position)) if isinstance(p, Point) else p for p in ends]
        return {f"site{i}": self._site(f"{name}_{i}", frame, place) for i, frame in enumerate(frames, 1)}

    def _equalities(self) -> list[XmlElement]:
        found = []
        for c in self.system.constraints:
            place, name = f"constraints/{c.name}", self.rows_named[c.name]
            if isinstance(c, PointCoincidence):
                ends = self._ends("constraints", c.name, (c.first, c.second))
                found.append(make_element("connect", {"name": name} | ends))
            elif isinstance(c, FrameCoincidence) and not c.auxiliary:
                ends = self._ends("constraints", c.name, (c.first, c.second))
                found.append(make_element("weld", {"name": name} | ends))
            elif isinstance(c, FrameCoincidence) and (shared := joined_points(c)):
                for second, pair in enumerate(shared):
                    own = self.equalities.fresh(f"{name}_axis") if second else name
                    found.append(make_element("connect", {"name": own} | self._ends("constraints", own, pair)))
            elif c.name in self.rows:
                row = self.rows[c.name]
                attributes = {"name": name, "joint1": self.joint(row.first)}
                if row.second:
                    attributes["joint2"] = self.joint(row.second)
                attributes["polycoef"] = self.numbers.texts(place, self._five(row.coefficients))
                found.append(make_element("joint", attributes))
            else:
                continue
            self.held[place] = name
        return found

    @staticmethod
    def _five(coefficients: tuple[Expression, ...]) -> list[Expression]:
        return [*coefficients, *[ZERO] * (5 - len(coefficients))]

    def _straight(self) -> list[XmlElement]:
        """Return spatial tendons for linear springs between points."""
        found = []
        names = find_names((f.name for f in self.system.forces if isinstance(f, Bipolar)), self.tendon_names)
        for force in self.system.forces:
            if not isinstance(force, Bipolar) or not isinstance(force.law, LinearLaw):
                continue
            law, place = force.law, f"forces/{force.name}"
            if law.f0 or law.q or force.mass:
                continue
            ends = self._ends("forces", force.name, (force.first, force.second))
            name = names[force.name]
            attributes = {"name": name, "springlength": self.numbers.text(place, law.l0)}
            for key, value in (("stiffness", law.k), ("damping", law.d)):
                if value:
                    attributes[key] = self.numbers.text(place, value)
            found.append(
                make_element("spatial", attributes, *(make_element("site", {"site": s}) for s in ends.values()))
            )
            self.held[place] = name
        return found

    def _actuators(self) -> list[XmlElement]:
        found = []
        names = find_names(drive.name for drive in self.drives)
        for drive in self.drives:
            place, name = drive.place, names[drive.name]
            attributes = {"name": name, "joint": self.joint(drive.coordinate)}
            if drive.control and name != drive.name:
                what, why = f"the name {drive.control!r}", "XML has no way to write it; it is read as"
                loss = Loss(f"parameters/{drive.control}", what, f"{why} {name + CONTROL!r}", acts=False)
                self.losses.append(loss)
            gain = self.numbers.text(place, drive.gain)
            if not any(drive.bias) and drive.control:
                if gain != "1":
                    attributes["gear"] = gain
                found.append(make_element("motor", attributes))
                continue
            attributes |= {"gainprm": gain, "biastype": "affine", "biasprm": self.numbers.texts(place, drive.bias)}
            found.append(make_element("general", attributes))
            if not drive.control:
                what = f"that the drive has no control: it is read with {name}{CONTROL}"
                self.losses.append(Loss(place, what, "an actuator has one", acts=False))
        return found

    def _in_order(self) -> None:
        """Record the loss of the order of coordinates if it is not that of bodies nested in their parents."""
        children: dict[str | None, list[Body]] = {}
        for body in self.system.bodies:
            children.setdefault(body.parent, []).append(body)
        waiting, found = [*reversed(children.get(None, []))], list[str]()
        while waiting:
            body = waiting.pop()
            found += body.coordinates
            waiting += reversed(children.get(body.name, []))
        if tuple(found) != self.system.coordinate_names:
            what = f"the order {', '.join(self.system.coordinate_names)}"
            self.losses.append(Loss("coordinates", what, "coordinates stand in the order of the bodies", acts=False))
