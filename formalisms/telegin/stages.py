"""The intermediates by the paper's letters, in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mbconcord.model import System
from mbconcord.model.derivation import Stage
from mbconcord.model.expressions import Expression
from mbconcord.model.naming import Named, Namer
from mbconcord.model.transformation import Vector

from .forms.equations import Equations
from .linkage import Linkage
from .spatial import Motion, Spatial, Sweep
from .tree import Tree


def planar_stages(p: Linkage, made: Equations, tree: Tree, system: System) -> tuple[Stage, ...]:
    """List augmented bodies, angles and rates, the pairs' quantities, and the form's own coefficients."""
    bodies, motion = p.bodies, p.motion
    links = p.topology.links
    groups: list[tuple[str, str, Iterable[Named]]] = [
        (
            "augmented bodies",
            f"{numbers(tree)}: mass m, first moment s about the pole, moment of inertia J (5)",
            [
                item
                for k in links
                for item in ((f"m_{k}", bodies[k].m), *plane(f"s_{k}", bodies[k].s), (f"J_{k}", bodies[k].J))
            ],
        ),
        (
            "absolute angles",
            "θ, ω, ε are sums of q, q', q'' over the carrying chain",
            [
                item
                for k in links
                for item in (
                    (f"theta_{k}", motion.theta[k]),
                    (f"omega_{k}", motion.omega[k]),
                    (f"epsilon_{k}", motion.epsilon[k]),
                )
            ],
        ),
        (
            "vectors",
            "s = m_d i and R e in fixed axes",
            [item for k in links for item in (*plane(f"ms_{k}", p.s[k]), *plane(f"R_{k}", p.R[k]))],
        ),
    ]
    for letter, values in made.coefficients.items():
        groups.append((letter, TITLES.get(letter, letter), name_coefficients(letter, values)))
    return assemble_stages(groups, system)


#: What the letters of the forms mean.
TITLES = {
    "Jc": "J^c_ji = m_dj R_i cos α_ij",
    "Js": "J^s_ji = m_dj R_i sin α_ij",
    "G": "G_k = m_dk g·j_k",
    "G0": "G_0k = G_k + Σ G_0j (7)",
    "A": "A: coefficients of ε of the carriers",
    "a": "a: coefficients of ω² of the carriers",
    "B": "B: of (3), or coefficients of ε of the carried links (9), (11)-(12)",
    "b": "b: coefficients of ω² of the carried links",
    "H": "H: inertia",
    "h": "h: coefficients of the terms with rates",
    "L": "L_k: left sides of (20) and (24), equal to M_k - Σ M_i over the adjacent links i",
}


def spatial_stages(s: Spatial, motions: Mapping[int, Motion], sweep: Sweep, system: System) -> tuple[Stage, ...]:
    """List extended bodies, both sweeps, static moments and subtree tensors, in the axes of each link."""
    links = s.tree.links
    groups: list[tuple[str, str, Iterable[Named]]] = [
        (
            "extended bodies",
            f"{numbers(s.tree)}: mass m, first moment s and tensor J about the pole",
            [
                item
                for k in links
                for item in (
                    (f"m_{k}", s.bodies[k].m),
                    *space(f"s_{k}", s.bodies[k].s),
                    *tensor(f"J_{k}", s.bodies[k].J),
                )
            ],
        ),
        (
            "outward sweep",
            "ω, ε, and the acceleration a of the pole less g",
            [
                item
                for k in links
                for item in (
                    *space(f"omega_{k}", motions[k].omega),
                    *space(f"epsilon_{k}", motions[k].epsilon),
                    *space(f"a_{k}", motions[k].a),
                )
            ],
        ),
        (
            "inward sweep",
            "P = m̄'' and the moment N in the joint",
            [item for k in s.tree.inward for item in (*space(f"P_{k}", sweep.P[k]), *space(f"N_{k}", sweep.N[k]))],
        ),
        (
            "static moments",
            "m̄ of the subtree about its pole",
            [item for k in s.tree.inward for item in space(f"mbar_{k}", s.static_moments[k])],
        ),
        (
            "subtree tensors",
            "Î of the subtree about its pole",
            [item for k in s.tree.inward for item in tensor(f"I_{k}", s.subtree_tensors[k])],
        ),
    ]
    return assemble_stages(groups, system)


def numbers(tree: Tree) -> str:
    """Describe which link belongs to which body: ``1 of boom, 2 of jib``."""
    return ", ".join(f"{k} of {link.body}" for k, link in tree.links.items())


def plane(name: str, pair: tuple[Expression, Expression]) -> Iterator[Named]:
    """Yield the two components of a vector in the plane with their names."""
    return zip((f"{name}_x", f"{name}_y"), pair, strict=True)


def space(name: str, vector: Vector) -> Iterator[Named]:
    """Yield the three components of a vector with their names."""
    return zip((f"{name}_x", f"{name}_y", f"{name}_z"), vector, strict=True)


def tensor(name: str, rows: Iterable[Vector]) -> Iterator[Named]:
    """Yield a tensor's components with their names."""
    for axis, row in zip("xyz", rows, strict=True):
        yield from zip((f"{name}_{axis}x", f"{name}_{axis}y", f"{name}_{axis}z"), row, strict=True)


def name_coefficients(
    letter: str, values: Mapping[tuple[int, int], Expression] | Mapping[int, Expression]
) -> Iterator[Named]:
    """Name coefficients by letter and indices."""
    for index, value in values.items():
        marks = index if isinstance(index, tuple) else (index,)
        yield "_".join((letter, *map(str, marks))), value


def assemble_stages(groups: Iterable[tuple[str, str, Iterable[Named]]], system: System) -> tuple[Stage, ...]:
    """Build stages of the items worth a name; empty ones are left out."""
    namer = Namer(system.names)
    made = [Stage(title, meaning, namer.assignments(items)) for title, meaning, items in groups]
    return tuple(stage for stage in made if stage.assignments)
