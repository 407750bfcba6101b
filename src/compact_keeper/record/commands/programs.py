"""Which program is of which kind, by its name: here a new one is taught first.

    checks      CHECKING_PROGRAMS, CHECKING_SUBCOMMANDS, SILENT_RUNNERS, RUNNER_OF_NAME
    tasks       TASK_RUNNERS, NODE_MANAGERS
    code        SHELLS, INTERPRETERS, PROGRAMS_OF_CODE
    looks       LOOKING_PROGRAMS, LOOKING_SUBCOMMANDS; in a pipe FILTERS
    folder      WITHOUT_FILES, WITH_FILES, WITH_FILES_BEHIND: where it runs does not count
    small work  WITHOUT_EFFECT, FILE_HANDLERS, SELDOM_FAILING, PREPARING, SHORT_LIVED
    others      OTHER_FAMILIES, PACKAGE_MANAGERS, OTHER_VERSION_CONTROL, TRACKERS
    around      BEFORE_PROGRAM; KEEPERS, VIEWERS: what goes on behind its line

With that alone a check is known, and how it ended by its exit code where that is its own. Its output and its options
are read by other tables; which of them a runner needs, and when:

    ../runner_output/known_rows.py    OUTPUT_ROWS: for what it prints at its end and of a failure, unless others print
                                      the same; ENDINGS in row_lookup.py: where a row is known by its end
    ../runner_output/total_counts.py  FAILURE_COUNTS, SUCCESS_COUNTS: where it counts in words that they have not
    ../runner_output/reading.py       ENDS_OF_SUITES, ENDS_WITHOUT_COUNT: where it ends without a number;
                                      TOTALS_IN_PARTS: with a row for each number; FRAMES: with anybody's words
    ../outcomes/verdicts.py           OF_TESTS: where it runs tests; OF_ALL: tests and builds; COUNTING_ALL_AT_END,
                                      SEVERAL_BINARIES, WORDS_OF_ANYBODY: see there
    ../outcomes/not_started.py        NO_SUCH_TASK: of a task runner, what it says of a name that it does not know
    ../checks/standing_for.py         FORMS_OF_PASSED_TESTS: where passed tests show that what did not build builds now
    ../summary/check_claims.py        SHORT_NAMES: where a summary names it by less
    check_breadth.py                  LIMITING, OWN_OPTIONS, FOREIGN_OPTIONS: for options that leave something out;
                                      WORDS_ARE_TARGETS_FOR: where a bare word says what to check
    check_programs.py                 OPTIONS_WITH_VALUE: for options that a value follows; DRY_RUNS, ASKING_OPTIONS:
                                      for those that check nothing; CHECKS_OF_OWN_FORM: where its subcommand is not
                                      its first word
    program_languages.py              TESTS_OF_LANGUAGE: of a language's own tests; SOURCES_OF_PROGRAM,
                                      LANGUAGES_OF_PROGRAM: where not every edit concerns it

Options of other programs are read in looking.py, what sets up a machine in machine_setup.py.
"""

from __future__ import annotations

CHECKING_PROGRAMS = {  # by what they check, whatever else they are given
    "test": "pytest py.test unittest nose2 tox nox jest vitest mocha ava tap rspec phpunit pest ctest gotestsum bats "
            "behave cucumber cucumber-js karma jasmine prove busted newman testcafe uvu ginkgo robot elm-test wtr "
            "web-test-runner",
    "types": "tsc tsgo mypy dmypy pyright basedpyright pyre vue-tsc svelte-check ty phpstan psalm",
    "lint": "eslint flake8 pylint rubocop golangci-lint shellcheck stylelint oxlint staticcheck swiftlint ktlint "
            "detekt checkstyle actionlint hadolint yamllint tflint ansible-lint bandit semgrep standardrb phpcs "
            "luacheck pre-commit prek lint-staged knip cspell markdownlint xo tslint revive solhint slither "
            "py_compile compileall",
    "format": "prettier black gofmt goimports gofumpt rustfmt isort dprint clang-format stylua shfmt swiftformat",
    "build": "webpack rollup esbuild tsup msbuild gcc g++ cc c++ clang clang++ javac rustc kotlinc swiftc "
             "parcel hugo electron-builder solc latexmk pdflatex xelatex lualatex",
}
CHECKING_SUBCOMMANDS = {  # program and subcommand, or two of them; a dash begins an option that makes it one
    "test": "go:test cargo:test cargo:t cargo:nextest swift:test flutter:test flutter:drive dart:test mix:test "
            "deno:test bun:test dotnet:test zig:test node:--test playwright:test cypress:run "
            "rails:test artisan:test manage.py:test bazel:test dune:test dune:runtest dune:build:@runtest stack:test "
            "cabal:test lein:test bb:test gleam:test forge:test hardhat:test bin/rails:test react-scripts:test ng:test "
            "zig:build:test pio:test platformio:test crystal:spec rebar3:eunit rebar3:ct R:CMD:check truffle:test "
            "anchor:test scarb:test wasm-pack:test dbt:test",
    "types": "cargo:check cargo:c deno:check mix:dialyzer astro:check nuxi:typecheck",
    "lint": "go:vet cargo:clippy ruff:check biome:lint biome:check biome:ci deno:lint flutter:analyze dart:analyze "
            "mix:credo terraform:validate tofu:validate helm:lint next:lint ng:lint buf:lint cargo:deny "
            "sqlfluff:lint",
    "format": "go:fmt cargo:fmt ruff:format biome:format deno:fmt dart:format mix:format terraform:fmt tofu:fmt "
              "dotnet:format",
    "build": "go:build go:install go:generate cargo:build cargo:b cargo:doc swift:build flutter:build dart:compile "
             "mix:compile bun:build dotnet:build dotnet:publish dotnet:msbuild zig:build "
             "docker:build docker:buildx podman:build bazel:build vite:build next:build astro:build "
             "nuxt:build ng:build react-scripts:build tauri:build mkdocs:build packer:build stack:build cabal:build "
             "dune:build gleam:build forge:build wails:build meson:compile hardhat:compile truffle:compile "
             "anchor:build scarb:build wasm-pack:build sam:build eas:build trunk:build zola:build jekyll:build "
             "gatsby:build vitepress:build docusaurus:build typst:compile dbt:build dbt:compile docker-compose:build",
}
# Of an interpreter, as its first option: it reads the file and runs nothing of it.
SYNTAX_CHECKS = ("node -c", "node --check", "bash -n", "sh -n", "zsh -n", "php -l", "ruby -c")
SILENT_RUNNERS = frozenset((  # say nothing when all is well
    "go build", "go vet", "go install", "go fmt", "tsc", "tsgo", "vue-tsc", "gofmt", "goimports", "gofumpt", "shfmt",
    "rustfmt", "cargo fmt", "clang-format", "mix format", "terraform fmt", "isort", "shellcheck", "actionlint",
    "yamllint", "flake8", "eslint", "stylelint", "cc", "gcc", "g++", "clang", "clang++", "javac", "rustc",
    "py_compile", *SYNTAX_CHECKS))
