#include "report/page/page.h"
#include "report/charts/charts.h"
#include "report/charts/charts_cost.h"
#include "report/charts/charts_native.h"
#include "report/charts/charts_optimised.h"
#include "report/charts/charts_study.h"
#include "report/charts/game/charts_game.h"
#include "report/draw/node_layout.h"
#include "report/page/findings.h"
#include "report/page/pieces.h"
#include "report/page/summary.h"
#include "report/page/words.h"
#include "report/tables/tables.h"

#include <stdlib.h>
#include <string.h>

extern const char page_css[], page_js[];

/* ---- tables ---- */

static enum status put_table(void *user, const char *name, const char *title, const char *note,
                             const struct table *t) {
    page_table(user, t, name, title, note, false);
    return STATUS_OK;
}

#define PERCENT(x) "iif(" x " IS NULL, NULL, printf('%.1f', 100 * " x "))"

static const char
    ALL_SQL[] =
        "SELECT r.game, r.hot_permille / 10.0 AS 'hot %', r.way AS 'sampled by', r.number AS '#', "
        "r.technique, r.parameters, r.bins, r.low AS 'low batches',"
        " r.edges, " PERCENT("r.similarity") " AS 'similarity %', " PERCENT("r.similarity_active") " AS 'active %', " PERCENT("r.precision") " AS 'precision %', " PERCENT(
            "r.overlap") " AS 'overlap %', " PERCENT("r.hot_f1_active") " AS 'hot F1 active %' "
                                                                        "FROM results r"
                                                                        " WHERE r.experiment = ?1 "
                                                                        "AND r.hot_permille = ?3 "
                                                                        "AND r.variant = ''"
                                                                        " ORDER BY r.game, "
                                                                        "r.number IS NOT NULL, "
                                                                        "r.number, r.technique, "
                                                                        "r.parameters";

static enum status put_tables(struct page *p, const char *game) {
    (void)game;
    struct table t;
    enum status status = report_each_table(p->r, put_table, p);
    if (status == STATUS_OK)
        status = page_ask(p, &t, ALL_SQL, NULL);
    if (status == STATUS_OK) {
        page_table(p, &t, "all", "Every configuration on every game",
                   "A row is shown if it has all words of the filter and meets all its comparisons "
                   "with a column or a parameter (= != &lt; &lt;= &gt; &gt;=, without blanks): "
                   "<code>mazewisp bin_size=16 similarity&gt;90</code>. The address keeps it.",
                   true);
        if (table_rows(&t) > 0)
            page_query(p, ALL_SQL, NULL);
        table_free(&t);
    }
    return status;
}

/* ---- provenance ---- */

/* Is the page about what was measured beside experiments? */
static bool is_measured(const struct page *p) {
    return p->r->experiment[0] == '\0';
}

/* What BOLT laid out, and what ran it. */
static enum status put_layouts(struct page *p) {
    static const char programs[] =
        "SELECT name AS program, command, p.hash AS 'xxh3-128 of the file', bolt, p.instructions,"
        " p.transfers, count(*) AS layouts FROM bolt_program p JOIN bolt_layout USING"
        " (bolt_program_id) GROUP BY bolt_program_id ORDER BY name, bolt_program_id";
    static const char runs[] =
        "SELECT n.started, coalesce(n.finished, 'stopped before its end') AS finished,"
        " n.version || ' ' || n.source_commit AS program, n.compiler, n.system, n.host, n.cpu AS"
        " processor, n.configuration_file AS configuration, n.arguments AS typed, count(*) AS"
        " layouts FROM bolt_layout JOIN run n USING (run_id) GROUP BY n.run_id ORDER BY started,"
        " n.run_id";
    enum status status = page_answer(p, "laid-out", "What BOLT laid out", NULL, programs, false);
    return status == STATUS_OK
               ? page_answer(p, "layout-runs", "What measured the layouts", NULL, runs, false)
               : status;
}

