"""Print the equations of motion of a model by one formalism.

The equation is M(q) q'' + h(q, q', t) = gravity + applied; of a model with constraints + D^T lambda on the right, and
D q'' + gamma_tilde = 0: there the open tree's quantities, D, gamma_tilde and the equations are printed.
Intermediates keep their names; --closed-form prints small systems as the literature does: L, M, h and Q, simplified.
Without --quantity and --closed-form a formalism prints the list that its paper prints, where its paper prints one.
"""

from __future__ import annotations

import argparse
import sys

from mbconcord.api.derivatives import derived_asked, derived_whole
from mbconcord.api.obstacles import require
from mbconcord.api.source import located
from mbconcord.model.notation.simplification import simplified
from mbconcord.reports import equations

from . import SUCCESS
from .formalisms import add_formalism, add_quantity, formalism
from .numbers import add_parameters
from .options.names import listed
from .options.subsystems import HELP as SUBSYSTEMS
from .options.subsystems import divided
from .output import add_detail, least, print_json, tell
from .source import add_file, load

OUTPUTS = ("text", "latex", "mathml", "python", "c", "json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """File, formalism, quantities and notation."""
    add_file(parser)
    add_formalism(parser)
    add_quantity(parser, "equations, ")
    parser.add_argument("--subsystems", metavar="A,B/C", help=SUBSYSTEMS)
    parser.add_argument("--output", choices=OUTPUTS, default="text", help="notation (default: text)")
    parser.add_argument(
        "--closed-form", action="store_true", help="simplified closed forms, for small systems"
    )
    add_detail(parser, "no warnings", "the reader's notes, too")
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Derive and print."""
    chosen = formalism(arguments)
    source = load(arguments, arguments.file).plausible()
    output = "json" if arguments.json else arguments.output
    names = listed(arguments.quantity)
    with located(source):
        require(chosen, source.system)
        if arguments.subsystems is not None:
            derivation = divided(chosen, source.system, arguments.subsystems)
            tell(derivation.notes, least(arguments, "note"))
            names = names or list(derivation.native)
        elif arguments.closed_form:
            derivation = derived_whole(chosen, source.system)
        elif names:
            derivation = derived_asked(chosen, source.system, names)
        else:
            derivation = chosen.listing(source.system)
        if arguments.closed_form:
            result = equations.closed_form(derivation, names, output)
        else:
            result = equations.render(simplified(derivation), names, output)
    tell(map(source.locate, source.diagnostics), least(arguments))
    if output == "json":
        print_json(result)
    else:
        sys.stdout.write(str(result))
    return SUCCESS
