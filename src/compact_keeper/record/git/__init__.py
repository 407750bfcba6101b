"""What the session's commands did with git, as they and their outputs show it; git itself is asked in machine/.

    parsed_calls -> events: each commit, push, branch, merge, pull request -> marked_events: what they come to
    what they take in   taken_in: which files a command may put into a commit; added_files: which it did
    what they leave     state: of branches and commits; stashes; uncommitted: edited files that are in no
                            commit; taken_back: edits that a checkout, reset or stash took back

All of it is from what git printed, or from a command that ended well.
"""
