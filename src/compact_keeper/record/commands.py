"""What a command line runs: which checks, how broadly, whether its exit code is theirs, and whether it only looks.

One vocabulary for all who ask. Nothing is known of a project: `npm test` is a test by its name, whatever it starts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from compact_keeper.types import Check

COMMAND_MAX_CHARACTERS = 20_000  # looked at; what is longer holds a file's text
COMMANDS_KEPT = 1_024  # taken apart, as several ask for each; what they get is not to be changed
PIECES_MAX, WORDS_MAX = 200, 400  # of a line the first commands, of a command the first words
HERE_DOCUMENTS_MAX = 20
HERE_DOCUMENT = r"<<-?\s{0,9}([\"']?)(\w{1,40})\1"
SHELL_SIGNS = (
    r"\\.|\"(?:\\.|[^\"\\])*\"|'[^']*'|\$\([^()\n]{0,300}\)"  # one whole, however many signs it holds
    r"|(?P<sign>&&|\|\||\|&?|;|\n|(?<![&>])&(?![&>]))")
SHELL_WORD = r"(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s])+?(?=\s|$)"
SHELL_KEYWORDS = ("do", "then", "else", "if", "while", "until", "!", "{", "time", "for")
INNER_SHELL = r"(?:/bin/)?(?:ba|z|da)?sh -[lix]{0,3}c (?P<quote>[\"'])(?P<inner>.*)(?P=quote)$"
ASSIGNED = r"[A-Za-z_]\w{0,60}=(?:\"[^\"]{0,500}\"|'[^']{0,500}'|[^\s\"']{0,500})(?=\s)"
ASSIGNED_IN_QUOTES = r"\"[A-Za-z_]\w{0,60}=[^\"]{0,500}\"(?=\s)"  # as `env "PATH=$HOME/bin:$PATH" serve` has it
BEFORE_PROGRAM = {  # words that say nothing of it, with what belongs to them
    **dict.fromkeys(("time", "command", "exec", "env", "nice", "nohup", "uvx", "cross-env", "rtk"), ""),
    **dict.fromkeys(("sudo", "caffeinate"), r"(?: -\w+)?"),
    **dict.fromkeys(("timeout", "gtimeout"), r"(?: -\S+)* [\d.]+\w?"),
    **dict.fromkeys(("pnpm", "npm", "yarn"), r"(?: --?[\w-]+(?:=\S+)?)* (?:exec|dlx)(?: --)?"),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye"), " run"),
    "xvfb-run": "(?: -a)?", "stdbuf": r" -\S+", "npx": r"(?: --?[\w-]+)*", "bunx": r"(?: --\w+)?",
    "uv": r"(?: --\S+)* run(?: --(?:extra|group|with|python) \S+| --[\w-]+(?:=\S+)?)*",
    "bundle": " exec", "mise": r" (?:exec|x)(?: \S+)? --", "direnv": r" exec \S+", "dotenv": " --",
    "docker-compose": r" (?:exec|run)(?: -\S+)* [\w.-]+",
    "docker": r" compose (?:exec|run)(?: -\S+)* [\w.-]+| exec(?: -\S+)* [\w.-]+",
    "python": " -m", "coverage": r" run(?: --?\S+)*? -m| run", "opam": " exec --", "nix": r" develop(?: \S+)? -c"}
CHECKING_PROGRAMS = {  # by what they check, whatever else they are given
    "test": "pytest py.test unittest nose2 tox nox jest vitest mocha ava tap rspec phpunit pest ctest gotestsum bats "
            "behave cucumber karma jasmine prove busted newman testcafe",
    "types": "tsc tsgo mypy dmypy pyright basedpyright pyre vue-tsc svelte-check ty phpstan psalm",
    "lint": "eslint flake8 pylint rubocop golangci-lint shellcheck stylelint oxlint staticcheck swiftlint ktlint "
            "detekt checkstyle actionlint hadolint yamllint tflint ansible-lint bandit semgrep standardrb phpcs "
            "luacheck pre-commit lint-staged knip cspell markdownlint xo tslint revive",
    "format": "prettier black gofmt goimports gofumpt rustfmt isort dprint clang-format stylua shfmt swiftformat",
    "build": "webpack rollup esbuild tsup ninja msbuild gcc g++ cc c++ clang clang++ javac rustc kotlinc swiftc "
             "parcel hugo electron-builder",
}
CHECKING_SUBCOMMANDS = {  # program and subcommand; a dash begins an option that makes it one
    "test": "go:test cargo:test cargo:t cargo:nextest swift:test flutter:test flutter:drive dart:test mix:test "
            "deno:test bun:test dotnet:test zig:test node:--test playwright:test cypress:run "
            "rails:test artisan:test manage.py:test bazel:test dune:test stack:test cabal:test sbt:test lein:test "
            "gleam:test forge:test hardhat:test bin/rails:test react-scripts:test ng:test",
    "types": "cargo:check cargo:c deno:check mix:dialyzer astro:check nuxi:typecheck",
    "lint": "go:vet cargo:clippy ruff:check biome:lint biome:check biome:ci deno:lint flutter:analyze dart:analyze "
            "mix:credo terraform:validate tofu:validate helm:lint next:lint ng:lint buf:lint cargo:deny",
    "format": "go:fmt cargo:fmt ruff:format biome:format deno:fmt dart:format mix:format terraform:fmt tofu:fmt "
              "dotnet:format",
    "build": "go:build go:install go:generate cargo:build cargo:b cargo:doc swift:build flutter:build dart:compile "
             "mix:compile bun:build dotnet:build dotnet:publish dotnet:msbuild zig:build cmake:--build "
             "docker:build docker:buildx podman:build bazel:build vite:build next:build astro:build "
             "nuxt:build ng:build react-scripts:build tauri:build mkdocs:build packer:build stack:build cabal:build "
             "sbt:compile gleam:build forge:build wails:build meson:compile",
}
TASK_RUNNERS = frozenset((  # the name of the task says what it does
    "npm pnpm yarn bun deno mise just make gmake task gradle gradlew mvn mvnw rake rails composer nx turbo lerna "
    "hatch invoke poe melos ninja ant wireit moon pixi rush").split())
TASK_WORDS = {
    "test": "test tests spec specs e2e integration unit check checks ci verify coverage unittest qa preflight vitest "
            "jest pytest playwright cypress",
    "types": "types typecheck type tsc mypy pyright",
    "lint": "lint lints vet analyze analyse eslint clippy ruff",
    "format": "format fmt prettier spotless",
    "build": "build compile assemble package bundle",
}
SAME_RUNNERS = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn"}
AMBIGUOUS_TASKS = ("check", "checks", "ci", "verify", "preflight", "qa")  # whatever passes there, passes
NOT_TASKS = frozenset((
    "install i add remove rm uninstall publish update upgrade outdated audit view info init create link dlx start "
    "dev serve clean why list ls config trust use watch settings").split())
OPTIONS_WITH_VALUE = frozenset((
    "-C -f -j -o -c -n -w --filter --prefix --cwd --dir --config --workspace --reporter --rootdir --output -timeout "
    "--timeout -count --count -coverprofile --cov -parallel --maxfail --tb -p:v --format --env --ignore --durations "
    "-l --log-level -s --test-dir --build -G -B -S --target --jobs --workers --retries -v:m --outfile --outDir "
    "--logger -bench -benchtime --ext --max-warnings --output-format --config-file --python-version --line-length "
    "--parser --severity --cache-dir --ignore-path --pythonpath --python-executable --stdin-filename -project "
    "-workspace -scheme -testPlan -destination -configuration -sdk -derivedDataPath -resultBundlePath "
    "-archivePath").split())
LIMITING = frozenset((  # options that leave something out; what follows says what
    "-run --run -k -m -t -g --grep --testNamePattern --testPathPattern --testPathPatterns --filter --tests -p "
    "--package --test -R -L -E --tests-regex -Dtest -e --example --only --shard --project -only-testing --select "
    "--rule --tags --tag -tags --features --lf --last-failed --changed --onlyChanged --since --affected -short --lib "
    "--bin --bins --doc --spec --findRelatedTests --related --deselect --ignore --exclude -exclude --exact "
    "--no-default-features --suite --group --testsuite --plain-name --name "
    "--match-path --match-test --match-contract -skip --skip --stepwise --sw "
    "-skip-testing").split())
NAME_FILTERS = ("-run", "--run", "-t", "-g", "--grep", "--testNamePattern", "--filter", "-E", "-R")  # parts of names
MODES = ("-tags", "--tags", "--features", "--project", "-m ")  # of these, those that check something else, not less
WITHOUT_VALUE = frozenset((  # of these, those without a value
    "--lf --last-failed --changed --onlyChanged --affected -short --lib --bins --doc --exact --no-default-features "
    "--sw --stepwise").split())
NO_VALUE_FOR = {  # options that mean something else there
    "go": "-p -m -k -t -g -E -L -R -e",
    "make": "-k -t -p -e -R -L -m",
    "mypy": "-p",
    "tsc": "-t -m",
    "eslint": "-p",
    "node": "--test",
    "cc": "-g -E -L -m",
    "gcc": "-g -E -L -m",
    "g++": "-g -E -L -m",
    "clang": "-g -E -L -m",
    "pytest": "-p -t -g -R -L -E -e",
    "docker": "-t -m --tag",
    "dotnet": "-m -p -t",
    "esbuild": "-g",
    "gradle": "-p -m -t",
    "mvn": "-e -f -t",
    "cargo": "-k -m -t",
    "swift": "-k",
    "shellcheck": "-e",
    "black": "-t",
    "xcodebuild": "-t",
    "unittest": "-m -t -p",
    "ctest": "-T",
}
WORDS_ARE_PLACES_FOR = (  # `mypy src`: no task, no subcommand
    "pytest", "jest", "vitest", "mocha", "bun", "mypy", "pyright", "pylint", "flake8", "ruff", "black", "isort",
    "eslint", "prettier", "stylelint", "cargo test", "cargo nextest")
ASKING_XCODEBUILD = "-(?:list|show|version|export|import|download|resolve)"  # options of calls that build nothing
FILE_FOR_TASK = (  # `mise test src/rates.ts`: a file, where a task's name has no slash and no ending
    r"[\w@+.-][\w./@+-]{0,200}/[\w.@+-]{0,100}\.\w{1,8}$|[\w.-]{1,100}(?:\.(?:test|spec)\.|_test\.)\w{1,8}$")
RUNNERS_OF_PLACES = ("bun test", "deno test", "deno lint", "deno check")  # of task runners, those that take paths
NO_PLACES = ("/dev/null", ".", "./...", "...", "run", "--", "test")  # these words leave nothing out
SILENT_RUNNERS = frozenset((  # say nothing when all is well
    "go build", "go vet", "go install", "go fmt", "tsc", "tsgo", "vue-tsc", "gofmt", "goimports", "gofumpt", "shfmt",
    "rustfmt", "cargo fmt", "clang-format", "mix format", "terraform fmt", "isort", "shellcheck", "actionlint",
    "yamllint", "flake8", "eslint", "stylelint", "cc", "gcc", "g++", "clang", "clang++", "javac", "rustc"))
LOOKING_PROGRAMS = frozenset((
    "cat grep egrep fgrep rg ag head tail less more sed awk ls find fd tree echo printf wc sort uniq cut tr diff cmp "
    "jq yq cd true pwd which type whereis file stat du df date env printenv ps top uname whoami hostname basename "
    "dirname realpath readlink column nl od xxd hexdump strings test [ [[ bat tac comm paste fold rev sleep : done "
    "fi esac in case set export lsof pgrep netstat ss ping dig nslookup host sha256sum md5sum").split())
CURL_SENDS = r"-\w*[XdFTOo]|--(?:request|data|form|upload-file|output|remote-name|json)"  # more than a look
FIND_CHANGES = frozenset(("-delete", "-fprint", "-fprint0", "-fprintf", "-fls"))
FIND_STARTS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
LOOKING_SUBCOMMANDS = {
    "git": "status diff log show branch blame ls-files ls-tree grep rev-parse remote describe shortlog reflog "
           "cat-file config rev-list merge-base name-rev tag stash-list stash-show worktree-list for-each-ref fetch "
           "check-ignore",
    "gh": "view list status diff checks search api-get",
    "npm": "ls list view outdated why",
    "docker": "ps logs images inspect",
    "kubectl": "get describe logs",
    "go": "list version env doc",
    "cargo": "tree metadata",
    "pip": "list show freeze",
    "brew": "list info",
    "terraform": "show output state",
}
OTHER_FAMILIES = {  # of commands that are no check
    "git": "git", "gh": "gh", "glab": "gh", "terraform": "deploy", "tofu": "deploy", "kubectl": "deploy",
    "helm": "deploy", "pulumi": "deploy", "vercel": "deploy", "fly": "deploy", "netlify": "deploy",
    "ansible-playbook": "deploy",
    "alembic": "migration", "prisma": "migration", "flyway": "migration", "knex": "migration", "goose": "migration",
    "pip": "install", "pip3": "install", "apt-get": "install", "apt": "install", "brew": "install", "gem": "install"}


@lru_cache(maxsize=COMMANDS_KEPT)
def pieces_of(command: str) -> list[tuple[str, str]]:
    """The commands of a line, each with the sign behind it: &&, ||, |, ;, &, a new line, or nothing at the end."""
    text = without_here_documents(command[:COMMAND_MAX_CHARACTERS]).replace("\\\n", " ")
    pieces, begin = list[tuple[str, str]](), 0
    for match in re.finditer(SHELL_SIGNS, text) if any(map(text.__contains__, "&|;\n")) else ():
        if match["sign"]:
            pieces.append((text[begin:match.start()].strip("() \t\n}"), match["sign"]))
            begin = match.end()
    pieces.append((text[begin:].strip("() \t\n}"), ""))
    pieces = [(piece, sign) for piece, sign in pieces if piece and not piece.startswith("#")]
    pieces = pieces[:PIECES_MAX]
    if pieces and pieces[-1][1] in ("\n", ";", "&&"):
        pieces[-1] = (pieces[-1][0], "")
    if len(pieces) == 1 and "c " in pieces[0][0] and (inner := re.match(INNER_SHELL, pieces[0][0], re.DOTALL)):
        return pieces_of(inner["inner"])
    return pieces


def without_here_documents(command: str) -> str:
    """The command without the texts that it feeds to programs."""
    place = command.find("<<")
    for _ in range(HERE_DOCUMENTS_MAX):
        if place < 0:
            break
        begin = re.compile(HERE_DOCUMENT).match(command, place)
        end = command.find(f"\n{begin[2]}", begin.end()) if begin else -1
        if begin and end >= 0:
            line_end = command.find("\n", begin.end())
            command = command[:place] + command[begin.end():line_end] + command[end + 1 + len(begin[2]):]
        place = command.find("<<", place + 1)
    return command


def program_part(piece: str) -> str:
    """The command without what stands before its program: keywords, variables, timeout, npx and the like."""
    while True:
        word, _, rest = piece.partition(" ")
        if word in SHELL_KEYWORDS and rest:
            piece = rest.strip()
        elif match := before_program(piece):
            piece = piece[match.end():]
        else:
            return piece


def before_program(piece: str) -> re.Match[str] | None:
    """What stands before the command's program and says nothing of it; of a few things the first."""
    word = "".join(piece.split(None, 1)[:1])
    if "=" in word and (match := re.match(rf"(?:{ASSIGNED}|{ASSIGNED_IN_QUOTES})\s+", piece)):
        return match
    word = word.rstrip("0123456789.") if word.startswith("python") else word
    return re.match(rf"{word}[\d.]*(?:{BEFORE_PROGRAM[word]})\s+", piece) if word in BEFORE_PROGRAM else None


