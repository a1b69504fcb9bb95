"""Printed numbers of equilibria, put back into the equations of another formalism."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import numpy as np

from ...judge.evidence import Comparison
from ...judge.tolerances import AT_REST
from ...witnesses.screen import TWELVE
from .judged import SURE, PrintedJudge
from .road import Road

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
        part = step / np.maximum(sizes, 1 / self.position_units)
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
