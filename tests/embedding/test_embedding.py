"""The real model: compiled once, then run without torch, and giving the same vectors."""

from __future__ import annotations

import errno
import json
import random
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from memcli.embedding import compiler, open_embedder
from memcli.embedding.bert.description import InDoubt, describe_bert
from memcli.embedding.bert.weights import map_weights
from memcli.embedding.compiled import CompiledEmbedder
from memcli.embedding.compiler import compile_model
from memcli.embedding.forward_pass import readings
from memcli.embedding.manifest import COMPILED_FORMAT, find_compiled, pointer_file
from memcli.embedding.models import DEFAULT_NAME, LocatedModel, locate_model
from memcli.embedding.vocabulary import keep_tokenizer, kept_tokenizer
from memcli.embedding.windows import cut_windows
from memcli.errors import ModelUnusable
from memcli.system.locks import hold_lock
from tests.embedding.reference import Reference

TEXTS = [
    "The staging server listens on port 8443.",
    "",
    "x",
    "Grüße aus Köln 東京 🎉",
    "word " * 200,
    "a\n\tb  c",
]

VARIOUS = [
    "Where did Ann put the spare key for the shed?",
    "Der Zug nach Köln fährt heute um 7:45 Uhr von Gleis 12 ab; größere Gepäckstücke sind anzumelden.",
    "Où est passée la clé que j'ai prêtée à Zoë l'été dernier ?",
    "¿Cuándo caduca el seguro del coche? ¡Mañana mismo!",
    "会議は来週の火曜日に延期されました。",
    "我把备用钥匙放在花盆下面了，別忘記。",
    "비밀번호는 서랍 안에 있어요.",
    "Ключ лежит под ковриком, а собака — у соседей.",
    "المفتاح تحت السجادة",
    "המפתח מתחת לשטיח",
    "กุญแจอยู่ใต้พรม",
    "चाबी कालीन के नीचे है",
    "Chìa khóa ở dưới tấm thảm của nhà hàng xóm",
    "def f(x): return {k: v for k, v in x.items() if v is not None}  # naïve",
    "🎉🎉 party @ 8pm!!! https://example.org/?q=1&r=%20",
    "e\u0301 is e with an accent, \u200bzero width, tab\tand\nline",
    "word " * 190,
    "antidisestablishmentarianism " * 30,
]


def test_both_paths_agree(reference: Reference, compiled_cache: Path) -> None:
    embedder = open_embedder(DEFAULT_NAME, compiled_cache)
    documents, queries = reference.vectors(locate_model(DEFAULT_NAME).folder, TEXTS)
    assert np.abs(np.concatenate(list(embedder.documents(TEXTS))) - documents).max() < 1e-5
    assert np.abs(embedder.queries(TEXTS) - queries).max() < 1e-5
    assert embedder.identity.is_default


def test_the_middle_layer_is_the_mean_of_the_fourth_of_six(
    reference: Reference, compiled_cache: Path
) -> None:
    texts = [text for text in TEXTS if len(text) < 500]
    layers, expected = reference.means_of_layer(locate_model(DEFAULT_NAME).folder, 4, texts)
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


@pytest.mark.parametrize("name", ["tiny", "strange"])
def test_a_configured_model_is_honoured(
    name: str, tiny: Path, strange: Path, reference: Reference, tmp_path: Path
) -> None:
    folder = {"tiny": tiny, "strange": strange}[name]
    said: list[str] = []
    embedder = open_embedder(str(folder), tmp_path, said.append)
    # What is no plain BERT encoder is exported, which takes long enough to be said.
    assert bool(said) == (name == "strange")
    assert isinstance(embedder, CompiledEmbedder)
    assert (embedder.max_tokens, embedder.identity.dimensions) == (32, 32)
    texts = ["hello there", "a b c"]
    documents, queries = reference.vectors(folder, texts)
    assert np.abs(np.concatenate(list(embedder.documents(texts))) - documents).max() < 1e-5
    assert np.abs(embedder.queries(texts) - queries).max() < 1e-5
    assert not np.allclose(documents, queries)
    embedder.prepare()
    assert np.abs(embedder.queries(texts) - queries).max() < 1e-5
    [windows] = embedder.documents(["word " * 40])
    assert len(windows) > 1