@lru_cache(maxsize=COMMANDS_KEPT)
def shell_words(piece: str) -> list[str]:
    """The words of a command, without what stands before its program; what is quoted is one word."""
    part = program_part(piece)
    return re.findall(SHELL_WORD, part) if '"' in part or "'" in part else part.split()


def program_of(words: Sequence[str]) -> str:
    """The program's name without its folder."""
    return words[0].rstrip("/").rpartition("/")[2].strip("\"'") if words else ""


def family_of(words: Sequence[str]) -> tuple[str, str, str]:
    """Family, name and runner of the check that these words run; empty strings when they run none."""
    program = program_of(words)
    rest = [word for word in words[1:] if ">" not in word]
    if {"--version", "--help", "-V", "-version"} & {*rest} or not program:
        return "", "", ""
    known = known_programs()
    if program in known and not (program in ("pre-commit", "lint-staged") and "install" in rest):
        return known[program], program, runner_name(program)
    if program == "xcodebuild":
        return family_of_xcodebuild(rest)
    for word in rest[:8]:
        family = known.get(f"{program}:{word}", "")
        if family and not (word in ("test", "build") and program == "npm"):
            name = word if word[:1].isalpha() else ""
            return family, f"{program} {name}".strip(), runner_name(f"{program} {name}".strip())
        if not word.startswith(("-", "+", "@")) and program not in ("docker", "node", "php"):
            break
    if program in TASK_RUNNERS:
        return task_family(program, rest)
    return script_family(program, words, rest)


