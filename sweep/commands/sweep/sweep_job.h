/*
 * sweep_job: a sweep from its options to its verdict. sweep.c reads the options, has the work done
 * and judges what came out; sweep_prepare.c finds out what there is to do.
 */
#ifndef HOTGRAPH_SWEEP_JOB_H
#define HOTGRAPH_SWEEP_JOB_H

#include "cli/cli.h"
#include "config/config.h"
#include "experiment/experiment.h"

#define USUAL_FOLDER "results"
#define USUAL_DB     USUAL_FOLDER "/hotgraph.db"

/* "a,b" apart. */
struct words {
    VEC(const char *) at; /* into text */
    char *text;
};

struct sweep {
    const char *config_path, *db_path, *report_folder, *game_list;
    bool dry_run, update_digest, direct, json, wide;
    uint64_t jobs;
    struct engine_choice engine;
    struct shard shard;
    struct option_list known; /* databases */

    struct config config;
    struct db *db;
    struct plan plan;
    struct option_list where;
    const char *technique_list;
    struct words games, techniques; /* of --games and --techniques */
    struct plan_filter filter;      /* of these three */

    char *arguments;
    const char *engine_options; /* as typed */
    int64_t run_id, experiment_id;
    bool said_waiting;
    bool made_folder; /* USUAL_FOLDER was not there before */
    size_t present;   /* games, before they are divided into shards */
    size_t failed;

    size_t *missing; /* of each of the plan's games, before the work */
    char digest[33], *digest_file;
    char *part; /* what the digest is of: "--games umbel"; NULL: of the whole */
    const char *verdict;
    size_t compared, others;
};

/* Reads the configuration, checks the places for results, opens the database, and plans. */
enum status sweep_prepare(struct sweep *s, struct error *e);
/* Games that are wanted and there. */
size_t sweep_count_present(const struct sweep *s);
void sweep_warn_of_short_movies(const struct sweep *s);
void sweep_free_words(struct words *w);

/* For people: with --json it is said at the end, all together. */
__attribute__((format(printf, 2, 3))) void sweep_say(const struct sweep *s, const char *format,
                                                     ...);
/* Rows of everything that is there, and of the games that lack nothing. */
enum status sweep_take_digests(const struct sweep *s, struct digest *whole, struct digest *all,
                               struct error *e);
/* Prints the digest of these games, or of what the filter asks for, named as a part; s->digest gets
 * it, "" where nothing was found. */
enum status sweep_say_digest(struct sweep *s, const struct digest *whole, const struct digest *all,
                             struct error *e);
/* Holds whole games, and of others the streams that lack nothing, against the configuration's
 * digest file, or writes that file anew. */
enum status sweep_judge(struct sweep *s, struct digest *whole, const struct digest *all,
                        struct error *e);

#endif
