"""Claim that every formalism agrees with the fields of the model, evaluated without code that the formalisms share.

A text is read twice: the model has the values that a second, naive reading of the text computes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbconcord.model.expressions import ZERO, symbols
from mbconcord.model.kinematics import KINDS, KinematicQuantity
from mbconcord.model.numbers import bind_states as instance

from ..judge.agreement import compare, compare_motion_floats, compare_pairs, compare_with
from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import Comparison
from ..judge.floats import float_evaluation, precisely
from ..judge.motion import Array
from ..judge.trial import Trial
from ..judge.witness import SilentError
from ..witnesses.direct.formulas import bind
from ..witnesses.direct.tree import NAME, Direct
from ..witnesses.kinematics import evaluate_kinematics, has_motions, judge_kinematics
from ..witnesses.maximal.free_bodies import Maximal, compare_accelerations
from ..witnesses.second.machine import SecondMachine
from ..witnesses.text import READER, SECOND, SecondReading, both_sides
from .claim import finite_on_both_sides, not_checked

SENTENCE = "M, h, gravity, applied and inverse dynamics are those of poses and forces written out from the fields."

#: What the values of parameters, coordinates and rates are called, and what their formulas may cost in floats.
NUMBERS, OF_FORMULAS = "numbers of the model", 1e-9


def claim(made: Trial) -> list[Comparison]:
    """Compare every formalism with the direct witness, and the values of symbols."""
    found, answer = compare_with(made, Direct(), "fields of the model")
    return [*misread(made), *found] if answer else found


def misread(made: Trial) -> list[Comparison]:
    """Report wrong values of symbols; no report if they are those of the model and its states.

    Error bounds hold for the numbers with which equations are evaluated. This checks that these are the model's own:
    parameters, coordinates, rates and accelerations are evaluated anew, without code that the formalisms share.
    """
    theirs = instance(made.system, made.states).values
    series = bind(made.original, made.states, at_rest=False).symbols
    count = (len(made.states),)
    own = {name: np.broadcast_to(x.floats().c[0], count) for name, x in series.items()} | {
        f"{q}''": series[f"{q}'"].c[1] for q in made.names
    }
    names = sorted(own.keys() & theirs.keys())
    x, y = (np.stack([values[name] for name in names], axis=1) for values in (theirs, own))
    scale = np.fmax(np.abs(y), np.stack([_size(name, made, theirs) for name in names], axis=1))
    ones = np.ones(len(x))
    known = finite_on_both_sides(x, y)
    found = worst("states", NAME, NUMBERS, ArrayDifference(*known, scale, ones * OF_FORMULAS, ones), made.states, names)
    return [found] if found.verdict == "disagrees" else []


def _size(name: str, made: Trial, values: Mapping[str, Array]) -> Array:
    """Return the largest absolute value (N,) of a symbol and of the symbols in its formula in the model."""
    formulas = {p.name: p.value for p in made.original.parameters}
    for c in made.original.coordinates:
        formulas |= {c.name: c.position, f"{c.name}'": c.velocity}
    formula = formulas.get(name)
    parts = {name, *(symbols([formula]) if formula is not None else ())} & values.keys()
    return np.asarray(np.max([np.abs(values[part]) for part in parts], axis=0))


AGREEMENT = "Independent formalisms give the same mass matrix, forces, inverse dynamics and accelerations."


def agreement(made: Trial) -> list[Comparison]:
    """Compare all pairs, quantity by quantity; quantities with fewer than two witnesses are not checked."""
    return compare_pairs(made)


FLOAT_EVALUATION = "At one state every float lies within its error bound of the same equations in 50 digits."


def floats_in_bounds(made: Trial) -> list[Comparison]:
    """Compare every formalism's floats at the first state with its derivation in high precision; motions too."""
    if not made.states:
        return []
    precise = precisely(made.system, made.states[0])
    found = [float_evaluation(equations, made.evaluations[name], precise) for name, equations in made.equations.items()]
    return [*found, *compare_motion_floats(made)] if made.motions else found


MAXIMAL = "Accelerations and inverse dynamics are those of free bodies that joints hold together by forces."


def free_bodies(made: Trial) -> list[Comparison]:
    """Compare every formalism with the witness of maximal coordinates; with constraints their motions, too."""
    found, _ = compare_with(made, Maximal(), "free bodies")
    return [*found, *compare_accelerations(made)] if made.assembly else found


SECOND_READING = "Poses, inertias and forces of the model are those that a second, naive reading of its text computes."


def second_reading(made: Trial) -> list[Comparison]:
    """Compare poses, inertias, forces and initial states of model and text; nothing without a text."""
    if made.text is None:
        return []
    try:
        return compare_text(made, SecondReading().machines(made))
    except SilentError as reason:
        return [not_checked(SECOND, "the text", str(reason))]


def compare_text(made: Trial, read: tuple[SecondMachine, ...]) -> list[Comparison]:
    """Compare all quantities that both the model and a reading of its text have."""
    for what, theirs, own in (
        ("coordinates", made.original.coordinate_names, read[0].coordinates),
        ("bodies", [b.name for b in made.original.bodies], [s.name for s in read[0].solids]),
        ("constraints", [c.name for c in made.original.constraints], read[0].constraint_names),
    ):
        if sorted(theirs) != sorted(own):
            said = f"the model has {', '.join(sorted(theirs)) or 'none'}, the text {', '.join(sorted(own)) or 'none'}"
            return [Comparison(READER, SECOND, f"text: {what}", "disagrees", explanation=said)]
    lost = sorted({*read[0].beside} - {o.place for o in made.original.omissions if o.acts})
    if lost:
        said = f"the text has {', '.join(lost)}: it acts on the motion, and the model does not say it is left out"
        return [Comparison(READER, SECOND, "text: left out", "disagrees", explanation=said)]
    return [c for c, _ in compare(*both_sides(made, read), made)]


MOTIONS = "Poses, velocities, Jacobians and accelerations of bodies, at their centres of mass, are those of the fields."

#: What these are called in a report, and at how many bodies, of which those that carry no other come first.
FRAMES, MOST = "kinematics", 4


def motions(made: Trial) -> list[Comparison]:
    """Compare all formalisms that have motions of points with the direct witness and each other."""
    able = [f for f in made.formalisms if f.name in made.evaluations and has_motions(f)]
    carriers = {body.parent for body in made.system.bodies}
    asked = {
        f"{kind}({b.name})": KinematicQuantity(kind, b.name, None, (ZERO,) * 3 if b.modes else b.inertia.centre)
        for b in sorted(made.system.bodies, key=lambda body: body.name in carriers)[:MOST]
        for kind in KINDS
    }
    if not (able and asked and made.states):
        return [not_checked("", FRAMES, "nobody who is asked has motions of points")]
    at = instance(made.system, made.states)
    return judge_kinematics(made.system, at, asked, evaluate_kinematics(made.system, able, at, asked), together=FRAMES)
