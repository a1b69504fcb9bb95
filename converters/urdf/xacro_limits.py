"""A script that runs a program under limits: ``SECONDS MEMORY BYTES PROGRAM …``; it imports nothing of mbconcord.

SECONDS of processor time, and a little more of the clock, MEMORY bytes of address space, BYTES of each written
file, standard output too; where the system has no such limits (Windows) the program runs without them.
"""

import os
import signal
import subprocess
import sys


def main() -> None:
    """Set the limits, and replace this process by the program."""
    seconds, memory, size = map(int, sys.argv[1:4])
    command = sys.argv[4:]
    try:
        import resource
    except ImportError:
        raise SystemExit(subprocess.call(command)) from None
    limits = ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, size))
    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
    signal.alarm(seconds + 5)  # also where nobody is left who waits for it
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
