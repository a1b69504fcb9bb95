"""The search: kinematics, then inertia, gravity, forces; each stage uses the model corrected by earlier ones.

Bodies with different inertia: contributions are linear in ten numbers, so every change is one product.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, count
from typing import Final

import numpy as np

from mbconcord.model.body import Armature, Body, Gravity, Inertia
from mbconcord.model.expressions import ONE, as_expression, number
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES
from mbconcord.records import dataclass

from ..compare import PrintedDigits, Sameness, same_machine
from ..judge.closed.sameness import OF_CONSTRAINTS as OF_CONSTRAINTS_COMPARED
from ..judge.evidence import Comparison
from ..judge.kinematics import evaluate_formulas
from ..judge.matching import Matching, fill_open_values, match, unlike_functions
from ..judge.motion import Array
from ..judge.progress import OutOfTimeError, checkpoint, limit_time, limit_tries, try_each
from ..judge.states import complete_state, draw
from ..witnesses.direct.tree import direct, obstacles
from ..witnesses.sums.regressor import Regressor, regressor
from .answer import SINGLE, Cause, Causes, CauseStep
from .converted import find_converted
from .digits import TextPrecision, half_unit
from .fields import OWN_NUMBERS, FieldTable, LumpedPair, unlike_rows
from .forces import force_changes, gravity_changes, point_changes
from .groups import NotLumpedError
from .inertia import Terms, changes, together
from .kinematics import kinematics, list_joint_changes, read_turned_frames, resting
from .numbers import QUANTITIES, NumberPair, Said, compute_numbers, is_explained, states
from .systematic import find_systematic

#: What may be left of a difference, relative to it, where two changes make it together.
LEFT = 1e-9
#: Digits of a number that is read off a difference.
KNOWN = 12


def bodies(
    pair: NumberPair, moved: Sequence[CauseStep], turned: Mapping[str, Terms]
) -> tuple[list[CauseStep], dict[str, float]]:
    """Return changes of joints, and of inertia if needed; if none suffice, each body's share of the difference."""
    *before, last = moved or [CauseStep((Cause("", "", pair.system),))]
    right = [cause for cause in last.causes if pair.equal(cause.system, pair.inertial)]
    if right:
        return [*before, CauseStep(tuple(right))], {}
    shares: dict[str, float] = {}
    for cause in last.causes:
        found, left = _inertia(pair, cause.system, turned)
        shares = shares or left
        if found:
            return [*before, *([CauseStep((cause,))] if moved else []), CauseStep(tuple(found))], {}
    return [], shares


def find_by_weights(pair: NumberPair, system: System, turned: Mapping[str, Terms]) -> list[Cause]:
    """Find changes of one body's inertia that show only in the weights."""
    names = [name for name in QUANTITIES[:3] if name in pair.names]
    gap = pair.gap(system, names)
    by = regressor(pair.kinematics(system), names, pair.units)
    return [t.cause(system) for t in _candidates(system, by, turned) if pair.explains(gap - t.change, gap)]


def armature(pair: NumberPair) -> Cause | None:
    """Return the cause that adds a rotor's inertia, if the only difference is a constant on the diagonal of M."""
    rest = [name for name in pair.names if name != "M"]
    if "M" not in pair.names or not pair.equal(pair.system, rest):
        return None
    more = pair.gap(pair.system, ["M"]).reshape(pair.other.quantities["M"].shape) * pair.units["M"]
    added = np.einsum("sii->si", more)
    off = more - added[:, :, None] * np.eye(more.shape[1])
    if added[0].min() < -LEFT * np.abs(more).max() or not pair.explains(np.append(off, added - added[0]), more):
        return None
    named = zip(pair.system.coordinate_names, added[0].tolist(), strict=True)
    rotors = {name: f"{x:.{KNOWN}g}" for name, x in named if abs(x) > LEFT * np.abs(more).max()}
    taken = {x.name for x in pair.system.armatures}
    new = []
    for name, x in rotors.items():
        own = next(n for n in (f"{name}_rotor{i or ''}" for i in count()) if n not in taken)
        new.append(Armature(own, as_expression(Fraction(x)), {name: ONE}))
    words = ", ".join(f"{float(x):.6g} along {name}" for name, x in rotors.items())
    changed = replace(pair.system, armatures=(*pair.system.armatures, *new))
    return Cause("armatures", f"armature is added: {words}", changed)


