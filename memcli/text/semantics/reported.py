"""Reported speech: tell the writer's own words in a text from somebody else's that it quotes or reports.

'Henrik told me "I'm allergic to shellfish"', "Sabine meinte: Ich wohne in Ulm", "« J'habite à Lyon », a dit
Claire": the first person in these is Henrik, Sabine and Claire, so nothing of it is about the owner. "I told
her: I'm vegetarian" and "Note to self: I hate early flights" are the owner's words. In seven languages. What
is reported without any mark ("my doctor says I'm allergic to nuts") is about the writer.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from memcli.named_tuple import NamedTuple
from memcli.text.aspects import speaks_of_self
from memcli.text.english.vocabulary import FIRST_PERSON, word_set
from memcli.text.expressions import expression
from memcli.text.quotations import may_quote, quotations, unquoted_sentences
from memcli.text.semantics.senses import has_sense
from memcli.text.sentences import sentences
from memcli.text.stopwords import FUNCTION_WORDS
from memcli.text.words import fold_case

_WORD = expression(r"[^\W\d_]+")
# The border of clauses in a sentence, and the end of a sentence.
_BORDER = expression(r"[,;–—(]\s*(?=\S)")
_SENTENCE_END = expression(r"[.!?…][\"'”“’»)]*\s+|\n")
# What may stand between a quotation and the clause that names its speaker.
_BEFORE_QUOTE, _BEHIND_QUOTE = expression(r"\s*[:,]?\s*$"), expression(r"\s*[,.!?]?\s*([^.,;:!?\n\"“„«»]*)")
_COLON = expression(r":\s+(?=\S)")
# The speaker is looked for in so many characters before the words.
_REACH = 240
# The speaker may be named at the end: "I live in Ulm, said Sabine".
_AT_LAST = expression(r",\s+([^.,;:!?\n]+)[.!?]*\s*$")
# Pronouns for the writer as the speaker: "j" is what an apostrophe leaves of "je"; "nous" and "nos" may be
# "us".
_SPEAKERS = FIRST_PERSON | word_set("j nous nos")
_DETERMINERS = word_set("the a an der die das ein eine le la les un une el los il lo o os as de het een")
# Auxiliaries of the first person: "ho detto", "abbiamo scritto", "hemos dicho"; "he" before a participle in
# "-o" is Spanish ("he dicho"), and English otherwise ("he said").
_HAVING, _I_OR_HE = word_set("ho abbiamo hemos tenho temos"), ("he", "o")
_FROM = word_set("from by of von vom de di da do van")
# "Let me say", "just to say".
_BASE, _INFINITIVES = word_set("say tell write"), word_set("to me")
# The words by which agents call the owner in their notes.
_OWNERS = word_set(
    "user owner nutzer nutzerin benutzer usuario usuaria utilisateur utente utilizador gebruiker"
)
_GENITIVE = expression(r"[^\W\d_]['’]s\b")
# The pronoun may stand so many words before the verb of saying, with an adverb in between.
_BESIDE = 2


class Attributed(NamedTuple):
    """A text divided into its writer's words and others' words, with who says those."""

    own: str
    others: str
    said_by: str
    """The clauses that name the speakers: "Sabine meinte"; empty if nobody is named."""


def own_words(text: str, own_names: frozenset[str] = frozenset()) -> str:
    """Return a text without the first-person words that it quotes or reports from somebody else.

    `own_names` are the words of the owner's name, in lower case: a speaker of that name is the owner.
    """
    found = attributed(text)
    return text if own_names and _names(found.said_by, own_names) else found.own


def is_anothers(text: str, own_names: frozenset[str] = frozenset()) -> bool:
    """True if a text reports somebody else's words in the first person, and has none of its writer's."""
    found = attributed(text)
    if not found.others or speaks_of_self(found.own):
        return False
    return not (own_names and _names(found.said_by, own_names))


def speak_apart(one: str, other: str) -> bool:
    """True if two texts are the words of different people, so that both hold.

    What Klaus says of himself updates nothing about Sabine, nor about the owner.
    """
    if not (may_quote(one) or may_quote(other)):
        return False
    strange = [is_anothers(text) for text in (one, other)]
    if not all(strange):
        own = other if strange[0] else one
        if not any(strange) or not speaks_of_self(own):
            return False
    ours, theirs = ({*_speaker_words(text)} for text in (one, other))
    return not all(strange) or bool(ours and theirs and ours.isdisjoint(theirs))


def _speaker_words(text: str) -> list[str]:
    words = map(fold_case, _WORD.findall(attributed(text).said_by))
    return [word for word in words if word not in FUNCTION_WORDS and not _is_saying(word)]


def tells_who_says(text: str) -> bool:
    """True if a text has a verb of saying: "what was I told?"."""
    return any(map(_is_saying, _WORD.findall(text)))


def _names(said_by: str, own_names: frozenset[str]) -> bool:
    return not own_names.isdisjoint(map(fold_case, _WORD.findall(said_by)))


def sentences_of_writer(text: str) -> list[str]:
    """Return the sentences of a text, word for word, that quote nothing and are the writer's own."""
    own = set(sentences(own_words(text)))
    return [each for each in unquoted_sentences(text) if each in own]


