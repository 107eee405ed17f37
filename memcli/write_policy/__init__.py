"""Whether and how a memory is kept: one decision, each rule a function. Slow work before the transaction.

`admission` is the way in, from top to bottom; `gate` decides, by the rules of `rules/`,
which ask the store through `reader`; `related` finds what is there that is like it.
Turns, versions and outcomes, which decide the rest themselves, go by `direct`. What
the policy holds waits in `held` for `review`; the owner's own rules are in `rulebook`.
"""
