"""Sessions of ONNX Runtime, opened with care: graphs may be untrusted."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy.typing as npt

from innermost.errors import InnermostError, InnermostWarning, ModelError, ResourceError
from innermost.forking import reset_in_children
from innermost.model_folder.graph_check import LARGEST_FILE, check_graph
from innermost.model_folder.manifest import read_file
from innermost.model_folder.plain_files import damaged
from innermost.runtime.devices import Device, check_provider, execution_providers
from innermost.runtime.limits import limited

# From 1.29 on, ONNX Runtime sends telemetry and writes an identifier to the user's cache; it reads
# this variable on first import. Set it to 0 to allow that.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

Array = npt.NDArray[Any]

SECONDS_TO_START, SECONDS_FOR_ONE = 300.0, 60.0
"""To create a session, and to run it on the smallest input for the first time."""
MEMORY_FOR_ONE = 4 << 30
"""The memory that the first run, on a single token, may add to the process."""
MOST_UNITS = 65_536
"""A limit for layers and vector sizes."""
_CONFIGURATION = {
    # Threads that spin between steps take CPU time from everything else on the machine.
    "session.intra_op.allow_spinning": "0",
    # Never a format other than the one that was checked.
    "session.load_model_format": "ONNX",
    # Constant folding happens before the first run, so its limits would not apply.
    "optimization.constant_folding_max_output_size_in_bytes": str(1 << 20),
}
_BOUNDED_FOLDING = (1, 28)
"""The first version of ONNX Runtime known to limit constant folding."""
_EXTERNAL_DATA = "session.model_external_initializers_file_folder_path"
_NOT_ENOUGH = re.compile(
    r"bad_alloc|bad allocation|failed to allocate|out of memory|cannot allocate"
    r"|resource temporarily unavailable|pthread_create",
    re.IGNORECASE,
)
_abandoned: list[Any] = []


class Session:
    """A network. Its errors are errors of the model or of the machine."""

    def __init__(self, graph: bytes, path: Path, threads: int, device: Device = "cpu") -> None:
        self._graph, self.path, self._threads, self._device = graph, path, threads, device
        structure = check_graph(graph, path)
        self._inputs = {value.name: value.shape for value in structure.inputs}
        self._outputs = {value.name for value in structure.outputs}
        if device != "cpu" and any(operator.domain for operator in structure.operators):
            warnings.warn(
                f"{path} is quantized to int8, which runs on the CPU; for a GPU, export the model "
                "without --int8",
                InnermostWarning,
                stacklevel=2,
            )
        self._session = _start(self._graph, path, threads, device)
        self._running: set[int] = set()
        reset_in_children(self)

    def with_threads(self, threads: int) -> Session:
        """The same network with another number of threads, which has no effect on a GPU."""
        if threads == self._threads or self._device != "cpu":
            return self
        return Session(self._graph, self.path, threads)

    def check_names(self, inputs: set[str], outputs: set[str], kind: str) -> None:
        if set(self._inputs) != inputs or self._outputs != outputs:
            raise damaged(self.path, f"it is not {kind} of innermost")

    def size(self, name: str, axis: int) -> int:
        """A fixed size of an input."""
        shape = self._inputs[name] or ()
        size = shape[axis] if axis < len(shape) else None
        if not isinstance(size, int) or not 1 <= size <= MOST_UNITS:
            raise damaged(self.path, f"{name} has the shape {shape}")
        return size

    def run(self, outputs: Sequence[str], feed: Mapping[str, Array]) -> list[Array]:
        return self._run(outputs, feed, None)

    def first_run(self, outputs: Sequence[str], feed: Mapping[str, Array]) -> list[Array]:
        """A run on the smallest input, limited in time and memory."""
        import onnxruntime

        options = onnxruntime.RunOptions()

        def stop() -> None:
            options.terminate = True

        with limited(stop, SECONDS_FOR_ONE, MEMORY_FOR_ONE) as limits:
            try:
                return self._run(outputs, feed, options)
            except ModelError:
                if limits.exceeded:
                    raise _too_much(self.path, limits.exceeded) from None
                raise

    def reset_after_fork(self) -> None:
        """A network that was running in a thread is unusable in the child, and cannot be closed."""
        if self._running:
            _abandoned.append(self._session)
            self._session = _start(self._graph, self.path, self._threads, self._device)
            self._running = set()

    def _run(self, outputs: Sequence[str], feed: Mapping[str, Array], options: Any) -> list[Array]:
        thread = get_ident()
        self._running.add(thread)
        try:
            arrays: list[Array] = self._session.run(outputs, feed, options)
        except Exception as error:  # ONNX Runtime's errors share no base class.
            raise _explained(self.path, error) from None
        finally:
            self._running.discard(thread)
        return arrays


def open_session(path: Path, threads: int, device: Device = "cpu") -> Session:
    return Session(read_file(path, LARGEST_FILE), path, threads, device)


def _start(graph: bytes, path: Path, threads: int, device: Device) -> Any:
    import onnxruntime

    providers = execution_providers(device)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Every batch has another shape, so cached memory patterns would never match.
    options.enable_mem_pattern = False
    for name, value in _CONFIGURATION.items():
        options.add_session_config_entry(name, value)
    # A second safeguard: external data is searched for below a file, where nothing can be.
    options.add_session_config_entry(_EXTERNAL_DATA, str(path.absolute()))
    with limited(lambda: options.set_load_cancellation_flag(True), SECONDS_TO_START) as limits:
        try:
            session = onnxruntime.InferenceSession(
                graph, options, providers=providers, disabled_optimizers=unbounded_optimizers()
            )
        except Exception as error:
            if limits.exceeded:
                raise _too_much(path, limits.exceeded) from None
            raise _explained(path, error) from None
    check_provider(session, device)
    return session


def unbounded_optimizers() -> list[str]:
    """Those that would compute without limits before the first run."""
    import onnxruntime

    major, minor = onnxruntime.__version__.split(".")[:2]
    return [] if (int(major), int(minor)) >= _BOUNDED_FOLDING else ["ConstantFolding"]


def _explained(path: Path, error: Exception) -> InnermostError:
    message = (str(error).strip() or type(error).__name__).splitlines()[0]
    if isinstance(error, MemoryError) or _NOT_ENOUGH.search(str(error)):
        return ResourceError(
            f"there is not enough memory, or there are too many threads, to run {path}: {message}",
            hint="use fewer threads, shorter texts or smaller batches",
        )
    return damaged(path, message)


def _too_much(path: Path, reason: str) -> ModelError:
    return ModelError(f"{path} is refused: {reason} to read one token")
