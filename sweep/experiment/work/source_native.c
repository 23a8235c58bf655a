#include "experiment/work/source_native.h"

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- running it ---- */

enum { FOLDER = 3072, NAME = FOLDER + 32, PAGE = 4096 };

struct native_run {
    const struct config_program *program;
    char *const *command;
    const char *input;
    const struct source_hooks *hooks;
    char folder[FOLDER]; /* for the files of this run */
    char graph[NAME], structure[NAME], summary[NAME], said[NAME];
    VEC(const char *) words, env;
};

/* As a recording has it; what the program's entry adds comes last, and replaces what is there. */
static bool list_env(struct native_run *r) {
    bool ok = true;
    for (const char *const *usual = qemu_usual_env(); ok && *usual != NULL; usual++) {
        const size_t name = strcspn(*usual, "=") + 1;
        bool given = false;
        for (char *const *own = r->program->env; own != NULL && *own != NULL; own++)
            given |= strncmp(*own, *usual, name) == 0;
        ok = given || vec_push(&r->env, *usual);
    }
    for (char *const *own = r->program->env; ok && own != NULL && *own != NULL; own++)
        ok = vec_push(&r->env, *own);
    return ok && vec_push(&r->env, NULL);
}

/* With probes it is `hotgraph native` that runs: in a process of its own, because signals and the
 * program's end are a process's. */
static bool list_words(struct native_run *r, bool probes) {
    const char *const native[] = {"hotgraph",   "native", "--graph",  r->graph, "--structure",
                                  r->structure, "--json", r->summary, "--"};
    bool ok = true;
    r->words.len = 0;
    for (size_t i = 0; probes && ok && i < sizeof native / sizeof *native; i++)
        ok = vec_push(&r->words, native[i]);
    for (char *const *word = r->command; ok && *word != NULL; word++)
        ok = vec_push(&r->words, *word);
    return ok && vec_push(&r->words, NULL);
}

static enum status start_and_wait(const struct native_run *r, bool probes, const int files[3],
                                  double *seconds, struct error *e) {
    struct child child;
    int word;
    const struct child_request request = {.path = probes ? "/proc/self/exe" : r->command[0],
                                          .words = r->words.at,
                                          .env = (char *const *)r->env.at,
                                          .folder = r->program->folder,
                                          .files = files,
                                          .prepare = child_forget_inherited,
                                          .group = true};
    enum status status = child_start(&child, &request, e);
    if (status == STATUS_OK)
        status = child_wait(&child, r->hooks->stopped, &word, e);
    if (status == STATUS_OK)
        *seconds += child.seconds;
    return status;
}

