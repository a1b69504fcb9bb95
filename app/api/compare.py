"""Comparison of two models as one machine, with a result that displays itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mbconcord.converters.fittings import (
    NO_FITTINGS,
    ROUNDING,
    SINGLE,
    LimitDifference,
    compare_limits,
    find_softened,
    leave_friction_out,
    same_friction,
)
from mbconcord.converters.format import StateFile
from mbconcord.converters.registry import fittings
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.limits import html_table, line
from mbconcord.model.omission import Omission
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, fields, replace
from mbconcord.reports.extras import simulation
from mbconcord.reports.quantities import quantities, table_of
from mbconcord.validation.compare import Sameness, compare_omissions, find_equal_elements, same_machine
from mbconcord.validation.judge.evidence import comparisons_frame
from mbconcord.validation.judge.freed import free_like
from mbconcord.validation.judge.left_out import OmissionDifference
from mbconcord.validation.judge.tolerances import require_span
from mbconcord.witnessed import list_fields, list_head, with_constraints

from .parameters import ParameterValues
from .request import takes_pair
from .source import Model, Parameters, Source, accepted_kinds, exact_values, locate_errors, source, with_values
from .states import States, read_states

if TYPE_CHECKING:
    from pandas import DataFrame

    from mbconcord.validation.explain import Causes
    from mbconcord.validation.explain.digits import TextPrecision


@dataclass(frozen=True, kw_only=True)
class CompareRequest:
    """Options of :func:`compare`, documented there."""

    states: int | States = 10
    seed: int = 0
    coordinates: Mapping[str, str] | None = None
    parameters: Parameters | ParameterValues | None = None
    accept_omissions: Mapping[str, int] | None = None
    physics: Policy | None = None
    simulate: float | None = None


@dataclass(frozen=True, repr=False)
class Comparison(Sameness):
    """Evidence whether two models are the same machine, or the entry and state where they differ most.

    ``verdict`` is ``agrees``, ``agrees in part`` (both readers left out the same terms of the motion), ``agrees after
    matching`` (of coordinates not given by the user), ``disagrees`` or ``not checked``; ``headline`` says it in words,
    and ``str()`` with the numbers.

    Attributes
    ----------
    sources : the two models, with their parameters set
    request : the options
    warnings : warnings about physically impossible bodies, and those of both readers
    """

    sources: tuple[Source, ...] = ()
    request: CompareRequest = CompareRequest()
    warnings: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        compared = dict.fromkeys(c.quantity for c in self.comparisons if c.verdict != "not checked")
        return line("Comparison", "", self.headline, f"{', '.join(compared) or 'nothing'} compared")

    def _repr_html_(self) -> str:
        headers, rows = table_of(quantities(self.comparisons))
        return html_table(repr(self)[1:-1], headers, rows, str(self).splitlines()[1:])

    def why(self, seconds: float | None = None) -> Causes:
        """Search for causes of a difference: fields of A to change to get B, by effect, and what difference is left.

        Then search a catalogue for faults, with places, that make the same change; a fault is named only if the
        changed model equals the other in every quantity that is compared. After ``seconds`` the search stops.

        Examples
        --------
        >>> import mbconcord
        >>> one, other = (mbconcord.read(text=text, format="mbsd") for text in ("z j-2 $3 g", "z j-2 $6 g"))
        >>> print(mbconcord.compare(one, other).why())  # doctest: +ELLIPSIS
        why, in order of size:  A  B  alone  left after it
          body1 mass            3  6  0.5    0
        nothing is left
        the same change in other words: B equals A when the mass of body1 is doubled (...)
        """
        from mbconcord.validation.explain import why  # not before: it is asked of what differs

        a, b = level_friction(*self.sources)
        with locate_errors(a, b):
            drawn = self.request.states if isinstance(self.request.states, int) else 0
            printed = _read_printed(a), _read_printed(b)
            return why(a.system, b.system, self.request.seed, self.request.coordinates, drawn, seconds, printed)

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table with a row for each quantity and formalism: the worst entry over the states."""
        return comparisons_frame(self.comparisons)


def describe_sameness(found: Sameness, system: System, verb: str) -> str:
    """Return the result as a command prints it, with lines that state the assumptions behind its numbers."""
    head, line, rest = str(found).partition("\n")
    head_lines = list_head(verb, with_constraints(system, *list_fields(found.to_json()), "quantity"))
    return "\n".join((head, *head_lines)) + line + rest


