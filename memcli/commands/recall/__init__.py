"""`mem recall`: find memories by words and meaning."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from memcli.commands.terminal import filters, options, output
from memcli.commands.terminal.answers import (
    Format,
    check_budget,
    chosen_budget,
    chosen_look,
    form_of,
    print_answer,
    print_degraded,
    print_nothing_found,
)
from memcli.commands.terminal.input import maybe_text_argument, text_argument
from memcli.commands.terminal.store import memory_by_id, opened_memories
from memcli.commands.terminal.values import fraction_option
from memcli.errors import BadInput
from memcli.prompt.sections import chosen_tiers
from memcli.tiers.context.gather import ANSWER_TIERS, filter_of_tiers, fit_budget, gather

if TYPE_CHECKING:
    from memcli.commands.terminal import forms
    from memcli.memories import Memories
    from memcli.tiers.context.answer import Answer

EXAMPLES = """
mem recall "which port does staging use?"
mem recall deploy -n 3 --kind constraint --tag ops             # --tag a --tag b asks for both
mem recall "which port?" --since "2 weeks ago"
mem recall "when may I deploy?" --explain                      # each reason, and the nearest misses
mem recall "when may I deploy?" --budget 500                   # never more tokens: long texts shortened
mem recall staging --words                                     # the model is not loaded
mem recall "where does Ann live?" --as-of 2026-12-01           # as the store stood then
mem recall "where does Ann live?" --at 2026-11                  # what was true then
mem recall "what happened since Monday"                        # in time order; also --since monday alone
mem recall "why 502?" --expand 2                               # two turns before and after
mem recall --like B0NV1PBM
mem recall "which port does staging use?" --answer --llm llm   # an LLM answers, with citations
mem recall "what should I drink?" --json -n 5 | jq -r .text
"""


def command(
    query: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY…",
            help="What to look for; '-' or nothing reads stdin. Not needed with --since, --until or --at.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many. [default: 10]")
    ] = None,
    kind: options.Kinds = None,
    tag: options.Tags = None,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    session: options.Sessions = None,
    source: options.Sources = None,
    since: options.Since = None,
    until: options.Until = None,
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="The task at hand: memories with this tag come first."),
    ] = None,
    like: Annotated[
        str | None, typer.Option(metavar="ID", help="Find what is like this memory, instead of a query.")
    ] = None,
    min_score: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="0..1",
            help="The floor: what scores lower is not shown; 0 for no floor.",
        ),
    ] = None,
    min_confidence: options.MinConfidence = 0,
    min_importance: options.MinImportance = 0,
    tier: Annotated[
        str | None,
        typer.Option("--tiers", metavar="A,B", help=f"Only these tiers: {', '.join(ANSWER_TIERS)}."),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="TOKENS",
            help="Print at most this many tokens; 0 for all. [default in a pipe: 1,500 (context_budget)]",
        ),
    ] = None,
    expand: Annotated[
        int,
        typer.Option(
            min=0, max=20, metavar="N", help="Show N turns before and after each turn that is found."
        ),
    ] = 0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each memory was found, and why others were not.")
    ] = False,
    words: Annotated[
        bool, typer.Option("--words", help="Search by words only, without loading the model.")
    ] = False,
    by_llm: Annotated[
        bool, typer.Option("--answer", help="Have an LLM answer from what is found, with citations.")
    ] = False,
    llm: options.Llm = None,
    no_touch: Annotated[bool, typer.Option("--no-touch", help="Leave no trace of this recall.")] = False,
    format: Format = None,
    trusted_only: options.TrustedOnly = False,
    at: options.At = None,
    as_of: options.AsOf = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Find memories by words and meaning.

    All tiers answer, in every format. Exits 1 with nothing on stdout if nothing relevant is found.
    """
    _check(query, like, llm, by_llm=by_llm, explain=explain)
    by_likeness = like is not None
    timed = not by_llm and any(each is not None for each in (since, until, at))
    asked = "" if by_likeness else maybe_text_argument(query) if timed else text_argument(query, "look for")
    wanted = chosen_tiers(tier, ANSWER_TIERS)
    with opened_memories(db, space, as_of=as_of, all_spaces=all_spaces, shows_values=True) as memories:
        where = filters.filter_options(
            memories, all_spaces=all_spaces, kinds=kind, tags=tag,
            sessions=session, sources=source,
            since=since, until=until, min_confidence=min_confidence, min_importance=min_importance,
            trusted_only=trusted_only, at=at,
        )  # fmt: skip
        fraction_option("--min-score", min_score)
        settings = memories.settings(limit=limit, min_score=min_score, tasks=task)
        asked_of = filter_of_tiers(where, wanted)
        if like is not None:
            recall = memories.similar(
                memory_by_id(memories, like, all_spaces=all_spaces),
                asked_of,
                settings._replace(min_score=min_score or 0.0),
            )
        else:
            recall = memories.recall(
                asked,
                asked_of,
                words_only=words,
                touch=not (no_touch or as_of),
                settings=settings,
                explain=explain,
            )
        if not words:
            print_degraded(recall.degraded, partly=recall.partly)
        more = recall.candidates - len(recall.hits)
        if recall.hits and not recall.inquiry and not by_likeness and more:
            output.to_stderr(f"{more:,} more in that time; -n takes more")
        look = chosen_look(format, json)
        answer = gather(memories, recall, where, tiers=() if by_likeness else wanted, expand=expand)
        show = partial(_print_within, memories, answer, look, budget, explain=explain)
        answered = form_of(look).shows(answer)
        if by_llm:
            from memcli.commands.recall.answer import print_llm_answer

            answered = print_llm_answer(
                memories, answer, llm, show, budget=budget, as_json=look in ("json", "jsonl")
            )
        else:
            show()
    if not answered:
        if not (answer.relevant or explain or words):
            print_nothing_found(recall.degraded, look)
        raise typer.Exit(1)


def _print_within(
    memories: "Memories", answer: "Answer", look: "forms.AnswerForm", budget: int | None, *, explain: bool
) -> None:
    """Print an answer, shortened to a budget if one was given or stdout is a pipe."""
    # In formats for programs, and for ids, --limit sets how much is printed.
    room = chosen_budget(budget, memories.config) if budget or look == "prompt" else None
    page = fit_budget(memories, answer, room and room.tokens, form_of(look))
    if not explain:
        check_budget(page, room)
    print_answer(page, look, budget=room, explain=explain)


def _check(
    query: list[str] | None, like: str | None, llm: str | None, *, by_llm: bool, explain: bool
) -> None:
    """Raise BadInput for options that exclude each other."""
    if like is not None and query:
        raise BadInput("give a query or --like, not both")
    if by_llm and (like is not None or explain):
        raise BadInput("--answer needs a question and gives an answer; leave --like and --explain out")
    if llm and not by_llm:
        raise BadInput("--llm is for --answer; give both")
