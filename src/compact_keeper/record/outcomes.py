"""How a command ended, by its exit code and by what its output says: the one vocabulary of results.

An exit code counts only where it is the check's own: behind a pipe, `;` or `||` it is another program's. Of 760 runs of
tests, builds and linters in 36 real sessions 86 carried an error flag, and 132 more printed a failure and exited 0, behind
a pipe. So there the verdict is what the output says; where it says nothing, that is said: never "passed".

Lines are found by their first word, so that a long output costs one look-up a line and only patterns that may fit are
compiled: a hook reads one output and ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.commands import checks_in, ending_program, is_looking, other_family, pieces_of, words_of
from compact_keeper.text.length import units
from compact_keeper.types import Check, Outcome

HEAD_CHARACTERS, TAIL_CHARACTERS = 8_000, 16_000  # of a long output both ends are read: the first error, the totals
LINE_MAX_CHARACTERS = 400  # of a line: what is longer is data
OUTCOME_MAX_UTF16, CAUSE_MAX_CHARACTERS, NAME_MAX_CHARACTERS = 240, 200, 100
FILTER_MAX_UTF16 = 60
NAMES_MAX, NAMES_IN_LINE_MAX, NAMES_READ_MAX = 5, 3, 30
FINDINGS_MAX = 100  # telling lines that are kept of one output: more of them say the same again
LAST_LINES = 10  # an error among these ended the program; further up it may be a line of its log
ANSI = r"\x1b(?:\[[0-?]{0,30}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\([AB])"
EXIT_CODE = r"(?:Error: )?Exit code (\d{1,3})(?:\n|$)"
REFUSED = (  # what the client writes in place of an output
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action", "Sibling tool call errored",
    "Cancelled: parallel tool call", "<tool_use_error>", "Permission to use ", "This command requires approval",
    "Claude requested permissions to ")
BACKGROUND = r"running in (?:the )?background(?: \w+){0,3} with ID: ?(\w+)|in background with ID: ?(\w+)"
INTERRUPTED = "[Request interrupted by user for tool use]"
NEVER_FAILING = ("--exit-zero", "--passWithNoTests", "--no-error-on-unmatched", "--no-exit-code", "--soft-fail")
STEP_FAMILIES = {"test": "test", "types": "static", "lint": "static", "format": "static", "build": "static"}
SILENT = (  # says nothing when all is well
    "go build", "go vet", "tsc", "tsgo", "gofmt", "goimports", "gofumpt", "shellcheck", "cc", "gcc", "g++", "clang", "clang++",
    "javac", "rustc", "eslint", "flake8", "isort", "shfmt", "actionlint", "yamllint", "go install", "go fmt", "cargo fmt",
    "vue-tsc", "stylelint", "terraform fmt", "rustfmt", "clang-format", "mix format")
LISTING = ("gofmt", "goimports", "gofumpt", "shfmt")  # with -l: prints the files that are not as they should be, exits 0

# Rows: whose line it is, what it says, the words it begins with, its pattern. Of a line's rows the first that fits counts.
# Words: "0passed" is a number and "passed", "0)" a number with a bracket, "@" a place (file:1:2:), "Error" what ends so.
# What it says: tests, problems: totals (a run without tests is none; no problems are a success). failed, passed. error: fails a
# run of which nothing else is known. cause: only tells why. wrapper: failed, with a cause where there is no better one.
# none: nothing ran. Groups: name and also (a name where there is no better one), cause, and in `next` the cause in the line
# below; in `below` the name in the line below and the cause in the next but one.
ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("pytest", "tests", "0passed 0failed 0error 0errors 0skipped 0xfailed 0xpassed 0warning 0warnings",
     r"\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?)\b.{0,200} in [\d.]+ ?s"),
    ("pytest", "none", "0deselected no 0skipped", r"(?:\d+ deselected|no tests (?:ran|collected)).{0,60} in [\d.]+ ?s"),
    ("playwright", "tests", "0passed", r"\d+ passed \([\d.]+\w+\)$"),
    ("playwright", "tests", "0failed 0flaky 0interrupted", r"\d+ (?:failed|flaky|interrupted)$"),
    ("", "tests", "0passed", r"\d+ passed, \d+ failed"),
    ("", "tests", "Passed:", r"Passed: \d+,? +Failed: \d+"),
    ("jest", "tests", "Tests:", r"Tests: +(?:\d+ \w+, )*\d+ total"),
    ("jest", "tests", "Test", r"Test Suites: +(?:\d+ \w+, )*\d+ total"),
    ("phpunit", "tests", "Tests:", r"Tests: \d+, Assertions: \d+"),
    ("vitest", "tests", "Tests", r"Tests +(?:\d+ \w+(?: \| )?)+ \(\d+\)|Tests +no tests"),
    ("vitest", "tests", "Test", r"Test Files +(?:\d+ \w+(?: \| )?)+ \(\d+\)"),
    ("vitest", "tests", "Errors", r"Errors +\d+ errors?$"),
    ("maven", "tests", "Tests", r"Tests run: \d+, Failures: \d+, Errors: \d+"),
    ("dotnet", "tests", "Passed! Failed! Skipped!", r"(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+"),
    ("dotnet", "tests", "Test", r"Test summary: total: \d+, failed: \d+"),
    ("dotnet", "failed", "Test", r"Test Run Failed\."), ("dotnet", "passed", "Test", r"Test Run Successful\."),
    ("xctest", "failed", "Test", r"Test Case '(?P<name>.+)' failed"),
    ("xctest", "tests", "Executed", r"Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures?"),
    ("xctest", "tests", "✘ ✔ Test 􀢄", r"(?:\S+ )?Test run with \d+ tests?.{0,60} (?:passed|failed) after"),
    ("xctest", "failed", "✘", r"✘ Test (?P<name>\S.*?) recorded an issue at \S+: (?P<cause>.+)"),
    ("unittest", "ran", "Ran", r"Ran \d+ tests? in"), ("unittest", "none", "NO", r"NO TESTS RAN"),
    ("unittest", "passed", "OK", r"OK(?: \((?:skipped|expected).{0,60}\))?$"),
    ("unittest", "bad", "FAILED", r"FAILED \((?:failures|errors|unexpected)=?.{0,80}\)"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): (?P<name>\w+) \(unittest\.loader"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): \w+ \((?P<name>[\w.]+)\)"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): (?P<name>\w+Class \(.+\))"),
    ("pytest", "none", "ERROR:", r"ERROR: (?P<cause>(?:file or directory )?not found: .+|found no collectors for .+)"),
    ("pytest", "failed", "FAILED ERROR", r"(?:FAILED|ERROR) (?P<name>\S+\.py(?:::(?:(?! - ).){1,200})?)(?: - (?P<cause>.+))?$"),
    ("pytest", "failed", "::", r"(?P<name>\S+::\S+) (?:FAILED|ERROR)\b"),
    ("pytest", "cause", "E", r"E {2,}(?P<cause>\S.+)"),
    ("bun", "tests", "0pass 0fail", r"\d+ (?:pass|fail)$"),
    ("bun", "failed", "(fail)", r"\(fail\) (?P<name>.+?)(?: \[[\d.]+\w+\])?$"),
    ("mocha", "tests", "0passing 0failing", r"\d+ (?:passing \(\S+\)|failing)$"),
    ("node", "tests", "# ℹ", r"[#ℹ] (?:tests|pass|fail|cancelled) \d+$"),
    ("node", "failed", "not", r"not ok \d+ (?:- )?(?P<name>(?:(?! # (?:SKIP|TODO)).)+)$"),
    ("node", "failed", "✖", r"✖ (?!failing tests|\d+ problems?|\d+ of )(?P<name>.+?) \([\d.]+ms\)$"),
    ("node", "cause", "error:", r"error: ['\"](?!test failed)(?P<cause>.+?)['\"]?$"),
    ("lint-staged", "next", "✖", r"✖ (?!failing tests)(?P<name>\S.{0,200}):$"), ("husky", "wrapper", "husky", r"(?P<cause>husky - \S+ .*failed.*)"),
    ("eslint", "problems", "✖", r"✖ \d+ problems? \(\d+ errors?"),
    ("cypress", "tests", "✖", r"✖ +\d+ of \d+ failed"), ("cypress", "passed", "✔", r"✔ +All specs passed"),
    ("gotestsum", "tests", "DONE", r"DONE \d+ tests?.{0,90} in [\d.]+s"),
    ("cargo test", "tests", "test", r"test result: (?:ok|FAILED)\. \d+ passed; \d+ failed"),
    ("cargo test", "failed", "test", r"test (?P<name>\S+(?: - \S+)?) \.\.\. FAILED"),
    ("cargo test", "next", "thread", r"thread '(?P<also>[^']+)'(?: \(\d+\))? panicked at \S+:$"),
    ("cargo test", "error", "thread", r"thread '(?P<also>[^']+)' panicked at (?P<cause>'.+)"),
    ("cargo nextest", "tests", "Summary", r"Summary \[.{1,20}\] +\d+(?:/\d+)? tests? run: "),
    ("cargo nextest", "failed", "FAIL SIGABRT TIMEOUT", r"(?:FAIL|SIGABRT|TIMEOUT) \[.{1,20}\] +(?:\(.{1,20}\) )?(?P<name>.+)"),
    ("cargo", "failed", "error[", r"(?P<cause>error\[E\d+\]: .+)"),
    ("cargo", "wrapper", "error:", r"error: (?P<cause>could not compile.+|test failed, to rerun.+|aborting due to.+)"),
    ("cargo", "built", "Finished", r"Finished .{0,80}target\(s\) in .+"),
    ("cargo fmt", "failed", "Diff", r"Diff in (?P<name>\S+?):\d+:?$"),
    ("deno", "tests", "ok FAILED", r"(?:ok|FAILED) \| \d+ passed.{0,60} \| \d+ failed"),
    ("deno", "failed", "...", r"(?P<name>.+) \.\.\. FAILED \("),
    ("go", "go ok", "ok", r"ok\s+\S+\s+(?P<none>\(cached\) \[no tests to run\]|[\d.]+s \[no tests to run\])|"
                          r"ok\s+\S+\s+(?:(?P<cached>\(cached\))|[\d.]+s)"),
    ("go", "none", "?", r"\?\s+\S+\s+\[no test files\]"),
    ("go", "go fail", "---", r"--- FAIL: (?P<name>\S+)"), ("go", "seen", "PASS", r"PASS$"),
    ("go", "failed", "FAIL", r"FAIL(?:\s+(?P<also>\S+)\s+(?:[\d.]+s|\[\w+ failed\])|$)"),
    ("go", "error", "panic:", r"(?P<cause>panic: .+)"),
    ("go", "cause", "Error:", r"Error: {2,}\t?(?P<cause>\S.+)|Error:\t+(?P<cause2>\S.+)"),
    ("go", "error", "go:", r"(?P<cause>go: (?!downloading|finding|extracting|warning|added|upgraded|creating|to add).+)"),
    ("go", "error", "stat", r"(?P<cause>stat \S+: (?:directory not found|no such file).*)"),
    ("go", "error", "imports", r"imports (?P<cause>\S+ .*import cycle not allowed.*)"),
    ("go", "error", "package", r"(?P<cause>package \S+ is not in .+|package \S+: build constraints exclude .+)"),
    ("go", "error", "no", r"(?P<cause>no required module provides package .+|no Go files in .+)"),
    ("vitest", "next", "FAIL", r"FAIL +(?P<name>\S+\.\w+ > .+|\S+\.\w+ \[ \S+ \])"),
    ("jest", "failed", "FAIL", r"FAIL +(?:\S+ )?(?P<also>\S+\.\w+)(?: \([\d.]+ m?s\))?$"),
    ("jest", "next", "●", r"● (?!Console$|Cannot log after)(?P<name>Test suite failed to run|.+ › .+|.+)"),
    ("biome", "cause", "×", r"× (?P<cause>(?:Formatter would have|Some errors were emitted).*)"),
    ("rake", "wrapper", "rake", r"rake (?P<cause>aborted!)"),
    ("vitest", "failed", "× ✕", r"[×✕] (?P<also>.+?)(?: \(?\d+ ?ms\)?)?$"),
    ("playwright", "next", "0)", r"\d+\) (?P<name>(?:\[.+?\] › )?\S+:\d+:\d+ › .+?)[ ─]*$"),
    ("minitest", "below", "0)", r"\d+\) (?:Failure|Error):$"),
    ("phpunit", "next", "0)", r"\d+\) (?P<name>[\w\\]+::\w+.*)"),
    ("mix", "next", "0)", r"\d+\) test (?P<name>.+)"),
    ("mocha", "next", "0)", r"\d+\) (?P<name>\S.*)"),
    ("rspec", "tests", "0example 0examples", r"\d+ examples?, \d+ failures?"),
    ("rspec", "failed", "rspec", r"rspec (?P<also>\./\S+:\d+ # .+)"),
    ("minitest", "tests", "0runs 0tests", r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors"),
    ("phpunit", "passed", "OK OK,", r"OK(?:,.*| \(\d+ tests?, \d+ assertions?\))$"),
    ("phpunit", "failed", "FAILURES! ERRORS!", r"(?:FAILURES|ERRORS)!$"), ("phpunit", "none", "No", r"No tests executed!"),
    ("php", "error", "PHP Fatal Parse", r"(?:PHP )?(?P<cause>(?:Fatal|Parse) error: +.+)"),
    ("mix", "tests", "0test 0tests 0doctest 0doctests 0property 0properties",
     r"(?:\d+ (?:doctests?|property|properties), )*\d+ tests?, \d+ failures?"),
    ("mix", "failed", "**", r"\*\* (?P<cause>\(\w+Error\) .+)"), ("xcodebuild", "failed", "**", r"\*\* \w+ FAILED \*\*"),
    ("xcodebuild", "passed", "**", r"\*\* \w+ SUCCEEDED \*\*"),
    ("ctest", "tests", "0tests", r"\d+% tests passed, \d+ tests? failed out of \d+"),
    ("ctest", "failed", "0-", r"\d+ - (?P<name>\S+) \((?:Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|Child aborted)"),
    ("ctest", "none", "No", r"No tests were found"),
    ("gradle", "tests", "0test 0tests", r"\d+ tests? completed, \d+ failed"),
    ("gradle", "passed", "BUILD", r"BUILD SUCCESS(?:FUL)?\b"), ("gradle", "failed", "BUILD", r"BUILD FAIL(?:ED|URE)\b"),
    ("gradle", "next", ">", r"(?P<name>\S+ > .+) FAILED$"), ("gradle", "failed", ">", r"> Task (?P<also>\S+) FAILED"),
    ("gradle", "why", "*", r"\* What went wrong:"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<cause>\S+\.(?:java|kt|scala|groovy):\[?\d.*)"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<name>[A-Z]\w*(?:\.\w+)+):\d+(?:->\S+)? +(?P<cause>\S.+)"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<name>[A-Z]\w*(?:\.\w+)+) +» +(?P<cause>\S.+)"),
    ("dotnet", "failed", "Failed", r"Failed (?P<name>\S+.*?) \[[<\d].*\]$"), ("dotnet", "above", "Error", r"Error Message:$"),
    ("dotnet", "failed", "Build", r"Build FAILED\."), ("dotnet", "passed", "Build", r"Build succeeded"),
    ("swift build", "passed", "Build", r"Build complete!"), ("turbo", "wrapper", "Failed:", r"Failed: +(?P<cause>\S+#\S+)"),
    ("flutter", "tests", ":+", r"\d+:\d+ \+\d+(?: ~\d+)?(?: -\d+)?: (?:All tests passed!|Some tests failed)"),
    ("flutter", "next", ":+", r"\d+:\d+ \+\d+.* -\d+: (?P<name>.+) \[E\]"),
    ("dart", "cause", "error", r"error [-•] (?P<cause>\S.+)"), ("gradle", "failed", "e:", r"e: (?P<cause>\S+ .+)"),
    ("next", "failed", "Type", r"(?P<cause>Type error: .+)"),
    ("gh", "tests", "0failing", r"\d+ failing, \d+ successful"), ("gh", "failed", "X", r"X\s+(?P<name>[^\t]+)\t"),
    ("eslint", "why", "Oops!", r"Oops! Something went wrong"), ("eslint", "cause", "@error", r"(?P<cause>\d+:\d+ +error +.+)"),
    ("ruff", "problems", "Found", r"Found \d+ errors?(?: \(|\.|$| in )|Found \d+ diagnostics?"),
    ("oxlint", "problems", "Found", r"Found \d+ warnings? and \d+ errors?"),
    ("phpstan", "problems", "[ERROR]", r"\[ERROR\] Found \d+ errors?"), ("phpstan", "passed", "[OK]", r"\[OK\] No errors"),
    ("ruff", "passed", "All", r"All checks passed!"), ("black", "passed", "All", r"All matched files use Prettier|All done!"),
    ("tsc", "problems", "Found", r"Found \d+ errors?"), ("mypy", "passed", "Success:", r"Success: no issues found"),
    ("pyright", "problems", "0error 0errors", r"\d+ errors?, \d+ warnings?"), ("cc", "problems", "0error 0errors", r"\d+ errors?(?: generated\.)?$"),
    ("golangci-lint", "problems", "0issue 0issues", r"\d+ issues?(?:[.:]| found)"), ("dart", "passed", "No", r"No issues found"),
    ("rubocop", "problems", "0file 0files", r"\d+ files? inspected, (?:no|\d+) offenses?"),
    ("black", "bad", "0file 0files", r"\d+ files? would (?:be reformatted|fail)"),
    ("black", "passed", "0file 0files", r"\d+ files? (?:would be left unchanged|left unchanged|already formatted|reformatted)"),
    ("black", "failed", "would Would", r"[wW]ould reformat:? (?P<name>\S+)"),
    ("isort", "failed", "ERROR:", r"ERROR: (?P<name>\S+) Imports are incorrectly"),
    ("prettier", "failed", "[warn]", r"\[warn\] (?:Code style issues|(?P<name>\S+\.\w+)$)"),
    ("prettier", "error", "[error]", r"\[error\] (?P<cause>\S+\.\w+: .+)"),
    ("biome", "passed", "Checked", r"Checked \d+ files? in \S+ No fixes"), ("biome", "cause", "@biome", r"(?P<cause>\S+:\d+:\d+ (?:lint|parse|assist)\S*)"),
    ("biome", "cause", "format", r"(?P<cause>\S+\.\w+ format) ━"), ("shellcheck", "failed", "In", r"In (?P<name>\S+) line \d+:$"),
    ("shellcheck", "cause", "^", r"\^-*\^? (?P<cause>SC\d+ .+)"),
    ("tsc", "failed", "@error", r"(?P<cause>\S+?(?:\(\d+,\d+\):|:\d+:\d+ -) error TS\d+: .+)"), ("tsc", "failed", "error", r"error (?P<cause>TS\d+: .+)"),
    ("pyright", "failed", "@error", r"(?P<cause>\S+:\d+:\d+ - error: .+)"),
    ("dotnet", "failed", "@error", r"(?P<cause>\S+\(\d+,\d+\): error \w+: .+)"),
    ("golangci-lint", "failed", "@go", r"(?P<cause>\S+\.go:\d+:\d+: .+ \(\w+\)$)"),
    ("go build", "failed", "@go", r"(?P<cause>\S+\.go:\d+:\d+: .+)"), ("go", "log", "@go", r"(?P<cause>\S+_test\.go:\d+: .+)"),
    ("flake8", "failed", "@code", r"(?P<cause>\S+:\d+:\d+: [A-Z]{1,4}\d{1,4}:? .+|\S+:\d+:\d+: [CWEF]: .+)"),
    ("cc", "failed", "@error", r"(?P<cause>\S+:\d+(?::\d+)?: (?:fatal )?error: .+)"),
    ("cc", "failed", "@ld", r"(?P<cause>\S+: undefined reference to .+)"),
    ("ruby", "error", "@ruby", r"(?P<cause>\S+:in [^:]{1,100}: .+ \([\w:]*(?:Error|Exception)\))"),
    ("node", "cause", "@code", r"(?P<cause>\S+:\d+:\d+: ERROR: .+)"),
    ("make", "none", "make: gmake:", r"g?make: Nothing to be done for"),
    ("cc", "wrapper", "collect2: clang:", r"(?P<cause>(?:collect2|clang): error: .+)"),
    ("make", "wrapper", "make: gmake: ninja:", r"(?:g?make|ninja)(?:\[\d+\])?: (?P<cause>\*\*\* (?!.*ignored).+|build stopped.+|error: .+)"),
    ("npm", "wrapper", "npm", r"npm (?:ERR!|error) (?!code |errno|path |command |A complete|Lifecycle|workspace|location)(?P<cause>\S.+)"),
    ("pnpm", "wrapper", "[ELIFECYCLE] ELIFECYCLE", r"\[?ELIFECYCLE\]? +(?P<cause>.+)"),
    ("pnpm", "wrapper", "ERR_PNPM", r"(?P<cause>ERR_PNPM_\w+.*)"),
    ("yarn", "wrapper", "error", r"error (?P<cause>Command failed with exit code.+)"),
    ("mise", "wrapper", "mise", r"mise ERROR (?P<cause>.+)"), ("mise", "passed", "[]Finished", r"Finished in [\d.]+\w+$"),
    ("pytest", "passed", "[100%]", r".+"), ("go", "none", "no", r"no packages to test"),
    ("mise", "wrapper", "ERROR", r"ERROR (?P<cause>task failed.*)"),
    ("just", "wrapper", "error:", r"error: (?P<cause>[rR]ecipe .+|script \".+\" exited with code .+)"),
    ("task", "wrapper", "task:", r"task: (?P<cause>Failed to run task.+|Task .+ does not exist)"),
    ("pre-commit", "failed", "....", r"(?P<name>.+?)\.{3,}.*Failed$"), ("pre-commit", "passed", "....", r".+?\.{3,}.*Passed$"),
    ("tox", "passed", "congratulations", r"congratulations :\)"), ("tox", "wrapper", "evaluation", r"(?P<cause>evaluation failed :\(.*)"),
    ("webpack", "problems", "webpack", r"webpack \S+ compiled (?:successfully|with \d+ (?:errors?|warnings?))"),
    ("webpack", "then", "ERROR", r"ERROR in (?P<cause>\S.+)"), ("vite", "failed", "✗ error", r"✗ Build failed|error during build"),
    ("vite", "passed", "✓", r"✓ (?:built in|Compiled successfully)"), ("esbuild", "failed", "✘", r"✘ \[ERROR\] (?P<cause>.+)"),
    ("vite", "cause", "[", r"\[[A-Z]{2,20}_[A-Z_]{2,30}\] (?P<cause>.+)"), ("next", "failed", "Failed", r"Failed to compile"),
    ("tsup", "passed", "CJS ESM DTS", r"(?:CJS|ESM|DTS) .{1,6}Build success"), ("esbuild", "passed", "⚡", r"⚡ Done in"),
    ("docker", "failed", "ERROR:", r"ERROR: (?P<cause>failed to (?:solve|build).*)"), ("docker", "passed", "Successfully", r"Successfully (?:built|tagged) "),
    ("docker", "passed", "naming", r"naming to \S+ .*done"), ("docker", "error", "unable", r"(?P<cause>unable to prepare context: .+)"),
    ("cmake", "passed", "[100%]", r"\[100%\] Built target"), ("cmake", "then", "CMake", r"(?P<cause>CMake Error.*)"),
    ("terraform", "passed", "Apply Plan: Success! No", r"Apply complete!|Plan: \d+ to add|Success! The configuration|No changes\."),
    ("alembic", "error", "FAILED:", r"FAILED: (?P<cause>.+)"),
    ("jest", "none", "No", r"No (?:test files|tests) found"), ("playwright", "none", "Error:", r"Error: No tests found"),
    ("rspec", "none", "No", r"No examples found"), ("dotnet", "none", "No", r"No test (?:is available|matches)"),
    ("node", "failed", "Exception", r"Exception during run: (?P<cause>.+)"),
    ("java", "error", "Exception", r"(?P<cause>Exception in thread .+)"),
    ("python", "traceback", "Traceback", r"Traceback \(most recent call last\)"),
    ("bun", "then", "error:", r"(?P<cause>error: expect\(.+)"),
    ("", "error", "fatal:", r"(?P<cause>fatal: .+)"), ("", "error", "error:", r"(?P<cause>error: .+)"),
    ("", "then", "Error:", r"(?P<cause>Error: .+)"), ("", "error", "ERROR:", r"(?P<cause>ERROR: .+)"),
    ("", "error", "Error", r"(?P<cause>[\w.]+(?:Error|Exception|Exit|Interrupt)(?: \[\w+\])?(?:: .+|$))"),
    ("", "then", "Error", r"(?P<cause>[\w.:]+(?:Error|Exception):)$"),
    ("cargo", "located", "-->", r"--> (?P<place>\S+:\d+:\d+)"),
    ("shell", "error", "bash: sh: zsh: (eval): /bin/sh: /bin/bash:", r"(?P<cause>.+)"),
)
PREFIX = r"(?:\[[\w:./@-]{1,60}\]|#\d+(?: [\d.]+)?|\S{1,80}:(?:\w+:)?|[│┃║]|\S{1,80} \w+:)\s+"  # of a task, before its program's lines
OF_TESTS = ("pytest", "playwright", "jest", "vitest", "unittest", "bun", "mocha", "node", "cypress", "gotestsum", "cargo test",
            "cargo nextest", "deno", "go", "rspec", "minitest", "phpunit", "mix", "ctest", "maven", "dotnet", "xctest", "flutter", "")
OF_ALL = ("gradle", "mise", "turbo", "tox", "xcodebuild", "make", "")  # a line of success that tests and builds share
CAUSES = ("near", "failed", "traceback", "cause", "error", "wrapper")  # the better ones first


class Reading:
    """What an output says, line by line."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.tests: list[str] = []  # totals of tests
        self.problems: list[str] = []  # totals of linters and compilers
        self.failures = self.passes = self.packages = self.cached = 0
        self.failed = self.error_at_end = self.failing_total = self.seen_passing = False
        self.failing_line = self.last_log = ""
        self.passed: list[tuple[str, str]] = []  # whose line, and the line
        self.none: list[str] = []
        self.names: list[str] = []
        self.also: list[str] = []
        self.causes: dict[str, str] = {}

    @property
    def cause(self) -> str:
        """The best cause that was seen."""
        return next((self.causes[kind] for kind in CAUSES if kind in self.causes), "")