def compare_sources(
    a: Source, b: Source, states: int | StateFile | Sequence[State], request: CompareRequest, printed: bool = False
) -> Sameness:
    """Compare the dynamics of two sources at random states, at the state of a file, or at states of A.

    ``printed`` is True if the numbers of the models may be those that another program printed.
    """
    if request.simulate is not None:
        require_span(request.simulate)
        simulation()
    rubs = [any(o.kind == "joint-friction" for o in s.system.omissions) for s in (a, b)]
    a, b = level_friction(a, b)
    with locate_errors(a, b, states):
        at = [states.to_state(a.system)] if isinstance(states, StateFile) else states
        found = same_machine(a.system, b.system, at, request.seed, None, request.coordinates, printed, request.simulate)
    beside, names = (fittings(a.system), fittings(b.system)), dict(found.matching.pairs)
    rounding = SINGLE if a.singles or b.singles else ROUNDING
    rough = same_friction(*beside, names, rounding)
    softened = find_softened(*beside, names, rough)
    if any(rubs):
        rough = {
            name: (x.replace("stiction/", "joint-friction/", 1), y.replace("stiction/", "joint-friction/", 1))
            for name, (x, y) in rough.items()
        }
    listed_at = [Counter(o.place for o in s.system.omissions) for s in (a, b)]  # a tendon may have a joint's name
    rough = {
        name: at for name, at in rough.items() if all(n[place] == 1 for n, place in zip(listed_at, at, strict=True))
    }
    equal: tuple[Omission, ...] = ()
    moved: tuple[OmissionDifference, ...] = ()
    if found.verdict.startswith(("agrees", "not checked")) and request.simulate is None:
        equal, moved = find_equal_elements(a.system, b.system, found.matching, request.seed)
    if not (request.accept_omissions or moved):
        found = replace(found, elements=equal)
    if rough or equal or moved:
        listed = found.left_out
        same = dict(rough.values()) | {x.place: x.place for x in found.elements}
        found = replace(compare_omissions(found, a.system, b.system, same), alike=tuple(rough) if any(rubs) else ())
        found = replace(found, softened=tuple(name for name in softened if name in rough))
        found = replace(found, differences=(*moved, *found.differences))
        if "joint-friction" in (request.accept_omissions or ()):  # who accepts it counts it
            found = replace(found, left_out=listed)
    if all(of is not NO_FITTINGS for of in beside):
        found = _add_limits(found, a, b, compare_limits(*beside, names, rounding))
    return replace(found, left_out=replace(found.left_out, accepted=request.accept_omissions))


def level_friction(a: Source, b: Source) -> tuple[Source, Source]:
    """Return both sources without dry friction where one text leaves it out: no equation of the other has it then."""
    if not any(o.kind == "joint-friction" for s in (a, b) for o in s.system.omissions):
        return a, b
    return replace(a, system=leave_friction_out(a.system)), replace(b, system=leave_friction_out(b.system))


def _add_limits(found: Sameness, a: Source, b: Source, limits: Iterable[LimitDifference]) -> Sameness:
    """Add limits whose numbers differ, and drop differences of their texts, which units and formats also cause."""
    listed = [{o.place for o in s.system.omissions if o.kind == "joint-limit"} for s in (a, b)]
    read = [x for x in limits if len(x.places) == 2 or not all(x.places[0] in of for of in listed)]
    differ = tuple(x for x in read if x.first)
    said = {place for x in (differ if a.format == b.format != "mjcf" else read) for place in x.places}
    kept = tuple(d for d in found.differences if d.kind != "joint-limit" or d.acts or d.place not in said)
    return replace(found, limits=tuple(map(str, differ)), differences=kept)


def comparison_code(found: Sameness) -> int:
    """Return the exit code of ``compare``, which also tells why two models agree only in part."""
    if found.verdict == "disagrees" or found.stands:
        return int(not found.stands)
    if not found.verdict.startswith("agrees"):
        return 3
    return 5 if found.left_out.stands else 4


def list_warnings(a: Source, b: Source) -> tuple[Diagnostic, ...]:
    """Return warnings about physically impossible bodies, then those of both readers, each once.

    Raises
    ------
    ReadError
        A body is physically impossible, and ``physics`` asks to refuse it.
    """
    read = (s.locate(d) for s in (a, b) for d in s.diagnostics if d.severity == "warning")
    return tuple(dict.fromkeys((*a.implausible(), *b.implausible(), *read)))


