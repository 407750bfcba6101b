"""The text that is put back, from items to what goes out.

Where to look:

    block.py            what goes out: with pins and what is true now, in one part or two
    compose.py          what stands in which section; then header.py, choice.py, the headings
    sections.py         the sections' headings, their order, their shares of the budget
    choice.py           which lines have room, and which of them their longer form
    steps.py            which of what was done and said: by ranking.py, of the pieces that pieces.py makes of lines
    completed_items.py  items with what other items and the newest outputs say of them, before a line tells them

The lines of each section:

    pins, rules, the person's words     thread.py
    where it ended                      where_it_ended.py
    plans and orders                    plans.py
    tasks, and what runs                task_list.py, job_lines.py
    working folder and repository       working_folder.py, of repository.py (now) and git_lines.py (what was done)
    checks                              checks.py
    earlier steps                       work.py, of edits.py, orders.py, looks.py, same_forms.py
    what was said among them            remarks.py, of said_sentences.py
    also on record                      also_on_record.py, command_forms.py

What all of them use: wording.py, from_root.py, tagged.py. What the summary has already: beside_summary.py, quoted.py.
What the person and the model are told of the text: for_person.py, recall_hints.py.
"""
