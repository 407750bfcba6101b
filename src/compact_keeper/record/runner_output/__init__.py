"""What test runners, builds and linters print of how a run ended, line by line.

    the lines      known_rows: the table of those that tell something -> row_lookup: which of them may fit a line
    what they say  reading: totals, what failed, why, with failure_lines: those near a failure; total_counts

Whether the run passed is said in outcomes/, which knows the command and its exit code too.
"""
