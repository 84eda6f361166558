"""Labelled texts made at run time in the shapes that packages, build tools, servers and their answers have: no secrets.

Each kind is modelled on files of public packages, or on what servers send with every page.
"""

import base64
import hashlib
import json
import uuid
from collections.abc import Callable, Iterator
from random import Random

from tests.made_formats import fill


def _hash(random: Random, kind: str = "sha256") -> str:
    return hashlib.new(kind, random.randbytes(16), usedforsecurity=False).hexdigest()


def _uuid(random: Random) -> str:
    return str(uuid.UUID(bytes=random.randbytes(16), version=4))


def _base64(random: Random, size: int) -> str:
    return base64.b64encode(random.randbytes(size)).decode()


def _zeros(random: Random, size: int) -> str:
    """Base64 of a program or a font: mostly small numbers in four bytes each."""
    return base64.b64encode(b"".join(random.randrange(6000).to_bytes(4, "big") for _ in range(size))).decode()


# By kind; each text is of its own values.
KINDS: dict[str, Callable[[Random], str]] = {
    "resource name": lambda r: f'"KmsKeyArn": "arn:aws:kms:us-west-2:111122223333:key/{_uuid(r)}"',
    "key's resource name in prose": lambda r: f"the name of a KMS key: arn:aws:kms:eu-west-1:111122223333:key/{_uuid(r)}",
    "client key of an error tracker": lambda r: f"https://o1.ingest.test/api/4/envelope/?sentry_version=7&sentry_key={_hash(r, 'md5')}",
    "zeros in base64": lambda r: f'"{"A" * r.randint(22, 40)}{_zeros(r, 90)}"',
    "program in base64": lambda r: f'const wasm="AGFzbQEAAAAB{_zeros(r, 80)}/EAAA{_zeros(r, 60)}";',
    "colour of a token": lambda r: f":root{{--formula-token-{r.randint(1, 9)}-color:#{_hash(r)[:6]};--password-icon-size:{r.randint(1, 99)}px}}",
    "design tokens": lambda r: json.dumps({"source": "Alert", "token": "borderRadius", "type": "number", "tokenName": f"size{r.randint(1, 9)}"}),
    "paginators": lambda r: json.dumps({"ListKeys": {"input_token": "NextToken", "output_token": "NextToken", "limit_key": f"MaxResults{r.randint(1, 9)}"}}),
    "page token": lambda r: json.dumps({"items": [], "nextToken": _base64(r, 60), "NextPageToken": fill(r, "<url:80>")}),
    "keyed list": lambda r: json.dumps([{"key": fill(r, "<low:24>"), "itemKey": _hash(r, "md5"), "rowKey": _uuid(r)} for _ in range(3)]),
    "build manifest": lambda r: json.dumps({"main.js": f"/static/js/main.{_hash(r)[:8]}.js", "buildId": fill(r, "<url:21>"), "hash": _hash(r)[:20]}),
    "precache manifest": lambda r: f'self.__WB_MANIFEST=[{{"revision":"{_hash(r, "md5")}","url":"/auth/token-{_hash(r)[:8]}.js"}}]',
    "module federation": lambda r: f'"chunk-{fill(r, "<up:8>")}.js":{{"imports":["chunk-{fill(r, "<up:8>")}.js"],"integrity":"sha384-{_base64(r, 48)}"}}',
    "source map": lambda r: json.dumps({"version": 3, "sources": ["../src/token.ts"], "mappings": "AAAA," + fill(r, "<b64:60>") + ";;AACA"}),
    "import map": lambda r: json.dumps({"integrity": {f"/js/auth-{_hash(r)[:8]}.js": f"sha256-{_base64(r, 32)}"}}),
    "lock of Cargo": lambda r: f'[[package]]\nname = "secrecy"\nversion = "0.8.{r.randint(0, 9)}"\nchecksum = "{_hash(r)}"',
    "lock of Composer": lambda r: json.dumps({"content-hash": _hash(r, "md5"), "dist": {"reference": _hash(r, "sha1"), "shasum": ""}}),
    "lock of Poetry": lambda r: f'[[package]]\nname = "tokenizers"\nfiles = [{{file = "tokenizers.whl", hash = "sha256:{_hash(r)}"}}]',
    "lock of pnpm": lambda r: f"  /secret-stack@6.4.{r.randint(0, 9)}:\n    resolution: {{integrity: sha512-{_base64(r, 64)}}}",
    "git log": lambda r: f"commit {_hash(r, 'sha1')}\nAuthor: a <a@shop.test>\n\n    Rotate the token of the key server ({_hash(r, 'sha1')[:7]})",
    "git object": lambda r: json.dumps({"oid": _hash(r, "sha1"), "tree": {"sha": _hash(r, "sha1")}, "parents": [_hash(r, "sha1")]}),
    "container image": lambda r: f"registry.test/auth/token-service@sha256:{_hash(r)}",
    "etag of S3": lambda r: f'etag: "{_hash(r, "md5")}-{r.randint(1, 40)}"\r\nx-amz-request-id: {fill(r, "<up:16>")}\r\nx-amz-id-2: {_base64(r, 56)}',
    "headers of a network": lambda r: f"x-vercel-id: fra1::iad1::{fill(r, '<low:5>')}-{r.randint(10**12, 2 * 10**12)}-{_hash(r)[:12]}\r\nx-cache-key: /a/{_hash(r, 'md5')}",
    "trace headers": lambda r: f"x-amzn-trace-id: Root=1-{_hash(r)[:8]}-{_hash(r)[:24]}\r\nx-b3-traceid: {_hash(r, 'md5')}\r\nsentry-trace: {_hash(r, 'md5')}-{_hash(r)[:16]}-1",
    "baggage": lambda r: f"baggage: sentry-public_key={_hash(r, 'md5')},sentry-trace_id={_hash(r, 'md5')},sentry-release={_hash(r, 'sha1')}",
    "report-to": lambda r: json.dumps({"group": "cf-nel", "endpoints": [{"url": f"https://a.nel.test/report/v4?s={quote_plus(_base64(r, 90))}"}]}),
    "policy with nonces": lambda r: f"content-security-policy: script-src 'nonce-{_base64(r, 16)}' 'sha256-{_base64(r, 32)}' 'strict-dynamic'",
    "socket handshake": lambda r: f"sec-websocket-key: {_base64(r, 16)}\r\nsec-websocket-accept: {_base64(r, 20)}",
    "cache keys": lambda r: json.dumps({"cacheKey": f"user:{_hash(r)}", "queryKey": ["tokens", "list", _hash(r, "md5")], "storage_key": f"sb-{fill(r, '<low:20>')}-auth"}),
    "identifiers of a payment": lambda r: json.dumps({"id": f"cs_live_a1{fill(r, '<an:56>')}", "customer": f"cus_{fill(r, '<an:14>')}", "invoice": f"in_1{fill(r, '<an:23>')}"}),
    "identifiers of users": lambda r: json.dumps({"user": f"user_2{fill(r, '<an:26>')}", "org": f"org_2{fill(r, '<an:26>')}", "sub": f"auth0|{fill(r, '<hex:24>')}"}),
    "identifiers of models": lambda r: json.dumps({"id": f"chatcmpl-{fill(r, '<an:29>')}", "system_fingerprint": f"fp_{fill(r, '<hex:10>')}", "file": f"file-{fill(r, '<an:22>')}"}),
    "identifiers of deployments": lambda r: json.dumps({"uid": f"dpl_{fill(r, '<an:28>')}", "projectId": f"prj_{fill(r, '<an:28>')}", "teamId": f"team_{fill(r, '<an:24>')}"}),
    "publishable keys": lambda r: json.dumps({"a": f"pk_live_{_base64(r, 30).replace('+', 'a').replace('/', 'b')}", "b": f"sb_publishable_{fill(r, '<url:31>')}", "c": f"pk_test_{fill(r, '<an:24>')}"}),
    "slugs": lambda r: f"/docs/api-key-rotation-for-prod-{r.randint(1, 99)}/live-test-secret-sharing-with-2-teams-and-3-regions/sk-learn-pipeline-v{r.randint(1, 9)}",
    "names of tests": lambda r: f"test_api_key_is_rejected_when_expired_{r.randint(1, 99)} ok, shop_live_checkout_test_runs_in_region_eu_{r.randint(1, 9)} ok",
    "file names": lambda r: f"icons/api_key_outline_24dp_{r.randint(1, 9)}x.svg sandbox-live-preview-2026-01-0{r.randint(1, 9)}.png prod-eu-west-1-backup-2026.tar.gz",
    "classes of a style sheet": lambda r: f".css-{fill(r, '<low:7>')}-MuiInput-password.Login_secret__{fill(r, '<an:5>')} .sk-{fill(r, '<low:6>')}{{width:{r.randint(1, 99)}%}}",
    "keys of translations": lambda r: json.dumps({"auth.token.expired": "Your session has expired", "settings.api_key.hint": f"At least {r.randint(8, 32)} characters", "secret_santa": "Wichteln"}),
    "alphabets": lambda r: f'var key="0123456789abcdefghijklmnopqrstuvwxyz"[i%{r.randint(2, 36)}],KEY_CHARS="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";',
    "lists of passwords": lambda r: f'!function(e){{var t={{passwords:"123456,password,12345678,qwerty,letmein{r.randint(1, 99)},dragon".split(",")}};return e(t)}}(n);',
    "accounts in code": lambda r: f"/** Withdraw. */\nexport function withdraw(){{const x=await client.withdraw({{account,amount:1n,token:'0x{_hash(r, 'sha1')}'}});return x}}",
    "constants of a hash": lambda r: f"var K=[0x428a2f98,0x71374491,0x{_hash(r)[:8]}],SECRET_BITS=256,keySize={r.randint(1, 64)};",
    "contracts": lambda r: json.dumps({"token": f"0x{_hash(r, 'sha1')}", "txHash": f"0x{_hash(r)}", "tokenId": str(r.randint(1, 10**6)), "signature": f"0x{_hash(r)}{_hash(r)}1b"}),
    "schema of a form": lambda r: json.dumps({"password": {"type": "string", "minLength": r.randint(8, 16), "x-key": "auth_password_1"}, "apiKey": {"$ref": "#/definitions/ApiKeyV2"}}),
    "feature flags": lambda r: json.dumps({"flags": {"new-token-page": {"value": True, "version": r.randint(1, 99), "trackEvents": False}}, "seed": _hash(r)[:12]}),
    "picture in a body": lambda r: json.dumps({"avatar": f"data:image/webp;base64,{_base64(r, 300)}", "blurhash": fill(r, "<an:28>"), "token": None}),
    "cursor": lambda r: json.dumps({"pageInfo": {"endCursor": _base64(r, 40), "startCursor": _base64(r, 40), "hasNextPage": True}}),
    "public key in a body": lambda r: json.dumps({"publicKey": _base64(r, 91), "kid": fill(r, "<url:43>"), "vapidPublicKey": f"B{fill(r, '<url:86>')}"}),
}  # fmt: skip


def quote_plus(value: str) -> str:
    """Base64 as a query carries it."""
    return value.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")


def package_texts(each: int = 8) -> Iterator[tuple[str, str]]:
    """Kind and text."""
    random = Random(43)
    for kind, make in KINDS.items():
        for _ in range(each):
            yield kind, make(random)
