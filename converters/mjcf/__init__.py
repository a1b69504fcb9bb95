"""MJCF, the models of MuJoCo, by what MuJoCo compiles of them: bodies, joints, inertia from shapes, what acts."""

from mbconcord.converters.format import Format, Later

from .holds import HOLDS


def _later(target: str) -> Later:
    return Later(f"{__name__}.{target}")


FORMAT = Format(
    name="mjcf",
    title="MJCF: models of MuJoCo",
    suffixes=(".mjcf.xml", ".mjcf", ".xml"),
    holds=HOLDS,
    sniff=_later("vocabulary:looks_like_mjcf"),
    read=_later("reader:read"),
    write=_later("writer:write"),
    packages=True,
    physics="warn",
)

__all__ = ["FORMAT"]
