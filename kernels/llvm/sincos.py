"""Sine and cosine of a vector of angles, without branches: reduction by multiples of π/2, two polynomials.

With k the integer nearest to x 2/π and r = x - k π/2, whose remainder is ``lo``::

    sin x = ± (sin r + lo cos r),  cos x = ± (cos r - lo sin r),  exchanged where k is odd

Errors in ulp, doubles, at random angles and at those next to multiples of π/2: compensated 0.74, plain 1.46. Plain
leaves ``lo`` out; without fused products it would be wrong next to multiples of π/2 and is therefore compensated
there. Where an angle of a vector is beyond the reach of the parts of π/2, the C library computes the sine and cosine
of that angle. sin(-0) is +0.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..sincos import (
    COSINE,
    MAGIC,
    PARTS,
    REACH,
    SHORT_PARTS,
    SHORT_REACH,
    SINE,
    SINGLE_COSINE,
    SINGLE_SINE,
    TWO_OVER_PI,
)
from .vector import Vector, Writer, as_double, from_double, literal

#: The function that computes what is beyond the reach.
FAR = "@far"


def reach(vector: Vector, fused: bool) -> float:
    """Return the largest |x| that is reduced here, without the C library."""
    return REACH if fused and vector.scalar == "double" else SHORT_REACH


def sincos(w: Writer, angles: Sequence[str], compensated: bool) -> list[tuple[str, str]]:
    """Write sine and cosine of each angle and return their names; one test covers angles out of reach."""
    flags = [
        w.let(f"fcmp ogt {w.vector} {w.intrinsic('fabs', x)}, {w.number(reach(w.vector, w.fused))}") for x in angles
    ]
    near = [_near(w, x, far, compensated) for x, far in zip(angles, flags, strict=True)]
    return _beyond(w, angles, flags, near)


def _near(w: Writer, x: str, far: str, compensated: bool) -> tuple[str, str]:
    """Write sine and cosine of angles within the reach."""
    within = _select(w, far, w.number(0.0), x)  # no overflow of what is not used
    reduced = _reduced_double if w.vector.size == 8 else _reduced_single
    k, r, lo = reduced(w, within, compensated)
    sine, cosine = _polynomials(w, r, lo)
    whole = w.vector.with_scalar(w.vector.whole)
    odd = w.let(f"trunc {whole} {k} to {w.vector.with_scalar('i1')}")
    s = _select(w, odd, cosine, sine)
    c = _select(w, odd, sine, cosine)
    after = w.let(f"add {whole} {k}, splat ({w.vector.whole} 1)")
    return _apply_sign(w, s, k), _apply_sign(w, c, after)


def _reduced_double(w: Writer, x: str, compensated: bool) -> tuple[str, str, str | None]:
    """Write k as integer bits, r, and its remainder ``lo``, in doubles."""
    magic = w.number(MAGIC)
    y = w.muladd(x, w.number(TWO_OVER_PI), magic)
    bits = w.let(f"bitcast {w.vector} {y} to {w.vector.with_scalar('i64')}")
    k = w.sub(y, magic)
    first, second, third = map(w.number, PARTS if w.fused else SHORT_PARTS)
    minus = w.neg(k)
    near = w.muladd(minus, first, x)  # exact: without fused products too, since the part is short
    if w.fused and not compensated:
        return bits, w.fma(minus, third, w.fma(minus, second, near)), None
    product = w.mul(k, second)
    r = w.sub(near, product)
    lo = w.sub(w.sub(near, r), product)
    if w.fused:
        lo = w.sub(lo, w.fma(k, second, w.neg(product)))
        return bits, r, w.fma(minus, third, lo)
    lo = w.muladd(minus, third, lo)
    whole = w.add(r, lo)  # short parts leave more than the last place of r
    return bits, whole, w.add(w.sub(r, whole), lo)


def _reduced_single(w: Writer, x: str, compensated: bool) -> tuple[str, str, str | None]:
    """Write k, r and lo like :func:`_reduced_double`, for floats, by doubles with short parts: products are exact."""
    v = w.vector
    wide = w.with_vector(Vector("double", v.width), fused=False)
    full = w.let(f"fpext {v} {x} to {wide.vector}")
    magic = wide.number(MAGIC)
    y = wide.muladd(full, wide.number(TWO_OVER_PI), magic)
    bits = w.let(f"bitcast {wide.vector} {y} to {v.with_scalar('i64')}")
    k = wide.sub(y, magic)
    rest = full
    for part in SHORT_PARTS[:2]:
        rest = wide.sub(rest, wide.mul(k, wide.number(part)))
    r = w.let(f"fptrunc {wide.vector} {rest} to {v}")
    short = w.let(f"trunc {v.with_scalar('i64')} {bits} to {v.with_scalar('i32')}")
    if not compensated:
        return short, r, None
    lo = wide.sub(rest, w.let(f"fpext {v} {r} to {wide.vector}"))
    return short, r, w.let(f"fptrunc {wide.vector} {lo} to {v}")


def _polynomials(w: Writer, r: str, lo: str | None) -> tuple[str, str]:
    """Write sine and cosine of r + lo."""
    double = w.vector.size == 8
    z = w.mul(r, r)
    s = w.polynomial(SINE if double else SINGLE_SINE, z)
    c = w.polynomial(COSINE if double else SINGLE_COSINE, z)
    one = w.number(1.0)
    most = w.muladd(z, w.number(-0.5), one)
    cube, fourth = w.mul(r, z), w.mul(z, z)
    if lo is None:
        return w.muladd(cube, s, r), w.muladd(fourth, c, most)
    sine = w.add(r, w.muladd(cube, s, w.mul(lo, most)))
    rounding = w.muladd(z, w.number(-0.5), w.sub(one, most))
    rest = w.muladd(fourth, c, rounding)
    return sine, w.add(most, w.muladd(w.neg(r), lo, rest))


def _select(w: Writer, flags: str, a: str, b: str) -> str:
    return w.let(f"select {w.vector.with_scalar('i1')} {flags}, {w.vector} {a}, {w.vector} {b}")


def _apply_sign(w: Writer, value: str, k: str) -> str:
    """Write -value where bit 1 of k is set."""
    v = w.vector
    whole, top = v.with_scalar(v.whole), 8 * v.size - 1
    shifted = w.let(f"shl {whole} {k}, splat ({v.whole} {top - 1})")
    sign = w.let(f"and {whole} {shifted}, splat ({v.whole} {-(2**top)})")
    bits = w.let(f"bitcast {v} {value} to {whole}")
    return w.let(f"bitcast {whole} {w.let(f'xor {whole} {bits}, {sign}')} to {v}")


def _beyond(
    w: Writer, angles: Sequence[str], flags: Sequence[str], near: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Replace sines and cosines of angles out of reach; a branch that is hardly ever taken."""
    v = w.vector
    far = flags[0]
    for other in flags[1:]:
        far = w.let(f"or {v.with_scalar('i1')} {far}, {other}")
    lanes = w.let(f"bitcast {v.with_scalar('i1')} {far} to i{v.width}")
    some = w.let(f"icmp ne i{v.width} {lanes}, 0")
    before, beyond, on = w.block, w.fresh("far"), w.fresh("on")
    w.do(f"br i1 {some}, label %{beyond}, label %{on}, !prof !0")
    w.label(beyond)
    others = []
    for x, (s, c) in zip(angles, near, strict=True):
        both = w.let(f"call {{ {v}, {v} }} {FAR}({v} {x}, {v} {s}, {v} {c})")
        others.append([w.let(f"extractvalue {{ {v}, {v} }} {both}, {i}") for i in (0, 1)])
    w.do(f"br label %{on}")
    w.label(on)

    def either(a: str, b: str) -> str:
        return w.let(f"phi {v} [ {a}, %{before} ], [ {b}, %{beyond} ]")

    return [(either(s, other[0]), either(c, other[1])) for (s, c), other in zip(near, others, strict=True)]


