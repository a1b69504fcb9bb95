"""Derivations by SymPy, right and wrong, and the models of the same machines."""

from __future__ import annotations

from typing import Any

import sympy as sm
from sympy.physics import mechanics as me

t = me.dynamicsymbols._t

PENDULUM = (
    "z(q1) $(m1)[I1/2,I1/2+m1*c1^2,I1+m1*c1^2]{c1,0} #upper > "
    "i(l1) z(q2) $(m2)[I2/2,I2/2+m2*c2^2,I2+m2*c2^2]{c2,0} #lower ; g(g)-y;"
    " I1=0.1,I2=0.2,l1=1,l2=1.2,c1=0.5,c2=0.6,m1=1,m2=2,g=9.81"
)
ABSOLUTE = {"q1": "th1 - pi/2", "q2": "th2 - th1"}
CART = (
    "u(x)\"(F-b*x') $(mc) #cart > z(th) $(mp)[mp*L^2/3,mp*L^2/100,mp*L^2/3]{0,-L/2} #pole ;"
    " g(g)-y; mc=5,mp=1,L=1,g=9.81,b=0.4,F=1"
)


def pendulum(wrong: str = "") -> Any:
    """Double pendulum in absolute angles by Lagrange's method."""
    q = me.dynamicsymbols("th1 th2")
    (th1, th2), (d1, d2) = q, [x.diff(t) for x in q]
    m1, m2, l1, c1, c2, I1, I2, g = sm.symbols("m1 m2 l1 c1 c2 I1 I2 g")
    x1, y1 = c1 * sm.sin(th1), -c1 * sm.cos(th1)
    x2, y2 = l1 * sm.sin(th1) + c2 * sm.sin(th2), -l1 * sm.cos(th1) - c2 * sm.cos(th2)
    turning = d2 - d1 if wrong == "relative" else d2
    speeds = m1 * (x1.diff(t) ** 2 + y1.diff(t) ** 2) + m2 * (x2.diff(t) ** 2 + y2.diff(t) ** 2)
    kinetic = (speeds + I1 * d1**2 + I2 * turning**2) / 2
    if wrong == "no half":
        kinetic += I1 * d1**2 / 2
    potential = g * (m1 * y1 + m2 * y2)
    if wrong == "g sign":
        potential = -potential
    lagrange = me.LagrangesMethod(kinetic - potential, [th1, th2])
    lagrange.form_lagranges_equations()
    if wrong == "coriolis lost":
        f = lagrange.forcing.expand()
        return (lagrange.mass_matrix, sm.Matrix([f[0].subs(d2, 0), f[1]]))
    return lagrange


def cart(wrong: str = "", formed: bool = True) -> Any:
    """Cart and pole by Kane's method, the speeds having names of their own."""
    s, a, v, w = me.dynamicsymbols("s a v w")
    force = me.dynamicsymbols("F")
    mc, mp, L, g, b = sm.symbols("mc mp L g b")
    N = me.ReferenceFrame("N")
    R = N.orientnew("R", "Axis", [a, N.z])
    R.set_ang_vel(N, w * N.z)
    fixed = me.Point("O")
    fixed.set_vel(N, 0)
    C = fixed.locatenew("C", s * N.x)
    C.set_vel(N, v * N.x)
    G = C.locatenew("G", -L / 2 * R.y)
    G.v2pt_theory(C, N, R)
    J = mp * L**2 / 12
    damping = b * v if wrong == "damper" else -b * v
    bodies = [me.Particle("cart", C, mc), me.RigidBody("pole", G, R, mp, (me.inertia(R, J, 0, J), G))]
    loads = [(C, (force + damping) * N.x), (C if wrong == "weight at pivot" else G, -mp * g * N.y)]
    kane = me.KanesMethod(N, q_ind=[s, a], u_ind=[v, w], kd_eqs=[s.diff(t) - v, a.diff(t) - w])
    if formed:
        kane.kanes_equations(bodies, loads)
    return kane
