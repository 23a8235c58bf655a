#include "commands/profile/record_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ---- summaries ---- */

static void describe_end(const struct qemu_result *r, char *text, size_t size) {
    const int number = interrupt_signal();
    if (r->end == QEMU_STOPPED && number != 0)
        snprintf(text, size, "stopped by signal %d (%s)", number, strsignal(number));
    else
        qemu_end_text(r, text, size);
}

static bool has_exit_status(const struct record_summary *s) {
    return s->process.reason == NULL && !s->process.is_thread && s->counts.end == QEMU_ENDED;
}

static struct record_summary summarise(struct qemu_process process, const struct qemu_result *r) {
    struct record_summary s = {.process = process,
                               .counts = *r,
                               .blocks = r->graph.block_count,
                               .edges = r->graph.edge_count,
                               .transitions = graph_weight(&r->graph)};
    memcpy(s.program, r->graph.program, sizeof s.program);
    describe_end(r, s.how, sizeof s.how);
    if (process.is_thread || !qemu_doubt(r, &s.doubts))
        s.doubts.text[0] = '\0';
    s.counts.graph = (struct graph){0};
    s.counts.structure = (struct structure){0};
    s.counts.trace = (struct program_trace){.length = r->trace.length};
    s.counts.streams = NULL;
    s.counts.processes = NULL;
    s.counts.images.at = NULL;
    return s;
}

/* ---- files of one recording ---- */

static void name_block(const void *symbols, uint32_t address, char *text, size_t size) {
    qemu_symbols_name(symbols, address, text, size);
}

/* The image of the program's own file; NULL: it is not known. */
static const struct qemu_image *own_image(const struct record_files *f, const struct qemu_result *r,
                                          const char *program) {
    const struct qemu_image *found = NULL;
    char path[QEMU_PATH];
    qemu_program_path(f->folder, program, path);
    char *real = realpath(path, NULL); /* as the recording names it */
    for (size_t i = 0; real != NULL && i < r->images.len; i++)
        if (strcmp(r->images.at[i].path, real) == 0)
            found = &r->images.at[i];
    free(real);
    return found;
}

/* Unless everything is wanted, writes the hot part of the program's own code: in a short program
 * the start of the dynamic loader outweighs it. */
static enum status write_dot(const struct record_files *f, const struct qemu_result *r,
                             const char *program, struct error *e) {
    const struct qemu_image *image = f->all ? NULL : own_image(f, r, program);
    struct qemu_symbols *symbols;
    struct graph own = {0};
    enum status status = qemu_symbols_read(&symbols, r->images.at, r->images.len, e);
    if (status == STATUS_OK && image != NULL)
        status = qemu_image_part(
            &own, &r->graph, (struct qemu_range){image->base, (uint64_t)image->base + image->room},
            e);
    if (status == STATUS_OK)
        status = graph_export(
            image != NULL ? &own : &r->graph, f->dot,
            &(struct graph_export_options){.hot_permille = f->all ? 0 : GRAPH_HOT_PERMILLE,
                                           .names = &(struct graph_names){name_block, symbols}},
            e);
    graph_free(&own);
    qemu_symbols_free(symbols);
    return status;
}

static enum status write_graphs(const struct record_files *f, const struct qemu_result *r,
                                const struct record_summary *s, struct error *e) {
    char what[400 + 128], count[64];
    snprintf(what, sizeof what, "exact graph of %.255s (%s)%s%s", s->process.path, r->target,
             s->process.label[0] != '\0' ? ", process " : "", s->process.label);
    snprintf(count, sizeof count, "instructions %" PRIu64, r->instructions);
    for (char *c = what; *c != 0; c++)
        if (*c == '\n' || *c == '\r')
            *c = '?';
    const char *const comments[] = {what, count, s->how};
    const size_t comment_count = r->end == QEMU_ENDED ? 2 : 3;
    enum status status = STATUS_OK;
    if (f->graph != NULL)
        status = graph_write(&r->graph, f->graph,
                             (struct graph_write_options){.comments = comments,
                                                          .comment_count = comment_count,
                                                          .with_busy = true},
                             e);
    if (status == STATUS_OK && f->structure != NULL)
        status = structure_write(&r->structure, f->structure, comments, comment_count, e);
    if (status == STATUS_OK && f->trace != NULL)
        status = program_trace_write(&r->trace, f->trace, e);
    if (status == STATUS_OK && f->dot != NULL)
        status = write_dot(f, r, s->process.path, e);
    return status;
}

