"""Strings in, strings out.

    safe to keep    sanitize, redact with secret_patterns and named_secrets; quotation: both, on one line
    length          length: what fits; ends: both ends, the last part; rows_again: each once
    names           names: of code; paths; tags: of steps; fields: of JSON objects; dense: scripts without spaces
    words for       marks: quotes and code; fences; hints; kind_words, listing, sizes, times; version
    of outputs      telling: the line that says what went wrong, powershell: an error's rows; holding: whether one of
                    several parts stands there

The first line of each module says what it knows.
"""
