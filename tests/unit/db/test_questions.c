/* questions: the views of db/sql/questions.sql on rows whose answers were computed by hand. */
#include "tests/support/views_fixture.h"

/* Two games on a grid of two parameters, p and q, of two values each; a third has one value, which
 * explains nothing. Configurations 1 to 4 are (p, q) = (1, 1), (1, 2), (2, 1), (2, 2); 9 is the
 * observed baseline. In hundredths:
 *
 *             1   2   3   4   baseline
 *     a      10  20  30  80   90         whole
 *     b      40  40  60  80   100
 *     a      80  30  20  10   95         active
 *     b      40  40  60  80   100
 */
static const char frame[] =
    "INSERT INTO run (run_id, uuid, version, source_commit, host, compiler, configuration_file,"
    " definition_hash, jobs, started) VALUES (1, 'u', '1', 'c', 'h', 'gcc', 'f', 'd', 1, 't');"
    "INSERT INTO game (game_id, name, title, untested) VALUES (1, 'a', 'A', 0), (2, 'b', 'B', 0);"
    "INSERT INTO sampling (sampling_id, key, method, phase_cycles) VALUES"
    " (1, 'time batch=25 phase_cycles=0', 'time', 0),"
    " (2, 'time batch=25 phase_cycles=700', 'time', 700);"
    "INSERT INTO graph (graph_id, hash, edges, blocks) VALUES (1, 'g', 3, 2);"
    "INSERT INTO configuration (configuration_id, key, technique) VALUES (1, 'grid p=1 q=1', "
    "'grid'),"
    " (2, 'grid p=1 q=2', 'grid'), (3, 'grid p=2 q=1', 'grid'), (4, 'grid p=2 q=2', 'grid'),"
    " (9, 'observed', 'observed');"
    "INSERT INTO configuration_value (configuration_id, name, value) VALUES (1, 'p', 1),"
    " (1, 'q', 1), (2, 'p', 1), (2, 'q', 2), (3, 'p', 2), (3, 'q', 1), (4, 'p', 2), (4, 'q', 2),"
    " (1, 'still', 7), (2, 'still', 7), (3, 'still', 7), (4, 'still', 7);"
    "INSERT INTO experiment (experiment_id, name, definition_hash) VALUES (1, 'x', 'd');"
    "INSERT INTO experiment_configuration (experiment_id, configuration_id, number, baseline, "
    "label)"
    " VALUES (1, 1, 0, 0, NULL), (1, 2, 1, 0, NULL), (1, 3, 2, 0, NULL), (1, 4, 3, 0, 'good'),"
    " (1, 9, NULL, 1, 'observed');"
    "INSERT INTO experiment_mark (experiment_id, batches) VALUES (1, 10), (1, 30);"
    "INSERT INTO experiment_hot (experiment_id, hot_permille) VALUES (1, 900);";

static const int configurations[] = {1, 2, 3, 4, 9};

static void put_quality(struct fixture *f, int stream, int configuration, int batches,
                        double similarity, double active) {
    char sql[600];
    snprintf(sql, sizeof sql,
             "INSERT INTO quality (stream_id, configuration_id, part, batches, hot_permille, bins,"
             " blocks, edges, similarity, similarity_active, run_id) VALUES"
             " (%d, %d, 'first', %d, 900, 0, 2, 3, %.17g, %.17g, 1)",
             stream, configuration, batches, similarity, active);
    run(f, sql);
}

/* A stream of 50 batches of `game`, and what each configuration finds, in hundredths. */
static void put_stream(struct fixture *f, int stream, int game, int sampling, const char *variant,
                       const int whole[5], const int active[5]) {
    char sql[1200];
    snprintf(sql, sizeof sql,
             "INSERT INTO replay (replay_id, key, kind, frames, instructions, blocks, edges,"
             " busy_edges, weight, busy_weight, hot_edges, hot_edges_active, exact_hash, run_id)"
             " VALUES (%d, 'r%d', 'game', 100, 1000000, 2, 3, 0, 9, 0, 1, 1, 'e', 1);"
             "INSERT INTO stream (stream_id, replay_id, sampling_id, batch_length, batches,"
             " samples, overruns, hash, run_id) VALUES (%d, %d, %d, 25, 50, 1250, 0, 's', 1);"
             "INSERT INTO experiment_stream (experiment_id, game_id, stream_id, sampling_id,"
             " variant) VALUES (1, %d, %d, %d, '%s')",
             stream, stream, stream, stream, sampling, game, stream, sampling, variant);
    run(f, sql);
    for (int i = 0; i < 5; i++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO result (stream_id, configuration_id, bins, low, high, blocks, edges,"
                 " graph_id, records, probes, observed, steps, structure, seconds, run_id) VALUES"
                 " (%d, %d, 0, 0, 0, 2, 3, 1, 5, 6, 1250, 7, 0, 0.5, 1)",
                 stream, configurations[i]);
        run(f, sql);
        put_quality(f, stream, configurations[i], 50, whole[i] / 100.0, active[i] / 100.0);
    }
}