def unseen(pair: NumberPair, other: System) -> tuple[str, ...]:
    """Return names of bodies in both models whose inertias differ."""
    k = pair.kinematics(pair.system)
    by = Regressor({}, k)
    theirs = {body.name: body.inertia for body in other.bodies if not body.modal}
    found = []
    for body in pair.system.bodies:
        if body.name in theirs and not body.modal:
            one, two = by.numbers(body.inertia), by.numbers(theirs[body.name])
            if np.abs(one - two).max() > LEFT * np.abs(one).max():
                found.append(body.name)
    return tuple(found)


def _inertia(pair: NumberPair, system: System, turned: Mapping[str, Terms]) -> tuple[list[Cause], dict[str, float]]:
    """Find changes of one or two bodies' inertia that explain the whole difference; else each body's share of it."""
    shares: dict[str, float] = {}
    for names in _groups(pair):
        gap = pair.gap(system, names)
        by = regressor(pair.kinematics(system), names, pair.units)
        tried = [*_candidates(system, by, turned)]
        found = [t.cause(system) for t in tried if pair.explains(gap - t.change, gap)]
        found += pair.fitting(resting(pair, system), system, names)
        found = found or [_both(system, one, other) for one, other in _pairs(tried, gap)]
        if found:
            return found, {}
        shares = shares or _shares(by, gap)
    return [], shares


def _groups(pair: NumberPair) -> list[list[str]]:
    """List groups of quantities to explain: first with gravity, which shows centres of mass; then without it."""
    weights = [[*pair.inertial, "gravity"]] if "gravity" in pair.names else []
    return [*weights, [*pair.inertial]]


@dataclass(frozen=True)
class TriedCause:
    """Changed inertias of some bodies, and their effect on the quantities."""

    words: str
    inertias: tuple[tuple[str, Inertia], ...]
    change: Array

    def cause(self, system: System) -> Cause:
        """Return the cause, with the changed model."""
        return change_inertias(system, self.words, dict(self.inertias))


def change_inertias(system: System, words: str, new: Mapping[str, Inertia]) -> Cause:
    """Return the cause that gives bodies new inertias."""
    changed = tuple(replace(b, inertia=new[b.name]) if b.name in new else b for b in system.bodies)
    return Cause(", ".join(f"bodies/{name}/inertia" for name in new), words, replace(system, bodies=changed))


def _candidates(system: System, by: Regressor, turned: Mapping[str, Terms]) -> Iterator[TriedCause]:
    """Yield all changes of one body's inertia that affect the quantities, with their effects."""
    single = ((words, ((body.name, new),)) for body in system.bodies for words, new in changes(system, body, turned))
    for words, inertias in (*single, *together(system)):
        change = sum((by.change(system.body(name), new) for name, new in inertias), np.zeros(1))
        if np.isfinite(change).all() and change.any():
            yield TriedCause(words, inertias, change)


def _pairs(tried: Sequence[TriedCause], gap: Array) -> Iterator[tuple[TriedCause, TriedCause]]:
    """Yield two changes of different bodies that together explain the difference."""
    whole = np.abs(gap).max(initial=0.0)
    seen = [t for t in tried if np.abs(t.change).max() > LEFT * whole]
    changed = np.stack([t.change for t in seen]) if seen else np.zeros((0, gap.size))
    for i, one in enumerate(seen):
        rest = np.abs(gap - one.change - changed[i + 1 :]).max(axis=1, initial=0.0)
        for j in np.flatnonzero(rest <= LEFT * whole):
            other = seen[i + 1 + int(j)]
            if not {name for name, _ in one.inertias} & {name for name, _ in other.inertias}:
                yield one, other


def _both(system: System, one: TriedCause, other: TriedCause) -> Cause:
    first = one.cause(system)
    second = other.cause(first.system)
    return Cause(f"{first.place}, {second.place}", f"{first.said} and {second.said}", second.system)


def _shares(by: Regressor, gap: Array) -> dict[str, float]:
    """Compute the fraction of the difference that each body's ten numbers can explain: 1 is all of it."""
    whole = float(np.linalg.norm(gap))
    found = {}
    for name, columns in by.columns.items():
        phi = np.linalg.lstsq(columns, gap)[0]
        found[name] = max(0.0, 1.0 - float(np.linalg.norm(gap - columns @ phi)) / whole)
    return found


