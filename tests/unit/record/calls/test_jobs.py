"""Jobs: what runs on, in every form in which it is started, and each form in which its end is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compact_keeper.record.calls.jobs import Jobs
from compact_keeper.record.commands.detached import environ_of, port_of, port_seen
from compact_keeper.record.merge import merge
from compact_keeper.store.settings import default_settings
from compact_keeper.types import Item
from entries import call, entry
from slow_texts import check_it_ends


def merged(entries: Sequence[Any], known: Sequence[Item] = ()) -> list[Item]:
    """The jobs that are kept after these entries."""
    jobs = Jobs(known)
    return merge(known, [item for entry in entries for item in jobs.items_of(entry)], default_settings())


def texts(entries: Sequence[Any], known: Sequence[Item] = ()) -> list[str]:
    """The jobs that still run."""
    return [item["text"] for item in merged(entries, known) if item["status"] == "open"]


def bash(script: str, output: str = "", **fields: object) -> Any:
    """A command as the reading hands it over; its number makes it a call of its own."""
    lines = {"command": script} if "\n" in script else {}
    return call("Bash", **{"command": " ".join(script.split()), "input": lines, "output": output, "source": script,
                           "id": script, **fields})


def background(job: str = "b1", script: str = "npm run build", **fields: object) -> Any:
    output = f"Command running in background with ID: {job}. Output is being written to: /tmp/tasks/{job}.output"
    return bash(script, output, **fields)


def watched(output: str = "Monitor started (task m1, timeout 900000ms). You will be told.", **fields: object) -> Any:
    return call("Monitor", **{"input": {"command": "# Follow it\ntail -f run.log"}, "output": output, **fields})


def ended(job: str = "b1", text: str = "it completed (exit code 0)", status: str = "completed") -> Any:
    return entry(9, "ended", text, key=job, status=status)


def tool(name: str, output: str = "", **fields: object) -> Any:
    return call(name, **{"input": {"task_id": "b1"}, "output": output, **fields})


def output_of(status: str, text: str = "", code: str = "") -> str:
    """A job's output as TaskOutput prints it."""
    exit_line = f"<exit_code>{code}</exit_code>\n\n" if code else ""
    return (f"<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<status>{status}</status>\n\n"
            f"{exit_line}<output>\n{text}\n</output>")


def agent(name: str = "Agent", **fields: object) -> Any:
    return call(name, **{"input": {"description": "Read the rates", "prompt": "Read all"}, "id": "toolu_7",
                         "source": "toolu_7", **fields})


LAUNCHED = agent(output="Async agent launched successfully.\nagentId: a3f (internal)\noutput_file: /tmp/a3f.output\n")


