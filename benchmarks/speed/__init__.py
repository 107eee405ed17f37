"""Speed and size: whole processes against the least that such a process could cost.

    python -m benchmarks.speed [--runs 10] [--rows NAME…] [--large 100000]
                               [--data PATH] [--cache PATH]

Every row runs baseline, subject, baseline, subject, … so that noise hits both,
and gives the medians, their ratio and the peak memory of both, and the ratio of
their processor times, which other people's work on the machine disturbs less. It asserts
nothing. `batch`, which takes minutes, runs three times at most.

Stores are made in a temporary directory through memcli's own library. Their
sentences are put together from lists (a word stands in one of 12) and numbered.
The first 4,000 have vectors of the model; the others, in the large store, have
jittered, normalised copies, since embedding 100,000 takes minutes.

`--data` is the folder of public data (`batch` is left out without it) and
`--cache` keeps the compiled model between runs. The owner's store, settings
and cache are never touched. Runs on POSIX (`os.wait4`).
"""
