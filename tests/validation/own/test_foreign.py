"""Own equations as functions of CasADi and JAX: converted one instruction at a time; what has no formula is named."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord import MbconcordError
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.validation.against.own import foreign

from .test_straight import ABSOLUTE, DOUBLE, MODEL, check

NAMES = ["m1", "m2", "l1", "c1", "c2", "I1", "I2", "g"]
TOLD: dict[str, Any] = {"q": ["th1", "th2"], "coordinates": ABSOLUTE}
LIBRARIES = ("casadi", "jax")


def library(name: str) -> Any:
    """Import a library that is no dependency."""
    return pytest.importorskip(name, reason=f"{name} is not installed")


# Two bars in absolute angles, by derivatives of T and V that each library takes itself.


def of_casadi(kind: str, factor: float = 1) -> Any:
    """Derive by CasADi; ``factor`` is of the second weight."""
    ca = library("casadi")
    made = getattr(ca, kind)
    q, v, p = made.sym("q", 2), made.sym("v", 2), made.sym("p", len(NAMES))
    m1, m2, l1, c1, c2, I1, I2, g = (p[i] for i in range(len(NAMES)))
    r1 = ca.vertcat(c1 * ca.sin(q[0]), -c1 * ca.cos(q[0]))
    r2 = ca.vertcat(l1 * ca.sin(q[0]) + c2 * ca.sin(q[1]), -l1 * ca.cos(q[0]) - c2 * ca.cos(q[1]))
    v1, v2 = ca.jtimes(r1, q, v), ca.jtimes(r2, q, v)
    T = (m1 * ca.dot(v1, v1) + m2 * ca.dot(v2, v2) + I1 * v[0] ** 2 + I2 * v[1] ** 2) / 2
    V = g * (m1 * r1[1] + factor * m2 * r2[1])
    M = ca.jacobian(ca.gradient(T, v), v)
    forcing = ca.gradient(T - V, q) - ca.jtimes(ca.gradient(T, v), q, v)
    return ca.Function("both", [q, v, p], [M, forcing], ["q", "v", "p"], ["M", "forcing"])


def of_jax(factor: float = 1, many: bool = True) -> dict[str, Any]:
    """Derive by JAX; p is a vector, or (``many`` is False) taken by name."""
    jax = library("jax")
    jnp = jax.numpy

    def L(q: Any, v: Any, p: Any) -> Any:
        m1, m2, l1, c1, c2, I1, I2, g = p if many else (p[x] for x in NAMES)

        def place(q: Any) -> Any:
            x = l1 * jnp.sin(q[0]) + c2 * jnp.sin(q[1])
            return jnp.array([[c1 * jnp.sin(q[0]), -c1 * jnp.cos(q[0])], [x, -l1 * jnp.cos(q[0]) - c2 * jnp.cos(q[1])]])

        r, speed = jax.jvp(place, (q,), (v,))
        T = (jnp.array([m1, m2]) @ (speed**2).sum(axis=1) + jnp.dot(jnp.array([I1, I2]), v**2)) / 2
        return T - g * (m1 * r[0, 1] + factor * m2 * r[1, 1])

    def forcing(q: Any, v: Any, p: Any) -> Any:
        return jax.grad(L, 0)(q, v, p) - jax.jvp(lambda q: jax.grad(L, 1)(q, v, p), (q,), (v,))[1]

    return {"M": lambda q, v, p: jax.hessian(L, 1)(q, v, p), "forcing": forcing}


def solved() -> Any:
    """Give accelerations alone, with efforts."""
    ca = library("casadi")
    both, (q, v, tau, p) = of_casadi("SX"), (ca.SX.sym(x, n) for x, n in (("q", 2), ("v", 2), ("tau", 2), ("p", 8)))
    M, f = both(q, v, p)
    f = f + tau
    D = M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0]
    a = ca.vertcat(M[1, 1] * f[0] - M[0, 1] * f[1], M[0, 0] * f[1] - M[1, 0] * f[0]) / D
    return ca.Function("solved", [q, v, tau, p], [a], ["q", "v", "tau", "p"], ["acceleration"])


def expressions() -> Any:
    """Give expressions, not functions."""
    ca = library("casadi")
    q, v, p = ca.MX.sym("q", 2), ca.MX.sym("v", 2), ca.MX.sym("p", len(NAMES))
    return of_casadi("SX")(q, v, p)


@pytest.mark.parametrize(
    "source",
    [
        lambda: of_casadi("SX"), lambda: of_casadi("MX"), solved, expressions, of_jax,
        lambda: {name: library("jax").jit(f) for name, f in of_jax().items()},
    ],
    ids=["SX", "MX", "acceleration", "expressions", "jax", "jit"],
)  # fmt: skip
def test_right_equations_are_proved(source: Callable[[], Any]) -> None:
    own = mbconcord.own(source(), parameters=NAMES, **TOLD)
    assert own.kind in ("functions of CasADi", "functions of JAX")
    assert own.findings == ()
    found = check(DOUBLE, own)
    assert found.verdict == "agrees", found
    assert {c.verdict for c in found.comparisons} == {"agrees"}
    assert all("identical" in str(c.exact) for c in found.comparisons if c.quantity == "M"), found.comparisons


@pytest.mark.parametrize("source", [lambda: of_casadi("MX", 2), lambda: of_jax(2)], ids=LIBRARIES)
def test_a_wrong_weight_is_found_at_its_entry(source: Callable[[], Any]) -> None:
    found = check(DOUBLE, mbconcord.own(source(), parameters=NAMES, **TOLD))
    assert found.verdict == "disagrees"
    assert found.to_json()["against"]["own"]["entries"].keys() == {"gravity", "forcing"}


def test_expressions_of_sx_have_the_names_of_their_symbols() -> None:
    ca = library("casadi")
    q1, w, m, l, g = (ca.SX.sym(x) for x in ("q1", "w", "m", "l", "g"))
    told: dict[str, Any] = {"q": [q1], "u": [w], "qdot": {q1: "w"}}
    own = mbconcord.own((m * l**2, -m * g * l * ca.sin(q1)), **told)
    assert (own.q, own.u) == (("q1",), ("w",))
    assert check(MODEL, own).verdict == "agrees"
    again = ca.SX.sym("m")
    with pytest.raises(MbconcordError, match=r"found symbols that make no function: .*[Dd]uplicate"):
        mbconcord.own((m * l**2, -again * g * l * ca.sin(q1)), **told)


def test_jax_tells_which_parameters_it_takes() -> None:
    jnp = library("jax").numpy

    def mass(m: Any, p: Any) -> Any:
        M = jnp.zeros((2, 2)).at[0, 0].set(m * p["c"] ** 2).at[0, 0].add(p.I)
        return M.at[1, 1].set(jnp.linalg.norm(jnp.array([3 * m, 4 * m])) / 5 + jnp.where(jnp.arange(2) == 1, 0.5, 0)[1])

    def forcing(x: Any, phi: Any, p: Any) -> Any:
        turned = jnp.cross(jnp.array([jnp.sin(phi - jnp.pi / 6), x, 0]), jnp.array([0, 0, 1 / 12]))
        return p["k"] * jnp.take(turned, jnp.array([1, 0]))

    own = mbconcord.own({"M": mass, "forcing": forcing}, q=["x", "phi"])
    told = mbconcord.own(
        {"M": lambda q, m, l: m * l**2 * jnp.exp(q * 0), "forcing": lambda q, p: p * jnp.sin(q)},
        q=["a"],
        parameters=["k"],
    )
    assert [str(x) for x in (told.M[0][0], *told.forcing)] == ["l^2*m", "k*sin(a)"]
    assert [[str(x) for x in row] for row in own.M] == [["I + c^2*m", "0"], ["0", "0.2*sqrt(25*m^2) + 0.5"]]
    assert [str(x) for x in own.forcing] == ["(sin(pi/6 - phi)/12)*k", "(x/12)*k"]


def one_of(name: str, function: Callable[[Any], Any]) -> Any:
    """Return equations of one coordinate whose force is a function of it."""
    if name == "jax":
        jnp = library("jax").numpy
        return lambda q, m: {"M": m + 0 * jnp.sin(q[0]), "forcing": jnp.reshape(function(q[0]), (1,))}
    ca = library("casadi")
    q, m = ca.SX.sym("q"), ca.SX.sym("m")
    return ca.Function("one", [q, m], [m, function(q)], ["q", "m"], ["M", "forcing"])


#: Functions of one number by their names in either library, of which some have no formula.
KNOWN = ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "exp", "log", "sqrt", "fabs", "abs", "sign", "square")
OTHERS = ("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "floor", "ceil", "expm1", "log1p")


@pytest.mark.parametrize("name", LIBRARIES)
def test_each_function_is_converted_or_refused_by_its_name(name: str) -> None:
    """Converted ones have the library's own numbers: else own would say so."""
    home = library(name) if name == "casadi" else library(name).numpy
    for each in KNOWN + OTHERS:
        function = getattr(home, each, None) or getattr(home, each.replace("arc", "a"), None)
        if function is None:
            continue
        source = one_of(name, lambda x, f=function: f(x / 4) + f(0.3 + x / 9))
        if each in KNOWN:
            own = mbconcord.own(source, q=["q"])
            assert len(own.forcing) == 1
            continue
        short = each.replace("arc", "a")
        with pytest.raises(MbconcordError, match=rf"not converted: (OP_)?(?i:{short}) of \w+ is not known"):
            mbconcord.own(source, q=["q"])


