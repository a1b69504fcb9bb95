"""Reading and writing cost what the model has: 32 times the bodies, some 32 times the time of the processor.

``python -m laboratory.bench reading`` has the time itself.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from laboratory.bench.reading import chain
from mbconcord.converters import registry
from mbconcord.model.numbers import parameter_values
from mbconcord.model.system import System

#: Quadratic cost is 1024 times as much; what the program does once makes less of it, what else runs more.
FEW, MANY, MOST, TRIES = 30, 960, 64.0, 5


@dataclass(frozen=True)
class Work:
    """What is done with something made beforehand for so many bodies."""

    made: Callable[[int], Any]
    done: Callable[[Any], object]

    def seconds(self, bodies: int) -> float:
        """Time of the processor, without the rubbish of what was before."""
        given = self.made(bodies)
        gc.collect()
        began = time.process_time()
        self.done(given)
        return time.process_time() - began


def reading(format: str, made: Callable[[int], str]) -> Work:
    return Work(made, lambda text: registry.read_text(text, "-", format))


def writing(format: str, made: Callable[[int], System]) -> Work:
    return Work(made, lambda system: registry.write(system, format))


def written(format: str) -> Callable[[int], str]:
    return lambda n: registry.write(chain(n), format).text


@cache
def repeated(n: int) -> System:
    """A chain whose masses and moments are parameters without values."""
    return registry.read_text(f"(z i >)^{n - 1} z i g", "-", "mbsd").system


def beside(n: int) -> System:
    """The same in chains of a hundred bodies: an MJCF has a body within that which carries it."""
    chain = repeated(n)
    return replace(
        chain, bodies=tuple(replace(b, parent=None) if i % 100 == 0 else b for i, b in enumerate(chain.bodies))
    )


def definitions(n: int) -> str:
    """Parameters and functions that each need the next, and a body for each."""
    body = {"parent": None, "joint": [{"translation": "x", "prescribed": "f0(t)"}], "inertia": {"mass": "p0"}}
    parts = {
        "bodies": [{"name": f"b{i}"} | body for i in range(n)],
        "parameters": [{"name": f"p{i}", "value": f"p{i + 1} + 1" if i < n else 1} for i in range(n + 1)],
        "functions": [
            {"name": f"f{i}", "arguments": ["t"], "formula": f"f{i + 1}(t) + 1" if i < n else "t"} for i in range(n + 1)
        ],
    }
    return json.dumps({"format": "mbconcord", "version": 1, "name": "m"} | parts)


@cache
def defined(n: int) -> System:
    return registry.read_text(definitions(n), "-", "native").system


def variables(n: int) -> str:
    """Variables of Universal Mechanism that each use the one before, left out of the model like the images."""
    blocks = [f'with var{i};\n  name="v{i}"; expression=1;\n' for i in range(n)]
    blocks += [f'with go{i};\n  name="g{i}";\n with ge1;\n  type=v{i};\n' for i in range(n)]
    return 'with main;\n objectidentifier="m";\n' + "".join(blocks) + "with end;\n"


WORKS = {
    "read native": reading("native", written("native")),
    "read mbsd": reading("mbsd", lambda n: "zi" + ">zi" * (n - 1) + "g"),
    "read a repetition": reading("mbsd", lambda n: f"(z i >)^{n - 1} z i g"),
    "read tp": reading("tp", written("tp")),
    "read um": reading("um", lambda n: registry.write(repeated(n), "um").text),
    "read um, variables": reading("um", variables),
    "read urdf": reading("urdf", written("urdf")),
    "read mjcf": reading("mjcf", lambda n: registry.write(chain(n, 80), "mjcf").text),
    "read sdf": reading("sdf", written("sdf")),
    "read definitions": reading("native", definitions),
    "values of definitions": Work(defined, parameter_values),
    **{
        f"write {name}": writing(name, beside if name == "mjcf" else repeated)
        for name in registry.BUILT_IN
        if registry.format_named(name).write is not None
    },
    "write definitions": writing("um", defined),
}
#: These are tried by ``make test-fast`` too: one that reads, one that writes.
QUICK = ("read a repetition", "write mbsd")


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "work",
    [pytest.param(work, id=name, marks=[] if name in QUICK else pytest.mark.slow) for name, work in WORKS.items()],
)
def test_cost_grows_with_the_bodies(work: Work) -> None:
    """The least ratio of a few counts: other processes make it larger, never smaller for long."""
    work.seconds(3)  # grammars are loaded
    ratios: list[float] = []
    while not ratios or (ratios[-1] >= MOST and len(ratios) < TRIES):
        ratios.append(work.seconds(MANY) / work.seconds(FEW))
    assert min(ratios) < MOST
