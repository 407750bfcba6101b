"""What a compaction's summary says, beside what the record, git and the disk know.

    statements: its sentences -> claims: of which thing they claim which state
        -> task_claims, check_claims, git_claims, file_claims: those that the record knows otherwise
    comparisons: all of them, and what the summary leaves out

A claim counts where its clause has one of the shapes that are certain; the rest is left alone.
"""
