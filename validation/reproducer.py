"""One line that reproduces a model: MBSD where it can hold the model, native JSON where it cannot."""

from __future__ import annotations

import json

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.system import System


def reproducer(system: System) -> str:
    """The model as one line of text that :func:`mbconcord.converters.registry.read_text` reads back."""
    try:
        writing = registry.write(system, "mbsd")
    except MbconcordError:
        return native_line(system)
    line = " ".join(writing.text.split())
    return native_line(system) if writing.losses or "%" in line else line


def native_line(system: System) -> str:
    """The model in native JSON, on one line."""
    data = json.loads(registry.write(system, "native").text)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
