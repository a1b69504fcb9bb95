"""What of a set nobody reads: procedures with content beyond those that are compared, and the user's control file.

Empty ones, which UM writes for every model, say nothing. One with content is an omission: it stands in the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from lark import Token

from mbconcord.model.diagnostics import ReadError
from mbconcord.model.expressions import ZERO
from mbconcord.model.omission import Omission

from .identifiers import text_of
from .machine import BOOKKEEPING, Written
from .syntax import Node, Procedure, trees, unit

#: Procedures of the sets that are run, and those that only manage memory.
READ = frozenset(
    {"InPzMem", "FreePzMem", "ParCalc", "GetIdentifiers", "GetParamStructure", "AllCalc", "DoElement", "EqCalc",
     "ConstrCalc", "Ai0Calc", "CoorCalc", "VelCalc", "VelaCalc", "AccCalc", "AccaCalc", "DBCalc", "SMatrCalc",
     "JForceCalc", "SingleJointFrc", "GetTimeFunctionsP", "GetJointForcesP", "GetParallel"}
)  # fmt: skip
#: Pointers that every procedure sets up.
_POINTER = re.compile(r"_|_->_ap|UserPtr\d|_lMassMatrix")
_NOTHING = re.compile(r"[-+]?0(?:\.0*)?|NULL|NOTHING")


def unread(procedures: Mapping[str, Procedure], left: Collection[tuple[str, Written]]) -> Iterator[Omission]:
    """Omissions of procedures that are not read, and of arrays that those which are read fill for nobody."""
    for name, procedure in procedures.items():
        if name not in READ and _acts(procedure.block):
            yield _omission(name, f"{name} is not read")
    for array in dict.fromkeys(array for array, written in left if written.expression is not ZERO):
        yield _omission(array, f"what is put into {array} is not read")


def control(text: str, file: str) -> Iterator[Omission]:
    """The user's control file, where it does anything; it may be any C++, so one that is not understood does."""
    name = re.split(r"[\\/]", file)[-1]
    try:
        acts = any(_acts(procedure.block) for procedure in unit(text, file).procedures.values())
    except ReadError:
        acts = True
    if acts:
        yield _omission(name, f"the user's own procedures in {name} are not read")


def _omission(name: str, what: str) -> Omission:
    return Omission(f"procedure/{name}", "procedure", what)


def _acts(block: Node) -> bool:
    """Whether a statement sets anything other than to zero, returns a value, or calls what is not known."""
    return any(
        _sets(node)
        or (node.data == "stop" and any(not _NOTHING.fullmatch(_plain(value)) for value in trees(node)))
        or (node.data == "call" and str(node.children[0]) not in BOOKKEEPING)
        for node in block.iter_subtrees()
    )


def _sets(node: Node) -> bool:
    """Whether an element is set to anything other than zero."""
    if node.data != "assignment":
        return False
    target, right = node.children
    element = isinstance(target, Token) and target.type == "REFERENCE"
    return element and not _POINTER.fullmatch(_plain(target)) and not _NOTHING.fullmatch(_plain(right))


def _plain(node: Node | Token) -> str:
    return re.sub(r"\s+", "", text_of(node))
