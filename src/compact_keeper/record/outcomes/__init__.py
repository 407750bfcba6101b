"""How a command ended, by what it printed: the one vocabulary of results.

    the answer      outcome, of an ended_command: verdicts: whether its checks passed; pipe_filters: what a pipe lets
                    through; git_output: what git says; package_audit: what `npm audit` counted; shown_line: what is
                    shown of it
    many checks     divided_output: how each of a line's checks ended
    more            doubtful_ends; lacks: programs that are not there; mended: the form that worked after all

What runners print is read in runner_output/. An exit code counts only where it is the check's own. A line of several
checks has one outcome here, where its output could not be divided; what that says of each of them: checks/runs.
"""
