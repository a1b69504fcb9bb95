"""Second roads to the matrix of a steady motion in the frame that moves with it, by the equations of another formalism.

The motion and its variations are integrated, which uses no symmetry, and brought back by the flow of the symmetry,
which uses no equations: Ψ(T)⁻¹ Φ(T) = exp(A_rel T), as matrices. The state elsewhere on its orbit is linearised anew,
its symmetries found anew. And A_rel at the state itself is that of the other formalism's own graph.

A periodic motion has the monodromy that the other formalism's variations make, extrapolated, and brought back by the
flow of the symmetries that are found anew; its determinant is exp ∫ tr A dt. Multipliers and words are judged by that
monodromy, which knows no error but the difference of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError, evaluate
from mbconcord.model.limits import format_names
from mbconcord.model.system import System
from mbconcord.records import replace
from mbconcord.simulation.linear.equations import SlopeEquations
from mbconcord.simulation.linear.linearised import Linearised, linearise_equations
from mbconcord.simulation.linear.reduction import (
    Basis,
    ReducedMatrices,
    accelerations,
    choice,
    reduce_equations,
    state_space,
    units_of,
)
from mbconcord.simulation.linear.relative import FieldNumbers, RelativeMotion
from mbconcord.simulation.linear.symmetry import find_symmetries

from ...judge.evidence import Comparison, Verdict
from ...judge.motion import Array
from ...judge.tolerances import LINEAR_DIGITS, MONODROMY, ORBIT
from .road import worst

#: What is compared.
MATRIX, MONODROMY_OF, ELSEWHERE = "linear A_rel", "monodromy of the steady motion", "steady motion elsewhere"
ROADS: Final = (MATRIX, MONODROMY_OF, ELSEWHERE)
PERIODIC, VOLUME = "monodromy of the periodic motion", "determinant of the monodromy"
FLOQUET: Final = "Floquet multipliers"
#: So far along the symmetries the state is pushed; so much of a time constant the motion is integrated.
PUSHED, PART = 0.7, 0.5
#: The generator is carried along from so many places beside the state, so far from it.
BESIDE, FAR = 3, 0.3
#: Numbers of steps of the extrapolation: a motion of half a time constant is found to rounding.
STEPS: Final = (2, 4, 6, 8, 10, 12, 14, 16)
#: Parts of a period that are extrapolated, at first and at most; what the last extrapolation changes at most.
PARTS, CLOSE = (6, 1000), 1e-11
#: Neutral directions below this part of the largest are made of others.
ALONE: Final = 1e-8
#: Rounding of the size of a multiplier, as a part of the monodromy.
UNSURE: Final = 1e-12


def orbit_evidence(
    system: System, found: Linearised, by: Formalism, made: SlopeEquations, form: Mapping[str, Any]
) -> Iterator[Comparison]:
    """Compare the printed A_rel, its eigenvalues, modes and words with the independent computations."""
    assert found.relative is not None
    judge = _OrbitJudge(system, found, found.relative, by, made, form)
    for quantity, road in zip(
        (*ROADS, "modes of A_rel"), (judge.matrix, judge.monodromy, judge.elsewhere, judge.modes), strict=True
    ):
        try:
            yield from list(road())
        except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
            reason = f"{by.name} has no answer: {type(problem).__name__}: {problem}"
            yield Comparison(found.formalism, by.name, quantity, "not checked", explanation=reason, claim="linear")


def period_evidence(
    system: System, found: Linearised, by: Formalism, made: SlopeEquations, form: Mapping[str, Any]
) -> Iterator[Comparison]:
    """Compare the printed monodromy, multipliers and words of a periodic motion with those by another formalism."""
    assert found.periodic is not None
    judge = _PeriodJudge(system, found, by, made, form)
    try:
        yield from list(judge.period())
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        reason = f"{by.name} has no answer: {type(problem).__name__}: {problem}"
        yield Comparison(found.formalism, by.name, PERIODIC, "not checked", explanation=reason, claim="linear")


class _VariationJudge:
    """Comparisons of one motion, by another formalism."""

    def __init__(
        self, system: System, found: Linearised, by: Formalism, made: SlopeEquations, form: Mapping[str, Any]
    ) -> None:
        self.system, self.found, self.by, self.made = system, found, by, made
        self.form, self.names, chosen = form, made.names, found.choice
        self.q, self.v = (np.array([x[name] for name in self.names]) for x in (found.state.q, found.state.v))
        n, self.states = len(self.names), [*found.positions, *(f"{x}'" for x in found.rates)]
        self.take = [*chosen.positions, *(n + i for i in chosen.rates)]
        at = made.numbers(self._values(self.q, self.v, found.state.t))
        self.own = choice(at.lines, made.holonomic, units_of(at.M), chosen.positions, chosen.rates)
        self.units = units_of(at.M)
        reduced, self.A, _ = self._reduce(self.q, self.v, found.state.t)
        self.T = np.block([[reduced.shapes, 0 * reduced.rates], [reduced.turning, reduced.rates]])
        self._scale()

    def _reduce(self, q: Array, v: Array, t: float) -> tuple[ReducedMatrices, Array, Array]:
        """Return reduced matrices, A (d + p, d + p) and accelerations (n,)."""
        at = self.made.numbers(self._values(q, v, t))
        basis = Basis(at.D, self.own, np.linalg.solve)
        a, loads = accelerations(at, basis, np.linalg.solve)
        reduced = reduce_equations(at.M, self.made.slopes(self._values(q, v, t, a, loads)), basis)
        return reduced, state_space(reduced, basis.chosen)[0], a

    def _scale(self, least: float = 0.0) -> None:
        """Scale positions and rates in x to be comparable, by the fastest rate of A or a larger ``least``."""
        size = max(float(np.abs(np.linalg.eigvals(self.A)).max(initial=0.0)), least) or 1.0
        chosen, roots = self.found.choice, 1 / self.units
        self.weights = np.concatenate([roots[list(chosen.positions)], roots[list(chosen.rates)] / size])
        self.scaled = self.A * np.outer(self.weights, 1 / self.weights)

    def _values(self, q: Array, v: Array, t: float, a: Any = None, loads: Any = None) -> dict[str, float]:
        zeros = np.zeros(len(q)), np.zeros(len(self.made.rows))
        a, loads = (zeros[0] if a is None else a), (zeros[1] if loads is None else loads)
        return self.made.values(t, q.tolist(), v.tolist(), a.tolist(), loads.tolist())

    def _compare(self, quantity: str, b: str, x: Array, y: Array, tolerance: float) -> Comparison:
        of = np.outer(1 / self.weights, self.weights)
        size = float(np.abs(y / of).max(initial=0.0))
        return worst(self.found.formalism, b, quantity, x, y, of, size, (self.states, self.states), tolerance)

    def _slope(self, q: Array, v: Array, t: float) -> tuple[Array, Array]:
        """Return accelerations (n,) and the Jacobian Df (2n, 2n) of y' = f(y), solved together with the multipliers."""
        at = self.made.numbers(self._values(q, v, t))
        n, m = len(q), len(at.D)
        lengths = np.where((size := np.linalg.norm(at.D, axis=1)) > 0, size, 1.0)
        units = units_of(at.M)
        scale = np.concatenate([units, 1 / (lengths * np.array([units.max(initial=1e-300)] * m))])
        whole = np.block([[at.M, -at.D.T], [at.D, np.zeros((m, m))]]) * np.outer(scale, scale)
        inverse = np.outer(scale, scale) * np.linalg.pinv(whole, rcond=1e-12)
        solved = inverse @ np.concatenate([at.force, -at.rest])
        slopes = self.made.slopes(self._values(q, v, t, solved[:n], solved[n:]))
        by = -(inverse @ np.block([[slopes.K, slopes.C], [slopes.closing_q, slopes.closing_v]]))[:n]
        return solved[:n], np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), by])

    def _match(self, quantity: str, b: str, printed: Sequence[complex], others: Sequence[complex]) -> Comparison:
        """Compare eigenvalues, each with the nearest one not yet matched."""
        left, gaps, largest = list(others), [0.0], max(map(abs, [*printed, *others]), default=0.0) or 1.0
        for s in printed:
            if not left:
                break
            nearest = min(left, key=lambda x: abs(x - s))
            left.remove(nearest)
            gaps.append(abs(s - nearest) / largest)
        same = len(printed) == len(others) and max(gaps) <= ORBIT
        said = "" if same else f"{self.found.formalism}: {list(printed)}; {b}: {list(others)}"
        verdict: Verdict = "agrees" if same else "disagrees"
        return Comparison(
            self.found.formalism, b, quantity, verdict, max(gaps), ORBIT, explanation=said, claim="linear"
        )


