#include "cli/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 80, HELP_COLUMN = 28 };

size_t usage_rows(const struct usage *u, const struct option_spec *all[OPTIONS_MOST]) {
    size_t n = 0;
    const struct option_spec *const tables[] = {u->options, u->more};
    for (size_t i = 0; i < 2; i++)
        for (const struct option_spec *o = tables[i]; o != NULL && o->name != NULL; o++)
            if (n < OPTIONS_MOST)
                all[n++] = o;
    return n;
}

/* ---- for people ---- */

/* Adds a line's words to a paragraph; returns the new column. */
static int fill(const char *line, int length, int column) {
    for (int at = 0; at < length;) {
        const int n = (int)strcspn(line + at, " \n");
        if (n > 0 && column > 0 && column + 1 + n > LINE_WIDTH) {
            putchar('\n');
            column = 0;
        }
        if (n > 0)
            column += printf("%s%.*s", column > 0 ? " " : "", n, line + at);
        at += n + 1;
    }
    return column;
}

/* Prints text from `column` on, wrapped at LINE_WIDTH; indents each line after the first. */
static void print_wrapped(const char *text, int column, int indent) {
    bool at_start = true;
    while (*text != 0) {
        int n = (int)strcspn(text, " \n");
        if (!at_start && column + 1 + n > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (!at_start) {
            putchar(' ');
            column++;
        }
        at_start = false;
        printf("%.*s", n, text);
        column += n;
        text += n;
        text += *text != 0;
    }
    putchar('\n');
}

/* Lines without indentation are paragraphs, which are filled. An indented line that is too long
 * continues below its last column, which begins after two blanks. */
static void print_details(const char *text) {
    int column = 0;
    while (*text != 0) {
        const int n = (int)strcspn(text, "\n");
        const int margin = (int)strspn(text, " ");
        if (n == 0 || margin > 0) {
            if (column > 0)
                putchar('\n');
            column = 0;
        }
        if (margin > 0 && n > LINE_WIDTH) {
            char line[600];
            int start = margin;
            for (int i = margin; i + 2 < n && i < LINE_WIDTH / 2; i++)
                if (text[i] == ' ' && text[i + 1] == ' ' && text[i + 2] != ' ')
                    start = i + 2;
            snprintf(line, sizeof line, "%.*s", n - start, text + start);
            printf("%.*s", start, text);
            print_wrapped(line, start, start == margin ? margin + 4 : start);
        } else if (n == 0 || margin > 0) {
            printf("%.*s\n", n, text);
        } else {
            column = fill(text, n, column);
        }
        text += n;
        text += *text != 0;
    }
    if (column > 0)
        putchar('\n');
}

static void print_option(const char *name, const char *value, const char *help) {
    int n = printf("  --%s%s%s", name, value != NULL ? " " : "", value != NULL ? value : "");
    if (n >= HELP_COLUMN) {
        putchar('\n');
        n = 0;
    }
    printf("%*s", HELP_COLUMN - n, "");
    print_wrapped(help, HELP_COLUMN, HELP_COLUMN);
}

static void print_help(const struct usage *u) {
    printf("Usage: hotgraph %s [OPTION]...%s%s\n\n", u->command, u->operands[0] != 0 ? " " : "",
           u->operands);
    print_wrapped(u->summary, 0, 0);
    printf("\nOptions:\n");
    const struct option_spec *all[OPTIONS_MOST];
    size_t n = usage_rows(u, all);
    for (size_t i = 0; i < n; i++)
        print_option(all[i]->name, all[i]->value, all[i]->help);
    print_option("help", NULL, "print this and exit (also -h)");
    if (u->details != NULL) {
        putchar('\n');
        print_details(u->details);
    }
}

/* ---- for man(1) ---- */

void print_roff(const char *text) {
    bool line_start = true;
    for (; *text != 0; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

void print_roff_head(const char *page, const char *summary) {
    printf(".TH \"");
    for (const char *s = page; *s != 0; s++)
        putchar(*s == ' ' ? '-' : toupper((unsigned char)*s));
    printf("\" 1 \"\" hotgraph \"User Commands\"\n.SH NAME\n");
    for (const char *s = page; *s != 0; s++)
        putchar(*s == ' ' ? '-' : *s);
    printf(" \\- ");
    print_roff(summary);
    printf("\n.SH SYNOPSIS\n.B ");
    print_roff(page);
    putchar('\n');
}

static void print_man(const struct usage *u) {
    char page[80];
    snprintf(page, sizeof page, "hotgraph %s", u->command);
    print_roff_head(page, u->summary);
    printf("[\\fIOPTION\\fR]... ");
    print_roff(u->operands);
    printf("\n.SH OPTIONS\n");
    const struct option_spec *all[OPTIONS_MOST];
    size_t n = usage_rows(u, all);
    for (size_t i = 0; i < n; i++) {
        printf(".TP\n\\fB\\-\\-");
        print_roff(all[i]->name);
        printf("\\fR");
        if (all[i]->value != NULL) {
            printf(" \\fI");
            print_roff(all[i]->value);
            printf("\\fR");
        }
        putchar('\n');
        print_roff(all[i]->help);
        putchar('\n');
    }
    printf(".TP\n\\fB\\-\\-help\\fR, \\fB\\-h\\fR\nprint this and exit\n");
    if (u->details != NULL) {
        printf(".SH DESCRIPTION\n.nf\n");
        print_roff(u->details);
        printf(".fi\n");
    }
    printf(".SH SEE ALSO\n.BR hotgraph (1)\n");
}

/* ---- for a shell ---- */

static void print_words(const struct usage *u) {
    const struct option_spec *all[OPTIONS_MOST];
    size_t n = usage_rows(u, all);
    for (size_t i = 0; i < n; i++) {
        const struct option_spec *o = all[i];
        const bool file = o->value != NULL &&
                          (strstr(o->value, "FILE") != NULL || strstr(o->value, "DIR") != NULL);
        printf("--%s\t%s\t", o->name,
               o->kind == OPTION_FLAG ? "flag"
               : o->choices != NULL   ? "choice"
               : file                 ? "file"
                                      : "word");
        for (const char *const *c = o->choices; c != NULL && *c != NULL; c++)
            printf("%s%s", c == o->choices ? "" : " ", *c);
        putchar('\n');
    }
    printf("--help\tflag\t\n");
    for (const char *const *w = u->words; w != NULL && *w != NULL; w++)
        printf("word\t%s\n", *w);
}

bool manual_print(const struct usage *u, const char *form) {
    if (form == NULL)
        print_help(u);
    else if (strcmp(form, "man") == 0)
        print_man(u);
    else if (strcmp(form, "options") == 0)
        print_words(u);
    else
        return false;
    return true;
}
