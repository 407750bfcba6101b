"""Outputs that say less than they seem to."""

from __future__ import annotations

import pytest

from compact_keeper.record.outcomes.doubtful_ends import shows_own_text, what_it_shows
from compact_keeper.text.length import MIDDLE_GONE


@pytest.mark.parametrize(("command", "output", "expected"), [
    ("python3 names.py 2>/dev/null || echo 'no names'", "no names\n", "only the text behind its own `||`"),
    ("python3 names.py || echo 'no names'", "Traceback\nno names\n", ""), ("python3 a.py || echo no", "", ""),
    ("ls a 2>/dev/null || echo none", "none", ""), ("cat a | grep -q b || echo none", "none", ""),  # an answer
    ("curl -s localhost && echo up || echo down", "down", ""), ("make x && echo ok", "ok", ""),  # its exit code was 0
    ("sh deploy.sh; echo \"$?\"", "0", ""), ("echo done", "done", ""), ("sh a.sh; echo done", "built\ndone", ""),
    ("sh a.sh || echo `date`", "`date`", ""),
    ("curl -sL https://forge.example/a.ttf -o a.ttf && echo got", "got", "curl without -f"),
    ("cd fonts && curl -O https://forge.example/a.ttf", "", "curl without -f"),
    ("curl -fsSL https://forge.example/a.ttf -o a.ttf", "", ""), ("curl --fail -o a https://forge.example", "", ""),
    ("curl -o /dev/null https://forge.example", "", ""), ("curl -s https://forge.example", "page", ""),
    ("curl -so a -w '%{http_code}' https://forge.example", "200", ""), ("curl -X POST https://forge.example", "", ""),
    ("curl --compressed https://forge.example", "x", ""),
    ("curl -sL https://forge.example/a.ttf -o a.ttf && file a.ttf", "a.ttf: HTML document", ""),
])
def test_what_an_output_does_not_prove(command: str, output: str, expected: str) -> None:
    doubt = what_it_shows(command, output)
    assert doubt.startswith(expected) if expected else not doubt


@pytest.mark.parametrize(("command", "end"), [
    ("cd a && TZ=UTC timeout 3 ./serve || echo 'it began'", ": what stands before it failed, or its time was up"),
    ("python3 timeout.py || echo 'it began'", ": what stands before it failed"),
])
def test_what_a_limit_of_time_ended_need_not_have_failed(command: str, end: str) -> None:
    assert what_it_shows(command, "it began").endswith(end)


@pytest.mark.parametrize(("command", "output", "expected"), [  # the client leaves out the blank lines at its ends
    ("cat > a.md <<'EOF'\n\n# A\n\n  ✓ 3 passed\nEOF\ncat a.md", "# A\n\n  ✓ 3 passed", True),
    ("mkdir -p a && cat <<EOF > a/b\nx\nEOF\ncat a/b", "x", True), ("cat <<E\nx\nE", "x", True),
    ("tee a.md <<'EOF'\nx\nEOF", "x\n", True),
    ("cat > a.md <<'EOF'\nx\nEOF\ncat a.md b.md", "x\ny", False),
    ("cat >> a.md <<'EOF'\nx\nEOF\ncat a.md", "w\nx", False),
    ("cat > a.md <<EOF\n$(date)\nEOF\ncat a.md", "Tuesday", False), ("cat > a.md <<'EOF'\nx\nEOF", "", False),
    # of a long one the middle is not kept
    (f"cat > a.md <<'EOF'\na\nb\n{MIDDLE_GONE}\nc\nEOF\ncat a.md", "a\nb\nx\ny\nc", True),
    (f"cat > a.md <<'EOF'\na\nb\n{MIDDLE_GONE}\nc\nEOF\ncat a.md", "a\nb\nx\ny", False),
    (f"cat > a.md <<'EOF'\na\nb\n{MIDDLE_GONE}\nc\nEOF\ncat a.md", "b\nx\ny\nc", False),
    (f"cat > a.md <<'EOF'\na\nb\n{MIDDLE_GONE}\nb\nc\nEOF\ncat a.md", "a\nb\nc", False),
    ("cat > want <<'EOF'\nok\nEOF\npython3 rates.py", "ok", False), ("cat <<'EOF' | sh\nls\nEOF", "ls", False),
    ("echo", "", False), ("echo ''", "", False), ("echo done", "", False), ("echo done", "x\ndone", False),
    ("sh deploy.sh 2>/dev/null; echo done", "done\n", True), ("sh deploy.sh; echo done", "built\ndone", False),
    ("echo 'done", "done", False), ("for a in b; do echo done; done", "done", False),
    ("if make; then echo done; fi", "done", False), ("sh a.sh; echo \"$x\"", "$x", False),
    ("grep a b; echo '---'; grep c d", "---", True), ("grep a b; echo '---'; grep c d", "---\n---", False),
    ("echo a; ls b; echo c", "a\nc", True), ("echo a; ls b; echo c", "a", False), ("echo a | wc -c", "a", False),
    ("echo a > b", "a", False), ("grep -q a b && echo yes || echo no", "no", False),
    ("grep -q a b || echo no", "no", False), ("make -s && echo built", "built", False),
    ("cd a && sleep 60 && echo 'done waiting'", "done waiting", True),
    ("serve & echo started", "started", True),
    ("python3 <<'EOF'\nx\nEOF", "x", False), ("cat a.md", "x", False), ("cat <<<x", "x", False), ("cat <<", "", False),
])
def test_whether_an_output_is_what_the_command_wrote(command: str, output: str, expected: bool) -> None:
    assert shows_own_text(command, output) is expected
