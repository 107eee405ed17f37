"""Document of policies in YAML: one file for all, in the order of their names, keys in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, cast, get_args

from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple
from memcli.text.checks import check_choice, check_name
from memcli.text.patterns import check_pattern
from memcli.text.yaml_text import read_yaml, text_of, texts_of, write_yaml
from memcli.tiers.policies.conditions import check_condition

# Effect of a policy on an action that it matches: hard blocks it, soft warns, allow permits it.
Enforcement = Literal["hard", "soft", "allow"]
ENFORCEMENTS: tuple[Enforcement, ...] = get_args(Enforcement)
_FIELDS = ("name", "rule", "enforcement", "patterns", "when", "unless", "why")


class PolicyText(NamedTuple):
    """The content of a policy; `extra` holds the keys of a file that are none of memcli's.

    It holds if one of `when` is met (always, if there is none) and none of `unless` is.
    """

    name: str
    rule: str
    enforcement: Enforcement = "soft"
    patterns: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    why: str = ""
    extra: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def fields(self) -> dict[str, Any]:
        """Return the fields that are not empty, as JSON types, in their order in a file."""
        values = {name: getattr(self, name) for name in _FIELDS}
        lists = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {**{name: value for name, value in lists.items() if value}, **self.extra}


def checked_policy(policy: PolicyText) -> PolicyText:
    """Return the policy, trimmed; raise BadInput, naming the policy, for what cannot be enforced."""
    name = check_name("name", policy.name)
    rule = policy.rule.strip()
    if not rule:
        raise BadInput(f"policy {name!r} has no rule")
    check_choice("enforcement", policy.enforcement, ENFORCEMENTS)
    for pattern in policy.patterns:
        check_pattern(pattern, f"policy {name!r}: pattern")
    for condition in policy.when:
        check_condition(condition, f"policy {name!r}: condition")
    for exception in policy.unless:
        check_condition(exception, f"policy {name!r}: exception")
    return policy._replace(name=name, rule=rule, why=policy.why.strip())


def read_policies(document: str, where: str) -> list[PolicyText]:
    """Return the policies of a YAML document: one, a list, or a list under `policies`.

    Raises BadInput, naming `where`, for anything else; all are checked.
    """
    found = read_yaml(document, where)
    if isinstance(found, dict) and "policies" in found:
        found = found["policies"]
    if isinstance(found, dict):
        found = [found]
    policies = [_policy(fields, where) for fields in found or ()]
    names = [policy.name.casefold() for policy in policies]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadInput(f"{where}: two policies are named {twice!r}")
    return policies


def policies_document(policies: Iterable[PolicyText]) -> str:
    """Return all policies as one document; `read_policies` reads it back."""
    listed = [policy.fields() for policy in policies]
    return write_yaml({"policies": listed})


def policy_document(policy: PolicyText) -> str:
    """Return one policy as a document, with every field, for an editor."""
    fields = {**dict.fromkeys(_FIELDS, ""), "patterns": [], "when": [], "unless": [], **policy.fields()}
    return write_yaml(fields)


def _policy(fields: Any, where: str) -> PolicyText:
    if not isinstance(fields, dict) or not fields.get("name") or not fields.get("rule"):
        raise BadInput(f"{where}: expected policies with a name and a rule")
    texts = {name: text_of(fields.get(name, "")) for name in ("name", "rule", "why")}
    return checked_policy(
        PolicyText(
            **texts,
            enforcement=cast(Enforcement, text_of(fields.get("enforcement", "")) or "soft"),
            patterns=_list(fields.get("patterns", "")),
            when=_list(fields.get("when", "")),
            unless=_list(fields.get("unless", "")),
            extra={name: value for name, value in fields.items() if name not in _FIELDS},
        )
    )


def _list(value: Any) -> tuple[str, ...]:
    # Patterns are not stripped: `rm ` is not `rm`.
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(each for each in value if each.strip())
    return tuple(texts_of(value))
