#include "report/page/sentences.h"
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <string.h>

/* 1,160 for 1160. */
static void put_number(struct page *p, const char *text) {
    char grouped[40];
    page_text(p, group_thousands(text, grouped) ? grouped : text);
}

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
        const bool plain = *++text == '=';
        text += plain;
        last = cell_text(t, 0, (size_t)(*text++ - '0'));
        if (!plain)
            fprintf(p->out, "<a class='n' href='#q%u'>", p->queries + 1);
        put_number(p, last);
        if (!plain)
            fputs("</a>", p->out);
    }
}

static bool is_answered(const struct table *t) {
    for (size_t i = 0; table_rows(t) > 0 && i < t->names.len; i++)
        if (table_cell(t, 0, i) == NULL)
            return false;
    return table_rows(t) > 0;
}

enum status put_sentences(struct page *p, const struct sentence *sentences, size_t count,
                          const char *tag) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct table t;
        status = page_ask(p, &t, sentences[i].sql, NULL);
        if (status == STATUS_OK && is_answered(&t)) {
            fprintf(p->out, "<%s>", tag);
            put_sentence(p, sentences[i].text, &t);
            page_query(p, sentences[i].sql, NULL);
            fprintf(p->out, "</%s>\n", tag);
        }
        table_free(&t);
    }
    return status;
}