# Cached, because several callers ask about one text in turn.
@lru_cache(maxsize=1024)
def attributed(text: str) -> Attributed:
    """Tell a writer's words from others'; only words in the first person count as somebody else's."""
    if not may_quote(text):
        return Attributed(text, "", "")
    spans = _quoted(text)
    ends = [span.end for span in spans]
    for span in _behind_colons(text):
        behind = bisect_right(ends, span.start)
        if behind == len(ends) or spans[behind].start >= span.end:
            spans.insert(behind, span)
            ends.insert(behind, span.end)
    if not spans and (last := _at_last(text)):
        spans.append(last)
    own, at = [], 0
    for span in spans:
        own.append(text[at : span.start])
        at = max(at, span.end)
    return Attributed(
        "".join([*own, text[at:]]).lstrip(" \n\t,;.").rstrip() if spans else text,
        "\n".join(span.words for span in spans),
        "\n".join(span.said_by for span in spans if span.said_by),
    )


class _Span(NamedTuple):
    """A stretch of a text with somebody else's words, and the clause that names their speaker."""

    start: int
    end: int
    words: str
    said_by: str


def _quoted(text: str) -> list[_Span]:
    """Return the quotations in the first person that are not said to be the writer's."""
    found = []
    for quote in quotations(text):
        if not speaks_of_self(quote[0]):
            continue
        start, end, said_by = quote.start(), quote.end(), ""
        head = text[_sentence_start(text, start) : start]
        before = _BEFORE_QUOTE.sub("", head)
        behind = _BEHIND_QUOTE.match(text, end)
        clause = _clause(before)
        if (speaks := _speaks(clause)) is None and behind and behind[1].strip():
            speaks = _speaks(behind[1], behind=True)
            if speaks == "other":
                end, said_by = behind.end(), behind[1].strip()
        elif speaks == "other":
            start, said_by = start - len(head) + before.rindex(clause), clause
        # After a label it is the writer who speaks, quotation marks or not: 'Note to self: "I hate early
        # flights"'.
        labelled = speaks is None and head.rstrip().endswith(":")
        if speaks != "own" and not labelled:
            found.append(_Span(start, end, quote[0], said_by))
    return found