PrintedPair = tuple[TextPrecision | None, TextPrecision | None]
#: Causes of a step, at most; those that are found first are the commonest.
MOST: Final = 8
#: Of scale: groups of bodies that are so far off their model's numbers have others, not other roundings.
SURELY_OFF: Final = 1e-6
FORCES_TOO: Final = "applied forces differ, too, so no share of the difference is said to be of a body"
#: Where more rows, or one of all bodies, explain everything, the catalogue of single faults and pairs is not searched.
FEW: Final = 2
#: Nor in models of more coordinates, or where digits printed are left: a change of one row is what its row says.
SMALL: Final = 20
#: Where rows explain everything, so many changes of joints and forces of a model of one coordinate are tried as other
#: words for it, of n coordinates an n²-th of them: about what each of them costs.
TRIED: Final = 5_000
UNTRIED: Final = "of each model are tried as other words for the same change, and no more"
OF_CONSTRAINTS: Final = "the open trees say the same, and what constraints say is not searched"


def why(
    a: System, b: System, seed: int = 0, coordinates: Mapping[str, str] | None = None, drawn: int = 0,
    seconds: float | None = None, printed: PrintedPair = (None, None),
) -> Causes:  # fmt: skip
    """Explain how B differs from A: the fields that differ, then a change that turns A into B, or else B into A.

    Parameters
    ----------
    a, b : the models; constraints are compared only if they are linear
    seed : seed of the states, and of values that the models leave open
    coordinates : coordinate of A -> that of B, as far as given
    drawn : number of states at which :func:`.same_machine` compared them; 0: states of ordinary size
    seconds : time after which the search stops and returns what it has found; None: no limit
    printed : precision of the numbers in both texts; None for a model without text
    """
    unknown = (*obstacles(a), *obstacles(b))
    if unknown:
        return Causes(reason=str(unknown[0]))
    said = "what a converter changed was not searched to the end"
    found, cut = None, f"{said}: stopped after {seconds or 0:g} s (--why-seconds)"
    with suppress(OutOfTimeError), limit_time(seconds):
        found, cut = find_converted(a, b, partial(_measure, seed=seed, coordinates=coordinates)), ""
    if found is not None:
        near = found.left <= SINGLE
        rest = Causes() if near else _why(*found.models, seed, coordinates, drawn, seconds, printed)
        return replace(rest, converted=found.causes, left=found.left)
    rest = _why(a, b, seed, coordinates, drawn, seconds, printed)
    return replace(rest, stopped="; ".join(filter(None, (cut, rest.stopped))))


def _measure(a: System, b: System, seed: int, coordinates: Mapping[str, str] | None) -> tuple[float, float]:
    """Return the differences of M, h and forces, scaled, and of the number of constraints: norm, and largest."""
    matching = match(a, b, coordinates)
    if matching.reason:
        return float("inf"), float("inf")
    pair = _pair(a, b, matching, seed)
    gap, rows = pair.gap(pair.system, pair.names), abs(len(a.constraints) - len(b.constraints))
    return float(np.linalg.norm(gap)) + rows, float(np.abs(gap).max(initial=0.0)) + rows


def _why(
    a: System, b: System, seed: int, coordinates: Mapping[str, str] | None, drawn: int, seconds: float | None,
    printed: PrintedPair,
) -> Causes:  # fmt: skip
    """Explain how B differs from A by the fields that differ and by changes of the catalogue."""
    with limit_time(seconds):
        table: FieldTable | None = None
        try:
            matching = match(a, b, coordinates)
            if matching.reason:
                other_kind = tuple(_other_kind(a, b, seed, coordinates))
                return Causes((CauseStep(other_kind),)) if other_kind else Causes(reason=matching.reason)
            off: list[Comparison] = []
            table = compare_fields(a, b, matching, seed, drawn, printed, off)
            if off:
                return Causes(reason=off[0].quantity, comparisons=tuple(off))
            known = table is not None and bool(table.rows) and table.is_whole
            if table and known and _is_enough(table, a):
                return Causes(fields=table)
            most = TRIED // max(len(a.coordinates), 1) ** 2 if known else None
            return replace(_search(a, b, matching, seed, most), fields=table)
        except OutOfTimeError:
            return Causes(fields=table, stopped=f"the search was stopped after {seconds:g} s (--why-seconds)")


def _is_enough(table: FieldTable, system: System) -> bool:
    """Return True if the fields suffice because a search would take long, or could find no single change."""
    of_all = not all(row.lines[0].field for row in table.rows)
    return len(table.rows) > FEW or of_all or table.digits > 0 or len(system.coordinates) > SMALL


