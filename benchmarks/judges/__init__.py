"""Training of the judges of `memcli.judgement`, and how well they judge: `python -m benchmarks.judges`."""
