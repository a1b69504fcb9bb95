"""Check of printed numbers of linearised motions: they are inserted into the equations of another formalism.

The numbers are those of ``to_json()``. The other side is another formalism in 50 digits: its forces, and its reduced
matrices, which are compared with differences of its own motions (constraints closed, accelerations solved anew). Modes
are put into M, C and K; words about stability are judged by energy, or by eigenvalues that are clear of rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import pi
from typing import Any, Final

import numpy as np

from mbconcord.simulation.linear.reduction import units_of

from ...judge.evidence import Comparison
from ...judge.tolerances import LINEAR_DIGITS
from ...witnesses.screen import PRINTED
from .judged import MOST, NOTHING, SMALL, SOMETHING, PrintedJudge
from .road import Road, sizes, sum_forces, worst

#: Matrices along random directions, beside differences of motions.
PROBED: Final = "linear matrices along a motion"
#: An eigenvalue that a double zero makes is off by the root of rounding.
ZERO: Final = 1e-6
#: A part of the largest that an eigenvalue solver leaves in small ones.
SOLVED: Final = 1e-4
#: Modes below this part of the largest are judged in 50 digits; squares of trees' below the other have all digits.
SLOW, SURELY = 1e-3, 1e-8
#: Rounding of slow modes that floats make, in units of ε; coordinates with damping whose modes are found in digits.
FLOATS, FEW = 100, 10
#: Parts of a shape below this are shown as zero.
HIDDEN: Final = 1e-12
#: Rounding of M⁻¹ K in units of ε, times the condition number of M.
SPREAD: Final = 100


def linear_printed(form: Mapping[str, Any], road: Road) -> Iterator[Comparison]:
    """Compare the numbers and words of a linearised motion, in the form of its JSON."""
    judge = _LinearJudge(form, road)
    yield from judge.asked(
        (PROBED, judge.by_differences), ("matrices", judge.matrices),
        ("state space", judge.state_spaces), ("geometric", judge.geometric), ("reactions", judge.reactions),
        ("modes", judge.modes), ("all modes", judge.all_modes), ("stability", judge.stability),
    )  # fmt: skip


def linear_probed(form: Mapping[str, Any], road: Road) -> Iterator[Comparison]:
    """Compare only the matrices, along random directions; of ``form`` only the formalism's name is used."""
    judge = PrintedJudge(form, road)
    yield from judge.asked((PROBED, judge.by_differences))


