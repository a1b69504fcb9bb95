"""Judge base parameters at fresh states by the regressor Y of validation's kinematics, and by the direct witness.

Column j of Y holds the forces where inertial parameter j alone is 1. Each other column is the printed sum of base
columns: Y_j = Σ β_ij Y_i. The rank of Y is their number; base columns times regrouped numbers are M a + h - gravity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import pi
from random import Random
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivatives import inertial_parameters
from mbconcord.model.diagnostics import DisagreementError, FormalismError, MbconcordError, error
from mbconcord.model.expressions import ExpressionError, evaluate_float
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, ElementaryTransformation, vector
from mbconcord.model.turns import snap_angles

from ..judge.comparison import ArrayDifference, contradict, worst
from ..judge.evidence import Comparison, Verdict
from ..judge.exact.base_parameters import BaseParameters, base_parameters
from ..judge.kinematics import TreeKinematics, takes
from ..judge.motion import Array
from ..judge.tolerances import RUN, SINGULAR, evaluation_tolerance
from .direct.formulas import bind
from .direct.tree import NAME, DirectTree, obstacles
from .screen import PRINTED
from .sums.joint_forces import BODIES
from .sums.regressor import TEN, bodies_alone, efforts, size_efforts

#: States beyond those that the rank needs.
MORE: Final = 3
SEED: Final = 2026
#: Singular values above this part of the largest are not what digits of a model's axes leave.
SURE: Final = 1e-6
#: Singular values below this part of the largest are rounding.
ROUNDING: Final = 1e-13
#: A joint nearer than the first to a right angle, an axis or no shift, but not on it, is moved away by the second.
NEARLY, AWAY = 1e-2, 0.3


def judge_base(system: System, by: Formalism) -> tuple[BaseParameters, tuple[Comparison, ...]]:
    """Return the base parameters of a model's open tree, and all comparisons of them; raise if one disagrees."""
    by.require(system.open_loops())
    found = base_parameters(system, by)
    witnesses = tuple(check_base(system, found))
    wrong = list(contradict([*witnesses, read_base(found, found.to_json()["base"])], "base_parameters"))
    rank = [c.explanation for c in witnesses if c.quantity == "rank" and c.verdict != "agrees"]
    if rank and {c.quantity for c in witnesses if c.verdict == "disagrees"} <= {"rank"}:
        written = snap_angles(system)[1]
        if written:
            message = f"{rank[0]}: {', '.join(written[:3])} is not quite a right angle, and decides the rank"
            raise FormalismError(error("base_parameters", message, "read with --read snap-angles, or snap_angles=True"))
    if wrong:
        raise DisagreementError(wrong)
    return found, witnesses


def read_base(base: BaseParameters, told: Sequence[Mapping[str, Any]]) -> Comparison:
    """Compare the printed sums of base parameters, and the rows of their table, with the coefficients."""
    wrong = [f"found {len(told)} sums, expected {len(base.base)}"] if len(told) != len(base.base) else []
    terms = [(b.parameter, *pair) for b in base.base for pair in ({b.parameter: 1} | {**b.added}).items()]
    wrong += [f"rows of the table: found {base.list_terms()}"] if base.list_terms() != terms else []
    for own, shown in zip(base.base, told, strict=False):
        text = own.parameter
        for name, c in own.added.items():
            size = "(…) " if c is None else f"{abs(float(c)):.12g} " if abs(float(c)) != 1 else ""
            text += f" {'-' if c is not None and c < 0 else '+'} {size}{name}"
        if shown["text"] != text:
            wrong.append(f"base parameters: found {shown['text']!r}, expected {text!r}")
    verdict: Verdict = "disagrees" if wrong else "agrees"
    return Comparison(base.formalism, "", "printed JSON", verdict, explanation="; ".join(wrong[:3]), claim=PRINTED)


def check_base(system: System, found: BaseParameters) -> Iterator[Comparison]:
    """Yield comparisons of base parameters with forces of the open tree at random states drawn here."""
    tree = system.open_loops()
    against = obstacles(tree)
    open_ones = [c for b in found.base for c in b.added.values() if c is None]
    why = (
        "not an open tree of rigid bodies" if not takes(tree) else against[0].reason if against
        else "what is added has no number" if open_ones else ""
    )  # fmt: skip
    try:
        if not why:
            yield from _compare(tree, found)
            return
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        why = str(problem).splitlines()[0]
    yield Comparison(found.formalism, BODIES, "base parameters", "not checked", explanation=why)