@pytest.mark.parametrize(("entries", "expected"), [
    ([background()], ["npm run build"]),
    ([bash("npm run build", "Command exceeded its timeout (10s) and was moved to the background with ID: b1. Output is "
                            "being written to: /tmp/b1.output")], ["npm run build"]),
    ([bash("npm run build", "Command was manually backgrounded by user with ID: b1. Output is being written to: /b")],
     ["npm run build"]),
    ([bash("cat notes", "first\nCommand running in background with ID: b1")], []),
    ([background(script="# Anew\npkill rates\n\n  npm run dev")], ["pkill rates ⏎ npm run dev"]),
    ([background(), ended()], []),
    ([ended(), background()], []),
    ([background(), ended("b2")], ["npm run build"]),
    ([watched()], ["tail -f run.log"]), ([watched(), ended("m1")], []), ([watched(), ended()], ["tail -f run.log"]),
    ([watched(), tool("TaskStop", input={"task_id": "m1"})], []), ([watched(), bash("pkill -f run.log")], []),
    ([watched(output="Monitor could not start")], []), ([watched(ok=False)], []), ([watched(input={})], []),
    ([background(), ended(status="", text="")], []),
    ([background(), tool("TaskOutput", output_of("running", "half"))], ["npm run build"]),
    ([background(), tool("TaskOutput", output_of("completed", "all", "0"))], []),
    ([background(), tool("BashOutput", "<status>failed</status>\n\n<exit_code>2</exit_code>\n\n<stderr>no</stderr>",
                         input={"bash_id": "b1"})], []),
    ([background(), tool("TaskOutput", "<retrieval_status>not_ready</retrieval_status>")], ["npm run build"]),
    ([background(), tool("TaskOutput", ok=False, error="No task found with ID: b1")], []),
    ([background(), tool("TaskStop", '{"message":"Successfully stopped task: b1"}')], []),
    ([background(), tool("KillShell", input={"shell_id": "b1"})], []),
    ([background(), tool("KillShell", ok=False, error="Shell b1 is not running", input={"shell_id": "b1"})], []),
    ([background(), tool("TaskStop", ok=None)], ["npm run build"]),
    ([background(), bash("pkill -f 'run build'")], []),
    ([LAUNCHED], ["Read the rates: Read all"]),
    ([LAUNCHED, ended("a3f")], []),
    ([agent(ok=None), LAUNCHED], ["Read the rates: Read all"]),
    ([agent("Task", ok=None)], ["Read the rates: Read all"]),
    ([agent(ok=None), agent(output="All is read.")], []),
    ([agent(ok=None), agent(ok=None, rejected=True)], []),
    ([agent(ok=None), entry(9, "typed", "Stop.", via="prompt")], []),
    ([agent(ok=None), entry(9, "typed", "And the docs.", via="queue")], ["Read the rates: Read all"]),
    ([LAUNCHED, entry(9, "typed", "Go on.", via="prompt")], ["Read the rates: Read all"]),
    ([agent(output="Spawned successfully.\nagent_id: ada@rates")], []),
])
def test_the_clients_jobs_run_until_their_end_is_told(entries: list[Any], expected: list[str]) -> None:
    assert texts(entries) == expected
    if entries[0]["what"] != "ended":  # the notice and the start stand side by side
        assert texts(entries[1:], merged(entries[:1])) == expected, "a save between the two changes nothing"


