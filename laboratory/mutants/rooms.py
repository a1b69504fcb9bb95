"""Mutate what stands between equations and the screen: which commands print another number, and do they say so?

``python -m laboratory.mutants.rooms --seed N --count N`` draws changes in rooms that no check of a model watches, and
runs the commands that reach each of them. One that prints something else and ends well is silent: exit code 1.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from time import process_time
from typing import Any, Final

from mbconcord.cli import DISAGREEMENT, SUCCESS
from mbconcord.cli.options.numbers import add_seed, whole
from mbconcord.cli.output import say
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.many.cluster.worker import Children

from .. import command
from ..faults.attempts import CALLED, called
from ..faults.mutants import MECHANICS, Mutant, mutants
from ..faults.tables.numbers import FAULTS, FILES
from ..runner.change import SourceChange, source_file
from ..runner.change import run as run_changed
from .places import WORDS
from .survey import trace

PACKAGE: Final = "mbconcord"
#: Rooms that are mutated: ``app`` is the package itself.
ROOMS: Final = ("simulation", "kernels", "reports", "api", "cli", "validation.judge.exact.base_parameters",
                "validation.explain", "converters.sdf.writing", "certificate.emit", "certificate.machine",
                "certificate.programs", "validation.against.probes")  # fmt: skip
#: Files of the last commands, beside those of the seeded faults: a ball that bounces, slips and rolls, and a gait.
FILES.update({"gait.csv": "t;support;q1;q2;q3\n0;1 2 3 4;0.2;0.5;0.7\n0.5;1 2 4;0.3;0.4;0.6\n", "ball.mbs.json":
    """{"format": "mbconcord", "version": 1, "name": "ball", "gravity": {"value": 9.81, "direction": "-z"},
    "coordinates": [{"name": "x", "velocity": 1}, {"name": "z", "position": 0.15}, {"name": "y"}], "bodies": [{"name":
    "b", "parent": null, "joint": [{"translation": "x", "coordinate": "x"}, {"translation": "z", "coordinate": "z"},
    {"rotation": "y", "coordinate": "y"}], "inertia": {"mass": 1, "tensor": [0, 0.004, 0, 0, 0, 0]}}], "contacts": [
    {"kind": "contact", "name": "floor", "first": {"body": "b", "radius": 0.1}, "second": {"plane": {"normal": "z"}},
    "normal": {"law": "rigid", "e": 0.4}, "friction": {"law": "coulomb", "mu": 0.3}}, {"kind": "stop", "name": "end",
    "coordinate": "x", "normal": {"law": "rigid", "e": 0.5}, "upper": 0.2}]}"""})  # fmt: skip
#: Commands by which a mutant is tried: those of the seeded faults, rigid contacts, a gait, and a report with pictures.
COMMANDS: Final = (
    *dict.fromkeys(row.command for row in FAULTS), ("simulate", "ball.mbs.json", "--until", "0.4"),
    ("walk", "tp/quadruped.tp.csv", "--hull", "30@0,0.05,0", "--gait", "gait.csv"),
    ("check", "native/slider_crank.mbs.json", "--states", "2", "--claims", "none", "--report", "r.html"),
)  # fmt: skip
#: So many commands are asked of one mutant; seconds of the processor for one.
ASKED, SECONDS, SURVEY = 4, 20, 1200
#: How a command ends with a mutant, the worst first.
ENDS: Final = ("silent", "check", "said", "raised", "same")
#: Numbers in texts, and what of them is rounding; small ones are what rounding leaves.
NUMBER: Final = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")
ROUNDED: Final = 1e-5
ROOM: Final = f"{__package__}.rooms"
#: Begins what a command names without a witness, without a proof, or without an answer; and words that name it.
UNCHECKED: Final = re.compile("nothing is said of|within rounding|not (checked|compared|decided|proved|the nearest)")
WORD: Final = re.compile(r"[^\W\d][\w']*")
BARE: Final = {*WORD.findall("a an and are as at by error for from in is it kg m N no not of on or rad s so the to")}
#: Steps of a proof, whose claims are named.
STEP: Final = re.compile(r"[-+*/^n\d\s]*|([vcs] |program |sum ).*|end")


def surveyed(files: list[str]) -> list[dict[str, Any]]:
    """Return what every command prints with the right source, and which lines of files it runs."""
    found = []
    for words in COMMANDS:
        called(words)
        start = process_time()
        with trace(files) as lines:
            honest = called(words)
        spent = process_time() - start
        found.append({**honest, "seconds": spent, "lines": {file: sorted(run) for file, run in lines.items() if run}})
    return found


def warm() -> None:
    """Run every command once, so that a fork has all modules."""
    [*map(called, COMMANDS)]


def drawn(names: list[str], seed: int, lines: dict[str, set[int]]) -> Iterator[Mutant]:
    """Yield mutants of lines that are run, in the order of a seed."""
    made = [
        m for name in names for m in mutants(name, source_file(name), MECHANICS)
        if m.lines & lines.get(str(source_file(name)), set()) and not any(map(WORDS.search, m.place.split(".")))
    ]  # fmt: skip
    yield from sorted(made, key=lambda m: sha256(f"{seed} {m}".encode()).digest())


def modules() -> list[str]:
    """Return the modules of the rooms."""
    found = []
    for room in ROOMS:
        base = source_file(f"{PACKAGE}.{room}")
        package = base.name == "__init__.py"
        for path in sorted(base.parent.rglob("*.py")) if package else [base]:
            rest = path.relative_to(base.parent).with_suffix("").parts if package else ()
            if "__init__" not in rest:
                found.append(".".join((PACKAGE, room, *rest)))
    return found


def same(text: str, other: str) -> bool:
    """Tell whether two texts are the same but for the rounding of their numbers."""
    (words, numbers), (others, found) = ((NUMBER.sub("#", x), NUMBER.findall(x)) for x in (text, other))
    if words != others or len(numbers) != len(found):
        return False
    pairs = ((float(x), float(y)) for x, y in zip(numbers, found, strict=True))
    return all(x == y or abs(x - y) <= ROUNDED * max(1e-3, abs(x), abs(y)) for x, y in pairs)


def is_said(text: str, other: str) -> bool:
    """Tell whether lines that a text alone has, which doubt something, name what every other line that changed names.

    ``other`` is what the right source prints; in JSON each key begins a line.
    """
    after, before = (
        Counter(NUMBER.sub(lambda n: f"{0.0 if abs(float(n[0])) < 1e-12 else float(n[0]):.4g}", x).splitlines())
        for x in (re.sub(r'[,{] ?"', ',\n"', one) for one in (text, other))
    )
    new, lost = after - before, before - after
    doubts = {line for line in new if UNCHECKED.search(line)}
    named = {word for line in doubts for word in WORD.findall(UNCHECKED.sub(" ", line))} - BARE
    return bool(doubts) and all(
        line in doubts or STEP.fullmatch(line) or named & {*WORD.findall(line)} for line in (*new, *lost)
    )


def choose(mutant: Mutant, honest: list[dict[str, Any]]) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Return the commands that try a mutant, and what they print with the right source.

    Each verb has its turn, the cheapest of its commands first.
    """
    path = str(source_file(mutant.module))
    reaching = [(w, h) for w, h in zip(COMMANDS, honest, strict=True) if mutant.lines & {*h["lines"].get(path, ())}]
    turns, keyed = Counter[str](), list[tuple[int, int, tuple[str, ...], dict[str, Any]]]()
    for words, before in sorted(reaching, key=lambda pair: pair[1]["seconds"]):
        keyed.append((turns[words[0]], len(keyed), words, before))
        turns[words[0]] += 1
    return [(words, before) for _, _, words, before in sorted(keyed, key=lambda x: x[:2])][:ASKED]


