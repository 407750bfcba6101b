"""What the agent's calls are as items: actions and looks, tasks, jobs.

    actions     actions: each tool's; command_actions: a shell's, and the check that a Stop hook ran; parts: what
                both share; reports: of subagents; refused_calls; tickets
    tasks       numbered_tasks: of the client; checklists; open_tasks: which of them count as open
    jobs        jobs: what runs on; background_ends: how it ended, by its output that was read later; services: what
                their managers were left with

What the calls come to, all together, is said by git/ and checks/.
"""
