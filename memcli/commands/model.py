"""`mem model`: the embedding model."""

from __future__ import annotations

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.findings import print_findings
from memcli.config.config import Config
from memcli.text import printable

EXAMPLES = """
mem model show
mem model status
mem model compile
mem model calibrate   # exit 2: too few memories to fit it to
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def _model() -> None:
    """Say which embedding model serves, compile it, check it."""


@app.command()
def show(json: options.Json = False) -> None:
    """Which model is configured, where it lies, and where its compiled form is."""
    from memcli.embedding.manifest import find_compiled
    from memcli.embedding.models import locate_model

    config = Config()
    model = locate_model(config["model"])
    record = {
        "model": model.name,
        "folder": str(model.folder),
        "compiled": str(find_compiled(model, config["cache_dir"]) or ""),
        "configured_by": config.value("model").origin,
    }
    if json:
        output.to_stdout(printable.json_line(record))
        return
    for name, value in record.items():
        output.to_stdout(f"{name:<14} {value or 'not yet; `mem model compile`'}")


@app.command()
def compile(json: options.Json = False) -> None:
    """Compile the model now, instead of at the first need."""
    from memcli.embedding import open_embedder
    from memcli.embedding.compiled import CompiledEmbedder

    config = Config()
    embedder = open_embedder(config["model"], config["cache_dir"], output.to_stderr)
    if isinstance(embedder, CompiledEmbedder):
        embedder.prepare()
    identity = embedder.identity
    if json:
        output.to_stdout(printable.json_line(identity._asdict()))
    else:
        output.to_stdout(f"{identity.name} is ready: {identity.dimensions} dimensions")


@app.command()
def status(json: options.Json = False, db: options.Db = None) -> None:
    """Check the model against its published weights, the cache and the store; exits 5 if not well."""
    from memcli.upkeep.health import examine_model

    with options.opened_memories(db, create=True) as memories:
        well = print_findings(examine_model(memories), as_json=json)
    if not well:
        raise typer.Exit(5)


@app.command()
def calibrate(json: options.Json = False, db: options.Db = None) -> None:
    """Fit recall's floor to the store's model, from how alike its memories are."""
    from memcli.upkeep import calibrate

    with options.opened_memories(db) as memories:
        calibration = calibrate.calibrate_floor(memories)
    if json:
        output.to_stdout(printable.json_line(calibration._asdict()))
    else:
        for name, value in calibration._asdict().items():
            output.to_stdout(f"{name:<15} {value:.3f}")