def compare_fields(
    a: System, b: System, matching: Matching, seed: int, drawn: int, printed: PrintedPair = (None, None),
    off: list[Comparison] | None = None,
) -> FieldTable | None:  # fmt: skip
    """Return the table of the fields that differ; None for models whose fields cannot be paired.

    ``off`` receives comparisons about groups that do not have their own model's numbers.
    """
    pair = pair_groups(a, b, matching, seed, drawn, printed, off)
    checkpoint()
    if pair is None:
        return None
    still = {"t": np.zeros(1)}
    one, other = (
        {n: np.reshape(evaluate_formulas(R.ravel().tolist(), still), (3, 3)) for n, R in read_turned_frames(x).items()}
        for x in (a, b)
    )
    return pair.table(find_systematic(pair.a, pair.b, (one, other)))


def pair_groups(
    a: System, b: System, matching: Matching, seed: int, drawn: int, printed: PrintedPair,
    off: list[Comparison] | None = None,
) -> LumpedPair | None:  # fmt: skip
    """Return both models as groups at drawn states, or at states of ordinary size; None if not possible."""
    first, second, ours = _complete(a, b, seed, drawn)
    ours = ours or tuple(complete_state(first, s, seed) for s in states(first, seed))
    theirs = tuple(complete_state(second, matching.translate(s, second), seed) for s in ours)
    try:
        pair = LumpedPair(first, second, ours, theirs, dict(matching.pairs), printed)
    except NotLumpedError as problem:
        if off is not None and problem.off is not None and not OWN_NUMBERS < problem.off <= SURELY_OFF:
            off.append(Comparison("table", "the model's fields", str(problem), "disagrees", problem.off, SURELY_OFF))
        return None
    if off is not None and not pair.a.others:
        kept = [first.coordinate_names.index(name) for name in pair.a.names]
        own = direct(first.open_loops(), [replace(s, parameters=ours[0].parameters) for s in ours]).quantities
        known = {name: own[name][:, kept] for name in QUANTITIES[1:]} | {"M": own["M"][:, kept][:, :, kept]}
        if (gap := pair.gap(pair.x, known)) > SURELY_OFF:
            off.append(Comparison("table", "the model's fields", "A is another model", "disagrees", gap, SURELY_OFF))
    return pair


def find_printed_digits(a: System, b: System, found: Sameness, seed: int, printed: PrintedPair) -> PrintedDigits | None:
    """Return evidence that the printed digits alone explain the differences of two models; None if there is none.

    Only M, h, gravity and applied forces may differ; forces that are neither linear laws nor constants must agree
    entirely, and constraints must be linear rows that agree in as many digits. This is checked with zero inputs, which
    widen no bounds, and with nonzero inputs, which alone show gear ratios.
    """
    apart = {c.quantity for c in found.comparisons if c.verdict != "agrees"}
    if found.matching.reason or not apart <= {*QUANTITIES, *OF_CONSTRAINTS_COMPARED}:
        return None
    if any(c.verdict == "not checked" and c.quantity not in OF_CONSTRAINTS_COMPARED for c in found.comparisons):
        return None
    inputs = sorted({p.name for system in (a, b) for p in system.parameters if p.origin == "input"})
    pair = pair_groups(a, b, found.matching, seed, 0, printed)
    if inputs and pair is not None and pair.room is not None and pair.is_printed(pair.a, pair.b):
        pair = pair_groups(_act(a, inputs), _act(b, inputs), found.matching, seed, 0, printed)
    if pair is None or pair.room is None or not pair.is_printed(pair.a, pair.b):
        return None
    if None in (*pair.a.rows.values(), *pair.b.rows.values()):
        return None
    if unlike_rows(pair.a, pair.b, 2 * float(half_unit(1.0, pair.room.digits))):
        return None
    bounds = pair.room.parts()
    parts = {name: (float(np.max(pair.part(pair.x, pair.y, name), initial=0.0)), bounds[name]) for name in bounds}
    return PrintedDigits(pair.room.digits, pair.room.coarsest, parts)


def _act(system: System, inputs: Sequence[str]) -> System:
    """Set every input to a different value just below one, so that half units of its factors do not grow."""
    known = tuple(
        replace(p, value=1 - number(inputs.index(p.name)) / (1000 + len(inputs)), origin="given")
        if p.origin == "input"
        else p
        for p in system.parameters
    )
    return replace(system, parameters=known)


