"""Hours that pass without waiting: all that lies in a folder grows older."""

from __future__ import annotations

import calendar
import os
import re
import time
from pathlib import Path

MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")  # as transcripts and ledgers write it, UTC
SECONDS = re.compile(rb'("(?:time|created|ended)": ?)(1\d{9})(?=[.,}])')  # in our stores
FORM = "%Y-%m-%dT%H:%M:%S"


def elapse(folder: Path, seconds: float) -> None:
    """Makes each JSON file below the folder older by so many seconds: the moments that stand in it, and its times."""
    def earlier(match: re.Match[bytes]) -> bytes:
        moment = calendar.timegm(time.strptime(match[0].decode(), FORM)) - seconds
        return time.strftime(FORM, time.gmtime(moment)).encode()

    for path in [path for path in folder.rglob("*.json*") if path.is_file()]:
        raw, about = path.read_bytes(), path.stat()
        aged = SECONDS.sub(lambda match: match[1] + b"%d" % (int(match[2]) - seconds), MOMENT.sub(earlier, raw))
        with path.open("r+b") as file:  # the file stays the same one, and each line where it is
            file.write(aged)
        os.utime(path, (about.st_atime - seconds, about.st_mtime - seconds))
