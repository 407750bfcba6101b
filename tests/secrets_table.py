"""Made-up secrets of true form, and harmless text that looks like one.

Each secret is put together when the tests run, from a prefix and a body out of a seeded generator: none of them
is real, and none stands in this file for a scanner to find.
"""

from __future__ import annotations

import base64
import json
import random
import string
import zlib
from collections.abc import Iterator

ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
LOWER = string.ascii_lowercase + string.digits


class Draw:
    """Made-up bodies out of a generator: the same in every run with the same seed."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def __call__(self, length: int, letters: str = ALNUM) -> str:
        return "".join(self.random.choices(letters, k=length))

    def digits(self, length: int) -> str:
        return self(1, "123456789") + self(length - 1, string.digits)

    def uuid(self) -> str:
        return "-".join((self(8, HEX), self(4, HEX), "4" + self(3, HEX), "a" + self(3, HEX), self(12, HEX)))

    def checked(self) -> str:
        """30 letters and their CRC-32 in base 62, as GitHub and npm write them."""
        text = self(30)
        rest, check = zlib.crc32(text.encode()), ""
        for _ in range(6):
            rest, place = divmod(rest, 62)
            check = (string.digits + string.ascii_uppercase + string.ascii_lowercase)[place] + check
        return text + check

    def base64(self, size: int) -> str:
        """Random bytes as base64 writes them, filled up with `=`."""
        return base64.b64encode(self.random.randbytes(size)).decode()

    def part(self, **claims: object) -> str:
        """A part of a JWT."""
        return base64.urlsafe_b64encode(json.dumps(claims, separators=(",", ":")).encode()).decode().rstrip("=")

    def word(self) -> str:
        """A password as people make them: words, a digit, a sign."""
        words = ("correct", "horse", "battery", "staple", "copper", "lantern", "marble", "thicket")
        return f"{self.random.choice(words)}-{self.random.choice(words)}-{self.digits(2)}{self(1, '!x?z')}{self(3)}"


def tokens(draw: Draw) -> dict[str, str]:
    """Of each family that is told by its form alone, wherever it stands, a new one."""
    jwt = draw.part(alg="HS256", typ="JWT") + "." + draw.part(sub=draw.digits(10), iat=1790000000) + "." + draw(43,
    WORD)
    return {**_of_code(draw), **_of_models(draw), **_of_clouds(draw), **_of_services(draw), "jwt": jwt,
            "jwe": draw.part(alg="dir", enc="A256GCM") + ".." + draw(16, WORD) + "." + draw(80, WORD) + "." + draw(22,
            WORD),
            "age": "AGE-SECRET-" + "KEY-1" + draw(58, BECH32), "bcrypt": "$2" + "y$12$" + draw(53, ALNUM + "./"),
            "crypt": "$" + "6$" + draw(16, ALNUM + "./") + "$" + draw(86, ALNUM + "./"),
            "argon2": "$argon" + "2id$v=19$m=65536,t=3,p=4$" + draw(22, BASE64) + "$" + draw(43, BASE64)}


def _of_code(draw: Draw) -> dict[str, str]:
    """Tokens of forges, builds and package registries."""
    return {
        "github-personal": "gh" + "p_" + draw.checked(), "github-oauth": "gh" + "o_" + draw.checked(),
        "github-user": "gh" + "u_" + draw.checked(), "github-server": "gh" + "s_" + draw.checked(),
        "github-refresh": "gh" + "r_" + draw(76), "github-fine-grained": "github" + "_pat_" + draw(22) + "_" + draw(59),
        "gitlab": "glp" + "at-" + draw(20, WORD), "gitlab-deploy": "gld" + "t-" + draw(20, WORD),
        "gitlab-routable": "glp" + "at-" + draw(27, WORD) + ".01." + draw(9, LOWER),
        "gitlab-runner": "glr" + "t-" + draw(20, WORD), "gitlab-trigger": "glp" + "tt-" + draw(40, HEX),
        "gitlab-job": "glc" + "bt-64_" + draw(20, WORD), "gitlab-scim": "gls" + "oat-" + draw(20, WORD),
        "gitlab-feed": "gl" + "ft-" + draw(20, WORD), "gitlab-mail": "gli" + "mt-" + draw(25, WORD),
        "gitlab-agent": "gla" + "gent-" + draw(50, WORD), "gitlab-oauth": "glo" + "as-" + draw(64, WORD),
        "gitlab-registration": "GR" + "1348941" + draw(20, WORD),
        "bitbucket": "AT" + "BB" + draw(24) + draw(8, UPPER), "bitbucket-workspace": "AT" + "CTT3xFfGN0" + draw(180,
        WORD),
        "npm": "np" + "m_" + draw.checked(), "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + draw(150, WORD),
        "rubygems": "ruby" + "gems_" + draw(48, HEX), "crates": "ci" + "o" + draw(32), "nuget": "oy" + "2" + draw(43,
        LOWER),
        "clojars": "CLOJ" + "ARS_" + draw(60, LOWER), "docker": "dckr" + "_pat_" + draw(27, WORD),
        "docker-organization": "dckr" + "_oat_" + draw(32, WORD), "artifactory": "AK" + "Cp" + draw(69),
        "artifactory-reference": "cm" + "Vmd" + draw(59), "sonar": "sq" + "u_" + draw(40, HEX),
        "sonar-project": "sq" + "p_" + draw(40, HEX), "sonar-analysis": "sq" + "a_" + draw(40, HEX),
        "buildkite": "bk" + "ua_" + draw(40, HEX), "circleci": "CCI" + "PAT_" + draw(22) + "_" + draw(40, HEX),
        "octopus": "AP" + "I-" + draw(26, UPPER), "sourcegraph": "sg" + "p_" + draw(16, HEX) + "_" + draw(40, HEX),
        "postman": "PM" + "AK-" + draw(24, HEX) + "-" + draw(34, HEX), "figma": "fi" + "gd_" + draw(40, WORD),
        "linear": "lin" + "_api_" + draw(40), "atlassian": "ATA" + "TT3xFfGF0" + draw(180, WORD) + "=" + draw(8, UPPER),
        "pulumi": "pu" + "l-" + draw(40, HEX), "terraform": draw(14) + ".atlas" + "v1." + draw(67, WORD)}


def _of_models(draw: Draw) -> dict[str, str]:
    """Keys of those who run models."""
    return {
        "anthropic": "sk-ant-" + "api03-" + draw(93, WORD) + "AA",
        "anthropic-admin": "sk-ant-" + "admin01-" + draw(93, WORD) + "AA",
        "anthropic-oauth": "sk-ant-" + "oat01-" + draw(93, WORD) + "AA",
        "openai": "sk-" + draw(20) + "T3Blbk" + "FJ" + draw(20),
        "openai-project": "sk-" + "proj-" + draw(74, WORD) + "T3Blbk" + "FJ" + draw(74, WORD),
        "openai-service": "sk-" + "svcacct-" + draw(74, WORD) + "T3Blbk" + "FJ" + draw(74, WORD),
        "openai-admin": "sk-" + "admin-" + draw(58, WORD) + "T3Blbk" + "FJ" + draw(58, WORD),
        "openrouter": "sk-" + "or-v1-" + draw(64, HEX), "deepseek": "sk-" + draw(32, HEX),
        "langfuse": "sk-" + "lf-" + draw.uuid(), "langsmith": "ls" + "v2_pt_" + draw(32, HEX) + "_" + draw(10, HEX),
        "hugging-face": "h" + "f_" + draw(34, string.ascii_letters),
        "hugging-face-organization": "api" + "_org_" + draw(34, string.ascii_letters),
        "replicate": "r" + "8_" + draw(37), "groq": "gs" + "k_" + draw(52), "xai": "xa" + "i-" + draw(80),
        "perplexity": "pp" + "lx-" + draw(48), "nvidia": "nv" + "api-" + draw(64, WORD),
        "fireworks": "fw" + "_" + draw(24), "tavily": "tv" + "ly-dev-" + draw(32), "cerebras": "cs" + "k-" + draw(48,
        LOWER),
        "pinecone": "pc" + "sk_" + draw(6) + "_" + draw(63), "elevenlabs": "sk" + "_" + draw(48, HEX),
        "together": "tg" + "p_v1_" + draw(43, WORD), "jina": "ji" + "na_" + draw(32, HEX) + draw(28),
        "firecrawl": "fc" + "-" + draw(32, HEX)}


def _of_clouds(draw: Draw) -> dict[str, str]:
    """Keys of clouds, hosts and databases."""
    return {
        "aws": "AK" + "IA" + draw(16, BASE32), "aws-session": "AS" + "IA" + draw(16, BASE32),
        "aws-bedrock": "AB" + "SK" + draw.base64(99), "google-api": "AI" + "za" + draw(35, WORD),
        "google-oauth": "ya" + "29." + draw(180, WORD), "google-client": "GOC" + "SPX-" + draw(28, WORD),
        "google-refresh": "1/" + "/0" + draw(62, WORD), "azure-client": draw(3) + "8" + "Q~" + draw(34, WORD + "~."),
        "alibaba": "LT" + "AI" + draw(20), "tencent": "AK" + "ID" + draw(32), "yandex": "AQ" + "VN" + draw(36, WORD),
        "yandex-oauth": "y0" + "_AgAAAA" + draw(50, WORD), "digitalocean": "do" + "p_v1_" + draw(64, HEX),
        "heroku": "HR" + "KU-AA" + draw(58, WORD), "fly": "fo" + "1_" + draw(43, WORD),
        "fly-macaroon": "fm" + "2_lJPEC" + draw.base64(140), "render": "rn" + "d_" + draw(32),
        "netlify": "nf" + "p_" + draw(36),
        "cloudflare-origin": "v1" + ".0-" + draw(24, HEX) + "-" + draw(146, HEX), "cloudflare": "cf" + "ut_" + draw(40),
        "supabase": "sb" + "p_" + draw(40, HEX), "supabase-secret": "sb" + "_secret_" + draw(31, WORD),
        "neon": "na" + "pi_" + draw(64, LOWER), "planetscale": "ps" + "cale_tkn_" + draw(43, WORD),
        "planetscale-password": "ps" + "cale_pw_" + draw(43, WORD),
        "planetscale-oauth": "ps" + "cale_oauth_" + draw(43, WORD),
        "databricks": "da" + "pi" + draw(32, HEX), "clickhouse": "4b" + "1d" + draw(38),
        "openshift": "sha" + "256~" + draw(43, WORD),
        "vault": "hv" + "s." + draw(90, WORD), "vault-batch": "hv" + "b." + draw(140, WORD),
        "doppler": "dp" + ".pt." + draw(43),
        "doppler-service": "dp" + ".st.prd." + draw(43), "onepassword": "op" + "s_ey" + "J" + draw(260, BASE64),
        "onepassword-secret": "A" + "3-" + "-".join(draw(length, UPPER) for length in (6, 6, 5, 5, 5, 5)),
        "tailscale": "ts" + "key-auth-k" + draw(10) + "CNTRL-" + draw(32), "vercel": "vc" + "p_" + draw(56)}


def _of_services(draw: Draw) -> dict[str, str]:
    """Keys of services for mail, chat, payment and watching."""
    number = string.digits
    return {
        "slack-bot": "xo" + "xb-" + draw.digits(12) + "-" + draw.digits(13) + "-" + draw(24),
        "slack-user": "xo" + "xp-" + draw.digits(12) + "-" + draw.digits(12) + "-" + draw.digits(13) + "-" + draw(32,
        HEX),
        "slack-app": "xap" + "p-1-A" + draw(10, UPPER) + "-" + draw.digits(13) + "-" + draw(64, HEX),
        "slack-rotated": "xo" + "xe.xo" + "xp-1-" + draw(163, UPPER), "slack-refresh": "xo" + "xe-1-" + draw(146,
        UPPER),
        "slack-webhook": "https://hooks.slack" + ".com/services/T" + draw(9, UPPER) + "/B" + draw(9,
        UPPER) + "/" + draw(24),
        "slack-workflow": "https://hooks.slack" + ".com/triggers/T" + draw(9,
        UPPER) + "/" + draw.digits(13) + "/" + draw(32, HEX),
        "discord-webhook": "https://discord" + ".com/api/webhooks/" + draw.digits(18) + "/" + draw(68, WORD),
        "discord-bot": "MT" + draw(24) + "." + draw(6, WORD) + "." + draw(38, WORD),
        "teams-webhook": "https://ada.webhook.office" + f".com/webhookb2/{draw.uuid()}@{draw.uuid()}/IncomingWebhook/"
                         + draw(32, HEX) + "/" + draw.uuid(),
        "telegram": draw.digits(10) + ":AA" + draw(33, WORD), "stripe": "sk" + "_live_51" + draw(97),
        "stripe-old": "sk" + "_live_" + draw(24), "stripe-test": "sk" + "_test_" + draw(24),
        "stripe-restricted": "rk" + "_live_" + draw(24), "stripe-webhook": "wh" + "sec_" + draw(32),
        "square": "EA" + "AA" + draw(60, WORD), "square-oauth": "sq0" + "csp-" + draw(43, WORD),
        "square-access": "sq0" + "atp-" + draw(22, WORD), "shopify": "shp" + "at_" + draw(32, HEX),
        "plaid": "access-" + "production-" + draw.uuid(), "razorpay": "rzp" + "_live_" + draw(14) + draw(10),
        "easypost": "EZ" + "AK" + draw(54), "sendgrid": "S" + "G." + draw(22, WORD) + "." + draw(43, WORD),
        "mailgun": "ke" + "y-" + draw(32, HEX), "mailchimp": draw(32, HEX) + "-u" + "s" + draw.random.choice(("1",
        "12", "21")),
        "brevo": "xkey" + "sib-" + draw(64, HEX) + "-" + draw(16), "resend": "re" + "_" + draw(8) + "_" + draw(24),
        "twilio": "S" + "K" + draw(32, HEX), "newrelic": "NR" + "AK-" + draw(27, UPPER),
        "newrelic-insert": "NR" + "II-" + draw(32, WORD),
        "sentry": "sntr" + "ys_" + draw.part(iat=1790000000, url="https://sentry.example.org") + "_" + draw(43, BASE64),
        "sentry-user": "sntr" + "yu_" + draw(64, HEX), "grafana": "gl" + "sa_" + draw(32) + "_" + draw(8, HEX),
        "grafana-cloud": "gl" + "c_" + draw.part(o=draw.digits(6), n="ci") + draw(40, BASE64),
        "dynatrace": "dt0" + "c01." + draw(24, BASE32) + "." + draw(64, BASE32), "posthog": "ph" + "x_" + draw(43),
        "launchdarkly": "sd" + "k-" + draw.uuid(), "airtable": "pa" + "t" + draw(14) + "." + draw(64, HEX),
        "notion": "nt" + "n_" + draw.digits(11) + draw(35), "readme": "rd" + "me_" + draw(70, LOWER),
        "prefect": "pn" + "u_" + draw(36), "typeform": "tf" + "p_" + draw(44, WORD) + "_" + draw(14, number + "abc"),
        "okta": "SSWS 00" + draw(40, WORD)}


def named_bodies(draw: Draw) -> dict[str, str]:
    """New bodies that are told by the name before them: as services make them, as people do."""
    return {"aws-secret": draw(38, BASE64) + "a7", "hex": "7" + draw(31, HEX), "long-hex": "7" + draw(63, HEX),
            "words": draw.word(), "short": draw(6, string.ascii_lowercase) + "2x",
            "symbols": "p@5" + draw(3, "#%!.") + "w0rd" + draw(3), "base64": "7" + draw(42, BASE64) + "=",
            "uuid": draw.uuid()}


TOKENS = tokens(Draw("the tests'"))
NAMED_BODIES = {  # told by the name before them
    "aws-secret": Draw("aws")(38, BASE64) + "a7", "hex": "7" + Draw("hex")(31, HEX),
    "long-hex": "7" + Draw("long")(63, HEX),
    "words": "correct-horse-7-battery", "short": "hunter2x", "symbols": "p@55#w0rd!x",
    "base64": "7" + Draw("base64")(42, BASE64) + "=", "uuid": "9b2e7c1a-0000-4000-8000-" + "7" + Draw("uuid")(11, HEX)}
NAMED_CARRIERS = {  # each with a name that says what comes
    "env": "DB_PASSWORD={}", "export": "export API_KEY={}", "aws": "AWS_SECRET_ACCESS_KEY={}",
    "quoted": 'SECRET_KEY = "{}"',
    "ini": "password = '{}'", "yaml": "  client_secret: {}", "yaml-aligned": "  password:     {}",
    "yaml-tab": "password:\t{}",
    "yaml-next": "password:\n  {}", "next-in-search": "conf/a.yml:3:password: |\nconf/a.yml:4:  {}",
    "next-in-context": "conf/a.yml:3:password:\nconf/a.yml-4-  \"{}\"", "next-in-listing": "  3→pwd: |\n  4→  {}",
    "next-in-diff": "+  password: >-\n+    {}", "next-in-names": "conf/a.yml:password:\nconf/a.yml:  {}",
    "json": '{{"api_key": "{}"}}', "json-compact": '{{"accessToken":"{}"}}',
    "json-escaped": '{{\\"password\\": \\"{}\\"}}', "option": "deploy --token {} --force",
    "option-equals": "deploy --password={}",
    "mysql": "mysql -u root -p{} rates", "sshpass": "sshpass -p {} ssh ada@host",
    "curl-user": "curl -u ada:{} example.org", "login-by-mail": "2. **Login with:** `ada@example.org` / `{}`",
    "login-by-name": "Credentials (demo): `ada` / `{}`",
    "header": "X-Api-Key: {}", "bearer": "Authorization: Bearer {}",
    "query": "https://example.org/?access_token={}&page=2",
    "dsn": "Server=db;User=ada;Password={};Timeout=5", "python": "connect(user='ada', password='{}')",
    "ruby": ":password => '{}'",
    "go": 'Password: "{}",', "powershell": "$env:GITHUB_TOKEN = '{}'",
    "docker": "docker run -e POSTGRES_PASSWORD={} db",
    "cookie": "Cookie: session_token={}",
    "escaped-query": "next=%2Flogin%3Ftoken%3D{}", "ini-bare": "aws_secret_access_key = {}",
    "ini-comma": "with secret_key = {}, please",
    "ini-end": "[db]\npassword = {}\n",
    "netrc": "machine example.org login ada password {}", "pgpass": "db.example.org:5432:rates:ada:{}",
    "npmrc": "//npm.example.org/:_authToken={}", "npmrc-auth": "_auth={}",
    "docker-auth": '{{"auths":{{"h":{{"auth":"{}"}}}}}}',
    "kubeconfig": "  user:\n    token: {}",
    "azure-storage": "AccountName=rates;AccountKey={};EndpointSuffix=core.example.net",
    "azure-bus": "SharedAccessKeyName=Root;SharedAccessKey={}",
    "azure-sas": "https://r.example.net/c?sv=2025-01-05&sig={}&se=2026",
    "presigned": "https://b.example.org/k?X-Amz-Expires=60&X-Amz-Signature={}", "xml": "<password>{}</password>",
    "nuget": '<add key="ClearTextPassword" value="{}" />', "jdbc": "jdbc:postgresql://db/rates?user=ada&password={}",
    "psql": "PGPASSWORD={} psql -h db", "redis": "redis-cli -h cache -a {} ping",
    "openssl": "openssl enc -aes256 -passout pass:{}",
    "openssl-in": "openssl rsa -in k.pem -passin pass:{}", "gpg": "gpg --batch --passphrase {} -d x.gpg",
    "stdin": "echo -n {} | docker login --username ada --password-stdin",
    "stdin-login": "echo {} | gh auth login --with-token", "stdin-quoted": "echo '{}' | sudo -S make install",
    "chpasswd": "echo 'ada:{}' | chpasswd", "htpasswd": "htpasswd -bB users ada {}",
    "wget": "wget --user=ada --password={} x",
    "docker-login": "docker login -u ada -p {} registry", "az": "az login --service-principal -u a -p {} --tenant t",
    "mongo": "mongosh --username ada -p {} rates", "sqlcmd": "sqlcmd -S db -U sa -P {}",
    "ldap": "ldapsearch -D cn=ada -w {} x",
    "keytool": "keytool -list -storepass {}", "sql": "CREATE USER ada IDENTIFIED BY '{}'",
    "sql-role": "ALTER ROLE ada WITH PASSWORD '{}'", "aws-set": "aws configure set aws_secret_access_key {}",
    "literal": "kubectl create secret generic db --from-literal=password={}", "httpie": "http -a ada:{} example.org/x",
    "secure-string": 'ConvertTo-SecureString "{}" -AsPlainText', "markdown": "**Password:** `{}`",
    "table": "| password | {} |",
    "getenv": 'os.environ.get("API_TOKEN", "{}")', "token-header": "Authorization: token {}",
    "plain-header": "Authorization: {}",
    "continued": "deploy --token \\\n  {} --force", "upper": "PASSWORD: {}", "block": "password: |\n  {}",
    "pw": "pw={}",
    "app-key": "signing_key: '{}'", "rails": "secret_key_base: {}",
    "connect-sid": "Cookie: theme=dark; connect.sid={}; a=b",
    "sentence": "My password is {}", "sentence-for": "The password for the staging db is {}, use it.",
    "sentence-set": "Please set the password to {}", "sentence-near": "Log in as ada with password {} please.",
    "sentence-colon": "The password is: {}", "sentence-below": "Your access token is:\n\n`{}`",
    "fenced": "The script holds a token:\n```\n{}\n```\nRotate it.", "fenced-is": "The API key is:\n```text\n{}\n```",
    "german": "Das Passwort lautet {}.", "german-for": "Das Kennwort für den Server ist {}",
    "french": "Le mot de passe est {}",
    "spanish": "La contraseña es {}", "portuguese": "A senha é {}", "italian": "La password è {}",
    "dutch": "Het wachtwoord is {}",
    "polish": "Hasło to {}", "russian": "Пароль: {}", "chinese": "密码是{}", "japanese": "パスワードは {} です"}
LONGER = ("bearer", "token-header", "plain-header", "azure-sas", "presigned", "docker-auth")
# what stands there is never as short as a password that people remember
URLS = {
    "postgres": "postgres://ada:{}@db.example.org:5432/rates", "redis": "redis://:{}@cache:6379/0",
    "mongo": "mongodb+srv://ada:{}@cluster.example.org/?retryWrites=true", "https": "https://ada:{}@example.org/a.git",
    "token-alone": "https://{}@github.com/ada/rates.git", "amqp": "amqp://guest:{}@mq//",
    "proxy": "http_proxy=http://ada:{}@proxy:3128",
    "pip": "pip install --index-url https://ada:{}@pypi.example.org/simple x",
    "sentry": "SENTRY_DSN=https://{}@o1.ingest.example.org/5",
    "mysql": "mysql+pymysql://ada:{}@db:3306/rates?charset=utf8",
    "sqlserver": "mssql://sa:{}@db:1433/rates", "clickhouse": "clickhouse://ada:{}@h:9000/db",
    "smtp": "smtps://ada:{}@mail:465"}
URL_BODIES = {"hex": Draw("url")(32, HEX), "words": "correct-horse-7-battery", "escaped": "p%4055w0rd%21longer77"}


def blocks(seed: str = "keys") -> Iterator[tuple[str, str]]:
    """Private keys as PEM blocks: whole, with its end cut off, on one line as in JSON, as base64 once more."""
    draw = Draw(seed)

    def lines() -> str:
        return "\n".join(draw(64, BASE64) for _ in range(4))

    for kind in ("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", ""):
        head, foot = f"-----BEGIN {kind}PRIVATE " + "KEY-----", f"-----END {kind}PRIVATE " + "KEY-----"
        yield f"{kind.strip() or 'plain'}-whole", f"{head}\n{lines()}\n{foot}"
        yield f"{kind.strip() or 'plain'}-torn", f"{head}\n{lines()}"
    yield "one-line", "-----BEGIN PRIVATE " + "KEY-----\\n" + "\\n".join(
        lines().splitlines()) + "\\n-----END PRIVATE " + "KEY-----"
    yield "pgp", "-----BEGIN PGP PRIVATE " + f"KEY BLOCK-----\n\n{lines()}\n-----END PGP PRIVATE " + "KEY BLOCK-----"


_draw = Draw("harmless")
SHA = _draw(40, HEX)
HARMLESS = (
    "USER/SKILLCUSTOMIZATIONS/a.md", "SKIPPEDBECAUSEOFTHEWEATHER",
    # hashes, ids, versions
    f"commit {SHA}", f"Fixed in {SHA[:7]}", f"git checkout {SHA}", "sha256:" + _draw(64, HEX), "md5 " + _draw(32, HEX),
    "session 9b2e7c1a-4f1d-4c0e-8a77-1f0c2d3e4b5a", "toolu_01Axh7w2MaDyEGFtTVhz94Ww", "msg_017Rxaknfrom8traKUpN9FWD",
    "integrity sha512-" + _draw(86, BASE64) + "==", "v2.1.329-beta.4+build.7", "etag W/\"" + _draw(20, HEX) + '"',
    "image: node@sha256:" + _draw(64, HEX), "build 20261121.0700.1234567890123456",
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
    "const apiKey = process.env.ANTHROPIC2_API_KEY || process.env.API_KEY;", "apiKey: import.meta.env.VITE_KEY2,",
    "- Add `accessKey: Uint8Array` to it", "secretKey: Float32Array)", "token: str",
    "password: string", "password?: string", "def login(user, password):", "if (!password) return", "getPassword()",
    "const token = getToken();", "token = os.environ['TOKEN']", "password = input('Password: ')", "self.token = token",
    "token=$TOKEN", 'password="$DB_PASSWORD"', "password: ${{ secrets.PASSWORD }}", "token: ${TOKEN}",
    "API_KEY=<your key>", "API_KEY=your_api_key_here", "db_password: 'your-db-password'", "SECRET_KEY=your-secret-key",
    "redirect with returnTo=/invite?token=...)", "password=…, and so on",
    "postgres://me:<DB_PASSWORD>@<DB_HOST>:<DB_PORT>/rates",
    "postgres://me:${DB_PASSWORD}@db/rates",
    "PASSWORD=***", "password=********", "passwd: all authentication tokens updated successfully", "pass-through mode",
    "passed 12 tests", "bypass: enabled", "compass=north-east", "the author: Ada", "authors = ['Ada']", "auth: basic",
    "| `OPENAI_API_KEY` | `lib/context2.ts:84`, `lib/b.ts:5` |", "token: src/a2/b.py:12",
    "Run with the token:\n```bash\nnpm run t3 build2\n```", "Where the token is: see docs/auth2.md",
    "token:\n```\na1.py\n```", "the token `accessTokenV2ForTests`", "auth `src/auth/oauth2/v1/b2c3/handler`",
    "The secret is: keep 2 copies",
    # the verdict of a test
    "--- PASS: TestZones/old_format:_7_hex (0.00s)", "| PASS | mode=3 against the baseline", "PASS: Zones=4 vs six",
    "**PASS** | amax=200 → raw=0.4464",
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
    "mysql -p rates", "Login with: `ada@example.org` / `the password`", "log in with ada@example.org | rates",
    "`ada@example.org` / `kim@example.org`", "sign in: `a.py` / `b.py`, `c.py` / `d2.py`",
    "mysqldump --port=3307 rates", "mysql --protocol tcp", "sshpass -f file ssh host", "mkdir -p mysql/data-dir",
)
