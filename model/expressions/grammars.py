"""Grammars and the tables of their parsers: Lark's own, made once, shipped as JSON next to each grammar.

Making the tables of MBSD takes longer than everything else that a small model needs. A table that was made from another
text of the grammar, or by another series of Lark, is not used: the same parser is then built from the grammar, which
is slower. ``make tables`` writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from mbconcord.records import dataclass


@dataclass(frozen=True)
class Grammar:
    """A grammar: LALR(1) with the contextual lexer.

    Attributes
    ----------
    package, name : its tables are in ``NAME.json`` in the package's folder
    text : text of the grammar
    start : the rule of a whole text
    """

    package: str
    name: str
    text: str
    start: str = "start"

    @property
    def tables_file(self) -> Traversable:
        """Path of the file with the grammar's tables."""
        return files(self.package).joinpath(f"{self.name}.json")

    def parser(self) -> Lark:
        """Load the parser from the stored tables, or build it if they belong to another grammar."""
        file = self.tables_file
        known = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        if known.get("made_of") != self._made_of():
            return self.build_parser()
        parser: Lark = Lark.load(_restore_numbers(known["tables"]))
        return parser

    def build_parser(self) -> Lark:
        """Build the parser from the grammar."""
        return Lark(self.text, parser="lalr", lexer="contextual", start=self.start, maybe_placeholders=False)

    def tables(self) -> dict[str, Any]:
        """Compute the contents of the tables file, independent of the order of sets."""
        data, memo = self.build_parser().memo_serialize([TerminalDef, Rule])
        data["parser"]["parser"] = _order_table(data["parser"]["parser"])
        made: dict[str, Any] = json.loads(json.dumps({"data": data, "memo": memo}, sort_keys=True))
        return {"made_of": self._made_of(), "tables": made}

    def _made_of(self) -> dict[str, str]:
        series = ".".join(lark.__version__.split(".")[:2])
        return {"lark": series, "grammar": sha256(self.text.encode()).hexdigest()}


def of_package(package: str, *names: str) -> str:
    """Read and join the grammars in files ``NAME.lark`` of a package."""
    return "\n".join(files(package).joinpath(f"{name}.lark").read_text("utf-8") for name in names)


def _restore_numbers(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Restore integer keys of Lark's tables from a JSON text."""
    data = tables["data"]
    frontend = data["parser"]
    table = frontend["parser"]
    states = {int(state): _by_number(actions) for state, actions in table["states"].items()}
    table = {**table, "tokens": _by_number(table["tokens"]), "states": states}
    return {"data": {**data, "parser": {**frontend, "parser": table}}, "memo": _by_number(tables["memo"])}


def _by_number(mapping: Mapping[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in mapping.items()}


def _order_table(table: Mapping[str, Any]) -> dict[str, Any]:
    """Sort a table's tokens by name, and its states in the order in which these tokens reach them."""
    names: Mapping[int, str] = table["tokens"]
    tokens = sorted(names.values())
    number = {name: i for i, name in enumerate(tokens)}
    actions = {
        state: sorted((number[names[token]], *action) for token, action in found.items())
        for state, found in table["states"].items()
    }
    reached = dict.fromkeys(table["start_states"][start] for start in sorted(table["start_states"]))
    queue = list(reached)
    for state in queue:
        found = dict.fromkeys(to for _, reduces, to in actions[state] if not reduces and to not in reached)
        reached |= found
        queue += found
    new = {state: i for i, state in enumerate(reached)}
    return {
        **table,
        "tokens": dict(enumerate(tokens)),
        "states": {
            new[state]: {token: (reduces, to if reduces else new[to]) for token, reduces, to in actions[state]}
            for state in reached
        },
        "start_states": {start: new[state] for start, state in table["start_states"].items()},
        "end_states": {start: new[state] for start, state in table["end_states"].items()},
    }
