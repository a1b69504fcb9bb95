"""Are two models the same machine? Their dynamics are compared, coordinates matched by name, then by structure.

Exit code 0: the same; 1: not the same, with the entry and the state of the largest difference.
"""

from __future__ import annotations

import argparse

HELP = "tell whether two models are the same machine"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Two files."""
