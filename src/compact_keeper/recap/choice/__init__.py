"""Which lines come back, where not all have room.

    sections          their headings, their order, their shares of the budget
    beside_summary    what the summary says already, and how needed the rest is
    chosen_lines      which lines have room, and which of them their longer form
    steps             which of what was done and said: by ranking, of the pieces that pieces makes of lines

What the lines say is not changed here.
"""