def family_of_xcodebuild(words: Sequence[str]) -> tuple[str, str, str]:
    """Of Xcode's builder by its actions, which may stand anywhere; it builds where a scheme is named and no action."""
    if any(re.match(ASKING_XCODEBUILD, word) for word in words):
        return "", "", ""
    if {"test", "test-without-building"} & {*words}:
        return "test", "xcodebuild test", "xcodebuild test"
    is_build = bool({"build", "archive", "build-for-testing"} & {*words}) or (
        "-scheme" in words and "clean" not in words)
    name = "xcodebuild archive" if "archive" in words else "xcodebuild build"
    return ("build", name, name) if is_build else ("", "", "")


def known_programs() -> dict[str, str]:
    """Families by program and by program:subcommand; made when first asked for."""
    if not FAMILY_OF:
        for table in (CHECKING_PROGRAMS, CHECKING_SUBCOMMANDS):
            FAMILY_OF.update({word: family for family, words in table.items() for word in words.split()})
        TASK_FAMILY.update({word: family for family, words in TASK_WORDS.items() for word in words.split()})
    return FAMILY_OF


FAMILY_OF: dict[str, str] = {}
TASK_FAMILY: dict[str, str] = {}


def runner_name(name: str) -> str:
    """Whose output the program prints."""
    return {"py.test": "pytest", "tox": "", "nox": "", "pre-commit": "", "lint-staged": "", "cargo t": "cargo test",
            "cargo b": "cargo build", "cargo c": "cargo check", "docker": ""}.get(name, name)


