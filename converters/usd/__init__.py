"""OpenUSD stages of robots: rigid bodies, joints that carry them or close loops, masses by the rules of UsdPhysics."""

from mbconcord.converters.format import Format, Later
from mbconcord.converters.losses import Holds

HOLDS = Holds(reason="USD is not written")
FORMAT = Format(
    name="usd",
    title="OpenUSD: stages with UsdPhysics",
    suffixes=(".usda", ".usd", ".usdc", ".usdz"),
    holds=HOLDS,
    sniff=Later(f"{__name__}.opening:looks_like_usd"),
    read=Later(f"{__name__}.opening:read"),
    write=None,
    decode=Later(f"{__name__}.opening:decode"),
    packages=True,
    physics="warn",
)

__all__ = ["FORMAT", "HOLDS"]
