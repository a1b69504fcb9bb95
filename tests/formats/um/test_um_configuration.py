"""Settings of the integrator: UM's .icf."""

from __future__ import annotations

import pytest

from mbconcord.converters.um.configuration import Integrator, new_configuration, read_icf, write_icf
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
    configuration = read_icf(ICF)
    assert configuration.object == "leg"
    assert configuration.integrator == Integrator(10.0, 0.02, None, None, "park", False)
    changed = configuration.with_integrator(Integrator(tout=2.5, error=1e-7, jacobian=True))
    assert changed.integrator == Integrator(2.5, 0.02, None, 1e-7, "park", True)
    before, after = write_icf(configuration).splitlines(), write_icf(changed).splitlines()
    assert [line.strip() for line in after if line not in before] == [
        "tout=2.500E+0000;", "jacobian=true;", "error=1.000E-0007;",
    ]  # fmt: skip
    assert read_icf(write_icf(changed)) == changed


def test_a_new_configuration():
    settings = Integrator(10.0, 0.02, 1e-3, 1 / 3, "park", False)
    configuration = new_configuration("leg", settings)
    assert read_icf(write_icf(configuration)) == configuration
    assert configuration.integrator == settings
    assert configuration.object == "leg"


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
