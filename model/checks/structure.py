"""Structure of a model: names, the order of the tree, references; :mod:`.scope` has the formulas' names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..constraint import FrameCoincidence, Nonholonomic, PointCoincidence, Rod
from ..diagnostics import Diagnostic, error
from ..expressions import symbols
from ..force import Bipolar, Bushing, JointEffort, PointForce, Torsion, Wrench
from ..limits import listed
from ..transformation import Constant
from .attached import attached
from .functions import nested
from .model import Model
from .scope import scopes


def structure(system: Model) -> list[Diagnostic]:
    """Findings about names, order, references and symbols; empty when the model is sound."""
    findings = [*_names(system), *_tree(system), *_coordinates(system), *_references(system)]
    findings += attached(system)
    return [*findings, *_cycle(system), *nested(system), *scopes(system)]


def _names(system: Model) -> Iterator[Diagnostic]:
    kinds = {
        "bodies": [b.name for b in system.bodies],
        "coordinates": [c.name for c in system.coordinates],
        "parameters": [p.name for p in system.parameters],
        "functions": [f.name for f in system.functions],
        "forces": [f.name for f in system.forces],
        "constraints": [c.name for c in system.constraints],
        "armatures": [a.name for a in system.armatures],
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
    for kind in ("bodies", "coordinates", "parameters", "functions"):
        for name in kinds[kind]:
            if not name:
                yield error(kind, "one of them has an empty name", "name it")
            elif kind != "bodies" and (name == "t" or "'" in name or name.startswith("@")):
                meaning = "t is the time, ' a rate, @ the length of a bipolar element"
                yield error(f"{kind}/{name}", f"{name!r} cannot be a name: {meaning}", "rename it")


def _tree(system: Model) -> Iterator[Diagnostic]:
    bodies = {b.name: b for b in system.bodies}
    carried = _carried(system)
    seen: set[str] = set()
    for body in system.bodies:
        place = f"bodies/{body.name}/parent"
        if body.parent is not None and body.parent not in seen:
            if body.parent not in bodies:
                yield error(place, f"there is no body {body.parent!r}", _known("bodies", bodies))
            elif body.name not in carried:
                yield error(place, f"{body.name!r} is carried by itself", "a loop needs a constraint")
            else:
                yield error(place, f"its parent {body.parent!r} stands after it", "parents come first")
        elif body.parent_node is not None:
            modes = bodies[body.parent].modes if body.parent else None
            nodes = [node.name for node in modes.nodes] if modes else []
            if body.parent_node not in nodes:
                where = f"bodies/{body.name}/parent_node"
                yield error(where, f"the parent has no node {body.parent_node!r}", _known("nodes", nodes))
        seen.add(body.name)


def _known(kind: str, names: Iterable[str]) -> str:
    return f"known {kind}: {listed(sorted(names)) or 'none'}"


def _carried(system: Model) -> set[str]:
    """Bodies that no way over parents leads back to: ends of the tree are taken away until none is left."""
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
    used = Counter(name for body in system.bodies for name in body.coordinates)
    for name, count in used.items():
        if count > 1:
            remedy = "one joint per coordinate"
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
    for name in sorted(listed - {*used, *modal}):
        yield error(f"coordinates/{name}", "no joint or mode moves by it", "remove it, or use it in a joint")
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            for name in sorted(set(constraint.auxiliary) & listed):
                yield error(
                    f"constraints/{constraint.name}",
                    f"{name!r} is a coordinate of the system and of the cut joint",
                    "a cut joint's coordinates are its own",
                )


def _attached(system: Model) -> Iterator[tuple[str, str | None]]:
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
    for place, name in _attached(system):
        if name is not None and name not in bodies:
            yield error(place, f"there is no body {name!r}", _known("bodies", bodies))
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
            yield error(f"forces/{force.name}", message, _known("coordinates", coordinates))
        if isinstance(force, (Bushing, Torsion)):
            yield from _fixed_frames(force, system)
    rows = [
        (f"constraints/{c.name}", c.coefficients) for c in system.constraints if isinstance(c, Nonholonomic)
    ]
    for place, coefficients in (*rows, *((f"armatures/{a.name}", a.coefficients) for a in system.armatures)):
        for name in sorted(set(coefficients) - coordinates):
            yield error(place, f"there is no coordinate {name!r}", _known("coordinates", coordinates))


def _fixed_frames(force: Bushing | Torsion, system: Model) -> Iterator[Diagnostic]:
    """The frames of a bushing or a torsion stand still in rigid bodies."""
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
    """The first parameter that is defined by itself, with the way around."""
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
