"""Records are dataclasses, each method of which is compiled when it is first used: what they do is the same."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from copy import copy, deepcopy
from typing import Any

import pytest

import mbconcord.records
from mbconcord.records import KW_ONLY, LazyMethod, field


def classes(dataclass: Any) -> dict[str, Any]:
    """Classes of every kind that the project has, by a decorator."""

    @dataclass(frozen=True)
    class Plain:
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list)
        d: int = field(default=4, compare=False, repr=False)
        _: KW_ONLY
        e: float = 5.0
        f: float

    @dataclass(frozen=True)
    class Derived(Plain):
        g: int = 7

    @dataclass(frozen=True, slots=True)
    class Slotted:
        a: int
        b: tuple[int, ...] = ()

    @dataclass
    class Changing:
        a: int
        b: int = field(init=False, default=3)
        c: dict[str, int] = field(init=False, default_factory=dict)

        def __post_init__(self) -> None:
            self.b += self.a

    @dataclass(eq=False)
    class Same:
        a: int

    @dataclass(frozen=True, repr=False, kw_only=True)
    class Named:
        a: int = 1
        b: int

        def __repr__(self) -> str:
            return f"<{self.a} {self.b}>"

    @dataclass(frozen=True)
    class Hashed:
        a: int
        b: int = field(default=0, hash=False)

        def __hash__(self) -> int:
            return 5

    @dataclass(frozen=True)
    class Empty:
        pass

    found = dict(locals())
    del found["dataclass"]
    for name, made in found.items():
        made.__qualname__ = name
    return found


RECORDS, STANDARD = classes(mbconcord.records.dataclass), classes(dataclasses.dataclass)
#: Names of classes, and arguments of theirs; the last are none.
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Plain", (1,), {"f": 2.0}), ("Plain", (1, "x", [2], 3), {"e": 1, "f": 2.0}), ("Derived", (1,), {"f": 0.5, "g": 2}),
    ("Slotted", (1,), {}), ("Slotted", (1, (2, 3)), {}), ("Changing", (4,), {}), ("Same", (1,), {}), ("Empty", (), {}),
    ("Named", (), {"b": 2}), ("Hashed", (1,), {}),
    ("Plain", (1,), {}), ("Plain", (1, 2, 3, 4, 5), {"f": 1}), ("Named", (1,), {}), ("Slotted", (), {"x": 1}),
]  # fmt: skip


def outcomes(made: dict[str, Any], name: str, arguments: tuple[Any, ...], words: dict[str, Any]) -> list[Any]:
    """All that can be seen of an object: its fields, text, hash, equality, changes, copies."""
    cls = made[name]
    try:
        one, two = cls(*arguments, **words), cls(*arguments, **words)
    except TypeError as problem:
        return [str(problem).removeprefix("classes.<locals>.")]
    found: list[Any] = [dataclasses.asdict(one), one == two, one != two, one == 1, repr(one), cls.__match_args__]
    found += [inspect.signature(cls).parameters.keys(), dataclasses.is_dataclass(cls)]
    for step in (hash, lambda x: setattr(x, "a", 9), lambda x: setattr(x, "other", 9), lambda x: delattr(x, "a")):
        try:
            found.append(step(copy(one)) if name != "Same" or step is not hash else "")
        except (TypeError, AttributeError) as problem:
            # the standard ones with slots ask for the class that they were before they had slots
            found += [type(problem), str(problem)] if name != "Slotted" else []
    found.append(dataclasses.asdict(deepcopy(one)))
    if "a" in dataclasses.asdict(one):
        found.append(dataclasses.asdict(dataclasses.replace(one, a=8)))
    return found


@pytest.mark.parametrize(("name", "arguments", "words"), CALLS)
def test_a_record_is_a_dataclass(name: str, arguments: tuple[Any, ...], words: dict[str, Any]) -> None:
    assert outcomes(RECORDS, name, arguments, words) == outcomes(STANDARD, name, arguments, words)


@mbconcord.records.dataclass(frozen=True, slots=True)
class Kept:
    a: int
    b: str = "x"


def test_records_with_slots_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(1))) == Kept(1)


def test_methods_are_compiled_when_they_are_used() -> None:
    cls = classes(mbconcord.records.dataclass)["Slotted"]
    assert all(isinstance(vars(cls)[name], LazyMethod) for name in ("__init__", "__eq__", "__hash__"))
    assert cls(1) is not None
    assert not isinstance(vars(cls)["__init__"], LazyMethod)
    assert isinstance(vars(cls)["__hash__"], LazyMethod)
