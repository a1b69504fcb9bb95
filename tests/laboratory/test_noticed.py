"""From which change on a check notices: what the benchmark measures over all fixtures, here of three."""

from __future__ import annotations

import pytest

from laboratory.bench import agreement

#: A model, its quantities that are not zero, and the largest change that is not noticed.
MODELS = [
    ("mbsd/zig.mbsd", {"M", "gravity"}, 1e-14),
    ("native/bead_on_tilted_rod.mbs.json", {"M", "h", "gravity"}, 1e-11),
    ("konoplev/gyrostat.mbs.json", {"M", "h"}, 1e-11),
]


@pytest.mark.parametrize(("file", "quantities", "most"), MODELS)
def test_changes_are_noticed_from(file: str, quantities: set[str], most: float) -> None:
    found = agreement.measure_sensitivity(file)
    assert found.keys() == quantities and 1e-16 < min(found.values()) <= max(found.values()) <= most


def test_the_rows_are_medians_over_the_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = iter(range(1, 1000))
    monkeypatch.setattr(agreement, "measure_sensitivity", lambda file: {"M": next(changes) * 1e-13, "h": 2e-12})
    monkeypatch.setattr(agreement, "CHANGED", ("M", "h"))
    mass, rest = agreement.sensitivity()
    count = next(changes) - 1
    assert count > 60 and mass.measured == pytest.approx((count + 1) / 2 * 1e-13) and not rest.is_met
    assert rest.limit == 1e-12 and f"over {count} fixtures" in rest.note
