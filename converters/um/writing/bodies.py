"""Bodies as blocks: mass, inertia tensor about the centre of mass, centre of mass in the body's frame."""

from __future__ import annotations

from mbconcord.model import Body

from ..document import Attribute, Block
from .fields import Fields, block, quoted

#: The oriented point that UM puts into every body.
FRAME_POINT = "{\n      '' '' '' 'LSC'  '0' '0' '0' '0' '0' '0'\n    }"


def body_block(
    number: int, image: int, body: Body, fields: Fields, points: tuple[Attribute, ...] | None
) -> Block:
    """The block of a body with the number of its image, and the points it had (None: a new body)."""
    place, inertia = f"bodies/{body.name}", body.inertia
    xx, yy, zz, xy, xz, yz = inertia.tensor
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    centre = zip(("rcx", "rcy", "rcz"), inertia.centre, strict=True)
    values = [("m", inertia.mass), *moments.items(), *centre]
    return block(
        "body",
        number,
        [
            ("name", quoted(fields.names.body(body.name))),
            ("ppjoint", "0"),
            ("igrobj", str(image)),
            *((key, fields.formula(f"{place}/inertia", value)) for key, value in values),
            *((a.key, a.value) for a in points or (Attribute("opoints", FRAME_POINT),)),
        ],
    )
