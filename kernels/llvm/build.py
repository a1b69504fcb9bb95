"""Conversion of a program to a NumPy function: found in this process, on disk, or compiled."""

from __future__ import annotations

import ctypes
import hashlib
import marshal
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions.evaluate import missing_names
from mbconcord.model.expressions.node import CALL, FUN, NUM, SYM, ExpressionError
from mbconcord.model.expressions.program import Program
from mbconcord.records import astuple, dataclass, field

from .. import split as rewriting
from ..split import arrange
from .cache import Cache
from .emitter import Emitter
from .engine import Loaded, Target, declarations, host, machine_code
from .entry import NAME, entry
from .fusing import fuse_products
from .layouts import functions, starts
from .options import Options

# A generalised ufunc of NumPy over an address: broadcasting, strides, casts, ``out=``, and the GIL released.
#
# ``PyUFunc_FromFuncAndDataAndSignature`` of NumPy's table of C functions is called through ctypes, so nothing is
# compiled when this program is installed. NumPy keeps pointers into the arrays that are made here: they, and the
# machine code, must outlive the function (:class:`Gufunc` holds them).


#: Place of the function in NumPy's table; it is part of NumPy's binary interface.
_FROM_FUNCTION: Final = 31
_NONE: Final = -1  # PyUFunc_None: no identity


def _table() -> Any:
    """Import the module that holds NumPy's tables: below ``numpy.core`` before NumPy 2."""
    try:
        return import_module("numpy._core._multiarray_umath")
    except ModuleNotFoundError:
        return import_module("numpy.core._multiarray_umath")


@cache
def _maker() -> Any:
    table = _table()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    functions = ctypes.cast(pointer(table._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    text, whole, address = ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, address, address, address, whole, whole, whole, whole, text, text, whole, text
    )
    return kind(functions[_FROM_FUNCTION])


def signature(inputs: Sequence[int], outputs: Sequence[int]) -> str:
    """Write a signature such as ``(6),(6),()->(36)``; 0: one number without an axis."""
    sides = (",".join(f"({n})" if n else "()" for n in side) for side in (inputs, outputs))
    return "->".join(sides)


class Gufunc:
    """A ufunc and the objects that it depends on.

    Parameters
    ----------
    code : the loaded machine code with the function's address
    inputs, outputs : lengths of the operands' axes; 0: without an axis
    dtype : of all operands
    """

    def __init__(
        self, code: Any, address: int, inputs: Sequence[int], outputs: Sequence[int], dtype: Any, name: str
    ) -> None:
        count = len(inputs) + len(outputs)
        self._code = code
        self._functions = (ctypes.c_void_p * 1)(address)
        self._data = (ctypes.c_void_p * 1)(None)
        self._types = (ctypes.c_char * count)(*[np.dtype(dtype).num] * count)
        self._texts = [text.encode() for text in (name, "", signature(inputs, outputs))]
        self.call = _maker()(
            ctypes.addressof(self._functions), ctypes.addressof(self._data), ctypes.addressof(self._types),
            1, len(inputs), len(outputs), _NONE, self._texts[0], self._texts[1], 0, self._texts[2],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class BuildTask:
    """A compilation task: a program, its arrays and its options.

    Attributes
    ----------
    lines : the program, as derived
    operands : symbols of each input array; a string is the symbol of an array without an axis
    results : length of each output array; together they are the program's outputs
    options : Options
    """

    lines: Program
    operands: tuple[tuple[str, ...] | str, ...]
    results: tuple[int, ...]
    options: Options = field(default_factory=Options)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of the operands; 0: without an axis."""
        return tuple(0 if isinstance(names, str) else len(names) for names in self.operands)

    def symbols(self) -> list[tuple[str, ...]]:
        """Return the symbols of each operand."""
        return [(names,) if isinstance(names, str) else names for names in self.operands]


@dataclass(frozen=True, slots=True)
class Built:
    """A built function, and where its machine code came from.

    Attributes
    ----------
    ufunc : function of NumPy; it exists as long as this process
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


def build(task: BuildTask, cache: Cache | None = None) -> Built:
    """Build the function ``f(*operands) -> results``.

    Parameters
    ----------
    task : the computation
    cache : where machine code is kept; None: the folder of the user's cache

    Raises
    ------
    ExpressionError
        A symbol is not among the operands, a function has no formula.
    RangeError
        A number is beyond the range of floats.
    """
    names = [name for group in task.symbols() for name in group]
    absent = missing_names(task.lines, {*names}, ())
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
    """Clear the functions remembered in this process, so that they are built anew; those in use stay valid."""
    with _LOCK:
        _HELD.extend(_BUILT.values())
        _BUILT.clear()


def prepare(task: BuildTask) -> Program:
    """Prepare the program for running: invert shared divisors and fuse products, if the options say so."""
    lines = rewriting.reciprocals(task.lines) if task.options.reciprocals else task.lines
    return fuse_products(lines) if task.options.fma else lines


def source(task: BuildTask) -> str:
    """Write the LLVM text."""
    options = task.options
    vector = options.vector
    parts = arrange(prepare(task))
    begin = starts([max(1, n) for n in task.lengths], vector)
    places = {
        name: first + i for first, group in zip(begin, task.symbols(), strict=False) for i, name in enumerate(group)
    }
    results = [
        first + i for first, n in zip(starts(task.results, vector), task.results, strict=False) for i in range(n)
    ]
    core = Emitter(parts, places, results, options)
    given = [max(1, n) for n in task.lengths]
    direct = len(parts.parts) == 1 and len(parts.parts[0].places) <= DIRECT
    columns = core.direct(given, task.results) if direct else ""
    outer = entry(task.lengths, task.results, parts.slots, vector, direct)
    return "\n".join([declarations(vector), core.text(), columns, functions(vector), outer])


def digest(task: BuildTask, target: Target) -> str:
    """Compute a name from code, compiler and target: equal names mean equal machine code."""
    found = hashlib.blake2b(digest_size=32)
    whole = (
        generator(), np.__version__, astuple(target), astuple(task.options), task.operands, task.results,
        task.lines.outputs,
    )  # fmt: skip
    found.update(repr(whole).encode())
    for block in _pack(task.lines):
        found.update(len(block).to_bytes(8, "little") + block)
    return found.hexdigest()


def _pack(lines: Program) -> Iterator[bytes]:
    """Yield a program's content for a digest, one block for each field of all steps: step by step is as slow as LLVM.

    Nodes are visited only if they have content: which steps are constant follows from the operands.
    """
    yield "\n".join([step.op for step in lines.steps]).encode()
    yield marshal.dumps([step.args for step in lines.steps], _WITHOUT_REFERENCES)
    yield repr([step.node.data for step in lines.steps if step.op in _SAYING]).encode()


@cache
def generator() -> str:
    """Compute a digest of the code generator, which invalidates results of other versions."""
    found = hashlib.blake2b(digest_size=32)
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()
