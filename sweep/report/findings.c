/*
 * Findings: sentences whose numbers are answers of the database. A sentence is left out where its
 * query has no answer, so a report says nothing that it does not know.
 */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

/* {0}, {1}, ... in the text are the columns of the query's only row; of "{0} to {1}" only {0} is
 * said where both are the same. */
struct finding {
    const char *sql, *text;
};

#define EXPERIMENT " WHERE experiment = ?1 AND hot_permille = ?3"

static const struct finding FINDINGS[] = {
    {"SELECT count(DISTINCT game) || iif(count(DISTINCT game) = 1, ' game or program',"
     " ' games or programs'), sum(results), sum(missing) FROM completeness WHERE experiment = ?1 "
     "HAVING sum(results) > 0",
     "{0}, {1} results; {2} that the experiment asks for are not there."},
    {"SELECT round(min(sampled_percent), 2), round(max(sampled_percent), 2) FROM table1" EXPERIMENT
     " HAVING min(sampled_percent) IS NOT NULL",
     "Of the executed instructions {0} to {1} % were looked at."},
    {"SELECT min(worst_percent), max(best_percent), min(baseline_percent), max(baseline_percent)"
     " FROM table2" EXPERIMENT " HAVING min(worst_percent) IS NOT NULL AND"
     " min(baseline_percent) IS NOT NULL",
     "Of the hot edges the configurations of the grid find {0} to {1} %; reading edges directly "
     "off "
     "the same samples finds {2} to {3} %."},
    {"SELECT min(worst_active_percent), max(best_active_percent), min(baseline_active_percent),"
     " max(baseline_active_percent) FROM table2" EXPERIMENT
     " HAVING min(worst_active_percent) IS NOT NULL AND min(baseline_active_percent) IS NOT NULL",
     "Without busy-waits, the loops in which a program waits for the next frame: {0} to {1} %, and "
     "{2} to {3} % directly."},
    {"WITH direct AS MATERIALIZED (SELECT experiment, game, variant, hot_permille, similarity,"
     " similarity_active FROM baseline" EXPERIMENT ")"
     " SELECT sum(r.similarity > b.similarity), count(*), sum(r.similarity_active >"
     " b.similarity_active) FROM results r JOIN direct b USING (experiment, game, variant,"
     " hot_permille)" EXPERIMENT " AND r.number IS NOT NULL HAVING count(*) > 0",
     "Of {1} results {0} find more hot edges than what can be read directly off the same samples; "
     "without busy-waits {2}."},
    {"SELECT number, parameters, mean_percent, baseline_mean_percent, shared FROM "
     "best_configuration"
     " " EXPERIMENT " AND " SHOWN_WAY
     " AND place = 1 AND mean_percent IS NOT NULL AND baseline_mean_percent IS NOT"
     " NULL ORDER BY position LIMIT 1",
     "In the mean over the games configuration #{0} ({1}) finds most: {2} %, against {3} % "
     "directly."},
    {"SELECT parameter, round(max(effect_points) - min(effect_points), 2) FROM "
     "parameter_effect" EXPERIMENT " AND " SHOWN_WAY
     " GROUP BY technique, parameter HAVING count(DISTINCT value) > 1 ORDER BY"
     " max(effect_points) - min(effect_points) DESC LIMIT 1",
     "The parameter that matters most is {0}: its best and worst value are {1} points apart."},
    {"SELECT parameter, round(max(effect_points) - min(effect_points), 2) FROM "
     "parameter_effect" EXPERIMENT " AND " SHOWN_WAY
     " GROUP BY technique, parameter HAVING count(DISTINCT value) > 1 AND (SELECT"
     " count(DISTINCT parameter) FROM parameter_effect WHERE experiment = ?1) > 1 ORDER BY"
     " max(effect_points) - min(effect_points) LIMIT 1",
     "The one that matters least is {0}, with {1} points."},
    {"SELECT min(batches), round(100 * min(similarity), 1), round(100 * max(similarity), 1)"
     " FROM convergence_curve" EXPERIMENT " AND baseline = 1 AND batches = (SELECT max(batches)"
     " FROM experiment_mark JOIN experiment USING (experiment_id) WHERE name = ?1 AND batches <="
     " 3000) HAVING min(similarity) IS NOT NULL",
     "After the first {0} batches reading directly off the samples has found {1} to {2} % of the "
     "hot edges."},
    {"SELECT count(*), sum(r.s > p.best_percent), sum(r.s < p.worst_percent) FROM (SELECT"
     " paper_game, 100 * similarity AS s FROM results" EXPERIMENT " AND number IS NOT NULL AND"
     " similarity IS NOT NULL) r JOIN paper_game p USING (paper_game) HAVING count(*) > 0",
     "Held against the paper's game of the same kind (other programs, other input), {1} of {0} "
     "results are above the paper's best and {2} below its worst."},
    {"SELECT round(sum(seconds), 1), count(*) FROM results" EXPERIMENT
     " AND number IS NOT NULL HAVING count(*) > 0",
     "Building the {1} graphs took {0} s of processor time (a measurement, which "
     "varies with the machine and what else it does: see <a href='#runs'>timings</a>; no digest "
     "has "
     "it)."},
    /* Games and programs side by side. */
    {"SELECT min(hot_edges) FILTER (WHERE kind = 'game'), max(hot_edges) FILTER (WHERE kind ="
     " 'game'), min(hot_edges) FILTER (WHERE kind = 'program'), max(hot_edges) FILTER (WHERE kind"
     " = 'program'), min(low_percent) FILTER (WHERE kind = 'game'), max(low_percent) FILTER (WHERE"
     " kind = 'game'), min(low_percent) FILTER (WHERE kind = 'program'), max(low_percent) FILTER"
     " (WHERE kind = 'program') FROM hot_set" EXPERIMENT " HAVING count(DISTINCT kind) = 2"
     " AND count(low_percent) > 0",
     "The hot sets of games have {0} to {1} edges, those of programs {2} to {3}; of the batches "
     "of games {4} to {5} % lie in one small place, of those of programs {6} to {7} %."},
    {"SELECT min(gaussian_best_percent) FILTER (WHERE kind = 'game'), max(gaussian_best_percent)"
     " FILTER (WHERE kind = 'game'), min(gaussian_best_percent) FILTER (WHERE kind = 'program'),"
     " max(gaussian_best_percent) FILTER (WHERE kind = 'program'), sum(gaussian_best_percent >"
     " baseline_percent), count(*) FROM hot_set" EXPERIMENT " HAVING count(DISTINCT kind) = 2"
     " AND count(gaussian_best_percent) = count(*) AND count(baseline_percent) = count(*)",
     "The best of GFCGaussiano finds {0} to {1} % of the hot edges of games and {2} to {3} % of "
     "those of programs, more than can be read directly off the samples in {4} of {5}."},
    {"SELECT sum(gain > 0) FILTER (WHERE kind = 'game'), count(*) FILTER (WHERE kind = 'game'),"
     " round(avg(gain) FILTER (WHERE kind = 'game'), 1), sum(gain > 0) FILTER (WHERE kind ="
     " 'program'), count(*) FILTER (WHERE kind = 'program'), round(avg(gain) FILTER (WHERE kind ="
     " 'program'), 1), max(game) FILTER (WHERE place = 1), round(max(gain), 1) FROM (SELECT *,"
     " row_number() OVER (ORDER BY gain DESC, game DESC) AS place FROM (SELECT kind, game,"
     " structured_best_overlap - baseline_overlap AS gain FROM hot_set" EXPERIMENT
     " AND structured_best_overlap IS NOT NULL AND baseline_overlap IS NOT NULL))"
     " HAVING count(DISTINCT kind) = 2",
     "What knows the structure has a larger overlap than what is read directly off the same "
     "samples in {0} of {1} games, by {2} points in the mean, and in {3} of {4} programs, by {5}; "
     "by most in {6}, {7} points."},
};

