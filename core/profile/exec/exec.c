#include "profile/exec/exec.h"

#include "base/child.h"
#include "profile/structure/structure.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGUMENT = 300, PATH = 4096, GRAPH_MOST = 1 << 30, SAID_MOST = 1 << 16, LAST_LINE = 200 };

const char *const exec_format_words[] = {"text", "json", NULL};

/* ---- the command ---- */

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The absolute path of a file beside `beside`; *out NULL: there is no such file. */
static enum status find_file(const char *word, const char *beside, char **out, struct error *e) {
    char *path = file_beside(beside, word, strlen(word));
    *out = NULL;
    if (path == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    if (is_file(path))
        *out = realpath(path, NULL);
    free(path);
    return STATUS_OK;
}

/* *out becomes the word that the program gets. */
static enum status add_word(struct hash *h, const char *word, bool first, const char *beside,
                            char **out, struct error *e) {
    char content[33];
    enum status status = STATUS_OK;
    if (!first || strchr(word, '/') != NULL)
        status = find_file(word, beside, out, e);
    if (status != STATUS_OK)
        return status;
    if (*out != NULL) {
        status = hash_file(*out, content, e);
        if (status == STATUS_OK)
            hash_add(h, "file:%s", content);
        return status;
    }
    hash_add(h, "word:");
    hash_add_bytes(h, word, strlen(word) + 1);
    return (*out = strdup(word)) != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

static enum status add_file(struct hash *h, const char *name, const char *beside, struct error *e) {
    char *path, content[33];
    enum status status = find_file(name, beside, &path, e);
    if (status == STATUS_OK && path == NULL)
        return error_set(e, STATUS_ARGUMENT, "there is no file '%s'", name);
    if (status == STATUS_OK)
        status = hash_file(path, content, e);
    free(path);
    if (status == STATUS_OK)
        hash_add(h, "file:%s", content);
    return status;
}

enum status exec_command(struct exec *x, const char *const *words, const char *const *files,
                         const char *beside, struct error *e) {
    size_t count = 0;
    char program[PATH];
    while (words[count] != NULL)
        count++;
    x->words = calloc(count + 1, sizeof *x->words);
    struct hash *h = hash_start();
    enum status status =
        x->words != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = add_word(h, words[i], i == 0, beside, &x->words[i], e);
    for (; files != NULL && *files != NULL && status == STATUS_OK; files++)
        status = add_file(h, *files, beside, e);
    hash_add(h, "json:%d structure:%d", x->json, x->technique.needs_structure);
    if (!hash_finish(h, x->hash) && status == STATUS_OK)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK && !child_find(x->words[0], program, sizeof program))
        status = error_set(e, STATUS_ARGUMENT, "there is no program '%s'%s", words[0],
                           is_file(x->words[0]) ? ": the file is not executable (chmod +x)" : "");
    return status;
}

void exec_free(struct exec *x) {
    for (size_t i = 0; x->words != NULL && x->words[i] != NULL; i++)
        free(x->words[i]);
    free(x->words);
    x->words = NULL;
}

/* ---- the name ---- */

/* Marks the technique as one on streams; technique.c calls exec_build() instead of this. */
static enum status build_without_program(struct profile *out, const struct stream *stream,
                                         size_t batches, const int64_t *values, struct error *e) {
    (void)stream, (void)batches, (void)values;
    *out = (struct profile){0};
    return error_set(e, STATUS_ARGUMENT, "exec needs a program");
}

void exec_name(struct exec *x, const char *name) {
    snprintf(x->name, sizeof x->name, "exec-%.*s", EXEC_NAME, name);
    x->technique.name = x->name;
    x->technique.summary = "an external program";
    x->technique.source = "its text";
    x->technique.build = build_without_program;
    x->technique.exec = x;
}

void exec_usual_name(const struct exec *x, char name[EXEC_NAME + 1]) {
    const char *word = x->words[0];
    for (size_t i = 1; x->words[i] != NULL; i++)
        if (x->words[i][0] == '/')
            word = x->words[i];
    const char *slash = strrchr(word, '/');
    const char *stem = slash != NULL ? slash + 1 : word;
    size_t len = strcspn(stem, ".");
    len = len < EXEC_NAME ? len : EXEC_NAME;
    for (size_t i = 0; i < len; i++)
        name[i] = strchr(FILE_NAME_CHARACTERS, stem[i]) != NULL ? stem[i] : '-';
    name[len] = '\0';
    if (len == 0)
        strcpy(name, "own");
}

/* ---- the folder, and what is in it ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static enum status make_folder(char *folder, size_t size, struct error *e) {
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, size, "%s/hotgraph-exec-XXXXXX",
             temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
    return mkdtemp(folder) != NULL ? STATUS_OK
                                   : error_set(e, STATUS_IO, "%s: cannot create a folder", folder);
}

static enum status write_inputs(const struct exec *x, const struct stream *stream, size_t batches,
                                const char *folder, struct error *e) {
    char path[PATH];
    struct stream part = *stream;
    part.batch_count = batches < stream->batch_count ? batches : stream->batch_count;
    snprintf(path, sizeof path, "%s/samples.%s", folder, x->json ? "jsonl" : "isampling");
    enum status status = x->json ? stream_write_json(&part, part.batch_count, path, e)
                                 : stream_write(&part, path, "program", e);
    if (status != STATUS_OK || !x->technique.needs_structure)
        return status;
    if (stream->structure == NULL)
        return error_set(e, STATUS_ARGUMENT, "%s needs the program's structure", x->name);
    snprintf(path, sizeof path, "%s/program.structure", folder);
    return structure_write(stream->structure, path, NULL, 0, e);
}

/* ---- its words ---- */

struct arguments {
    char texts[TECHNIQUE_PARAMETERS][ARGUMENT];
    const char **words;
};

static enum status make_arguments(struct arguments *a, const struct exec *x, const int64_t *values,
                                  struct error *e) {
    size_t count = 0, parameters = 0;
    while (x->words[count] != NULL)
        count++;
    a->words = calloc(count + TECHNIQUE_PARAMETERS + 2, sizeof *a->words);
    if (a->words == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    memcpy(a->words, x->words, count * sizeof *a->words);
    for (; parameters < TECHNIQUE_PARAMETERS && x->technique.parameters[parameters].name != NULL;
         parameters++) {
        const struct parameter *p = &x->technique.parameters[parameters];
        char *text = a->texts[parameters];
        if (p->words != NULL)
            snprintf(text, ARGUMENT, "--%s=%s", p->name, p->words[values[parameters] - p->least]);
        else
            snprintf(text, ARGUMENT, "--%s=%" PRId64, p->name, values[parameters]);
        a->words[count++] = text;
    }
    if (x->technique.needs_structure)
        a->words[count] = "--structure=program.structure";
    return STATUS_OK;
}

/* ---- what it writes ---- */

/* The content of a file, from its start; one NUL follows. */
static enum status read_all(int fd, size_t most, struct bytes *out, struct error *e) {
    struct stat st;
    if (fstat(fd, &st) != 0 || (out->at = malloc((size_t)st.st_size + 1)) == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    const size_t size = (size_t)st.st_size < most ? (size_t)st.st_size : most;
    while (out->len < size) {
        const ssize_t n = pread(fd, out->at + out->len, size - out->len, (off_t)out->len);
        if (n <= 0)
            break;
        out->len += (size_t)n;
    }
    out->at[out->len] = '\0';
    return STATUS_OK;
}

/* Passes on the lines of standard error. If the program failed, the last one is the reason. */
static void hand_on_lines(char *text, const struct exec_hooks *hooks, char last[LAST_LINE]) {
    char *rest = NULL;
    last[0] = '\0';
    for (char *line = strtok_r(text, "\r\n", &rest); line != NULL;
         line = strtok_r(NULL, "\r\n", &rest)) {
        if (hooks->said != NULL)
            hooks->said(hooks->user, line);
        snprintf(last, LAST_LINE, "%s", line);
    }
}

static enum status take_graph(struct profile *out, const struct exec *x, const struct bytes *text,
                              struct error *e) {
    char name[EXEC_NAME + 40];
    snprintf(name, sizeof name, "the output of %s", x->name);
    enum status status = text->len > 0
                             ? graph_parse(&out->graph, (const char *)text->at, text->len, name, e)
                             : error_set(e, STATUS_FORMAT, "%s is empty", name);
    if (status == STATUS_OK && out->graph.edge_count > 0 && out->graph.block_count == 0)
        status = error_set(e, STATUS_FORMAT,
                           "%s has no lines '#block ENTRY LAST', without which edges have no names",
                           name);
    if (status == STATUS_FORMAT && e != NULL)
        e->status = status = STATUS_GUEST;
    return status;
}

/* ---- all of it ---- */

struct running {
    char folder[PATH];
    int files[3];
    struct arguments arguments;
};

static enum status prepare(struct running *r, const struct exec *x, const struct stream *stream,
                           size_t batches, const int64_t *values, struct error *e) {
    char path[PATH + 40];
    enum status status = make_folder(r->folder, sizeof r->folder - 40, e);
    if (status != STATUS_OK) {
        r->folder[0] = '\0';
        return status;
    }
    if ((status = write_inputs(x, stream, batches, r->folder, e)) != STATUS_OK ||
        (status = make_arguments(&r->arguments, x, values, e)) != STATUS_OK)
        return status;
    snprintf(path, sizeof path, "%s/samples.%s", r->folder, x->json ? "jsonl" : "isampling");
    FILE *input = fopen(path, "re");
    r->files[0] = input != NULL ? dup(fileno(input)) : -1;
    if (input != NULL)
        fclose(input);
    r->files[1] = child_scratch();
    r->files[2] = child_scratch();
    if (r->files[0] < 0 || r->files[1] < 0 || r->files[2] < 0)
        return error_set(e, STATUS_IO, "%s: temporary files cannot be opened", r->folder);
    return STATUS_OK;
}

static void clean_up(struct running *r) {
    for (int i = 0; i < 3; i++)
        if (r->files[i] >= 0)
            close(r->files[i]);
    free(r->arguments.words);
    if (r->folder[0] != '\0')
        nftw(r->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

enum status exec_build(struct profile *out, const struct exec *x, const struct stream *stream,
                       size_t batches, const int64_t *values, const struct exec_hooks *hooks,
                       struct error *e) {
    struct running r = {.files = {-1, -1, -1}};
    struct bytes text = {0}, said = {0};
    char last[LAST_LINE] = "";
    *out = (struct profile){0};
    enum status status = prepare(&r, x, stream, batches, values, e);
    if (status == STATUS_OK) {
        status = exec_run(x, r.arguments.words, r.folder, r.files, hooks, e);
        if (read_all(r.files[2], SAID_MOST, &said, NULL) == STATUS_OK)
            hand_on_lines((char *)said.at, hooks, last);
        if (status == STATUS_GUEST && last[0] != '\0' && e != NULL) {
            const size_t used = strlen(e->text);
            snprintf(e->text + used, sizeof e->text - used, ": %s", last);
        }
    }
    if (status == STATUS_OK)
        status = read_all(r.files[1], GRAPH_MOST, &text, e);
    if (status == STATUS_OK)
        status = take_graph(out, x, &text, e);
    if (status == STATUS_OK) {
        const size_t all = batches < stream->batch_count ? batches : stream->batch_count;
        out->cost.records = out->cost.observed = stream_observed(stream, all);
        out->cost.probes = stream->probes;
        out->cost.structure = x->technique.needs_structure;
    } else {
        graph_free(&out->graph);
    }
    bytes_free(&text);
    bytes_free(&said);
    clean_up(&r);
    return status;
}