static enum status write_streams(const struct record_files *f, const struct qemu_result *r,
                                 const char *program, struct error *e) {
    const char *slash = strrchr(program, '/'), *image = slash != NULL ? slash + 1 : program;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < r->stream_count && status == STATUS_OK; i++)
        status = stream_write(&r->streams[i], f->streams[i],
                              strpbrk(image, "\t\r\n") == NULL ? image : "program", e);
    return status;
}

static void put_images(struct file_writer *w, const struct qemu_result *r) {
    for (size_t i = 0; i < r->images.len; i++) {
        const struct qemu_image *image = &r->images.at[i];
        file_printf(w, "image\t0x%" PRIx32 "\t%" PRIu32 "\t%s\t%s\n", image->base, image->room,
                    image->hash[0] != '\0' ? image->hash : "-",
                    image->path[0] != '\0' ? image->path : "anonymous");
    }
}

/* A line for each that was followed: label, instructions, how it ended, path. */
static void put_followed(struct file_writer *w, const struct record_summaries *all) {
    for (size_t i = 1; i < all->of.len; i++) {
        const struct record_summary *s = &all->of.at[i];
        file_printf(w, "followed\t%s\t%" PRIu64 "\t", s->process.label, s->counts.instructions);
        if (has_exit_status(s))
            file_printf(w, "exit status %d", s->counts.exit_status);
        else
            file_printf(w, "%s", s->process.reason != NULL ? s->process.reason : s->how);
        file_printf(w, "\t%s\n", s->process.path);
    }
}

/* Writes lines of key, tab and value; one line for each image, stream and followed process. */
static enum status write_meta(const struct record_files *f, const struct qemu_result *r,
                              const struct record_summary *s, const struct record_summaries *all,
                              struct error *e) {
    struct file_writer *w;
    enum status status = file_open(&w, f->meta, e);
    if (status != STATUS_OK)
        return status;
    file_printf(w, "target\t%s\ncommand", r->target);
    for (const char *const *word = s->process.words; *word != NULL; word++)
        file_printf(w, "\t%s", *word);
    if (s->process.label[0] != '\0')
        file_printf(w, "\nfile\t%s\nlabel\t%s", s->process.path, s->process.label);
    if (qemu_is_partial(r))
        file_printf(w, "\npartial\t%s", s->how);
    if (r->end == QEMU_EXEC)
        file_printf(w, "\nend\t%s", s->how);
    else if (!s->process.is_thread)
        file_printf(w, "\nexit\t%d", r->exit_status);
    file_printf(w, "\ninstructions\t%" PRIu64 "\ntransfers\t%" PRIu64 "\n", r->instructions,
                r->transfers);
    file_printf(w, "blocks\t%zu\nedges\t%zu\n", r->graph.block_count, r->graph.edge_count);
    file_printf(w,
                "signals\t%" PRIu64 "\nunfinished\t%" PRIu64 "\nflushes\t%" PRIu64
                "\nthreads\t%" PRIu64 "\nprocesses\t%" PRIu64 "\n",
                r->signals, r->unfinished, r->flushes, r->threads, r->forks);
    if (f->trace != NULL)
        file_printf(w, "trace\t%s\t%zu\n", f->trace, r->trace.length);
    for (size_t i = 0; i < r->stream_count; i++)
        file_printf(w, "stream\t%s\t%zu\t%zu\n", f->streams[i], r->streams[i].batch_count,
                    r->streams[i].batch_length);
    put_images(w, r);
    if (s->process.label[0] == '\0')
        put_followed(w, all);
    return file_commit(w, e);
}

/* ---- files of all ---- */

