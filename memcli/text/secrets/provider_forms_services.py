"""Tokens of services that people and companies use: the second half of the table in `secret_forms`."""

from __future__ import annotations

SERVICE_TABLE = r"""
# Chat.
slack-token | Slack token | xox xapp- | api.slack.com/concepts/token-types
    xox[a-z][-.](?:[a-z]{4,5}-)?<word>{10,250}
    xapp-\d-<word>{20,200}
slack-webhook | Slack webhook | hooks.slack | api.slack.com/messaging/webhooks
    hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,120})
discord-token | Discord token | . | discord.com/developers/docs/reference
    [MNO]<word>{22,27}\.<word>{6}\.<word>{27,40}
discord-webhook | Discord webhook | /webhooks/ | the same
    discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(?P<secret>\d{15,22}/<word>{50,90})
telegram-token | Telegram bot token | :A | core.telegram.org/bots/api
    \d{7,12}:A<word>{32,36}(?!<word>)
webhook | webhook address | webhook hooks.zapier maker.ifttt logic.azure | own docs
    (?:outlook\.office(?:365)?\.com|[\w-]{1,60}\.webhook\.office\.com)/webhook(?:b2)?/(?P<secret>[\w-]{36}[\w/@-]{20,200})
    hooks\.zapier\.com/hooks/catch/<word>{4,20}(?:/<word>{4,20}){0,2}
    maker\.ifttt\.com/[\w/{}-]{1,80}/with/key/<word>{20,60}
    [\w-]{1,60}\.tines\.com/webhook/<hex>{32}/<hex>{32}
    chat\.googleapis\.com/v1/spaces/[\w/?=&%-]{40,300}
matrix-token | Matrix token | syt_ | spec.matrix.org (Synapse)
    syt_<alnum>{1,80}_[A-Za-z]{20}_<alnum>{6}
# Telephone and mail.
twilio-key | Twilio key | SK AC | twilio.com/docs/iam/api-keys
    (?:SK|AC)<hex>{32}(?!<alnum>)
sendgrid-key | SendGrid key | SG. | docs.sendgrid.com
    SG\.[\w-]{16,32}\.[\w-]{16,64}
mailgun-key | Mailgun key | key- pubkey- - | documentation.mailgun.com
    (?:(?:pub)?key-<hex>{32}|<hex>{32}-<hex>{8}-<hex>{8})(?!<alnum>)
mailchimp-key | Mailchimp key | -us | mailchimp.com/developer
    <hex>{32}-us\d{1,2}(?!<alnum>)
brevo-key | Brevo key | xkeysib- xsmtpsib- | developers.brevo.com
    x(?:key|smtp)sib-<hex>{40,64}(?:-<alnum>{16})?
resend-key | Resend key | re_ | resend.com/docs
    re_<alnum>{8}_<alnum>{20,40}
mailersend-key | MailerSend key | mlsn. | developers.mailersend.com
    mlsn\.<hex>{60,70}
courier-key | Courier key | pk_prod_ pk_test_ | courier.com/docs
    pk_(?:prod|test)_[A-Z0-9]{28}
# Money and shops.
stripe-key | Stripe key | _live_ _test_ whsec_ | docs.stripe.com/keys
    [srp]k_(?:live|test)_<alnum>{10,250}
    whsec_<alnum>{24,60}
square-token | Square token | EAAA sq0 | developer.squareup.com
    EAAA<word>{56,64}
    sq0[a-z]{3}-<word>{22,50}
shopify-token | Shopify token | shp | shopify.dev/docs/apps/auth
    shp(?:at|ca|pa|ss|tka|ua)_[0-9a-fA-F]{32}
paypal-token | PayPal token | access_token$ | developer.paypal.com
    access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$<hex>{32}
plaid-token | Plaid token | access- | plaid.com/docs
    access-(?:sandbox|development|production)-<uuid>
adyen-key | Adyen key | AQE | docs.adyen.com
    AQE[a-z][A-Za-z0-9+/=]{30,200}-[A-Za-z0-9+/=]{20,80}-[ -~]{8,40}
payment-key | payment key | rzp_ FLW sk_ lnbits duffel_ EZ gocardless live_ shippo_ sec_ ak_live ek_live | own docs
    rzp_(?:live|test)_<alnum>{14,30}
    FLW(?:SEC|PUB)K(?:_TEST)?-<alnum>{12,60}(?:-X)?
    sk_<hex>{40}(?!<alnum>)
    duffel_(?:test|live)_[\w=-]{43}
    EZ[AT]K<alnum>{54}
    live_<word>{40}(?!<alnum>)
    shippo_(?:live|test)_<hex>{40}
    [ae]k_live_<alnum>{24,60}
# Work.
linear-key | Linear key | lin_ | developers.linear.app
    lin_(?:api|oauth|wh)_<alnum>{30,80}
notion-token | Notion token | secret_ ntn_ | developers.notion.com
    secret_<alnum>{40,50}
    ntn_<alnum>{40,60}
asana-token | Asana token | / | developers.asana.com
    [012]/\d{12,20}(?:/\d{12,20})?:<hex>{32}(?!<alnum>)
figma-token | Figma token | figd_ figo_ figu_ figoh_ figor_ figut_ | developers.figma.com
    fig(?:d|o|u|oh|or|ut)_<word>{36,60}
typeform-token | Typeform token | tfp_ | typeform.com/developers
    tfp_[\w.=-]{36,80}
contentful-token | Contentful token | CFPAT- | contentful.com/developers
    CFPAT-<word>{40,50}
hubspot-token | HubSpot token | pat- | developers.hubspot.com
    pat-(?:na|eu|ap)\d-<uuid>
dropbox-token | Dropbox token | sl. | developers.dropbox.com/oauth-guide
    sl\.(?:u\.)?<word>{60,2000}
salesforce-token | Salesforce token | 00D | developer.salesforce.com
    00D<alnum>{12,15}![\w.]{60,200}
okta-token | Okta token | 00 | developer.okta.com/docs/guides/create-an-api-token
    00(?=[a-z0-9_-]{0,30}[A-Z])<word>{39,40}(?!<word>)
clickup-token | ClickUp token | pk_ | clickup.com/api
    pk_\d{6,12}_[A-Z0-9]{32}
ory-key | Ory key | sk_ ory_ mcp_ ApiKey- | ory.sh/docs
    ory_(?:pat|st|at|rt|apikey)_<word>{24,80}
adobe-secret | Adobe secret | p8e- p8_ | developer.adobe.com
    p8(?:e-|_)<word>{28,40}
adafruit-key | Adafruit key | aio_ | io.adafruit.com/api/docs
    aio_<alnum>{28}(?!<alnum>)
# Watching.
new-relic-key | New Relic key | NRAK- NRII- NRJS- NRIQ- NRRA- NRSP- NRMT- NRBR- NRAL px-api- px-dep- | docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/
    NR(?:AK|II|JS|IQ|RA|SP|MT|BR)-<word>{15,60}
    <hex>{36,40}(?:FFFF)?NRAL
    px-(?:api|dep)-<uuid>
datadog-key | Datadog key | ddapp_ ddapi_ pub | docs.datadoghq.com/account_management/api-app-keys/
    dda(?:pp|pi)_<alnum>{30,60}
    pub<hex>{32}(?!<alnum>)
sentry-token | Sentry token | sntry | docs.sentry.io/account/auth-tokens/
    sntry[suai]_[\w+/=-]{40,500}
sentry-dsn | Sentry address | @ | docs.sentry.io (DSN)
    https?://(?P<secret><hex>{32}(?::<hex>{32})?)@[\w.-]{1,80}/\d{1,20}
grafana-token | Grafana token | glc_ glsa_ eyJrIjoi | grafana.com/docs
    glc_[A-Za-z0-9+/]{32,400}={0,2}
    glsa_<alnum>{32}_[0-9A-Fa-f]{8}
    eyJrIjoi[A-Za-z0-9+/]{40,400}={0,2}
dynatrace-token | Dynatrace token | dt0 | docs.dynatrace.com
    dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}
honeycomb-key | Honeycomb key | hcaik_ hcbik_ hcxik_ hcalk_ hcxlk_ hcamk_ hcxmk_ hcaic_ | docs.honeycomb.io
    hc[abcxmi](?:ik|lk|mk|ic)_<alnum>{40,70}
posthog-key | PostHog key | phc_ phx_ phr_ phs_ | posthog.com/docs/api
    ph[cxrs]_<alnum>{36,60}
segment-token | Segment token | sgp_ | segment.com/docs
    sgp_<alnum>{40,80}
checkly-key | Checkly key | cu_ su_ | checklyhq.com/docs
    [cs]u_<hex>{32}
dependency-track-key | Dependency-Track key | odt_ | docs.dependencytrack.org
    odt_<alnum>{8,40}(?:_<alnum>{20,40})?
nightfall-key | Nightfall key | NF- | docs.nightfall.ai
    NF-<alnum>{30,36}
# Runners, builders, and what else registers its prefixes.
trello-token | Trello token | ATTA | gss
    ATTA<hex>{60,76}
elastic-key | Elastic key | essu_ | gss
    essu_<alnum>{40,120}={0,2}
n8n-key | n8n key | n8n_api_ | docs.n8n.io/api
    n8n_api_<hex>{40,80}
apify-token | Apify token | apify_api_ | docs.apify.com
    apify_api_<alnum>{32,40}
deno-token | Deno token | ddp_ ddw_ ddo_ | docs.deno.com
    dd[pwo]_<alnum>{36,50}
intercom-token | Intercom token | dG9rO | developers.intercom.com
    dG9rO[A-Za-z0-9+/=_-]{50,80}
runpod-key | RunPod key | rpa_ | docs.runpod.io
    rpa_[A-Z0-9]{40,60}
harness-token | Harness token | pat. sat. | gss
    [ps]at\.<word>{22}\.<hex>{24}\.<alnum>{20}
frameio-token | Frame.io token | fio-u- | gss
    fio-u-<word>{60,80}
pinterest-token | Pinterest token | pina_ pinr_ | gss
    pin[ar]_<alnum>{32,80}
fernet-token | Fernet token | gAAAAA | github.com/fernet/spec
    gAAAAA<word>{80,4000}={0,2}
snyk-token | Snyk token | snyk_ | docs.snyk.io
    snyk_[us]at\.[\w.-]{30,200}
zoho-token | Zoho token | 1000. | zoho.com/accounts/protocol/oauth
    1000\.<hex>{32}\.<hex>{32}
cockroach-key | CockroachDB key | CCDB1_ | cockroachlabs.com/docs
    CCDB1_<alnum>{22}_<alnum>{40}
aiven-token | Aiven token | AVNS_ | gss
    AVNS_<word>{19,40}
polar-token | Polar token | polar_ | gss
    polar_[a-z]{2,4}_<word>{40,60}
paddle-key | Paddle key | pdl_ | developer.paddle.com
    pdl_(?:live|sdbx)_apikey_<alnum>{26}_<alnum>{22}_<alnum>{3}
lichess-token | Lichess token | lip_ | gss
    lip_<alnum>{20}(?!<alnum>)
volcengine-key | Volcengine key | AKLT | gss
    AKLT<word>{30,60}
baidu-key | Baidu key | bce-v3/ | cloud.baidu.com/doc
    bce-v3/ALTAK-<alnum>{20,24}/<hex>{40}
persona-key | Persona key | persona_ | gss
    persona_(?:sandbox|production)_<uuid>
devcycle-key | DevCycle key | dvc_ | gss
    dvc_(?:server|mobile|client)_<alnum>{5,60}_<hex>{6,40}
ionic-token | Ionic token | ion_ | gss
    ion_<alnum>{42}
mergify-key | Mergify key | mka_ mra_ | gss
    m[kr]a_<word>{40,80}
midtrans-key | Midtrans key | Mid-server- | gss
    Mid-server-<word>{22,40}
octopus-key | Octopus key | API- | gss
    API-[A-Z0-9]{26,40}(?!<alnum>)
onesignal-key | OneSignal key | os_v2_ | gss
    os_v2_(?:app|org)_[a-z2-7]{90,120}
telnyx-key | Telnyx key | KEY0 | gss
    KEY0<hex>{31}_<alnum>{22}
zuplo-key | Zuplo key | zpka_ | gss
    zpka_<alnum>{32}_<hex>{8}
wakatime-key | WakaTime key | waka_ | wakatime.com/api
    waka_<uuid>
stytch-secret | Stytch secret | secret-test- secret-live- | stytch.com/docs
    secret-(?:test|live)-[\w-]{30,40}={0,2}
samsara-token | Samsara token | samsara_api_ | gss
    samsara_api_<word>{28,60}
val-town-token | Val Town token | vtwn_ | gss
    vtwn_<alnum>{20,40}
brave-key | Brave key | BSA | api.search.brave.com
    BSA<word>{28}(?!<word>)
ghost-key | Ghost admin key | : | ghost.org/docs/admin-api
    <hex>{24}:<hex>{64}(?!<alnum>)
braintree-token | Braintree token | sandbox_ production_ | developer.paypal.com/braintree
    (?:sandbox|production)_[a-z0-9]{8}_[a-z0-9]{16}(?!<alnum>)
workato-key | Workato key | wrk | gss
    wrk[a-z]{2,4}-eyJ<word>{40,2000}(?:\.<word>{20,2000}){0,2}
asaas-key | Asaas key | $aact_ | docs.asaas.com
    \$aact_[A-Za-z0-9:+/=_-]{60,300}
# Wallets.
extended-key | private key of a wallet | prv | github.com/bitcoin/bips (BIP 32)
    [xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}
nostr-key | Nostr key | nsec1 | github.com/nostr-protocol/nips (NIP-19)
    nsec1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}
stellar-secret | Stellar secret | S | developers.stellar.org (SEP-23)
    S[A-D][A-Z2-7]{54}(?!<alnum>)
bitcoin-key | private key of a wallet | K L 5 | bitcoin.org (wallet import format)
    (?:[KL][1-9A-HJ-NP-Za-km-z]{51}|5[HJK][1-9A-HJ-NP-Za-km-z]{49})(?!<alnum>)
# The social web.
facebook-token | Facebook token | EAA | developers.facebook.com/docs/facebook-login/guides/access-tokens
    EAA[A-Z]<alnum>{30,400}
facebook-token | Facebook token | | | the same (app tokens)
    \d{13,17}\|<word>{24,32}(?![\w-])
instagram-token | Instagram token | IGQ | developers.facebook.com/docs/instagram
    IGQ[VW]<word>{60,300}
twitter-token | Twitter token | AAAAAAAAAAAAAAAAA | developer.x.com/en/docs/authentication
    A{17,26}[A-Za-z0-9%]{60,120}
twitter-token | Twitter token | - | the same (access tokens)
    \d{15,20}-(?=[a-z0-9]{0,38}[A-Z])(?=[A-Za-z]{0,38}\d)<alnum>{38,44}(?!<alnum>)
linkedin-token | LinkedIn token | AQ WPL_ | learn.microsoft.com/linkedin
    AQ[A-Z]<word>{100,600}
    WPL_AP1\.<alnum>{14,20}\.[A-Za-z0-9+/=]{6,10}
mapbox-token | Mapbox token | k.eyJ | docs.mapbox.com/help/glossary/access-token
    [pst]k\.eyJ[\w-]{20,300}\.[\w-]{20,40}
recaptcha-key | reCAPTCHA key | 6L | developers.google.com/recaptcha
    6L[a-zA-Z]?<word>{37,38}(?!<word>)
twitch-token | Twitch token | oauth: | dev.twitch.tv/docs/irc
    oauth:[a-z0-9]{30}(?!<alnum>)
ubidots-token | Ubidots token | BBFF- BBUS- | docs.ubidots.com
    BB(?:FF|US)-<alnum>{30,40}
coinbase-key | Coinbase key | organizations/ | docs.cdp.coinbase.com
    organizations/<uuid>/apiKeys/<uuid>
"""
