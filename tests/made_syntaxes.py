"""Labelled texts made at run time: names with their values in every syntax, and what opens a door without a format."""

from collections.abc import Iterator
from random import Random

from tests.made_formats import fill

# Syntaxes in which a name holds its value. {n} is the name, {v} the value.
SYNTAXES: dict[str, str] = {
    "env": "{n}={v}",
    "env quoted": '{n}="{v}"',
    "export": "export {n}='{v}'",
    "yaml": "{n}: {v}",
    "yaml quoted": "  {n}: '{v}'\n  other: 1",
    "json": '{{"{n}":"{v}"}}',
    "json spaced": '{{ "{n}" : "{v}" }}',
    "json escaped": '{{\\"{n}\\":\\"{v}\\"}}',
    "json twice escaped": '{{\\\\\\"{n}\\\\\\":\\\\\\"{v}\\\\\\"}}',
    "query": "https://h.test/p?a=1&{n}={v}&b=2",
    "form": "a=1&{n}={v}",
    "fragment": "https://h.test/cb#{n}={v}&state=1",
    "header": "{n}: {v}\r\nAccept: */*",
    "js const": 'const {n} = "{v}";',
    "ts typed": 'const {n}: string = "{v}";',
    "js property": "{n}: '{v}',",
    "js member": 'config.{n} = "{v}"',
    "js index": 'process.env["{n}"] = "{v}"',
    "go": '{n} := "{v}"',
    "go typed": 'var {n} string = "{v}"',
    "swift": 'let {n}: String = "{v}"',
    "rust": 'const {n}: &str = "{v}";',
    "java": 'private static final String {n} = "{v}";',
    "php": "'{n}' => '{v}',",
    "php define": "define('{n}', '{v}');",
    "ruby": ':{n} => "{v}"',
    "python dict": "{{'{n}': '{v}'}}",
    "python keyword": 'connect({n}="{v}", timeout=3)',
    "fallback": 'process.env.{n} || "{v}"',
    "nullish": "x.{n} ?? '{v}'",
    "option": "run --{n}={v} now",
    "option spaced": "run --{n} {v} now",
    "xml element": "<{n}>{v}</{n}>",
    "xml add": '<add key="{n}" value="{v}" />',
    "xml attribute": '<server {n}="{v}"/>',
    "plist": "<key>{n}</key>\n<string>{v}</string>",
    "pair json": '{{"name":"{n}","value":"{v}"}}',
    "pair yaml": "- name: {n}\n  value: {v}",
    "toml": '{n} = "{v}"',
    "ini": "[main]\n{n} = {v}\n",
    "make": "{n} ?= {v}",
    "connection": "Server=db.shop.test;User ID=sa;{n}={v};Encrypt=true",
    "python environment": 'os.environ["{n}"] = "{v}"',
    "python getenv": 'os.getenv("{n}", "{v}")',
    "docker": "ENV {n} {v}\n",
    "template literal": "{n}: `{v}`",
    "graphql": 'mutation {{ set({n}: "{v}") }}',
    "log": "using {n}={v} for shop",
    "percent": "%22{n}%22%3A%22{v}%22",
    "setter": 'client.set("{n}", "{v}")',
    "header call": 'headers.append("{n}", "{v}")',
    "array pair": '["{n}", "{v}"]',
}
NAMES = (
    "api_key", "apiKey", "API_KEY", "x-api-key", "client_secret", "clientSecret", "SHOP_SECRET_KEY", "access_token", "accessToken",
    "auth_token", "AUTH_TOKEN", "refreshToken", "secret", "private_token", "encryption_key", "signingSecret", "SERVICE_ACCESS_KEY",
    "app_secret", "consumer_secret", "bot_token", "webhook_secret", "stripeSecretKey", "GITHUB_TOKEN", "masterKey", "JWT_SECRET",
)  # fmt: skip
VALUES = ("<hex:32>", "<hex:40>", "<an:32>", "<an:24>", "<url:43>", "<b64:43>=", "<low:20>", "<hex:64>", "<an:16>7")
PASSWORD_NAMES = (
    "password",
    "PASSWORD",
    "db_password",
    "dbPassword",
    "DB_PASS",
    "passwd",
    "adminPwd",
    "userPassword",
    "SMTP_PASSWORD",
)
PASSWORDS = ("<abc:7><num:3>!", "<an:14>4", "S3cure<an:6>#", "<low:12>9", "Tr0ub4dor<num:2>", "<alpha:10><num:2>")
# A bare value must be one word there, and what percent-encoding needs is no part of a bare value.
_NO_PASSWORD = {
    "percent",
    "fallback",
    "nullish",
    "setter",
    "header call",
    "array pair",
    "option spaced",
    "docker",
    "python getenv",
    "header",
}
_WANTS_IDENTIFIER = {
    "js const",
    "ts typed",
    "js member",
    "go",
    "go typed",
    "swift",
    "rust",
    "java",
    "ruby",
    "python keyword",
    "fallback",
    "nullish",
    "xml element",
    "xml attribute",
    "graphql",
}


