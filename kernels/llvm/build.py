"""From a program to a function of NumPy: found in this process, on disk, or compiled."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions.evaluate import missing_names
from mbconcord.model.expressions.node import CALL, FUN, NUM, SYM, ExpressionError
from mbconcord.model.expressions.program import Program

from .. import reciprocals as rewriting
from ..split import arranged
from .cache import Cache
from .emitter import Emitter
from .engine import Loaded, Target, declarations, host, machine_code
from .entry import NAME, entry
from .fusing import fused
from .gufunc import Gufunc, signature
from .layouts import functions, starts
from .options import Options


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be compiled.

    Attributes
    ----------
    lines : the program, as it was derived
    operands : symbols of each array that is given; a string is a symbol of an array without an axis
    results : length of each array that is computed, together the program's outputs
    options : Options
    """

    lines: Program
    operands: tuple[tuple[str, ...] | str, ...]
    results: tuple[int, ...]
    options: Options = field(default_factory=Options)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Of the operands; 0: without an axis."""
        return tuple(0 if isinstance(names, str) else len(names) for names in self.operands)

    def symbols(self) -> list[tuple[str, ...]]:
        """Of each operand."""
        return [(names,) if isinstance(names, str) else names for names in self.operands]


@dataclass(frozen=True, slots=True)
class Built:
    """A function and where it came from.

    Attributes
    ----------
    ufunc : of NumPy; it is there as long as this process
    signature : such as ``(6),(6),(6)->(6)``
    origin : ``compiled``, ``disk`` or ``memory``
    findings : why nothing was kept on disk
    """

    ufunc: Any
    signature: str
    origin: str
    findings: tuple[Diagnostic, ...] = ()


#: What was built, by its key. Machine code stays until the process ends: NumPy's functions point into it.
_BUILT: Final[dict[str, tuple[Gufunc, str]]] = {}
_HELD: Final[list[tuple[Gufunc, str]]] = []
_LOCK: Final = Lock()
#: Programs of so few operations are compiled once more, for columns: of longer ones packing takes less than a tenth.
DIRECT: Final = 500
#: The format of marshal in which equal values have equal bytes, whoever else holds them.
_WITHOUT_REFERENCES: Final = 0
#: Steps whose node has data.
_SAYING: Final = frozenset({NUM, SYM, FUN, CALL})


def build(task: Task, cache: Cache | None = None) -> Built:
    """The function ``f(*operands) -> results``.

    Parameters
    ----------
    task : what it computes
    cache : where machine code is kept; None: the folder of the user's cache

    Raises
    ------
    ExpressionError
        A symbol is not among the operands, a function has no formula.
    RangeError
        A number is beyond the range of floats.
    """
    names = [name for group in task.symbols() for name in group]
    absent = missing_names(task.lines, names, ())
    if absent:
        raise ExpressionError(f"code for {', '.join(absent)} is not known")
    target = host()
    key = digest(task, target)
    with _LOCK:
        if key in _BUILT:
            found, text = _BUILT[key]
            return Built(found.call, text, "memory")
        kept = Cache.own() if cache is None else cache
        code = kept.get(key)
        origin = "disk"
        if code is None:
            origin, code = "compiled", machine_code(source(task), target)
            kept.put(key, code)
        loaded = Loaded(code, NAME)
        dtype = np.dtype(task.options.dtype)
        made = Gufunc(loaded, loaded.address, task.lengths, task.results, dtype, "kernel")
        text = signature(task.lengths, task.results)
        _BUILT[key] = made, text
    return Built(made.call, text, origin, kept.findings)


def forget() -> None:
    """Do not take what was built in this process again; what was given away stays good."""
    with _LOCK:
        _HELD.extend(_BUILT.values())
        _BUILT.clear()


def prepared(task: Task) -> Program:
    """The program as it is run: shared divisors inverted, products fused, where that is asked for."""
    lines = rewriting.reciprocals(task.lines) if task.options.reciprocals else task.lines
    return fused(lines) if task.options.fma else lines


def source(task: Task) -> str:
    """Text of LLVM."""
    options = task.options
    vector = options.vector
    parts = arranged(prepared(task))
    begin = starts([max(1, n) for n in task.lengths], vector)
    places = {
        name: first + i
        for first, group in zip(begin, task.symbols(), strict=False)
        for i, name in enumerate(group)
    }
    results = [
        first + i
        for first, n in zip(starts(task.results, vector), task.results, strict=False)
        for i in range(n)
    ]
    core = Emitter(parts, places, results, options)
    given = [max(1, n) for n in task.lengths]
    direct = len(parts.parts) == 1 and len(parts.parts[0].places) <= DIRECT
    columns = core.direct(given, task.results) if direct else ""
    outer = entry(task.lengths, task.results, parts.slots, vector, direct)
    return "\n".join([declarations(vector), core.text(), columns, functions(vector), outer])


def digest(task: Task, target: Target) -> str:
    """A name of what is compiled, by what, for what: equal names, equal machine code."""
    found = hashlib.blake2b(digest_size=32)
    whole = (
        generator(), np.__version__, astuple(target), astuple(task.options), task.operands, task.results,
        task.lines.outputs,
    )  # fmt: skip
    found.update(repr(whole).encode())
    for block in _packed(task.lines):
        found.update(len(block).to_bytes(8, "little") + block)
    return found.hexdigest()


def _packed(lines: Program) -> Iterator[bytes]:
    """All that the steps of a program say, a block for each part of a step: a step at a time takes as long as LLVM.

    Nodes are looked at only where they say something: which steps are constant follows from the operands.
    """
    yield "\n".join([step.op for step in lines.steps]).encode()
    yield marshal.dumps([step.args for step in lines.steps], _WITHOUT_REFERENCES)
    yield repr([step.node.data for step in lines.steps if step.op in _SAYING]).encode()


@cache
def generator() -> str:
    """A digest of the code that writes the text, so that what another version kept is not taken."""
    found = hashlib.blake2b(digest_size=32)
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()
