"""Finds secrets by their context: after a scheme, in a URL, near the name of a cloud, in the file of a tool."""

import re
from collections.abc import Iterator, Sequence

from gasoline_cdp.detect.plausible import (
    WEAK_PASSWORDS,
    holds_login,
    is_key_material,
    is_mixed,
    is_placeholder,
    looks_chosen,
    looks_random,
)
from gasoline_cdp.detect.secret_match import ReportedSpans, SecretMatch
from gasoline_cdp.detect.source_code import Code
from gasoline_cdp.detect.work import Work

# This and the mnemonic search the lower-case text: an expression that ignores case tries every character.
_BEARER = re.compile(r"(bearer|basic|digest|apikey|ssws)(\s{1,3}|%20|\+)([a-z0-9._~+/-]{16,4096}={0,2})")
_WORD = re.compile(r"\w")
# The slashes may be escaped, as PHP writes JSON: undone together with a %2F of the password, they would end it there.
_USERINFO = re.compile(r":\\?/\\?/([^\s/@:?#\"'<>]{0,128}):([^\s/?#\"'<>]{1,256})@")
_DATABASES = (
    "mongo", "postgres", "mysql", "mariadb", "redis", "amqp", "mssql", "sqlserver", "cockroach", "clickhouse",
    "oracle", "kafka", "nats",
)  # fmt: skip
_PRIVATE_KEY = re.compile(
    r"-----BEGIN[ +]([A-Z0-9 +]{0,30}PRIVATE[ +]KEY(?:[ +]BLOCK)?)-----"
    # Up to its end, but not past where another block begins: no character is read for two blocks.
    r"((?:(?:[A-Za-z0-9+/=\s:,.\\()@<>]|-(?!----(?:BEGIN|END)[ +])){0,16384}-----END[ +]\1-----"
    r"|[A-Za-z0-9+/=\s:,.\\-]{0,16384}))"
)
# The private part of a JSON Web Key: its field is just called `d`.
_JWK = re.compile(r"""\\{0,3}"d\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"([A-Za-z0-9_-]{30,2048})""")
_CURL_USER = re.compile(r"""\s(?:-u|--user)[ =]{0,3}["']?([\w.@+-]{0,64}):["']?([^\s"'\\]{4,128})""")
_NETRC = re.compile(r"\b(?:login|account)\s{1,4}[^\s]{1,64}\s{1,8}password\s{1,4}([^\s\"']{4,128})")
_MNEMONIC = re.compile(
    r"(?:mnemonic|(?:seed|recovery|secret)[_ -]?phrase)[^a-z\n]{1,8}((?:[a-z]{3,8} ){11,23}[a-z]{3,8})"
)
_AWS_VALUE = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
_NEAR = 60


