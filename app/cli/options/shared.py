"""Options that several commands share."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mbconcord.api.derivatives import NO_SPEEDS
from mbconcord.api.interpreted import NOT_COMPARED, not_compared
from mbconcord.converters.floats import NumeralError, exact
from mbconcord.converters.inclusions import parse_toml, utf8_text
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, NumbersError, ReadError, among, error
from mbconcord.model.kinematics import IN_SPEEDS, Speeds, read_speeds, split_words
from mbconcord.model.limits import count, cut
from mbconcord.model.system import System
from mbconcord.reports.extras import optional
from mbconcord.witnessed import SPEEDS

from ..io.jobs import require_guard
from ..output import say
from .numbers import real

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
    """Return the speeds that the option defines; None without the option.

    Raises
    ------
    NumbersError
        A text is not a name and a speed, a name comes twice, the speeds do not fit the model, or a quantity in speeds
        is requested without speeds.
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


def list_along(field: str, quantities: Iterable[str]) -> list[str]:
    """Return ``field`` if some quantities refer to coordinates, and the field of speeds if some refer to speeds."""
    names = tuple(quantities)
    along = [name in IN_SPEEDS for name in names]
    found = [*([] if along and all(along) else [field]), *([SPEEDS] if any(along) else [])]
    if {*found} != {SPEEDS if name in IN_SPEEDS else field for name in names or (field,)}:
        raise ValueError(f"the head of {', '.join(names)} is about {', '.join(found)}")
    return found


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
    """Yield the cluster at an address, None without one; workers that were started here end with the context.

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
    """Split texts at commas to a list of names; a comma within brackets or quotes does not split."""
    return [name for item in given for name in split_words(item) if name]


# An option that stands in place of a positional argument.


class Instead(argparse.Action):
    """Action of an option that replaces positional arguments: stores its value and makes these optional."""

    def __init__(self, *, of: Sequence[argparse.Action], **options: Any) -> None:
        super().__init__(**options)
        self.of = of

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store the value or append it to a list; raise if another value was stored before."""
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


def add_steady(parser: argparse.ArgumentParser, help: str) -> None:
    """Add the option ``--steady`` for values of a steady motion."""
    parser.add_argument("--steady", action="append", metavar="NAME=VALUE", help=help)


def read_steady(arguments: argparse.Namespace) -> dict[str, float] | None:
    """Return the values of --steady by coordinate or rate; None without it.

    Raises
    ------
    NumbersError
        A text is not NAME=VALUE with a number, or a name comes twice.
    """
    if arguments.steady is None:
        return None
    found: dict[str, float] = {}
    for setting in split_names(arguments.steady):
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not (equals and name):
            raise NumbersError(
                error("--steady", f"{setting!r:.60} is not NAME=VALUE", 'for example --steady "psi\'=6.28"')
            )
        if name in found:
            raise NumbersError(error("--steady", f"{name} has a value twice", "remove one of them"))
        value = real("--steady", text)
        assert value is not None
        found[name] = value
    return found


#: Rows of a sweep at most.
MOST_ROWS: Final = 10_000


def read_sweep(text: str) -> tuple[str, list[float]]:
    """Return the name and the values of ``NAME=FROM:TO:STEP``.

    Raises
    ------
    NumbersError
        The text is not of that form; the step does not lead from FROM to TO; there are too many values.
    """
    name, _, spread = (part.strip() for part in text.partition("="))
    parts = spread.split(":")
    example = 'for example --sweep "x\'=1:8:0.1"'
    if not name or len(parts) != 3:
        raise NumbersError(error("--sweep", f"{text!r:.60} is not NAME=FROM:TO:STEP", example))
    try:
        first, last, step = map(exact, parts)
    except NumeralError as problem:
        raise NumbersError(error("--sweep", str(problem), problem.remedy or example)) from None
    if not step or (last - first) / step < 0:
        message = f"a step of {parts[2].strip()} does not lead from {parts[0].strip()} to {parts[1].strip()}"
        raise NumbersError(error("--sweep", message, example))
    steps = int((last - first) / step)
    if steps >= MOST_ROWS:
        message = f"found {count(steps + 1, 'value')}, at most {MOST_ROWS:,}"
        raise NumbersError(error("--sweep", message, "take a larger step"))
    return name, [float(first + k * step) for k in range(steps + 1)]


