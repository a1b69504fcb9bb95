"""List the formalisms: names, sources, and the forms that some of them have."""

from __future__ import annotations

import argparse

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.system import System
from mbconcord.reports.table import table

from ..api.request import choose_formalism
from . import SUCCESS
from .output import print_json, say


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run(arguments: argparse.Namespace) -> int:
    """Print the table of formalisms, or their JSON; return the exit code."""
    formalisms = [registry.formalism(name) for name in registry.names()]
    if arguments.json:
        rows = [
            {"name": f.name, "title": f.title, "reference": f.reference, "forms": list(f.forms)} for f in formalisms
        ]
        print_json({"formalisms": rows})
    else:
        say(table(("formalism", "title", "reference"), [(f.name, f.title, f.reference) for f in formalisms]))
        choices = [(f.name, ", ".join(f.forms)) for f in formalisms if f.forms]
        if choices:
            print()
            say(table(("formalism", "forms, chosen by --form"), choices))
    return SUCCESS


def add_formalism(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a formalism and its form."""
    parser.add_argument(
        "--formalism", "--formalisms", metavar="NAME",
        help="formalism, see mbconcord formalisms (default: the first that takes the model, which is named)",
    )  # fmt: skip
    parser.add_argument("--form", metavar="FORM", help="which of its forms (default: it chooses)")


def add_quantity(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the option that chooses quantities of a derivation; ``more`` names others that the command has."""
    parser.add_argument(
        "--quantity",
        action="append",
        default=[],
        metavar="A,B",
        help="only these: M, h, gravity, applied, inverse_dynamics, acceleration, D and gamma_tilde of constraints, "
        f"{more}the Coriolis matrix C, the derivatives dtau_dq, dtau_dv, da_dq, da_dv, da_dtau, the "
        "regressor, kinematic ones such as velocity(BODY), or the formalism's own such as L; may be repeated",
    )


def formalism(arguments: argparse.Namespace, system: System) -> Formalism:
    """Return the formalism that the options name; else the first that takes the model, and print its name."""
    if arguments.formalism is not None or arguments.form:
        return named_formalism(arguments)
    found = choose_formalism(None, system)
    if not arguments.quiet:
        say(f"--formalism: note: {found.name}, the first that takes the model", error=True)
    return found


def named_formalism(arguments: argparse.Namespace) -> Formalism:
    """Return the formalism that the options name directly or by one of its forms."""
    having = (name for name in registry.names() if arguments.form in registry.formalism(name).forms)
    name: str = arguments.formalism or next(having, registry.DEFAULT)
    if "," in name:
        raise MbconcordError(error("--formalism", f"found several, {name!r}; expected one", "check takes several"))
    return registry.formalism(registry.in_form([name], arguments.form)[0] if arguments.form else name)
