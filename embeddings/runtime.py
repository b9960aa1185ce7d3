"""onnxruntime and tokenizers as every model here uses them: imported late, without telemetry, on fixed threads."""

from __future__ import annotations

import os
import threading
from typing import Any

from vademecum.errors import ModelUnavailable

__all__ = ["failures", "libraries", "options"]

_import_lock = threading.Lock()


def libraries() -> tuple[Any, Any]:
    """onnxruntime and tokenizers, which take about 0.2 s to import and are wanted by few commands.

    onnxruntime's packages collect telemetry: as soon as it is imported it keeps a database of events in the person's
    cache folder, to be sent to its vendor. The variable prevents that; the call, what a host's own import has begun.
    """
    with _import_lock:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            raise ModelUnavailable(
                f"{error.name} cannot be imported ({error}). Install vademecum again; "
                "until then recall answers from text."
            ) from error
        onnxruntime.disable_telemetry_events()
    return onnxruntime, tokenizers


def failures(runtime: Any) -> tuple[type[Exception], ...]:
    """What onnxruntime raises for a model it cannot load or run; the classes have no base of their own."""
    state = runtime.capi.onnxruntime_pybind11_state
    names = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NoModel", "NoSuchFile")
    return (*(getattr(state, name) for name in names), state.NotImplemented, state.RuntimeException)


def options(runtime: Any) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # An arena keeps the largest shape ever seen for as long as the process lives.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 4  # what goes wrong is raised; nothing belongs on the terminal
    return options
