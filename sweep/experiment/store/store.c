/* Writes the rows that describe the experiment and the run. */
#include "experiment/experiment.h"

#include "base/base.h"
#include "config/config.h"

#include <Zydis/Zydis.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <libconfig.h>
#include <png.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

/* ---- configurations and games ---- */

static enum status put_values(struct db *db, const struct config_point *p, int64_t configuration_id,
                              struct error *e) {
    enum status status = STATUS_OK;
    for (int i = 0; i < TECHNIQUE_PARAMETERS && p->technique->parameters[i].name != NULL; i++) {
        struct db_configuration_value row = {
            .configuration_id = configuration_id,
            .name = p->technique->parameters[i].name,
            .value = {.text = config_word(p, i), .integer = p->values[i]}};
        if (status == STATUS_OK)
            status = db_put_configuration_value(db, &row, e);
    }
    return status;
}

static enum status put_configurations(const struct config *config, struct db *db,
                                      struct db_members *m, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < config->points.len; i++) {
        const struct config_point *p = &config->points.at[i];
        struct db_configuration row = {.key = p->key, .technique = p->technique->name};
        if ((status = db_put_configuration(db, &row, e)) == STATUS_OK)
            status = put_values(db, p, row.configuration_id, e);
        m->configurations[m->configuration_count++] = (struct db_experiment_configuration){
            .configuration_id = row.configuration_id,
            .number = p->number >= 0 ? p->number : DB_NULL,
            .baseline = p->number < 0,
            .label = p->label,
        };
    }
    return status;
}

static enum status note_member(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)values, (void)e;
    *(bool *)user = true;
    return STATUS_OK;
}

/* True if the experiment has rows of that game. Then the game remains a member even without its
 * ROM, with its current streams, whose missing results are reported. */
static enum status was_member(const struct config *c, struct db *db, const char *game, bool *member,
                              struct error *e) {
    return db_query(db,
                    "SELECT 1 FROM experiment x JOIN experiment_stream USING (experiment_id)"
                    " JOIN game g USING (game_id) WHERE x.name = ? AND g.name = ? LIMIT 1",
                    note_member, member, e, "tt", c->name, game);
}

static enum status put_streams(const struct plan_game *p, struct db *db, struct db_members *m,
                               struct error *e) {
    struct db_game game = {.name = p->game->name,
                           .title = p->game->title,
                           .paper_game = p->game->paper_game,
                           .untested = p->game->untested};
    enum status status = db_put_game(db, &game, e);
    for (size_t i = 0; status == STATUS_OK && i < p->stream_count; i++) {
        struct db_sampling sampling = p->streams[i].sampling;
        status = db_put_sampling(db, &sampling, e);
        m->streams[m->stream_count++] =
            (struct db_experiment_stream){.game_id = game.game_id,
                                          .stream_id = p->streams[i].stream_id,
                                          .sampling_id = sampling.sampling_id,
                                          .variant = p->streams[i].variant};
    }
    return status;
}

static enum status put_games(const struct plan *plan, struct db *db, struct db_members *m,
                             const char **names, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->count; i++) {
        const struct plan_game *p = &plan->games[i];
        bool member = p->present;
        names[m->game_count++] = p->game->name;
        if (!p->present && p->named)
            status = was_member(plan->config, db, p->game->name, &member, e);
        if (status == STATUS_OK && member)
            status = put_streams(p, db, m, e);
    }
    return status;
}

static size_t count_streams(const struct plan *plan) {
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        count += plan->games[i].stream_count;
    return count;
}

