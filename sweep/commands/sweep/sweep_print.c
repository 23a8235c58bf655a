#include "commands/sweep/sweep_print.h"

#include "cli/cli.h"
#include "config/config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEFT_OUT = 50 };

/* ---- for people ---- */

void sweep_print_skipped(const struct plan *plan) {
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->games[i].wanted && plan->games[i].absent[0] != '\0')
            printf("skipped: %s: %s\n", plan->games[i].label, plan->games[i].absent);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->games[i].wanted && !plan->games[i].present && plan->games[i].absent[0] == '\0')
            printf("%s %s", count++ == 0 ? "skipped, no ROM found:" : ",", plan->games[i].label);
    if (count == 0)
        return;
    printf(" (put the .nes files into %s, or set $HOTGRAPH_ROMS to their folder)\n",
           roms_folder(plan->config->roms));
}

/* Prints the configurations that a stream cannot feed, one line per reason: "left out: GAME: #3,
 * #7: why". Those that work on samples where there are none, or without them where there are, need no
 * line. */
static enum status print_unfit(const struct plan *plan, const struct plan_game *p,
                               const struct plan_stream *stream, struct error *e) {
    const size_t count = plan->config->points.len;
    uint64_t *reasons = calloc(count, sizeof *reasons);
    struct error why;
    if (reasons == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (plan->wanted[i] && plan_applies(stream, &plan->config->points.at[i]) &&
            plan_fits(p, stream, &plan->config->points.at[i], &why) != STATUS_OK)
            reasons[i] = fnv1a64(why.text, strlen(why.text)) | 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t reason = reasons[i];
        if (reason == 0)
            continue;
        printf("left out: %s%s%s:", p->game->name, stream->variant[0] != '\0' ? " " : "",
               stream->variant);
        size_t shown = 0, more = 0;
        for (size_t k = i; k < count; k++)
            if (reasons[k] == reason) {
                if (shown < MOST_LEFT_OUT)
                    printf("%s #%d", shown++ > 0 ? "," : "", plan->config->points.at[k].number);
                else
                    more++;
                reasons[k] = 0;
            }
        if (more > 0)
            printf(" and %zu more", more);
        plan_fits(p, stream, &plan->config->points.at[i], &why);
        printf(": %s\n", why.text);
    }
    free(reasons);
    return STATUS_OK;
}

enum status sweep_print_unfit(const struct plan *plan, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_game *p = &plan->games[i];
        for (size_t k = 0; status == STATUS_OK && k < p->stream_count; k++)
            if (p->wanted && p->present && p->streams[k].wanted)
                status = print_unfit(plan, p, &p->streams[k], e);
    }
    return status;
}

static enum status print_plan_of(const struct plan *plan, const struct plan_game *p, struct db *db,
                                 struct error *e) {
    char why[200] = "";
    if (p->missing > 0) {
        enum status status = plan_why(plan, p, db, why, sizeof why, e);
        if (status != STATUS_OK)
            return status;
    }
    if (p->cartridge != NULL)
        printf("%s: ROM %s, movie %s, %" PRIu64 " frames%s: ", p->label, p->cartridge->sha1,
               p->movie_path, p->game->frames, p->game->untested ? ", untested" : "");
    else if (p->game->program != NULL)
        printf("%s: program %s: ", p->label, p->game->program->command[0]);
    else
        printf("%s: stream %s, graph %s: ", p->label, p->game->stream, p->game->graph);
    if (p->missing == 0)
        printf("nothing to do\n");
    else if (p->same != NULL)
        printf("the same as %s (%s)\n", p->same->label, why);
    else
        printf("%s, %zu things to compute (%s)\n",
               p->cartridge != NULL       ? "one replay"
               : p->game->program == NULL ? "one reading"
               : p->game->program->native ? "one count by probes"
                                          : "one recording",
               p->missing, why);
    return STATUS_OK;
}

/* The number of wanted configurations, without the baseline. */
static size_t count_wanted(const struct plan *plan) {
    size_t count = 0;
    for (size_t i = 0; i < plan->config->points.len; i++)
        count += plan->wanted[i] && plan->config->points.at[i].number >= 0;
    return count;
}

static bool has_baseline(const struct plan *plan) {
    bool has = false;
    for (size_t i = 0; i < plan->config->points.len; i++)
        has |= plan->wanted[i] && plan->config->points.at[i].number < 0;
    return has;
}

/* True if any wanted stream has this sampling. */
static bool is_wanted(const struct plan *plan, const struct config_sampling *sampling) {
    for (size_t i = 0; i < plan->count; i++)
        for (size_t k = 0; plan->games[i].wanted && k < plan->games[i].stream_count; k++)
            if (plan->games[i].streams[k].wanted &&
                plan->games[i].streams[k].configured == sampling)
                return true;
    return false;
}

enum status sweep_print_plan(const struct plan *plan, struct db *db, const char *config_path,
                             struct error *e) {
    enum status status = STATUS_OK;
    const struct config *config = plan->config;
    if (config->live)
        printf("%s: %zu configurations, each with a replay of its own", config_path,
               count_wanted(plan) + has_baseline(plan));
    else
        printf("%s: %zu configurations and the baseline", config_path, count_wanted(plan));
    for (size_t i = 0; i < config->samplings.len; i++) {
        const struct config_sampling *one = &config->samplings.at[i];
        if (one->live && !one->other && one->seconds == 0)
            continue;
        char key[200];
        if (!is_wanted(plan, one))
            continue;
        config_key(one, key, sizeof key);
        printf("%s%s%s", config->samplings.len == 1 ? ", " : "\n", one->live ? "" : "sampled by ",
               key);
    }
    putchar('\n');
    for (size_t i = 0; status == STATUS_OK && i < plan->count; i++)
        if (plan->games[i].wanted && plan->games[i].present)
            status = print_plan_of(plan, &plan->games[i], db, e);
    struct plan_size size = {0};
    if (status == STATUS_OK)
        status = plan_estimate(plan, db, &size, e);
    if (status == STATUS_OK) {
        printf("in all: %zu result%s from %zu stream%s of %zu replay%s, about %.0f s of one "
               "processor",
               size.results, size.results == 1 ? "" : "s", size.streams,
               size.streams == 1 ? "" : "s", size.replays, size.replays == 1 ? "" : "s",
               size.seconds > 0 ? fmax(size.seconds, 1) : 0);
        if (size.bytes > 0)
            printf(", %.0f MB of memory for each thread", ceil(size.bytes / 1e6));
        putchar('\n');
    }
    sweep_print_skipped(plan);
    return status;
}

