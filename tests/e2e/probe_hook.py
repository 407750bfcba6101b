"""The hook of the plugin that client_profile.py makes: notes when it was given what, and answers as it is told to.

answers.json beside it has what to print for each event, and the exit code; @ stands for the event and what it is about.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

BESIDE = Path(__file__).parent
given = json.load(sys.stdin)
name = given["hook_event_name"]
about = next((given[field] for field in ("source", "trigger", "reason", "tool_name") if given.get(field)), "")
event = f"{name} {about}".strip()
variables = sorted(variable for variable in os.environ if variable.startswith("CLAUDE"))
noted = {"at": time.time(), "event": event, "given": given, "variables": variables}
with (BESIDE / "noted.jsonl").open("a", encoding="utf-8") as file:
    file.write(json.dumps(noted) + "\n")
words, code = json.loads((BESIDE / "answers.json").read_text(encoding="utf-8")).get(name, ("", 0))
sys.stdout.buffer.write(words.replace("@", event).encode())
sys.exit(code)
