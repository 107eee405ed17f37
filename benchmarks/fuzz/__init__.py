"""Fuzzing: hostile inputs through every door, in one process, each on a store that is soon made anew.

    python -m benchmarks.fuzz [--inputs 1000000] [--seed N] [--doors import,plans] [--out FOLDER]
    python -m benchmarks.fuzz --replay FILE

Counts what no input may do: a traceback, more than two seconds of CPU, an exit status that is
none of a sound store's (0 to 3; 4 and 5 where an argument names another store or model), an error of which
stderr says nothing. After some inputs on the same store others are read through `recall`, `list`,
`context`, `export` and
more: no value that was let in may make these fail. The seed is printed,
and a failing input is written to FOLDER,
with which `--replay` runs it alone. Input n of a seed is the same whichever doors are left out.

The model is the tests' stand-in, the store is of temporary files, PATH,
HOME and the working folder are empty: nothing
that an input says reaches anything else. Runs on POSIX (CPU time is measured by signals).
"""
