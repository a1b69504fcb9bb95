"""Motion with constraints by several formalisms: accelerations, reactions Dᵀ λ and rank at states that satisfy them.

Multipliers are not compared: rows of a constraint may be chosen in several ways, and where they depend on each other
λ is not unique. Accelerations, reactions on the coordinates and the rank are the same whatever the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.evaluation import ConstrainedMotion
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly

from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison, Verdict, Witness
from ..judge.kinematics import Array, Kinematics
from ..judge.scale import mass_matrix, scales
from ..judge.tolerances import CLEAR, SINGULAR, constrained_tolerance, evaluation_tolerance
from .rows import Rows, constraint_rows

ACCELERATION, REACTIONS, RANK = "constrained acceleration", "reactions", "rank"
#: What is compared of a motion with constraints, in the order in which it is shown.
CONSTRAINED = (ACCELERATION, REACTIONS, RANK)


@dataclass(frozen=True)
class ConstrainedTrial:
    """What the witnesses say about the motion with constraints at states that satisfy them."""

    system: System
    assembly: Assembly
    motions: Mapping[str, ConstrainedMotion]
    witnesses: tuple[Witness, ...]
    failures: tuple[Comparison, ...]

    def comparisons(self) -> list[Comparison]:
        """All pairs, quantity by quantity; what fewer than two give is not checked."""
        found = [*self.failures]
        if len(self.motions) < 2:
            who = next(iter(self.motions), "")
            reason = f"only {who} delivers it" if who else "no formalism delivers it"
            return found + unchecked(f"{reason}; two are needed", who)
        measure = measured(self.system, self.assembly)
        states, names = self.assembly.states, self.system.coordinate_names
        for a, b in combinations(self.motions.items(), 2):
            compared = compare_motions(a, b, measure, states, names)
            found += [review(self.motions, measure, states, c) for c in compared]
        return found


def unchecked(reason: str, who: str = "") -> list[Comparison]:
    """None of the quantities could be compared."""
    return [Comparison(who, "", quantity, "not checked", explanation=reason) for quantity in CONSTRAINED]


def constrained_trial(
    system: System, assembly: Assembly, formalisms: Iterable[Formalism], witnesses: Iterable[Witness]
) -> ConstrainedTrial:
    """Ask each formalism for the motion with constraints; ``witnesses`` are those of the open tree."""
    motions: dict[str, ConstrainedMotion] = {}
    told: list[Witness] = []
    failures: list[Comparison] = []
    for formalism, witness in zip(formalisms, witnesses, strict=True):
        obstacles = formalism.constraint_obstacles(system)
        said: tuple[Diagnostic, ...] = ()
        if not obstacles:
            try:
                motion = formalism.constrained_motion(system, assembly.states)
                assert motion is not None, "it declares no obstacle and gives no motion"
                motions[formalism.name] = motion
                said = tuple(d for d in motion.diagnostics if d.severity == "error")
            except Exception as problem:  # whatever a formalism raises is evidence against it
                said = (error(formalism.name, f"{type(problem).__name__}: {problem}"),)
                message = said[0].message
                failures.append(
                    Comparison(formalism.name, "", ACCELERATION, "disagrees", explanation=message)
                )
        findings = tuple(dict.fromkeys((*witness.diagnostics, *said)))
        told.append(replace(witness, constraint_obstacles=obstacles, diagnostics=findings))
    return ConstrainedTrial(system, assembly, motions, tuple(told), tuple(failures))


@dataclass(frozen=True)
class Measure:
    """What motions with constraints are judged by at N states of n coordinates.

    Attributes
    ----------
    units (N, n) : √M_ii, as for accelerations of an open tree; 1 where the tree has no inertia
    scale (N,) : largest force in these units, or acceleration that the constraints alone force
    cond (N,) : condition number of the equations for q'' and λ with both in these units, rows independent
    rank (N,) : of D
    clear (N,) : whether no singular value of D is in doubt
    mass (N, n, n), D (N, m, n), rest (N, m) : M, D and γ̃ in these units, by validation's own kinematics
    """

    units: Array
    scale: Array
    cond: Array
    rank: Array
    clear: Array
    mass: Array
    D: Array
    rest: Array


def measured(system: System, assembly: Assembly) -> Measure:
    """The measure of a system at assembled states, by validation's own kinematics."""
    k = Kinematics(system.opened(), assembly.states)
    tree = scales(k)
    units = np.where(tree.roots > 0, tree.roots, 1.0)
    mass = mass_matrix(k) / (units[:, :, None] * units[:, None, :])
    forces = sum((tree.rows[name] for name in ("h", "gravity", "applied")), np.zeros_like(units)) / units
    rows = constraint_rows(system, assembly.extended)
    D, rest, forced = generalized(rows, units)
    cond, rank, clear = np.zeros(k.count), np.zeros(k.count), np.zeros(k.count, dtype=bool)
    for s in range(k.count):
        _, sizes, right = np.linalg.svd(D[s], full_matrices=False)
        kept = sizes > SINGULAR
        rank[s] = kept.sum()
        clear[s] = bool(((sizes < SINGULAR / CLEAR) | (sizes > SINGULAR * CLEAR)).all())
        across = sizes[kept, None] * right[kept]
        whole = np.block([[mass[s], -across.T], [across, np.zeros((len(across), len(across)))]])
        cond[s] = np.linalg.cond(whole) if np.isfinite(whole).all() else np.inf
    size = np.fmax(forces.max(axis=1, initial=0.0), forced)
    return Measure(units, size, cond, rank, clear, mass, D, rest)