def read_spread(text: str, values: Mapping[str, Any]) -> dict[str, float]:
    """Return half widths by name from ``NAME=SIZE,NAME=5%``; ``values`` are those about which is drawn.

    Raises
    ------
    NumbersError
        A part of the text is not of that form; a name is unknown or comes twice; a size is not above zero.
    """
    example, found = "for example --spread q1=0.1,m=5%", dict[str, float]()
    for part in text.split(","):
        name, equals, size = (x.strip() for x in part.partition("="))
        size = size.removeprefix("±").strip()
        if not name or not equals:
            raise NumbersError(error("--spread", f"{part!r:.60} is not NAME=SIZE", example))
        if name not in values:
            message = f"the model has no coordinate, rate or parameter {name!r:.60}"
            raise NumbersError(error("--spread", message, among(name, list(values))))
        if name in found:
            raise NumbersError(error("--spread", f"{name} has a size twice", "remove one of them"))
        try:
            width = float(exact(size.removesuffix("%").strip()))
        except (NumeralError, OverflowError) as problem:
            message = f"{name}: {problem}"
            raise NumbersError(error("--spread", message, getattr(problem, "remedy", "") or example)) from None
        if not width > 0:
            raise NumbersError(error("--spread", f"{name}: found {size:.60}, expected a size above 0", example))
        found[name] = width
        if size.endswith("%"):
            about = abs(float(values[name]))
            found[name] *= about / 100
            if not about:
                raise NumbersError(error("--spread", f"{name} is 0, of which {size:.60} is 0", f"{name}=0.1"))
    return found


def read_held(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the coordinates of --hold."""
    return () if arguments.hold is None else tuple(split_names([arguments.hold]))


# Names with commas between them, and pairs of names: which coordinate, which body is which, told by the user.


MAP: Final = "--map"


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
    """Parse ``1=z1,2=-x1`` into a mapping; commas within parentheses do not split.

    Raises
    ------
    MbconcordError
        A part of the text is no pair, or a name comes twice.
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


def add_map(parser: argparse.ArgumentParser, tables: Sequence[str], what: str) -> None:
    """Add the option ``--map``, which maps names of other equations to names of the model."""
    parser.add_argument(
        MAP, action="append", default=[], metavar="TABLE:A=B,…|FILE.toml",
        help=f"{what}; or tables of name = \"formula\" in a file; may be repeated",
    )  # fmt: skip


def read_maps(given: Sequence[str], known: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the mappings of names by table from --map: pairs ``coordinates:1=q,2=-r``, or files.

    Raises
    ------
    MbconcordError
        A table is not among ``known``, a file cannot be read, a part is no pair, or a name has two meanings.
    """
    found: dict[str, dict[str, str]] = {}
    for text in given:
        table, colon, rest = text.partition(":")
        if table in known and colon:
            named = {table: pairs(rest, f"{MAP} {table}") or {}}
        elif ("=" in text or colon) and not (text.endswith(".toml") or Path(text).exists()):
            message = f"found {text!r:.60}, expected TABLE:A=B or FILE.toml"
            raise MbconcordError(error(MAP, message, among(table, known)))
        else:
            named = read_map(text, known)
        for name, formulas in named.items():
            own = found.setdefault(name, {})
            for one, other in formulas.items():
                if own.setdefault(one, other) != other:
                    raise MbconcordError(error(f"{MAP} {name}", f"{one} is {own[one]}, and {other}", "name it once"))
    return found


def read_map(file: str, known: Sequence[str]) -> dict[str, dict[str, str]]:
    """Read the tables of a file that --map names; ``known`` are the possible names of tables.

    Raises
    ------
    MbconcordError
        The file cannot be read, or does not contain such tables.
    """
    text = utf8_text(file)
    named = parse_toml(text, file, 'write tables: [coordinates], then q1 = "th1 - pi/2"')
    for table, value in named.items():
        message, word, remedy = "", table, 'for example q1 = "th1 - pi/2"'
        if table not in known:
            message, remedy = f"found {table!r}, expected a table of names", among(table, known)
        elif not isinstance(value, dict):
            message = f"found {table} = {value!r:.40}, expected a table of names"
        else:
            for word, formula in value.items():
                if isinstance(formula, (int, float)) and not isinstance(formula, bool):
                    value[word] = repr(formula)
                elif not isinstance(formula, str) or not formula.strip():
                    message = f"found {word} = {formula!r:.40}, expected a formula in quotes"
                    break
        if message:
            key = re.compile(rf"[\s\[{{\"']*{re.escape(word)}(?![\w-])")
            line = next((n for n, line in enumerate(text.splitlines(), 1) if key.match(line)), 1)
            raise ReadError(error("", message, remedy, Location(file, line, 1)))
    return named


# ``--no-witness``: what was made is not compared, and that is said.


OPTION: Final = "--no-witness"
#: What is said in the place of a comparison.
SKIPPED: Final = not_compared(OPTION)


def is_silent(witness: Diagnostic) -> bool:
    """Return True if a witness that the user did not switch off compared no number."""
    return witness is not SKIPPED and witness.message.startswith(NOT_COMPARED)


def add_witness(parser: argparse.ArgumentParser) -> None:
    """Add the option that leaves out the comparison with the interpreter of the graph."""
    parser.add_argument(
        OPTION, dest="witness", action="store_false",
        help="do not compare what is written with the interpreter of the same equations; it is said (default: compare)",
    )  # fmt: skip
