#include "experiment/plan/program.h"

#include "base/base.h"
#include "base/child.h"
#include "config/config.h"
#include "qemu/qemu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNKNOWN "unknown"

bool program_hash_command(const struct config_program *program, char **words, char hex[33]) {
    struct hash *h = hash_start();
    for (size_t i = 1; words[i] != NULL; i++) {
        const char *word = words[i];
        char *path = NULL, content[33] = "";
        if (word[0] != '/' && program->folder != NULL &&
            asprintf(&path, "%s/%s", program->folder, word) < 0)
            path = NULL;
        if (hash_file(path != NULL ? path : word, content, NULL) != STATUS_OK)
            content[0] = '\0';
        free(path);
        hash_add_bytes(h, word, strlen(word) + 1);
        hash_add_bytes(h, content, strlen(content) + 1);
    }
    for (size_t i = 0; program->env != NULL && program->env[i] != NULL; i++)
        hash_add_bytes(h, program->env[i], strlen(program->env[i]) + 1);
    return hash_finish(h, hex);
}

/* An unknown part is written as %, for SQL's LIKE. */
static void name_replay(char *out, const struct config_program *program, const char *image,
                        const char *command, const char *input) {
    snprintf(out, PLAN_KEY, "program=%s command=%s input=%s method=%d%s", image, command, input,
             CONFIG_METHOD, program->native ? " how=native" : "");
}

struct config_budget program_budget(const struct config_program *p, const struct plan_stream *s) {
    return s->budget != NULL ? *s->budget : p->own;
}

/* Single transfers are batches of two: the transfer and its destination. Of the last taken branches, a
 * batch is as many in a row. */
static void name_sampling(const struct config_program *program, struct plan_stream *s) {
    const struct config_budget b = program_budget(program, s);
    config_budget_key(&b, s->sampling_key, PLAN_KEY);
    s->sampling.method = b.transfers ? "transfers" : "instructions";
    s->sampling.seed = b.transfers ? (int64_t)b.seed : DB_NULL;
    s->sampling.stride = (int64_t)b.every;
    s->sampling.batch_length = b.stack > 0 ? (int64_t)b.stack : b.transfers ? 2 : (int64_t)b.batch;
}

static void name_samplings(struct plan_game *p) {
    for (size_t i = 0; i < p->stream_count; i++)
        if (p->streams[i].configured == NULL)
            name_sampling(p->game->program, &p->streams[i]);
}

/* Identifies the other run by its arguments and its input. */
static enum status name_other(struct plan_game *p, struct error *e) {
    const struct config_program *program = p->game->program;
    const char *from = program->other_input != NULL ? program->other_input : program->input;
    char command[33], input[33] = "none";
    if (!config_has_other(program))
        return STATUS_OK;
    enum status status = from != NULL ? hash_file(from, input, e) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    struct hash *h = hash_start();
    bool ok = program_hash_command(
        program, program->other_command != NULL ? program->other_command : program->command,
        command);
    hash_add(h, "command %s\ninput %s\n", command, input);
    ok = hash_finish(h, p->other_input) && ok;
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

static bool is_sampled(const struct plan_game *p) {
    bool sampled = false;
    for (size_t i = 0; i < p->stream_count; i++)
        sampled |= p->streams[i].configured == NULL;
    return sampled;
}

/* Whether the program can run in all the ways that it must. */
static enum status can_run(const struct plan_game *p, const char *path, struct error *e) {
    const struct config_program *program = p->game->program;
    char library[QEMU_PATH];
    if (program->native && access(path, F_OK) != 0)
        return error_set(e, STATUS_ARGUMENT, "%s: there is no such file", path);
    if (program->native && !child_beside("core/native", "libhotprobe.so", library, sizeof library))
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: how = \"native\" needs libhotprobe.so, which is not beside this "
                         "program; 'make program' builds it",
                         path);
    return program->native && !is_sampled(p) ? STATUS_OK : qemu_can_record(path, e);
}

enum status program_open(struct plan_game *p, struct error *e) {
    const struct config_program *program = p->game->program;
    char image[33], command[33], input[33] = "none";
    struct error why = {0};
    char path[QEMU_PATH];
    name_samplings(p);
    qemu_program_path(program->folder, program->command[0], path);
    if (can_run(p, path, &why) != STATUS_OK) {
        snprintf(p->absent, sizeof p->absent, "%.299s", why.text);
        return STATUS_OK;
    }
    enum status status = hash_file(path, image, e);
    if (status == STATUS_OK && program->input != NULL)
        status = hash_file(program->input, input, e);
    if (status == STATUS_OK && !program_hash_command(program, program->command, command))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = name_other(p, e);
    if (status != STATUS_OK)
        return status;
    p->present = true;
    name_replay(p->replay_key, program, image, command, input);
    return STATUS_OK;
}

static enum status note_key(void *user, size_t columns, const char *const *names,
                            const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    snprintf(user, PLAN_KEY, "%s", values[0]);
    return STATUS_OK;
}

/* The preferred key comes last, so it overwrites the others. */
static const char keys_sql[] =
    "SELECT p.key FROM replay p WHERE p.key LIKE ?1"
    " ORDER BY EXISTS (SELECT 1 FROM stream s JOIN experiment_stream USING (stream_id)"
    " JOIN experiment x USING (experiment_id) WHERE s.replay_id = p.replay_id AND x.name = ?2),"
    " p.key";

enum status program_find_absent(struct plan_game *p, const char *experiment, struct db *db,
                                struct error *e) {
    const struct config_program *program = p->game->program;
    char path[QEMU_PATH], image[33], command[33], input[33] = "none", like[PLAN_KEY];
    qemu_program_path(program->folder, program->command[0], path);
    const bool has_image = hash_file(path, image, NULL) == STATUS_OK;
    const bool has_input =
        program->input == NULL || hash_file(program->input, input, NULL) == STATUS_OK;
    if (!program_hash_command(program, program->command, command))
        return error_set(e, STATUS_MEMORY, "out of memory");
    if (name_other(p, NULL) != STATUS_OK)
        snprintf(p->other_input, sizeof p->other_input, UNKNOWN);
    name_replay(like, program, has_image ? image : "%", command, has_input ? input : "%");
    name_replay(p->replay_key, program, has_image ? image : UNKNOWN, command,
                has_input ? input : UNKNOWN);
    return db_query(db, keys_sql, note_key, p->replay_key, e, "tt", like, experiment);
}