@pytest.mark.parametrize(("scripts", "expected"), [
    (["npm run dev &"], ["npm run dev"]),
    (["# Start it\nnpm run dev > /tmp/dev.log 2>&1 &\nsleep 5\ncurl -s localhost:3000"],
     ["npm run dev > /tmp/dev.log 2>&1"]),
    (["cd web && PORT=3000 nohup npm run dev &> dev.log & echo $!"], ["PORT=3000 nohup npm run dev &> dev.log"]),
    (["./serve | tee log &"], ["./serve"]),
    (["./serve & PID=$!; curl -s localhost:1; kill $PID"], []),
    (["./a & ./b & wait"], []),
    (["make a && make b"], []),
    (["sleep 5 & echo done"], []),
    (["timeout 9 ./serve &"], []),
    (["firefox https://example.org/zones &"], []),
    (["chromium --remote-debugging-port=9222 &"], ["chromium --remote-debugging-port=9222"]),
    (["npm test 2>&1 | tail -5"], []),
    (["echo 'npm run dev &'"], []),
    (["cat <<'END' > run.sh\nnpm run dev &\nEND"], []),
    (["./serve &", "./serve &"], ["./serve"]),
    (["./serve --port 80 &", "./other --port 80 &"], ["./other --port 80"]),
    (["./serve &", "pkill -f serve"], []),
    (["./serve --rates a.csv &", "pkill -f 'serve.*a.csv'"], []),
    (["./serve &", "pkill -f server"], ["./serve"]),
    (["npm run dev &", "killall node"], []),
    (["./serve & ./watch & ./other &", "killall -9 serve watch 2>/dev/null"], ["./other"]),
    (['sudo -E env "PATH=$HOME/bin:$PATH" ./serve --all &', "killall serve"], []),
    (["npm run dev &", "pkill python"], ["npm run dev"]),
    (["./serve.exe &", "echo 'taskkill /IM serve.exe'"], ["./serve.exe"]),
    (["./serve.exe &", "taskkill /IM server.exe"], ["./serve.exe"]),
    (["./serve.exe &", "tasklist | grep serve.exe"], ["./serve.exe"]),
    (["./serve.exe &", "taskkill //F //IM serve.exe"], []),
    (['"C:/Program Files/serve.exe" --all &', 'cmd.exe /c "taskkill /F /IM serve.exe" 2>/dev/null; sleep 2'], []),
    (["npm run dev &", "taskkill /F /IM node.exe"], []),
    (["./serve --remote-debugging-port=9222 a &", "./serve --remote-debugging-port=9222 b &"],
     ["./serve --remote-debugging-port=9222 b"]),
    (["./serve --report=9222 a &", "./serve --report=9222 b &"],
     ["./serve --report=9222 a", "./serve --report=9222 b"]),
    (["pkill -f serve; ./serve &"], ["./serve"]),
    (["PORT=3000 ./serve &", "lsof -ti:3000 | xargs kill -9"], []),
    (["PORT=3000 ./serve &", "kill $(lsof -t -i:3000)"], []),
    (["PORT=3000 ./serve &", "fuser -k 3000/tcp"], []),
    (["PORT=3000 ./serve &", "npx kill-port 3001"], ["PORT=3000 ./serve"]),
    (["PORT=3000 ./serve &", "lsof -ti:3000 | xargs kill; PORT=3000 ./serve &"], ["PORT=3000 ./serve"]),
    # what is handed to a manager: the command itself has ended
    (["docker compose -f a.yml up -d db"], []), (["docker run -dit --name rates img"], []),
    (["pm2 start rates.js"], []), (["sudo systemctl restart rates &"], []),
    (["docker compose up -d && npm run dev &"], ["npm run dev"]),
    (["docker compose up &"], ["docker compose up"]), (["./serve &", "docker stop serve; pm2 stop all"], ["./serve"]),
    (["tmux new-session -d -s web 'npm run dev'"], ["tmux new-session -d -s web 'npm run dev'"]),
    (["tmux new-session -d -s web 'npm run dev'", "tmux kill-session -t web"], []),
    (["tmux new -d -s web x", "tmux kill-server"], []),
    (["ssh host 'nohup ./serve &'"], []),
    (['python3 -c "\nx = (a > 0) & (b > 0)\nfor c in d: pass & …'], []),  # cut within its quotation marks
    (["python3 - <<'END'\nx = (a > 0) & (b > 0)\nprint(…"], []),
    (["./serve &\npython3 -c 'x & …"], ["./serve"]),
    (["cat <<'END'\na & b\nEND\n./serve &\necho …"], ["./serve"]),
    (["./serve \"it's\" & echo …"], ['./serve "it\'s"']),
])
def test_what_a_command_leaves_behind_is_open_until_a_command_stops_it(
        scripts: list[str], expected: list[str]) -> None:
    entries = [bash(script) for script in scripts]
    assert texts(entries) == expected
    assert texts(entries[1:], merged(entries[:1])) == expected, "a save between the two changes nothing"


@pytest.mark.parametrize(("script", "output", "is_open"), [
    ("./serve --rates &", "[FATAL init (7)] exec serve failed: No such file or directory", False),
    ("cd web && ./serve &\nsleep 2", "a\npanic: no rates\n", False),
    ("./serve &", "bash: ./serve: No such file or directory", False),
    ("./serve &", "FATAL: no such rate\nlistening on port 80", True),
    ("./serve &", "reading fatal.csv", True),
    ("./serve & curl localhost", "FATAL: no such rate", True),  # who knows which of them says so
    ("./serve & ./watch &", "FATAL: no such rate", True),
    ("./serve &", "", True),
])
def test_what_says_at_its_start_that_it_ended_does_not_run(script: str, output: str, is_open: bool) -> None:
    assert bool(texts([bash(script, output)])) is is_open


