#!/bin/sh
# hot_graph.sh DATABASE GAME [FORMAT]: draws a game's hot graph (the edges that make up 90 % of what was
# executed) with Graphviz, from the database alone, to standard output. Busy-waits are dashed.
set -eu
db=$1 game=$2 format=${3:-svg}
{
    echo 'digraph hot {'
    echo 'node [shape=box, fontname="DejaVu Sans Mono", fontsize=11, height=0.25, style=filled,'
    echo '      fillcolor="#eef3fa", color="#33557f"];'
    echo 'edge [fontname="DejaVu Sans", fontsize=10, color="#33557f"];'
    sqlite3 -readonly "$db" "
        select printf('\"\$%s\" -> \"\$%s\" [label=\"%s\", penwidth=%.1f%s];',
            upper(source), upper(target),
            case when count >= 1000000 then printf('%.1f M', count / 1e6)
                 when count >= 10000 then printf('%d k', count / 1000) else count end,
            1 + 3.0 * count / (select max(count) from hot_edge where hot = 1 and game = h.game),
            case when busy then ', style=dashed' else '' end)
        from hot_edge h where hot = 1 and game = '$game'"
    echo '}'
} | dot "-T$format"