def outcome_of(command: str, output: str, is_error: bool | None, exit_code: int | None) -> Outcome:
    """How the command ended; `is_error` and `exit_code` are the client's, None where it does not say."""
    checks = checks_in(command)
    family = strongest(checks) or other_family(command)
    outcome: Outcome = {"verdict": "unknown", "family": family, "line": "", "cause": "", "names": [],
                        "limits": [limit for check in checks for limit in check["limits"]]}
    if (prefix := re.match(EXIT_CODE, output)) and is_error is not False:
        exit_code = int(prefix[1]) if exit_code is None else exit_code
        output = output[prefix.end():]
    if is_error is None and exit_code is not None:
        is_error = exit_code != 0
    interrupted = is_error is not False and output.startswith(INTERRUPTED)
    if interrupted:
        output, is_error = output[len(INTERRUPTED):], None
    if is_error is not False and output.lstrip().startswith(REFUSED):
        return {**outcome, "verdict": "not run", "line": fitting([first_line(output)])}
    background = re.search(BACKGROUND, output[:2_000]) if "background" in output[:2_000] else None
    if background:
        return {**outcome, "verdict": "running", "line": f"in the background: {background[1] or background[2]}"}
    lines = lines_of(output)
    reading = read_lines(lines)
    outcome["limits"] += limits_seen(checks, reading)
    if family == "git" or " git " in f" {command}":
        outcome.update(git_outcome(command, lines, is_error))  # type: ignore[typeddict-item]
    if interrupted and not (reading.tests or reading.failed):
        return {**outcome, "line": "interrupted by the user"}
    if not checks:
        return other_outcome(outcome, command, reading, lines, is_error, exit_code)
    return check_outcome(outcome, command, checks, reading, lines, is_error, exit_code)


