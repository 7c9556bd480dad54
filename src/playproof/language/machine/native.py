"""A game's machine code: LLVM makes it when it is first needed; it is kept on disk and called with
numpy arrays.

Code is made twice. The quick form is ready within tenths of a second. Once a part has run in it for
about as long as the good form takes to make, the good form is made; it runs four times faster. So
nobody waits longer than twice the shortest possible time. If the good form is in the cache, it is
used at once.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import logging
import os
import platform
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from playproof.database.files import write_file_atomically
from playproof.language.cache import ensure_private_cache_folder
from playproof.language.machine.kinds import INT, REAL, TRUTH, WORD, ArrayKind, Kind
from playproof.language.machine.lazy_parts import PARTS, CodePart, get_parameter_and_result_kinds

_C_TYPES: dict[str, Any] = {INT: ctypes.c_int64, WORD: ctypes.c_uint64, REAL: ctypes.c_double, TRUTH: ctypes.c_int64}
_QUICK, _GOOD = 0, 3
_TRANSLATOR = ("native", "kinds", "functions", "assembly", "translate")
_SECONDS_A_PART = 0.1  # making the good form of the code beside the generated source
_SECONDS_A_CHARACTER = 1.6e-5  # and of that source, by its length
NativeFunction = Callable[..., Any]
_WAITED = [0.0]


def get_seconds_waited_for_machine_code() -> float:
    """Return the seconds that this process has waited for machine code, so that timings can leave
    them out."""
    return sum(_WAITED)


def can_make_machine_code() -> bool:
    """Return whether machine code can be made here and PLAYPROOF_MACHINE=0 does not switch it
    off."""
    return os.environ.get("PLAYPROOF_MACHINE", "1") != "0" and importlib.util.find_spec("llvmlite") is not None


class NoMachineCodeError(RuntimeError):
    """Raised if more states are to be gone through than plain Python does in a minute or two."""


_MOST_PLAIN = 1_000_000


def raise_if_machine_code_needed_but_missing(state_count: int) -> None:
    """Raise NoMachineCode if so many states are too many for this installation."""
    if state_count > _MOST_PLAIN and not can_make_machine_code():
        off = importlib.util.find_spec("llvmlite") is not None
        why = "PLAYPROOF_MACHINE=0 switches it off" if off else "llvmlite is missing (`pip install llvmlite`)"
        raise NoMachineCodeError(f"to go through {state_count:,} states takes machine code, and {why}")


class NativeModule:
    """The functions of one game's parts as machine code, by name. `constants` are the game's CELLS,
    WIDTH and so on. `inner` is the source for parts whose states stay inside, if it differs."""

    def __init__(
        self, source: str, constants: Mapping[str, int], parts: Sequence[CodePart] = PARTS, inner: str | None = None
    ) -> None:
        self.source, self.inner, self.constants = source, source if inner is None else inner, dict(constants)
        self.parts = {name: _CompiledPart(self, part) for part in parts for name in part.entries}

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("constants", {}):
            return self.constants[name]
        made = self.__dict__.get("parts", {}).get(name)
        if made is None:
            raise AttributeError(name)
        entry = made.make_python_callable(name)
        setattr(self, name, entry)
        return entry

    def is_optimized_code_of_function_ready(self, name: str) -> bool:
        """Return whether the good form of a function is ready."""
        return bool(self.parts[name].is_good)

    @property
    def scratch_cell_count(self) -> int:
        """The number of cells for the arrays that the entries make."""
        wide = 2 * self.constants["WIDTH"] + 3 * self.constants.get("BATCH", 0)
        return 3 * self.constants["CELLS"] + wide + self.constants["SEATS"] + 8


class _CompiledPart:
    """One part's machine code: first the quick form, then the good form when it pays."""

    def __init__(self, owner: NativeModule, part: CodePart) -> None:
        self.owner, self.part = owner, part
        self.source = owner.inner if part.inside else owner.source
        self.is_good = False
        self._functions: dict[str, NativeFunction] = {}
        self._engines: list[Any] = []
        self._spent = 0.0
        self._lock = threading.Lock()

    def make_python_callable(self, name: str) -> NativeFunction:
        """Return a function to call from Python; it counts the time spent in the quick form."""
        function = self.part.find_python_function_of_entry_or_none(name)
        assert function is not None
        kinds, _ = get_parameter_and_result_kinds(function)
        convert = [_make_argument_appender(kind) for kind in kinds]
        cells = self.owner.scratch_cell_count if "zeros" in function.__code__.co_names else 1

        def call(*passed: Any) -> Any:
            values = [part for value in passed for part in (value if isinstance(value, tuple) else [value])]
            if len(values) != len(convert):
                raise TypeError(f"{name} takes {len(convert)} values, found {len(values)}")
            arguments: list[Any] = []
            for argument, by in zip(values, convert, strict=True):
                by(argument, arguments)
            room = np.zeros(cells, dtype=np.int64)
            arguments.append(room.ctypes.data)
            return self._call_and_time_quick_code(name, arguments)

        return call

    def _call_and_time_quick_code(self, name: str, arguments: list[Any]) -> Any:
        if self.is_good:
            return self._functions[name](*arguments)
        functions = self._get_or_compile_functions()
        began = thread_time()
        result = functions[name](*arguments)
        self._spent += thread_time() - began
        return result

    def _get_or_compile_functions(self) -> dict[str, NativeFunction]:
        """Return the functions to call now. Make them if they are missing, and make the good form
        when it is due."""
        with self._lock:
            due = self._spent > _SECONDS_A_PART + _SECONDS_A_CHARACTER * len(self.source)
            if not self._functions or due:
                began = perf_counter()
                self._load_cached_object_or_compile_it(_GOOD if due else _QUICK)
                _WAITED.append(perf_counter() - began)
            return self._functions

    def _load_cached_object_or_compile_it(self, optimization_level: int) -> None:
        made = _read_intact_cached_object_or_none(self._make_cache_key(_GOOD))
        if made is None:
            path_key = self._make_cache_key(optimization_level)
            made = _read_intact_cached_object_or_none(path_key) if optimization_level == _QUICK else None
            if made is None:
                _log_compiling_once()
                made = _compile_assembly_to_object(self._translate_part_to_assembly_text(), optimization_level)
                _try_to_cache_object(path_key, made)
        else:
            optimization_level = _GOOD
        engine = _load_object_into_engine(made)
        # code lives as long as its engine, and a thread may still be in the quick form
        self._engines.append(engine)
        self._functions = {
            name: self._make_c_function(engine, name)
            for name in self.part.entries
            if engine.get_function_address(f"entry_{name}")
        }
        self.is_good = optimization_level == _GOOD

    def _make_cache_key(self, optimization_level: int) -> str:
        parts = [
            self.source,
            repr(sorted(self.owner.constants.items())),
            *(t for _, t in self.part.texts),
            _read_translator_source(),
            *_list_machine_code_inputs_besides_source(),
            str(optimization_level),
            " ".join(self.part.entries),
        ]
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
        return f"playproof_{self.part.name}_{digest}"

    def _translate_part_to_assembly_text(self) -> str:
        from playproof.language.machine.translate import SourceCode, translate_functions_to_assembly

        codes = [
            SourceCode.parse_module_text(self.source, "generated", total=True),
            *(SourceCode.parse_module_text(text, name, total=False) for name, text in self.part.texts),
        ]
        codes[0].constants.update(self.owner.constants)
        return translate_functions_to_assembly(
            codes, self.part.entries, self.owner.scratch_cell_count, _get_processor_features()
        )

    def _make_c_function(self, engine: Any, name: str) -> NativeFunction:
        function = self.part.find_python_function_of_entry_or_none(name)
        assert function is not None
        kinds, result = get_parameter_and_result_kinds(function)
        types: list[Any] = []
        for kind in kinds:
            if isinstance(kind, ArrayKind):
                types += [ctypes.c_void_p, *[ctypes.c_int64] * kind.lengths]
            else:
                types.append(_C_TYPES[kind])
        assert not isinstance(result, ArrayKind)
        made = ctypes.CFUNCTYPE(None if result is None else _C_TYPES[result], *types, ctypes.c_void_p)
        return made(engine.get_function_address(f"entry_{name}"))


