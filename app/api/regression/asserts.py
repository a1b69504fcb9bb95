"""Assertions about models, for tests of any kind: what fails says where, at which state, by whom, and why."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from mbconcord.api.check import Check, check
from mbconcord.api.compare import Comparison, compare
from mbconcord.api.models import Model, Parameters, source
from mbconcord.api.states import States
from mbconcord.api.why import why
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.system import System
from mbconcord.reports import text
from mbconcord.validation.claims import DEFAULT, chosen
from mbconcord.validation.exact.agreement import Mode
from mbconcord.validation.reproducer import reproducer


def assert_agrees(
    model: Model,
    *,
    formalisms: Sequence[str | Formalism] | None = None,
    states: int | States = 10,
    seed: int = 0,
    parameters: Parameters | None = None,
    claims: Sequence[str] = DEFAULT,
    accept_omissions: Mapping[str, int] | None = None,
    physics: Policy | None = None,
    exact: Mode = "auto",
) -> Check:
    """Assert that all formalisms give a model the same equations, and that its claims hold.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    formalisms, states, seed, parameters, claims, accept_omissions, physics, exact : as :func:`mbconcord.check`
        takes them

    Returns
    -------
    Check
        The evidence.

    Raises
    ------
    AssertionError
        Something disagrees, was not checked, or is left out of the model and was not accepted: the message has the
        quantity, the entry, the state, the witnesses, and a command that shows it again.
    ReadError, ModelError
        The model cannot be read, or a body is physically impossible.
    NumbersError
        States or parameters that the model does not have.

    Examples
    --------
    >>> import mbconcord
    >>> mbconcord.assert_agrees(mbconcord.read_text("z°30 i > z°30 i g", format="mbsd")).verdict
    'agrees'
    """
    __tracebackhide__ = True
    found = check(
        model, formalisms=formalisms, states=states, seed=seed, parameters=parameters, claims=claims,
        accept_omissions=accept_omissions, physics=physics, exact=exact,
    )  # fmt: skip
    if not found.stands:
        said = text.one_file(found, options_of(claims), brief=True).rstrip()
        raise AssertionError("\n".join((said, *_piped(found.system, found.file))))
    return found


def assert_same_machine(
    a: Model,
    b: Model,
    *,
    states: int | States = 10,
    seed: int = 0,
    coordinates: Mapping[str, str] | None = None,
    parameters: Parameters | None = None,
    accept_omissions: Mapping[str, int] | None = None,
    physics: Policy | None = None,
) -> Comparison:
    """Assert that two models move alike.

    Parameters
    ----------
    a, b : paths, what :func:`mbconcord.read` gave, Systems or Mechanisms
    states, seed, coordinates, parameters, accept_omissions, physics : as :func:`mbconcord.compare` takes them

    Returns
    -------
    Comparison
        The evidence.

    Raises
    ------
    AssertionError
        They are not the same machine, or that was not checked in full: the message has the quantity, the entry and
        the state of the largest difference, and what makes one model of the other, where a catalogue of faults knows
        it.
    ReadError, ModelError
        A model cannot be read, or a body is physically impossible.
    NumbersError
        States, parameters or coordinates that the models do not have.

    Examples
    --------
    >>> import mbconcord
    >>> one, other = (mbconcord.read_text(text, format="mbsd") for text in ("z j-2 $3 g", "z j-2 $6 g"))
    >>> mbconcord.assert_same_machine(one, one).verdict
    'agrees'
    >>> mbconcord.assert_same_machine(one, other)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    AssertionError: not the same machine
    ...
    why: B equals A when the mass of body1 is doubled (the same change: mass and tensor of body1 are doubled)
    A: z j-2 $3 ; g-y
    B: z j-2 $6 ; g-y
    """
    __tracebackhide__ = True
    found = compare(
        a, b, states=states, seed=seed, coordinates=coordinates, parameters=parameters,
        accept_omissions=accept_omissions, physics=physics,
    )  # fmt: skip
    if not found.stands:
        lines = [str(found)]
        if found.verdict == "disagrees":
            answer = why(a, b, coordinates=coordinates, parameters=parameters, physics=physics, seed=seed)
            lines += filter(None, [str(answer)])
        for name, model in (("A", a), ("B", b)):
            own = source(model, None, physics)
            lines.append(f"{name}: {own.file or one_line(own.system)}")
        raise AssertionError("\n".join(lines))
    return found


def options_of(claims: Sequence[str]) -> list[str]:
    """The options by which a command checks these claims."""
    names = [claim.name for claim in chosen(claims)]
    return [] if names == list(DEFAULT) else ["--claims", ",".join(names) or "none"]


def one_line(system: System) -> str:
    """The model as one line, or why there is none."""
    try:
        return reproducer(system)
    except MbconcordError as problem:
        return f"({problem})"


def _piped(system: System, file: str) -> list[str]:
    """How a model that is no file gets to the command."""
    if file not in ("", "-"):
        return []
    line = one_line(system)
    return [f"with: echo {shlex.quote(line)} |"]
