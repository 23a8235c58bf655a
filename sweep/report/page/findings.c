/*
 * Findings: sentences with numbers from the database. Sentences that depend on the hot share, the
 * sampling configuration or the technique are repeated for each, under a heading that names it;
 * docs/questions.md defines each sentence.
 */
#include "report/page/findings.h"
#include "report/page/pieces.h"
#include "report/page/sentences.h"

#include <stdlib.h>
#include <string.h>

/* "3 games and 1 program". */
#define COUNTED(games, programs)                                                                   \
    "iif(" games " > 0, " games " || iif(" games " = 1, ' game', ' games'), '')"                   \
    " || iif(" games " > 0 AND " programs " > 0, ' and ', '')"                                     \
    " || iif(" programs " > 0, " programs " || iif(" programs                                      \
    " = 1, ' program', ' programs'), '')"

#define IS_PROGRAM                                                                                 \
    "EXISTS (SELECT 1 FROM stream s JOIN replay p USING (replay_id) WHERE s.stream_id ="           \
    " o.stream_id AND p.kind = 'program')"

/* The games on which a technique's configurations have results. */
#define ON_GAMES                                                                                   \
    "(SELECT " COUNTED(                                                                            \
        "g",                                                                                       \
        "n") " FROM (SELECT count(DISTINCT game) FILTER (WHERE NOT program) AS"                    \
             " g, count(DISTINCT game) FILTER (WHERE program) AS n FROM (SELECT game, " IS_PROGRAM \
             " AS program FROM results o" STUDIED " AND number IS NOT NULL)))"

/* ---- about the experiment ---- */

static const struct sentence OF_ALL[] = {
    {"SELECT (SELECT " COUNTED(
         "g",
         "n") " FROM (SELECT count(DISTINCT game) FILTER (WHERE NOT program)"
              " AS g, count(DISTINCT game) FILTER (WHERE program) AS n FROM (SELECT "
              "game, " IS_PROGRAM
              " AS program FROM completeness o WHERE experiment = ?1 AND results > 0))),"
              " sum(results), sum(missing), iif(sum(unfit) > 0, '; ' || sum(unfit) || ' more do"
              " not fit their streams', '') FROM completeness WHERE experiment = ?1 HAVING "
              "sum(results) > 0",
     "{0}, {1} results; {2} that the experiment lists are missing{=3}."},
    {"SELECT round(sum(seconds), 2), count(*) FROM (SELECT DISTINCT stream_id, configuration_id,"
     " seconds FROM results WHERE experiment = ?1 AND number IS NOT NULL) HAVING count(*) > 0",
     "Building the {1} graphs took {0} s of processor time. This measurement varies with the "
     "machine and its load (see <a href='#runs'>timings</a>), and is not part of the digest."},
};

/* ---- about each hot share and sampling configuration ---- */

/* Means over results: the benefit for code layout, the same with falls inferred, and how much of what
 * is missing that adds. Code layout knows no hot share: said with the smallest. */
#define WORTH(which)                                                                               \
    "SELECT printf('%.1f', 100 * abs(avg(benefit))), printf('%.1f', 100 * "                        \
    "abs(avg(benefit_inferred))),"                                                                 \
    " iif(round(avg(benefit), 3) < 1 AND avg(benefit_inferred) - avg(benefit) > 0.0005, "          \
    "printf('; that closes %.1f %% of the gap', 100 *"                                             \
    " (avg(benefit_inferred) - avg(benefit)) / (1 - avg(benefit))), ''), count(*),"                \
    " iif(avg(benefit) < 0, 'lose', 'gain'), iif((avg(benefit) < 0) = (avg(benefit_inferred) < "   \
    "0), '', iif(avg(benefit_inferred) < 0, 'lose ', 'gain ')) FROM worth w"                       \
    " WHERE experiment = ?1 AND sampling = ?4 AND " which " AND benefit IS NOT NULL AND ?3 ="      \
    " (SELECT min(hot_permille) FROM experiment_hot h WHERE h.experiment_id = w.experiment_id)"    \
    " HAVING count(*) > 0"

