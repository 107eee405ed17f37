"""Settings of the write policy, and the options of one write."""

from __future__ import annotations

from datetime import timedelta

from memcli.config.config import Config
from memcli.judgement.thresholds import threshold
from memcli.named_tuple import NamedTuple
from memcli.scope import untrusted_origins


class WriteSettings(NamedTuple):
    """The settings of the write policy, by the names under which they are configured."""

    inferred_floor: float
    session_writes: int
    transient_ttl: timedelta
    untrusted_origins: tuple[str, ...]
    # The least probability at which each judge is believed; infinite where it is off: see `threshold`.
    judge_kind: float
    judge_unlasting: float
    judge_same: float
    judge_update: float
    judge_promise: float
    judge_due: float
    judge_other: float


def write_settings(config: Config) -> WriteSettings:
    """Read the settings of the write policy from the configuration."""
    return WriteSettings(
        inferred_floor=config["inferred_floor"],
        session_writes=config["session_writes"],
        transient_ttl=timedelta(seconds=config["transient_ttl"]),
        untrusted_origins=untrusted_origins(config),
        judge_kind=threshold(config, "kind"),
        judge_unlasting=threshold(config, "unlasting"),
        judge_same=threshold(config, "same"),
        judge_update=threshold(config, "update"),
        judge_promise=threshold(config, "promise"),
        judge_due=threshold(config, "due"),
        judge_other=threshold(config, "other"),
    )


class WriteOptions(NamedTuple):
    """A writer's options to the policy: `force` overrides rules, `redact` removes secrets.

    `carried` memories come from an export: they were decided on before, so that only the rules for every
    write apply. `approved`: the owner has reviewed what was held. `reason` goes on record.
    """

    force: bool = False
    redact: bool = False
    carried: bool = False
    approved: bool = False
    reason: str | None = None
