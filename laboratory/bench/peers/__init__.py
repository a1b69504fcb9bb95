"""Machine code of equations and of other programs in one run: Pinocchio in C++, MuJoCo in C, CasADi's C.

Times are of the processor, on one core, medians of rounds in which all take turns; ratios are medians of the ratios of
a round. A program is measured once its numbers agree; programs that are not installed are listed. Batches have 10,000
states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mbconcord.kernels.registry import choose_backend

from ..row import BenchmarkRow
from .results import MOTION, PeerTiming, measure

#: (model, quantity) -> how many times as fast as Pinocchio, from columns, from rows.
LIMITS: Final[Mapping[tuple[str, str], tuple[float, float]]] = {
    ("UR5", "inverse_dynamics"): (60, 50), ("UR5", "acceleration"): (58, 54), ("UR5", "M"): (28, 20),
    ("UR5", MOTION): (20, 18),
    ("Talos", "inverse_dynamics"): (28, 28), ("Talos", "acceleration"): (30, 30), ("Talos", "M"): (4, 4),
    ("chain of 30", "inverse_dynamics"): (25, 25), ("chain of 100", "inverse_dynamics"): (17, 17),
}  # fmt: skip


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    choose_backend("llvm")  # refuses where it is not installed
    results = measure()
    for measured in (*results.batches, *results.chains):
        yield from rows_of(measured)


def rows_of(measured: PeerTiming) -> Iterator[BenchmarkRow]:
    """Report one quantity: our times, and the ratio to each other program."""
    what = f"{measured.model}: {measured.quantity}"
    limits = LIMITS.get((measured.model, measured.quantity), (None, None))
    for i, layout in enumerate(("columns", "rows")):
        yield BenchmarkRow(f"{what}, {layout}", measured.columns if layout == "columns" else measured.rows, "ns/state")
        for name, other in measured.others.items():
            if other.faster is None or other.time is None:
                if not i:
                    yield BenchmarkRow(f"{what}: {name}", float("nan"), "", note=other.note)
                continue
            limit = limits[i] if name.startswith("Pinocchio") else None
            note = f"{other.time:,.0f} ns/state{f', {other.note}' if other.note else ''}"
            yield BenchmarkRow(f"{what}, {layout}: faster than {name}", other.faster[i], "times", limit, False, note)
