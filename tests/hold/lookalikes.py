"""Harmless text that looks like a secret: made from a seed, and by hand (secrets_table.HARMLESS)."""

from __future__ import annotations

import string
from collections.abc import Callable

from secrets_table import BASE64, HARMLESS, HEX, LOWER, Draw

MADE: tuple[Callable[[Draw], str], ...] = (
    lambda draw: f"commit {draw(40, HEX)}", lambda draw: f"{draw(7, HEX)} Round half to even",
    lambda draw: f"git cherry-pick {draw(40, HEX)}", lambda draw: f"index {draw(7, HEX)}..{draw(7, HEX)} 100644",
    lambda draw: f"{draw(64, HEX)}  rates-1.2.0.tar.gz", lambda draw: f"md5 = {draw(32, HEX)}",
    lambda draw: f"session {draw.uuid()} ended", lambda draw: f"/api/v1/parcels/{draw.uuid()}/rates",
    lambda draw: f"toolu_01{draw(22)}", lambda draw: f"msg_01{draw(22)}", lambda draw: f"req_01{draw(22)}",
    lambda draw: f"chatcmpl-{draw(29)}", lambda draw: f"\"id\": \"call_{draw(24)}\"",
    lambda draw: f"      \"integrity\": \"sha512-{draw(86, BASE64)}==\",",
    lambda draw: f"    resolution: {{integrity: sha512-{draw(86, BASE64)}==}}",
    lambda draw: f"  checksum: 10/{draw(64, HEX)}",
    lambda draw: f"checksum = \"{draw(64, HEX)}\"",
    lambda draw: f"    {{file = \"a.whl\", hash = \"sha256:{draw(64, HEX)}\"}},",
    lambda draw: f"golang.org/x/text v0.14.0 h1:{draw(43, BASE64)}=", lambda draw: f"FROM node@sha256:{draw(64, HEX)}",
    lambda draw: f"docker pull example.org/rates@sha256:{draw(64, HEX)}",
    lambda draw: f"container {draw(12, HEX)} started",
    lambda draw: f"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{draw(60, BASE64)}",
    lambda draw: f"background: #{draw(6, HEX)}; color: #{draw(3, HEX)}", lambda draw: f"dist/assets/index-{draw(8)}.js",
    lambda draw: f".css-{draw(6, LOWER)} {{ margin: 0 }}", lambda draw: f"chunk.{draw(20, HEX)}.js.map",
    lambda draw: f"function {draw(2, string.ascii_letters)}({draw(1, string.ascii_letters)}){{return 0}}",
    lambda draw: f"pod/rates-{draw(10, LOWER)}-{draw(5, LOWER)} Running",
    lambda draw: f"etag: W/\"{draw(27, BASE64)}\"",
    lambda draw: f"trace {draw(32, HEX)} span {draw(16, HEX)}",
    lambda draw: f"arn:aws:iam::{draw.digits(12)}:role/rates",
    lambda draw: f"run {draw.digits(11)} job {draw.digits(11)}", lambda draw: f"0x{draw(16, HEX)} in main ()",
    lambda draw: f"build-{draw.digits(8)}.{draw.digits(4)}",
    lambda draw: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{draw(43, BASE64)} ada",
    lambda draw: f"SHA256:{draw(43, BASE64)} ada@host (ED25519)",
    lambda draw: f"test_token_{draw.digits(2)}_is_refused PASSED",
    lambda draw: f"tests/test_auth.py::test_password_{draw.digits(3)} PASSED", lambda draw: f"vpc-0{draw(16, HEX)}",
    lambda draw: f"sk_test_environment_{draw.digits(2)}", lambda draw: f"npm_config_cache_{draw.digits(3)}",
)
WRITTEN = (
    "password: string", "token = parser.next()", "token = next(tokens)", "--token-file /run/secrets/token",
    "const token = await getToken();", "let password = form.get('password')", "this.password = password",
    "password = getpass.getpass()", "secret = config.secret", "token := lexer.Next()", "if token == EOF { return }",
    "token = tokens[i]", "key = line.split('=')[0]", "token: Token = self.peek()", "self.secret_key = secret_key",
    "def set_password(self, password: str) -> None:", "password VARCHAR(255) NOT NULL", "password_hash TEXT NOT NULL",
    "export const TOKEN_KEY = 'token'", "localStorage.getItem('token')", "headers['Authorization']",
    "PASSWORD_MIN_LENGTH = 8",
    "MAX_PASSWORD_LENGTH = 128", "token_expires_in: 3600", "secret_name: rates", "SECRET_NAME=rates-db",
    "password_reset: true",
    "never log the token: it is secret", "Never print the password in a log.", "The password must have 12 characters.",
    "The token is valid for 24 hours.", "Tokens are rotated every 30 days.", "The secret is stored in Vault.",
    "the password is hashed with sha256", "The password is base64-encoded first.", "A token is 40 characters long.",
    "Use the token from the environment.", "Which password is used for the test database?",
    "API keys go into the vault",
    "the access token is refreshed in auth2.py", "Password for user ada is missing",
    "The API key is read from config.toml.",
    "Move the token to src/auth2.ts.", "Bump the token to v2.1.0.", "The key is sorted by date.",
    "No password is needed.",
    "\"login.password\": \"Password\"", "\"forgotPassword\": \"Forgot your password?\"", "password.label=Password",
    "\"auth.token.expired\": \"Your session has expired\"", "errors.password.too_short: is too short",
    "GITHUB_TOKEN", "echo $GITHUB_TOKEN", "secrets.GITHUB_TOKEN", "${{ secrets.NPM_TOKEN }}", "process.env.API_KEY",
    "env: [DB_PASSWORD, API_KEY]", "Set OPENAI_API_KEY first", "DB_PASSWORD is not set", "token: ${CI_JOB_TOKEN}",
    "https://example.org/@ada/rates@2", "https://example.org/package/@types/node", "npm i -g @scope/pkg@1.2.3",
    "git@github.com:ada/rates.git", "ssh://git@github.com/ada/rates.git", "scp a.txt ada@host:/srv/a.txt",
    "rsync -a ada@host:/x .",
    "ada@example.org", "Co-authored-by: Ada <ada@example.org>", "user:pass syntax", "basic auth is disabled",
    "Bearer auth",
    "docker run -p 8080:80 rates", "mkdir -p src/password", "ssh -p 2222 host", "cp -p a b", "unzip -p a.zip",
    "psql -p 5432",
    "mongo --port 27017", "redis-cli -p 6380 ping", "login -f ada", "curl -o a.txt https://example.org",
    "http -v example.org",
    "echo done | tee log", "printf '%s' x | wc -c", "the cookie: it is set by the proxy", "Set-Cookie is missing",
    "Authorization header is missing", "authorization: required", "x-api-key header", "pass: 12, fail: 0", "pass=12",
    "tokens: 12,345", "12 tokens", "tokenize('a b')", "cl100k_base", "text-embedding-3-large",
    "claude-opus-4-5-20251101",
    "sk-learn", "scikit-learn==1.5.0", "key-value", "key-frame-animation-3", "api-gateway-service-v2",
    "access-control-allow-origin",
    "pat-downs", "napi_create_string_utf8", "phx.gen.auth", "re_compile_pattern_2", "hf_transfer", "gsk_widget_new_2",
    "rnd_seed_generator_state_2", "jina-embeddings-v3", "sqp_solver_iterations_2024", "glob-parent", "xoxo",
    "fc-cache -fv",
    "AKIA is how an AWS key begins", "tokens begin with ghp_", "a JWT begins with eyJ", "sk-... is no key", "ghp_xxx",
    "apiKey: process.env.KEY", "password: faker.internet.password()", "password: undefined", "token: null",
    "secret: false",
    "auth: { type: 'none' }", "credentials: true", "passphrase: \"\"", "passwordField.focus()", "PasswordInput2",
    "type=\"password\"",
    "<input type='password' name='password'>", "<label for=\"password\">Password</label>", "v1.0-rc.1", "1//0",
    "$2 is the second",
    "echo \"$6\"", "awk '{print $2$3}'", "T-SQL", "SSWS", "Q~", "--password-stdin", "sudo -S", "user_token_id: 17",
)


def lookalikes(seed: str, count: int = 500) -> list[str]:
    """So many different harmless texts, at the least: those written by hand and made ones, each way four times."""
    draw, texts, rounds = Draw(seed), dict.fromkeys([*HARMLESS, *WRITTEN]), 0
    while len(texts) < count or rounds < 4:
        texts.update(dict.fromkeys(make(draw) for make in MADE))
        rounds += 1
    return [*texts]
