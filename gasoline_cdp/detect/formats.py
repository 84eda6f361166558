"""The formats by which issuers make their secrets known, in our own form: what they begin with, and their shape.

Knowledge of the formats comes from the issuers' documentation and from public rule sets (detect-secrets, secretlint,
gitleaks, trufflehog). A format is tried only where one of its `marks` stands in the text, and every repetition is
bounded, so that no text takes long.
"""

import re
from collections.abc import Callable

from attrs import frozen

from gasoline_cdp.detect.plausible import is_jwt, is_placeholder

# Where a value may begin: at a boundary, after an encoded or escaped character (%22, \n, \u0026), or after the dashes
# of an HTML comment or an option.
_B = (
    r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f][0-9A-Fa-f])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2})"
    r"|(?<=--)|(?<=[^A-Za-z0-9_-][_-])|(?<=\A[_-]))"
)
# Marks of formats whose first thirteen characters are letters, digits, _ and -.
_STARTS_A_RUN = re.compile(r"[A-Za-z0-9_-]+\Z")
_END = r"(?:(?![A-Za-z0-9_-])|(?=--))"


@frozen(eq=False)
class Format:
    """One kind of secret. What matches `shape` is masked; what also passes `check` is reported."""

    kind: str
    title: str
    marks: tuple[str, ...]
    shape: re.Pattern[str]
    # Stricter than the shape: masking prefers to take too much, a report must be right.
    strict: re.Pattern[str] | None = None
    check: Callable[[str], bool] | None = None
    # Named by the issuer as made for trying things out.
    test_mode: re.Pattern[str] | None = None
    # Meant to be seen by browsers, or only half of a pair: worth a warning, no alarm.
    mild: bool = False
    # How far before its mark a value may begin; 0: the mark is its beginning.
    lead: int = 0
    boundary: bool = True
    # Where the mark is too common a sign: what must stand there.
    anchor: re.Pattern[str] | None = None

    @property
    def afield(self) -> bool:
        """Whether it is to be looked for by its mark: it begins before it, or with too short a run to be noticed."""
        return self.lead > 0 or not self.boundary or any(not _STARTS_A_RUN.match(mark) for mark in self.marks)

    def real(self, value: str) -> bool:
        """Whether this value is worth a report."""
        if is_placeholder(value):
            return False
        return (self.strict is None or self.strict.match(value) is not None) and (
            self.check is None or self.check(value)
        )


def _format(
    kind: str,
    title: str,
    marks: str,
    shape: str,
    *,
    strict: str | None = None,
    check: Callable[[str], bool] | None = None,
    test_mode: str | None = None,
    mild: bool = False,
    boundary: bool = True,
    lead: int = 0,
    anchor: str | None = None,
) -> Format:
    return Format(
        kind=kind,
        title=title,
        marks=tuple(marks.split()),
        shape=re.compile((_B if boundary else "") + shape),
        strict=re.compile(rf"(?:{strict})\Z") if strict else None,
        check=check,
        test_mode=re.compile(test_mode) if test_mode else None,
        mild=mild,
        lead=lead,
        boundary=boundary,
        anchor=re.compile(anchor) if anchor else None,
    )


