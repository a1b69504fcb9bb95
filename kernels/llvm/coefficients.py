"""Numbers of sine and cosine: parts of π/2, and polynomials on |r| <= 1.0001 π/4.

With z = r²::

    sin r = r + r z S(z)          S = Σ SINE[i] z^i
    cos r = 1 - z/2 + z² C(z)     C = Σ COSINE[i] z^i

The coefficients are those of the least largest relative error (Remez' exchange), the lowest rounded to what the type
holds, the others then fitted again, and so on. The errors reached are 2^-57.9 and 2^-63.9 of sine and cosine in
doubles, 2^-27.9 and 2^-33.0 in single precision.
"""

from __future__ import annotations

from typing import Final

TWO_OVER_PI: Final = float.fromhex("0x1.45f306dc9c883p-1")
#: 1.5 · 2^52: added to x 2/π it leaves the nearest whole number in the lowest bits.
MAGIC: Final = 6755399441055744.0


def _floats(*texts: str) -> tuple[float, ...]:
    return tuple(map(float.fromhex, texts))


#: π/2 as a sum of doubles, each the nearest to what is left.
PARTS: Final = _floats("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54", "-0x1.f1976b7ed8fbcp-110")
#: The same, the first two of 33 bits: k times them is exact for whole numbers |k| < 2^20.
SHORT_PARTS: Final = _floats("0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69")

#: Largest |x| that is reduced by these parts; beyond, the C library computes. With short parts lo is
#: 2^-53 there, and r lo stands for lo sin r.
REACH: Final = 1e9
SHORT_REACH: Final = 1e5

SINE: Final = _floats(
    "-0x1.5555555555548p-3", "0x1.111111110f730p-7", "-0x1.a01a019be9217p-13",
    "0x1.71de35552b528p-19", "-0x1.ae5e4b83e3ca0p-26", "0x1.5d8b55942da75p-33",
)  # fmt: skip
COSINE: Final = _floats(
    "0x1.555555555554bp-5", "-0x1.6c16c16c15013p-10", "0x1.a01a019c8ed07p-16",
    "-0x1.27e4f7f1410d4p-22", "0x1.1ee9db8e2e01ep-29", "-0x1.8fa65e90167c4p-37",
)  # fmt: skip
#: Of single precision.
SINGLE_SINE: Final = _floats("-0x1.555546p-3", "0x1.110778p-7", "-0x1.9953fep-13")
SINGLE_COSINE: Final = _floats("0x1.55554ap-5", "-0x1.6c0c28p-10", "0x1.99e80cp-16")