LISTING_FORMATTERS = ("gofmt", "goimports", "gofumpt", "shfmt")  # with -l: print what they would change, and exit 0
RUNNER_OF_NAME = {  # whose output a program prints that is called by another name; empty: that of any
    "py.test": "pytest", "tox": "", "nox": "", "prek": "pre-commit", "lint-staged": "", "cargo t": "cargo test",
    "cargo b": "cargo build", "cargo c": "cargo check", "docker": ""}
TASK_RUNNERS = frozenset((  # the name of the task says what it does
    "npm pnpm yarn bun deno mise just make gmake task gradle gradlew mvn mvnw rake rails composer nx turbo lerna "
    "hatch invoke poe melos ninja ant wireit moon pixi rush").split())
SAME_RUNNERS = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn"}
PACKAGE_RUNNERS = ("npm", "bun")  # of these names, those whose tasks are a package's own scripts
NODE_MANAGERS = ("npm", "pnpm", "yarn", "bun")  # of packages, and runners of their tasks
NODE_RUNNERS = ("node", "npm", "pnpm", "yarn", "npx", "next", "vite", "nest", "tsx", "ts-node", "nodemon")
SHELLS = ("bash", "sh", "zsh")
INTERPRETERS = r"python[\d.]*|node|ruby|perl|php|tsx|ts-node"  # of a script that their first word names
PROGRAMS_OF_CODE = ("Rscript", "R", "julia")
LOOKING_PROGRAMS = frozenset((
    "cat grep egrep fgrep rg ag head tail less more sed awk ls find fd tree echo printf wc sort uniq cut tr diff cmp "
    "jq yq cd true pwd which type whereis file stat du df date env printenv ps top uname whoami hostname basename "
    "dirname realpath readlink column nl od xxd hexdump strings test [ [[ bat tac comm paste fold rev sleep : done "
    "fi esac in case set export lsof pgrep netstat ss ping dig nslookup host sha256sum md5sum").split())
LOOKING_SUBCOMMANDS = {  # the first word behind the program, or the first two; none that BEFORE_PROGRAM takes away
    "git": "status diff log show branch blame ls-files ls-tree grep rev-parse remote describe shortlog reflog "
           "cat-file config rev-list merge-base name-rev tag stash-list stash-show worktree-list for-each-ref fetch "
           "check-ignore",
    "gh": "view list status diff checks search", "kubectl": "get describe logs", "go": "list version env doc",
    "cargo": "tree metadata", "brew": "list info", **dict.fromkeys(("pip", "pip3"), "list show freeze"),
    **dict.fromkeys(NODE_MANAGERS, "ls list view outdated why"),
    **dict.fromkeys(("docker", "podman"), "ps logs images inspect"),
    **dict.fromkeys(("terraform", "tofu"), "show output state-list state-show")}
