"""What the archive holds of a turn."""

from __future__ import annotations

KINDS = ("prompt", "answer", "command", "file", "error", "decision")  # of a turn's texts, a column each
WEIGHTS = "6.0, 2.0, 1.0, 0.5, 1.0, 3.0"  # of these columns in BM25
# Of where reading goes on: not kept of what stays out or is forgotten.
NAMING = ("project", "session", "branch", "question")
