"""All formalisms by name, imported when they are first asked for; others join by entry points."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from operator import attrgetter

from mbconcord.model.diagnostics import MbconcordError, among, error, meant

from .interface import Formalism

#: name -> "module:class"; the order is that of every table.
BUILT_IN = {
    "lagrange": "mbconcord.formalisms.lagrange:Lagrange",
    "newton_euler": "mbconcord.formalisms.newton_euler:NewtonEuler",
    "virtual_work": "mbconcord.formalisms.virtual_work:VirtualWork",
    "konoplev": "mbconcord.formalisms.konoplev:Konoplev",
    "static_moments": "mbconcord.formalisms.static_moments:StaticMoments",
    "telegin": "mbconcord.formalisms.telegin:Telegin",
    "flexible": "mbconcord.formalisms.flexible:Flexible",
}
GROUP = "mbconcord.formalisms"
#: Whose equations are taken where no formalism is asked for.
DEFAULT = next(iter(BUILT_IN))
#: The formalism of recursions over links where none is asked for.
PER_LINK = "newton_euler"


@cache
def names() -> tuple[str, ...]:
    """Names of all formalisms, the built-in ones first."""
    return (*BUILT_IN, *sorted(_listed().keys() - BUILT_IN))


@cache
def formalism(name: str) -> Formalism:
    """The formalism of that name; :class:`MbconcordError` naming the known ones when there is none.

    ``telegin:rud`` is telegin in its form rud.
    """
    own, colon, form = name.partition(":")
    if colon:
        return formalism(own).in_form(form)
    return load(name)


def load(name: str) -> Formalism:
    """The formalism of that name, made anew from its module as it is now."""
    module, attribute = target(name)
    made: Formalism = attrgetter(attribute)(import_module(module))()
    return made


def target(name: str) -> tuple[str, str]:
    """Module and class of a formalism; :class:`MbconcordError` naming the known ones when there is none."""
    found = BUILT_IN.get(name) or _listed().get(name)
    if found is None:
        raise MbconcordError(error("formalism", f"there is no formalism {name!r}", among(name, names())))
    module, _, attribute = found.partition(":")
    return module, attribute


def _listed() -> dict[str, str]:
    """What installed packages list: looking through all of them takes longer than importing one."""
    return {e.name: e.value for e in entry_points(group=GROUP)}


def in_form(chosen: Iterable[str], form: str) -> tuple[str, ...]:
    """The names, with the form added to those formalisms that have it: ``telegin:rud``.

    Raises
    ------
    MbconcordError
        None of them has the form, or one is asked for in another form already.
    """
    asked = tuple(chosen)
    having = [name for name in asked if form in formalism(name).forms]
    if not having:
        known = (f"{name}: {', '.join(formalism(name).forms)}" for name in names() if formalism(name).forms)
        owners = {own: name for name in names() for own in formalism(name).forms}
        likely = meant(form, owners)
        question = (
            f"{owners[form]} has it; " if form in owners else f"did you mean {likely!r}? " if likely else ""
        )
        raise MbconcordError(
            error("form", f"{', '.join(asked)}: no form {form!r}", f"{question}known: {'; '.join(known)}")
        )
    for name in having:
        if formalism(name).form not in (None, form):
            raise MbconcordError(
                error("form", f"{name} and the form {form} exclude one another", "ask for one")
            )
    return tuple(f"{name.partition(':')[0]}:{form}" if name in having else name for name in asked)
