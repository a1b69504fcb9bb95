"""Deep chains: time and memory of whole checks, growth of the equations; models of 10,000 bodies link by link.

Chains turn about x, y, z in turn, with full tensors; trees branch in two. Times are of the processor, the least of
several runs where there are several.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from mbconcord.converters.registry import write
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.kernels.links.function import LinkFunction
from mbconcord.kernels.links.loop import Layout
from mbconcord.kernels.registry import choose_backend
from mbconcord.model.body import tensor
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import count_operations
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.judge.witness import Question
from mbconcord.validation.witnesses.links.exact import LinkOutputs
from mbconcord.validation.witnesses.links.link_by_link import add_proofs, answer_of, check_links, comparisons

from .newton_euler import CHAIN, chain
from .row import BenchmarkRow, least

#: Seconds of the processor and megabytes that a check of so many bodies may take.
LIMITS = {30: (5.0, 250.0), 100: (10.0, 500.0)}
#: Operations of 40 bodies over those of 20.
MOST = {"M": 4.1, "h": 2.25}


def rows() -> Iterator[BenchmarkRow]:
    """Measure checks by all formalisms in separate processes; operations of M and h; then link by link."""
    for bodies, (most, memory) in LIMITS.items():
        spent, needed = measure_check(bodies)
        title = f"mbconcord check of a chain of {bodies} bodies"
        yield BenchmarkRow(f"{title}: processor time", spent, "s", most, note=CHAIN)
        yield BenchmarkRow(f"{title}: memory", needed, "MB", memory)
    for name in BUILT_IN:
        short, long = (formalism(name).derive(chain(n)).quantities for n in (20, 40))
        for quantity, limit in MOST.items():
            if quantity in short:
                many, few = (count_operations(flatten(made[quantity])).total for made in (long, short))
                yield BenchmarkRow(f"{name}: operations of {quantity} of 40 bodies over 20", many / few, "", limit)
    yield from link_by_link()


def measure_check(bodies: int) -> tuple[float, float]:
    """Measure processor seconds and largest memory (MB) of the program that checks a chain."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"chain{bodies}.json"
        file.write_text(write(chain(bodies), "native").text, encoding="utf-8")
        command = [sys.executable, "-m", "mbconcord", "check", str(file)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return used.ru_utime + used.ru_stime, used.ru_maxrss / unit


FORMALISMS = ("newton_euler", "telegin")
BODIES = 10_000
#: States of a batch.
BATCH = 64


def link_by_link() -> Iterator[BenchmarkRow]:
    """Yield the rows of recursions over the links."""
    choose_backend("llvm")  # refuses where it is not installed
    models = {"chain": chain(BODIES), "tree": tree(BODIES)}
    for shape, system in models.items():
        for name in FORMALISMS:
            yield from _times(shape, system, name)
    yield from _memory()
    for shape, system in models.items():
        yield from _measure_check(shape, system)
    yield _fault(models["tree"], 100)
    yield _fault(models["chain"], 9_900)
    yield _fault(models["chain"], 5_000)  # hidden by the bounds of floats: prime fields tell


def tree(n: int) -> System:
    """Arrange the bodies of a chain as a tree, two on each."""
    found = chain(n)
    bodies = (replace(b, parent=f"b{(i - 1) // 2}") for i, b in enumerate(found.bodies[1:], 1))
    return replace(found, name="tree", bodies=(found.bodies[0], *bodies))


def _times(shape: str, system: System, name: str) -> Iterator[BenchmarkRow]:
    n = len(system.bodies)
    title = f"{name}, {shape} of {n:,} bodies"
    function = LinkFunction(system, formalism(name).recursion(system), "llvm")
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, BATCH, n))
    t = np.zeros(BATCH)
    mine = name == "newton_euler"
    one = least(lambda: function(q[:1], v[:1], a[:1], t[:1], {}), 20)
    yield BenchmarkRow(f"{title}: one state", one * 1e3, "ms", 1.0 if mine else None)
    many = least(lambda: function(q, v, a, t, {}), 5) / BATCH
    note = f"{many / n * 1e9:.1f} ns a body"
    yield BenchmarkRow(f"{title}: a state of {BATCH}", many * 1e3, "ms", 0.2 if mine else None, note=note)


def _memory() -> Iterator[BenchmarkRow]:
    """Measure the memory that a function holds and needs during a call, by bodies."""
    found = {}
    for n in (1_000, 3_000, BODIES):
        system = chain(n)
        tracemalloc.start()
        function = LinkFunction(system, formalism("newton_euler").recursion(system), "llvm")
        q, v, a = np.zeros((3, 8, n))
        function(q, v, a, np.zeros(8), {})
        found[n] = tracemalloc.get_traced_memory()[1] / n
        tracemalloc.stop()
    worst = max(found.values()) / min(found.values())
    note = ", ".join(f"{n:,} bodies: {size / 1e3:.1f} kB a body" for n, size in found.items())
    yield BenchmarkRow("memory a body, most over least", worst, "times", 1.25, note=note)


def _measure_check(shape: str, system: System) -> Iterator[BenchmarkRow]:
    begin = time.process_time()
    evidence = check_links(system, "-", [formalism(name) for name in FORMALISMS], 2)
    spent = time.process_time() - begin
    title = f"check of a {shape} of {len(system.bodies):,} bodies"
    yield BenchmarkRow(f"{title}: two states", spent, "s", 20.0, note=evidence.headline)
    kinds = {c.exact.kind for c in evidence.comparisons if c.exact}
    note = "; ".join(dict.fromkeys(str(c.exact) for c in evidence.comparisons if c.exact))
    yield BenchmarkRow(f"{title}: proved identical", float(kinds == {"identical"}), "yes", 1.0, False, note)
    noticed = max(c.noticeable or 1.0 for c in evidence.comparisons)
    yield BenchmarkRow(f"{title}: change noticed in half of the entries", noticed, "relative", 1e-5)


def _fault(system: System, place: int) -> BenchmarkRow:
    """Measure the effect of a product of inertia with the wrong sign, in one of the two formalisms."""
    body = system.bodies[place]
    six = [*body.inertia.tensor]
    six[4] = -six[4]
    wrong = replace(body, inertia=replace(body.inertia, tensor=tensor(six)))
    faulty = replace(system, bodies=(*system.bodies[:place], wrong, *system.bodies[place + 1 :]))
    names, dice = system.coordinate_names, np.random.default_rng(0)
    groups = [dict(zip(names, x, strict=True)) for x in dice.uniform(-1, 1, (3, len(names))).tolist()]
    states = (State(0.0, *groups),)
    models = dict(zip(FORMALISMS, (system, faulty), strict=True))
    layouts = {name: Layout(formalism(name).recursion(each)) for name, each in models.items()}
    answers = {name: answer_of(name, layouts[name], each, states) for name, each in models.items()}
    found = add_proofs(comparisons(Question(system, states), answers), LinkOutputs(system, layouts, 0), "on")
    wrongs = [c for c in found if c.verdict == "disagrees"]
    named = any(f"(body {body.name})" in c.explanation for c in wrongs)
    title = f"{system.name} of {len(system.bodies):,}: wrong sign of a product of inertia of body {place:,}"
    note = "; ".join(f"{c.quantity}: {c.explanation}" for c in wrongs)
    return BenchmarkRow(f"{title}, found and named", float(named), "yes", 1.0, False, note)
