"""Description of a model: tree, coordinates, units, parameters, gravity, forces, constraints, features, obstacles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from mbconcord.converters.findings import remark_oversized
from mbconcord.converters.format import RunDefaults
from mbconcord.converters.registry import reaches
from mbconcord.model import (
    Bipolar,
    Body,
    Bushing,
    Coordinate,
    Diagnostic,
    ElementaryTransformation,
    JointEffort,
    LinearLaw,
    Mapped,
    Motion,
    NumbersError,
    Prescribed,
    System,
    Torsion,
    Wrench,
)  # fmt: skip
from mbconcord.model.checks.physics import Policy, physics
from mbconcord.model.derivation import Obstacle
from mbconcord.model.expressions import Expression
from mbconcord.model.features import FEATURES, features
from mbconcord.model.force import Force, map_formulas, write_words
from mbconcord.model.limits import count
from mbconcord.model.numbers import known_values
from mbconcord.model.omission import ASSUMED, KINDS, REACHED, WHERE_REACHED, format_counts
from mbconcord.model.transformation import AXES
from mbconcord.validation.judge.closed.closed_states import RemainingFreedom

from .summary import format_notes
from .table import table

#: So much of a law stands in the table of forces.
LONGEST: Final = 100
#: So many levels of the tree of bodies are indented: a column as wide as a chain is long would be its square.
DEEPEST: Final = 30


def physical_findings(system: System, policy: Policy) -> list[Diagnostic]:
    """List the physical faults of the model, as far as its values determine them."""
    try:
        return [*physics(system, known_values(system), policy), *remark_oversized(system, policy, reaches)]
    except NumbersError as problem:
        return list(problem.diagnostics)


def describe(
    file: str,
    system: System,
    obstacles: Mapping[str, Sequence[Obstacle]],
    findings: Sequence[Diagnostic],
    notes: Mapping[str, Sequence[Diagnostic]],
    free: RemainingFreedom | None = None,
    run: RunDefaults | None = None,
) -> dict[str, Any]:
    """Describe a model in the form of ``info --json``; ``free`` is its remaining freedom, ``run`` settings of a run."""
    unit, joint = units(system), joints_in_source(system)
    mode_of = {name: body.name for body in system.bodies for name in body.modal}
    return {
        "file": file,
        "name": system.name,
        "bodies": [_body(body, depth) for body, depth in zip(system.bodies, depths(system), strict=True)],
        "coordinates": [
            _coordinate(c, unit[c.name], joint.get(c.name), mode_of.get(c.name)) for c in system.coordinates
        ],
        "parameters": [
            {"name": p.name, "value": None if p.value is None else str(p.value), "origin": p.origin}
            for p in system.parameters
        ],
        "functions": [
            {"name": f.name, "arguments": list(f.arguments), "formula": None if f.formula is None else str(f.formula)}
            for f in system.functions
        ],
        "gravity": None
        if system.gravity is None
        else {"value": str(system.gravity.value), "direction": [str(x) for x in system.gravity.direction]},
        "forces": [
            {"name": f.name, "kind": type(f).__name__, "on": _locate_force(f), "law": _law(f)} for f in system.forces
        ],
        "constraints": [{"name": c.name, "kind": type(c).__name__} for c in system.constraints],
        **({"freedom": asdict(free)} if free else {}),
        "armatures": [
            {
                "name": a.name,
                "inertia": str(a.inertia),
                "coefficients": {name: str(c) for name, c in a.coefficients.items()},
            }
            for a in system.armatures
        ],
        "points": [{"name": p.name, "body": p.body, "position": [str(x) for x in p.position]} for p in system.points],
        "omissions": [omission.to_json() for omission in system.omissions],
        **({"run": asdict(run)} if run else {}),
        "features": sorted({feature for feature, _ in features(system)}),
        "formalisms": [
            {
                "name": name,
                "takes": not found,
                "obstacles": [str(o) for o in found],
                "notes": format_notes(notes.get(name, ())),
            }
            for name, found in obstacles.items()
        ],
        "diagnostics": [str(d) for d in findings],
    }


def _coordinate(c: Coordinate, unit: str, joint: str | None, mode_of: str | None = None) -> dict[str, Any]:
    """Describe a coordinate, with the name of its joint in the source, or for an elastic mode, of its body."""
    return {
        "name": c.name,
        "unit": unit,
        "position": str(c.position),
        "velocity": str(c.velocity),
        "drive": _drive(c.drive),
        "joint": joint,
        "mode_of": mode_of,
    }


def units(system: System) -> dict[str, str]:
    """Return the unit of each coordinate: rad for rotations, m for shifts and modes; ``-`` if unknown, as of maps."""
    modal = [name for body in system.bodies for name in body.modal]
    found = {name: "m" if kind == "translation" else "rad" for name, kind in system.kinds.items()}
    return dict.fromkeys(system.coordinate_names, "-") | dict.fromkeys(modal, "m") | found


def in_units(system: System, *more: str) -> str:
    """Write the coordinates with their units: ``z1, z2 in rad; s in m``; ``more`` texts follow."""
    unit_of = units(system)
    known = [unit_of.get(name, "") for name in system.coordinate_names]
    pairs = list(zip(system.coordinate_names, known, strict=True))
    groups = (", ".join(name for name, own in pairs if own == unit) + f" in {unit}" for unit in dict.fromkeys(known))
    return "; ".join([*groups, *more])


def joints_in_source(system: System) -> dict[str, str]:
    """Map coordinates to joints of the source program, with the line of the joint if known: ``FL.hip (rv)``."""
    found = {}
    for key, records in system.metadata.items():
        for record in records if key.endswith(":coordinates") and isinstance(records, list) else ():
            if isinstance(record, dict) and record.get("joint"):
                path = ".".join(str(record[part]) for part in ("subsystem", "joint") if record.get(part))
                line = f" ({record['line']})" if record.get("line") else ""
                found[str(record.get("name"))] = f"{path}{line}"
    return found


def joint_text(joint: Sequence[ElementaryTransformation]) -> str:
    """Describe a joint in words: ``turn z1 about z, shift i1 along x``."""
    return ", ".join(map(_transformation, joint)) or "fixed"


def text(facts: Mapping[str, Any]) -> str:
    """Return the text of ``info`` from the facts that :func:`describe` returned."""
    return "\n".join(_lines(facts)) + "\n"


def depths(system: System) -> list[int]:
    """Return for each body its depth in the tree: the number of bodies between it and the ground."""
    depth: dict[str | None, int] = {None: -1}
    for body in system.bodies:
        depth[body.name] = depth[body.parent] + 1
    return [depth[body.name] for body in system.bodies]


def _body(body: Body, depth: int) -> dict[str, Any]:
    inertia = body.inertia
    return {
        "name": body.name,
        "parent": body.parent,
        "depth": depth,
        "joint": joint_text(body.joint),
        "coordinates": list(dict.fromkeys(name for et in body.joint for name in et.moving)),
        "mass": str(inertia.mass),
        "centre": [str(x) for x in inertia.centre],
        "tensor": [str(x) for x in inertia.tensor],
    }


def _transformation(et: ElementaryTransformation) -> str:
    verb, way = ("shift", "along") if et.is_translation else ("turn", "about")
    moving = " (map)" if isinstance(et.motion, Mapped) else " (prescribed)" if isinstance(et.motion, Prescribed) else ""
    return f"{verb} {et.amount} {way} {axis_text(et.axis)}{moving}"


def axis_text(axis: Sequence[Expression]) -> str:
    """Name an axis, ``x`` or ``-z``, else list its components."""
    for name, vector in AXES.items():
        if tuple(axis) == vector:
            return name
        if tuple(-x for x in axis) == vector:
            return f"-{name}"
    return f"({', '.join(map(str, axis))})"


def _drive(drive: Any) -> str | None:
    if drive is None:
        return None
    return f"acceleration {drive.acceleration}" if isinstance(drive, Motion) else f"effort {write_words(drive.value)}"


def _mode(coordinate: Mapping[str, Any]) -> str:
    return f"elastic mode of {coordinate['mode_of']}" if coordinate["mode_of"] else ""


def _locate_force(force: Any) -> str:
    if isinstance(force, JointEffort):
        return force.coordinate
    if isinstance(force, (Bipolar, Bushing, Torsion)):
        return f"{force.first.body or 'ground'} - {force.second.body or 'ground'}"
    return str(force.point.body or "ground")


_COUNTED = ("bodies", "coordinates", "parameters", "forces", "constraints")


def _law(force: Force) -> str:
    """Write the law of a force: a formula in its coordinate, its distance or its angle @, or components and axes."""
    _, (force,) = map_formulas((), (force,), lambda x, _: write_words(x))
    if isinstance(force, (JointEffort, Bipolar, Torsion)):
        law = force.effort if isinstance(force, JointEffort) else force.law
        if isinstance(law, LinearLaw):
            parts = {part.name: getattr(law, part.name) for part in fields(law)}
            return "linear " + (", ".join(f"{name} = {x}" for name, x in parts.items() if x) or "0")
        return str(law)
    if isinstance(force, Bushing):
        parts = {"stiffness": force.stiffness, "damping": force.damping, "preload": (force.preload,)}
        told = {name: sum(bool(x) for row in rows for x in row) for name, rows in parts.items()}
        return "linear 6×6: " + (", ".join(f"{name} of {n}" for name, n in told.items() if n) or "0")
    text = f"({', '.join(map(str, force.force))}){' in axes of the body' if force.follows else ''}"
    return f"{text}, moment ({', '.join(map(str, force.moment))})" if isinstance(force, Wrench) else text


def _lines(facts: Mapping[str, Any]) -> Iterator[str]:
    yield f"{facts['name']} ({facts['file']})"
    counts = {key: count(len(facts[key]), key.replace("ies", "ys")[:-1], key) for key in _COUNTED}
    modes = sum(c["mode_of"] is not None for c in facts["coordinates"])
    counts["coordinates"] += f" ({modes} of elastic modes)" if modes else ""
    yield ", ".join(counts.values())
    gravity = facts["gravity"]
    yield (
        "gravity: none" if gravity is None else f"gravity: {gravity['value']} along ({', '.join(gravity['direction'])})"
    )
    bodies = [
        ("  " * min(b["depth"], DEEPEST) + b["name"], b["joint"], b["mass"], _inertia(b)) for b in facts["bodies"]
    ]
    yield from _section(("body", "joint", "mass", "inertia"), bodies)
    yield from _coordinates(facts["coordinates"])
    parameters = [
        (p["name"], "no value" if p["value"] is None else p["value"], p["origin"]) for p in facts["parameters"]
    ]
    yield from _section(("parameter", "value", "origin"), parameters)
    functions = [
        (f"{f['name']}({', '.join(f['arguments'])})", f["formula"] or "no formula") for f in facts["functions"]
    ]
    yield from _section(("function", "formula"), functions)
    forces = [(f["name"], f["kind"], f["on"], _cut(f["law"])) for f in facts["forces"]]
    yield from _section(("force", "kind", "on", "law"), forces)
    constraints = [(c["name"], c["kind"]) for c in facts["constraints"]]
    yield from _section(("constraint", "kind"), constraints)
    yield from _freedom(facts.get("freedom"), facts["diagnostics"])
    armatures = [
        (a["name"], a["inertia"], ", ".join(f"{c} {name}'" for name, c in a["coefficients"].items()))
        for a in facts["armatures"]
    ]
    yield from _section(("armature", "inertia", "turns with"), armatures)
    points = [(p["name"], p["body"], f"({', '.join(p['position'])})") for p in facts["points"]]
    yield from _section(("point", "of body", "position, m"), points)
    yield from _section(("left out", "name", "effect on the motion"), list(_list_omitted(facts["omissions"])))
    if run := facts.get("run"):
        made = {"tout": "until", "step": "step_out", "error": "tolerance", "method": "method"}
        rows = [(name, text, run.get(made.get(name, ""))) for name, text in run["settings"].items()]
        shown = [(name, text, "-" if x is None else f"{made[name]} {x}") for name, text, x in rows]
        yield from _section((f"setting of {run['file']}", "value", "simulate takes"), shown)
    used = [(name, FEATURES[name]) for name in facts["features"]]
    yield from _section(("feature", "meaning"), used)
    formalisms = [(f["name"], "yes" if f["takes"] else "no", "; ".join(f["obstacles"])) for f in facts["formalisms"]]
    takes = "solves it" if facts["constraints"] else "takes it"
    yield from _section(("formalism", takes, "obstacles"), formalisms)
    spoken_of = [(f["name"], note) for f in facts["formalisms"] for note in f["notes"]]
    yield from _section(("formalism", "how it takes it"), spoken_of)
    yield from _base_parameters(facts.get("base_parameters"), bool(facts["constraints"]))


#: What a warning of ``info`` begins with that has the reason.
NOT_COUNTED = "degrees of freedom are not counted: "


def _freedom(free: Mapping[str, Any] | None, diagnostics: Sequence[str]) -> Iterator[str]:
    """Yield lines on the degrees of freedom, redundant rows, and multipliers that are not determined."""
    if free is None:
        reasons = [text.partition(NOT_COUNTED)[2] for text in diagnostics if NOT_COUNTED in text]
        yield from ("", f"degrees of freedom: not counted: {reasons[0]}") if reasons else ()
        return
    yield ""
    if not free["states"]:
        yield "degrees of freedom: not known, no drawn state satisfies the constraints"
        return
    of = f" of {len(free['rows'])} rows by {free['by']}" if free["by"] else ""
    yield f"degrees of freedom: {free['degrees']}; rank {free['rank']}{of}, at drawn states on the constraints"
    if free["redundant"]:
        yield f"redundant rows: {', '.join(free['redundant'])}"
    if free["open"]:
        yield f"rows whose multipliers are not determined: {', '.join(free['open'])}"


def _base_parameters(found: Mapping[str, Any] | None, closed: bool) -> Iterator[str]:
    """Yield lines with the number of base parameters and their formulas; for a closed model, those of its open tree."""
    if found is None:
        return
    yield ""
    of = " of the open tree" if closed else ""
    told = f"{found['rank']} of {found['parameters']} inertial parameters, by {found['formalism']}"
    yield f"base parameters{of}: {told}"
    for base in found["base"]:
        yield f"  {base['text']}"
    if found["idle"]:
        yield f"nothing depends on {', '.join(found['idle'])}"
    yield from witnessed(found["witnesses"])


def witnessed(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line with the quantities that witnesses confirm, from comparisons as JSON."""
    agreed = [c["quantity"] for c in found if c["verdict"] == "agrees"]
    if agreed:
        yield f"witnessed by {', '.join(dict.fromkeys(c['b'] for c in found))}: {', '.join(agreed)}"


