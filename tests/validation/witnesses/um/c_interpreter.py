"""What a written set puts out, in floats: its statements are run as they stand, without the reader of sets.

Two sets that put out the same numbers at a random state are the same to whoever runs them: a change that leaves them
the same is no fault (a term that is multiplied by zero, an element that nobody reads).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

_PROCEDURE = re.compile(r"^\w+ (\w+)\( [^)]*\)\n \{\n(.*?)\n \}$", re.DOTALL | re.MULTILINE)
_CASE = re.compile(r"case (\d+) :\s*\{(.*?)break;", re.DOTALL)
_MODE = re.compile(r"if\( _mode == (\d) \)\s*\{(.*?)\n       \}", re.DOTALL)
_CALL = re.compile(r"InitJFrc\( _isubs, (\d+), _->(\w+) \);")
_STATEMENT = re.compile(r"(\S+) = ([^;]+);")
_OPERAND = re.compile(r"-?(?:_->)?[A-Za-z_]\w*(?:\[[^\]]*\])*|-?\d+\.?\d*(?:e-?\d+)?|\S")


class Memory:
    """Elements by their texts, with the inputs of a state; what is written is put out under its text."""

    def __init__(self, procedures: Mapping[str, str], identifiers: int, coordinates: int, bodies: int) -> None:
        random = Random(1)
        self.procedures = procedures
        self.cells: dict[str, float] = {}
        self.kernel = [random.uniform(-1, 1) for _ in range(4)]
        arrays = [("_parmarr", identifiers)] + [(a, coordinates) for a in ("_x", "_v", "_->_ap")]
        self.cells |= {f"{a}[{i}]": random.uniform(0.5, 2) for a, n in arrays for i in range(n)}
        loads = ((a, b, i) for a in ("_bForce", "_bMoment") for b in range(bodies) for i in range(3))
        self.cells |= {f"{a}[_isubs-1][{b}][{i}]": random.uniform(-1, 1) for a, b, i in loads}

    def run(self, text: str) -> None:
        """Statements in the order of the text, and joint forces fetched from the kernel."""
        for line in text.splitlines():
            if fetched := _CALL.search(line):
                self.cells[f"_->{fetched[2]}"] = self.kernel[int(fetched[1])]
            elif found := _STATEMENT.search(line):
                self.cells[found[1]] = self.value(found[2])

    def value(self, text: str) -> float:
        """A sum, difference, product or quotient of two operands, a sine or cosine, or one operand."""
        if function := re.fullmatch(r"(sin|cos)\( (.*) \)", text):
            return float(getattr(math, function[1])(self.value(function[2])))
        first, *rest = _OPERAND.findall(text.replace("(", "").replace(")", ""))
        total = self.operand(first)
        while rest:
            sign, other, *rest = rest if rest[0] in "+-*/" else ("+", *rest)
            y = self.operand(other)
            total = {"+": total + y, "-": total - y, "*": total * y, "/": total / y if y else math.nan}[sign]
        return total

    def operand(self, text: str) -> float:
        """The value of an element or number; one that is not written is no number."""
        sign, bare = (-1, text[1:]) if text[0] == "-" else (1, text)
        return sign * (float(bare) if bare[0].isdigit() else self.cells.get(bare, math.nan))


def outputs(folder: Path, identifiers: int, coordinates: int, bodies: int) -> dict[str, float]:
    """Everything that the procedures of a set put out, by procedure, number and element."""
    text = "\n".join(path.read_text("utf-8") for path in sorted(folder.iterdir()))
    procedures = dict(_PROCEDURE.findall(text))
    found: dict[str, float] = {}
    alone = Memory(procedures, identifiers, coordinates, bodies)
    for name in ("ParCalc", "AllCalc"):
        alone.run(procedures[name])
    for _, block in sorted(_CASE.findall(procedures["DoElement"])):
        alone.run(block)
    for name in ("EqCalc", "GetIdentifiers"):
        alone.run(procedures[name])
    for _, block in _CASE.findall(procedures["ConstrCalc"]):
        alone.run(block)
    found |= _written(alone, ("_lMassMatrix", "_Frc_Vctr", "_parmarr", "_Error"), "")
    found |= _motion(alone, procedures, (*MOTION, *LOADS))
    threads = Memory(procedures, identifiers, coordinates, bodies)
    for name in ("ParCalc", "GetJointForcesP"):
        threads.run(procedures[name])
    modes = dict(_MODE.findall(procedures["GetParallel"]))
    threads.run(modes["0"])
    found |= {f"threads {key}": x for key, x in _motion(threads, procedures, MOTION).items()}
    for mode in "12":
        threads.run(modes[mode])
    return found | _written(threads, ("_mmatr", "_frc"), "threads ")


MOTION = (
    "Ai0Calc", "CoorCalc", "VelCalc", "VelaCalc", "AccCalc", "AccaCalc", "DBCalc", "SMatrCalc",
)  # fmt: skip
LOADS = ("JForceCalc", "SingleJointFrc")


def _motion(memory: Memory, procedures: Mapping[str, str], names: Sequence[str]) -> dict[str, float]:
    found = {}
    for name in names:
        for number, block in _CASE.findall(procedures[name]):
            before = dict(memory.cells)
            memory.run(block)
            new = {key: x for key, x in memory.cells.items() if key not in before}
            memory.cells = before
            found |= {f"{name} {number} {key}": x for key, x in new.items()}
    return found


def _written(memory: Memory, arrays: Sequence[str], prefix: str) -> dict[str, float]:
    return {prefix + key: x for key, x in memory.cells.items() if key.startswith(arrays)}


def same(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Whether the same elements have the same numbers; what is not written and what is zero are the same."""
    keys = one.keys() | other.keys()
    pairs = ((one.get(key, 0.0), other.get(key, 0.0)) for key in keys)
    return all(abs(x - y) <= 1e-9 * (1 + abs(x) + abs(y)) for x, y in pairs)
