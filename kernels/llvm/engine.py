"""The LLVM interface: text to machine code of this processor, code to an address. All use of llvmlite is here."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import count
from typing import Any, Final

from mbconcord.records import dataclass

from .vector import Vector

#: Of llvmlite: the text of LLVM is that of its version.
VERSION: Final = "0.50"

#: The C library's functions that the text may call, by their type.
_DECLARED: Final = """
declare double @sin(double)
declare double @cos(double)
declare double @tan(double)
declare double @asin(double)
declare double @acos(double)
declare double @atan(double)
declare double @exp(double)
declare double @log(double)
declare double @atan2(double, double)
declare double @pow(double, double)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i64 @llvm.umin.i64(i64, i64)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare float @llvm.fabs.f32(float)
declare double @llvm.fabs.f64(double)
"""


def missing() -> str:
    """Describe what this machine lacks; empty if LLVM text can be compiled."""
    if find_spec("llvmlite") is None:
        return "llvmlite is not installed"
    found = version("llvmlite")
    if found.split(".")[:2] != VERSION.split("."):
        return f"llvmlite {found} is installed, and kernels are written for {VERSION}"
    return ""


@dataclass(frozen=True, slots=True)
class Target:
    """Target of the machine code.

    Attributes
    ----------
    triple : processor family and system
    cpu : name of the processor
    features : what it can do, as LLVM lists it
    version : of llvmlite and of LLVM
    """

    triple: str
    cpu: str
    features: str
    version: str


@cache
def host() -> Target:
    """Describe this machine."""
    import llvmlite
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    llvm = ".".join(map(str, binding.llvm_version_info))
    return Target(
        binding.get_process_triple(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        f"llvmlite {llvmlite.__version__}, LLVM {llvm}",
    )


def declarations(v: Vector) -> str:
    """Declare the functions that a text may call."""
    flags = v.with_scalar("i1")
    return f"""{_DECLARED}
declare {v} @llvm.fma.{v.suffix}({v}, {v}, {v})
declare {v} @llvm.fabs.{v.suffix}({v})
declare {v} @llvm.sqrt.{v.suffix}({v})
declare {v} @llvm.masked.load.{v.suffix}.p0(ptr, {flags}, {v})
declare void @llvm.masked.store.{v.suffix}.p0({v}, ptr, {flags})
!0 = !{{!"branch_weights", i32 1, i32 1000000}}
!1 = !{{i32 1}}
"""


def machine_code(text: str, target: Target) -> bytes:
    """Compile to an object file without passes, which gain nothing and add half the time."""
    from llvmlite import binding

    host()
    module = binding.parse_assembly(text, binding.create_context())
    module.triple = target.triple
    machine = binding.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="pic", codemodel="small"
    )
    module.data_layout = str(machine.target_data)
    return bytes(machine.emit_object(module))


class Loaded:
    """An object file in this process; its address is valid during the lifetime of this object.

    Attributes
    ----------
    address : int
        Of the requested function.
    """

    def __init__(self, code: bytes, name: str) -> None:
        from llvmlite import binding

        host()
        self._compiler: Any = _compiler()
        library = binding.JITLibraryBuilder().add_object_img(code).export_symbol(name).add_current_process()
        self._library: Any = library.link(self._compiler, f"mbconcord{next(_NUMBERS)}")
        self.address = int(self._library[name])


_NUMBERS = count()


@cache
def _compiler() -> Any:
    from llvmlite import binding

    host()
    return binding.create_lljit_compiler()
