"""How a line is put, and whether it need be put at all.

    phrases       moments, code, a person's words in short
    paths         as seen from the folder that the session works in now; commands: without the way there
    stated        what lines tell of steps, so that no other line says it again
    joined_rows   rows of an output that begin alike, as one
    tagged        the tag behind a line that shows less than there is, by which recall prints the step
    in_summary    whether the summary holds what a line says; quoted: whether it holds a person's words

It knows no section and no budget.
"""
