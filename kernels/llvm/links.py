"""A recursion over links as text of LLVM: a function for each step of each kind of link, and loops that call them.

The text contains neither the number of links nor their numbers: both are arguments, so one machine code serves all
models with these kinds of links. Each pass goes over runs of neighbours of one kind. All memory is packed, a
vector of W states for each number::

    q, v, a, forces    (M) each, padded
    memory             (1 + L)·S, the fixed frame's first

The argument is an array of integers and addresses, in the order of :data:`GIVEN`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbconcord.model.expressions.program import program
from mbconcord.model.recursion import (
    ACCELERATION,
    AMOUNT,
    RATE,
    LinkKind,
    Recursion,
    RecursionStep,
    carrier,
    number_of,
    own,
)

from .. import split as rewriting
from ..split import split_program
from .emitter import EmittedValues, Emitter, write_functions
from .engine import declarations
from .layouts import functions
from .options import Options, fuse_products
from .vector import Vector, Writer

NAME: Final = "links"
#: Names of what is given. Of q, v, a and the forces: base, stride from state to state and from number to number.
GIVEN: Final = (
    "states", "motions", "coordinates", "padded",
    "q", "qs", "qe", "v", "vs", "ve", "a", "as", "ae", "f", "fs", "fe",
    "numbers", "width", "carriers", "columns", "runs", "count", "ground", "work",
)  # fmt: skip
_MOTION: Final = {AMOUNT.data: "%q", RATE.data: "%v", ACCELERATION.data: "%a"}
_ARGUMENTS: Final = ", ".join(f"ptr %{x}" for x in ("own", "carrier", "q", "v", "a", "force", "numbers"))
_LINKS: Final = "ptr %memory, ptr %q, ptr %v, ptr %a, ptr %f, ptr %numbers, i64 %width, ptr %carriers, ptr %columns"
_RUN: Final = f"i64 %first, i64 %stop, {_LINKS}"


def source(recursion: Recursion, options: Options) -> str:
    """Write the LLVM text for the kinds of a recursion."""
    vector = options.vector
    emitters = {
        (turn, place): _Step(recursion, kind, kind.steps[turn], options)
        for turn in range(len(recursion.inward))
        for place, kind in enumerate(recursion.kinds)
    }
    names = frozenset(name for each in emitters.values() for name in each.functions)
    steps = [each.function(f"step{turn}.{place}") for (turn, place), each in emitters.items()]
    loops = [
        _loop(turn, place, recursion, vector)
        for turn in range(len(recursion.inward))
        for place in range(len(recursion.kinds))
    ]
    passes = [_pass(turn, inward, len(recursion.kinds)) for turn, inward in enumerate(recursion.inward)]
    head = [declarations(vector), functions(vector), write_functions(names, options)]
    return "\n".join([*head, *steps, *loops, *passes, _entry(recursion, vector)])


class _Step(Emitter):
    """Values of a step: it reads memory of link and carrier, motion and numbers, and writes after all is computed."""

    def __init__(self, recursion: Recursion, kind: LinkKind, step: RecursionStep, options: Options) -> None:
        lines = rewriting.reciprocals(program([*step.results]))
        whole = split_program(fuse_products(lines) if options.fma else lines, max(1, len(lines.steps)))
        super().__init__(whole, {}, (), options)
        places = {slot: i for i, slot in enumerate(recursion.slots)}
        self._memory = {own(slot).data: ("%own", i) for slot, i in places.items()}
        self._memory |= {carrier(slot).data: ("%carrier", i) for slot, i in places.items()}
        self._memory |= {name: (base, 0) for name, base in _MOTION.items()}
        self._own_numbers = {number_of(i).data: i for i in range(kind.numbers)}
        self._targets = [("%own", places[slot]) for slot in step.own]
        self._targets += [("%carrier", places[slot]) for slot in step.carrier]
        self._targets += [("%force", 0)] if step.force is not None else []
        self._found: dict[int, str] = {}

    def function(self, name: str) -> str:
        """Write the step as a function."""
        body = Writer(self._vector, self._fused)
        for part in self._split.parts:
            self.write(body, part)
        values = EmittedValues(self, body, {})
        self.leaves(values)
        for i, value in self._found.items():
            values.store(*self._targets[i], value)
        return f"define internal void @{name}({_ARGUMENTS}) noinline {{\nentry:\n{body}\n  ret void\n}}\n"

    def put(self, values: EmittedValues, result: int, value: str) -> None:
        """Remember a result instead of storing it, because the memory that it goes to may still be read."""
        self._found[result] = value

    def symbol(self, values: EmittedValues, name: str) -> str:
        """Load a symbol: memory and motion are vectors, a number is the same for all states."""
        if name in self._memory:
            return values.load(*self._memory[name])
        v, body = self._vector, values.body
        at = body.let(f"getelementptr inbounds double, ptr %numbers, i64 {self._own_numbers[name]}")
        number = body.let(f"load double, ptr {at}, align 8")
        one = body.let(f"insertelement {v} poison, {v.scalar} {number}, i32 0")
        return body.let(f"shufflevector {v} {one}, {v} poison, {v.with_scalar('i32')} zeroinitializer")


def _loop(turn: int, kind: int, recursion: Recursion, v: Vector) -> str:
    """Write the loop over a run of links, from first to last or from last to first."""
    inward = recursion.inward[turn]
    begin, step, after = ("%stop", -1, "%first") if inward else ("%first", 1, "%stop")
    here = "add i64 %at, -1" if inward else "add i64 %at, 0"
    size = len(recursion.slots) * v.bytes
    return f"""define internal void @loop{turn}.{kind}({_RUN}) noinline {{
entry:
  br label %link
link:
  %at = phi i64 [ {begin}, %entry ], [ %next, %link ]
  %i = {here}
  %carrierat = getelementptr i64, ptr %carriers, i64 %i
  %carrier = load i64, ptr %carrierat
  %columnat = getelementptr i64, ptr %columns, i64 %i
  %column = load i64, ptr %columnat
  %ownplace = mul i64 %i, {size}
  %ownptr = getelementptr i8, ptr %memory, i64 %ownplace
  %carrierplace = mul i64 %carrier, {size}
  %carrierptr = getelementptr i8, ptr %memory, i64 %carrierplace
  %along = mul i64 %column, {v.bytes}
  %qi = getelementptr i8, ptr %q, i64 %along
  %vi = getelementptr i8, ptr %v, i64 %along
  %ai = getelementptr i8, ptr %a, i64 %along
  %fi = getelementptr i8, ptr %f, i64 %along
  %numberplace = mul i64 %i, %width
  %numberptr = getelementptr double, ptr %numbers, i64 %numberplace
  call void @step{turn}.{kind}(ptr %ownptr, ptr %carrierptr, ptr %qi, ptr %vi, ptr %ai, ptr %fi, ptr %numberptr)
  %next = add i64 %at, {step}
  %done = icmp eq i64 %next, {after}
  br i1 %done, label %end, label %link
end:
  ret void
}}
"""


def _pass(turn: int, inward: bool, kinds: int) -> str:
    """Write the runs in order, or in reverse."""
    cases = " ".join(f"i64 {kind}, label %kind{kind}" for kind in range(kinds))
    blocks = "\n".join(
        f"kind{kind}:\n  call void @loop{turn}.{kind}({_RUN})\n  br label %over" for kind in range(kinds)
    )
    turned = "sub i64 %last, %r" if inward else "add i64 %r, 0"
    return f"""define internal void @pass{turn}(ptr %runs, i64 %count, {_LINKS}) noinline {{
entry:
  %last = sub i64 %count, 1
  br label %run
run:
  %r = phi i64 [ 0, %entry ], [ %rnext, %over ]
  %which = {turned}
  %place = mul i64 %which, 3
  %firstat = getelementptr i64, ptr %runs, i64 %place
  %first = load i64, ptr %firstat
  %stopat = getelementptr i64, ptr %firstat, i64 1
  %stop = load i64, ptr %stopat
  %kindat = getelementptr i64, ptr %firstat, i64 2
  %kind = load i64, ptr %kindat
  switch i64 %kind, label %over [ {cases} ]
{blocks}
over:
  %rnext = add i64 %r, 1
  %more = icmp ult i64 %rnext, %count
  br i1 %more, label %run, label %end
end:
  ret void
}}
"""


def _entry(recursion: Recursion, v: Vector) -> str:
    """Write ``void links(i64 *given)``: tiles of W states."""
    names = "\n".join(
        f"  %given{i} = getelementptr i64, ptr %given, i64 {i}\n  %{name} = load i64, ptr %given{i}"
        for i, name in enumerate(GIVEN)
    )
    addresses = ("q", "v", "a", "f", "numbers", "carriers", "columns", "runs", "ground", "work")
    pointers = "\n".join(f"  %{name}.at = inttoptr i64 %{name} to ptr" for name in addresses)
    packs = "\n".join(_move_tile("pack", name, "%motions") for name in ("q", "v", "a"))
    passes = "\n".join(
        f"  call void @pass{turn}(ptr %runs.at, i64 %count, ptr %first, ptr %block.q, ptr %block.v, ptr %block.a, "
        "ptr %block.f, ptr %numbers.at, i64 %width, ptr %carriers.at, ptr %columns.at)"
        for turn in range(len(recursion.inward))
    )
    slots = len(recursion.slots)
    blocks = "\n".join(
        f"  %place.{name} = mul i64 %block, {i}\n  %block.{name} = getelementptr i8, ptr %work.at, i64 %place.{name}"
        for i, name in enumerate(("q", "v", "a", "f", "memory"))
    )
    w = Writer(v, stem="g.")
    number = w.let(f"load {v.scalar}, ptr %groundat, align {v.size}")
    one = w.let(f"insertelement {v} poison, {v.scalar} {number}, i32 0")
    splat = w.let(f"shufflevector {v} {one}, {v} poison, {v.with_scalar('i32')} zeroinitializer")
    return f"""define void @{NAME}(ptr %given) {{
entry:
{names}
{pointers}
  %block = mul i64 %padded, {v.bytes}
{blocks}
  %first = getelementptr i8, ptr %block.memory, i64 {slots * v.bytes}
  br label %fill
fill:
  %slot = phi i64 [ 0, %entry ], [ %slotnext, %fill ]
  %groundat = getelementptr {v.scalar}, ptr %ground.at, i64 %slot
{w}
  %memoryat = getelementptr {v}, ptr %block.memory, i64 %slot
  store {v} {splat}, ptr %memoryat, align {v.bytes}
  %slotnext = add i64 %slot, 1
  %slotmore = icmp ult i64 %slotnext, {slots}
  br i1 %slotmore, label %fill, label %tile
tile:
  %s = phi i64 [ 0, %fill ], [ %snext, %tile ]
  %left = sub i64 %states, %s
  %lanes = call i64 @llvm.umin.i64(i64 %left, i64 {v.width})
{packs}
{passes}
{_move_tile("unpack", "f", "%coordinates")}
  %snext = add i64 %s, {v.width}
  %smore = icmp ult i64 %snext, %states
  br i1 %smore, label %tile, label %end
end:
  ret void
}}
"""


def _move_tile(how: str, name: str, count: str) -> str:
    """Bring a tile of an array to its block, or back."""
    arguments = f"ptr %tile.{name}, i64 %{name}s, i64 %{name}e, i64 {count}, i64 %lanes, ptr %block.{name}"
    arguments += ", i1 false" if how == "unpack" else ""
    return (
        f"  %along.{name} = mul i64 %s, %{name}s\n"
        f"  %tile.{name} = getelementptr i8, ptr %{name}.at, i64 %along.{name}\n"
        f"  call void @{how}({arguments})"
    )


def order(given: dict[str, int]) -> Sequence[int]:
    """Return the arguments in their fixed order."""
    return [given[name] for name in GIVEN]
