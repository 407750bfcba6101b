"""Commands that hold code, without it."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.inline_code import without_inline_code

CODE = "\n".join(f"print('harbour zone {number}')" for number in range(8))


@pytest.mark.parametrize(("command", "bare"), [
    ("", ""), ("make zones", ""), ("<<", ""), ('python3 -c "', ""), (f'python3 -c "{CODE}', ""),
    (f"python3 << EOF\n{CODE}", ""), ("\ud800 -c << \ud800\n", ""), ('python3 -c "print(1 << 8)"', ""),
    (f"echo \"{CODE}\"", ""), (f"git commit -m \"$(cat <<'EOF'\n{CODE}\nEOF\n)\"", ""),
    (f"psql rates <<SQL\n{CODE}\nSQL", ""), (f"cat <<EOF\n{CODE}\nEOF", ""),
    (f'cd api && python3 -c "{CODE}" && make', 'cd api && python3 -c "…" && make'),
    (f"cat rows.json | node -e '{CODE.replace(chr(39), '`')}' | head", 'cat rows.json | node -e "…" | head'),
    (f'uv run python3.12 -W ignore -c "{CODE} \\"quoted\\""', 'uv run python3.12 -W ignore -c "…"'),
    (f"make && .venv/bin/python - <<'EOF' > out.txt\n{CODE}\nEOF\nmake zones",
     "make && .venv/bin/python - << … > out.txt\nmake zones"),
    (f"mkdir -p a && cat > a/b.py << EOF\n{CODE}\nEOF\ncat <<'END' > c.py\n{CODE}\nEND\ntee d.py <<X\n{CODE}\nX",
     "mkdir -p a && cat > a/b.py << …\ncat << … > c.py\ntee d.py << …"),
])
def test_code_in_a_command_has_a_mark_in_its_place(command: str, bare: str) -> None:
    assert without_inline_code(command) == bare
