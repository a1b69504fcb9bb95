"""Types of the public functions' results, for annotations."""

from mbconcord.api.animate import Animation as Animation
from mbconcord.api.assemble import Assembled as Assembled
from mbconcord.api.check import Check as Check
from mbconcord.api.compare import Comparison as Comparison
from mbconcord.api.compiling.compiled import Compiled as Compiled
from mbconcord.api.convert import Conversion as Conversion
from mbconcord.api.derive import Equations as Equations
from mbconcord.api.ensemble import Ensemble as Ensemble
from mbconcord.api.equilibrium import Equilibrium as Equilibrium
from mbconcord.api.equilibrium import SteadyState as SteadyState
from mbconcord.api.exporting.export import Export as Export
from mbconcord.api.linearize import Linearization as Linearization
from mbconcord.api.linearize import RootLocus as RootLocus
from mbconcord.api.numbers import Numbers as Numbers
from mbconcord.api.simulate import Simulation as Simulation
