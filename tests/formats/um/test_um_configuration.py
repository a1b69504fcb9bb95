"""Settings of the integrator: UM's .icf."""

from __future__ import annotations

import pytest

from mbconcord.converters.um.configuration import Integrator, read_icf
from mbconcord.model.diagnostics import NumbersError, ReadError

ICF = """icf
$ Configuration of object leg
with integr;
  tout    =  1.000E+0001;
  lastparfile    = "";
  step    =  2.000E-0002;
  method  = park;
  jacobian = false;
with solvers;
  bdfminstep=1E-10;
with end;
"""


def test_settings_of_the_integrator():
    assert read_icf(ICF).integrator == Integrator(10.0, 0.02, None, None, "park", False)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("par\na = 1\n", ReadError, "x.icf:"),
        ("with integr;\nwith end;\n", ReadError, "found 'with integr;', expected 'icf'"),
        ("icf\nwith integr;\n  tout=soon;\nwith end;\n", NumbersError, "x.icf:3:8: error: integr/tout: found 'soon'"),
        ("icf\nwith integr;\n  jacobian=1;\nwith end;\n", NumbersError, "expected true or false"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(text, kind, message):
    with pytest.raises(kind) as problem:
        read_icf(text, "x.icf")
    assert message in str(problem.value)
