"""Labelled texts made at run time: secrets by their issuers' documentation, and what only looks like one.

Nothing here comes from the product's own patterns: each secret is made from its parts, so that a pattern that is too
narrow shows. The seed is fixed; nothing made here was ever issued.
"""

import base64
import hashlib
import json
import string
import uuid
import zlib
from collections.abc import Callable, Iterator
from random import Random

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def _some(random: Random, alphabet: str, length: int) -> str:
    return "".join(random.choices(alphabet, k=length))


def _checksummed(random: Random, prefix: str) -> str:
    body = _some(random, ALNUM, 30)
    number, digits = zlib.crc32(body.encode()), ""
    while number:
        number, rest = divmod(number, 62)
        digits = _BASE62[rest] + digits
    return prefix + body + digits.rjust(6, "0")


def _encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _jwt(random: Random) -> str:
    claims = {"sub": _some(random, string.digits, 10), "exp": random.randint(10**9, 2 * 10**9)}
    return f"{_encoded({'alg': 'HS256', 'typ': 'JWT'})}.{_encoded(claims)}.{_some(random, URLSAFE, 43)}"


def _pem(random: Random, kind: str) -> str:
    body = base64.b64encode(random.randbytes(300)).decode()
    lines = "\n".join(body[place : place + 64] for place in range(0, len(body), 64))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"