def _make_argument_appender(kind: Kind) -> Callable[[Any, list[Any]], None]:
    """Return a function that appends a Python value to a call's arguments."""
    if isinstance(kind, ArrayKind):
        dtype, lengths = np.dtype(kind.dtype), kind.lengths

        def array(value: Any, arguments: list[Any]) -> None:
            if value.dtype != dtype or not value.flags.c_contiguous:
                raise TypeError(f"expected a contiguous array of {dtype}, found {value.dtype}")
            arguments.append(value.__array_interface__["data"][0])
            arguments.extend(value.shape[:lengths])

        return array
    if kind == REAL:
        return lambda value, arguments: arguments.append(float(value))
    return lambda value, arguments: arguments.append(int(value))


# -- LLVM -------------------------------------------------------------------------------------------------------


@cache
def _log_compiling_once() -> None:
    """Tell the user, once per process, why they wait."""
    logging.getLogger("playproof").info("compiling the rules; the code is kept in %s", ensure_private_cache_folder())


@cache
def _load_llvm() -> Any:
    """Return llvmlite, initialised for this processor. Register the functions that compiled loops
    may call, wherever the C library lies."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    for name, function in (("memset", ctypes.memset), ("memcpy", ctypes.memmove), ("memmove", ctypes.memmove)):
        binding.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)
    return binding


@cache
def _list_machine_code_inputs_besides_source() -> tuple[str, ...]:
    """Return everything besides its source that machine code depends on."""
    llvm = _load_llvm()
    return (
        platform.machine(),
        platform.system(),
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        ".".join(map(str, llvm.llvm_version_info)),
    )


@cache
def _get_processor_features() -> frozenset[str]:
    """Return the features that this processor has."""
    return frozenset(name for name, has in _load_llvm().get_host_cpu_features().items() if has)


@cache
def _read_translator_source() -> str:
    """Return the translator's own source, so that a changed translator uses another cache entry."""
    from importlib.resources import files

    folder = files("playproof.language.machine")
    return "".join((folder / f"{name}.py").read_text(encoding="utf-8") for name in _TRANSLATOR)


