"""Owner's rules of writing: effects (never, always, …) for what fits a pattern, tag, kind or topic."""

from __future__ import annotations

import re
from typing import Any, Literal

from memcli.errors import BadInput
from memcli.model import KINDS, Memory
from memcli.named_tuple import NamedTuple
from memcli.text.checks import check_choice
from memcli.text.expressions import expression
from memcli.text.patterns import Patterns, check_pattern

Effect = Literal["always", "temporarily", "review", "never"]
EFFECTS: tuple[Effect, ...] = ("always", "temporarily", "review", "never")

# Financial details: an amount of money counts only beside a word that makes it private (`_OWNED`).
_AMOUNT = (
    r"(?:[$€£¥₹]\s?\d[\d.,]*\s?[kKmM]?|"
    r"\d[\d.,]*\s?(?:[kKmM]\b|[$€£¥₹]|"
    r"(?:usd|eur|gbp|chf|sek|nok|dkk|kr|dollars?|euros?|pounds?|kron[oe]r)\b))"
)
_OWNED = (
    r"(?:salary|income|wages?|net worth|(?:account |bank |savings |card )?balance|savings|debts?|mortgage|"
    r"loan|credit score|pension|gehalt|einkommen|hypothek|schulden|salaire|hypothèque|dettes|salario|"
    r"hipoteca|deudas?|stipendio|mutuo|lön|bolån|skulder|salaris|hypotheek)"
)
_TOPICS: dict[str, tuple[str, ...]] = {
    "financial": (
        r"\b(?:my|our|his|her|their|\w+['’]s|mein\w?|mon|ma|mi|il mio|min|mitt|mijn) (?:\w+ ){0,2}"
        rf"{_OWNED}"
        rf"\b[^.!?\n]{{0,40}}?(?:{_AMOUNT}|\b\d{{3}}\b|\b\d[\d.,]{{3,}})",
        rf"\b{_OWNED} (?:of|is|are|:|von|ist|de|es|est|är|på) {{0,2}}(?:about |around )?"
        rf"(?:{_AMOUNT}|\b\d[\d.,]{{3,}})",
        rf"\b(?:earn|owe|make)s? (?:about |around )?{_AMOUNT}(?: (?:a|an|per) (?:year|month|hour))",
    ),
    "medical": (
        r"\b(?:diagnos(?:ed|is)|prescri(?:bed|ption)|medications?|dosage|symptoms?|surgery|therapist|"
        r"blood (?:pressure|sugar|type|test)|hiv|cancer|diabet(?:es|ic)|depression|anxiety disorder|"
        r"allerg(?:y|ic)|asthma|pregnan(?:t|cy)|antidepressants?|chemotherapy|insulin)\b",
    ),
}  # fmt: skip
TOPICS = tuple(_TOPICS)
# All patterns of these topics require a digit; without one none is compiled (4 ms in every remember).
_NUMBERED = ("financial",)
_DIGIT = expression(r"\d")


class OwnerRule(NamedTuple):
    """One rule: its effect on memories that meet all its conditions (at least one).

    The conditions are pattern, tag, kind and topic. The effect `review` holds the memories for the owner.
    With `inferred` the rule applies only to what a program concluded, never to what somebody stated or to
    turns.
    """

    name: str
    effect: Effect
    pattern: str | None = None
    tag: str | None = None
    kind: str | None = None
    topic: str | None = None
    why: str | None = None
    inferred: bool = False

    def fits(self, memory: Memory, *, inferred: bool) -> bool:
        """True if every condition holds for a memory; `inferred` says whether a program concluded it."""
        return (
            (inferred or not self.inferred)
            and (self.tag is None or self.tag in memory.tags)
            and (self.kind is None or self.kind == memory.kind)
            and (self.pattern is None or Patterns([self.pattern]).first(memory.text) is not None)
            and (self.topic is None or touches_topic(self.topic, memory.text))
        )

    def describe(self) -> str:
        """Return the rule in a few words: `never remember what matches 'x'`."""
        conditions = [
            f"{what} {value!r}"
            for what, value in (
                ("what matches", self.pattern), ("tag", self.tag), ("kind", self.kind), ("topic", self.topic),
            )
            if value is not None
        ]  # fmt: skip
        does = "hold for review" if self.effect == "review" else f"{self.effect} remember"
        return f"{does} {', '.join(conditions)}{', where a program infers it' if self.inferred else ''}"


# The rules for topics about which the owner has set none.
TOPIC_DEFAULTS = tuple(OwnerRule(topic, "review", topic=topic, inferred=True) for topic in TOPICS)


def rule_from_record(record: dict[str, Any]) -> OwnerRule:
    """Read a rule from its JSON object; raise BadInput if it is none."""
    try:
        rule = OwnerRule(**record)
    except TypeError as error:
        raise BadInput(f"not a rule: {error}") from error
    check_rule(rule)
    return rule


def check_rule(rule: OwnerRule) -> None:
    """Raise BadInput for a rule that has no condition or an invalid one."""
    if not any((rule.pattern, rule.tag, rule.kind, rule.topic)):
        raise BadInput("a rule needs a --pattern, --tag, --kind or --topic")
    check_choice("effect", rule.effect, EFFECTS)
    if rule.topic is not None:
        check_choice("topic", rule.topic, TOPICS)
    if rule.kind is not None:
        check_choice("kind", rule.kind, KINDS)
    if rule.pattern is not None:
        check_pattern(rule.pattern)


def without_topic(topic: str, text: str) -> str:
    """Return a text with a topic's private details replaced by a placeholder."""
    for form in _TOPICS[topic]:
        text = re.sub(form, f"[{topic} details left out]", text, flags=re.IGNORECASE)
    return text


def touches_topic(topic: str, text: str) -> bool:
    """True if a text contains private details of a topic."""
    if topic in _NUMBERED and not _DIGIT.search(text):
        return False
    return any(re.search(form, text, re.IGNORECASE) for form in _TOPICS[topic])