def _behind_colons(text: str) -> list[_Span]:
    """Return what is reported after a colon: the following sentences of the line in the first person."""
    found: list[_Span] = []
    for colon in _COLON.finditer(text):
        if found and colon.start() < found[-1].end:
            continue
        start = _sentence_start(text, colon.start())
        clause = _clause(text[start : colon.start()])
        if _speaks(clause) != "other":
            continue
        end = at = colon.end()
        while at < len(text):
            stop = _SENTENCE_END.search(text, at)
            at_end = stop.end() if stop else len(text)
            if not speaks_of_self(text[at:at_end]):
                break
            end = at = at_end
            if stop and "\n" in stop[0]:
                break
        if end > colon.end():
            at_clause = start + text[start : colon.start()].rindex(clause)
            found.append(_Span(at_clause, end, text[colon.end() : end], clause))
    return found


def _at_last(text: str) -> _Span | None:
    """Return a text in the first person whose speaker is named at the end ("…, said Sabine"); else None."""
    last = _AT_LAST.search(text)
    if last is None or not speaks_of_self(text[: last.start()]):
        return None
    words = _WORD.findall(last[1])
    # "I'm stubborn, my mother says" is about its writer; only with the verb first ("said Sabine") it is a
    # quote.
    if not words or not _is_saying(words[0]) or _speaks(last[1], behind=True) != "other":
        return None
    return _Span(0, last.end(), text[: last.start()], last[1].strip())


def _sentence_start(text: str, place: int) -> int:
    first = max(0, place - _REACH)
    return max((end.end() for end in _SENTENCE_END.finditer(text, first, place)), default=first)


def _clause(head: str) -> str:
    """Return the last clause before somebody's words; all of the sentence if that is a single word."""
    clause = _BORDER.split(head)[-1].strip()
    return clause if len(_WORD.findall(clause)) > 1 else head.strip()


def _speaks(clause: str, *, behind: bool = False) -> str | None:
    """Return who speaks by a clause before (or `behind`) the words: "own", "other", or None if unclear."""
    words = [fold_case(word) for word in _WORD.findall(clause)]
    verbs = [place for place, word in enumerate(words) if _is_saying(word)]
    if not verbs:
        return _source(clause, words)
    verb = verbs[-1]
    if _is_own(words, verb):
        return "own"
    if len(words) == 1 or (verb and words[verb - 1] in _INFINITIVES and words[verb] in _BASE):
        return None
    # "Told Martha", "tell Martha": the omitted subject is the writer; "told me" has another subject.
    bare = verb == 0 and not behind and has_sense(words[0], "said first") and words[1] not in ("me", "us")
    return "own" if bare else "other"


def _is_own(words: list[str], verb: int) -> bool:
    """True if the subject of the verb at a place is the writer."""
    before = words[max(0, verb - 1) : verb]
    if (
        not _OWNERS.isdisjoint(words[:verb] or words)
        or has_sense(words[verb], "I say")
        or not _HAVING.isdisjoint(before)
    ):
        return True
    if before == [_I_OR_HE[0]] and words[verb].endswith(_I_OR_HE[1]):
        return True
    for place, word in enumerate(words):
        if word not in _SPEAKERS:
            continue
        light = all(each in FUNCTION_WORDS and each not in _DETERMINERS for each in words[:place])
        near = place < verb <= place + _BESIDE and words[verb - 1] in FUNCTION_WORDS | {word}
        inverted = place == verb + 1 or (place and has_sense(words[place - 1], "perfect"))
        if light or near or inverted:
            return True
    return False


def _source(clause: str, words: list[str]) -> str | None:
    """Return "own" or "other" by the source of the words ("according to Peter", "Anna's email"), or None."""
    for place, word in enumerate(words):
        if has_sense(word, "according") and len(words) > place + 1:
            return "own" if words[place + 1] in ("me", "mir", "moi") else "other"
        mine = place and has_sense(words[place - 1], "my")
        if has_sense(word, "message") and not mine:
            named = not _FROM.isdisjoint(words[place + 1 :]) or _GENITIVE.search(clause) is not None
            return "other" if named else None
    return None


def _is_saying(word: str) -> bool:
    folded = fold_case(word)
    return has_sense(folded, "saying") or has_sense(folded, "I say")
