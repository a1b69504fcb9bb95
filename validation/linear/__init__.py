"""Evidence about linearised motions: by several formalisms, beside differences, in many digits."""

from .agreement import equilibrium_evidence, linear_evidence

__all__ = ["equilibrium_evidence", "linear_evidence"]