/* "gzip.isampling.gz" and "1.x" are "gzip.1.x.isampling.gz". NULL: no path, or out of memory. */
static char *labelled(const char *path, const char *label) {
    if (path == NULL)
        return NULL;
    const size_t size = strlen(path) + strlen(label) + 2;
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *end = path + strlen(path), *dot = end;
    if (end - name > 3 && strcmp(end - 3, ".gz") == 0)
        end = dot = end - 3;
    for (const char *at = name + 1; at < end; at++)
        if (*at == '.')
            dot = at;
    if (dot == end && strcmp(end, ".gz") == 0)
        dot = end; /* no extension but .gz */
    char *made = malloc(size);
    if (made != NULL)
        snprintf(made, size, "%.*s.%s%s", (int)(dot - path), path, label, dot);
    return made;
}

/* The meta's name follows the graph's, as in "gzip.1.graph.meta". */
static char *labelled_meta(const struct record_files *f, const char *graph, const char *label) {
    const size_t len = f->graph != NULL ? strlen(f->graph) : 0;
    if (f->meta == NULL || graph == NULL || strncmp(f->meta, f->graph, len) != 0)
        return labelled(f->meta, label);
    const size_t size = strlen(graph) + strlen(f->meta + len) + 1;
    char *made = malloc(size);
    if (made != NULL)
        snprintf(made, size, "%s%s", graph, f->meta + len);
    return made;
}

static enum status write_files(const struct record_files *f, const struct qemu_result *r,
                               const struct record_summary *s, struct error *e) {
    enum status status = write_graphs(f, r, s, e);
    if (status == STATUS_OK)
        status = write_streams(f, r, s->process.path, e);
    if (status == STATUS_OK && f->meta != NULL && s->process.label[0] != '\0')
        status = write_meta(f, r, s, NULL, e);
    return status;
}

/* Writes the files with the label in their names. */
static enum status write_labelled(const struct record_files *f, const struct qemu_result *r,
                                  const struct record_summary *s, struct error *e) {
    const char *label = s->process.label;
    char *graph = labelled(f->graph, label), *structure = labelled(f->structure, label),
         *dot = labelled(f->dot, label), *meta = labelled_meta(f, graph, label);
    char *streams[QEMU_SETTINGS] = {0};
    bool ok = (f->graph == NULL || graph != NULL) && (f->dot == NULL || dot != NULL) &&
              (f->structure == NULL || structure != NULL) && (f->meta == NULL || meta != NULL);
    for (size_t i = 0; i < r->stream_count; i++)
        ok = (streams[i] = labelled(f->streams[i], label)) != NULL && ok;
    const struct record_files named = {.graph = graph,
                                       .structure = structure,
                                       .dot = dot,
                                       .meta = meta,
                                       .streams = streams,
                                       .folder = f->folder,
                                       .all = f->all};
    const enum status status =
        ok ? write_files(&named, r, s, e) : error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < r->stream_count; i++)
        free(streams[i]);
    free(graph);
    free(structure);
    free(dot);
    free(meta);
    return status;
}

static enum status write_followed(const struct record_files *f, const struct qemu_result *first,
                                  size_t i, struct record_summaries *out, struct error *e) {
    const struct qemu_process process = qemu_process(first, i);
    struct record_summary s = {.process = process};
    struct qemu_result r = {0};
    enum status status = STATUS_OK;
    if (process.reason == NULL)
        status = qemu_process_read(first, i, &r, e);
    if (process.reason == NULL && status == STATUS_OK) {
        s = summarise(process, &r);
        status = write_labelled(f, &r, &s, e);
    }
    if (status == STATUS_OK && !vec_push(&out->of, s))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    qemu_result_free(&r);
    return status;
}

enum status record_files_write(const struct record_files *f, const struct qemu_result *r,
                               char *const *words, struct record_summaries *out, struct error *e) {
    const struct qemu_process first = {
        .label = "", .path = words[0], .words = (const char *const *)words};
    const struct record_summary s = summarise(first, r);
    if (!vec_push(&out->of, s))
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status = write_files(f, r, &s, e);
    for (size_t i = 0; status == STATUS_OK && i < qemu_process_count(r); i++)
        status = write_followed(f, r, i, out, e);
    if (status == STATUS_OK && f->meta != NULL)
        status = write_meta(f, r, &s, out, e);
    return status;
}

/* ---- what is said ---- */

