"""From text to words: what is typed finds what was stored, in every script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memories import Memories
from memcli.text import words
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("We met at the café", "CAFE"),
        ("cafe crème", "café"),
        ("call getUserById first", "getUserById"),
        ("call getUserById first", "user"),
        ("the user_id column", "user_id"),
        ("the user_id column", "userId"),
        ("use --dry-run", "--dry-run"),
        ("use --dry-run", "dryrun"),
        ("see /etc/nginx/nginx.conf", "nginx.conf"),
        ("pinned to v1.2.3", "1.2.3"),
        ("mail ann@example.org", "ann@example.org"),
        ("ERR_CONNECTION_REFUSED seen", "ERR_CONNECTION_REFUSED"),
        ("exit code E0308", "E0308"),
        ("written in C++", "C++"),
        ("written in C#", "c#"),
        ("我昨天去了東京タワー", "東京"),
        ("我喜欢喝茶", "茶"),
        ("저는 한국어를 배웁니다", "한국어"),
        ("ภาษาไทยไม่ยาก", "ภาษาไทย"),
        ("هذا كتابٌ جديد", "كتاب"),
        ("Москва слезам не верит", "МОСКВА"),
        ("Ёжик в тумане", "ежик"),
        ("Straße gesperrt", "STRASSE"),
        ("हिन्दी भाषा", "भाषा"),
        ("party 🎉 tonight", "🎉"),
        ("'\"*--", "'\"*--"),
        ("to be or not to be", "to be or not to be"),
        ("ﬁle ①", "file 1"),
        ("don't panic", "dont"),
        ("Ann’s birthday", "ann"),
        ("我喜欢喝茶", "我喜欢什么茶？"),
        ("密码是8443", "我的密码是什么"),
        ("サーバーのポートは8443です", "サーバーのポートは何番ですか"),
        ("お寿司を食べました", "寿司"),
        ("책을 읽었다", "책"),
        ("책이 두껍다", "책을"),
        ("강아지가 짖는다", "강아지"),
        ("ไปวัด", "ไป"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("الكتاب على الطاولة", "كتاب"),
        ("بيت كبير", "البيت"),
        ("والبيت كبير", "بيت"),
        ("مدرسة قديمة", "مدرسه"),
        ("رقم المنفذ ٨٤٤٣", "8443"),
        ("Я живу в Москве", "москве"),
        ("Łódź i Kraków", "lodz"),
        ("smørrebrød", "SMORREBROD"),
        ("Việt Nam", "viet nam"),
        ("call getUserById first", "UserById"),
        ("call getUserById first", "get_user_by_id"),
        ("the Wi-Fi password", "wifi"),
        ("the wifi password", "wi-fi"),
        ("his e-mail", "email"),
        ("an app in Node.js", "nodejs"),
        ("O'Brien called", "obrien"),
        ("obrien called", "O’Brien"),
        ("error E1234 seen", "1234"),
        ("error E1234 seen", "E1234"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "127.0.0.1"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "5432"),
        ("took 100ms", "100 ms"),
        ("C:\\Users\\ann\\notes.txt", "notes.txt"),
        ("mail ann@example.org", "example.org"),
        ("built with C++20", "C++"),
    ],
)
def test_what_is_typed_finds_what_was_stored(memories: Memories, stored: str, asked: str) -> None:
    # By force: some look like secrets, and here that is not the subject.
    kept = admit_drafts(memories, memories.model, [Draft(text=stored)], WriteOptions(force=True))[0].memory
    memories.remember("something else entirely")
    hits = memories.recall(asked, words_only=True).hits
    assert [hit.memory.id for hit in hits] == [kept.id]


def test_numbers_of_a_version_are_not_looked_for_alone(memories: Memories) -> None:
    memories.remember("Python 3.11 is installed")
    assert memories.recall("3.12", words_only=True).hits == []


def test_numbers_side_by_side_are_not_one_number(memories: Memories) -> None:
    memories.remember("Lock 123 is rusty")
    assert memories.recall("1.2.3", words_only=True).hits == []
    assert words.run_together(("user", "id")) == ("userid",) and words.run_together(("user",)) is None


def test_stop_words_do_not_decide() -> None:
    assert words.query_terms("where is the deploy key?") == (("deploy",), ("key",))


@given(st.text())
def test_any_text_is_analysed_into_plain_tokens(text: str) -> None:
    for token in words.index_text(text).split(" "):
        assert '"' not in token and len(token) <= max(words.MAX_TOKEN, len(text) and 64)
    for term in words.query_terms(text):
        assert term and all('"' not in token for token in term)


@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_every_text_is_found_by_itself(text: str) -> None:
    indexed = words.index_text(text).split(" ")
    joined = " ".join(indexed)
    terms = words.query_terms(text)
    assert not terms or any(f" {' '.join(term)} " in f" {joined} " for term in terms)


@given(st.text(), st.text())
def test_folding_is_idempotent_and_ignores_case(text: str, other: str) -> None:
    assert words.fold_case(words.fold_case(text)) == words.fold_case(text)
