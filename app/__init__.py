"""mbconcord: convert multibody models and cross-validate their equations of motion."""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

#: Public names and the modules they come from; a module is imported when its name is first used.
_PUBLIC = {
    "read": "mbconcord.converters.registry",
    "read_text": "mbconcord.converters.registry",
    "write": "mbconcord.converters.registry",
    "formalism": "mbconcord.formalisms.registry",
    "System": "mbconcord.model",
    "State": "mbconcord.model",
    "MbconcordError": "mbconcord.model",
    "check": "mbconcord.validation.check",
    "same_machine": "mbconcord.validation.same_machine",
}


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