static void put_all(struct fixture *f) {
    run(f, frame);
    put_stream(f, 1, 1, 1, "", (int[]){10, 20, 30, 80, 90}, (int[]){80, 30, 20, 10, 95});
    put_stream(f, 2, 2, 1, "", (int[]){40, 40, 60, 80, 100}, (int[]){40, 40, 60, 80, 100});
}

/* If this failed, equal configurations would not share a place, or places without busy-waits would
 * be those with them. */
static void test_places(void **state) {
    struct fixture *f = *state;
    put_all(f);
    expect(f,
           "SELECT game, number, place, shared, tied_place, place_active, shared_active,"
           " tied_place_active FROM ranked ORDER BY game, number",
           "a|0|4|1|4.0|1|1|1.0\na|1|3|1|3.0|2|1|2.0\na|2|2|1|2.0|3|1|3.0\na|3|1|1|1.0|4|1|4.0\n"
           "b|0|3|2|3.5|3|2|3.5\nb|1|3|2|3.5|3|2|3.5\nb|2|2|1|2.0|2|1|2.0\nb|3|1|1|1.0|1|1|1.0\n");
    expect(f,
           "SELECT number, mean_place, mean_place_active FROM best_configuration ORDER BY number",
           "0|3.75|2.25\n1|3.25|2.75\n2|2.0|2.5\n3|1.0|2.5\n");
}

/* Game a once more, sampled at another phase. */
static void put_replicate(struct fixture *f) {
    put_stream(f, 3, 1, 2, "late", (int[]){30, 20, 10, 80, 70}, (int[]){80, 30, 20, 10, 95});
}

/* The whole: mean 45, sum of squares about it 4800 (in squares of a hundredth). Games 8 * 10^2 =
 * 800; p 8 * 17.5^2 = 2450; q 8 * 10^2 = 800; p and q: cells 25, 30, 45, 80, so 3700 - 2450 - 800 =
 * 450; p in single games 1600 + 900, so 50 with the game; q likewise 900 + 100 - 800 = 200; all
 * three the rest, 50. Within game a: 1600, 900 and 400 of 2900; within b: 900, 100, 100 of 1100.
 * If this failed, a parameter would seem to matter that does not. */
static void test_variance(void **state) {
    struct fixture *f = *state;
    put_all(f);
    static const char sql[] =
        "SELECT factor, other, percent, percent_within_games, least_percent, most_percent, streams,"
        " complete, mean_percent, baseline_mean_percent FROM variance_share"
        " WHERE scope = 'whole' ORDER BY percent DESC, factor";
    expect(f, sql,
           "p|-|51.04|61.25|55.17|81.82|2|1|45.0|95.0\n"
           "game|-|16.67|-|-|-|-|1|45.0|95.0\n"
           "q|-|16.67|20.0|9.09|31.03|2|1|45.0|95.0\n"
           "p|q|9.38|11.25|9.09|13.79|2|1|45.0|95.0\n"
           "q|game|4.17|5.0|-|-|-|1|45.0|95.0\n"
           "p|game|1.04|1.25|-|-|-|1|45.0|95.0\n");
    expect(f,
           "SELECT variant, factor, other, round(10000 * explained), round(10000 * variation)"
           " FROM variance_term WHERE scope = 'whole' AND game = 'a' ORDER BY explained DESC",
           "|p|-|1600.0|2900.0\n|q|-|900.0|2900.0\n|p|q|400.0|2900.0\n");
    /* If nothing varies, there is nothing to explain. */
    run(f, "UPDATE quality SET similarity = 0.5");
    expect(f, "SELECT count(*), count(percent) FROM variance_share WHERE scope = 'whole'", "6|0\n");
}

/* Configuration 2 lacks game a, so 1, 3 and 4 compete: a 10, 30, 80; b 40, 60, 80. Mean 50, sum of
 * squares about it 4000. Games 40 and 60: 600. p: 25 (of 2) and 62.5 (of 4): 1250 + 625 = 1875. q:
 * 35 (of 4) and 80 (of 2): 900 + 1800 = 2700. p and q do not meet in proportion: nothing can be
 * said of what they do together. p and game: cells 10, 40, 55, 70, so 1600 + 100 + 50 + 800 - 1875
 * - 600 = 75; q and game: 20, 50, 80, 80, so 1800 + 0 + 900 + 900 - 2700 - 600 = 300. If this
 * failed, shares would be negative, and lines of the figure leave the page. */
