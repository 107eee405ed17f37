# bash completion of mem and memcli; source it from ~/.bashrc
_mem() {
    local IFS=$'\t' rest=$COMP_LINE words=() number=-1 each line name typed
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
        name=${line%%$'\t'*}
        name=${name#"$typed"}
        case ${COMP_WORDS[COMP_CWORD]} in
            \'*) name=${name//\'/\'\\\'\'} ;;
            \"*)
                name=${name//\\/\\\\} name=${name//\"/\\\"}
                name=${name//\$/\\\$} name=${name//\`/\\\`} ;;
            *) printf -v name %q "$name" ;;
        esac
        # readline closes the quote, but where the name ends in one.
        case ${COMP_WORDS[COMP_CWORD]}$name in
            \'*\' | \"*\") name+=${name: -1} ;;
        esac
        COMPREPLY+=("$name")
    done < <(_MEM_COMPLETE="${words[*]}" "$1" 2>/dev/null)
}
complete -o default -F _mem mem memcli
