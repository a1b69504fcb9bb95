"""Judgement of printed linear motions and equilibria: units, differences, multipliers, stability, numbers put back.

Numbers of equilibria are put back into the equations of another formalism.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions import ExpressionError
from mbconcord.model.limits import format_names
from mbconcord.simulation.linear.reduction import solve_by_elimination, units_of
from mbconcord.simulation.linear.smooth import find_kinks_of_rest

from ...judge.evidence import Comparison
from ...judge.tolerances import AT_REST, LINEAR_DIGITS
from ...witnesses.screen import PRINTED, TWELVE
from .exact import APART, referee
from .road import TRACE, Road, sizes, stiffness_of_forces, sum_forces, worst

#: Name of the other side where derivatives are compared with differences.
DIFFERENCES: Final = "differences"
#: Eigenvalues of symmetric matrices below these parts of the largest are zero; above them they are not.
NOTHING, SOMETHING = 1e-13, 1e-9
#: The same at an equilibrium, whose search measures stiffness in other units.
SURE: Final = 1e-6
#: Real parts below this part of |s| neither grow nor decay.
SMALL: Final = 1e-9
#: Matrices of many digits are symmetric to this part, and a pivot below it is rounding; of so many coordinates.
EXACTLY, MOST = 1e-38, 40


def signs_of_pivots(K: Any) -> list[int]:
    """Return the signs of a symmetric matrix's eigenvalues, in high precision; empty if a pivot is only rounding."""
    K, signs = K.copy(), []
    for i in range(len(K)):
        if abs(K[i, i]) <= EXACTLY * np.abs(K).max():
            return []
        signs.append(1 if K[i, i] > 0 else -1)
        K[i + 1 :, i:] = K[i + 1 :, i:] - np.outer(K[i + 1 :, i] / K[i, i], K[i, i:])
    return signs


