"""What a compaction's summary says, beside what the record, git and the disk know.

statements: its sentences, and what of one is quoted; claims: of which thing they claim which state; task_claims,
check_claims, git_claims, file_claims: those that are known otherwise; comparisons: all of them, and what the summary
leaves out.
"""
