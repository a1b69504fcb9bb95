"""Random faults of what every formalism is built on: does ``check`` notice them? Run from a checkout, it is no test.

    python -m tests.validation.mutants [--seed N] [--count N] [--all]

Of every small change that can be made to the modules of :data:`MODULES` (:mod:`mbconcord.validation.faults.mutants`)
a drawn sample is tried, until so many have changed a number of some fixture. A child process imports the changed
source and checks the fixtures of :data:`FIXTURES` one after another until a check disagrees in a number. What no check
notices the tests have to: the exit code is 1 where they do not, or where checks notice less than nine of ten.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mbconcord.validation.faults.mutants import MECHANICS, Mutant, mutants
from mbconcord.validation.faults.processes import Answer, Change, Children, source_file

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    "model.force", "model.system", "model.transformation", "model.inertia", "model.expressions.arithmetic",
)  # fmt: skip
#: Small models, in an order in which most mutants fall early.
FIXTURES = (
    "konoplev/gyrostat.mbs.json", "um/suspension/input.dat", "mbsd/springs.mbsd", "konoplev/mechanism_offset.mbsd",
    "mbsd/patu655.mbsd", "um/gripper/input.dat", "mbsd/moving_support.mbsd", "um/two_bodies/input.dat",
    "um/four_bar/input.dat", "mbsd/particle.mbsd", "um/back_to_base/input.dat", "um/reference_model.mbs.json",
    "native/bead_on_tilted_rod.mbs.json", "native/pushed_gimbal.mbs.json",
)  # fmt: skip
#: Where a mutant that no check notices falls, the likeliest first.
TESTS = (
    "tests/model",
    "tests/validation/test_direct.py",
    "tests/readers",
    "tests/expressions/test_expressions_evaluate.py",
)
SEED, COUNT, STATES = 7, 100, 2
#: A change of a number, relative to the largest of its kind.
CHANGED = 1e-9
ENOUGH = 0.9

NOTICING = "mbconcord.validation.faults.noticing:"
Numbers = Mapping[str, Mapping[str, Sequence[float]]]


def numbers(children: Children, change: Change | None) -> Answer:
    """What check says of the fixtures, with all numbers of those of which it says nothing."""
    return children.run(change, NOTICING + "noticed", FIXTURES, STATES, True)


def lines_reached(children: Children) -> dict[Path, set[int]]:
    """The lines of the modules that are run while the fixtures are checked."""
    files = [str(source_file(f"mbconcord.{name}")) for name in MODULES]
    found = children.run(None, NOTICING + "reached", FIXTURES, STATES, files).value
    return {Path(file): set(lines) for file, lines in found.items()}


def changed(said: Sequence[Mapping[str, Any]], honest: Numbers) -> list[str]:
    """The fixtures of which a number is another; a number that is missing is none."""
    return [
        one["model"]
        for one in said
        if any(
            name in one["numbers"] and _differ(one["numbers"][name], values)
            for name, values in honest[one["model"]].items()
        )
    ]


def _differ(values: Sequence[float], others: Sequence[float]) -> bool:
    a, b = np.array(values, dtype=float), np.array(others, dtype=float)
    if a.shape != b.shape:
        return True
    known = np.isfinite(a) & np.isfinite(b)
    size = np.max(np.abs(b[known]), initial=0.0)
    return bool((np.abs(a - b)[known] > CHANGED * size).any())


def ending(children: Children, mutant: Mutant, honest: Numbers) -> tuple[str, str]:
    """How a mutant that is run ends, and a word more: ``noticed``, ``missed``, ``the same`` or ``no numbers``."""
    answer = numbers(children, Change(mutant.module, mutant.source))
    if answer.failure:
        return "no numbers", answer.failure
    last = answer.value[-1]
    if last["found"]:
        most = last["found"][0]
        return "noticed", f"{most['claim']}, {most['quantity']}, {last['model']}, {most['discrepancy']:.1e}"
    others = changed(answer.value, honest)
    if others:
        return "missed", ", ".join(others)
    crashes = [said["crash"] for said in answer.value if said["crash"]]
    return ("no numbers", crashes[0]) if len(crashes) == len(FIXTURES) else ("the same", "".join(crashes[:1]))


def by_tests(children: Children, mutant: Mutant) -> str:
    """The first of the tests that notice a mutant; empty when none does."""
    change = Change(mutant.module, mutant.source)
    for path in TESTS:
        answer = children.run(change, "pytest:main", ["-x", "-q", "-p", "no:cacheprovider", str(ROOT / path)])
        if answer.failure or answer.value:
            return path
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.validation.mutants")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT, help="how many that change a number")
    parser.add_argument("--all", action="store_true", help="show those that are noticed too")
    given = parser.parse_args(arguments)
    possible = [
        m
        for name in MODULES
        for m in mutants(f"mbconcord.{name}", source_file(f"mbconcord.{name}"), MECHANICS)
    ]
    random.Random(given.seed).shuffle(possible)
    print(f"{len(possible)} changes can be made", flush=True)
    total, silent = Counter[str](), []
    with Children() as children:
        reached = lines_reached(children)
        honest = {said["model"]: said["numbers"] for said in numbers(children, None).value}
        for mutant in possible:
            if total["noticed"] + total["missed"] == given.count:
                break
            if mutant.lines and not mutant.lines & reached[mutant.path]:
                total["never run"] += 1
                continue
            how, more = ending(children, mutant, honest)
            total[how] += 1
            if how == "missed":
                test = by_tests(children, mutant)
                silent += [] if test else [mutant]
                more = f"{test or 'NO TEST'}; changes {more}"
            if given.all or how == "missed":
                print(f"  {how}: {mutant} ({more})", flush=True)
    print(", ".join(f"{count} {how}" for how, count in sorted(total.items())))
    share = total["noticed"] / max(1, total["noticed"] + total["missed"])
    print(
        f"{share:.0%} of those that change a number are noticed by check, {len(silent)} neither by it nor by tests"
    )
    return int(bool(silent) or share < ENOUGH)


if __name__ == "__main__":
    sys.exit(main())
