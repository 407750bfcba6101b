"""What happened in a session: from its entries to items, and what follows from the items for certain.

The story stands here: session, read on -> extract: the items of each entry -> merge: one item for each thing; beside it
gate: whether a compaction is held, and memory_figures. items: what an item is; endings: those of commands.

Its sub-rooms, each with a map of its own, in an order in which each imports only those before it:

    commands       a command line by its words alone: its checks, whether it only looks, what it leaves behind
    words          what was said: messages, dialogs; which lines are the person's own; rules and what revokes them
    outputs        what is kept of outputs: telling rows, hits of searches, what was made outside of the tree
    runner_output  what runners print of how a run ended: the table of known rows, and what they say
    outcomes       how a command ended, by what it printed: verdicts
    calls          what calls are as items: actions and looks, subagents' reports, tasks, jobs
    git            what the session's commands did with git: events, stashes, what is not committed
    checks         which checks were run: the last runs, which failures stay open, what was edited since
    summary        what a compaction's summary says, beside all of this: claims, comparisons

The first line of each module says what it knows.
"""
