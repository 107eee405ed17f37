"""Passwords, which have no format of their own, found by the words that introduce them.

In programs and settings (`password: "x"`, `DB_PASSWORD=x`, `<Password>x<`), as options of commands, and in
prose of many languages ("my wifi password is hunter2!"). A sentence about passwords has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from memcli.text.secrets.randomness import is_code, is_placeholder

Span = tuple[int, int, str, str]

# The word "password" in many languages, in lower case; _ stands for a space, a dash or nothing.
_WORDS = """
password passwd passphrase passcode passkey pwd psw passwort kennwort wachtwoord lösenord adgangskode passord
salasana jelszó jelszo hasło haslo heslo lozinka geslo slaptažodis parole parool parola şifre sifre contraseña
contrasena contrasenya senha mot_de_passe mật_khẩu mat_khau kata_sandi пароль пароля κωδικός 密码 密碼 口令
パスワード 暗証番号 비밀번호 암호 كلمة_المرور كلمة_السر סיסמה पासवर्ड รหัสผ่าน wifi_key wi-fi_key wpa_key wpa2_key
wlan_key network_key
""".split()
# Words that are parts of others; words that count only with an assigned value; or only as options.
_SHORT, _ASSIGNED_ONLY, _OPTIONS = ("pass", "pw", "clave"), ("secret", "kod", "psk"), ("token", "key")
# Ambiguous words, after which a plain word is no password.
_DOUBTFUL = ("parole", "parola", "clave", "sifre")

# At most so many introducing words of a text are examined, to bound the time for a hostile one.
_MOST = 2000

# An ASCII text must contain one of these, in lower case, for anything here to be found.
PASSWORD_TRIGGERS = (
    *("passw", "passp", "passc", "passk", "passor", "pass ", "pass:", "pass=", 'pass"', "pass'", "pass_", "-pass", "de pass"),
    *("pw ", "pw:", "pw=", 'pw"', "pw'", "pw_", "pwd", "psk", "clave", "-token", "-key", "fi key", "fi-key", "wpa", "wlan key", "network key"),
    *_ASSIGNED_ONLY,
    *(word.split("_")[0] for word in _WORDS if word.isascii() and not any(part in word for part in ("pass", "pw", "_key"))),
)  # fmt: skip

# A value in quotes, or up to the next space.
_VALUE = r"(?:(?P<open>\\?[\"'`])(?P<quoted>[^\n]{1,128}?)(?P=open)|(?P<bare>[^\s\"'`<>]{1,256}))"
_SUFFIX = r"(?:[_-]?(?:prod|dev|test|staging|value|text|\d|e?s)(?![a-z]))?"
_ASSIGNS = (
    r"(?:(?:\\?[\"'`*]{1,2}|[\])]{1,2})?\s{0,8}(?:=>|->|:=|={1,3}|:(?!:)|：|\|)\s{0,8}"
    r"|\\?[\"']\s{1,4}value\s?=\s?|\\?[\"']\s{0,2},\s{0,4}(?=[\"'])|\s?>(?=[^<\s])|\s?(?:是|は|为|為|는|은)\s?)"
)
# "… for the router at home is", with words of the same sentence in between.
_BETWEEN = r"(?:[^\S\n]{1,2}[^\s.!?:;=,]{1,20})"
_SAYS = rf"{_BETWEEN}{{0,6}}?[^\S\n]{{1,2}}(?:is|was|are|be|to|=)[\s:]{{1,3}}(?:now )?"
_SAYS_ABROAD = rf"{_BETWEEN}{{0,6}}?[^\S\n]{{1,2}}(?:ist|war|lautet|est|es|era|è|é|jest|je|är|er|on|to|olarak|это)[\s:]{{1,3}}"
# After the verb "pass" the Finnish "on" (is) is English: "tests must pass on arm64".
_SAYS_ABROAD_BEHIND_VERB = _SAYS_ABROAD.replace("|on|", "|")
_FOR = (
    rf"(?:[^\S\n](?:for|of|to|on|at|für|vom|zum|pour|de|du|del|para|do|da|di|per|voor|van|do|od|для|от|к)(?![^\W\d_]){_BETWEEN}{{1,5}}?)?"
    r"(?:\s?[:=]|[^\S\n]-{1,2})[^\S\n]{1,3}"
)
_USER_BEFORE = r"\b(?:user|login|account|username|benutzer|usuario)\b[^\n.!?]{0,40}$"
# "with password tulip77"
_LOGS_IN = r"\b(?:with|and|by|use|using|enter|type|mit|con|avec)(?: (?:the|my|our|this|dem|das|la|le))?(?: [\w-]{1,20})? $"
_HASHES = r"(?:sha|md|oauth|argon|pbkdf|base|utf|win|http|ssl|tls|v|bcrypt|scrypt|crypt|level|step|policy|version|field)-?\d{1,4}"
# "hunter2 is my password", at the end of its sentence
_SAID_BEFORE = r"(?<!\S)[\"'`]?(?P<known>[^\s\"'`<>]{4,64}?)[\"'`]? (?:is|was|=|ist|lautet|est|es|è|é) (?:now |still |also )?(?:the|my|our|his|her|your|their|das|mein|unser|le|mon|la|el|mi|a|minha|[\w-]{2,20}['’]s) (?:[\w.'-]{1,20} ){0,3}?$"
# "the password was changed from this to that"
_CHANGED = r"[^.!?\n]{0,60}? from [\"'`]?(?P<known>[^\s\"'`]{4,64})[\"'`]? (?:to|into) "
# A passphrase: three or more words up to the end of the line, without typical words of sentences.
_PHRASE = (
    r"{before}(?P<known>[^\W\d_]{{3,12}}(?:[ -][^\W\d_]{{3,12}}){{2,7}}(?:[ -]\d{{1,6}})?)\.?(?=\s*$|\n)"
)
_SENTENCE_WORDS = (
    r"\b(?:the|and|are|was|were|not|has|have|your|you|its|for|from|with|but|that|this|too|very|stored|kept|saved|only|know"
    r"|easy|hard|long|been|will|can|must|should|when|what|who|how|never|always|because|written|known|lost|forgotten|secret)\b"
)
# Compounds that are about something else: "my password manager is …".
_COMPOUND = (
    r"[ -](?:managers?|resets?|polic(?:y|ies)|hints?|fields?|prompts?|generators?|protection|rules?|e?mails?|forms?"
    r"|pages?|changes?|requirements?|database|vault|recovery|strength|length|expiry|rotation|safe|app)\b"
)
_QUOTED_NEXT, _OPTION_NEXT = r"[ \t]{1,4}(?=[\"'])", r" {1,2}"
_OPTION = r"(?:^|[\s\"'])--?(?:[\w-]{1,40}-)?$"


def password_secrets(text: str, lower: str) -> Iterator[Span]:
    """Yield every password as (start, end, rule, name); `lower` is the text in lower case."""
    past = 0
    for found in islice(_introducers(text.isascii()).finditer(lower), _MOST):
        word, place = found.group(), found.end()
        if place >= past and (span := _after(text, lower, word, found.start(), place)):
            past = span[1]
            yield *span, "password", "password"
        for start, end in _beside(text, lower, word, found.start(), place):
            yield start, end, "password", "password"


@cache
def _introducers(ascii_only: bool) -> re.Pattern[str]:
    words = [word for word in _WORDS if word.isascii() or not ascii_only]
    others = (*_SHORT, *_ASSIGNED_ONLY, *_OPTIONS)
    return re.compile("|".join([re.escape(word).replace("_", "[ _-]?") for word in words] + list(others)))


def _after(text: str, lower: str, word: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the place of the password after an introducing word; None without one."""
    assigned_only, short = word in _ASSIGNED_ONLY, word in (*_SHORT, *_ASSIGNED_ONLY, *_OPTIONS)
    if short and (lower[start - 1 : start].isalpha() or lower[end : end + 1].isalpha()):
        return None
    follows = [_ASSIGNS] if assigned_only else [_ASSIGNS, _SAYS, _SAYS_ABROAD, _FOR, _QUOTED_NEXT]
    # "Pass" is a verb as well, and then no password follows directly, unless a user precedes it.
    verb = word == "pass" and not re.search(_USER_BEFORE, lower[max(0, start - 60) : start])
    if verb:
        follows = [_ASSIGNS, _SAYS, _SAYS_ABROAD_BEHIND_VERB, _FOR]
    if re.match(_COMPOUND, lower[end : end + 24]):
        follows = [_ASSIGNS]
    if re.search(_OPTION, lower[max(0, start - 44) : start]):
        follows.append(_OPTION_NEXT)
    elif word in _OPTIONS:
        return None
    for follow in follows:
        match = re.compile(f"{_SUFFIX}{follow}{_VALUE}", re.IGNORECASE).match(text, end)
        if match is None:
            continue
        # If the sentence may just go on, a plain word is no password.
        plain = (
            follow not in (_SAYS_ABROAD, _SAYS_ABROAD_BEHIND_VERB, _FOR)
            and word not in _DOUBTFUL
            and not (short and follow == _SAYS)
        )
        if value := _believed(
            text, match, plain, lower[start:end] != text[start:end], follow == _OPTION_NEXT, word
        ):
            place = match.start("quoted" if match["quoted"] else "bare")
            skipped = len(value) - len(value.removeprefix("pass:"))
            return place + skipped, place + len(value)
    may_be_mixed = not assigned_only and not verb
    logs_in = not short and re.search(_LOGS_IN, lower[max(0, start - 50) : start]) is not None
    return _right_behind(text, end, may_be_mixed=may_be_mixed, logs_in=logs_in)