def ending(children: Children, mutant: Mutant, honest: list[dict[str, Any]]) -> tuple[str, str]:
    """Return how a mutant ended, the worst of all commands first: one of :data:`ENDS`; and by which command.

    It is said where a line that the right source has not names what it doubts, or where the exit code alone says so.
    """
    found: dict[str, str] = {}
    for words, before in choose(mutant, honest):
        answer = run_changed(children, SourceChange(mutant.module, mutant.source), CALLED, list(words))
        if answer.failure or answer.value["code"] not in (0, 1, 3, before["code"]):
            how = "raised"
        elif answer.value["code"] == 1 and (before["code"] != 1 or answer.value["said"] != before["said"]):
            how = "check"
        elif answer.value["code"] not in (SUCCESS, before["code"]) or is_said(
            *(f"{one['printed']}\n{one['told']}" for one in (answer.value, before))
        ):
            how = "said"
        else:
            how = "same" if same(answer.value["printed"], before["printed"]) else "silent"
        found.setdefault(how, " ".join(words[:2]))
    return next(((how, found[how]) for how in ENDS if how in found), (ENDS[-1], ""))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Take the seed and how many."""
    add_seed(parser, "seed of the draw (default: 0)", 0)
    parser.add_argument("--count", type=whole(1, 100_000), default=40, metavar="N", help="try so many (default: 40)")


def run(arguments: argparse.Namespace) -> int:
    """Try the mutants; exit code 1 where one is silent."""
    names, counts = modules(), Counter[str]()
    files = [str(source_file(name)) for name in names]
    with Children((ROOM,), SURVEY) as children:
        answer = children.run(f"{ROOM}:surveyed", files)
    if answer.failure:
        raise MbconcordError(error("rooms", answer.failure))
    every = {file: {line for one in answer.value for line in one["lines"].get(file, ())} for file in files}
    with Children((f"{ROOM}:warm",), SECONDS) as children:
        for mutant in islice(drawn(names, arguments.seed, every), arguments.count):
            how, by = ending(children, mutant, answer.value)
            counts[how] += 1
            if how == "silent":
                say(f"SILENT: {mutant}, {by}")
    say(", ".join(f"{how} {n}" for how, n in sorted(counts.items())))
    return DISAGREEMENT if counts["silent"] else SUCCESS


if __name__ == "__main__":
    sys.exit(command.main(sys.modules["__main__"]))
