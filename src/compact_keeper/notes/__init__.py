"""A session's notes for people.

    the page         page: the whole of it -> requests: what was asked, changed_files, wording
    what happened    log: a line each, kept in memory.json from save to save

No save reads the page again.
"""
