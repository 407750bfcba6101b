"""The version of the plugin that a script came with."""

from __future__ import annotations

VERSION = "0.27.0"
