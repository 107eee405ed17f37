"""`mem completions`: completion scripts, and the answers that they ask for.

Typer's own scripts are not used: the one for zsh runs text through `eval`,
and with it whatever a memory says (`\\$(…)`), and reads help as rich markup.
Here a shell gets one candidate a line, its help after a tab, and takes both
for data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer
from typer._click.shell_completion import _resolve_context, _resolve_incomplete

from memcli.commands.terminal import output
from memcli.text import printable

EXAMPLES = """
mem completions bash >> ~/.bashrc
mem completions zsh > _mem        # into a folder of $fpath
mem completions fish > mem.fish   # into ~/.config/fish/completions
"""

# The scripts set _MEM_COMPLETE: the words of the command line up to the cursor, tabs between.
_BASH = """\
# bash completion of mem and memcli; source it from ~/.bashrc
_mem() {
    local IFS=$'\\t' line words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\\t'*}")
    done < <(_MEM_COMPLETE="${words[*]}" "$1" 2>/dev/null)
}
complete -o default -F _mem mem memcli
"""

_ZSH = """\
#compdef mem memcli
# zsh completion of mem and memcli; save it as _mem in a folder of $fpath
_mem() {
    local -a candidates
    local line
    for line in "${(@f)$(_MEM_COMPLETE="${(pj:\\t:)words[1,CURRENT]}" \\
            ${~words[1]} 2>/dev/null)}"; do
        [[ -n $line ]] && candidates+=("${${line%%$'\\t'*}//:/\\\\:}${${(M)line%%$'\\t'*}/$'\\t'/:}")
    done
    if (( $#candidates )); then
        _describe mem candidates
    else
        _files
    fi
}
if [[ $funcstack[1] == _mem ]]; then
    _mem "$@"
else
    compdef _mem mem memcli
fi
"""

_FISH = """\
# fish completion of mem and memcli; save it as ~/.config/fish/completions/mem.fish
function __mem_complete
    set -l words (commandline -opc) (commandline -ct)
    set -g __mem_candidates (env _MEM_COMPLETE=(string join \\t -- $words | string collect) \\
        $words[1] 2>/dev/null)
    test -n "$__mem_candidates"
end
for program in mem memcli
    complete --command $program --no-files --condition __mem_complete --arguments '$__mem_candidates'
end
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def command(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="bash|zsh|fish")],
) -> None:
    """Print the completion script of a shell.

    bash: source it from ~/.bashrc. zsh: save it as _mem on the fpath. fish:
    save it as ~/.config/fish/completions/mem.fish.
    """
    output.to_stdout(_SCRIPTS[shell].rstrip("\n"))


def completion_candidates(words: list[str], program: Any) -> Iterator[str]:
    """What the last of `words` may become, one a line, its help after a tab."""
    # Quotes are still on, and bash gives `--kind=x` as three words.
    *before, last = [word.strip("'\"") for word in words[1:]] or [""]
    before, last = [word for word in before if word != "="], last.removeprefix("=")
    option = last[: last.index("=") + 1] if last.startswith("-") and "=" in last else ""
    context = _resolve_context(program, {}, "mem", before)
    asked, incomplete = _resolve_incomplete(context, before, last)
    for item in asked.shell_complete(context, incomplete):
        help_ = f"\t{printable.one_line(item.help)}" if item.help else ""
        yield f"{option}{item.value}{help_}"
