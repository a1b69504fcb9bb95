"""mbconcord: convert multibody models and cross-validate their equations of motion.

``__init__.pyi`` declares the names below for type checkers: nothing is imported before it is used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.3.0"

#: Public names and the modules they come from; a module is imported when its name is first used.
_PUBLIC = {
    "MbconcordError": "mbconcord.model",
    "Mechanism": "mbconcord.api.mechanism",
    "Reading": "mbconcord.converters.format",
    "State": "mbconcord.model",
    "System": "mbconcord.model",
    "animate": "mbconcord.api.animate",
    "assemble": "mbconcord.api.assemble",
    "assert_agrees": "mbconcord.api.regression.asserts",
    "assert_same_machine": "mbconcord.api.regression.asserts",
    "base_parameters": "mbconcord.api.base_parameters",
    "certify": "mbconcord.certificate.emit",
    "check": "mbconcord.api.check",
    "compare": "mbconcord.api.compare",
    "compare_pairs": "mbconcord.api.fleet",
    "compile": "mbconcord.api.compiling.compile",
    "convert": "mbconcord.api.convert",
    "derive": "mbconcord.api.derive",
    "ensemble": "mbconcord.api.ensemble",
    "equilibrium": "mbconcord.api.equilibrium",
    "evaluate": "mbconcord.api.evaluate",
    "export": "mbconcord.api.exporting.export",
    "linearize": "mbconcord.api.linearize",
    "own": "mbconcord.api.own",
    "read": "mbconcord.converters.registry",
    "simulate": "mbconcord.api.simulate",
    "write": "mbconcord.converters.registry",
}


#: Public modules: types of results, models for Hypothesis, seeded faults.
_MODULES = ("results", "strategies", "testing")


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted((*_PUBLIC, *_MODULES, "__version__"))
