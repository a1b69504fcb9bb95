"""The cut joints of a list: reactions F_r and their moments, and the closure of the loops."""

from __future__ import annotations

from functools import cached_property

from mbconcord.model.derivation import Nested
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.notation.balance import Balance, products

from ..closed.loops import Loops
from ..plane import scalars
from .given import Given
from .lines import Lines
from .named import NamedLinkage
from .terms import Shape, Term


class Closures:
    """C ε + C' ω = 0, and C^T F_r on the right side of the equations.

    Where the right side is M_k, summed over what k carries, the moments are summed too: C S^{-T} of the coordinates.
    """

    def __init__(self, p: NamedLinkage, given: Given, lines: Lines, shape: Shape) -> None:
        self.p, self.given, self.lines, self.shape = p, given, lines, shape
        loops = Loops(p, given.cuts)
        self.rows = loops.names
        links = p.topology.links
        self.C: list[dict[int, Expression]] = []
        self.drift: list[Expression] = []
        self.F: list[Expression] = []
        self.unknowns: dict[str, str] = {}
        for r, row in enumerate(loops.jacobian, 1):
            named = zip(links, row, strict=True)
            self.C.append({k: lines.give("loops", f"C_{r}_{k}", x) for k, x in named})
        for r, name in enumerate(loops.names, 1):
            self.drift.append(lines.give("loops", f"dC_{r}", loops.drift[r - 1]))
            force = lines.unknown(f"F_r{(r + 1) // 2}_{'xy'[(r - 1) % 2]}")
            self.F.append(force)
            self.unknowns[str(force)] = f"reaction F_r of {name}, on the first body of the constraint (N)"

    @cached_property
    def summed(self) -> list[dict[int, Expression]]:
        """C S^{-T}: moments about joint k of what k carries, by name where the equations have them."""
        t = self.p.topology
        return [
            {k: self.lines.give("loops", f"CS_{r}_{k}", scalars(row[i] for i in t.sub[k])) for k in t.links}
            for r, row in enumerate(self.C, 1)
        ]

    def moments(self, k: int) -> list[Term]:
        """Moments of the reactions in equation k."""
        rows = self.C if self.shape.difference else self.summed
        return [(row[k], force) for row, force in zip(rows, self.F, strict=True)]

    @property
    def balances(self) -> tuple[Balance, ...]:
        """The closure of every row, differentiated twice."""
        motion = self.p.motion
        rows, variables = (
            (self.summed, motion.acceleration) if self.shape.relative else (self.C, motion.epsilon)
        )
        return tuple(
            Balance(name, products(*((row[k], variables[k]) for k in row), (drift,)), ())
            for name, row, drift in zip(self.rows, rows, self.drift, strict=True)
        )

    @property
    def native(self) -> dict[str, Nested]:
        """D and γ̃ in the coordinates of the model; empty without cuts."""
        if not self.rows:
            return {}
        number = {name: k for k, name in enumerate(self.given.coordinates, 1)}
        t, sense = self.p.topology, self.given.sense
        D = tuple(
            tuple(
                sense[name] * scalars(row.get(i, ZERO) for i in t.sub[number[name]])
                for name in self.given.system.coordinate_names
            )
            for row in self.C
        )
        return {"D": tuple(tuple(map(self.lines.over_names, row)) for row in D), "γ̃": tuple(self.drift)}
