"""The public names, as type checkers see them; a test compares them with what is imported."""

from mbconcord.api.animate import Animation as Animation
from mbconcord.api.animate import animate as animate
from mbconcord.api.assemble import Assembled as Assembled
from mbconcord.api.assemble import assemble as assemble
from mbconcord.api.base_parameters import base_parameters as base_parameters
from mbconcord.api.check import Check as Check
from mbconcord.api.check import check as check
from mbconcord.api.compare import Comparison as Comparison
from mbconcord.api.compare import compare as compare
from mbconcord.api.compiling.compile import compile as compile
from mbconcord.api.compiling.compiled import Compiled as Compiled
from mbconcord.api.convert import Conversion as Conversion
from mbconcord.api.convert import convert as convert
from mbconcord.api.derive import Equations as Equations
from mbconcord.api.derive import derive as derive
from mbconcord.api.evaluate import evaluate as evaluate
from mbconcord.api.exporting.export import Export as Export
from mbconcord.api.exporting.export import export as export
from mbconcord.api.linear_analysis.equilibrium import Equilibrium as Equilibrium
from mbconcord.api.linear_analysis.equilibrium import equilibrium as equilibrium
from mbconcord.api.linear_analysis.linearize import Linearization as Linearization
from mbconcord.api.linear_analysis.linearize import linearize as linearize
from mbconcord.api.mechanism import Mechanism as Mechanism
from mbconcord.api.numbers import Numbers as Numbers
from mbconcord.api.regression.asserts import assert_agrees as assert_agrees
from mbconcord.api.regression.asserts import assert_same_machine as assert_same_machine
from mbconcord.api.simulate import Simulation as Simulation
from mbconcord.api.simulate import simulate as simulate
from mbconcord.api.why import why as why
from mbconcord.converters.format import Reading as Reading
from mbconcord.converters.registry import read as read
from mbconcord.converters.registry import read_text as read_text
from mbconcord.converters.registry import write as write
from mbconcord.formalisms.registry import formalism as formalism
from mbconcord.model import MbconcordError as MbconcordError
from mbconcord.model import State as State
from mbconcord.model import System as System
from mbconcord.validation.same_machine import same_machine as same_machine

__version__: str
