# fish completion of mem and memcli; save it as ~/.config/fish/completions/mem.fish
function __mem_complete
    set -l words (commandline -opc) (commandline -ct)
    set -g __mem_candidates (env _MEM_COMPLETE=(string join \t -- $words | string collect) \
        $words[1] 2>/dev/null)
    test -n "$__mem_candidates"
end
for program in mem memcli
    complete --command $program --no-files --condition __mem_complete --arguments '$__mem_candidates'
end