static enum status put_results(struct page *p) {
    static const char runs[] = "SELECT what, value, runs, results, iif(differs, 'yes', 'no') AS"
                               " differs FROM provenance_summary WHERE experiment = ?1";
    static const char games[] =
        "SELECT k.game, g.title, k.variant, p.rom_sha1 AS 'SHA-1 of PRG and CHR',"
        " m.file AS movie, p.frames, iif(p.rom_sha1 IS NULL, NULL, iif(m.lines IS NULL,"
        " 'the whole time', iif(m.lines < p.frames, 'from frame ' || m.lines || ' on', 'never')))"
        " AS 'nothing pressed', p.instructions, s.batches, k.results, k.missing, sa.key AS "
        "sampling FROM completeness k"
        " JOIN game g USING (game_id) LEFT JOIN stream s USING (stream_id)"
        " LEFT JOIN replay p USING (replay_id) LEFT JOIN movie m USING (movie_id) LEFT JOIN "
        "sampling sa USING (sampling_id)"
        " WHERE k.experiment = ?1 ORDER BY k.game, k.variant";
    struct table t;
    enum status status = page_ask(p, &t, games, NULL);
    if (status == STATUS_OK) {
        page_table(p, &t, "played", "What was played", NULL, false);
        table_free(&t);
        status = page_ask(p, &t, runs, NULL);
    }
    if (status == STATUS_OK) {
        page_table(p, &t, "runs", "What computed it",
                   "For how many runs, and for how many of their results, each line is true. "
                   "Results are the same on "
                   "every machine, with any engine and any number of threads; timings are not. "
                   "<code>hotgraph runs</code> lists the runs one by one.",
                   false);
        page_query(p, runs, NULL);
        table_free(&t);
    }
    fputs("<p>Digest of all results, without timings: <code id='digest'>", p->out);
    page_text(p, p->digest != NULL ? p->digest : "not taken");
    fputs("</code>. The same results have the same digest on every machine.</p>\n", p->out);
    return status;
}

static enum status put_provenance(struct page *p, const char *game) {
    (void)game;
    enum status status = is_measured(p) ? STATUS_OK : put_results(p);
    return status == STATUS_OK ? put_layouts(p) : status;
}

/* ---- the page ---- */

void page_head(struct page *p, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
          "<meta name='viewport' content='width=device-width,initial-scale=1'>\n<title>hotgraph: ",
          p->out);
    page_text(p, title);
    fputs("</title>\n<style>\n", p->out);
    palette_css(p->out);
    fprintf(p->out, "%s</style>\n</head>\n<body>\n<header>\n<h1>hotgraph: ", page_css);
    page_text(p, title);
    fputs("</h1>\n<p class='hint'>How well do sampling profilers find the hot part of a program's "
          "control flow, and what does it cost? The paper is Napoli, <cite lang='pt'>Estudo e "
          "implementação de técnicas de perfilamento por amostragem</cite>, 2015; its algorithm, "
          "GFCGaussiano, is called gaussian here. Similarity is the share of the exact graph's hot "
          "edges that a graph has at all.</p>\n",
          p->out);
}

void page_foot(struct page *p) {
    fprintf(p->out, "<script>\n%s</script>\n</body>\n</html>\n", page_js);
}

enum { GAME_NAME, GAME_TITLE, GAME_IS_PROGRAM, GAME_WAY };

static bool is_program(const struct page *p, size_t game) {
    return strcmp(cell_text(&p->games, game, GAME_IS_PROGRAM), "1") == 0;
}

/* ---- parts that are left out if empty ---- */

typedef enum status (*part_writer)(struct page *p, const char *game);

/* Writes `before`, the part and `after`, or nothing if the part is empty. *any: is it non-empty? */
static enum status put_around(struct page *p, const char *before, part_writer write,
                              const char *game, const char *after, bool *any) {
    FILE *const out = p->out;
    char *text = NULL;
    size_t size = 0;
    *any = false;
    if ((p->out = open_memstream(&text, &size)) == NULL) {
        p->out = out;
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a page");
    }
    enum status status = write(p, game);
    if (fclose(p->out) != 0 && status == STATUS_OK)
        status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a page");
    p->out = out;
    if (status == STATUS_OK && size > 0) {
        fprintf(out, "%s%s%s", before, text, after);
        *any = true;
    }
    free(text);
    return status;
}

static enum status put_figures(struct page *p, part_writer write, const char *game) {
    bool any;
    return put_around(p, "<div class='figures'>\n", write, game, "</div>\n", &any);
}

static enum status put_charts(struct page *p, const char *game) {
    (void)game;
    return page_charts(p);
}

static enum status all_games(struct page *p, const char *game) {
    enum status status = put_figures(p, put_charts, game);
    if (status == STATUS_OK)
        status = page_budgets(p);
    if (status == STATUS_OK)
        status = page_frontier(p);
    if (status == STATUS_OK)
        status = page_costs(p);
    return status;
}

/* Lists all games or all programs. */
static void offer(struct page *p, bool programs, size_t selected) {
    for (size_t i = 0; i < table_rows(&p->games); i++) {
        const char *game = cell_text(&p->games, i, GAME_NAME),
                   *title = cell_text(&p->games, i, GAME_TITLE);
        if (is_program(p, i) != programs)
            continue;
        fprintf(p->out, "<option value='%s'%s>", game, i == selected ? " selected" : "");
        page_text(p, title[0] != '\0' ? title : game);
        fputs("</option>", p->out);
    }
}

