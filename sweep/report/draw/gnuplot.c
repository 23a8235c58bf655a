#include "report/draw/gnuplot.h"
#include "base/child.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gnuplot_is_there(void) {
    return program_is_there("gnuplot");
}

bool program_is_there(const char *name) {
    char path[4096];
    return child_find(name, path, sizeof path);
}

static void add_text(struct gnuplot *g, const char *text) {
    size_t n = strlen(text);
    if (!vec_reserve(&g->script, g->script.len + n)) {
        g->out_of_memory = true;
        return;
    }
    memcpy(g->script.at + g->script.len, text, n);
    g->script.len += n;
}

void gnuplot_add(struct gnuplot *g, const char *format, ...) {
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0) {
        g->out_of_memory = true;
        return;
    }
    add_text(g, text);
    free(text);
}

/* Replaces control characters: a line break would start a new command. */
void gnuplot_quote(struct gnuplot *g, const char *variable, const char *value) {
    gnuplot_add(g, "%s = '", variable);
    for (; *value != 0; value++) {
        unsigned char c = (unsigned char)*value;
        gnuplot_add(g, c == '\'' ? "''" : "%c", c < 0x20 || c == 0x7F ? ' ' : c);
    }
    add_text(g, "'\n");
}

/* gnuplot runs a name that begins with "|" or "<" as a command, and expands "~" to a home
 * directory. */
void gnuplot_path(struct gnuplot *g, const char *variable, const char *path) {
    gnuplot_add(g, "%s = '%s", variable, path[0] == '/' ? "" : "./");
    for (; *path != 0; path++) {
        unsigned char c = (unsigned char)*path;
        gnuplot_add(g, c == '\'' ? "''" : c < 0x20 || c == 0x7F ? "'.\"\\%03o\".'" : "%c", c);
    }
    add_text(g, "'\n");
}

static void one_format(struct gnuplot *g, const char *path, const char *ending,
                       const char *terminal, const char *body) {
    char *name, *part;
    if (asprintf(&name, "%s.%s", path, ending) < 0)
        name = NULL;
    if (name == NULL || asprintf(&part, "%s.part", name) < 0) {
        free(name);
        g->out_of_memory = true;
        return;
    }
    gnuplot_add(g, "%s\n", terminal);
    gnuplot_path(g, "output_name", part);
    add_text(g, "set output output_name\n");
    add_text(g, body);
    add_text(g, "set output\nreset\n");
    free(part);
    if (!vec_push(&g->outputs, name)) {
        free(name);
        g->out_of_memory = true;
    }
}

void gnuplot_picture(struct gnuplot *g, const char *path, unsigned width, unsigned height,
                     const char *body) {
    char terminal[160];
    snprintf(terminal, sizeof terminal,
             "set term svg name 'fig' size %u,%u font 'DejaVu Sans,12' background 'white'", width,
             height);
    one_format(g, path, "svg", terminal, body);
    snprintf(terminal, sizeof terminal,
             "set term pngcairo size %u,%u font 'DejaVu Sans,9' background 'white'", width, height);
    one_format(g, path, "png", terminal, body);
}

/* Does the file have the end mark of its format? A full disk truncates pictures. */
static bool is_whole(const char *path, const char *name) {
    static const struct {
        const char *ending, *last;
        size_t size;
    } kinds[] = {
        {".svg", "</svg>", 6}, {".pdf", "%%EOF", 5}, {".png", "\0\0\0\0IEND\xae\x42\x60\x82", 12}};
    char end[32] = "";
    const char *ending = strrchr(name, '.');
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    size_t got = 0;
    if (fseek(file, -(long)sizeof end, SEEK_END) == 0)
        got = fread(end, 1, sizeof end, file);
    fclose(file);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(ending, kinds[i].ending) == 0)
            return memmem(end, got, kinds[i].last, kinds[i].size) != NULL;
    return false;
}

/* Renames the pictures to their final names, or removes them all. */
static enum status name_outputs(struct gnuplot *g, bool good, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < g->outputs.len; i++) {
        char *part;
        if (asprintf(&part, "%s.part", g->outputs.at[i]) < 0)
            return error_set(e, STATUS_MEMORY, "out of memory for a picture's name");
        bool drawn = good && is_whole(part, g->outputs.at[i]);
        if (!drawn || rename(part, g->outputs.at[i]) != 0) {
            if (good && status == STATUS_OK)
                status =
                    error_set(e, STATUS_IO, "%s: gnuplot has not drawn it whole; is the disk full?",
                              g->outputs.at[i]);
            unlink(part);
        }
        free(part);
    }
    return status;
}

enum status gnuplot_run(struct gnuplot *g, struct error *e) {
    enum status status = STATUS_OK;
    FILE *said = tmpfile();
    int exit_status = 0;
    if (g->out_of_memory)
        status = error_set(e, STATUS_MEMORY, "out of memory for a gnuplot script");
    else if (said == NULL)
        status = error_set(e, STATUS_IO, "a temporary file cannot be made: %s", strerror(errno));
    else
        status = child_run((const char *const[]){"gnuplot", "-d", "-", NULL}, g->script.at,
                           g->script.len, 2, fileno(said), g->stopped, &exit_status, e);
    if (status == STATUS_OK) {
        char text[400] = "";
        rewind(said);
        size_t n = fread(text, 1, sizeof text - 1, said);
        text[n] = 0;
        /* gnuplot exits with 0 after a warning. A serious one truncates a picture, which
         * name_outputs detects. */
        if (exit_status != 0)
            status = error_set(e, STATUS_IO, "gnuplot ended with status %d: %s", exit_status, text);
        enum status named = name_outputs(g, exit_status == 0, e);
        status = status != STATUS_OK ? status : named;
    } else if (status == STATUS_INTERRUPTED) {
        name_outputs(g, false, e);
    }
    if (said != NULL)
        fclose(said);
    gnuplot_free(g);
    return status;
}

void gnuplot_free(struct gnuplot *g) {
    for (size_t i = 0; i < g->outputs.len; i++)
        free(g->outputs.at[i]);
    vec_free(&g->outputs);
    vec_free(&g->script);
}
