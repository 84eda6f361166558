"""Judges a value by its name: whether to mask it, and whether to report it."""

import re
from urllib.parse import unquote

from attrs import define

from gasoline_cdp.detect.encodings import text_in_base64
from gasoline_cdp.detect.names import is_secret_name, is_setting, kind_of_name
from gasoline_cdp.detect.plausible import (
    WEAK_PASSWORDS,
    entropy,
    is_address,
    is_code,
    is_for_browsers,
    is_label,
    is_mixed,
    is_path,
    is_placeholder,
    is_public,
    is_text_in_base64,
    is_uuid,
    looks_chosen,
    looks_random,
)
from gasoline_cdp.detect.secret_match import REDACTED

_NO_SECRET = {
    "null", "true", "false", "undefined", "string", "number", "required", "invalid", REDACTED.lower(), "none", "void",
    "function", "new", "await", "async", "typeof", "return", "this", "boolean", "object", "any", "symbol", "require",
    "bearer", "basic", "digest", "same-origin", "include", "omit", "use-credentials",
}  # fmt: skip
# Behind a bare word: it is called, looked into, or begins a rule of a style sheet.
_GOES_ON = ("(", "[", "{")
# What ends a bare expression of a program, and no line of settings.
_ENDS_EXPRESSION = (";", ",", ")", ".", ":", "?")
_VALUE_BEGINS = (': "', ':"', ": '", ":'")
# `const token = …`: what follows bare is another name.
_DECLARES = ("const ", "let ", "var ")
_SCHEME = re.compile(r"\A[A-Za-z][\w-]{0,30}\s{1,3}(?=\S)")
# A name that holds something for whoever carries it, rather than telling one thing from another.
_HELD_BY_BEARER = re.compile(
    r"(?:access|auth|refresh|api|bearer|session|secret|private|personal|admin)_?token", re.IGNORECASE
)
# Passwords have fewer.
_COMMAS = 3
# Of names that say no more than `token` or `apikey`.
_PLAIN_NAME = 6
# Elements whose value a page shows or sends back on purpose.
_FORM_TAGS = ("<input", "<meta", "<option", "<button", "<param")
# `arn:aws:secretsmanager:…:secret:name`, up to where one of its parts begins.
_RESOURCE = re.compile(r"(?<![A-Za-z0-9_-])[au]rn:[^\s\"'`]{0,200}\Z")
_HASH = re.compile(r"[0-9a-fA-F]{16,128}\Z")
_AWS_ESCAPED_CHARS = 3 * 40
_AWS_SECRET = re.compile(r"[A-Za-z0-9/+]{40}\Z|[0-9a-f]{48}\Z")


