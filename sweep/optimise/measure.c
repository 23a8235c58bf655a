#include "optimise/measure.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/layout/layout.h"

enum { LINE = 64, PROGRAM_MOST = 1 << 30, ENV_MOST = 80 };

/* ---- places ---- */

static enum status make_folder(const char *path, struct error *e) {
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? STATUS_OK
               : file_unmade(path, "cannot be made", errno, e);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

enum status place_make(struct place *out, const struct config_game *game, const char *name,
                       struct error *e) {
    const struct config_program *p = game->program;
    const char *base = base_name(p->command[0]);
    char *above = NULL, *top = NULL;
    *out = (struct place){0};
    enum status status = STATUS_OK;
    if (asprintf(&top, "%s/optimise", p->folder) < 0 ||
        asprintf(&above, "%s/%s", top, game->name) < 0 ||
        asprintf(&out->folder, "%s/%s", above, name) < 0 ||
        asprintf(&out->program, "%s/%s", out->folder, base) < 0 ||
        asprintf(&out->seen, "/proc/self/cwd/optimise/%s/%s/%s", game->name, name, base) < 0 ||
        asprintf(&out->profile, "%s/%s.fdata", out->folder, base) < 0 ||
        asprintf(&out->output, "%s/%s.output", out->folder, base) < 0)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = make_folder(top, e);
    if (status == STATUS_OK)
        status = make_folder(above, e);
    if (status == STATUS_OK)
        status = make_folder(out->folder, e);
    free(above);
    free(top);
    return status;
}

/* Removes all files: a run that was killed may have left temporary ones, too. */
static void remove_files(const char *folder) {
    DIR *files = opendir(folder);
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;)
        unlinkat(dirfd(files), file->d_name, 0);
    if (files != NULL)
        closedir(files);
}

void place_remove(struct place *p) {
    if (p->output != NULL) { /* it was made last */
        remove_files(p->folder);
        rmdir(p->folder);
    }
    free(p->folder);
    free(p->program);
    free(p->seen);
    free(p->profile);
    free(p->output);
    *p = (struct place){0};
}

void places_remove(const struct config_game *game) {
    char *top = NULL, *above = NULL;
    if (asprintf(&top, "%s/optimise", game->program->folder) >= 0 &&
        asprintf(&above, "%s/%s", top, game->name) >= 0) {
        rmdir(above);
        rmdir(top);
    }
    free(above);
    free(top);
}

enum status place_copy(const struct place *p, const struct config_game *game, struct error *e) {
    char from[QEMU_PATH];
    struct bytes bytes = {0};
    struct file_writer *w;
    qemu_program_path(game->program->folder, game->program->command[0], from);
    enum status status = file_read(&bytes, from, PROGRAM_MOST, e);
    if (status == STATUS_OK)
        status = file_open(&w, p->program, e);
    if (status == STATUS_OK) {
        file_write(w, bytes.at, bytes.len);
        status = file_commit(w, e);
    }
    if (status == STATUS_OK && chmod(p->program, 0755) != 0)
        status = file_unmade(p->program, "cannot be made executable", errno, e);
    bytes_free(&bytes);
    return status;
}

/* ---- runs ---- */

/* argv with the copy's path; the caller frees the array only. */
static const char **command_words(const struct recording_request *q) {
    const struct config_program *p = q->game->program;
    char *const *from = q->other && p->other_command != NULL ? p->other_command : p->command;
    size_t count = 0;
    while (from[count] != NULL)
        count++;
    const char **words = calloc(count + 1, sizeof *words);
    for (size_t i = 1; words != NULL && i < count; i++)
        words[i] = from[i];
    if (words != NULL)
        words[0] = q->place->seen;
    return words;
}

static const char *input_of(const struct recording_request *q) {
    const struct config_program *p = q->game->program;
    return q->other && p->other_input != NULL ? p->other_input : p->input;
}

