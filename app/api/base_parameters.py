"""The inertial parameters on which a model's equations depend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import DisagreementError, FormalismError, error
from mbconcord.model.right_angles import snap_angles
from mbconcord.model.system import System
from mbconcord.simulation.motion.methods import quickest
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.judge.evidence import Comparison, Verdict
from mbconcord.validation.judge.exact.base_parameters import BaseParameters
from mbconcord.validation.judge.exact.base_parameters import base_parameters as found_by
from mbconcord.validation.witnesses.base import check_base
from mbconcord.validation.witnesses.screen import PRINTED

from .source import Model, Parameters, locate_errors, source


def base_parameters(
    model: Model,
    formalism: str | Formalism | None = None,
    *,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> BaseParameters:
    """Find the base parameters of a model: the sums of inertial parameters that inverse dynamics depends on.

    Their number is the rank of the regressor, exact over a prime field. Of a model with constraints they are those of
    its open tree.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    formalism : source of the equations; None: the one that simulates the open tree
    parameters : values by name; without a value the result holds for almost all values
    physics : treatment of impossible masses and inertias; None: the format's default
    format : of the file, if its name does not determine it

    Raises
    ------
    FormalismError
        The formalism does not take the model, a body is elastic, or right angles in digits decide the rank, and why.
    DisagreementError
        Sums over the bodies at other states have another rank or other sums, or a text is not that of its sum.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z j-2 $3 g9.81", format="mbsd")
    >>> for base in mbconcord.base_parameters(pendulum).base:
    ...     print(base)
    body1.Jzz - 4 body1.m
    body1.mx
    body1.my - 2 body1.m
    """
    found = source(model, format, physics, parameters).plausible()
    by = registry.formalism(formalism) if isinstance(formalism, str) else formalism
    by = by or quickest(found.system.open_loops())
    with locate_errors(found):
        return judged(found.system, by)[0]


def judged(system: System, by: Formalism) -> tuple[BaseParameters, tuple[Comparison, ...]]:
    """Return the base parameters of a model's open tree, and what witnesses say of them."""
    by.require(system.open_loops())
    found = found_by(system, by)
    witnesses = tuple(check_base(system, found))
    wrong = list(contradict([*witnesses, read_base(found, found.to_json()["base"])], "base_parameters"))
    rank = [c.explanation for c in witnesses if c.quantity == "rank" and c.verdict != "agrees"]
    if rank and {c.quantity for c in witnesses if c.verdict == "disagrees"} <= {"rank"}:
        written = snap_angles(system)[1]
        if written:
            message = f"{rank[0]}: {', '.join(written[:3])} is not quite a right angle, and decides the rank"
            raise FormalismError(error("base_parameters", message, "read with --read snap-angles, or snap_angles=True"))
    if wrong:
        raise DisagreementError(wrong)
    return found, witnesses


def read_base(base: BaseParameters, told: Sequence[Mapping[str, Any]]) -> Comparison:
    """Compare the texts of base parameters with their coefficients."""
    wrong = [f"found {len(told)} sums, expected {len(base.base)}"] if len(told) != len(base.base) else []
    terms = [(b.parameter, *pair) for b in base.base for pair in ({b.parameter: 1} | {**b.added}).items()]
    wrong += [f"rows of the table: found {base.list_terms()}"] if base.list_terms() != terms else []
    for own, shown in zip(base.base, told, strict=False):
        text = own.parameter
        for name, c in own.added.items():
            size = "(…) " if c is None else f"{abs(float(c)):.12g} " if abs(float(c)) != 1 else ""
            text += f" {'-' if c is not None and c < 0 else '+'} {size}{name}"
        if shown["text"] != text:
            wrong.append(f"base parameters: found {shown['text']!r}, expected {text!r}")
    verdict: Verdict = "disagrees" if wrong else "agrees"
    return Comparison(base.formalism, "", "printed JSON", verdict, explanation="; ".join(wrong[:3]), claim=PRINTED)
