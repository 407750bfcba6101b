"""Which checks were run, and what their runs come to.

    of checks      runs: of each check in each line, with a verdict of its own -> last_runs: which failures stay open,
                   what was edited since
    for them       standing_for: whether a run stands for another one; checked_files: which files a check looks at
    of no check    unchecked_edits: sources that nothing could have checked; broken_runs: own programs, a push

How a command line and each of its checks ended is said in outcomes/.
"""
