"""Every reader, with the inputs that it begins from, and what is done with a model that was read."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from mbconcord.cli.io.json_files import read_state
from mbconcord.cli.numbers import read_parameters
from mbconcord.converters import registry
from mbconcord.converters.um.equations import read as read_equations
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import to_text
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.check import check

#: Larger fixtures are left out: an input shall take milliseconds.
LARGEST = 6_000
#: Of so many models that are read one is checked; models of more coordinates are not.
CHECKED, MOST_COORDINATES = 40, 4
#: What a check asks: two formalisms that share nothing.
WITNESSES = ("newton_euler", "virtual_work")

HOSTILE = Path(__file__).parents[1] / "hostile" / "files"
CORPUS = Path(__file__).parent / "corpus"
PENDULUM = registry.read_text("z(z1) i(L) $(m) g9.81-y ; L=2, m=3", "-", "mbsd").system


@dataclass(frozen=True)
class Reader:
    """A reader by name: ``run(data, random, folder)`` reads bytes and goes on with what was read.

    ``suffixes`` are those of its files among the fixtures, ``texts`` further inputs to begin from.
    """

    run: Callable[[bytes, Random, Path], None]
    suffixes: tuple[str, ...]
    texts: tuple[str, ...] = ()

    def seeds(self, name: str) -> list[bytes]:
        """Inputs to begin from: fixtures, hostile files, those that once broke the reader, texts."""
        files = [*sorted(folder().rglob("*")), *sorted(HOSTILE.rglob("*"))]
        fitting = [f for f in files if f.is_file() and f.name.lower().endswith(self.suffixes)]
        small = [f for f in fitting if f.stat().st_size <= LARGEST]
        kept = sorted(CORPUS.glob(f"{name}-*"))
        return [f.read_bytes() for f in (*small, *kept)] + [text.encode() for text in self.texts]


def _model(format: str, file: str) -> Callable[[bytes, Random, Path], None]:
    def run(data: bytes, random: Random, place: Path) -> None:
        go_on(registry.read_bytes(data, file, format).system, random)

    return run


def go_on(system: System, random: Random) -> None:
    """Write a model in some format, read what was written, and check some."""
    name = random.choice([n for n in registry.names() if registry.format_named(n).write is not None])
    with suppress(MbconcordError):
        registry.read_text(registry.write(system, name).text, "-", name)
    if random.randrange(CHECKED) == 0 and 0 < len(system.coordinates) <= MOST_COORDINATES:
        check(system, "-", WITNESSES, states=1)


def _file(read: Callable[[str], Any], suffix: str, then: Callable[[Any], Any]) -> Callable[..., None]:
    def run(data: bytes, random: Random, place: Path) -> None:
        path = place / f"input{suffix}"
        path.write_bytes(data)
        then(read(str(path)))

    return run


def _formula(data: bytes, random: Random, place: Path) -> None:
    text = data.decode("utf-8", "replace")
    read = parse_formula(text)
    assert parse_formula(to_text(read)) is read


STATE = json.dumps(State(q={"z1": 0.3}, v={"z1": 1.0}, a={"z1": -2.0}, parameters={"L": 2.0}).to_json())
READERS: dict[str, Reader] = {
    "mbsd": Reader(_model("mbsd", "input.mbsd"), (".mbsd",)),
    "tp": Reader(_model("tp", "input.tp.csv"), (".tp.csv",)),
    "workbook": Reader(_model("tp", "input.tp.xlsx"), (".xlsx",)),
    "um": Reader(_model("um", "input.dat"), ("input.dat", "digits.dat")),
    "native": Reader(_model("native", "input.mbs.json"), (".mbs.json",), (registry.write(PENDULUM, "native").text,)),
    "urdf": Reader(_model("urdf", "input.urdf"), (".urdf",)),
    "mjcf": Reader(_model("mjcf", "input.xml"), ("hopper.xml", "finger.xml", "linkage.xml")),
    "sdf": Reader(_model("sdf", "input.sdf"), (".sdf",)),
    "equations": Reader(_file(read_equations, ".hpp", lambda made: made.diagnostics), (".hpp",)),
    "prints": Reader(
        _file(read_equations, ".pas", lambda made: made.diagnostics),
        (),
        ("_bodyposition[1] := -_k1*_s1;\n_bodyposition[2] := _k1*_c1;\n_bodyposition[3] := 0;\n",),
    ),
    "formula": Reader(
        _formula, (), ("m1*(x + 2 y)^2/3 - sin f t", "f'[1,0](x, y)*JK''(t)", "-(1.5e-3 @' + pi) sqrt(x)^-1")
    ),
    "state": Reader(_file(read_state, ".json", lambda file: file.to_state(PENDULUM)), ("state.json",), (STATE,)),
    "xv": Reader(_file(read_state, ".xv", lambda file: file.to_state(PENDULUM)), (".xv",), ("xv1" + "\0" * 16,)),
    "parameters": Reader(_file(read_parameters, ".txt", dict), (), ("m1 = 2.5\nL=3 % arm\n", '{"m1": 2.5, "L": 3}')),
    "par": Reader(_file(read_parameters, ".par", dict), (".par",), ("par\nm1 = 2.5\nFL.p1 = 3\n",)),
}
