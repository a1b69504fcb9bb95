"""What stands in a file, found by looking at its bytes, and what of it a conversion neither keeps nor lists as lost."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from mbconcord.converters import registry
from mbconcord.model import System
from mbconcord.model.expressions import evaluate_float
from mbconcord.model.numbers import parameter_values

from .conversions import Conversion

#: Comments that Universal Mechanism writes by itself.
HEADINGS = {
    "Subsystems and standard elements (wheelsets, etc)", "Bodies, inertia parameters, images", "Contact forces",
    "Joints, degrees of freedom, hinges, initial conditions", "Linear force elements", "Bipolar force elements",
}  # fmt: skip
#: Blocks of an input.dat that no model holds.
BESIDE = re.compile(r"with (go|curve|var|sensor|cnstpages|cfrc|lfrc|sfrc|conn)\d*;")
KINDS = {
    "go": "image", "curve": "curve", "var": "variable", "sensor": "sensor", "cnstpages": "page", "cfrc": "contact",
    "lfrc": "linear-element", "sfrc": "bushing", "conn": "connection",
}  # fmt: skip


def text_of(data: bytes, page: str) -> str:
    """The text of a file in a code page."""
    return data.decode(page).removeprefix("\ufeff")


def comments(text: str, format: str) -> list[str]:
    """What the author of a text said in words."""
    if format == "mbsd":
        return [found.strip("% \r") for found in re.findall(r"%[^\n]*", text)]
    if format != "um":
        return []
    plain = re.sub(r'"[^"\n]*"', lambda quoted: quoted[0].replace("$", "S"), text)
    marked = [found.strip() for found in re.findall(r"\$([^\r\n]*)", plain)]
    remarks = re.findall(r'cnst=\([^#;]*#[^#;]*#\s*"([^"]+)"', text)
    about = re.findall(r'comments="([^"]+)"', text)
    return [*(c for c in marked if c not in HEADINGS), *(r for r in remarks if r != "no value"), *about]


def beside(text: str, format: str) -> dict[str, int]:
    """How many blocks of which kind a text has that no model holds."""
    return dict(Counter(KINDS[found] for found in BESIDE.findall(text))) if format == "um" else {}


def untold(data: bytes, page: str, source: str, made: Conversion) -> Iterator[str]:
    """What of the bytes of a file of the format ``source`` is neither in the target nor among the losses."""
    name = f"model{registry.format_named(made.format).suffixes[0]}"
    target = registry.encode(made.writing, name, made.format)
    written = text_of(target, made.writing.encoding or "utf-8")
    losses = [(loss.place, loss.what) for loss in made.writing.losses]
    text = text_of(data, page)
    for comment in comments(text, source):
        lost = any(place.startswith("omissions/comment/") and comment[:30] in what for place, what in losses)
        if not (lost or comment in written or comment.replace('"', '\\"') in written):
            yield f"the comment {comment!r}"
    ends = target.count(b"\r\n") == target.count(b"\n")
    told = ("omissions/file/line-end", "the line end CR LF") in losses or '"CR LF"' in written
    if b"\r\n" in data and not ends and not told:
        yield "the line ends"
    told = ("omissions/file/encoding", f"the code page {page}") in losses or f'"{page}"' in written
    if page != "utf-8" and made.writing.encoding != page and not told:
        yield f"the code page {page}"
    for kind, count in beside(text, source).items():
        lost = sum(place.startswith(f"omissions/{kind}/") for place, _ in losses)
        kept = beside(written, made.format).get(kind, written.count(f'"kind": "{kind}"'))
        if kept + lost < count:
            yield f"{count} of kind {kind}: {kept} kept, {lost} lost"
    yield from _numbers(made, {place for place, _ in losses})


def _numbers(made: Conversion, lost: set[str]) -> Iterator[str]:
    """Gravity and the values of the parameters are the same, or lost."""
    ours, theirs = _values(made.system), _values(made.again)
    if "gravity" not in lost:
        before, after = (
            [float(evaluate_float(x, values)) for x in system.gravity_vector]
            for system, values in ((made.system, ours), (made.again, theirs))
        )
        if not all(map(math.isclose, before, after)):
            yield f"gravity {before}, read as {after}"
    for name in ours.keys() & theirs.keys():
        if not math.isclose(ours[name], theirs[name]) and not lost & {f"parameters/{name}", "parameters"}:
            yield f"the parameter {name} = {ours[name]}, read as {theirs[name]}"


def _values(system: System) -> dict[str, float]:
    """Numbers of the parameters; 1 where one has none."""
    return parameter_values(system, {p.name: 1.0 for p in system.parameters if p.value is None})
