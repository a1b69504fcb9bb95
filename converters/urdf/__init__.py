"""URDF, the robot description format of ROS: links, the joints that carry them, and what lies beside their dynamics."""

from mbconcord.converters.format import Format, Later

from .holds import HOLDS


def _later(target: str) -> Later:
    return Later(f"{__name__}.{target}")


FORMAT = Format(
    name="urdf",
    title="URDF: robots of ROS",
    suffixes=(".urdf",),
    holds=HOLDS,
    sniff=_later("vocabulary:looks_like_urdf"),
    read=_later("reader:read"),
    write=_later("writer:write"),
    freed=_later("freed:freed"),
    physics="warn",
)

__all__ = ["FORMAT"]