@define(kw_only=True)
class Named:
    """A value with the name that may make it a secret. Not frozen, only because frozen classes are slower to make."""

    text: str
    name: str
    # The name alone makes it a secret; else the value must look like one.
    sure: bool
    # Where the name begins, and where the value starts and ends.
    begin: int
    start: int
    end: int
    value: str
    joint: str
    # Joined only by standing close to each other.
    loose: bool
    # Its end is certain: it is quoted, has a scheme, or stands in a query.
    delimited: bool
    in_query: bool

    @property
    def kind(self) -> str:
        """Which kind of secret the name stands for."""
        return kind_of_name(self.name)

    def is_secret(self, *, in_code: bool) -> bool:
        """Whether to mask it."""
        if self._is_no_value():
            return False
        if self.loose and not self._belongs(in_code=in_code):
            return False
        return (self.sure and not in_code) or self._looks_like_one(in_code=in_code)

    def is_reportable(self) -> bool:
        """Whether to report it."""
        if not self.kind or self._is_in_form() or (not self.sure and self._is_identifier()):
            return False
        value = self.value
        if is_placeholder(value) or is_for_browsers(value) or (not self.delimited and is_code(value)):
            return False
        if self.kind == "aws_secret_key":
            # Half of them have a slash, which URLs and some JSON escape. To decode the value here is cheaper than to
            # search the whole text once more.
            plain = value if len(value) > _AWS_ESCAPED_CHARS else unquote(value).replace("\\/", "/")
            return _AWS_SECRET.match(plain) is not None
        if self.kind == "password":
            weak = value.lower() in WEAK_PASSWORDS or is_label(value) or is_path(value)
            return looks_chosen(value) and not weak
        if is_address(value) or (is_uuid(value) and not self.in_query and self._names()):
            return False
        if " " in value or "\t" in value:
            value = _SCHEME.sub("", value, count=1)
        if self.in_query:
            return len(value) >= 8 and (any(map(str.isdigit, value)) or len(value) >= 20) and entropy(value) > 2
        return looks_random(value, 12) and "://" not in value and not is_text_in_base64(value) and not is_path(value)

    def _is_no_value(self) -> bool:
        """Whether this is no value but a word of a program, of prose or of a label."""
        value = self.value
        if value.strip().lower() in _NO_SECRET or is_public(value):
            return True
        # The key of a button: `accesskey="s"`.
        if len(value) < 3 and self.name.lower() == "accesskey":
            return True
        if self.delimited:
            # A name beside a path: `PASSWORD_API = '/user/password'`.
            return "=" in self.joint and value.count("/") > 1 and is_path(value) and not looks_random(value)
        if self.text[self.begin - 1 : self.begin] == ":" and self.joint == ":" and self._is_in_resource():
            return True
        # A bare value stands on its name's line.
        if "\n" in self.joint and self.joint.strip() in ("=", ":", ""):
            return True
        # Prose: "Unexpected token: x" and "password: required" give nothing away.
        if self.joint.strip() == ":" and len(value) < 6 and not (value.isdigit() and len(value) > 2):
            return True
        goes_on = self.text.startswith(_GOES_ON, self.end)
        return goes_on or is_code(value) or self.text.endswith(_DECLARES, 0, self.begin)

    def _belongs(self, *, in_code: bool) -> bool:
        """Whether a value that only stands close to a name is its value."""
        value = self.value
        if self.joint.isspace() and not (self._is_argument() and looks_random(value, 16)):
            return self.sure and not in_code and self._is_said()
        # `"check": "pass", "address_line2": …`: what looks like a name is a value itself.
        if is_code(value) or ("," in self.joint and self.text.endswith(_VALUE_BEGINS, 0, self.begin)):
            return False
        if looks_random(value, 16):
            return True
        element = self.joint[0] == ">" and self.text[self.begin - 1 : self.begin] == "<"
        if element and self.text.startswith("</", self.end):
            return looks_chosen(value)
        # A list of names has neighbours like that, too; few names have capitals or signs beside their digits.
        return self.kind == "password" and self.delimited and not in_code and looks_chosen(value) and _is_strong(value)

    def _is_in_resource(self) -> bool:
        return _RESOURCE.search(self.text, max(0, self.begin - 200), self.begin) is not None

    def _is_argument(self) -> bool:
        """`--token …` and `ENV TOKEN …`: where a space is enough to join."""
        text, begin = self.text, self.begin
        return "--" in text[max(0, begin - 2) : begin + 2] or text[max(0, begin - 4) : begin] in ("ENV ", "ARG ")

    def _is_said(self) -> bool:
        """Whether a value behind a space is no word of the sentence: `password hunter2!`, as a console joins."""
        value = self.value.rstrip(".,;:!?)")
        if self.kind == "password":
            return looks_chosen(value) and not is_label(value)
        return looks_random(value, 10)

    def _looks_like_one(self, *, in_code: bool) -> bool:
        """Whether the value looks like a secret, where the name is not enough: it is weak, or stands in a program."""
        value, known_place = self.value, self.delimited or self.in_query
        if in_code and (is_placeholder(value) or is_path(value) or is_code(value)):
            return False
        # An account that everyone can see, and a list of words in one string.
        if in_code and (is_address(value) or value.count(",") > _COMMAS):
            return False
        if self.kind == "password":
            return looks_chosen(value) and not (self.sure and is_label(value)) and (known_place or not in_code)
        shortest = 16 if not self.sure else 8 if self.in_query else 12 if self.delimited else 20
        if not looks_random(value, shortest) or is_code(value):
            return False
        if not in_code or self.in_query:
            return True
        if self.delimited:
            return not text_in_base64(value)
        return not self.text.startswith(_ENDS_EXPRESSION, self.end) and "=" not in value.rstrip("=")

    def _is_in_form(self) -> bool:
        tag = self.text.rfind("<", max(0, self.begin - 200), self.begin)
        return "alue" in self.joint and tag >= 0 and self.text.startswith(_FORM_TAGS, tag)

    def _is_identifier(self) -> bool:
        """`"incident_key": "5312a7…"`: in data a hash is more often an identifier than a secret."""
        in_json = self.text[self.begin - 1 : self.begin] == '"' and self.joint.strip('" ') == ":"
        # A bare `"key":` tells the rows of a list apart, by whatever has no capitals.
        of_list = self.name == "key" and not is_mixed(self.value)
        return in_json and (of_list or (_HASH.match(self.value) is not None and not is_setting(self.name)))

    def _names(self) -> bool:
        """Whether a UUID with this name is rather an identifier than a secret: `"key":`, `"token":`."""
        text, begin, name = self.text, self.begin, self.name
        # `//registry.shop.test/:_authToken=…`
        if name == "_authToken" and text[begin - 2 : begin] == "/:" and text[begin - 3 : begin - 2].isalnum():
            return False
        # `herokuToken: …` in settings; `"token": …` and `"itemKey": …` in data.
        in_settings = "=" in self.joint or (text[begin - 1 : begin] not in ('"', "'") and len(name) > _PLAIN_NAME)
        if not name.startswith("_") and (_HELD_BY_BEARER.search(name) or in_settings):
            return False
        return (self.kind == "token" or not is_secret_name(name)) and not is_setting(name)


def _is_strong(password: str) -> bool:
    return any(map(str.isdigit, password)) and (len(password) > 11 or not password.isalnum() or is_mixed(password))
