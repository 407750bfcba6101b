"""The session that the demo plays: scenario.py's work with a server beside it, and a summary as models write them.

The summary has the nine sections that the client asks for. It is true, keeps what such summaries keep (the request, the
files, the course of the work, the user's messages in short) and says in general words what they say so: what a test
said, what stopped a command, how a rule goes on. Each fact is looked for in what the model was given afterwards.
"""

from __future__ import annotations

import scenario
from scenario import Fact, Played, play
from scripted_api import Turn, summary
from workspace import Workspace

PREVIEW_COMMAND = "node tools/preview.js"
PREVIEW = """\
// Shows the prices in a browser while one works on them.
const server = require("node:http").createServer((request, response) => response.end("prices"));
server.listen(0, "127.0.0.1", () => console.log(`Preview on http://127.0.0.1:${server.address().port}`));
require("node:fs").writeFileSync(`${process.env.TMPDIR}/preview.pid`, String(process.pid));
"""
STOP_COMMAND = 'kill "$(cat "$TMPDIR/preview.pid")"'  # the client waits for what runs before a run of it ends
FILES = {**scenario.FILES, "tools/preview.js": PREVIEW}
SUMMARY = """\
1. Primary Request and Intent:
   The user is moving the parcel calculator to the 2027 price list: take over the new base prices first, then add zone
   7 (the islands), and get the checks green before the upgrade text is discussed. The names of the exported functions
   have to stay as they are, since the web shop imports them. Files under vendor/ must not be edited by hand. In the
   newest message the user settled the rounding and asked to run the whole test suite and to go on with zone 7.

2. Key Technical Concepts:
   - Node.js with CommonJS modules, tests with `node:assert`
   - Price = base price plus price per kilogram, both by zone
   - Rounding half up on whole cents

3. Files and Code Sections:
   - `src/rates.js`
     - Base prices and prices per kilogram taken over from the 2027 list; zone 7 added
     ```js
     const BASE = { 1: 3.5, 2: 3.8, 6: 4.5, 7: 4.8 };
     const PER_KG = { 1: 1.5, 2: 1.7, 6: 2.75, 7: 3.04 };
     ```
   - `src/zones.js`, `src/islands.js`, `src/labels.js` (new): zone by postcode, the islands' postcodes, the labels
   - `docs/zones.md`, `test/labels.test.js` (new)
   - Everything so far is committed ("Prices of 2027").

4. Errors and fixes:
   - The label script does not run, as a Python module is missing. Not looked into yet.
   - The test suite fails in zone 7: a price is one cent too low. Not fixed yet.

5. Problem Solving:
   The user decided how amounts are rounded: half up on whole cents. `price()` still rounds down with `Math.floor`,
   which probably explains the missing cent in zone 7.

6. All user messages:
   - "We are moving the parcel calculator to the 2027 price list, which sales sent round on Monday. [...] Please start
     with the prices, then the zones, and get the checks green before we talk about the upgrade text."
   - "Looks good. About the rounding: we round half up on whole cents [...]. Now run the whole test suite and go on
     with zone 7."

7. Pending Tasks:
   - Map the islands' postcodes to zone 7
   - Ask sales for the surcharge of the islands
   - Write the upgrade paragraph in CHANGELOG.md

8. Current Work:
   The whole test suite had just been run after the prices were taken over. One test, for zone 7, fails by one cent, as
   described above.

9. Optional Next Step:
   Round half up in `price()` in `src/rates.js`, run the tests again, then go on with zone 7, as the user asked: "Now
   run the whole test suite and go on with zone 7."
"""
FACTS = (
    Fact("the request: the 2027 price list", "2027 price list"),
    Fact("the file that was edited: src/rates.js", scenario.EDITED_FILE),
    Fact("the decision: round half up", "round half up on whole cents"),
    Fact("… its reason: because the ledger does", "because the ledger does"),
    Fact("the rule, whole: never edit vendor/, use make vendor", scenario.RULE),
    Fact("the open task: postcodes 25900-25999 to zone 7", scenario.OPEN_TASK),
    Fact("how the tests failed: expected 12.40, got 12.39", rf"npm test.{{0,300}}{scenario.ERROR_LINE}"),
    Fact("what the label script lacks: label_printer", rf"{scenario.LABELS_COMMAND}.{{0,300}}{scenario.CAUSE}"),
    Fact("the check that passed: npm run check", rf"{scenario.PASSING_COMMAND}`? → passed"),
    Fact("what is running: the preview server", rf"[Rr]unning.{{0,80}}{PREVIEW_COMMAND}"),
)


def play_demo(workspace: Workspace, version: str) -> Played:
    """Two requests; in the middle of the second one's work the context is full, and the client compacts by itself."""
    later = [Turn("Zone 7 first.", "Bash", {"command": STOP_COMMAND, "description": "Stop the preview"})]
    turns = [*scenario.first_turns(workspace.project, version), *second_turns(), *later]
    return play(workspace, turns, [scenario.FIRST_PROMPT, scenario.SECOND_PROMPT], [summary(SUMMARY)])


def second_turns() -> list[Turn]:
    """The answers to the second request, up to the full context: the server, the labels, the failing test."""
    return [
        Turn("", "Bash", {"command": PREVIEW_COMMAND, "description": "Start the preview", "run_in_background": True}),
        Turn("", "Bash", {"command": scenario.LABELS_COMMAND, "description": "Print the labels"}),
        Turn("Now the tests.", "Bash", {"command": scenario.FAILING_COMMAND, "description": "Run the tests"}),
        scenario.filling_turn()]
