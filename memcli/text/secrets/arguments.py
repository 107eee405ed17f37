"""Arguments of commands that are passwords, by each command's own manual.

Case matters: `unzip -p` prints, `unzip -P` takes a password. If a command prompts for the password unless it
is attached to the option (mysql's -p), only an attached one counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memcli.text.secrets.places import Place, Span, secrets_at_places
from memcli.text.secrets.randomness import is_placeholder

# The rest of a command after its name, up to a pipe or the end of the line.
_ON = r"(?:\.exe)? (?:[^\n|]{0,300}?\s)?"
# A value, with or without quotes.
_KNOWN = r"(?P<open>[\"'])?(?P<known>(?(open)[^\"'\n]{1,200}|[^\s\"'|;-][^\s\"'|;]{0,200}))"
# Commands, their option for a password, and whether a space may separate the two.
_OPTIONS = (
    ("mysql, mysqldump, mysqladmin, mysqlsh, mysqlimport, mariadb, mariadb-dump, mycli", r"-p", False),
    ("7z, 7za, 7zr, rar, unrar", r"-p", False),
    ("sshpass, docker login, podman login, buildah login, skopeo login, helm registry login", r"-p", True),
    ("mongo, mongosh, mongodump, mongorestore, mongoexport, az login", r"-p", True),
    ("ldapsearch, ldapadd, ldapmodify, ldappasswd, ldapwhoami", r"-w", True),
    ("redis-cli", r"-a", True),
    ("unzip, zip, sqlcmd, bcp, ipmitool, tsql", r"-P", True),
    ("plink, pscp, psftp, putty", r"-pw", True),
    ("keytool, jarsigner", r"-(?:store|key|src|dest|new)\w{0,8}pass(?:word)?", True),
    ("xfreerdp, wfreerdp, freerdp", r"/p:", False),
)
# Commands, their option for a user with a password, and what separates the two.
_PAIRS = (
    ("curl", r"(?:-[A-Za-z]{0,10}u|-U|--user|--proxy-user)[ =]{0,2}", ":"),
    ("http, https, xh", r"(?:-a|--auth)[ =]", ":"),
    ("smbclient, rpcclient, winexe, smbget", r"(?:-U|--user)[ =]{0,2}", "%"),
    ("lftp", r"-u ", ","),
    ("sqlplus", r"(?:-[SL] )?", "/"),
)
# Commands with a syntax of their own.
_FORMS = (
    (("htpasswd",), r"\bhtpasswd (?:-[A-Za-z]{1,8} ){0,3}?-[A-Za-z]{0,6}b[A-Za-z]{0,6} (?:\S{1,100} ){1,2}?(?P<known>[^\s|>-]\S{0,100})\s{0,3}(?:$|[|>&;])"),
    (("sudo",), r"\b(?:echo|printf) (?:-\w )?[\"']?(?P<known>[^\s\"'|$]{1,100})(?:\\n)?[\"']? ?\| ?sudo (?:-\w+ ){0,3}-\w{0,3}S"),
    (("chpasswd",), r"\b(?:echo|printf) (?:-\w )?[\"']?[\w.-]{1,60}:(?P<known>[^\s\"'|$]{1,100})(?:\\n)?[\"']? ?\| ?(?:sudo )?chpasswd"),
    (("passwd",), r"\b(?:echo|printf) (?:-\w )?[\"']?(?P<known>[^\s\"'|$]{1,100})(?:\\n)?[\"']? ?\| ?(?:sudo )?passwd --stdin"),
    (("net user",), r"\bnet user \S{1,60} (?P<known>[^\s/*\"']\S{0,100}) {1,3}/"),
    (("net use",), r"\bnet use \S{1,200}(?: \S{1,200}){0,1} (?P<known>[^\s/*\"'\\]\S{0,100}) /user:"),
    (("net use",), r"\bnet use [^\n]{1,200}/user:\S{1,60} (?P<known>[^\s/*\"'\\]\S{0,100})"),
    (("nmcli",), r"\bnmcli [^\n]{1,200}? (?:password|psk) [\"']?(?P<known>[^\s\"']{4,64})"),
    (("vault login", "vault auth"), r"\bvault (?:login|auth) (?:-[a-z-]+ ){0,2}(?:token=)?(?P<known>[^\s=-][\w.-]{15,300})"),
    (("pass:",), r"\s-(?:pass|passin|passout|k|password) pass:(?P<known>[^\s\"']{1,100})"),
    (("openssl",), r"\bopenssl (?:enc|aes\S{0,20}|des\S{0,10}) [^\n|]{0,200}?(?-i:-k) [\"']?(?P<known>[^\s\"'|-][^\s\"']{0,100})"),
    (("useradd", "usermod"), r"\buser(?:add|mod) [^\n|]{0,100}?-p [\"']?(?P<known>[^\s\"'-][^\s\"']{2,200})"),
    (("convertto-securestring",), r"ConvertTo-SecureString (?:-String )?[\"'](?P<known>[^\"'\n$]{1,100})[\"']"),
    (("identified",), r"\bidentified (?:with \w{1,40} )?by (?:password )?[\"'](?P<known>[^\"'\n]{1,100})[\"']"),
    (("set password",), r"\bset password [^\n;]{0,80}?= ?(?:password\()?[\"'](?P<known>[^\"'\n]{1,100})[\"']"),
    (("password",), r"\b(?:create|alter) (?:user|role) \S{1,80} (?:with )?[^\n;]{0,60}?(?:encrypted )?password [\"'](?P<known>[^\"'\n]{1,100})[\"']"),
)  # fmt: skip

# A text must contain one of these, in lower case, for anything here to be found.
LITERALS = frozenset(
    (
        *(name for names, *_ in (*_OPTIONS, *_PAIRS) for name in names.split(", ")),
        *(literal for literals, _ in _FORMS for literal in literals),
    )
)


def argument_secrets(text: str, here: set[str]) -> Iterator[Span]:
    """Yield every password in arguments as (start, end, rule, name); `here` are the text's literals."""
    yield from secrets_at_places(_places(), text, here)


@cache
def _places() -> tuple[Place, ...]:
    places = []
    for names, option, apart in _OPTIONS:
        pattern = rf"{_any_of(names)}{_ON}(?<=\s)(?-i:{option}){'[ =]{0,2}' if apart else ''}{_KNOWN}"
        places.append((tuple(names.split(", ")), pattern))
    for names, option, separator in _PAIRS:
        user = rf"[^\s\"'$|{separator}-][^\"'\s|{separator}]{{0,100}}"
        known = r"(?P<known>(?(open)[^\"'\n]{1,200}|[^\s\"'|]{1,200}))"
        pattern = rf"{_any_of(names)}{_ON}(?<=\s)(?-i:{option})(?P<open>[\"'])?{user}{separator}(?!//){known}"
        places.append((tuple(names.split(", ")), pattern))
    return tuple(
        Place(literals, pattern, "command-password", "password", _is_secret)
        for literals, pattern in (*places, *_FORMS)
    )


def _any_of(names: str) -> str:
    return rf"\b(?:{'|'.join(map(re.escape, names.split(', ')))})"


def _is_secret(match: re.Match[str]) -> bool:
    """True unless the value is a variable, a placeholder or a file name."""
    value = match["known"]
    return not is_placeholder(value) and not value.startswith(("$", "%", "<", "{", "-", "@", "`"))