/* The baseline after the experiment's last mark up to 3,000 batches. */
#define AFTER_BATCHES(part)                                                                        \
    "SELECT batches, round(100 * min(similarity), 1), round(100 * max(similarity), 1)"             \
    " FROM convergence_curve" SAMPLED " AND baseline = 1 AND part = '" part "'"                    \
    " AND similarity IS NOT NULL AND batches = (SELECT max(batches) FROM experiment_mark"          \
    " JOIN experiment USING (experiment_id) WHERE name = ?1 AND batches <= 3000) GROUP BY batches"

/* The baseline in windows of one length, and in the longest if there are several. */
#define IN_WINDOWS(length)                                                                         \
    "SELECT iif(unit = 'seconds', span || ' s', printf('%,d ', span) || unit),"                    \
    " printf('%.1f', 100 * hot_f1_active), printf('%.1f', 100 * hot_f1_active_worst)"              \
    " FROM technique_window t" SAMPLED " AND baseline = 1 AND span = (SELECT " length " FROM"      \
    " experiment_window e WHERE e.experiment_id = t.experiment_id"                                 \
    " AND coalesce(e.unit, 'seconds') = t.unit)"

/* Phases know the hot share of 90 % alone. */
#define IN_PHASES                                                                                  \
    "SELECT CAST(round(phases * (1 - never)) AS INTEGER), phases, iif(median_seconds IS NULL, ''," \
    " '; half of all within ' || iif(unit = 'seconds', median_seconds || ' s',"                    \
    " printf('%,d ', CAST(round(1e9 * median_seconds) AS INTEGER)) || unit)) FROM technique_phase" \
    " WHERE experiment = ?1 AND way = ?4 AND baseline = 1 AND kept = 0 AND ?3 = 900"

static const struct sentence OF_SAMPLING[] = {
    {"SELECT round(min(sampled_percent), 2), round(max(sampled_percent), 2) FROM table1" SAMPLED
     " AND way NOT LIKE 'live%' HAVING min(sampled_percent) IS NOT NULL",
     "The samples have {0} to {1} % of the executed instructions."},
    {AFTER_BATCHES("first"),
     "After the first {0} batches, reading edges directly off the samples has found {1} to {2} % "
     "of the hot edges."},
    {AFTER_BATCHES("strata"),
     "From {0} batches spread over a program's stream, reading edges directly off the samples "
     "finds {1} to {2} % of the hot edges."},
    {IN_WINDOWS("min(span)"),
     "In windows of {0}, the hot set read directly off a window's own samples has an F1 of {1} % "
     "on average and of {2} % in the worst window, without busy-waits."},
    {IN_WINDOWS("iif(max(span) > min(span), max(span), NULL)"),
     "In windows of {0}, the hot set read directly has an F1 of {1} % on average and of {2} % in "
     "the worst window."},
    {IN_PHASES,
     "Reading edges directly off all samples from the start finds the hot sets of {0} of {1} "
     "phases before these end{=2}."},
    {WORTH("baseline = 1"),
     "Code layouts by what is read directly off the samples {=4} {0} % of what those by the exact "
     "graph gain, and {=5}{1} % with falls inferred, the edges along which a block runs on into "
     "the next one{=2}."},
};

/* ---- about each technique within these ---- */

/* Parameters with several values, and the distance between their best and worst values. */
#define PARAMETERS                                                                                 \
    "WITH e AS MATERIALIZED (SELECT parameter, round(max(effect_points) - min(effect_points), 2)"  \
    " AS apart, min(balanced) AS balanced FROM parameter_effect" STUDIED                           \
    " GROUP BY parameter HAVING count(DISTINCT value) > 1) "

/* Programs have no busy-waits: what is found without them would repeat the sentence before. */
#define WAITS "EXISTS (SELECT 1 FROM results" SAMPLED " AND similarity_active IS NOT similarity)"

