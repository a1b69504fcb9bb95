"""Arrays of any strides to the core's packed blocks and back, a tile of W states at a time.

An operand is n numbers per state: number e of state s is at ``base + s·outer + e·inner``. Packed it is ``[number][W]``,
in a block whose length is a multiple of W. Three layouts, distinguished at run time:

* columns (outer is the size of a number): a vector is W neighbouring states, copied as it is;
* rows (inner is the size of a number): W x W numbers are transposed in registers, the rest of n masked;
* all others: number by number.

Results that exceed the caches (``stream``) are written past them where vectors of their columns are aligned.

In a tile of fewer than W states the last one replaces those that are missing: it is read and written repeatedly, with
the same numbers. So nothing beyond the arrays is touched, and no number depends on the tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from .vector import Vector, Writer

#: So many tiles ahead memory is asked for numbers: it answers while tiles in between are computed.
AHEAD: Final = 2


def padded_length(count: int, vector: Vector) -> int:
    """Return the length of the block of an operand with ``count`` numbers."""
    return -(-count // vector.width) * vector.width


def starts(sizes: Sequence[int], vector: Vector) -> list[int]:
    """Return the place of the first vector of each operand in the packed block, and at the end the block's length."""
    return [0, *accumulate(padded_length(size, vector) for size in sizes)]


def functions(vector: Vector) -> str:
    """Write ``@pack`` and ``@unpack`` (base of the tile, outer, inner, n, states of the tile, block; stream)."""
    return "\n".join(_function(vector, name == "pack") for name in ("pack", "unpack"))


def _function(v: Vector, inward: bool) -> str:
    name = "pack" if inward else "unpack"
    lanes = range(v.width)
    w = Writer(v, stem="p.")
    pointers = []
    for lane in lanes:
        state = w.let(f"call i64 @llvm.umin.i64(i64 {lane}, i64 %last)")
        pointers.append(w.let(f"getelementptr i8, ptr %base, i64 {w.let(f'mul i64 {state}, %outer')}"))
    first, rows = "columns" if inward else "cached", _rows(v, pointers, inward)
    others = _others(v, pointers, inward)
    copied = (
        f"%value = load {v}, ptr %there, align {v.size}\n  store {v} %value, ptr %here, align {v.bytes}"
        if inward
        else f"%value = load {v}, ptr %here, align {v.bytes}\n  store {v} %value, ptr %there, align {v.size}"
    )
    return f"""
define internal void @{name}(ptr %base, i64 %outer, i64 %inner, i64 %n, i64 %count, ptr %block{
        "" if inward else ", i1 %stream"
    }) noinline {{
entry:
  %full = icmp eq i64 %count, {v.width}
  %ahead = mul i64 %outer, {AHEAD * v.width}
  %dense = icmp eq i64 %outer, {v.size}
  %bycolumns = and i1 %full, %dense
  br i1 %bycolumns, label %columns, label %notcolumns
{"columns:" if inward else _past(v)}
  br label %column
column:
  %e = phi i64 [ 0, %{first} ], [ %enext, %column ]
  %offset = mul i64 %e, %inner
  %there = getelementptr i8, ptr %base, i64 %offset
  %here = getelementptr {v}, ptr %block, i64 %e
  %thereafter = getelementptr i8, ptr %there, i64 %ahead
  {_prefetch("%thereafter", inward)}
  {copied}
  %enext = add i64 %e, 1
  %emore = icmp ult i64 %enext, %n
  br i1 %emore, label %column, label %done
notcolumns:
  %last = sub i64 %count, 1
{w}
  %contiguous = icmp eq i64 %inner, {v.size}
  br i1 %contiguous, label %row, label %other
{rows}
{others}
done:
  ret void
}}
"""


def _past(v: Vector) -> str:
    """Write the loop over columns whose aligned vectors are written past the caches."""
    return f"""columns:
  %place = ptrtoint ptr %base to i64
  %places = or i64 %place, %inner
  %odd = and i64 %places, {v.bytes - 1}
  %aligned = icmp eq i64 %odd, 0
  %past = and i1 %aligned, %stream
  br i1 %past, label %beyond, label %cached
beyond:
  %b = phi i64 [ 0, %columns ], [ %bnext, %beyond ]
  %along = mul i64 %b, %inner
  %target = getelementptr i8, ptr %base, i64 %along
  %source = getelementptr {v}, ptr %block, i64 %b
  %passed = load {v}, ptr %source, align {v.bytes}
  store {v} %passed, ptr %target, align {v.bytes}, !nontemporal !1
  %bnext = add i64 %b, 1
  %bmore = icmp ult i64 %bnext, %n
  br i1 %bmore, label %beyond, label %done
cached:"""


