"""Run the verifier, a file that needs no mbconcord, in its own process with limits of time, memory and output."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mbconcord.converters.xacro import run_limited
from mbconcord.records import dataclass

#: The files that verify certificates and differences; they import nothing of mbconcord.
VERIFIER: Final = Path(__file__).with_name("verify_certificate.py")
DIFFERENCES: Final = Path(__file__).with_name("verify_difference.py")
#: Seconds, bytes of addresses, bytes that it may print.
LIMITS: Final = (120, 2 << 30, 16 << 20)
#: Bytes at the end of a certificate in which a difference is told.
END: Final = 100_000
PROVED, REFUSED, UNREADABLE, UNDECIDED = range(4)
VERDICTS: Final = {PROVED: "proved", REFUSED: "refused", UNREADABLE: "not readable", UNDECIDED: "not decided"}


@dataclass(frozen=True)
class Verified:
    """Answer of the verifier about a certificate: a code, key of :data:`VERDICTS`, and the lines that it printed."""

    code: int
    said: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Meaning of the code in words."""
        return VERDICTS[self.code]


def verify(file: str, require: Sequence[str] = (), seed: str | None = None) -> Verified:
    """Verify the certificate in a file; the answer is ``UNDECIDED`` if a limit ends the process."""
    words = [*(["--require", ",".join(require)] if require else []), *(["--seed", seed] if seed else [])]
    alone = ["-E", "-s", "-S", str(DIFFERENCES)] if _is_difference(file) else ["-I", "-S", str(VERIFIER)]
    command = [sys.executable, *alone, *words, "--", str(Path(file).resolve())]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaints:
        code = run_limited(command, LIMITS, out, complaints)
        lines: list[str] = []
        for stream in (out, complaints):
            stream.seek(0)
            lines += stream.read(LIMITS[2]).decode("utf-8", "replace").splitlines()
    if code in (PROVED, REFUSED, UNREADABLE):
        return Verified(code, tuple(lines))
    return Verified(UNDECIDED, (*lines[-1:], f"not decided within {LIMITS[0]} s and {LIMITS[1] >> 30} GB"))


def _is_difference(file: str) -> bool:
    """Return True if a file ends with the lines of a certificate of a difference."""
    if not Path(file).is_file():
        return False  # the verifier says why, also of a pipe, which is not opened
    try:
        with Path(file).open("rb") as stream:
            stream.seek(0, 2)
            stream.seek(max(0, stream.tell() - END))
            return b"\ndiffers " in stream.read(END)
    except OSError:
        return False  # the verifier says why


def verify_text(text: str) -> Verified:
    """Verify the text of a certificate."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "certificate"
        file.write_text(text, encoding="ascii")
        return verify(str(file))