def test_numpy_and_the_graph_agree_with_sentence_transformers_on_any_text(
    reference: Reference, compiled_cache: Path
) -> None:
    chance = random.Random(1)
    texts = [
        *VARIOUS,
        *(" ".join(chance.choice(VARIOUS).split()[:9] + chance.choice(VARIOUS).split()) for _ in range(25)),
        *(
            "".join(chr(chance.randrange(32, 0x3000)) for _ in range(chance.randrange(1, 90)))
            for _ in range(25)
        ),
        " ".join(VARIOUS),
    ]
    documents, queries = reference.vectors(locate_model(DEFAULT_NAME).folder, texts)
    embedder = open_embedder(DEFAULT_NAME, compiled_cache)
    one_by_one = np.concatenate([embedder.queries([text]) for text in texts])
    together = np.concatenate([vectors[:1] for vectors in embedder.documents(texts)])
    assert np.abs(one_by_one - queries).max() < 1e-5
    whole = [row for row, text in enumerate(texts) if len(embedder.windows(text)) == 1]
    assert len(whole) > 50
    assert np.abs(together[whole] - documents[whole]).max() < 1e-5
    # A store that was filled by one of them and is asked by another is the same store.
    assert np.abs(one_by_one[whole] - together[whole]).max() < 1e-6


def test_many_texts_are_read_with_packed_weights_and_come_out_the_same(
    compiled_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.embedding import graphs

    ready = find_compiled(locate_model(DEFAULT_NAME), compiled_cache)
    assert ready
    texts = [list(range(1000 + n, 1000 + n + length)) for n, length in enumerate([3, 17, 40] * 80)]
    opened: list[bool] = []
    open_graph = graphs.open_graph

    def noted(file: Path, *, packed: bool = False) -> object:
        opened.append(packed)
        return open_graph(file, packed=packed)

    monkeypatch.setattr(graphs, "open_graph", noted)
    runner = graphs.GraphRunner(graphs.graph_file(ready), graphs.INPUTS, 0, has_middle=True)
    few, middle = runner.run(texts[:9])
    assert opened == [False]
    many, middles = runner.run(texts)
    runner.run(texts)
    assert opened == [False, True]
    assert middle is not None and middles is not None
    assert np.abs(few - many[:9]).max() < 1e-5 and np.abs(middle - middles[:9]).max() < 1e-4


def test_the_default_model_needs_no_torch_to_be_compiled(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memcli.embedding import open_embedder; "
        "e = open_embedder(sys.argv[1], Path(sys.argv[2])); "
        "e.queries(['x']); few = {*sys.modules}; e.prepare(); "
        "print(len(few & {'onnx', 'onnxruntime'}), len({'torch', 'sentence_transformers'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, DEFAULT_NAME, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", "0"]
    assert len(list(tmp_path.glob("models/*/graph-*.ort"))) == 1


def test_five_processes_build_the_graph_once(tiny: Path, tmp_path: Path) -> None:
    code = OPENS.replace(".queries(['hello'])", ".queries(['hello there'] * 200)")
    five = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tiny), str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(5)
    ]
    assert len({process.communicate()[0] for process in five}) == 1
    assert [process.returncode for process in five] == [0] * 5
    [folder] = [each for each in (tmp_path / "models").iterdir() if each.is_dir()]
    assert sorted(each.suffix for each in folder.iterdir()) == [".json", ".json", ".ort", ".txt"]


