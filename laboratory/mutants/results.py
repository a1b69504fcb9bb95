"""Results of a process that are compared with those of the unchanged source: numbers, residues, readings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.derivatives.dynamics import Dynamics
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import as_expression
from mbconcord.model.functions import define
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.numbers import bind_states
from mbconcord.validation.check import check
from mbconcord.validation.judge.bounds import BoundedEquations
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.judge.exact.equations import exact_equations
from mbconcord.validation.judge.exact.proof import operations
from mbconcord.validation.judge.formalism import has_numbers
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.tolerances import SINGULAR
from mbconcord.validation.judge.witness import Question
from mbconcord.validation.witnesses.links.link_by_link import LinkByLink
from mbconcord.validation.witnesses.sums.joint_forces import evaluate_joint_forces

from .machines import SEED, STATES, Posed, in_words

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
    """Compute all quantities of the formalisms that take a model, without errors, at two states; motions, too."""
    found: Results = {}
    asked = {name: registry.formalism(name) for name in names}
    made = _compute_closed(model, asked) if model.given.constraints else _tree(model, asked)
    for name, values in made:
        found[name] = values() if callable(values) else values
    return found


def _tree(model: Posed, asked: Mapping[str, Formalism]) -> Iterator[tuple[str, Any]]:
    for name, f in asked.items():
        if not f.obstacles(model.tree):
            yield from _quantities(name, f, model)
            yield (
                f"{name} joint forces",
                _try_compute(partial(evaluate_joint_forces, f, TreeKinematics(model.tree, model.at))),
            )
        if f.steps and f.name == name:
            yield from _compute_linked(name, f, model)


def _compute_linked(name: str, f: Formalism, model: Posed) -> Iterator[tuple[str, Any]]:
    """Yield the results of a recursion, by which large trees are checked."""
    try:
        _, found = LinkByLink(f).ask(Question(model.tree, model.at))
    except Exception as problem:
        yield f"{name} raised {LINKED}", in_words(problem)
        return
    for quantity, x in found[1].beside.items() if found else ():
        yield f"{name} {quantity} {LINKED}", np.ravel(x.values).tolist()


def _compute_closed(model: Posed, asked: Mapping[str, Formalism]) -> Iterator[tuple[str, Any]]:
    for name, f in asked.items():
        if not f.obstacles(model.tree):
            yield from _quantities(name, f, model)
        if model.fits and not f.constraint_obstacles(model.system):
            yield from _motion(name, f, model.system, model.states)


def _quantities(name: str, f: Formalism, model: Posed) -> Iterator[tuple[str, Any]]:
    """Yield the quantities of the equations, and those computed without them."""
    try:
        made = f.derive(model.tree)
        found = dict(evaluate_derivation(made, model.at).quantities)
        energies = [x for key in ENERGIES if key in made.native for x in flatten(made.native[key])]
        if energies:
            found["energies"] = TreeKinematics(model.tree, model.at).vectors(energies)
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
    """Return ∂τ/∂q, ∂τ/∂q', ∂q''/∂q, ∂q''/∂q', the latter two unless drives impose accelerations."""
    of, matrices = (
        Dynamics(made),
        ("dtau_dq", "dtau_dv", *(() if find_imposed_accelerations(model.tree) else ("da_dq", "da_dv"))),
    )
    scalars = [x for matrix in matrices for x in flatten(getattr(of, matrix))]
    return TreeKinematics(model.tree, model.at).vectors(define(scalars, model.tree.functions))


def _motion(name: str, f: Formalism, system: System, states: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    try:
        motion, equations = f.solve_closed(system, states)
    except Exception as problem:
        yield f"{name} motion raised", in_words(problem)
        return
    if motion is not None:
        yield f"{name} constrained acceleration", np.ravel(motion.acceleration).tolist()
        yield f"{name} reactions", np.ravel(motion.reactions).tolist()
        yield f"{name} constrained forces", _try_compute(lambda: _at_joints(f, system, states))
    if equations is not None:
        yield f"{name} admitted motions", _try_compute(lambda: _project_rows(equations, system, states))


def _project_rows(equations: Derivation, system: System, states: Sequence[Any]) -> Any:
    """Return D⁺D and D⁺γ̃ from the equations for error bounds, independent of combinations of rows."""
    tree, n = system.open_loops(), len(system.coordinates)
    scalars = [x for part in ("D", "γ̃") for x in flatten(equations.native[part])]
    values = TreeKinematics(tree, bind_states(tree, states)).vectors(define(scalars, tree.functions))
    m = values.shape[1] // (n + 1)
    D, rest = values[:, : m * n].reshape(-1, m, n), values[:, m * n :, None]
    inverse = np.linalg.pinv(D, rcond=SINGULAR)
    return [*np.ravel(inverse @ D), *np.ravel(inverse @ rest)]


def _at_joints(f: Formalism, system: System, states: Sequence[Any]) -> Any:
    found = f.constrained_forces(system, states)
    return None if found is None else [*np.ravel(found.at_cuts), *np.ravel(found.at_joints)]


def _try_compute(compute: Callable[[], Any]) -> Any:
    try:
        found = compute()
    except Exception as problem:
        return in_words(problem)
    return None if found is None else np.ravel(found).tolist()


def residues(system: System, names: Iterable[str]) -> Results:
    """Decide for every quantity of an open tree's derivations whether it is identical to another formalism's.

    Residues themselves do not identify a function: points are drawn as symbols are met.
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
                compared = {q: exact.compare(other.name, f.name, q) for q in exact.quantities[f.name]}
                found |= {f"{f.name} {q}": same.kind for q, same in compared.items() if same}
        except Exception as problem:
            found[f"{f.name} raised"] = in_words(problem)
    return found


