"""Formats of payment, chat, mail, model providers and other services."""

from gasoline_cdp.detect.form import END, Format, make
from gasoline_cdp.detect.plausible import is_mixed, looks_random


def _mixed_parts(value: str) -> bool:
    """Of a Discord token: a number in base64, a time, a signature; no names of files or packages."""
    number, _, rest = value.partition(".")
    return is_mixed(number) and is_mixed(rest)


def _no_identifier(value: str) -> bool:
    """Stripe numbers its objects in the same form: a one, then 23 letters and digits."""
    body = value.rpartition("_")[2]
    return looks_random(body) and not (len(body) == 24 and body[0] == "1" and is_mixed(body))


def _random_mode_key(value: str) -> bool:
    """`live_` and `test_` begin names of tests and pages, too."""
    return looks_random(value.partition("_")[2], 30) and not any(
        len(part) > 2 and part.isalpha() and part.islower() for part in value.replace("-", "_").split("_")[1:]
    )


def _no_binary(value: str) -> bool:
    """Fonts and programs in base64 are full of zeros, and these tokens begin as zeros do."""
    return value.lstrip("A").count("AA") < 3 + len(value) // 100


PAYMENT: tuple[Format, ...] = (
    # Publishable keys (pk_) are made to be seen.
    make("stripe_key", "Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,255}", strict=r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{24,255}", test_mode="^.k_test_"),
    make("stripe_webhook_secret", "Stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,255}", by="mark"),
    make("square_token", "Square token", "sq0atp- sq0csp- EAAA", r"(?:sq0atp-[\w-]{22,60}|sq0csp-[\w-]{43}|EAAA[\w+=-]{60})" + END),
    make("braintree_token", "Braintree access token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-z]{32}", test_mode=r"\$sandbox\$"),
    make("plaid_token", "Plaid access token", "access-sandbox- access-development- access-production-", r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", test_mode="sandbox"),
    make("flutterwave_key", "Flutterwave key", "FLWSECK", r"FLWSECK(?:_TEST)?-[a-hA-H0-9]{12,64}(?:-X)?", test_mode="TEST"),
    make("razorpay_key", "Razorpay key id", "rzp_live_ rzp_test_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,24}", test_mode="_test_", low_risk=True),
    make("shippo_token", "Shippo token", "shippo_", r"shippo_(?:live|test)_[a-fA-F0-9]{40}", test_mode="_test_"),
    make("easypost_key", "EasyPost key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}", test_mode="^EZTK"),
    make("duffel_token", "Duffel token", "duffel_", r"duffel_(?:live|test)_[\w=-]{43}", test_mode="_test_"),
    make("shopify_token", "Shopify token", "shpat_ shpss_ shpca_ shppa_ shpua_ shptka_", r"shp(?:at|ss|ca|pa|ua|tka)_[A-Za-z0-9]{32}" + END),
    make("ebay_secret", "eBay certificate id", "PRD- SBX-", r"(?:PRD|SBX)-[a-f0-9]{12}(?:-[a-f0-9]{4}){4}" + END, test_mode="^SBX"),
    make("mercado_pago_token", "Mercado Pago token", "APP_USR-", r"APP_USR-\d{10,20}-\d{6}-[a-f0-9]{32}-\d{5,12}" + END),
    make("midtrans_key", "Midtrans server key", "Mid-server- SB-Mid-server-", r"(?:SB-)?Mid-server-[A-Za-z0-9_-]{24}" + END, test_mode="^SB-"),
    make("paddle_key", "Paddle key", "pdl_live_apikey_ pdl_sdbx_apikey_", r"pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}" + END, test_mode="_sdbx_"),
    make("xendit_key", "Xendit key", "xnd_production_ xnd_development_", r"xnd_(?:production|development)_[A-Za-z0-9]{40,70}" + END, test_mode="_development_"),
    make("asaas_token", "Asaas token", "$aact_", r"\$aact_(?:prod|hmlg)_[A-Za-z0-9:+/=-]{20,200}", boundary=False),
    make("mercury_token", "Mercury token", "mercury_production_", r"mercury_production_[A-Za-z0-9]{2,8}_[A-Za-z0-9]{30,60}_yrucrem" + END),
    make("ramp_secret", "Ramp client secret", "ramp_sec_", r"ramp_sec_[A-Za-z0-9]{40,60}" + END),
    make("polar_token", "Polar token", "polar_at_ polar_oat_ polar_pat_", r"polar_(?:at|oat|pat)_[A-Za-z0-9_]{20,64}" + END),
    make("onfido_token", "Onfido token", "api_live api_sandbox.", r"api_(?:live(?:_ca|_us)?|sandbox)\.[A-Za-z0-9_.-]{20,80}", by="mark", check=looks_random, check_required=True),
    make("persona_key", "Persona key", "persona_production_ persona_sandbox_", r"persona_(?:production|sandbox)_[a-z0-9-]{20,60}" + END, test_mode="_sandbox_"),
    # Mollie, Lob, GoCardless, Chargebee and others name no more than the mode.
    make("payment_key", "Payment provider's key", "live_ test_", r"(?:live_(?:pub_)?[A-Za-z0-9_-]{30,50}|test_[A-Za-z0-9]{30,50})" + END, check=_random_mode_key, check_required=True, test_mode="^test_", glue=False),
)  # fmt: skip

CHAT_AND_MAIL: tuple[Format, ...] = (
    make("slack_token", "Slack token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"x(?:ox[abceoprsd]|app)-[A-Za-z0-9%-]{10,255}", strict=r"xox[abceoprsd]-(?:\d-)?[A-Za-z0-9%-]{16,250}|xapp-\d-[A-Za-z0-9]{1,40}-\d{1,40}-[A-Za-z0-9]{1,100}"),
    make("slack_webhook", "Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,255}", boundary=False, strict=r"hooks\.slack\.com/(?:services|workflows|triggers)/(?:[A-Za-z0-9+_-]{3,30}/[A-Za-z0-9+_-]{3,30}/[A-Za-z0-9+/_-]{16,80}|[A-Za-z0-9+/]{43,56})"),
    make("teams_webhook", "Microsoft Teams webhook", "webhook.office.com", r"[a-z0-9]{1,40}\.webhook\.office\.com/webhookb2/[a-z0-9@-]{36,100}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}", lead=41, by="mark"),
    make("discord_webhook", "Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9._-]{18,100}", lead=14),
    # The first part is the bot's number in base64.
    make("discord_token", "Discord bot token", ".", r"[MNO][A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}", strict=r"[MNO][A-Za-z\d_-]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38}", check=_mixed_parts, check_required=True, glue=True, lead=34, anchor=r"(?<=\.[A-Za-z0-9_-]{6})\.[A-Za-z0-9_-]{27}"),
    make("telegram_token", "Telegram bot token", ":A", r"\d{8,10}:A[A-Za-z0-9_-]{34}" + END, strict=r"\d{8,10}:AA[A-Za-z0-9_-]{33}", lead=10, by="colon"),
    make("twilio_key", "Twilio key", "SK AC", r"(?:SK|AC)[0-9a-fA-F]{32}" + END),
    make("sendgrid_key", "SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}|SG\.[A-Za-z0-9_=-]{66}", glue=True, strict=r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}|SG\.[A-Za-z0-9_=-]{66}"),
    make("mailgun_key", "Mailgun key", "key-", r"key-[a-f0-9]{32}" + END, glue=False),
    make("mailchimp_key", "Mailchimp key", "-us", r"[0-9a-f]{32}-us\d{1,2}" + END, by="end"),
    make("brevo_key", "Brevo key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-fA-F0-9]{64}-[A-Za-z0-9]{16}"),
    make("resend_key", "Resend key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}" + END),
    make("facebook_token", "Facebook access token", "EAA", r"EAA[A-Za-z0-9]{80,800}" + END, check=_no_binary, check_required=True),
    make("twitter_bearer", "Twitter bearer token", "AAAAAAAAAAAAAAAAAAAAA", r"A{21,23}[B-Za-z0-9%][A-Za-z0-9%]{78,120}" + END, check=_no_binary, check_required=True),
    make("discord_token", "Discord user token", "mfa.", r"mfa\.[A-Za-z0-9_-]{80,90}" + END),
    make("facebook_token", "Facebook app token", "|", r"\d{15,16}\|[A-Za-z0-9_-]{27}" + END, lead=16, anchor=r"\|[A-Za-z0-9_-]{27}(?![A-Za-z0-9_-])"),
    make("ifttt_key", "IFTTT webhook key", "maker.ifttt.com/", r"maker\.ifttt\.com/(?:trigger/[\w-]{1,60}(?:/json)?/with|use)(?:/key)?/[A-Za-z0-9_-]{20,60}", boundary=False),
    make("instagram_token", "Instagram access token", "IGQV IGQW IGAA", r"IG(?:QV|QW|AA)[A-Za-z0-9_-]{80,400}"),
    make("intercom_token", "Intercom token", "dG9rO", r"dG9rO[A-Za-z0-9+/]{50,60}={0,2}", by="mark"),
    make("linkedin_secret", "LinkedIn client secret", "WPL_AP", r"WPL_AP\d\.[A-Za-z0-9]{16}\.[A-Za-z0-9+/]{6,8}={0,2}", by="mark"),
    make("mailersend_key", "MailerSend key", "mlsn.", r"mlsn\.[A-Za-z0-9]{30,64}" + END),
    make("mandrill_key", "Mandrill key", "md-", r"md-[A-Za-z0-9_-]{22}" + END, check=is_mixed, check_required=True),
    make("onesignal_key", "OneSignal key", "os_v2_", r"os_v2_(?:app|org)_[a-z2-7]{90,110}" + END),
    make("pubnub_secret", "PubNub secret key", "sec-c-", r"sec-c-[A-Za-z0-9]{44,52}" + END),
    make("riot_key", "Riot Games key", "RGAPI-", r"RGAPI-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}" + END),
    make("twitch_token", "Twitch token", "oauth:", r"oauth:[a-z0-9]{30}" + END, by="colon"),
    make("vk_token", "VK token", "vk1.a.", r"vk1\.a\.[A-Za-z0-9_-]{60,300}"),
    make("zapier_webhook", "Zapier webhook", "hooks.zapier.com/hooks/", r"hooks\.zapier\.com/hooks/catch/\d{4,10}/[A-Za-z0-9]{5,12}", boundary=False, low_risk=True),
)  # fmt: skip

SERVICES: tuple[Format, ...] = (
    make("linear_key", "Linear key", "lin_api_ lin_oauth_", r"lin_(?:api_[A-Za-z0-9]{32,64}|oauth_[a-f0-9]{64})" + END, strict=r"lin_api_[A-Za-z0-9]{38,42}|lin_oauth_[a-f0-9]{64}"),
    make("notion_token", "Notion token", "ntn_ secret_", r"(?:ntn_\d{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})" + END, exact=True, glue=False),
    make("figma_token", "Figma token", "figd_ figo_ figu_", r"fig[dou][hr]?_[A-Za-z0-9_-]{36,250}"),
    make("adafruit_key", "Adafruit IO key", "aio_", r"aio_[A-Za-z0-9]{28}" + END),
    make("airtable_token", "Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}" + END),
    make("postman_key", "Postman key", "PMAK-", r"PMAK-[a-fA-F0-9]{24}-[a-fA-F0-9]{34}"),
    make("grafana_token", "Grafana token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    make("grafana_token", "Grafana token", "glc_", r"glc_[A-Za-z0-9+/]{32,400}={0,2}", by="mark"),
    make("newrelic_key", "New Relic key", "NRAK- NRII- NRIQ- NRRA-", r"NR(?:AK|II|IQ|RA)-[A-Za-z0-9_-]{27,42}"),
    make("sentry_token", "Sentry token", "sntrys_ sntryu_", r"(?:sntrys_eyJ[A-Za-z0-9+/=]{40,400}_[A-Za-z0-9+/]{43}|sntryu_[a-f0-9]{64})"),
    make("dynatrace_token", "Dynatrace token", "dt0a01. dt0c01. dt0e01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s16.", r"dt0[aces]\d{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    make("posthog_key", "PostHog personal key", "phx_ phs_", r"ph[xs]_[A-Za-z0-9_]{40,60}"),
    make("salesforce_token", "Salesforce session", "00D", r"00D[A-Za-z0-9]{12}(?:[A-Z0-9]{3})?![A-Za-z0-9._]{24,200}", check=looks_random, check_required=True, glue=False),
    make("wundergraph_key", "WunderGraph key", "cosmo_", r"cosmo_[a-f0-9]{32}" + END),
    make("mapbox_token", "Mapbox secret token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,300}\.[A-Za-z0-9_-]{20,80}"),
    make("hubspot_token", "HubSpot token", "pat-", r"pat-(?:na|eu|ap)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    make("contentful_token", "Contentful token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{43}"),
    make("typeform_token", "Typeform token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{59}"),
    make("readme_key", "ReadMe key", "rdme_", r"rdme_[a-z0-9]{70}"),
    make("yandex_key", "Yandex key", "AQVN", r"AQVN[A-Za-z0-9_-]{35,38}" + END),
    make("infracost_key", "Infracost key", "ico-", r"ico-[A-Za-z0-9]{32}" + END, check=is_mixed, check_required=True, glue=False),
    make("authress_key", "Authress key", ".acc", r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}", lead=46, anchor=r"\.acc[_-]"),
    make("axiom_token", "Axiom token", "xaat- xapt-", r"xa[ap]t-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" + END),
    make("cal_key", "Cal.com key", "cal_", r"cal_(?:live_|test_)?[a-f0-9]{32}" + END, glue=False),
    make("checkly_key", "Checkly key", "cu_", r"cu_[a-f0-9]{32}" + END),
    make("clickup_token", "ClickUp token", "pk_", r"pk_\d{6,12}_[A-Z0-9]{32}" + END, exact=True),
    make("datadog_key", "Datadog application key", "ddapp_", r"ddapp_[A-Za-z0-9]{34}" + END),
    make("dropbox_token", "Dropbox token", "sl.", r"sl\.(?:u\.)?[A-Za-z0-9_-]{77,1400}", check=is_mixed, check_required=True),
    make("elastic_key", "Elastic Cloud key", "essu_", r"essu_[A-Za-z0-9+/]{40,200}={0,2}", by="mark"),
    make("frameio_token", "Frame.io token", "fio-u-", r"fio-u-[A-Za-z0-9=_-]{64}" + END),
    make("grafana_token", "Grafana key", "eyJrIjoi", r"eyJrIjoi[A-Za-z0-9+/]{40,400}={0,2}(?![.A-Za-z0-9_-])"),
    make("honeycomb_key", "Honeycomb key", "hcaik_ hcbik_ hccik_ hcamk_", r"hc[abc][im]k_[a-z0-9]{26,64}" + END),
    make("intra42_secret", "42 Intra client secret", "s-s4t2ud- s-s4t2af-", r"s-s4t2(?:ud|af)-[a-f0-9]{64}" + END),
    make("klaviyo_key", "Klaviyo private key", "pk_", r"pk_[a-f0-9]{34}" + END, exact=True),
    make("launchdarkly_key", "LaunchDarkly SDK key", "sdk-", r"sdk-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" + END, glue=False),
    make("maxmind_key", "MaxMind licence key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk" + END, by="end"),
    make("newrelic_key", "New Relic licence key", "NRAL", r"[A-Za-z0-9]{36,40}NRAL" + END, check=looks_random, check_required=True, by="end"),
    make("ory_token", "Ory token", "ory_", r"ory_(?:pat|st|at|rt|ac|wak|apikey)_[A-Za-z0-9_.-]{32,120}", glue=False),
    make("postman_key", "Postman collection key", "PMAT-", r"PMAT-[A-Za-z0-9]{26}" + END),
    make("salesforce_token", "Salesforce session", "00D", r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,160}"),
    make("segment_token", "Segment token", "sgp_", r"sgp_[A-Za-z0-9]{64}" + END),
    make("settlemint_token", "SettleMint token", "sm_aat_ sm_pat_ sm_sat_", r"sm_[aps]at_[A-Za-z0-9]{16}" + END),
    make("statsig_key", "Statsig secret key", "secret-", r"secret-[A-Za-z0-9]{40,46}" + END, check=is_mixed, check_required=True, glue=False),
    make("stytch_secret", "Stytch secret", "secret-live- secret-test-", r"secret-(?:live|test)-[A-Za-z0-9_=-]{36,60}", test_mode="^secret-test-"),
    make("canva_secret", "Canva client secret", "cnvca", r"cnvca[A-Za-z0-9_-]{51}" + END),
    make("configcat_key", "ConfigCat SDK key", "configcat-sdk-1/", r"configcat-sdk-1/[A-Za-z0-9_-]{22}/[A-Za-z0-9_-]{22}", low_risk=True),
    make("devcycle_key", "DevCycle server key", "dvc_server_", r"dvc_server_[A-Za-z0-9_]{8,60}" + END),
    make("devin_key", "Devin key", "apk_user_ apk_ cog_", r"(?:apk_(?:user_)?[A-Za-z0-9+/=_-]{70,200}|cog_[a-z0-9]{52})" + END),
    make("nylas_key", "Nylas key", "nyk_", r"nyk_(?:v0_)?[A-Za-z0-9]{60,80}" + END),
    make("pinterest_token", "Pinterest token", "pina_", r"pina_[A-Za-z0-9_-]{20,200}" + END, check=looks_random, check_required=True, glue=False),
    make("proof_key", "Proof key", "prf_", r"prf_[A-Za-z0-9]{20,40}" + END, check=looks_random, check_required=True),
    make("rootly_key", "Rootly key", "rootly_", r"rootly_[a-f0-9]{64}" + END),
    make("samsara_token", "Samsara token", "samsara_api_", r"samsara_api_[A-Za-z0-9]{30}" + END),
    make("workato_token", "Workato token", "wrka-eyJ", r"wrka-eyJ[A-Za-z0-9_-]{10,400}(?:\.[A-Za-z0-9_-]{10,800}){2}"),
    make("trello_token", "Trello token", "ATTA", r"ATTA[A-Za-z0-9]{60,80}" + END),
)  # fmt: skip

MODELS: tuple[Format, ...] = (
    make("openai_key", "OpenAI key", "sk-", r"sk-(?:[A-Za-z0-9]{1,16}-){0,3}[A-Za-z0-9_-]{20,255}", strict=r"sk-(?:[A-Za-z]{2,12}-)?[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100}|sk-ant-[A-Za-z0-9_-]{32,160}|sk-or-v1-[a-f0-9]{64}|sk-[a-fA-F0-9]{32,64}|sk-api-[A-Za-z0-9_-]{80,140}|sk-lf-[0-9a-f-]{36}"),
    # `cache-sk-…`: in the middle of a word the mark tells too little, but these tell enough with what follows.
    make("openai_key", "OpenAI key", "sk-", r"sk-(?:ant-(?:api|admin|oat|ort|sid)\d\d-[A-Za-z0-9_-]{64,128}|or-v1-[a-f0-9]{64}|(?:[A-Za-z]{2,12}-)?[A-Za-z0-9_-]{20,100}?T3BlbkFJ[A-Za-z0-9_-]{20,100})", glue=True),
    make("langsmith_key", "LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_[a-fA-F0-9]{32}_[a-fA-F0-9]{10}"),
    make("groq_key", "Groq key", "gsk_", r"gsk_[A-Za-z0-9]{52}" + END),
    make("xai_key", "xAI key", "xai-", r"xai-[A-Za-z0-9_]{60,100}" + END),
    make("perplexity_key", "Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{48,64}" + END),
    make("huggingface_token", "Hugging Face token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,64}", strict=r"(?:hf|api_org)_[A-Za-z0-9]{34}"),
    make("huggingface_token", "Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{34}" + END, check=is_mixed, glue=True),
    make("replicate_token", "Replicate token", "r8_", r"r8_[A-Za-z0-9]{37,40}" + END),
    make("elevenlabs_key", "ElevenLabs key", "sk_", r"sk_[a-f0-9]{48}" + END),
    make("nvidia_key", "NVIDIA key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{60,70}"),
    make("pinecone_key", "Pinecone key", "pcsk_", r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,70}"),
    make("tavily_key", "Tavily key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}" + END),
    make("cartesia_key", "Cartesia key", "sk_car_", r"sk_car_[A-Za-z0-9]{20,40}" + END),
    make("llama_cloud_key", "LlamaCloud key", "llx-", r"llx-[A-Za-z0-9]{40,60}" + END),
    make("brave_key", "Brave Search key", "BSA", r"BSA[A-Za-z0-9_-]{24,30}" + END, check=is_mixed, check_required=True),
    make("cursor_key", "Cursor key", "key_", r"key_[a-f0-9]{64}" + END, glue=False),
    make("cerebras_key", "Cerebras key", "csk-", r"csk-[a-z0-9]{48}" + END, glue=False),
    make("fireworks_key", "Fireworks key", "fw_", r"fw_[A-Za-z0-9]{22,32}" + END, check=is_mixed, check_required=True),
    make("firecrawl_key", "Firecrawl key", "fc-", r"fc-[a-f0-9]{32}" + END),
    make("jina_key", "Jina key", "jina_", r"jina_[A-Za-z0-9_-]{60}" + END),
    make("together_key", "Together key", "tgp_v1_", r"tgp_v1_[A-Za-z0-9_-]{43}" + END),
    make("voyage_key", "Voyage key", "pa-", r"pa-[A-Za-z0-9_-]{43}" + END, check=is_mixed, check_required=True),
    # RevenueCat, Checkout.com, Freemius and others.
    make("secret_key", "Secret key", "sk_", r"sk_(?:sbox_)?[A-Za-z0-9]{24,34}" + END, check=_no_identifier, check_required=True),
)  # fmt: skip
