"""Answers of public APIs, made at run time in the shapes that their documentation shows: no secret in any of them.

Much of it looks like one: what a provider makes for browsers, signed links, identifiers, hashes, labels of forms.
"""

import hashlib
import json
import uuid
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.made_formats import fill


def _hash(random: Random, kind: str = "md5") -> str:
    return hashlib.new(kind, random.randbytes(16), usedforsecurity=False).hexdigest()


def _uuid(random: Random) -> str:
    return str(uuid.UUID(bytes=random.randbytes(16), version=4))


def _signed(random: Random) -> str:
    credential = f"AKIA{fill(random, '<UP:16>')}%2F20260101%2Feu-west-1%2Fs3%2Faws4_request"
    return (
        f"https://bucket.s3.amazonaws.com/{_uuid(random)}.png?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}"
        f"&X-Amz-Date=20260101T000000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature={_hash(random, 'sha256')}"
    )


SHAPES: dict[str, Callable[[Random], Any]] = {
    "payment intent": lambda r: {
        "id": (intent := f"pi_3{fill(r, '<an:23>')}"), "object": "payment_intent", "amount": r.randint(100, 10**6),
        "client_secret": f"{intent}_secret_{fill(r, '<an:25>')}", "latest_charge": f"ch_3{fill(r, '<an:23>')}",
        "payment_method": f"pm_1{fill(r, '<an:23>')}", "livemode": False, "metadata": {},
    },
    "setup intent": lambda r: {
        "id": f"seti_1{fill(r, '<an:23>')}", "client_secret": f"seti_1{fill(r, '<an:23>')}_secret_{fill(r, '<an:30>')}",
        "usage": "off_session", "customer": f"cus_{fill(r, '<an:14>')}",
    },
    "sku": lambda r: {"data": [{"id": f"sk_1{fill(r, '<an:22>')}x", "object": "sku", "product": f"prod_{fill(r, '<an:14>')}"}]},
    "publishable": lambda r: {"publishableKey": f"pk_live_{fill(r, '<an:24>')}", "accountId": f"acct_1{fill(r, '<an:15>')}"},
    "webauthn": lambda r: {
        "credentialId": fill(r, "<url:43>"), "credential": {"id": fill(r, "<url:43>"), "type": "public-key"},
        "challenge": fill(r, "<url:43>"), "publicKey": {"rpId": "app.test", "timeout": 60000, "userVerification": "preferred"},
    },
    "signed link": lambda r: {"upload_url": _signed(r), "key": f"uploads/{_uuid(r)}.png", "expires_in": 900},
    "signed link v2": lambda r: {
        "href": f"https://b.s3.amazonaws.com/k?AWSAccessKeyId=AKIA{fill(r, '<UP:16>')}&Signature={fill(r, '<an:26>')}%3D&Expires=1790000000"
    },
    "favicon": lambda r: {"icons": [f"/static/favicon.ico-{_hash(r)}.png", f"/media/cache/{_hash(r)}.webp"], "etag": _hash(r)},
    "mapbox": lambda r: {"mapboxAccessToken": f"pk.eyJ{fill(r, '<an:60>')}.{fill(r, '<url:22>')}", "style": "mapbox://styles/a/b"},
    "firebase": lambda r: {
        "apiKey": f"AIza{fill(r, '<url:35>')}", "authDomain": "app.firebaseapp.test", "projectId": "app", "appId": f"1:{r.randint(10**11, 10**12)}:web:{_hash(r)[:22]}",
        "measurementId": f"G-{fill(r, '<up:10>')}",
    },
    "analytics": lambda r: {"posthogKey": f"phc_{fill(r, '<an:43>')}", "sentryDsn": f"https://{_hash(r)}@o1.ingest.sentry.test/2", "siteKey": f"6L{fill(r, '<url:38>')}"},
    "labels": lambda _: {
        "password": "Password", "passwordHint": "At least 8 characters", "confirm_password": "Confirm password*", "token": "Token",
        "api_key": "API key", "secret": "Geheimnis", "login": {"password": "Passwort:", "forgot_password": "Passwort vergessen?"},
    },
    "validation": lambda _: {"errors": {"password": ["is too short (minimum is 8 characters)"], "token": "has expired", "otp": "must be 6 digits"}},
    "schema": lambda _: {"properties": {"password": {"type": "string", "format": "password"}, "token": {"type": "string", "maxLength": 40}}},
    "form": lambda _: {"fields": [{"name": "password", "type": "password", "value": ""}, {"name": "api_key", "label": "API key", "required": True}]},
    "usage": lambda _: {"usage": {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}, "token_type": "Bearer", "max_tokens": 4096},
    "paging": lambda r: {"nextPageToken": fill(r, "<url:60>"), "syncToken": fill(r, "<an:30>"), "continuation": fill(r, "<b64:40>"), "items": []},
    "list goes on": lambda r: {
        "skipToken": fill(r, "<b64:40>"), "nextLink": f"https://api.test/items?$skiptoken={fill(r, '<an:40>')}&api-version=2024-01-01",
        "ctoken": fill(r, "<an:40>"), "startToken": fill(r, "<url:40>"), "resume_token": fill(r, "<hex:60>"), "uploadToken": fill(r, "<url:60>"),
        "deltaToken": fill(r, "<an:40>"), "ClientRequestToken": _uuid(r), "client_token": fill(r, "<an:32>"), "changeToken": fill(r, "<b64:30>"),
    },
    "identifiers": lambda r: {
        "correlationKey": fill(r, "<b64:43>="), "uniqueKey": f"OnVm_/subscriptions/{_uuid(r)}", "periodKey": "0_P3Y6M4DT12H30M5S",
        "imageInsightsToken": f"ccid_{fill(r, '<an:8>')}*mid_{_hash(r, 'sha1').upper()}*simid_{r.randint(10**17, 10**18)}",
        "connectionString": f"InstrumentationKey={_uuid(r)};IngestionEndpoint=https://in.test/", "analytics_key": _hash(r, "sha256"),
        "encodedValidationCertPubKey": fill(r, "<b64:80>"), "file_key": fill(r, "<an:22>"),
    },
    "resource names": lambda r: {
        "ARN": f"arn:aws:secretsmanager:us-west-2:123456789012:secret:DatabaseSecret-{fill(r, '<an:6>')}", "VersionId": _uuid(r),
        "PasswordLastUsed": "2026-09-24T16:18:07Z", "passwordValidationRegex": "^(?=.*[0-9])(?=.*[A-Z])(?=.*[a-z]).*$",
    },
    "checks": lambda _: {"checks": {"cvc_check": "pass", "address_line1_check": "pass", "address_line2": None, "zip_check": "fail"}},
    "shared link": lambda r: {
        "thumbnail": f"https://a.blob.test/c/x.png?sv=2020-08-04&sr=b&sig={fill(r, '<an:40>')}%3D",
        "book": f"https://books.test/?id={fill(r, '<an:12>')}&source=bl&ots={fill(r, '<an:10>')}&sig=ACfU3U{fill(r, '<url:28>')}",
    },
    "git": lambda r: {
        "sha": _hash(r, "sha1"), "node_id": f"MDY6Q29tbWl0{fill(r, '<an:40>')}", "parents": [{"sha": _hash(r, "sha1")}],
        "verification": {"verified": True, "signature": None}, "tree": {"url": f"https://api.test/git/trees/{_hash(r, 'sha1')}"},
    },
    "kubernetes": lambda r: {
        "metadata": {"uid": _uuid(r), "resourceVersion": str(r.randint(1, 10**6)), "labels": {"pod-template-hash": fill(r, "<hex:10>")}},
        "spec": {"volumes": [{"name": "token", "secret": {"secretName": f"default-token-{fill(r, '<low:5>')}"}}], "serviceAccountName": "default"},
    },
    "incident": lambda r: {"incident_key": _hash(r, "sha256"), "dedup_key": _hash(r), "idempotency_key": _uuid(r), "sort_key": fill(r, "<an:20>")},
    "cache": lambda r: {"cacheKey": _hash(r, "sha256"), "objectKey": f"a/b/{_uuid(r)}", "partitionKey": _uuid(r), "translationKey": "auth.password.title"},
    "wallet": lambda r: {"token": f"0x{_hash(r, 'sha1')}", "tx": f"0x{_hash(r, 'sha256')}", "symbol": "TKN"},
    "oauth server": lambda _: {
        "token_endpoint": "https://id.test/oauth/token", "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        "revocation_endpoint": "https://id.test/revoke", "jwks_uri": "https://id.test/jwks",
    },
    "jwks": lambda r: {"keys": [{"kty": "RSA", "kid": _uuid(r), "use": "sig", "n": fill(r, "<url:342>"), "e": "AQAB"}]},
    "csrf": lambda r: {"csrfToken": fill(r, "<an:40>"), "nonce": fill(r, "<b64:22>=="), "captchaToken": fill(r, "<url:60>")},
    "design": lambda r: {"tokens": {"colorToken": f"#{_hash(r)[:6]}", "design_token": "spacing-4", "tokenName": "primary"}},
    "shop": lambda r: {"items": [{"sku": fill(r, "<up:10>"), "key": f"{n}", "variant": _uuid(r), "image": f"/i/{_hash(r)}.jpg"} for n in range(5)]},
    "placeholder": lambda _: {"example": {"api_key": "YOUR_API_KEY", "google": "AIza" + "a" * 35, "grafana": "glc_" + "1" * 40, "password": "********"}},
}  # fmt: skip


def api_bodies(each: int = 20) -> Iterator[tuple[str, str]]:
    """Shape and text."""
    random = Random(51)
    for shape, make in SHAPES.items():
        for number in range(each):
            yield shape, json.dumps(make(random), indent=2 if number % 3 == 0 else None)