static void print_images(const struct qemu_result *r) {
    printf("  \"images\": [");
    for (size_t i = 0; i < r->images.len; i++) {
        const struct qemu_image *image = &r->images.at[i];
        printf("%s\n    {\"base\": %" PRIu32 ", \"path\": ", i > 0 ? "," : "", image->base);
        print_json_string(image->path);
        printf(", \"hash\": ");
        print_json_string(image->hash);
        printf("}");
    }
    printf("\n  ]");
}

static void print_counts(const struct record_summary *s, const char *indent) {
    const struct qemu_result *r = &s->counts;
    printf("%s\"target\": \"%s\",\n%s\"program\": \"%s\",\n%s\"exit_status\": ", indent, r->target,
           indent, s->program, indent);
    if (r->end == QEMU_EXEC || s->process.is_thread)
        printf("null");
    else
        printf("%d", r->exit_status);
    printf(",\n%s\"partial\": ", indent);
    print_json_string(qemu_is_partial(r) ? s->how : NULL);
    printf(",\n%s\"instructions\": %" PRIu64 ",\n%s\"transfers\": %" PRIu64
           ",\n%s\"blocks\": %zu,\n%s\"edges\": %zu,\n",
           indent, r->instructions, indent, r->transfers, indent, s->blocks, indent, s->edges);
    printf("%s\"signals\": %" PRIu64 ",\n%s\"unfinished\": %" PRIu64 ",\n%s\"flushes\": %" PRIu64
           ",\n%s\"threads\": %" PRIu64 ",\n%s\"processes\": %" PRIu64,
           indent, r->signals, indent, r->unfinished, indent, r->flushes, indent, r->threads,
           indent, r->forks);
}

static void print_followed(const struct record_summary *s) {
    printf("\n    {\n      \"label\": \"%s\",\n      \"thread\": %s,\n      \"path\": ",
           s->process.label, s->process.is_thread ? "true" : "false");
    print_json_string(s->process.path);
    printf(",\n      \"unrecorded\": ");
    print_json_string(s->process.reason);
    if (s->process.reason == NULL) {
        printf(",\n");
        print_counts(s, "      ");
    }
    printf("\n    }");
}

static void print_json(const struct record_summaries *all, const struct qemu_result *first) {
    printf("{\n");
    print_counts(&all->of.at[0], "  ");
    printf(",\n");
    print_images(first);
    if (first->processes != NULL) {
        printf(",\n  \"followed\": [");
        for (size_t i = 1; i < all->of.len; i++) {
            printf("%s", i > 1 ? "," : "");
            print_followed(&all->of.at[i]);
        }
        printf("\n  ]");
    }
    printf("\n}\n");
}

static void say(const struct record_summary *s, bool follows) {
    const struct qemu_result *r = &s->counts;
    if (s->process.label[0] != '\0')
        fprintf(stderr, "%s: %s: ", s->process.label, s->process.path);
    if (s->process.reason != NULL) {
        fprintf(stderr, "not recorded: %s\n", s->process.reason);
        return;
    }
    fprintf(stderr, "%" PRIu64 " instructions, %zu blocks, %zu edges, %" PRIu64 " transitions",
            r->instructions, s->blocks, s->edges, s->transitions);
    if (has_exit_status(s))
        fprintf(stderr, "; exit status %d", r->exit_status);
    else if (r->end == QEMU_EXEC)
        fprintf(stderr, "; %s", s->how);
    if (r->forks > 0 && !follows)
        fprintf(stderr, "; %" PRIu64 " child process%s %s not in the graph", r->forks,
                r->forks == 1 ? "" : "es", r->forks == 1 ? "is" : "are");
    fprintf(stderr, "\n");
}

void record_print(const struct record_summaries *all, const struct qemu_result *first, bool json) {
    const bool follows = first->processes != NULL;
    if (json)
        print_json(all, first);
    for (size_t i = 0; i < all->of.len; i++) {
        const struct record_summary *s = &all->of.at[i];
        const char *label = s->process.label, *colon = label[0] != '\0' ? ": " : "";
        if (!json)
            say(s, follows);
        if (s->process.reason == NULL && qemu_is_partial(&s->counts))
            warning("%s%s%s: %s: the recording covers what happened before that, and is marked as "
                    "partial",
                    label, colon, s->process.path, s->how);
        if (s->doubts.text[0] != '\0')
            warning("%s%s%s: %s", label, colon, s->process.path, s->doubts.text);
    }
}
