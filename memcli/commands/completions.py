r"""`mem completions`: print completion scripts, and compute the candidates that they ask for.

Typer's own scripts are not used: the one for zsh passes text through `eval`, and with it whatever a memory
says (`\\$(…)`), and reads help as rich markup. These scripts get one candidate a line, with its help after a
tab, and treat both as data.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer
from typer._click.shell_completion import _resolve_context, _resolve_incomplete

from memcli.commands.terminal import output
from memcli.commands.terminal.names import names_for
from memcli.errors import MemcliError
from memcli.text import printable

EXAMPLES = """
mem completions bash >> ~/.bashrc
mem completions zsh > _mem        # into a folder of $fpath
mem completions fish > mem.fish   # into ~/.config/fish/completions
"""

# The most characters of a candidate's help.
_ABOUT = 60
# The scripts set _MEM_COMPLETE to the words of the command line up to the cursor, as typed, separated by
# tabs. The candidates are not quoted: each script quotes them as its shell and an open quote require.
_BASH = """\
# bash completion of mem and memcli; source it from ~/.bashrc
_mem() {
    local IFS=$'\\t' rest=$COMP_LINE words=() number=-1 each line name typed
    # bash cuts words at = and : as well; what stands together on the line is one.
    for each in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if [[ $number -ge 0 && -n $each && $rest == "$each"* ]]; then
            words[number]+=$each
        else
            rest=${rest#"${rest%%[![:space:]]*}"}
            words[++number]=$each
        fi
        rest=${rest#"$each"}
    done
    # Only what stands behind the last of these is replaced.
    typed=${COMP_WORDS[COMP_CWORD]}
    [[ $typed == [=:] ]] && typed=
    typed=${words[number]%"$typed"}
    COMPREPLY=()
    while IFS= read -r line; do
        name=${line%%$'\\t'*}
        name=${name#"$typed"}
        case ${COMP_WORDS[COMP_CWORD]} in
            \\'*) name=${name//\\'/\\'\\\\\\'\\'} ;;
            \\"*)
                name=${name//\\\\/\\\\\\\\} name=${name//\\"/\\\\\\"}
                name=${name//\\$/\\\\\\$} name=${name//\\`/\\\\\\`} ;;
            *) printf -v name %q "$name" ;;
        esac
        # readline closes the quote, but where the name ends in one.
        case ${COMP_WORDS[COMP_CWORD]}$name in
            \\\'*\\\' | \\\"*\\\") name+=${name: -1} ;;
        esac
        COMPREPLY+=("$name")
    done < <(_MEM_COMPLETE="${words[*]}" "$1" 2>/dev/null)
}
complete -o default -F _mem mem memcli
"""

_ZSH = """\
#compdef mem memcli
# zsh completion of mem and memcli; save it as _mem in a folder of $fpath
_mem() {
    local -a candidates
    local line name
    for line in "${(@f)$(_MEM_COMPLETE="${(pj:\\t:)words[1,CURRENT]}" \\
            ${~words[1]} 2>/dev/null)}"; do
        name=${${line%%$'\\t'*}//\\\\/\\\\\\\\}
        [[ -n $line ]] && candidates+=("${name//:/\\\\:}${${(M)line%%$'\\t'*}/$'\\t'/:}")
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
    """Yield completions of the last of `words`, one a line, help after a tab, unquoted. Raises nothing."""
    *before, last = [unquoted(word) for word in words[1:]] or [""]
    # Scripts of earlier versions pass --kind=x as three words, as bash splits it.
    before, last = [word for word in before if word != "="], last.removeprefix("=")
    option = last[: last.index("=") + 1] if last.startswith("-") and "=" in last else ""
    context = _resolve_context(program, {}, "mem", before)
    asked, incomplete = _resolve_incomplete(context, before, last)
    known = names_for(asked, context, incomplete)
    if known:
        items = [(each.name, each.about) for each in known]
    else:
        # If the store is missing, locked or without a key, there are no candidates.
        try:
            items = [(item.value, item.help or "") for item in asked.shell_complete(context, incomplete)]
        except (MemcliError, OSError):
            items = []
    for name, about in items:
        told = printable.one_line(about)[:_ABOUT]
        yield f"{option}{name}\t{told}" if told else f"{option}{name}"


def unquoted(word: str) -> str:
    """Return a word without its backslashes and quotes; the last quote may still be open."""
    plain, quote, characters = [], "", iter(word)
    for character in characters:
        if character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        elif character == "\\" and quote != "'":
            plain.append(next(characters, ""))
        else:
            plain.append(character)
    return "".join(plain)
