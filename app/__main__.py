"""``python -m mbconcord``."""

import sys

from mbconcord.cli import main

if __name__ == "__main__":
    sys.exit(main())
