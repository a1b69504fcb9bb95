"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from mbconcord.api.derivatives import NO_SPEEDS
from mbconcord.api.interpreted import not_compared
from mbconcord.model.diagnostics import MbconcordError, NumbersError, error
from mbconcord.model.kinematics import IN_SPEEDS, Speeds, read_speeds, split_words
from mbconcord.model.limits import cut
from mbconcord.model.system import System
from mbconcord.reports.extras import optional

from ..io.jobs import require_guard
from ..output import say

if TYPE_CHECKING:
    from mbconcord.validation.many.cluster.cluster import DaskCluster

# The option that exchanges rates for other speeds.


NAME_THEM: Final = 'name them: --speeds "u1=cos(q1)*q2\'"'


def add_speeds(parser: argparse.ArgumentParser) -> None:
    """Add the option that exchanges rates for other speeds."""
    parser.add_argument(
        "--speeds", action="append", default=[], metavar="NAME=SPEED",
        help="exchange rates for other speeds u = Y q' + y: a body = angular velocity, velocity, or 'velocity; angular "
        "velocity', against its carrier in its own axes; or a new name = a formula linear in rates, "
        f"\"u1=cos(q1)*q2'\"; rates that stand in none are speeds themselves; then there are {', '.join(IN_SPEEDS)}; "
        "may be repeated",
    )  # fmt: skip


def read_speeds_of(arguments: argparse.Namespace, system: System, quantities: Iterable[str]) -> Speeds | None:
    """Read the speeds that the option names; None: there are none.

    Raises
    ------
    NumbersError
        A text is not a name and a speed, a name comes twice, the speeds are none of the model, or a quantity is of
        speeds and there are none.
    """
    if not arguments.speeds and (lost := [name for name in quantities if name in IN_SPEEDS]):
        raise NumbersError([error(f"--quantity/{name}", NO_SPEEDS[0], NAME_THEM) for name in lost])
    given = dict[str, str]()
    for text in arguments.speeds:
        name, found, speed = (part.strip() for part in text.partition("="))
        if not (name and found and speed):
            raise NumbersError(error("--speeds", f"{cut(text)!r} is not a name and a speed", NAME_THEM))
        if name in given:
            raise NumbersError(error(f"--speeds/{name}", "it has a speed twice", "remove one of them"))
        given[name] = speed
    return read_speeds(system, given) if given else None


# The option that has work done by a cluster: workers of this machine, or of a scheduler of Dask at an address.


#: Where rows of a campaign over files, and over pairs, go when nobody says it.
CHECKED, COMPARED = "checked", "compared"


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add the cluster option."""
    parser.add_argument(
        "--cluster", metavar="local|ADDRESS",
        help="have the work done by workers of Dask: local starts as many as --jobs says; or of the scheduler at an "
        "address, tcp://host:8786",
    )  # fmt: skip


@contextmanager
def join_cluster(address: str | None, workers: int, quiet: bool = False) -> Iterator[DaskCluster | None]:
    """Join the cluster of an address, or none; workers started here end with the context.

    Raises
    ------
    MbconcordError
        Dask is not installed, no scheduler or worker answers, or a worker is of another release.
    """
    if address is None:
        yield None
        return
    optional("distributed", "cluster", "a campaign on a cluster")
    from mbconcord.validation.many.cluster.cluster import LOCAL, DaskCluster  # not before: it needs Dask

    if address == LOCAL:
        require_guard("spawn")  # so Dask starts its workers on every system
    with DaskCluster(address, workers) as cluster:
        if not quiet:
            seen = f", {cluster.dashboard}" if cluster.dashboard else ""
            say(f"cluster {address}: {cluster.threads} at a time{seen}", error=True)
        yield cluster


# Names in options that may be repeated: ``--quantity M,h --quantity gravity``.


def split_names(given: Iterable[str]) -> list[str]:
    """List all names in the order given; a comma within brackets or quotes divides nothing."""
    return [name for item in given for name in split_words(item) if name]


# An option that stands in place of a positional argument.


class Instead(argparse.Action):
    """Stores its value, or adds it to a list, and makes other arguments optional."""

    def __init__(self, *, of: Sequence[argparse.Action], **options: Any) -> None:
        super().__init__(**options)
        self.of = of

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Take the value."""
        known = getattr(namespace, self.dest)
        if self.nargs != 0 and known not in (self.default, values) and not isinstance(known, list):
            raise argparse.ArgumentError(self, f"found {known}, and {values}; give it once")
        value = self.const if self.nargs == 0 else [*known, values] if isinstance(known, list) else values
        setattr(namespace, self.dest, value)
        for action in self.of:
            action.required = False


# Options that equilibrium and linearize share.


def add_linear(parser: argparse.ArgumentParser) -> None:
    """Add options: formalism, time, fixed coordinates, evidence."""
    parser.add_argument(
        "--formalism", metavar="NAME", help="by whose equations (default: the first that takes the model)"
    )
    parser.add_argument("--time", metavar="T", help="the moment, s, where the equations depend on the time")
    parser.add_argument("--hold", metavar="A,B", help="coordinates that stay where they are")
    parser.add_argument(
        OPTION, dest="witness", action="store_false",
        help="do not ask the other formalisms, nor take differences in 50 digits",
    )  # fmt: skip


def read_held(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the coordinates of --hold."""
    return () if arguments.hold is None else tuple(split_names([arguments.hold]))


# Names with commas between them, and pairs of names: which coordinate, which body is which, told by the user.


def split_required_names(text: str, option: str) -> list[str]:
    """Split ``one,two`` into a list.

    Raises
    ------
    MbconcordError
        A name is missing.
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise MbconcordError(error(option, f"found no name in {text!r}", "names with one comma between two of them"))
    return names


def pairs(text: str | None, option: str) -> dict[str, str] | None:
    """Parse ``1=z1,2=-x1`` into a mapping; commas within parentheses divide nothing.

    Raises
    ------
    MbconcordError
        Something in it is no pair, or is named twice.
    """
    if text is None:
        return None
    found: dict[str, str] = {}
    items: list[str] = []
    for part in text.split(","):
        if items and items[-1].count("(") > items[-1].count(")"):
            items[-1] += f",{part}"
        else:
            items.append(part)
    for item in items:
        one, equals, other = (part.strip() for part in item.partition("="))
        if not (one and equals and other):
            raise MbconcordError(error(option, f"found {item!r}, expected one=other", "for example 1=z1,2=x1"))
        if one in found:
            raise MbconcordError(error(option, f"{one} is named twice", "name it once"))
        found[one] = other
    return found


# ``--no-witness``: what was made is not compared, and that is said.


OPTION: Final = "--no-witness"
#: What is said in the place of a comparison.
SKIPPED: Final = not_compared(OPTION)


def add_witness(parser: argparse.ArgumentParser) -> None:
    """Add the option that leaves out the comparison with the interpreter of the graph."""
    parser.add_argument(
        OPTION, dest="witness", action="store_false",
        help="do not compare what is written with the interpreter of the same equations; it is said (default: compare)",
    )  # fmt: skip
