"""Functions of models that take their options as a request object, or as keywords from which it is created."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeVar, cast, get_args, overload

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import FormalismError, ModelError, NumbersError, among, error
from mbconcord.model.limits import count
from mbconcord.records import dataclass

from .parameters import ParameterValues
from .source import Model, Parameters, Source, source


def list_names(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names in an argument as a tuple; a string is one name, not a sequence of letters."""
    return (given,) if isinstance(given, str) else tuple(given)


# Places of arguments: a function of a model at states takes q and v by place, and all else of a state by name.


Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Taker = TypeVar("Taker", bound=Callable[..., Any])


def _is_number(value: object) -> bool:
    real = isinstance(value, Real) or (hasattr(value, "__float__") and getattr(value, "ndim", 1) == 0)
    return real and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


#: Kinds of arguments, by the text of an annotation without what stands in brackets: a function that returns True for a
#: value of the kind, and words for what is expected. Arguments of other kinds are judged where they are read.
KINDS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "None": (lambda value: value is None, "None"),
    "str": (_is_text, "text"),
    "bool": (lambda value: getattr(value, "ndim", 0) == 0 and value in (0, 1), "True or False"),
    "int": (lambda value: isinstance(value, Integral) and not isinstance(value, bool), "a whole number"),
    "float": (_is_number, "a number"),
    "Policy": (lambda value: value in get_args(Policy) if _is_text(value) else False, " or ".join(get_args(Policy))),
    **dict.fromkeys(("Accuracy", "Literal"), (_is_text, "text")),
    "names": (
        lambda value: (
            isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", True)
        ),
        'a list of names: ["t"]',
    ),
    "Mapping": (lambda value: isinstance(value, Mapping), 'values by name: {"q1": 2}'),
    "PathLike": (lambda value: hasattr(value, "__fspath__"), "a path"),
    "Callable": (callable, "a function"),
}
#: Classes of arguments, by name, so that those of a copy of a module are known, too.
CLASSES: Final = ("Formalism", "ParameterValues", "Trajectory", "DataFrame", "OwnEquations", "FmuEquations")


def _list_kinds(annotation: str) -> list[tuple[str, str]]:
    """Return the kinds of an annotation, each without its brackets, and what stands in these."""
    text = re.sub(r"\bParameters\b", "Mapping[str, Any]", re.sub(r"(Sequence|Iterable)\[str", "names[str", annotation))
    parts = (kind.partition("[") for kind in re.split(r" \| (?![^\[]*\])", text))
    return [(kind, items.removesuffix("]")) for kind, _, items in parts]


def fits(value: object, annotation: str) -> bool:
    """Return True if a value is of the kind of an annotation; items of an iterator, which gives them once, are."""
    return any(_is_of(value, *kind) for kind in _list_kinds(annotation))


def _is_of(value: Any, kind: str, items: str) -> bool:
    if kind in CLASSES:
        return any(x.__name__ == kind for x in type(value).__mro__)
    if kind not in KINDS or not KINDS[kind][0](value):
        return kind not in KINDS
    if kind == "Mapping":
        of_key, of_value = items.split(", ", 1)
        return all(fits(x, of_key) and fits(y, of_value) for x, y in value.items())
    return kind != "names" or isinstance(value, Iterator) or all(fits(x, items) for x in value)


def require_kinds(function: Taker) -> Taker:
    """Wrap a function so that an argument whose value does not fit its annotation is refused by name."""
    known = signature(function)
    words = [p.name for p in known.parameters.values() if p.name != "self"]
    anything = any(p.kind is p.VAR_KEYWORD for p in known.parameters.values())
    refused = NumbersError if "self" not in known.parameters else ModelError

    @wraps(function)
    def call(*given: Any, **by_name: Any) -> Any:
        __tracebackhide__ = True
        for name in () if anything else {*by_name} - {*words}:
            raise TypeError(f"{function.__qualname__}() takes no {name}= ({among(name, words)})")
        values: Mapping[str, Any] = {}
        with suppress(TypeError):  # the function's own words for arguments that are missing, or too many, name it
            values = known.bind(*given, **by_name).arguments
        for name, value in values.items():
            kinds = str(known.parameters[name].annotation)
            if not fits(value, kinds):
                message = f"{name}: found {type(value).__name__} {value!r:.40}"
                expected = dict.fromkeys(KINDS[x][1] if x in KINDS else f"a {x}" for x, _ in _list_kinds(kinds))
                raise refused(error(function.__name__, message, f"expected {' or '.join(expected)}"))
        return function(*given, **by_name)

    return cast(Taker, call)


#: Keyword-only arguments of a state -> words for them in a message.
NAMED: Final = {"a": "accelerations", "t": "time", "v": "rates", "parameters": "values by name"}


#: Keywords that are accepted in place of ``q``, for a state in any form.
STATE: Final = ("state", "at")


