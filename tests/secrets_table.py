"""Made-up secrets of true form, and harmless text that looks like one.

Each secret is put together when the tests run, from a prefix and a body out of a seeded generator: none of them
is real, and none stands in this file for a scanner to find.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator

ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def body(length: int, letters: str = ALNUM) -> str:
    """A made-up body, the same in every run, with at least one digit in its first half."""
    made = random.Random(f"{length} {letters}")
    text = "".join(made.choice(letters) for _ in range(length))
    return text[:2] + "7" + text[3:]


TOKENS = {  # told by their form alone, wherever they stand
    "anthropic": "sk-ant-" + "api03-" + body(93, WORD) + "AA",
    "openai": "sk-" + body(20) + "T3Blbk" + "FJ" + body(20),
    "openai-project": "sk-" + "proj-" + body(60, WORD),
    "openai-service": "sk-" + "svcacct-" + body(60, WORD),
    "openrouter": "sk-" + "or-v1-" + body(64, HEX),
    "github-personal": "gh" + "p_" + body(36),
    "github-oauth": "gh" + "o_" + body(36),
    "github-user": "gh" + "u_" + body(36),
    "github-server": "gh" + "s_" + body(36),
    "github-refresh": "gh" + "r_" + body(76),
    "github-fine-grained": "github" + "_pat_" + body(22) + "_" + body(59),
    "gitlab": "glp" + "at-" + body(20, WORD),
    "gitlab-deploy": "gld" + "t-" + body(20, WORD),
    "gitlab-runner": "glr" + "t-" + body(20, WORD),
    "slack-bot": "xo" + "xb-" + body(12, string.digits) + "-" + body(13, string.digits) + "-" + body(24),
    "slack-user": "xo" + "xp-" + body(12, string.digits) + "-" + body(12, string.digits) + "-" + body(32, HEX),
    "slack-app": "xap" + "p-1-A" + body(10, UPPER) + "-" + body(13, string.digits) + "-" + body(64, HEX),
    "slack-webhook": "https://hooks.slack" + ".com/services/T" + body(9, UPPER) + "/B" + body(9,
                                                                                              UPPER) + "/" + body(24),
    "discord-webhook": "https://discord" + ".com/api/webhooks/" + body(18, string.digits) + "/" + body(68, WORD),
    "aws": "AK" + "IA" + body(16, UPPER),
    "aws-session": "AS" + "IA" + body(16, UPPER),
    "google-api": "AI" + "za" + body(35, WORD),
    "google-oauth": "ya" + "29." + body(60, WORD),
    "google-client": "GOC" + "SPX-" + body(28, WORD),
    "stripe": "sk" + "_live_" + body(24),
    "stripe-test": "sk" + "_test_" + body(24),
    "stripe-restricted": "rk" + "_live_" + body(24),
    "stripe-webhook": "wh" + "sec_" + body(32),
    "npm": "np" + "m_" + body(36),
    "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + body(60, WORD),
    "hugging-face": "h" + "f_" + body(34),
    "sendgrid": "S" + "G." + body(22, WORD) + "." + body(43, WORD),
    "digitalocean": "do" + "p_v1_" + body(64, HEX),
    "shopify": "shp" + "at_" + body(32, HEX),
    "linear": "lin" + "_api_" + body(40),
    "vault": "hv" + "s." + body(90, WORD),
    "atlassian": "ATA" + "TT3xFfGF0" + body(60, WORD),
    "age": "AGE-SECRET-" + "KEY-1" + body(58, UPPER),
    "databricks": "da" + "pi" + body(32, HEX),
    "doppler": "dp" + ".pt." + body(43),
    "figma": "fi" + "gd_" + body(40, WORD),
    "groq": "gs" + "k_" + body(52),
    "xai": "xa" + "i-" + body(80),
    "perplexity": "pp" + "lx-" + body(48),
    "notion": "nt" + "n_" + body(46),
    "grafana": "gl" + "sa_" + body(32) + "_" + body(8, HEX),
    "docker": "dckr" + "_pat_" + body(27, WORD),
    "postman": "PM" + "AK-" + body(24, HEX) + "-" + body(34, HEX),
    "terraform": body(14) + ".atlas" + "v1." + body(60, WORD),
    "supabase": "sb" + "p_" + body(40, HEX),
    "sentry": "sntr" + "ys_" + body(60, ALNUM),
    "telegram": body(10, string.digits) + ":AA" + body(33, WORD),
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "J" + body(40, WORD) + "." + body(43, WORD),
}

NAMED_BODIES = {  # told by the name before them
    "aws-secret": body(40, BASE64), "hex": body(32, HEX), "long-hex": body(64, HEX), "words": "correct-horse-7-battery",
    "short": "hunter2x", "symbols": "p@55#w0rd!x", "base64": body(43, BASE64) + "=",
    "uuid": "9b2e7c1a-0000-4000-8000-" + body(12, HEX)}
NAMED_CARRIERS = {  # each with a name that says what comes
    "env": "DB_PASSWORD={}", "export": "export API_KEY={}", "aws": "AWS_SECRET_ACCESS_KEY={}",
    "quoted": 'SECRET_KEY = "{}"',
    "ini": "password = '{}'", "yaml": "  client_secret: {}", "yaml-aligned": "  password:     {}",
    "yaml-tab": "password:\t{}",
    "yaml-next": "password:\n  {}", "json": '{{"api_key": "{}"}}', "json-compact": '{{"accessToken":"{}"}}',
    "json-escaped": '{{\\"password\\": \\"{}\\"}}', "option": "deploy --token {} --force",
    "option-equals": "deploy --password={}",
    "mysql": "mysql -u root -p{} rates", "sshpass": "sshpass -p {} ssh ada@host",
    "curl-user": "curl -u ada:{} example.org",
    "header": "X-Api-Key: {}", "bearer": "Authorization: Bearer {}",
    "query": "https://example.org/?access_token={}&page=2",
    "dsn": "Server=db;User=ada;Password={};Timeout=5", "python": "connect(user='ada', password='{}')",
    "ruby": ":password => '{}'",
    "go": 'Password: "{}",', "powershell": "$env:GITHUB_TOKEN = '{}'",
    "docker": "docker run -e POSTGRES_PASSWORD={} db",
    "cookie": "Cookie: session_token={}"}
LONGER = ("bearer",)  # what stands there is never as short as a password that people remember
URLS = {
    "postgres": "postgres://ada:{}@db.example.org:5432/rates", "redis": "redis://:{}@cache:6379/0",
    "mongo": "mongodb+srv://ada:{}@cluster.example.org/?retryWrites=true", "https": "https://ada:{}@example.org/a.git",
    "token-alone": "https://{}@github.com/ada/rates.git", "amqp": "amqp://guest:{}@mq//",
    "proxy": "http_proxy=http://ada:{}@proxy:3128"}
URL_BODIES = {"hex": body(32, HEX), "words": "correct-horse-7-battery", "escaped": "p%4055w0rd%21longer77"}


def blocks() -> Iterator[tuple[str, str]]:
    """Private keys as PEM blocks: whole, with its end cut off, on one line as in JSON."""
    lines = "\n".join(body(64, BASE64) for _ in range(4))
    for kind in ("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", ""):
        head, foot = f"-----BEGIN {kind}PRIVATE " + "KEY-----", f"-----END {kind}PRIVATE " + "KEY-----"
        yield f"{kind.strip() or 'plain'}-whole", f"{head}\n{lines}\n{foot}"
        yield f"{kind.strip() or 'plain'}-torn", f"{head}\n{lines}"
    yield "one-line", "-----BEGIN PRIVATE " + "KEY-----\\n" + lines.replace("\n",
                                                                            "\\n") + "\\n-----END PRIVATE " + "KEY-----"
    yield "pgp", "-----BEGIN PGP PRIVATE " + f"KEY BLOCK-----\n\n{lines}\n-----END PGP PRIVATE " + "KEY BLOCK-----"


SHA = body(40, HEX)
HARMLESS = (
    # hashes, ids, versions
    f"commit {SHA}", f"Fixed in {SHA[:7]}", f"git checkout {SHA}", "sha256:" + body(64, HEX), "md5 " + body(32, HEX),
    "session 9b2e7c1a-4f1d-4c0e-8a77-1f0c2d3e4b5a", "toolu_01Axh7w2MaDyEGFtTVhz94Ww", "msg_017Rxaknfrom8traKUpN9FWD",
    "integrity sha512-" + body(86, BASE64) + "==", "v2.1.329-beta.4+build.7", "etag W/\"" + body(20, HEX) + '"',
    "image: node@sha256:" + body(64, HEX), "build 20261121.0700.1234567890123456",
    # packages and files whose names begin like a token
    "pip install sk-learn-contrib", "sk-learn-contrib-extended-tools", "import sk_live_reload",
    "npm install npm-run-all",
    "npm_config_update_notifier=false", "npm_lifecycle_event", "npm_package_version", "hf_hub_download(repo_id)",
    "gho_st.py",
    "ghp_pages", "xoxo-party", "pypi-publish.yml", "shpat.rb", "AIzawa", "SG.svg", "hvs.c", "src/lin_api_client.py",
    "test_live_reload", "is_test_environment_ready", "task-list-item-checkbox-2", "risk-assessment-2024-q1-summary",
    "disk-usage-report-2024-01", "desk-booking-service-v2-final",
    # the word, not the thing
    "password: required", "password: must have at least 8 characters", "The password is wrong.", "Forgot password?",
    "Enter the token: it is in the mail", "Reset your password within 24 hours", "secret: none", "api key missing",
    "passwords are hashed with argon2", "password = None", "password=null", "secret = true", "token: string;",
    "token: str",
    "password: string", "password?: string", "def login(user, password):", "if (!password) return", "getPassword()",
    "const token = getToken();", "token = os.environ['TOKEN']", "password = input('Password: ')", "self.token = token",
    "token=$TOKEN", 'password="$DB_PASSWORD"', "password: ${{ secrets.PASSWORD }}", "token: ${TOKEN}",
    "API_KEY=<your key>",
    "PASSWORD=***", "password=********", "passwd: all authentication tokens updated successfully", "pass-through mode",
    "passed 12 tests", "bypass: enabled", "compass=north-east", "the author: Ada", "authors = ['Ada']", "auth: basic",
    # numbers of tokens, keys that open nothing
    "max_tokens=4096", "max_tokens: 4096", "--max-tokens 4096", "total_tokens=128000", "token_type=bearer",
    "token_count: 12345",
    '"token_type": "Bearer"', "tokens: 168222", "input_tokens=190000", "token budget: 200000", "tokenizer=cl100k_base",
    "primary_key=True", "PRIMARY KEY (id)", "foreign_key: user_id", "sort_key=created_at", "key=value",
    "keyboard: qwerty",
    "monkey=banana", "cache-key: node-modules-v2", "public_key.pem", "ssh-keygen -t ed25519", "keyring.json",
    "CACHE_KEY=page-2",
    "SORT_KEY=created", "secretary: Ada", "secretsmanager list", "TOKEN_LIMIT=4096", "PASSWORD_MIN_LENGTH=12",
    "password_field = 'login-form-password'", "credentials: 'same-origin'", "credentials: include",
    "token_url=https://example.org/token",
    "secret_name: rates-db", "secretKeyRef:", "Token expired", "unexpected token: '}' at 12:5",
    "SyntaxError: Unexpected token '<'",
    "Basic authentication is off", "bearer of good news", "basic understanding required",
    # addresses without a password
    "http://localhost:3334/rates", "https://example.org:8443/a?b=c", "ssh://git@github.com/ada/rates.git",
    "git@github.com:ada/rates.git", "https://example.org/@ada/posts", "redis://cache:6379/0",
    "postgres://db.example.org/rates",
    "mailto:ada@example.org", "https://ada@example.org/x", "npm i @types/node@20.1.0", "file:///home/ada/a@2x.png",
    "http://example.org/a:b@c", "deploy@host:/srv/www",
    # pictures and keys that are public
    "data:image/png;base64,iVBORw0KGgo", "-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 ada",
    "eyJhbGciOi is how a JWT begins", "curl -u example.org", "curl --user-agent 'x' https://example.org",
    "mysql -p rates",
    "mysqldump --port=3307 rates", "mysql --protocol tcp", "sshpass -f file ssh host", "mkdir -p mysql/data-dir",
)