# The formats of seed 002, then the others.
SEED_KINDS = {"aws", "aws_secret", "github", "stripe", "jwt", "private_key"}
MAKERS: dict[str, Callable[[Random], str]] = {
    "aws": lambda r: r.choice(["AKIA", "ASIA"]) + _some(r, string.ascii_uppercase + "234567", 16),
    "aws_secret": lambda r: f"aws_secret_access_key={_some(r, BASE64, 40)}",
    "github": lambda r: _checksummed(r, r.choice(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"])),
    "github_fine": lambda r: f"github_pat_{_some(r, ALNUM, 22)}_{_some(r, ALNUM, 59)}",
    "stripe": lambda r: r.choice(["sk_live_", "rk_live_", "sk_test_"]) + _some(r, ALNUM, r.choice([24, 99])),
    "jwt": _jwt,
    "private_key": lambda r: _pem(r, r.choice(["RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY"])),
    "pgp": lambda r: _pem(r, "PGP PRIVATE KEY BLOCK").replace("BLOCK-----\n", "BLOCK-----\n\n", 1),
    "gitlab": lambda r: "glpat-" + _some(r, URLSAFE, 20),
    "slack_bot": lambda r: f"xoxb-{r.randint(10**11, 10**12)}-{r.randint(10**12, 10**13)}-{_some(r, ALNUM, 24)}",
    "slack_hook": lambda r: f"https://hooks.slack.com/services/T{_some(r, UPPER, 8)}/B{_some(r, UPPER, 8)}/{_some(r, ALNUM, 24)}",
    "discord_hook": lambda r: f"https://discord.com/api/webhooks/{r.randint(10**17, 10**18)}/{_some(r, URLSAFE, 68)}",
    "telegram": lambda r: f"{r.randint(10**9, 10**10 - 1)}:AA{_some(r, URLSAFE, 33)}",
    "google": lambda r: "AIza" + _some(r, URLSAFE, 35),
    "google_secret": lambda r: "GOCSPX-" + _some(r, URLSAFE, 28),
    "azure_storage": lambda r: "AccountKey=" + base64.b64encode(r.randbytes(64)).decode(),
    "azure_client": lambda r: f"{_some(r, ALNUM, 3)}8Q~{_some(r, URLSAFE, 34)}",
    "digitalocean": lambda r: "dop_v1_" + _some(r, HEX, 64),
    "openai": lambda r: f"sk-proj-{_some(r, ALNUM, 40)}T3BlbkFJ{_some(r, ALNUM, 40)}",
    "anthropic": lambda r: f"sk-ant-api03-{_some(r, URLSAFE, 93)}AA",
    "groq": lambda r: "gsk_" + _some(r, ALNUM, 52),
    "huggingface": lambda r: "hf_" + _some(r, string.ascii_letters, 34),
    "replicate": lambda r: "r8_" + _some(r, ALNUM, 37),
    "npm": lambda r: _checksummed(r, "npm_"),
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + _some(r, URLSAFE, 150),
    "docker": lambda r: "dckr_pat_" + _some(r, URLSAFE, 27),
    "rubygems": lambda r: "rubygems_" + _some(r, HEX, 48),
    "sendgrid": lambda r: f"SG.{_some(r, URLSAFE, 22)}.{_some(r, URLSAFE, 43)}",
    "mailgun": lambda r: "key-" + _some(r, HEX, 32),
    "mailchimp": lambda r: f"{_some(r, HEX, 32)}-us{r.randint(1, 21)}",
    "twilio": lambda r: "SK" + _some(r, HEX, 32),
    "shopify": lambda r: "shpat_" + _some(r, HEX, 32),
    "square": lambda r: "sq0atp-" + _some(r, URLSAFE, 22),
    "vault": lambda r: "hvs." + _some(r, URLSAFE, 95),
    "databricks": lambda r: "dapi" + _some(r, HEX, 32),
    "doppler": lambda r: "dp.pt." + _some(r, ALNUM, 43),
    "linear": lambda r: "lin_api_" + _some(r, ALNUM, 40),
    "notion": lambda r: f"ntn_{r.randint(10**10, 10**11 - 1)}{_some(r, ALNUM, 35)}",
    "figma": lambda r: "figd_" + _some(r, URLSAFE, 40),
    "grafana": lambda r: f"glsa_{_some(r, ALNUM, 32)}_{_some(r, HEX, 8)}",
    "newrelic": lambda r: "NRAK-" + _some(r, UPPER, 27),
    "postman": lambda r: f"PMAK-{_some(r, HEX, 24)}-{_some(r, HEX, 34)}",
    "airtable": lambda r: f"pat{_some(r, ALNUM, 14)}.{_some(r, HEX, 64)}",
    "atlassian": lambda r: "ATATT3" + _some(r, URLSAFE, 186),
    "supabase": lambda r: "sbp_" + _some(r, HEX, 40),
    "vercel": lambda r: "vcp_" + _some(r, ALNUM, 56),
    "database": lambda r: f"postgres://app:{_some(r, ALNUM, 14)}1@db.shop.internal:5432/shop",
    "mongo": lambda r: f"mongodb+srv://svc:{_some(r, ALNUM, 16)}7@cluster0.ab1cd.mongodb.net/app",
    "basic_auth": lambda r: f"https://deploy:{_some(r, ALNUM, 12)}4@git.shop.internal/repo.git",
    "named_json": lambda r: json.dumps({"user": "al", "client_secret": _some(r, ALNUM, 32) + "5"}),
    "named_env": lambda r: f"PAYMENT_API_KEY={_some(r, HEX, 40)}",
    "named_url": lambda r: f"https://api.shop.test/v1/items?api_key={_some(r, LOWER, 24)}9",
    "named_code": lambda r: f'const accessToken = "{_some(r, ALNUM, 40)}";',
    "named_yaml": lambda r: f"db_password: {_some(r, ALNUM, 16)}3!",
    "bearer": lambda r: f"Authorization: Bearer {_some(r, URLSAFE, 40)}",
}  # fmt: skip
CARRIERS = (
    "{}", "token is {} ok", '{{"value":"{}","n":1}}', "GET https://h.test/p?x={}&y=1", "log: '{}'\n", "[{}, 2]", "x={};",
)  # fmt: skip
_WHOLE = {
    "named_json",
    "named_url",
    "named_code",
    "named_env",
    "named_yaml",
    "bearer",
    "private_key",
    "pgp",
    "aws_secret",
}


def secrets(each: int = 10) -> Iterator[tuple[str, str]]:
    """Kind and text of things that are secret."""
    random = Random(20)
    for kind, make in MAKERS.items():
        for number in range(each):
            value = make(random)
            carrier = "{}" if kind in _WHOLE or "://" in value else CARRIERS[number % len(CARRIERS)]
            yield kind, carrier.format(value)


def clean_texts() -> Iterator[tuple[str, str]]:
    """Kind and text of things that are not."""
    random = Random(21)
    for _ in range(20):
        digest = hashlib.sha256(random.randbytes(8)).digest()
        yield "git sha", f"commit {digest.hex()[:40]} merged into main"
        yield "uuid", f'{{"id":"{uuid.UUID(bytes=digest[:16])}","next":"{uuid.UUID(bytes=digest[16:])}"}}'
        yield "data uri", f"url(data:image/png;base64,{base64.b64encode(random.randbytes(300)).decode()})"
        yield "integrity", f'"integrity": "sha512-{base64.b64encode(hashlib.sha512(digest).digest()).decode()}"'
        yield "chunk name", f"https://app.test/assets/index-{_some(random, URLSAFE, 8)}.js?v={digest.hex()[:12]}"
        yield "etag", f'etag: W/"{digest.hex()[:32]}"'
        yield "csrf", f'<input type="hidden" name="csrf_token" value="{_some(random, ALNUM, 40)}">'
        yield "csrf json", json.dumps({"csrfToken": _some(random, ALNUM, 40)})
        yield "paging", json.dumps({"nextPageToken": _some(random, ALNUM, 30), "items": []})
        yield "publishable", f'Stripe("pk_live_{_some(random, ALNUM, 24)}")'
        yield "cache key", json.dumps({"cacheKey": digest.hex(), "sort_key": _some(random, ALNUM, 20)})
        yield "source map", f'{{"version":3,"mappings":"{_some(random, ALNUM + ";,", 300)}"}}'
        yield (
            "timestamp",
            f"[{random.randint(10**12, 2 * 10**12)}] took {random.random() * 100:.3f} ms, id={random.randint(10**8, 10**9)}",
        )
        yield "order", json.dumps({"order": f"ORD-{random.randint(10**9, 10**10)}", "sku": _some(random, UPPER, 10)})
    for text in (
        "Unexpected token < in JSON at position 0", "Password must have at least 8 characters and 1 digit",
        '{"password":"Password","forgot_password":"Forgot your password?","token":"Token"}',
        "const token = await getToken(); headers.set('Authorization', `Bearer ${token}`)",
        "apiKey: process.env.API_KEY, secret: config.get('secret')", "api_key=YOUR_API_KEY", "token=<your token here>",
        'password: "changeme"', "AWS_SECRET_ACCESS_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "AKIAIOSFODNN7EXAMPLE is the key of the documentation", "sk_test_your_key_here", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "https://user:${PASSWORD}@host/x", "postgres://username:password@localhost/db", 'token: e.token, key: t.key, secret: n(12)',
        "max_tokens=4096&token_type=bearer&expires_in=3600", ".btn-key{color:#a1b2c3}.pass{width:100%}",
        "The basic authentication of bearers of tokens", "key: ArrowDown code: KeyA", "secretary@company.org wrote",
        '{"primaryKey":"id","foreignKey":"user_id","keyPath":"a.b.c1"}', "eyJ is how they begin",
        "https://cdn.test/npm/axe-core@4.10.2/axe.min.js", "xoxo, see you at 10", "sk-ip-to-content-and-more-navigation-links",
    ):  # fmt: skip
        yield "text", text


def personal() -> Iterator[tuple[str, bool, str]]:
    """Kind, whether it is personal data, and the text."""
    random = Random(22)
    for number in range(10):
        name = random.choice(["ada", "grace.hopper", "alan_t", "l.torvalds", "mary+shop"])
        yield "email", True, f"user {name}{number}@{random.choice(['gmail.com', 'web.de', 'corp.co.uk'])} signed in"
        yield (
            "phone",
            True,
            f"call +{random.choice(['49', '44', '1', '33'])} {random.randint(200, 899)} {random.randint(10**6, 10**7 - 1)}",
        )
        yield "phone", True, f"({random.randint(201, 989)}) {random.randint(200, 554)}-{random.randint(1000, 9999)}"
        yield "ssn", True, f"SSN: {random.randint(100, 665):03d}-{random.randint(10, 99)}-{random.randint(1000, 9999)}"
        yield "card", True, f"card {_card(random, '4', 16)} expires 12/29"
        yield "card", True, f"{_spaced(_card(random, '5' + str(random.randint(1, 5)), 16))}"
        yield "order number", False, f"order {random.randint(10**15, 10**16 - 1)} shipped"
        yield "date", False, f"2026-0{random.randint(1, 9)}-1{number % 10}T10:1{number % 10}:00+00:00"
        yield "ip", False, f"from 203.0.113.{random.randint(1, 254)}:8080, 10.0.0.{number}"
        yield "version", False, f"axe-core@4.{number}.2 and react@18.2.{number}"
        yield "file", False, f"/img/logo@{number % 3 + 1}x.png, style.{_some(random, HEX, 8)}.css"
        yield "float", False, f"{random.random() * 1000:.10f} {random.randint(10**9, 10**10)}"
        yield "timestamp", False, f"ts={random.randint(10**12, 2 * 10**12)} id={random.randint(10**12, 10**13)}"
        yield "isbn", False, f"ISBN 978-3-16-14{number}410-0"
        yield "uuid", False, str(uuid.UUID(bytes=random.randbytes(16)))
        yield (
            "path",
            False,
            f'<path d="M{random.randint(100, 999)} {random.randint(200, 999)} {random.randint(1000, 9999)}z"/>',
        )
        yield "remote", False, "git@github.com:owner/repo.git and ssh://git@host.test/x"


def _card(random: Random, prefix: str, length: int) -> str:
    body = prefix + _some(random, string.digits, length - len(prefix) - 1)
    total = 0
    for place, digit in enumerate(reversed(body)):
        number = int(digit) * (2 if place % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return body + str(-total % 10)


def _spaced(digits: str) -> str:
    return " ".join(digits[place : place + 4] for place in range(0, len(digits), 4))
