"""The stages between a question and a ranking, each pure and testable.

    question   what is asked: names, dates, cues out; statement and words left
    dates      the spans of time that a question names
    events     those that it tells by an event: "before the move"
    coverage   which part of the question's information a memory contains
    vectors    likeness in meaning, of a memory alone and among its neighbours
    signals    every reason to rank a memory, in units of cosine, and their weights
    factors    what the memory itself is worth: confidence, importance, recency, use, task
    success    how much the reported outcomes of a procedure are worth
    freshness  what was updated stands behind what updated it
    demotion   what has the words of a question and answers another stands below what may answer
    floor      from a sum to a score of 0 to 1, and where "nothing relevant" begins
    sureness   how likely the first answers: by a judge, and by the rules that know better
    diversity  so that ten paraphrases do not fill the page

`memcli.recall` fetches what they need from the store and puts them in order.
"""
