"""Secrets are found where they stand, and nothing else is. Every token here is made up when a test runs."""

from __future__ import annotations

import random
import string
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.secrets import provider_forms
from memcli.text.secrets.scan import find_secrets, redact
from tests.text.secret_texts import filled

_chance = random.Random(4)
BASE62 = string.ascii_letters + string.digits


def chars(number: int, alphabet: str = BASE62) -> str:
    return "".join(_chance.choices(alphabet, k=number))


def hexes(number: int) -> str:
    return chars(number, "0123456789abcdef")


UUID = "-".join(hexes(size) for size in (8, 4, 4, 4, 12))
TOKENS = {
    "aws-access-key": "AK" + "IA" + chars(16, string.ascii_uppercase + "234567"),
    "github-token": "gh" + "p_" + chars(36),
    "gitlab-token": "glp" + "at-" + chars(20),
    "slack-token": "xo" + "xb-123456789012-1234567890123-" + chars(24),
    "slack-webhook": "https://hooks.sla" + "ck.com/services/T0AB1CD2E/B0AB1CD2E/" + chars(24),
    "stripe-key": "sk_" + "live_" + chars(24),
    "google-key": "AI" + "za" + chars(35),
    "google-oauth": "GOC" + "SPX-" + chars(28),
    "openai-key": "sk" + "-proj-" + chars(20) + "T3Blbk" + "FJ" + chars(20),
    "anthropic-key": "sk-a" + "nt-api03-" + chars(93) + "AA",
    "hugging-face-token": "h" + "f_" + chars(34),
    "npm-token": "np" + "m_" + chars(36),
    "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + chars(70),
    "twilio-key": "S" + "K" + hexes(32),
    "sendgrid-key": "S" + "G." + chars(22) + "." + chars(43),
    "telegram-token": "123456789:" + "AA" + chars(33),
    "discord-token": "M" + chars(23) + "." + chars(6) + "." + chars(27),
    "digitalocean-token": "do" + "p_v1_" + hexes(64),
    "shopify-token": "shp" + "at_" + hexes(32),
    "vault-token": "hv" + "s." + chars(30),
    "doppler-token": "dp" + ".pt." + chars(43),
    "linear-key": "lin" + "_api_" + chars(40),
    "notion-token": "nt" + "n_" + chars(46),
    "new-relic-key": "NR" + "AK-" + chars(27, string.ascii_uppercase),
    "mailchimp-key": hexes(32) + "-us12",
    "age-key": "AGE-SEC" + "RET-KEY-1" + chars(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "jwt": "ey" + "J" + chars(30) + ".ey" + "J" + chars(60) + "." + chars(43),
}


@pytest.mark.parametrize("rule", TOKENS)
def test_a_token_is_found_in_a_sentence_by_its_form_alone(rule: str) -> None:
    text = f"use {TOKENS[rule]}, said Ann"
    (secret,) = find_secrets(text)
    assert secret.rule == rule
    assert text[secret.start : secret.end] in TOKENS[rule]
    assert redact(text, [secret]).endswith(f"[redacted {secret.name}], said Ann")


@pytest.mark.parametrize("form", provider_forms.table(), ids=lambda form: f"{form.rule} {form.keywords[0]}")
def test_every_form_finds_what_its_example_is_the_shape_of(form: provider_forms.Form) -> None:
    assert form.keywords and form.source and "  " not in form.pattern
    for seed in range(5):
        shown, secrets = filled(form.example, random.Random(seed))
        text = f"the key is {shown}\n-- Ann"
        assert any(keyword in text for keyword in form.keywords)
        found = [
            text[start:end]
            for start, end, rule, _ in provider_forms.provider_secrets(text)
            if rule == form.rule
        ]
        assert found and (secrets or [shown])[0] in found, shown


def test_forms_are_read_once_and_only_where_a_text_may_hold_a_secret() -> None:
    read = (
        "from memcli.text.secrets import provider_forms; from memcli.text.secrets.scan import find_secrets; "
        "find_secrets('tea at noon'); before = provider_forms.table.cache_info().currsize; "
        "find_secrets('a' * 40); print(before, provider_forms.table.cache_info().misses)"
    )
    told = subprocess.run([sys.executable, "-c", read], capture_output=True, encoding="utf-8", check=True)
    assert told.stdout.split() == ["0", "1"]


HELD = [
    ("my wifi password is hunter2!", "hunter2!"),
    ("Passwort: geheim123", "geheim123"),
    ("mon mot de passe est Soleil42", "Soleil42"),
    ("la contraseña del wifi es Gato1234", "Gato1234"),
    ("пароль от вайфая: qwerty12", "qwerty12"),
    ("Wi-Fiのパスワードはabc12345です", "abc12345です"),
    ("The password is blooberry.", "blooberry"),
    ("I changed my mail password to Sunflower99", "Sunflower99"),
    ("the password is “hunter2”", "hunter2"),
    ("DB_PASSWORD=swordfish", "swordfish"),
    ('{"password": "hunter2"}', "hunter2"),
    ("<password>hunter2</password>", "hunter2"),
    ("mysql -u root -pHunter22 shop", "Hunter22"),
    ("curl -u admin:hunter2 https://x.y", "hunter2"),
    ("tool --password hunter2", "hunter2"),
    ("postgres://me:hunter2@db.local/x", "hunter2"),
    ("Server=db;User Id=sa;Password=Hunt;Database=x", "Hunt"),
    ("machine h login me password pass123", "pass123"),
    ("Authorization: Basic dXNlcjpodW50ZXIy", "dXNlcjpodW50ZXIy"),
    ("my PIN is 4821", "4821"),
    ("the alarm code is 4711", "4711"),
    ("card 4111 1111 1111 1111 till May", "4111 1111 1111 1111"),
    ("Amex 378282246310005", "378282246310005"),
    ("SSN 123-45-6789", "123-45-6789"),
    ("IBAN DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
    ("my api key is 8f14e45fceea167a5a36dedd4bea2543", "8f14e45fceea167a5a36dedd4bea2543"),
    (f"heroku key {UUID}", UUID),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), HELD)
def test_the_value_itself_is_what_is_found(text: str, value: str) -> None:
    assert [text[secret.start : secret.end] for secret in find_secrets(text)] == [value]


ORDINARY = [
    "My password manager is Bitwarden", "The password reset mail goes to spam",
    "I forgot my password", "the password policy requires 12 characters", "rotate the API key every 90 days",
    "my password is too weak", "The password is required.", "password is stored in the vault",
    "passwords are hashed by bcrypt", "My wifi password is on the fridge", "I want to pass it on to others",
    "password: string", "password = getpass.getpass()", "pwd = os.getcwd()", "password=${DB_PASSWORD}",
    "password: <your password>", 'api_key = "YOUR_API_KEY"', "password: ********", "password: changeme",
    "changed in commit 3f2a9c1d4e5b6a7f8c9d0e1f2a3b4c5d6e7f8a9b", f"the id is {UUID}",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "call me at 555-123-4567 or +1 (415) 555-2671", "order 1234567890123456", "version 1.2.3-rc1",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "the key to success is patience", "the token limit is 4096", "GPIO pin: 17", "error code: 40401",
    "https://docs.google.com/document/d/1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o6P7q8R9s0T/edit",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1x2y3z4a5b6c7d8e9f0g1h2i3j4k5l6m7n8o9p0 me@host",
    "2026-11-21T13:35:53Z", "192.168.1.1:8080", "ghp_" + "x" * 36, "4111 1111 1111 1112", "000-12-3456",
    "the staging server listens on port 8443", "arn:aws:s3:::my_corporate_bucket/*",
]  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_text_holds_no_secret(text: str) -> None:
    assert find_secrets(text) == []


def test_a_private_key_is_found_whole_even_without_its_end() -> None:
    begin = "-----BEGIN " + "OPENSSH PRIVATE KEY-----"
    body = "\n".join(chars(64) for _ in range(5))
    for text in (f"{begin}\n{body}\n-----END OPENSSH PRIVATE KEY-----", f"{begin}\n{body}"):
        assert redact(f"a {text} b", find_secrets(f"a {text} b")).startswith("a [redacted private key]")
        assert not any(line in redact(text, find_secrets(text)) for line in body.splitlines())


def test_letters_without_width_and_full_width_letters_hide_nothing() -> None:
    token = TOKENS["github-token"]
    for disguised in (
        "\u200b".join(token),
        "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in token),
    ):
        (secret,) = find_secrets(f"it is {disguised} now")
        assert (secret.start, secret.end) == (6, 6 + len(disguised))


PIECES = st.sampled_from(
    [*TOKENS.values(), *(text for text, _ in HELD), *ORDINARY, "password: ", "key=", "[redacted x]"]
)


@given(st.lists(st.one_of(st.text(max_size=20), PIECES), max_size=6).map(" ".join))
def test_redaction_is_idempotent_and_keeps_all_other_text(text: str) -> None:
    secrets = find_secrets(text)
    clean = redact(text, secrets)
    assert find_secrets(clean) == []
    place = 0
    for secret in secrets:
        assert place <= secret.start < secret.end <= len(text)
        kept = text[place : secret.start] + f"[redacted {secret.name}]"
        assert clean.startswith(kept)
        clean, place = clean[len(kept) :], secret.end
    assert clean == text[place:]


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1 ",
        "password ",
        "password=",
        "eyJ",
        "key=",
        "://a:",
        "[redacted ",
        "\u200b",
        "-",
        "4111 ",
        "WIFI:P:",
        "recovery codes: ab12-",
        "mysql ",
        "otpauth://?secret=",
        "seed words zebra ",
        "a:5432:b:",
        "1234 is my ",
        "user=a&",
    ],
)
def test_a_hostile_text_is_read_to_its_end(piece: str) -> None:
    # The work is bounded, not the seconds: a text of twice the length takes about twice the time.
    assert isinstance(find_secrets(piece * (100_000 // len(piece))), list)


@pytest.mark.parametrize(
    "text",
    [
        "login is broken: ticket4711", "account closed: invoice2024", "The user reported: build4711 fails",
        "user story: EPIC-4711 is done", "The login failed: error1234", "The login page is at users/new2024",
        "credentials are in team/vault2024",
    ],
)  # fmt: skip
def test_a_word_of_logins_before_a_number_of_a_ticket_is_no_secret(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The credentials are admin/Nebel2024", "Nebel2024"), ("creds for grafana: ops/Tulip77!", "Tulip77!"),
        ("The login for the printer is bob:Tulip99", "Tulip99"), ("user bob:tulip77!", "tulip77!"),
    ],
)  # fmt: skip
def test_a_login_and_its_password_beside_it_are_told_in_prose(text: str, secret: str) -> None:
    [found] = find_secrets(text)
    assert text[found.start : found.end].rstrip("!") == secret.rstrip("!")