def _right_behind(text: str, end: int, *, may_be_mixed: bool, logs_in: bool) -> tuple[int, int] | None:
    """Return the place of a password directly after the introducing word, known by its characters alone."""
    match = re.compile(r"[ \t]{1,2}([^\s\"'`<>]{6,64})").match(text, end)
    if match is None:
        return None
    if may_be_mixed and _is_mixed(value := match[1].rstrip(".,;:?)")):
        return match.start(1), match.start(1) + len(value)
    value = match[1].rstrip(".,;:?)!")
    if logs_in and re.search(r"[^\W\d_]", value) and re.search(r"\d", value) and not _is_named(value):
        return match.start(1), match.start(1) + len(value)
    return None


def _is_named(value: str) -> bool:
    """True if it is a placeholder, a hash or a path, and nothing that anybody types."""
    return bool(re.fullmatch(_HASHES, value, re.IGNORECASE)) or is_placeholder(value) or "/" in value


def _beside(text: str, lower: str, word: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield passwords before the introducing word, and further ones of its sentence."""
    if (
        word in (*_ASSIGNED_ONLY, *_OPTIONS)
        or lower[end : end + 1].isalpha()
        or lower[start - 1 : start].isalpha()
    ):
        return
    if not re.match(_COMPOUND, lower[end : end + 24]):
        # The pattern ends at the word, so it is searched once per word in the 150 characters before it.
        said = re.search(_SAID_BEFORE, text[max(0, start - 150) : start], re.IGNORECASE)
        if said and _is_said(
            said["known"].lstrip("(["), text[end : end + 2], max(0, start - 150) + said.start() == 0
        ):
            offset = max(0, start - 150)
            yield offset + said.start("known"), offset + said.end("known")
    changed = re.compile(_CHANGED, re.IGNORECASE).match(text, end)
    if changed and re.search(r"\d", changed["known"]) and not is_placeholder(changed["known"]):
        yield changed.span("known")
    if word == "passphrase":
        before = rf"(?:{_SAYS}|\s?[:=]\s?)"
        phrase = re.compile(_PHRASE.format(before=before), re.IGNORECASE).match(text, end)
        if phrase and not re.search(_SENTENCE_WORDS, phrase["known"], re.IGNORECASE):
            yield phrase.span("known")


def _is_said(value: str, after: str, alone: bool) -> bool:
    """True if the value before "is my password" is one: no plain word, unless it is all that precedes."""
    if "?" in after or is_placeholder(value) or is_code(value) or "://" in value:
        return False
    if re.fullmatch(_PLAIN, value):
        begins = alone and value.casefold() not in _ABOUT and not value.casefold().endswith(_ABOUT_ENDINGS)
        return begins and len(value) >= 5 and not after.strip(" .!\n")
    return (
        any(map(str.isalnum, value))
        and not (value.isdigit() and len(value) < 4)
        and not _is_identifier(value)
    )


def _believed(text: str, match: re.Match[str], plain: bool, capitals: bool, option: bool, word: str) -> str:
    """Return the value, without what ends it, if it is a password; else an empty string."""
    if match["quoted"] is not None:
        spaced = word in ("psk", "passphrase") or _in_connection(text, match)
        return match["quoted"] if _is_quoted_password(match["quoted"], spaced=spaced) else ""
    start = match.start("bare")
    value = match["bare"]
    if ended := re.compile(_ENDS).search(text[start : start + len(value) + 50]):
        value = value[: ended.start()]
    value = value.rstrip(".,;:?")
    following = text[start + len(value) :][:40]
    named = "://" in value or value.startswith(("env:", "file:", "fd:"))
    if len(value) < 3 or is_placeholder(value) or is_code(value, following) or named:
        return ""
    assigned = match.group()[: start - match.start()].rstrip(" ")
    if not re.fullmatch(_PLAIN, value):
        # With digits or symbols; a number alone must be as long as a PIN.
        weak = value.isdigit() and len(value) < 4
        believed = any(map(str.isalnum, value)) and not weak and not _is_identifier(value)
        believed = believed or (assigned.endswith("=") and _in_connection(text, match))
    elif assigned.endswith("=") and _is_argument(text, match, following):
        believed = value.casefold() not in _ABOUT
    elif option:
        believed = _is_options_word(value, following)
    else:
        believed = plain and _is_plain_password(value, following, capitals and assigned.startswith("="))
    return value if believed else ""


def _is_argument(text: str, match: re.Match[str], following: str) -> bool:
    """True if name=value is an option of a command, or one of several in a connection string or a query."""
    name = re.search(r"[\w-]{0,60}$", text[max(0, match.start() - 60) : match.start()])
    if name and name.group().startswith("--"):
        return not following.startswith(("(", ".", "["))
    return _in_connection(text, match) or following[:1] in ("'", '"', "&")


def _in_connection(text: str, match: re.Match[str]) -> bool:
    """True if another name=value precedes or follows, separated by a space, a semicolon or an ampersand."""
    before, after = text[max(0, match.start() - 120) : match.start()], text[match.end() : match.end() + 40]
    pair = r"[A-Za-z_][\w ]{1,24}={1}(?![=\s])"
    return bool(
        re.search(rf"(?:^|[\s;&?\"']){pair}[^\s;&,()]{{1,60}}[\s;&][\w ]{{0,24}}$", before)
        or re.match(rf"[\"']?[\s;&]\s?{pair}[^\s,()]", after)
    )


def _is_options_word(value: str, following: str) -> bool:
    """True if a plain word after a password option is one: unless the sentence goes on about the option."""
    goes_on = re.match(r"\s*$|\s*[|>&;\n]|\s+(?:-|[^\s]*[/.:@=$])", following)
    return goes_on is not None and value.casefold() not in _ABOUT | {
        "option",
        "flag",
        "argument",
        "prompt",
        "parameter",
    }


# Where an unquoted value ends: at a separator, in a connection string or a sentence.
_ENDS = r"[;&,](?=\s|$|[A-Za-z_ ]{2,40}=)|\\[nrt\"]|[,;)}\]]{1,3}(?=[\s\"'`<>]|$)|\)[,;.]"
_PLAIN = r"[^\W\d_]+(?:['’-][^\W\d_]+)*[.!?,]?"
# Words, and endings of words, that follow "the password is" in a sentence about passwords.
_ABOUT = frozenset(
    """
    a about above all almost already also always an and any as ask at bad based because been before being below
    between both but by can case common correct could critical different done down each easy either empty enough
    entered every exactly expected fine first for from generated given going gone good great hard has have he her
    here hidden his how if in incorrect insecure into invalid it its just kept known like long lost made may me
    might more most much must my necessary never new no nobody none not nothing now of off ok okay old on one only
    or our out over please public quite really right safe same secure sent set she short should similar simple so
    some something stored strong such sure that the their then there these they this those to too true unique
    unknown up used using usually valid very via visible was weak we what when where whether which who why will
    with within without wrong yes you your at least minimum maximum between characters checked text string
    authentication authenticate hash hashed hashing bcrypt argon2 encryption key reset change login user
    """.split()
)
_ABOUT_ENDINGS = tuple("ed ing able ible ly ful less ous ive ent ant tion ary ory ic al".split())
# Words by which a quoted text is a sentence and no passphrase.
_SENTENCE = (
    r"\b(?:must|should|required|characters|least|is|are|your|enter|be|the|not|do|does|has|have|and|or)\b"
)


def _is_plain_password(value: str, following: str, variable: bool) -> bool:
    """True if a plain word is a password: a shell variable's value, or at the end of a sentence or line."""
    word = value.rstrip(".!?,").casefold()
    if len(word) < 4 or word in _ABOUT or word.endswith(_ABOUT_ENDINGS):
        return False
    rest = (value[-1] if value[-1] in ".!?," else "") + following
    return variable or rest.startswith(";") or bool(re.match(r"[.!?,)]{0,2}(?:\s*$|\s*\n|[.!]\s)", rest))


def _is_identifier(value: str) -> bool:
    """True for words joined by punctuation, as names in programs: user_password, #add-password."""
    return bool(re.fullmatch(r"[#.$@]?[A-Za-z]+(?:[_.-][A-Za-z]+){1,6}", value)) and bool(
        re.search(
            r"pass|pwd|pw|secret|user|hash|field|input|value|key|env|config|login|form|data|_",
            value,
            re.IGNORECASE,
        )
    )


def _is_quoted_password(value: str, *, spaced: bool) -> bool:
    """True if a quoted value is a password; `spaced` if it may contain spaces."""
    bare = value.strip()
    if len(bare) < 3 or is_placeholder(bare) or "://" in bare or bare[0] in "$#./<{%":
        return False
    if " " in bare:
        # A sentence or a label, unless it has a digit.
        more = spaced or any(map(str.isdigit, bare))
        return more and len(bare) <= 64 and not re.search(_SENTENCE, bare, re.IGNORECASE)
    if re.fullmatch(_PLAIN, bare):
        return bare.casefold() not in _ABOUT and not re.fullmatch(
            r"(?:new|old|my|user|current|confirm|repeat|reset|forgot|change|show|hide|admin|db|root)?_?-?(?:password|passwd|pass|pwd)"
            r"(?:s|confirm(?:ation)?|hash|field|input|reset)?:?",
            bare,
            re.IGNORECASE,
        )
    return not _is_identifier(bare) and any(map(str.isalnum, bare)) and not (bare.isdigit() and len(bare) < 4)


def _is_mixed(value: str) -> bool:
    """True for a word with digits inside that is no product or algorithm (sha256, OAuth2, 1Password)."""
    if (
        is_placeholder(value)
        or is_code(value)
        or "://" in value
        or re.search(r"^\d+[-–]?[A-Za-z]+$|^[A-Za-z-]+\d{1,3}$", value)
    ):
        return False
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    return (
        letters >= 2
        and digits >= 1
        and (digits >= 2 or not value.isalnum())
        and "/" not in value
        and "=" not in value
    )
