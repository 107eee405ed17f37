"""Tokens and keys without a format of their own: random values that something nearby calls a secret.

A random value (see `randomness`) is a secret if it is assigned to a name, if a word such as key, token or
secret precedes it, or the name of a service whose keys are bare letters and digits, or if it stands alone
beside a single word. It is none after words for digests and revisions, in an image's base64, or in the path
of an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memcli.text.expressions import ANY_CASE, compiled
from memcli.text.secrets.randomness import in_order, is_placeholder, is_random

Span = tuple[int, int, str, str]

# A text without a run of 16 characters must contain one of these, in lower case.
TOKEN_TRIGGERS = (
    *(
        "secret",
        "token",
        "tkn",
        "key",
        "auth",
        "cred",
        "private",
        "access",
        "salt",
        "licen",
        "session",
        "cookie",
    ),
    *("schlüssel", "clé", "clave", "llave", "ключ", "密钥", "秘钥", "キー", "키"),
)
# Words that call a value a secret, in a name (api_key, ACCESS-TOKEN) or in a sentence.
_CALLED = (
    r"secret|token|key|auth|cred(?:ential)?s?|private|access|licen[sc]e|session|cookie|client[ _.-]?id|app[ _.-]?id"
    r"|(?<![a-z])(?:tkn|tok|pat|dsn|salt)(?![a-z])|schlüssel|clé|clave|llave|ключ|密钥|秘钥|キー|키"
)
# Words for random values that are no secrets.
_DIGESTS = (
    r"sha-?\d{0,3}|md5|crc\d{0,2}|digest|hash|checksum|integrity|fingerprint|thumbprint|commits?|revision|rev|sha|blob"
    r"|tree|parent|merge|head|branch|tag|uuid|guid|etag|build|version|image|txid|tx|transaction|block|address|contract"
    r"|trace|request|span|order|invoice|tracking|serial|isbn|doi|model|part|sku|vin|imei|file|filename|path|url|href"
    r"|src|class|style|color|font|ssh-\w{2,20}|public[ _-]?key|pubkey|blake\d?\w?|u?id|gid|oid|utm"
)
# After these words a hex number is the id of a public key.
_KEY_NAMED = r"(?<![a-z])(?:gpg2?|pgp|openpgp|recv-keys?|key[ _-]?ids?|fingerprint|signed by|signing[ _-]?key|thumbprint|keyserver)(?![a-z])[^\n]{0,40}$"
_KEY_NUMBER = r"(?:0x)?(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{16}|[0-9A-Fa-f]{40}|[0-9A-F]{64})"
# Public by their own format: addresses and public keys.
_PUBLIC = r"age1[a-z0-9]{50,70}|bc1[a-z0-9]{20,80}|npub1[a-z0-9]{50,70}|[xyz]pub[A-Za-z0-9]{100,120}|pk_(?:live|test)_\w{10,200}|0x[0-9a-fA-F]{40}|AAAA.*|//.*"
# Inside the query of an address, or in a name of many parts (arn:aws:s3:…, spotify:track:…).
_IN_ADDRESS = r"https?://[^\s\"'<>]{0,2000}$"
_IN_NAME = r"(?<!\S)(?:arn|urn|spotify|doi|magnet|geo|gid|tag|did|ark|[a-z]{3,12}:[a-z]{3,12}):[^\s]{0,200}$"
# Services whose keys are, by their documentation, bare hex, base62 or UUIDs, so that only the name beside a
# key tells what it is.
_SERVICES = (
    "airtable algolia amplitude asana auth0 aws azure bitbucket bitly braintree bugsnag buildkite circleci clearbit"
    " cloudflare cloudinary codecov cohere coinbase contentful coveralls databricks datadog deepgram deepl"
    " digitalocean discord disqus dropbox elevenlabs etherscan facebook fastly figma firebase flickr foursquare"
    " freshdesk giphy gitea github gitlab google grafana heroku hetzner hubspot hunter ibm infura instagram intercom"
    " jenkins jira kaggle kraken kucoin launchdarkly linear linkedin linode loggly mailchimp mailgun mailjet mapbox"
    " messagebird mistral mixpanel mongodb netlify newrelic nexmo ngrok notion npm okta onesignal openai opencage"
    " openweather openweathermap opsgenie optimizely pagerduty paypal pingdom pipedrive pinecone plaid pusher quandl"
    " rapidapi reddit replicate rollbar salesforce scaleway sendgrid sentry shodan shopify slack snyk sonarqube"
    " soundcloud spotify square stripe sumologic supabase telegram todoist toggl travis trello tumblr twilio twitch"
    " twitter typeform unsplash uptimerobot vercel vimeo virustotal vonage vultr wakatime wandb weatherapi webflow"
    " wistia wordpress yandex yelp youtube zapier zendesk zoom"
)
# After so many values, the context is no longer examined, and each random value counts as a secret.
_MOST = 2000
# How many characters before a value are examined.
_BEFORE = 90
# The least length of a value: assigned to a name that calls it a secret; called so by a word before it;
# assigned to any other name; recognised only by its look.
_NAMED, _CALLED_BEFORE, _ASSIGNED, _BARE = 8, 16, 20, 32

_TOKEN = (
    r"(?<![A-Za-z0-9+/_.~%-])[A-Za-z0-9_+/-](?=[A-Za-z+/_.~%-]{0,60}\d|\S{19})[A-Za-z0-9+/_.~%-]{7,}+={0,2}"
)
_ASSIGNS = (
    r"(?P<name>[A-Za-z_][\w.\[\] -]{0,60})(?:\\?[\"'`\]*]{1,3})?\s{0,6}"
    r"(?:=>|->|:=|={1,2}|:|：|>|\\?[\"'],|\\?[\"']\s{1,3}value=)\s{0,6}(?:@|\\)?[\"'`(<\[]{0,3}(?:[a-z]{1,8}[ ])?$"
)
_GLUED = r"(?:secret|token|tkn|key|private|access)[._-](?=[A-Za-z0-9])(?!.{0,200}(?:secret|token|key)[._-])"
_SKIPPED = (
    r"(?:base64,|(?:sha-?\d{1,3}|md5|blake\d\w?)[:-]|\barn:[^\s]{0,80}|ssh-\w{2,10}\s|://[^\s\"'<>=]{0,80})$"
)


def token_secrets(text: str) -> Iterator[Span]:
    """Yield every random value that its context calls a secret, as (start, end, rule, name)."""
    for number, match in enumerate(compiled(_TOKEN).finditer(text)):
        value = match.group().rstrip(".~-_+/%")
        start, end = match.start(), match.start() + len(value)
        # toggl-key-VALUE, all in one
        if glued := compiled(_GLUED, ANY_CASE).search(value):
            rest = value[glued.end() :]
            if len(rest) >= _CALLED_BEFORE and is_random(rest):
                yield end - len(rest), end, "secret-value", "secret"
                continue
        if not is_random(value) or is_placeholder(value) or text[end : end + 1] in ("(", "["):
            continue
        if number >= _MOST:
            yield start, end, "random-value", "random value"
            continue
        before = text[max(0, start - _BEFORE) : start]
        if compiled(_SKIPPED, ANY_CASE).search(before) or _is_public(value, before):
            continue
        if _is_called(value, before):
            yield start, end, "secret-value", "secret"
        elif _stands_out(value, before, text[end : end + 2], start == 0):
            yield start, end, "random-value", "random value"


def _is_public(value: str, before: str) -> bool:
    """True if a value is public: a public key, an address, the id of a key."""
    if re.fullmatch(_PUBLIC, value, re.DOTALL):
        return True
    return bool(re.fullmatch(_KEY_NUMBER, value) and compiled(_KEY_NAMED, ANY_CASE).search(before[-60:]))


def _is_called(value: str, before: str) -> bool:
    """True if what precedes a random value makes it a secret."""
    if name := _assigned(before):
        called = compiled(_CALLED, ANY_CASE)
        if called.search(name["name"]) or called.search(before[-30:]):
            return len(value) >= _NAMED
        address, named = (compiled(each, ANY_CASE) for each in (_IN_ADDRESS, _IN_NAME))
        elsewhere = address.search(before) or named.search(before)
        return (
            len(value) >= _ASSIGNED
            and _is_opaque(value)
            and not _is_digest(name["name"].replace("_", " "))
            and not elsewhere
        )
    if _is_digest(before[-40:]) and not compiled(_CALLED, ANY_CASE).search(before[-16:]):
        return False
    if len(value) >= _CALLED_BEFORE and compiled(_CALLED, ANY_CASE).search(before):
        return True
    return len(value) >= _ASSIGNED and not _services().isdisjoint(
        re.findall(r"[a-z0-9]+", before[-50:].lower())
    )


def _stands_out(value: str, before: str, after: str, first: bool) -> bool:
    """True if a value looks like a secret and like nothing else, without a word that says so."""
    if not _is_opaque(value) or _is_digest(before[-40:]) or _assigned(before) or in_order(value):
        return False
    ends = not after.strip()
    if first and ends:
        # The value is the whole text; hex alone is a digest.
        return len(value) >= _ASSIGNED and not re.fullmatch(r"[0-9a-fA-F]+", value)
    if ends and re.search(r"(?:^|\n)[ \t]*[\w.-]{2,30}[ \t]+$", before):
        return len(value) >= _ASSIGNED
    # Too varied for a hex digest, which are common in prose.
    kinds = [sum(map(test, value)) for test in (str.isupper, str.islower, str.isdigit)]
    return len(value) >= _BARE and min(kinds) >= 4 and len(set(value)) >= 16 and "/" not in value


def _is_digest(words: str) -> bool:
    return compiled(rf"(?<![a-z])(?:{_DIGESTS})(?![a-z])", ANY_CASE).search(words) is not None


def _is_opaque(value: str) -> bool:
    """True if a value has letters and digits, and is neither a UUID nor a file name."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and not re.search(r"\.[a-z]{2,4}$|^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-", value)


def _assigned(before: str) -> re.Match[str] | None:
    if not before.rstrip(" \t\n\\\"'`(<[@abcdefghijklmnopqrstuvwxyz").endswith(("=", ":", ">", "：", ",")):
        return None
    return compiled(_ASSIGNS, ANY_CASE).search(before)


@cache
def _services() -> frozenset[str]:
    return frozenset(_SERVICES.split())