def strongest(checks: Sequence[Check]) -> str:
    """The family of what is run: tests before builds, those before the others."""
    families = [check["family"] for check in checks]
    return next((family for family in ("test", "build", "types", "lint", "format") if family in families), "")


def limits_seen(checks: Sequence[Check], reading: Reading) -> list[str]:
    """What makes the look at the output less than whole: pipes, results of an earlier run."""
    limits = [f"| {cut_words(' '.join(words_of(text)[:3]), FILTER_MAX_UTF16)}" for check in checks for text in check["filters"]]
    return [*dict.fromkeys(limits), *(["(cached)"] if reading.cached and reading.cached == reading.packages else [])]


# --- the output's lines ---


def lines_of(output: str) -> list[str]:
    """The output's lines without colours; of a long one those of both ends."""
    text = output
    if len(text) > HEAD_CHARACTERS + TAIL_CHARACTERS:
        text = f"{text[:HEAD_CHARACTERS].rpartition(chr(10))[0]}\n{text[-TAIL_CHARACTERS:].partition(chr(10))[2]}"
    if "\x1b" in text:
        text = re.sub(ANSI, "", text)
    return text.replace("\r", "\n").split("\n")


def read_lines(lines: Sequence[str]) -> Reading:
    """What the lines say."""
    reading, table = Reading(), table_of_rows()
    text = "\n".join(lines)
    endings = tuple(word for word in ("FAILED", "Failed", "Passed", "[100%]") if word in text)
    has_others = bool(endings) or " ... FAILED" in text or "━━" in text
    has_prefixes = any(f" {task}: " in text for task in PREFIXED_TASKS)
    dull, findings = set[str](), 0
    for place, line in enumerate(lines):
        parts = line.split(None, 2)
        if not parts:
            continue
        word = parts[0]
        if word[0] == "=":
            parts = line.strip(" \t=").split(None, 2)
            word = parts[0] if parts else ""
        rows = table.get(word)
        if rows is None:
            if has_others and (rows := rows_by_end(line, endings, table)) is not None:
                pass
            elif word in dull or not word:
                continue
            elif (rows := rows_for(line, word, parts, table)) is None:
                if has_prefixes and len(parts) > 2 and parts[1][-1] == ":":
                    rows = ROWS_OF_NONE
                else:
                    if not has_prefixes and not word[0].isdigit() and ":" not in word:
                        dull.add(word)
                    continue
        if (word == "---" and parts[1:2] == ["PASS:"]) or (word == "test" and parts[-1].endswith("... ok")):
            reading.seen_passing = True
            continue
        text = line[:LINE_MAX_CHARACTERS].strip(" \t=") if len(line) > LINE_MAX_CHARACTERS else line.strip(" \t=")
        if not take_line(reading, rows, text, lines, place) and not take_prefixed(reading, rows, text, word, lines, place):
            continue
        findings += 1
        if findings >= FINDINGS_MAX and place < len(lines) - FINDINGS_MAX:
            return joined_readings(reading, read_lines(lines[-FINDINGS_MAX:]))
    return reading