enum status program_record(const struct recording_request *q, struct qemu_result *out,
                           struct error *e) {
    const struct config_program *p = q->game->program;
    const char **words = command_words(q);
    const struct qemu_request request = {.argv = words,
                                         .env = (const char *const *)p->env,
                                         .folder = p->folder,
                                         .input = input_of(q),
                                         .output = q->place->output,
                                         .plugin = q->plugin,
                                         .settings = q->settings,
                                         .setting_count = q->setting_count,
                                         .stopped = q->stopped};
    struct error doubt;
    enum status status = words != NULL ? qemu_record(&request, out, e)
                                       : error_set(e, STATUS_MEMORY, "out of memory");
    free(words);
    if (status == STATUS_OK && qemu_doubt(out, &doubt)) {
        qemu_result_free(out);
        *out = (struct qemu_result){0};
        status = error_set(e, STATUS_GUEST, "%s", doubt.text);
    }
    return status;
}

/* ---- counts ---- */

static void count_jumps(struct measured *m, const struct qemu_result *r) {
    const struct graph *g = &r->graph, *blocks = &r->structure.graph;
    for (size_t i = 0, b = 0; i < g->edge_count; i++) {
        while (b < blocks->block_count && blocks->blocks[b].entry < g->edges[i].source)
            b++; /* both are sorted, and of the same run */
        if (b == blocks->block_count)
            return;
        const struct block_shape *shape = &r->structure.shapes.blocks[b];
        if (g->edges[i].target == blocks->blocks[b].entry + shape->size)
            continue;
        m->taken += shape->end == END_BRANCH ? g->edges[i].count : 0;
        m->jumps += shape->end == END_JUMP ? g->edges[i].count : 0;
    }
}

static uint64_t count_bytes(const struct structure *s) {
    uint64_t lines = 0, next = 0; /* next: first line that is not counted */
    for (size_t b = 0; b < s->graph.block_count; b++) {
        const uint64_t entry = s->graph.blocks[b].entry, end = entry + s->shapes.blocks[b].size;
        const uint64_t first = entry / LINE > next ? entry / LINE : next;
        const uint64_t past = (end + LINE - 1) / LINE;
        lines += past > first ? past - first : 0;
        next = past > next ? past : next;
    }
    return lines * LINE;
}

static enum status simulate(struct measured *m, const struct recording_request *q,
                            const struct tools *tools, struct error *e) {
    static const char *const usual[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent"};
    char *env[ENV_MOST] = {(char *)usual[0], (char *)usual[1], (char *)usual[2]};
    char **more = q->game->program->env;
    for (size_t n = 3, i = 0; more != NULL && more[i] != NULL && n + 1 < ENV_MOST; i++)
        env[n++] = more[i];
    const char **words = command_words(q);
    uint64_t misses = 0;
    enum status status =
        words != NULL
            ? cachegrind_misses(tools,
                                &(struct cachegrind_run){.words = words,
                                                         .env = env,
                                                         .folder = q->game->program->folder,
                                                         .input = input_of(q)},
                                &misses, e)
            : error_set(e, STATUS_MEMORY, "out of memory");
    m->i1_misses = (int64_t)misses;
    free(words);
    return status;
}

enum status program_measure(struct measured *out, const struct recording_request *q,
                            const struct tools *tools, struct error *e) {
    struct qemu_result r = {0};
    *out = (struct measured){.i1_misses = -1};
    enum status status = program_record(q, &r, e);
    if (status == STATUS_OK) {
        count_jumps(out, &r);
        out->bytes = count_bytes(&r.structure);
        out->instructions = r.instructions;
    }
    qemu_result_free(&r);
    if (status == STATUS_OK)
        status = hash_file(q->place->output, out->output, e);
    if (status == STATUS_OK)
        status = hash_file(q->place->program, out->hash, e);
    if (status == STATUS_OK && tools->cachegrind[0] != '\0')
        status = simulate(out, q, tools, e);
    return status;
}
