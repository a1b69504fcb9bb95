"""Static moments of subsystems by Timofeev: write-out, statics, and their second derivatives.

``links`` → ``moments`` → ``write_out`` is the paper's way; ``walking`` has hulls with legs.
"""

from .equations import StaticMoments

__all__ = ["StaticMoments"]