LOOKING_ON = ("next", "below", "above", "then", "why", "go fail", "traceback", "located")  # take something of other lines
PREFIXED_TASKS = ("test", "build", "lint", "check", "typecheck", "e2e")


def take_prefixed(reading: Reading, rows: Sequence[Row], text: str, word: str, lines: Sequence[str], place: int) -> bool:
    """Takes what the line says behind the name of the task that printed it; whether it says something."""
    if word[-1] not in "]:│┃║" and word[0] != "#" and rows is not ROWS_OF_NONE:
        return False
    match = compiled(PREFIX).match(text)
    parts = text[match.end():].split(None, 2) if match else []
    if not match or not parts:
        return False
    table = table_of_rows()
    inner = text[match.end():]
    if parts[0] == "Finished" and text[0] == "[":
        inner_rows: Sequence[Row] | None = table["[]Finished"]
    else:
        inner_rows = table.get(parts[0]) or rows_for(inner, parts[0], parts, table)
    for runner, says, pattern in inner_rows or ():
        if inner_match := compiled(pattern).match(inner):
            begin, prefix = max(place - 60, 0), text[:match.end()]
            near = [line.strip().replace(prefix, "", 1) for line in lines[begin:place + 60]] if says in LOOKING_ON else lines
            take_match(reading, runner, says, inner_match, near, place - begin if says in LOOKING_ON else place)
            return True
    return False


