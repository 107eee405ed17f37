"""Ranking stages, from a question to ranked candidates, each a pure function that needs no store.

    question   parse the question: names, dates and cues apart; a statement and content words remain
    dates      the spans of time that a question names
    events     the event by which a question names its time: "before the move"
    coverage   the share of a question's information that a memory contains
    vectors    similarity in meaning, of a memory alone and among its neighbours
    signals    every reason to rank a memory, in units of cosine, and their weights
    factors    the worth of the memory itself: confidence, importance, recency, use, task
    success    the worth of a procedure's reported outcomes
    freshness  an updated memory ranks behind the one that updated it
    floor      from a sum to a score of 0 to 1, and where "nothing relevant" begins
    diversity  so that ten paraphrases do not fill the page

`memcli.recall` fetches from the store what they need and calls them in order.
"""
