"""Pages from the templates of this part: what stands in them is escaped, what is missing is an error."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined


def template(name: str) -> str:
    """The text of a template, a style sheet or a script."""
    return (files("mbconcord.reports") / "templates" / name).read_text(encoding="utf-8")


def environment(**filters: Callable[..., object]) -> Environment:
    """What renders templates, with filters of its own."""
    found = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=FunctionLoader(template),
    )  # fmt: skip
    found.filters |= filters
    return found
