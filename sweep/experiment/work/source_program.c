#include "experiment/work/source_program.h"

#include "experiment/plan/program.h"
#include "experiment/work/source_native.h"
#include "experiment/work/source_windows.h"

/* One run of the program under QEMU: its own, or the other one, of which nothing is sampled. */
static enum status run_recorded(struct qemu_result *out, const struct plan_game *game, bool other,
                                const struct qemu_setting *settings, size_t setting_count,
                                bool trace, const struct source_hooks *hooks, struct error *e) {
    const struct config_program *program = game->game->program;
    char plugin[QEMU_PLUGIN_PATH];
    char **command =
        other && program->other_command != NULL ? program->other_command : program->command;
    const struct qemu_request request = {
        .argv = (const char *const *)command,
        .env = (const char *const *)program->env,
        .folder = program->folder,
        .input = other && program->other_input != NULL ? program->other_input : program->input,
        .output = "/dev/null",
        .plugin = plugin,
        .settings = settings,
        .setting_count = setting_count,
        .trace = trace,
        .stopped = hooks->stopped};
    enum status status = qemu_find_plugin(plugin, e);
    return status == STATUS_OK ? qemu_record(&request, out, e) : status;
}

/* The same of a native program. Its samples, if there are any, come from a recording. */
static enum status run_native(struct qemu_result *out, struct source *source,
                              const struct plan_game *game, bool other,
                              const struct qemu_setting *settings, size_t setting_count,
                              const struct source_hooks *hooks, struct error *e) {
    struct source_times *times = &source->times;
    struct qemu_result recorded = {0};
    enum status status = native_count(out, game->game->program, other, hooks, times, e);
    if (status != STATUS_OK || setting_count == 0)
        return status;
    status = run_recorded(&recorded, game, other, settings, setting_count, false, hooks, e);
    times->recorded = recorded.seconds;
    if (status == STATUS_OK)
        status = native_take_samples(out, &recorded, &source->warning, e);
    qemu_result_free(&recorded);
    return status;
}

static enum status run_program(struct qemu_result *out, struct source *source,
                               const struct plan_game *game, bool other,
                               const struct qemu_setting *settings, size_t setting_count,
                               bool trace, const struct source_hooks *hooks, struct error *e) {
    return game->game->program->native
               ? run_native(out, source, game, other, settings, setting_count, hooks, e)
               : run_recorded(out, game, other, settings, setting_count, trace, hooks, e);
}

/* The other run maps its files where it maps them; the graphs are compared by address. */
static enum status record_other(struct source *out, const struct plan_game *game,
                                const struct source_hooks *hooks, struct error *e) {
    struct qemu_result result = {0};
    enum status status = run_program(&result, out, game, true, NULL, 0, false, hooks, e);
    if (status == STATUS_OK)
        status = qemu_align(&result.graph, result.images.at, result.images.len,
                            out->recording.images.at, out->recording.images.len, e);
    if (status == STATUS_OK) {
        out->other = result.graph;
        result.graph = (struct graph){0};
        out->recording.seconds += result.seconds;
    }
    struct error doubt;
    if (status == STATUS_OK && qemu_doubt(&result, &doubt))
        error_set(&out->warning, STATUS_OK, "%s, other run: %s", game->game->program->command[0],
                  doubt.text);
    qemu_result_free(&result);
    return status;
}

static void take_streams(struct source *out, const struct plan_game *game, const struct config *c,
                         struct qemu_result *r) {
    size_t next = 0;
    if (config_needs_structure(c)) {
        out->structure = r->structure;
        r->structure = (struct structure){0};
    }
    for (size_t i = 0; i < out->stream_count; i++) {
        struct stream *s = &out->streams[i].stream;
        if (game->streams[i].configured != NULL) {
            s->batch_length = 1; /* made, but empty */
            continue;
        }
        *s = r->streams[next];
        r->streams[next++] = (struct stream){0};
        if (config_needs_structure(c))
            s->structure = &out->structure;
    }
}

enum status source_record(struct source *out, const struct plan_game *game,
                          const struct config *config, const struct source_hooks *hooks,
                          struct error *e) {
    struct qemu_result result = {0};
    struct qemu_setting settings[QEMU_SETTINGS] = {{0}};
    size_t setting_count = 0;
    bool other = false, trace = config->paths && config_has_trace(game->game->program);
    bool windows = false;
    for (size_t i = 0; i < game->stream_count; i++) {
        const struct plan_stream *s = &game->streams[i];
        const struct config_budget b = program_budget(game->game->program, s);
        other |= s->configured != NULL && s->configured->other && s->missing > 0;
        windows |= s->missing > 0 && window_wanted(config, game, s);
        trace |= s->configured != NULL && !s->configured->other && s->missing > 0;
        if (s->configured == NULL)
            settings[setting_count++] = (struct qemu_setting){.transfers = b.transfers,
                                                              .every = b.every,
                                                              .length = b.batch,
                                                              .seed = b.seed,
                                                              .stack = b.stack};
    }
    trace |= windows;
    enum status status =
        run_program(&result, out, game, false, settings, setting_count, trace, hooks, e);
    if (status == STATUS_OK && trace)
        status = program_trace_learn(&result.trace, e);
    if (status != STATUS_OK) {
        qemu_result_free(&result);
        return status;
    }
    out->exact = result.graph;
    result.graph = (struct graph){0};
    take_streams(out, game, config, &result);
    out->instructions = (int64_t)result.instructions;
    out->cycles = DB_NULL;
    struct error doubt;
    if (qemu_doubt(&result, &doubt))
        error_set(&out->warning, STATUS_OK, "%s: %s", game->game->program->command[0], doubt.text);
    out->program_trace = result.trace;
    result.trace = (struct program_trace){0};
    out->recording = result;
    if (windows)
        status = source_windows_follow(out, game, config, e);
    if (status == STATUS_OK && config->paths && trace)
        status = path_judge_replay(&out->paths, &out->program_trace, e);
    if (status == STATUS_OK && other)
        status = record_other(out, game, hooks, e);
    return status == STATUS_OK ? qemu_symbols_read(&out->symbols, out->recording.images.at,
                                                   out->recording.images.len, e)
                               : status;
}
