"""What of a process is compared with what the unchanged source gives: numbers, residues, readings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.derivatives.dynamics import Dynamics
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.functions import define
from mbconcord.model.instance import bound
from mbconcord.model.mixed import imposed

from ..bodies.joint_forces import delivered
from ..exact.agreement import operations
from ..exact.equations import exact_equations
from ..judge.bounds import BoundedEquations
from ..judge.kinematics import Kinematics
from ..judge.states import draw
from ..judge.tolerances import SINGULAR
from ..judge.trial import has_numbers
from ..links.check import witnessed
from .machines import in_words
from .posed import SEED, Posed

#: Operations in prime fields, beyond which no residues are computed.
MOST_OPERATIONS = 400_000
#: A change of a number, relative to the largest of its quantity.
CHANGED = 1e-9
#: Of so many coordinates at most derivatives are compared, of one formalism: their code is shared by all.
DIFFERENTIATED = 2
#: Native scalars that are compared beside the quantities.
ENERGIES = ("T", "Π")
#: Parts of a native file that name, explain, or keep what is written back: of the model, and of its parameters.
NAMING = ("omissions", "metadata", "origin")
#: What recursions give stands under names that end so.
LINKED = "link by link"
#: Under this name a reading stands with them.
SAID = "said"

#: Of a quantity of a formalism its numbers; of what raised, its words; residues and readings as text.
Results = dict[str, Any]


def numbers(model: Posed, names: Iterable[str]) -> Results:
    """All quantities of formalisms that take a model, at two states; with constraints its motion beside them.

    Where something is raised there is no number.
    """
    found: Results = {}
    asked = {name: registry.formalism(name) for name in names}
    made = _closed(model, asked) if model.given.constraints else _tree(model, asked)
    for name, values in made:
        found[name] = values() if callable(values) else values
    return found


def _tree(model: Posed, asked: Mapping[str, Formalism]) -> Iterator[tuple[str, Any]]:
    for name, f in asked.items():
        if not f.obstacles(model.tree):
            yield from _quantities(name, f, model)
            yield f"{name} joint forces", _tried(partial(delivered, f, Kinematics(model.tree, model.at)))
        if f.steps and f.name == name:
            yield from _linked(name, f, model)


def _linked(name: str, f: Formalism, model: Posed) -> Iterator[tuple[str, Any]]:
    """Of a recursion, which large trees are checked by."""
    try:
        _, found = witnessed(f, model.tree, model.at)
    except Exception as problem:
        yield f"{name} raised {LINKED}", in_words(problem)
        return
    for quantity, x in found[1].values.items() if found else ():
        yield f"{name} {quantity} {LINKED}", np.ravel(x).tolist()


def _closed(model: Posed, asked: Mapping[str, Formalism]) -> Iterator[tuple[str, Any]]:
    for name, f in asked.items():
        if not f.obstacles(model.tree):
            yield from _quantities(name, f, model)
        if model.fits and not f.constraint_obstacles(model.system):
            yield from _motion(name, f, model.system, model.states)


def _quantities(name: str, f: Formalism, model: Posed) -> Iterator[tuple[str, Any]]:
    """Of the equations, and those that are computed without them."""
    try:
        made = f.derive(model.tree)
        found = dict(evaluate_derivation(made, model.at).quantities)
        energies = [x for key in ENERGIES if key in made.native for x in flatten(made.native[key])]
        if energies:
            found["energies"] = Kinematics(model.tree, model.at).vectors(energies)
        if has_numbers(f):
            directly = f.evaluate(model.tree, model.states).quantities
            found |= {f"{quantity} directly": x for quantity, x in directly.items()}
        if name == registry.DEFAULT and len(model.tree.coordinates) <= DIFFERENTIATED:
            found["derivatives"] = _derivatives(made, model)
    except Exception as problem:
        yield f"{name} raised", in_words(problem)
        return
    yield from ((f"{name} {quantity}", np.ravel(x).tolist()) for quantity, x in found.items())


def _derivatives(made: Derivation, model: Posed) -> Any:
    """∂τ/∂q, ∂τ/∂q', ∂q''/∂q, ∂q''/∂q', the latter where no drive imposes accelerations."""
    of, matrices = (
        Dynamics(made),
        ("dtau_dq", "dtau_dv", *(() if imposed(model.tree) else ("da_dq", "da_dv"))),
    )
    scalars = [x for matrix in matrices for x in flatten(getattr(of, matrix))]
    return Kinematics(model.tree, model.at).vectors(define(scalars, model.tree.functions))


def _motion(name: str, f: Formalism, system: System, states: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    try:
        motion, equations = f.solve_closed(system, states)
    except Exception as problem:
        yield f"{name} motion raised", in_words(problem)
        return
    if motion is not None:
        yield f"{name} constrained acceleration", np.ravel(motion.acceleration).tolist()
        yield f"{name} reactions", np.ravel(motion.reactions).tolist()
        yield f"{name} constrained forces", _tried(lambda: _at_joints(f, system, states))
    if equations is not None:
        yield f"{name} admitted motions", _tried(lambda: _admitted(equations, system, states))


def _admitted(equations: Derivation, system: System, states: Sequence[Any]) -> Any:
    """D⁺D and D⁺γ̃ of the equations by which a check bounds the errors of a motion: however rows are combined."""
    tree, n = system.opened(), len(system.coordinates)
    scalars = [x for part in ("D", "γ̃") for x in flatten(equations.native[part])]
    values = Kinematics(tree, bound(tree, states)).vectors(define(scalars, tree.functions))
    m = values.shape[1] // (n + 1)
    D, rest = values[:, : m * n].reshape(-1, m, n), values[:, m * n :, None]
    inverse = np.linalg.pinv(D, rcond=SINGULAR)
    return [*np.ravel(inverse @ D), *np.ravel(inverse @ rest)]


def _at_joints(f: Formalism, system: System, states: Sequence[Any]) -> Any:
    found = f.constrained_forces(system, states)
    return None if found is None else [*np.ravel(found.at_cuts), *np.ravel(found.at_joints)]


def _tried(compute: Callable[[], Any]) -> Any:
    try:
        found = compute()
    except Exception as problem:
        return in_words(problem)
    return None if found is None else np.ravel(found).tolist()


def residues(system: System, names: Iterable[str]) -> Results:
    """Whether every quantity of derivations of an open tree is identical to that of another formalism.

    Residues themselves are no mark of a function: points are drawn as symbols are met.
    """
    if system.constraints:
        return {}
    drawn, asked = draw(system, 0, SEED), {*names}
    found: Results = {}
    taking = [f for f in map(registry.formalism, registry.names()) if not f.obstacles(drawn.system)]
    for f in (f for f in taking if f.name in asked):
        other = next((g for g in taking if g.name not in {f.name, *asked}), None)
        other = other or next((g for g in taking if g is not f), f)
        try:
            equations = {g.name: BoundedEquations(g.derive(drawn.system)) for g in (other, f)}
            if operations({f.name: equations[f.name]}) <= MOST_OPERATIONS:
                exact = exact_equations(equations, SEED, system)
                compared = {q: exact.compared(other.name, f.name, q) for q in exact.quantities[f.name]}
                found |= {f"{f.name} {q}": same.kind for q, same in compared.items() if same}
        except Exception as problem:
            found[f"{f.name} raised"] = in_words(problem)
    return found


def reading(system: System) -> Results:
    """A model as a native file holds it, and the same with what is said of it, which moves no number."""
    text = formats.write(system, "native", physics="ignore").text
    held = json.loads(text)
    del held["name"]
    for part in (held, *held.get("parameters", ())):
        for key in NAMING:
            part.pop(key, None)
    return {"reading": json.dumps(held, ensure_ascii=False), SAID: text}


def differing(found: Mapping[str, Any], honest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Names of results that are others, and of those that are none any more."""
    changed, gone = [], []
    for name, value in honest.items():
        other = found.get(name)
        if isinstance(value, list) and value and not isinstance(other, list):
            gone.append(name)
        elif isinstance(value, list) and all(isinstance(x, (int, float)) for x in value):
            if _differ(other or (), value):
                changed.append(name)
        elif other != value:
            changed.append(name)
    return changed, gone


def _differ(values: Sequence[float], others: Sequence[float]) -> bool:
    a, b = np.array(values, dtype=float), np.array(others, dtype=float)
    if a.shape != b.shape:
        return True
    known = np.isfinite(a) & np.isfinite(b)
    size = np.max(np.abs(b[known]), initial=0.0)
    return bool((np.abs(a - b)[known] > CHANGED * size).any())
