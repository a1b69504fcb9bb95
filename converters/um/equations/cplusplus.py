"""The C++ set that Universal Mechanism generates, as equations: docs/verify_um.md, table of procedures."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lark import Token

from mbconcord.model.diagnostics import Diagnostic, ReadError, error
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.expressions import FUNCTIONS, ZERO
from mbconcord.model.omission import Omission

from . import outputs
from .machine import BOOKKEEPING, UmMachine, UmWritten
from .outputs import ROLES, Cells, FileSet, find, find_files
from .syntax import Node, Procedure, UmUnit, identifiers, text_of, trees, unit

# What of a set nobody reads: procedures with content beyond those that are compared, and the user's control file.
#
# Empty ones, which UM writes for every model, say nothing. One with content is an omission: it stands in the verdict.


#: Procedures of the sets that are run, and those that only manage memory.
READ = frozenset(
    {"InPzMem", "FreePzMem", "ParCalc", "GetIdentifiers", "GetParamStructure", "AllCalc", "DoElement", "EqCalc",
     "ConstrCalc", "Ai0Calc", "CoorCalc", "VelCalc", "VelaCalc", "AccCalc", "AccaCalc", "DBCalc", "SMatrCalc",
     "JForceCalc", "SingleJointFrc", "GetTimeFunctionsP", "GetJointForcesP", "GetParallel"}
)  # fmt: skip
#: Pointers that every procedure sets up.
_POINTER = re.compile(r"_|_->_ap|UserPtr\d|_lMassMatrix")
_VARIABLE = re.compile(r"(?<![\w\]])_\s*->\s*(\w+)")
_NOTHING = re.compile(r"[-+]?0(?:\.0*)?|NULL|NOTHING")


def unread(procedures: Mapping[str, Procedure], left: Collection[tuple[str, UmWritten]]) -> Iterator[Omission]:
    """Yield omissions of procedures that are not read, and of arrays whose elements are written but not read."""
    for name, procedure in procedures.items():
        if name not in READ and _acts(procedure.block):
            yield _omission(name, f"{name} is not read")
    for array in dict.fromkeys(array for array, written in left if written.expression is not ZERO):
        yield _omission(array, f"what is put into {array} is not read")


def control(text: str, file: str) -> Iterator[Omission]:
    """Yield an omission for a user's control file that has an effect; C++ that is not understood counts as one."""
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
    """Return True if a statement sets anything other than to zero, returns a value, or makes an unknown call."""
    own = {str(word) for local in block.find_data("local") for word in local.children[1:]}
    return any(
        _sets(node, own)
        or (node.data == "stop" and any(not _NOTHING.fullmatch(_plain(value)) for value in trees(node)))
        or (node.data in ("call", "function") and str(node.children[0]) not in {*BOOKKEEPING, *FUNCTIONS})
        for node in block.iter_subtrees()
    )


def _sets(node: Node, own: Collection[str]) -> bool:
    """Return True if an element, or a name that is not the procedure's own, is set to anything other than zero."""
    if node.data != "assignment":
        return False
    target, right = node.children
    element = isinstance(target, Token) and (target.type == "REFERENCE" or str(target) not in own)
    return element and not _POINTER.fullmatch(_plain(target)) and not _NOTHING.fullmatch(_plain(right))


def _plain(node: Node | Token) -> str:
    return re.sub(r"\s+", "", text_of(node))


#: Procedures by which generated code would put forces into the equations by itself.
HOOKS = ("CalcBiFrc", "CalcContFunc", "ExtFrcCalc", "SingleAFrcCalc")
#: Types of names that do nothing by being declared.
PLAIN_TYPES = frozenset({"_ObjVarPtr", "integer", "real_", "int", "double"})
_COMMENT = re.compile(r"/\*[\s\S]*?\*/|//[^\n]*")
_INCLUDE = r"#[ \t]*include[ \t]*[\"<]([\w. /-]+)[\">]"
#: The guard of a header, what it includes, and nothing that gives words another meaning or leaves lines out.
_DIRECTIVES = re.compile(
    rf"(?:(?:#[ \t]*ifndef[ \t]+\w+[ \t\r]*\n#[ \t]*define[ \t]+\w+|#[ \t]*endif|#[ \t]*pragma once|{_INCLUDE})"
    r"[ \t\r]*\n)*"
)