class ByContext:
    """The secrets of one text that are recognised by their context. Not sorted."""

    def __init__(self, text: str, lowered: str, work: Work, code: Code, by_format: Sequence[SecretMatch] = ()) -> None:
        self._text = text
        self._lowered = lowered
        self._work = work
        self._is_code = code
        # What is known by its format, which says more than a scheme.
        self._by_format = by_format
        # How far the text was searched.
        self.searched = len(text)

    def __iter__(self) -> Iterator[SecretMatch]:
        text, lowered = self._text, self._lowered
        if "-----BEGIN" in text:
            yield from self._by_pem_lines()
        # One after the other, not in a loop: every line that a page logs passes here.
        if (
            "bearer" in lowered
            or "basic" in lowered
            or "digest" in lowered
            or "apikey " in lowered
            or "ssws" in lowered
        ):
            yield from self._by_scheme()
        if "@" in text and ("://" in text or ":\\/\\/" in text):
            yield from self._by_userinfo()
        if "aws" in lowered:
            yield from self._near_aws()
        if "kty" in text or "curl" in lowered or "password " in lowered or "mnemonic" in lowered or "phrase" in lowered:
            yield from self._by_tool()

    def _each(self, pattern: re.Pattern[str], *, lowered: bool = False) -> Iterator[re.Match[str]]:
        for match in pattern.finditer(self._lowered if lowered else self._text):
            if not self._may_judge(match):
                return
            yield match

    def _may_judge(self, match: re.Match[str]) -> bool:
        """Spends steps before judging: if none are left, the rest of the text is masked unread."""
        if self._work.spend(6 + ((match.end() - match.start()) >> 7)):
            return True
        self.searched = min(self.searched, match.start())
        return False

    def _by_pem_lines(self) -> Iterator[SecretMatch]:
        for block in self._each(_PRIVATE_KEY):
            if block[2].strip():
                yield SecretMatch(
                    kind="private_key", start=block.start(2), end=block.end(2), reportable=is_key_material(block[2])
                )

    def _by_scheme(self) -> Iterator[SecretMatch]:
        self._work.spend(1)
        reported = ReportedSpans(self._by_format)
        for named in _BEARER.finditer(self._lowered):
            # The end of another word, or a secret that is known by its format.
            in_word = named.start() > 0 and _WORD.match(self._text, named.start() - 1) is not None
            if in_word or reported.cover(named.start(3), named.end(3)):
                continue
            if not self._may_judge(named):
                return
            value = self._text[named.start(3) : named.end(3)]
            random = looks_random(value, 16)
            if not random and (self._is_code or (named[1] != "bearer" and not holds_login(value))):
                # "Basic configuration-settings": words.
                continue
            if named[1] == "basic" and (password := holds_login(value)):
                reportable = _is_password(password)
            else:
                reportable = looks_random(value, 20) and not is_placeholder(value)
            yield SecretMatch(
                kind="bearer_token", start=named.start(3), end=named.end(3), reportable=reportable, partial=True
            )

    def _by_userinfo(self) -> Iterator[SecretMatch]:
        for found in self._each(_USERINFO):
            user, password = found[1], found[2]
            scheme = self._text[max(0, found.start() - 20) : found.start()].lower()
            database = any(word in scheme for word in _DATABASES)
            weak = password.lower() in WEAK_PASSWORDS or len(password) < (5 if database else 4) or user == password
            reportable = not weak and not is_placeholder(password) and not is_placeholder(user)
            if reportable or not self._is_code:
                kind = "connection_string" if database else "url_credentials"
                yield SecretMatch(kind=kind, start=found.start(1), end=found.end(2), reportable=reportable)

    def _near_aws(self) -> Iterator[SecretMatch]:
        """AWS secret keys: forty characters of base64 shortly after `aws`."""
        text = self._text
        done, position = 0, self._lowered.find("aws")
        while position >= 0:
            value = _AWS_VALUE.search(text, max(position, done), position + _NEAR + 40)
            # Every value that begins before this position was seen.
            done = max(done, position + _NEAR)
            position = self._lowered.find("aws", position + 3)
            if value is None or text[value.end() : value.end() + 1] in _BASE64:
                continue
            if not self._may_judge(value):
                return
            if is_mixed(value[0]):
                yield SecretMatch(
                    kind="aws_secret_key",
                    start=value.start(),
                    end=value.end(),
                    reportable=not is_placeholder(value[0]),
                    partial=True,
                )
                done = value.end()

    def _by_tool(self) -> Iterator[SecretMatch]:
        """Secrets in the syntax of a tool or of its files."""
        lowered = self._lowered
        if "kty" in self._text:
            for key in self._each(_JWK):
                yield SecretMatch(
                    kind="private_key", start=key.start(1), end=key.end(1), reportable=looks_random(key[1], 30)
                )
        if "curl" in lowered:
            for user in self._each(_CURL_USER):
                yield _password(user, 2)
        if "password " in lowered and ("login" in lowered or "account" in lowered):
            for line in self._each(_NETRC):
                yield _password(line, 1)
        if "mnemonic" in lowered or "phrase" in lowered:
            for words in self._each(_MNEMONIC, lowered=True):
                yield SecretMatch(kind="private_key", start=words.start(1), end=words.end(1), reportable=True)


def _is_password(value: str) -> bool:
    return looks_chosen(value) and value.lower() not in WEAK_PASSWORDS and not is_placeholder(value)


def _password(match: re.Match[str], group: int) -> SecretMatch:
    return SecretMatch(
        kind="password", start=match.start(group), end=match.end(group), reportable=_is_password(match[group])
    )
