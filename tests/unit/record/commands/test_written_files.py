"""Which files of the project a shell command wrote."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.written_files import files_written

ROOT = "/home/ada/board"


@pytest.mark.parametrize(("command", "paths"), [
    ("mkdir -p tools && printf 'def board():\\n\\treturn 1\\n' > tools/board.py && python3 -m http.server",
     ["tools/board.py"]),
    ("cat > a.py <<'EOF'\nif a > b:\n    x > y.py\nEOF\ncat >> b.py <<EOF\n1\nEOF", ["a.py", "b.py"]),
    ("echo 1 | tee -a one.txt two.txt", ["one.txt", "two.txt"]),
    (f"echo 1 > {ROOT}/src/a.py; echo 2 > '{ROOT}/my file.py'", ["src/a.py", "my file.py"]),
    ("cd web && echo 1 >x.ts && cd ../api && echo 2 1> y.go", ["web/x.ts", "api/y.go"]),
    ("cd web && cd lib && echo 1 > x.ts; cd - && echo 2 > y.ts; cd ~ && echo 3 > z.ts", ["web/lib/x.ts", "web/y.ts"]),
    ("(cd web && echo 1 > x.ts) && echo 2 > y.ts", ["web/x.ts", "y.ts"]), ("cd - && echo 1 > x.ts", []),
    ("echo 'a > b.py'; awk '$1 > 3' rows.csv; python -c \"print(1 > 0)\"", []),
    ("pytest -q > out.log 2>&1; make 2> err.txt; ls >/dev/null; echo 1 >&2", []),
    ("echo 1 > /tmp/x.py; echo 2 > ../other/y.py; echo 3 > ~/z.py; echo > $OUT; echo > part*.py", []),
    ("git log --format='%h -> %s'; a=>b; x=$((3 > 2)); diff <(a) <(b)", []),
    ("sed -i 's/a > b/c/' a.py && sed -n 1,5p b.py", ["a.py"]),
    ("sed -i'' -e s/a/b/ -e 's/c/d/' a.py b.py", ["a.py", "b.py"]),
    ("sed -i '' 's/a/b/' a.py; sed -i .bak 's/a/b/' b.py; sed -i.bak -E 's/(a)/b/' .env", ["a.py", "b.py", ".env"]),
    ("sed -i -e 's/a/b/' .env; sed -Ei 's/a/b/' x.py 2>/dev/null; sed --in-place --expression=s/a/b/ y.py",
     [".env", "x.py", "y.py"]),
    ("gsed -i 's/a/b/' z.ts", ["z.ts"]),
    ("cd web && perl -pi -e 's/a/b/' x.ts y.ts; perl -i -pe 's/a/b/' z.ts", ["web/x.ts", "web/y.ts", "web/z.ts"]),
    ("sed -n 's/-i/b/p' a.py; sed 's/a/b/' -- -i.py; perl -pe 's/a/b/' a.py; git grep -i a b.py", []),
    ("sed -i; sed -i 's/a/b/'; sed -i -e; perl -i; sed -i 's/a/b/' $FILE src/*.py", []),
    ("find . -exec sed -i s/a/b/ {} +", []), ("grep -rl a . | xargs sed -i 's/a/b/'", []),
    ("sed -i 's/a/b/' /tmp/x.py ../other/y.py", []),
    ("cat > very/long/na…", []), ("", []), (">", []), ("tee", []), ("echo 1 > ", []),
    ("\ud800 > \ud800.py", ["\ud800.py"])])
def test_files_that_a_command_wrote(command: str, paths: list[str]) -> None:
    assert files_written(command, ROOT) == paths


def test_where_the_project_lies_is_not_known() -> None:
    assert files_written("echo 1 > a.py", "") == []
