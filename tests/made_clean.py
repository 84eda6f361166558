"""Labelled texts made at run time that hold no secret, and much that looks like one."""

import base64
import hashlib
import json
import uuid
from collections.abc import Iterator
from random import Random

from tests.made_formats import fill

_WORDS = [
    "account",
    "password",
    "token",
    "secret",
    "key",
    "session",
    "login",
    "user",
    "profile",
    "cart",
    "order",
    "price",
    "total",
    "shipping",
    "address",
    "invoice",
    "enter",
    "your",
    "forgot",
    "reset",
    "confirm",
    "must",
    "contain",
    "digits",
    "letters",
    "please",
    "again",
    "expired",
    "invalid",
    "required",
    "settings",
]
_LABELS = {
    "password": "Passwort", "token": "Zugangsschlüssel", "apiKey": "API-Schlüssel eingeben", "secret": "Geheimnis",
    "forgotPassword": "Passwort vergessen?", "passwordHint": "mindestens 8 Zeichen", "accessToken": "Jeton d'accès",
}  # fmt: skip


def clean(each: int = 20) -> Iterator[tuple[str, str]]:
    """Kind and text."""
    random = Random(41)
    for number in range(each):
        digest = hashlib.sha512(random.randbytes(8)).digest()
        sri = "sha512-" + base64.b64encode(digest).decode()
        some_uuid = str(uuid.UUID(bytes=digest[:16], version=4))
        yield (
            "lockfile",
            (
                f'"node_modules/a-{number}": {{"version": "{number}.1.0", "resolved": "https://registry.shop.test/a/-/a-{number}.1.0.tgz",'
                f' "integrity": "{sri}", "engines": {{"node": ">=18"}}}}'
            ),
        )
        yield (
            "yarn lock",
            f'pass-key@^{number}.0.0:\n  version "{number}.0.1"\n  resolved "https://r.test/p.tgz#{digest.hex()[:40]}"\n  integrity {sri}',
        )
        yield "go sum", f"github.com/a/token v1.{number}.0 h1:{base64.b64encode(digest[:32]).decode()}"
        yield "requirements", f"keyring=={number}.1 --hash=sha256:{digest.hex()[:64]}"
        yield (
            "minified",
            f'!function(e,t){{var n=t.key||"",r=e.token?e.token:n,o=n.secret=r;return{{password:o,key:i,auth:{number}}}}}(a{number},b);',
        )
        yield (
            "webpack",
            f"(self.webpackChunk=self.webpackChunk||[]).push([[{number}],{{{random.randint(1000, 9999)}:(e,t,n)=>{{n.r(t)}}}}]);//# sourceMappingURL={digest.hex()[:20]}.js.map",
        )
        yield "chunk", f"/_next/static/chunks/pages/token-{digest.hex()[:16]}.js?key={number}&v={digest.hex()[:8]}"
        yield (
            "css module",
            f".login_password__{fill(random, '<url:5>')}{{color:#{digest.hex()[:6]}}}.key-{number}::after{{content:'token'}}",
        )
        yield "image", f"data:image/png;base64,{base64.b64encode(random.randbytes(400)).decode()}"
        yield "font", f"src:url(data:font/woff2;base64,{base64.b64encode(random.randbytes(400)).decode()})"
        yield (
            "csrf form",
            f'<form><input type="hidden" name="authenticity_token" value="{fill(random, "<b64:86>==")}"><input name="token" value="{fill(random, "<an:32>")}"></form>',
        )
        yield (
            "csrf meta",
            f'<meta name="csrf-token" content="{fill(random, "<an:40>")}"><meta name="google-site-verification" content="{fill(random, "<url:43>")}">',
        )
        yield (
            "nonce",
            f'<script nonce="{fill(random, "<b64:22>==")}" integrity="{sri}" crossorigin="anonymous" src="/a.js"></script>',
        )
        yield "not a jwt", f"eyJ{fill(random, '<an:12>')}.{fill(random, '<an:12>')}.{fill(random, '<an:12>')}"
        yield "prose", " ".join(random.choices(_WORDS, k=20)) + "."
        yield "labels", json.dumps(_LABELS, ensure_ascii=number % 2 == 0)
        yield (
            "validation",
            json.dumps(
                {
                    "errors": {
                        "password": ["must have 8 characters, 1 digit"],
                        "token": ["has expired"],
                        "api_key": ["is missing"],
                    }
                }
            ),
        )
        yield (
            "ids",
            json.dumps(
                {
                    "id": some_uuid,
                    "token_id": some_uuid,
                    "key": some_uuid,
                    "objectKey": digest.hex()[:24],
                    "etag": digest.hex()[:32],
                }
            ),
        )
        yield (
            "paging",
            json.dumps(
                {
                    "nextPageToken": fill(random, "<url:60>"),
                    "cursor": fill(random, "<b64:40>"),
                    "syncToken": fill(random, "<an:30>"),
                }
            ),
        )
        yield (
            "publishable",
            json.dumps(
                {
                    "publishableKey": f"pk_live_{fill(random, '<an:24>')}",
                    "siteKey": f"6L{fill(random, '<url:38>')}",
                    "mapbox": f"pk.{fill(random, '<an:60>')}.{fill(random, '<an:22>')}",
                }
            ),
        )
        yield (
            "trace",
            f"traceparent: 00-{digest.hex()[:32]}-{digest.hex()[32:48]}-01\r\nx-request-id: {some_uuid}\r\ncf-ray: {digest.hex()[:16]}-FRA",
        )
        yield (
            "cache headers",
            f'etag: W/"{digest.hex()[:32]}"\r\ncache-control: max-age=3600\r\nage: {number}\r\nvary: Authorization',
        )
        yield (
            "usage",
            json.dumps(
                {
                    "model": "m",
                    "usage": {"prompt_tokens": 120 + number, "completion_tokens": 33, "max_tokens": 4096},
                    "token_type": "bearer",
                }
            ),
        )
        yield (
            "code",
            f"const token{number} = await auth.getToken(); if (!token{number}) throw new Error('token is missing'); api.setKey(config.apiKey2);",
        )
        yield (
            "types",
            f"interface Login{number} {{ password: string; apiKey?: string; token: Promise<string>; secretKey: CryptoKey2048; }}",
        )
        yield (
            "keys of a keyboard",
            f'{{"key":"ArrowDown","code":"KeyF{number}","shortcutKey":"Ctrl+Shift+F{number}","hotkey":"F{number}"}}',
        )
        yield (
            "database keys",
            f"PRIMARY KEY (token_id), FOREIGN KEY (user_key) REFERENCES users (key), KEY idx_{digest.hex()[:8]} (token)",
        )
        yield (
            "query",
            f"https://cdn.test/a.js?v={digest.hex()[:20]}&key={number}&lang=en&utm_source=token&session={number}",
        )
        yield (
            "wallet",
            f'{{"tx":"0x{digest.hex()[:64]}","to":"0x{digest.hex()[:40]}","token":"0x{digest.hex()[40:80]}"}}',
        )
        yield (
            "translations",
            f"t('password.reset_{number}', 'Reset your password'); t(\"token_expired_{number}\", \"Your session has expired\")",
        )
        yield (
            "test names",
            f"test_{'_'.join(random.choices(_WORDS, k=7))}_{number} passed; live_{'_'.join(random.choices(_WORDS, k=6))}_{number}",
        )
        yield (
            "slugs",
            f"https://shop.test/p/md-{'-'.join(random.choices(_WORDS, k=4))}-{number}/sk-{'-'.join(random.choices(_WORDS, k=5))}",
        )
        yield (
            "shell",
            'export API_KEY="$(vault read key)"; curl -u "$USER:$PASSWORD" -H "Authorization: Bearer $TOKEN" https://h.test',
        )
        yield (
            "template",
            "password: {{ .Values.password }}\napi_key: ${API_KEY}\nsecret: <%= secret %>\ntoken: %TOKEN%\nkey: #{key}",
        )
        yield (
            "documentation",
            f"curl -H 'X-Api-Key: YOUR_API_KEY_{number}' https://api.test # sk_live_xxxxxxxxxxxxxxxxxxxxxxxx, user:pass@host",
        )
        yield (
            "public key",
            f"-----BEGIN PUBLIC KEY-----\n{base64.b64encode(random.randbytes(90)).decode()}\n-----END PUBLIC KEY-----",
        )
        yield (
            "certificate",
            base64.b64encode(b"-----BEGIN CERTIFICATE-----\n" + base64.b64encode(random.randbytes(200))).decode(),
        )
        yield (
            "public jwk",
            f'{{"kty":"RSA","kid":"{some_uuid}","use":"sig","n":"{fill(random, "<url:342>")}","e":"AQAB"}}',
        )
        yield (
            "timing",
            f"[{random.randint(10**12, 2 * 10**12)}] GET /api/token/{number} 200 in {random.random() * 99:.3f} ms, id={random.randint(10**9, 10**10)}",
        )