def joined_readings(first: Reading, last: Reading) -> Reading:
    """What the begin of a long list of findings says, and its end."""
    last.names, last.also = first.names + last.names, first.also + last.also
    last.causes = {**last.causes, **first.causes}
    last.failed |= first.failed
    last.failures += first.failures
    last.passes += first.passes
    last.packages += first.packages
    last.cached += first.cached
    last.tests, last.problems = first.tests + last.tests, first.problems + last.problems
    last.passed = first.passed + last.passed
    return last


Row = tuple[str, str, str]
TABLE: dict[str, list[Row]] = {}
PATTERNS: dict[str, re.Pattern[str]] = {}


def table_of_rows() -> dict[str, list[Row]]:
    """The rows by the word that their lines begin with; made when first asked for."""
    if not TABLE:
        for runner, says, words, pattern in ROWS:
            for word in words.split():
                TABLE.setdefault(word, []).append((runner, says, pattern))
    return TABLE


def rows_by_end(line: str, endings: tuple[str, ...], table: dict[str, list[Row]]) -> list[Row] | None:
    """The rows for a line that is known by its end, or by what stands within it."""
    if line.endswith(endings):
        if " > " in line:
            return table[">"]
        if "...." in line:
            return table["...."]
        if line.endswith("[100%]") and not line.split(None, 1)[0].strip(".sxX"):
            return table["[100%]"]
    if " ... FAILED" in line:
        return table["..."] if not line.startswith("test ") else None
    return table["format"] if "━━" in line and " format " in line else None


def rows_for(line: str, word: str, parts: Sequence[str], table: dict[str, list[Row]]) -> list[Row] | None:
    """The rows for a line whose first word alone has none: by its kind."""
    first, last = word[0], word[-1]
    if first in "[#│┃║":
        return table["["]
    if first.isdigit():
        return rows_for_number(line, word, parts, table)
    if ":" in word or last == ")":
        return rows_for_place(line, word, table)
    if first == "^":
        return table["^"]
    if word.endswith(("Error", "Exception")) and (len(parts) == 1 or parts[1][0] == "["):
        return table["Error"]
    return table["ERR_PNPM"] if word.startswith("ERR_PNPM") else None


def rows_for_number(line: str, word: str, parts: Sequence[str], table: dict[str, list[Row]]) -> list[Row] | None:
    """The rows for a line that begins with a number: `12 passed`, `1) name`, `00:01 +1: …`, `1:7  error …`."""
    if len(parts) < 2:
        return None
    if word[-1] == ")":
        return table["0)"] if word[:-1].isdigit() else None
    if ":" in word:
        return table[":+"] if parts[1][0] == "+" else table["@error"] if parts[1] == "error" else None
    return table.get(f"0{parts[1].rstrip('.:,;')}")


def rows_for_place(line: str, word: str, table: dict[str, list[Row]]) -> list[Row] | None:
    """The rows for a line that begins with a place in a file, or with a word and a colon."""
    if word.endswith(("Error:", "Exception:")):
        return table["Error"]
    if word.startswith(("make[", "gmake[")):
        return table["make:"]
    if word.startswith("error["):
        return table["error["]
    if "::" in word and word[-1] != ":":
        return table["::"] if "FAILED" in line or "ERROR" in line else None
    if ".go:" in word:
        return table["@go"]
    if " error" in line:
        return table["@error"]
    if " undefined reference to " in line:
        return table["@ld"]
    if ":in" in word:
        return table["@ruby"]
    if any(sign.isdigit() for sign in word[-4:]) and ("." in word or "/" in word):
        return table["@biome"] if "━" in line else table["@code"]
    return ROWS_OF_NONE if word[-1] == ":" else None


