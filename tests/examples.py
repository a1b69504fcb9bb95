"""How many random models a property tries."""

import os

#: Of open trees and of closed ones so many seeds, a fifth as many where Hypothesis makes and shrinks them;
#: ``mbconcord campaign run --random`` tries others. MBCONCORD_EXAMPLES asks for another number.
EXAMPLES = int(os.environ.get("MBCONCORD_EXAMPLES", "25"))
