"""The one exception of ours."""

from __future__ import annotations


class Refusal(Exception):
    """Says why an input or a file is not used."""