def _make_target_machine(optimization_level: int) -> Any:
    llvm = _load_llvm()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=optimization_level,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def _compile_assembly_to_object(assembly: str, level: int) -> bytes:
    """Compile assembly to the content of an object file."""
    llvm = _load_llvm()
    module = llvm.parse_assembly(assembly)
    target = _make_target_machine(level)
    module.triple, module.data_layout = target.triple, str(target.target_data)
    if level:
        builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=level))
        builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def _load_object_into_engine(content: bytes) -> Any:
    """Return an engine that holds the object's functions."""
    llvm = _load_llvm()
    empty = llvm.parse_assembly("")
    engine = llvm.create_mcjit_compiler(empty, _make_target_machine(_QUICK))
    engine.add_object_file(llvm.ObjectFileRef.from_data(content))
    engine.finalize_object()
    return engine


def _read_intact_cached_object_or_none(key: str) -> bytes | None:
    """Return an object from the cache; a damaged one counts as missing."""
    try:
        content = (ensure_private_cache_folder() / f"{key}.o").read_bytes()
    except OSError:
        return None
    digest, made = content[:32], content[32:]
    return made if hashlib.sha256(made).digest() == digest else None


def _try_to_cache_object(key: str, object_bytes: bytes) -> None:
    """Store an object in the cache; do nothing if the cache cannot be written."""
    try:
        write_file_atomically(
            ensure_private_cache_folder() / f"{key}.o", hashlib.sha256(object_bytes).digest() + object_bytes
        )
    except OSError:
        return
