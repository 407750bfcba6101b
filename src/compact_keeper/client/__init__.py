"""What Claude Code gives and takes.

    hooks            hook: input, answer, end; hand_over: what waits for the model; processes, other_scripts: what is
                     started
    what a session   transcript, blocks: a record and its parts; entries: the one reader -> new_records: which lines are
    tells            parsed, prompt_queue: what is sent while the agent works, call_arguments, changed_lines of an edit,
                     saved_outputs, call_output: the client's own words in an output; ledger_reading; tools,
                     editor_calls, wordless
    which session    project: folders; threads, thread_order, fork, unfinished; last_answer: whether the turn's
                     stands in the transcript; catch_up: its snapshot as of now
    compactions      compactions: which came, which failed; receipt: whether the text was kept; late_summary
    the context      tokens; users_settings: what the person has set
    the plugin       plugin_list
    the person       asking

The first line of each module says what it knows.
"""
