/* The digest: one hash for each row or group of rows, in an order that depends only on content. */
#include "db/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define METRICS                                                                                    \
    "similarity, precision, f1, coverage, overlap, block_overlap, similarity_active,"              \
    " precision_active, f1_active, coverage_active, overlap_active, block_overlap_active"
/* ?1: name of the experiment, ?2: the stream. A stream with several names has the same rows. */
#define FROM_STREAM                                                                                \
    " FROM (SELECT x.experiment_id, s.* FROM experiment x JOIN experiment_stream xs"               \
    " USING (experiment_id) JOIN stream s USING (stream_id)"                                       \
    " WHERE x.name = ?1 AND s.stream_id = ?2 LIMIT 1) s"                                           \
    " JOIN replay p USING (replay_id)"
#define MEMBERS                                                                                    \
    " JOIN experiment_configuration xc USING (experiment_id)"                                      \
    " JOIN configuration c USING (configuration_id)"
/* A hot share other than the paper's is part of the key. */
#define QUALITY                                                                                    \
    " JOIN experiment_hot xh USING (experiment_id)"                                                \
    " JOIN quality q ON q.stream_id = s.stream_id AND q.configuration_id = c.configuration_id"     \
    " AND q.part = iif(p.kind = 'program' AND q.batches < s.batches, 'strata', 'first')"           \
    " AND q.hot_permille = xh.hot_permille"
/* Windows of programs are of instructions, those of games of seconds. */
#define OF_KIND " AND xw.unit IS iif(p.kind = 'program', 'instructions', NULL)"
/* Four digits, so that keys sort as text. */
#define NUMBER "CASE WHEN xc.number IS NULL THEN 'baseline' ELSE printf('%04d', xc.number) END"
#define SHARE  "iif(q.hot_permille = 900, '', '/hot' || q.hot_permille)"

