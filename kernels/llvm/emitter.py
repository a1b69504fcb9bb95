"""A program in parts as functions of LLVM over vectors of W states: the core of a kernel.

The core reads packed inputs and writes packed results, ``[number][W]`` each, so that every address is its base and a
constant. Values that pass from part to part are in scratch in the same way. Every part is a function of its own; the
core calls one after the other.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions.arithmetic import Functions, numpy_arithmetic
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.node import ADD, FUN, MUL, NEG, NUM, PI, SYM, RangeError, number
from mbconcord.model.expressions.program import DIV, SUB, ProgramStep

from ..split import ProgramPart, Split
from .layouts import starts
from .options import FMA, FMS, FNMA, Options
from .sincos import far_function, sincos
from .vector import Vector, Writer, as_double, from_double

# Numbers of a program that are known before it runs.


_OPERATIONS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
}  # fmt: skip


def constants(steps: Sequence[ProgramStep]) -> dict[int, float]:
    """Return place -> float of each step without symbols, as all evaluators with NumPy's arithmetic compute it.

    Raises
    ------
    RangeError
        A number is beyond the range of floats.
    """
    arithmetic = numpy_arithmetic()
    table = Functions({**arithmetic.functions, **_OPERATIONS, "pow": arithmetic.power}, lambda table: table)
    found: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for place, step in enumerate(steps):
            if step.op is NUM:
                try:
                    found[place] = arithmetic.number(step.node.data)
                except OverflowError:
                    raise RangeError(f"{number(step.node.data)!r} is beyond the range of floats") from None
            elif step.op is PI:
                found[place] = arithmetic.pi
            elif step.node.constant:
                function = table[step.node.data if step.op is FUN else step.op]
                found[place] = function(*(found[arg] for arg in step.args))
    return {place: float(value) for place, value in found.items()}


#: What the C library computes, one state after the other: name -> number of arguments.
LIBRARY: Final = {"tan": 1, "asin": 1, "acos": 1, "atan": 1, "exp": 1, "log": 1, "atan2": 2, "pow": 2}
#: And these, where they shall be the C library's.
TURNS: Final = {"sin": 1, "cos": 1}

#: So many angles are asked at once whether they are beyond the reach of sines.
TOGETHER: Final = 8

_PLAIN: Final[Mapping[str, Callable[..., str]]] = {
    ADD: Writer.add, SUB: Writer.sub, MUL: Writer.mul, DIV: Writer.div, NEG: Writer.neg, FMA: Writer.fma,
    FMS: lambda w, a, b, c: w.fma(a, b, w.neg(c)), FNMA: lambda w, a, b, c: w.fma(w.neg(a), b, c),
    "sqrt": lambda w, a: w.intrinsic("sqrt", a), "abs": lambda w, a: w.intrinsic("fabs", a),
    "sign": lambda w, a: _sign(w, a),
}  # fmt: skip


class Emitter:
    """Text of the parts of a program.

    Parameters
    ----------
    split : the program in parts; its steps may be fused
    places : symbol -> place of its vector in the packed inputs
    results : for each output, the place of its vector in the packed results
    options : type and width of vectors; whether sines and cosines fuse their products, as the program's steps then do;
        how accurate they are
    mark : end of the names of the functions
    """

    def __init__(
        self, split: Split, places: Mapping[str, int], results: Sequence[int], options: Options, mark: str = ""
    ) -> None:
        self._split, self._mark = split, mark
        self._steps = split.program.steps
        self._places = places
        self._results = results
        self._options = options
        self._vector = options.vector
        self._fused = options.fma
        self._compensated = options.accuracy == "compensated"
        self._library = of_library(options)
        self._constants = constants(self._steps)

    def text(self) -> str:
        """Write the functions, of which ``@core(in, out, scratch)`` is to be called; without those that steps call."""
        return "\n".join([*(self._part(i, part) for i, part in enumerate(self._split.parts)), self._core()])

    @property
    def functions(self) -> frozenset[str | Interpolant]:
        """Names of the operations and functions of the steps, and their tables."""
        return frozenset(s.node.data if s.op is FUN else s.op for s in self._steps if not s.node.constant)

    def _core(self) -> str:
        body = Writer(self._vector, self._fused)
        for i in range(len(self._split.parts)):
            body.do(f"call void @part{i}{self._mark}(ptr %in, ptr %out, ptr %scratch)")
        self.leaves(EmittedValues(self, body, {}))
        return write_function(f"core{self._mark}", body)

    def direct(self, inputs: Sequence[int], outputs: Sequence[int]) -> str:
        """Write ``@direct(ptr at0, i64 inner0, …)``: the one part of a short program, from columns to columns.

        Vector e of operand k is at ``at_k + e inner_k``: nothing is packed. All is read before anything is written,
        because results may overwrite operands.

        Parameters
        ----------
        inputs, outputs : lengths of the operands and of the results
        """
        body = Writer(self._vector, self._fused)
        (part,) = self._split.parts
        values = _Columns(self, body, _columns(inputs, outputs, self._vector))
        for place, step in enumerate(self._steps):
            if step.op is SYM:
                _ = values[place]
        self._compute(values, part)
        self.leaves(values)
        arguments = ", ".join(f"ptr %at{k}, i64 %inner{k}" for k in range(len(inputs) + len(outputs)))
        return f"define internal void @direct({arguments}) noinline {{\nentry:\n{body}\n  ret void\n}}\n"

    def leaves(self, values: EmittedValues) -> None:
        """Write the results that no part computes, because they are just numbers or symbols."""
        for i, place in self._split.leaves:
            self.put(values, i, values[place])

    def _part(self, index: int, part: ProgramPart) -> str:
        body = Writer(self._vector, self._fused)
        self.write(body, part)
        return write_function(f"part{index}{self._mark}", body)

    def write(self, body: Writer, part: ProgramPart) -> None:
        """Write the instructions of a part."""
        self._compute(EmittedValues(self, body, part.taken), part)

    def _compute(self, values: EmittedValues, part: ProgramPart) -> None:
        body = values.body
        self._turn(values, body, part)
        results: dict[int, list[int]] = {}
        for i, place in part.results:
            results.setdefault(place, []).append(i)
        for place in part.places:
            step = self._steps[place]
            name = step.node.data if step.op is FUN else step.op
            values.made[place] = value = self._value(values, body, name, [values[arg] for arg in step.args])
            for i in results.get(place, ()):
                self.put(values, i, value)
            if place in part.given:
                values.store("%scratch", part.given[place], value)

    def _turn(self, values: EmittedValues, body: Writer, part: ProgramPart) -> None:
        """Write sines and cosines of given angles, all at once if they are few: one branch serves them.

        With many, the numbers would have to leave their registers before their use.
        """
        turning = [step for place in part.places if (step := self._steps[place]).op is FUN]
        used = dict.fromkeys(step.args[0] for step in turning if step.node.data in ("sin", "cos"))
        angles = [values[place] for place in used if self._steps[place].op is SYM]
        if 0 < len(angles) <= TOGETHER and "sin" not in self._library:
            values.angles.update(zip(angles, sincos(body, angles, self._compensated), strict=True))

    def _value(self, values: EmittedValues, body: Writer, name: str | Interpolant, operands: Sequence[str]) -> str:
        if isinstance(name, Interpolant):
            return body.call(f"@each.{_table_name(name)}", *operands)
        if name in self._library:
            return body.call(f"@each.{name}", *operands)
        if name in TURNS:
            (angle,) = operands
            if angle not in values.angles:
                (values.angles[angle],) = sincos(body, [angle], self._compensated)
            return values.angles[angle][name == "cos"]
        return _PLAIN[name](body, *operands)

    def put(self, values: EmittedValues, result: int, value: str) -> None:
        """Write a result: here into the packed results."""
        values.store("%out", self._results[result], value)

    def symbol(self, values: EmittedValues, name: str) -> str:
        """Read the number of a symbol: here from the packed inputs."""
        return values.load("%in", self._places[name])

    def leaf(self, values: EmittedValues, place: int) -> str:
        """Write a leaf of the program: a symbol, or a number."""
        step = self._steps[place]
        if step.op is SYM:
            return self.symbol(values, step.node.data)
        return values.body.number(self._constants[place])


class EmittedValues:
    """Names of values in a function; inputs and results of other functions are read on first use."""

    def __init__(self, emitter: Emitter, body: Writer, taken: Mapping[int, int]) -> None:
        self.made: dict[int, str] = {}
        self.angles: dict[str, tuple[str, str]] = {}  # name of an angle -> of its sine and cosine
        self.body = body
        self._emitter = emitter
        self._taken = taken

    def __getitem__(self, place: int) -> str:
        found = self.made.get(place)
        if found is None:
            found = self.made[place] = self._read(place)
        return found

    def _read(self, place: int) -> str:
        if place in self._taken:
            return self.load("%scratch", self._taken[place])
        return self._emitter.leaf(self, place)

    def load(self, base: str, index: int) -> str:
        """Load a vector of a block."""
        return self.body.let(f"load {self.body.vector}, {self._address(base, index)}")

    def store(self, base: str, index: int, value: str) -> None:
        """Put a vector into a block."""
        self.body.do(f"store {self.body.vector} {value}, {self._address(base, index)}")

    def _address(self, base: str, index: int) -> str:
        """Return pointer and alignment of a packed vector."""
        size = self.body.vector.bytes
        place = self.body.let(f"getelementptr inbounds i8, ptr {base}, i64 {index * size}")
        return f"ptr {place}, align {size}"


class _Columns(EmittedValues):
    """Values of a function that reads and writes columns of arrays.

    Parameters
    ----------
    places : (``%in`` or ``%out``, place of a packed vector) -> number of the operand, and index within it
    """

    def __init__(self, emitter: Emitter, body: Writer, places: Mapping[tuple[str, int], tuple[int, int]]) -> None:
        super().__init__(emitter, body, {})
        self._columns = places

    def _address(self, base: str, index: int) -> str:
        operand, number = self._columns[base, index]
        offset = self.body.let(f"mul i64 %inner{operand}, {number}")
        place = self.body.let(f"getelementptr i8, ptr %at{operand}, i64 {offset}")
        return f"ptr {place}, align {self.body.vector.size}"


def _columns(inputs: Sequence[int], outputs: Sequence[int], vector: Vector) -> dict[tuple[str, int], tuple[int, int]]:
    """Map each vector of the packed blocks to its operand and its index in that operand."""
    return {
        (base, first + e): (before + k, e)
        for base, sizes, before in (("%in", inputs, 0), ("%out", outputs, len(inputs)))
        for k, (first, n) in enumerate(zip(starts(sizes, vector), sizes, strict=False))
        for e in range(n)
    }


def of_library(options: Options) -> Mapping[str, int]:
    """Return the functions that the C library computes: name -> number of arguments."""
    return LIBRARY | TURNS if options.accuracy == "library" else LIBRARY


def write_functions(names: Set[str | Interpolant], options: Options) -> str:
    """Write the functions that steps of these names call."""
    tables = sorted((x for x in names if isinstance(x, Interpolant)), key=repr)
    own = of_library(options)
    library = [_library_function(name, count, options.vector) for name, count in own.items() if name in names]
    far = [far_function(options.vector, options.fma)] if names & (TURNS.keys() - own.keys()) else []
    looked_up = [text for x in tables for text in (_table(x), _library_function(_table_name(x), 1, options.vector))]
    return "\n".join([*far, *library, *looked_up])


def write_function(name: str, body: Writer) -> str:
    """Write a function of the packed blocks."""
    arguments = ", ".join(f"ptr noalias %{a}" for a in ("in", "out", "scratch"))
    return f"define internal void @{name}({arguments}) noinline {{\nentry:\n{body}\n  ret void\n}}\n"


def _sign(w: Writer, a: str) -> str:
    """Write the sign of a value: 1, -1, or zero or NaN for these."""
    v = w.vector
    positive, negative = (w.let(f"fcmp {how} {v} {a}, zeroinitializer") for how in ("ogt", "olt"))
    zero = w.let(f"fadd {v} {w.intrinsic('fabs', a)}, zeroinitializer")
    below = w.let(f"select {v.with_scalar('i1')} {negative}, {v} {w.number(-1.0)}, {v} {zero}")
    return w.let(f"select {v.with_scalar('i1')} {positive}, {v} {w.number(1.0)}, {v} {below}")


def _table_name(table: Interpolant) -> str:
    return repr(table).replace("'", ".d")


def _table(table: Interpolant) -> str:
    """Write a table as a function of a double: the piece by bisection, its polynomial by Horner's rule."""
    name, (knots, rows) = _table_name(table), table.floats
    arrays = []
    for part, x in (("knots", knots), ("rows", rows)):
        numbers = ", ".join(f"double {_double(z)}" for z in x.ravel().tolist())
        arrays.append(f"@{name}.{part} = internal constant [{x.size} x double] [{numbers}]")
    n, width = rows.shape[0] - 1, rows.shape[1]
    lines = [
        "%before = sub i64 %i, 1", "%first = icmp eq i64 %i, 0", "%j = select i1 %first, i64 0, i64 %before",
        f"%from = getelementptr double, ptr @{name}.knots, i64 %j", "%anchor = load double, ptr %from",
        "%s = fsub double %a, %anchor", f"%row = mul i64 %i, {width}",
        f"%c = getelementptr double, ptr @{name}.rows, i64 %row",
    ]  # fmt: skip
    for k in range(width - 1, -1, -1):
        lines += [f"%c{k} = getelementptr double, ptr %c, i64 {k}", f"%v{k} = load double, ptr %c{k}"]
        if k < width - 1:
            lines += [f"%m{k} = fmul double %t{k + 1}, %s", f"%t{k} = fadd double %m{k}, %v{k}"]
        else:
            lines += [f"%t{k} = fadd double %v{k}, -0.0"]
    body = "\n  ".join([*lines, "%none = fmul double %s, 0.0", "%y = fadd double %t0, %none"])
    return "\n".join(
        [
            *arrays,
            f"""define internal double @{name}(double %a) noinline {{
entry:
  %end = fcmp oeq double %a, {_double(float(knots[-1]))}
  br i1 %end, label %found, label %look
look:
  %low = phi i64 [ 0, %entry ], [ %lower, %halve ]
  %high = phi i64 [ {n}, %entry ], [ %upper, %halve ]
  %more = icmp ult i64 %low, %high
  br i1 %more, label %halve, label %found
halve:
  %sum = add i64 %low, %high
  %middle = lshr i64 %sum, 1
  %at = getelementptr double, ptr @{name}.knots, i64 %middle
  %knot = load double, ptr %at
  %left = fcmp ole double %knot, %a
  %next = add i64 %middle, 1
  %lower = select i1 %left, i64 %next, i64 %low
  %upper = select i1 %left, i64 %high, i64 %middle
  br label %look
found:
  %i = phi i64 [ {n - 1}, %entry ], [ %low, %look ]
  {body}
  ret double %y
}}
""",
        ]
    )


def _double(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _library_function(name: str, count: int, vector: Vector) -> str:
    """Write a function of vectors that calls the C library for each number."""
    v, scalar = vector, vector.scalar
    arguments = "ab"[:count]
    lines = []
    for x in arguments:
        lines.append(f"%{x} = extractelement {v} %{x}s, i32 %i")
        lines.append(f"%{x}d = {as_double(f'%{x}', scalar)}")
    lines.append(f"%yd = call double @{name}({', '.join(f'double %{x}d' for x in arguments)})")
    lines.append(f"%y = {from_double('%yd', scalar)}")
    given = ", ".join(f"{v} %{x}s" for x in arguments)
    body = "\n  ".join(lines)
    return f"""define internal {v} @each.{name}({given}) noinline {{
entry:
  br label %lane
lane:
  %i = phi i32 [ 0, %entry ], [ %next, %lane ]
  %ys = phi {v} [ poison, %entry ], [ %more, %lane ]
  {body}
  %more = insertelement {v} %ys, {scalar} %y, i32 %i
  %next = add i32 %i, 1
  %left = icmp ult i32 %next, {v.width}
  br i1 %left, label %lane, label %done
done:
  ret {v} %more
}}
"""
