#include "optimise/optimise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "optimise/layout_rows.h"
#include "optimise/measure.h"
#include "qemu/export/fdata.h"

struct run {
    const struct optimise_request *request;
    struct optimise_result *result;
    struct tools tools;
    char plugin[QEMU_PLUGIN_PATH];
    struct qemu_setting settings[BUDGETS_MOST];
    struct layouts layouts;
    struct progress progress;
    int64_t run_id; /* 0: nothing was computed yet */
};

/* A program while it is measured. */
struct subject {
    struct run *run;
    const struct config_game *game;
    struct program_name name;
    struct recorded recorded;
    char output[33]; /* hash of the original's output */
    /* Shared by the threads: changed only in the critical section. */
    enum status status;
    struct error error;
};

static bool stopped(const struct run *r) {
    return r->request->stopped != NULL && r->request->stopped() != 0;
}

static enum status stop(struct error *e) {
    return error_set(e, STATUS_INTERRUPTED, "stopped");
}

/* ---- one layout ---- */

static enum status lay_out(const struct subject *s, const struct place *place,
                           struct layout_row *row, struct layout_profile *profile,
                           struct error *e) {
    const struct layout *l = row->layout;
    char original[QEMU_PATH];
    struct fdata_counts counts = {0};
    const char *path = NULL;
    if (l->kind == LAYOUT_ORIGINAL)
        return place_copy(place, s->game, e);
    qemu_program_path(s->game->program->folder, s->game->program->command[0], original);
    enum status status = STATUS_OK;
    if (l->kind != LAYOUT_NONE) {
        row->profile = profile;
        path = place->profile;
        status = layout_profile_make(profile, l, &s->recorded, e);
        if (status == STATUS_OK)
            status = fdata_write(&(struct fdata_request){.elf = original,
                                                         .structure = profile->structure,
                                                         .graph = &profile->graph,
                                                         .inferred = l->inferred,
                                                         .rare = FDATA_RARE},
                                 path, &counts, e);
        row->lines = counts.lines;
    }
    return status == STATUS_OK
               ? bolt_lay_out(&s->run->tools, original, path, place->program, &row->bolt, e)
               : status;
}

static enum status measure(const struct subject *s, const struct place *place, struct measured *out,
                           struct error *e) {
    const struct recording_request q = {.game = s->game,
                                        .place = place,
                                        .plugin = s->run->plugin,
                                        .stopped = s->run->request->stopped};
    enum status status = program_measure(out, &q, &s->run->tools, e);
    if (status == STATUS_OK && strcmp(out->output, s->output) != 0)
        status = error_set(e, STATUS_GUEST, "the program that BOLT made writes something else");
    return status;
}

static enum status put(struct subject *s, const struct layout_row *row, struct error *e) {
    const struct run *r = s->run;
    enum status status = layout_put(r->request->db, &s->name, row, r->run_id, e);
    return status == STATUS_OK ? db_commit(r->request->db, e) : status;
}

/* In the critical section. If BOLT or QEMU cannot handle a program, the others continue; if the
 * database cannot be written, everything ends. */
static void finish_layout(struct subject *s, const struct layout_row *row, enum status status,
                          struct error *e) {
    char name[700];
    if (s->status != STATUS_OK)
        return;
    layout_name(row->layout, name, sizeof name);
    if (status == STATUS_OK && (status = put(s, row, e)) == STATUS_OK) {
        s->run->result->computed++;
        s->run->progress.done += 1;
        progress_show(&s->run->progress, s->game->name);
        return;
    }
    if (status == STATUS_UNSUPPORTED) { /* BOLT crashes on some programs without a profile */
        s->run->result->refused++;
        progress_line(&s->run->progress, "left out: %s: %s: %s", s->game->name, name, e->text);
        return;
    }
    s->status = status;
    s->error = *e;
    if (status != STATUS_INTERRUPTED)
        error_prefix(&s->error, "%s: %s", s->game->name, name);
}

static void do_layout(struct subject *s, size_t number) {
    char folder[PLACE_NAME + 16];
    struct place place = {0};
    struct layout_profile profile = {0};
    struct measured measured;
    struct layout_row row = {.layout = &s->run->layouts.list.at[number], .measured = &measured};
    struct error e = {0};
    snprintf(folder, sizeof folder, "%04zu", number);
    enum status status = stopped(s->run) ? stop(&e) : place_make(&place, s->game, folder, &e);
    if (status == STATUS_OK)
        status = lay_out(s, &place, &row, &profile, &e);
    if (status == STATUS_OK)
        status = measure(s, &place, &measured, &e);
    place_remove(&place);
#pragma omp critical(optimise)
    finish_layout(s, &row, status, &e);
    graph_free(&profile.graph);
}

