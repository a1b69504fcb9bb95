"""Layers of OpenUSD as texts, and the prims composed from them by references, payloads, sublayers and chosen variants.

Opinions are strongest first: the layer and its sublayers, then variants, references, payloads. Binary layers are
printed by OpenUSD, if it is asked; archives are unpacked here.
"""

from __future__ import annotations

import io
import json
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from ..machine import UnreadError
from .tags import MOST_BYTES, beside

#: Largest depth of prims, and largest number of prims and of binary layers; words of operations on lists.
DEEP, MOST_PRIMS, MOST_BINARY = 200, 20_000, 64
#: Length of an array (characters) whose digits are not counted.
SHORT: Final = 10_000
LISTS: Final = ("prepend", "append", "add", "delete", "reorder")
#: Arcs that are unknown here.
#: Types of prims that may have parts in binary layers, as long as no mass is asked of them.
DRAWN: Final = ("Mesh", "Material")
UNKNOWN: Final = ("inherits", "specializes", "relocates", "clips")
_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|-?inf\b|nan\b"
_TOKEN: Final = re.compile(
    r'\s+|#[^\n]*|(?P<text>"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<array>\[[\d\s.,()eE+-]*\])"
    rf"|(?P<asset>@[^@\n]*@)|(?P<path><[^>\n]*>)|(?P<number>{_NUMBER})"
    r"|(?P<word>[A-Za-z_][\w:]*(?:\.[A-Za-z]\w*)?(?:\[\])?)|(?P<sign>[()\[\]{}=,;:])"
)
#: What JSON does not know of arrays: a point at the beginning or the end of a number, signs +, a comma at the end.
_POINT, _FRACTION = re.compile(r"(?<![\d.])\.(?=\d)"), re.compile(r"\d\.(?!\d)")
_LOOSE: Final = re.compile(r"(?<![eE])\+|,(?=\s*\])")
_BRACKETS: Final = str.maketrans("()", "[]")


@dataclass(frozen=True)
class SecondOpinion:
    """A property's value in a layer: type, value, list operation, metadata (``said``), most digits of its numbers."""

    type: str
    value: Any = None
    operation: str = ""
    said: Mapping[str, list[tuple[str, Any]]] = field(default_factory=dict)
    digits: int = 0


@dataclass(eq=False)
class SecondSpec:
    """A prim in one layer: metadata (``said``), properties (``own``), children (``inner``), and variants."""

    specifier: str = "over"
    type: str = ""
    said: dict[str, list[tuple[str, Any]]] = field(default_factory=dict)
    own: dict[str, list[SecondOpinion]] = field(default_factory=dict)
    inner: dict[str, SecondSpec] = field(default_factory=dict)
    variants: dict[str, dict[str, SecondSpec]] = field(default_factory=dict)

    def last(self, key: str, default: Any = None) -> Any:
        """Return the last value of a key of the metadata; ``default`` if there is none."""
        return self.said[key][-1][1] if key in self.said else default


