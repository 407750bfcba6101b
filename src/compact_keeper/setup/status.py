"""What `install.py status` says: what is installed where, what it last did, where the data are."""

from __future__ import annotations

import os
import time

from compact_keeper.setup.copy_faults import copies_warnings, differing_copies, outdated, shown_version
from compact_keeper.setup.installed import copies
from compact_keeper.setup.reading import fault_in_settings
from compact_keeper.setup.status_line_setting import status_line_words
from compact_keeper.setup.target import settings_files
from compact_keeper.store.disk import size_below
from compact_keeper.store.events import newest_events
from compact_keeper.store.folder import data_home
from compact_keeper.text.fields import text_of
from compact_keeper.text.times import age_in_words

NEWEST_EVENTS_BYTES = 1 << 20  # of events.jsonl and of the file before it: there the last save and restore stand


def tell_status(project: str) -> None:
    """Prints what is installed for a session in this folder, what it last did, and where the data are."""
    installed = copies(project)
    print(f"Installed for sessions in {project}:")
    for copy in installed:
        print(f"  {copy.how}, {shown_version(copy)}{'' if copy.active else ', switched off'}: {copy.path}")
    if not installed:
        print("  nothing; `install.py install` copies it for this user, with --project into this project")
    faults = filter(None, map(fault_in_settings, settings_files(project)))
    advice = (f"{what[:1].upper()}{what[1:]}.\n  {to_do}"
              for what, to_do in (*differing_copies(installed), *outdated(installed)))
    for line in (*copies_warnings(installed), *advice, *faults):
        print(line)
    print("Status line: " + "; ".join(filter(None, status_line_words(project))))
    events = {text_of(event, "event"): event for event in newest_events(NEWEST_EVENTS_BYTES)}
    for name, label in (("save", "Last save"), ("restore", "Last put back")):
        event = events.get(name)
        when = f"{age_in_words(time.time() - event['time'])} ago, session {event['session']}" if event else "never"
        print(f"{label}: {when}")
    home = data_home()
    megabytes = size_below(os.path.realpath(home)) / 1e6
    print(f"Data: {home}, {megabytes:.1f} MB" if os.path.isdir(home) else f"Data: none yet in {home}")