def test_where_no_graph_can_be_kept_numpy_reads_all(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    texts = [f"hello {'there ' * (n % 9)}" for n in range(200)]
    expected = open_embedder(str(tiny), tmp_path / "one").queries(texts)
    monkeypatch.setattr("memcli.embedding.bert.kept_graph.save_graph", full)
    found = open_embedder(str(tiny), tmp_path / "other").queries(texts)
    assert np.abs(found - expected).max() < 1e-5
    assert not list((tmp_path / "other").glob("models/*/*graph*"))


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [
        ("config.json", "hidden_act", "relu"),
        ("config.json", "model_type", "roberta"),
        ("config.json", "architectures", ["BertForMaskedLM"]),
        ("config.json", "position_embedding_type", "relative_key"),
        ("config.json", "rope_theta", 10000),
        ("config.json", "auto_map", {"AutoModel": "code.py"}),
        ("config.json", "dtype", "float16"),
        ("config.json", "num_hidden_layers", 1),
        ("config_sentence_transformers.json", "truncate_dim", 16),
        ("1_Pooling/config.json", "pooling_mode", "lasttoken"),
        ("1_Pooling/config.json", "include_prompt", False),
        ("1_Pooling/config.json", "embedding_dimension", 16),
        ("sentence_bert_config.json", "unpad_inputs", True),
        ("sentence_bert_config.json", "do_lower_case", True),
        ("tokenizer_config.json", "tokenizer_class", "XLMRobertaTokenizer"),
        ("tokenizer_config.json", "tokenizer_class", "BertTokenizer"),
        ("tokenizer_config.json", "model_max_length", 10**30),
    ],
)
def test_what_is_not_known_for_certain_is_left_to_sentence_transformers(
    tiny: Path, tmp_path: Path, file: str, key: str, value: object
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    described = describe_bert(copy)
    map_weights(described.weights, described.bert)
    record = json.loads((copy / file).read_text())
    (copy / file).write_text(json.dumps({**record, key: value}))
    with pytest.raises(InDoubt):
        map_weights(copy / "model.safetensors", describe_bert(copy).bert)


def test_more_modules_or_no_list_of_them_are_a_doubt(tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    modules = json.loads((copy / "modules.json").read_text())
    dense = {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}
    mine = {**modules[0], "type": "mine.Transformer"}
    others: list[object] = [[*modules, dense], modules[:1], [mine, modules[1]], {}]
    for other in others:
        (copy / "modules.json").write_text(json.dumps(other))
        with pytest.raises(InDoubt):
            describe_bert(copy)
    (copy / "modules.json").unlink()
    with pytest.raises(InDoubt):
        describe_bert(copy)


@pytest.mark.parametrize("damage", [b"", b"\xff" * 64, b"\x10" + b"\0" * 7 + b"{}"])
def test_weights_that_are_no_safetensors_are_a_doubt(tiny: Path, tmp_path: Path, damage: bytes) -> None:
    bert = describe_bert(tiny).bert
    (tmp_path / "model.safetensors").write_bytes(damage)
    with pytest.raises(InDoubt):
        map_weights(tmp_path / "model.safetensors", bert)


def test_a_tokenizer_is_kept_as_it_is(tiny: Path, tmp_path: Path) -> None:
    whole = Tokenizer.from_file(str(locate_model(DEFAULT_NAME).folder / "tokenizer.json"))
    keep_tokenizer(whole, tmp_path)
    assert (tmp_path / "vocab.txt").exists()
    kept = kept_tokenizer(tmp_path)
    for text in (*VARIOUS, "[CLS] [MASK] [UNK] ##ing", "x" * 300):
        assert kept.encode(text).ids == whole.encode(text).ids


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
    with pytest.raises(ModelUnusable, match="mem model compile"):
        open_embedder(str(copy), tmp_path, may_compile=False)
    before = model.fingerprint()
    (copy / "modules.json").touch()
    assert model.fingerprint() != before


def test_where_nothing_can_be_kept_the_slow_path_serves(
    strange: Path, reference: Reference, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    said: list[str] = []
    embedder = open_embedder(str(strange), blocked, said.append)
    assert not isinstance(embedder, CompiledEmbedder)
    assert any("slow path" in line for line in said)
    documents, queries = reference.vectors(strange, ["hello"])
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


def test_who_was_killed_compiling_holds_up_nobody_and_of_five_one_compiles(
    strange: Path, tmp_path: Path
) -> None:
    killed = opening(strange, tmp_path)
    while not list((tmp_path / "models").glob(".compiling-*")):
        assert killed.poll() is None
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    assert list((tmp_path / "models").glob(".compiling-*"))
    five = [opening(strange, tmp_path) for _ in range(5)]
    said = [process.communicate() for process in five]
    assert [process.returncode for process in five] == [0] * 5
    assert len({answer for answer, _ in said}) == 1
    assert sum("compiling the model" in complaints for _, complaints in said) == 1
    assert not list((tmp_path / "models").glob("*compiling*"))


def test_what_an_older_format_left_goes_and_nothing_else(tiny: Path, tmp_path: Path) -> None:
    embedder = open_embedder(str(tiny), tmp_path)
    assert isinstance(embedder, CompiledEmbedder)
    [compiled] = [each for each in (tmp_path / "models").iterdir() if each.is_dir()]
    same, other = compiled.name.removesuffix(f"-{COMPILED_FORMAT}"), "f" * 16
    stay = [f"{same}-{COMPILED_FORMAT + 1}", f"{other}-{same[17:]}-1", f"{same}-note", f"{same}0-1"]
    for name in (f"{same}-ort1.31.1-1", f"{same}-ort1.31.1-2", *stay):
        shutil.copytree(compiled, compiled.parent / name)
    shutil.rmtree(compiled)
    compile_model(locate_model(str(tiny)), tmp_path)
    left = {each.name for each in compiled.parent.iterdir() if each.is_dir()}
    assert left == {compiled.name, *stay}


def test_who_has_come_to_a_stop_compiling_is_not_waited_for_in_vain(
    strange: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = locate_model(str(strange))
    lock = pointer_file(model, tmp_path).with_suffix(".compiling")
    monkeypatch.setattr(compiler, "_PATIENCE", 0.2)
    said: list[str] = []
    with hold_lock(lock, busy="stopped"):
        assert isinstance(open_embedder(str(strange), tmp_path, said.append), CompiledEmbedder)
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
