"""The grammars of the project; ``python -m tests.formats.grammars`` writes the tables of their parsers."""

from __future__ import annotations

import json
from pathlib import Path

from mbconcord.converters.mbsd import syntax as mbsd
from mbconcord.converters.um.equations import syntax as equations
from mbconcord.converters.um.reading import expressions as um
from mbconcord.model.expressions import formula
from mbconcord.model.expressions.grammars import Grammar
from mbconcord.validation.against.own import matlab

GRAMMARS: dict[str, Grammar] = {
    "formula": formula.GRAMMAR,
    "mbsd": mbsd.GRAMMAR,
    "um expressions": um.GRAMMAR,
    "matlab": matlab.GRAMMAR,
    **{f"um equations in {name}": grammar for name, grammar in equations.GRAMMARS.items()},
}


def text(grammar: Grammar) -> str:
    """What the file of a grammar's tables shall hold."""
    return json.dumps(grammar.tables(), sort_keys=True, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    for name, grammar in GRAMMARS.items():
        Path(str(grammar.tables_file)).write_text(text(grammar), encoding="utf-8")
        print(f"{name}: {grammar.tables_file}")
