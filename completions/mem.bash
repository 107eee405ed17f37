# bash completion of mem and memcli; source it from ~/.bashrc
_mem() {
    local IFS=$'\t' line words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <(_MEM_COMPLETE="${words[*]}" "$1" 2>/dev/null)
}
complete -o default -F _mem mem memcli