def task_family(program: str, words: Sequence[str]) -> tuple[str, str, str]:
    """Family and name of what a task runner was told to run."""
    tasks = tasks_in(program, words)
    if not tasks:
        return ("build", program, "") if program in ("make", "gmake", "ninja") else ("", "", "")
    if tasks[0] in NOT_TASKS or (program in ("npm", "pnpm", "yarn") and tasks[0] == "ci"):
        return "", "", ""
    for task in tasks[:6]:
        for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", task.replace("type-check", "typecheck")):
            if family := TASK_FAMILY.get(part.lower(), ""):
                return family, f"{SAME_RUNNERS.get(program, program)} {task}", ""
    return ("build", f"{program} all", "") if program in ("make", "gmake") and tasks[0] == "all" else ("", "", "")


def tasks_in(program: str, words: Sequence[str]) -> list[str]:
    """The words that name tasks: no options, none of their values, nothing behind `--`."""
    tasks, skips = list[str](), False
    for word in words:
        if word == "--":
            break
        if word.startswith("-") or "=" in word:
            skips = word in OPTIONS_WITH_VALUE or (word == "-F" and program == "pnpm")
        elif skips:
            skips = False
        elif re.match(r"[\w.:/@-]{1,80}$", word):
            tasks.append(word)
    return [task for task in tasks if task not in ("run", "run-script", "workspace")] or tasks[:1]