# What stands behind a pipe, by what it lets through: a part of the rows, those with a word, all.
CUTTING = ("head", "tail")
SEARCHING = ("grep", "egrep", "fgrep", "rg", "ag")
PASSING_ON = (*CUTTING, "cat", "tee", "sort", "uniq", "less")  # rows as they are; those that cut not all of them
FILTERS = (*PASSING_ON, *SEARCHING, "wc")
# Small work. Without effect: they check, change and mend nothing.
WITHOUT_EFFECT = ("cd", "Set-Location", "echo", "export", "printf", "set", "true", ":")
WAITING = ("sleep", "wait")
FILE_HANDLERS = ("mkdir", "touch", "cp", "mv", "rm", "chmod")
SHOWING_AND_SILENT = {"cat", "tee", "cd", *FILE_HANDLERS}  # they print files, or nothing
SELDOM_FAILING = (*WITHOUT_EFFECT, *WAITING, *CUTTING, "cat", "tee", "mkdir")
PREPARING = (*WITHOUT_EFFECT, *WAITING, *FILE_HANDLERS, "source", "cat", "kill", "pkill", "git")  # not what runs on
SHORT_LIVED = (*LOOKING_PROGRAMS, *WAITING, *FILE_HANDLERS, "kill", "disown", "timeout", "gtimeout", "open", "xdg-open",
               "curl", "wget", "systemctl", "")
# What does the same in each folder: without a file, with the files that it names whole, with those behind a first word.
WITHOUT_FILES = frozenset("echo printf true : sleep kill killall pkill pgrep ps lsof date tr whoami".split())
WITH_FILES = frozenset("ls cat head tail wc stat file find du sort uniq rm cp mv mkdir rmdir touch tee".split())
WITH_FILES_BEHIND = frozenset("grep egrep fgrep sed awk".split())
REMOVING_PROGRAMS, MOVING_PROGRAMS = ("rm", "rmdir", "unlink", "trash"), ("mv",)
PACKAGE_MANAGERS = ("brew", "apt", "apt-get", "dnf", "yum", "zypper", "apk", "winget", "choco", "scoop")  # of a machine
INSTALLING_PROGRAMS = (*NODE_MANAGERS, "uv", "poetry", "bundle", "composer", "cargo", "go")  # by a word behind them
OTHER_FAMILIES = {  # of commands that are no check
    "git": "git", "gh": "gh", "glab": "gh", **dict.fromkeys((*PACKAGE_MANAGERS, "pip", "pip3", "gem"), "install"),
    **dict.fromkeys("terraform tofu kubectl helm pulumi vercel fly netlify ansible-playbook".split(), "deploy"),
    **dict.fromkeys("alembic prisma flyway knex goose".split(), "migration")}
TRACKERS = ("gh", "glab", "hub", "tea", "jira")  # issues and the like are made with them
OTHER_VERSION_CONTROL = ("jj", "hg", "svn", "sl", "fossil", "pijul", "darcs", "bzr", "p4")
WRAPPERS = ("time", "command", "exec", "env", "nice", "nohup", "setsid", "uvx", "cross-env", "rtk")
# A container's options and name; of a detached run its program is `-d`: exit 0 says there that it began.
ATTACHED = r"(?: -(?!\w*d\b|-detach)\S+)*(?: \w[\w.-]*|(?= -))"
SUDO_OPTIONS = r"(?: -[CDghpRrTtUu] \S+| --(?:user|group|chdir|host)[ =]\S+| -[\w-]+)*"  # `sudo -u deploy make`
BEFORE_PROGRAM = {  # words that say nothing of it, with what belongs to them
    **dict.fromkeys(WRAPPERS, ""), "nice": r"(?: -n ?-?\d+| -\d+)?",
    "sudo": SUDO_OPTIONS, "caffeinate": r"(?: -\w+)?",
    **dict.fromkeys(("timeout", "gtimeout"), r"(?: -\S+)* [\d.]+\w?"),
    **dict.fromkeys(("pnpm", "npm", "yarn"), r"(?: --?[\w-]+(?:=\S+)?)* (?:exec|dlx)(?: --)?"),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye"), " run"),
    "xvfb-run": "(?: -a)?", "stdbuf": r" -\S+", "npx": r"(?: --?[\w-]+)*", "bunx": r"(?: --\w+)?",
    "uv": r"(?: --\S+)* run(?: --(?:extra|group|with|python) \S+| --[\w-]+(?:=\S+)?)*",
    "bundle": " exec", "mise": r" (?:exec|x)(?: \S+)? --", "direnv": r" exec \S+", "dotenv": " --",
    "docker-compose": rf" (?:exec|run){ATTACHED}",
    **dict.fromkeys(("docker", "podman"), rf" (?:compose (?:exec|run)|exec){ATTACHED}"),
    "python": " -m", "coverage": r" run(?: --?\S+)*? -m| run", "opam": " exec --", "nix": r" develop(?: \S+)? -c"}
KEEPERS = ("tmux", "screen")  # of what is to go on when its line has ended
# Windows that were opened for the person, unless at a port: a browser that is driven.
VIEWERS = (
    "firefox google-chrome google-chrome-stable chromium chromium-browser brave-browser epiphany code codium cursor "
    "subl gedit kate xed mousepad evince okular eog gwenview feh vlc mpv nautilus dolphin thunar alacritty kitty "
    "gnome-terminal konsole xterm")
