"""Structure of a model: names, the order of the tree, references; :mod:`.scope` checks the names in formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..constraint import FrameCoincidence, Nonholonomic, PointCoincidence, Rod
from ..diagnostics import Diagnostic, error
from ..expressions import symbols, topological
from ..expressions.traversal import in_order
from ..force import HERE, Bipolar, Bushing, JointEffort, Point, PointForce, Torsion, Wrench
from ..limits import NESTED_CALLS, format_names, too_many
from ..transformation import Constant, Mapped
from .model import Model
from .scope import scopes

# What is attached to elastic bodies: only of their origins and nodes the model knows where they go.


#: What to do about an attachment between the nodes.
REMEDY = "add a node there, or weld a body without mass to a node"


def check_attachments(system: Model) -> Iterator[Diagnostic]:
    """Report forces, constraints, flywheels and fluid attached to elastic bodies elsewhere than at nodes."""
    elastic = {body.name: body for body in system.bodies if body.modes}
    if not elastic:
        return
    for place, point in _points(system):
        body = elastic.get(point.body or "")
        if body is not None and any(point.position):
            nodes = body.modes.nodes if body.modes else ()
            if not any(node.position == point.position for node in nodes):
                at = ", ".join(map(str, point.position))
                yield error(place, f"({at}) of the elastic body {body.name!r} is neither its origin nor a node", REMEDY)
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            for end in (constraint.first, constraint.second):
                if end.body in elastic and any(et.is_translation for et in end.transformations):
                    message = f"a frame beside the origin of the elastic body {end.body!r}"
                    yield error(f"constraints/{constraint.name}", message, "weld a body without mass to a node")
    for body in elastic.values():
        for what, present in (("flywheels", body.flywheels), ("added_inertia", body.added_inertia)):
            if present:
                message = f"{what.replace('_', ' ')} of an elastic body: nobody says how they deform with it"
                yield error(f"bodies/{body.name}/{what}", message, "weld a rigid body to a node, and put them there")


def _points(system: Model) -> Iterator[tuple[str, Point]]:
    """Yield the points of forces and constraints, and those that have names, with their places."""
    yield from ((f"points/{p.name}", p.point) for p in system.points)
    for force in system.forces:
        place = f"forces/{force.name}"
        if isinstance(force, Bipolar):
            yield from ((place, force.first), (place, force.second))
        elif isinstance(force, (PointForce, Wrench)):
            yield place, force.point
    for constraint in system.constraints:
        if isinstance(constraint, (Rod, PointCoincidence)):
            place = f"constraints/{constraint.name}"
            yield from ((place, constraint.first), (place, constraint.second))


# Functions in functions: how many calls a formula comes to, once the formulas of what it calls are put in.


def check_nesting(system: Model) -> Iterator[Diagnostic]:
    """Report functions whose formulas expand to more calls than the limit; cycles are reported elsewhere."""
    calls: dict[str, list[str]] = {}
    for function in system.functions:
        if function.formula is not None:
            nodes = topological([function.formula])
            calls[function.name] = [node.data[0] for node in nodes if node.op == "call"]
    counts: dict[str, int] = {}
    for name in in_order(calls):
        counts[name] = sum(1 + counts.get(called, 0) for called in calls[name])
        if counts[name] > NESTED_CALLS:
            things = "calls of functions, those within functions and all"
            remedy = "write it with fewer functions within functions"
            yield error(f"functions/{name}", too_many(counts[name], things, NESTED_CALLS), remedy)
            return


def structure(system: Model) -> list[Diagnostic]:
    """Check names, order, references and symbols; return no findings if the model is sound."""
    findings = [*_names(system), *_tree(system), *_coordinates(system), *_references(system)]
    findings += check_attachments(system)
    return [*findings, *_cycle(system), *check_nesting(system), *scopes(system)]


def _names(system: Model) -> Iterator[Diagnostic]:
    kinds = {
        "bodies": [b.name for b in system.bodies],
        "coordinates": [c.name for c in system.coordinates],
        "parameters": [p.name for p in system.parameters],
        "functions": [f.name for f in system.functions],
        "forces": [f.name for f in system.forces],
        "constraints": [c.name for c in system.constraints],
        "armatures": [a.name for a in system.armatures],
        "points": [p.name for p in system.points],
    }
    for body in system.bodies:
        kinds[f"bodies/{body.name}/flywheels"] = [wheel.name for wheel in body.flywheels]
        if body.modes:
            kinds[f"bodies/{body.name}/modes/nodes"] = [node.name for node in body.modes.nodes]
    for kind, names in kinds.items():
        for name, count in Counter(names).items():
            if count > 1:
                things = kind.rpartition("/")[2]
                yield error(f"{kind}/{name}", f"{count} {things} have this name", "names are unique")
    for name in sorted(set(kinds["coordinates"]) & set(kinds["parameters"])):
        yield error(f"coordinates/{name}", "a parameter has the same name", "rename one of them")
    for name in sorted({*kinds["points"]} & {*kinds["bodies"]}):
        yield error(f"points/{name}", "a body has the same name", "names are unique across bodies and points")
    if HERE in kinds["points"]:
        message = f"{HERE!r} cannot be the name of a point: it is the point of the force whose formula has it"
        yield error(f"points/{HERE}", message, "rename it")
    for kind in ("bodies", "coordinates", "parameters", "functions", "points"):
        for name in kinds[kind]:
            if not name:
                yield error(kind, "one of them has an empty name", "name it")
            elif kind not in ("bodies", "points") and (name == "t" or "'" in name or name.startswith("@")):
                meaning = "t is the time, ' a rate, @ the length of a bipolar element"
                yield error(f"{kind}/{name}", f"{name!r} cannot be a name: {meaning}", "rename it")


def _tree(system: Model) -> Iterator[Diagnostic]:
    bodies = {b.name: b for b in system.bodies}
    carried = _find_carried(system)
    seen: set[str] = set()
    for body in system.bodies:
        place = f"bodies/{body.name}/parent"
        if body.parent is not None and body.parent not in seen:
            if body.parent not in bodies:
                yield error(place, f"there is no body {body.parent!r}", _list_known("bodies", bodies))
            elif body.name not in carried:
                yield error(place, f"{body.name!r} is carried by itself", "a loop needs a constraint")
            else:
                yield error(place, f"its parent {body.parent!r} stands after it", "parents come first")
        elif body.parent_node is not None:
            modes = bodies[body.parent].modes if body.parent else None
            nodes = [node.name for node in modes.nodes] if modes else []
            if body.parent_node not in nodes:
                where = f"bodies/{body.name}/parent_node"
                yield error(where, f"the parent has no node {body.parent_node!r}", _list_known("nodes", nodes))
        seen.add(body.name)


def _list_known(kind: str, names: Iterable[str]) -> str:
    return f"known {kind}: {format_names(sorted(names)) or 'none'}"


def _find_carried(system: Model) -> set[str]:
    """Return the bodies in cycles of parents, by removing ends of the tree until none is left."""
    ways = {body.name: body.parent for body in system.bodies}
    children = Counter(ways.values())
    ends = [name for name in ways if not children[name]]
    found = set()
    while ends:
        name = ends.pop()
        found.add(name)
        parent = ways[name]
        children[parent] -= 1
        if parent in ways and not children[parent]:
            ends.append(parent)
    return found


def _coordinates(system: Model) -> Iterator[Diagnostic]:
    listed = {c.name for c in system.coordinates}
    yield from _check_maps(system)
    mapped = {name for body in system.bodies for et in body.joint if not et.coordinate for name in et.moving}
    used = Counter(name for body in system.bodies for name in body.coordinates)
    for name, count in used.items():
        if count > 1:
            remedy = f'one is its joint; write the others as maps: "map": "{name}"'
            yield error(f"coordinates/{name}", f"{count} transformations move by it", remedy)
        if name not in listed:
            remedy = "add it to the coordinates"
            yield error(f"coordinates/{name}", "a joint moves by it, but the system does not list it", remedy)
    modal = Counter(name for body in system.bodies for name in body.modal)
    for name, count in modal.items():
        if count > 1 or name in used:
            other = "another elastic mode" if count > 1 else "a joint"
            remedy = "rename it: each mode has a coordinate of its own"
            yield error(f"coordinates/{name}", f"an elastic mode and {other} move by it", remedy)
        if name not in listed:
            remedy = "add it to the coordinates"
            yield error(f"coordinates/{name}", "a mode moves by it, but the system does not list it", remedy)
    for name in sorted(listed - {*used, *modal, *mapped}):
        yield error(f"coordinates/{name}", "no joint or mode moves by it", "remove it, or use it in a joint")
    cuts = [c for c in system.constraints if isinstance(c, FrameCoincidence)]
    cut = Counter(name for c in cuts for name in c.auxiliary)
    for constraint in cuts:
        place, remedy = f"constraints/{constraint.name}", "a cut joint's coordinates are its own"
        for name in sorted({*constraint.auxiliary}):
            if name in listed:
                yield error(place, f"{name!r} is a coordinate of the system and of the cut joint", remedy)
            if cut[name] > 1:
                yield error(place, f"{cut[name]} transformations of cut joints move by {name!r}", remedy)


def _check_maps(system: Model) -> Iterator[Diagnostic]:
    """Report maps without coordinates, maps of modal coordinates, and maps elsewhere than in joints of bodies."""
    maps = [
        (f"bodies/{body.name}/joint/{i}", et.motion) for body in system.bodies
        for i, et in enumerate(body.joint) if isinstance(et.motion, Mapped)
    ]  # fmt: skip
    modal = {name for body in system.bodies for name in body.modal}
    for place, motion in maps:
        if not motion.coordinates:
            yield error(place, "no coordinate stands in the map", "write a constant, or with t a prescribed motion")
        for name in sorted(modal & {*motion.coordinates}):
            yield error(place, f"{name!r} is the coordinate of an elastic mode", "it moves its mode alone")
    elsewhere = [(f"bodies/{b.name}/flywheels/{w.name}", w.mounting) for b in system.bodies for w in b.flywheels]
    for c in system.constraints:
        if isinstance(c, FrameCoincidence):
            ends = (c.first.transformations, c.second.transformations)
            elsewhere += [(f"constraints/{c.name}", steps) for steps in ends]
    for place, steps in elsewhere:
        if any(isinstance(et.motion, Mapped) for et in steps):
            yield error(place, "a map of coordinates stands in it", "maps stand in joints of bodies alone")


def _list_attachments(system: Model) -> Iterator[tuple[str, str | None]]:
    yield from ((f"points/{p.name}", p.body) for p in system.points)
    for force in system.forces:
        place = f"forces/{force.name}"
        if isinstance(force, (Bipolar, Bushing, Torsion)):
            yield from ((place, force.first.body), (place, force.second.body))
        elif isinstance(force, (PointForce, Wrench)):
            yield place, force.point.body
    for constraint in system.constraints:
        place = f"constraints/{constraint.name}"
        if isinstance(constraint, (Rod, PointCoincidence, FrameCoincidence)):
            yield from ((place, constraint.first.body), (place, constraint.second.body))


def _references(system: Model) -> Iterator[Diagnostic]:
    bodies = {b.name for b in system.bodies}
    coordinates = {c.name for c in system.coordinates}
    for place, name in _list_attachments(system):
        if name is not None and name not in bodies:
            yield error(place, f"there is no body {name!r}", _list_known("bodies", bodies))
    for constraint in system.constraints:
        if not isinstance(constraint, (Rod, PointCoincidence, FrameCoincidence)):
            continue
        if constraint.first.body == constraint.second.body:
            body = constraint.first.body
            of = "the fixed frame" if body is None else f"the body {body!r}"
            what = "rod" if isinstance(constraint, Rod) else "closure"
            message = f"a {what} from {of} to itself: no motion changes the distance of its ends"
            yield error(f"constraints/{constraint.name}", message, "name two bodies")
    for force in system.forces:
        if isinstance(force, JointEffort) and force.coordinate not in coordinates:
            message = f"there is no coordinate {force.coordinate!r}"
            yield error(f"forces/{force.name}", message, _list_known("coordinates", coordinates))
        if isinstance(force, (Bushing, Torsion)):
            yield from _fixed_frames(force, system)
    rows = [(f"constraints/{c.name}", c.coefficients) for c in system.constraints if isinstance(c, Nonholonomic)]
    for place, coefficients in (*rows, *((f"armatures/{a.name}", a.coefficients) for a in system.armatures)):
        for name in sorted(set(coefficients) - coordinates):
            yield error(place, f"there is no coordinate {name!r}", _list_known("coordinates", coordinates))


def _fixed_frames(force: Bushing | Torsion, system: Model) -> Iterator[Diagnostic]:
    """Check that the frames of a bushing or torsion are fixed in rigid bodies."""
    what = type(force).__name__.lower()
    soft = {body.name for body in system.bodies if body.modes is not None}
    for end, frame in (("first", force.first), ("second", force.second)):
        place = f"forces/{force.name}/{end}"
        if any(not isinstance(et.motion, Constant) for et in frame.transformations):
            yield error(place, f"the frame of a {what} moves in its body", "constant shifts and turns alone")
        if frame.body in soft:
            remedy = "weld a massless rigid body to a node, and put it there"
            yield error(place, f"a {what} on the elastic body {frame.body!r}", remedy)


def _cycle(system: Model) -> Iterator[Diagnostic]:
    """Report the first parameter that is defined by itself, with its cycle."""
    formulas = {p.name: p.value for p in system.parameters if p.value is not None}
    needs = {name: sorted(symbols([value])) for name, value in formulas.items()}
    done: set[str] = set()
    for start in needs:
        trail = [start] if start not in done else []
        while trail:
            following = next((n for n in needs[trail[-1]] if n in needs and n not in done), None)
            if following is None:
                done.add(trail.pop())
            elif following in trail:
                loop = " -> ".join((*trail[trail.index(following) :], following))
                yield error(f"parameters/{following}", f"defined by itself: {loop}", "break the cycle")
                return
            else:
                trail.append(following)
