"""The note on a compaction's summary. What is compared is record/summary's.

disk               what the disk says now of what the summary names
note               the findings as the model reads them, and how many there are of each
"""
