"""How the letters of the paper are set: J^c_ji, J^s_ji, G_0k, C'."""

from __future__ import annotations

import re

from mbconcord.model.expressions.latex import latex_name
from mbconcord.model.expressions.mathml import mathml_name
from mbconcord.model.notation.listing import Notation

#: Letters with a mark that a plain name has beside them: letter, mark above, mark below.
MARKED = {
    "Jc": ("J", "c", ""), "Js": ("J", "s", ""), "G0": ("G", "", "0"), "dC": ("C", "′", ""), "CS": ("C", "S", ""),
}  # fmt: skip
NAME = re.compile(rf"({'|'.join(MARKED)})_(\d+(?:_\d+)*)")


class PaperNotation(Notation):
    """Names with several letters as one letter with marks."""

    def latex(self, name: str) -> str:
        """``Jc_2_1`` is J^{c}_{21}."""
        match = NAME.fullmatch(name)
        if match is None:
            return latex_name(name)
        letter, above, below = MARKED[match[1]]
        indices = ",".join(filter(None, (below, *match[2].split("_"))))
        mark = {"": "", "′": "^{\\prime}"}.get(above, f"^{{{above}}}")
        return f"{letter}{mark}_{{{indices}}}"

    def mathml(self, name: str) -> str:
        """The same in MathML."""
        match = NAME.fullmatch(name)
        if match is None:
            return mathml_name(name)
        letter, above, below = MARKED[match[1]]
        parts = filter(None, (below, *match[2].split("_")))
        indices = f"<mrow>{'<mo>,</mo>'.join(f'<mn>{part}</mn>' for part in parts)}</mrow>"
        if not above:
            return f"<msub><mi>{letter}</mi>{indices}</msub>"
        return f"<msubsup><mi>{letter}</mi>{indices}<mi>{above}</mi></msubsup>"


WRITTEN = PaperNotation()