static void put_sentence(struct page *p, const char *text, const struct table *t) {
    const char *last = "";
    for (; *text != '\0'; text++) {
        if (strncmp(text, " to {", 5) == 0 &&
            strcmp(cell_text(t, 0, (size_t)(text[5] - '0')), last) == 0) {
            text += strlen(" to {1");
            continue;
        }
        if (*text != '{') {
            fputc(*text, p->out);
            continue;
        }
        last = cell_text(t, 0, (size_t)(text[1] - '0'));
        text += 2;
        fprintf(p->out, "<a class='n' href='#q%u'>", p->queries + 1);
        page_text(p, last);
        fputs("</a>", p->out);
    }
}

static bool is_answered(const struct table *t) {
    for (size_t i = 0; table_rows(t) > 0 && i < t->names.len; i++)
        if (table_cell(t, 0, i) == NULL)
            return false;
    return table_rows(t) > 0;
}

/* What the paper's parameters are; tests hold their names against the program's. */
static const char GLOSSARY[] =
    "<details class='glossary'><summary>The parameters of gaussian</summary><dl>\n"
    "<dt>bin_size</dt><dd>how far, in bytes, a mean address may be from the centre of the bin that "
    "it is put into</dd>\n"
    "<dt>stdev_threshold</dt><dd>a batch is low, a loop in one small place, where the standard "
    "deviation of its window means is at most this many bytes</dd>\n"
    "<dt>window_size</dt><dd>of so many instructions that follow each other a mean is taken</dd>\n"
    "<dt>recurrent_threshold</dt><dd>an instruction is recurrent where the nearest bin was hit "
    "more "
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

enum status page_findings(struct page *p) {
    enum status status = STATUS_OK;
    fputs("<section id='findings'>\n<h2>What was found</h2>\n<ul class='findings'>\n", p->out);
    for (size_t i = 0; status == STATUS_OK && i < sizeof FINDINGS / sizeof *FINDINGS; i++) {
        struct table t;
        status = page_ask(p, &t, FINDINGS[i].sql, NULL);
        if (status == STATUS_OK && is_answered(&t)) {
            fputs("<li>", p->out);
            put_sentence(p, FINDINGS[i].text, &t);
            page_query(p, FINDINGS[i].sql, NULL);
            fputs("</li>\n", p->out);
        }
        table_free(&t);
    }
    fputs("</ul>\n<p class='hint'>Each number is an answer of the database: click it for the "
          "question. Hot edges are those that make up 90 % of what was executed, where nothing "
          "else is said.</p>\n",
          p->out);
    if (status == STATUS_OK)
        status = glossary(p);
    fputs("</section>\n", p->out);
    return status;
}
