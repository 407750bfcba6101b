"""What a compaction's summary says, beside what the record, git and the disk know.

statements: its lines; claims: of which thing they claim which state; sentences: what of a line is quoted; task_claims,
check_claims, git_claims, file_claims: those that the record knows otherwise; comparisons: all of them, and what the
summary leaves out.
"""