/* How many results find more than the baseline of their streams. */
#define BEATEN(where)                                                                              \
    "WITH direct AS MATERIALIZED (SELECT game, variant, similarity, similarity_active FROM"        \
    " baseline" SAMPLED ")"                                                                        \
    " SELECT technique, sum(r.similarity > b.similarity), count(*), sum(r.similarity_active >"     \
    " b.similarity_active) FROM results r JOIN direct b USING (game, variant)" STUDIED             \
    " AND r.number IS NOT NULL HAVING count(*) > 0 AND " where

static const struct sentence OF_TECHNIQUE[] = {
    {"SELECT technique, min(worst_percent), max(best_percent), min(baseline_percent),"
     " max(baseline_percent) FROM table2" STUDIED " AND baseline_percent IS NOT NULL"
     " HAVING min(worst_percent) IS NOT NULL",
     "The configurations of {=0} in the grid find {1} to {2} % of the hot edges; reading edges "
     "directly off the same samples finds {3} to {4} %."},
    {"SELECT technique, min(worst_active_percent), max(best_active_percent),"
     " min(baseline_active_percent), max(baseline_active_percent) FROM table2" STUDIED
     " AND baseline_active_percent IS NOT NULL"
     " HAVING min(worst_active_percent) IS NOT NULL AND " WAITS,
     "Without busy-waits, the loops in which a program waits for the next frame, the "
     "configurations of {=0} find {1} to {2} %, and reading edges directly finds {3} to {4} %."},
    {BEATEN(WAITS),
     "{1} of {2} results of {=0} find more hot edges than can be read directly off the "
     "same samples; without busy-waits, {3} do."},
    {BEATEN("NOT " WAITS),
     "{1} of {2} results of {=0} find more hot edges than can be read directly "
     "off the same samples."},
    /* Ties are counted, and at most six are named. */
    {"WITH best AS MATERIALIZED (SELECT * FROM best_configuration" STUDIED
     " AND place = 1 AND mean_percent IS NOT NULL) SELECT " ON_GAMES
     " || iif(max(streams) > max(games), ' (' || max(streams) || ' streams)', ''),"
     " (SELECT group_concat('#' || number || iif(shared = 1 AND parameters <> '', ' (' || "
     "parameters"
     " || ')', ''), ', ') FROM (SELECT * FROM best ORDER BY position LIMIT 6)),"
     " iif(max(shared) > 6, ' and ' || (max(shared) - 6) || ' more', ''),"
     " iif(max(shared) = 1, 'configuration', max(shared) || ' configurations share the first "
     "place:'),"
     " iif(max(shared) = 1, 'finds most:', 'find'), max(mean_percent),"
     " max(baseline_mean_percent) FROM best HAVING max(baseline_mean_percent) IS NOT NULL",
     "On average over {0}, {=3} {1}{=2} {=4} {5} %, against {6} % read directly."},
    {"SELECT count(*), (SELECT of_games FROM contender" STUDIED " LIMIT 1), group_concat(iif(place"
     " <= 6, '#' || number || ' (lacks ' || lacks || ')', NULL), ', '), iif(count(*) > 6, ' and ' "
     "||"
     " (count(*) - 6) || ' more', ''), iif(count(*) = 1, 'configuration has', 'configurations "
     "have'),"
     " technique FROM (SELECT *, row_number() OVER (ORDER BY number) AS place FROM"
     " not_competing" STUDIED ") HAVING count(*) > 0",
     "{0} {=4} no results on some of the {1} games or programs on which others of {=5} have "
     "results; averages over all of them leave out {=2}{=3}."},
    {PARAMETERS
     "SELECT group_concat(parameter, ', '), max(apart), iif(count(*) = 1, 'parameter of',"
     " 'parameters of'), ?5, iif(count(*) = 1, 'matters most is', 'matter most are'), iif(count(*) "
     "="
     " 1, 'its', 'their') FROM e WHERE apart = (SELECT"
     " max(apart) FROM e) AND apart > 0 AND (SELECT min(balanced) FROM e) = 1 HAVING count(*) > 0",
     "The {=2} {=3} that {=4} {0}: {=5} best and worst values are {1} points apart."},
    {PARAMETERS
     "SELECT group_concat(parameter, ', '), max(apart), iif(count(*) = 1, 'one', 'ones'),"
     " iif(count(*) = 1, 'matters least is', 'matter least are') FROM e WHERE apart = (SELECT"
     " min(apart) FROM e) AND (SELECT count(DISTINCT apart) FROM e) > 1 AND (SELECT min(balanced)"
     " FROM e) = 1 HAVING count(*) > 0",
     "The {=2} that {=3} {0}, with {1} points."},
    {PARAMETERS "SELECT ?5, group_concat(parameter, ', '), max(apart) FROM e HAVING max(apart) = 0"
                " AND min(balanced) = 1",
     "None of the varied parameters of {=0} ({=1}) matters here: on average, their values are {2} "
     "points apart."},
    {PARAMETERS "SELECT ?5, group_concat(parameter, ', ') FROM e WHERE balanced = 0 HAVING"
                " count(*) > 0",
     "Which parameter of {=0} matters most cannot be said: values of {1} are not combined equally "
     "often with those of other parameters, so their means differ for other reasons, too."},
    /* The paper truncates its percentages. */
    {"SELECT technique, count(*), sum(r.s >= p.best_percent + 1), sum(r.s < p.worst_percent) FROM"
     " (SELECT r.technique, r.paper_game, 100 * r.similarity AS s FROM results r JOIN paper_study"
     " USING (experiment_id, hot_permille, technique)" STUDIED " AND r.number IS NOT NULL AND"
     " r.similarity IS NOT NULL) r JOIN paper_game p USING (paper_game) HAVING count(*) > 0",
     "Compared with the paper's game of the same kind (another program with other input), {2} of "
     "{1} results of {=0} are above the paper's best and {3} are below its worst."},
    {"SELECT *, ?5 FROM (" WORTH("technique = ?5 AND number IS NOT NULL") ")",
     "Code layouts by graphs of {=6} {=4} {0} % of what those by the exact graph gain, in the mean "
     "over {3} results, and {=5}{1} % with falls inferred{=2}."},
};