class _OrbitJudge(_VariationJudge):
    """Comparisons of one steady motion."""

    def __init__(
        self, system: System, found: Linearised, relative: RelativeMotion, by: Formalism, made: SlopeEquations,
        form: Mapping[str, Any],
    ) -> None:  # fmt: skip
        super().__init__(system, found, by, made, form)
        self.relative = relative
        self.A = self.A - (relative.along.slope(self.q.tolist(), self.v.tolist()) @ self.T)[self.take]
        self._scale()

    def matrix(self) -> Iterator[Comparison]:
        """Compare the printed A_rel with that from derivatives of this formalism's graph."""
        printed = np.array(self.form["matrices"]["A_rel"], dtype=float)
        if self.by.name == self.found.formalism:
            reason = f"only {self.by.name} delivers it"
            yield Comparison(self.by.name, "", MATRIX, "not checked", explanation=reason, claim="linear")
        else:
            yield self._compare(MATRIX, self.by.name, printed, self.A, LINEAR_DIGITS)

    def monodromy(self) -> Iterator[Comparison]:
        """Compare exp(A_rel T) with the variations of the motion, integrated and brought back by the symmetry."""
        n, along = len(self.names), self.relative.along
        rates = [np.linalg.norm(self.scaled, 2), np.abs(along.slope(self.q.tolist(), self.v.tolist())).max(initial=0.0)]
        T, start = PART / max(float(max(rates)), 1e-3), np.concatenate([self.q, self.v])
        width = self.T.shape[1]

        def move(t: float, y: Array) -> Array:
            a, slope = self._slope(y[:n], y[n : 2 * n], self.found.state.t + t)
            return np.concatenate([y[n : 2 * n], a, (slope @ y[2 * n :].reshape(2 * n, width)).ravel()])

        moved = _extrapolate(move, np.concatenate([start, self.T.ravel()]), T)
        turned, slope = flow_along(along, start, T)
        back = np.linalg.solve(slope, moved[2 * n :].reshape(2 * n, width))[self.take]
        printed = np.array(self.form["matrices"]["A_rel"], dtype=float)
        b = f"{self.by.name} integrated {T:.3g} s"
        yield self._compare(MONODROMY_OF, b, _exponential(printed * T), back, MONODROMY)
        gap, largest = np.abs(moved[: 2 * n] - turned), float(np.abs(moved[: 2 * n]).max(initial=1.0))
        i = int(np.argmax(gap))
        verdict: Verdict = "agrees" if gap[i] <= MONODROMY * largest else "disagrees"
        entry = ([*self.names, *(f"{x}'" for x in self.names)][i],)
        yield Comparison(
            self.found.formalism, b, "motion along the generator", verdict, float(gap[i] / largest), MONODROMY,
            entry=entry, claim="linear",
        )  # fmt: skip

    def elsewhere(self) -> Iterator[Comparison]:
        """Compare eigenvalues and words with those at a state moved along the symmetries."""
        found, own, n = self.found, self.relative, len(self.names)
        still = [one for one in own.fields if not evaluate([one.c], {})[0]]
        push = FieldNumbers(self.names, still, [1.0] * len(still)) if still else own.along
        along = self._carry(push)
        if along is None:  # symmetries that were found are not all there are; along itself the generator stays
            push = along = own.along

        y, _ = flow_along(push, np.concatenate([self.q, self.v]), PUSHED)
        q, v = (dict(zip(self.names, part.tolist(), strict=True)) for part in (y[:n], y[n:]))
        state = replace(found.state, t=found.state.t + push.time * PUSHED, q=q, v=v)
        there = linearise_equations(self.system, self.by, self.made, state, None, True, along=along)
        b = f"{self.by.name} elsewhere"
        if there.relative is None:
            said = f"{b}: {there.kind}"
            yield Comparison(found.formalism, b, ELSEWHERE, "disagrees", explanation=said, claim="linear")
            return
        printed = [complex(*x) for x in self.form["eigenvalues"]]
        yield self._match(ELSEWHERE, b, printed, there.eigenvalues)
        neutral = there.relative.symmetry, there.relative.family
        form = self.form
        for what, x, other in (
            ("kind", form["kind"], there.kind), ("stable", form["stable"], there.stable),
            ("stability", form["stability"], there.stability),
            ("neutral symmetries", len(form["neutral"]["symmetry"]), len(neutral[0])),
            ("neutral families", form["neutral"]["family"], neutral[1]),
        ):  # fmt: skip
            said = "" if x == other else f"{found.formalism}: {x}; {b}: {other}"
            verdict: Verdict = "disagrees" if said else "agrees"
            yield Comparison(found.formalism, b, what, verdict, explanation=said, claim="linear")

    def _carry(self, push: FieldNumbers) -> FieldNumbers | None:
        """Return the symmetry's generator carried by the flow of ``push``; None if it is no sum of the symmetries.

        If symmetries leave the state fixed, many frames move with it, and imaginary parts differ between these.
        """
        n, own, rng = len(self.names), self.relative, np.random.default_rng(3)
        fields = FieldNumbers(self.names, own.fields, [1.0] * len(own.fields))
        columns, carried, still = [[evaluate([one.c], {})[0] for one in own.fields]], [own.along.time], [0.0] * n

        for far in (0.0, *[FAR] * BESIDE):
            q = self.q + far * rng.standard_normal(n)
            y, slope = flow_along(push, np.concatenate([q, still]), PUSHED)
            columns += np.array([X for X, *_ in fields.evaluate_each(y[:n].tolist(), still)]).T.tolist()
            carried += (slope[:n, :n] @ own.along.evaluate(q.tolist(), still)[0]).tolist()
        whole, right = np.array(columns), np.array(carried)
        factors = np.linalg.lstsq(whole, right, rcond=ALONE)[0]
        close = np.abs(whole @ factors - right).max() <= ORBIT * max(float(np.abs(right).max()), 1.0)
        return FieldNumbers(self.names, own.fields, factors.tolist()) if close else None

    def modes(self) -> Iterator[Comparison]:
        """Insert each printed mode: (A_rel - s) x must be a sum of symmetries, and s a printed eigenvalue."""
        form, d = self.form, len(self.found.positions)
        still = [one for one in self.relative.fields if not evaluate([one.c], {})[0]]
        each = FieldNumbers(self.names, still, [1.0] * len(still)).evaluate_each(self.q.tolist(), self.v.tolist())
        lines = [np.concatenate([x[0], x[2]])[self.take] * self.weights for x in each]
        G = np.array(lines).reshape(len(still), len(self.take)).T
        values = [complex(*mode["eigenvalue"]) for mode in form["modes"]]
        every = [*values, *(s.conjugate() for s in values if s.imag)]
        printed = [complex(*x) for x in form["eigenvalues"]]
        yield self._match("eigenvalues of the modes", "printed", every, printed)
        yield self._sum_squares(G, printed)
        wrong, largest = [], 0.0
        for number, (s, mode) in enumerate(zip(values, form["modes"], strict=True), 1):
            shape = np.array(mode["shape"], dtype=float) @ [1, 1j]
            z = shape[list(self.found.choice.positions)] * self.weights[:d]
            left = self.scaled - s * np.eye(len(self.scaled))
            unknown = np.hstack([left[:, d:], G.astype(complex)])
            right = -left[:, :d] @ z
            solved = np.linalg.lstsq(unknown, right, rcond=None)[0] if unknown.shape[1] else np.zeros(0)
            terms = np.abs(left[:, :d]) @ np.abs(z) + np.abs(unknown) @ np.abs(solved)
            size = float(max(terms.max(initial=0.0), np.abs(self.scaled).max(initial=0.0) * np.abs(z).max(initial=0.0)))
            gap = float(np.abs(unknown @ solved - right).max(initial=0.0)) / size if size else 0.0
            largest = max(largest, gap)
            off = shape - self.T[: len(self.names), :d] @ shape[list(self.found.choice.positions)]
            if gap > ORBIT or float(np.abs(off).max(initial=0.0)) > ORBIT:
                wrong.append(f"mode {number}: {max(gap, float(np.abs(off).max())):.2g} is left of {s}")
        verdict: Verdict = "disagrees" if wrong else "agrees"
        yield Comparison(
            self.found.formalism, self.by.name, "modes of A_rel", verdict, largest, ORBIT,
            explanation="; ".join(wrong), claim="linear",
        )  # fmt: skip

    def _sum_squares(self, G: Array, printed: Sequence[complex]) -> Comparison:
        """Compare the sum of the squares of the printed eigenvalues with the trace of A_rel² across the symmetries.

        Columns of ``G`` (d + p, g) are the symmetries. Eigenvalues of a Jordan chain are printed as zero if they are up
        to 1e-4 of the largest.
        """
        left, sizes, _ = np.linalg.svd(G) if G.size else (np.eye(len(self.scaled)), np.zeros(0), None)
        across = left[:, int((sizes > LINEAR_DIGITS * sizes.max(initial=0.0)).sum()) :]
        block = across.T @ self.scaled @ across
        x, y = sum(s * s for s in printed), np.trace(block @ block)
        size = float(np.abs(block).max(initial=0.0)) ** 2 * max(len(block), 1)
        a, b = (np.array([[z]], dtype=float) for z in (complex(x).real, y))
        quantity, ones = "eigenvalues of A_rel, squared", np.ones((1, 1))
        return worst(self.found.formalism, self.by.name, quantity, a, b, ones, size, (), MONODROMY)


