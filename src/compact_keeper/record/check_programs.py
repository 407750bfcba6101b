"""Which programs, tasks and scripts are checks: tests, builds, linters, type checks, formatters.

Nothing is known of a project: `npm test` is a test by its name, whatever it starts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.shell import program_of

CHECK_FAMILIES = ("test", "build", "types", "lint", "format")  # those that tell most first
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
ASKING_XCODEBUILD = "-(?:list|show|version|export|import|download|resolve)"  # options of calls that build nothing
SILENT_RUNNERS = frozenset((  # say nothing when all is well
    "go build", "go vet", "go install", "go fmt", "tsc", "tsgo", "vue-tsc", "gofmt", "goimports", "gofumpt", "shfmt",
    "rustfmt", "cargo fmt", "clang-format", "mix format", "terraform fmt", "isort", "shellcheck", "actionlint",
    "yamllint", "flake8", "eslint", "stylelint", "cc", "gcc", "g++", "clang", "clang++", "javac", "rustc"))


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
