"""The formats by which issuers make their secrets known, in our own form: what they begin with, and their shape.

Knowledge of the formats comes from the issuers' documentation and from public rule sets (detect-secrets, secretlint,
gitleaks, trufflehog, Nosey Parker). A format is tried only where one of its `marks` stands in the text, and every
repetition is bounded, so that no text takes long.
"""

from gasoline_cdp.detect.form import END, Format, make
from gasoline_cdp.detect.infrastructure import CLOUD, SOURCES_AND_PACKAGES
from gasoline_cdp.detect.plausible import holds_jwt, is_jwt, looks_random
from gasoline_cdp.detect.services import CHAT_AND_MAIL, MODELS, PAYMENT, SERVICES

__all__ = ["FORMATS", "TITLES", "Format"]

_TOKENS = (
    make("jwt", "JSON Web Token", "eyJ", r"eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,4096}){0,3}", check=is_jwt, glue=False),
    # The same where it begins in the middle of a word: a header that can be nothing else.
    make("jwt", "JSON Web Token", "eyJhbGciOi eyJ0eXAiOi", r"eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,4096}){0,3}", check=is_jwt, glue=True),
    make("jwt", "JSON Web Token", "ZXlK", r"ZXlK[A-Za-z0-9+/_-]{40,8192}={0,2}", check=holds_jwt),
    # A key's own encoding without the lines around it: a sequence that begins with the version, then a number or an
    # algorithm. A certificate begins with another sequence.
    make("private_key", "Private key", "MII", r"MII[A-Za-z0-9+/]{2}[AQgw]IBA(?:AK[BC]|DA[NQTU])[A-Za-z0-9+/]{40,8000}={0,2}", by="mark"),
    make("private_key", "Private key", "MIGHAgEAM MIG2AgEAM MIHuAgEAM", r"MI(?:GH|G2|Hu)AgEAM[A-Za-z0-9+/]{40,400}={0,2}", by="mark"),
    make("paseto", "PASETO token", " ".join(f"v{version}.{purpose}." for version in "1234" for purpose in ("local", "public")), r"v[1-4]\.(?:local|public)\.[A-Za-z0-9_-]{22,8000}(?:\.[A-Za-z0-9_-]{1,2000})?", check=looks_random, check_required=True),
    make("private_key", "PASERK key", " ".join(f"k{version}.{use}{sealed}." for version in "1234" for use in ("local", "secret") for sealed in ("", "-pw")), r"k[1-4]\.(?:local|secret)(?:-pw)?\.[A-Za-z0-9_-]{15,8000}", check=looks_random, check_required=True),
    make("private_key", "Extended private key", "xprv yprv zprv tprv", r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{107,108}" + END),
)  # fmt: skip

# What a server keeps instead of a password; whoever has it can guess at leisure.
_HASHES = (
    make("password_hash", "Password hash", "$2a$ $2b$ $2y$", r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}(?![./A-Za-z0-9])"),
    make("password_hash", "Password hash", "$argon2", r"\$argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,4},p=\d{1,3}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,120}"),
    make("password_hash", "Password hash", "$5$ $6$ $1$ $apr1$", r"\$(?:[56]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$(?:[./A-Za-z0-9]{86}|[./A-Za-z0-9]{43})|(?:1|apr1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22})(?![./A-Za-z0-9])"),
    make("password_hash", "Password hash", "pbkdf2_sha pbkdf2:sha scrypt:", r"(?:pbkdf2_sha(?:1|256|512)\$\d{3,8}\$[A-Za-z0-9+/=]{8,64}\$[A-Za-z0-9+/]{20,100}={0,2}|(?:pbkdf2:sha(?:1|256|512)(?::\d{3,8})?|scrypt:\d{3,8}:\d{1,3}:\d{1,3})\$[A-Za-z0-9]{4,32}\$[a-f0-9]{32,160})"),
)  # fmt: skip

FORMATS: tuple[Format, ...] = (
    *CLOUD,
    *SOURCES_AND_PACKAGES,
    *PAYMENT,
    *CHAT_AND_MAIL,
    *SERVICES,
    *MODELS,
    *_TOKENS,
    *_HASHES,
)

# Of several formats of a kind the first gives the title.
TITLES: dict[str, str] = {form.kind: form.title for form in reversed(FORMATS)} | {
    "private_key": "Private key",
    "url_credentials": "User name and password in a URL",
    "connection_string": "Database connection string with its password",
    "aws_secret_key": "AWS secret access key",
    "bearer_token": "Bearer token",
    "password": "Password",
    "api_key": "API key",
    "token": "Access token",
    "secret": "Secret",
}
