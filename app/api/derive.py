"""Equations of motion by one formalism, which display and save themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.derivation import Derivation, Nested, flatten
from mbconcord.model.diagnostics import Diagnostic, NumbersError, WriteError, among, error, no_attribute
from mbconcord.model.expressions import Expression, count_operations, topological
from mbconcord.model.expressions.mathml import mathml_name
from mbconcord.model.expressions.program import Operations
from mbconcord.model.expressions.sympy_exchange import to_sympy
from mbconcord.model.kinematics import Speeds, read_kinematics, read_speeds
from mbconcord.model.limits import Markup, count, frame, html_table, line
from mbconcord.model.notation.simplification import simplify
from mbconcord.model.numbers import define
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.reports import equations
from mbconcord.reports.equations.listing import ListingLine, PaperName, choose, listing, tell_apart
from mbconcord.reports.equations.mathml import right, write_left_side
from mbconcord.reports.part import dumps
from mbconcord.reports.summary import comment
from mbconcord.validation.judge.left_out import LeftOut

from .derivatives import NO_SPEEDS, choose_in_speeds, derived_whole, with_kinematics, with_speeds
from .files import write
from .request import choose_formalism, require, require_kinds
from .source import Model, Parameters, locate_errors, source

if TYPE_CHECKING:
    from pandas import DataFrame

#: Suffix of a file -> notation of the equations in it.
NOTATIONS: Final[Mapping[str, str]] = {
    ".txt": "text", ".tex": "latex", ".mml": "mathml", ".py": "python", ".c": "c", ".json": "json",
}  # fmt: skip
#: Largest number of nodes of equations, and of operations of a formula, that a notebook typesets; more are counted.
MOST_NODES: Final = 1_500
MOST_OPERATIONS: Final = 60
Names = str | Iterable[str]


@dataclass(frozen=True, repr=False)
class Equations:
    """Equations of motion of a model by one formalism: ``M(q) q'' + h(q, q', t) = gravity + applied``.

    Rows of rotations in N m, of translations in N, in the order of ``coordinates``.

    Attributes
    ----------
    derivation : the quantities as expressions, over named intermediates in stages
    diagnostics : warnings about the model
    by : the formalism, which derives kinematic quantities on request; None: such requests are not possible
    speeds : speeds other than rates, in which quantities may be requested
    """

    derivation: Derivation
    diagnostics: tuple[Diagnostic, ...] = ()
    by: Formalism | None = None
    speeds: Speeds | None = None

    @property
    def system(self) -> System:
        """The model."""
        return self.derivation.system

    @property
    def left_out(self) -> LeftOut:
        """Forces and inertias that act on the motion and that the model does not hold."""
        return LeftOut(self.system.omissions)

    @property
    def formalism(self) -> str:
        """Name of the formalism that derived the equations."""
        return self.derivation.formalism

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates: the order of every array."""
        return self.system.coordinate_names

    @property
    def quantities(self) -> Mapping[str, Nested]:
        """The canonical quantities as expressions: ``M`` a tuple of rows, the others tuples."""
        return self.derivation.quantities

    @property
    def operations(self) -> Operations:
        """Cost of the canonical quantities together."""
        return count_operations(self.derivation.outputs())

    def __getitem__(self, name: str) -> Nested:
        """Return a quantity as expressions: canonical, kinematic, in speeds, or the formalism's own."""
        (found,) = choose(self._derive_kinematics([name]), [name]).values()
        return found

    def _derive_kinematics(self, names: Iterable[str]) -> Derivation:
        """Return the derivation, extended by the kinematic quantities and quantities in speeds among names."""
        if not self.by:
            return self.derivation
        turned = choose_in_speeds(names := [*names], accelerated=True)
        if turned and not self.speeds:
            raise NumbersError([error(f"quantities/{name}", *NO_SPEEDS) for name in turned])
        made = with_kinematics(self.derivation, self.by, read_kinematics(self.system, names))
        if turned and self.speeds:
            made = with_speeds(made, self.by, self.speeds, turned)
        return self.derivation if made is self.derivation else simplify(made)

    if not TYPE_CHECKING:  # checkers of types know the attributes that there are

        def __getattr__(self, name: str) -> Any:
            own = {} if name.startswith("_") else self.derivation.quantities
            raise no_attribute(self, name, {each: "M" if each == "M" else f"equations[{each!r}]" for each in own})

    @property
    def M(self) -> Any:
        """The mass matrix as a Matrix of SymPy."""
        return self.to_sympy("M")

    def to_sympy(self, quantity: str | None = None) -> Any:
        """Convert to SymPy: a quantity as a matrix (a vector as a column), or all canonical ones by name.

        Symbols are real and called as in formulas: ``z1``, ``z1'``, ``m``. Nothing is expanded or simplified.

        Raises
        ------
        MbconcordError
            There is no such quantity.
        ExpressionError
            A formula is deeper than SymPy can take.
        """
        if quantity is None:
            return {name: self.to_sympy(name) for name in self.quantities}
        from sympy import Matrix

        value: Any = self[quantity]
        rows = value if isinstance(value, tuple) else (value,)
        flat = [x for row in rows for x in (row if isinstance(row, tuple) else (row,))]
        own = list(map(to_sympy, define(flat, self.system.functions)))
        return Matrix(len(rows), len(own) // max(len(rows), 1), own)

    def __repr__(self) -> str:
        own = self.derivation
        return line(
            "Equations", f"of {self.system.name} by {self.formalism}", ", ".join(own.quantities),
            count(len(own.assignments), "intermediate"),
            LeftOut(self.system.omissions, quantities=tuple(own.quantities)).without,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        title, said = repr(self)[1:-1], list(map(str, self.diagnostics))
        if len(topological(self.derivation.outputs())) > MOST_NODES:
            rows = [(name, _operations(flatten(value))) for name, value in self.quantities.items()]
            return html_table(title, ("quantity", "operations"), rows, [*said, "render() and save() have the formulas"])
        groups = list(listing(self.derivation, choose(self.derivation)))
        write = tell_apart(self.derivation, groups, mathml_name)
        lines = ((row.label, _formula(row, write)) for group in groups for row in group.lines)
        return html_table(title, ("", "formula"), lines, said)

    def _repr_latex_(self) -> str | None:
        short = len(topological(self.derivation.outputs())) <= MOST_NODES
        return re.sub(r"^% (.*)$", _write_comment, self.render("latex"), flags=re.M) if short else None

    def to_frame(self, quantities: Names = ()) -> DataFrame:
        """Convert to a pandas table: ``name`` (``M[z1, z2]``, or an intermediate), ``formula`` over earlier names."""
        text = self.render("text", quantities)
        pairs = (row.partition(" = ") for row in str(text).splitlines() if row and not row.startswith("#"))
        return frame(({"name": name, "formula": formula} for name, _, formula in pairs), ("name", "formula"))

    def render(self, notation: str = "text", quantities: Names = ()) -> str:
        """Write the equations as ``text``, ``latex``, ``mathml``, ``python`` (over NumPy), ``c`` (C99) or ``json``.

        Parameters
        ----------
        notation : name of one of these notations
        quantities : canonical ones, kinematic ones such as ``velocity(hand)``, the formalism's own, or ``equations``,
            the equations themselves; none: all canonical ones, of a model with constraints with D, γ̃ and the equations

        Raises
        ------
        MbconcordError
            There is no such notation, or the formalism does not deliver such a quantity; the known ones are listed.

        Examples
        --------
        >>> import mbconcord
        >>> pendulum = mbconcord.read(text="z j-2 $3 g", format="mbsd")
        >>> print(mbconcord.derive(pendulum).render(quantities="gravity"), end="")
        # gravity
        gravity[z1] = -(6*g)*sin(z1)
        """
        if notation not in NOTATIONS.values():
            raise WriteError(
                error("notation", f"there is no notation {notation!r}", among(notation, NOTATIONS.values()))
            )
        names = [quantities] if isinstance(quantities, str) else list(quantities)
        made: Any = equations.render(self._derive_kinematics(names), names, notation)
        left_out = replace(self.left_out, quantities=tuple(names))
        if notation == "json":
            return f"{dumps(made | left_out.head())}\n"
        return comment(left_out, notation) + str(made)

    def save(self, file: str | PathLike[str], quantities: Names = ()) -> Path:
        """Write the equations to a file whose suffix determines the notation: .txt, .tex, .mml, .py, .c or .json.

        Raises
        ------
        WriteError
            Another suffix, or the file cannot be written.
        """
        path = Path(fspath(file))
        notation = NOTATIONS.get(path.suffix.lower())
        if notation is None:
            message = f"{path}: equations are not written to files of this suffix"
            raise WriteError(error("", message, f"known: {' '.join(NOTATIONS)}"))
        return write(path, self.render(notation, quantities).encode("utf-8"))


def _operations(outputs: Iterable[Expression]) -> str:
    """Summarize operations: ``12 multiplications, 5 additions, 4 of other kinds``."""
    found = count_operations(outputs)
    others = found.div + found.trig + found.other
    return f"{count(found.mul, 'multiplication')}, {count(found.add, 'addition')}, {others:,} of other kinds"


def _write_comment(found: re.Match[str]) -> str:
    """Convert a comment of LaTeX to text within mathematics, as a notebook shows all else without typesetting."""
    said = re.sub(r"[{}$&#_%]", r"\\\g<0>", found[1].replace("\\", "/")).replace("^", r"$^\wedge$")
    return rf"$\text{{{said}}}$"


def _formula(row: ListingLine, write: PaperName) -> object:
    """Typeset a line's formula in MathML, or return its count of operations if it is long."""
    if count_operations([row.expression]).total > MOST_OPERATIONS and row.expression not in row.names:
        return f"{_operations([row.expression])}: render() has the formula"
    side = f"<mrow>{write_left_side(row.element)}<mo>=</mo></mrow>" if row.element else ""
    return Markup(f"<math>{side}{right(row, write)}</math>")


@require_kinds
def derive(
    model: Model,
    formalism: str | Formalism | None = None,
    *,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
    speeds: Mapping[str, Any] | None = None,
) -> Equations:
    """Derive the equations of motion of a model by one formalism.

    For a model with constraints, M, h and the forces are those of its open tree; formalisms that support constraints
    also give ``D`` and ``γ̃`` of M q'' + h = gravity + applied + Dᵀ λ, D q'' + γ̃ = 0. Where supported, the derivatives
    ``C``, ``dtau_dq``, ``dtau_dv``, ``da_dq``, ``da_dv``, ``da_dtau`` and the ``regressor`` are made on request.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    formalism : a name of ``mbconcord formalisms``, ``name:form`` for one of its forms, or a formalism; None: the first
        that takes the model, which the result names
    parameters : values of parameters by name, for the model; in the formulas parameters stay symbols
    physics : treatment of impossible masses and inertias; None: the format's default
    format : format of the file, if its name does not determine it
    speeds : speeds other than rates, as for :func:`mbconcord.evaluate`; with them ``u``, ``M_u`` and the others may be
        requested; their formulas are invalid where the speeds do not determine the rates

    Raises
    ------
    FormalismError
        The formalism does not take the model: each place, and why.
    ReadError
        The file cannot be read, or a body is physically impossible.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z j-2 $3 g", format="mbsd")
    >>> mbconcord.derive(pendulum)["M"]
    ((<12>,),)
    """
    found = source(model, format, physics, parameters).plausible()
    by = choose_formalism(formalism, found.system)
    with locate_errors(found):
        require(by, found.system)
        derivation = simplify(derived_whole(by, found.system))
        turned = None if speeds is None else read_speeds(found.system, speeds)
    warned = (d for d in found.diagnostics if d.severity != "note")
    return Equations(derivation, tuple(map(found.locate, warned)), by, turned)