/* ---- games compared with programs, for each hot share; each by its first stream ---- */

#define BESIDE " WHERE experiment = ?1 AND hot_permille = ?3 AND variant = ''"

static const struct sentence OF_KINDS[] = {
    {"SELECT min(hot_edges) FILTER (WHERE kind = 'game'), max(hot_edges) FILTER (WHERE kind ="
     " 'game'), min(hot_edges) FILTER (WHERE kind = 'program'), max(hot_edges) FILTER (WHERE kind"
     " = 'program'), min(low_percent) FILTER (WHERE kind = 'game'), max(low_percent) FILTER (WHERE"
     " kind = 'game'), min(low_percent) FILTER (WHERE kind = 'program'), max(low_percent) FILTER"
     " (WHERE kind = 'program') FROM hot_set" BESIDE " HAVING count(DISTINCT kind) = 2"
     " AND count(low_percent) > 0",
     "Without busy-waits, the hot sets of games have {0} to {1} edges, those of programs {2} to "
     "{3}; {4} to {5} % of the batches of games lie within a short range of addresses, and {6} to "
     "{7} % of those of programs."},
    {"SELECT min(gaussian_best_percent) FILTER (WHERE kind = 'game'), max(gaussian_best_percent)"
     " FILTER (WHERE kind = 'game'), min(gaussian_best_percent) FILTER (WHERE kind = 'program'),"
     " max(gaussian_best_percent) FILTER (WHERE kind = 'program'), sum(gaussian_best_percent >"
     " baseline_percent), count(*) FROM hot_set" BESIDE " HAVING count(DISTINCT kind) = 2"
     " AND count(gaussian_best_percent) = count(*) AND count(baseline_percent) = count(*)",
     "Without busy-waits, the best configuration of GFCGaussiano finds {0} to {1} % of the hot "
     "edges of games and {2} to {3} % of those of programs; in {4} of {5} cases it finds more than "
     "can be read directly off the samples."},
    {"WITH gain AS MATERIALIZED (SELECT kind, game, round(structured_best_overlap -"
     " baseline_overlap, 1) AS gain FROM hot_set" BESIDE
     " AND structured_best_overlap IS NOT NULL AND baseline_overlap IS NOT NULL)"
     " SELECT sum(gain > 0) FILTER (WHERE kind = 'game'), count(*) FILTER (WHERE kind = 'game'),"
     " round(avg(gain) FILTER (WHERE kind = 'game'), 1), sum(gain > 0) FILTER (WHERE kind ="
     " 'program'), count(*) FILTER (WHERE kind = 'program'), round(avg(gain) FILTER (WHERE kind ="
     " 'program'), 1), (SELECT group_concat(game, ', ') FROM (SELECT game FROM gain WHERE gain ="
     " (SELECT max(gain) FROM gain) ORDER BY game)), max(gain) FROM gain"
     " HAVING count(DISTINCT kind) = 2",
     "Without busy-waits, the best technique that knows the structure has a larger overlap than "
     "reading directly off the same samples in {0} of {1} games and in {3} of {4} programs. The "
     "difference is {2} points for games and {5} points for programs on average; it is largest, "
     "{7} points, in {6}."},
};

