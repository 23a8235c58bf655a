#include "experiment/work/program_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

struct images_job {
    int64_t run_id, replay_id;
    struct source_times times;
    size_t program; /* index of the program's own image */
    struct qemu_result recording;
    struct qemu_symbols *symbols;
};

static void free_images(void *self) {
    struct images_job *job = self;
    qemu_result_free(&job->recording);
    qemu_symbols_free(job->symbols);
    free(job);
}

static const char *name_of(const struct qemu_image *image) {
    if (image->hash[0] == '\0')
        return "anonymous";
    const char *slash = strrchr(image->path, '/');
    return slash != NULL ? slash + 1 : image->path;
}

/* Stores the image's symbols, from index *next on. Images and symbols are ordered by address. */
static enum status put_symbols(struct db *db, const struct images_job *job,
                               const struct qemu_image *image, int64_t image_id, size_t *next,
                               struct error *e) {
    enum status status = STATUS_OK;
    struct qemu_symbol symbol;
    for (; status == STATUS_OK && qemu_symbols_get(job->symbols, *next, &symbol) &&
           symbol.address - image->base < image->room;
         ++*next)
        status = db_put_symbol(db,
                               &(struct db_symbol){.image_id = image_id,
                                                   .offset = symbol.address - image->base,
                                                   .name = symbol.name,
                                                   .size = symbol.size},
                               e);
    return status;
}

static enum status put_time(struct db *db, const struct images_job *job, const char *how,
                            double seconds, struct error *e) {
    struct db_program_run row = db_new_program_run();
    row.run_id = job->run_id;
    row.replay_id = job->replay_id;
    row.how = how;
    row.seconds = seconds;
    if (strcmp(how, "probes") == 0) {
        row.probed = (int64_t)job->times.probed;
        row.traps = (int64_t)job->times.traps;
    }
    return seconds == 0 ? STATUS_OK : db_put_program_run(db, &row, e);
}

static enum status put_times(struct db *db, const struct images_job *job, struct error *e) {
    enum status status = put_time(db, job, "native", job->times.native, e);
    if (status == STATUS_OK)
        status = put_time(db, job, "probes", job->times.probes, e);
    if (status == STATUS_OK)
        status = put_time(db, job, "recorded", job->times.recorded, e);
    return status;
}

static enum status write_images(struct db *db, void *self, struct error *e) {
    struct images_job *job = self;
    enum status status = put_times(db, job, e);
    size_t next = 0;
    for (size_t i = 0; status == STATUS_OK && i < job->recording.images.len; i++) {
        const struct qemu_image *image = &job->recording.images.at[i];
        struct db_image row = {
            .hash = image->hash, .name = name_of(image), .size = (int64_t)image->size};
        status = db_put_image(db, &row, e);
        const size_t place = i == job->program ? 0 : i < job->program ? i + 1 : i;
        if (status == STATUS_OK)
            status = db_put_replay_image(db,
                                         &(struct db_replay_image){.replay_id = job->replay_id,
                                                                   .place = (int64_t)place,
                                                                   .image_id = row.image_id,
                                                                   .base = image->base,
                                                                   .path = image->path},
                                         e);
        if (status == STATUS_OK)
            status = put_symbols(db, job, image, row.image_id, &next, e);
    }
    return status;
}

/* Index of the program's own image; 0 if its file has changed since. */
static size_t find_program(const struct plan_game *game, const struct qemu_result *r) {
    const struct config_program *program = game->game->program;
    char path[QEMU_PATH], hash[33];
    qemu_program_path(program->folder, program->command[0], path);
    if (hash_file(path, hash, NULL) != STATUS_OK)
        return 0;
    for (size_t i = 0; i < r->images.len; i++)
        if (strcmp(r->images.at[i].hash, hash) == 0)
            return i;
    return 0;
}

enum status images_put(struct writer *w, int64_t run_id, const struct plan_game *game,
                       struct source *source, struct error *e) {
    struct images_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    *job = (struct images_job){.run_id = run_id,
                               .replay_id = game->replay_id,
                               .times = source->times,
                               .program = find_program(game, &source->recording),
                               .recording = source->recording,
                               .symbols = source->symbols};
    source->recording = (struct qemu_result){0};
    source->symbols = NULL;
    enum status status = writer_put(w, job, write_images, free_images);
    return status == STATUS_OK ? STATUS_OK : error_set(e, status, "the database cannot be written");
}

/* ---- are they those that results are known of? ---- */

struct comparison {
    char *const *expected; /* "HASH PATH" */
    char *text;            /* the first difference; "": none so far */
    size_t size;
    bool any; /* there are rows */
};

enum { HASH = 32 };

/* True if `wanted` is the whole path or its end. */
static bool is_path(const char *path, const char *wanted) {
    const size_t len = strlen(path), end = strlen(wanted);
    return len >= end && strcmp(path + len - end, wanted) == 0 &&
           (len == end || wanted[0] == '/' || path[len - end - 1] == '/');
}

static enum status compare_image(void *user, size_t columns, const char *const *names,
                                 const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    (void)e;
    struct comparison *c = user;
    const char *path = values[0], *hash = values[1];
    const char *wanted = NULL;
    c->any = true;
    for (char *const *word = c->expected; *word != NULL && wanted == NULL; word++)
        if (is_path(path, *word + HASH + 1))
            wanted = *word;
    if (c->text[0] != '\0' || (wanted != NULL && strncmp(hash, wanted, HASH) == 0))
        return STATUS_OK;
    if (wanted != NULL)
        snprintf(c->text, c->size, "%s is another file: its hash is %s, not %.*s", path, hash, HASH,
                 wanted);
    else
        snprintf(c->text, c->size, "%s (%s) was executed, too",
                 path[0] != '\0' ? path : "anonymous memory", hash);
    return STATUS_OK;
}

enum status plan_other_image(const struct plan_game *game, struct db *db, char *text, size_t size,
                             struct error *e) {
    const struct config_program *program = game->game->program;
    text[0] = '\0';
    if (program == NULL || program->images == NULL)
        return STATUS_OK;
    struct comparison c = {.expected = program->images, .text = text, .size = size};
    enum status status =
        db_query(db,
                 "SELECT i.path, m.hash FROM replay_image i JOIN image m USING (image_id)"
                 " WHERE i.replay_id = ? ORDER BY i.place",
                 compare_image, &c, e, "i", game->replay_id);
    if (status == STATUS_OK && !c.any)
        snprintf(text, size, "which images were executed is not known");
    return status;
}
