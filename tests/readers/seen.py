"""What a reader made of a text, as plain numbers: poses, inertias, gravity, forces and constraints at a state.

No formalism looks here: frames and forces are those of the direct witness, which takes the fields of a model as
they stand. What is plain (a body on the fixed frame, a frame not moved, no force, no parameter) is left out, so that
a row of a table says everything about its model, and what a reader invents is a difference too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mbconcord.converters import registry
from mbconcord.model import (
    Bipolar,
    FrameCoincidence,
    Function,
    Holonomic,
    Nonholonomic,
    PointCoincidence,
    Rod,
    State,
    System,
)
from mbconcord.model.constraint import Frame as End
from mbconcord.model.expressions import symbol
from mbconcord.validation.witnesses.direct.formulas import SeriesFormulas, bind
from mbconcord.validation.witnesses.direct.motion import follow_joint
from mbconcord.validation.witnesses.direct.series import constant
from mbconcord.validation.witnesses.direct.tree import DirectTree

#: A vector of a body whose world components tell every turn: no zero, no equal components.
ARM = np.array([2.0, 3.0, 5.0])
#: Where a function's value is taken.
ARGUMENTS = (0.5, 0.3, 0.7)
#: A function without a formula is taken as 10 x1 + 100 x2.
WEIGHTS = (10, 100)


def seen(system: System, at: Mapping[str, float], plain_name: str = "") -> dict[str, Any]:
    """Facts of a model by name; ``at`` has values of coordinates, rates (``z1'``), t, parameters, cut joints.

    ``B.at``: the origin of body B, ``B.arm``: its vector (2, 3, 5), both in world axes; ``B.centre`` and ``B.tensor``
    (xx, yy, zz, xy, xz, yz, elements of the matrix about the centre of mass) in its own; ``Q``: applied generalized
    forces.
    """
    system = replace(system, functions=tuple(map(_defined, system.functions)))
    moving = system.coordinate_names
    cut = [n for c in system.constraints if isinstance(c, FrameCoincidence) for n in c.auxiliary]
    rates = [n + "'" for n in moving]
    given = {n: v for n, v in at.items() if n not in (*moving, *rates, *cut, "t")}
    state = State(
        at.get("t", 0.0),
        {n: at[n] for n in moving if n in at},
        {n: at[n + "'"] for n in moving if n + "'" in at},
        parameters=given,
    )
    tree = DirectTree(system, bind(system, [state], at_rest=True))
    facts: dict[str, Any] = {"name": system.name if system.name != plain_name else ""}
    facts |= {"coordinates": " ".join(moving), "bodies": " ".join(b.name for b in system.bodies)}
    start = tree.f if not given else bind(system, [State(parameters=given)], at_rest=True)
    for c in system.coordinates:
        facts |= {f"{c.name}.q": _number(start, c.position), f"{c.name}.v": _number(start, c.velocity)}
    for p in system.parameters:
        facts[f"{p.name}.{p.origin}"] = None if p.value is None else _Shown(_number(tree.f, p.value))
    for f in system.functions:
        assert f.formula is not None
        values = dict(zip(f.arguments, ARGUMENTS))
        facts[f"{f.name}({', '.join(f.arguments)})"] = _Shown(_number(_with(tree.f, values), f.formula))
    for body in system.bodies:
        facts |= _body(tree, body)
    facts["gravity"] = np.zeros(3)
    if system.gravity is not None:
        direction = _numbers(tree.f, system.gravity.direction)
        facts["gravity"] = _number(tree.f, system.gravity.value) * direction
    facts |= {"forces": " ".join(f.name for f in system.forces), "Q": tree.sum_applied_forces()[0]}
    for element in (*system.forces, *system.constraints):
        facts |= _element(tree, element, {n: at.get(n, 0.0) for n in cut})
    return {k: v for k, v in facts.items() if isinstance(v, _Shown) or v is None or np.any(v) or _word(v)}


class _Shown(float):
    """A number that is shown although it is zero."""


def _word(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _defined(f: Function) -> Function:
    if f.formula is not None:
        return f
    return replace(f, formula=sum((w * symbol(a) for w, a in zip(WEIGHTS, f.arguments)), symbol("pi") * 0))


def _body(tree: DirectTree, body: Any) -> dict[str, Any]:
    frame, name, inertia = tree.frames[body.name], body.name, body.inertia
    arm = frame.R[0] @ ARM
    return {
        f"{name}.on": body.parent or "",
        f"{name}.at": frame.r[0],
        f"{name}.arm": arm if np.abs(arm - ARM).max() > 1e-15 else 0.0,
        f"{name}.mass": _number(tree.f, inertia.mass),
        f"{name}.centre": _numbers(tree.f, inertia.centre),
        f"{name}.tensor": _numbers(tree.f, inertia.tensor),
    }


def _element(tree: DirectTree, element: Any, cut: Mapping[str, float]) -> dict[str, Any]:
    """A bipolar force or a constraint: what it joins, where its points stand."""
    name = element.name
    facts: dict[str, Any] = {}
    if isinstance(element, (Rod, Bipolar, PointCoincidence)):
        ends = element.first, element.second
        facts[f"{name}.joins"] = " ".join(str(e.body) for e in ends)
        facts[f"{name}.ends"] = np.array([tree.locate(e).r[0] for e in ends]).ravel()
    if isinstance(element, (Rod, Bipolar)):
        facts[f"{name}.mass"] = _number(tree.f, element.mass)
    if isinstance(element, Rod):
        facts[f"{name}.length"] = _number(tree.f, element.length)
    if isinstance(element, FrameCoincidence):
        facts[f"{name}.joins"] = f"{element.first.body} {element.second.body}"
        facts[f"{name}.cut"] = " ".join(element.auxiliary)
        facts[f"{name}.first"] = _end(tree, element.first, cut)
        facts[f"{name}.second"] = _end(tree, element.second, cut)
    if isinstance(element, Holonomic):
        facts[f"{name}.row"] = _number(tree.f, element.expression)
    if isinstance(element, Nonholonomic):
        facts[f"{name}.row"] = [*(_number(tree.f, z) for z in element.coefficients.values())]
        facts[f"{name}.of"] = " ".join(element.coefficients)
        facts[f"{name}.rest"] = _number(tree.f, element.rest)
    return facts


def _end(tree: DirectTree, end: End, cut: Mapping[str, float]) -> np.ndarray:
    """Origin and arm of a frame of a closure, in world axes."""
    frame = follow_joint(tree.frames[end.body], end.transformations, [*tree.names, *cut], _with(tree.f, dict(cut)))
    return np.concatenate([frame.r[0], frame.R[0] @ ARM])


def _with(formulas: SeriesFormulas, values: Mapping[str, float]) -> SeriesFormulas:
    """The formulas with more symbols."""
    more = {n: constant(np.array([float(v)]), formulas.orders) for n, v in values.items()}
    functions = tuple(formulas.functions.values())
    return SeriesFormulas({**formulas.symbols, **more}, functions, formulas.orders, formulas.count)


def _number(formulas: SeriesFormulas, expression: Any) -> float:
    return float(formulas.value(expression)[0])


def _numbers(formulas: SeriesFormulas, expressions: Sequence[Any]) -> np.ndarray:
    return formulas.values(expressions)[0]


def read(text: str, name: str, file: str = "-") -> System:
    """The model of a text in the format of that name."""
    return registry.read_text(text, file, name).system


def differences(found: Mapping[str, Any], expected: Mapping[str, Any]) -> list[str]:
    """Where two sets of facts differ, beyond the rounding of floats."""
    wrong = []
    for key in sorted({*found, *expected}):
        a, b = found.get(key, "nothing"), expected.get(key, "nothing")
        if a is None or b is None or isinstance(a, str) or isinstance(b, str):
            same = a is b or (isinstance(a, str) and a == b)
        else:
            one, other = np.atleast_1d(a), np.atleast_1d(b)
            same = one.shape == other.shape and np.allclose(one, other, rtol=1e-13, atol=1e-13)
        if not same:
            wrong.append(f"{key}: found {a}, expected {b}")
    return wrong


def wrong(text: str, name: str, at: Mapping[str, float], expected: Mapping[str, Any]) -> list[str]:
    """Where the model of a text in the format of that name differs from what is expected of it at a state."""
    return differences(seen(read(text, name), at, name), expected)