def doubt_hooks(units: Sequence[UmUnit], texts: Sequence[tuple[str, str]], beside: Collection[str] = ()) -> str:
    """Return why a set's procedures of forces are not proved to do nothing; an empty text if each is there and empty.

    No preprocessor line may change what a word means, either. ``beside`` names the files that are not read.
    """
    code = {re.split(r"[\\/]", file)[-1]: _COMMENT.sub(" ", text) for text, file in texts}
    if any(re.search(r"\\[ \t\r]*\n", text) for text, _ in texts):
        return "a line of the set goes on behind a backslash"
    if doubt := next(filter(None, (_doubt_words(file, code, beside) for file in code)), ""):
        return doubt
    for name in HOOKS:
        found = [unit.procedures[name] for unit in units if name in unit.procedures]
        if not found:
            return f"{name} is not in the set"
        named = [text for text in code.values() for _ in re.finditer(rf"\b{name}\b", text)]
        if len(named) != 1:
            return f"{name} is named {len(named)} times in the set"
        if "#" in named[0].partition(name)[2].rpartition("}")[0]:
            return f"lines for the preprocessor stand in or behind {name}"
        if not _is_empty(found[0].block):
            return f"{name} is not empty"
    return ""


def _doubt_words(file: str, code: Mapping[str, str], beside: Collection[str]) -> str:
    """Return why preprocessor lines may change what the words of a file mean; an empty text if they cannot."""
    own = code[file]
    lines = "".join(f"{line}\n" for line in re.findall(r"#[^\n]*", own))
    if "\\" in own or not _DIRECTIVES.fullmatch(lines):
        return f"{file} has lines for the preprocessor beside its guard"
    for name in re.findall(r"#[ \t]*(?:ifndef|define)[ \t]+(\w+)", own):
        if any(len(re.findall(rf"\b{name}\b", text)) != 2 * (text is own) for text in code.values()):
            return f"the guard of {file} is named elsewhere"
    known = {name.lower() for name in beside}
    strange = [name for name in re.findall(_INCLUDE, lines) if name.rpartition("/")[2].lower() in known]
    return f"{file} includes {strange[0]}, which is not read" if strange else ""


def _is_empty(node: Node) -> bool:
    """Return True if a block only declares names, fetches the variables and chooses among cases that do nothing."""
    for child in trees(node):
        kind = child.data
        if kind == "assignment":
            empty = (
                re.fullmatch(r"_=_PzAll\[SubIndx\[_isubs-1\]-1\]", "=".join(map(_plain, child.children))) is not None
            )
        elif kind == "choice":
            index, *cases = trees(child)
            words = [str(word) for word in index.scan_values(lambda word: isinstance(word, Token))]
            empty = len(words) == 1 and re.fullmatch(r"\w+", words[0]) is not None and all(map(_is_empty, cases))
        elif kind == "stop":
            empty = not [*trees(child)]
        elif kind == "local":
            of, *words = map(str, child.children)
            empty = of in PLAIN_TYPES and all(re.fullmatch(r"\*|\w+(?:\[\d+\])*", word) for word in words)
        else:
            empty = kind in ("leave", "label") or (kind == "block" and _is_empty(child))
        if not empty:
            return False
    return True


#: What a set writes for the number of its subsystem where functions of the time fail.
FAILED = "-2"


