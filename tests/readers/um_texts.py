"""Small files of UM for the tables of numbers: a frame, a body, joints."""

from __future__ import annotations

#: Two identifiers, a = 2 and b = 1.5, and a body of 7 kg without anything else.
HEAD = "with main;\nwith const;\n cnst=(a# 2);\n cnst=(b# 3*a/4);\n"
IDENTIFIERS = {"a.given": 2, "b.given": 1.5}
BODY = 'with body1; name="B"; m=7;\n'
MASS = {"bodies": "B", "B.mass": 7, **IDENTIFIERS}


def text(*parts: str, head: str = HEAD, body: str = BODY) -> str:
    """A file of these parts after the identifiers and the body."""
    return "\n".join((head + body, *parts, "with end;\n"))


def joint(kind: str, inside: str, first: str = "Base0", second: str = "B", name: str = "j") -> str:
    """A joint."""
    return f'with joint1; name="{name}"; type={kind}; bd1="{first}"; bd2="{second}";\n{inside}'


def vector(prefix: str, values: str) -> str:
    """Three attributes: ``ro1x=1; ro1y=2; ro1z=3;``."""
    return " ".join(f"{prefix}{axis}={value};" for axis, value in zip("xyz", values.split(",")))


def one(e1: str, e2: str, rest: str = "") -> str:
    """The block of a joint rotat or transl."""
    return f"with jnt1dof; {vector('e1', e1)} {vector('e2', e2)} {rest}"


def six(rest: str) -> str:
    """A joint 6dof."""
    return joint("6dof", f"with jnt6dof; {rest}")


def et(kind: str, axis: str, start: str = "", rest: str = "") -> str:
    """An elementary transformation."""
    return f"with et; type={kind}; {rest}{vector('e', axis)}{f' coord0={start};' if start else ''}"


def comm(*parts: str, first: str = "Base0", second: str = "B", name: str = "j") -> str:
    """A generalized joint."""
    return joint("comm", "\n".join(parts), first, second, name)


def law(kind: str, rest: str = "", name: str = "F") -> str:
    """A scalar force."""
    return f'with scalarforce; name="{name}"; type={kind};\n {rest}'