def _coordinates(facts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the table of coordinates, with the source's joint names if it has them."""
    headers: tuple[str, ...] = ("coordinate", "unit", "initial", "rate", "drive")
    rows: list[tuple[str, ...]] = [
        (c["name"], c["unit"], c["position"], c["velocity"], c["drive"] or _mode(c)) for c in facts
    ]
    if any(c["joint"] for c in facts):
        headers = (*headers, "joint")
        rows = [(*row, c["joint"] or "") for row, c in zip(rows, facts, strict=True)]
    yield from _section(headers, rows)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _list_omitted(omissions: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each omission that acts on the motion, and a row for each kind of other omissions."""
    for o in omissions:
        if o["effect"] != "none":
            kind, _, name = o["place"].partition("/")
            yield format_counts({kind: 1}) if kind in ASSUMED else KINDS[o["kind"]][0], name, o["effect"]
    others = Counter(o["kind"] for o in omissions if o["effect"] == "none")
    for kind, number in others.items():
        said = [o["what"] for o in omissions if o["kind"] == kind] if kind in ("encoding", "line-end") else []
        yield format_counts({kind: number}), ", ".join(said), WHERE_REACHED if kind in REACHED else "none"


def _section(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield ""
        yield table(headers, rows)


def _inertia(body: Mapping[str, Any]) -> str:
    centre = "" if all(x == "0" for x in body["centre"]) else f"centre ({', '.join(body['centre'])}) "
    xx, yy, zz, *products = body["tensor"]
    if all(x == "0" for x in body["tensor"]):
        return f"{centre}point" if body["mass"] != "0" else ""
    shown = (xx, yy, zz) if all(x == "0" for x in products) else body["tensor"]
    return f"{centre}J ({', '.join(shown)})"
