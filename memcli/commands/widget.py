"""`mem widget`: print a shell key binding that picks a memory with fzf."""

from typing import Annotated, Literal

import typer

from memcli.commands.terminal import output

EXAMPLES = """
mem widget bash >> ~/.bashrc
mem widget zsh >> ~/.zshrc
mem widget fish > mem.fish   # into ~/.config/fish/conf.d
"""

# The key is Alt-M, or MEM_WIDGET_KEY in the shell's notation, if that is set before the script is read. fzf
# prints, if it knows --expect, the key on a line of its own, and then the picked line. In the output of
# `mem list --format tsv` there are no hidden characters, and no tabs or line ends within fields.
_PICK = (
    "--no-multi --height=60% --reverse --delimiter='\\t' --with-nth=2.. --prompt='mem> ' --expect=ctrl-o "
    "--header='Enter: the text   Ctrl-O: the id   Ctrl-R: recall by meaning what was typed' "
    "--bind='ctrl-r:reload(mem recall --no-touch --format tsv -- {q} 2>/dev/null || :)+clear-query' "
    "--preview='mem show -- {1}' --preview-window=down,40%,wrap"
)
_MISSING = "mem: this key needs fzf (https://github.com/junegunn/fzf); mem browse needs none"

_BASH = f"""\
# bash key binding of mem: Alt-M picks a memory with fzf; source it from ~/.bashrc
__mem_widget() {{
    local picked text
    if ! command -v fzf > /dev/null; then
        printf '%s\\n' '{_MISSING}' >&2
        return
    fi
    picked=$(mem list --format tsv 2>/dev/null |
        fzf {_PICK}) || return
    text=${{picked##*$'\\n'}}
    [[ $text == *$'\\t'* ]] || return
    if [[ $picked == ctrl-o$'\\n'* ]]; then
        text=${{text%%$'\\t'*}}
    else
        text=${{text##*$'\\t'}}
        text=${{text//\\'/\\'\\\\\\'\\'}}
        text="'$text'"
    fi
    READLINE_LINE=${{READLINE_LINE:0:READLINE_POINT}}$text${{READLINE_LINE:READLINE_POINT}}
    READLINE_POINT=$((READLINE_POINT + ${{#text}}))
}}
if [[ $- == *i* ]]; then
    bind -m emacs -x "\\"${{MEM_WIDGET_KEY:-\\\\em}}\\": __mem_widget"
    bind -m vi-insert -x "\\"${{MEM_WIDGET_KEY:-\\\\em}}\\": __mem_widget"
fi
"""

_ZSH = f"""\
# zsh key binding of mem: Alt-M picks a memory with fzf; source it from ~/.zshrc
__mem_widget() {{
    emulate -L zsh
    local picked text
    if (( ! $+commands[fzf] )); then
        zle -M '{_MISSING}'
        return
    fi
    picked=$(mem list --format tsv 2>/dev/null |
        fzf {_PICK}) || {{ zle reset-prompt; return }}
    text=${{picked##*$'\\n'}}
    if [[ $text == *$'\\t'* ]]; then
        if [[ $picked == ctrl-o$'\\n'* ]]; then
            LBUFFER+=${{text%%$'\\t'*}}
        else
            LBUFFER+=${{(qq)text##*$'\\t'}}
        fi
    fi
    zle reset-prompt
}}
if [[ -o interactive ]]; then
    zle -N __mem_widget
    bindkey -M emacs "${{MEM_WIDGET_KEY:-^[m}}" __mem_widget
    bindkey -M viins "${{MEM_WIDGET_KEY:-^[m}}" __mem_widget
fi
"""

_FISH = f"""\
# fish key binding of mem: Alt-M picks a memory with fzf; save it in ~/.config/fish/conf.d
function __mem_widget
    if not command -q fzf
        echo
        echo '{_MISSING}' >&2
        commandline -f repaint
        return
    end
    set -l picked (mem list --format tsv 2>/dev/null |
        fzf {_PICK})
    if test $status -eq 0
        set -l columns (string split \\t -- $picked[-1])
        if test (count $columns) -gt 3
            if test "$picked[1]" = ctrl-o
                commandline -i -- $columns[1]
            else
                commandline -i -- "'"(string replace -ar '[\\\\\\\\\\']' '\\\\\\\\$0' -- $columns[-1])"'"
            end
        end
    end
    commandline -f repaint
end
if status is-interactive
    set -q MEM_WIDGET_KEY; or set -l MEM_WIDGET_KEY \\em
    bind $MEM_WIDGET_KEY __mem_widget
    bind -M insert $MEM_WIDGET_KEY __mem_widget
end
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def command(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="bash|zsh|fish")],
) -> None:
    """Print a key binding for a shell: pick a memory with fzf, insert its text or id.

    Bound to Alt-M, or to MEM_WIDGET_KEY. Enter inserts the text, in quotes, at the cursor; Ctrl-O the id.
    """
    output.to_stdout(_SCRIPTS[shell].rstrip("\n"))
