"""Assertions about models, for any test framework: a failure says where, at which state, by which witness, and why."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from mbconcord.api.check import Check, CheckRequest, check
from mbconcord.api.compare import CompareRequest, Comparison, compare, describe_sameness
from mbconcord.api.request import list_names, takes, takes_pair
from mbconcord.api.source import Model
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.system import System
from mbconcord.reports import text
from mbconcord.validation.claims import DEFAULT, choose_claims
from mbconcord.validation.strategies.machines import reproducer


@takes(CheckRequest)
def assert_agrees(model: Model, request: CheckRequest) -> Check:
    """Assert that all formalisms give a model the same equations, and that its claims hold.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    formalisms, states, seed, parameters, claims, against, coordinates, bodies : as for :func:`mbconcord.check`
    accept_omissions, physics, exact, format, simulate, count, allow_binary : as for :func:`mbconcord.check`

    Returns
    -------
    Check
        The evidence.

    Raises
    ------
    AssertionError
        A comparison disagrees, was not made, or the model has omissions that were not accepted: the message has the
        quantity, the entry, the state, the witnesses, and a command that shows this again.
    ReadError, ModelError
        The model cannot be read, or a body is physically impossible.
    NumbersError
        States or parameters that the model does not have.

    Examples
    --------
    >>> import mbconcord
    >>> mbconcord.assert_agrees(mbconcord.read(text="z°30 i > z°30 i g", format="mbsd")).verdict
    'agrees'
    """
    __tracebackhide__ = True
    found = check(model, request)
    if not found.stands:
        said = text.one_file(found, options_of(list_names(request.claims)), brief=True).rstrip()
        if option := found.left_out.option:  # of commands
            said = said.replace(option, f"accept_omissions={found.left_out.counts}")
        raise AssertionError("\n".join((said, *_pipe_model(found.system, found.file))))
    return found


@takes_pair(CompareRequest)
def assert_same_machine(a: Model, b: Model, request: CompareRequest) -> Comparison:
    """Assert that two models are the same machine.

    Parameters
    ----------
    a, b : paths, results of :func:`mbconcord.read`, Systems or Mechanisms
    states, seed, coordinates, parameters, accept_omissions, physics, simulate : as :func:`mbconcord.compare` takes
        them

    Returns
    -------
    Comparison
        The evidence.

    Raises
    ------
    AssertionError
        The models are not the same machine, or were not compared in full: the message has the quantity, the entry and
        the state of the largest difference, and the change that turns one model into the other, if a catalogue of
        faults has it.
    ReadError, ModelError
        A model cannot be read, or a body is physically impossible.
    NumbersError
        States, parameters or coordinates that the models do not have.

    Examples
    --------
    >>> import mbconcord
    >>> one, other = (mbconcord.read(text=text, format="mbsd") for text in ("z j-2 $3 g", "z j-2 $6 g"))
    >>> mbconcord.assert_same_machine(one, one).verdict
    'agrees'
    >>> mbconcord.assert_same_machine(one, other)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    AssertionError: not the same machine
    ...
    the same change in other words: B equals A when the mass of body1 is doubled (...)
    A: z j-2 $3 ; g-y
    B: z j-2 $6 ; g-y
    """
    __tracebackhide__ = True
    found = compare(a, b, request)
    if not found.stands:
        option, argument = found.left_out.option, f"accept_omissions={found.left_out.counts}"
        said = describe_sameness(found, found.sources[0].system, "compare")
        lines = [said.replace(option, argument) if option else said]
        if found.verdict == "disagrees":
            lines += filter(None, [str(found.why())])
        for name, own in zip("AB", found.sources, strict=True):
            lines.append(f"{name}: {own.file or one_line(own.system)}")
        raise AssertionError("\n".join(lines))
    return found


def options_of(claims: Sequence[str]) -> list[str]:
    """Return command line options with which ``check`` checks these claims; empty for the default claims."""
    names = [claim.name for claim in choose_claims(claims)]
    return [] if names == list(DEFAULT) else ["--claims", ",".join(names) or "none"]


def one_line(system: System) -> str:
    """Return the model as a text of one line, or the reason, in parentheses, why that is impossible."""
    try:
        return reproducer(system)
    except MbconcordError as problem:
        return f"({problem})"


def _pipe_model(system: System, file: str) -> list[str]:
    """Return a line on how to pipe the model to the command; empty if the model has a file."""
    if file not in ("", "-"):
        return []
    line = one_line(system)
    return [f"with: echo {shlex.quote(line)} |"]