/* ---- one program ---- */

static enum status record(struct subject *s, const struct place *place, struct error *e) {
    const struct run *r = s->run;
    struct recording_request q = {.game = s->game,
                                  .place = place,
                                  .plugin = r->plugin,
                                  .settings = r->settings,
                                  .setting_count = r->request->config->budgets.len,
                                  .stopped = r->request->stopped};
    enum status status = place_copy(place, s->game, e);
    if (status == STATUS_OK)
        status = program_record(&q, &s->recorded.base, e);
    if (status == STATUS_OK)
        status = hash_file(place->output, s->output, e);
    q.other = true;
    q.setting_count = 0;
    if (status == STATUS_OK && config_has_other(s->game->program))
        status = program_record(&q, &s->recorded.other, e);
    return status == STATUS_OK ? recorded_prepare(&s->recorded, e) : status;
}

static enum status begin(struct subject *s, struct error *e) {
    struct run *r = s->run;
    const struct optimise_request *q = r->request;
    struct place place = {0};
    enum status status = place_make(&place, s->game, "base", e);
    if (status == STATUS_OK)
        status = record(s, &place, e);
    place_remove(&place);
    if (status != STATUS_OK)
        return status;
    if (r->run_id == 0)
        status = store_run(&(struct plan){.config = q->config}, q->db, &q->about, &r->run_id, e);
    if (status == STATUS_OK)
        status = program_put(q->db, &s->name, s->game, &r->tools, &s->recorded.base, r->run_id, e);
    return status == STATUS_OK ? db_commit(q->db, e) : status;
}

static enum status do_layouts(struct subject *s, struct error *e) {
    const size_t count = s->run->layouts.list.len;
    const struct layout *list = s->run->layouts.list.at;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->run->request->jobs)
    for (size_t i = 0; i < count; i++) {
        bool go;
#pragma omp critical(optimise)
        go = s->status == STATUS_OK && !list[i].there && !list[i].needless;
        if (go)
            do_layout(s, i);
    }
    if (s->status != STATUS_OK && e != NULL)
        *e = s->error;
    return s->status;
}

static void count_layouts(const struct layouts *l, size_t *there, size_t *missing) {
    *there = *missing = 0;
    for (size_t i = 0; i < l->list.len; i++)
        ++*(l->list.at[i].there || l->list.at[i].needless ? there : missing);
}

static enum status do_program(struct run *r, const struct config_game *game, struct error *e) {
    struct subject s = {.run = r, .game = game};
    size_t there, missing;
    enum status status = program_name(&s.name, game, &r->tools, e);
    if (status == STATUS_OK)
        status = layouts_mark(&r->layouts, r->request->db, game, &s.name, e);
    if (status != STATUS_OK)
        return status;
    count_layouts(&r->layouts, &there, &missing);
    r->progress.done += (double)there;
    for (size_t i = 0; i < r->layouts.list.len; i++)
        r->result->there += r->layouts.list.at[i].there;
    if (missing == 0)
        return STATUS_OK;
    progress_show(&r->progress, game->name);
    status = begin(&s, e);
    if (status == STATUS_OK)
        status = do_layouts(&s, e);
    else if (status != STATUS_INTERRUPTED)
        error_prefix(e, "%s", game->name);
    places_remove(game);
    recorded_free(&s.recorded);
    return status;
}

/* ---- all ---- */

static bool is_wanted(const char *names, const char *name) {
    const size_t len = strlen(name);
    for (const char *at = names; at != NULL && *at != '\0'; at += strcspn(at, ",")) {
        at += *at == ',';
        if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0'))
            return true;
    }
    return names == NULL;
}

/* Is the program there? If not, prints one line that says why. */
static bool is_present(struct run *r, const struct config_game *game) {
    char path[QEMU_PATH];
    struct error why = {0};
    qemu_program_path(game->program->folder, game->program->command[0], path);
    if (qemu_can_record(path, &why) == STATUS_OK)
        return true;
    progress_line(&r->progress, "skipped: %s: %s", game->name, why.text);
    r->result->skipped++;
    return false;
}

