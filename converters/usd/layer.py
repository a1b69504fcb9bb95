"""Prims of a written layer: as facts, in the form that the reader takes, and as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Final

import numpy as np

from mbconcord.converters.constants import ConstantReader
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.naming import Namer

from .stage import DOUBLES, in_model_units, round_to_stage

Facts = dict[str, Any]
#: Characters of a text that a layer writes as escapes.
ESCAPED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: Types of attributes that schemas do not let vary.
UNIFORM: Final = ("token", "token[]")
INDENT: Final = "    "


class UsdLayer:
    """The prims of a layer in the order of traversal, as facts; formulas of the model are evaluated to numbers."""

    def __init__(self, numbers: ConstantReader) -> None:
        self.numbers = numbers
        self.prims: list[Facts] = []

    @staticmethod
    def make(path: str, kind: str, apis: Iterable[str] = (), shown: str = "") -> Facts:
        """Return a new prim that is not yet in the layer; ``shown`` is its true name if its path ends in another."""
        prim: Facts = {"path": path, "type": kind}
        if applied := list(dict.fromkeys(apis)):
            prim["apis"] = applied
        if shown and shown != path.rpartition("/")[2]:
            prim["name"] = shown
        return prim

    @staticmethod
    def put(prim: Facts, key: str, kind: str, value: Any) -> None:
        """Put a value into a prim that does not come from a number of the model."""
        prim.setdefault("values", {})[key] = [kind, value]

    @staticmethod
    def aim(prim: Facts, key: str, *paths: str) -> None:
        """Put the targets of a relationship into a prim."""
        prim.setdefault("targets", {})[key] = [*paths]

    @staticmethod
    def apply(prim: Facts, api: str) -> None:
        """Apply a schema to a prim."""
        prim["apis"] = [*dict.fromkeys((*prim.get("apis", ()), api))]

    def number(self, prim: Facts, place: str, key: str, value: Expression, degrees: int = 0) -> None:
        """Put a number into a prim in single precision, with ``decimals`` if it would be read back as another number.

        ``degrees`` is 1 for an angle (rad), -1 for a value per radian: both are written in degrees.
        """
        self._singles(prim, place, key, "float", [value], degrees)

    def several(self, prim: Facts, place: str, key: str, kind: str, values: Sequence[Expression]) -> None:
        """Put several numbers into a prim: as doubles if the type is one, else as singles with ``decimals``."""
        if kind.startswith(DOUBLES):
            own = [float(self.numbers.text(place, x)) for x in values]
            prim.setdefault("values", {})[key] = [kind, own]
        else:
            self._singles(prim, place, key, kind, values, 0)

    def _singles(
        self, prim: Facts, place: str, key: str, kind: str, values: Sequence[Expression], degrees: int
    ) -> None:
        known = [self.numbers.value(place, x) for x in values]
        texts = [self.numbers.text(place, x) for x in known]
        own = [round_to_stage(float(text), 1.0, degrees) for text in texts]
        for text, x in zip(texts, own, strict=True):
            if not isfinite(x):
                what = f"found {text}, expected a number that single precision holds, at most 3.4e38"
                raise WriteError(error(place, what, "give the model numbers of smaller size, or write another format"))
        made: list[Any] = [kind, own[0] if kind == "float" else own]
        if any(in_model_units(kind, x, degrees=degrees) != y for x, y in zip(own, known, strict=True)):
            made.append(" ".join(texts))
        prim.setdefault("values", {})[key] = made


def find_prim_names(names: Iterable[str]) -> dict[str, str]:
    """Map names to distinct names of prims: ASCII letters, digits and underscores."""
    found, taken = {}, Namer(())
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        found[name] = taken.fresh(plain if plain and not plain[0].isdigit() else f"_{plain}")
    return found


# The text of a layer.


def print_layer(name: str, prims: Sequence[Facts]) -> str:
    """Return the text of a layer in metres and kilograms, z upwards, whose default prim has this name."""
    lines = ["#usda 1.0", "(", f'{INDENT}defaultPrim = "{name}"', f"{INDENT}metersPerUnit = 1"]
    lines += [f"{INDENT}kilogramsPerUnit = 1", f'{INDENT}upAxis = "Z"', ")"]
    open_paths: list[str] = []
    for prim in prims:
        above, _, own = prim["path"].rpartition("/")
        while open_paths and open_paths[-1] != above:
            lines.append(INDENT * (len(open_paths) - 1) + "}")
            open_paths.pop()
        lines += ["", *(INDENT * len(open_paths) + line for line in _head(prim, own))]
        open_paths.append(prim["path"])
        lines += [INDENT * len(open_paths) + line for line in _properties(prim)]
    lines += [INDENT * (n - 1) + "}" for n in range(len(open_paths), 0, -1)]
    return "\n".join(lines) + "\n"


def _head(prim: Facts, own: str) -> list[str]:
    said = []
    if apis := prim.get("apis"):
        said.append(f"prepend apiSchemas = [{', '.join(map(quote, apis))}]")
    if shown := prim.get("name"):
        said.append(f"displayName = {quote(shown)}")
    head = f"def {prim['type']} {quote(own)}"
    return [f"{head} (", *(INDENT + line for line in said), ")", "{"] if said else [head, "{"]


def _properties(prim: Facts) -> list[str]:
    lines = []
    for key, (kind, value, *exact) in prim.get("values", {}).items():
        uniform = kind in UNIFORM or key.startswith("mjc:")
        word = f"{'uniform ' * uniform}{kind} {key} = {_shown(kind, value)}"
        if not exact:
            lines.append(word)
            continue
        lines += [f"{word} (", f"{INDENT}customData = {{", f"{INDENT * 2}string decimals = {quote(exact[0])}"]
        lines += [f"{INDENT}}}", ")"]
    for key, paths in prim.get("targets", {}).items():
        ends = ", ".join(f"<{path}>" for path in paths)
        lines.append(f"rel {key} = {ends if len(paths) == 1 else f'[{ends}]'}")
    return lines


def quote(text: str) -> str:
    """Return a text in quotes, with the characters escaped that OpenUSD would misread."""
    signs = (ESCAPED.get(x) or (x if x >= " " and x != "\x7f" else f"\\x{ord(x):02x}") for x in text)
    return f'"{"".join(signs)}"'


def _shown(kind: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        inner = ", ".join(_shown(kind.removesuffix("[]"), x) for x in value)
        return f"[{inner}]" if kind.endswith("[]") else f"({inner})"
    return _digits(value, kind)


def _digits(x: float, kind: str) -> str:
    text = repr(float(x)) if kind.startswith(DOUBLES) else str(np.float32(x))
    return text.removesuffix(".0")
