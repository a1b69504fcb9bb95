"""Shapes as geoms without mass, and their meshes as assets that MuJoCo can read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import Fitted, Fittings, Shape
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import Location
from mbconcord.model.expressions import evaluate_float
from mbconcord.model.naming import Namer

from .elements import pose_attributes

#: Suffixes of mesh files that MuJoCo reads, and the most triangles of one .stl.
READABLE: Final = (".stl", ".obj", ".msh")
MOST_TRIANGLES: Final = 200_000
#: Kind of shape -> indices of the sizes that MuJoCo gives as halves.
HALVED: Final = {"box": (0, 1, 2), "cylinder": (1,), "capsule": (1,), "plane": (0, 1)}
#: Usual groups of geoms: drawn shapes, and shapes that collide and are not drawn.
SEEN, HIDDEN = "2", "3"


class MjcfShapes:
    """Writer of shapes; ``meshes`` are the assets that they use, by file and scale."""

    def __init__(self, fittings: Fittings, fitted: Fitted, numbers: ConstantReader) -> None:
        self.fittings, self.fitted, self.numbers = fittings, fitted, numbers
        self.meshes: dict[tuple[str, str], XmlElement] = {}
        self.names = Namer(())

    def geoms(self, body: str | None) -> Iterator[XmlElement]:
        """Yield the geoms of a body, without mass and with the contacts that its shapes had."""
        for shape in self.fittings.on(body):
            place = f"omissions/{shape.place}"
            why = self._refusal(shape)
            if why:
                self.fitted.lose(shape.place, f"the {shape.kind} {shape.file}".rstrip(), why)
                continue
            self.fitted.hold_shape(shape)
            attributes = {"type": shape.kind} | self._size(shape, place)
            attributes |= pose_attributes(shape.pose, self.numbers, place)
            attributes |= {"mass": "0", "group": SEEN if shape.seen else HIDDEN}
            if shape.contacts != (1, 1):
                attributes |= dict(zip(("contype", "conaffinity"), map(str, shape.contacts), strict=True))
            if shape.colour is not None:
                attributes["rgba"] = self.numbers.texts(place, shape.colour)
            yield XmlElement("geom", attributes, Location("", 1, 1))

    def _size(self, shape: Shape, place: str) -> dict[str, str]:
        if shape.kind == "mesh":
            return {"mesh": self._mesh(shape, place)}
        halved = HALVED.get(shape.kind, ())
        size = [x / 2 if i in halved else x for i, x in enumerate(shape.size)]
        texts = [self.numbers.text(place, x) for x in size]
        if shape.kind == "plane":  # the third is the spacing of its grid
            texts = [*(texts or ["0", "0"]), "1"]
        return {"size": " ".join(texts)}

    def _mesh(self, shape: Shape, place: str) -> str:
        """Return the name of a mesh's asset, which has a shell's inertia: flat meshes have one, and no body uses it."""
        scale = self.numbers.texts(place, shape.size)
        known = self.meshes.get((shape.beside, scale))
        if known is None:
            name = self.names.fresh(Path(shape.beside).stem)
            attributes = {"name": name, "file": shape.beside, "inertia": "shell"}
            attributes |= {} if scale == "1 1 1" else {"scale": scale}
            known = self.meshes[shape.beside, scale] = XmlElement("mesh", attributes, Location("", 1, 1))
        return known.attributes["name"]

    @staticmethod
    def _refusal(shape: Shape) -> str:
        """Return the reason why MuJoCo would refuse a shape; empty if it would not."""
        sizes = [evaluate_float(x, {}) for x in shape.size]
        if shape.kind != "mesh":
            return "" if shape.kind == "plane" or min(sizes) > 0 else "MuJoCo refuses sizes that are not positive"
        if shape.path is None:
            return "its file is not found: MuJoCo would refuse the model (--read package-path=FOLDER names its package)"
        if shape.path.suffix.lower() not in READABLE:
            return f"MuJoCo reads {', '.join(READABLE)}"
        return _refuse_stl(shape.path) if shape.path.suffix.lower() == ".stl" else ""


def _refuse_stl(path: Path) -> str:
    """Return the reason why MuJoCo refuses an .stl file, which must be binary with a bounded number of triangles."""
    if path.exists() and not path.is_file():
        return f"{path.name}: no regular file"
    try:
        with path.open("rb") as opened:
            head, size = opened.read(84), path.stat().st_size
    except OSError as problem:
        return f"{path.name}: {problem.strerror}"
    count = int.from_bytes(head[80:84], "little")
    if size != 84 + 50 * count:
        return "MuJoCo reads binary .stl"
    return "" if 0 < count <= MOST_TRIANGLES else f"MuJoCo reads {MOST_TRIANGLES:,} triangles at most"
