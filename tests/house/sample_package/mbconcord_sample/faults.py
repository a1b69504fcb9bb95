"""Faults that a check has to notice."""

from __future__ import annotations

from mbconcord.validation.faults.injection import Fault

PLACES, HEIGHT = "mbconcord_sample.places", "mbconcord_sample.height"

FAULTS = (
    Fault("gravity pushes upwards", HEIGHT, "tuple(-slope for", "tuple(slope for"),
    Fault("weight at the body's origin", PLACES, "apply(turn, body.inertia.centre)", "STILL[1]"),
    Fault("turns the other way", PLACES, "+ s * skew[i][k]", "- s * skew[i][k]"),
)
