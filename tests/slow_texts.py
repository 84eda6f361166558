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
    # Those of few characters. Two took fifteen and eighteen times what JSON takes, the others up to nine.
    (
        'token=SKKIDd4eamzn.mwsntp_ol$2a$.tAC_ _penSzpka_apin"token>Ehccik_AAA.b2c3mfad4e5f6sqp_aA1$_ to=k4.s'
        "ecret.napi_ZXlKut_y_2aaadbtc_h7Gk29LmQx41ZpRta4b1daaAzSeay2ajn_APaHRU-ab2d4eaA1bsAIKvca__CI_keys%22t"
    ),
    "k2.secret-pw.sk_prod_hpua_Z7XQpwvck_J5KLMNO Psrf\\u0022QRSTk4",
    (
        "tomd-=Bearer a1b2c3e5fPMAT-6 ttoken=oken=a1b2c3e5fPMAT-6 ttoken=token=a1b2c3e5fPMAT-6 ttoken=3e5fPMA"
        "T-6 ttokena1b2tokddo_en=1b2c3e5fPMAT-6 ttokencmVmd=a1btopin=Bearer 1b2c3e5fPMAT-6 ttpplArubygems_zto"
    ),
    (
        'token=tify_applAk4.ssig"ecrshpss_et._EXOkoxo-f6sha256~ totoken=a1bi-fy_application_keytoken=fm1.atif'
        "y_applcatio%22XOkey_3da4e5f6sha256~ toetoken=hvs.token=hvstify_applAk4.selive_cret._EXOkey_3xottt"
    ),
    (
        "token=glsa_+pcsk_d4ib%3D-----SCWINk3.secret-pw. PRIVATEEY-----b%_mmk3D-okenAuth3D-oAu<meta name=csrf"
        " content=: Akeyeypat-sib%_Authoriz: ABIAAmnemonick1.secret-pw.csa_=a15fAuthorizattoken=glsa_+pc"
    ),
    (
        "toc3d4e5AQ.Abf6 tok_ib%3D-IGQW=a15ftoken=rnd_c3d4e5fmnemonicib%3D-oken=a15ftoken=a1b2c3d4_mmke5f6 to"
        "kfjwtb%3D-oktoken=a1|2c3d4e5f6 tf6 token=a1b2ctoc5AQ.Abf6 <tokfpib%3D-okenfigd_=a15ftokec3d4etotoc3"
    ),
    "tokein__nBearer =xoxs-5glc_fsqpxkeysib%31-IQoJg",
    (
        "kedt0s16.github_pat_1vcrmfa.fc-gCFPgo_Scu_keAZDO1b2ct0s16.github_pat_1b2c3d4gCFPAT-cu_l%22e5f6ba1b16"
        ".github_pat_1vcrmfa.fc-go_Scu_AZDO1b2ct0s16.github_pat_1b2ckedt0s.github_pat_1b2cAT-cu_l%22e5f6glsba"
    ),
    # One secret in 50 characters, judged as it stands and again decoded: these took up to seventeen times.
    "%3DtH-KU-__nBearer =xoxs-5glc_fsqpxkeysib%31-IQk%K",
    "tn\\u002bkua_2Bearer =xoxs-5glc_fsqpxkeysib%31-IQoJ",
    'curl\\"|SG.sk_prod__key%41_skawszpk_key%411__pAzSep',
    "t__nBearer =xoxs-5glc__fsqpkeyi%31-IQoJg>+ACR",
    ']pin"nBearer =#xoxs-5glc_fsb%31--IAzQoJea$]ic|]pin',
    # Of 50 to 1,000 characters, after that was mended: 9 to 11 times, then 9 to 10.
    (
        "tn\\rconst _ukua_2Bedt0s0 =xoxs-5glc_fsqpxkeysib%31-IQoJtn\\u002bkua_2Bearer =xoxs-5glrnd_qpxkeysi"
        "b%31- Ak4.secret.ib%_Authoriz: apify_api_6 tf6 token=a1b2coc5AQ.Abdbtc_er =xoxs-5__fsqpkeyi%31-I"
        "QoJtn\\"
    ),
    (
        "tn\\ukua_2Bedt0s03.arer =xoxs-5glc_fsqpxkeysib%31-IQoJtn\\u002bkua_2Bearer =xoxs-5glc_fsqpxkeysib%"
        "31- Ak4.secret.ib%_Authoriz: apify_api_6 tf6 token=a1b2ctoc5AQ.Abf6 arer =xoxs-5glc__fsqpkeyi%31"
        "-IQoJg>+"
    ),
    (
        ']pin"nBearer =#xoxs-5glc_fsb%31-sk_zQoJea$]idtcurl -u DO1b2ct0s16.github_pat_1bmd-d4gCFPAT%22e5f'
        "6ba1SNb16<.github_pat_1vcrmfa.fc-go_Scu_AZDO1b2ct0s16.github_pat_1b2ckedtsb%31--IAzQoJea$]ic|]pi"
        'd]pin"nB'
    ),
    "%3DSUtnBearer =xpkeyi%31-IQrer authSC=xpkeyt",
    't__nBearer"=xapk_cvvr_1r =#xoxs-5glion_b%31-at__vv',
)


def text_of(unit: str, chars: int) -> str:
    """A text of so many characters."""
    return (unit * (chars // len(unit) + 1))[:chars]