def far_function(vector: Vector, fused: bool) -> str:
    """Write the function that computes sine and cosine of angles out of reach, one by one, by the C library."""
    v, scalar = vector, vector.scalar
    return f"""
define internal {{ {v}, {v} }} {FAR}({v} %xs, {v} %s0, {v} %c0) noinline cold {{
entry:
  br label %lane
lane:
  %i = phi i32 [ 0, %entry ], [ %next, %on ]
  %s = phi {v} [ %s0, %entry ], [ %s2, %on ]
  %c = phi {v} [ %c0, %entry ], [ %c2, %on ]
  %x = extractelement {v} %xs, i32 %i
  %size = call {scalar} @llvm.fabs.f{8 * v.size}({scalar} %x)
  %beyond = fcmp ogt {scalar} %size, {literal(reach(v, fused))}
  br i1 %beyond, label %library, label %on
library:
  %wide = {as_double("%x", scalar)}
  %ws = call double @sin(double %wide)
  %wc = call double @cos(double %wide)
  %sine = {from_double("%ws", scalar)}
  %cosine = {from_double("%wc", scalar)}
  %s1 = insertelement {v} %s, {scalar} %sine, i32 %i
  %c1 = insertelement {v} %c, {scalar} %cosine, i32 %i
  br label %on
on:
  %s2 = phi {v} [ %s, %lane ], [ %s1, %library ]
  %c2 = phi {v} [ %c, %lane ], [ %c1, %library ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, {v.width}
  br i1 %more, label %lane, label %done
done:
  %one = insertvalue {{ {v}, {v} }} poison, {v} %s2, 0
  %both = insertvalue {{ {v}, {v} }} %one, {v} %c2, 1
  ret {{ {v}, {v} }} %both
}}
"""
