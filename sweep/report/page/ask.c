#include "report/page/ask.h"
#include "report/grid.h"

#include <stdlib.h>
#include <string.h>

/* ---- queries: a page shows the query text that was run ---- */

/* Quotes text from the database for SQL. */
static void put_quoted(FILE *out, const char *text, bool *ok) {
    char *quoted = report_quote(text != NULL ? text : "");
    *ok &= quoted != NULL && fputs(quoted, out) >= 0;
    free(quoted);
}

char *page_fill_in(const struct page *p, const char *sql, const char *game) {
    const char *const words[] = {p->r->experiment, game, NULL, p->way, p->technique};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool ok = out != NULL;
    for (; ok && *sql != '\0'; sql++) {
        if (sql[0] != '?' || sql[1] < '1' || sql[1] > '5')
            fputc(*sql, out);
        else if (*++sql == '3')
            fprintf(out, "%lld", (long long)p->permille);
        else
            put_quoted(out, words[*sql - '1'], &ok);
    }
    ok = (out == NULL || fclose(out) == 0) && ok;
    if (ok)
        return text;
    free(text);
    return NULL;
}

enum status page_ask(struct page *p, struct table *out, const char *sql, const char *game) {
    char *text = page_fill_in(p, sql, game);
    *out = (struct table){0};
    if (text == NULL)
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a query");
    enum status status = table_query(out, p->r->db, text, NULL, p->r->e);
    free(text);
    return status;
}

enum status page_holds(struct page *p, const char *sql, bool *out) {
    struct table t;
    enum status status = page_ask(p, &t, sql, NULL);
    *out = status == STATUS_OK && table_rows(&t) > 0;
    table_free(&t);
    return status;
}

enum ink page_game_ink(const struct page *p, const char *game) {
    size_t i = 0;
    while (i < table_rows(&p->games) && strcmp(cell_text(&p->games, i, 0), game) != 0)
        i++;
    return INK_SERIES + (enum ink)(i % INK_SERIES_COUNT);
}

/* ---- the current subject ---- */

const char *page_subjects(const struct page *p) {
    const size_t count = table_rows(&p->games);
    size_t programs = 0;
    for (size_t i = 0; i < count; i++)
        programs += strcmp(cell_text(&p->games, i, 2), "1") == 0;
    return programs == 0 ? "games" : programs < count ? "games and programs" : "programs";
}

const char *page_subject(const struct page *p) {
    const char *all = page_subjects(p);
    return strcmp(all, "games") == 0      ? "game"
           : strcmp(all, "programs") == 0 ? "program"
                                          : "program or game";
}

const char *page_sampled(const struct page *p) {
    return strncmp(p->way, "live", strlen("live")) == 0 ? "Watched " : "Sampled by ";
}

void page_speak_of(struct page *p, const char *games) {
    snprintf(p->about, sizeof p->about,
             "Hot: %g %% of what was executed.%s%s%.160s%s%s%.60s%s%.100s",
             (double)p->permille / 10, p->way != NULL ? " " : "",
             p->way != NULL ? page_sampled(p) : "", p->way != NULL ? p->way : "",
             p->way != NULL ? "." : "", p->technique != NULL ? " Technique: " : "",
             p->technique != NULL ? p->technique : "", p->technique != NULL ? ". " : " ", games);
}

struct figure_id page_id(const struct page *p, const char *kind) {
    struct figure_id id;
    if (p->study == 0)
        snprintf(id.text, sizeof id.text, "%s", kind);
    else
        snprintf(id.text, sizeof id.text, "%s-%u", kind, p->study + 1);
    return id;
}
