"""The network between features and emissions, run by ONNX Runtime."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.runtime.model_files import damaged

Floats = npt.NDArray[np.float32]


class Encoder:
    """``features [token, sentence, feature]`` to ``emissions [sentence, type, token, 5]``."""

    def __init__(self, path: Path, features: int, types: int, threads: int) -> None:
        self._session = open_session(path, threads)
        # A single sentence is a long chain of small steps: to share each of them out among threads
        # takes longer than it saves, much longer where other programs use the CPUs too.
        self._session_of_one = open_session(path, 1) if threads > 1 else self._session
        self._check(path, features, types)

    def __call__(self, features: Floats, lengths: npt.NDArray[np.int64]) -> Floats:
        session = self._session_of_one if len(lengths) == 1 else self._session
        feed = {"features": features, "lengths": lengths.astype(np.int32)}
        emissions: Floats = session.run(["emissions"], feed)[0]
        return emissions

    def _check(self, path: Path, features: int, types: int) -> None:
        inputs = {value.name: value.shape for value in self._session.get_inputs()}
        outputs = {value.name: value.shape for value in self._session.get_outputs()}
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
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Every batch has another shape, so remembered memory patterns never fit again.
    options.enable_mem_pattern = False
    # Threads that spin between two steps take the CPU from everything else on the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(path.read_bytes(), options, providers=_providers())
    except OSError as error:
        raise damaged(path, error) from None
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
