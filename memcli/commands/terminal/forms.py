"""The names that `--format` takes: one closed list, and each name means the same wherever it is taken."""

from typing import Literal

# What each name means; a command takes those that make sense for what it prints.
FORMS = {
    "table": "columns for people",
    "text": "a line each",
    "ids": "whole ids, one a line",
    "tsv": "tab-separated columns",
    "jsonl": "JSON Lines: an object a line; so does --json",
    "json": "one JSON array or object",
    "prompt": "a marked context for a prompt",
    "md": "Markdown",
    "csv": "comma-separated columns",
    "tree": "an indented tree",
    "dot": "Graphviz",
    "mermaid": "Mermaid",
    "svg": "a picture",
    "html": "a page",
    "canvas": "Obsidian's canvas",
}
ListForm = Literal["table", "text", "ids", "tsv", "jsonl", "json"]
AnswerForm = Literal["table", "text", "ids", "tsv", "jsonl", "json", "prompt"]
ContextForm = Literal["text", "jsonl", "json", "prompt"]
TaskForm = Literal["text", "jsonl", "json", "prompt"]
ExportForm = Literal["jsonl", "json", "md", "csv"]
GraphForm = Literal["tree", "jsonl", "json", "dot", "mermaid", "svg", "html", "canvas"]
