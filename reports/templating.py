"""Templates of the reports: values that are filled in are escaped, and a missing value is an error."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined


def template(name: str) -> str:
    """Return the text of a template, a style sheet or a script."""
    return (files("mbconcord.reports") / "templates" / name).read_text(encoding="utf-8")


def environment(**filters: Callable[..., object]) -> Environment:
    """Return an environment of Jinja that renders the templates, with additional filters."""
    found = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=FunctionLoader(template),
    )  # fmt: skip
    found.filters |= filters
    return found
