"""Code beside the quantities: what is left of the equations at a motion, and the motion that satisfies them."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model.derivation import Derivation


def equations_of(derivation: Derivation) -> str:
    """The equations of a model in one line."""
    if derivation.rows:
        return "M(q) q'' + h(q, q', t) = gravity + applied + D(q)^T lambda, D q'' + γ̃(q, q', t) = 0"
    return "M(q) q'' + h(q, q', t) = gravity + applied"


def python_equations(derivation: Derivation) -> str:
    """The functions ``residuals`` and ``motion`` of a Python module with ``quantities``."""
    return PYTHON_CLOSED if derivation.rows else PYTHON_OPEN


PYTHON_OPEN = '''

def residuals(t, q, v, a, parameters=None, *functions):
    """M a + h - gravity - applied: zero where the motion satisfies the equations."""
    r = quantities(t, q, v, a, parameters, *functions)
    return r["M"] @ a + r["h"] - r["gravity"] - r["applied"]


def motion(t, q, v, parameters=None, *functions):
    """The accelerations q''."""
    r = quantities(t, q, v, None, parameters, *functions)
    return np.linalg.solve(r["M"], r["gravity"] + r["applied"] - r["h"])
'''

PYTHON_CLOSED = '''

def residuals(t, q, v, a, multipliers, parameters=None, *functions):
    """M a + h - gravity - applied - D^T lambda, then D a + γ̃: zero where the equations hold."""
    r = quantities(t, q, v, a, parameters, *functions)
    forces = r["gravity"] + r["applied"] + r["D"].T @ multipliers
    return np.concatenate([r["M"] @ a + r["h"] - forces, r["D"] @ a + r["γ̃"]])


def motion(t, q, v, parameters=None, *functions):
    """The accelerations q'' and the multipliers lambda; of multipliers that are not unique the smallest."""
    r = quantities(t, q, v, None, parameters, *functions)
    M, D = r["M"], r["D"]
    matrix = np.block([[M, -D.T], [D, np.zeros((len(D), len(D)))]])
    right = np.concatenate([r["gravity"] + r["applied"] - r["h"], -r["γ̃"]])
    solution = np.linalg.lstsq(matrix, right, rcond=None)[0]
    return solution[: len(M)], solution[len(M) :]
'''


def c99_equations(derivation: Derivation, quantities: Sequence[str]) -> str:
    """The function ``residuals`` beside ``equations``, whose results are the quantities in this order."""
    n, m = len(derivation.system.coordinates), len(derivation.rows)
    sizes = {"M": n * n, "D": m * n, "γ̃": m}
    places, place = {}, 0
    for name in quantities:
        places[name] = place
        place += sizes.get(name, n)
    closed = m > 0
    return (C99_CLOSED if closed else C99_OPEN).format(
        n=n, m=m, size=place, M=places["M"], h=places["h"], gravity=places["gravity"],
        applied=places["applied"], D=places.get("D"), rest=places.get("γ̃"), moving=1 + 2 * n,
    )  # fmt: skip


C99_OPEN = """
/* r: M q'' + h - gravity - applied ({n}), zero where the equations hold */
void residuals(const double in[], double r[])
{{
    double out[{size}];
    equations(in, out);
    for (int i = 0; i < {n}; i++) {{
        r[i] = out[{h} + i] - out[{gravity} + i] - out[{applied} + i];
        for (int k = 0; k < {n}; k++) r[i] += out[{M} + i * {n} + k] * in[{moving} + k];
    }}
}}
"""

C99_CLOSED = """
/* r: M q'' + h - gravity - applied - D^T lambda ({n}), then D q'' + the rest of each row ({m}), zero where the
   equations hold */
void residuals(const double in[], const double lambda[], double r[])
{{
    double out[{size}];
    equations(in, out);
    for (int i = 0; i < {n}; i++) {{
        r[i] = out[{h} + i] - out[{gravity} + i] - out[{applied} + i];
        for (int k = 0; k < {n}; k++) r[i] += out[{M} + i * {n} + k] * in[{moving} + k];
        for (int k = 0; k < {m}; k++) r[i] -= out[{D} + k * {n} + i] * lambda[k];
    }}
    for (int k = 0; k < {m}; k++) {{
        r[{n} + k] = out[{rest} + k];
        for (int i = 0; i < {n}; i++) r[{n} + k] += out[{D} + k * {n} + i] * in[{moving} + i];
    }}
}}
"""


def c99_listed(derivation: Derivation) -> str:
    """The function ``residuals`` beside ``quantities`` of a listing."""
    return C99_LISTED.format(n=len(derivation.system.coordinates), m=len(derivation.rows))


C99_LISTED = """
/* r: M q'' + h - gravity - applied - D^T lambda ({n}), then D q'' + rest ({m}), zero where the equations hold */
void residuals(double t, const double q[], const double v[], const double a[], const double lambda[],
               const double p[], double r[])
{{
    double M[{n} * {n}], h[{n}], gravity[{n}], applied[{n}], D[{m} * {n}], rest[{m}];
    quantities(t, q, v, p, M, h, gravity, applied, D, rest);
    for (int i = 0; i < {n}; i++) {{
        r[i] = h[i] - gravity[i] - applied[i];
        for (int k = 0; k < {n}; k++) r[i] += M[i * {n} + k] * a[k];
        for (int k = 0; k < {m}; k++) r[i] -= D[k * {n} + i] * lambda[k];
    }}
    for (int k = 0; k < {m}; k++) {{
        r[{n} + k] = rest[k];
        for (int i = 0; i < {n}; i++) r[{n} + k] += D[k * {n} + i] * a[i];
    }}
}}
"""
