#!/bin/sh
# hot_graph.sh DATABASE GAME [FORMAT [EXPERIMENT]]: draws a game's hot graph (the edges that make up 90 % of what was
# executed) with Graphviz, from the database alone, to standard output. Busy-waits are dashed. Blocks of a program are named
# function+offset, where the database has its symbols. Of more than 60 edges the heaviest 60 are drawn, with a message.
set -eu
if test $# -lt 2; then
    echo "usage: hot_graph.sh DATABASE GAME [FORMAT [EXPERIMENT]]" >&2
    exit 2
fi
db=$1 game=$2 format=${3:-svg}
case $db in -*) db=./$db ;; esac # no option of sqlite3's
quoted=$(printf %s "$game" | sed "s/'/''/g")
experiment=$(printf %s "${4:-}" | sed "s/'/''/g")
if test -z "$experiment"; then
    experiment=$(sqlite3 -readonly "$db" "select distinct experiment from hot_edge where game = '$quoted'" | tr '\n' ' ')
    case $experiment in
    *' '*' ') echo "hot_graph.sh: $db: has $game in several experiments; name one of: $experiment" >&2; exit 1;;
    esac
    experiment=${experiment% }
fi
of="game = '$quoted' and experiment = '$experiment' and variant = ''"
edges=$(sqlite3 -readonly "$db" "
    select printf('\"\$%s\" -> \"\$%s\" [label=\"%s\", penwidth=%.1f%s];',
        upper(source), upper(target),
        case when count >= 1000000 then printf('%.1f M', count / 1e6)
             when count >= 10000 then printf('%d k', count / 1000) else count end,
        1 + 3.0 * count / max(count) over (),
        case when busy then ', style=dashed' else '' end)
    from hot_edge where hot = 1 and $of order by count desc, source, target limit 60;
    with drawn as (select source, target from hot_edge where hot = 1 and $of order by count desc, source, target limit 60),
        named as (select printf('%04x', source) as source, printf('%04x', target) as target,
            replace(source_name, '\"', '') as source_name, replace(target_name, '\"', '') as target_name
            from named_edge where hot = 1 and $of)
    select printf('\"\$%s\" [label=\"%s\"];', upper(source), source_name) from drawn join named using (source, target)
    union select printf('\"\$%s\" [label=\"%s\"];', upper(target), target_name) from drawn join named using (source, target);
    select printf('label=\"the 60 heaviest of %d hot edges\"; fontname=\"DejaVu Sans\"; fontsize=11;', count(*))
    from hot_edge where hot = 1 and $of having count(*) > 60")
if test -z "$edges"; then
    echo "hot_graph.sh: $db: has no hot edges of a game '$game'; it has:" \
        "$(sqlite3 -readonly "$db" 'select distinct game from hot_edge where hot = 1' | tr '\n' ' ')" >&2
    exit 1
fi
dot "-T$format" <<END
digraph hot {
node [shape=box, fontname="DejaVu Sans Mono", fontsize=11, height=0.25, style=filled,
      fillcolor="#eef3fa", color="#33557f"];
edge [fontname="DejaVu Sans", fontsize=10, color="#33557f"];
$edges
}
END