/* ---- as JSON ---- */

static const char *source_of(const struct plan_game *p) {
    return p->game->program != NULL ? "program" : p->game->stream != NULL ? "stream" : "rom";
}

/* The outcome of a game, or its state in a dry run. */
static const char *state_of(const struct sweep_outcome *o, size_t i) {
    const struct plan_game *p = &o->plan->games[i];
    if (!p->present)
        return "skipped";
    if (p->missing == 0)
        return o->missing[i] == 0 ? "there already" : "computed";
    return o->dry_run ? "missing" : "incomplete";
}

/* Prints the configurations that the stream cannot feed. */
static void print_left_out(const struct plan *plan, const struct plan_game *p) {
    const char *comma = "";
    struct error why;
    printf(", \"left_out\": [");
    for (size_t k = 0; p->present && k < p->stream_count; k++)
        for (size_t i = 0; p->streams[k].wanted && i < plan->config->points.len; i++) {
            const struct config_point *point = &plan->config->points.at[i];
            if (!plan->wanted[i] || plan_fits(p, &p->streams[k], point, &why) == STATUS_OK)
                continue;
            printf("%s{\"number\": %d, ", comma, point->number);
            print_json_text("variant", p->streams[k].variant);
            printf(", ");
            print_json_text("why", why.text);
            printf("}");
            comma = ", ";
        }
    printf("]");
}

/* Prints why results are missing. */
static void print_why(const struct sweep_outcome *o, const struct plan_game *p) {
    char why[200];
    const bool known = o->dry_run && p->present && p->missing > 0 &&
                       plan_why(o->plan, p, o->db, why, sizeof why, NULL) == STATUS_OK;
    print_json_text("why", known ? why : NULL);
}

static void print_game(const struct sweep_outcome *o, size_t i) {
    const struct plan_game *p = &o->plan->games[i];
    const char *absent = p->absent[0] != '\0' ? p->absent : "no ROM found";
    printf("  {");
    print_json_text("name", p->game->name);
    printf(", \"source\": \"%s\", ", source_of(p));
    print_json_text("movie", p->movie_path);
    printf(", \"state\": \"%s\", ", state_of(o, i));
    print_json_text("same_as", p->same != NULL ? p->same->label : NULL);
    printf(", \"missing_before\": %zu, \"missing\": %zu, ", p->present ? o->missing[i] : 0,
           p->present ? p->missing : 0);
    print_why(o, p);
    printf(", ");
    print_json_text("why_skipped", p->present ? NULL : absent);
    print_left_out(o->plan, p);
    printf("}");
}

static void print_games(const struct sweep_outcome *o) {
    const char *comma = "";
    printf(" \"games\": [");
    for (size_t i = 0; i < o->plan->count; i++)
        if (o->plan->games[i].wanted) {
            printf("%s\n", comma);
            print_game(o, i);
            comma = ",";
        }
    printf("\n ],\n");
}

/* Prints the numbers of games and of missing results. */
static void print_counts(const struct sweep_outcome *o) {
    size_t present = 0, skipped = 0, before = 0, after = 0;
    for (size_t i = 0; i < o->plan->count; i++) {
        const struct plan_game *p = &o->plan->games[i];
        present += p->wanted && p->present;
        skipped += p->wanted && !p->present;
        before += p->wanted && p->present ? o->missing[i] : 0;
        after += p->wanted && p->present ? p->missing : 0;
    }
    printf(" \"present\": %zu, \"skipped\": %zu, \"failed\": %zu, \"failed_results\": %zu, "
           "\"missing_before\": %zu, "
           "\"missing\": %zu,\n",
           present, skipped, o->failed.games, o->failed.results, before, after);
}

void sweep_print_json(const struct sweep_outcome *o) {
    printf("{");
    print_json_text("config", o->config_path);
    printf(", ");
    print_json_text("experiment", o->plan->config->name);
    printf(",\n ");
    print_json_text("database", o->db_path);
    printf(", ");
    print_json_text("report", o->report);
    printf(", \"dry_run\": %s,\n", o->dry_run ? "true" : "false");
    if (o->shard.count > 0)
        printf(" \"shard\": {\"number\": %" PRIu64 ", \"count\": %" PRIu64 "},\n", o->shard.number,
               o->shard.count);
    printf(" \"configurations\": %zu,\n", count_wanted(o->plan));
    print_games(o);
    print_counts(o);
    printf(" ");
    print_json_text("digest", o->digest);
    printf(", ");
    print_json_text("digest_of", o->part);
    printf(", ");
    print_json_text("verdict", o->verdict);
    printf(", ");
    print_json_text("digest_file", o->digest_file);
    printf(", \"compared\": %zu, \"not_compared\": %zu,\n", o->compared, o->others);
    printf(" \"stopped\": %s, ", o->stopped ? "true" : "false");
    print_json_text("error", o->error);
    printf("}\n");
}
