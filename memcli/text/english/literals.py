"""Literals, which are compared as written: addresses, paths, flags, file names, identifiers, versions.

One letter, an ending or a capital makes another thing of them (`-r`, `-R`; `/user`, `/users`; `http`,
`https`), so none is stemmed or case-folded.
"""

from __future__ import annotations

import re

# Alternatives of `tokens._pattern`, which is verbose and ignores case; each begins at a word border.
PATTERN = r"""
          (?P<quoted>`[^`\n]{1,200}`)
        | (?P<address>[a-z][a-z0-9+.-]{1,20}://\S{1,2000} | [\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,190}\w)
        | (?P<flag>(?<![\w-])--?(?=[a-z])[\w-]{1,80}(?:=[^\s,;]{1,200})?)           # --force, -R
        | (?P<path>(?<![\w/\\.~-])(?:(?:~|\.{1,2}|[a-z]:|\$\{?\w{1,80}\}?)?[/\\]
            |[^\W\d_][\w@.-]{0,80}[/\\](?=\w))
            [\w@%+~:.=?&\#{}*/\\-]{0,400}[\w*}/\\])                                # /users, src/a.py
        | (?P<pattern>(?<!\S)\S{0,80}(?:\[\^?\w-\w[^\]\s]{0,80}\]|\\[dwsb]|\*\.\w)\S{0,80})  # [a-z]+, *.py
        | (?P<variable>\$\{?[a-z_]\w{0,80}\}?)                                      # $HOME
        | (?P<setting>(?<![\w.])[a-z_][\w.]{0,80}(?:[=!<>:]?=|->|=>|::)(?=[^\s=])[^\s,;]{1,200})  # a=b, a::b
        | (?P<version>(?<![\w.])(?:v\d{1,9}(?:\.\d{1,9}){0,5}
            |\d{1,9}(?:\.\d{1,9}){1,5}(?=[-+.]?(?:rc|alpha|beta|dev|post|pre)))
            (?:[-+.]?(?:rc|alpha|beta|dev|post|pre)[\d.-]{0,20})?(?<=\w)(?!\w))         # v2.1, 2.1.0-rc1
        | (?P<acronym>\b(?:[a-z]\.){2,}[a-z]?)                                      # U.S.
        | (?P<dotted>(?<![\w.])(?:[^\W\d_][\w-]{0,80}\.|\.(?=[a-z]))[a-z_][\w-]{0,80}
            (?:\.[\w-]{1,80}){0,8}(?:\(\))?(?!\w))                                   # a.py, obj.close()
        | (?P<identifier>(?<![^\W_])(?:__\w{1,80}__|[^\W_]{1,80}(?:_{1,3}[^\W_]{1,80}){1,12}
            |[^\W\d_]\w{0,80}(?=\(\)))
            (?:\(\))?(?![^\W_]))                                                       # parse_date, run()
"""
# The groups that are compared as written; the others become numbers and names.
LITERALS = frozenset(
    ("quoted", "address", "flag", "path", "pattern", "variable", "setting", "dotted", "identifier")
)
# Protocols with a variant ending in "s", which is no plural.
_PROTOCOLS = frozenset(
    ["http", "ftp", "imap", "smtp", "pop", "ldap", "irc", "mqtt", "amqp", "sip", "coap", "nntp", "ws"]
)


def literal_form(kind: str, shown: str) -> str:
    """Return the form in which a piece of text that matched as `kind` is compared."""
    if kind == "quoted":
        return " ".join(shown.strip("`").split())
    if shown.endswith("()"):
        return shown.removesuffix("()")
    text = shown.rstrip(".,;:!?)'\"")
    if kind == "address":
        if "://" not in text:
            return text.casefold()
        scheme, rest = text.split("://", 1)
        host, slash, path = rest.partition("/")
        return f"{scheme.casefold()}://{host.casefold()}{slash}{path}"
    return text


def is_camel_case(word: str) -> bool:
    """True if a word is an identifier by its capitals (parseDate, getUser); not brands (iPhone, GitHub)."""
    return re.match(r"[a-z]{2}[a-z0-9]*[A-Z][a-z]", word) is not None


def differ_by_tls(one: str, other: str) -> bool:
    """True if one of two words is the other with TLS (http, https)."""
    plain, secure = sorted((one, other), key=len)
    return plain in _PROTOCOLS and secure == f"{plain}s"