@pytest.mark.parametrize(("script", "expected"), [
    ("# End the old one\npkill -f serve\nsleep 2\ncurl -s localhost",
     "kill sent, its end was not seen: pkill -f serve"),
    ("cd rates && killall serve && ls", "kill sent, its end was not seen: killall serve"),
    ("lsof -ti:3000 | xargs kill -9; ls", "stopped: port 3000 was freed")])
def test_what_stopped_a_job_is_the_part_of_the_line_that_did(script: str, expected: str) -> None:
    [job] = merged([bash("./serve --port 3000 &"), bash(script)])
    assert job["result"] == expected


@pytest.mark.parametrize(("entries", "expected"), [
    ([bash("./serve &", "[1] 4711"), bash("kill 4711")], []),
    ([bash("./serve & echo PID: $!", "PID: 4711"), bash("kill -9 4711")], []),
    ([bash("./serve &"), bash("ps aux | grep serve", "ada 4711 0.0 ./serve"), bash("kill 4711")], []),
    ([bash("./serve -p 80 &"), bash("lsof -i :80", "COMMAND PID\nserve 4711 ada 22u TCP *:80"), bash("kill 4711")], []),
    ([bash("./serve -p 80 &"), bash("lsof -ti:80", "4711"), bash("kill 4711")], []),
    ([bash("./serve -p 80 &"), bash("lsof -ti:80", "4711\n4712"), bash("kill 4712")], []),
    ([bash("./serve &"), bash("ps aux | grep serve", "ada 4711 0.0 ./serve\nada 4799 grep ./serve"), bash("kill 4711")],
     []),
    ([bash("./serve &", "[1] 4711"), bash("pgrep -fl serve", "4720 node ./serve"), bash("kill 4711")], []),
    ([bash("./serve & ./watch &", "[1] 4711\n[2] 4712"), bash("kill 4712"), bash("kill 4711")], []),
    ([bash("./serve &", "[1] 4711"), bash("kill 12")], [""]),
    ([bash("./serve &", "[1] 4711"), bash("kill 471")], [""]),
    ([bash("lsof -ti:80", "4711"), bash("./serve -p 80 &"), bash("kill 4711")], [""]),
    ([bash("./serve &"), bash("kill 12 13")], [""]),
    ([bash("./serve &", ok=False, error="curl failed")], [""]),
    ([bash("./serve &", "Error: listen EADDRINUSE: address already in use :::80")], []),
    ([bash("./serve &", "Command timed out after 2m 0s", ok=False)], []),
    ([bash("./serve &", ok=None)], []),
    ([bash("./serve &", ok=None, rejected=True)], []),
    ([bash("tmux new -d -s web x", "no such file", ok=False)], []),
    ([bash("npm run dev &", "> rates@1.0.0 dev\n> vite --host"), bash("pkill -f 'vite --host'")], []),
    ([bash("setsid npm run dev &"), bash("pkill node")], []),
    ([bash("make dev &", "> rates@1.0.0 dev\n> vite --host"), bash("pkill vite")], []),
])
def test_process_ids_and_what_a_start_prints(entries: list[Any], expected: list[str]) -> None:
    assert [item["result"] for item in merged(entries) if item["status"] == "open"] == expected
    saved: list[Item] = []
    for read in entries:  # with a save behind each
        saved = merged([read], saved)
    assert [item["result"] for item in saved if item["status"] == "open"] == expected


def test_a_process_id_goes_with_its_process() -> None:
    first = merged([bash("./serve &", "[1] 4711"), bash("kill 4711")])
    again = merged([bash("./serve &", source="again", id="again")], first)
    assert [(item["status"], item["pid"]) for item in again] == [("open", "")]
    assert [item["uses"] for item in merged([bash("ps", "4712 ./serve", source="b", id="b")], again)] == [2]


