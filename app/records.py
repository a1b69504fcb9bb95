"""Data classes as :mod:`dataclasses` makes them, but each method is compiled when it is first used.

The decorator of the standard library compiles six methods of every class at import, which took a third of the time of
a small check, and most are never called. ``replace``, ``fields`` and so on are the functions of the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, asdict, astuple, field, fields, replace
from inspect import get_annotations
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["KW_ONLY", "asdict", "astuple", "dataclass", "field", "fields", "replace"]

Fields = tuple[Field[Any], ...]
#: What the library marks its classes with, and their fields, frozen or not: taken from classes of its own.
MARKS = {frozen: dataclasses.make_dataclass("Mark", ["x"], frozen=frozen) for frozen in (False, True)}
FIELD: Any = fields(MARKS[False])[0]


class LazyMethod:
    """Descriptor that compiles a method at its first use, and is replaced by that method in the class."""

    def __init__(self, owner: type, name: str, write: Callable[..., str], *how: object) -> None:
        self.owner, self.name, self.write, self.how = owner, name, write, how

    def __get__(self, instance: object, owner: type) -> Any:
        own = fields(self.owner)
        known: dict[str, Any] = {"put": object.__setattr__, "MISSING": MISSING, "__name__": self.owner.__module__}
        known |= {f"_{f.name}": f.default if f.default is not MISSING else f.default_factory for f in own}
        exec(self.write(own, *self.how), known)
        method = known[self.name]
        method.__qualname__ = f"{self.owner.__qualname__}.{self.name}"
        if self.name == "__init__":
            method.__annotations__ = {f.name: f.type for f in own if f.init} | {"return": None}
        setattr(self.owner, self.name, method)
        return method.__get__(instance, owner)


def initialize(own: Fields, frozen: bool, finish: bool, slots: bool) -> str:
    """Write the source of ``__init__``, which sets all fields; ``finish``: the class has ``__post_init__``.

    Frozen fields without slots go into the instance's dictionary: one by one they take twice the time.
    """
    heads, lines = ["self"], ["own_ = self.__dict__"] * (frozen and not slots)
    for f in sorted(own, key=lambda f: bool(f.kw_only)):
        if f.init:
            heads += ["*"] * (f.kw_only and "*" not in heads)
            later = "=MISSING" if f.default_factory is not MISSING else ""
            heads.append(f"{f.name}=_{f.name}" if f.default is not MISSING else f"{f.name}{later}")
    for f in own:
        value, made = f.name, f.default_factory is not MISSING
        if made:
            value = f"_{f.name}() if {f.name} is MISSING else {f.name}" if f.init else f"_{f.name}()"
        elif not f.init:
            value = f"_{f.name}"
        if f.init or made or f.default is not MISSING:
            put = f"put(self, {f.name!r}, {value})" if slots else f"own_[{f.name!r}] = {value}"
            lines.append(put if frozen else f"self.{f.name} = {value}")
    lines += ["self.__post_init__()"] * finish or ["pass"] * (not lines)
    return f"def __init__({', '.join(heads)}):\n " + "\n ".join(lines)


def equate(own: Fields) -> str:
    """Write the source of ``__eq__``, which compares all fields that take part in comparison."""
    a, b = ("".join(f"{side}.{f.name}, " for f in own if f.compare) for side in ("self", "other"))
    return f"def __eq__(self, other):\n return ({a}) == ({b}) if other.__class__ is self.__class__ else NotImplemented"


def digest(own: Fields) -> str:
    """Write the source of ``__hash__``."""
    kept = (f for f in own if (f.compare if f.hash is None else f.hash))
    return f"def __hash__(self):\n return hash(({''.join(f'self.{f.name}, ' for f in kept)}))"


@recursive_repr()
def show(self: Any) -> str:
    """Return the name of the class and its fields as Python source: ``__repr__``."""
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"


def refuse(self: Any, name: str, *value: object) -> None:
    """Raise if a field of a frozen class is set or deleted; attributes that a subclass adds can be changed."""
    if "__dataclass_fields__" in type(self).__dict__ or name in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
    (object.__setattr__ if value else object.__delattr__)(self, name, *value)


def give_state(self: Any) -> list[Any]:
    """Return the values of the fields, to pickle an object of a frozen class with slots."""
    return [getattr(self, f.name) for f in fields(self)]


def take_state(self: Any, state: list[Any]) -> None:
    """Set the fields to the values of :func:`give_state`, when an object is unpickled."""
    for f, value in zip(fields(self), state):
        object.__setattr__(self, f.name, value)


def has_slots(cls: type, names: Iterable[str]) -> bool:
    """Return True if one of these fields is a slot of the class or of a base."""
    return any(name in base.__dict__.get("__slots__", ()) for base in cls.__mro__ for name in names)


def collect(cls: Any, kw_only: bool) -> dict[str, Any]:
    """Return the fields of a class and its bases by name; leave plain defaults as attributes of the class."""
    found: dict[str, Any] = {}
    for base in cls.__mro__[:0:-1]:
        found |= base.__dict__.get("__dataclass_fields__", {})
    for name, kind in get_annotations(cls).items():
        if kind in ("KW_ONLY", KW_ONLY):
            kw_only = True
        elif not str(kind).removeprefix("typing.").startswith("ClassVar"):
            default: Any = getattr(cls, name, MISSING)
            one: Any = default if isinstance(default, Field) else field(default=default)
            if type(one.default).__hash__ is None:
                raise ValueError(f"a default of {cls.__name__}.{name} that changes; give a default_factory")
            if one is default and one.default is MISSING:
                delattr(cls, name)
            elif one is default:
                setattr(cls, name, one.default)
            one.name, one.type, one._field_type = name, kind, FIELD._field_type
            one.kw_only = kw_only if one.kw_only is MISSING else one.kw_only
            found[name] = one
    return found


def slotted(cls: Any, names: dict[str, Any]) -> Any:
    """Return a copy of the class with slots for those of its fields that its bases have no slots for."""
    own = [name for name in names if not any(name in base.__dict__.get("__slots__", ()) for base in cls.__mro__)]
    kept = {k: v for k, v in cls.__dict__.items() if k not in names and k not in ("__dict__", "__weakref__")}
    return type(cls)(cls.__name__, cls.__bases__, kept | {"__slots__": tuple(own), "__qualname__": cls.__qualname__})


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, repr=True, eq=True, frozen=False, slots=False, kw_only=False):
        """Make a data class as :func:`dataclasses.dataclass` does, but compile its methods at their first use."""

        def complete(bare):
            names = collect(bare, kw_only)
            made = slotted(bare, names) if slots else bare
            made.__dataclass_fields__, made.__dataclass_params__ = names, MARKS[frozen].__dataclass_params__
            made.__match_args__ = tuple(f.name for f in names.values() if f.init and not f.kw_only)
            how = frozen, hasattr(made, "__post_init__"), has_slots(made, names)
            methods = {"__init__": LazyMethod(made, "__init__", initialize, *how)}
            if repr:
                methods["__repr__"] = show
            if eq:
                methods["__eq__"] = LazyMethod(made, "__eq__", equate)
                methods["__hash__"] = LazyMethod(made, "__hash__", digest) if frozen else None
            if frozen:
                methods |= {"__setattr__": refuse, "__delattr__": refuse}
                if slots:
                    methods |= {"__getstate__": give_state, "__setstate__": take_state}
            own = {name for name, method in made.__dict__.items() if method is not None}
            for name in methods.keys() - own:
                setattr(made, name, methods[name])
            return made

        return complete if cls is None else complete(cls)