_CLOUD = (
    _format("aws_access_key", "AWS access key id", "AKIA ASIA ABIA ACCA A3T", r"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}" + _END),
    _format("aws_bedrock_key", "AWS Bedrock key", "ABSK bedrock-api-key-", r"(?:ABSK[A-Za-z0-9+/]{100,300}={0,2}|bedrock-api-key-[A-Za-z0-9+/=_-]{20,2000})"),
    _format("google_api_key", "Google API key", "AIza", r"AIza[A-Za-z0-9_-]{35}" + _END, mild=True),
    _format("google_oauth_token", "Google OAuth token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,1024}"),
    _format("google_oauth_secret", "Google OAuth client secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,64}"),
    _format("azure_client_secret", "Azure client secret", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])", lead=4),
    _format("azure_storage_key", "Azure storage key", "AccountKey=", r"AccountKey=[A-Za-z0-9+/]{86}=="),
    _format("azure_sas", "Azure shared access signature", "SharedAccessKey= SharedAccessSignature=", r"SharedAccess(?:Key|Signature)=[A-Za-z0-9+/=%&_.-]{20,400}"),
    _format("digitalocean_token", "DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _format("alibaba_key", "Alibaba Cloud key id", "LTAI", r"LTAI[A-Za-z0-9]{16,20}" + _END),
    _format("tencent_key", "Tencent Cloud key id", "AKID", r"AKID[A-Za-z0-9]{32}" + _END),
    _format("heroku_token", "Heroku token", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,70}"),
    _format("fly_token", "Fly.io token", "fm1 fm2 fo1_", r"(?:fm[12][ar]?_[A-Za-z0-9+/=_-]{60,600}|fo1_[\w-]{43})"),
    _format("cloudflare_token", "Cloudflare token", "cfat_ cfut_ cfk_", r"cf(?:at|ut|k)_[A-Za-z0-9]{40}[a-f0-9]{8}" + _END),
    _format("cloudflare_token", "Cloudflare token", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}" + _END),
    _format("vercel_token", "Vercel token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", r"(?:vc[piark]_[A-Za-z0-9]{24,80}|vercel_blob_rw_[A-Za-z0-9_]{20,100})" + _END),
    _format("netlify_token", "Netlify token", "nfp_ nfo_", r"nf[po]_[A-Za-z0-9_]{36,44}" + _END),
    _format("supabase_key", "Supabase key", "sbp_ sb_secret_", r"(?:sbp_(?:v0_)?[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60})" + _END),
    _format("planetscale_token", "PlanetScale secret", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}"),
    _format("terraform_token", "Terraform Cloud token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}", lead=14),
    _format("vault_token", "Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,300}", strict=r"hv[sbr]\.[A-Za-z0-9_-]{80,300}|hvs\.[A-Za-z0-9]{24}"),
    _format("pulumi_token", "Pulumi token", "pul-", r"pul-[a-f0-9]{40}" + _END),
    _format("doppler_token", "Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}" + _END),
    _format("databricks_token", "Databricks token", "dapi", r"dapi[0-9a-fA-F]{32}(?:-\d)?" + _END),
    _format("tailscale_key", "Tailscale key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,64}"),
    _format("onepassword_token", "1Password secret", "ops_eyJ A3-", r"(?:ops_eyJ[A-Za-z0-9+/=_-]{200,4096}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-(?:[A-Z0-9]{5}-){2}[A-Z0-9]{5})"),
    _format("age_key", "age private key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _format("prefect_key", "Prefect key", "pnu_", r"pnu_[A-Za-z0-9]{36}" + _END),
    _format("snyk_token", "Snyk token", "snyk_", r"snyk_(?:uat|sat)\.[a-z0-9]{8}\.[A-Za-z0-9_-]{20,400}", boundary=False),
    _format("softlayer_key", "SoftLayer key in an address", "api.softlayer.com/", r"api\.softlayer\.com/(?:soap|rest)/v[\d.]{1,8}/[a-f0-9]{64}", boundary=False),
    _format("cloudinary_url", "Cloudinary URL with its secret", "cloudinary://", r"cloudinary://\d{9,20}:[A-Za-z0-9_-]{20,40}@[A-Za-z0-9_-]{1,60}"),
)  # fmt: skip

_SOURCES_AND_PACKAGES = (
    # Installation tokens may carry a JWT: ghs_, a number, then the token.
    _format("github_token", "GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_(?:\d{1,12}_eyJ[A-Za-z0-9_.-]{40,2000}|[A-Za-z0-9_]{30,255})", strict=r"gh[pousr]_(?:\d{1,12}_eyJ[A-Za-z0-9_.-]{40,2000}|[A-Za-z0-9_]{36,255})"),
    _format("github_token", "GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}", strict=r"github_pat_[A-Za-z0-9_]{36,255}"),
    _format("gitlab_token", "GitLab token", "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- GR1348941", r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-|GR1348941)[A-Za-z0-9_.=-]{16,1100}", strict=r"glpat-[\w-]{20}|glpat-[\w-]{27,300}\.[0-9a-z]{2}\.[0-9a-z]{7,9}|gldt-[\w-]{20,50}|glrtr?-(?:t\d_)?[\w.-]{20,50}|glcbt-(?:[0-9a-zA-Z]{1,5}_)?[\w-]{20}|glptt-[\w-]{40}|glft-[\w-]{20}|glimt-[\w-]{25}|glagent-[\w-]{50,1024}|gloas-[\w-]{64}|glsoat-[\w-]{20,50}|glffct-[\w-]{20}|GR1348941[\w-]{20,50}"),
    _format("bitbucket_token", "Bitbucket token", "ATBB ATCTT3", r"(?:ATBB[A-Za-z0-9]{32}|ATCTT3[A-Za-z0-9_=-]{60,250})" + _END),
    _format("atlassian_token", "Atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{60,250}"),
    _format("sourcegraph_token", "Sourcegraph token", "sgp_", r"sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}" + _END),
    _format("npm_token", "npm token", "npm_", r"npm_[A-Za-z0-9]{36}" + _END),
    _format("pypi_token", "PyPI token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,1000}", strict=r"pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]{70,1000}", test_mode="NdGVzdC5weXBpLm9yZw"),
    _format("rubygems_key", "RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _format("crates_token", "crates.io token", "cio", r"cio[A-Za-z0-9]{32}" + _END),
    _format("nuget_key", "NuGet key", "oy2", r"oy2[a-z0-9]{43}" + _END),
    _format("clojars_token", "Clojars token", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
    _format("docker_token", "Docker token", "dckr_pat_ dckr_oat_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,32}" + _END),
    _format("artifactory_token", "Artifactory token", "AKC AP cmVmdGtu", r"(?:(?:AKC|AP[\dABCDEF])[A-Za-z0-9]{10,100}|cmVmdGtu[A-Za-z0-9]{56})" + _END, strict=r"AKC[A-Za-z0-9]{40,100}|cmVmdGtu[A-Za-z0-9]{56}"),
    _format("private_key", "Private key", "PuTTY-User-Key-File-", r"PuTTY-User-Key-File-\d: [\w-]{1,40}[\s\S]{20,8000}", boundary=False),
)  # fmt: skip

_PAYMENT = (
    # Publishable keys (pk_) are made to be seen.
    _format("stripe_key", "Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,255}", strict=r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{24,255}", test_mode="^.k_test_"),
    _format("stripe_webhook_secret", "Stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,255}"),
    _format("square_token", "Square token", "sq0atp- sq0csp- EAAA", r"(?:sq0atp-[\w-]{22}|sq0csp-[\w-]{43}|EAAA[\w+=-]{60})" + _END),
    _format("braintree_token", "Braintree access token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}", test_mode=r"\$sandbox\$"),
    _format("plaid_token", "Plaid access token", "access-sandbox- access-development- access-production-", r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", test_mode="sandbox"),
    _format("flutterwave_key", "Flutterwave key", "FLWSECK", r"FLWSECK(?:_TEST)?-[a-fA-F0-9]{12,64}(?:-X)?", test_mode="TEST"),
    _format("razorpay_key", "Razorpay key id", "rzp_live_ rzp_test_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,24}", test_mode="_test_", mild=True),
    _format("shippo_token", "Shippo token", "shippo_", r"shippo_(?:live|test)_[a-f0-9]{40}", test_mode="_test_"),
    _format("easypost_key", "EasyPost key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}", test_mode="^EZTK"),
    _format("duffel_token", "Duffel token", "duffel_", r"duffel_(?:live|test)_[\w=-]{43}", test_mode="_test_"),
    _format("shopify_token", "Shopify token", "shpat_ shpss_ shpca_ shppa_", r"shp(?:at|ss|ca|pa)_[A-Za-z0-9]{32}" + _END),
)  # fmt: skip

_CHAT_AND_MAIL = (
    _format("slack_token", "Slack token", "xox xapp-", _B + r"(?:xoxe\.xox[bp]-\d-[A-Za-z0-9]{50,250}|x(?:ox[abceoprsd]|app)-[A-Za-z0-9%-]{10,255})", strict=r"xoxe\..{20,}|xox[abceoprsd]-(?:\d-)?[A-Za-z0-9%-]{18,250}|xapp-\d-[A-Z0-9]{1,20}-\d{1,20}-[a-z0-9]{1,80}", boundary=False),
    _format("slack_webhook", "Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,255}", boundary=False, strict=r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+_-]{3,20}/[A-Za-z0-9+_-]{3,20}/[A-Za-z0-9+/_-]{16,80}"),
    _format("teams_webhook", "Microsoft Teams webhook", "webhook.office.com", r"[a-z0-9]{1,40}\.webhook\.office\.com/webhookb2/[a-z0-9@-]{36,100}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}", lead=41),
    _format("discord_webhook", "Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{60,80}", lead=14),
    # The first part is the bot's number in base64.
    _format("discord_token", "Discord bot token", ".", r"[MNO][A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}", strict=r"[MNO][A-Za-z\d_-]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38}", check=lambda value: any(letter.isdigit() for letter in value), lead=27, anchor=r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}"),
    _format("telegram_token", "Telegram bot token", ":A", r"\d{8,10}:A[A-Za-z0-9_-]{34}" + _END, strict=r"\d{8,10}:AA[A-Za-z0-9_-]{33}", lead=10),
    _format("twilio_key", "Twilio key", "SK AC", r"(?:SK|AC)[0-9a-f]{32}" + _END),
    _format("sendgrid_key", "SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}", strict=r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    _format("mailgun_key", "Mailgun key", "key-", r"key-[a-f0-9]{32}" + _END),
    _format("mailchimp_key", "Mailchimp key", "-us", r"[0-9a-f]{32}-us\d{1,2}" + _END, lead=32),
    _format("brevo_key", "Brevo key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _format("resend_key", "Resend key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}" + _END),
    _format("facebook_token", "Facebook access token", "EAA", r"EAA[A-Za-z0-9]{90,400}" + _END),
    _format("twitter_bearer", "Twitter bearer token", "AAAAAAAAAAAAAAAAAAAAAA", r"A{22}[A-Za-z0-9%]{80,120}" + _END),
)  # fmt: skip

_SERVICES = (
    _format("linear_key", "Linear key", "lin_api_ lin_oauth_", r"lin_(?:api_[A-Za-z0-9]{40}|oauth_[a-f0-9]{64})" + _END),
    _format("notion_token", "Notion token", "ntn_ secret_", r"(?:ntn_\d{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})" + _END),
    _format("figma_token", "Figma token", "figd_ figo_ figu_", r"fig[dou][hr]?_[A-Za-z0-9_-]{36,250}"),
    _format("airtable_token", "Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}" + _END),
    _format("postman_key", "Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _format("grafana_token", "Grafana token", "glc_ glsa_", r"(?:glc_[A-Za-z0-9+/]{32,400}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})"),
    _format("newrelic_key", "New Relic key", "NRAK- NRII- NRIQ- NRRA-", r"NR(?:AK|II|IQ|RA)-[A-Za-z0-9_-]{27,42}"),
    _format("sentry_token", "Sentry token", "sntrys_ sntryu_", r"(?:sntrys_eyJ[A-Za-z0-9+/=]{40,400}_[A-Za-z0-9+/]{43}|sntryu_[a-f0-9]{64})"),
    _format("dynatrace_token", "Dynatrace token", "dt0c01. dt0s01.", r"dt0[cs]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _format("posthog_key", "PostHog personal key", "phx_", r"phx_[A-Za-z0-9_]{40,60}"),
    _format("mapbox_token", "Mapbox secret token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,300}\.[A-Za-z0-9_-]{20,80}"),
    _format("hubspot_token", "HubSpot token", "pat-", r"pat-(?:na|eu|ap)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _format("contentful_token", "Contentful token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{43}"),
    _format("typeform_token", "Typeform token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{59}"),
    _format("readme_key", "ReadMe key", "rdme_", r"rdme_[a-z0-9]{70}"),
    _format("yandex_key", "Yandex key", "AQVN", r"AQVN[A-Za-z0-9_-]{35,38}" + _END),
    _format("infracost_key", "Infracost key", "ico-", r"ico-[A-Za-z0-9]{32}" + _END),
)  # fmt: skip

_MODELS = (
    _format("openai_key", "OpenAI key", "sk-", r"sk-(?:[A-Za-z0-9]{1,16}-){0,3}[A-Za-z0-9_-]{20,255}", strict=r"sk-(?:[a-z]{2,12}-)?[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100}|sk-ant-(?:api|admin|oat|ort|sid)\d\d-[A-Za-z0-9_-]{80,120}|sk-or-v1-[a-f0-9]{64}|sk-[a-f0-9]{32}|sk-lf-[0-9a-f-]{36}"),
    _format("langsmith_key", "LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    _format("groq_key", "Groq key", "gsk_", r"gsk_[A-Za-z0-9]{52}" + _END),
    _format("xai_key", "xAI key", "xai-", r"xai-[A-Za-z0-9_]{60,100}" + _END),
    _format("perplexity_key", "Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{48,64}" + _END),
    _format("huggingface_token", "Hugging Face token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,64}", strict=r"(?:hf|api_org)_[A-Za-z]{34}"),
    _format("replicate_token", "Replicate token", "r8_", r"r8_[A-Za-z0-9]{37,40}" + _END),
    _format("elevenlabs_key", "ElevenLabs key", "sk_", r"sk_[a-f0-9]{48}" + _END),
    _format("nvidia_key", "NVIDIA key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{60,70}"),
    _format("pinecone_key", "Pinecone key", "pcsk_", r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,70}"),
    _format("tavily_key", "Tavily key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}" + _END),
)  # fmt: skip

_TOKENS = (
    _format("jwt", "JSON Web Token", "eyJ", r"eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,4096}){0,3}", check=is_jwt),
)  # fmt: skip

FORMATS: tuple[Format, ...] = (
    *_CLOUD,
    *_SOURCES_AND_PACKAGES,
    *_PAYMENT,
    *_CHAT_AND_MAIL,
    *_SERVICES,
    *_MODELS,
    *_TOKENS,
)

TITLES: dict[str, str] = {form.kind: form.title for form in FORMATS} | {
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
