"""Our data folder, and nothing else: where each file lies, and how it is written and read.

    any file           folder: where, and how one is written; disk: how large, its ends; json_files, json_lines;
                       removal
    all sessions       settings, events, log; retention: what grows old
    a session          memory, snapshot, compaction, summary, ledger, history, backup
    what waits there   note, rest, untold, unasked: until an event carries it to the model
    the person's own   pins
    taking turns       session_lock, session_marks
    what goes wrong    refusal: the one exception; attempt: parts of which none may cost the others

The first line of each module says what it knows.
"""