static void test_variance_of_an_unbalanced_grid(void **state) {
    struct fixture *f = *state;
    put_all(f);
    run(f, "DELETE FROM quality WHERE stream_id = 1 AND configuration_id = 2");
    expect(f,
           "SELECT factor, other, round(percent, 1), percent_within_games, complete"
           " FROM variance_share WHERE scope = 'whole' ORDER BY percent DESC, factor",
           "q|-|67.5|79.41|0\n"
           "p|-|46.9|55.15|0\n"
           "game|-|15.0|-|1\n"
           "q|game|7.5|8.82|1\n"
           "p|game|1.9|2.21|1\n"
           "p|q|-|-|0\n");
    expect(f, "SELECT DISTINCT parameter, balanced FROM parameter_effect", "p|0\nq|0\nstill|1\n");
    /* Values that rise together, as with zip: a 10, 80; b 40, 80: of 3475, p 3025, the game 225. */
    run(f, "DELETE FROM experiment_configuration WHERE configuration_id IN (2, 3)");
    expect(f,
           "SELECT factor, other, percent, complete FROM variance_share WHERE scope = 'whole'"
           " AND factor <> 'game' ORDER BY percent DESC, factor, other",
           "p|-|87.05|0\nq|-|87.05|0\np|game|6.47|1\nq|game|6.47|1\np|q|-|0\n");
}

/* Replicates are one game: their mean counts, and single ones make the range.
 * If this failed, a game that was sampled often would count more than the others. */
static void test_variance_of_replicates(void **state) {
    struct fixture *f = *state;
    put_all(f);
    put_replicate(f);
    expect(f,
           "SELECT count(*), max(quality) - min(quality) FROM game_quality"
           " WHERE game = 'a' AND scope = 'active' AND configuration_id = 1",
           "1|0.0\n");
    expect(f,
           "SELECT replicates, printf('%.2f %.2f %.2f', quality, least, most) FROM game_quality"
           " WHERE game = 'a' AND scope = 'whole' AND configuration_id = 3",
           "2|0.20 0.10 0.30\n");
    expect(f,
           "SELECT factor, other, streams, least_percent, most_percent FROM variance_share"
           " WHERE scope = 'whole' AND factor = 'p' AND other IS NULL",
           "p|-|3|13.79|81.82\n");
    expect(f,
           "SELECT printf('%.4f %.2f %.2f', quality, least, most) FROM baseline_quality"
           " WHERE scope = 'whole'",
           "0.9000 0.70 1.00\n");
}

/* a orders all six pairs, b all but one, and they agree on five: 5 / sqrt(6 * 5). If this failed,
 * games that disagree would seem to agree. */
static void test_rank_agreement(void **state) {
    struct fixture *f = *state;
    put_all(f);
    static const char sql[] = "SELECT scope, game, other, printf('%.6f %.6f %.6f', tau, least,"
                              " most), replicates FROM rank_agreement";
    expect(f, sql,
           "whole|a|b|0.912871 0.912871 0.912871|1\n"
           "active|a|b|-0.912871 -0.912871 -0.912871|1\n");
    put_replicate(f); /* which b lacks */
    expect(f, sql,
           "whole|a|b|0.912871 0.912871 0.912871|1\n"
           "active|a|b|-0.912871 -0.912871 -0.912871|1\n");
    /* Now it has, and there the pairs of 1 and 3 and of 2 and 3 are opposite: 3 - 2, of 6 and 5. */
    put_stream(f, 4, 2, 2, "late", (int[]){40, 40, 60, 80, 100}, (int[]){40, 40, 60, 80, 100});
    expect(f, sql,
           "whole|a|b|0.547723 0.182574 0.912871|2\n"
           "active|a|b|-0.912871 -0.912871 -0.912871|2\n");
    /* A game on which all configurations are equal has no order to agree with. */
    run(f, "UPDATE quality SET similarity = 0.5 WHERE stream_id IN (2, 4)");
    expect(f, "SELECT tau, replicates FROM rank_agreement WHERE scope = 'whole'", "-|2\n");
}

/* Of a, configuration 1 is missing, of b, 4: 2 and 3 remain, which both order alike (whole) and
 * otherwise (active). If this failed, games would seem to disagree where something is missing. */
