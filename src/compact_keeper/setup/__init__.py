"""install.py: putting compact-keeper into a configuration folder and taking it out, what is there, whether it works.

    where              target: the folder that install.py runs from, the configuration folder; reading: its files
    what goes in       bundle: hooks, scripts and skills; manifest: what went in, by which exactly that comes out again
    how files change   file_steps: each in one step -> settings_steps: the settings, with a copy as they were before
    texts that are     edit_settings: hooks in a settings.json, status_line_text: the status line there, both of
    edited             json_text: offsets in it; instructions: the section in a CLAUDE.md
    what goes at last  our_data: what was remembered; leftovers: what the client leaves of an uninstalled plugin
    what is there      installed: each copy that a session has -> plugin_folder: which folder the client runs;
                       copy_faults: what stands in their way; status: all in words; status_line_setting: whose status
                       line it is
    the doctor         doctor: the order of what is tried -> played_session: a compaction, played by the hooks;
                       interpreter: the Python they get; data_findings: data, settings, log; finding: what is told

The order of a command's steps stands in install.py itself.
"""