class _LinearJudge(PrintedJudge):
    """Comparisons of a linearised motion."""

    def matrices(self) -> Iterator[Comparison]:
        """Compare M, C, K, B, their parts, and the shapes of the independent coordinates."""
        yield self.word("independent", (self.form["positions"], self.form["rates"]), (self.positions, self.rates))
        K, C = self.K, self.C
        symmetric, skew = ((K + K.T) / 2, (K - K.T) / 2) if self.square else (K, 0 * K)
        inputs = [u.name for u in self.road.made.inputs]
        rates, positions = (self.rates, self.rates), (self.rates, self.positions)
        by_one = self.units[:, None]
        B_size = sizes("B", self.road.found.reduced, by_one, 0.0)
        for name, own, weights, size, axes in (
            ("M", self.M, self.by_rates, 0.0, rates), ("C", C, self.by_rates, self.c, rates),
            ("K", K, self.by_positions, self.k, positions), ("B", self.B, by_one, B_size, (self.rates, inputs)),
            ("damping", (C + C.T) / 2, self.by_rates, self.c, rates),
            ("gyroscopic", (C - C.T) / 2, self.by_rates, self.c, rates),
            ("stiffness", symmetric, self.by_positions, self.k, positions),
            ("circulatory", skew, self.by_positions, self.k, positions),
        ):  # fmt: skip
            yield from self.array(f"linear {name}", self.form["matrices"][name], own, weights, size, axes)
        own, names = self.road.floats("shapes"), self.road.made.names
        yield from self.array("shapes of motions", self.form["shapes"], own, 1.0, 1.0, (names, self.positions))

    def geometric(self) -> Iterator[Comparison]:
        """Check the part of K due to reactions, along a direction: by differences of D with the same λ."""
        road, (dz, slope) = self.road, self.shifted
        loads = road.found.multipliers
        turned = slope[3].T @ loads if len(loads) else 0 * slope[0]
        expected = -(road.found.reduced.rates.T @ turned)
        printed = np.array(self.form["matrices"]["geometric"], dtype=float).reshape(self.K.shape)
        said = "linear geometric along a direction"
        yield from self.array(
            said, printed @ dz.astype(float), expected.astype(float), self.units, self.k, (self.rates,)
        )

    def state_spaces(self) -> Iterator[Comparison]:
        """Check A and B_x by insertion: M A = -(K C), M B_x = B; in the rows above, z' as a function of z and w."""
        d, p = len(self.positions), len(self.rates)
        A = np.array(self.form["matrices"]["A"] or np.zeros((0, 0)), dtype=float)
        B = np.array(self.form["matrices"]["B_x"], dtype=float).reshape(d + p, len(self.road.made.inputs))
        if A.shape != (d + p, d + p):
            yield self.word("linear A: shape", A.shape, (d + p, d + p))
            return
        states, M = [*self.positions, *(f"{x}'" for x in self.rates)], self.M
        above = np.hstack([self.road.floats("turning")[self.places], self.road.floats("rates")[self.places]])
        yield from self.array("linear A above", A[:d], above, 1.0, 1.0, (self.positions, states))
        inputs, by_one = [u.name for u in self.road.made.inputs], self.units[:, None]
        for name, own, left, weights, least, columns in (
            ("A", A[d:, :d], -self.K, self.by_positions, self.k, states[:d]),
            ("A", A[d:, d:], -self.C, self.by_rates, self.c, states[d:]),
            ("B_x", B[d:], self.B, by_one, sizes("B", self.road.found.reduced, by_one, 0.0), inputs),
        ):
            size = max(float((np.abs(M) @ np.abs(own) / weights).max(initial=0.0)), least)
            said = f"M times linear {name}"
            yield from self.array(said, M @ own, left, weights, size, (self.rates, columns))
        if B[:d].any():
            yield self.word("linear B_x above", "not zero", "zero")

    def reactions(self) -> Iterator[Comparison]:
        """Compare multipliers, and the residual of equilibrium."""
        numbers, names = self.road.found.numbers, self.road.made.names
        a = self.road.accelerations
        M, K = numbers.M.astype(float), self.road.found.slopes.K.astype(float)
        units, inertia = units_of(M), (numbers.M @ a).astype(float)
        made = numbers.sizes.astype(float) + np.abs((numbers.M @ a - sum_forces(numbers)).astype(float))
        size = float(((made + np.abs(K).sum(axis=1)) * units).max(initial=0.0))
        left = float(np.abs(inertia * units).max(initial=0.0)) / size if size > 0 else 0.0
        if np.isnan(np.array(list(self.form["multipliers"].values()), dtype=float)).any():
            yield self.note("unbalanced", "stiffnesses of reactions that rows share are not determined")
        else:
            yield from self.array("unbalanced", [self.form["unbalanced"]], np.array([left]), 1.0, 1.0)
        if self.form["equilibrium"]:
            v = np.array([self.form["state"]["v"].get(x, 0.0) for x in names])
            yield from self.array("rates at an equilibrium", v, 0 * v, 1.0, 1.0, (names,))
            yield from self.array("forces at an equilibrium", [0.0], np.array([left]), 1.0, 1.0)
        yield from self.multipliers(float((made * units).max(initial=0.0)))

    def modes(self) -> Iterator[Comparison]:
        """Compare each mode: numbers of its eigenvalue, and its eigenvalue and shape in M, C, K."""
        shapes = self.road.floats("shapes")
        size = max(self.k**0.5, self.c)
        found: list[tuple[float, Comparison]] = []
        for number, mode in enumerate(self.form["modes"], 1):
            of = f"mode {number}"
            s, shape = complex(*mode["eigenvalue"]), np.array(mode["shape"], dtype=float) @ [1, 1j]
            omega, ratio = abs(s), mode["damping ratio"]
            numbers = [mode["rad/s"], mode["Hz"] * 2 * pi, 0.0 if ratio is None or ratio != ratio else ratio * omega]
            checks = list(
                self.array(
                    f"{of}: rad/s, Hz, damping", numbers, np.array([omega, omega, -s.real]), 1.0, omega,
                    (("rad/s", "Hz", "damping ratio"),),
                )
            )  # fmt: skip
            checks.append(self.word(f"{of}: kind", mode["kind"], _kind(s)))
            changing = _kind(s).endswith(("grows", "decays"))
            time = mode["e-folding time"] if changing else 1.0
            checks += self.array(f"{of}: e-folding time", [time], np.array([1 / abs(s.real) if changing else 1.0]))
            sizes = np.abs(shape)
            among_largest = shape[sizes >= (1 - LINEAR_DIGITS) * sizes.max()]  # in a circle two are as large
            largest = among_largest[int(np.argmax(among_largest.real))]
            if shape.any() or s or not self.relative:  # of a family that changes rates alone nothing moves
                checks += self.array(f"{of}: largest amplitude", [largest.real, largest.imag], np.array([1.0, 0.0]))
            z = shape[self.places]
            checks += self.array(
                f"{of}: shape on the constraints",
                np.abs(shape - shapes @ z),
                np.zeros(len(shape)),
                1.0,
                1.0,
                (self.road.made.names,),
            )
            if self.relative:  # by A_rel, not by M, C and K of this moment
                found += [(c.excess, c) for c in checks]
                continue
            slow = self.square and 0 < omega < SLOW * size and len(self.M) <= MOST
            checks += self._correct(of, s, z, size) if slow else ()
            checks.append(self._put_back(of, s, shape, size))
            found += [(c.excess, c) for c in checks]
        wrong = [c for _, c in found if c.verdict != "agrees"]
        if wrong or not found:
            yield from wrong
        else:
            yield max(found, key=lambda pair: pair[0])[1]

    def _correct(self, of: str, s: complex, z: Any, size: float) -> Iterator[Comparison]:
        """Compare a mode much slower than the fastest by the determinant in 50 digits; floats are too coarse for it."""
        values = [complex(*mode["eigenvalue"]) for mode in self.form["modes"]]
        most, least = (MOST, 0.5 * SURELY**0.5) if s.real == 0 and not self.C.any() else (FEW, 0.5 * SURELY)
        rounding = FLOATS * np.finfo(float).eps * (size / abs(s)) ** 2 * self.cond
        surely = not self.road.made.rows and len(self.M) <= most and abs(s) < least * max(map(abs, values))
        tolerance = LINEAR_DIGITS if surely else max(LINEAR_DIGITS, rounding)
        if tolerance >= 1:
            return
        step, better = self.correct(s, z)
        yield from self.array(f"{of} in digits", [step], np.array([0.0]), 1.0, 1.0, (), tolerance)
        near = sum(min(abs(s - x), abs(s.conjugate() - x)) <= ZERO * abs(s) for x in values)
        if better is None or near > 1 or not z.any():
            return
        i = int(np.argmax(np.abs(z) * self.position_units))
        shape = np.array([complex(x / better[i]) for x in better]) * z[i]
        left, units = np.abs(shape - z), 1 / self.position_units
        scale = float((np.abs(z) / units).max())
        yield from self.array(f"{of}: shape in digits", left, 0 * left, units, scale, (self.positions,), tolerance)

    def _put_back(self, of: str, s: complex, shape: Any, size: float) -> Comparison:
        """Compare the residual of (s M + C) w + K z with the size of its terms, except for parts printed as zero."""
        z, w = shape[self.places], s * shape[self.moving]
        terms = [s * (self.M @ w), self.C @ w, self.K @ z]
        parts = [abs(s) * (np.abs(self.M) @ np.abs(w)), np.abs(self.C) @ np.abs(w), np.abs(self.K) @ np.abs(z)]
        made = float((sum(parts) / self.units).max(initial=0.0))
        z_size = float((np.abs(z) * self.position_units).max(initial=0.0))
        if s == 0:  # a double zero is found to the root of rounding
            made, tolerance = max(made, size * size * z_size), ZERO
        else:
            made, tolerance = (
                max(made, SOLVED * size * (size * z_size + float((np.abs(w) * self.units).max(initial=0.0)))),
                LINEAR_DIGITS,
            )
        tolerance = max(tolerance, SPREAD * np.finfo(float).eps * self.cond)
        zeros = HIDDEN * ((shape.real == 0) * 1.0 + (shape.imag == 0) * bool(shape.imag.any()))
        hidden = abs(s) * (abs(s) * np.abs(self.M) + np.abs(self.C)) @ zeros[self.moving]
        left = np.maximum(np.abs(sum(terms)) - hidden - np.abs(self.K) @ zeros[self.places], 0.0)
        said = f"{of} in M, C, K"
        return worst(self.a, self.b, said, left, 0 * left, self.units, made, (self.rates,), tolerance, PRINTED)

    def all_modes(self) -> Iterator[Comparison]:
        """Compare the number of modes with that of states, and eigenvalues' sums with the witness's matrix."""
        if self.relative:
            return
        values = [complex(*mode["eigenvalue"]) for mode in self.form["modes"]]
        decisive = sorted(x for s in values for x in {(s.real, s.imag), (s.real, -s.imag)}) * self.form["steady"]
        yield self.word("eigenvalues", sorted(map(tuple, self.form["eigenvalues"])), decisive)
        zeros, states = values.count(0), len(self.positions) + len(self.rates)
        count = sum(2 if s.imag else 1 for s in values)
        if not self.positions:
            yield self.word("modes", len(values), 0)
            return
        if self.square and self.conservative and zeros and count + zeros == states:
            count += zeros  # of K z = 0 alone one mode stands for both
        yield self.word("states that the modes have", count, states)
        A, size = self.state_space(), max(self.k**0.5, self.c)
        every = np.array([*values, *(s.conjugate() for s in values if s.imag)])
        for power in (1, 2):
            own = float(np.trace(np.linalg.matrix_power(A, power)))
            total = float((every**power).sum().real)
            tolerance = ZERO if zeros else LINEAR_DIGITS
            yield from self.array(
                f"sum of eigenvalues^{power}", [total], np.array([own]), 1.0, len(A) * size**power, (), tolerance
            )
        if not zeros and len(every) == states:
            own, total = float(np.linalg.slogdet(A)[1]), float(np.log(np.abs(every)).sum())
            rounding = np.finfo(float).eps * size * float((1 / np.abs(every)).sum())
            yield from self.array("product of eigenvalues", [total], np.array([own]), 1.0, states + 1e12 * rounding)

    @property
    def relative(self) -> bool:
        """Return True if A_rel decides on stability, which :mod:`.orbit` checks."""
        return "neutral" in self.form

    @property
    def conservative(self) -> bool:
        """Return whether C is negligible relative to K, and K is symmetric."""
        K, C = self.K / self.by_positions, self.C / self.by_rates
        none = float(np.abs(C).max(initial=0.0)) <= SOMETHING * self.k**0.5
        return none and float(np.abs(K - K.T).max(initial=0.0)) <= SOMETHING * self.k

    @property
    def has_minimum(self) -> bool:
        """Return True if K is square and positive definite: the energy grows in every direction."""
        values = np.linalg.eigvalsh((self.K + self.K.T) / 2 / self.by_positions)
        return bool(values.min(initial=np.inf) > NOTHING * np.abs(values).max(initial=0.0))

    def stability(self) -> Iterator[Comparison]:
        """Check the printed word and flag on stability against the witness's matrices."""
        if self.relative or "periodic" in self.form:
            return
        form, steady = self.form, self.form["steady"]
        kinds = [mode["kind"] for mode in form["modes"]]
        if not steady:
            expected = "not an equilibrium or steady motion: frozen-time eigenvalues say nothing about stability"
            yield self.word("stability", form["stability"], expected)
            return
        own = self.stable()
        higher = "stable in the linear equations alone: forces of higher order decide"
        if form["stability"] == higher and form["stable"] is None and own is not False:
            yield self.note("stability", "forces of higher order have no second witness")
            return
        zero, rounding = "modes at frequency zero", "modes whose growth or decay is within rounding"
        open_by = f"stable but for {zero if 'indifferent' in kinds else rounding}"
        words = {True: "stable", False: "unstable", None: open_by}
        if "oscillates" in kinds and self.square and not self.has_minimum:
            words[True] = "stable in the linear equations: no mode grows; nonlinear stability is not decided"
        yield self.word("stability in words", form["stability"], words[form["stable"]])
        if own is None:
            if form["stable"] is False and not any(kind.endswith("grows") for kind in kinds):
                yield self.word("stable", False, "no printed mode grows")
            else:
                reason = "growth or decay is within rounding of the eigenvalues, and energy does not decide"
                yield self.note("stability", reason)
        else:
            reduced = self.road.found.reduced
            if own is True and form["stable"] is None and (reduced.C.any() or (reduced.K != reduced.K.T).any()):
                yield self.note("stability", "energy says stable, but for a trace of forces that may feed it")
            else:
                yield self.word("stable", form["stable"], None if own == "zero" else own)


def _kind(s: complex) -> str:
    """Return the word for the kind of motion that an eigenvalue describes."""
    if s == 0:
        return "indifferent"
    still, straight = abs(s.real) <= SMALL * abs(s), abs(s.imag) <= SMALL * abs(s)
    words = [] if straight else ["oscillates"]
    if not still:
        words.append("grows" if s.real > 0 else "decays")
    return " and ".join(words)
