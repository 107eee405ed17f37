"""Ranking stages, from a question to ranked candidates, each a pure function that needs no store.

    question   what is asked: names, dates and cues removed; statement and words
    dates      the spans of time that a question names
    events     the spans that it gives by an event: "before the move"
    coverage   the share of the question's information that a memory contains
    vectors    similarity in meaning, of a memory alone and among its neighbours
    signals    every reason to rank a memory, in units of cosine, and their weights
    factors    the worth of the memory itself: confidence, importance, recency, use, task
    success    how much the reported outcomes of a procedure are worth
    freshness  rank an updated memory below the one that updates it
    demotion   rank memories that answer another question with the same words below possible answers
    floor      from a sum to a score of 0 to 1, and the threshold of "nothing relevant"
    sureness   the probability that the first hit answers: by a judge, and by rules that know better
    diversity  keep near-copies from filling the page

`memcli.recall` fetches what they need from the store and calls them in order.
"""