class _PeriodJudge(_VariationJudge):
    """Comparisons of one periodic motion."""

    def period(self) -> Iterator[Comparison]:
        """Compare the motion, its variations and its equations after the printed period with those at the start."""
        n, t, T, width = len(self.names), self.found.state.t, float(self.form["periodic"]["period"]), self.T.shape[1]
        self._scale(1 / T)
        end = 2 * n * (1 + width)

        def move(s: float, y: Array) -> Array:
            q, v = y[:n], y[n : 2 * n]
            a, slope = self._slope(q, v, t + s)
            trace = float(np.trace(self._reduce(q, v, t + s)[1]))
            return np.concatenate([v, a, (slope @ y[2 * n : end].reshape(2 * n, width)).ravel(), [trace]])

        start = np.concatenate([self.q, self.v])
        moved = _extrapolate_in_parts(move, np.concatenate([start, self.T.ravel(), [0.0]]), T)
        there, slope, neutral = self._go_along(start)
        back = np.linalg.inv(slope)
        Phi = (back @ moved[2 * n : end].reshape(2 * n, width))[self.take]
        printed = np.array(self.form["matrices"]["monodromy"], dtype=float)
        b = f"{self.by.name} extrapolated"
        yield self._compare(PERIODIC, b, printed, Phi, MONODROMY)
        scale = np.outer(self.weights, 1 / self.weights)
        printed, Phi = printed * scale, Phi * scale
        made_of = float(np.prod(np.maximum(np.linalg.norm(printed, axis=0), 1.0)))
        last = self._reduce(moved[:n], moved[n : 2 * n], t + T)[0]
        tangent = np.block([[last.shapes, 0 * last.rates], [last.turning, last.rates]])
        turned = np.linalg.det((back @ tangent)[self.take])
        pair = np.array([[np.linalg.det(printed)], [np.exp(moved[-1]) * turned]])
        ones, axes = np.ones((1, 1)), (("det",), ("exp ∫ tr A dt",))
        yield worst(self.found.formalism, b, VOLUME, pair[:1], pair[1:], ones, made_of, axes, MONODROMY)
        gap, largest = moved[: 2 * n] - there, np.maximum(np.abs(there).max(initial=0.0), 1.0)
        names = [*self.names, *(f"{x}'" for x in self.names)]
        yield worst(
            self.found.formalism, b, "motion over the period", gap[:, None], 0 * gap[:, None], np.ones((2 * n, 1)),
            float(largest), (names, ("",)), MONODROMY,
        )  # fmt: skip
        yield self._repeat(T)
        orbit = [] if self.made.rheonomic else [self._slope(self.q, self.v, t)[0]]
        neutral = np.hstack([neutral, *(np.concatenate([self.v, a])[:, None] for a in orbit)])[self.take]
        yield from self._judge(Phi, printed, b, neutral * self.weights[:, None])

    def _go_along(self, start: Array) -> tuple[Array, Array, Array]:
        """Return the start carried along printed symmetries and full turns, its derivatives, and the symmetries here.

        The symmetries are those of this formalism's equations, by name.
        """
        n, printed = len(self.names), self.form["periodic"]
        there = start + np.concatenate([[2 * np.pi * printed["turns"].get(x, 0) for x in self.names], np.zeros(n)])
        if not printed["along"]:
            return there, np.eye(2 * n), np.zeros((2 * n, 0))
        own = {one.name: one for one in find_symmetries(self.system, self.by, self.made, self.found.state).fields}
        if missing := [name for name in printed["along"] if name not in own]:
            raise ArithmeticError(f"{format_names(missing)} is no symmetry of its equations")
        fields = [own[name] for name in printed["along"]]
        along = FieldNumbers(self.names, fields, [*printed["along"].values()])

        each = along.evaluate_each(start[:n].tolist(), start[n:].tolist())
        neutral = np.array([np.concatenate([X, w]) for X, _, w, _ in each]).T
        return *flow_along(along, there, 1.0), neutral

    def _repeat(self, T: float) -> Comparison:
        """Compare the equations at a drawn state and time with those a period later."""
        rng, gaps = np.random.default_rng(5), [0.0]
        for _ in range(4):
            q, v = (x + 0.1 * rng.standard_normal(len(x)) for x in (self.q, self.v))
            t = self.found.state.t + T * rng.random()
            here, later = (self.made.numbers(self._values(q, v, s)) for s in (t, t + T))
            for x, y in zip(
                (here.M, here.parts, here.D, here.rest), (later.M, later.parts, later.D, later.rest), strict=True
            ):
                size = float(np.abs(x).max(initial=0.0))
                gaps.append(float(np.abs(x - y).max(initial=0.0)) / size if size else float(np.abs(y).max(initial=0.0)))
        verdict: Verdict = "agrees" if max(gaps) <= MONODROMY else "disagrees"
        said = "" if verdict == "agrees" else f"the equations do not repeat after {T!r} s"
        return Comparison(
            self.found.formalism, self.by.name, "equations after the period", verdict, max(gaps), MONODROMY,
            explanation=said, claim="linear",
        )  # fmt: skip

    def _judge(self, Phi: Array, printed: Array, b: str, neutral: Array) -> Iterator[Comparison]:
        """Compare multipliers, and statements on stability, with those of this monodromy across neutral directions."""
        form, size, one = self.form, float(np.linalg.norm(Phi, 2)), np.eye(len(Phi))
        told = [complex(*x) for x in form["periodic"]["multipliers"]]
        gaps = [float(np.linalg.svd(Phi - x * one, compute_uv=False).min()) / max(size, 1.0) for x in told]
        gaps.append(abs(sum(told) - np.trace(Phi)) / max(size, 1.0))
        verdict: Verdict = "agrees" if len(told) == len(Phi) and max(gaps) <= MONODROMY else "disagrees"
        said = "" if verdict == "agrees" else f"{self.found.formalism}: {told}; {b}: {np.linalg.eigvals(Phi).tolist()}"
        yield Comparison(
            self.found.formalism, b, FLOQUET, verdict, max(gaps), MONODROMY, explanation=said, claim="linear"
        )
        error = 10 * float(np.linalg.norm(Phi - printed)) + UNSURE * size
        whole, parts, _ = np.linalg.svd(neutral)
        Q = whole[:, int((parts > ALONE * parts.max(initial=0.0)).sum()) :]
        across = Q.T @ Phi @ Q
        values, vectors = np.linalg.eig(across) if across.size else (np.zeros(0), np.zeros((0, 0)))
        left = np.abs(np.linalg.pinv(vectors)) if len(across) else vectors
        bounds = error * np.linalg.norm(left, axis=1)
        sizes = np.abs(values)
        inside, outside = bool((sizes < 1 - bounds).all()), bool((sizes > 1 + bounds).any())
        of = bool(form["periodic"]["along"])
        on = "stable in the linear equations: no multiplier leaves the unit circle; nonlinear stability is not decided"
        expected = {
            "asymptotically stable: all multipliers are inside the unit circle": (True, inside and not of),
            "asymptotically stable, up to the symmetries: all other multipliers are inside the unit circle": (
                True,
                inside and of,
            ),
            "unstable: a multiplier is outside the unit circle": (False, outside),
            on: (True, not inside and not outside and abs(np.linalg.det(Phi) - 1) <= error * len(Phi)),
            "not decided: a multiplier is on the unit circle within rounding": (None, not outside),
            "stable in the linear equations alone: forces of higher order decide": (None, not inside and not outside),
        }.get(form["stability"])
        right = expected is not None and expected[0] is form["stable"] and expected[1] and form["kind"] == "periodic"
        said = "" if right else f"{form['stable']}, {form['stability']}; {b}: multipliers of sizes {sizes.tolist()}"
        yield Comparison(
            self.found.formalism, b, "stable", "agrees" if right else "disagrees", explanation=said, claim="linear"
        )


