/* The digest: one hash a row or a group of rows, in an order that depends on their content alone.
 */
#include "db/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define METRICS                                                                                    \
    "similarity, precision, f1, coverage, overlap, block_overlap, similarity_active,"              \
    " precision_active, f1_active, coverage_active, overlap_active, block_overlap_active"
#define FROM_STREAM                                                                                \
    " FROM current_experiment JOIN experiment_stream xs USING (experiment_id)"                     \
    " JOIN game g USING (game_id) JOIN stream s USING (stream_id)"                                 \
    " JOIN replay p USING (replay_id)"
#define MEMBERS                                                                                    \
    " JOIN experiment_configuration xc USING (experiment_id)"                                      \
    " JOIN configuration c USING (configuration_id)"
/* Four digits keep the keys of a grid in order when they are sorted as text. */
#define NUMBER_OF(column)                                                                          \
    "CASE WHEN " column " IS NULL THEN 'baseline' ELSE printf('%04d', " column ") END"
#define NUMBER NUMBER_OF("xc.number")

/* First column: the key without the game. Rows with the same key are hashed together. */
static const char *const digest_queries[] = {
    "SELECT 'replay', p.rom_sha1, m.sha1, frames, instructions, cycles, ram_hash, frames_hash,"
    " blocks, edges, busy_edges, weight, busy_weight, hot_edges, hot_edges_active, exact_hash,"
    " exact_records, exact_probes, exact_observed, exact_steps" FROM_STREAM
    " LEFT JOIN movie m USING (movie_id) WHERE g.name = ?",

    "SELECT 'exact', source, target, count, busy, hot, hot_active" FROM_STREAM
    " JOIN exact_edge h USING (replay_id) WHERE g.name = ? ORDER BY source, target",

    "SELECT 'stream', interval_us, jitter_us, seed, phase_cycles, batch_length, batches, samples,"
    " overruns, s.hash" FROM_STREAM " WHERE g.name = ?",

    "SELECT 'result/' || " NUMBER ", c.key, bins, low, high, r.blocks, r.edges, common_edges,"
    " edges_active, common_edges_active, " METRICS
    ", graph_hash, records, probes, observed, steps" FROM_STREAM MEMBERS
    " JOIN result r ON r.stream_id = s.stream_id AND r.configuration_id = c.configuration_id"
    " WHERE g.name = ? ORDER BY xc.number",

    "SELECT 'convergence/' || " NUMBER
    ", c.key, v.batches, bins, v.blocks, v.edges, " METRICS FROM_STREAM MEMBERS
    " JOIN convergence v ON v.stream_id = s.stream_id"
    " AND v.configuration_id = c.configuration_id"
    " WHERE g.name = ? AND xc.label IS NOT NULL ORDER BY xc.number, v.batches",

    "SELECT DISTINCT 'graph/' || " NUMBER_OF(
        "number") ","
                  " source, target, count FROM kept_graph k"
                  " JOIN graph_edge e USING (stream_id, configuration_id)"
                  " WHERE game = ? ORDER BY number, source, target",
};

struct digest {
    const char *game;
    enum status (*each)(void *user, const char *key, const char hash[33], struct error *e);
    void *user;
    char key[200]; /* of the group being hashed; "" before the first */
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

struct names {
    VEC(char *) list;
};

static enum status note_name(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    struct names *n = user;
    char *copy = strdup(values[0]);
    if (copy != NULL && vec_push(&n->list, copy))
        return STATUS_OK;
    free(copy);
    return error_set(e, STATUS_MEMORY, "out of memory");
}

static bool wanted(const char *name, const char *const *games, size_t game_count) {
    if (games == NULL)
        return true;
    for (size_t i = 0; i < game_count; i++)
        if (strcmp(games[i], name) == 0)
            return true;
    return false;
}

enum status db_digest(struct db *db, const char *const *games, size_t game_count,
                      enum status (*each)(void *user, const char *key, const char hash[33],
                                          struct error *e),
                      void *user, struct error *e) {
    struct digest d = {.each = each, .user = user, .state = XXH3_createState()};
    struct names names = {0};
    enum status status = d.state != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status =
            db_query(db, "SELECT g.name" FROM_STREAM " ORDER BY g.name", note_name, &names, e, "");
    for (size_t i = 0; i < names.list.len; i++) {
        d.game = names.list.at[i];
        for (size_t q = 0; q < sizeof digest_queries / sizeof *digest_queries; q++) {
            if (status != STATUS_OK || !wanted(d.game, games, game_count))
                break;
            d.key[0] = '\0';
            status = db_query(db, digest_queries[q], digest_row, &d, e, "t", d.game);
            if (status == STATUS_OK)
                status = end_group(&d, e);
        }
        free(names.list.at[i]);
    }
    vec_free(&names.list);
    XXH3_freeState(d.state);
    return status;
}
