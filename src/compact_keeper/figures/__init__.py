"""Figures of sessions, as people see them.

    counted       sessions: which there are; counting: what their events tell -> totals; compactions,
                  course: of one session; disk_use; coming_back: what would come back now
    in words      terminal; status_words: of the status line; kind_words
    live          watch -> frame
    as pages      report -> session_page, of page_parts, page_style and chart
    taken away    reset

Nothing here changes what is put back.
"""
