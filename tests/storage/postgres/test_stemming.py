"""Both engines hold a text by the same tokens: the Porter port against the tokenizer of FTS5 itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlite
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.model import Memory
from memcli.storage.postgres.stemming import stemmed
from memcli.storage.postgres.word_index import indexed_words
from memcli.storage.sqlite.tables import schema
from memcli.text import words

# As a file has it.
_SCHEMA = Path(schema.__file__).read_text()
NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
_STEMS = (
    "", "s", "b", "y", "ab", "ee", "hop", "fall", "control", "agre", "plaster", "relat", "condit", "oscill",
    "sky", "toy", "conflat", "troubl", "siz", "fizz", "electr", "form", "gyroscop", "adopt", "homolog",
    "effect", "bowdler", "rat", "ceas", "aeiou", "yyy", "ly", "tr", "öff", "naïv", "x1", "ß", "ı",
)  # fmt: skip
_ENDINGS = (
    "", "s", "es", "sses", "ies", "ss", "eed", "ed", "ing", "at", "ated", "blling", "izing", "tted", "y",
    "ey", "ational", "tional", "enci", "anci", "izer", "bli", "logi", "alli", "entli", "eli", "ousli",
    "ization", "ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti",
    "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance", "ence", "er", "ic", "able",
    "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ion", "ou", "ism", "ate", "iti", "ous",
    "ive", "ize", "e", "ll", "lle",
)  # fmt: skip
# English, German, French, Spanish, Russian and Japanese; and what splits, folds or hides.
_TEXTS = (
    "The caresses of ponies were generalizations, relationally speaking; hopping, hoping and controlling.",
    "Die Straßenbahnhaltestellen wurden größer, Übungen öffneten sich für Müllers Enkelin in Köln-Süd.",
    "L'été dernier, nous avons mangé des crêpes à l'œuf près de l'hôtel où j'étais née.",
    "¿Cuándo llegará el niño? Mañana, según la señora, aunque ayer dijeron que vendría después.",
    "Мы встречались с инженерами в Санкт-Петербурге ещё до переезда; ёлки стояли у входа.",
    "東京タワーの近くでラーメンを食べました。カフェは九時からです。ﾊﾝｶｸも。",
    "getUserById HTTPServer2 snake_case_name kebab-case c++ C# .NET node.js v1.2.3 foo@bar.example x=y+z",
    "İstanbul ıssız ﬁnal Ⅻ ²³ ½ ℌ 𝕬𝖇𝖈 Ǆ ŉ ẞ é é \u200d zero\u200bwidth soft\u00adhyphen",
    "क्षत्रिय हिन्दी ไทย ภาษา 한국어 العَرَبِيَّة עִבְרִית ქართული ᏣᎳᎩ 𞤀𞤣 👩‍👩‍👧 e\u0301 \ue000 \U0001e900",
    "'; DROP TABLE memories; -- \"quotes\" \\back\\slash 'it''s' =default :* & | ! <-> (a) \t\r\n\x0b\x1f",
    "a" * 64 + "ing " + "b" * 62 + "es " + "ö" * 32 + "ness " + "c" * 3000,
)


@pytest.fixture(scope="module")
def fts() -> Iterator[sqlite.Connection]:
    with closing(sqlite.connect(":memory:")) as db:
        [tokenize] = set(
            re.findall(r"VIRTUAL TABLE word_index USING fts5\(.*?(tokenize=\".*?\")", _SCHEMA, re.S)
        )
        db.execute(f"CREATE VIRTUAL TABLE word_index USING fts5(body, {tokenize})")
        db.execute("CREATE VIRTUAL TABLE places USING fts5vocab(word_index, instance)")
        yield db


def tokens_of_fts(db: sqlite.Connection, text: str) -> list[str]:
    db.execute("DELETE FROM word_index")
    db.execute("INSERT INTO word_index (rowid, body) VALUES (1, ?)", (text,))
    return [row[0] for row in db.execute("SELECT term FROM places ORDER BY offset")]


def tokens_here(text: str) -> list[str]:
    one = Memory(id="M", kind="fact", text=text, happened_at=NOW, created_at=NOW, updated_at=NOW)
    return indexed_words(one).order.split()


def test_every_ending_comes_off_as_in_fts5(fts: sqlite.Connection) -> None:
    some = [stem + ending for stem, ending in product(_STEMS, _ENDINGS) if stem + ending]
    some += [f"{one}{two}" for one, two in product(_ENDINGS, _ENDINGS) if one + two]
    assert [stemmed(each) for each in some] == tokens_of_fts(fts, " ".join(some))


@pytest.mark.parametrize("text", _TEXTS)
def test_a_text_has_the_same_tokens_in_both(fts: sqlite.Connection, text: str) -> None:
    assert tokens_here(text) == tokens_of_fts(fts, words.index_text(text, ()))


@settings(max_examples=50)
@given(text=st.text(max_size=60))
@example(text="\U00016e40\u2d2d\u1e9e")
def test_so_has_any_text(fts: sqlite.Connection, text: str) -> None:
    assert tokens_here(text) == tokens_of_fts(fts, words.index_text(text, ()))