#define PUT_ITEMS(p, list) put_sentences(p, list, sizeof(list) / sizeof *(list), "li")

/* The meaning of the paper's parameters; a test compares the names with the program's. */
static const char GLOSSARY[] =
    "<details class='glossary'><summary>The parameters of gaussian</summary><dl>\n"
    "<dt>bin_size</dt><dd>the largest distance, in bytes, of a mean address from the centre of its "
    "bin</dd>\n"
    "<dt>stdev_threshold</dt><dd>a batch is low, which means a loop in a short range of addresses, "
    "if the standard deviation of its window means is at most this many bytes</dd>\n"
    "<dt>window_size</dt><dd>the number of consecutive instructions whose mean address is "
    "taken</dd>\n"
    "<dt>recurrent_threshold</dt><dd>an instruction is recurrent if its nearest bin was hit more "
    "often than this</dd>\n"
    "<dt>builder</dt><dd>where a block may begin: 0, as in the authors' prototype and in the 144 "
    "configurations, at a recurrent instruction that was seen as the target of a transfer; 1, at "
    "any recurrent instruction</dd>\n"
    "</dl><p>10/15/13/5 is short for the first four; # is a configuration's number in the "
    "grid.</p></details>\n";

static enum status glossary(struct page *p) {
    bool gaussian;
    enum status status = page_holds(p,
                                    "SELECT 1 FROM completeness JOIN experiment_configuration USING"
                                    " (experiment_id) JOIN configuration USING (configuration_id)"
                                    " WHERE experiment = ?1 AND technique = 'gaussian' LIMIT 1",
                                    &gaussian);
    if (gaussian)
        fputs(GLOSSARY, p->out);
    return status;
}

/* Sections are limited to this many subjects, but include all that figures show. */
enum { MOST_SUBJECTS = 6 };

/* Hot shares and sampling configurations with results, those of the figures first. */
static const char SUBJECTS_SQL[] =
    "SELECT xh.hot_permille, o.way, max(o.variant = '') AS first, replace(group_concat(DISTINCT"
    " o.game), ',', ', ')"
    " FROM completeness o JOIN experiment_hot xh USING (experiment_id) WHERE o.experiment = ?1"
    " AND o.results > 0 GROUP BY xh.hot_permille, o.way"
    " ORDER BY xh.hot_permille <> ?3, xh.hot_permille, min(o.variant) <> '', min(o.game), o.way";