class PrintedJudge:
    """Comparisons of one formalism's printed numbers with another one's."""

    def __init__(self, form: Mapping[str, Any], road: Road) -> None:
        self.form, self.road, self.a, self.b = form, road, form["formalism"], road.name
        names, chosen = road.made.names, road.found.chosen
        self.positions, self.rates = ([names[i] for i in x] for x in (chosen.positions, chosen.rates))
        self.places, self.moving = list(chosen.positions), list(chosen.rates)
        self.M, self.C, self.K, self.B = (road.floats(name) for name in "MCKB")
        self.square = self.positions == self.rates
        self.units = 1 / units_of(self.M)
        of = dict(zip(self.rates, self.units.tolist(), strict=True))
        self.position_units = np.array([of.get(x, 1.0) for x in self.positions])
        self.by_rates = np.outer(self.units, self.units)
        self.by_positions = np.outer(self.units, self.position_units)
        least = stiffness_of_forces(road.found)
        self.k = sizes("K", road.found.reduced, self.by_positions, least)
        self.c = sizes("C", road.found.reduced, self.by_rates, least)
        scaled = self.M / self.by_rates
        self.cond = float(np.linalg.cond(scaled)) if scaled.size else 1.0
        self.random = Random(1)

    def word(self, quantity: str, printed: object, expected: object) -> Comparison:
        """Compare a word, or a number of things, with the expected one."""
        same = printed == expected
        said = "" if same else f"{self.a}: {printed}; {self.b}: {expected}"
        return Comparison(self.a, self.b, quantity, "agrees" if same else "disagrees", explanation=said, claim=PRINTED)

    def note(self, quantity: str, reason: str) -> Comparison:
        """Return "not checked" with the reason why no witness could compare this quantity."""
        return Comparison(self.a, self.b, quantity, "not checked", explanation=reason, claim=PRINTED)

    def array(
        self, quantity: str, printed: Any, expected: Any, weights: Any = 1.0, size: float = 0.0,
        axes: Sequence[Sequence[str]] = (), tolerance: float = LINEAR_DIGITS,
    ) -> Iterator[Comparison]:  # fmt: skip
        """Compare a printed array by the entry that differs most."""
        x, y = np.array(printed, dtype=float), np.asarray(expected)
        if x.size != y.size:
            yield self.word(f"{quantity}: shape", x.shape, y.shape)
        elif x.size:
            weights = np.broadcast_to(np.asarray(weights, dtype=float), y.shape)
            yield worst(self.a, self.b, quantity, x.reshape(y.shape), y, weights, size, axes, tolerance, PRINTED)

    def asked(self, *questions: tuple[str, Callable[[], Iterator[Comparison]]]) -> Iterator[Comparison]:
        """Yield the comparisons that each question, named, makes; "not checked" if it fails."""
        for quantity, question in questions:
            try:
                yield from list(question())
            except (ArithmeticError, ExpressionError, np.linalg.LinAlgError) as problem:
                yield self.note(quantity, f"{self.b} has no answer: {type(problem).__name__}: {problem}")
            except (ValueError, LookupError, TypeError) as problem:
                said = f"{self.a}: printed numbers that {self.b} cannot put back: {type(problem).__name__}: {problem}"
                yield Comparison(self.a, self.b, quantity, "disagrees", explanation=said, claim=PRINTED)

    def direction(self, names: Sequence[str], units: Any) -> Any:
        """Draw random shifts, scaled by these units."""
        convert = referee().arithmetic.convert
        return np.array(
            [convert(self.random.uniform(-1, 1) / u) for _, u in zip(names, units, strict=True)], dtype=object
        )

    def multipliers(self, size: float) -> Iterator[Comparison]:
        """Check that printed multipliers balance inertia and the other formalism's forces along every coordinate."""
        if not self.form["multipliers"]:
            return
        printed = np.array(list(self.form["multipliers"].values()), dtype=float)
        numbers, names = self.road.found.numbers, self.road.made.names
        if self.road.own is None:
            yield self.note("multipliers", f"the rows of {self.a} are not known to another formalism")
            return
        D = self.road.own.numbers.D.astype(float)
        a = self.road.accelerations
        lacking = (numbers.M @ a - sum_forces(numbers)).astype(float)
        opened, known = np.isnan(printed), np.where(np.isnan(printed), 0.0, printed)
        made = D.T @ known
        if opened.any():  # rows that share a load take what is left along themselves
            left = lacking - made
            made = made + D[opened].T @ np.linalg.lstsq(D[opened].T, left, rcond=SOMETHING)[0]
        units = 1 / units_of(numbers.M.astype(float))
        size = max(size, float((numbers.sizes.astype(float) / units).max(initial=0.0)))
        stiffness = np.abs(self.road.found.slopes.K.astype(float)) / np.outer(units, units)
        size = max(size, float(stiffness.max(initial=0.0)))
        yield from self.array("reactions", made, lacking, units, size, (names,), AT_REST)

    @cached_property
    def shifted(self) -> tuple[Any, list[Any]]:
        """Return a random shift of the independent coordinates, and the changes of q, q', forces and D along it."""
        dz = self.direction(self.positions, self.position_units)
        return dz, self.road.differentiate_along(dict(zip(self.positions, dz, strict=True)))

    def by_differences(self) -> Iterator[Comparison]:
        """Compare reduced matrices of the witness with differences of its motions, for a tiny machine shorter ones."""
        for apart in (APART, APART + 3, APART + 6):
            found = list(self._compare_differences(apart))
            if all(c.verdict == "agrees" for c in found):
                break
        yield from found

    def _compare_differences(self, apart: int) -> Iterator[Comparison]:
        road, found, one = self.road, self.road.found.reduced, 1.0
        names, (dz, (q, v, force, _)) = road.made.names, self.shifted
        if apart != APART:
            q, v, force, _ = road.differentiate_along(dict(zip(self.positions, dz, strict=True)), apart)
        moved = -force if road.resting or road.open else -(found.M @ force[self.moving])
        yield from self._motion("K", found.K @ dz, moved, self.units, self.k, self.rates)
        yield from self._motion("shapes", found.shapes @ dz, q, one, one, names)
        if road.resting:
            return
        opening = road.at.closing.opening(road.accelerations)
        size = max((abs(float(road.found.values[f"{x}''"])) for x in names), default=0.0)
        yield from self._motion("rows", 0 * opening, opening, one, max(size, TRACE), ("rows",) * len(opening))
        yield from self._motion("turning", found.turning @ dz, v, one, one, names)
        dw = self.direction(self.rates, self.units)
        _, v, force, _ = road.differentiate_along({f"{x}'": d for x, d in zip(self.rates, dw, strict=True)}, apart)
        moved = -force if road.open else -(found.M @ force[self.moving])
        yield from self._motion("C", found.C @ dw, moved, self.units, self.c, self.rates)
        yield from self._motion("rates", found.rates @ dw, v, one, one, names)
        momenta = found.rates.T @ (road.found.numbers.M @ v)
        yield from self._motion("M", found.M @ dw, momenta, self.units, 0.0, self.rates)
        inputs = [u.symbol for u in road.made.inputs]
        if inputs:
            du = self.direction(inputs, np.ones(len(inputs)))
            force = road.differentiate_along(dict(zip(inputs, du, strict=True)), apart)[2]
            size = float(np.abs(found.rates.astype(float)).max(initial=0.0))
            made = force if road.open else found.M @ force[self.moving]
            yield from self._motion("B", found.B @ du, made, self.units, size, self.rates)

    def _motion(
        self, name: str, x: Any, y: Any, weights: Any, size: float, names: Sequence[str]
    ) -> Iterator[Comparison]:
        if x.size:
            said, weights = f"linear {name} along a motion", np.broadcast_to(weights, x.shape)
            a, b = (self.a, self.b) if self.road.probed else (self.b, DIFFERENCES)
            yield worst(a, b, said, x, y, weights, size, (names,), self.road.at.same, PRINTED)

    def stable(self) -> bool | str | None:
        """Return True if no mode grows, False if one does, ``zero`` if one has frequency zero, None within rounding.

        Energy decides if K is symmetric and nothing supplies energy; else eigenvalues, each with its error bound.
        """
        if not self.positions:
            return True
        if self.square:
            C, K = self.C / self.by_rates, self.K / self.by_positions
            twisted = float(np.abs(K - K.T).max(initial=0.0)) > NOTHING * self.k
            fed = float(np.linalg.eigvalsh((C + C.T) / 2).min()) < -NOTHING * self.c
            turning = float(np.abs(C - C.T).max(initial=0.0)) > NOTHING * self.c
            values = np.linalg.eigvalsh((K + K.T) / 2)
            least, largest = float(values.min()), float(np.abs(values).max())
            clear = (SURE if self.road.resting else SOMETHING) * max(largest, self.k)
            if not (twisted or fed):
                if least > clear:
                    return True
                if least < -clear and not turning:
                    return False
            in_digits = self.in_digits()
            if in_digits is not None:
                return in_digits
            if not (twisted or fed) and abs(least) <= NOTHING * largest and not turning:
                return "zero"
        values, errors = self.eigenvalues()
        clear = np.maximum(errors, SMALL * np.abs(values))
        if (values.real > clear).any():
            return False
        return True if (values.real < -clear).all() else None

    def in_digits(self) -> bool | None:
        """Judge by signs of pivots of K in 50 digits, and of printed eigenvalues that are right to nine digits."""
        found = self.road.found.reduced
        K, C = found.K, found.C + found.C.T
        values = [] if self.road.resting else [complex(*mode["eigenvalue"]) for mode in self.form["modes"]]
        if len(K) > MOST or not values or not all(values):
            return None
        fed = float(np.linalg.eigvalsh(C.astype(float) / self.by_rates).min()) < 0 if C.any() else False
        if not fed and np.abs(K - K.T).max() <= EXACTLY * np.abs(K).max():
            signs = signs_of_pivots((K + K.T) / 2)
            if signs and min(signs) > 0:
                return True
            if signs and min(signs) < 0 and np.abs(found.C - found.C.T).max() == 0:
                return False
        if any(self.correct(s)[0] > LINEAR_DIGITS for s in values):
            return None
        if any(s.real > SMALL * abs(s) for s in values):
            return False
        return True if all(s.real < -SMALL * abs(s) for s in values) else None

    def correct(self, s: complex, z: Any = None) -> tuple[float, Any]:
        """Return Newton's step, relative to s, to a zero of det(s² M + s C + K), in 50 digits.

        Return also the mode's shape after a step of inverse iteration from z, if z is given.
        """
        found = self.road.found.reduced
        convert, n = referee().arithmetic.convert, len(self.M)
        if s.real == 0 and not found.C.any():
            square = -convert(s.imag) * convert(s.imag)
            P, by, of = found.K + square * found.M, found.M, 2 * square
        else:
            at = convert(s.real) + convert(s.imag) * convert(0.0).context.j
            P, by, of = at * at * found.M + at * found.C + found.K, 2 * at * found.M + found.C, at
        shape = np.zeros((n, 0), dtype=object)
        if z is not None:
            j = convert(0.0).context.j
            moved = np.array([convert(x.real) + (convert(x.imag) * j if x.imag else 0) for x in z], dtype=object)
            shape = (by @ moved)[:, None]
        try:
            solved = solve_by_elimination(P, np.hstack([by, shape]))
        except ZeroDivisionError:  # it is one
            return 0.0, None
        trace = np.trace(solved[:, :n]) * of
        return float(1 / abs(trace)) if trace else float("inf"), None if z is None else solved[:, n]

    def eigenvalues(self) -> tuple[Any, Any]:
        """Return eigenvalues of x' = A x by the witness's own matrices, and their error bounds."""
        A = self.state_space()
        w = np.concatenate([self.position_units, self.units / max(self.k**0.5, self.c)])
        A = A * np.outer(w, 1 / w)
        values, right = np.linalg.eig(A)
        try:
            left = np.linalg.inv(right)
        except np.linalg.LinAlgError:
            return values, np.full(len(values), np.inf)
        with np.errstate(over="ignore"):  # of vectors that lie in one another the error has no bound
            errors = 1e3 * np.finfo(float).eps * np.linalg.norm(A) * np.linalg.norm(left, axis=1)
        return values, errors

    def state_space(self) -> Any:
        """Assemble A (d + p, d + p) of x = (z, w)."""
        above = np.hstack([self.road.floats("turning")[self.places], self.road.floats("rates")[self.places]])
        below = -np.linalg.solve(self.M, np.hstack([self.K, self.C])) if len(self.M) else np.zeros((0, 0))
        return np.vstack([above, below.reshape(len(self.rates), above.shape[1])])


