"""Cut joints: relative virtual displacements along and about the locked directions.

The first side is A, the frame before the joint's own coordinates; the second is B, the frame after them. The joint may
slide along directions of one side (the *guide*) and turn about a point of the other (the *hub*): about one axis, or
about axes n₁ of A and n₂ of B. All other directions are locked. With d from the guide's origin to the hub's,

    along f, fixed in the guide:    f · (δr_h - δr_g - δπ_g × d) ,   about m:    m · (δπ_h - δπ_g) ,   m of the guide
                                                                     or, of two turns, n₁ × n₂/|n₁ × n₂|

taken as first minus second. γ̃ is the rate of the row's speed at q'' = 0: for a point in the moving guide it includes
centripetal, tangential and Coriolis parts. λ is the joint's force (N) or moment (N m) on the first body at the hub.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.derivation import Obstacle
from mbconcord.model.expressions import ONE, Expression, evaluate_float, sqrt
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES, ElementaryTransformation, Variable
from mbconcord.records import dataclass

from ..kinematics import NONE, Kinematics, Triple, cross, dot, minus, plus, times, to_world
from .row import Frames, Row, opposite, pair_bodies

Steps = Sequence[ElementaryTransformation]

#: Directions closer to parallel than this are parallel: constant rotations and decimals round.
ROUNDING = 1e-9
EDGES: tuple[tuple[str, Triple], ...] = tuple(AXES.items())


def cut_joints_refused(system: System) -> Iterator[Obstacle]:
    """List the cut joints whose own motion has no rows here, with the reason."""
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            reason = _refusal(_split_cut_joint(constraint)[1])
            if reason:
                message = f"virtual_work does not take this cut joint: {reason}"
                yield Obstacle(f"constraints/{constraint.name}", "cut_joints", message)


def _refusal(own: Steps) -> str:
    slides, turns = _directions(own)
    kinds = [step.kind for step in own]
    if any(not step.coordinate for step in own):
        return "a constant transformation stands between its coordinates"
    if kinds not in (sorted(kinds), sorted(kinds, reverse=True)):
        return "its rotations do not stand together"
    if _flat(slides):
        return "two of its translations have one direction"
    if len(turns) > 3 or any(_parallel(a, b) for a, b in pairwise(turns)):
        return "two of its rotations have one axis"
    return ""


@dataclass(frozen=True, slots=True)
class _Sides:
    """Frames A and B of a cut joint as guide and hub; ``sign`` is 1 if the hub is A, -1 if the guide is A."""

    guide: Kinematics
    hub: Kinematics
    sign: int
    moving: tuple[str, ...]

    def relate_along(self, f: Triple) -> tuple[dict[str, Expression], Expression, Expression, Expression]:
        """Compute D, speed, γ̃ and position of the hub's origin along a direction f, given in axes of the guide."""
        g, h, e = self.guide, self.hub, times(self._one, to_world(self.guide.A, f))
        d = minus(h.r, g.r)
        drift = minus(minus(h.v, g.v), cross(g.omega, d))
        carried = plus(g.w, cross(g.epsilon, d), cross(g.omega, cross(g.omega, d)))
        rest = minus(minus(h.w, carried), times(ONE + ONE, cross(g.omega, drift)))
        columns = {
            name: minus(h.D.get(name, NONE), plus(g.D.get(name, NONE), cross(g.B.get(name, NONE), d)))
            for name in self.moving
        }
        return _present({n: dot(e, x) for n, x in columns.items()}), dot(e, drift), dot(e, rest), dot(e, d)

    def relate_about(self, m: Triple, growth: Triple) -> tuple[dict[str, Expression], Expression, Expression]:
        """Compute D, speed and γ̃ of the hub's rotation relative to the guide about m (rate ``growth``), world axes."""
        g, h = self.guide, self.hub
        m, growth = times(self._one, m), times(self._one, growth)
        turning = minus(h.omega, g.omega)
        D = {n: dot(m, minus(h.B.get(n, NONE), g.B.get(n, NONE))) for n in self.moving}
        return _present(D), dot(m, turning), dot(m, minus(h.epsilon, g.epsilon)) + dot(growth, turning)

    @property
    def _one(self) -> Expression:
        return ONE if self.sign > 0 else -ONE


