"""Lines of evidence: what searches, listings and the agent's own words hold beyond the order of the work."""

from __future__ import annotations

from collections.abc import Iterator

from compact_keeper.recap.runs import form_lines
from compact_keeper.recap.wording import Paths
from compact_keeper.record.evidence import (
    agent_lines,
    definitions,
    evidence_by_name,
    expected_and_actual_lines,
    hits_by_name,
    import_aliases,
    made_outside_tree,
    no_matches,
    offers,
    runner_commands,
    uncovered_hits,
)
from compact_keeper.record.names import names_of, next_part
from compact_keeper.text.fields import text_of
from compact_keeper.types import Line, Record


def evidence_lines_of(snapshot: Record, paths: Paths) -> Iterator[Line]:
    """The lines, those that helped readers most first: work lists, forms that work, what was made, offers, names."""
    items, summary = snapshot["items"], text_of(snapshot, "summary")
    typed = [item["text"] for item in items if item["kind"] == "message" and item.get("via") != "teammate"]
    last_words = text_of(snapshot["state"], "last_words")
    of_next_step = ("\n".join(typed[-1:]), next_part(summary), last_words)
    names = list(dict.fromkeys(name for text in of_next_step for name in names_of(text)))
    known = f"{summary}\n{last_words}"
    actions = [item for item in items if item["kind"] == "action"]
    for text in form_lines(actions, text_of(snapshot["state"], "root")):
        yield {"items": [], "text": text}
    for lines in (uncovered_hits(items), made_outside_tree(items), expected_and_actual_lines(items),
                  runner_commands(items), offers(items), hits_by_name(items, names, summary), no_matches(items),
                  agent_lines(items, known), import_aliases(items), evidence_by_name(items, names, known),
                  definitions(items, names, "\n".join(typed))):
        for line in lines:
            yield {"items": [], "text": f"- {paths.short(line['text'])}"}
