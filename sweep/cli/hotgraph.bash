# Completion of hotgraph's command line for bash. It knows nothing itself: the program says what
# there is, from the tables by which it reads its options (hotgraph COMMAND --help=options).

_hotgraph() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local call=() table words kind choices i
    COMPREPLY=()
    if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $before == help ]]; }; then
        words=$("$program" --help=options 2>/dev/null | cut -f 2)
        ((COMP_CWORD == 1)) && words+=" help --help --version"
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
    fi
    call=("${COMP_WORDS[1]}")
    table=$("$program" "${call[@]}" --help=options 2>/dev/null) || return
    words=$(awk -F '\t' '$1 == "word" {print $2}' <<<"$table")
    if [[ -n $words ]]; then
        if ((COMP_CWORD == 2)) && [[ $word != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
            return
        fi
        [[ ${COMP_WORDS[2]} != -* ]] && call+=("${COMP_WORDS[2]}")
    fi
    # A technique brings options of its own.
    for ((i = 2; i + 1 < ${#COMP_WORDS[@]}; i++)); do
        [[ ${COMP_WORDS[i]} == --technique ]] && ((i + 1 != COMP_CWORD)) &&
            call+=(--technique "${COMP_WORDS[i + 1]}")
    done
    table=$("$program" "${call[@]}" --help=options 2>/dev/null) || return
    IFS=$'\t' read -r kind choices < <(awk -F '\t' -v name="$before" '$1 == name {print $2 "\t" $3}' <<<"$table")
    case $kind in
    choice) mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word") ;;
    file | word) ;; # files, which bash offers where nothing else is
    *)
        if [[ $word == -* ]]; then
            words=$(awk -F '\t' '$1 ~ /^--/ {print $1}' <<<"$table")
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        fi
        ;;
    esac
}
complete -o default -F _hotgraph hotgraph