/* First column: the key without the game. Rows with the same key are hashed together. */
static const char *const digest_queries[] = {
    "SELECT 'replay', p.rom_sha1, m.sha1, frames, instructions, cycles, ram_hash, frames_hash,"
    " blocks, edges, busy_edges, weight, busy_weight, hot_edges, hot_edges_active, exact_hash,"
    " exact_records, exact_probes, exact_observed, exact_steps" FROM_STREAM
    " LEFT JOIN movie m USING (movie_id)",

    "SELECT 'exact', h.source, h.target, count, busy, hot, hot_active" FROM_STREAM
    " JOIN exact_edge h USING (replay_id) ORDER BY h.source, h.target",

    "SELECT 'stream', interval_us, jitter_us, coalesce(sa.seed, iif(sa.method = 'time', 1, NULL)),"
    " phase_cycles, s.batch_length, batches, samples, overruns, s.hash" FROM_STREAM
    " JOIN sampling sa USING (sampling_id)",

    "SELECT 'result/' || " NUMBER " || " SHARE ", c.key, r.bins, low, high, r.blocks, r.edges,"
    " common_edges, edges_active, common_edges_active, " METRICS
    ", g.hash, records, probes, r.observed, steps" FROM_STREAM MEMBERS
    " JOIN result r ON r.stream_id = s.stream_id AND r.configuration_id = c.configuration_id"
    " JOIN graph g ON g.graph_id = r.graph_id" QUALITY
    " WHERE q.batches = s.batches ORDER BY xc.number, q.hot_permille",

    "SELECT 'fair/' || " NUMBER " || " SHARE ", c.key, hot_found, hot_common, hot_recall,"
    " hot_precision, hot_f1, hot_f1_10, fair_overlap, count_error, hot_found_active,"
    " hot_common_active, hot_recall_active, hot_precision_active, hot_f1_active,"
    " hot_f1_10_active, fair_overlap_active, count_error_active" FROM_STREAM MEMBERS QUALITY
    " WHERE q.batches = s.batches ORDER BY xc.number, q.hot_permille",

    "SELECT 'layout', local_weight, layable_weight, score_original, score_best,"
    " fall_share_original, fall_share_best" FROM_STREAM " WHERE local_weight IS NOT NULL",

    "SELECT 'worth/' || " NUMBER ", c.key, placed, lost, benefit, fall_share, hot_bytes, successor,"
    " benefit_inferred, fall_share_inferred, hot_bytes_inferred, successor_inferred" FROM_STREAM
        MEMBERS
    " JOIN result r ON r.stream_id = s.stream_id AND r.configuration_id = c.configuration_id"
    " WHERE placed IS NOT NULL ORDER BY xc.number",

    "SELECT 'counter/' || " NUMBER ", c.key, n.name, n.value" FROM_STREAM MEMBERS
    " JOIN counter n ON n.stream_id = s.stream_id AND n.configuration_id = c.configuration_id"
    " ORDER BY xc.number, n.name",

    "SELECT 'convergence/' || " NUMBER " || " SHARE
    ", c.key, q.batches, q.bins, q.blocks, q.edges, " METRICS FROM_STREAM MEMBERS QUALITY
    " WHERE xc.label IS NOT NULL AND (q.batches = s.batches OR EXISTS (SELECT 1"
    " FROM experiment_mark k WHERE k.experiment_id = s.experiment_id AND k.batches = q.batches))"
    " ORDER BY xc.number, q.hot_permille, q.batches",

    "SELECT 'window', w.span, w.number, first_frame, w.frames, w.edges, w.weight, w.busy_weight,"
    " w.hot_edges_active, w.hash, overlap_before, change" FROM_STREAM
    " JOIN experiment_window xw ON xw.experiment_id = s.experiment_id" OF_KIND
    " JOIN replay_window w ON w.replay_id = p.replay_id AND w.span = xw.span ORDER BY w.span, "
    "w.number",

    "SELECT 'windows/' || " NUMBER " || " SHARE ", c.key, q.span, q.number, q.batches, q.edges,"
    " overlap, hot_recall, hot_precision, hot_f1, hot_weight, overlap_active, hot_recall_active,"
    " hot_precision_active, hot_f1_active, hot_weight_active" FROM_STREAM MEMBERS
    " JOIN experiment_hot xh USING (experiment_id)"
    " JOIN experiment_window xw ON xw.experiment_id = s.experiment_id" OF_KIND
    " JOIN window_quality q ON q.stream_id = s.stream_id AND q.configuration_id ="
    " c.configuration_id AND q.span = xw.span AND q.hot_permille = xh.hot_permille"
    " ORDER BY xc.number, q.hot_permille, q.span, q.number",

    "SELECT 'phases/' || " NUMBER
    ", c.key, f.kept, f.span, f.number, lasts, found_after" FROM_STREAM MEMBERS
    " JOIN phase_found f ON f.stream_id = s.stream_id AND f.configuration_id = c.configuration_id"
    " AND f.span = (SELECT min(span) FROM experiment_window xw WHERE xw.experiment_id ="
    " s.experiment_id" OF_KIND
    ") AND (f.kept = 0 OR f.kept IN (SELECT span FROM experiment_window w WHERE"
    " w.experiment_id = s.experiment_id)) ORDER BY xc.number, f.kept, f.number",

    "SELECT 'paths', p.paths, p.path_flow, p.hot_paths, p.hot_path_flow" FROM_STREAM
    " JOIN experiment x USING (experiment_id) WHERE x.judges_paths = 1 AND p.path_flow NOT NULL",

    "SELECT 'paths/' || " NUMBER
    ", c.key, r.fixed_flow, r.edges_overlap, r.edges_matched" FROM_STREAM MEMBERS
    " JOIN experiment x USING (experiment_id)"
    " JOIN result r ON r.stream_id = s.stream_id AND r.configuration_id = c.configuration_id"
    " WHERE x.judges_paths = 1 AND r.fixed_flow NOT NULL ORDER BY xc.number",

    "SELECT 'cost', k.watcher, k.frames, steady_from, host, host_steady, translated,"
    " translated_steady, probes, probes_steady, handlers, handlers_steady, k.samples,"
    " samples_steady" FROM_STREAM " JOIN cost k USING (replay_id)"
    " WHERE k.watcher IN ('nobody', 'structure', 'exact')"
    " OR k.watcher IN (SELECT key FROM sampling sa WHERE sa.sampling_id = s.sampling_id)"
    " OR k.watcher IN (SELECT c.key FROM experiment_configuration xc JOIN configuration c"
    " USING (configuration_id) WHERE xc.experiment_id = s.experiment_id)"
    " ORDER BY k.watcher, k.frames",

    "SELECT 'graph/' || " NUMBER ", source, target, count"
    " FROM (SELECT DISTINCT experiment_id, stream_id, configuration_id FROM role"
    " JOIN experiment x USING (experiment_id) WHERE x.name = ?1 AND stream_id = ?2)"
    " JOIN experiment_configuration xc USING (experiment_id, configuration_id)"
    " JOIN result USING (stream_id, configuration_id) JOIN graph_edge USING (graph_id)"
    " ORDER BY number, source, target",
};

