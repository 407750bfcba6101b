"""What commands check, how broadly, and which only look."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.check_breadth import covers_check
from compact_keeper.record.commands.checks_in_line import checks_in, has_more_than_checks, other_family
from compact_keeper.record.commands.looking import is_looking
from slow_texts import ending, slow_texts


@pytest.mark.parametrize(("command", "expected"), [
    ("pytest -q", ["test pytest"]),
    ("python3 -m pytest tests/a.py", ["test pytest"]),
    ("FOO=1 BAR='a b' timeout 60 uv run --frozen pytest -x", ["test pytest"]),
    (".venv/bin/python -m pytest -q", ["test pytest"]), ("$VENV/bin/python3.11 -m mypy .", ["types mypy"]),
    ("python3/tools -m pytest", []), ("/srv/pythonic -m pytest", []),
    ("python -m unittest tests.test_a", ["test unittest"]),
    ("python manage.py test rates", ["test manage.py test"]),
    ("python tests/test_rates.py", ["test tests/test_rates.py"]),
    ("python -c 'import pytest'", []), ("nice -n 10 make test", ["test make test"]),
    ("setsid pytest", ["test pytest"]), ("podman exec -it web pytest", ["test pytest"]),
    ("docker compose run --rm web pytest", ["test pytest"]), ("docker-compose exec -T web pytest", ["test pytest"]),
    # what goes on behind its line
    ("setsid -f pytest -q > out", []), ("podman exec -d web pytest", []), ("docker exec -it -d pytest pytest", []),
    ("podman compose run -d web pytest", []), ("docker-compose run --detach web pytest", []),
    ("docker exec -itd web npm run build", []),
    ("npx jest", ["test jest"]), ("pnpm exec vitest run", ["test vitest"]), ("yarn test", ["test npm test"]),
    ("npm run test:unit -- --watch=false", ["test npm test:unit"]), ("pnpm --filter web test", ["test npm test"]),
    ("npm run typecheck", ["types npm typecheck"]), ("bun run build", ["build npm build"]),
    ("bun test", ["test bun test"]),
    ("npm install", []), ("npm ci", []), ("bun ci", []), ("npm start", []), ("npm run dev", []),
    ("yarn workspace web lint", ["lint npm lint"]),
    ("npx tsc --noEmit", ["types tsc"]), ("npx eslint src", ["lint eslint"]), ("biome check .", ["lint biome check"]),
    ("npx playwright test a.spec.ts", ["test playwright test"]), ("npx playwright install", []),
    ("npx cypress run", ["test cypress run"]), ("npx cypress open", []), ("node --test", ["test node"]),
    ("node scripts/test.js", ["test scripts/test.js"]), ("node server.js", []),
    ("node --check src/view.js && echo OK", ["lint node --check"]), ("node -c a.js", ["lint node -c"]),
    ("bash -n a.sh", ["lint bash -n"]), ("php -l a.php", ["lint php -l"]), ("node a.js -c b", []), ("bash -c make", []),
    ("python -m py_compile src/a.py", ["lint py_compile"]), ("python src/py_compile_all.py", []),
    ("python make_pages_with_playwright.py", []), ("python3 check_missing.py", []), ("node verify-links.mjs", []),
    ("script/fetch_failing_ci_tests --details", []), ("bash scripts/generate-test-data.sh", []),
    ("/tmp/analyze_rates.sh", []),
    # scripts that start and stop what is tested; but a test of what starts, tests that are run, tasks
    ("bash scripts/start-test.sh", []), ("~/.claude/skills/zones/bin/zones-check", []),
    ("bash /home/ada/.claude/plugins/a/test.sh", []), (".claude/hooks/test.sh", ["test .claude/hooks/test.sh"]),
    ("./stop_e2e.sh || true", []), ("up-test.sh", []), ("./down-test.sh", []),
    ("npm run start:test", ["test npm start:test"]), ("pnpm serve:unit", ["test npm serve:unit"]),
    ("yarn restart:tests", ["test npm restart:tests"]), ("just deploy-check", ["check just deploy-check"]),
    ("npm run start-server-and-test", ["test npm start-server-and-test"]), ("make _", []), ("./StopTests.sh", []),
    ("node start.test.mjs", ["test start.test.mjs"]),
    ("npx tsx src/parse.spec.ts", ["test src/parse.spec.ts"]), ("bash test-start.sh", ["test test-start.sh"]),
    ("./run-tests.sh", ["test ./run-tests.sh"]), ("npm run test:start", ["test npm test:start"]),
    ("./ListTests", []), ("python show_test_times.py", []), ("./scripts/ci-build.sh", ["build ./scripts/ci-build.sh"]),
    ("python e2e_rates.py", ["test e2e_rates.py"]), ("bash verify.sh", ["check verify.sh"]),
    # what it checks is not known, where no other word says it
    ("npm run check", ["check npm check"]), ("make verify", ["check make verify"]), ("just ci", ["check just ci"]),
    ("npm run check:types", ["types npm check:types"]), ("make check-format", ["format make check-format"]),
    ("pnpm verify:tests", ["test npm verify:tests"]), ("./gradlew :app:check", ["test gradle :app:check"]),
    ("mvn -B verify", ["test mvn verify"]),
    # options of runners without a value, and runs that run nothing
    ("make -s test", ["test make test"]), ("make -j check", ["check make check"]),
    ("make -j 8 test", ["test make test"]),
    ("make -n test", []), ("just -n test", []), ("gradle -m test", []), ("mvn -q -B -o test", ["test mvn test"]),
    ("npm run -s test", ["test npm test"]), ("pnpm -w lint", ["lint npm lint"]), ("npm -w web test", ["test npm test"]),
    ("make -C web test", ["test make test"]),
    ("go test ./...", ["test go test"]), ("go build ./...", ["build go build"]), ("go vet ./...", ["lint go vet"]),
    ("go run .", []), ("gotestsum ./...", ["test gotestsum"]), ("golangci-lint run", ["lint golangci-lint"]),
    ("cargo nextest run", ["test cargo nextest"]), ("cargo clippy -- -D warnings", ["lint cargo clippy"]),
    ("cargo run", []),
    ("make", ["build make"]), ("make -j8 all", ["build make all"]), ("make -C build test", ["test make test"]),
    ("make clean", []),
    ("./gradlew :app:testDebugUnitTest", ["test gradle :app:testDebugUnitTest"]),
    ("mvn -q verify", ["test mvn verify"]),
    ("dotnet test", ["test dotnet test"]), ("xcodebuild -scheme A test | xcpretty", ["test xcodebuild test"]),
    ("xcodebuild -scheme A build", ["build xcodebuild build"]),
    ("xcodebuild -scheme A", ["build xcodebuild build"]), ("xcodebuild -scheme A -showBuildSettings", []),
    ("xcodebuild -list", []), ("xcodebuild clean -scheme A", []),
    ("xcodebuild -scheme A archive", ["build xcodebuild archive"]),
    ("xcodebuild test-without-building -scheme A", ["test xcodebuild test"]),
    ("flutter analyze", ["lint flutter analyze"]),
    ("swift build", ["build swift build"]),
    ("bundle exec rspec", ["test rspec"]), ("rake test", ["test rake test"]), ("vendor/bin/phpunit", ["test phpunit"]),
    ("php artisan test", ["test artisan test"]), ("mix test", ["test mix test"]),
    ("ctest --test-dir build", ["test ctest"]),
    ("cmake --build build", ["build cmake"]), ("cmake -S . -B build", []),
    ("cmake --build b --target check -j8", ["check cmake check"]), ("cmake --build test -t a", ["build cmake"]),
    ("cmake --build b --target test_rates", ["build cmake"]), ("cmake --build . -j --target", ["build cmake"]),
    ("cmake -B b --target test", []), ("ninja -C b a test", ["test ninja test"]),
    ("ninja check", ["check ninja check"]),
    ("ninja -C check", ["build ninja"]), ("ninja test_rates", ["build ninja"]), ("ninja -n test", []), ("ninja -t", []),
    ("sudo -u www -H bash -lc 'cd /srv && rm -rf b && pnpm run build' 2>&1 | tail -50", ["build npm build"]),
    ("sudo --user=www -E make test", ["test make test"]), ("sudo -n make test", ["test make test"]),
    ("node -c '/tmp/a.js'", []),
    ("podman exec web bash -c 'pytest'", ["test pytest"]), ("bash -c pytest", []), ("bash -c \"pytest", []),
    ("docker exec -it web sh -lc \"cd /srv && pytest -k \\\"a b\\\" | tail -3\" 2>&1; ls", ["test pytest"]),
    ("docker exec -d web sh -c 'pytest'", []), ("bash -c 'echo \"make test\"'", []), ("bash -c 'make test' x", []),
    ("echo bash -c 'make test'", []), ("bash -c 'bash -c \"make test\"'", []),
    ("docker build -t x .", ["build docker build"]),
    ("docker compose exec -T web pytest", ["test pytest"]), ("terraform validate", ["lint terraform validate"]),
    ("terraform plan", []), ("ruff check . && ruff format --check .", ["lint ruff check", "format ruff format"]),
    ("./scripts/test.sh", ["test ./scripts/test.sh"]), ("bash ci/lint.sh", ["lint ci/lint.sh"]), ("./run.sh", []),
    ("mise run fmt && mise run lint && mise run test:ci", ["format mise fmt", "lint mise lint", "test mise test:ci"]),
    ("pytest --version", []), ("pre-commit install", []), ("prek autoupdate", []), ("uv run prek", ["lint prek"]),
    ("pre-commit run --all-files", ["lint pre-commit"]), ("prek run ruff", ["lint prek"]), ("prek list", []),
    ("pre-commit -c x.yaml install", []), ("prek --quiet install", []), ("prek run --dry-run", []),
    ("pre-commit run clean", ["lint pre-commit"]),
    ("npx hardhat compile", ["build hardhat compile"]), ("npx hardhat node", []),
    ("riscv64-elf-gcc -Os a.c", ["build gcc"]), ("clang++-18 -c a.cc", ["build clang++"]), ("my-gcc.sh", []),
    ("clang-format -i a.cc", ["format clang-format"]), ("sam build --cached", ["build sam build"]), ("sam deploy", []),
    ("if pytest -q; then echo yes; fi", ["test pytest"]), ("(cd a && make test)", ["test make test"]),
    ("./build/tests/unit_tests", ["test ./build/tests/unit_tests"]), ("build/RatesTests", ["test build/RatesTests"]),
    ("./build/rates_all --gtest_filter='Cents.*'", ["test ./build/rates_all"]), ("./build/latest", []),
    ("./deployCheck", []), ("TEST_FILE=\"$INBOX/a Test.md\"", []), ("test_block=\"bash -lc 'cat a/b'\"", []),
    ("./build/rates_tests --gtest_list_tests", []), ("./build/rates_tests --list-tests", []),
    ("npx cucumber-js", ["test cucumber-js"]), ("python -m behave", ["test behave"]), ("robot tests", ["test robot"]),
    ("zig build", ["build zig build"]), ("zig build test", ["test zig build test"]),
    ("zig build -Doptimize=Debug test", ["test zig build test"]), ("zig test a.zig", ["test zig test"]),
    ("dune build", ["build dune build"]), ("dune build @runtest", ["test dune build @runtest"]),
    ("clj -M:test", ["test clojure -M:test"]), ("clojure -X:dev:test", ["test clojure -X:dev:test"]),
    ("clojure -X:build jar", []), ("clj -M:tests-data", []),
    ("sbt test", ["test sbt test"]), ("sbt clean core/test", ["test sbt test"]), ("sbt run", []),
    ("sbt \"testOnly CentsSpec\"", ["test sbt test"]), ("sbt ';clean;test'", ["test sbt test"]),
    ("sbt 'runMain test'", []), ("sbt Test/compile", ["build sbt compile"]),
    ("Rscript -e 'devtools::test()'", ["test Rscript devtools::test"]), ("Rscript -e 'print(1)'", []),
    ("Rscript tests/testthat.R", ["test tests/testthat.R"]), ("R CMD check .", ["test R CMD check"]),
    ("R CMD INSTALL .", []),
    ("julia --project -e 'using Pkg; Pkg.test()'", ["test julia Pkg.test"]), ("julia -e 'print(1)'", []),
    ("julia --project=. test/runtests.jl", ["test test/runtests.jl"]), ("pio test -e native", ["test pio test"]),
    ("pio run", []), ("mvn clean test", ["test mvn test"]), ("./gradlew clean build", ["build gradle build"]),
    ("mvn clean install", []), ("make clean all", ["build make all"]),
    # into a variable of PowerShell's
    ("$out = cargo clippy --all 2>&1; $out | Select-Object -Last 5", ["lint cargo clippy"]),
    ("cd web; $x = & npm test", ["test npm test"]), ("$null=npx tsc", ["types tsc"]), ("& npm test", ["test npm test"]),
    ("$x = \"pytest\"", []), ("$x = 'make test'; $y", []), ("$tests = $make test", []), ("$x = 5 pytest", []),
    ("make & make test", ["build make", "test make test"]),
    # words of other commands
    ("git commit -m 'run pytest && make test'", []), ("echo 'pytest; make'", []), ("grep -rn pytest .", []),
    ("cat <<'EOF' > run.sh\npytest tests\nmake test\nEOF\nchmod +x run.sh", []), ("# pytest", []),
    ("cat > notes.md << 'EOF'\n```bash\npython test_rates.py\n```\nmake test…", []),
    ("cat > notes.md << 'EOF'\npytest\nEOF\nmake test", ["test make test"]),
    ("pip install pytest", []),
    # a script that the line writes itself
    ("cat > /tmp/test-zones.sh << 'EOF'\nls zones\nEOF\nbash /tmp/test-zones.sh", []),
    ("cat > /tmp/test-zones.sh << 'EOF'\nls\nEOF\nchmod +x /tmp/test-zones.sh && /tmp/test-zones.sh", []),
    ("echo ls > test.sh; ./test.sh", []), ("echo ls | tee test.sh && sh ./test.sh", []),
    ("cd /tmp && echo ls > 'test.sh' && cd .. && bash tmp/test.sh", []), ("echo ls > test.sh; bash /srv/test.sh", [
        "test /srv/test.sh"]),
    ("bash test.sh > test.log; cat test.log", ["test test.sh"]), ("bash test.sh; echo ls > test.sh", ["test test.sh"]),
    ("sed -i 's/a/b/' test.sh && bash test.sh", ["test test.sh"]), ("echo x > Makefile; make test", [
        "test make test"]), ("cat > test_a.py << 'EOF'\nx\nEOF\npytest test_a.py", ["test pytest"]),
    ("echo 'a > test.sh' && bash test.sh", ["test test.sh"]),
    ("", []), ("   ", []),
])
def test_checks_are_known_by_program_and_task(command: str, expected: list[str]) -> None:
    assert [f"{check['family']} {check['name']}" for check in checks_in(command)] == expected


@pytest.mark.parametrize(("command", "expected"), [
    ("pytest -q", True), ("cd a && pytest && git push", True), ("pytest > log 2>&1", True),
    ("pytest 2>&1 | tail", False),
    ("pytest || true", False), ("pytest; ls", False), ("pytest\nls", False), ("pytest &", False),
    ("pytest |& cat", False),
    ("ls; pytest", True), ("set -o pipefail; pytest | tail", False), ("set -o pipefail\npytest | tail", False),
    ("set -euo pipefail; pytest | tail", False), ("while true; do pytest; done", False),
])
def test_whose_the_exit_code_is(command: str, expected: bool) -> None:
    is_piped_safely = "pipefail" in command
    assert [check["shows_exit"] for check in checks_in(command)] == [expected or is_piped_safely]


@pytest.mark.parametrize(("command", "limits", "filters", "folder"), [
    ("cd web && pytest -q tests/a.py::test_b -x 2>&1 | tail -5", ["tests/a.py::test_b"], ["tail -5"], "web"),
    ("pytest -k 'a and b' -m \"not slow\"", ["-k 'a and b'", "-m \"not slow\""], [], ""),
    ("go test -tags=e2e -run 'A|B' ./cmd/... -timeout 5m", ["-tags=e2e", "-run 'A|B'", "./cmd/..."], [], ""),
    ("go test ./... | grep FAIL | head", [], ["grep FAIL", "head"], ""),
    ("npm test -- --grep rates web", ["--grep rates", "web"], [], ""),
    ("cargo +nightly test -p rates --lib adds", ["-p rates", "--lib", "adds"], [], ""),
    ("dart analyze lib/a.dart lib/b", ["lib/a.dart", "lib/b"], [], ""), ("deno test a.ts", ["a.ts"], [], ""),
    ("node_modules/.bin/jest src", ["src"], [], ""), ("dotnet test a.csproj", ["a.csproj"], [], ""),
    ("make -j4 test", [], [], ""), ("cd web && cd lib && pytest", [], [], "web/lib"),
    ("(cd web && npm ci) && pytest", [], [], ""),
    ("ruff check src tests/a.py", ["src", "tests/a.py"], [], ""),
    ("cd api && node -c a.js", ["a.js"], [], "api"), ("bash -n a.sh b.sh", ["a.sh", "b.sh"], [], ""),
    ('node -c "src\\a.js"', ['"src\\a.js"'], [], ""),
])
def test_limits_filters_and_folder(command: str, limits: list[str], filters: list[str], folder: str) -> None:
    check = checks_in(command)[0]
    assert (check["limits"], check["filters"], check["folder"]) == (limits, filters, folder)


@pytest.mark.parametrize(("command", "expected"), [
    ("git add . && git commit -m x", "git"), ("git status", ""), ("gh pr create | tail -1", "gh"),
    ("terraform apply", "deploy"),
    ("alembic upgrade head", "migration"), ("npx prisma migrate dev", "migration"), ("npm install left", "install"),
    ("uv sync", "install"), ("sudo dnf install -y jq", "install"), ("pip3 list", ""), ("tofu show", ""),
    ("python3 a.py", ""), ("git commit -m x && ls", "git"),
])
def test_families_of_what_is_no_check(command: str, expected: str) -> None:
    assert other_family(command) == expected


def test_any_command_is_read_to_its_end() -> None:
    fills = ("'", "\"", "$(", "(", "\\", "<<", "<<A ", "FOO=1 ", "a=\"\" ", "timeout -x ", "npx -x ", "uv run --a ",
             "do ", "| ", "&& ", "pytest; ", "cd a; pytest | ", "<<EOF\n", "<<EOF\n\t\t")
    with ending():
        for text in (*slow_texts(20_000), *(fill * (20_000 // len(fill)) for fill in fills)):
            for command in (f"{text}; pytest", f"pytest {text}"):
                assert isinstance(checks_in(command), list)
                assert is_looking(command) in (True, False)
                assert all(covers_check(check, check) for check in checks_in(command)[:20])


@pytest.mark.parametrize(("command", "has_more"), [
    ("pytest -q | tail -3", False), ("cd rates && make lint && make test", False), ("echo go; pytest", False),
    ("cargo build && ./rates zones.csv", True), ("pytest; deploy.sh", True), ("ls", False), ("", False)])
def test_whether_a_line_ran_more_than_its_checks(command: str, has_more: bool) -> None:
    assert has_more_than_checks(command) is has_more
