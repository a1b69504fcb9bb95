"""Execution of generated procedures over expressions: statements in file order, each element written before it is read.

CONVENTIONS of UM's sets: work elements are numbered in the order of their creation, but a shared sub-expression may
be written before smaller numbers, so the order of the file is the order of evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache

from lark import Token, Tree

from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error
from mbconcord.model.equations import body_force_symbol, body_moment_symbol, coordinate_symbol, joint_force_symbol
from mbconcord.model.expressions import TIME, Expression, cos, sin, symbol
from mbconcord.model.limits import COUNT_DIGITS, UM_INDEX, UM_STATEMENTS, count, too_many
from mbconcord.records import dataclass, field

from .syntax import Node, Procedure, Value, first_token, place, tokens, trees, value

#: Calls that do nothing to the formulas.
BOOKKEEPING = frozenset(
    {"UserCalc", "TimeFuncCalc", "ForceFuncCalc", "exit", "UMFreeMem", "UMGetMem", "ControlPanelMessage"}
)

_TRIGONOMETRIC = re.compile(r"_([sc])([1-9]\d{0,6})")
_INDEXED = re.compile(r"(_x|_v|_->_ap|_->_)\[(\d+)\]")
_LOAD = re.compile(r"(_bForce|_bMoment)\[_isubs-1\]\[(\d+)\]\[(\d+)\]")
_MEMBER = re.compile(r"_->([A-Za-z_]\w*)")
_OUTPUT = re.compile(r"([A-Za-z_]\w*)((?:\[\d{1,7}\])+)")
_ORDERS = {"_x": 0, "_v": 1, "_->_ap": 2}
_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"[-+]?([0-9]{1,40}[.]?[0-9]{0,40}|[.][0-9]{1,40})([eE][-+]?[0-9]{1,2})?")


@dataclass(frozen=True)
class UmWritten:
    """An element of an output array, and the location where it was written."""

    expression: Value
    location: Location


@dataclass
class UmMachine:
    """Memory of a set, and the outputs of its procedures.

    Attributes
    ----------
    procedures : parsed procedures by name
    identifiers : names of parameters
    size : number of elements of the work array; None if the set does not say it
    complete : False if a file is missing that may write elements: an element that is read unwritten is then unknown
    outputs : (array, indices) -> the element that was written there
    joint_forces : numbers of the joint forces that are fetched from the kernel
    coordinates : number of a coordinate -> location of its first use
    statements : formula -> location of the first statement that computes it
    """

    procedures: Mapping[str, Procedure]
    identifiers: frozenset[str]
    size: int | None = None
    complete: bool = True
    outputs: dict[tuple[str, tuple[int, ...]], UmWritten] = field(default_factory=dict)
    joint_forces: list[int] = field(default_factory=list)
    coordinates: dict[int, Location] = field(default_factory=dict)
    bodies: dict[int, Location] = field(default_factory=dict)
    statements: dict[Expression, Location] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _memory: dict[str, Value] = field(default_factory=dict)
    _running: list[str] = field(default_factory=list)
    _begun: set[str] = field(default_factory=set)
    _done: int = 0

    def run(self, name: str, **arguments: int) -> None:
        """Run a procedure with these integer arguments; arguments that are not given are unknown."""
        procedure = self.procedures[name]
        if name in self._running:
            raise ReadError(
                error("", f"{name} calls itself", location=place(first_token(procedure.block), procedure.file))
            )
        if name not in self._begun:
            self._begun.add(name)
            self._require_whole_flags(procedure)
        self._running.append(name)
        self._block(procedure.block, procedure.file, arguments)
        self._running.pop()

    @staticmethod
    def _require_whole_flags(procedure: Procedure) -> None:
        """Refuse a flag of the kernel that gets a fraction, which C would cut off: UM prints whole numbers there."""
        for node in procedure.block.find_data("assignment"):
            target, right = node.children
            given = _plain(right) if isinstance(target, Token) and target.type == "NAME" else ""
            if _NUMBER.fullmatch(given) and Decimal(given) % 1:
                message = f"the flag {target} is set to {given}; expected a whole number, as UM writes it"
                at = place(target, procedure.file)
                raise ReadError(error("", message, "C would cut it off: generate the equations again", at))

    def output(self, array: str) -> dict[tuple[int, ...], UmWritten]:
        """Return the elements written into an array, and clear them for the next body."""
        found = {indices: written for (name, indices), written in self.outputs.items() if name == array}
        for indices in found:
            del self.outputs[array, indices]
        return found

    def _block(self, block: Node, file: str, arguments: Mapping[str, int]) -> bool:
        """Run the statements of a block; return False if one of them leaves it."""
        return all(
            self._statement(statement, file, arguments) for statement in block.children if isinstance(statement, Tree)
        )

    def _statement(self, node: Node, file: str, arguments: Mapping[str, int]) -> bool:
        self._done += 1
        if self._done > UM_STATEMENTS:
            message = f"the procedures run more than {UM_STATEMENTS:,} statements"
            at = place(first_token(self.procedures[self._running[0]].block), file)
            raise ReadError(error("", message, "generated equations run far fewer", at))
        kind = node.data
        if kind == "assignment":
            self._assign(node, file, arguments)
        elif kind == "call":
            self._call(node, file)
        elif kind == "choice":
            self._choose(node, file, arguments)
        elif kind in ("leave", "stop"):
            return False
        elif kind == "block":
            return self._block(node, file, arguments)
        elif kind == "branch":
            chosen = self._branch(node, file, arguments)
            return chosen is None or self._block(chosen, file, arguments)
        elif kind in ("loop", "attempt"):
            return self._block(next(trees(node)), file, arguments)
        return True

    def _branch(self, node: Node, file: str, arguments: Mapping[str, int]) -> Node | None:
        """Return the block that a condition selects, or None; kernel flags count as set: every array is requested."""
        left, right, *blocks = trees(node)
        name, wanted = _plain(left), _plain(right)
        equal = next(tokens(node, "COMPARISON")) == "=="
        if name in arguments and _WHOLE.fullmatch(wanted):
            holds = (arguments[name] == self._whole(wanted, first_token(right), file)) is equal
        elif wanted == "NULL":
            holds = not equal  # every array is asked for
        else:
            holds = equal
        return blocks[0] if holds else blocks[1] if len(blocks) > 1 else None

    def _choose(self, node: Node, file: str, arguments: Mapping[str, int]) -> None:
        selector, *cases = trees(node)
        asked = arguments.get(_plain(selector))
        if asked is None:
            return
        labels = [_label(case) for case in cases]
        start = next((i for i, label in enumerate(labels) if label == str(asked)), None)
        if start is None:
            start = labels.index("default") if "default" in labels else len(cases)
        for case in cases[start:]:
            for statement in trees(case):
                if statement.data != "label" and not self._statement(statement, file, arguments):
                    return

    def _assign(self, node: Node, file: str, arguments: Mapping[str, int]) -> None:
        target, right = node.children
        if target.type == "NAME":
            return  # pointers and flags of the kernel
        text = _bare(target)
        if text == "_->_ap" or not (text.startswith("_->") or self._is_output(text, target, file)):
            return  # a pointer
        result = value(right, lambda token: self._read(token, file), file)
        if result is not None and result.args:
            self.statements.setdefault(result, place(target, file))
        if text.startswith("_->"):
            self._require_inside(text, target, file)
            self._memory[text] = result
            return
        array, indices = _output(text)
        self.outputs[array, indices] = UmWritten(result, place(target, file))

    def _is_output(self, text: str, target: Token, file: str) -> bool:
        """Return True if a target is an element of an output array of the running procedure; refuse unknown indices."""
        array = text.partition("[")[0]
        if array != "_lMassMatrix" and array not in self.procedures[self._running[-1]].parameters:
            return False
        if not _OUTPUT.fullmatch(text):
            message = f"{text[:60]}: expected whole numbers from 0 as indices"
            raise ReadError(error("", message, location=place(target, file)))
        return True

    def _call(self, node: Node, file: str) -> None:
        name = node.children[0]
        assert isinstance(name, Token)
        plain = [_plain(child) if isinstance(child, Tree) else "" for child in node.children[1:]]
        if name == "InitJFrc" and len(plain) == 3 and _WHOLE.fullmatch(plain[1]):
            number = self._index(plain[1], name, file)
            self.joint_forces.append(number)
            self._memory[plain[2]] = joint_force_symbol(number)
        elif name in self.procedures:
            parameters = self.procedures[name].parameters
            given = {
                p: self._whole(x, name, file) for p, x in zip(parameters, plain, strict=False) if _WHOLE.fullmatch(x)
            }
            self.run(str(name), **given)
        elif name not in BOOKKEEPING:
            self._unknown_call(name, plain, file)

    def _unknown_call(self, name: Token, arguments: Iterable[str], file: str) -> None:
        """Mark the outputs of an unknown call as unknown."""
        for text in arguments:
            if text.startswith("_->"):
                self._memory[text] = None
        self.diagnostics.append(
            Diagnostic(
                "warning", f"um/{name}", "this call is not known here: what it sets is left out",
                f"known: DoElement, InitJFrc, {', '.join(sorted(BOOKKEEPING))}", place(name, file),
            )
        )  # fmt: skip

    def _read(self, token: Token, file: str) -> Value:
        text = _bare(token)
        if text == "t":
            return TIME
        if text in self._memory:
            return self._memory[text]
        found = _INDEXED.fullmatch(text)
        if found and found[1] != "_->_":
            k = self._index(found[2], token, file)
            self.coordinates.setdefault(k, place(token, file))
            return coordinate_symbol(k, _ORDERS[found[1]])
        load = _LOAD.fullmatch(text)
        if load:
            body, axis = self._index(load[2], token, file) + 1, self._whole(load[3], token, file)
            if axis > 2:
                message = f"{text}: component {axis}; expected 0, 1 or 2"
                raise ReadError(error("", message, location=place(token, file)))
            self.bodies.setdefault(body, place(token, file))
            return (body_force_symbol if load[1] == "_bForce" else body_moment_symbol)(body, axis)
        member = _MEMBER.fullmatch(text)
        if member and member[1] in self.identifiers:
            return symbol(member[1])
        if found:
            self._require_inside(text, token, file)
        return self._unwritten(text, member[1] if member else "", token, file)

    def _unwritten(self, text: str, member: str, token: Token, file: str) -> Value:
        """Return an unwritten sine or cosine if there is no driver; else None if a file is missing, or refuse."""
        trigonometric = _TRIGONOMETRIC.fullmatch(member)
        if trigonometric and "AllCalc" not in self.procedures:
            angle = coordinate_symbol(int(trigonometric[2]) - 1)
            return sin(angle) if trigonometric[1] == "s" else cos(angle)
        if not self.complete:
            return None
        expected = "an element that a statement before it writes, x, v, a, a body force, or an identifier"
        raise ReadError(error("", f"{text} is read before it is written; expected {expected}", "", place(token, file)))

    def _whole(self, digits: str, token: Token, file: str) -> int:
        """Parse an integer argument."""
        if len(digits) > COUNT_DIGITS:
            message = f"{digits[:20]}…: {too_many(len(digits), 'digits', COUNT_DIGITS)}"
            raise ReadError(error("", message, location=place(token, file)))
        return int(digits)

    def _index(self, digits: str, token: Token, file: str) -> int:
        if len(digits) > COUNT_DIGITS or not 0 <= int(digits) <= UM_INDEX:
            message = f"index {digits[:20]} is out of range; expected at most {UM_INDEX:,}"
            raise ReadError(error("", message, location=place(token, file)))
        return int(digits)

    def _require_inside(self, text: str, token: Token, file: str) -> None:
        found = _INDEXED.fullmatch(text)
        if found and found[1] == "_->_" and self.size is not None:
            k = self._index(found[2], token, file)
            if k >= self.size:
                message = f"{text}: the work array has {count(self.size, 'element')}; expected 0 to {self.size - 1}"
                raise ReadError(error("", message, location=place(token, file)))


@lru_cache(maxsize=100_000)
def _squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _bare(token: Token) -> str:
    return _squeeze(str(token))


def _output(text: str) -> tuple[str, tuple[int, ...]]:
    found = _OUTPUT.fullmatch(text)
    assert found is not None
    return found[1], tuple(int(i) for i in found[2][1:-1].split("]["))


def _plain(node: Node) -> str:
    """Return the text of a sum with one operand and perhaps a sign; empty for any other."""
    words = [str(token) for token in node.scan_values(lambda token: isinstance(token, Token))]
    return _squeeze("".join(words)) if len(words) <= 2 else ""


def _label(case: Node) -> str:
    label = next((child for child in trees(case) if child.data == "label"), None)
    return "default" if label is None else "".join(map(str, label.children))