@pytest.mark.parametrize(
    ("name", "function", "word"),
    [
        ("casadi", lambda x: library("casadi").fmax(x, 1), "OP_FMAX of CasADi is not known"),
        ("casadi", lambda x: library("casadi").if_else(x > 0, 1, x), "OP_LT of CasADi is not known"),
        ("jax", lambda x: library("jax").lax.fori_loop(0, 3, lambda i, y: y * x, x), "scan of JAX is not known"),
        ("jax", lambda x: library("jax").lax.while_loop(lambda y: y < 1, lambda y: 2 * y, x), "while of JAX is not"),
        ("jax", lambda x: library("jax").lax.cond(x > 0, lambda: x, lambda: 2 * x), "cond of JAX is not known"),
        ("jax", lambda x: library("jax").numpy.maximum(x, 1), "max of JAX is not known"),
        ("jax", lambda x: x if x > 0 else 2 * x, "not traced: TracerBoolConversionError: [^\n]* .write it"),
        ("jax", lambda x: x.astype("float32") * x, "convert_element_type of JAX is not known"),
        ("jax", lambda x: x * library("jax").numpy.float32(0.1), r"found the float 0.1000000014\d*, which is no short"),
        ("jax", lambda x: library("jax").numpy.arange(3.0)[x.astype(int)], "convert_element_type of JAX is not known"),
    ],
)
def test_what_has_no_formula_is_refused_by_its_name(name: str, function: Callable[[Any], Any], word: str) -> None:
    with pytest.raises(MbconcordError, match=word):
        mbconcord.own(one_of(name, function), q=["q"])


