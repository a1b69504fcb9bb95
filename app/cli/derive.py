"""Print the equations of motion of a model by one formalism.

The equation is M(q) q'' + h(q, q', t) = gravity + applied. Intermediates keep their names;
--closed-form prints small systems as the literature does: L, M, h and Q, simplified. Without --quantity and
--closed-form a formalism prints the list that its paper prints: konoplev its tiers A-I to Q-II.
"""

from __future__ import annotations

import argparse

HELP = "print the equations of motion"
OUTPUTS = ("text", "latex", "python", "c", "json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """File, formalism, quantities and notation."""
    from .numbers import add_parameters
    from .source import add_file

    add_file(parser)
    parser.add_argument(
        "--formalism", required=True, metavar="NAME", help="formalism, see mbconcord formalisms"
    )
    parser.add_argument(
        "--quantity",
        action="append",
        default=[],
        metavar="A,B",
        help="only these: M, h, gravity, applied, inverse_dynamics, acceleration, or the formalism's own "
        "such as L; may be repeated",
    )
    parser.add_argument("--output", choices=OUTPUTS, default="text", help="notation (default: text)")
    parser.add_argument(
        "--closed-form", action="store_true", help="simplified closed forms, for small systems"
    )
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Derive and print."""
    import sys

    from mbconcord.formalisms.registry import formalism
    from mbconcord.reports import equations

    from . import SUCCESS
    from .output import print_json, tell
    from .source import load, located

    chosen = formalism(arguments.formalism)
    source = load(arguments, arguments.file)
    output = "json" if arguments.json else arguments.output
    names = [name.strip() for item in arguments.quantity for name in item.split(",") if name.strip()]
    with located(source):
        chosen.require(source.system)
        if arguments.closed_form:
            result = equations.closed_form(chosen.derive(source.system), names, output)
        else:
            derivation = chosen.derive(source.system) if names else chosen.listing(source.system)
            result = equations.render(derivation, names, output)
    tell(source.locate(d) for d in source.diagnostics if d.severity != "note")
    if output == "json":
        print_json(result)
    else:
        sys.stdout.write(str(result))
    return SUCCESS
