"""What is kept of the outputs of calls, and what those lines tell later.

    rows that are kept     plain_rows: without what says nothing -> diff_rows: of a diff what it changed;
                           telling_rows: those that tell the end; printed_rows: some of the others; newest: nearly all;
                           files_read: short files whole
    searches               search_hits -> code_hits: a hit taken apart -> named_hits: where the next step's names stand;
                           sweeps: hits that no edit covered, of a name that was changed in some of the files
    needed much later      evidence: what a task runner's names stand for, what was made;
                           made_things: in a tracker or forge -> made_outside_tree;
                           gone_files: written ones that a later listing lacks

Rows are chosen by their form when they come by: nobody knows then what the next step will ask for.
"""