def test_inputs_of_casadi_have_names() -> None:
    ca = library("casadi")
    both = of_casadi("SX")
    with pytest.raises(MbconcordError, match=r"found the input p of 8 numbers, and 0 are told \(inputs are q, v"):
        mbconcord.own(both, **TOLD)
    with pytest.raises(MbconcordError, match=r"found the input q of 2 numbers, and 3 are told"):
        mbconcord.own(both, q=["a", "b", "c"], parameters=NAMES)
    q = ca.SX.sym("q", 2)
    with pytest.raises(MbconcordError, match=r"found the input i0 of 2 numbers, and 1 are told"):
        mbconcord.own(ca.Function("f", [q], [ca.diag(q), q]), q=["a", "b"])
    x = ca.MX.sym("q", 2)
    found = ca.rootfinder("r", "newton", {"x": x, "g": x - 1})(x, [])
    with pytest.raises(MbconcordError, match=r"f: error: not converted: OP_CALL of CasADi is not known"):
        mbconcord.own(ca.Function("f", [x], [ca.diag(x), found], ["q"], ["M", "forcing"]), q=["a", "b"])
    found = ca.vertcat(ca.logsumexp(x), 0)
    with pytest.raises(
        MbconcordError, match=r"f: error: not converted: no SX is made of it: 'eval_sx' not defined for"
    ):
        mbconcord.own(ca.Function("f", [x], [ca.diag(x), found], ["q"], ["M", "forcing"]), q=["a", "b"])


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_conversion_that_is_wrong_accuses_nobody(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home = library(name) if name == "casadi" else library(name).numpy
    changed = {**foreign.OPERATIONS, "cos": foreign.OPERATIONS["sin"]}
    source = one_of(name, home.cos)
    assert str(mbconcord.own(source, q=["q"]).forcing[0]) == "cos(q)"
    monkeypatch.setattr(foreign, "OPERATIONS", changed)
    with pytest.raises(DisagreementError, match=r"forcing\[1, 1\]: error: not converted: your function gives"):
        mbconcord.own(source, q=["q"])


class Function:
    """A table of instructions such as CasADi's, whose numbers it computes itself: no CasADi is needed for it.

    Instructions are (name, what it takes, where it puts its result, a constant).
    """

    def __init__(self, rows: Sequence[tuple[str, Sequence[int], Sequence[int], float]], codes: Sequence[str]) -> None:
        self.rows, self.codes = rows, codes

    def __getattr__(self, name: str) -> Any:
        sizes = {"n_in": 2, "n_out": 2, "name": "table", "name_in": ["q", "m"], "name_out": ["M", "forcing"]}
        return lambda *_: sizes[name]

    def expand(self) -> Function:
        return self

    def numel_in(self, _: int) -> int:
        return 1

    def sparsity_in(self, _: int) -> Any:
        return SimpleNamespace(find=lambda: [0])

    def sparsity_out(self, _: int) -> Any:
        return SimpleNamespace(shape=(1, 1), row=lambda: [0], get_col=lambda: [0])

    def n_instructions(self) -> int:
        return len(self.rows)

    def instruction_id(self, k: int) -> int:
        return self.codes.index(self.rows[k][0])

    def instruction_input(self, k: int) -> Any:
        return self.rows[k][1]

    def instruction_output(self, k: int) -> Any:
        return self.rows[k][2]

    def instruction_constant(self, k: int) -> float:
        return self.rows[k][3]

    def call(self, given: Sequence[Any]) -> list[Any]:
        """Compute -m sin(q)^2/4 by itself."""
        q, m = (x.full().item() for x in given)
        return [SimpleNamespace(full=lambda x=x: np.array([[x]])) for x in (2 * m, -m * math.sin(q) ** 2 / 4)]


@pytest.mark.parametrize("last", ["OP_NEG", "OP_TWICE", "OP_ERF"])
def test_a_table_of_instructions_is_walked_without_casadi(last: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A right one, one whose numbers are others than the function's, one with an instruction that is not known."""
    codes = ["OP_INPUT", "OP_OUTPUT", "OP_CONST", "OP_TWICE", "OP_SIN", "OP_SQ", "OP_MUL", "OP_DIV", "OP_NEG", "OP_ERF"]
    rows = [
        ("OP_INPUT", (0, 0), (0,), 0), ("OP_INPUT", (1, 0), (1,), 0), ("OP_TWICE", (1,), (2,), 0),
        ("OP_OUTPUT", (2,), (0, 0), 0), ("OP_SIN", (0,), (0,), 0), ("OP_SQ", (0,), (0,), 0),
        ("OP_MUL", (0, 1), (0,), 0), ("OP_CONST", (), (1,), 4.0), ("OP_DIV", (0, 1), (0,), 0), (last, (0,), (0,), 0),
        ("OP_OUTPUT", (0,), (1, 0), 0),
    ]  # fmt: skip
    stub = {code: i for i, code in enumerate(codes)} | {"DM": lambda x: SimpleNamespace(full=lambda: np.array([x]))}
    monkeypatch.setitem(sys.modules, "casadi", SimpleNamespace(**stub))  # type: ignore[arg-type]
    monkeypatch.setattr(Function, "__module__", "casadi.casadi")
    table = Function(rows, codes)
    if last == "OP_NEG":
        own = mbconcord.own(table, q=["q"])
        assert (own.kind, str(own.M[0][0]), str(own.forcing[0])) == ("functions of CasADi", "2*m", "-0.25*m*sin(q)^2")
        return
    kind, words = (MbconcordError, "table: error: not converted: OP_ERF of CasADi is not known")
    if last == "OP_TWICE":
        kind, words = (DisagreementError, r"forcing\[1, 1\]: error: not converted: your function gives")
    with pytest.raises(kind, match=words):
        mbconcord.own(table, q=["q"])


def test_a_function_of_numpy_beside_jax_stays_one() -> None:
    """A name of another function of the same module says nothing of it."""
    library("jax")

    def helper(q: Any) -> Any:
        return np.sin(q[0])

    assert not foreign.is_jax(helper)
    assert foreign.is_jax(of_jax()["M"])
    assert foreign.is_jax(library("jax").jit(helper))
    assert mbconcord.own(lambda q, m: (m, helper(q)), q=["q"]).kind == "functions of NumPy"
