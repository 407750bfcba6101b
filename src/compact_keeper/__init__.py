"""What the scripts are built from: rooms of small modules, each of which knows one thing.

A room imports only rooms before it: types, text, store, client, machine, record; then recap, audit, notes, archive,
figures, setup and own_commands, which do not know each other; then the entries beside this package (a test holds that).
"""
