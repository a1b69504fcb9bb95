"""The document of an SDF: models that it includes stand where it names them, as it says."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from ..machine import UnreadError
from .sdf_frames import yes
from .tags import Tag, beside, root

#: Inclusions of a document: more of them include one another.
MOST: Final = 1000
#: What an inclusion says of a model in place of what that says itself.
SAID: Final = ("pose", "static")


def document(text: str, folder: str) -> Tag:
    """The root element of a text, what it includes in place."""
    found = root(text, "sdf")
    waiting, count = [found], 0
    while waiting:
        tag = waiting.pop()
        if tag.name in ("world", "model"):
            for k, child in enumerate(tag.inner):
                if child.name == "include":
                    count += 1
                    tag.inner[k] = _included(child, folder)
        if count > MOST:
            raise UnreadError("models that include one another")
        waiting += tag.inner
    return found


def _included(include: Tag, folder: str) -> Tag:
    """The model of a file; name, pose, placement and rest are those of the inclusion where it says them."""
    if yes(include.own.get("merge", "false")):
        raise UnreadError("a model that is merged into another")
    name = include.one("uri").text.strip().removeprefix("model://")
    if PurePosixPath(name).suffix != ".sdf":
        name = f"{name}/model.sdf"
    model = root(beside(folder, name).decode("utf-8-sig"), "sdf").all("model")[0]
    own = dict(model.own)
    for key in ("name", "placement_frame"):
        said = include.one(key).text.strip()
        own |= {key: said} if said else {}
    still = any(yes(tag.text) for tag in model.all("static"))
    here = [tag for key in SAID for tag in include.all(key) if not (key == "static" and still)]
    replaced = {tag.name for tag in here}
    beside_it = [tag for tag in include.inner if tag.name not in ("uri", "name", "placement_frame", *SAID)]
    return Tag("model", own, [*here, *(tag for tag in model.inner if tag.name not in replaced), *beside_it])
