"""How a line is put, and whether it need be put at all.

    phrases       moments, code, quoted words, paths
    from_root     commands, results and files in short, as seen from the session's first folder
    joined_rows   rows of an output that begin alike, as one
    tagged        the tag behind a line that shows less than there is, by which recall prints the step
    in_summary    whether the summary holds what a line says; quoted: whether it holds a person's words

It knows no section and no budget.
"""