def doubt_code(procedures: Mapping[str, Procedure]) -> Iterator[str]:
    """Yield a text for each fault that no working set has: variables not fetched, no memory, a wrong code of failure.

    The code of failure concerns UM's kernel only and is no part of the equations.
    """
    used: dict[str, None] = {}
    for name, procedure in procedures.items():
        words = [str(word) for word in procedure.block.scan_values(lambda word: isinstance(word, Token))]
        own = dict.fromkeys(found for word in words for found in _VARIABLE.findall(word))
        for target, right in (statement.children for statement in procedure.block.find_data("assignment")):
            if _plain(target) == "_isubs" and _plain(right) != FAILED:
                yield f"{name} sets _isubs to {_plain(right)}, expected {FAILED}, by which UM is told of a failure"
        targets = {_plain(statement.children[0]) for statement in procedure.block.find_data("assignment")}
        if own and "_" not in targets and "_" not in procedure.parameters:
            yield f"{name} uses _->{next(iter(own))} and sets no _, expected _ = _PzAll[…]"
        used |= own
    made = procedures["InPzMem"].block.find_data("assignment") if "InPzMem" in procedures else ()
    if "InPzMem" in procedures and "_" in used and not any(_plain(s.children[0]).endswith("->_") for s in made):
        yield "InPzMem does not allocate the work array"


TITLE = "Universal Mechanism, generated C++"
MODES = (1, 2, 3, 4)
KERNEL = Diagnostic(
    "note",
    "um/forces",
    "gravity and force laws are no part of these equations: the model's own are put into both sides, so the rows "
    "gravity and applied verify how forces enter, not the direction of gravity nor the laws; contacts are not compared",
)


def read_folder(folder: Path) -> GeneratedEquations:
    """Read the equations of the set in a folder."""
    found = find(folder)
    texts = {role: text for role, text in found.texts.items() if role != "control"}
    units = [unit(*text) for text in texts.values()]
    made = equations(units, str(folder), _missing(found))
    own = control(*found.texts["control"]) if "control" in found.texts else ()
    beside = {path.name for path in find_files(found)} - {Path(file).name for _, file in found.texts.values()}
    doubt = doubt_hooks(units, [*found.texts.values()], beside)
    return replace(made, omissions=(*made.omissions, *own), doubt_of_loads=doubt)


def read_file(text: str, file: str) -> GeneratedEquations:
    """Read the equations of one file, and report what the rest of a set would add."""
    only = unit(text, file)
    absent = [
        Diagnostic("warning", "um/files", f"{name} is not in {file}: {told} not known")
        for name, told in (
            ("InPzMem", "constants are"), ("DoElement", "the mass matrix is"), ("EqCalc", "the force vector is"),
            ("CoorCalc", "positions are"),
        )
        if name not in only.procedures
    ]  # fmt: skip
    return equations([only], file, absent)


def _missing(found: FileSet) -> list[Diagnostic]:
    return [
        Diagnostic("warning", "um/files", f"{pattern.format(found.identifier)} is missing: {told} not read")
        for role, (pattern, told) in ROLES.items()
        if role in found.missing
    ]


