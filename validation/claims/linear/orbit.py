"""Second roads to the matrix of a steady motion in the frame that moves with it, by the equations of another formalism.

The motion and its variations are integrated, which uses no symmetry, and brought back by the flow of the symmetry,
which uses no equations: Ψ(T)⁻¹ Φ(T) = exp(A_rel T), as matrices. The state elsewhere on its orbit is linearised anew,
its symmetries found anew. And A_rel at the state itself is that of the other formalism's own graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError, evaluate
from mbconcord.model.system import System
from mbconcord.records import replace
from mbconcord.simulation.linear.equations import SlopeEquations
from mbconcord.simulation.linear.linearised import Linearised, linearise_equations
from mbconcord.simulation.linear.reduction import Basis, accelerations, choice, reduce_equations, state_space, units_of
from mbconcord.simulation.linear.relative import FieldNumbers, RelativeMotion

from ...judge.evidence import Comparison, Verdict
from ...judge.motion import Array
from ...judge.tolerances import LINEAR_DIGITS, MONODROMY, ORBIT
from .road import worst

#: What is compared.
MATRIX, MONODROMY_OF, ELSEWHERE = "linear A_rel", "monodromy of the steady motion", "steady motion elsewhere"
ROADS: Final = (MATRIX, MONODROMY_OF, ELSEWHERE)
#: So far along the symmetries the state is pushed; so much of a time constant the motion is integrated.
PUSHED, PART = 0.7, 0.5
#: Numbers of steps of the extrapolation: a motion of half a time constant is found to rounding.
STEPS: Final = (2, 4, 6, 8, 10, 12, 14, 16)


def orbit_evidence(
    system: System, found: Linearised, by: Formalism, made: SlopeEquations, form: Mapping[str, Any]
) -> Iterator[Comparison]:
    """Compare the printed A_rel, its eigenvalues, modes and words with those by the second roads."""
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


class _OrbitJudge:
    """Comparisons of one steady motion."""

    def __init__(
        self, system: System, found: Linearised, relative: RelativeMotion, by: Formalism, made: SlopeEquations,
        form: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.system, self.found, self.relative, self.by, self.made = system, found, relative, by, made
        self.form, self.names, chosen = form, made.names, found.choice
        self.q, self.v = (np.array([x[name] for name in self.names]) for x in (found.state.q, found.state.v))
        n, self.states = len(self.names), [*found.positions, *(f"{x}'" for x in found.rates)]
        self.take = [*chosen.positions, *(n + i for i in chosen.rates)]
        at = made.numbers(self._values(self.q, self.v, found.state.t))
        own = choice(at.lines, made.holonomic, units_of(at.M), chosen.positions, chosen.rates)
        basis = Basis(at.D, own, np.linalg.solve)
        a, loads = accelerations(at, basis, np.linalg.solve)
        reduced = reduce_equations(at.M, made.slopes(self._values(self.q, self.v, found.state.t, a, loads)), basis)
        self.T = np.block([[reduced.shapes, 0 * reduced.rates], [reduced.turning, reduced.rates]])
        A = state_space(reduced, basis.chosen)[0]
        self.A = A - (relative.along.slope(self.q.tolist(), self.v.tolist()) @ self.T)[self.take]
        size = float(np.abs(np.linalg.eigvals(self.A)).max(initial=0.0)) or 1.0
        units = units_of(at.M)
        self.weights = np.concatenate([1 / units[list(chosen.positions)], 1 / units[list(chosen.rates)] / size])
        self.scaled = self.A * np.outer(self.weights, 1 / self.weights)

    def _values(self, q: Array, v: Array, t: float, a: Any = None, loads: Any = None) -> dict[str, float]:
        zeros = np.zeros(len(q)), np.zeros(len(self.made.rows))
        a, loads = (zeros[0] if a is None else a), (zeros[1] if loads is None else loads)
        return self.made.values(t, q.tolist(), v.tolist(), a.tolist(), loads.tolist())

    def _compare(self, quantity: str, b: str, x: Array, y: Array, tolerance: float) -> Comparison:
        of = np.outer(1 / self.weights, self.weights)
        size = float(np.abs(y / of).max(initial=0.0))
        return worst(self.found.formalism, b, quantity, x, y, of, size, (self.states, self.states), tolerance)

    def matrix(self) -> Iterator[Comparison]:
        """Compare the printed A_rel with that by this formalism's graph."""
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

        def turn(_: float, y: Array) -> Array:
            here = y[:n].tolist(), y[n : 2 * n].tolist()
            X, _DX, w, _bent = along.evaluate(*here)
            return np.concatenate([X, w, (along.slope(*here) @ y[2 * n :].reshape(2 * n, 2 * n)).ravel()])

        moved = _extrapolate(move, np.concatenate([start, self.T.ravel()]), T)
        turned = _extrapolate(turn, np.concatenate([start, np.eye(2 * n).ravel()]), T)
        back = np.linalg.solve(turned[2 * n :].reshape(2 * n, 2 * n), moved[2 * n :].reshape(2 * n, width))[self.take]
        printed = np.array(self.form["matrices"]["A_rel"], dtype=float)
        b = f"{self.by.name} integrated {T:.3g} s"
        yield self._compare(MONODROMY_OF, b, _exponential(printed * T), back, MONODROMY)
        gap, largest = np.abs(moved[: 2 * n] - turned[: 2 * n]), float(np.abs(moved[: 2 * n]).max(initial=1.0))
        i = int(np.argmax(gap))
        verdict: Verdict = "agrees" if gap[i] <= MONODROMY * largest else "disagrees"
        entry = ([*self.names, *(f"{x}'" for x in self.names)][i],)
        yield Comparison(
            self.found.formalism, b, "motion along the generator", verdict, float(gap[i] / largest), MONODROMY,
            entry=entry, claim="linear",
        )  # fmt: skip

    def _slope(self, q: Array, v: Array, t: float) -> tuple[Array, Array]:
        """Return accelerations (n,) and Df (2n, 2n) of these equations, by one solution with the multipliers."""
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

    def elsewhere(self) -> Iterator[Comparison]:
        """Compare eigenvalues and words with those of the state pushed along its symmetries."""
        found, own, n = self.found, self.relative, len(self.names)
        still = [one for one in own.fields if not evaluate([one.c], {})[0]]
        push = FieldNumbers(self.names, still, [1.0] * len(still)) if still else own.along

        def turn(_: float, y: Array) -> Array:
            X, _DX, w, _bent = push.evaluate(y[:n].tolist(), y[n:].tolist())
            return np.concatenate([X, w])

        y = np.concatenate([self.q, self.v])
        for _ in range(4):
            y = _extrapolate(turn, y, PUSHED / 4)
        q, v = (dict(zip(self.names, part.tolist(), strict=True)) for part in (y[:n], y[n:]))
        state = replace(found.state, t=found.state.t + push.time * PUSHED, q=q, v=v)
        there = linearise_equations(self.system, self.by, self.made, state, None, True)
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

    def _match(self, quantity: str, b: str, printed: Sequence[complex], others: Sequence[complex]) -> Comparison:
        """Compare eigenvalues, each with the nearest one that is left."""
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

    def modes(self) -> Iterator[Comparison]:
        """Put each printed mode back: (A_rel - s) x is a sum of symmetries; and its eigenvalue is a printed one."""
        form, d = self.form, len(self.found.positions)
        still = [one for one in self.relative.fields if not evaluate([one.c], {})[0]]
        each = FieldNumbers(self.names, still, [1.0] * len(still)).evaluate_each(self.q.tolist(), self.v.tolist())
        lines = [np.concatenate([x[0], x[2]])[self.take] * self.weights for x in each]
        G = np.array(lines).reshape(len(still), len(self.take)).T
        values = [complex(*mode["eigenvalue"]) for mode in form["modes"]]
        every = [*values, *(s.conjugate() for s in values if s.imag)]
        printed = [complex(*x) for x in form["eigenvalues"]]
        yield self._match("eigenvalues of the modes", "printed", every, printed)
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


def _extrapolate(f: Callable[[float, Array], Array], y: Array, T: float) -> Array:
    """Integrate y' = f(t, y) over T by midpoint steps, extrapolated in their squares (Gragg 1965)."""
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
    return np.asarray(table[-1])


def _exponential(A: Array) -> Array:
    """Return e^A by its series, of a part of A that is squared again."""
    squarings = max(0, int(np.ceil(np.log2(max(float(np.linalg.norm(A, 2)), 1e-300)))) + 3)
    part = A / 2**squarings
    total = term = np.eye(len(A))
    for k in range(1, 16):
        term = term @ part / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return np.asarray(total)
