"""1,000 random models through an input.dat of Universal Mechanism and back: equal, and of the same dynamics."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from mbconcord.converters import registry
from mbconcord.validation.strategies.trees import random_system

from .row import BenchmarkRow
from .um_image import apart, furthest, um_image

MODELS = 1000
MOST_BODIES = 10
STATES = 2
#: As :func:`laboratory.bench.um_image.furthest` measures it.
LIMIT = 1e-13


def rows() -> Iterator[BenchmarkRow]:
    """Count failed round trips, changed texts, the worst discrepancy of dynamics, and time."""
    different = unstable = 0
    worst, where, seconds = 0.0, 0, 0.0
    for seed in range(MODELS):
        model = um_image(random_system(seed, 1 + seed % MOST_BODIES))
        start = time.perf_counter()
        text = registry.write(model, "um").text
        again = registry.read_text(text, "input.dat", "um").system
        seconds += time.perf_counter() - start
        different += any(apart(again, replace(model, name=again.name)))
        unstable += registry.write(again, "um").text != text
        discrepancy = furthest(model, again, STATES, seed)
        if discrepancy > worst:
            worst, where = discrepancy, seed
    of = f"of {MODELS}"
    yield BenchmarkRow("random models that do not come back from input.dat", different, "", 0, note=of)
    yield BenchmarkRow(
        f"dynamics: worst discrepancy over {MODELS} models", worst, "relative", LIMIT, note=f"seed {where}"
    )
    yield BenchmarkRow("texts that change when read and written again", unstable, "", 0, note=of)
    yield BenchmarkRow("time to write and read a model", 1000 * seconds / MODELS, "ms", note="mean")
