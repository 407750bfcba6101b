"""The text that is put back, from items to what goes out.

The story stands here:

    completed_items    items with what other items and the newest outputs say of them, before a line tells them
    common_rows        items without the rows that many outputs have
    compose            what stands in which section
    parts              what goes out: with pins and what is true now, in one part or two
    unshown_steps      the steps that no line is about
    by_hand            what was saved of a session, shown and brought in by hand
    for_person         what the person is told of the text; recall_hints: what it says to the model of recall

Its sub-rooms, each with a map of its own, in an order in which each imports only those before it:

    wording    how a line is put, and whether the summary has it already
    lines      the lines of each section
    choice     which lines come back, where not all have room

The first line of each module says what it knows.
"""