def script_family(program: str, words: Sequence[str], rest: Sequence[str]) -> tuple[str, str, str]:
    """Family and name of a script of the project's own that its name calls a check."""
    is_interpreter = re.match(r"(?:python[\d.]*|node|ruby|php|perl|bash|sh|zsh|tsx|ts-node)$", program)
    script = next((word for word in rest if not word.startswith("-")), "") if is_interpreter else words[0]
    if not script or (not is_interpreter and "/" not in script) or any(word in ("-c", "-e", "-") for word in rest[:1]):
        return "", "", ""
    if program_of([script]) in ("manage.py", "artisan", "rails") and "test" in rest:
        return "test", f"{program_of([script])} test", ""
    parts = re.split(r"[._-]", program_of([script]).lower())
    is_shell = not is_interpreter or program in ("bash", "sh", "zsh")
    for part in parts:
        family = TASK_FAMILY.get(part, "")
        if family == "test" or (family and is_shell):
            return family, script, ""
    return "", "", ""


@lru_cache(maxsize=COMMANDS_KEPT)
def checks_in(command: str) -> list[Check]:
    """The checks that a command runs, in their order."""
    pieces = pieces_of(command)
    is_piped_through = "pipefail" in command
    in_loop = any(piece.split(" ", 1)[0] in ("for", "while", "until", "if") for piece, _ in pieces)
    checks: list[Check] = []
    folder = ""
    for place, (piece, sign) in enumerate(pieces):
        words = shell_words(piece)
        if words[:1] == ["cd"] and len(words) == 2:
            folder = words[1].strip("\"'")
        family, name, runner = family_of(words)
        if not family:
            continue
        filters, behind = list[str](), sign
        for later, later_sign in pieces[place + 1:] if sign.startswith("|") and sign != "||" else ():
            filters.append(later)
            behind = later_sign
            if later_sign not in ("|", "|&"):
                break
        later_signs = {other for _, other in pieces[place + len(filters):] if other not in ("|", "|&")} - {""}
        hidden_by_pipe = filters and not is_piped_through
        checks.append({
            "family": family, "name": name, "runner": runner, "command": " ".join(without_redirections(words)),
            "folder": folder, "limits": limits_of(name, words), "filters": filters,
            "shows_exit": not hidden_by_pipe and not in_loop and later_signs <= {"&&"} and behind in ("", "&&"),
            "in_background": behind == "&" or (piece.startswith("nohup ") and "&" in later_signs)})
    return checks


