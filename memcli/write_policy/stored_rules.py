"""The owner's rules of writing, kept in the store; they hold in every space."""

from __future__ import annotations

from memcli.doors import RULE, Deed
from memcli.errors import BadInput, NotFound
from memcli.model import EVERYWHERE, State
from memcli.scope import Scope
from memcli.storage import Store, areas
from memcli.text.checks import check_name
from memcli.write_policy.owner_rules import TOPICS, TOPICS_ON, OwnerRule, check_rule, rule_from_record


def rules_in_force(store: Store) -> list[OwnerRule]:
    """The owner's rules, and the topics that are on though nobody said so."""
    stored = {state.key: state.value for state in store.states((EVERYWHERE,), areas.WRITE_RULES.name)}
    given = [rule_from_record({"name": name, **value}) for name, value in stored.items() if value]
    default = [OwnerRule(topic, "never", topic=topic) for topic in TOPICS_ON if topic not in stored]
    return given + default


def put_rule(scope: Scope, rule: OwnerRule) -> None:
    """Add a rule of the owner's, or replace the one of that name.

    Raises BadInput for one that says nothing, Refused for one with a secret in it.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    scope.require(RULE, Deed.ADD, "a rule of writing")
    check_rule(rule)
    if rule.name in TOPICS and rule.topic != rule.name:
        raise BadInput(f"{rule.name!r} is the name of a topic; give the rule another")
    check_name("rule", rule.name)
    refuse_secrets("\n".join(value for value in rule if value), "the rule")
    record = {name: value for name, value in rule._asdict().items() if name != "name" and value is not None}
    _put(scope, rule.name, record)


def drop_rule(scope: Scope, name: str) -> None:
    """Remove a rule; a topic that is on by itself is turned off. Raises NotFound."""
    scope.require(RULE, Deed.END, "a rule of writing")
    if name in TOPICS_ON:
        _put(scope, name, {})
    elif not scope.store.drop_state(EVERYWHERE, areas.WRITE_RULES.name, name):
        raise NotFound(f"no rule {name!r:.40}; `mem rule list` shows them")


def _put(scope: Scope, name: str, record: dict[str, str]) -> None:
    now = scope.now()
    scope.store.put_state(State(EVERYWHERE, areas.WRITE_RULES.name, name, record, 1, now, now))