enum status store_experiment(const struct plan *plan, struct db *db, int64_t *experiment_id,
                             struct error *e) {
    const struct config *c = plan->config;
    int64_t *marks = calloc(c->marks.len + 1, sizeof *marks);
    int64_t *hot = calloc(c->hot.len + 1, sizeof *hot);
    const size_t of_games = c->windows.len, of_programs = c->program_windows.len;
    int64_t *windows = calloc(of_games + of_programs + 1, sizeof *windows);
    const char **names = calloc(plan->count + 1, sizeof *names);
    struct db_members m = {
        .name = c->name,
        .definition_hash = c->definition_hash,
        .judges_paths = c->paths,
        .configurations = calloc(c->points.len + 1, sizeof *m.configurations),
        .streams = calloc(count_streams(plan) + 1, sizeof *m.streams),
        .games = names,
        .marks = marks,
        .mark_count = c->marks.len,
        .hot = hot,
        .hot_count = c->hot.len,
        .windows = windows,
        .window_count = of_games,
        .program_window_count = of_programs,
    };
    enum status status = STATUS_OK;
    if (marks == NULL || hot == NULL || windows == NULL || names == NULL ||
        m.configurations == NULL || m.streams == NULL)
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", c->path);
    for (size_t i = 0; status == STATUS_OK && i < c->marks.len; i++)
        marks[i] = (int64_t)c->marks.at[i];
    for (size_t i = 0; status == STATUS_OK && i < c->hot.len; i++)
        hot[i] = c->hot.at[i];
    for (size_t i = 0; status == STATUS_OK && i < of_games; i++)
        windows[i] = (int64_t)c->windows.at[i];
    for (size_t i = 0; status == STATUS_OK && i < of_programs; i++)
        windows[of_games + i] = (int64_t)c->program_windows.at[i];
    if (status == STATUS_OK)
        status = put_configurations(c, db, &m, e);
    if (status == STATUS_OK)
        status = put_games(plan, db, &m, names, e);
    if (status == STATUS_OK)
        status = db_put_members(db, &m, experiment_id, e);
    free(m.configurations);
    free(m.streams);
    free(marks);
    free(hot);
    free(windows);
    free(names);
    return status;
}

/* ids: has room for all configurations. */
static enum status put_unfit(const struct plan *plan, const struct plan_game *game,
                             const struct plan_stream *stream, struct db *db, int64_t experiment_id,
                             int64_t *ids, struct error *e) {
    size_t count = 0;
    for (size_t i = 0; i < plan->config->points.len; i++) {
        const struct config_point *p = &plan->config->points.at[i];
        struct db_configuration row = {.key = p->key, .technique = p->technique->name};
        db_name_configuration(&row);
        if (plan_fits(game, stream, p, NULL) != STATUS_OK)
            ids[count++] = row.configuration_id;
    }
    return db_put_unfit_of(db, experiment_id, stream->stream_id, ids, count, e);
}

enum status store_unfit(const struct plan *plan, struct db *db, int64_t experiment_id,
                        struct error *e) {
    int64_t *ids = calloc(plan->config->points.len + 1, sizeof *ids);
    enum status status = ids != NULL
                             ? STATUS_OK
                             : error_set(e, STATUS_MEMORY, "%s: out of memory", plan->config->path);
    for (size_t i = 0; status == STATUS_OK && i < plan->count; i++) {
        const struct plan_game *p = &plan->games[i];
        for (size_t k = 0; status == STATUS_OK && k < p->stream_count; k++)
            if (p->present && p->streams[k].has_stream)
                status = put_unfit(plan, p, &p->streams[k], db, experiment_id, ids, e);
    }
    free(ids);
    return status == STATUS_OK ? db_commit(db, e) : status;
}

enum status store_roles(const struct plan *plan, struct db *db, int64_t experiment_id,
                        struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->count; i++) {
        const struct plan_game *p = &plan->games[i];
        for (size_t k = 0; status == STATUS_OK && k < p->stream_count; k++)
            if (p->wanted && p->present && p->streams[k].missing + p->streams[k].left == 0)
                status = db_put_roles(db, experiment_id, p->streams[k].stream_id, e);
    }
    return status == STATUS_OK ? db_commit(db, e) : status;
}

/* ---- who computes ---- */

#ifndef HOTGRAPH_FLAGS
#define HOTGRAPH_FLAGS "unknown"
#endif

static void read_cpu(char *out, size_t size) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[300];
    snprintf(out, size, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (file != NULL)
        fclose(file);
}

