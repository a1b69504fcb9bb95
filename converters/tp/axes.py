"""Names of the axes: the paper's rule, which leaves the vectors that are not collinear (НКО).

At the start all frames are parallel to the fixed one. A prismatic body has the axes of its base; a revolute
body shares the axis it turns about, and its other two are named after it: ``x_3``, ``y_3``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

Names = tuple[str, str, str]
FIXED: Final[Names] = ("x", "y", "z")


def body_axes(base: Names, kind: str, letter: int, number: int) -> Names:
    """Names of a body's axes from those of its base; ``letter``: which axis of the base the joint uses."""
    if kind == "translation":
        return base
    x, y, z = (base[i] if i == letter else f"{FIXED[i]}_{number}" for i in range(3))
    return x, y, z


def axis_index(name: str, names: Names) -> tuple[int, int] | None:
    """Which of the axes a signed name is, and its sign; None when it is none of them."""
    bare = name.removeprefix("-").strip()
    return (names.index(bare), -1 if name.startswith("-") else 1) if bare in names else None


def noncollinear(frames: Sequence[Names]) -> tuple[str, ...]:
    """The list НКО: names of the fixed frame that occur, in order x, y, z; then new names row by row."""
    used = {name for names in frames for name in names}
    order = dict.fromkeys(name for name in FIXED if name in used)
    for names in frames:
        order.update(dict.fromkeys(names))
    return tuple(order)


def signed(letter: int, sign: int, names: Names) -> str:
    """The signed name of an axis."""
    return ("-" if sign < 0 else "") + names[letter]
