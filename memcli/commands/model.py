"""`mem model`: show, change, compile or check the embedding model."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.findings import print_findings
from memcli.commands.terminal.progress import progress_bar
from memcli.commands.terminal.store import opened_memories
from memcli.config.config import Config
from memcli.errors import BadInput, NotFound
from memcli.model import Filter
from memcli.text import printable
from memcli.text.counting import counted

if TYPE_CHECKING:
    from memcli.config.location import Location
    from memcli.memories import Memories

EXAMPLES = """
mem model show
mem model status
mem model compile
mem model use all-MiniLM-L6-v2
mem model use --abort
mem model calibrate   # exit 2: too few memories to fit it to
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def _model() -> None:
    """Show, change, compile or check the embedding model in use."""


@app.command()
def show(json: options.Json = False, db: options.Db = None) -> None:
    """Which model is in use, where it lies, and where its compiled form is.

    The configured one; where none was chosen, that of the store.
    """
    from memcli.embedding.manifest import find_compiled
    from memcli.embedding.models import MULTILINGUAL_NAME, locate_model

    config = Config()
    name, chosen_by = _in_use(config, db)
    model = locate_model(name)
    record = {
        "model": model.name,
        "folder": str(model.folder),
        "compiled": str(find_compiled(model, config["cache_dir"]) or ""),
        "configured_by": chosen_by,
        **_rerank_record(config),
    }
    if json:
        output.to_stdout(printable.json_line(record))
        return
    uncompiled = "as it is" if model.name == MULTILINGUAL_NAME else "not yet; `mem model compile`"
    for name, value in record.items():
        output.to_stdout(f"{name:<14} {value or uncompiled}")


def _in_use(config: Config, db: "Location | None") -> tuple[str, str]:
    """Return the name of the model in use and where it comes from: a setting's origin, else the store."""
    chosen = config.value("model")
    if chosen.origin == "default":
        with suppress(NotFound), opened_memories(db) as memories:
            if bound := memories.store.model():
                return bound.name, "store"
    return str(chosen.value), chosen.origin


def _rerank_record(config: Config) -> dict[str, str]:
    """Return the cross-encoder's fields, if one is set."""
    if not config["rerank"]:
        return {}
    from memcli.embedding.cross_encoder import find_cross_encoder
    from memcli.errors import ModelUnusable

    try:
        model, ready = find_cross_encoder(config["rerank"], config["cache_dir"])
    except ModelUnusable as error:
        return {"rerank": config["rerank"], "rerank_error": str(error)}
    return {"rerank": model.name, "rerank_folder": str(model.folder), "rerank_compiled": str(ready or "")}


@app.command()
def compile(json: options.Json = False) -> None:
    """Compile the model now rather than when it is first needed."""
    from memcli.embedding import open_embedder
    from memcli.embedding.compiled import CompiledEmbedder

    config = Config()
    embedder = open_embedder(config["model"], config["cache_dir"], output.to_stderr)
    if isinstance(embedder, CompiledEmbedder):
        embedder.prepare()
    if config["rerank"]:
        from memcli.embedding.cross_encoder import open_cross_encoder

        open_cross_encoder(config["rerank"], config["cache_dir"], output.to_stderr)
    identity = embedder.identity
    if json:
        output.to_stdout(printable.json_line(identity._asdict()))
    else:
        output.to_stdout(f"{identity.name} is ready: {identity.dimensions} dimensions")


@app.command()
def status(json: options.Json = False, db: options.Db = None) -> None:
    """Check the model against its published weights, the cache and the store; exits 5 if not well."""
    from memcli.upkeep.health import examine_model

    with opened_memories(db, create=True) as memories:
        well = print_findings(examine_model(memories), as_json=json)
    if not well:
        raise typer.Exit(5)


@app.command()
def use(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A name in a local cache, or a folder.")
    ] = None,
    abort: Annotated[
        bool, typer.Option("--abort", help="Cancel a change under way; the present model stays in use.")
    ] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Switch the store to another model.

    It reads every memory first; recalls are answered from the old vectors
    until the last is read, then all change at once. It may be interrupted:
    the same command goes on from there.
    """
    from memcli.upkeep import change_model

    if abort is (name is not None) or (name is not None and not name.strip()):
        raise BadInput("give the name of a model, or --abort")
    with opened_memories(db, create=name is not None) as memories:
        if name is None:
            _abort(memories, as_json=json)
            return
        total = sum(number for _, _, number in memories.store.count(Filter(spaces=None, live=False)))
        with progress_bar("embedding", total) as progress:
            done = change_model.change_model(memories, name, progress)
        chosen = memories.config.value("model")
        if memories.model.name() != done.after.name:
            output.to_stderr(
                f"{chosen.origin} still names the model {chosen.value}; until it says {done.after.name}, "
                "or nothing, memories are found by words alone"
            )
    before = done.before.name if done.before else None
    record = {
        "model": done.after.name,
        "before": before,
        "embedded": done.embedded,
        "calibrated": done.calibrated,
    }
    if json:
        output.to_stdout(printable.json_line(record))
    else:
        output.to_stdout(f"{done.after.name} serves; {counted(done.embedded, 'memory', 'memories')} embedded")


def _abort(memories: "Memories", *, as_json: bool) -> None:
    from memcli.upkeep.change_model import abort_change

    ended = abort_change(memories)
    bound = memories.store.model()
    if as_json:
        record = {"aborted": ended and ended.model.name, "model": bound and bound.name}
        output.to_stdout(printable.json_line(record))
    elif ended:
        output.to_stdout(f"the change to {ended.model.name} is aborted")
    else:
        output.to_stdout("no change is under way")


@app.command()
def calibrate(json: options.Json = False, db: options.Db = None) -> None:
    """Fit recall's floor to the store's model, by how similar its memories are."""
    from memcli.upkeep import calibrate

    with opened_memories(db) as memories:
        calibration = calibrate.calibrate_floor(memories)
    if json:
        output.to_stdout(printable.json_line(calibration._asdict()))
    else:
        for name, value in calibration._asdict().items():
            output.to_stdout(f"{name:<14} {value:.3f}")