ROWS_OF_NONE: list[Row] = []  # looked at once more without the prefix


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when a line that may fit it is read for the first time."""
    known = PATTERNS.get(pattern)
    if known is None:
        known = PATTERNS[pattern] = re.compile(pattern)
    return known


def take_line(reading: Reading, rows: Sequence[Row], text: str, lines: Sequence[str], place: int) -> bool:
    """Takes what the first fitting row says of the line; whether there is one."""
    for runner, says, pattern in rows:
        match = compiled(pattern).match(text)
        if match:
            take_match(reading, runner, says, match, lines, place)
            return True
    return False


def take_match(reading: Reading, runner: str, says: str, match: re.Match[str], lines: Sequence[str], place: int) -> None:
    """What one telling line says."""
    groups = match.groupdict()
    text = match.string
    if says in ("tests", "problems"):
        take_total(reading, runner, says, text)
    elif says == "go ok":
        reading.packages += 1
        reading.cached += bool(groups["cached"])
        (reading.none if groups["none"] else reading.tests).append(text)
        reading.passes += not groups["none"]
    elif says in ("passed", "built"):
        reading.passed.append((runner if says == "passed" else "built", text))
    elif says == "none":
        reading.none.append(groups.get("cause") or text)
    elif says == "ran":
        (reading.none if text.startswith("Ran 0 ") else reading.tests).append(text)
    elif says == "bad":
        reading.problems.append(text)
        reading.failed = True
    elif says == "seen":
        reading.seen_passing = True
    elif says == "located":
        above = next((line.strip() for line in reversed(lines[max(place - 2, 0):place]) if line.strip()), "")
        if not above.startswith(("warning", "note", "help", "|", "-", "=")) and above.strip("│ "):
            reading.causes["near"] = reading.causes.get("near") or f"{above} ({groups['place']})"
    else:
        take_failure(reading, says, groups, lines, place)


def take_failure(reading: Reading, says: str, groups: dict[str, str | None], lines: Sequence[str], place: int) -> None:
    """A line that says that something failed, what, or why."""
    name, also = (groups.get("name") or "").strip(" ─"), groups.get("also") or ""
    cause = groups.get("cause") or groups.get("cause2") or ""
    kind = {"next": "near", "below": "near", "why": "wrapper", "then": "error", "above": "near"}.get(says, says)
    if says in ("next", "below", "why", "above", "then") and len(reading.names) < NAMES_READ_MAX:
        near = lines_below(lines, place, says == "next")
        if says == "below" and near:
            name, near = near[0].split(" [")[0].rstrip(":"), near[1:]
        if says == "next" and name and near and near[0].endswith(":") and near[0][:1].islower():  # mocha's title in parts
            name, near = f"{name} {near[0].rstrip(':')}", near[1:]
        near = with_expected(near)
        if says == "then":
            cause = f"{cause} {near[0]}" if near and cause.endswith(":") or cause.startswith(("CMake", "./")) and near else cause
        else:
            cause = near[0] if near else ""
            if says == "why" and len(near) > 1 and near[1].startswith("> "):
                cause = f"{cause} {near[1][2:]}"
    elif says == "go fail":
        cause = reading.causes.get("near") or reading.causes.get("cause") or go_message(lines, place)
        kind = "near"
    elif says == "log":
        cause, reading.last_log = "", cause
    elif says == "traceback" and kind not in reading.causes:
        cause = end_of_traceback(lines, place)
    if name and name not in ("Test suite failed to run",):
        reading.names.append(name)
    if also:
        reading.also.append(also)
    if also and says == "failed" and reading.last_log and not reading.names:
        reading.causes.setdefault("cause", reading.last_log)
    if cause and kind not in reading.causes:
        reading.causes[kind] = cause
    if says in ("failed", "go fail", "next", "below", "why", "wrapper"):
        reading.failed = True
        reading.failing_line = reading.failing_line or ("" if name or also or cause else lines[place].strip()[:LINE_MAX_CHARACTERS])
    elif says in ("error", "traceback", "then") and place >= len(lines) - LAST_LINES - (30 if says == "traceback" else 0):
        reading.error_at_end = True


def lines_below(lines: Sequence[str], place: int, indented: bool) -> list[str]:
    """The next lines that say something; where a blank line comes first they must be indented more, or they are others'."""
    near, depth, blank = list[str](), len(lines[place]) - len(lines[place].lstrip()), False
    for line in lines[place + 1:place + 8]:
        text = line.strip(" \t│=")
        if not text:
            blank = True
        elif indented and blank and not near and len(line) - len(line.lstrip()) <= depth:
            break
        elif not re.match(r"[\w./-]{1,200}:\d+$|[-=─_]{3,}$|❯ |ESLint: ", text):
            near.append(text[:LINE_MAX_CHARACTERS])
        if len(near) == 4:
            break
    return near


def go_message(lines: Sequence[str], place: int) -> str:
    """What a failing Go test said last: below its line, or with -v above it."""
    pattern, message = compiled(r"\s*(\S{1,200}_test\.go:\d+: .+)"), ""
    for line in lines[place + 1:place + 60]:
        if line.startswith(("---", "FAIL", "===", "ok ")) or (message and line.lstrip().startswith("--- FAIL")):
            break
        if match := pattern.match(line[:LINE_MAX_CHARACTERS]):
            message = match[1]
    for line in reversed(lines[max(place - 60, 0):place]) if not message else ():
        if line.startswith("---"):
            break
        if match := pattern.match(line[:LINE_MAX_CHARACTERS]):
            return match[1]
    return message


def with_expected(near: Sequence[str]) -> list[str]:
    """The lines with what was expected and what came joined to the first."""
    end = 1
    while end < len(near) and re.match(r"(?:Expected|Received|Actual|expected|got|left|right)\b", near[end]):
        end += 1
    return [", ".join(near[:end]), *near[end:]] if near else []


def end_of_traceback(lines: Sequence[str], place: int) -> str:
    """The last line of a Python traceback: the error; of a chain of them the last one's."""
    begin, cause = place, ""
    for number in range(place + 1, min(len(lines), place + 400)):
        line = lines[number]
        if line.startswith("Traceback ("):
            begin = number
        elif line and not line[0].isspace() and begin >= 0 and re.match(r"[A-Za-z_][\w.]{0,100}(?::|$)", line):
            cause, begin = line.strip()[:LINE_MAX_CHARACTERS], -1
        elif begin < 0 and line and not line.startswith(("During handling of", "The above exception")):
            break
    return cause


NUMBERS = (r"(\d+)(?: tests?| of \d+)? (failed|failures?|failing|errors?|fail|issues?|offenses?|diagnostics?|interrupted|cancelled)\b"
           r"|\b([Ff]ail(?:ed|ures)?|[Ee]rrors|fail|cancelled):? +(\d+)\b| -(\d+): Some")
PASSES = (r"(\d+) (?:tests? )?(?:passed|passing|pass|succeeded|successful)\b|\b(?:[Pp]assed|succeeded|pass):? +(\d+)\b|\+(\d+)[: ~-]"
          r"|^(\d+) (?:examples?|tests?|runs|doctests?)\b|(?:Tests run|Tests|Executed|with|DONE):? (\d+)\b")


def take_total(reading: Reading, runner: str, says: str, text: str) -> None:
    """A line of totals: how many failed, how many there were."""
    failures = sum(int(number) for match in compiled(NUMBERS).finditer(text) for number in match.group(1, 4, 5) if number)
    passes = sum(int(number) for match in compiled(PASSES).finditer(text) for number in match.groups() if number)
    reading.failures += failures
    if says == "problems":
        reading.problems.append(text)
        if not failures and runner not in ("cc",):
            reading.passed.append((runner, text))
        return
    if runner == "ctest":
        passes = 0 if text.startswith("0%") else 1
    reading.passes += passes
    if not passes and not failures and not (runner == "node" or (runner == "playwright" and "flaky" in text)):
        reading.none.append(text)
    else:
        reading.tests.append(text)


# --- the verdict ---


def check_outcome(outcome: Outcome, command: str, checks: Sequence[Check], reading: Reading, lines: Sequence[str],
                  is_error: bool | None, exit_code: int | None) -> Outcome:
    """How the checks ended."""
    if any(check["in_background"] for check in checks) and not (reading.failed or reading.tests):
        return {**outcome, "verdict": "running", "line": "in the background of its shell"}
    shown = exit_shown(command, lines)
    text = [line.strip() for line in lines if line.strip()]
    has_failed = reading.failed or reading.failures > 0 or lists_files(checks, text)
    cause = reading.cause
    all_shown = all(check["shows_exit"] for check in checks) and is_error is not None
    if shown is not None and len(checks) == 1:
        all_shown, is_error, exit_code = True, shown != 0, shown
        has_failed = has_failed and shown != 0
    if is_error and (exit_code in (126, 127) or cd_failed(command, text)) and not reading.tests:
        return {**outcome, "verdict": "not run", "cause": cause or last_line(text), "line": fitting([cause or last_line(text)])}
    if all_shown and not is_error:
        swallows = any(not check["runner"] for check in checks) or any(option in command for option in NEVER_FAILING)
        is_total = reading.failures > 0 and (reading.tests or reading.problems)
        verdict = "failed" if lists_files(checks, text) or (swallows and is_total) else "passed"
    elif all_shown:
        others_failed = has_passed(reading, checks) and not has_failed and len(pieces_of(command)) > len(checks)
        if others_failed and not (reading.none and not reading.tests):
            return other_outcome({**outcome, "family": other_family(command)}, command, reading, lines, is_error, exit_code)
        verdict = "failed"
        if exit_code == 124 and not has_failed:
            cause = "timed out"
    elif has_failed:
        verdict = "failed"
    else:
        verdict = seen_verdict(checks, reading, text, is_error)
    if verdict in ("passed", "failed") and reading.none and not reading.tests and not has_failed and not reading.causes and (
            outcome["family"] == "test" and not reading.passes):
        verdict = "not run"
    if is_error and verdict == "failed":
        failing = [check for check in checks if check["shows_exit"]] if len(checks) > 1 and checks[-1]["filters"] else checks
        if not (reading.tests or reading.names or reading.also or reading.none):
            failing = [check for check in failing if check["family"] != "test"]
        outcome["family"] = strongest(failing) or outcome["family"]
    return told_outcome(outcome, command, verdict, cause, reading, text, is_error, exit_code)


