"""What was said: by the person as it was typed, by the agent as it is needed to understand that.

    conversation    messages: what the person typed, each with what it answers; picks: the offered line that a letter
                    or number picks; dialogs: questions, plans, refusals, and what was typed in one, as no option is
    own words       pasted: which lines are the person's own -> sentences, and as the patterns see them
    rules           rules: rule_markers make one, revocations end it
    one message     binding: whether it forbids or bounds something; assent: whether it only agrees,
                    answers or goes on

Nothing makes a rule but what a person typed.
"""