def _prefetch(pointer: str, inward: bool) -> str:
    """Prefetch memory that will be read or written; skip operands without an array."""
    return f"call void @llvm.prefetch.p0(ptr {pointer}, i32 {int(not inward)}, i32 3, i32 1)"


def _rows(v: Vector, pointers: Sequence[str], inward: bool) -> str:
    """Write the loop over W numbers at a time."""
    w = Writer(v, stem="r.")
    flags = v.with_scalar("i1")
    iota = ", ".join(f"i64 {lane}" for lane in range(v.width))
    left = w.let("sub i64 %n, %r")
    spread = w.let(f"insertelement {v.with_scalar('i64')} poison, i64 {left}, i32 0")
    spread = w.let(
        f"shufflevector {v.with_scalar('i64')} {spread}, {v.with_scalar('i64')} poison, "
        f"{v.with_scalar('i32')} zeroinitializer"
    )
    mask = w.let(f"icmp ult {v.with_scalar('i64')} <{iota}>, {spread}")
    offset = w.let(f"mul i64 %r, {v.size}")
    rows = [w.let(f"getelementptr i8, ptr {pointer}, i64 {offset}") for pointer in pointers]
    index = [w.let(f"add i64 %r, {lane}") for lane in range(v.width)]
    block = [w.let(f"getelementptr {v}, ptr %block, i64 {i}") for i in index]
    zero = f"{v} zeroinitializer"
    for row in rows:
        there = w.let(f"getelementptr i8, ptr {row}, i64 %ahead")
        w.do(_prefetch(there, inward))
    if inward:
        found = [
            w.let(f"call {v} @llvm.masked.load.{v.suffix}.p0(ptr align {v.size} {row}, {flags} {mask}, {zero})")
            for row in rows
        ]
        for value, place in zip(_transpose(w, found), block, strict=True):
            w.do(f"store {v} {value}, ptr {place}, align {v.bytes}")
    else:
        found = [w.let(f"load {v}, ptr {place}, align {v.bytes}") for place in block]
        for value, row in zip(_transpose(w, found), rows, strict=True):
            name = f"@llvm.masked.store.{v.suffix}.p0"
            w.do(f"call void {name}({v} {value}, ptr align {v.size} {row}, {flags} {mask})")
    return f"""row:
  %r = phi i64 [ 0, %notcolumns ], [ %rnext, %row ]
{w}
  %rnext = add i64 %r, {v.width}
  %rmore = icmp ult i64 %rnext, %n
  br i1 %rmore, label %row, label %done"""


def _transpose(w: Writer, rows: Sequence[str]) -> list[str]:
    """Transpose the square of these rows: in stages d = 1, 2, 4, … off-diagonal d x d blocks are exchanged."""
    v, found = w.vector, list(rows)
    lanes = range(v.width)
    d = 1
    while d < v.width:
        upper = [lane if not lane & d else lane - d + v.width for lane in lanes]
        lower = [lane + d if not lane & d else lane + v.width for lane in lanes]
        for i in lanes:
            if not i & d:
                a, b = found[i], found[i + d]
                found[i], found[i + d] = (_shuffle(w, a, b, order) for order in (upper, lower))
        d *= 2
    return found


def _shuffle(w: Writer, a: str, b: str, order: Sequence[int]) -> str:
    mask = ", ".join(f"i32 {i}" for i in order)
    return w.let(f"shufflevector {w.vector} {a}, {w.vector} {b}, {w.vector.with_scalar('i32')} <{mask}>")


def _others(v: Vector, pointers: Sequence[str], inward: bool) -> str:
    """Write the loop over numbers, with all states of the tile inside."""
    w = Writer(v, stem="o.")
    offset = w.let("mul i64 %o, %inner")
    for lane, pointer in enumerate(pointers):
        there = w.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        line = w.let(f"getelementptr {v}, ptr %block, i64 %o")
        here = w.let(f"getelementptr {v.scalar}, ptr {line}, i64 {lane}")
        source, target = (there, here) if inward else (here, there)
        value = w.let(f"load {v.scalar}, ptr {source}, align {v.size}")
        w.do(f"store {v.scalar} {value}, ptr {target}, align {v.size}")
    return f"""other:
  %o = phi i64 [ 0, %notcolumns ], [ %onext, %other ]
{w}
  %onext = add i64 %o, 1
  %omore = icmp ult i64 %onext, %n
  br i1 %omore, label %other, label %done"""