@pytest.mark.parametrize(("stop", "expected"), [
    (tool("KillShell", input={"shell_id": "b1"}), []),  # one process tree
    (tool("KillShell", input={"shell_id": "b2"}), ["./serve", "./serve &"]),
    (tool("KillShell", ok=False, error="Shell b1 is not running", input={"shell_id": "b1"}), ["./serve"]),
    (ended(), ["./serve"]),
])
def test_what_a_line_put_behind_it_ends_with_its_shell_where_a_tool_stops_that(stop: Any, expected: list[str]) -> None:
    assert sorted(texts([background(script="./serve &"), stop])) == expected


def test_a_shell_that_ended_leaves_its_server_behind() -> None:
    jobs = [job for job in merged([background(script="PORT=80 ./serve > /tmp/serve.log &"), ended()])
            if job["status"] == "open"]
    assert [(item["key"], item["path"], item["port"], item["environ"], item["result"]) for item in jobs] == [
        ("& ./serve", "/tmp/serve.log", "80", "PORT=80", "")]


def test_a_job_says_where_it_writes_and_what_it_said_last() -> None:
    started = background(script="export A=1\nNODE_ENV=test npm run dev -- --port 3000")
    [job] = merged([started, tool("TaskOutput", output_of("running", "one\ntwo\n"))])
    assert {name: job.get(name) for name in ("key", "tool", "path", "port", "environ", "result", "status", "uses")} == {
        "key": "b1", "tool": "Bash", "path": "/tmp/tasks/b1.output", "port": "3000", "environ": "A=1 NODE_ENV=test",
        "result": "two", "status": "open", "uses": 1}
    cut_off = tool("TaskOutput", output_of("running", "one\ntwo\n\n... [591 lines truncated] ..."))
    assert merged([started, cut_off])[0]["result"] == "two"
    read = call("Read", path="/tmp/tasks/b1.output", body="     1→three\n     2→four")
    assert merged([started, read])[0]["result"] == "four"
    assert merged([started, bash("tail -3 /tmp/tasks/b1.output", "five\n=====\n")])[0]["result"] == "five"
    for command in ("tail -3 /tmp/tasks/b1.output; curl -so x -w '%{http_code}' localhost:3000",
                    "cat /tmp/tasks/b1.output | wc -l", "tail /tmp/tasks/b1.output /tmp/other.log",
                    "grep -c error /tmp/tasks/b1.output", "tail -3 /tmp/tasks/b1.output && git log -1"):
        assert merged([started, bash(command, "five\n200")])[0]["result"] == "", command
    assert merged([started, bash("sleep 5\ncat '/tmp/tasks/b1.output' | tail -5", "six")])[0]["result"] == "six"
    on_windows = bash("npm run build", "Command running in background with ID: b1. Output is being written to: "
                                       "C:\\tasks\\b1.output")
    assert merged([on_windows, call("Read", path="C:/tasks/b1.output", body="     1→six")])[0]["result"] == "six"
    assert merged([started], [job])[0]["uses"] == 1, "the same call again"
    assert merged([{**started, "source": "another"}], [job])[0]["uses"] == 2
def test_how_a_job_ended_is_its_result() -> None:
    jobs = Jobs([])
    entries = [background(), tool("TaskOutput", output_of("failed", "one\n2 failed", "1"))]
    assert [item["result"] for entry in entries for item in jobs.items_of(entry)] == ["", "exit 1: 2 failed"]
    crash = ("one\nthrow er;\n\nError: listen EADDRINUSE: address already in use :::3001\n    at Server.x (net:1940:16)"
             "\nEmitted 'error' event at:\n    at y (net:1976:8)\n  code: 'EADDRINUSE'\n}\n\nNode.js v25.1.0")
    assert merged([background(), tool("TaskOutput", output_of("failed", crash, "1"))])[0]["result"] == (
        "exit 1: Error: listen EADDRINUSE: address already in use :::3001")
    before = merged([ended(text="failed with exit code 127"), background(), ended(text="failed with exit code 127")])
    assert [(job["status"], job["result"], job["exit_code"]) for job in before] == [
        ("ended", "failed with exit code 127", 127)], "told before the result of its start"
    assert merged([bash("./serve &"), bash("pkill serve"), bash("./serve &")])[0]["status"] == "open"