def _search(a: System, b: System, matching: Matching, seed: int, most: int | None = None) -> Causes:
    """Search the catalogue for changes that turn A into B, or B into A; ``most`` limits the number tried."""
    forth = _pair(a, b, matching, seed)
    with limit_tries(most) as left:
        found = _one_way(forth, read_turned_frames(a))
    untried = left[0] < 0
    if not found.is_found:
        if forth.equal(forth.system, forth.names):
            unlike = (a.constraints or b.constraints) and forth.same and not forth.same(forth.system)
            return Causes(reason=OF_CONSTRAINTS) if unlike else Causes(invisible=unseen(forth, b))
        turned_round = Matching(tuple((y, x) for x, y in matching.pairs), matching.by)
        with limit_tries(most) as left:
            back = _one_way(_pair(b, a, turned_round, seed), read_turned_frames(b))
        untried |= left[0] < 0
        found = replace(back, backwards=True) if back.is_found else found
    return replace(found, stopped=f"{most} changes of joints and forces {UNTRIED}") if untried else found


def why_fields(a: System, b: System) -> Causes:
    """Explain how B differs from A, which few fields do, by changes of the catalogue.

    They make A's fields equal B's, or only a centre of mass and the motion, if the tensor is about another point.
    """
    before = {body.name: body for body in a.bodies}
    others = [before[body.name] for body in b.bodies if body.name in before and body != before[body.name]]
    turns = read_turned_frames(a)
    made = (
        *(change_inertias(a, words, {body.name: new}) for body in others for words, new in changes(a, body, turns)),
        *list_joint_changes(a, others),
        *(Cause(*made) for made in (*gravity_changes(a), *force_changes(a))),
    )
    found = [cause for cause in made if replace(cause.system, metadata=b.metadata) == b]
    near = [cause for cause in made if not found and any(_moves_centre(body, cause.system, b) for body in others)]
    if near:
        pair = _pair(a, b, match(a, b), 0)
        found = [c for c in pair.fitting(near, pair.system, pair.names) if pair.same and pair.same(c.system)]
    return Causes((CauseStep(tuple(found)),) if found else ())


def _moves_centre(before: Body, changed: System, b: System) -> bool:
    return changed.body(before.name).inertia.centre == b.body(before.name).inertia.centre != before.inertia.centre


def why_not_said(a: System, at: Sequence[State], other: Said, slack: float) -> Causes:
    """Explain why another program's numbers at these states, within ``slack``, differ from the model's."""
    unknown = obstacles(a)
    if unknown:
        return Causes(reason=str(unknown[0]))
    names = tuple(name for name in QUANTITIES if name in other.quantities)
    found = _one_way(NumberPair(a, tuple(at), other, names, None, slack), read_turned_frames(a))
    return replace(found, compared=names)


def _complete(a: System, b: System, seed: int, drawn: int = 0) -> tuple[System, System, tuple[State, ...]]:
    """Return both models with every value known, and drawn states of A."""
    found = draw(fill_open_values(a, b), drawn, seed)
    second = draw(fill_open_values(b, found.system, unlike_functions(a, b)), 0, seed).system
    return found.system, second, found.states


def _pair(a: System, b: System, matching: Matching, seed: int) -> NumberPair:
    first, second, _ = _complete(a, b, seed)
    ours = tuple(complete_state(first, s, seed) for s in states(first, seed))
    theirs = tuple(complete_state(second, matching.translate(s, second), seed) for s in ours)
    told = dict(matching.pairs)

    def same(changed: System) -> bool:
        return same_machine(changed, second, ours, seed, coordinates=told, printed=True).verdict == "agrees"

    return NumberPair(
        first, ours, compute_numbers(second, theirs, matching.order(second)), QUANTITIES, same, points=second.points
    )


def _other_kind(a: System, b: System, seed: int, coordinates: Mapping[str, str] | None) -> Iterator[Cause]:
    """Yield coordinates that rotate in one model and translate in the other."""
    for cause in list_joint_changes(a, a.bodies):
        if not match(cause.system, b, coordinates).reason:
            found = same_machine(cause.system, b, 3, seed, coordinates=coordinates, printed=True)
            if found.verdict in ("agrees", "agrees after matching"):
                yield cause


