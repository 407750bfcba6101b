"""The lines of each section, from items: what can be said, before anyone asks whether there is room.

    the first line                      header
    pins and rules                      pins_and_rules
    the person's messages               typed_words, with answered_words (what they answer), dialog_answers, rejections
                                        and offered_ways
    where it ended                      where_it_ended
    plans and orders                    plans, of plan_rows and wanted_parts
    tasks, and what runs                task_list, jobs
    working folder and repository       working_folder, of repository (now), git (done) and git_status (said)
    checks                              checks
    earlier steps                       work (and which steps have no line), of changed_files, orders, looks, same_forms
    what was typed before steps         turns
    what was changed in files           changed_files, of edits and shared_rows
    what was said among them            remarks, of said_sentences, statements, announcements
    also on record                      also_on_record, command_forms, refused_calls

Which line stands in which section is said in compose.py.
"""
