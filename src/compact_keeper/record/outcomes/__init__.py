"""How a command ended, by what it printed: the one vocabulary of results.

    the answer      outcome, of an ended_command: verdicts: whether its checks passed; pipe_filters: what a pipe lets
                    through; not_started: programs, tasks, folders that are not there; git_output: what git says;
                    package_audit: what `npm audit` counted; shown_line: what is shown of it
    many checks     check_ends: how each of a line's checks ended
    more            doubtful_ends; own_kill; lacks: programs that are not there; mended: the form that worked after all;
                    worked_later: the same command behind something else; asked_again: the same question beside others

What runners print is read in runner_output/. An exit code counts only where it is the check's own. A line of several
checks has one outcome, and an end of each check where these are not all the same.
"""