def named() -> Iterator[tuple[str, str]]:
    """Syntax and text: every syntax with several names and values, and with passwords."""
    random = Random(32)
    for syntax, form in SYNTAXES.items():
        for number in range(18):
            name = NAMES[(number * 7 + len(syntax)) % len(NAMES)]
            value = fill(random, VALUES[number % len(VALUES)])
            if syntax in _WANTS_IDENTIFIER:
                name = name.replace("-", "_")
            if syntax in ("query", "form", "fragment", "percent"):
                value = value.replace("+", "a").replace("/", "b").replace("=", "")
            yield f"{syntax}", form.format(n=name, v=value)
        if syntax not in _NO_PASSWORD:
            for number in range(6):
                name, value = random.choice(PASSWORD_NAMES), fill(random, PASSWORDS[number])
                if syntax in ("query", "form", "fragment"):
                    value = value.replace("#", "")
                yield f"{syntax} password", form.format(n=name, v=value)


AUTHORIZATION: dict[str, str] = {
    "basic": "Authorization: Basic <basic>",
    "basic json": '{"Authorization":"Basic <basic>"}',
    "bearer": "Authorization: Bearer <an:40>",
    "bearer lower": "authorization: bearer <hex:40>",
    "bearer code": "headers: { Authorization: 'Bearer <url:40>' }",
    "token": "Authorization: Token <hex:40>",
    "apikey": "Authorization: ApiKey <b64:40>",
    "curl user": "curl -u deploy:<an:14>7 https://h.test/x",
    "curl user quoted": "curl --user 'ci:<an:14>7' https://h.test/x",
    "curl header": 'curl -H "X-Api-Key: <an:32>" https://h.test',
    "redis": "redis://:<an:16>3@cache.shop.internal:6379/0",
    "mysql": "mysql://shop:<an:12>3@db.shop.internal/shop",
    "amqp": "amqps://svc:<an:12>3@mq.shop.internal/v",
    "sqlserver": "sqlserver://sa:<an:12>3@db.shop.internal?database=x",
    "jdbc": "jdbc:postgresql://db.shop.internal/x?user=app&password=<an:12>3",
    "odbc": "Driver={SQL Server};Server=db;Uid=app;Pwd=<an:12>3;",
    "ado": "Data Source=db;Initial Catalog=x;User ID=app;Password=<an:12>3!",
    "service bus": "Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=<an:43>=",
    "git remote": "https://oauth2:<an:24>7@git.shop.internal/a.git",
    "netrc": "machine git.shop.internal login deploy password <an:14>7",
    "ftp": "ftp://deploy:<an:12>3@files.shop.internal/",
    "smtp": "smtp://mailer:<an:12>3@mail.shop.internal:587",
    "prose key": "API Key: <an:32>",
    "prose secret": "Secret Key = <an:40>",
    "prose token": "access token: <url:40>",
    "kubernetes": "kind: Secret\ndata:\n  password: <an:22>==",
    "pgpass": "PGPASSWORD=<an:14>7 psql -h db",
    "mysql option": "mysqldump --password=<an:14>7 shop",
}


def authorization(each: int = 10) -> Iterator[tuple[str, str]]:
    """Kind and text of what opens a door without a format of its own."""
    random = Random(33)
    for kind, template in AUTHORIZATION.items():
        for _ in range(each):
            yield kind, fill(random, template)