/* Versions of the libraries at run time if a library can tell it, else at build time. */
static void name_libraries(char *out, size_t size) {
    const ZyanU64 zydis = ZydisGetVersion();
    const unsigned xxh = XXH_versionNumber(); /* 802: 0.8.2 */
    snprintf(out, size,
             "glibc %s, SQLite %s, Zydis %u.%u.%u, libconfig %d.%d.%d, xxHash %u.%u.%u, zlib %s, "
             "libpng %s",
             gnu_get_libc_version(), db_library_version(), (unsigned)ZYDIS_VERSION_MAJOR(zydis),
             (unsigned)ZYDIS_VERSION_MINOR(zydis), (unsigned)ZYDIS_VERSION_PATCH(zydis),
             LIBCONFIG_VER_MAJOR, LIBCONFIG_VER_MINOR, LIBCONFIG_VER_REVISION, xxh / 10000,
             xxh / 100 % 100, xxh % 100, zlibVersion(), png_get_libpng_ver(NULL));
}

static int64_t count_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : DB_NULL;
}

static enum status put_files(const struct config *c, struct db *db, int64_t run_id,
                             struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < c->files.len; i++) {
        const struct config_file *f = &c->files.at[i];
        struct db_text text = {.hash = f->hash, .content = f->text};
        if ((status = db_put_text(db, &text, e)))
            break;
        struct db_run_file row = {
            .run_id = run_id, .place = (int64_t)i, .path = f->path, .text_id = text.text_id};
        status = db_put_run_file(db, &row, e);
    }
    return status;
}

static enum status put_inputs(const struct plan *plan, struct db *db, int64_t run_id,
                              struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_game *p = &plan->games[i];
        if (!p->wanted || !p->present || p->missing == 0)
            continue;
        struct db_run_input row = db_new_run_input();
        row.run_id = run_id;
        row.game = p->game->name;
        row.rom_sha1 = p->cartridge != NULL ? p->cartridge->sha1 : NULL;
        row.movie_sha1 = p->cartridge != NULL ? p->movie.sha1 : NULL;
        row.replay = p->replay_key;
        for (size_t k = 0; status == STATUS_OK && k < p->stream_count; k++) {
            row.variant = p->streams[k].variant;
            row.sampling = p->streams[k].sampling_key;
            status = db_put_run_input(db, &row, e);
        }
    }
    return status;
}

enum status store_run(const struct plan *plan, struct db *db, const struct store_run *about,
                      int64_t *run_id, struct error *e) {
    const struct config *c = plan->config;
    struct utsname host;
    struct db_run row;
    struct db_run_text text;
    char cpu[200], libraries[400], system_text[300], files[33], shard[48];
    if (uname(&host) != 0)
        host = (struct utsname){.nodename = "unknown", .sysname = "unknown"};
    read_cpu(cpu, sizeof cpu);
    snprintf(system_text, sizeof system_text, "%s %s %s", host.sysname, host.release, host.machine);
    name_libraries(libraries, sizeof libraries);
    struct hash *h = hash_start();
    for (size_t i = 0; i < c->files.len; i++)
        hash_add(h, "%s\n", c->files.at[i].hash);
    if (!hash_finish(h, files))
        return error_set(e, STATUS_MEMORY, "out of memory");
    db_start_run(&row, &text);
    row.version = about->version;
    row.source_commit = about->commit;
    row.host = host.nodename;
#ifdef __clang__
    row.compiler = "clang " __clang_version__;
#else
    row.compiler = "gcc " __VERSION__;
#endif
    row.flags = HOTGRAPH_FLAGS;
    row.libraries = libraries;
    row.system = system_text;
    row.cpu = cpu;
    row.cores = count_cores();
    row.arguments = about->arguments;
    row.engine = about->engine;
    row.configuration_file = c->path;
    row.configuration_hash = files;
    row.experiment = c->name;
    row.definition_hash = c->definition_hash;
    row.jobs = about->jobs;
    if (about->shard.count > 0) {
        snprintf(shard, sizeof shard, "%" PRIu64 "/%" PRIu64, about->shard.number,
                 about->shard.count);
        row.shard = shard;
    }
    row.slurm_job = getenv("SLURM_ARRAY_JOB_ID"); /* each task of an array also has a job id of its
                                                     own */
    if (row.slurm_job == NULL)
        row.slurm_job = getenv("SLURM_JOB_ID");
    row.slurm_task = getenv("SLURM_ARRAY_TASK_ID");
    enum status status = db_put_run(db, &row, e);
    *run_id = row.run_id;
    if (status == STATUS_OK)
        status = put_files(c, db, row.run_id, e);
    return status == STATUS_OK ? put_inputs(plan, db, row.run_id, e) : status;
}