class _Descent:
    """Parser of one layer by recursive descent over its tokens (``words``)."""

    def __init__(self, text: str) -> None:
        self.words: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise UnreadError(f"a layer with {text[at : at + 20]!r}")
            if found.lastgroup:
                self.words.append((found.lastgroup, found[0]))
            at = found.end()
        self.at = 0

    def is_next(self, *texts: str) -> bool:
        return self.at < len(self.words) and self.words[self.at][1] in texts

    def take(self, *expected: str) -> str:
        kind, text = self.words[self.at]
        if expected and text not in expected and kind not in expected:
            raise UnreadError(f"a layer with {text!r:.30} in place of {' or '.join(expected)}")
        self.at += 1
        return text

    def passed(self, *texts: str) -> bool:
        found = self.is_next(*texts)
        self.at += found
        return found

    def name(self) -> str:
        return self.take("text")[1:-1]

    def layer(self) -> SecondSpec:
        whole = SecondSpec("def")
        self.metadata(whole.said)
        while self.at < len(self.words):
            self.item(whole, 0)
        return whole

    def metadata(self, said: dict[str, list[tuple[str, Any]]]) -> None:
        if not self.passed("("):
            return
        while not self.passed(")"):
            if self.words[self.at][0] == "text":
                self.at += 1
            else:
                operation = self.take() if self.is_next(*LISTS) else ""
                key = self.take("word")
                self.take("=")
                said.setdefault(key, []).append((operation, self.value()))
            self.passed(";")

    def value(self) -> Any:
        kind, text = self.words[self.at]
        self.at += 1
        if kind == "number":
            return float(text)
        if kind == "array":  # at once, since meshes have millions of numbers
            plain = text.translate(_BRACKETS)
            try:
                return json.loads(plain)
            except ValueError:
                return json.loads(_FRACTION.sub(r"\g<0>0", _LOOSE.sub("", _POINT.sub("0.", plain))))
        if kind == "text":
            quotes = 3 if text.startswith('"""') else 1
            return re.sub(r"\\(.)", r"\1", text[quotes:-quotes])
        if kind == "asset":
            prim = self.take() if self.at < len(self.words) and self.words[self.at][0] == "path" else "<>"
            return self._offset(("arc", text[1:-1], prim[1:-1]))
        if kind == "path":
            return self._offset(("arc", "", text[1:-1]))
        if text in ("(", "["):
            end, found = ")" if text == "(" else "]", []
            while not self.passed(end):
                found.append(self.value())
                self.passed(",")
            return found
        if text == "{":
            return self._dictionary()
        return {"true": True, "false": False, "None": None}.get(text, text)

    def _offset(self, arc: Any) -> Any:
        self.metadata({})
        return arc

    def _dictionary(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self.passed("}"):
            words = [self.take()]
            while not self.is_next("=", ":"):
                words.append(self.take())
            self.at += 1
            found[words[-1].strip("\"'")] = self.value()
            self.passed(",")
            self.passed(";")
        return found

    def item(self, inside: SecondSpec, depth: int) -> None:
        if depth > DEEP:
            raise UnreadError("prims deep in one another")
        if self.is_next("def", "over", "class"):
            specifier = self.take()
            kind = "" if self.words[self.at][0] == "text" else self.take("word")
            found = inside.inner.setdefault(self.name(), SecondSpec(specifier, kind))
            self.body(found, depth)
        elif self.passed("variantSet"):
            made = inside.variants.setdefault(self.name(), {})
            self.take("=")
            self.take("{")
            while not self.passed("}"):
                self.body(made.setdefault(self.name(), SecondSpec()), depth)
        else:
            self._property(inside)

    def body(self, found: SecondSpec, depth: int) -> None:
        self.metadata(found.said)
        self.take("{")
        while not self.passed("}"):
            self.item(found, depth + 1)
            self.passed(";")

    def _property(self, inside: SecondSpec) -> None:
        operation = self.take() if self.is_next(*LISTS) else ""
        while self.passed("custom", "uniform", "varying", "config"):
            pass
        kind, key, value, begin = self.take("word"), self.take("word"), None, self.at
        if self.passed("="):
            value = self.value()
        numbers = (text for group, text in self.words[begin : self.at] if group in ("number", "array"))
        texts = [re.split("[eE]", x)[0] for text in numbers if len(text) < SHORT for x in re.findall(_NUMBER, text)]
        digits = max((len(re.sub(r"\D", "", text).strip("0")) for text in texts), default=0)
        said: dict[str, list[tuple[str, Any]]] = {}
        self.metadata(said)
        inside.own.setdefault(key, []).append(SecondOpinion(kind, value, operation, said, digits))


#: Key of a layer that was read: its archive (or None) by identity, and its place there, or in folders.
_Key = tuple[int, str]


@dataclass(frozen=True)
class _LongArray:
    """In place of an array's numbers: the binary layer and the path by which they can be asked for."""

    layer: _Key
    path: str


@dataclass(frozen=True, eq=False)
class _Layer:
    """A layer, the folder of its file, and the files of the archive that it lies in, if it does.

    Opinions of its sublayers are weaker than its own.
    """

    root: SecondSpec
    folder: str
    packed: Mapping[str, bytes] | None = None


@dataclass(frozen=True, eq=False)
class _Site:
    """A prim's spec in ``layer``, a sublayer of ``root``; ``moved`` are pairs of a path there and one on the stage."""

    spec: SecondSpec
    layer: _Layer
    root: _Layer
    moved: tuple[tuple[str, str], ...] = ()

    def map(self, path: str) -> str:
        """Return the path on the stage of a path in the site's layer."""
        for source, place in self.moved:
            if path == source or path.startswith(source + "/"):
                path = place + path[len(source) :]
        return path


@dataclass(eq=False)
class SecondPrim:
    """A prim composed of the specs at its sites, strongest first."""

    path: str
    sites: list[_Site]
    type: str = ""
    apis: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Name of the prim: the last part of its path."""
        return self.path.rpartition("/")[2]

    def require_text(self) -> None:
        """Raise :class:`BinaryError` if a part of the prim is in a layer that is no text."""
        if unread := self.said("unread"):
            raise BinaryError(f"{self.path} in {unread}")

    def opinion(self, key: str) -> SecondOpinion | None:
        """Return the strongest opinion with a value of a property; None if there is none."""
        if any(f"{key}.timeSamples" in site.spec.own for site in self.sites):
            raise UnreadError(f"{self.path}.{key}, which changes with time")
        found = next(
            (o for site in self.sites for o in reversed(site.spec.own.get(key, ())) if o.value is not None), None
        )
        if found is not None and isinstance(found.value, _LongArray):
            raise UnreadError(f"the array {self.path}.{key} of a binary layer")
        return found

    def value(self, key: str, default: Any = None) -> Any:
        """Return the strongest value of a property; ``default`` if there is none."""
        found = self.opinion(key)
        return default if found is None else found.value

    def said(self, key: str, default: Any = None) -> Any:
        """Return the strongest value of a key of the metadata; ``default`` if there is none."""
        return next((site.spec.last(key) for site in self.sites if key in site.spec.said), default)

    def targets(self, key: str) -> list[str]:
        """Return the targets of a relationship, mapped to the stage."""
        lists = [
            (o.operation, [site.map(path) for _, _, path in _rows(o.value)])
            for site in self.sites for o in site.spec.own.get(key, ()) if o.value is not None
        ]  # fmt: skip
        return _merge(lists)


def _rows(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _merge(lists: Sequence[tuple[str, list[Any]]]) -> list[Any]:
    """Return the list that results from list operations, given strongest first, and applied weakest first."""
    found: list[Any] = []
    for operation, items in reversed(lists):
        kept = [x for x in found if x not in items]
        if operation == "prepend":
            found = [*items, *kept]
        elif operation in ("append", "add"):
            found = [*kept, *items] if operation == "append" else [*found, *(x for x in items if x not in found)]
        elif operation == "delete":
            found = kept
        elif not operation:
            found = [*items]
    return found


class BinaryError(UnreadError):
    """Error: a layer is no text."""


class SecondLayers:
    """The stage composed from a layer's text and the layers it names in its folder or below: ``prims`` by path.

    ``transcribe`` prints binary layers, see :class:`At`; ``file`` is read if the text is that of no layer.
    """

    def __init__(
        self, text: str, folder: str, file: str = "",
        transcribe: Callable[[bytes, tuple[str, ...]], tuple[str, list[str]]] | None = None,
    ) -> None:  # fmt: skip
        self._read: dict[_Key, _Layer] = {}
        self._binary: dict[_Key, bytes] = {}
        self._left: dict[_Key, list[str]] = {}
        self._count, self._transcribe = 0, transcribe
        plain = not file or text.lstrip("\ufeff").startswith("#usda")
        root = _layer(text, folder) if plain else self._open(_Layer(SecondSpec(), folder), file)
        self.said = root.root
        whole = [_Site(layer.root, layer, root) for layer in self._sublayers(root, ())]
        self.prims = {prim.path: prim for prim in self._walk("", whole, 0)}

    def _open(self, layer: _Layer, name: str) -> _Layer:
        packed = layer.packed
        place = str(Path(layer.folder, name) if packed is None else posixpath.normpath(f"{layer.folder}/{name}"))
        key = id(packed), place
        if key not in self._read:
            data = beside(layer.folder, name) if packed is None else packed.get(place)
            if data is None:
                raise UnreadError(f"the file {name} of an archive")
            if data.startswith(b"PK\x03\x04"):
                packed = _unpack(data, name)
                place, data = next(iter(packed.items()))
            text = data.decode("utf-8") if data.startswith(b"#usda") else self._print(key, name, data)
            self._read[key] = _layer(text, str(PurePosixPath(place).parent if packed else Path(place).parent), packed)
            for path in self._left.get(key, ()):
                prim, _, word = path.partition(".")
                if (spec := _spec_at(self._read[key].root, prim)) is not None:
                    spec.own.setdefault(word, []).append(SecondOpinion("", _LongArray(key, path)))
        return self._read[key]

    def _print(self, key: _Key, name: str, data: bytes) -> str:
        """Return the text of a binary layer that OpenUSD prints, without its long arrays."""
        if self._transcribe is None:
            raise BinaryError(f"the layer {name}, which is no text")
        if len(self._binary) >= MOST_BINARY:
            raise UnreadError(f"more than {MOST_BINARY} binary layers")
        try:
            text, self._left[key] = self._transcribe(data, ())
        except UnreadError as problem:
            raise UnreadError(f"the layer {name}, which is no text: {problem}") from None
        self._binary[key] = data
        return text

    def fetch(self, prims: Iterable[SecondPrim], keys: Sequence[str]) -> None:
        """Read the long arrays of these properties of prims from the binary layers that they stand in."""
        wanted: dict[_Key, dict[str, list[SecondOpinion]]] = {}
        for opinions in (s.spec.own.get(key, []) for prim in prims for s in prim.sites for key in keys):
            if opinions and isinstance(array := opinions[-1].value, _LongArray):
                wanted.setdefault(array.layer, {})[array.path] = opinions
        for layer, paths in wanted.items():
            assert self._transcribe is not None
            root = _layer(self._transcribe(self._binary[layer], tuple(paths))[0], "").root
            for path, opinions in paths.items():
                prim, _, word = path.partition(".")
                spec = _spec_at(root, prim)
                opinions[:] = [] if spec is None else spec.own.get(word, [])

    def _sublayers(self, layer: _Layer, above: tuple[int, ...]) -> Iterator[_Layer]:
        if id(layer) in above or len(above) > DEEP:
            raise UnreadError("layers in one another")
        yield layer
        for _, name, _ in _rows(layer.root.last("subLayers")):
            yield from self._sublayers(self._open(layer, name), (*above, id(layer)))

    def _walk(self, path: str, sites: list[_Site], depth: int) -> Iterator[SecondPrim]:
        names: dict[str, None] = {}
        for site in reversed(sites):
            names |= dict.fromkeys(site.spec.inner)
        for name in names:
            place = f"{path}/{name}"
            given = [
                _Site(site.spec.inner[name], site.layer, site.root, site.moved)
                for site in sites
                if name in site.spec.inner
            ]
            whole = self._expand(place, given, {}, depth)
            specifiers = {site.spec.specifier for site in whole}
            active = next((s.spec.last("active") for s in whole if "active" in s.spec.said), True)
            self._count += 1
            if self._count > MOST_PRIMS or depth > DEEP:
                raise UnreadError(f"more than {MOST_PRIMS} prims")
            if active is False or "class" in specifiers or "def" not in specifiers:
                continue
            kind = next((site.spec.type for site in whole if site.spec.type), "")
            schemas = [made for site in whole for made in reversed(site.spec.said.get("apiSchemas", []))]
            apis = frozenset(_merge([(operation, _rows(names)) for operation, names in schemas]))
            yield SecondPrim(place, whole, kind, apis)
            yield from self._walk(place, whole, depth + 1)

    def _expand(self, place: str, sites: list[_Site], chosen: dict[str, str], depth: int) -> list[_Site]:
        """Return a prim's sites with those of variants and arcs added; ``chosen`` are variants of stronger sites."""
        if depth > DEEP:
            raise UnreadError("arcs in one another")
        for site in sites:
            if unknown := [word for word in UNKNOWN if site.spec.last(word)]:
                raise UnreadError(f"{unknown[0]} of {place}")
            chosen = {**(site.spec.last("variants") or {}), **chosen}
        found = [*sites]
        for site in sites:
            for name, variants in site.spec.variants.items():
                if chosen.get(name) in variants:
                    inner = _Site(variants[chosen[name]], site.layer, site.root, site.moved)
                    found += self._expand(place, [inner], chosen, depth + 1)
        for word in ("references", "payload"):
            arcs = [(op, [(a, s) for a in _rows(x)], s) for s in sites for op, x in s.spec.said.get(word, [])]
            for (_, name, path), site in _merge([(op, items) for op, items, _ in arcs]):
                found += self._referred(place, site, name, path, chosen, depth)
        return found

    def _referred(
        self, place: str, site: _Site, name: str, path: str, chosen: dict[str, str], depth: int
    ) -> list[_Site]:
        try:
            root = self._open(site.layer, name) if name else site.root
        except BinaryError as problem:
            if site.spec.type not in DRAWN:
                raise
            return [_Site(SecondSpec("over", said={"unread": [("", str(problem))]}), site.layer, site.root)]
        layers = [*self._sublayers(root, ())]
        path = path or f"/{layers[0].root.last('defaultPrim')}"
        given = []
        for layer in layers:
            if (spec := _spec_at(layer.root, path)) is not None:
                given.append(_Site(spec, layer, root, ((path, place),)))
        if not given:
            raise UnreadError(f"an arc to {path}, which is not there")
        return self._expand(place, given, chosen, depth + 1)


def _spec_at(root: SecondSpec, path: str) -> SecondSpec | None:
    """Return the spec at a path of a layer; None if there is none."""
    spec: SecondSpec | None = root
    for part in path.strip("/").split("/"):
        spec = None if spec is None else spec.inner.get(part)
    return spec


def _layer(text: str, folder: str, packed: Mapping[str, bytes] | None = None) -> _Layer:
    if not text.lstrip("\ufeff").startswith("#usda"):
        raise BinaryError("a stage that is no text")
    return _Layer(_Descent(text.lstrip("\ufeff")).layer(), folder, packed)


def _unpack(data: bytes, name: str) -> dict[str, bytes]:
    """Return the files of an archive by name, its root layer first; they are stored as they are."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = archive.infolist()
            stored = all(x.compress_type == zipfile.ZIP_STORED for x in files)
            if not files or not stored or sum(x.file_size for x in files) > MOST_BYTES:
                raise UnreadError(f"the archive {name}, which is packed otherwise than a stage")
            return {posixpath.normpath(x.filename): archive.read(x) for x in files}
    except (zipfile.BadZipFile, OSError, NotImplementedError, EOFError):
        raise UnreadError(f"the archive {name}, which cannot be read") from None
