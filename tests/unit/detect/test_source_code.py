"""Programs, style sheets and markup stay as they are; what is planted in them is masked all the same."""

import json
from pathlib import Path

import pytest

import gasoline_cdp
from gasoline_cdp.detect.source_code import is_source_code
from gasoline_cdp.redact import redact, safe_body
from tests import made_material

pytestmark = pytest.mark.requirement("F5-SECRETS")

SNIPPETS = [
    "getPassword=function(e){return e.password}",
    "t.CancellationToken=void 0,t.ProgressToken=t.create()",
    ".fa-user-secret:before{content:'x'}",
    'fetch(u,{credentials:"same-origin"})',
    "const CHANGE_PASSWORD_API = '/-/npm/v1/user'",
    "if (token === null || password == '') throw new Error('token is missing')",
    "const token = tokens[i]; this.token = e.token;",
    "export const generateIdempotencyToken = v4;",
    "interface Login { password: string; token?: Promise<string> }",
    "createCancelablePromise(token => provider.prepare(token))",
    '<button accesskey="s">Save</button>',
    'mapboxgl.accessToken = "pk.eyJ' + "1IjoiYSIsImEiOiJjMSJ9" + '.abcdefghij123456789012"',
]

PROGRAM = """/* a program */
"use strict";
(function (root) {
  var Password = { label: "Password", confirmPassword: "Confirm your password", token: "delimiter.curly" };
  function getToken(options) { return options.accessToken || options.token || (root.secret && root.secret.token); }
  const credentials = await provider(); exports.SignatureV4S3Express = SignatureV4S3Express;
  exports.ProgressToken = exports.createConnection = exports.NullLogger = void 0;
  if (typeof token === "string" && password !== "") { api.login({ password: Password.value, token: getToken(this) }); }
  throw new Error("retrieve token: ' + JSON.stringify(error) + '");
})(this);
"""
STYLES = (
    ".password,.token:hover{color:red}\n.key-2::after{content:'secret: x'}\n:root{--md-code-bg-color--lighter:#fff1}\n"
    * 8
)
MODES = 'ace.define("ace/mode/x", ["require"], function(t){this.$rules={start:[' + "".join(
    f'{{token:"keyword.operator.{number}.erlang",regex:"{"-" * 30}"}},' for number in range(20)
)


@pytest.mark.parametrize("code", [*SNIPPETS, MODES, PROGRAM, STYLES, PROGRAM * 20, "".join(SNIPPETS)])
def test_code_stays_as_it_is(code: str) -> None:
    assert redact(code) == code


def test_our_own_scripts_stay_as_they_are() -> None:
    scripts = list(Path(gasoline_cdp.__file__).parent.rglob("*.js"))
    assert len(scripts) > 10
    for script in scripts:
        text = script.read_text()
        assert safe_body(text, 8_000_000) == (text, False), script.name


@pytest.mark.parametrize("kind", ["aws", "aws_secret", "github", "github_fine", "stripe", "jwt", "private_key"])
@pytest.mark.parametrize(
    "form",
    [
        'var x = "{}";', "{{a: '{}'}}", "<div data-x=\"{}\"></div>", "// {}\n", "`${{y}} {}`", "key: {}\n", "KEY={}\n",
        "https://h.test/p?x={}&y=1", "X-Thing: {}\n",
    ],
)  # fmt: skip
def test_a_secret_planted_in_code_is_masked(kind: str, form: str) -> None:
    from random import Random  # noqa: PLC0415 - made where it is used

    secret = made_material.MAKERS[kind](Random(5))
    told = secret.partition("=")[2] if kind == "aws_secret" else secret
    told = told.splitlines()[1] if kind == "private_key" else told
    masked = redact(PROGRAM + form.format(secret) + PROGRAM)
    assert told not in masked
    assert masked.startswith(PROGRAM)
    assert masked.endswith(PROGRAM)


def test_named_literals_that_look_like_secrets_are_masked_in_code() -> None:
    for name in ("password", "apiKey", "client_secret"):
        assert "h7Gk29LmQx41ZpRt" not in redact(PROGRAM + f'{name}: "h7Gk29LmQx41ZpRt",')


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (PROGRAM, True),
        (STYLES, True),
        ("<!doctype html><html><body><p>" + "text " * 100, True),
        (json.dumps({"script": PROGRAM}), False),
        (")]}',\n" + json.dumps([PROGRAM]), False),
        ("user=a&password=b&x=" + "1" * 400, False),
        ("db:\n  password: x\n" * 40, False),
        ("{ password: 'sunflower', user: 'bob', id: 3 }", False),
        ("an ordinary line of a log, " * 40, False),
    ],
)
def test_what_is_code(text: str, code: bool) -> None:
    assert is_source_code(text) is code