/* Selects a program first if there are any: games then appear beside it. */
static void choosers(struct page *p) {
    const char *of = page_subject(p);
    const bool both = strcmp(of, "program or game") == 0;
    size_t selected = 0;
    while (strcmp(of, "game") != 0 && !is_program(p, selected))
        selected++;
    fprintf(p->out, "<div class='chooser' hidden><label>%c%s <select id='game'>%s",
            of[0] - 'a' + 'A', of + 1, both ? "<optgroup label='Programs'>" : "");
    offer(p, true, selected);
    fputs(both ? "</optgroup><optgroup label='Games'>" : "", p->out);
    offer(p, false, selected);
    fputs(both ? "</optgroup>" : "", p->out);
    fputs(
        "<option value=''>all of them</option></select></label> <label>Graph of <select id='graph'>"
        "<option value='best'>the best configuration</option><option value='median'>the median"
        "</option><option value='worst'>the worst</option><option value='baseline'>reading off "
        "the samples</option></select></label> <label><input type='checkbox' id='only'> its rows "
        "alone in the tables below</label></div>\n",
        p->out);
}

static enum status one_game(struct page *p, const char *game) {
    return put_figures(p, page_game, game);
}

static enum status each_game(struct page *p, const char *unused) {
    enum status status = STATUS_OK;
    (void)unused;
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&p->games); i++) {
        const char *game = cell_text(&p->games, i, GAME_NAME);
        char before[400];
        bool any;
        snprintf(before, sizeof before, "<div data-game='%s'>\n<h3>%s</h3>\n", game, game);
        p->way = cell_text(&p->games, i, GAME_WAY);
        page_speak_of(p, "");
        status = put_around(p, before, one_game, game, "</div>\n", &any);
        p->way = NULL;
        p->about[0] = '\0';
    }
    return status;
}

static enum status native_programs(struct page *p, const char *game) {
    (void)game;
    return page_native(p);
}

static enum status optimised(struct page *p, const char *game) {
    (void)game;
    return page_optimised(p);
}

static enum status findings(struct page *p, const char *game) {
    (void)game;
    return page_findings(p);
}

/* ---- the whole page ---- */

/* name: in the row of links above. Where about is given, the title and the name end in what the
 * page is about: a game or a program, or all of them. */
static const struct section {
    const char *id, *title, *name;
    const char *(*about)(const struct page *p);
    part_writer write;
    bool chosen; /* a chooser of games precedes it */
    bool beside; /* shown without results of an experiment, too */
} SECTIONS[] = {
    {"findings", "What was found", "Findings", NULL, findings, false, false},
    {"games", "Over all ", "All ", page_subjects, all_games, false, false},
    {"one", "One ", "One ", page_subject, each_game, true, false},
    {"native-programs", "Probes in native programs", "Native programs", NULL, native_programs, true,
     true},
    {"optimised-programs", "Programs laid out by BOLT", "BOLT", NULL, optimised, true, true},
    {"tables", "The tables", "Tables", NULL, put_tables, true, false},
    {"provenance", "Where it comes from", "Where it comes from", NULL, put_provenance, false, true},
};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

/* Without results only what was measured beside them is shown, and the provenance. p->games lists the games' default streams, which an
 * experiment that varies the sampling may lack. */
static enum status write_sections(struct page *p, bool any[SECTION_COUNT]) {
    static const char results[] =
        "SELECT 1 FROM completeness WHERE experiment = ?1 AND results > 0";
    const bool has_games = table_rows(&p->games) > 0;
    bool has_results = false, chosen = false;
    enum status status = page_holds(p, results, &has_results);
    if (status == STATUS_OK && has_games)
        status = page_summary(p);
    for (size_t i = 0; status == STATUS_OK && i < SECTION_COUNT; i++) {
        const struct section *s = &SECTIONS[i];
        char before[200];
        any[i] = false;
        if (!has_results && !s->beside)
            continue;
        if (s->chosen != chosen) {
            fputs(s->chosen ? "<div class='chosen'>\n" : "</div>\n", p->out);
            if (s->chosen && has_games)
                choosers(p);
            chosen = s->chosen;
        }
        snprintf(before, sizeof before, "<section id='%s'>\n<h2>%s%s</h2>\n", s->id, s->title,
                 s->about != NULL ? s->about(p) : "");
        status = put_around(p, before, s->write, NULL, "</section>\n", &any[i]);
    }
    return status;
}