def seen_verdict(checks: Sequence[Check], reading: Reading, text: Sequence[str], is_error: bool | None) -> str:
    """The verdict where the exit code is another program's and nothing says that something failed."""
    if reading.none and not reading.tests and not reading.causes and any(check["family"] == "test" for check in checks):
        if any(line.startswith("test result:") and "; 0 filtered" in line for line in reading.none):
            return "passed" if any(line.startswith("Doc-tests") for line in text) else "unknown"
        is_cut = any(check["filters"] and not sees_failures({**check, "filters": [part.replace("tail", "head", 1) for part in check["filters"]]}, len(text))
                     for check in checks)
        return "unknown" if is_cut else "not run"
    if (reading.error_at_end or (reading.none and reading.causes)) and not reading.passes:
        return "failed"
    hidden = [check for check in checks if not check["shows_exit"] or is_error is not False]
    return "passed" if all(is_seen_to_pass(check, reading, text) for check in hidden) else "unknown"


def is_seen_to_pass(check: Check, reading: Reading, text: Sequence[str]) -> bool:
    """Whether the output shows that this check passed."""
    family = STEP_FAMILIES[check["family"]]
    runners = {runner for runner, _ in reading.passed if runner != "mise" or not check["runner"] and all(
        words_of(text)[:1] == ["tail"] for text in check["filters"])}
    is_any = check["name"].rpartition(" ")[2] in AMBIGUOUS
    if reading.tests and (family == "test" or is_any):
        return True
    if family == "test" and not is_any:
        return bool(runners & {*OF_TESTS, *OF_ALL}) or (reading.seen_passing and sees_failures(check, len(text)))
    if runners or reading.problems:
        return True
    return check["runner"] in SILENT and sees_failures(check, len(text)) and (
        not text if len(check["filters"]) == 1 or not check["filters"] else not text and sees_failures(check, 0))


AMBIGUOUS = ("check", "checks", "ci", "verify", "preflight", "qa")


def has_passed(reading: Reading, checks: Sequence[Check]) -> bool:
    """Whether totals say that what was checked passed."""
    return all(is_seen_to_pass({**check, "filters": ["grep x"]}, reading, ["x"]) for check in checks)


def sees_failures(check: Check, count: int) -> bool:
    """Whether a failure would be in what the pipe lets through of an output of `count` lines."""
    for text in check["filters"]:
        words = words_of(text)
        program = words[0].rpartition("/")[2] if words else ""
        if program in ("tail", "head"):
            number = next((int(digits) for word in words[1:] if (digits := word.lstrip("-n"))and digits.isdigit()), 10)
            if count >= number and program == "head":
                return False
        elif program in ("grep", "egrep", "rg"):
            if "-v" not in words and not re.search(r"(?i)fail|error", text):
                return False
            if "-v" not in words and check["runner"] in SILENT:
                return False
        elif program not in ("cat", "tee", "sort", "uniq", "less"):
            return False
    return True


def lists_files(checks: Sequence[Check], text: Sequence[str]) -> bool:
    """Whether a formatter that was to list what it would change has listed files."""
    return bool(text) and len(checks) == 1 and checks[0]["runner"] in LISTING and bool(
        re.search(r" -\w*l\w*\b", checks[0]["command"])) and all(re.match(r"\S+\.\w{1,6}$", line) for line in text)


def exit_shown(command: str, lines: Sequence[str]) -> int | None:
    """The exit code that the command has printed itself, as in `pytest > log; echo "exit $?"`."""
    if "$?" not in command and "PIPESTATUS" not in command:
        return None
    pieces = pieces_of(command)
    for place, (piece, _) in enumerate(pieces):
        match = re.match(r"echo\s+[\"']?([^$\"']{0,60})\$(?:\?|\{PIPESTATUS\[0\]\}|\{\?\})", piece)
        if not match or not place:
            continue
        if "$?" in piece and place > 1 and pieces[place - 2][1] in ("|", "|&") and "pipefail" not in command:
            return None  # the exit code of the pipe's last program
        pattern = re.escape(match[1].strip()) + r"\s{0,9}(\d{1,3})(?!\d)"
        for line in reversed(lines):
            if shown := re.match(pattern, line.strip()):
                return int(shown[1])
    return None


def cd_failed(command: str, text: Sequence[str]) -> bool:
    """Whether the command ended before the check, as its folder is none."""
    return "cd " in command and len(text) < 4 and any(re.search(r"\bcd:", line) for line in text)


def other_outcome(outcome: Outcome, command: str, reading: Reading, lines: Sequence[str],
                  is_error: bool | None, exit_code: int | None) -> Outcome:
    """How a command ended that is no check, or whose checks are not what failed."""
    text = [line.strip() for line in lines if line.strip()]
    if is_error is None:
        return {**outcome, "line": outcome["line"] or fitting([last_line(text)])}
    if is_error:
        cause = outcome["cause"] or reading.cause or ("timed out" if exit_code == 124 else telling_line(text))
        verdict = "not run" if exit_code in (126, 127) else "failed"
        names = unique_names(reading.names or reading.also)
        parts = [*short_totals(reading.tests)[-1:], ", ".join(names[:NAMES_IN_LINE_MAX])] if names else []
        cause = "" if names and not reading.cause else cause
        return {**outcome, "verdict": verdict, "cause": cut_words(cause, CAUSE_MAX_CHARACTERS), "names": names,
                "line": outcome["line"] or fitting([*parts, cause or ("" if parts else f"exit {exit_code or 1}")])}
    if is_looking(command):
        return {**outcome, "verdict": "ended"}
    pieces = pieces_of(command)
    is_hidden = any(sign in ("|", "|&", ";", "||", "\n", "&") for _, sign in pieces) and "pipefail" not in command
    success = next((line for _, line in reversed(reading.passed)), "") if outcome["family"] else ""
    is_known = bool(outcome["family"]) or "traceback" in reading.causes
    if is_hidden and not success and (
            outcome["cause"] or (is_known and reading.error_at_end) or (reading.failed and outcome["family"] == "git")):
        cause = outcome["cause"] or reading.cause
        return {**outcome, "verdict": "failed", "cause": cut_words(cause, CAUSE_MAX_CHARACTERS), "line": outcome["line"] or fitting([cause])}
    outcome["line"] = outcome["line"] or fitting([success])
    if any(sign in ("|", "|&") for _, sign in pieces) and "pipefail" not in command and not outcome["line"]:
        return {**outcome, "line": f"exit 0 of `{ending_program(command)}`"}
    return {**outcome, "verdict": "ended", "line": outcome["line"] or fitting([last_line(text)])}


