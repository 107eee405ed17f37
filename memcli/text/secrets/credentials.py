"""Credentials by their place: in a URL, a connection string, a header, a cookie, a file of logins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.text.secrets.places import Place, Span, literals_of, secrets_at_places
from memcli.text.secrets.randomness import is_code, is_placeholder, is_random

# Placeholder users and passwords of documentation; a placeholder password counts only with such a user.
_USERS = frozenset(
    "user username usr login name uid userid me dbuser db_user your_user youruser u foo".split()
)
_SAMPLES = frozenset("password passwd pass pw pwd dbpassword db_password".split())


def _is_login(match: re.Match[str]) -> bool:
    """True if a password is no placeholder; a word such as "pw" is one only with a placeholder user."""
    value, user = match["known"], (match.groupdict().get("user") or "").casefold()
    if value.startswith(("$", "{", "<", "%(", "%{", "[", "*")) or is_code(value):
        return False
    if value.casefold() in _SAMPLES:
        # In capitals it is a placeholder, whoever the user is.
        return user not in _USERS and not value.isupper()
    return not is_placeholder(value) and not re.fullmatch(r"[A-Z]+(?:_[A-Z]+)+", value)


def _is_value(match: re.Match[str]) -> bool:
    value = match["known"]
    return not is_placeholder(value) and not value.startswith(("$", "{", "<", "%")) and not is_code(value)


def _is_pair(match: re.Match[str]) -> bool:
    """True if it is base64 of user:password."""
    import binascii

    value = match["known"]
    try:
        return b":" in binascii.a2b_base64(value + "=" * (-len(value) % 4))
    except binascii.Error:
        return False


def _is_bearer(match: re.Match[str]) -> bool:
    value = match["known"]
    return (
        not is_placeholder(value)
        and any(map(str.isdigit, value))
        and not re.fullmatch(r"[\w-]*token[\w-]*", value)
    )


def _is_noise(match: re.Match[str]) -> bool:
    """True for letters, digits and at least three different symbols."""
    value = match["known"]
    symbols = sum(not letter.isalnum() for letter in value)
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and len(set(value)) >= 12
    return (
        symbols >= 4
        and len(set(re.findall(r"[^\w./:-]", value))) >= 3
        and mixed
        and not is_placeholder(value)
    )


def _is_session(match: re.Match[str]) -> bool:
    value = match["known"]
    return not is_placeholder(value) and (
        is_random(value) or (len(value) >= 20 and any(map(str.isdigit, value)))
    )


_PLACES = (
    # RFC 3986 userinfo; the user may be missing (redis://:secret@host), an @ in the password not be escaped.
    Place(
        ("://",),
        r"[a-z][a-z0-9+.-]{1,20}://(?P<user>[^\s/:@\"'<>]{0,200}):(?P<known>[^\s\"'<>/]{1,256}|(?!\d{1,5}/)[^\s\"'<>@]{1,256})@(?=[\w\[$<{%(-])",
        "url-password", "password in a URL", _is_login,
    ),
    # Go's driver, Oracle's thin one.
    Place(
        ("@tcp(", "@unix("), r"(?<![\w/])(?P<user>[\w.-]{1,64}):(?P<known>[^\s:\"'`@]{1,128})@(?:tcp|unix)\(",
        "url-password", "password in a connection string", _is_login,
    ),
    Place(
        ("jdbc:oracle",), r"jdbc:oracle:\w{2,6}:(?P<user>[^\s/:@]{1,100})/(?P<known>[^\s@\"'/]{1,128})@",
        "url-password", "password in a connection string", _is_login,
    ),
    # RFC 7617 and RFC 6750.
    Place(("basic ",), r"\bbasic {1,3}(?P<known>[a-z0-9+/]{8,1000}={0,2})(?![\w+/])", "basic-auth", "basic-auth credentials", _is_pair),
    Place(("auth",), r"[\"']?_?auth[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<known>[a-z0-9+/]{8,1000}={0,2})(?![\w+/=])", "basic-auth", "basic-auth credentials", _is_pair),
    Place(
        ("bearer ", "authorization"),
        r"\b(?:bearer|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:token|apikey|ssws|key|bot)) {1,3}(?P<known>[\w.~+/=-]{12,4000})",
        "bearer-token", "bearer token", _is_bearer,
    ),
    # RFC 6265; the names under which servers keep sessions.
    Place(
        ("sess", "sid=", "csrf", "xsrf", "auth", "remember", "cookie"),
        r"\b(?:(?:php|asp\.net_|j|cf_?|laravel_|flask_?|django_?|_?\w{0,20}[._-])?sess(?:ion)?_?(?:id|key|token)?|(?:connect\.)?sid|csrf_?token|xsrf-token|auth_?token|remember_?(?:me|token))"
        r"=(?P<known>[\w%.~+/-]{16,4000}={0,2})",
        "session-cookie", "session cookie", _is_session,
    ),
    # The manuals of netrc(5), libpq's .pgpass, and npm's .npmrc.
    Place(
        ("machine ", "default "),
        r"\b(?:machine\s{1,4}\S{1,100}|default)\s{1,8}login\s{1,4}\S{1,100}\s{1,8}password\s{1,4}(?P<known>\S{3,100})",
        "netrc-password", "password", _is_value,
    ),
    Place(
        (":*:", ":54", ":64", ":65"),
        r"^(?=[^:\n]{0,100}[^\W\d_a-f]|[\d.]{7,15}:|\*:)[\w.*-]{1,100}:(?:\d{3,5}|\*):[\w.*-]{1,63}:(?=[^:\n]{0,63}[g-z*_])[\w.*@-]{1,63}:(?P<known>[^\s:]\S{2,100})$",
        "pgpass-password", "password", _is_value,
    ),
    # WPA by QR code (the Wi-Fi Alliance's URI form).
    Place(("wifi:",), r"\bWIFI:(?:[A-Z]:[^;\n]{0,100};){0,5}?P:\"?(?P<known>(?:\\.|[^;\\\n\"]){1,100})\"?;", "password", "password", _is_value),
    # htpasswd(1); hashes of crypt(3) are found by their own form.
    Place(("{sha}",), r"(?P<known>\{SHA\}[a-z0-9+/]{27}=)", "password-hash", "password hash", lambda _: True),
    # A key of letters, digits and symbols, as frameworks make them (Django's SECRET_KEY).
    Place(
        ("secret", "key", "salt", "jwt"),
        r"(?:secret|key|salt|jwt)\w{0,20}[\"'\])]{0,2}\s{0,4}(?:=>|[:=,])\s{0,4}(?P<open>[\"'])(?P<known>[^\s]{16,200}?)(?P=open)(?=[\s,;)}]|$)",
        "secret-value", "secret", _is_noise,
    ),
    # "login: bob / tulip77!"
    Place(
        ("login", "credential", "creds", "account", "zugang", "user"),
        r"\b(?:login|logon|log in|credentials?|creds|account|user(?:name)?|zugangsdaten)(?: (?:is|are|as|for [\w.-]{1,30}(?: is| are)?))?[ :=]{1,3}"
        r"[\w.@+-]{2,60}(?: {1,2}[/|,;] {0,2}|:(?!//))(?P<known>[^\s\"'<>,;/]{6,64})(?![^\s.,;\"')])",
        "password", "password",
        lambda match: _is_value(match) and _is_mixed(match["known"]),
    ),
    # "The credentials for the printer are bob/tulip77": where a path would stand as well only after these
    # words.
    Place(
        ("login", "credential", "creds"),
        r"\b(?:login|credentials?|creds)(?: for (?:\w{2,5} )?[\w.-]{1,30})?(?: is| are|:) "
        r"[\w.@+-]{2,60}[/:](?P<known>[^\s\"'<>,;/]{6,64})(?![^\s.,;\"')])",
        "password", "password",
        lambda match: _is_value(match) and _is_mixed(match["known"]),
    ),
)  # fmt: skip

# A text must contain one of these, in lower case, for anything here to be found.
LITERALS = literals_of(_PLACES)


def credential_secrets(text: str, here: set[str]) -> Iterator[Span]:
    """Yield every secret in these places as (start, end, rule, name); `here` are the literals in the text."""
    yield from secrets_at_places(_PLACES, text, here)


def _is_mixed(value: str) -> bool:
    """True for letters with digits and a symbol, or with several digits among them."""
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    return (
        letters >= 3
        and digits >= 1
        and (digits >= 2 or not value.rstrip(".,").isalnum())
        and "://" not in value
        and "." not in value
    )
