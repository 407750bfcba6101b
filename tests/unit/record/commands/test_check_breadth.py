"""Which check is as broad as another one."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.check_breadth import covers_check
from compact_keeper.record.commands.checks_in_line import checks_in


@pytest.mark.parametrize(("later", "earlier", "expected"), [
    ("dart analyze lib/a.dart", "dart analyze lib/", False), ("dart analyze lib", "dart analyze lib/a.dart", True),
    ("cargo test adds", "cargo test", False),
    ("pytest", "pytest tests/a.py", True), ("pytest -q", "python -m pytest -x tests/a.py::test_b | tail -5", True),
    ("pytest tests", "pytest tests/a.py::test_b", True), ("pytest tests/a.py", "pytest tests/a.py::test_b", True),
    ("pytest tests/a.py", "pytest", False), ("pytest tests/a.py", "pytest tests/b.py", False),
    ("pytest tests/a", "pytest tests/ab", False), ("pytest -k a", "pytest", False),
    ("pytest -k a", "pytest -k a", True),
    ("pytest -k a", "pytest -k a tests/a.py", True), ("pytest", "npm test", False), ("yarn test", "npm run test", True),
    ("npm test", "npm run test:unit", False), ("npm test", "npm test -- rates", True),
    ("npm test -- rates", "npm test", False),
    ("go test ./...", "go test ./cmd/rates", True), ("go test ./cmd/...", "go test ./cmd/rates/...", True),
    ("go test ./cmd", "go test ./cmd/rates", False), ("go test ./cmd/...", "go test ./cmdx", False),
    ("go test ./...", "go test -tags=e2e ./...", False),
    ("go test -tags=e2e ./...", "go test -tags=e2e ./a -run B", True),
    ("mise test", "mise test --coverage src/a.test.ts", True), ("mise test src/a.test.ts", "mise test", False),
    ("npm test a.spec.ts", "npm test", False), ("make build/a.js", "make build/a.js", True),
    ("xcodebuild build -project a/A.xcodeproj -scheme A", "xcodebuild -scheme A -quiet build", True),
    ("xcodebuild build -scheme A", "xcodebuild build -scheme B", False),
    ("xcodebuild test -scheme A -only-testing:ATests/Rates", "xcodebuild test -scheme A", False),
    ("xcodebuild test -scheme A", "xcodebuild test -scheme A -only-testing:ATests/Rates", True),
    ("xcodebuild build -scheme A -destination 'platform=iOS Simulator,name=a'",
     "xcodebuild build -scheme A -destination 'platform=iOS,id=3'", False),  # a device asks for more than a simulator
    ("cd a && npm test", "cd b && npm test", False), ("cd a && npm test", "npm test", True),
    ("mise run lint && mise run test", "mise run test", True),
    ("mise run test", "mise run lint && mise run test", False),
    ("ruff check src", "ruff check src/a.py", True), ("mypy src", "mypy", False),
    ("eslint src --max-warnings 0 --ext ts", "eslint src/a.ts", True), ("mypy --python-version 3.9", "mypy src", True),
    ("go test ./a -run Rates", "go test ./a -run TestRates_Round", True),  # a part of the name lets more through
    ("go test ./a -run 'Rates'", "go test ./a -run 'TestRates_A|TestRates_B'", True),
    ("go test ./a -run Rates", "go test ./a -run 'TestRates_A|TestSum'", False),
    ("go test ./a -run TestRates_Round", "go test ./a -run Rates", False),
    ("go test ./a -run '^Rates$'", "go test ./a -run TestRates", False),
    ("npx vitest -t rates", "npx vitest -t rates_round", True), ("pytest -k rates", "pytest -k 'not rates'", False),
    ("./build/rates_tests", "./build/rates_tests --gtest_filter=Cents.*", True),
    ("./build/rates_tests --gtest_filter=Cents.*", "./build/rates_tests", False),
    ("./build/rates_tests -s -tc='whole*'", "./build/rates_tests", False),
    ("./build/rates_tests --test-case='whole*'", "./build/rates_tests", False),
    ("./build/rates_tests '[fast]'", "./build/rates_tests", False),
    ("./build/rates_tests \"whole euros\"", "./build/rates_tests", False),
    ("./build/rates_tests", "./build/rates_tests ~[slow]", True),
    ("./build/rates_tests -s", "./build/rates_tests", True), ("./build/a_tests", "./build/b_tests", False),
    ("./build/rates_tests --run_test=cents/whole", "./build/rates_tests", False),
    ("bats -f cents test", "bats test", False), ("bats test", "bats -f cents test", True),
    ("npx ava --match='cents*'", "npx ava", False), ("npx cucumber-js --tags @a", "npx cucumber-js", False),
    ("behave a.feature", "behave", False), ("newman run a.json --folder b", "newman run a.json", False),
    ("zig build test -Dx --test-filter a", "zig build test", False), ("sbt core/test", "sbt test", False),
    ("sbt test", "sbt \"testOnly A\"", True), ("sbt \"testOnly A\"", "sbt test", False),
    ("sbt 'project core' test", "sbt test", False), ("sbt clean test", "sbt test", True),
    ("lein test a.core-test", "lein test", False), ("lein test", "lein test :only a.core-test", True),
    ("clojure -M:test -n a", "clojure -M:test", False), ("pio test -f a", "pio test", False),
    ("Rscript -e 'devtools::test()'", "Rscript -e 'devtools::test(filter = \"a\")'", True),
    ("Rscript -e 'devtools::test(filter = \"a\")'", "Rscript -e 'devtools::test()'", False),
    ("julia --project -e 'using Pkg; Pkg.test(\"A\")'", "julia --project -e 'using Pkg; Pkg.test()'", False),
    ("bash tests/a/rates.test.sh", "chmod +x /p/tests/a/rates.test.sh && bash /p/tests/a/rates.test.sh", True),
    ("/p/b/scripts/test.sh", "cd a && scripts/test.sh", False),
    ("/p/a/scripts/test.sh", "cd a && scripts/test.sh", True),
    ("bash /q/test.sh", "bash test.sh", False), ("./scripts/test.sh", "scripts/test.sh", True),
    ("/p/scripts/test.sh", "/q/scripts/test.sh", False), ("a/scripts/test.sh", "scripts/test.sh", False),
    # hooks look at what is staged, unless at all files; each that is named alone
    ("prek", "uv run prek run -v", True), ("prek", "git add a.py && prek run ruff", True), ("prek", "prek -a", False),
    ("pre-commit run --all-files", "pre-commit run ruff", True), ("pre-commit run ruff", "pre-commit run", False),
    ("pre-commit run -a", "pre-commit run --all-files", True), ("prek run ruff", "prek run mypy", False),
    ("SKIP=mypy pre-commit run -a", "pre-commit run -a", False),
    ("pre-commit run -a", "pre-commit run --hook-stage manual mypy", False),
    ("pre-commit run --all-files", "pre-commit run -c other.yaml", False),
    ("prek -a", "prek run --from-ref a --to-ref b", True), ("prek", "prek run --from-ref a --to-ref b", False),
    ("prek run mypy -a", "prek -a", False), ("prek run --files a.py", "prek", False),
    ("pytest", "ls", False), ("ls", "pytest", False), ("cargo test", "cargo test -p rates", True),
])
def test_a_later_run_covers_an_earlier_one_of_no_more_breadth(later: str, earlier: str, expected: bool) -> None:
    runs, before = checks_in(later), checks_in(earlier)
    assert (bool(before) and all(any(covers_check(run, check) for run in runs) for check in before)) is expected