def without_redirections(words: Sequence[str]) -> list[str]:
    """The words without `2>&1`, `> file` and the like."""
    kept, skips = list[str](), False
    for word in words:
        if ">" in word and re.match(r"[\d&]?>{1,2}(?:&\d)?", word):
            skips = word.endswith(">")
        elif not skips:
            kept.append(word)
        else:
            skips = False
    return kept


def limits_of(name: str, words: Sequence[str]) -> list[str]:
    """What makes the check less than a whole run: options that choose, and the places that it names."""
    program = name.partition(" ")[0]
    others = NO_VALUE_FOR.get(program, "").split()
    limits, skips, rest = list[str](), 0, without_redirections(words[:WORDS_MAX])[1:]
    task, behind_dashes = name.rpartition(" ")[2], False
    for place, word in enumerate(rest):
        option = word.partition(":" if program == "xcodebuild" else "=")[0]
        behind_dashes |= word == "--"
        if skips:
            skips -= 1
        elif word.startswith("-") and word != "--":
            if option in LIMITING and option not in others:
                has_value = option == word and option not in WITHOUT_VALUE and place + 1 < len(rest)
                limits.append(f"{word} {rest[place + 1]}" if has_value else word)
                skips = int(has_value)
            elif word in OPTIONS_WITH_VALUE and not "".join(rest[place + 1:place + 2]).startswith("-"):
                skips = 1
        elif word not in (task, *NO_PLACES) and is_place(word, name, behind_dashes):
            limits.append(word)
    return limits[:20]


