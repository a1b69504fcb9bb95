"""Lay out once more what tables and JSON of commands must show, from the arrays that witnesses judged."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from mbconcord.api.assemble import Assembled
from mbconcord.api.evaluate import Evaluated
from mbconcord.api.joint_forces import JointForces
from mbconcord.api.linkages import Linkage
from mbconcord.api.moving import SHOWN, JointMotion
from mbconcord.api.walk import Walk
from mbconcord.formalisms import registry
from mbconcord.model.derivatives import DERIVED, labels
from mbconcord.model.derivatives.regressor import REGRESSOR
from mbconcord.model.evaluation import Array
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES
from mbconcord.model.system import System
from mbconcord.reports.summary import format_notes
from mbconcord.simulation.levenberg_marquardt import ACCEPTED, units_of
from mbconcord.validation.compare import Sameness
from mbconcord.validation.explain.answer import Causes
from mbconcord.validation.judge.closed.closed_states import RemainingFreedom
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.exact.base_parameters import BaseParameters
from mbconcord.validation.judge.tolerances import RUN
from mbconcord.validation.witnesses.screen import NULL, SIX, PrintedRows, conclude, read_json, read_tables, read_words
from mbconcord.validation.witnesses.sums.joint_forces import BODIES


def expect_evaluated(system: System, found: Evaluated, more: Mapping[str, Array]) -> dict[str, Any]:
    """Return the values that ``evaluate --json`` must show at the first state: state, arrays (n, …), constraints."""
    at, names, motion = found.at.environments[0], system.coordinate_names, found.motion
    arrays = {name: [x[0]] for name, x in (found.by_name() | {**more}).items()}
    about: dict[str, Any] = {}
    if motion is not None:
        about = {"rows": motion.rows, "rank": motion.rank[0], "redundant": motion.redundant[0]}
        if motion.from_bodies:
            about |= {"on_bodies": motion.from_bodies.rows, "residual": motion.from_bodies.residual[0]}
            arrays["reactions_from_bodies"] = [motion.from_bodies.values[0]]
        if (near := found.nearest) is not None:
            before, after = (np.array([x.states[0].q[name] for name in names]) for x in (near.given, near.moved))
            units = units_of(near.at, near.at.q)[0, : len(names)]
            moved = np.abs((after - before) / units).max(initial=0.0) if near.moved.is_closed[0] else None
            about |= {"gap": near.gaps[0], "distance": moved, "change": found.changes[0]}
    numbers = {name: x.tolist() if np.isfinite(x).any() or not x.size else None for name, (x,) in arrays.items()}
    state = {key: [at[name + dot] for name in names] for key, dot in (("q", ""), ("v", "'"), ("a", "''"))}
    parameters = {p.name: at[p.name] for p in system.parameters}
    return {"t": at["t"], **state, "parameters": parameters, **numbers, **({"constraints": about} if about else {})}


def expect_described(
    system: System, free: RemainingFreedom | None, base: BaseParameters | None, obstacles: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """Return the values that JSON of a model must show: bodies, coordinates, parameters, freedom, formalisms."""
    carriers = {body.name: body.parent for body in system.bodies}

    def count_carriers(name: str) -> int:
        carrier, depth = carriers[name], 0
        while carrier is not None:
            carrier, depth = carriers[carrier], depth + 1
        return depth

    bodies = [
        {
            "name": body.name, "parent": body.parent, "depth": count_carriers(body.name),
            "coordinates": body.coordinates, "mass": str(body.inertia.mass),
            "centre": list(map(str, body.inertia.centre)), "tensor": list(map(str, body.inertia.tensor)),
        }
        for body in system.bodies
    ]  # fmt: skip
    start = [{"name": c.name, "position": str(c.position), "velocity": str(c.velocity)} for c in system.coordinates]
    values = [{"name": p.name, "value": None if p.value is None else str(p.value)} for p in system.parameters]
    told: dict[str, Any] = {"name": system.name, "bodies": bodies, "coordinates": start, "parameters": values}
    told["points"] = [{"name": p.name, "body": p.body, "position": list(map(str, p.position))} for p in system.points]
    if system.gravity is not None:
        told["gravity"] = {"value": str(system.gravity.value), "direction": list(map(str, system.gravity.direction))}
    told["formalisms"] = [
        {
            "name": name, "takes": not found, "obstacles": list(map(str, found)),
            "notes": [] if found else format_notes(registry.formalism(name).notes(system)),
        }
        for name, found in obstacles.items()
    ]  # fmt: skip
    if free is not None:
        told["freedom"] = {"states": free.states, "rank": free.rank, "degrees": free.degrees, "rows": free.rows}
    return told | ({"base_parameters": expect_base(base)} if base is not None else {})


def read_described(
    own: Mapping[str, Any], angles: Collection[str], base: Sequence[Mapping[str, Any]], text: str
) -> Comparison:
    """Compare the printed text of ``info`` with the values of its JSON, by the ends of lines and by words."""

    def plain(*cells: str) -> str:
        return " ".join(" ".join("\\n".join(cell.splitlines()) for cell in cells).split())

    lines = (f"{plain(line)} " for line in text.splitlines())  # read once: rows stand in the order of the model
    wanted = [(plain(b["name"]), f" {plain(b['mass'], _write_inertia(b))} ") for b in own["bodies"]]
    wanted += [(plain(c["name"], unit, c["position"], c["velocity"]), "") for c in own["coordinates"]
               for unit in ["rad" if c["name"] in angles else "m"]]  # fmt: skip
    wanted += [(plain(p["name"], p["value"] or "no value"), "") for p in own["parameters"]]
    wanted += [(plain(p["name"], p["body"], f"({', '.join(p['position'])})"), "") for p in own["points"]]
    takers = own["formalisms"]
    wanted += [(plain(f["name"], "yes" if f["takes"] else "no", "; ".join(f["obstacles"])), "") for f in takers]
    wanted += [(plain(f["name"], note), "") for f in takers for note in f["notes"]]
    wrong = [f"found no line {start} …{end}" for start, end in wanted
             if not any(x.startswith(f"{start} ") and x.endswith(end) for x in lines)]  # fmt: skip
    n = len(own["bodies"])
    counts = f"\n{n:,} bod{'y' if n == 1 else 'ies'}, {len(own['coordinates']):,} coordinate"
    fall = own.get("gravity")
    words = [counts, f"gravity: {fall['value']} along ({', '.join(fall['direction'])})" if fall else "gravity: none"]
    if free := own.get("freedom", {}).get("states") and own["freedom"]:
        words.append(f"\ndegrees of freedom: {free['degrees']}; rank {free['rank']}")
        words += [f" of {len(free['rows'])} rows by "] if free["rows"] else []
    if found := own.get("base_parameters"):
        sums = "".join(f"  {each['text']}\n" for each in base)  # all of them, and nothing between
        words.append(f": {found['rank']} of {found['parameters']} inertial parameters, by {found['formalism']}\n{sums}")
        wrong += [f"found {len(base)} sums, expected {found['rank']}"] if len(base) != found["rank"] else []
        words += [f"\nnothing depends on {', '.join(found['idle'])}"] if found["idle"] else []
    wrong += [f"found no {word.strip()!r}" for word in words if word not in text]
    return conclude("info", "printed text", wrong)


def _write_inertia(body: Mapping[str, Any]) -> str:
    centre, tensor = (body[key] if {*body[key]} != {"0"} else () for key in ("centre", "tensor"))
    about = tensor[:3] if {*tensor[3:]} <= {"0"} else tensor
    shown = f"J ({', '.join(about)})" if tensor else "point" if body["mass"] != "0" else ""
    return f"centre ({', '.join(centre)}) {shown}" if centre and shown else shown


def expect_base(base: BaseParameters) -> dict[str, Any]:
    """Return the values that JSON of base parameters must show; coefficients that are fractions become texts."""

    def write(c: Fraction | float | None) -> str | float | None:
        return f"{c.numerator}/{c.denominator}".removesuffix("/1") if isinstance(c, Fraction) else c

    kept = [{"parameter": b.parameter, "added": {name: write(c) for name, c in b.added.items()}} for b in base.base]
    told = {"formalism": base.formalism, "parameters": len(base.parameters), "rank": len(base.base)}
    return {**told, "base": kept, "idle": base.idle}


def expect_motion(moving: JointMotion) -> tuple[dict[str, float], dict[str, float]]:
    """Return accelerations of a motion at its first state, and the efforts that cause it, both by name."""
    names = moving.system.coordinate_names
    efforts = {name: float(x) for name, x in zip(names, moving.effort[0], strict=True) if name in moving.driven}
    acted = {name: float(x[0]) for name, x in moving.actuated.items()}
    return dict(zip(names, moving.acceleration[0].tolist(), strict=True)), acted or efforts


def expect_borne(found: JointForces) -> dict[str, Any]:
    """Return the joint forces that JSON must show: by body and witness, at cuts, on the ground; and the motion."""

    def split(x: Array) -> dict[str, Any]:
        return {"force": x[:3], "moment": x[3:]}

    ends = zip(found.bodies, found.carriers, strict=True)
    joints = [
        {"body": body, "carrier": carrier, "by": {name: split(x[0, i]) for name, x in found.by.items()}}
        for i, (body, carrier) in enumerate(ends)
    ]
    cuts = [
        {"constraint": name, "body": second, "carrier": first,
         "by": {by: split(x[0, i]) for by, x in found.at_cuts.items()}}
        for i, (name, second, first) in enumerate(found.cuts)
    ]  # fmt: skip
    ground = {} if found.ground is None else {"ground": split(found.ground[0])}
    accelerations, efforts = expect_motion(found.motion)
    moving = {"acceleration": accelerations, "effort": efforts}
    return {"axes": found.axes, "joints": joints, **moving, **({"cuts": cuts} if cuts else {}), **ground}


def expect_linkage(found: Linkage, system: System) -> dict[str, Any]:
    """Return the values that JSON of a linkage must show."""
    forces, names = found.forces, system.coordinate_names
    joints = zip(forces.bodies, forces.force[0], forces.moment[0], strict=True)
    return {
        "coordinates": names, "acceleration": forces.accelerations[0], "plane": forces.axes,
        **{key: [x.get(name) for name in names] for key, x in (("q", found.state.q), ("v", found.state.v))},
        "drives": {name: x[0] for name, x in forces.drives.items()},
        "joint_forces": [dict(zip(("body", "force", "moment"), joint, strict=True)) for joint in joints],
        "cut_joints": [
            {"constraint": r.constraint, "body": r.body, "point": r.point[0], "force": r.force[0],
             "moment": r.moment[0]} for r in forces.reactions
        ],
    }  # fmt: skip


def expect_assembled(found: Sequence[Assembled]) -> dict[str, Any]:
    """Return the values that JSON of assembled states must show, the nearest state first."""
    every = [
        {
            "state": {"t": one.state.t, "q": one.state.q, "v": one.state.v, "a": one.state.a,
                      "parameters": one.state.parameters},
            "moved": dict(zip(one.system.coordinate_names, one.placed.shift, strict=True)),
            "changed": dict(zip(one.system.coordinate_names, one.placed.change, strict=True)),
            "distance": one.placed.distance, "gap": one.gap, "rank": one.rank, "rows": one.placed.assembly.rows,
            "regular": one.regular,
        }
        for one in found
    ]  # fmt: skip
    return {"closed": True, **every[0], **({"others": every[1:]} if every[1:] else {})}


def read_compared(found: Sameness, answer: Causes | None, text: str) -> Comparison:
    """Compare the JSON of ``compare`` with its result: pairs, largest differences with states, masses, causes."""

    def expect(value: Any, names: str, **more: Any) -> dict[str, Any]:
        return {name: getattr(value, name) for name in names.split()} | more

    def locate(c: Any, names: str, **more: Any) -> dict[str, Any]:
        return expect(c, names, state=c.state and expect(c.state, "t q v a parameters"), **more)

    compared = "a b quantity verdict discrepancy tolerance scale cond noticeable entry values"
    own: dict[str, Any] = {
        "pairs": [
            locate(c, compared, rounding=dict(c.rounding), terms=[t.to_json() for t in c.terms])
            for c in found.comparisons
        ],
        "largest": {x.quantity: locate(x, "entry values of_scale") for x in found.largest},
        "masses": [expect(m, "mass centre") for m in found.masses],
    }
    if answer is not None:
        steps = [[expect(cause, "place said") for cause in step.causes] for step in answer.steps]
        own["why"] = expect(answer, "shares located", changed=answer.names[answer.backwards], steps=steps)
        if fields := answer.fields:
            rows = [
                expect(row, "alone left", lines=[expect(x, "place field a b") for x in row.lines])
                for row in fields.rows
            ]
            told = "more before left noise digits place constraints"
            own["why"]["fields"] = expect(fields, told, rows=rows)
    data = json.loads(text)
    return read_json("compare", json.dumps({key: data.get(key) for key in own}), own)


def judge_sides(systems: Sequence[System], models: Sequence[System]) -> Comparison:
    """Compare models A and B of a table with the given models; values and functions that those leave open may differ.
    """  # fmt: skip
    wrong = []
    for side, own, shown in zip("AB", systems, models, strict=False):
        values, known = ({p.name: p.value for p in x.parameters if p.value is not None} for x in (own, shown))
        same = replace(shown, parameters=own.parameters, functions=own.functions) == own
        wrong += [] if same and values.items() <= known.items() else [f"{side} of the table is another model"]
    return conclude("why", "models", wrong)


def read_why(answer: Causes, text: str) -> Comparison:
    """Compare the printed causes of a difference with the steps of the answer and the rows of changed fields."""
    rows = answer.fields.rows if answer.fields else ()
    wanted = [cause.said for step in answer.steps for cause in step.causes[:1]]
    wanted += ["A B alone left after it"] if any(row.lines[0].field for row in rows) else []
    for row in rows:
        effect, (first, *others) = f"{row.alone:.2g}" if row.needed else "no effect", row.lines
        numbers = f" ({first.a} in A, {first.b} in B)" if first.a or first.b else ""
        told = f"{first.place}{numbers}: alone {row.alone:.2g}, left after it {row.left:.2g}"
        if first.field:
            told = f"{first.place} {first.field} {first.a} {first.b} {effect} {row.left:.2g}"
        wanted += [told, *(f"{x.place} {x.field} {x.a} {x.b}" for x in others)]
    words = "cannot be seen in the motion:"
    wanted += [f"{words} {', '.join(answer.invisible)}"] if answer.invisible else []
    shown = "\n".join(" ".join(line.split()) for line in ("", *text.splitlines(), ""))
    if not answer.invisible and words in shown:
        return conclude("why", "printed text", [f"found {words!r}, expected nothing"])
    return read_words("why", shown, (" ".join(x.split()) for x in wanted))


def expect_numbers(
    system: System, found: Mapping[str, Any], vectors: Sequence[str], rows: Sequence[str]
) -> Iterator[PrintedRows]:
    """Yield the tables to print: ``vectors`` side by side, matrices one by one, constraint rows with multipliers."""
    names = system.coordinate_names
    own = [name for name in vectors if name in found]
    columns = ([NULL] * len(names) if found[name] is None else found[name] for name in own)
    yield [("coordinate", *own), *zip(names, *columns, strict=True)]
    for name in ("M", *DERIVED):
        if found.get(name):
            turned = name == REGRESSOR  # a row for each parameter
            pairs = zip(labels(system), zip(*found[name], strict=True)) if turned else zip(names, found[name])
            yield [(name, *names), *((label, *line) for label, line in pairs)]
    if "D" in found and found["D"] is not None:
        loads = [NULL] * len(rows) if found["lambda"] is None else found["lambda"]
        lines = zip(rows, found["D"], loads, strict=True)
        yield [("D", *names, "lambda"), *((row, *D, load) for row, D, load in lines)]


def expect_kinematics(found: Mapping[str, Any], axes: Mapping[str, tuple[tuple[str, ...], ...]]) -> list[PrintedRows]:
    """Return the tables to print: scalars, vectors with the same names of entries together, matrices one by one."""
    order = list(dict.fromkeys(x if len(x) < 2 else (*x, (name,)) for name, x in axes.items()))
    tables: dict[int, list[PrintedRows]] = {}
    for name, x in axes.items():
        if len(x) < 2:
            own = found[name] or [NULL] * len(x[0]) if x else [NULL if found[name] is None else found[name]]
            cells = zip(*(x or [[""]]), own, strict=True)
            tables.setdefault(order.index(x) if x else -1, []).append([("", name), *cells])
        else:
            lines = zip(x[0], found[name] or [[NULL] * len(x[1])] * len(x[0]), strict=True) if x[1] else ()
            tables[order.index((*x, (name,)))] = [[(name, *x[1]), *((row, *line) for row, line in lines)]]
    return [table for place in sorted(tables) for table in tables[place]]


def read_distance(expected: Mapping[str, Any], text: str) -> Comparison:
    """Compare the sentence about the distance from the constraints with the gap: there is none where these hold."""
    gap = expected.get("constraints", {}).get("gap", 0.0)
    wanted = [] if gap <= ACCEPTED else [f"{gap:.2g}" if np.isfinite(gap) else "?"]
    shown = re.findall(r"^the state is off (?:them|the constraints) by (\S+) of what", text, re.MULTILINE)
    return conclude("evaluate", "distance", [f"found {shown}, expected {wanted}"] * (shown != wanted))


def list_motion(moving: JointMotion) -> list[str]:
    """Return the texts of accelerations and efforts in the line of a motion; empty if there are many."""
    if len(moving.acceleration) != 1 or len(moving.system.coordinates) > SHOWN:
        return []
    accelerations, efforts = expect_motion(moving)
    said = [] if moving.is_own else [f"effort {name}: {x + 0.0:.6g}" for name, x in efforts.items()]
    return [*(f"{name}'' = {x + 0.0:.6g}" for name, x in accelerations.items()), *said]


def expect_joint_forces(found: JointForces) -> Iterator[PrintedRows]:
    """Yield the tables to print: forces in joints, at cuts, and on the fixed frame."""
    joints = list(zip(found.bodies, found.carriers, strict=True))
    borne = [any(np.any(x[0, i]) for x in found.by.values()) for i in range(len(joints))]
    tables: list[tuple[Any, ...]] = [(("body", "carrier"), joints, found.by, borne)]
    if found.cuts:
        tables.append((("cut", "second", "first"), [*found.cuts], found.at_cuts, [True] * len(found.cuts)))
    for heads, places, by, shown in tables:
        rows = ((*places[i], *x[0, i], name) for i in np.flatnonzero(shown) for name, x in by.items())
        yield [(*heads, *COMPONENTS, "by"), *rows]
    if found.ground is not None:
        yield [(*COMPONENTS, "by"), (*found.ground[0], BODIES)]


def expect_walk(found: Walk) -> dict[str, Any]:
    """Return the values that JSON of a walking machine must show, except its written moments."""
    heads = ("step", "t", "standing", "payload", "mass", "mass_centre", "plumb", "margin")
    rows = [
        (s.step.name, s.step.t, s.step.standing, s.payload, s.mass, s.centre, s.plumb, s.margin) for s in found.stances
    ]
    return {"axes": found.axes, "stances": [dict(zip(heads, row, strict=True)) for row in rows]}


def judge_linkage(found: Linkage, system: System, by: str, driven: Mapping[str, Sequence[float]]) -> Comparison:
    """Compare the motion of driven coordinates with the requested one; require that others judged the forces."""
    others = {*registry.names(), BODIES} - {by}
    off = [f"{c.quantity} by {c.a} and {c.b} is no comparison of {by} with another witness" for c in found.comparisons
           if c.a != by or c.b not in others or c.quantity not in (JOINT_FORCES, "drives")]  # fmt: skip
    off += [] if found.comparisons or found.forces.diagnostics else ["no witness judged the joint forces"]
    for name, given in driven.items():
        acceleration = found.forces.accelerations[0, system.coordinate_names.index(name)]
        moving = (found.state.q[name], found.state.v[name], float(acceleration))
        for dots, x, own in zip(("", "'", "''"), moving, given):
            if abs(x - own) > RUN * (1.0 + abs(own)):
                off.append(f"{name}{dots} is {x:.9g}, asked for {own:.9g}")
    return Comparison(by, "", "drives and witnesses", "disagrees" if off else "agrees", explanation="; ".join(off))


def read_walk(found: Walk, text: str) -> Comparison:
    """Compare the printed table of margins with the computed margins."""
    timed = any(s.step.t is not None for s in found.stances)
    heads = ("step", "t, s", "standing", "payload, kg", f"centre {found.axes[0]}, m", f"{found.axes[1]}, m")
    rows = [
        (s.step.name, "-" if s.step.t is None else (s.step.t, SIX), " ".join(map(str, s.step.standing)) or "-",
         *((x, SIX) for x in (s.payload, *s.plumb, s.margin)), "falls" * (s.margin <= 0))
        for s in found.stances
    ]  # fmt: skip
    table = [row if timed else (*row[:1], *row[2:]) for row in [(*heads, "margin, m", ""), *rows]]
    table = table if any(row[-1] for row in table) else [row[:-1] for row in table]
    least = min(found.stances, key=lambda s: s.margin)
    words = [f"least margin {least.margin:.6g} m: {least.step.name}, payload {least.payload:g} kg"]
    return read_tables("walk", text, [table], words)


def read_linkage(found: Linkage, system: System, by: str, text: str) -> Comparison:
    """Compare the printed text of a linkage with the computed forces."""
    forces, names = found.forces, system.coordinate_names
    moving = ([side.get(name) for name in names] for side in (found.state.q, found.state.v))
    joints = zip(forces.bodies, forces.force[0], forces.moment[0], strict=True)
    cuts = ((r.constraint, r.body, *r.force[0], forces.axes[2] @ r.moment[0]) for r in forces.reactions)
    tables: list[PrintedRows] = [
        [("coordinate", "q", "v", "acceleration"), *zip(names, *moving, forces.accelerations[0], strict=True)],
        [("body", "Fx", "Fy", "moment"), *((body, *force, moment) for body, force, moment in joints)],
        [("cut joint", "body", "Fx", "Fy", "Fz", "moment"), *cuts],
    ]
    drives = [f"drive of {name}, besides the model's own efforts: {float(x[0])!r}" for name, x in forces.drives.items()]
    return read_tables(by, text, tables, drives + [f"{c.quantity} by {c.a} and {c.b}: " for c in found.comparisons])


def read_assembled(found: Assembled, text: str, number: int) -> Comparison:
    """Compare the printed text of an assembled state with its numbers; ``number`` 0 is the nearest of several."""
    state, moved = found.state, found.placed
    rows = [
        (name, state.q[name], (shift, SIX), state.v[name], (change, SIX))
        for name, shift, change in zip(found.system.coordinate_names, moved.shift, moved.change, strict=True)
    ]
    kind = "regular" if found.regular else "folded or singular"
    said = f"{kind} position: rank {found.rank} of {moved.assembly.rows} rows, largest gap {found.gap:.2g} of what"
    words = [said, f"another position, {moved.distance:.6g} away"][: 1 + (number > 0)]
    heads = ("coordinate", "position", "moved by", "rate", "changed by")
    return read_tables("assemble", text, [[heads, *rows]], words)
