"""mbconcord: convert multibody models and cross-validate their equations of motion.

What the names below are to a type checker stands in ``__init__.pyi``: nothing is imported before it is used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

#: Public names and the modules they come from; a module is imported when its name is first used.
_PUBLIC = {
    "Animation": "mbconcord.api.animate",
    "Assembled": "mbconcord.api.assemble",
    "Check": "mbconcord.api.check",
    "Comparison": "mbconcord.api.compare",
    "Compiled": "mbconcord.api.compiling.compiled",
    "Conversion": "mbconcord.api.convert",
    "Equations": "mbconcord.api.derive",
    "Equilibrium": "mbconcord.api.linear_analysis.equilibrium",
    "Export": "mbconcord.api.exporting.export",
    "Linearization": "mbconcord.api.linear_analysis.linearize",
    "MbconcordError": "mbconcord.model",
    "Mechanism": "mbconcord.api.mechanism",
    "Numbers": "mbconcord.api.numbers",
    "Reading": "mbconcord.converters.format",
    "Simulation": "mbconcord.api.simulate",
    "State": "mbconcord.model",
    "System": "mbconcord.model",
    "animate": "mbconcord.api.animate",
    "assemble": "mbconcord.api.assemble",
    "assert_agrees": "mbconcord.api.regression.asserts",
    "assert_same_machine": "mbconcord.api.regression.asserts",
    "base_parameters": "mbconcord.api.base_parameters",
    "check": "mbconcord.api.check",
    "compare": "mbconcord.api.compare",
    "compile": "mbconcord.api.compiling.compile",
    "convert": "mbconcord.api.convert",
    "derive": "mbconcord.api.derive",
    "equilibrium": "mbconcord.api.linear_analysis.equilibrium",
    "evaluate": "mbconcord.api.evaluate",
    "export": "mbconcord.api.exporting.export",
    "formalism": "mbconcord.formalisms.registry",
    "linearize": "mbconcord.api.linear_analysis.linearize",
    "read": "mbconcord.converters.registry",
    "read_text": "mbconcord.converters.registry",
    "same_machine": "mbconcord.validation.same_machine",
    "simulate": "mbconcord.api.simulate",
    "why": "mbconcord.api.why",
    "write": "mbconcord.converters.registry",
}


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
