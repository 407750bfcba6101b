"""A command line, by its words alone: what it runs, looks at, writes and leaves behind.

    programs      programs, program_languages: of which kind and language each is; a new one is taught there
    its words     shell: its commands, their words, the program that each starts; seen_from_folder: where it ran;
                  inline_code: the code that it holds
    kinds         looking: whether it only looks -> checks_in_line: its checks, or its other kind
    checks        check_programs: which commands are checks; check_breadth: what their options and targets leave out
    effects       written_files, removed_paths, machine_setup, detached: what runs on behind it, and what it stops;
                  service_commands: the same of what managers run

What it printed and how it ended is not asked here: see outcomes/.
"""