static enum status run(struct native_run *r, bool probes, double *seconds, struct error *e) {
    if (!list_words(r, probes))
        return error_set(e, STATUS_MEMORY, "out of memory");
    const char *input = r->input != NULL ? r->input : "/dev/null";
    const int files[3] = {open(input, O_RDONLY | O_CLOEXEC),
                          open("/dev/null", O_WRONLY | O_CLOEXEC),
                          open(r->said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    enum status status = STATUS_OK;
    if (files[0] < 0)
        status = file_unopened(input, errno, e);
    else if (files[1] < 0 || files[2] < 0)
        status = file_unmade(r->said, "cannot be made", errno, e);
    else
        status = start_and_wait(r, probes, files, seconds, e);
    for (size_t i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
    return status;
}

/* ---- what it left ---- */

/* The last line that begins with "hotgraph: " is the reason; the program may have written before it. */
static enum status refused(const struct native_run *r, struct error *e) {
    static const char mark[] = "hotgraph: ";
    struct bytes said = {0};
    const char *reason = "there is no graph, and no reason was given";
    if (file_read(&said, r->said, (size_t)1 << 30, NULL) == STATUS_OK)
        for (char *line = (char *)said.at; line != NULL && *line != '\0';) {
            char *stop = strchr(line, '\n');
            if (stop != NULL)
                *stop++ = '\0';
            if (strncmp(line, mark, sizeof mark - 1) == 0)
                reason = line + sizeof mark - 1;
            line = stop;
        }
    error_set(e, STATUS_GUEST, "%.200s: %.700s", r->command[0], reason);
    bytes_free(&said);
    return STATUS_GUEST;
}

/* A number of the summary; 0: it has no such member. In strings quotes are escaped. */
static uint64_t summary_number(const char *summary, const char *member) {
    const char *at = strstr(summary, member);
    return at != NULL ? strtoull(at + strlen(member), NULL, 10) : 0;
}

static enum status read_probed(const struct native_run *r, struct source_times *times,
                               struct error *e) {
    struct bytes summary = {0};
    const enum status status = file_read(&summary, r->summary, (size_t)1 << 30, e);
    if (status == STATUS_OK) {
        times->probed = summary_number((const char *)summary.at, "\"probed\":");
        times->traps = summary_number((const char *)summary.at, "\"traps\":");
    }
    bytes_free(&summary);
    return status;
}

/* The graph's only file, as a recording lists it. */
static enum status list_image(struct qemu_result *out, struct error *e) {
    struct stat st = {0};
    const struct structure *s = &out->structure;
    if (s->image_count != 1)
        return error_set(e, STATUS_FORMAT, "the path of the program has a line break");
    struct qemu_image image = {.path = strdup(s->images->path), .base = s->images->base};
    memcpy(image.hash, s->images->hash, sizeof image.hash);
    if (image.path != NULL && stat(image.path, &st) == 0)
        image.size = (uint64_t)st.st_size;
    image.room = (uint32_t)((image.size + PAGE - 1) / PAGE * PAGE);
    if (image.path != NULL && vec_push(&out->images, image))
        return STATUS_OK;
    free(image.path);
    return error_set(e, STATUS_MEMORY, "out of memory");
}

static enum status read_files(const struct native_run *r, struct qemu_result *out,
                              struct error *e) {
    if (access(r->graph, F_OK) != 0)
        return refused(r, e);
    enum status status = graph_read(&out->graph, r->graph, e);
    if (status == STATUS_OK)
        status = structure_read(&out->structure, r->structure, e);
    if (status == STATUS_OK)
        status = list_image(out, e);
    out->target = "x86_64";
    out->instructions = out->structure.executed;
    out->transfers = out->structure.transfers;
    return status;
}

/* ---- all of it ---- */

static void remove_files(const struct native_run *r) {
    unlink(r->graph);
    unlink(r->structure);
    unlink(r->summary);
    unlink(r->said);
    rmdir(r->folder);
}

static enum status make_folder(struct native_run *r, struct error *e) {
    const char *temporary = getenv("TMPDIR");
    snprintf(r->folder, sizeof r->folder, "%s/hotgraph-sweep-XXXXXX",
             temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    if (mkdtemp(r->folder) == NULL)
        return file_unmade(r->folder, "cannot be made", errno, e);
    snprintf(r->graph, sizeof r->graph, "%s/graph", r->folder);
    snprintf(r->structure, sizeof r->structure, "%s/structure", r->folder);
    snprintf(r->summary, sizeof r->summary, "%s/summary", r->folder);
    snprintf(r->said, sizeof r->said, "%s/said", r->folder);
    return STATUS_OK;
}

enum status native_count(struct qemu_result *out, const struct config_program *program, bool other,
                         const struct source_hooks *hooks, struct source_times *times,
                         struct error *e) {
    struct native_run r = {
        .program = program,
        .command =
            other && program->other_command != NULL ? program->other_command : program->command,
        .input = other && program->other_input != NULL ? program->other_input : program->input,
        .hooks = hooks};
    enum status status = make_folder(&r, e);
    if (status != STATUS_OK)
        return status;
    if (!list_env(&r))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK && !other)
        status = run(&r, false, &times->native, e);
    if (status == STATUS_OK)
        status = run(&r, true, &out->seconds, e);
    if (status == STATUS_OK)
        status = read_files(&r, out, e);
    if (!other)
        times->probes = out->seconds;
    if (!other && status == STATUS_OK)
        status = read_probed(&r, times, e);
    remove_files(&r);
    vec_free(&r.words);
    vec_free(&r.env);
    return status;
}

/* ---- samples ---- */

static bool within(const struct qemu_image *image, uint32_t address) {
    return address - image->base < image->room;
}

/* Of a batch's instructions all must be the program's own. They move to the addresses that they have
 * natively. */
static bool move_batch(struct sample *out, const struct sample *batch, size_t length,
                       const struct qemu_image *from, uint32_t to) {
    for (size_t i = 0; i < length; i++) {
        if (!within(from, batch[i].pc))
            return false;
        out[i] = batch[i];
        out[i].pc += to - from->base;
        if (out[i].target != 0)
            out[i].target += to - from->base;
    }
    return true;
}

static enum status take_stream(struct stream *out, const struct stream *s,
                               const struct qemu_image *from, const struct qemu_result *to,
                               struct error *e) {
    const bool transfers = s->of == STREAM_OF_TRANSFERS;
    struct stream_maker made = {
        .stream = {.of = s->of,
                   .batch_length = s->batch_length,
                   .population = transfers ? to->transfers : to->instructions,
                   .executed = to->instructions}};
    struct sample *batch = calloc(s->batch_length + 1, sizeof *batch);
    bool ok = batch != NULL;
    for (size_t i = 0; ok && i < s->batch_count; i++)
        if (move_batch(batch, stream_batch(s, i), s->batch_length, from, to->images.at[0].base))
            ok = stream_add(&made, batch);
    free(batch);
    if (!ok) {
        stream_unmake(&made);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    *out = stream_made(&made);
    memcpy(out->program, s->program, sizeof out->program);
    return STATUS_OK;
}

/* Compares the recorded edges within the program with those that were counted. */
static void compare(const struct graph *counted, const struct graph *recorded,
                    const struct qemu_image *from, uint32_t base, struct error *warning) {
    const uint32_t shift = base - from->base;
    size_t at = 0, different = 0, first = SIZE_MAX;
    for (size_t i = 0; i < recorded->edge_count; i++) {
        const struct edge *a = &recorded->edges[i];
        if (!within(from, a->source) || !within(from, a->target))
            continue;
        const struct edge *b = at < counted->edge_count ? &counted->edges[at] : NULL;
        const bool same = b != NULL && b->source == a->source + shift &&
                          b->target == a->target + shift && b->count == a->count;
        if (!same && first == SIZE_MAX)
            first = i;
        different += !same;
        at++;
    }
    if (at != counted->edge_count)
        error_set(warning, STATUS_OK,
                  "the probes counted %zu edges, the recording has %zu: another run may differ",
                  counted->edge_count, at);
    else if (different > 0)
        error_set(warning, STATUS_OK,
                  "the recording has other counts than the probes at %zu of %zu edges, the first "
                  "at 0x%" PRIx32 " of the file: another run may differ",
                  different, at, recorded->edges[first].source - from->base);
}

enum status native_take_samples(struct qemu_result *to, struct qemu_result *recorded,
                                struct error *warning, struct error *e) {
    const struct qemu_image *own = &to->images.at[0], *from = NULL;
    for (size_t i = 0; from == NULL && i < recorded->images.len; i++)
        if (strcmp(recorded->images.at[i].hash, own->hash) == 0)
            from = &recorded->images.at[i];
    if (from == NULL)
        return error_set(e, STATUS_GUEST, "%s: the recording did not execute this file", own->path);
    struct error differs = {0};
    compare(&to->graph, &recorded->graph, from, own->base, &differs);
    if (differs.text[0] != '\0')
        error_set(warning, STATUS_OK, "%s: %s", own->path, differs.text);
    to->streams = calloc(recorded->stream_count + 1, sizeof *to->streams);
    if (to->streams == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    to->stream_count = recorded->stream_count;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < to->stream_count; i++)
        status = take_stream(&to->streams[i], &recorded->streams[i], from, to, e);
    return status;
}
