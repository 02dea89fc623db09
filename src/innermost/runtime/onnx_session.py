"""The network between features and emissions, run by ONNX Runtime."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from innermost.arrays import Floats, Ints
from innermost.model_folder.graph_check import LARGEST_FILE, check_graph
from innermost.model_folder.manifest import read_file
from innermost.model_folder.plain_files import damaged

# From 1.29 on ONNX Runtime reports to its makers and writes an identifier to the user's cache; it
# looks at this variable when it is first imported. Whoever wants that can set it to 0.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
_EXTERNAL_DATA = "session.model_external_initializers_file_folder_path"


class Encoder:
    """``features [token, sentence, feature]`` to ``emissions [sentence, type, token, 5]``."""

    def __init__(self, path: Path, features: int, types: int, threads: int) -> None:
        self._path, self._graph, self._threads = path, read_graph(path), threads
        # A single sentence is a long chain of small steps: to share each of them out among threads
        # takes longer than it saves, much longer where other programs use the CPUs too.
        self._for_one = start_session(self._graph, path, 1)
        self._check(path, features, types)

    def __call__(self, features: Floats, lengths: Ints) -> Floats:
        session = self._for_one if len(lengths) == 1 else self._for_many
        feed = {"features": features, "lengths": lengths.astype(np.int32)}
        emissions: Floats = session.run(["emissions"], feed)[0]
        return emissions

    @cached_property
    def _for_many(self) -> Any:
        if self._threads == 1:
            return self._for_one
        return start_session(self._graph, self._path, self._threads)

    def _check(self, path: Path, features: int, types: int) -> None:
        inputs = {value.name: value.shape for value in self._for_one.get_inputs()}
        outputs = {value.name: value.shape for value in self._for_one.get_outputs()}
        if set(inputs) != {"features", "lengths"} or set(outputs) != {"emissions"}:
            raise damaged(path, "it is not an encoder of innermost")
        if inputs["features"][2] != features or outputs["emissions"][1] != types:
            raise damaged(
                path,
                f"it reads {inputs['features'][2]} features and knows "
                f"{outputs['emissions'][1]} types, not {features} and {types} as the other files",
            )


def open_session(path: Path, threads: int) -> Any:
    """A network, ready to run."""
    return start_session(read_graph(path), path, threads)


def read_graph(path: Path) -> bytes:
    return read_file(path, LARGEST_FILE)


def start_session(graph: bytes, path: Path, threads: int) -> Any:
    """A network that was read from ``path``, ready to run."""
    import onnxruntime

    check_graph(graph, path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Every batch has another shape, so remembered memory patterns never fit again.
    options.enable_mem_pattern = False
    # Threads that spin between two steps take the CPU from everything else on the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Never another format than the one that was checked, and a second lock: external data would be
    # looked for below a file, where nothing can be.
    options.add_session_config_entry("session.load_model_format", "ONNX")
    options.add_session_config_entry(_EXTERNAL_DATA, str(path.absolute()))
    try:
        return onnxruntime.InferenceSession(graph, options, providers=_providers())
    except Exception as error:  # ONNX Runtime's own have no common base class
        raise damaged(path, str(error).splitlines()[0]) from None


def default_threads() -> int:
    """The CPUs that this process may use."""
    affinity: Any = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _providers() -> list[str]:
    import onnxruntime

    wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
    return [name for name in wanted if name in onnxruntime.get_available_providers()]
