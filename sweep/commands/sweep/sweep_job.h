/*
 * sweep_job: a sweep from its options to its verdict. cmd_sweep.c reads the options and runs the
 * work; sweep_prepare.c makes the plan; sweep_judge.c compares the results with the expected ones.
 */
#ifndef HOTGRAPH_SWEEP_JOB_H
#define HOTGRAPH_SWEEP_JOB_H

#include "cli/cli.h"
#include "config/config.h"
#include "experiment/experiment.h"

#define USUAL_FOLDER "results"
#define USUAL_DB     USUAL_FOLDER "/hotgraph.db"

struct sweep {
    const char *config_path, *db_path, *report_folder, *game_list;
    bool dry_run, update_digest, direct, json, wide;
    uint64_t jobs;
    struct engine_choice engine;
    struct shard shard;
    struct option_list known; /* databases with known results */

    struct config config;
    struct db *db;
    struct plan plan;
    struct option_list where;
    const char *technique_list;
    struct words games, techniques; /* of --games and --techniques */
    struct plan_filter filter;      /* made of --games, --techniques and --where */

    char *arguments;
    const char *engine_options; /* as given */
    int64_t run_id, experiment_id;
    bool said_waiting;
    bool made_folder; /* this run created USUAL_FOLDER */
    size_t present;   /* games before division into shards */
    struct work_failures failed;

    size_t *missing; /* for each of the plan's games, before the work */
    char digest[33], *digest_file;
    char *part; /* the digest's scope: "--games umbel"; NULL: everything */
    const char *verdict;
    size_t compared, others;
};

/* Reads the configuration, checks the outputs, opens the database and makes the plan. */
enum status sweep_prepare(struct sweep *s, struct error *e);
/* The number of games that are wanted and present. */
size_t sweep_count_present(const struct sweep *s);
void sweep_warn_of_short_movies(const struct sweep *s);

/* Prints a message; does nothing with --json, which prints everything at the end. */
__attribute__((format(printf, 2, 3))) void sweep_say(const struct sweep *s, const char *format,
                                                     ...);
/* Takes the digests of all rows, and of the complete games only. */
enum status sweep_take_digests(const struct sweep *s, struct digest *whole, struct digest *all,
                               struct error *e);
/* Prints the digest of the complete games, or of the filter's part, and stores it in s->digest; "":
 * no results. */
enum status sweep_say_digest(struct sweep *s, const struct digest *whole, const struct digest *all,
                             struct error *e);
/* Compares complete games, and the complete streams of others, with the configuration's digest
 * file; or writes that file. */
enum status sweep_judge(struct sweep *s, struct digest *whole, const struct digest *all,
                        struct error *e);

#endif