def cut_rows(constraint: FrameCoincidence, tree: System, frames: Frames) -> Iterator[Row]:
    """Derive the rows of a cut joint without obstacle: forces, then moments."""
    before, own, after = _split_cut_joint(constraint)
    slides, turns = _directions(own)
    ends = constraint.first.body, constraint.second.body
    A = _beyond(frames[ends[0]], before)
    B = _beyond(frames[ends[1]], (*constraint.second.transformations, *map(_inverse, reversed(after))))
    moving = pair_bodies(tree, *ends).moving
    sides = _Sides(A, B, -1, moving) if own and own[0].is_translation else _Sides(B, A, 1, moving)
    first, second = ((body, side.shift_to(minus(sides.hub.r, side.r))) for body, side in zip(ends, (A, B), strict=True))
    for part, f in _across(slides) if slides else EDGES:
        D, speed, rest, position = sides.relate_along(f)
        reactions = opposite(first, second, to_world(sides.guide.A, f))
        yield Row(constraint.name, f"force {part}", D, speed, rest, position, reactions=reactions)
    for part, m, growth, position, facing in _locked_turns(turns, A, B, sides):
        D, speed, rest = sides.relate_about(m, growth)
        reactions = opposite(first, second, NONE, m)
        yield Row(constraint.name, f"moment {part}", D, speed, rest, position, facing, reactions=reactions)


def _present(D: dict[str, Expression]) -> dict[str, Expression]:
    return {name: x for name, x in D.items() if x}


Turn = tuple[str, Triple, Triple, Expression, Expression]


def _locked_turns(turns: Sequence[Triple], A: Kinematics, B: Kinematics, sides: _Sides) -> Iterator[Turn]:
    """Yield (part, m, its rate, position, facing) of directions about which the joint does not rotate, world axes."""
    g = sides.guide
    if len(turns) == 2:
        n1, n2 = to_world(A.A, turns[0]), to_world(B.A, turns[1])
        inclined = dot(*turns)
        scale = 1 / sqrt(ONE - inclined * inclined)
        growth = plus(cross(cross(A.omega, n1), n2), cross(n1, cross(B.omega, n2)))
        gap = scale * (dot(n1, n2) - inclined)
        yield "1", times(scale, cross(n1, n2)), times(scale, growth), gap, ONE
    elif not turns:
        off = times(ONE / 2, plus(*(cross(_edge(B, k), _edge(A, k)) for k in range(3))))
        for k, (part, _) in enumerate(EDGES):
            m, other = _edge(g, k), (k + 1) % 3
            yield part, m, cross(g.omega, m), dot(m, off), dot(_edge(A, other), _edge(B, other))
    elif len(turns) == 1:
        n1, n2 = to_world(A.A, turns[0]), to_world(B.A, turns[0])
        for part, side in _across(turns):
            m = to_world(g.A, side)
            yield part, m, cross(g.omega, m), dot(m, cross(n2, n1)), dot(n1, n2)


def _edge(frame: Kinematics, k: int) -> Triple:
    return frame.A[0][k], frame.A[1][k], frame.A[2][k]


def _beyond(frame: Kinematics, steps: Steps) -> Kinematics:
    for step in steps:
        frame = frame.apply_transformation(step)
    return frame


def _split_cut_joint(constraint: FrameCoincidence) -> tuple[Steps, Steps, Steps]:
    """Split the first frame's transformations: those before its first coordinate, up to its last one, and after it."""
    steps = constraint.first.transformations
    own = [i for i, step in enumerate(steps) if step.coordinate]
    return (steps[: own[0]], steps[own[0] : own[-1] + 1], steps[own[-1] + 1 :]) if own else (steps, (), ())


def _inverse(step: ElementaryTransformation) -> ElementaryTransformation:
    """Invert a transformation that has no coordinate."""
    assert not isinstance(step.motion, Variable)
    return ElementaryTransformation(step.kind, step.axis, type(step.motion)(-step.motion.value))


def _directions(own: Steps) -> tuple[list[Triple], list[Triple]]:
    """Return directions of the slides, and axes of the rotations."""
    return [s.axis for s in own if s.is_translation], [s.axis for s in own if not s.is_translation]


def _across(directions: Sequence[Triple]) -> list[tuple[str, Triple]]:
    """Return numbered unit vectors at right angles to independent directions and to each other."""
    if len(directions) == 1:
        (n,) = directions
        start = next(e for _, e in EDGES if not _parallel(n, e))
        first = _unit(cross(n, start))
        return [("1", first), ("2", cross(n, first))]
    return [("1", _unit(cross(*directions)))] if len(directions) == 2 else []


def _unit(v: Triple) -> Triple:
    return times(1 / sqrt(dot(v, v)), v)


def _parallel(a: Triple, b: Triple) -> bool:
    return all(abs(evaluate_float(x, {})) < ROUNDING for x in cross(a, b))


def _flat(slides: Sequence[Triple]) -> bool:
    """Return True if the translations are linearly dependent."""
    if len(slides) == 2:
        return _parallel(*slides)
    if len(slides) == 3:
        return abs(evaluate_float(dot(cross(slides[0], slides[1]), slides[2]), {})) < ROUNDING
    return len(slides) > 3
