"""The plugin's own commands, as a person types them at the prompt: /compact-keeper:pin, :show and so on.

    answering          which command a prompt is, and how its answer reaches the person and the model
    how_typed          how commands begin here, and what stands behind one
    pinning, showing, setting_up    the answers, a function for each command

What takes more than a look at our own files is done by another script, which is started and waited for.
"""