def flow_along(along: FieldNumbers, start: Array, T: float) -> tuple[Array, Array]:
    """Return the state (2n,) that a field's flow reaches after T, and its derivatives (2n, 2n) by the start."""
    width = len(start)

    def turn(_: float, y: Array) -> Array:
        here = y[: width // 2].tolist(), y[width // 2 : width].tolist()
        X, _DX, w, _bent = along.evaluate(*here)
        return np.concatenate([X, w, (along.slope(*here) @ y[width:].reshape(width, width)).ravel()])

    end = _extrapolate_in_parts(turn, np.concatenate([start, np.eye(width).ravel()]), T)
    return end[:width], end[width:].reshape(width, width)


def _extrapolate_in_parts(f: Callable[[float, Array], Array], y: Array, T: float) -> Array:
    """Integrate y' = f over T in parts so short that in each the last two extrapolations agree.

    Raises
    ------
    ArithmeticError
        Too many parts are needed.
    """
    t, part = 0.0, T / PARTS[0]
    for _ in range(PARTS[1]):
        part, begun = min(part, T - t), t
        there, gap = _extrapolate_twice(lambda s, y, begun=begun: f(begun + s, y), y, part)  # type: ignore[misc]
        if np.isfinite(there).all() and gap <= CLOSE * max(float(np.abs(there).max(initial=0.0)), 1.0):
            t, y = t + part, there
            if t >= T * (1 - 1e-14):
                return y
            part *= 1.5
        else:
            part /= 2
    raise ArithmeticError(f"the period has more than {PARTS[1]} parts")


def _extrapolate(f: Callable[[float, Array], Array], y: Array, T: float) -> Array:
    """Integrate y' = f(t, y) over T by midpoint steps, extrapolated in their squares (Gragg 1965)."""
    return _extrapolate_twice(f, y, T)[0]


def _extrapolate_twice(f: Callable[[float, Array], Array], y: Array, T: float) -> tuple[Array, float]:
    """Return y at T by extrapolation, and its difference from the extrapolation before the last."""
    table: list[Array] = []
    for j, count in enumerate(STEPS):
        h = T / count
        before, here = y, y + h * f(0.0, y)
        for i in range(1, count):
            before, here = here, before + 2 * h * f(i * h, here)
        row = [(here + before + h * f(T, here)) / 2]
        for k in range(1, j + 1):
            ratio = (count / STEPS[j - k]) ** 2
            row.append(row[-1] + (row[-1] - table[k - 1]) / (ratio - 1))
        table = row
    return np.asarray(table[-1]), float(np.abs(table[-1] - table[-2]).max(initial=0.0))


def _exponential(A: Array) -> Array:
    """Return e^A by scaling and squaring: the series for A divided by a power of two, then squared repeatedly."""
    squarings = max(0, int(np.ceil(np.log2(max(float(np.linalg.norm(A, 2)), 1e-300)))) + 3)
    part = A / 2**squarings
    total = term = np.eye(len(A))
    for k in range(1, 16):
        term = term @ part / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return np.asarray(total)
