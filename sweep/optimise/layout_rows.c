#include "optimise/layout_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/experiment.h"

/* Increment this whenever a change to a technique, to the recorder or to what is counted changes any
 * row: rows of an earlier method are then ignored and computed again. */
enum { OPTIMISE_METHOD = 1 };

static enum status hash_input(const char *input, char hex[33], struct error *e) {
    snprintf(hex, 33, "none");
    return input != NULL ? hash_file(input, hex, e) : STATUS_OK;
}

enum status program_name(struct program_name *out, const struct config_game *game,
                         const struct tools *tools, struct error *e) {
    const struct config_program *p = game->program;
    char path[QEMU_PATH], command[33], other[33], input[33], other_input[33];
    qemu_program_path(p->folder, p->command[0], path);
    enum status status = hash_file(path, out->hash, e);
    if (status == STATUS_OK)
        status = hash_input(p->input, input, e);
    if (status == STATUS_OK)
        status = hash_input(p->other_input != NULL ? p->other_input : p->input, other_input, e);
    if (status != STATUS_OK)
        return status;
    struct hash *h = hash_start();
    bool ok =
        program_hash_command(p, p->command, command) &&
        program_hash_command(p, p->other_command != NULL ? p->other_command : p->command, other);
    hash_add(h, "method %d %d\nprogram %s\nname %s\ncommand %s\ninput %s\n", CONFIG_METHOD,
             OPTIMISE_METHOD, out->hash, game->name, command, input);
    hash_add(h, "other command %s\nother input %s\nbolt %s\nqemu %s\n", other, other_input,
             tools->about, tools->qemu);
    ok = hash_finish(h, out->key) && ok;
    struct db_bolt_program row = db_new_bolt_program();
    row.key = out->key;
    db_name_bolt_program(&row);
    out->id = row.bolt_program_id;
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

enum status program_put(struct db *db, const struct program_name *name,
                        const struct config_game *game, const struct tools *tools,
                        const struct qemu_result *base, int64_t run_id, struct error *e) {
    char command[1000] = "";
    const char *slash = strrchr(game->program->command[0], '/');
    size_t n = 0;
    for (size_t i = 0; game->program->command[i] != NULL && n < sizeof command; i++)
        n += (size_t)snprintf(command + n, sizeof command - n, "%s%s", i > 0 ? " " : "",
                              i == 0 && slash != NULL ? slash + 1 : game->program->command[i]);
    struct db_bolt_program row = db_new_bolt_program();
    row.key = name->key;
    row.name = game->name;
    row.hash = name->hash;
    row.command = command;
    row.bolt = tools->about;
    row.instructions = (int64_t)base->instructions;
    row.transfers = (int64_t)base->transfers;
    row.run_id = run_id;
    return db_put_bolt_program(db, &row, e);
}

enum status layout_put(struct db *db, const struct program_name *name, const struct layout_row *r,
                       int64_t run_id, struct error *e) {
    const struct layout *l = r->layout;
    struct db_bolt_layout row = db_new_bolt_layout();
    row.bolt_program_id = name->id;
    row.kind = layout_kind_words[l->kind];
    row.technique = l->point != NULL ? l->point->key : "";
    row.sampling = l->sampling;
    row.inferred = l->inferred;
    if (r->profile != NULL) {
        row.observed = l->kind == LAYOUT_RANDOM ? 0 : (int64_t)r->profile->observed;
        row.predicted = r->profile->predicted;
        row.overlap = r->profile->overlap;
    }
    row.lines = (int64_t)r->lines;
    row.taken = (int64_t)r->measured->taken;
    row.jumps = (int64_t)r->measured->jumps;
    row.instructions = (int64_t)r->measured->instructions;
    row.bytes = (int64_t)r->measured->bytes;
    row.i1_misses = r->measured->i1_misses >= 0 ? r->measured->i1_misses : DB_NULL;
    row.stale = (int64_t)r->bolt.stale;
    row.hash = r->measured->hash;
    row.seconds = r->bolt.seconds;
    row.run_id = run_id;
    return db_put_bolt_layout(db, &row, e);
}

/* Columns: kind, technique, sampling, inferred. */
static enum status mark(void *user, size_t columns, const char *const *names,
                        const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    struct layouts *all = user;
    for (size_t i = 0; i < all->list.len; i++) {
        struct layout *l = &all->list.at[i];
        if (strcmp(values[0], layout_kind_words[l->kind]) == 0 &&
            strcmp(values[1], l->point != NULL ? l->point->key : "") == 0 &&
            strcmp(values[2], l->sampling) == 0 && (values[3][0] == '1') == l->inferred)
            l->there = true;
    }
    return STATUS_OK;
}

enum status layouts_mark(struct layouts *l, struct db *db, const struct config_game *game,
                         const struct program_name *name, struct error *e) {
    for (size_t i = 0; i < l->list.len; i++) {
        l->list.at[i].there = false;
        l->list.at[i].needless =
            l->list.at[i].kind == LAYOUT_OTHER && !config_has_other(game->program);
    }
    return db_query(db,
                    "SELECT kind, technique, sampling, inferred FROM bolt_layout"
                    " WHERE bolt_program_id = ?",
                    mark, l, e, "i", name->id);
}
