"""What happened in a session: from its entries to items, and what follows from the items for certain.

    the story         session: read on -> extract: items of each entry -> merge: one item for each thing
    words             messages, pasted, sentences, rules, rule_markers, revocations, binding_words, dialogs,
                      names
    work              actions: each kind of call; command_actions, call_parts, reports, tickets, jobs, detached,
                      written_files
    tasks             tasks, open_tasks
    a command         shell: its words -> commands: its checks (check_programs, check_breadth) or looking_commands
    how it ended      outcomes; ended_command, verdicts, pipe_filters, git_outcome, outcome_lines, doubtful_ends
    of several checks divided_output
    its output        outputs, output_rows: the table; output_row_lookup, failure_lines, total_counts, telling_rows
    kept of outputs   newest_outputs, search_output, output_evidence, made_things
    runs of checks    results -> check_runs -> runs; run_breadth, checked_files, unchecked_edits
    git               git_calls -> git_events -> git_ledger; git_state, stashes, uncommitted_files
    to go on with     task_runners, made_outside_tree, sweeps, named_hits (code_hits), mended, lacks, own_edits
    the summary       statements, claims -> task_claims, check_claims, git_claims, file_claims -> comparisons
    of a memory       memory_figures
    now               present, gate

The first line of each module says what it knows.
"""