def is_place(word: str, name: str, behind_dashes: bool) -> bool:
    """Whether the word names what to check: a path, a test; behind `--` every word does."""
    program = name.partition(" ")[0]
    if behind_dashes or "::" in word or program == "unittest":
        return True
    if word.rpartition("/")[2] in (program, "manage.py", "artisan") or word.startswith("+"):
        return False
    if program in TASK_RUNNERS and name not in RUNNERS_OF_PLACES:
        return bool(re.match(FILE_FOR_TASK, word))
    takes_words = program in WORDS_ARE_PLACES_FOR or name in WORDS_ARE_PLACES_FOR
    return "/" in word or takes_words or bool(re.search(r"\.\w{1,8}$", word))


@lru_cache(maxsize=COMMANDS_KEPT)
def is_looking(command: str) -> bool:
    """Whether the command only looks: at files, at processes, at what git knows."""
    pieces = pieces_of(command)
    return bool(pieces) and all(is_looking_piece(piece) for piece, _ in pieces)


def is_looking_piece(piece: str) -> bool:
    """Whether this one of the line's commands only looks."""
    if piece.startswith("for "):
        return True
    unquoted = re.sub(r"\"[^\"]*\"|'[^']*'", "", piece)
    if re.search(r"(?<![\d&])>{1,2}\s{0,9}(?!/dev/null|&)\S", unquoted):
        return False
    return are_looking_words(without_redirections(shell_words(piece)))


def are_looking_words(words: Sequence[str]) -> bool:
    """Whether the program that the words start, with these options, only looks."""
    program = program_of(words)
    options = {word for word in words[1:] if word.startswith("-")}
    rest = [word for word in words[1:] if not word.startswith("-")]
    if program in ("sed", "git") and options & {"-i", "-D", "-d", "--delete"}:
        return False
    if program == "find" and options & FIND_CHANGES:
        return False
    if program == "find" and options & FIND_STARTS:
        started = next(number for number, word in enumerate(words) if word in FIND_STARTS)
        return are_looking_words(words[started + 1:])
    if program in LOOKING_PROGRAMS or program in ("", "do", "then", "read"):
        return True
    if program in ("curl", "nc") or (program == "gh" and rest[:1] == ["api"]):
        return only_asks(program, options, rest)
    return has_looking_subcommand(program, rest[1:] if program == "git" and words[1:2] == ["-C"] else rest)


def only_asks(program: str, options: Set[str], rest: Sequence[str]) -> bool:
    """Whether a request over the network changes nothing, there or here."""
    if program == "nc":
        return any("z" in option for option in options)  # only whether a port is open
    if program == "gh":
        return not options & {"-X", "-f", "-F", "--method", "--field", "--raw-field", "--input"}
    nowhere = {"-o"} if "/dev/null" in rest else set[str]()
    return not any(re.match(CURL_SENDS, option) for option in options - nowhere)


