"""recall: all that was ever said and done in the sessions of this machine, to be found again.

    the command        commands: each of recall.py's; mcp: the same for an agent; first_prompt: what the hook looks up
    taking in          indexing: which transcripts, from where on -> turns -> steps; kinds of their texts; progress
    what is kept       database: this machine's archive, filled and emptied -> local_archive: what is asked
                       of it; postgres: the archive of several machines, which answers as that does, by its
                       server_queries and lexemes; pushing: what it is filled with from here
    finding            search: here or on the server -> question: the best rows -> passages: their best steps
    showing            shown_turns: what a reference names, by pages; later_edits: whose file was edited again
    words              index_words: as they are indexed and looked for; wording: how hits and turns are shown

The first line of each module says what it knows.
"""
