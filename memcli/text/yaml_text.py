"""YAML text as people write it by hand: mappings and lists of plain text, and nothing else.

Every scalar is read as text: `no`, `1.10` and `2026-05-03` stay what they are, as is meant in rules, steps
and version numbers. Only text, lists and mappings are constructed.
"""

from __future__ import annotations

from typing import Any

from memcli.errors import BadInput

# The unquoted forms of null in YAML, read as empty text.
_NOTHING = ("", "~", "null", "Null", "NULL")

_OTHER_ENDS = frozenset("\r\x85\u2028\u2029\ufeff")
# The deepest nesting: people nest three or four levels, and PyYAML takes time quadratic in the depth.
DEEPEST = 50


def read_yaml(text: str, where: str) -> Any:
    """Return the one YAML document in `text` as str, list or dict; an empty one is an empty str.

    Raises BadInput, naming the place, for invalid YAML, a duplicate key, nesting that is too deep, and
    aliases (`*x`), a few lines of which can expand to gigabytes.
    """
    import yaml

    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.BaseLoader):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent):
                raise BadInput(f"line {line}: no YAML aliases, write it out", about=where)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                raise BadInput(f"line {line}: nested deeper than {DEEPEST} levels", about=where)
        node = yaml.compose(text, Loader=yaml.BaseLoader)
        return "" if node is None else _value(node, where)
    except yaml.YAMLError as error:
        raise BadInput(f"{_said(error)}", about=where) from error
    except (RecursionError, ValueError) as error:
        raise BadInput(f"not readable as YAML ({type(error).__name__})", about=where) from error


def write_yaml(value: Any) -> str:
    """Return `value` (str, list, dict) as YAML, keys in order, with a newline at the end.

    Long lines are not wrapped, so that a diff shows what changed; multi-line text is a block. `read_yaml`
    returns the same value.
    """
    import yaml

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]  # PyYAML has no types
        """Writes text of several lines as a block, and indents lists."""

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, indentless=False)

    def scalar(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        # Quoted if a reader would take it for null, escaped if it has unusual line ends, which PyYAML would
        # fold; otherwise PyYAML decides.
        style = '"' if _OTHER_ENDS & set(text) else "|" if "\n" in text else "'" if text in _NOTHING else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, scalar)
    written: str = yaml.dump(
        value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=2**31, default_flow_style=False
    )
    return written


def text_of(value: Any) -> str:
    """Return a value as one text, trimmed: a list as lines, a mapping as `key: value`."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {text_of(each)}".rstrip() for key, each in value.items())
    if isinstance(value, list):
        return "\n".join(text_of(each) for each in value)
    return str(value).strip()


def texts_of(value: Any) -> list[str]:
    """Return a value as a list of texts, without empty ones: a list by item, a text by line."""
    if isinstance(value, str):
        value = value.splitlines()
    elif isinstance(value, dict):
        value = [{key: each} for key, each in value.items()]
    return [text for text in map(text_of, value) if text]


def _value(node: Any, where: str) -> Any:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return [_value(each, where) for each in node.value]
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, each in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            line = key.start_mark.line + 1
            if name is None:
                raise BadInput(f"line {line}: a key must be plain text", about=where)
            if name in found:
                raise BadInput(f"line {line}: {name!r} is given twice", about=where)
            found[name] = _value(each, where)
        return found
    return "" if node.style is None and node.value in _NOTHING else node.value


def _said(error: Any) -> str:
    """Return PyYAML's message on one line, with the line where it stopped."""
    mark = getattr(error, "problem_mark", None)
    place = f"line {mark.line + 1}: " if mark else ""
    return f"{place}{getattr(error, 'problem', None) or 'not readable as YAML'}"
