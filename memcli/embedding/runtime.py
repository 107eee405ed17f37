"""Runtime: onnxruntime with its telemetry turned off; the only module through which memcli imports it.

From 1.29 on its official Linux and macOS builds report to Microsoft what runs on them, by default: they keep
a device id and a queue under `~/.cache` and upload it. `ORT_DISABLE_TELEMETRY`, set before the library is
initialised, is their full opt-out (microsoft/onnxruntime#27379); on Windows, where the system collects, the
call below is.
"""

from __future__ import annotations

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime

onnxruntime.disable_telemetry_events()

__all__ = ["onnxruntime"]
