"""All formalisms by name, imported on first use; others join by entry points."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from mbconcord.model.diagnostics import MbconcordError, among, error, find_similar
from mbconcord.plugins import entry_points, import_named

from .changing import change_maps, take_words
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
#: Formalisms whose equations have few operations; which of them has the fewest depends on the model.
FAST = ("newton_euler", "telegin", "lagrange")
#: The formalism of recursions over links where none is asked for.
PER_LINK = "newton_euler"


@cache
def names() -> tuple[str, ...]:
    """List the names of all formalisms, the built-in ones first."""
    return (*BUILT_IN, *sorted(_list_entry_points().keys() - BUILT_IN))


@cache
def formalism(name: str) -> Formalism:
    """Return the formalism of that name; an unknown one raises :class:`MbconcordError` with the known names.

    ``telegin:rud`` is telegin in its form rud.
    """
    own, colon, form = name.partition(":")
    if colon:
        return formalism(own).in_form(form)
    return load(name)


def load(name: str) -> Formalism:
    """Return a new instance of the named formalism from its module's current state; it takes maps of coordinates.

    If it derives motions of points, it also takes words of formulas that name such a motion.
    """
    own: type[Formalism] = import_named(target(name))
    return take_words(change_maps(own))()


def target(name: str) -> str:
    """Return ``module:class`` of a formalism; an unknown one raises :class:`MbconcordError` with the known names."""
    found = BUILT_IN.get(name) or _list_entry_points().get(name)
    if found is None:
        raise MbconcordError(error("formalism", f"there is no formalism {name!r}", among(name, names())))
    return found


def _list_entry_points() -> dict[str, str]:
    """Map names of formalisms in installed packages to their targets; this takes longer than importing one."""
    return {e.name: e.value for e in entry_points(GROUP)}


def in_form(chosen: Iterable[str], form: str) -> tuple[str, ...]:
    """Add the form to the names of formalisms that have it: ``telegin:rud``.

    Raises
    ------
    MbconcordError
        None of the formalisms has the form, or one of the names has another form already.
    """
    asked = tuple(chosen)
    having = [name for name in asked if form in formalism(name).forms]
    if not having:
        known = (f"{name}: {', '.join(formalism(name).forms)}" for name in names() if formalism(name).forms)
        owners = {own: name for name in names() for own in formalism(name).forms}
        likely = find_similar(form, owners)
        question = f"{owners[form]} has it; " if form in owners else f"did you mean {likely!r}? " if likely else ""
        raise MbconcordError(
            error("form", f"{', '.join(asked)}: no form {form!r}", f"{question}known: {'; '.join(known)}")
        )
    for name in having:
        if formalism(name).form not in (None, form):
            raise MbconcordError(error("form", f"{name} and the form {form} exclude one another", "ask for one"))
    return tuple(f"{name.partition(':')[0]}:{form}" if name in having else name for name in asked)
