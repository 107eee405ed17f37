"""Passwords by where they stand: in a URL, a header, a command, a file of logins; seed phrases and codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.write_policy.secret_values import is_code, is_placeholder

Span = tuple[int, int, str, str]

# Other ways to write a password: literals of which one must occur, pattern, rule, name.
FORMS = (
    # RFC 3986 userinfo; the user may be missing (redis://:secret@host).
    (
        ("://",),
        r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,200}:(?P<known>[^\s\"'<>@/]{1,256})@(?=[\w\[$<{%-])",
        "url-password",
        "password in a URL",
    ),
    # RFC 7617 and RFC 6750.
    (
        ("basic ",),
        r"\bbasic {1,3}(?P<known>[a-z0-9+/]{8,1000}={0,2})(?![\w+/])",
        "basic-auth",
        "basic-auth credentials",
    ),
    (
        ("bearer ", "authorization"),
        r"\b(?:bearer|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?token) {1,3}(?P<known>[\w.~+/=-]{12,4000})",
        "bearer-token",
        "bearer token",
    ),
    (
        ("curl ",),
        r"\bcurl [^\n|]{0,300}?(?:-u|--user)[ =]{0,2}[\"']?[^\s:\"'$]{1,100}:(?P<known>[^\s\"'@]{1,200})",
        "command-password",
        "password",
    ),
    (
        ("mysql", "mariadb", "sshpass", "redis-cli", "mongo", "docker login", "unzip"),
        r"\b(?:mysql\w{0,10}|mariadb|sshpass|redis-cli|mongo\w{0,10}|docker login|unzip) [^\n|]{0,200}?"
        r"(?<=\s)(?:-p|-a) ?[\"']?(?P<known>[^\s\"'-][^\s\"']{2,100})",
        "command-password",
        "password",
    ),
    (
        ("machine ",),
        r"\bmachine\s{1,4}\S{1,100}\s{1,8}login\s{1,4}\S{1,100}\s{1,8}password\s{1,4}(?P<known>\S{3,100})",
        "netrc-password",
        "password",
    ),
    # A key of signs of all kinds, as frameworks make them (Django's SECRET_KEY).
    (
        ("secret", "key", "salt", "jwt"),
        r"(?:secret|key|salt|jwt)\w{0,20}[\"'\])]{0,2}\s{0,4}(?:=>|[:=,])\s{0,4}(?P<open>[\"'])(?P<known>[^\s]{16,200}?)(?P=open)(?=[\s,;)}]|$)",
        "secret-value",
        "secret",
    ),
    # BIP 39: the words of a wallet.
    (
        ("phrase", "seed", "mnemonic", "recovery"),
        r"\b(?:seed|recovery|mnemonic|backup|wallet) ?(?:phrase|words|seed|mnemonic)?s?\b[^\n]{0,20}?(?:is|are|:|=)\s{0,3}[\"']?"
        r"(?P<known>[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})\b",
        "seed-phrase",
        "seed phrase",
    ),
    (
        ("pin ", "pin:", "pin=", "pincode", "pin-", " code", "cvv", "cvc", "geheimzahl"),
        r"(?<![\w#])(?:(?:pin(?:[ -]?(?:code|number|nr|kod))?|(?:alarm|door|gate|entry|access|lock|unlock|garage|safe|keypad"
        r"|security|backup|combination) codes?|cv[vc]2?|geheimzahl|code pin"
        r"|code (?:for|of|to) (?:the |my |our )?(?:\w{1,12} )?(?:door|gate|alarm|safe|garage|lock|keypad|house|building))"
        r"(?: (?:for|of|on|to|für)(?: [\w'-]{1,16}){1,5}?)?(?: {0,2}(?:is|ist|est|es|=|:|#|to) {1,2}|[:=]| {0,2}[:=] {0,2})(?:now )?|cv[vc]2? )"
        r"[\"'*#]?(?P<known>\d{3,8})(?![\w%.:/-]{0,20}\d)(?!\w)",
        "code",
        "secret code",
    ),
)

# One of these must occur, in small letters, for anything here to be found.
TRIGGERS = tuple(dict.fromkeys(literal for literals, *_ in FORMS for literal in literals))


def credentials(text: str, lower: str) -> Iterator[Span]:
    """Every secret of these forms with (start, end, rule, name); `lower` is the text in small letters."""
    for literals, pattern, rule, name in FORMS:
        if any(literal in lower for literal in literals):
            for match in re.finditer(pattern, text, re.IGNORECASE):
                if _is_secret(match["known"], rule):
                    yield *match.span("known"), rule, name


def _is_secret(value: str, rule: str) -> bool:
    if rule == "secret-value":
        signs = sum(not letter.isalnum() for letter in value)
        mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and len(set(value)) >= 12
        return (
            signs >= 4
            and len(set(re.findall(r"[^\w./:-]", value))) >= 3
            and mixed
            and not is_placeholder(value)
        )
    if rule == "basic-auth":
        return _is_pair(value)
    if rule == "bearer-token":
        return (
            not is_placeholder(value)
            and any(map(str.isdigit, value))
            and not re.fullmatch(r"[\w-]*token[\w-]*", value)
        )
    return not is_placeholder(value) and not value.startswith(("$", "{", "<", "%")) and not is_code(value)


def _is_pair(value: str) -> bool:
    """Whether this is base64 of user:password."""
    import binascii

    try:
        return b":" in binascii.a2b_base64(value + "=" * (-len(value) % 4))
    except binascii.Error:
        return False