def generalized(rows: Rows, units: Array) -> tuple[Array, Array, Array]:
    """D (N, m, n) and γ̃ (N, m), coordinates and rows in units of what they are made of, and the size of γ̃ (N,).

    Auxiliary coordinates of cut joints are projected out: what is left of the rows does not move with them.
    """
    n = units.shape[1]
    own, auxiliary = rows.D[:, :, :n], rows.D[:, :, n:]
    free = np.eye(rows.D.shape[1]) - auxiliary @ np.linalg.pinv(auxiliary, rcond=SINGULAR)
    lever = rows.lever[:, :, :n]
    reach = np.fmax(np.abs(free) @ lever, lever) / units[:, None, :]
    length = np.linalg.norm(reach, axis=2)
    length = np.where(length > 0, length, 1.0)
    D = free @ own / units[:, None, :] / length[:, :, None]
    rest = np.einsum("sij,sj->si", free, rows.rest) / length
    forced = np.einsum("sij,sj->si", np.abs(free), rows.shaking) / length
    return D, rest, forced.max(axis=1, initial=0.0)


def compare_motions(
    a: tuple[str, ConstrainedMotion],
    b: tuple[str, ConstrainedMotion],
    measure: Measure,
    states: Sequence[State],
    names: Sequence[str],
) -> list[Comparison]:
    """Accelerations, reactions and rank of two witnesses."""
    (who, x), (other, y) = a, b
    why = "; ".join(
        dict.fromkeys(d.message for d in (*x.diagnostics, *y.diagnostics) if d.severity == "error")
    )
    tolerance = np.array([constrained_tolerance(c) for c in measure.cond])
    found = []
    for quantity, first, second, unit in (
        (ACCELERATION, x.acceleration, y.acceleration, measure.units),
        (REACTIONS, x.reactions, y.reactions, 1 / measure.units),
    ):
        p, q = first * unit, second * unit
        size = np.fmax(np.abs(p).max(axis=1, initial=0.0), np.abs(q).max(axis=1, initial=0.0))
        size = np.fmax(size, measure.scale)[:, None]
        difference = Difference(p, q, np.broadcast_to(size, p.shape), tolerance, measure.cond, unit)
        found.append(worst(who, other, quantity, difference, states, names, why))
    return [*found, compare_ranks(who, other, x.rank, y.rank, measure, states)]


def review(
    motions: Mapping[str, ConstrainedMotion], measure: Measure, states: Sequence[State], c: Comparison
) -> Comparison:
    """A disagreement with what validation's own M, D and γ̃ say of both sides at its state.

    Where both satisfy the equations to rounding the numbers differ by their conditioning only: ``not checked``.
    """
    if c.verdict != "disagrees" or c.values is None or c.quantity == RANK:
        return c
    s = next(i for i, state in enumerate(states) if state is c.state)
    said = {name: broken(motions[name], measure, s) for name in (c.a, c.b)}
    before = f"{c.explanation}. " if c.explanation else ""
    if not any(said.values()):
        text = "ill-conditioned: both satisfy M q'' + h = Q + D^T lambda and the constraints to rounding"
        return replace(c, verdict="not checked", explanation=before + text)
    return replace(c, explanation=before + "; ".join(x for lines in said.values() for x in lines))


def broken(motion: ConstrainedMotion, measure: Measure, s: int) -> list[str]:
    """Which of the equations a motion breaks at state number s, by validation's own M, D and γ̃."""
    name, units = motion.tree.formalism, measure.units[s]
    q = {key: value[s] for key, value in motion.tree.quantities.items()}
    x, reactions = motion.acceleration[s] * units, motion.reactions[s] / units
    inertia = measure.mass[s] @ x
    balance = inertia + (q["h"] - q["gravity"] - q["applied"]) / units - reactions
    _, sizes, right = np.linalg.svd(measure.D[s])
    admitted = right[int((sizes > SINGULAR).sum()) :]
    size = max(measure.scale[s], *np.abs([x, reactions, inertia]).max(axis=1, initial=0.0))
    return [
        f"{name}'s {what}, by {gap:.2g} of its scale"
        for what, rows in (
            ("accelerations break the constraints", measure.D[s] @ x + measure.rest[s]),
            ("reactions do work on motions that the constraints admit", admitted @ reactions),
            ("equations of motion are not balanced", balance),
        )
        if (gap := float(np.abs(rows).max(initial=0.0)) / size) > evaluation_tolerance()
    ]


def compare_ranks(
    a: str, b: str, x: Array, y: Array, measure: Measure, states: Sequence[State]
) -> Comparison:
    """The rank by two witnesses and by validation itself, where it is not in doubt."""
    clear = np.flatnonzero(measure.clear)
    if not clear.size:
        return Comparison(
            a, b, RANK, "not checked", explanation="every state is close to a singular position"
        )
    wrong = (x != y) | (x != measure.rank)
    s = int(clear[np.argmax(wrong[clear])])
    verdict: Verdict = "disagrees" if wrong[s] else "agrees"
    own = f"validation's own kinematics give rank {measure.rank[s]:.0f}" if wrong[s] else ""
    doubt = len(states) - clear.size
    near = f"{doubt} of {len(states)} states are close to singular positions" if doubt else ""
    return Comparison(
        a, b, RANK, verdict,
        discrepancy=float(abs(x[s] - y[s])), tolerance=0.0, scale=1.0, cond=1.0, state=states[s],
        values=(float(x[s]), float(y[s])), explanation="; ".join(filter(None, (own, near))),
    )  # fmt: skip