static void test_rank_agreement_of_holes(void **state) {
    struct fixture *f = *state;
    put_all(f);
    run(f, "DELETE FROM quality WHERE (stream_id, configuration_id) IN (VALUES (1, 1), (2, 4))");
    expect(f, "SELECT scope, round(tau, 9), replicates FROM rank_agreement",
           "whole|1.0|1\nactive|-1.0|1\n");
}

/* If this failed, a configuration would be praised for the games that chose it. */
static void test_left_out(void **state) {
    struct fixture *f = *state;
    put_all(f);
    put_replicate(f);
    static const char sql[] =
        "SELECT left_out, parameters, shared, games, mean_percent, percent, least_percent,"
        " most_percent, place, best_percent, baseline_percent FROM left_out";
    expect(f, sql,
           "-|p=2 q=2|1|2|80.0|-|-|-|-|-|90.0\n"
           "a|p=2 q=2|1|1|80.0|80.0|80.0|80.0|1|80.0|80.0\n"
           "b|p=2 q=2|1|1|80.0|80.0|80.0|80.0|1|80.0|100.0\n"
           "-|p=1 q=1|1|2|60.0|-|-|-|-|-|97.5\n"
           "a|p=2 q=2|1|1|80.0|10.0|10.0|10.0|4|80.0|95.0\n"
           "b|p=1 q=1|1|1|80.0|40.0|40.0|40.0|3|80.0|100.0\n");
    /* Configurations without results on some game do not compete; the other three are equal on
     * a. */
    run(f, "DELETE FROM quality WHERE configuration_id = 4 AND stream_id = 2");
    expect(f, "SELECT left_out, parameters, shared FROM left_out WHERE scope = 'whole'",
           "-|p=2 q=1|1\na|p=2 q=1|1\nb|p=1 q=1|3\n");
}

/* If this failed, a technique would seem to need more samples than it does, or fewer. */
static void test_budget(void **state) {
    struct fixture *f = *state;
    put_all(f);
    put_replicate(f);
    static const double baseline[3][2] = {{0.40, 0.85}, {0.60, 0.40}, {0.45, 0.55}};
    for (int stream = 1; stream <= 3; stream++) {
        put_quality(f, stream, 9, 10, baseline[stream - 1][0], 0.2);
        put_quality(f, stream, 9, 30, baseline[stream - 1][1], 0.4);
        put_quality(f, stream, 4, 10, 0.3, 0.1);
        put_quality(f, stream, 4, 20, 1.0, 1.0); /* no mark of the experiment's */
        put_quality(f, stream, 4, 30, 0.5, 0.1);
    }
    /* The mean of a's replicates is 42.5, 70, 80; single ones have 50 % after 30 batches, 80 %
     * after 30 or never. b finds 60 %, loses it again, and ends with all. */
    expect(f,
           "SELECT game, label, target_percent, batches, least_batches, most_batches,"
           " baseline_batches FROM budget_to_reach WHERE scope = 'whole' AND game IS NOT NULL",
           "a|observed|50|30|30|30|30\n"
           "a|good|50|30|30|30|30\n"
           "a|observed|80|50|30|-|50\n"
           "a|good|80|50|50|50|50\n"
           "a|observed|95|-|-|-|-\n"
           "a|good|95|-|-|-|-\n"
           "a|observed|99|-|-|-|-\n"
           "a|good|99|-|-|-|-\n"
           "b|observed|50|50|50|50|50\n"
           "b|good|50|30|30|30|50\n"
           "b|observed|80|50|50|50|50\n"
           "b|good|80|50|50|50|50\n"
           "b|observed|95|50|50|50|50\n"
           "b|good|95|-|-|-|50\n"
           "b|observed|99|50|50|50|50\n"
           "b|good|99|-|-|-|50\n");
    /* Over games: 51.25, 55, 90 %. */
    expect(f,
           "SELECT label, target_percent, batches, least_batches, most_batches, baseline_batches"
           " FROM budget_to_reach WHERE scope = 'whole' AND game IS NULL AND target_percent <= 95",
           "observed|50|10|10|50|10\n"
           "good|50|30|30|30|10\n"
           "observed|80|50|30|-|50\n"
           "good|80|50|50|50|50\n"
           "observed|95|-|50|-|-\n"
           "good|95|-|-|-|-\n");
    expect(f,
           "SELECT label, batches FROM budget_to_reach WHERE scope = 'active' AND game IS NULL"
           " AND target_percent = 95",
           "observed|50\ngood|-\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_variance, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_variance_of_an_unbalanced_grid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_variance_of_replicates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rank_agreement, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rank_agreement_of_holes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_budget, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
