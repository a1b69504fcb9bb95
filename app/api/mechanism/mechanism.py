"""Systems built by hand, in the order in which one describes a mechanism."""

from __future__ import annotations

from .bodies import Bodies
from .constraints import Constraints
from .forces import Forces
from .surroundings import Surroundings


class Mechanism(Surroundings, Bodies, Forces, Constraints):
    """A multibody system that is described body by body; :meth:`build` gives the :class:`mbconcord.System`.

    Numbers are SI and radians. Whatever is a number may be a formula in a string, ``"m*L^2/12"``, of parameters that
    :meth:`parameters` names; where the motion may stand in it, of coordinates ``q1``, their rates ``q1'`` and the time
    ``t`` too. Decimals are exact: 0.1 is one tenth.

    A body is begun by :meth:`body`; what follows says how it is carried, from its parent's frame to its own, each step
    in the frame that the one before it left: :meth:`at` and :meth:`turned` are fixed, :meth:`slides` and :meth:`turns`
    have a coordinate. Coordinates are in the order in which they appear. Every method gives the mechanism back.

    Raises
    ------
    ModelError
        From every method, at the element it is about: a formula that cannot be read, an axis or a tensor that is none,
        a name that is there already. What only the whole shows (names that no one has, …) :meth:`build` finds.

    Examples
    --------
    >>> import mbconcord
    >>> arm = (
    ...     mbconcord.Mechanism("arm")
    ...     .parameters(m=2.5, L=0.8)
    ...     .gravity(z=-9.81)
    ...     .body("upper", mass="m", com=("L/2", 0, 0), inertia=(0.01, "m*L^2/12", "m*L^2/12"))
    ...     .turns("q1", about="z")
    ...     .turns("q2", about="y", start=0.3)
    ...     .body("fore", on="upper", mass=1.2, com=(0.3, 0, 0), inertia=(0.004, 0.04, 0.04))
    ...     .at(x="L")
    ...     .turns("q3", about="y")
    ... )
    >>> arm.build()
    <System arm: 2 bodies, 3 coordinates>
    """
