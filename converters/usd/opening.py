"""Opening of stages: OpenUSD composes them in a separate process, under limits; the facts that it prints are read."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mbconcord.converters.format import Decoded, Reading
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error
from mbconcord.model.limits import FILE_BYTES, USD_BYTES, USD_CHARACTERS, USD_MEMORY, USD_SECONDS, read_within, too_many
from mbconcord.records import replace

from ..xacro import last_lines, run_limited
from .reader import read_facts

INSTALL: Final = "pip install 'mbconcord[usd]'"
#: The script that composes a stage.
COMPOSE: Final = Path(__file__).with_name("compose.py")
#: Beginnings of layers: as text, as binary, as an archive; and of the facts of a stage.
TEXT: Final = "#usda"
BINARY: Final = {b"PXR-USDC": ".usdc", b"PK\x03\x04": ".usdz"}
FACTS: Final = '{"stage": 1'
#: What OpenUSD says of a text: line, column, and what is wrong there.
SAID: Final = re.compile(r"""['"][^'"]+:(\d+):(\d+): (.+?)\s*['"]\s*$""")
#: Most characters of one argument of a process.
ARGUMENT: Final = 100_000
#: Environment variables that would make OpenUSD load other code, or look for files elsewhere.
UNSET: Final = ("PXR_PLUGINPATH_NAME", "PXR_AR_DEFAULT_SEARCH_PATH", "PYTHONPATH")
#: Distributions that put their own ``pxr`` into one folder.
SHARING: Final = ("usd-core", "usd-exchange")


def looks_like_usd(head: str) -> bool:
    """Return True for the text of a layer, or the facts of a stage."""
    return head.lstrip("\ufeff \t\r\n").startswith((TEXT, FACTS))


def decode(data: bytes, file: str) -> Decoded:
    """Return the text of a layer; for a binary layer or an archive, the facts of its stage.

    Raises
    ------
    ReadError
        The file is no layer or archive, or cannot be composed.
    """
    suffix = next((suffix for begin, suffix in BINARY.items() if data.startswith(begin)), "")
    if suffix:
        return Decoded(compose(file, data, suffix))
    try:
        return Decoded(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _failure(file, "it is neither a layer in UTF-8 nor a binary one", "name a file of OpenUSD") from None


def read(text: str, file: str, packages: Sequence[str] = (), program: str = "all") -> Reading:
    """Read the model of a stage from the text of its layer or from its facts.

    Layers that it names are read from its folder and from ``packages``; ``program`` names the program whose attributes
    are read besides those of UsdPhysics.

    Raises
    ------
    ReadError
        Every finding with its prim and property; or the stage cannot be composed.
    """
    plain = text.lstrip("\ufeff \t\r\n")
    composed = plain.startswith(FACTS)
    if composed and packages and Path(file).is_file():
        data = read_within(file)
        if data is None:
            raise _failure(file, too_many(Path(file).stat().st_size, "bytes", FILE_BYTES), "no model is so large")
        plain = compose(file, data, Path(file).suffix, packages)
    elif not composed:
        if len(text) > USD_CHARACTERS:
            raise _failure(file, too_many(len(text), "characters", USD_CHARACTERS), "no model has so many")
        if not plain.startswith(TEXT):
            raise _failure(file, f"the text does not begin with {TEXT}", "name the format with --from")
        plain = compose(file, text.encode(), ".usda", packages)
    try:
        facts: Mapping[str, Any] = json.loads(plain)
    except (ValueError, RecursionError) as problem:
        raise _failure(file, f"its facts are no JSON: {problem}", "name a stage") from None
    if "unread" in facts:
        raise _unread(file, str(facts["unread"]))
    reading = read_facts(facts, file, "" if composed else text, program)
    return replace(reading, diagnostics=(*_warn_mixed(), *reading.diagnostics)) if not composed else reading


def compose(
    file: str, data: bytes, suffix: str, packages: Sequence[str] = (), script: Sequence[str] = (),
    limits: tuple[int, int] = (USD_SECONDS, USD_MEMORY),
) -> str:  # fmt: skip
    """Return the facts of a stage whose root layer has the bytes ``data`` and the place of ``file``.

    ``script`` names another script than :data:`COMPOSE`, and the arguments before those of that one; ``limits`` are its
    seconds and bytes of memory.

    Raises
    ------
    ReadError
        usd-core is not installed; OpenUSD fails, or goes beyond the limits of time, memory or output.
    """
    if find_spec("pxr") is None:
        raise _failure(file, "stages are composed by OpenUSD (pxr), which is not installed", INSTALL)
    path = Path(file).resolve()
    with tempfile.TemporaryDirectory() as own, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        other = Path(own) / f"stage{suffix}"
        there = file != "-" and path.is_file()
        changed = not there or read_within(path) != data
        if changed:
            other.write_bytes(data)
        stage, text = (str(path), str(other) if changed else "") if there else (str(other), "")
        folders = [str(Path(stage).parent), *(str(Path(folder).resolve()) for folder in packages)]
        words = [sys.executable, "-I", *(script or [str(COMPOSE)]), stage, text, *folders]
        environment = {key: value for key, value in os.environ.items() if key not in UNSET}
        environment |= {"PXR_WORK_THREAD_LIMIT": "1"}
        code = run_limited(words, (*limits, USD_BYTES + 1), out, said, own, environment)
        if code is None or code == -getattr(signal, "SIGXCPU", 0):
            raise _failure(file, f"OpenUSD took more than {limits[0]} s", "no model takes so long")
        if out.tell() > USD_BYTES or code == -getattr(signal, "SIGXFSZ", 0):
            raise _failure(file, f"its facts are more than {USD_BYTES:,} bytes", "no model is so large")
        if code:
            reason = f"OpenUSD was ended by signal {-code}" if code < 0 else f"OpenUSD fails: {last_lines(said)}"
            raise _failure(file, reason, "its prims may stand too deep in one another, or need too much memory")
        out.seek(0)
        return out.read().decode("utf-8", "replace")


def transcribe(data: bytes, kept: Sequence[str] = ()) -> tuple[str, list[str]]:
    """Return the text of a binary layer as OpenUSD prints it, nothing composed, and the paths of arrays left out of it.

    Long arrays are left out, but those whose paths are ``kept``.

    Raises
    ------
    ReadError
        As :func:`compose`; or the bytes are no layer.
    """
    arrays = json.dumps([*kept])
    if len(arrays) > ARGUMENT:
        raise _failure("-", too_many(len(kept), "arrays", ARGUMENT // 100), "no body weighs so many meshes")
    found = json.loads(compose("-", data, ".usdc", (), (str(COMPOSE), "layer", arrays)))
    if "unread" in found:
        raise _failure("-", str(found["unread"]), "see what OpenUSD says of it")
    return found["text"], found["left"]


def _unread(file: str, said: str) -> ReadError:
    """Return the error of a text that OpenUSD cannot read, at the place that it names."""
    remedy, place = "see what OpenUSD says of it", SAID.search(said)
    if place is None:
        return _failure(file, said, remedy)
    return ReadError(error("", place[3], remedy, Location(file, int(place[1]), int(place[2]))))


def _failure(file: str, message: str, remedy: str) -> ReadError:
    return ReadError(error("", message, remedy, Location(file, 1, 1)))


def _warn_mixed() -> tuple[Diagnostic, ...]:
    """Return a warning if two distributions of OpenUSD are installed in one folder."""
    found = []
    for name in SHARING:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    if len(found) < 2:
        return ()
    message = f"{' and '.join(found)} are installed over one another: nobody knows which of them reads"
    return (Diagnostic("warning", "", message, "uninstall both, and install one"),)
