"""More labelled texts made at run time: one template for each documented shape.

The shapes are those that issuers document and that public rule sets (gitleaks, trufflehog, Nosey Parker, secretlint,
detect-secrets) know, written down apart from the product's own table, so that a gap in it shows. `<hex:32>` stands
for 32 characters of that alphabet. Nothing made here was ever issued.
"""

import base64
import json
import re
import string
import uuid
from collections.abc import Iterator
from random import Random

ALPHABETS = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "num": string.digits,
    "low": string.ascii_lowercase + string.digits,
    "up": string.ascii_uppercase + string.digits,
    "abc": string.ascii_lowercase,
    "alpha": string.ascii_letters,
    "an": string.ascii_letters + string.digits,
    "url": string.ascii_letters + string.digits + "_-",
    "b64": string.ascii_letters + string.digits + "+/",
    "b32": string.ascii_lowercase + "234567",
    "UP": string.ascii_uppercase + "234567",
    "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "B58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}
_PART = re.compile(r"<(\w+)(?::(\d+))?>")

TEMPLATES: dict[str, str] = {
    # clouds, hosting, infrastructure
    "adobe": "p8e-<low:32>",
    "aiven": "AVNS_<url:19>",
    "akamai": "akab-<low:16>-<low:16>",
    "aws session": "IQoJb3JpZ2luX2Vj<b64:320>",
    "aws mws": "amzn.mws.<uuid>",
    "azure cognitive": "<an:52>JQQJ99<an:26>",
    "digitalocean session": "dos_v1_<hex:64>",
    "paseto": "v4.local.<url:120>",
    "salesforce session": "00D<an:12>!AR<an:94>",
    "wundergraph": "cosmo_<hex:32>",
    "posthog feature flags": "phs_<an:43>",
    "paserk": "k4.secret.<url:86>",
    "rsa key": "MIICXAIBAAKBgQ<b64:200>",
    "ec key": "MIGHAgEAMBMGByqGSM49<b64:160>",
    "amazon secret": "amzn1.oa2-cs.v1.<hex:64>",
    "appsync": "da2-<low:26>",
    "bedrock": "ABSK<b64:128>",
    "azure devops": "<an:76>AZDO<an:4>",
    "azure search": "<an:42>AzSe<url:2><an:4>",
    "azure function": "<url:42>AzFu<url:2><an:4>==",
    "azure registry": "<an:42>+ACR<an:6>",
    "azure cache": "<an:33>AzCa<an:6>=",
    "azure app configuration": "Endpoint=https://shop.azconfig.io;Id=ab1c-l9-s0:<an:20>;Secret=<an:43>=",
    "clickhouse": "4b1d<an:38>",
    "cockroach": "CCDB1_<an:22>_<an:40>",
    "defined networking": "dnkey-<up:26>-<up:52>",
    "digitalocean spaces": "DO00<up:16>",
    "doppler service": "dp.st.prd.<an:40>",
    "exoscale": "EXO<hex:24>",
    "fcm": "AAAA<url:7>:APA91b<url:134>",
    "fly": "fm2_<b64:180>",
    "google refresh": "1//0<url:62>",
    "harness": "pat.<an:22>.<hex:24>.<an:20>",
    "heroku": "HRKU-AA<url:58>",
    "infisical": "st.<hex:24>.<hex:64>.<hex:32>",
    "kubeconfig": "client-key-data: <pem64>",
    "mongodb atlas": "mdb_sa_sk_<url:40>",
    "neon": "napi_<low:64>",
    "netlify": "nfp_<an:40>",
    "ngrok": "NGROK_AUTHTOKEN=2<an:26>_5<an:20>",
    "octopus": "API-<up:26>",
    "openshift": "sha256~<url:43>",
    "planetscale": "pscale_pw_<url:43>",
    "prefect": "pnu_<an:36>",
    "pulumi": "pul-<hex:40>",
    "render": "rnd_<an:32>",
    "scaleway": "SCW<up:17>",
    "scalingo": "tk-us-<url:48>",
    "terraform": "<an:14>.atlasv1.<url:67>",
    "volcengine": "AKLT<an:43>",
    "xata": "xau_<an:40>",
    "yandex cloud": "t1.<an:120>.<url:86>",
    "yandex api": "AQVN<url:37>",
    "vault batch": "hvb.<url:140>",
    "wireguard": "[Interface]\nPrivateKey = <an:42>I=",
    "supabase": "sb_secret_<url:31>",
    # code, builds, packages
    "buildkite": "bkua_<hex:40>",
    "circleci": "CCIPAT_<an:22>_<hex:40>",
    "gitlab runner": "glrt-<url:20>",
    "gitlab trigger": "glptt-<hex:40>",
    "gitlab routable": "glpat-<url:28>.01.0z1<low:6>",
    "gitlab session": "_gitlab_session=<hex:32>",
    "bitbucket": "ATCTT3<url:180>=<HEX:8>",
    "crates": "cio<an:32>",
    "clojars": "CLOJARS_<low:60>",
    "nuget": "oy2<low:43>",
    "artifactory": "AKCp<an:69>",
    "artifactory reference": "cmVmdGtu<an:56>",
    "sonarqube": "squ_<hex:40>",
    "sourcegraph": "sgp_<hex:16>_<hex:40>",
    "sourcegraph licence": "slk_<hex:64>",
    "stackhawk": "hawk.<an:20>.<an:20>",
    "npm legacy": "//registry.shop.test/:_authToken=<uuid>",
    "npm basic": "_auth=<basic>",
    "dependency track": "odt_<an:32>",
    "snyk": "SNYK_TOKEN=<uuid>",
    "packagist": "packagist_uut_<hex:68>",
    "postman collection": "PMAT-<up:26>",
    "docker org": "dckr_oat_<url:32>",
    "docker config": '{"auths":{"registry.shop.test":{"auth":"<basic>"}}}',
    "retool": "retool_01<low:30>",
    "apify": "apify_api_<an:36>",
    "e2b": "e2b_<hex:40>",
    # payment
    "stripe restricted": "rk_live_<an:99>",
    "checkout": "sk_<low:26>",
    "paddle": "pdl_live_apikey_<low:26>_<an:22>_<an:3>",
    "xendit": "xnd_production_<an:50>",
    "midtrans": "Mid-server-<url:24>",
    "mercado pago": "APP_USR-<num:16>-<num:6>-<hex:32>-<num:9>",
    "mollie": "live_<an:30>",
    "lob": "live_<hex:35>",
    "gocardless": "live_<url:40>",
    "flutterwave": "FLWSECK-<hex:32>-X",
    "braintree": "access_token$production$<low:16>$<hex:32>",
    "plaid": "access-production-<uuid>",
    "square oauth": "sq0csp-<url:43>",
    "easypost": "EZAK<an:54>",
    "duffel": "duffel_live_<url:43>",
    "shippo": "shippo_live_<hex:40>",
    "razorpay": "rzp_live_<an:14>",
    "shopify secret": "shpss_<hex:32>",
    "ebay": "PRD-<hex:12>-<hex:4>-<hex:4>-<hex:4>-<hex:4>",
    # chat, mail, people
    "slack user": "xoxp-<num:12>-<num:12>-<num:12>-<hex:32>",
    "slack app": "xapp-1-A<up:10>-<num:13>-<hex:64>",
    "slack refresh": "xoxe-1-<an:146>",
    "slack workflow": "https://hooks.slack.com/workflows/T<up:8>/A<up:8>/<num:18>/<an:24>",
    "teams": "https://shop.webhook.office.com/webhookb2/<uuid>@<uuid>/IncomingWebhook/<hex:32>/<uuid>",
    "zapier": "https://hooks.zapier.com/hooks/catch/<num:7>/<low:7>/",
    "ifttt": "https://maker.ifttt.com/trigger/door/with/key/<an:22>",
    "discord bot": "MT<an:24>.<url:6>.<url:38>",
    "discord user": "mfa.<url:84>",
    "intercom": "dG9rO<b64:54>=",
    "linkedin": "WPL_AP1.<an:16>.<an:8>=",
    "instagram": "IGQV<url:150>",
    "facebook": "EAACEdEose0cBA<an:120>",
    "twitch": "oauth:<low:30>",
    "twitter": "AAAAAAAAAAAAAAAAAAAAAA<an:90>",
    "vk": "vk1.a.<url:150>",
    "mailersend": "mlsn.<hex:64>",
    "mandrill": "md-<url:22>",
    "brevo": "xkeysib-<hex:64>-<an:16>",
    "resend": "re_<an:8>_<an:24>",
    "onesignal": "os_v2_app_<b32:103>",
    "pubnub": "sec-c-<an:48>",
    "sendgrid": "SG.<url:22>.<url:43>",
    "twilio account": "AC<hex:32>",
    "riot": "RGAPI-<uuid>",
    # services
    "airtable": "pat<an:14>.<hex:64>",
    "atlassian": "ATATT3xFfGF0<url:170>=<HEX:8>",
    "authress": "sc_<low:12>.<low:5>.acc-<low:20>.<an:60>",
    "axiom": "xaat-<uuid>",
    "cal": "cal_live_<hex:32>",
    "checkly": "cu_<hex:32>",
    "clickup": "pk_<num:8>_<up:32>",
    "contentful": "CFPAT-<url:43>",
    "datadog application": "ddapp_<an:34>",
    "dropbox": "sl.<url:135>",
    "dynatrace": "dt0c01.<up:24>.<up:64>",
    "elastic": "essu_<b64:80>",
    "frame.io": "fio-u-<url:64>",
    "grafana legacy": "eyJrIjoi<an:90>==",
    "grafana cloud": "glc_<b64:120>",
    "honeycomb": "hcaik_<low:58>",
    "hubspot": "pat-na1-<uuid>",
    "intra42": "s-s4t2ud-<hex:64>",
    "klaviyo": "pk_<hex:34>",
    "launchdarkly": "sdk-<uuid>",
    "maxmind": "<an:6>_<an:29>_mmk",
    "new relic licence": "<hex:36>NRAL",
    "ory": "ory_pat_<an:32>",
    "posthog": "phx_<an:43>",
    "readme": "rdme_<low:70>",
    "salesforce": "00D<an:12>!<an:96>",
    "segment": "sgp_<an:64>",
    "sentry user": "sntryu_<hex:64>",
    "settlemint": "sm_pat_<an:16>",
    "statsig": "secret-<an:43>",
    "stytch": "secret-live-<url:40>=",
    "tailscale": "tskey-auth-<an:12>CNTRL-<an:32>",
    "trello": "ATTA<hex:72>",
    "typeform": "tfp_<url:59>",
    "postmark": "X-Postmark-Server-Token: <uuid>",
    "algolia": "ALGOLIA_ADMIN_KEY=<hex:32>",
    "datadog": "DD_API_KEY=<hex:32>",
    "okta": "Authorization: SSWS 00<url:40>",
    "mailgun": "MAILGUN_API_KEY=<hex:32>-<hex:8>-<hex:8>",
    "twilio": "TWILIO_AUTH_TOKEN=<hex:32>",
    "airtable legacy": "AIRTABLE_API_KEY=key<an:14>",
    # models
    "openai service": "sk-svcacct-<url:74>T3BlbkFJ<url:74>",
    "openrouter": "sk-or-v1-<hex:64>",
    "anthropic admin": "sk-ant-admin01-<url:93>AA",
    "deepseek": "sk-<hex:32>",
    "cerebras": "csk-<low:48>",
    "fireworks": "fw_<an:24>",
    "firecrawl": "fc-<hex:32>",
    "gemini": "AQ.Ab8R<url:46>",
    "jina": "jina_<an:60>",
    "together": "tgp_v1_<url:43>",
    "voyage": "pa-<url:43>",
    "langsmith": "lsv2_pt_<hex:32>_<hex:10>",
    "nvidia": "nvapi-<url:64>",
    "perplexity": "pplx-<an:48>",
    "pinecone": "pcsk_<an:5>_<an:63>",
    "xai": "xai-<an:80>",
    "elevenlabs": "sk_<hex:48>",
    "tavily": "tvly-<an:32>",
    "huggingface": "hf_<alpha:34>",
    "langfuse": "sk-lf-<uuid>",
    "cartesia": "sk_car_<an:22>",
    "llama cloud": "llx-<an:48>",
    "cursor": "key_<hex:64>",
    # further issuers
    "aikido": "AIK_SECRET_<an:64>",
    "asaas": "$aact_prod_<an:80>",
    "astra": "AstraCS:<an:24>:<hex:64>",
    "bitbucket data center": "BBDC-<an:44>",
    "buildkite portal": "bkps_<an:64>",
    "canva": "cnvca<an:51>",
    "cloudsmith": "csa_<hex:30><an:6>",
    "deno": "ddp_<an:36>",
    "devcycle": "dvc_server_<an:32>",
    "docker swarm": "SWMTKN-1-<low:50>-<low:25>",
    "mercury": "mercury_production_rma_<an:44>_yrucrem",
    "mergify": "mergify_application_key_<an:43>",
    "nylas": "nyk_v0_<an:64>",
    "onfido": "api_live.<an:11>.<an:32>",
    "persona": "persona_production_<low:32>",
    "pinterest": "pina_<an:60>",
    "polar": "polar_oat_<an:43>",
    "ramp": "ramp_sec_<an:48>",
    "rootly": "rootly_<hex:64>",
    "runpod": "rpa_<up:40>",
    "samsara": "samsara_api_<an:30>",
    "unkey": "unkey_<an:22>",
    "upcloud": "ucat_<up:26>",
    "val town": "vtwn_<an:30>",
    "wakatime": "waka_<uuid>",
    "weights and biases": "wandb_v1_<an:80>",
    "zuplo": "zpka_<hex:32>_<hex:8>",
    # keys and hashes
    "age": "AGE-SECRET-KEY-1<bech:58>",
    "onepassword": "A3-<up:6>-<up:11>-<up:5>-<up:5>-<up:5>",
    "xprv": "xprv<B58:107>",
    "bcrypt": "$2b$12$<an:53>",
    "argon2": "$argon2id$v=19$m=65536,t=3,p=4$<an:22>$<an:43>",
    "pbkdf2": "pbkdf2_sha256$600000$<an:22>$<an:43>=",
    "sha512crypt": "$6$<an:16>$<an:86>",
    "jwk": '{"kty":"EC","crv":"P-256","x":"<url:43>","y":"<url:43>","d":"<url:43>"}',
    "django": "SECRET_KEY = 'django-insecure-<low:50>'",
    "ethereum": '"privateKey":"0x<hex:64>"',
    "mnemonic": 'mnemonic: "legal winner thank year wave sausage worth useful legal winner thank yellow"',
    "jwt in base64": "<jwt64>",
}