static void put_missing(struct page *p, const char *count) {
    char grouped[40];
    const bool one = strcmp(count, "1") == 0;
    fprintf(p->out,
            "<p class='lack'>%s result%s of this experiment %s missing. The page covers those that "
            "exist.</p>\n",
            group_thousands(count, grouped) ? grouped : count, one ? "" : "s", one ? "is" : "are");
}

/* Reports once, at the top, what is missing: results, and programs that draw. */
static enum status put_lacks(struct page *p) {
    struct table t;
    enum status status = page_ask(p, &t,
                                  "SELECT coalesce(sum(missing), 0), coalesce(sum(results), 0)"
                                  " FROM completeness WHERE experiment = ?1",
                                  NULL);
    if (status != STATUS_OK)
        return status;
    if (is_measured(p))
        ; /* nothing was asked for */
    else if (strcmp(cell_text(&t, 0, 1), "0") == 0)
        fputs("<p class='lack'>This experiment has no results yet.</p>\n", p->out);
    else if (strcmp(cell_text(&t, 0, 0), "0") != 0)
        put_missing(p, cell_text(&t, 0, 0));
    if (!p->r->pictures)
        fputs("<p class='lack'>Charts are missing because gnuplot, which draws them, is not "
              "installed. "
              "Install gnuplot-nox and run 'hotgraph report' on the database.</p>\n",
              p->out);
    if (!p->graphviz && !is_measured(p))
        fputs(
            "<p class='lack'>Hot graphs are missing because Graphviz, which lays them out, is not "
            "installed. Install graphviz and run 'hotgraph report' on the database.</p>\n",
            p->out);
    table_free(&t);
    return STATUS_OK;
}

static enum status write_page(struct page *p) {
    FILE *const out = p->out;
    bool any[SECTION_COUNT];
    char *text = NULL;
    size_t size = 0;
    if ((p->out = open_memstream(&text, &size)) == NULL) {
        p->out = out;
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a page");
    }
    enum status status = write_sections(p, any);
    if (fclose(p->out) != 0 && status == STATUS_OK)
        status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a page");
    p->out = out;
    if (status == STATUS_OK) {
        page_head(p, is_measured(p) ? "what was measured" : p->r->experiment);
        fprintf(out, "<nav>%s",
                p->r->one_of_several ? "<a href='../index.html'>All experiments</a>" : "");
        for (size_t i = 0; i < SECTION_COUNT; i++)
            if (any[i])
                fprintf(out, "<a href='#%s'>%s%s</a>", SECTIONS[i].id, SECTIONS[i].name,
                        SECTIONS[i].about != NULL ? SECTIONS[i].about(p) : "");
        fputs("</nav>\n</header>\n", out);
        status = put_lacks(p);
        fwrite(text, 1, size, out);
        page_foot(p);
    }
    free(text);
    return status;
}

/* Finds p->permille. */
static enum status find_share(struct page *p) {
    return db_integer(p->r->db,
                      "SELECT hot_permille FROM experiment_hot JOIN experiment x"
                      " USING (experiment_id) WHERE x.name = ?"
                      " ORDER BY hot_permille <> 900, hot_permille LIMIT 1",
                      900, &p->permille, p->r->e, "t", p->r->experiment);
}

static enum status ask_basics(struct page *p) {
    enum status status =
        page_ask(p, &p->games,
                 "SELECT game, title, max(p.kind = 'program'), min(way) FROM completeness k"
                 " JOIN game USING (game_id) LEFT JOIN stream USING (stream_id)"
                 " LEFT JOIN replay p USING (replay_id) WHERE experiment = ?1 AND results > 0"
                 " AND k.variant = '' GROUP BY game ORDER BY 1",
                 NULL);
    return status == STATUS_OK ? find_share(p) : status;
}

enum status report_page(struct report *r, const char *digest) {
    struct page p = {.r = r, .digest = digest, .graphviz = graphviz_is_there()};
    char *text = NULL;
    size_t size = 0;
    enum status status = ask_basics(&p);
    if (status == STATUS_OK && (p.out = open_memstream(&text, &size)) == NULL)
        status = error_set(r->e, STATUS_MEMORY, "out of memory for a page");
    if (status == STATUS_OK)
        status = write_page(&p);
    if (p.out != NULL && fclose(p.out) != 0 && status == STATUS_OK)
        status = error_set(r->e, STATUS_MEMORY, "out of memory for a page");
    if (status == STATUS_OK && r->pictures)
        status = gnuplot_run(&r->charts, r->e);
    char *whole = status == STATUS_OK ? page_fill(r, text, &size) : NULL;
    if (status == STATUS_OK)
        status = whole != NULL ? report_save(r, "index.html", whole, size) : r->e->status;
    free(whole);
    table_free(&p.games);
    free(text);
    return status;
}
