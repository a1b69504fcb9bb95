"""Evidence about linearised motions: by several formalisms, by differences, in many digits, as printed."""

from .by_formalisms import equilibrium_evidence, linear_evidence
from .judged import PRINTED
from .screen import read_equilibrium, read_linear

__all__ = ["PRINTED", "equilibrium_evidence", "linear_evidence", "read_equilibrium", "read_linear"]