def _name_states(options: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the keywords with ``state`` or ``at`` renamed to ``q``."""
    given = [word for word in STATE if word in options and word not in known and "q" in known]
    if len(given) + ("q" in options) > 1:
        raise TypeError(f"found {', '.join([*given, *(['q'] if 'q' in options else [])])}: they are one; give it once")
    return {"q" if word in given else word: value for word, value in options.items()}


def refuse_places(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Wrap a function so that too many positional arguments raise a TypeError that names ``a=``, ``t=`` and others."""
    known = list(inspect.signature(function).parameters.values())
    places = [p.name for p in known if p.kind is p.POSITIONAL_OR_KEYWORD]
    options, anything = [p.name for p in known if p.kind is p.KEYWORD_ONLY], any(p.kind is p.VAR_KEYWORD for p in known)
    words, most = {p.name for p in known}, len(places)
    named = [f"{p.name}= ({NAMED[p.name]})" for p in known if p.kind is p.KEYWORD_ONLY and p.name in NAMED]
    state, at = STATE

    @wraps(function)
    def call(*given: Arguments.args, **by_name: Arguments.kwargs) -> Result:
        if len(given) > most:
            own = [name for name in places if name != "self"]
            found = f"{count(len(given) - len(places) + len(own), 'argument')} by place, expected at most {len(own)}: "
            remedy = f"name the others: {', '.join(sorted(named))}"
            raise TypeError(f"{function.__qualname__}(): found {found}{', '.join(own)}; {remedy}")
        if state in by_name or at in by_name:
            by_name = _name_states(by_name, words)  # type: ignore[assignment]
        unknown = [] if anything else [name for name in by_name if name not in words]
        if unknown:
            raise TypeError(f"{function.__qualname__}() takes no {unknown[0]}= ({among(unknown[0], places + options)})")
        return function(*given, **by_name)

    return call


P = ParamSpec("P")
Asked = TypeVar("Asked", contravariant=True)
Found = TypeVar("Found", covariant=True)


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """Options of every function that reads a model.

    Attributes
    ----------
    parameters : values of parameters by name
    physics : treatment of impossible masses and inertias; None: the format's default
    format : format of the file, if its name does not determine it
    """

    parameters: Parameters | ParameterValues | None = None
    physics: Policy | None = None
    format: str | None = None

    def source(self, model: Model) -> Source:
        """Read a model, and set its parameters."""
        return source(model, self.format, self.physics, self.parameters)


class Verb(Protocol, Generic[P, Asked, Found]):
    """A public function of a model: its options are keywords, or one request."""

    @overload
    def __call__(self, model: Model, request: Asked, /) -> Found: ...
    @overload
    def __call__(self, model: Model, /, *arguments: P.args, **options: P.kwargs) -> Found: ...


class PairVerb(Protocol, Generic[P, Asked, Found]):
    """A public function of two models: its options are keywords, or one request."""

    @overload
    def __call__(self, a: Model, b: Model, request: Asked, /) -> Found: ...
    @overload
    def __call__(self, a: Model, b: Model, /, *arguments: P.args, **options: P.kwargs) -> Found: ...


def takes(request: Callable[P, Asked]) -> Callable[[Callable[[Model, Asked], Found]], Verb[P, Asked, Found]]:
    """Return a decorator: a function of a model and a request also takes the request's fields as keywords."""
    return partial(_with_keywords, request, ("model",))


def takes_pair(
    request: Callable[P, Asked],
) -> Callable[[Callable[[Model, Model, Asked], Found]], PairVerb[P, Asked, Found]]:
    """Return a decorator: a function of two models and a request also takes the request's fields as keywords."""
    return partial(_with_keywords, request, ("a", "b"))


def _with_keywords(request: Any, models: tuple[str, ...], function: Callable[..., Found]) -> Any:
    """Wrap a function of models and a request, so that it takes the request's fields as arguments, too."""

    @wraps(function)
    def by_name(*arguments: Any, **options: Any) -> Found:
        __tracebackhide__ = True
        own, rest = arguments[: len(models)], arguments[len(models) :]
        own += tuple(options.pop(name) for name in models[len(own) :] if name in options)
        return function(*own, request(*rest, **options))

    leading = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in models]
    by_name.__signature__ = Signature([*leading, *signature(request).parameters.values()])  # type: ignore[attr-defined]
    named = refuse_places(require_kinds(by_name))

    @wraps(named)
    def verb(*arguments: Any, **options: Any) -> Found:
        __tracebackhide__ = True
        if len(arguments) == len(models) + 1 and not options and isinstance(arguments[-1], request):
            return function(*arguments)
        return named(*arguments, **options)

    return verb


# Obstacles of a formalism to a model, and the formalisms that take it.


def choose_formalism(asked: str | Formalism | None, system: System) -> Formalism:
    """Return the requested formalism, or the first that takes the model, with its constraints if any does."""
    if asked is not None:
        return registry.formalism(asked) if isinstance(asked, str) else asked
    able = (by for by in map(registry.formalism, registry.names()) if not by.constraint_obstacles(system))
    return next(able, registry.formalism(registry.DEFAULT))


def require(chosen: Formalism, system: System) -> None:
    """Refuse features that the formalism does not support; for constraints, name the formalisms that do.

    Raises
    ------
    FormalismError
        The formalism does not take the model.
    """
    if not system.constraints:
        chosen.require(system)
        return
    obstacles = chosen.constraint_obstacles(system)
    if obstacles:
        others = (registry.formalism(name) for name in registry.names())
        able = [other.name for other in others if other is not chosen and not other.constraint_obstacles(system)]
        remedy = f"--formalism {' or '.join(able)} takes this model" if able else ""
        raise FormalismError([error(o.place, o.reason, remedy) for o in obstacles])
