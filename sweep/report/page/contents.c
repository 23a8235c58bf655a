/* The page of a database with several experiments: links to the page of each. */
#include "report/page/page.h"
#include "report/page/pieces.h"
#include "report/report.h"

#include <stdlib.h>

/* Writes a table row: the link, then the experiment's data. */
static enum status put_experiment(struct page *p, const char *digest) {
    static const char sql[] =
        "SELECT count(DISTINCT game), count(*), max(configurations), sum(results), sum(missing)"
        " FROM completeness WHERE experiment = ?1";
    struct table t;
    enum status status = page_ask(p, &t, sql, NULL);
    if (status != STATUS_OK)
        return status;
    char *folder = report_folder_of(p->r->experiment);
    fprintf(p->out, "<tr><td><a href='%s/index.html'>", folder != NULL ? folder : "");
    free(folder);
    page_text(p, p->r->experiment);
    fputs("</a></td>", p->out);
    for (size_t i = 0; i < 5; i++) {
        fputs("<td class='r'>", p->out);
        page_text(p, cell_text(&t, 0, i));
        fputs("</td>", p->out);
    }
    fputs("<td><code>", p->out);
    page_text(p, digest);
    fputs("</code></td></tr>\n", p->out);
    table_free(&t);
    return STATUS_OK;
}

static enum status put_all(struct page *p, const struct report_contents *q) {
    enum status status = STATUS_OK;
    page_head(p, "several experiments");
    fprintf(p->out,
            "</header>\n<p>The database has %zu experiments. Each has a page of its own; results "
            "of one are not mixed with those of another.</p>\n<div class='scroll'><table>\n<thead>"
            "<tr><th scope='col'>experiment</th><th scope='col' class='r'>games</th><th "
            "scope='col' class='r'>streams</th><th scope='col' class='r'>configurations</th><th "
            "scope='col' class='r'>results</th><th scope='col' class='r'>missing</th><th "
            "scope='col'>digest</th></tr></thead>\n<tbody>\n",
            q->count);
    for (size_t i = 0; status == STATUS_OK && i < q->count; i++) {
        p->r->experiment = q->names[i];
        status = put_experiment(p, q->digests[i]);
    }
    fputs("</tbody></table></div>\n", p->out);
    page_foot(p);
    return status;
}

enum status report_contents(const struct report_contents *q, struct error *e) {
    struct report r = {.db = q->db, .folder = q->folder, .e = e};
    struct page p = {.r = &r};
    char *text = NULL;
    size_t size = 0;
    if ((p.out = open_memstream(&text, &size)) == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for a page");
    enum status status = put_all(&p, q);
    if (fclose(p.out) != 0 && status == STATUS_OK)
        status = error_set(e, STATUS_MEMORY, "out of memory for a page");
    if (status == STATUS_OK)
        status = report_save(&r, "index.html", text, size);
    free(text);
    return status;
}
