"""What of a model's native JSON is another: every field by its path, things that have names by these."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from mbconcord.model.limits import cut

#: So many fields are told.
MOST: Final = 6


class _Digits(str):
    """A number as it is written: no digit of it is lost, or added."""


def changed_fields(before: str, now: str) -> tuple[str, ...]:
    """``bodies/forearm/inertia/mass was 2, is 3``, the first of them."""
    was, is_ = (dict(_fields("", json.loads(text, parse_float=_Digits))) for text in (before, now))
    found = [
        _said(path, was.get(path), is_.get(path))
        for path in dict.fromkeys((*was, *is_))
        if was.get(path) != is_.get(path)
    ]
    return (*found[:MOST], f"and {len(found) - MOST} fields more") if len(found) > MOST else tuple(found)


def _said(path: str, was: str | None, is_: str | None) -> str:
    if was is None:
        return f"{path} is new: {is_}"
    return f"{path} was {was}, is gone" if is_ is None else f"{path} was {was}, is {is_}"


def _fields(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Fields with their values as text; lists of numbers and names are one."""
    below = f"{path}/" if path else ""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            if not (key == "name" and path):
                yield from _fields(f"{below}{key}", inner)
        if path and value.keys() == {"name"}:
            yield path, _text(value["name"])
    elif isinstance(value, list) and any(isinstance(x, dict | list) for x in value):
        for k, inner in enumerate(value, 1):
            name = inner.get("name") if isinstance(inner, dict) else None
            yield from _fields(f"{below}{k if name is None else name}", inner)
    else:
        yield path, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, _Digits):
        return cut(value)
    if isinstance(value, list):
        return cut(f"[{', '.join(map(_text, value))}]")
    return cut(json.dumps(value, ensure_ascii=False))
