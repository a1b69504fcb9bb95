"""Sensitivity of a check to changes of M, h and gravity, over all models of the catalog of fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.validation.check import check
from mbconcord.validation.many.expectations import read_catalog

from .row import BenchmarkRow

QUANTITIES = ("M", "h", "gravity")


def rows() -> Iterator[BenchmarkRow]:
    """Measure for every quantity the median over the models in which it is nonzero."""
    from_on: dict[str, list[float]] = {quantity: [] for quantity in QUANTITIES}
    for expected in read_catalog(str(folder() / "catalog.toml")).expectations.values():
        if expected.witnesses:
            for quantity, change in measure_sensitivity(expected.file).items():
                from_on[quantity].append(change)
    for quantity, changes in from_on.items():
        note = f"median over {len(changes)} fixtures, the largest {max(changes):.1e}"
        yield BenchmarkRow(
            f"a check notices a relative change of {quantity} from", median(changes), "", 1e-12, note=note
        )


def measure_sensitivity(file: str) -> dict[str, float]:
    """Measure the smallest relative change of an entry with a disagreement, as the median over the entries."""
    evidence = check(read(folder() / file).system, file, claims=())
    found: dict[str, float] = {}
    for c in evidence.comparisons:
        if c.quantity in QUANTITIES and c.noticeable is not None:
            found[c.quantity] = max(found.get(c.quantity, 0.0), c.noticeable)
    return found