def both_with_values(a: Source, b: Source, values: ParameterValues) -> tuple[Source, Source]:
    """Return both sources with parameters set to these values; each takes the values of parameters that it has."""
    own = {p.name for p in a.system.parameters}
    other = {p.name for p in b.system.parameters}
    ours = values.keeping(lambda name: name in own or name not in other)
    return with_values(a, ours), with_values(b, values.keeping(other.__contains__))


def _to_digits(first: Source, second: Source, found: Sameness, request: CompareRequest) -> Sameness:
    """Check whether two models differ only by the rounding of their printed numbers; skip this if motions count."""
    first, second = level_friction(first, second)
    printed = [_read_printed(source) for source in (first, second)]
    if found.verdict != "disagrees" or request.simulate is not None or not any(printed):
        return found
    from mbconcord.validation.explain import find_printed_digits  # not before: it is asked of what differs
    from mbconcord.validation.explain.digits import half_unit

    pair = printed[0], printed[1]
    digits = find_printed_digits(first.system, second.system, found, request.seed, pair)
    beside = fittings(first.system), fittings(second.system)
    if digits is not None and all(of is not NO_FITTINGS for of in beside):
        limits = compare_limits(*beside, dict(found.matching.pairs), float(half_unit(1.0, digits.digits)))
        found = _add_limits(found, first, second, limits)
    return replace(found, printed=digits)


def _read_printed(source: Source) -> TextPrecision | None:
    """Return the precision of the numbers in a source's text; None if values were given in place of these."""
    from mbconcord.validation.explain import read_printed  # not before: it is asked of what differs

    return None if source.changed else read_printed(source.text, source.format, source.singles)


@takes_pair(CompareRequest)
def compare(a: Model, b: Model, request: CompareRequest) -> Comparison:
    """Compare two models: M, h, gravity, applied forces and constraints; return whether they are the same machine.

    If the root body of one is welded and that of the other moves freely, the welded one is freed; ``freed`` says so.

    Parameters
    ----------
    a, b : paths, results of :func:`mbconcord.read`, Systems or Mechanisms
    states : number of random states; or states of A, in any form that :func:`mbconcord.evaluate` takes
    seed : seed of random choices
    coordinates : for each coordinate of A its name in B; None: the same name, else found by structure
    parameters : values of parameters by name, for the model that has the parameter
    accept_omissions : known omissions of the models, ``{"contact": 19}``
    physics : treatment of impossible masses and inertias
    simulate : seconds over which motions from corresponding states are compared, too; they begin at the given states
        of A, or at A's initial state and at one near it

    Raises
    ------
    ReadError, ModelError
        A model cannot be read, or a body is physically impossible.
    NumbersError
        States, parameters or coordinates that the models do not have.

    Examples
    --------
    >>> import mbconcord
    >>> one, other = (mbconcord.read(text=text, format="mbsd") for text in ("z j-2 $3 g", "z j-2 $3.1 g"))
    >>> mbconcord.compare(one, other).verdict
    'disagrees'
    """
    accepted_kinds(request.accept_omissions)
    values = request.parameters
    if not isinstance(values, ParameterValues):
        values = ParameterValues(exact_values(values or {}))
    first, second = both_with_values(source(a, None, request.physics), source(b, None, request.physics), values)
    warnings = list_warnings(first, second)
    with locate_errors(first, second):
        freed = free_like(first.system, second.system)
    if freed and freed.welded:
        first, second = replace(first, system=freed.a), replace(second, system=freed.b)
    at = request.states
    if not isinstance(at, int | StateFile):
        with locate_errors(first):
            at = read_states(first.system, at).states()
    found = compare_sources(first, second, at, request, printed=True)
    found = _to_digits(first, second, found, request)
    known = {field.name: getattr(found, field.name) for field in fields(found)}
    if freed:
        known["freed"] = freed.words if freed.welded else ""
        if found.verdict == "disagrees" and (offset := freed.offset):
            ours, theirs = freed.take_over(offset)
            one, other = replace(first, system=ours), replace(second, system=theirs)
            same = compare_sources(one, other, at, request, printed=True).verdict.startswith("agrees")
            known["freed"] = f"{freed.words}; {offset}{f', and that is all{freed.remedy}' if same else ''}"
    return Comparison(**known, sources=(first, second), request=request, warnings=warnings)
