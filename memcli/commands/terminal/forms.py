"""Forms of output: the closed list of names that `--format` takes, with the same meaning everywhere."""

from typing import Literal

# The meaning of each name; a command accepts those that fit what it prints.
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