@pytest.mark.parametrize(("command", "port"), [
    ("vite --port 3000", "3000"), ("vite --port=3000", "3000"), ("serve -p 3000", "3000"), ("PORT=3000 x", "3000"),
    ("docker run -d -p 8080:80 x", "8080"), ("docker run -d -p 127.0.0.1:8080:80 x", "8080"), ("mkdir -p 30", "30"),
    ("manage.py runserver 0.0.0.0:8000", "8000"), ("python3 -m http.server 8000", "8000"), ("npm run dev", ""),
    ("app --api-port 99", "99"), ("IMPORT=3000 x", ""), ("x -p3000x", ""), ("ssh -p", "")])
def test_the_port_that_a_command_names(command: str, port: str) -> None:
    assert port_of(command) == port


@pytest.mark.parametrize(("script", "output", "port"), [
    ("x &", "Server listening on http://127.0.0.1:3001", "3001"), ("x &", "Listening on port 80", "80"),
    ("x &", "  Local:   http://localhost:5173/", "5173"), ("x &", "listening on :8080", "8080"),
    ("x &", "Started at 12:30:45", ""), ("x & curl -s http://localhost:3000/health", "", "3000"),
    ("x & curl https://rates.example:443", "", ""), ("x &", "Server running at http://[::1]:90", "90")])
def test_the_port_that_a_server_or_its_line_tells(script: str, output: str, port: str) -> None:
    assert port_seen(script, output) == port


@pytest.mark.parametrize(("script", "environ"), [
    ("A=1 B='two words' x", "A=1 B='two words'"), ("export A=1; x", "A=1"), ("cd a && A=1 nohup x &", "A=1"),
    ("x --a=1", ""), ("nohup env A=1 x &", "A=1"), ("cross-env A=1 x &", "A=1"),
    ("x 'A=1 y'", ""), ("a; B=2 c", "B=2")])
def test_the_variables_before_a_program(script: str, environ: str) -> None:
    assert environ_of(script) == environ


@pytest.mark.parametrize("odd", [None, 7, [], {}, [7]])
def test_odd_arguments(odd: object) -> None:
    calls = [background(), tool("TaskOutput", input={"task_id": odd}), tool("TaskStop", input={"shell_id": odd}),
             agent(ok=None, input={"description": odd, "prompt": odd})]
    assert "npm run build" in texts(calls)


def test_secrets_do_not_stay() -> None:
    secret = "token=Tr0ub4dor+3horse9"
    calls = [background(), tool("TaskOutput", output_of("running", secret)), ended("x", secret),
             bash("./serve &", f"> run {secret}"), agent(ok=None, input={"prompt": secret})]
    assert "Tr0ub4dor" not in str([list(Jobs(merged(calls[:1])).items_of(call_entry)) for call_entry in calls])


def test_it_ends_with_any_text() -> None:
    def read(text: str) -> None:
        merged([bash("./serve &"), bash("./serve &", text), bash(f"./serve & {text}"[:20_000], text), bash(text[:500]),
                bash("ps aux", text), bash("lsof -i :80", text), bash("kill 1", text), agent(output=f"launched {text}"),
                bash("x", f"background with ID: {text}"), tool("TaskOutput", f"<status>running</status>{text}"),
                tool("TaskOutput", text), tool("TaskStop", ok=False, error=text), ended("b1", text),
                bash(f"pkill -f {text}"[:500]), call("Read", path="/tmp/x", body=text)])
    check_it_ends(read)


def test_the_port_that_a_server_says_counts_more_than_the_one_that_was_asked() -> None:
    start = bash("npm run dev > /tmp/dev.log 2>&1 &\nsleep 5 && curl -s http://localhost:3000/", "<html>")
    [started] = merged([start])
    [said] = merged([start, bash("tail -5 /tmp/dev.log", "- Local: http://localhost:3005")])
    assert (started["port"], said["port"]) == ("3000", "3005")
