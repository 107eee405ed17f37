"""Write policy: decides whether and how each incoming memory is stored.

Each rule is a function; slow work (embedding, comparing) happens before the write transaction. `admission`
is the entry point and runs the whole write; `gate` makes the decision by calling the rules in `rules/`,
which query the store through `reader`; `related` looks up similar memories. Session turns, procedure
versions and outcomes, whose callers decide themselves, are written through `direct`. Memories held for the
owner wait in `held` until `review`; the owner's own rules are in `owner_rules` and `stored_rules`.
"""
