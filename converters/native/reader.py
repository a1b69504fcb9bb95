"""Reading the native format: JSON text to a model, every finding with its place, line and column.

Writing the native format: a model to JSON text, the same bytes for the same model.
"""

from __future__ import annotations

from mbconcord.converters.format import Reading, Writing
from mbconcord.converters.json_text import JsonText, Numeral, Value, render
from mbconcord.model.diagnostics import ReadError, WriteError, error
from mbconcord.model.system import System

from . import FORMAT_NAME, VERSION
from .layout import NEWER, SYSTEM
from .shape import NativeFindings


def read(text: str, file: str = "-") -> Reading:
    """Read the model of a native JSON text.

    Raises
    ------
    ReadError
        All findings at once (of a broken JSON text the first), each with its location.
    """
    source = JsonText(text, file)
    document = source.scan()
    findings = NativeFindings(source)
    model = _model(document, findings)
    system = SYSTEM.read(model, "", findings) if model else None
    if not isinstance(system, System):
        raise ReadError(findings.errors)
    return Reading(system, locations=findings.locations)


def _model(document: Value, findings: NativeFindings) -> Value | None:
    """Return the document without its head, or None if it is of another format or version."""
    if not isinstance(document.data, dict):
        findings.refuse_kind("", document, "an object, the model")
        return None
    keys = dict(document.data)
    name, version = keys.pop("format", None), keys.pop("version", None)
    if name is None or name.data != FORMAT_NAME:
        at = name or document
        found = f"the format {name.data!r}" if name and isinstance(name.data, str) else "no format"
        findings.wrong("format", at, f'found {found}; expected "format": "{FORMAT_NAME}"')
        return None
    if version is None or not isinstance(version.data, Numeral) or version.data.value != VERSION:
        at = version or document
        found = f"version {version.plain()!r}" if version else "no version"
        findings.wrong("version", at, f"found {found}; this program knows version {VERSION}", NEWER)
        return None
    return Value(keys, document.offset)


def write(system: System) -> Writing:
    """Write the native JSON text of a model without loss: ``read(write(system).text).system == system``.

    Raises
    ------
    WriteError
        The metadata or a name contains something that JSON texts cannot hold.
    """
    text = render({"format": FORMAT_NAME, "version": VERSION, **SYSTEM.write(system)}) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        found = ascii(text[problem.start : problem.end])
        raise WriteError(error("", f"the name or text {found} has half a character", "rename it")) from None
    return Writing(text)