def equations(units: list[UmUnit], source: str, absent: list[Diagnostic]) -> GeneratedEquations:
    """Run the procedures of a set and return the equations that they write.

    Parameters
    ----------
    units : procedures and members that the files define
    source : folder or file, for messages
    absent : warnings of missing files; if there are any, an element that nothing writes is unknown instead of an error

    Raises
    ------
    ReadError
        An element is read before it is written, or an index is out of range.
    """
    procedures = {name: p for u in units for name, p in u.procedures.items()}
    members = tuple(name for u in units for name in u.members)
    names, doubts = identifiers(procedures, members)
    machine = UmMachine(procedures, frozenset(names), _work_size(procedures), not absent)
    for name in ("InPzMem", "AllCalc"):
        if name in procedures:
            machine.run(name)
    if "AllCalc" not in procedures and "DoElement" in procedures:
        for mode in MODES:
            machine.run("DoElement", _mode=mode)
    mass = machine.output("_lMassMatrix")
    if "EqCalc" in procedures:
        machine.run("EqCalc")
    forces = machine.output("_Frc_Vctr")
    motions = dict(outputs.motions(machine))
    places = outputs.places(mass, forces, motions)
    loads, reactions = (outputs.loads(machine, name, places) for name in ("JForceCalc", "SingleJointFrc"))
    n = _coordinates(machine, mass, forces, motions)
    _require_bodies(machine, motions)
    notes = [*absent, *machine.diagnostics, *_unknown(mass, forces, motions), KERNEL]
    return GeneratedEquations(
        program="um", title=TITLE, source=source, count=n, identifiers=names,
        mass_matrix=outputs.mass_matrix(mass, n), residual=outputs.force_vector(forces, n),
        bodies={number: outputs.motion(found) for number, found in motions.items()},
        joint_forces=tuple(dict.fromkeys(machine.joint_forces)), loops=_loops(procedures),
        loads=loads, reactions=reactions, repeated=outputs.read_parallel_outputs(machine, n, source),
        doubts=(*(("identifiers", doubt) for doubt in doubts), *(("code", doubt) for doubt in doubt_code(procedures))),
        omissions=tuple(unread(procedures, [(array, w) for (array, _), w in machine.outputs.items()])),
        statements=machine.statements, places=places, diagnostics=tuple(notes),
    )  # fmt: skip


def _work_size(procedures: Mapping[str, Procedure]) -> int | None:
    """Return the size of the work array, from its allocation: ``UMGetMem( 521*sizeof(real_) )``."""
    if "InPzMem" in procedures:
        for statement in procedures["InPzMem"].block.find_data("assignment"):
            words = [str(w) for w in statement.scan_values(lambda w: isinstance(w, Token) and w.type == "NUMBER")]
            if str(statement.children[0]).endswith("->_") and len(words) == 1 and words[0].isdecimal():
                return int(words[0][:9])
    return None


def _coordinates(machine: UmMachine, mass: Cells, forces: Cells, motions: Mapping[int, Mapping[str, Cells]]) -> int:
    """Count the coordinates: the rows of the force vector; else from the largest index."""
    rows = max((i for (i, *_) in forces), default=-1) + 1
    used = {**machine.coordinates}
    for indices, written in mass.items():
        used |= {i: written.location for i in indices if i not in used}
    for found in motions.values():
        for indices, written in found.get("jacobian", {}).items():
            if len(indices) == 2:
                used.setdefault(indices[1], written.location)
    if not rows:
        return max(used, default=-1) + 1
    beyond = [k for k in used if k >= rows]
    if beyond:
        k = min(beyond)
        raise ReadError(error("", f"coordinate {k}; expected 0 to {rows - 1}, the rows of _Frc_Vctr", "", used[k]))
    return rows


def _require_bodies(machine: UmMachine, motions: Mapping[int, object]) -> None:
    beyond = [number for number in machine.bodies if motions and number not in motions]
    if beyond:
        last = max(motions)
        raise ReadError(error("", f"a force on body {beyond[0]}; expected 1 to {last}", "", machine.bodies[beyond[0]]))


def _loops(procedures: Mapping[str, Procedure]) -> bool | None:
    """Return True if the set has constraint equations; None without the procedure that would contain them."""
    if "ConstrCalc" not in procedures:
        return None
    cases = procedures["ConstrCalc"].block.find_data("case")
    return any(tree.data == "assignment" for case in cases for tree in case.iter_subtrees())


def _unknown(mass: Cells, forces: Cells, motions: Mapping[int, Mapping[str, Cells]]) -> Iterator[Diagnostic]:
    """Report quantities that a missing file makes unknown."""
    groups = {"the mass matrix": [mass], "the force vector": [forces]}
    for found in motions.values():
        for quantity, cells in found.items():
            groups.setdefault(quantity.replace("_", " "), []).append(cells)
    lost = [
        name for name, parts in groups.items()
        if any(written.expression is None for cells in parts for written in cells.values())
    ]  # fmt: skip
    if lost:
        yield Diagnostic("warning", "um/files", f"{', '.join(lost)}: not read, a missing file sets elements of them")
