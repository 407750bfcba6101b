"""Scripts with few spaces or none: Thai, Lao, Khmer, Chinese, Japanese; Korean, whose words take others on."""

from __future__ import annotations

import re

DENSE = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"  # within brackets of a pattern


def is_dense(text: str) -> bool:
    """Whether a text has letters of such a script."""
    return re.search(f"[{DENSE}]", text) is not None


def dense_pairs(text: str) -> set[str]:
    """The pairs of neighbours in each run of such letters: what stands there in the place of words."""
    if text.isascii():
        return set()
    return {run[at:at + 2] for run in re.findall(f"[{DENSE}]{{2,}}", text) for at in range(len(run) - 1)}