def has_looking_subcommand(program: str, rest: Sequence[str]) -> bool:
    """Whether the program's subcommand only looks."""
    if program == "git" and rest[:1] in (["branch"], ["tag"], ["remote"], ["config"]) and len(rest) > 1:
        return False
    subcommands = LOOKING_SUBCOMMANDS.get(program, "").split()
    return (bool({*rest[:1], "-".join(rest[:2])} & {*subcommands})
            or (program == "gh" and bool({*rest[1:2]} & {*subcommands})))


def covers_check(later: Check, earlier: Check) -> bool:
    """Whether one check is of at least the same breadth as another."""
    if later["name"] != earlier["name"] or len({later["folder"], earlier["folder"]} - {""}) > 1:
        return False
    if target_of(later) != target_of(earlier):
        return False
    options = [{limit for limit in check["limits"] if limit.startswith("-")} for check in (later, earlier)]
    modes = [{limit for limit in chosen if limit.startswith(MODES)} for chosen in options]
    if modes[0] != modes[1] or not all(limit in options[1] or chooses_within(limit, options[1])
                                       for limit in options[0]):
        return False
    places = [limit for limit in later["limits"] if not limit.startswith("-")]
    earlier_places = [limit for limit in earlier["limits"] if not limit.startswith("-")]
    has_folders = not later["name"].startswith("go ")  # ./cmd of Go's is that package alone, ./cmd/... all below
    return not places or (bool(earlier_places) and all(
        any(is_within(place, whole, has_folders) for whole in places) for place in earlier_places))


def target_of(check: Check) -> tuple[str, ...]:
    """What a build is of, where its program's options say so: of Xcode's the scheme, and whether a simulator's."""
    if not check["name"].startswith("xcodebuild"):
        return ()
    named = re.findall(r" -(?:scheme|target|testPlan) (\"[^\"]*\"|'[^']*'|\S+)", check["command"])
    return (*(name.strip("\"'") for name in named), "Simulator" * ("imulator" in check["command"]))


def chooses_within(limit: str, earlier: set[str]) -> bool:
    """Whether an option that chooses tests by a part of their names lets through all that one of the earlier did."""
    option, _, part = limit.replace("=", " ", 1).partition(" ")
    part = part.strip("\"'")
    if option not in NAME_FILTERS or not re.match(r"\w{3,200}$", part):
        return False
    chosen = [value.strip("\"'^$()") for name, _, value in (other.replace("=", " ", 1).partition(" ")
                                                          for other in earlier) if name == option]
    return any(re.match(r"[\w/|]{1,900}$", value) and all(part in name for name in value.split("|"))
               for value in chosen)


def is_within(place: str, whole: str, has_folders: bool) -> bool:
    """Whether the place that a check names is the other, or a part of it."""
    place, whole = place.strip("\"'").removeprefix("./"), whole.strip("\"'").removeprefix("./").rstrip("/")
    if whole.endswith("/..."):
        return f"{place.removesuffix('/...')}/".startswith(whole[:-3])
    return place.rstrip("/") == whole or (has_folders and place.startswith((f"{whole}/", f"{whole}::", f"{whole}[")))


def other_family(command: str) -> str:
    """What kind of command this is where it is no check: that of its last program with a known one."""
    for piece, _ in reversed(pieces_of(command)):
        words = shell_words(piece)
        program = program_of(words)
        if program in OTHER_FAMILIES and (program == "gh" or not is_looking_piece(piece)):
            return OTHER_FAMILIES[program]
        if program in ("npm", "pnpm", "yarn", "bun", "uv", "poetry", "bundle", "composer", "cargo", "go") and (
                {"install", "i", "add", "ci", "sync", "get", "mod", "remove"} & {*words[1:2]}):
            return "install"
        if "migrate" in words or "db:migrate" in words:
            return "migration"
    return ""


def ending_program(command: str) -> str:
    """The program whose exit code the command's is."""
    pieces = pieces_of(command)
    return program_of(shell_words(pieces[-1][0])) if pieces else ""
