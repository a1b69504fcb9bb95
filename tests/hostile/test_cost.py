"""Reading costs what the model has: four times the bodies, some four times the time. ``make bench`` has the time."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable

import pytest

from mbconcord.converters import registry

#: Quadratic cost is sixteen times as much; what the program does once makes less of it.
FEW, MANY, MOST = 300, 1_200, 9.0


def native(n: int) -> str:
    bodies = [
        {
            "name": f"b{i}",
            "parent": f"b{i - 1}" if i else None,
            "joint": [{"rotation": "z", "coordinate": f"z{i}"}, {"translation": "x", "constant": 1}],
            "inertia": {"mass": 1, "tensor": [1, 1, 1]},
        }
        for i in range(n)
    ]
    return json.dumps(
        {
            "format": "mbconcord", "version": 1, "name": "m",
            "coordinates": [{"name": f"z{i}"} for i in range(n)], "bodies": bodies,
            "gravity": {"value": 9.81, "direction": "-y"},
        }
    )  # fmt: skip


def repeated(n: int) -> str:
    return f"(z i >)^{n - 1} z i g"


def written(format: str) -> Callable[[int], str]:
    return lambda n: registry.write(registry.read_text(native(n), "-", "native").system, format).text


TEXTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "native": ("native", native),
    "mbsd": ("mbsd", lambda n: "zi" + ">zi" * (n - 1) + "g"),
    "repeated": ("mbsd", repeated),
    "tp": ("tp", written("tp")),
    "um": ("um", written("um")),
    "um, identifiers": (
        "um",
        lambda n: registry.write(registry.read_text(repeated(n), "-").system, "um").text,
    ),
}


def seconds(format: str, text: str) -> float:
    """Time of the processor for one reading, the better of two, without the rubbish of what was before."""
    found = []
    for _ in range(2):
        gc.collect()
        began = time.process_time()
        registry.read_text(text, "-", format)
        found.append(time.process_time() - began)
    return min(found)


@pytest.mark.parametrize(("format", "text"), TEXTS.values(), ids=TEXTS)
def test_cost_grows_with_the_bodies(format: str, text: Callable[[int], str]) -> None:
    registry.read_text(text(3), "-", format)
    few, many = seconds(format, text(FEW)), seconds(format, text(MANY))
    assert many < MOST * few
