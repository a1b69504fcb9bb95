"""The errata of Sargsyan, Stepanyan & Gevorgyan: what is meant gives the vectors, what is printed does not."""

from __future__ import annotations

import pytest

from .errata_sargsyan import CASES, ERRATA, Erratum, deviations, section


@pytest.mark.parametrize("case", CASES)
def test_what_is_meant_gives_the_vectors(case: str) -> None:
    assert max(deviations(None, case).values()) < 1e-11


@pytest.mark.parametrize("row", ERRATA, ids=lambda row: row.literal.title)
def test_what_is_printed_does_not(row: Erratum) -> None:
    assert min(deviations(row, "c").values()) > 0.1


def test_a_joint_on_its_node_does_not_tell_r_from_y() -> None:
    """So a test without an offset joint would not have shown the erratum."""
    rotation_alone = next(row for row in ERRATA if "ᵇR_j" in row.printed)
    assert max(deviations(rotation_alone, "d1").values()) < 1e-11


@pytest.mark.slow
def test_every_erratum_stands_in_the_section() -> None:
    assert all(row.printed in section() and row.why in section() for row in ERRATA)