def _one_way(pair: NumberPair, turns: Mapping[str, Terms]) -> Causes:
    """Find the changes that turn the model into the other."""
    if pair.equal(pair.system, pair.names):
        return Causes()
    steps: list[CauseStep] = []
    system, located = pair.system, ""
    if not pair.equal(system, pair.inertial):
        moved, located = kinematics(pair)
        found, shares = bodies(pair, moved, turns)
        if not found:
            rotor = armature(pair)
            causes = [rotor] if rotor else _forces(pair, system, turns)
            found = [CauseStep(tuple(causes))] if causes else []
        if not found:
            alike = "applied" not in pair.names or pair.equal(system, ["applied"])
            return Causes(shares=shares if alike else {}, located=located or ("" if alike else FORCES_TOO))
        steps += _whole(pair, found)
        system = steps[-1].causes[0].system
    for name, fault in (("gravity", _gravity), ("applied", _forces)):
        if name in pair.names and not pair.equal(system, [name]):
            fitting = fault(pair, system, turns)
            if not fitting:
                return Causes(located=_locate_unnamed(name, pair, system, steps))
            steps += _whole(pair, [CauseStep(tuple(fitting))])
            system = steps[-1].causes[0].system
    if not steps:
        return Causes(located=located)
    return _verify(pair, steps)


def _whole(pair: NumberPair, steps: Sequence[CauseStep]) -> list[CauseStep]:
    """Keep only those causes of the last step that leave no difference at all, if there are some."""
    *first, last = steps
    whole = tuple(cause for cause in last.causes if pair.equal(cause.system, pair.names))
    return [*first, CauseStep(whole) if whole else last]


def _verify(pair: NumberPair, steps: list[CauseStep]) -> Causes:
    """Keep the causes that make all quantities equal to the other's."""
    before = pair.gap(pair.system, pair.names)
    *first, last = steps
    right = [
        cause
        for cause in last.causes[:MOST]
        if is_explained(pair.gap(cause.system, pair.names), before, pair.slack)
        and (pair.same is None or pair.same(cause.system))
    ]
    if not right:
        said_ = " and ".join(map(str, steps))
        return Causes(located=f"{said_}: that is nearly, and not wholly, the difference")
    kept = [CauseStep(step.causes[:MOST]) for step in first]
    return Causes((*kept, CauseStep(tuple(right))))


def _gravity(pair: NumberPair, system: System, turns: Mapping[str, Terms]) -> list[Cause]:
    names = [name for name in QUANTITIES[:3] if name in pair.names]
    ground = [body for body in system.bodies if body.parent is None]
    pulled = (Cause(*made) for made in try_each(gravity_changes(system)))
    found = pair.fitting((*pulled, *list_joint_changes(system, ground)), system, names)
    return (
        found
        or find_by_weights(pair, system, turns)
        or pair.fitting(list_joint_changes(system, system.bodies), system, names)
    )


def _forces(pair: NumberPair, system: System, _: Mapping[str, Terms]) -> list[Cause]:
    made = (Cause(*each) for each in try_each(chain(point_changes(system, pair.points), force_changes(system))))
    found = pair.fitting(made, system, pair.names)
    return found or pair.fitting(list_joint_changes(system, system.bodies), system, pair.names)


def _locate_unnamed(name: str, pair: NumberPair, system: System, steps: Sequence[CauseStep]) -> str:
    """Describe where gravity or forces differ, if no cause was found."""
    before = f"{' and '.join(map(str, steps))}; then " if steps else ""
    pull = _pull(pair, system) if name == "gravity" else ""
    if pull:
        return f"{before}{pull}"
    rows = np.abs(pair.gap(system, [name]).reshape(pair.other.quantities[name].shape)).max(axis=0)
    along = ", ".join(system.coordinate_names[i] for i in np.argsort(-rows)[:3] if rows[i] > 1e-9)
    return f"{before}only {'the weights' if name == 'gravity' else 'applied forces'} differ, along {along}"


def _pull(pair: NumberPair, system: System) -> str:
    """Describe the other's acceleration of gravity, computed from its weights, which are linear in it."""
    columns = []
    for axis in AXES.values():
        unit = replace(system, gravity=Gravity(as_expression(1), axis))
        columns.append(compute_numbers(unit, pair.states).quantities["gravity"].ravel())
    target, by = pair.other.quantities["gravity"].ravel(), np.stack(columns, axis=1)
    g, _, rank, _ = np.linalg.lstsq(by, target)
    if not is_explained(target - by @ g, target, pair.slack):
        return ""
    words = ", ".join(f"{x:.6g}" for x in g)
    return f"gravity is ({words}) m/s²" + ("" if rank == 3 else ", as far as the motion shows it")
