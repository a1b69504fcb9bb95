"""The public names, as type checkers see them; a test compares them with what is imported."""

from mbconcord.api.animate import animate as animate
from mbconcord.api.assemble import assemble as assemble
from mbconcord.api.base_parameters import base_parameters as base_parameters
from mbconcord.api.check import check as check
from mbconcord.api.compare import compare as compare
from mbconcord.api.compiling.compile import compile as compile
from mbconcord.api.convert import convert as convert
from mbconcord.api.derive import derive as derive
from mbconcord.api.ensemble import ensemble as ensemble
from mbconcord.api.equilibrium import equilibrium as equilibrium
from mbconcord.api.evaluate import evaluate as evaluate
from mbconcord.api.exporting.export import export as export
from mbconcord.api.fleet import compare_pairs as compare_pairs
from mbconcord.api.linearize import linearize as linearize
from mbconcord.api.mechanism import Mechanism as Mechanism
from mbconcord.api.own import own as own
from mbconcord.api.regression.asserts import assert_agrees as assert_agrees
from mbconcord.api.regression.asserts import assert_same_machine as assert_same_machine
from mbconcord.api.simulate import simulate as simulate
from mbconcord.certificate.emit import certify as certify
from mbconcord.converters.format import Reading as Reading
from mbconcord.converters.registry import read as read
from mbconcord.converters.registry import write as write
from mbconcord.model import MbconcordError as MbconcordError
from mbconcord.model import State as State
from mbconcord.model import System as System

from . import results as results
from . import strategies as strategies
from . import testing as testing

__version__: str