static const char TECHNIQUES_SQL[] =
    "SELECT technique FROM results" SAMPLED " AND number IS NOT NULL GROUP BY technique"
    " ORDER BY count(DISTINCT configuration_id) DESC, technique";

static enum status put_techniques(struct page *p) {
    struct table t;
    enum status status = page_ask(p, &t, TECHNIQUES_SQL, NULL);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&t); i++) {
        p->technique = cell_text(&t, i, 0);
        status = PUT_ITEMS(p, OF_TECHNIQUE);
    }
    p->technique = NULL;
    table_free(&t);
    return status;
}

/* Writes the section of one hot share and sampling configuration. The first of several is open. */
static enum status put_subject(struct page *p, const struct table *t, size_t row) {
    const bool several = table_rows(t) > 1;
    fprintf(p->out, several ? "<details class='subject'%s><summary>" : "<p class='subject'%s>",
            several && row == 0 ? " open" : "");
    fputs("What is hot: edges that make up ", p->out);
    fprintf(p->out, "%g %% of what was executed. %s<code>", (double)p->permille / 10,
            page_sampled(p));
    page_text(p, p->way);
    fputs("</code>: ", p->out);
    page_text(p, cell_text(t, row, 3));
    fputs(several ? "</summary>\n<ul class='findings'>\n" : ".</p>\n<ul class='findings'>\n",
          p->out);
    enum status status = PUT_ITEMS(p, OF_SAMPLING);
    if (status == STATUS_OK)
        status = put_techniques(p);
    fputs(several ? "</ul>\n</details>\n" : "</ul>\n", p->out);
    return status;
}

static enum status put_subjects(struct page *p) {
    struct table t;
    const int64_t shown = p->permille;
    enum status status = page_ask(p, &t, SUBJECTS_SQL, NULL);
    size_t more = 0;
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&t); i++) {
        p->permille = strtoll(cell_text(&t, i, 0), NULL, 10);
        p->way = cell_text(&t, i, 1);
        if (i < MOST_SUBJECTS || strcmp(cell_text(&t, i, 2), "1") == 0)
            status = put_subject(p, &t, i);
        else
            more++;
    }
    if (more > 0)
        fprintf(p->out,
                "<p class='hint'>The tables have %zu more combinations of sampling and hot "
                "share.</p>\n",
                more);
    p->permille = shown;
    p->way = NULL;
    table_free(&t);
    return status;
}

/* For each hot share, if the experiment has both games and programs. */
static enum status put_kinds(struct page *p) {
    struct table t;
    const int64_t shown = p->permille;
    enum status status =
        page_ask(p, &t,
                 "SELECT hot_permille FROM hot_set WHERE experiment = ?1 AND variant = ''"
                 " GROUP BY hot_permille HAVING count(DISTINCT iif(kind IN ('game', 'program'),"
                 " kind, NULL)) = 2 ORDER BY hot_permille <> ?3, hot_permille",
                 NULL);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&t); i++) {
        p->permille = strtoll(cell_text(&t, i, 0), NULL, 10);
        fprintf(p->out,
                "<p class='subject'>Games beside programs, each sampled in its first way. What is "
                "hot: edges that make up %g %% of what was executed.</p>\n<ul class='findings'>\n",
                (double)p->permille / 10);
        status = PUT_ITEMS(p, OF_KINDS);
        fputs("</ul>\n", p->out);
    }
    p->permille = shown;
    table_free(&t);
    return status;
}

enum status page_findings(struct page *p) {
    fputs("<ul class='findings'>\n", p->out);
    enum status status = PUT_ITEMS(p, OF_ALL);
    fputs("</ul>\n", p->out);
    if (status == STATUS_OK)
        status = put_subjects(p);
    if (status == STATUS_OK)
        status = put_kinds(p);
    fputs("<p class='hint'>Each number is the result of a query: click the number to "
          "see it.</p>\n",
          p->out);
    if (status == STATUS_OK)
        status = glossary(p);
    return status;
}
