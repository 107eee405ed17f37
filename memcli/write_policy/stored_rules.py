"""Stored rules: the owner's rules of writing, kept in the store; they apply in every space."""

from __future__ import annotations

from memcli.doors import RULE, Deed
from memcli.errors import BadInput, NotFound
from memcli.messages import Command, message
from memcli.model import EVERYWHERE, new_state
from memcli.scope import Scope
from memcli.storage import Store, areas
from memcli.text.checks import check_name
from memcli.write_policy.owner_rules import TOPIC_DEFAULTS, TOPICS, OwnerRule, check_rule, rule_from_record


def rules_in_force(store: Store) -> list[OwnerRule]:
    """Return the owner's rules, and the default rules of topics that the owner has not set."""
    stored = {state.key: state.value for state in store.states((EVERYWHERE,), areas.WRITE_RULES.name)}
    given = [rule_from_record({"name": name, **value}) for name, value in stored.items() if value]
    return given + [rule for rule in TOPIC_DEFAULTS if rule.name not in stored]


def put_rule(scope: Scope, rule: OwnerRule) -> None:
    """Add a rule of the owner's, or replace the one of that name.

    Raises BadInput for a rule without a condition, Refused for one with a secret in it.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    scope.require(RULE, Deed.ADD, "a rule of writing")
    check_rule(rule)
    if rule.name in TOPICS and rule.topic != rule.name:
        raise BadInput(f"{rule.name!r} is the name of a topic; give the rule another")
    check_name("rule", rule.name)
    refuse_secrets("\n".join(value for value in rule if isinstance(value, str)), "the rule")
    record = {name: value for name, value in rule._asdict().items() if name != "name" and value}
    _put(scope, rule.name, record)


def turn_topic_off(scope: Scope, topic: str) -> None:
    """Stop holding a topic's private details, whoever concludes them."""
    scope.require(RULE, Deed.END, "a rule of writing")
    _put(scope, topic, {})


def drop_rule(scope: Scope, name: str) -> None:
    """Remove a rule; a topic returns to its default. Raises NotFound."""
    scope.require(RULE, Deed.END, "a rule of writing")
    name = check_name("rule", name)
    if not scope.store.drop_state(EVERYWHERE, areas.WRITE_RULES.name, name):
        if name in TOPICS:
            raise NotFound(
                f"no rule {name!r:.40} of yours",
                by_hand=message(Command(f"rule off {name}"), " turns the topic off"),
            )
        from memcli.text.spelling import did_you_mean

        meant = did_you_mean(name, (rule.name for rule in rules_in_force(scope.store)))
        raise NotFound(
            f"no rule {name!r:.40}", advice=meant, by_hand=message(Command("rule list"), " shows them")
        )


def _put(scope: Scope, name: str, record: dict[str, str | bool]) -> None:
    now = scope.now()
    scope.store.put_state(new_state(EVERYWHERE, areas.WRITE_RULES.name, name, record, now))
