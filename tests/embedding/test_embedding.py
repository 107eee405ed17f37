"""The real model: compiled once, then run without torch, and giving the same vectors."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from memcli.embedding import compiler, open_embedder
from memcli.embedding.compiled import COMPILED_FORMAT, CompiledEmbedder, find_compiled, pointer_file
from memcli.embedding.compiler import compile_model
from memcli.embedding.models import DEFAULT_NAME, DEFAULT_WEIGHTS, LocatedModel, locate_model
from memcli.embedding.reading import readings
from memcli.embedding.windows import cut_windows
from memcli.errors import ModelUnusable
from memcli.system.locks import hold_lock

TEXTS = [
    "The staging server listens on port 8443.",
    "",
    "x",
    "Grüße aus Köln 東京 🎉",
    "word " * 200,
    "a\n\tb  c",
]

# Compares with sentence-transformers itself, in a process of its own: torch stays out of this one.
ORACLE = """
import json, sys
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(sys.argv[1], device="cpu", local_files_only=True)
texts = json.load(sys.stdin)
json.dump([model.encode_document(texts).tolist(), model.encode_query(texts).tolist()], sys.stdout)
"""

# The mean of the tokens' hidden states after one layer, by transformers alone, one text at a time.
LAYER = """
import json, sys
import torch
from transformers import AutoModel, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1], local_files_only=True)
model = AutoModel.from_pretrained(sys.argv[1], local_files_only=True)
means = []
for text in json.load(sys.stdin):
    tokens = tokenizer(text.strip(), return_tensors="pt", truncation=True, max_length=256)
    with torch.no_grad():
        states = model(**tokens, output_hidden_states=True).hidden_states
    means.append(states[int(sys.argv[2])][0].mean(0).tolist())
json.dump([len(states) - 1, means], sys.stdout)
"""

TINY = """
import sys
from itertools import pairwise
from pathlib import Path
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, Transformer
import torch
torch.manual_seed(1)
folder = Path(sys.argv[1])
letters = [chr(n) for n in range(97, 123)]
vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *("##" + x for x in letters)]
tokenizer = Tokenizer(models.WordPiece({w: n for n, w in enumerate(vocabulary)}, unk_token="[UNK]"))
tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tokenizer.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]", pair=None, special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]",
    cls_token="[CLS]", sep_token="[SEP]", model_max_length=32)
config = BertConfig(vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=64, max_position_embeddings=64)
BertModel(config).save_pretrained(folder / "bert")
fast.save_pretrained(folder / "bert")
bert = Transformer(str(folder / "bert"), max_seq_length=32)
pooling = Pooling(32, pooling_mode="cls")
SentenceTransformer(modules=[bert, pooling], prompts={"query": "query: ", "document": "passage: "},
    device="cpu").save(str(folder / "tiny"))
"""


def oracle(folder: Path, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    done = subprocess.run(
        [sys.executable, "-c", ORACLE, str(folder)], input=json.dumps(texts), capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    documents, queries = json.loads(done.stdout)
    return np.asarray(documents), np.asarray(queries)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model unlike the default: other pooling, no normalisation, prompts, 32 tokens."""
    folder = tmp_path_factory.mktemp("models")
    subprocess.run([sys.executable, "-c", TINY, str(folder)], check=True, capture_output=True)
    return folder / "tiny"


def test_both_paths_agree(compiled_cache: Path) -> None:
    embedder = open_embedder(DEFAULT_NAME, compiled_cache)
    documents, queries = oracle(locate_model(DEFAULT_NAME).folder, TEXTS)
    assert np.abs(np.concatenate(list(embedder.documents(TEXTS))) - documents).max() < 1e-5
    assert np.abs(embedder.queries(TEXTS) - queries).max() < 1e-5
    assert embedder.identity.weights == DEFAULT_WEIGHTS