def fill(random: Random, template: str) -> str:
    """A value of a template's shape."""

    def part(match: re.Match[str]) -> str:
        if match[1] == "uuid":
            return str(uuid.UUID(bytes=random.randbytes(16), version=4))
        if match[1] == "basic":
            return base64.b64encode(f"deploy:{fill(random, '<an:16>')}".encode()).decode()
        if match[1] == "pem64":
            body = base64.b64encode(random.randbytes(200)).decode()
            pem = f"-----BEGIN EC PRIVATE KEY-----\n{body}\n-----END EC PRIVATE KEY-----\n"
            return base64.b64encode(pem.encode()).decode()
        if match[1] == "jwt64":
            claims = (
                base64.urlsafe_b64encode(json.dumps({"sub": fill(random, "<num:9>")}).encode()).decode().rstrip("=")
            )
            token = f"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{claims}.{fill(random, '<url:43>')}"
            return base64.b64encode(token.encode()).decode()
        return "".join(random.choices(ALPHABETS[match[1]], k=int(match[2])))

    return _PART.sub(part, template)


CARRIERS = (
    "{}", 'sent "{}" to the server', '{{"value":"{}","n":1}}', "https://h.test/p?x={}&y=1", "log: '{}'\n", "[{}, 2]",
    "x={};", "<b>{}</b>", "`{}`", "({})", "a\t{}\r\nb", '\\"{}\\"', "curl -H 'X-Thing: {}' https://h.test",
)  # fmt: skip


