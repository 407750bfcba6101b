"""The reader's test as `make reader` starts it, with a scripted command in the place of a model.

The command writes its questions on three facts: one stands in the summary, two only in what our hooks put back.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from sessions import Session

ROOT = Path(__file__).resolve().parents[2]
RULE, TESTS_RUN, BRANCH = "Never round the parcel rates before the tax is added.", "pytest -q tests/rates", "rates-2"
SUMMARY = f"The agent works on the branch {BRANCH}."
AFTERWARDS = "I go on with the surcharge table."
TOKEN = "ghp_" + "a1B2c3D4e5" * 4
FACTS = {"What must never be done?": RULE, "How are the tests run?": TESTS_RUN, "Which branch?": BRANCH}

COMMAND = '''
import json, pathlib, re, sys
log, facts = pathlib.Path(sys.argv[1]), json.loads(sys.argv[2])
prompt = sys.stdin.buffer.read().decode()
kind = prompt.splitlines()[0].partition(": ")[2]
with log.open("a") as lines:
    lines.write(kind + "\\n")
if kind == "WRITE QUESTIONS":
    answer = {"questions": [{"question": q, "answer": a, "evidence": a} for q, a in facts.items()]}
elif kind == "ANSWER QUESTIONS":
    context, asked = prompt.split("<context>")[1].split("</context>")
    known = {q: a if a in context else "unknown" for q, a in facts.items()}
    answer = {n: known.get(q) for n, q in re.findall(r"(?m)^(\\d+)\\. (.*)$", asked)}
else:
    answer = {}
    for n, rest in re.findall(r"(?s)QUESTION (\\d+): (.*?)(?=\\nQUESTION |</answers>)", prompt):
        key = re.search(r"KEY: (.*)", rest).group(1)
        answer[n] = {m: {"score": int(key in text), "wrong": key not in text and text != "unknown"}
                     for m, text in re.findall(r"ANSWER (\\d): (.*)", rest)}
print("Sure, [as asked] {for}:\\n```json\\n" + json.dumps(answer) + "\\n```\\nTell me more.")
'''


def test_make_reader_measures_and_shows_nobody_what_would_help(tmp_path: Path) -> None:
    work, script, log, out = Session(), tmp_path / "command.py", tmp_path / "log", tmp_path / "out"
    work.typed(f"{RULE} The token is {TOKEN} for now.")
    work.ran("Bash", "3 passed in 0.10s", command=TESTS_RUN)
    for number in range(20):
        work.ran("Edit", file_path=f"/home/ada/parcel-rates/rates{number}.py", old_string="a", new_string="b")
    work.compacted(SUMMARY)
    work.says(AFTERWARDS)
    for _ in range(10):
        work.ran("Bash", "3 passed in 0.10s", command=TESTS_RUN)
    work.write(tmp_path / "session.jsonl")
    script.write_text(COMMAND)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--no-print-directory", "reader", f"PATHS={tmp_path} --cases 1", f"OUT={out}",
         f"READER='{sys.executable}' '{script}' '{log}' '{json.dumps(FACTS)}'", f"PYTHON={sys.executable}"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[3:-1]]
            for line in done.stdout.splitlines() if line.startswith("| ")}
    assert (rows["summary"], rows["ours"]) == (["0.333", "–", "0", "3"], ["1.000", "100 %", "0", "3"])
    assert sorted(log.read_text().splitlines()) == [
        "ANSWER QUESTIONS", "ANSWER QUESTIONS", "GRADE ANSWERS", "WRITE QUESTIONS"]
    [case] = out.glob("*/case.json")
    kept = {path.name: path.read_text(encoding="utf-8") for path in case.parent.iterdir()}
    assert AFTERWARDS in kept["questions-prompt.md"]
    assert SUMMARY not in kept["questions-prompt.md"]
    assert RULE not in kept["answers-summary-prompt.md"]
    assert AFTERWARDS not in kept["answers-ours-prompt.md"]
    assert "compact-keeper" not in kept["grades-prompt.md"].partition("<answers>")[2]
    assert "[redacted: " in kept["questions-prompt.md"]
    assert TOKEN not in "".join(kept.values())
