"""Faults that a check has to notice; its tests ask ``mbconcord.testing.try_faults`` for each."""

from __future__ import annotations

from mbconcord.testing import Fault

PLACES, HEIGHT = "mbconcord_sample.places", "mbconcord_sample.height"

FAULTS = (
    Fault(
        "gravity pushes upwards", HEIGHT, "Height.forces", "(-slope for slope in slopes)", "(slope for slope in slopes)"
    ),
    Fault("weight at the body's origin", PLACES, "mass_centre", "apply(turn, body.inertia.centre)", "STILL[1]"),
    Fault(
        "turns the other way",
        PLACES,
        "rotation",
        "(c if i == k else ZERO) + s * skew[i][k]",
        "(c if i == k else ZERO) - s * skew[i][k]",
    ),
)
