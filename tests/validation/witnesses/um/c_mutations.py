"""Wrong copies of a generated set, made by rules: signs, indices, terms, names, cases, numbers of the kernel.

A rule is a pattern and what stands instead; every place where it fits gives a copy. The set is that of :data:`TEXT`, a
chain of two turns in space with identifiers of all kinds and joint forces, written by :mod:`um_sets`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: (z then x: no plane, no symmetry), read as an input.dat, so that orders of UM are known.
TEXT = """z(a)\"(-k*a) i(L) $(m) [1.3, 1.4, 1.5] > x(b)\"(-c*b') i(L) k(h) $(M) {0.1, 0.2, 0.3} [1.6, 1.7, 1.8]
; g9.81-y ; L=0.7, M=3, c=2, h=0.4, k=5, m=2"""


@dataclass(frozen=True)
class Mutation:
    """One change of one file: its place in words, the file, the new text."""

    name: str
    file: str
    text: str


#: What stands instead of a match of a pattern.
Change = str | Callable[[re.Match[str]], str]

SWAP = {"0": "1", "1": "0"}
#: (rule, files, pattern, what stands instead)
RULES: list[tuple[str, str, str, Change]] = [
    ("sign", "ObjE EqObj _KObj ObjParallel", r"(?<= = )(?=_(?!Pz))", "-"),
    ("sign", "ObjE ObjParallel", r"(?<=[\w\]])([+-])(?=[_(\d])(?![\d]*\])", lambda m: "-" if m[1] == "+" else "+"),
    ("term", "ObjE ObjParallel", r"(?<=[\w\]])[+-](?:_->)?\w+(?:\[\d+\])*(?=;)", ""),
    ("factor", "ObjE ObjParallel", r"(?<=[\w\]])\*(?:_->)?\w+(?:\[\d+\])*(?=;)", ""),
    ("coordinate", "AlObj ObjE ObjParallel", r"(_x|_v|_->_ap)\[([01])\]", lambda m: f"{m[1]}[{SWAP[m[2]]}]"),
    ("body", "ObjE ObjParallel _KObj", r"(_bForce|_bMoment)\[_isubs-1\]\[([01])\]",
     lambda m: f"{m[1]}[_isubs-1][{SWAP[m[2]]}]"),
    ("axis", "ObjE ObjParallel _KObj", r"((?:_bForce|_bMoment)\[_isubs-1\]\[\d\])\[([01])\]",
     lambda m: f"{m[1]}[{SWAP[m[2]]}]"),
    ("row", "EqObj ObjE ObjParallel", r"(_Frc_Vctr|_frc|_lMassMatrix|_mmatr)\[([01])\](?! = 0)",
     lambda m: f"{m[1]}[{SWAP[m[2]]}]"),
    ("entry", "_KObj", r"(\w+\[)([01])(\](?:\[\d\])? = (?!0\.0|0;))", lambda m: f"{m[1]}{SWAP[m[2]]}{m[3]}"),
    ("case", "_KObj", r"case 1 (:[\s\S]*?)case 2 :", lambda m: f"case 2 {m[1]}case 1 :"),
    ("function", "AlObj ObjParallel", r"= (sin|cos)\(", lambda m: f"= {'cos' if m[1] == 'sin' else 'sin'}("),
    ("identifier", "ObjE ObjParallel", r"_->([LM])\b", lambda m: f"_->{'M' if m[1] == 'L' else 'L'}"),
    ("kernel", "ObjC", r"(_->)?(\w+)( = )(_parmarr\[0\];[\s\S]*?_->)(\w+)( = _parmarr\[1\])",
     lambda m: f"{m[1]}{m[5]}{m[3]}{m[4]}{m[2]}{m[6]}"),
    ("kernel", "ObjC", r"(_parmarr\[0\] = _->)(\w+)(;[\s\S]*?_parmarr\[1\] = _->)(\w+)",
     lambda m: f"{m[1]}{m[4]}{m[3]}{m[2]}"),
    ("joint force", "AlObj ObjParallel", r"(InitJFrc\( _isubs, )1(, [\s\S]*?InitJFrc\( _isubs, )2",
     lambda m: f"{m[1]}2{m[2]}1"),
    ("joint force", "ObjE ObjParallel", r"_->_jf([12])", lambda m: f"_->_jf{3 - int(m[1])}"),
    ("load", "_KObj", r"(?<=_J)(Force|Moment)(\[\d\] = )(?=_)", lambda m: f"{m[1]}{m[2]}-"),
    ("joint", "_KObj", r"(SingleJointFrc[\s\S]*?)case 1 (:[\s\S]*?)case 2 :", lambda m: f"{m[1]}case 2 {m[2]}case 1 :"),
    ("constraint", "CtObj", r"break;", "_Error[0] = _x[0]; break;"),
]  # fmt: skip
#: Files and procedures that are added, which nobody reads.
UNREAD = {
    "ClObj.hpp": "void TimeFuncCalc( real_ _t, integer _isubs )\n {\n  _ = _PzAll[0];\n  _->m = 2*_t;\n }\n",
    "ClObj.hpp, any C++": "void UserCalc( VectRPtr _x )\n {\n  while( x > 0 ) { x--; }\n }\n",
    "_KObj.hpp": "real_ CalcBiFrc( integer _index )\n {\n  _ = _PzAll[0];\n  return _->k;\n }\n",
    "_KObj.hpp, joint points": "void JointPtCalc( coordin &_p )\n {\n  _ = _PzAll[0];\n  _p[0] = _->L;\n }\n",
}


def mutations(folder: Path) -> Iterator[Mutation]:
    """Every change of the set in a folder that a rule makes."""
    for rule, stems, pattern, instead in RULES:
        for stem in stems.split():
            text = (folder / f"{stem}.hpp").read_text("utf-8")
            for number, found in enumerate(re.finditer(pattern, text), 1):
                new = instead if isinstance(instead, str) else instead(found)
                changed = text[: found.start()] + new + text[found.end() :]
                if changed != text:
                    yield Mutation(f"{rule} in {stem}, place {number}", f"{stem}.hpp", changed)
    for name, text in UNREAD.items():
        file = name.partition(",")[0]
        before = (folder / file).read_text("utf-8") if (folder / file).exists() else ""
        yield Mutation(f"unread: {name}", file, before + text)