def test_the_middle_layer_is_the_mean_of_the_fourth_of_six(compiled_cache: Path) -> None:
    texts = [text for text in TEXTS if len(text) < 500]
    done = subprocess.run(
        [sys.executable, "-c", LAYER, str(locate_model(DEFAULT_NAME).folder), "4"], input=json.dumps(texts),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    layers, expected = json.loads(done.stdout)
    # Together, so that padding stands beside the shorter ones.
    read = list(readings(open_embedder(DEFAULT_NAME, compiled_cache), texts))
    assert layers == 6
    for reading, mean in zip(read, expected, strict=True):
        assert reading.middle is not None and np.abs(reading.middle - np.asarray(mean)).max() < 1e-4


def test_of_a_long_text_the_middle_layer_is_that_of_its_first_window(compiled_cache: Path) -> None:
    embedder = open_embedder(DEFAULT_NAME, compiled_cache)
    long = "I would rather sit by the window. " + "word " * 600
    [first, *_] = embedder.windows(long)
    whole, alone = readings(embedder, [long, first])
    assert len(whole.vectors) > 1 and len(alone.vectors) == 1
    assert whole.middle is not None and alone.middle is not None
    assert np.abs(whole.middle - alone.middle).max() < 1e-4


def test_a_configured_model_is_honoured(tiny: Path, tmp_path: Path) -> None:
    embedder = open_embedder(str(tiny), tmp_path)
    assert isinstance(embedder, CompiledEmbedder)
    assert (embedder.max_tokens, embedder.identity.dimensions) == (32, 32)
    texts = ["hello there", "a b c"]
    documents, queries = oracle(tiny, texts)
    assert np.abs(np.concatenate(list(embedder.documents(texts))) - documents).max() < 1e-5
    assert np.abs(embedder.queries(texts) - queries).max() < 1e-5
    assert not np.allclose(documents, queries)
    [windows] = embedder.documents(["word " * 40])
    assert len(windows) > 1


def test_a_cached_model_is_found_by_name(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = tmp_path / "models--someone--tiny"
    shutil.copytree(tiny, entry / "snapshots" / "abc")
    (entry / "refs").mkdir()
    (entry / "refs" / "main").write_text("abc")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert locate_model("someone/tiny").folder == entry / "snapshots" / "abc"
    with pytest.raises(ModelUnusable, match="someone/other"):
        locate_model("someone/other")


def test_a_folder_in_the_working_directory_is_not_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / DEFAULT_NAME).mkdir()
    (tmp_path / "planted").mkdir()
    monkeypatch.chdir(tmp_path)
    assert tmp_path not in locate_model(DEFAULT_NAME).folder.parents
    with pytest.raises(ModelUnusable):
        locate_model("planted")


def test_wrong_weights_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(locate_model(DEFAULT_NAME).folder, folder)
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    with pytest.raises(ModelUnusable, match=r"not the published weights.*reinstall"):
        LocatedModel(DEFAULT_NAME, folder).weights_hash()


def test_a_changed_file_is_compiled_anew(tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    model = locate_model(str(copy))
    pointer_file(model, tmp_path).parent.mkdir(parents=True)
    pointer_file(model, tmp_path).write_text('{"weights": "x", "settings": "y"}')
    assert find_compiled(model, tmp_path) is None
    before = model.fingerprint()
    (copy / "modules.json").touch()
    assert model.fingerprint() != before


def test_where_nothing_can_be_kept_the_slow_path_serves(tiny: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    said: list[str] = []
    embedder = open_embedder(str(tiny), blocked, said.append)
    assert not isinstance(embedder, CompiledEmbedder)
    assert any("slow path" in line for line in said)
    documents, queries = oracle(tiny, ["hello"])
    [vectors] = embedder.documents(["hello"])
    assert np.abs(vectors - documents).max() < 1e-5
    assert np.abs(embedder.queries(["hello"])[0] - queries[0]).max() < 1e-5
    [windows] = embedder.documents(["word " * 40])
    assert len(windows) > 1


OPENS = (
    "import sys; from pathlib import Path; from memcli.embedding import open_embedder; "
    "said = lambda line: print(line, file=sys.stderr, flush=True); "
    "print(float(open_embedder(sys.argv[1], Path(sys.argv[2]), said).queries(['hello'])[0][0]))"
)


def opening(model: Path, cache: Path) -> subprocess.Popen[str]:
    """A process that opens a model, compiled into a cache, and says on stderr what takes long."""
    command = [sys.executable, "-c", OPENS, str(model), str(cache)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_of_five_processes_on_a_fresh_cache_one_compiles(tiny: Path, tmp_path: Path) -> None:
    five = [opening(tiny, tmp_path) for _ in range(5)]
    said = [process.communicate() for process in five]
    assert [process.returncode for process in five] == [0] * 5
    assert len({answer for answer, _ in said}) == 1
    assert sum("compiling the model" in complaints for _, complaints in said) == 1
    assert not list((tmp_path / "models").glob("*compiling*"))


def test_who_was_killed_compiling_holds_up_nobody_and_leaves_nothing(tiny: Path, tmp_path: Path) -> None:
    killed = opening(tiny, tmp_path)
    while not list((tmp_path / "models").glob(".compiling-*")):
        assert killed.poll() is None
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    assert list((tmp_path / "models").glob(".compiling-*"))
    after = opening(tiny, tmp_path)
    assert "compiling the model" in after.communicate(timeout=100)[1]
    assert after.returncode == 0
    assert not list((tmp_path / "models").glob(".compiling-*"))


def test_what_an_older_format_left_goes_and_nothing_else(tiny: Path, tmp_path: Path) -> None:
    embedder = open_embedder(str(tiny), tmp_path)
    assert isinstance(embedder, CompiledEmbedder)
    [compiled] = [each for each in (tmp_path / "models").iterdir() if each.is_dir()]
    old, other = compiled.name.removesuffix(f"-{COMPILED_FORMAT}"), "f" * 16
    newer = [f"{old}9-{COMPILED_FORMAT}", f"{old}-{COMPILED_FORMAT + 1}"]
    stay = [*newer, f"{other}-{old[17:]}-1", f"{old}-note"]
    for name in (f"{old}-1", f"{old}9-1", *stay):
        shutil.copytree(compiled, compiled.parent / name)
    shutil.rmtree(compiled)
    compile_model(locate_model(str(tiny)), tmp_path)
    left = {each.name for each in compiled.parent.iterdir() if each.is_dir()}
    assert left == {compiled.name, *stay}


def test_who_has_come_to_a_stop_compiling_is_not_waited_for_in_vain(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = locate_model(str(tiny))
    lock = pointer_file(model, tmp_path).with_suffix(".compiling")
    monkeypatch.setattr(compiler, "_PATIENCE", 0.2)
    said: list[str] = []
    with hold_lock(lock, busy="stopped"):
        assert isinstance(open_embedder(str(tiny), tmp_path, said.append), CompiledEmbedder)
    assert "waiting for it" in said[0] and "compiling the model" in said[1]


def test_windows_cover_the_text_and_break_between_words() -> None:
    text = " ".join(f"w{n}" for n in range(100))
    spans, at = [], 0
    for word in text.split():
        spans.append((at, at + len(word)))
        at += len(word) + 1
    windows = cut_windows(text, spans, 20)
    assert all(len(window.split()) <= 20 for window in windows)
    assert {word for window in windows for word in window.split()} == set(text.split())
    for first, second in pairwise(windows):
        assert set(first.split()) & set(second.split())
    assert cut_windows("one word", [(0, 3), (4, 8)], 20) == ["one word"]
    unbroken = [(n, n + 1) for n in range(50)]
    assert "".join(cut_windows("x" * 50, unbroken, 20))[:50] == "x" * 50
