"""What a compaction's summary says, beside what the record, git and the disk know.

statements: what it says of now, piece by piece; claims: of which thing a statement claims which state; task_claims,
check_claims, git_claims, file_claims: the claims that are known otherwise; comparisons: all of them, and what the
summary leaves out.
"""