#: Rounding of forces, as a part of the largest stiffness times the units of coordinates.
ROUNDED: Final = 100 * float(np.finfo(float).eps)


def equilibrium_printed(form: Mapping[str, Any], road: Road, start: Mapping[str, float] | None) -> Iterator[Comparison]:
    """Compare the numbers and words of an equilibrium, in the form of its JSON.

    Parameters
    ----------
    form, road
    start : positions from which it was searched, on the constraints; None if unknown
    """
    judge = _RestingJudge(form, road)
    yield from judge.asked(
        ("stiffness along a motion", judge.by_differences), ("stiffness", judge.stiffness),
        ("reactions", lambda: judge.multipliers(0.0)), ("moved", lambda: judge.compare_shifts(start)),
        ("made of", judge.made_of), ("position", judge.digits), ("stability", judge.stability),
    )  # fmt: skip


class _RestingJudge(PrintedJudge):
    """Comparisons of an equilibrium."""

    def by_differences(self) -> Iterator[Comparison]:
        """Compare as for motions; differences across a kink of the forces are no derivatives."""
        if kinked := self.find_kinked(curved=True):
            yield self.note("stiffness along a motion", f"the forces along {format_names(kinked)} have a kink")
        else:
            yield from super().by_differences()

    def find_kinked(self, curved: bool = False) -> list[str]:
        """Return the coordinates along which the other formalism's forces have a kink of positions."""
        values = {name: float(x) for name, x in self.road.found.values.items()}
        return find_kinks_of_rest(self.road.made, values, curved)[1]

    def stiffness(self) -> Iterator[Comparison]:
        """Compare K, along the printed independent coordinates."""
        yield self.word("independent", self.form["independent"], self.positions)
        axes = (self.rates, self.positions)
        yield from self.array("stiffness", self.form["stiffness"], self.K, self.by_positions, self.k, axes)

    def made_of(self) -> Iterator[Comparison]:
        """Compare the scales of residual forces: forces, reactions by the printed rows, stiffness."""
        form, own, scale = self.form, self.road.own, np.asarray(self.road.scale)
        if own is None:
            yield self.note("made of", f"the rows of {self.a} are not known to another formalism")
            return
        shared = np.isnan([np.nan if x is None else x for x in form["multipliers"].values()])
        D = np.abs(own.numbers.D.astype(float))
        if (D[shared] > SURE * D.max(initial=0.0)).any():  # rows that vanish have no part in it
            yield self.note("made of", "stiffnesses of reactions that rows share are not determined")
            yield from self.array("forces left", [form["left"]], np.array([0.0]), 1.0, 1.0, (), AT_REST)
            return
        reactions = np.abs((own.numbers.D * own.multipliers[:, None]).astype(float)).sum(axis=0)
        sizes = (self.road.found.numbers.sizes.astype(float) + reactions) * scale
        K = np.abs(own.slopes.K.astype(float)) * np.outer(scale, scale)
        made_of = max(float(sizes.max(initial=0.0)), float(K.max(initial=0.0)))
        yield from self.array("made of", [form["made_of"]], np.array([made_of]))
        yield from self.array("forces left", [form["left"]], np.array([0.0]), 1.0, 1.0, (), AT_REST)

    def digits(self) -> Iterator[Comparison]:
        """Compare the positions with those after a step of Newton's method; note if rounding leaves them fewer."""
        K = self.K / self.by_positions
        if not (self.square and K.size):
            return
        force = (self.road.found.reduced.rates.T @ self.road.found.numbers.force).astype(float) / self.units
        step = np.abs(np.linalg.lstsq(K, force, SURE)[0]) / self.position_units
        sizes = np.abs([self.form["state"]["q"][x] for x in self.positions])
        part = step / np.maximum(sizes, self.position_units.min() / self.position_units)
        least = float(np.linalg.svd(K, compute_uv=False).min())
        rounding = ROUNDED * self.k / least if least > 0 else 1.0
        yield from self.array("position", part, 0 * part, 1.0, 1.0, (self.positions,), max(TWELVE, min(rounding, 1.0)))
        if float(part.max()) > TWELVE:
            yield self.note("position", f"rounding leaves {part.max():.1g} of them open")

    def compare_shifts(self, start: Mapping[str, float] | None) -> Iterator[Comparison]:
        """Compare how far each coordinate is from the start."""
        if start is None:
            yield self.note("moved", "the start is not known")
            return
        names = list(self.road.made.names)
        shift = np.array([self.form["state"]["q"][x] - start[x] for x in names])
        yield from self.array("moved", [self.form["moved"][x] for x in names], shift, 1.0, 1.0, (names,))

    def stability(self) -> Iterator[Comparison]:
        """Check the word, and the number of unstable directions."""
        word, own = self.form["stability"], self.stable() if self.square else None
        if own is None or word == "not judged":
            reason = "rounding decides" if own is None else "the position is singular"
            if kinked := self.find_kinked():
                reason = f"the forces along {format_names(kinked)} have a kink"
            reason = reason if self.square else "rows restrict rates alone"
            yield self.note("stability", f"not judged by {self.b}: {reason}")
            return
        seen = {True: "stable", False: "unstable", "zero": "indifferent"}[own]
        if (word, seen) == ("undecided", "stable"):
            yield self.note("stability", f"stable in the linear equations by {self.b}, which do not decide")
        else:
            yield self.word("stability", word, seen)
        if word == "unstable":
            K = self.K / self.by_positions
            values = np.linalg.eigvalsh((K + K.T) / 2)
            clear = SURE * max(float(np.abs(values).max()), self.k)
            least, most = int((values < -clear).sum()), int((values < clear).sum())
            found = len(self.form["unstable"])
            yield self.word("unstable directions", found, min(max(found, least), most))
        known: Collection[str] = self.road.made.names
        for kind in ("unstable", "indifferent"):
            strange = [x for names in self.form[kind] for x in names if x not in known]
            if strange:
                yield self.word(f"{kind} coordinates", strange, "coordinates of the model")