def formats(each: int = 13) -> Iterator[tuple[str, str]]:
    """Kind and text, each kind in many surroundings."""
    random = Random(31)
    for kind, template in TEMPLATES.items():
        whole = re.search(r"[=:] |://|=<|[{\[]", template) is not None
        for number in range(each):
            carrier = "{}" if whole else CARRIERS[number % len(CARRIERS)]
            yield kind, carrier.format(fill(random, template))


GLUES = ("x-{}", "token{}", "prefix_{}", '{{"key":"app_{}"}}', "id-{}", "A{}", "v1.{}", "0{}", "__{}", "/{}/x")
# Those whose own beginning tells enough.
GLUED = (
    "ghp_<an:36>", "github_pat_<an:22>_<an:59>", "glpat-<url:20>", "sk_live_<an:24>", "xoxb-<num:12>-<num:12>-<an:24>",
    "npm_<an:36>", "pypi-AgEIcHlwaS5vcmc<url:120>", "dop_v1_<hex:64>", "shpat_<hex:32>", "hvs.<url:95>", "rubygems_<hex:48>",
    "AKIA<UP:16>", "AIza<url:35>", "dckr_pat_<url:27>", "xkeysib-<hex:64>-<an:16>", "sntryu_<hex:64>", "lin_api_<an:40>",
    "PMAK-<hex:24>-<hex:34>", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.<url:43>", "whsec_<an:32>", "gsk_<an:52>", "pplx-<an:48>",
    "glsa_<an:32>_<hex:8>", "NRAK-<up:27>", "figd_<url:40>", "dapi<hex:32>", "SG.<url:22>.<url:43>", "tskey-api-<an:12>-<an:32>",
    "sk-ant-api03-<url:95>", "sk-<an:20>T3BlbkFJ<an:20>", "hf_<an:34>",
)  # fmt: skip


def glued() -> Iterator[tuple[str, str]]:
    """A secret that begins where another word ends."""
    random = Random(34)
    for template in GLUED:
        for glue in GLUES:
            # Between capitals a key of capitals cannot be told.
            if not (glue[0] == "A" and template.startswith("AKIA")):
                yield f"glued {template[:6]}", glue.format(fill(random, template))