/* True unless the error concerns one program only. */
static bool ends_all(enum status status) {
    return status == STATUS_INTERRUPTED || status == STATUS_MEMORY || status == STATUS_IO;
}

static enum status do_programs(struct run *r, struct error *e) {
    const struct config *c = r->request->config;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < c->games.len; i++) {
        const struct config_game *game = &c->games.at[i];
        if (!is_wanted(r->request->programs, game->name) || game->program == NULL)
            continue;
        if (!is_present(r, game)) {
            r->progress.done += (double)r->layouts.list.len;
            continue;
        }
        status = do_program(r, game, e);
        r->result->programs += status == STATUS_OK;
        if (status != STATUS_OK && !ends_all(status)) {
            progress_line(&r->progress, "failed: %s", e->text);
            r->result->failed++;
            status = STATUS_OK;
        }
    }
    return status;
}

/* Checks that every name is that of a program. */
static enum status check_names(const struct optimise_request *q, struct error *e) {
    for (const char *at = q->programs; at != NULL && *at != '\0';) {
        const int len = (int)strcspn(at, ",");
        bool any = false;
        for (size_t i = 0; i < q->config->games.len; i++) {
            const char *name = q->config->games.at[i].name;
            any |= strncmp(name, at, (size_t)len) == 0 && name[len] == '\0';
        }
        if (!any)
            return error_set(e, STATUS_ARGUMENT, "%s has no program '%.*s'", q->config->path, len,
                             at);
        at += len + (at[len] == ',');
    }
    return STATUS_OK;
}

static enum status check(const struct optimise_request *q, size_t *programs, struct error *e) {
    *programs = 0;
    if (check_names(q, e) != STATUS_OK)
        return STATUS_ARGUMENT;
    for (size_t i = 0; i < q->config->games.len; i++) {
        const struct config_game *game = &q->config->games.at[i];
        if (game->program != NULL && game->program->folder == NULL)
            return error_set(e, STATUS_ARGUMENT, "%s: %s has no folder to work in", game->place,
                             game->name);
        if (game->program != NULL && game->program->native && is_wanted(q->programs, game->name))
            return error_set(e, STATUS_ARGUMENT,
                             "%s: %s has how = \"native\", but BOLT's profiles are made of "
                             "recordings under QEMU; remove `how`",
                             game->place, game->name);
        *programs += game->program != NULL && is_wanted(q->programs, game->name);
    }
    if (q->config->budgets.len == 0)
        return error_set(e, STATUS_ARGUMENT, "%s has no budgets, so there is nothing to sample",
                         q->config->path);
    return *programs > 0
               ? STATUS_OK
               : error_set(e, STATUS_ARGUMENT, "%s has none of these programs", q->config->path);
}

static void set_settings(struct run *r) {
    const struct config *c = r->request->config;
    for (size_t i = 0; i < c->budgets.len; i++) {
        const struct config_budget *b = &c->budgets.at[i];
        r->settings[i] = (struct qemu_setting){.transfers = b->transfers,
                                               .every = b->every,
                                               .length = b->batch,
                                               .seed = b->seed,
                                               .stack = b->stack};
    }
}

enum status optimise_run(const struct optimise_request *request, struct optimise_result *result,
                         struct error *e) {
    struct run r = {.request = request, .result = result};
    size_t programs;
    *result = (struct optimise_result){0};
    enum status status = check(request, &programs, e);
    if (status == STATUS_OK)
        status = tools_find(&r.tools, request->stopped, e);
    if (status == STATUS_OK)
        status = qemu_find_plugin(r.plugin, e);
    if (status == STATUS_OK)
        status = layouts_list(&r.layouts, request->config, e);
    if (status == STATUS_OK) {
        set_settings(&r);
        progress_start(&r.progress, (double)(programs * r.layouts.list.len));
        if (r.tools.cachegrind[0] == '\0')
            progress_line(&r.progress, "no misses of an instruction cache: valgrind is not "
                                       "installed");
        status = do_programs(&r, e);
        progress_end(&r.progress);
    }
    if (status == STATUS_OK && r.run_id != 0)
        status = db_finish_run(request->db, r.run_id, e);
    if (status == STATUS_OK)
        status = db_commit(request->db, e);
    vec_free(&r.layouts.list);
    return status;
}
