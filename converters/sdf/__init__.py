"""SDF, the format of Gazebo: links with poses in named frames, joints between them, models within models, worlds."""

from mbconcord.converters.format import Format, Later

from .holds import HOLDS


def _later(target: str) -> Later:
    return Later(f"{__name__}.{target}")


FORMAT = Format(
    name="sdf",
    title="SDF: models of Gazebo",
    suffixes=(".sdf", ".world"),
    holds=HOLDS,
    sniff=_later("vocabulary:looks_like_sdf"),
    read=_later("reader:read"),
    write=_later("writer:write"),
    packages=True,
    physics="warn",
)

__all__ = ["FORMAT"]
