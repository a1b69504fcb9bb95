"""Sine and cosine of the lanes of a block in C99: a loop without branches, which compilers vectorise.

As :mod:`..sincos` says. Where the machine fuses products with sums, every product is written as a fused one, so that
no compiler can fuse two others: the reduction would lose its last digits next to multiples of π/2. Errors of a
million angles up to 10⁶ in units of the last place: 0.77 at most, without fused products 1.07 next to multiples of π/2.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..sincos import COSINE, MAGIC, PARTS, REACH, SHORT_PARTS, SHORT_REACH, SINE, TWO_OVER_PI
from .texts import literal


def definitions(upper: str) -> str:
    """Macros that :func:`function` uses; they choose the C library where doubles are not what the loop needs."""
    return DEFINITIONS.format(
        N=upper,
        fused_reach=literal(REACH),
        reach=literal(SHORT_REACH),
        fused="\n".join(_parts(upper, PARTS)),
        short="\n".join(_parts(upper, SHORT_PARTS)),
    )


def function(upper: str) -> str:
    """The function ``sincos`` of a block of lanes."""
    return FUNCTION.format(
        N=upper,
        two_over_pi=literal(TWO_OVER_PI),
        magic=literal(MAGIC),
        sine=_horner(upper, SINE),
        cosine=_horner(upper, COSINE),
    )


def _parts(upper: str, parts: Sequence[float]) -> list[str]:
    return [f"#define {upper}_PI_{i} {literal(part)}" for i, part in enumerate(parts, 1)]


def _horner(upper: str, coefficients: Sequence[float]) -> str:
    text = literal(coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        text = f"{upper}_FMA(z, {text}, {literal(coefficient)})"
    return text


DEFINITIONS = """\
/* Sine and cosine: {N}_LIBM takes them from the C library. It is defined where doubles are rounded otherwise than
   the reduction of angles needs. */
#if !defined({N}_LIBM) && (defined(__FAST_MATH__) || (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1))
#define {N}_LIBM
#endif
#ifdef FP_FAST_FMA
#define {N}_FMA(a, b, c) fma(a, b, c)
#define {N}_TIMES(a, b) fma(a, b, 0.0)
#define {N}_LOST(a, b, product) fma(a, b, -(product))
#define {N}_REACH {fused_reach}
{fused}
#else
#define {N}_FMA(a, b, c) ((a) * (b) + (c))
#define {N}_TIMES(a, b) ((a) * (b))
#define {N}_LOST(a, b, product) 0.0
#define {N}_REACH {reach}
{short}
#endif
"""

FUNCTION = """\
/* Sine and cosine of every lane. Angles are reduced by multiples of pi/2; too large ones are left to the C library. */
static void LANED(sincos)(const double *restrict x, double *restrict sine, double *restrict cosine)
{{
#ifdef {N}_LIBM
    for (int l = 0; l < LANES; ++l) {{
        sine[l] = sin(x[l]);
        cosine[l] = cos(x[l]);
    }}
#else
    int beyond = 0;
    for (int l = 0; l < LANES; ++l) {{
        const double y = {N}_FMA(x[l], {two_over_pi}, {magic});
        const double k = y - {magic};
        int64_t n;
        memcpy(&n, &y, sizeof n);
        const double left = {N}_FMA(-k, {N}_PI_1, x[l]);
        const double product = {N}_TIMES(k, {N}_PI_2);
        const double close = left - product;
        const double lost = ((left - close) - product) - {N}_LOST(k, {N}_PI_2, product);
        const double little = {N}_FMA(-k, {N}_PI_3, lost);
        const double r = close + little;
        const double rest = (close - r) + little;
        const double z = {N}_TIMES(r, r);
        const double odd = {sine};
        const double even = {cosine};
        const double most = {N}_FMA(z, -0.5, 1.0);
        const double s = r + {N}_FMA({N}_TIMES(r, z), odd, {N}_TIMES(rest, most));
        const double rounding = {N}_FMA(z, -0.5, 1.0 - most);
        const double c = most + {N}_FMA(-r, rest, {N}_FMA({N}_TIMES(z, z), even, rounding));
        const double first = (n & 1) ? c : s;
        const double second = (n & 1) ? s : c;
        sine[l] = (n & 2) ? -first : first;
        cosine[l] = ((n + 1) & 2) ? -second : second;
        beyond |= !(fabs(x[l]) <= {N}_REACH);
    }}
    for (int l = 0; beyond && l < LANES; ++l) {{
        if (!(fabs(x[l]) <= {N}_REACH)) {{
            sine[l] = sin(x[l]);
            cosine[l] = cos(x[l]);
        }}
    }}
#endif
}}
"""