def reading(system: System) -> Results:
    """Convert a model to its native form, with and without descriptions, which do not affect numbers."""
    text = formats.write(system, "native", physics="ignore").text
    held = json.loads(text)
    del held["name"]
    for part in (held, *held.get("parameters", ())):
        for key in NAMING:
            part.pop(key, None)
    return {"reading": json.dumps(held, ensure_ascii=False), SAID: text}


def differing(found: Mapping[str, Any], honest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Name results that changed, and those that vanished."""
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


#: By what a planted difference is wrong, relative to the entry.
PLANTED = 1e-11


def verdicts(name: str, system: System) -> Results:
    """Check a right model, and the same with a difference planted in each quantity."""
    takes = (f for f in map(registry.formalism, registry.names()) if not f.obstacles(system.open_loops()))
    asked = [*islice(takes, 2)]
    found = {"right": _signature(check(system, name, asked, STATES, SEED))}
    if len(asked) == 2:
        for quantity in ("M", "h", "gravity", "applied"):
            wrong = [asked[0], _Planted(asked[1], quantity)]
            found[f"wrong {quantity}"] = _signature(check(system, name, wrong, STATES, SEED, exact="off"))
    return found


def _signature(evidence: Evidence) -> Results:
    said = sorted(
        [c.claim, c.quantity, c.a, c.b, c.verdict, c.exact.kind if c.exact else ""] for c in evidence.comparisons
    )
    return {"verdict": evidence.verdict, "comparisons": said}


class _Planted(Formalism):
    """A formalism with one quantity wrong by a factor in every entry."""

    takes = frozenset[str]()

    def __init__(self, honest: Formalism, quantity: str) -> None:
        self.honest, self.quantity = honest, quantity
        self.name, self.title, self.reference = "planted", "planted", "planted"  # type: ignore[misc]

    def obstacles(self, system: System) -> Any:
        """Return those of the honest one."""
        return self.honest.obstacles(system)

    def derive(self, system: System) -> Derivation:
        """Plant the difference in the honest derivation."""
        made = self.honest.derive(system)
        if self.quantity not in made.quantities:
            return made
        return replace(made, quantities={**made.quantities, self.quantity: _times(made.quantities[self.quantity])})


def _times(nested: Any) -> Any:
    return tuple(map(_times, nested)) if isinstance(nested, (tuple, list)) else nested * as_expression(1 + PLANTED)
