"""What is true on this machine now, told within a bounded time.

    git          repository: by its files alone; git_now: as git tells it -> git_program: how it is started,
                 git_settings, git_answers: what it means
    processes    running_processes
    both         present: of a snapshot

No repository makes git run anything here.
"""
