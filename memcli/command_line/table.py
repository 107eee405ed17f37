"""Which commands there are, by section, with the line of help of each.

The lines stand here so that the help of all imports none of their modules; a test holds them against
these.
"""

from __future__ import annotations

SECTIONS = {
    "Remember and recall": {
        "remember": "Keep a memory: from words, a pipe, or a bulk file.",
        "recall": "Find memories by words and meaning.",
        "context": "Say what an agent should know at the start: "
        "blocks, task, rules, what is due or promised.",
        "profile": "Show a profile of the owner: blocks, preferences, constraints, habits, people, goals.",
        "similar": "Find what is most like one memory.",
        "list": "List memories, newest first.",
        "show": "Show everything about one memory.",
    },
    "Correct and forget": {
        "correct": "Replace what a memory says; the old one stays on record.",
        "confirm": "Believe a memory more: confidence +0.1, at most 1.",
        "doubt": "Believe a memory less: confidence -0.2, at least 0.",
        "edit": "Change tags, importance, confidence or validity of a memory.",
        "merge": "Merge memories into one: tags united, uses summed, the old ones ended and linked.",
        "forget": "Take memories out of every recall; `restore` brings them back. With --hard they are gone.",
        "restore": "Bring forgotten memories back.",
        "history": "Show who changed what, when and why: newest first, one line per change.",
        "watch": "Print changes of memories as they happen, one line of JSON each, until you stop it.",
        "undo": "Take back the last change, or a named one; the undo is itself on record.",
    },
    "Look over what is kept": {
        "browse": "Browse memories on a full screen: recall as you type, confirm, correct, forget, undo.",
        "review": "Accept or reject what waits for your approval.",
        "rule": "Say what is always, temporarily or never remembered, and what waits for review.",
        "page": "Make one HTML file of the memories: search, timeline, graph, filters.",
        "why": "Show why a memory was kept, what changed it, and what uses it.",
        "check": "Keep questions with the memories they must find, and check that they still do.",
        "audit": "Audit the memories: duplicates, contradictions, secrets, never used.",
        "consolidate": "Expire, fold, distil, merge, fade, prune and tend; `mem undo RUN` takes a run back.",
        "space": "List, rename, move, export or forget spaces; grant database roles access to them.",
    },
    "Link who and what is related": {
        "link": "Link two entities: `mem link Ann works_at Acme --since 2024`.",
        "unlink": "Remove a link, as if it had been wrong; `mem link` revives it.",
        "graph": "Show links: around an entity, between two, or all; manage aliases.",
    },
    "Work with an agent": {
        "block": "Keep small texts that always come along: who you are, how you like things done.",
        "checkpoint": "Save the state of a long task, and run its steps once.",
        "hook": "Answer an agent's hooks; install them in its settings, and remove them.",
        "init": "Tell an agent how and when to use mem: a skill, and on request hooks and the MCP server.",
        "mcp": "Serve an agent by the Model Context Protocol, on stdin and stdout.",
        "log": "Append a turn, a tool's output, a decision or an error to the current session.",
        "session": "Start, list, show, end, move sessions, and print one as messages for an LLM.",
        "task": "Keep the working memory of the task at hand.",
    },
    "Take it elsewhere": {
        "export": "Export memories, all or filtered; ended ones, links and states too.",
        "import": "Import an export, a file of memories, or what another program keeps.",
        "sync": "Exchange changes with your other machines through a folder: synced, shared, or on a stick.",
        "copy-store": "Copy a whole store to another place: a file, or a database on a server.",
        "merge-store": "Merge in all that another store knows, by the rules of `mem sync`; "
        "its file stays as it is.",
    },
    "Know how, and what is allowed": {
        "procedure": "Keep procedures in versions, find them by situation, count how they worked.",
        "policy": "Keep rules, and ask whether an action is allowed.",
    },
    "Look after the store": {
        "stats": "Count what is in the space, or in the whole store, and how it is used.",
        "backup": "Back the store up now; list, verify and restore backups.",
        "snapshot": "Name a state of the whole store, see what has changed since, go back to it.",
        "doctor": "Check that the store is sound, and say what to do if it is not.",
        "reindex": "Rebuild words, tags and vectors from the memories.",
        "encrypt": "Encrypt the store and its backups in place.",
        "decrypt": "Make an encrypted store and its backups plain files again.",
        "rekey": "Change the key of an encrypted store and its backups.",
        "model": "Show, change, compile or check the embedding model in use.",
        "config": "List, get and set settings.",
        "warm": "Keep a warm process for the next calls: start it, stop it, show its status.",
        "path": "Print where the store is: its file, or its address without a password.",
        "completions": "Print the completion script of a shell.",
        "widget": "Print a key binding for a shell: pick a memory with fzf, insert its text or id.",
        "help": "Show a command with its examples, or a page of the documentation.",
    },
}
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}

# What other memory programs, note-takers and shells call it, so that who types that is told our word for it.
ELSEWHERE = {
    "remember": "add save store write note learn put new create insert memorize memorise keep",
    "recall": "search find query ask lookup retrieve grep",
    "context": "due today remind reminders agenda brief inbox",
    "profile": "me whoami about",
    "similar": "related like nearest",
    "list": "ls recent all get-all get_all",
    "show": "get view read cat info inspect",
    "correct": "update change replace fix rewrite supersede",
    "confirm": "reinforce boost upvote",
    "doubt": "weaken downvote",
    "edit": "tag tags set",
    "merge": "combine join",
    "forget": "delete del rm remove erase purge drop clear reset delete-all delete_all",
    "restore": "undelete unforget recover",
    "history": "log-of changes events journal",
    "undo": "revert",
    "browse": "ui tui",
    "page": "html web report",
    "why": "explain trace",
    "audit": "dedupe duplicates contradictions conflicts lint",
    "consolidate": "reflect dream summarize summarise compact prune gc optimize maintain sleep",
    "space": "spaces project projects user users namespace collection",
    "link": "relate relation",
    "graph": "entity entities relations kg",
    "block": "blocks core persona",
    "mcp": "serve server",
    "init": "install setup",
    "session": "sessions chat chats conversation thread messages",
    "task": "tasks todo todos goal",
    "procedure": "procedures skill skills howto playbook",
    "policy": "policies guardrail allow",
    "export": "dump",
    "import": "load ingest",
    "stats": "status count usage",
    "backup": "backups",
    "snapshot": "snapshots diff",
    "doctor": "health fsck repair verify",
    "reindex": "index embed rebuild",
    "encrypt": "lock key",
    "model": "models embedding embeddings",
    "config": "settings setting configure options",
    "path": "db where location",
    "help": "docs manual examples",
}  # fmt: skip
# Of these words any may be meant by any other, whichever a command with others below it has.
ALIKE = (
    ("list", "ls", "all"),
    ("show", "get", "view", "cat", "read", "print"),
    ("remove", "delete", "drop", "clear", "deprecate", "forget", "rm", "del", "erase"),
    ("add", "set", "create", "start", "save", "new", "put", "write"),
    ("end", "stop", "finish", "close"),
    ("find", "search", "query"),
)
OUR_WORD = {word: name for name, words in ELSEWHERE.items() for word in words.split()}