/* Longer names are refused. */
enum { NAME_SIZE = 120, VARIANT_SIZE = 400, KEY_SIZE = NAME_SIZE + VARIANT_SIZE + 80 };

struct digest {
    char game[NAME_SIZE + VARIANT_SIZE]; /* "NAME" or "NAME@VARIANT" */
    enum status (*each)(void *user, const char *key, const char hash[33], struct error *e);
    void *user;
    char key[KEY_SIZE]; /* of the group being hashed; "" before the first */
    XXH3_state_t *state;
};

static enum status end_group(struct digest *d, struct error *e) {
    if (d->key[0] == '\0')
        return STATUS_OK;
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(d->state));
    char hash[33];
    for (size_t i = 0; i < sizeof canonical.digest; i++)
        snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
    return d->each(d->user, d->key, hash, e);
}

static enum status digest_row(void *user, size_t columns, const char *const *names,
                              const char *const *values, struct error *e) {
    (void)names;
    struct digest *d = user;
    char key[sizeof d->key];
    if ((size_t)snprintf(key, sizeof key, "%s/%s", d->game, values[0]) >= sizeof key)
        return error_set(e, STATUS_ARGUMENT, "%s: the game's name is too long", d->game);
    if (strcmp(key, d->key) != 0) {
        enum status status = end_group(d, e);
        if (status != STATUS_OK)
            return status;
        memcpy(d->key, key, sizeof key);
        XXH3_128bits_reset(d->state);
    }
    for (size_t i = 1; i < columns; i++) {
        const char *text = values[i] != NULL ? values[i] : "-";
        XXH3_128bits_update(d->state, text, strlen(text));
        XXH3_128bits_update(d->state, i + 1 < columns ? "\t" : "\n", 1);
    }
    return STATUS_OK;
}

struct digest_stream {
    char game[NAME_SIZE], variant[VARIANT_SIZE];
    int64_t id;
};
struct streams {
    VEC(struct digest_stream) list;
};

static enum status note_stream(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    struct streams *s = user;
    struct digest_stream one = {.id = strtoll(values[2], NULL, 10)};
    if (strlen(values[0]) >= sizeof one.game || strlen(values[1]) >= sizeof one.variant)
        return error_set(e, STATUS_ARGUMENT, "%s: the game's name is too long", values[0]);
    strcpy(one.game, values[0]);
    strcpy(one.variant, values[1]);
    return vec_push(&s->list, one) ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

static enum status digest_stream(struct db *db, struct digest *d, const char *experiment,
                                 const struct digest_stream *s, struct error *e) {
    enum status status = STATUS_OK;
    snprintf(d->game, sizeof d->game, "%s%s%s", s->game, s->variant[0] != '\0' ? "@" : "",
             s->variant);
    for (size_t q = 0; status == STATUS_OK && q < sizeof digest_queries / sizeof *digest_queries;
         q++) {
        d->key[0] = '\0';
        status = db_query(db, digest_queries[q], digest_row, d, e, "ti", experiment, s->id);
        if (status == STATUS_OK)
            status = end_group(d, e);
    }
    return status;
}

enum status db_digest(struct db *db, const char *experiment,
                      enum status (*each)(void *user, const char *key, const char hash[33],
                                          struct error *e),
                      void *user, struct error *e) {
    struct digest d = {.each = each, .user = user, .state = XXH3_createState()};
    struct streams streams = {0};
    enum status status = d.state != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = db_query(db,
                          "SELECT g.name, xs.variant, s.stream_id FROM experiment x"
                          " JOIN experiment_stream xs USING (experiment_id)"
                          " JOIN game g USING (game_id) JOIN stream s USING (stream_id)"
                          " WHERE x.name = ? ORDER BY g.name, xs.variant",
                          note_stream, &streams, e, "t", experiment);
    for (size_t i = 0; status == STATUS_OK && i < streams.list.len; i++)
        status = digest_stream(db, &d, experiment, &streams.list.at[i], e);
    vec_free(&streams.list);
    XXH3_freeState(d.state);
    return status;
}