def told_outcome(outcome: Outcome, command: str, verdict: str, cause: str, reading: Reading, text: Sequence[str],
                 is_error: bool | None, exit_code: int | None) -> Outcome:
    """The outcome with what a person would want to read."""
    names = unique_names(reading.names or reading.also) if verdict == "failed" else []
    if verdict == "failed":
        totals = [line for line in [*reading.tests, *reading.problems] if not line.startswith("ok ")]
        totals = short_totals(totals)
        shown_names = ", ".join(names[:NAMES_IN_LINE_MAX]) + (f" +{len(names) - NAMES_IN_LINE_MAX}" if len(names) > NAMES_IN_LINE_MAX else "")
        parts = [*totals[-2:], shown_names, cause]
        if not any(parts):
            parts = [reading.failing_line] if reading.failing_line else parts
        if not any(parts):
            parts = [telling_line(text) or f"exit {exit_code or 1}"]
    elif verdict == "passed":
        parts = passed_parts(reading) or [last_line(text) if len(text) == 1 else "", "exit 0" if not is_error else ""]
        cause = ""
    elif verdict == "not run":
        parts = [cause or (reading.none[-1] if reading.none else last_line(text))]
    else:
        program = ending_program(command)
        parts = [f"exit {exit_code if exit_code is not None else int(bool(is_error))} of `{program}`" if is_error is not None else ""]
        cause = ""
    return {**outcome, "verdict": verdict, "line": fitting(parts), "cause": cut_words(cause, CAUSE_MAX_CHARACTERS), "names": names}


def passed_parts(reading: Reading) -> list[str]:
    """What is said of a run that passed: its totals."""
    if reading.packages > 1:
        cached = f", {reading.cached} cached" if reading.cached else ""
        return [f"{reading.packages} packages ok{cached}"]
    totals = short_totals(reading.tests)[-2:]
    return [*totals, *[line for runner, line in reading.passed if not totals or runner == "unittest"][-1:]]


def short_totals(totals: Sequence[str]) -> list[str]:
    """Totals as they are shown: each once, node's and bun's on one line, without jest's suites where there are tests."""
    short = [re.sub(r"; 0 (?:\w+ ?){1,2}(?=;|$)", "", re.sub(r"\s+", " ", line.lstrip("#ℹ ")).strip("= .:")) for line in totals]
    short = list({re.sub(r"[\d.]+", "", line)[:20]: line for line in short}.values())
    if len(short) > 1 and any(line.startswith("Summary [") for line in short):  # nextest's own, not what its tests print
        short = [line for line in short if not line.startswith("test result:")]
    results = [line for line in totals if line.startswith("test result:")]
    if len(results) > 1 and any(line.startswith("test result:") for line in short):  # of several test binaries: their sum
        passed, failed = (sum(int(match[1]) for line in results if (match := re.search(rf"(\d+) {word}", line))) for word in ("passed", "failed"))
        short = [*(line for line in short if not line.startswith("test result:")), f"{passed} passed; {failed} failed in {len(results)} test binaries"]
    small = [line for line in short if re.match(r"(?:pass|fail|tests|cancelled) \d+$|\d+ (?:pass|fail)$", line)]
    others = [line for line in short if line not in small]
    if any(line.startswith("Tests") for line in others):
        others = [line for line in others if not re.match(r"Test (?:Suites|Files)\b(?!.*failed)", line)]
    small = [line for line in small if not line.startswith(("tests", "cancelled 0"))]
    return [*dict.fromkeys([*others[-3:], *([", ".join(small[-2:])] if small else [])])]


def unique_names(names: Sequence[str]) -> list[str]:
    """The first names, each once, none that is the end of another (`cents` of `rates cents`) or its parent."""
    short = [cut_words(name, NAME_MAX_CHARACTERS) for name in dict.fromkeys(names[:60])]
    return [name for name in short if not any(name != other and (other.endswith((f" {name}",)) or other.startswith(f"{name}/"))
                                              for other in short)][:NAMES_MAX]


def first_line(output: str) -> str:
    """The first line that is not empty."""
    return next((line.strip() for line in output[:4_000].split("\n") if line.strip()), "")


def last_line(text: Sequence[str]) -> str:
    """The last line, of lines that are not empty."""
    return text[-1][:LINE_MAX_CHARACTERS] if text else ""


def telling_line(text: Sequence[str]) -> str:
    """The line that tells most where none is known: the first of a few, the last of many."""
    return text[0][:LINE_MAX_CHARACTERS] if 0 < len(text) <= 3 else last_line(text)


def fitting(parts: Sequence[str]) -> str:
    """The parts on one line, as much as there is room for."""
    kept = [re.sub(r"\s+", " ", part[:LINE_MAX_CHARACTERS]).strip() for part in parts if part.strip()]
    return cut_words(" · ".join(dict.fromkeys(kept)), OUTCOME_MAX_UTF16)


def cut_words(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units: whole words alone, so that no half of a secret is left that nothing recognises."""
    text = re.sub(r"\s+", " ", text[:2_000]).strip()
    if units(text) <= limit:
        return text
    while units(text) > limit - 2 and " " in text:
        text = text.rpartition(" ")[0]
    return f"{text} …" if units(text) <= limit - 2 else "…"


# --- git ---

CONTINUE = r"(?:git )?(merge|rebase|cherry-pick|revert|am) --(?:continue|skip|abort)"


def git_outcome(command: str, lines: Sequence[str], is_error: bool | None) -> Outcome:
    """What git's output says: commit, where it was pushed, files in conflict, what waits for its end."""
    text = "\n".join(lines)
    outcome: Outcome = {}
    if match := re.search(r"^\[(\S+(?: HEAD)?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)", text, re.MULTILINE):
        outcome.update({"branch": match[1], "commit": match[2], "subject": match[3].strip(),
                        "line": fitting([f"[{match[1]} {match[2]}] {match[3]}"])})
    parts = [outcome["line"]] if outcome else []
    if match := re.search(r"^(?: {0,3}\*? {0,3}\[new (?:branch|tag)\]| {1,3}[+ ]? ?[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})\s+\S+ +-> (\S+)",
                          text, re.MULTILINE):
        remote = re.search(r"^To (\S+)", text, re.MULTILINE)
        if remote:
            outcome["pushed"] = f"{re.sub(r'//[^/@]{1,300}@', '//', remote[1])} {match[1]}"
            parts.append(f"pushed to {match[1]}")
    conflicts = re.findall(r"^CONFLICT \([^)]{1,60}\): (?:Merge conflict in )?(.{1,300})", text, re.MULTILINE)
    waiting = re.search(rf"^hint: .*{CONTINUE}", text, re.MULTILINE)
    if conflicts or waiting:
        outcome["conflicts"] = [re.split(r" (?:deleted|renamed|added|left) ", path)[0] for path in dict.fromkeys(conflicts)]
        outcome["begun"] = waiting[1] if waiting else "merge"
        parts.append(f"{outcome['begun']} stopped: conflict in {', '.join(outcome['conflicts'][:5]) or 'files'}")
        outcome["cause"] = parts[-1]
    else:
        if match := re.search(r"^(?:nothing|no changes) (?:added )?(?:to|added to) commit.*", text, re.MULTILINE):
            outcome["cause"] = match[0]
        parts += [match[0].strip() for match in re.finditer(
            r"^(?:.{0,60}nothing to commit.*|nothing added to commit.*|no changes added to commit.*|Everything up-to-date|Already up to date\."
            r"|Fast-forward|Merge made by .*|.{0,40}Successfully rebased and updated .*|Current branch .* is up to date\.)$", text, re.MULTILINE)]
        ended = re.search(rf"git (?:-\S+ \S+ )?{CONTINUE[8:]}", command)
        if ended and not is_error:
            outcome["finished"] = ended[1]
            parts.append(f"{ended[1]} {'given up' if '--abort' in ended[0] else 'ended'}")
        elif "Successfully rebased" in text:
            outcome["finished"] = "rebase"
    if match := re.search(r"^ ! \[(?:remote )?rejected\].*|^hint: (?:Updates were rejected because.*)|^fatal: .*|^error: (?!failed to push).*", text, re.MULTILINE):
        outcome.setdefault("cause", match[0].strip(" !"))
        parts.append(match[0].strip(" !"))
    if parts:
        outcome["line"] = fitting(parts)
    return outcome


def lines_with(lines: Sequence[str], text: str) -> Iterator[str]:
    """The lines that hold the text."""
    return (line for line in lines if text in line)
