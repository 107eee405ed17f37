"""Fuzzing: hostile inputs through every door, in one process, each on a store that is soon made anew.

    python -m benchmarks.fuzz [--inputs 1000000] [--seconds S] [--seed N] [--doors plans,batch] [--out FOLDER]
    python -m benchmarks.fuzz --replay FILE

Counts what no input may do: a traceback, more than two seconds of CPU, an exit status that is
none of a sound store's (0 to 3; 4 and 5 where an argument names another store or model), an error of which
stderr says nothing, an exception that a hook or a server swallows. After some runs on the same store it is
read through `recall`, `list`, `context`, `export` and more: no value that was let in may make these fail.

An input is what the program judges by itself: a command line, a document, a config file, an event; and of the
doors whose names say so (`batch lines`, `folder documents`, `mcp messages`) each line, file or message of a
run, for to open a store takes longer than to judge a line. Of lines is checked, too, that each was told
apart: taken in or named, and that none kept the others out.

The seed is printed, and what fails is made small, a line or two of all that came together, and written to
FOLDER, with which `--replay` runs it alone. Run n of a seed is the same whichever doors are left out.

The model is the tests' stand-in, the store is of temporary files, PATH, HOME and the working folder are
empty: nothing that an input says reaches anything else. Runs on POSIX (CPU time is measured by signals).
"""