def _compare(tree: System, found: BaseParameters) -> Iterator[Comparison]:
    random, n = Random(SEED), len(tree.coordinates)
    open_ones = {p.name: random.uniform(0.5, 2.0) for p in tree.parameters if p.value is None}

    def draw() -> dict[str, float]:
        return {name: random.uniform(-2.0, 2.0) for name in tree.coordinate_names}

    count = len(found.parameters) // max(n, 1) + MORE
    states = [State(random.uniform(0.0, 3.0), draw(), draw(), draw(), open_ones) for _ in range(count)]
    k = TreeKinematics(tree, states)
    Y, noise, size = _columns(k, found)
    base = [found.parameters.index(b.parameter) for b in found.base]
    beta = np.zeros((len(base), len(found.parameters)))
    for i, b in enumerate(found.base):
        beta[i, base[i]] = 1.0
        for name, c in b.added.items():
            beta[i, found.parameters.index(name)] = float(c or 0.0)
    made = Y[:, :, base] @ beta
    scale = size + np.abs(Y[:, :, base]) @ np.abs(beta) + (noise + noise[:, :, base] @ np.abs(beta)) / RUN
    ones = np.ones(count)
    rows = [f"{name}: {x}" for name in tree.coordinate_names for x in found.parameters]
    x, y, z = (v.reshape(count, -1) for v in (made, Y, scale))
    yield worst(found.formalism, BODIES, "regrouped columns", ArrayDifference(x, y, z, RUN * ones, ones), states, rows)
    idle, used = {*found.idle}, {x for b in found.base for x in (b.parameter, *b.added)}
    acting = {x for x, part in zip(found.parameters, size.tolist(), strict=True) if part}
    if wrong := sorted((idle & (used | acting)) | ({*found.parameters} - used - idle)):
        said = f"{', '.join(wrong[:3])}: idle, and acts or is a part of another; or neither idle nor a part"
        yield Comparison(found.formalism, BODIES, "idle parameters", "disagrees", explanation=said)
    seen, most, least = _ranks(Y, size)
    words = [f"{found.formalism}: {found.rank}", f"{BODIES}: {least if least == most else f'{least} to {most}'}"]
    verdict: Verdict = "agrees" if least == found.rank == most else "disagrees"
    if verdict == "disagrees" and found.rank >= least and seen > least:  # the product of two of these may be rounding
        away, _, sizes = _columns(TreeKinematics(_turn_away(tree), states), found)
        clear = max(seen, *_ranks(away, sizes))
        if found.rank <= clear:
            verdict = "not checked"
            words.append("axes that are almost parallel, or almost right angles, decide it")
        else:
            words.append(f"{clear} where all that almost is degenerate is moved away")
    said = "" if verdict == "agrees" else "; ".join(words)
    yield Comparison(found.formalism, BODIES, "rank", verdict, explanation=said)
    if not bodies_alone(tree):
        return
    pi = k.vectors(inertial_parameters(tree))[0]
    direct = DirectTree(tree, bind(tree, states, at_rest=False))
    wanted = direct.inertial() - direct.gravity()
    made = Y[:, :, base] @ (beta @ pi)
    scale = np.abs(Y) @ np.abs(pi) + np.abs(Y[:, :, base]) @ (np.abs(beta) @ np.abs(pi))
    difference = ArrayDifference(made, wanted, scale, RUN * ones, ones)
    yield worst(found.formalism, NAME, "base parameters in equations", difference, states, tree.coordinate_names)


def _columns(k: TreeKinematics, found: BaseParameters) -> tuple[Array, Array, Array]:
    """Return the regressor (S, n, p), the forces where one parameter is 1; its rounding; and sizes of columns (p,)."""
    Y = efforts(k, found.parameters[::TEN])
    noise = evaluation_tolerance() * size_efforts(k, found.parameters[::TEN])
    return Y, noise, np.where(np.abs(Y) > noise, np.abs(Y), 0.0).max(axis=(0, 1), initial=0.0)


def _ranks(Y: Array, size: Array) -> list[int]:
    """Return three ranks: the numbers of singular values above ROUNDING, SINGULAR and SURE times the largest."""
    whole = (Y / np.where(size > 0, size, np.inf)).reshape(-1, Y.shape[2])
    values = np.linalg.svd(whole, compute_uv=False) if whole.size else np.zeros(0)
    return [int((values > part * values.max(initial=0.0)).sum()) for part in (ROUNDING, SINGULAR, SURE)]


def _turn_away(tree: System) -> System:
    """Return the tree with almost degenerate joints moved away from degeneracy, so that its rank is not smaller."""

    def move(x: float, step: float) -> float:
        off = x - step * round(x / step) if step else x
        return AWAY if ROUNDING < abs(off) < NEARLY else 0.0

    def turn(et: ElementaryTransformation) -> ElementaryTransformation:
        axis = vector(c + Fraction(move(evaluate_float(c, {}), 0.0)) for c in et.axis)
        if not isinstance(et.motion, Constant) or not et.motion.value.constant:
            return replace(et, axis=axis)
        by = move(evaluate_float(et.motion.value, {}), 0.0 if et.is_translation else pi / 2)
        return replace(et, axis=axis, motion=Constant(et.motion.value + Fraction(by)))

    return replace(tree, bodies=tuple(replace(b, joint=tuple(map(turn, b.joint))) for b in tree.bodies))
