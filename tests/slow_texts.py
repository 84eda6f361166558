"""Texts that are slow to look through for secrets, found by `launcher/run bench slow-texts` and kept as units.

A text is its unit repeated. What is slow is what makes the search begin over and over: marks of formats, names with
something that could be a value, escapes, and joints between them.
"""

from gasoline_cdp.detect.formats import FORMATS
from gasoline_cdp.detect.names import STEMS

# What the search listens to, for texts that are put together by chance.
WORDS = (
    *sorted({mark for form in FORMATS for mark in form.marks}),
    *STEMS,
    *"=:'`,&?#./%\\-_;(){}[]<>|~$+@",
    *("--", "=>", ":=", "||", "://"),
    *('"', "\n", " ", "a", "A1", "aA1bB2", "0123456789abcdef", "a" * 20, "Z7XQJ5KLMNOPQRST", "h7Gk29LmQx41ZpRt"),
    *("\\u0022", "%22", "%3D", "&quot;", "\\/", '\\"', "Bearer ", "Authorization: ", "value", "aws", "curl -u "),
    *("-----BEGIN PRIVATE KEY-----", "</key><string>", "eyJhbGciOiJIUzI1NiJ9", "QXV0aG9yaXphdGlvbjog"),
    *("function", "const ", "px;}"),
)

# The slowest that were found, by what they keep busy.
UNITS = (
    *("glpat-aaaaaaaa.", "--eyJaaaaaaaa", "key='a1b2c3d4e5f6g7h8' ", "token=a1b2c3d4e5f6 ", "bearer aaaaaaaaaaaaaaaa "),
    *('{"password":"a1b2c3d4",', "://a:bcdefg@", "webhook.office.com", "password</key><string>", 'token": "\\u00fc'),
    *("api_key>", "xoxb-1234567890-", "eyJhbGciOi", "QXV0aG9yaXphdGlvbjogQmVhcmVyIGE ", "Authorization: a 1 "),
    *("pw ", "%41", "\\u0022", "aws ", "bearer ", 'password "', "cvv:1 "),
    "<button aoauth:-----BEGIN PRIVATE KEY-----",
    "Authorization: Akey-AuthrizaAuthorizatO Akey-AuthorizaAuthori",
    "cvv:pxl$argopenaaws_productio}cvv:",
    "token=a1bify_applAzSeication_EXOkey_3d4e5f6sha256~ totoken=a1bi-fy_application_key",
    "kegithub_pat_1vcr_b2c3d4gCFPAT-cu_l%22e5f6glsba1b2cZapify_apiSG._igo_Scu_keAZDO1b2c",
    "token=glsa_pcsk_d4e5fsqpxkeysib%3D-oken=a15f",
    "ke1vcr_b2c3d4gCFPAT-l%22e5f6g7h8' key='a1b2cZ5KLMNOPQRfigo_SnpmkeAZDO1b2c3d4k",
)


def text_of(unit: str, chars: int) -> str:
    """A text of so many characters."""
    return (unit * (chars // len(unit) + 1))[:chars]
