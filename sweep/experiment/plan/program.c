#include "experiment/plan/program.h"

#include "base/base.h"
#include "config/config.h"
#include "qemu/qemu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static void name_replay(char *out, const char *image, const char *command, const char *input) {
    snprintf(out, PLAN_KEY, "program=%s command=%s input=%s method=%d", image, command, input,
             CONFIG_METHOD);
}

static void name_sampling(const struct config_program *program, struct plan_stream *s) {
    snprintf(s->sampling_key, PLAN_KEY, "instructions every=%" PRIu64 " batch=%u", program->every,
             program->batch);
    s->sampling.method = "instructions";
    s->sampling.stride = (int64_t)program->every;
    s->sampling.batch_length = (int64_t)program->batch;
}

enum status program_open(struct plan_game *p, struct error *e) {
    const struct config_program *program = p->game->program;
    char image[33], command[33], input[33] = "none";
    struct error why = {0};
    char path[QEMU_PATH];
    name_sampling(program, p->streams);
    qemu_program_path(program->folder, program->command[0], path);
    if (qemu_can_record(path, &why) != STATUS_OK) {
        snprintf(p->absent, sizeof p->absent, "%.299s", why.text);
        return STATUS_OK;
    }
    enum status status = hash_file(path, image, e);
    if (status == STATUS_OK && program->input != NULL)
        status = hash_file(program->input, input, e);
    if (status == STATUS_OK && !program_hash_command(program, program->command, command))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status != STATUS_OK)
        return status;
    p->present = true;
    name_replay(p->replay_key, image, command, input);
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
    name_replay(like, has_image ? image : "%", command, has_input ? input : "%");
    name_replay(p->replay_key, has_image ? image : UNKNOWN, command, has_input ? input : UNKNOWN);
    return db_query(db, keys_sql, note_key, p->replay_key, e, "tt", like, experiment);
}
