/* How a sweep is divided: if this fails, parts on several machines leave something out or do it
 * twice, or one machine works while the others wait. */
#include "experiment/experiment.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { SHARES = 20 };

static void make(struct shard_share *shares, size_t count) {
    memset(shares, 0, count * sizeof *shares);
    for (size_t i = 0; i < count; i++) {
        shares[i].id = (int64_t)((i + 1) * 0x9E3779B97F4A7C15u >> 1);
        shares[i].whole = 20.0 * (double)(1 + i % 3);
        shares[i].each = 1.0 + (double)(i % 3);
        shares[i].items = 17 + 10 * (i % 5);
    }
}

/* Costs of the shards; each item is in one of them. */
static void add_up(const struct shard_share *shares, size_t count, uint64_t shards, double *load) {
    memset(load, 0, (shards + 1) * sizeof *load);
    for (size_t i = 0; i < count; i++) {
        uint64_t last = 0;
        for (size_t k = 0; k < shares[i].items; k++) {
            const uint64_t shard = shard_of(&shares[i], k);
            assert_in_range(shard, 1, shards);
            assert_true(shard >= last); /* a slice is one piece */
            load[shard] += shares[i].each + (shard != last ? shares[i].whole : 0);
            last = shard;
        }
    }
}

static void test_every_count(void **state) {
    (void)state;
    static double load[1001];
    for (uint64_t shards = 1; shards <= 1000; shards += 1 + shards / 50) {
        struct shard_share shares[SHARES];
        make(shares, SHARES);
        assert_int_equal(shard_divide(shares, SHARES, shards, NULL), STATUS_OK);
        add_up(shares, SHARES, shards, load);
        double all = 0, most = 0, piece = 0;
        for (uint64_t i = 1; i <= shards; i++) {
            all += load[i];
            most = load[i] > most ? load[i] : most;
        }
        for (size_t i = 0; i < SHARES; i++) {
            const double cost = shares[i].whole + shares[i].each * (double)shares[i].items;
            piece = cost > piece ? cost : piece;
        }
        /* Graham's bound where games are whole; no more than a game where they are cut. */
        if (shards < SHARES)
            assert_true(most <= all / (double)shards + piece);
        else
            assert_true(most <= piece);
    }
}

/* Twice the shards as games, and the rest: the slowest gets faster until nothing can be cut. */
static void test_slices(void **state) {
    (void)state;
    static double load[1001];
    double before = 1e9;
    for (uint64_t shards = SHARES; shards <= 1000; shards += SHARES) {
        struct shard_share shares[SHARES];
        make(shares, SHARES);
        assert_int_equal(shard_divide(shares, SHARES, shards, NULL), STATUS_OK);
        add_up(shares, SHARES, shards, load);
        double most = 0;
        size_t empty = 0, items = 0;
        for (uint64_t i = 1; i <= shards; i++) {
            most = load[i] > most ? load[i] : most;
            empty += load[i] == 0;
        }
        for (size_t i = 0; i < SHARES; i++)
            items += shares[i].items;
        assert_true(most <= before);
        before = most;
        if (shards >= items)
            assert_int_equal(empty, shards - items);
        else /* what is filled to the brim may leave one over */
            assert_in_range(empty, 0, 1);
    }
    assert_true(before <= 3 * 20 + 3);
}

/* Eight games of one length; each slice begins with a replay. With fewer shards than games, or a few
 * more, no shard works much longer than the mean. */
static void test_balance(void **state) {
    (void)state;
    static double load[100];
    for (uint64_t shards = 1; shards <= 40; shards++) {
        struct shard_share shares[8] = {0};
        for (size_t i = 0; i < 8; i++)
            shares[i] = (struct shard_share){
                .id = (int64_t)i * 7 % 8, .whole = 0.58, .each = 0.003, .items = 145};
        assert_int_equal(shard_divide(shares, 8, shards, NULL), STATUS_OK);
        add_up(shares, 8, shards, load);
        double all = 0, most = 0;
        for (uint64_t i = 1; i <= shards; i++) {
            all += load[i];
            most = load[i] > most ? load[i] : most;
        }
        assert_true(most < 1.26 * all / (double)shards);
    }
}

/* The order of games in a file does not matter. */
static void test_order(void **state) {
    (void)state;
    for (uint64_t shards = 1; shards < 60; shards++) {
        struct shard_share shares[SHARES], turned[SHARES];
        make(shares, SHARES);
        for (size_t i = 0; i < SHARES; i++)
            turned[i] = shares[SHARES - 1 - i];
        assert_int_equal(shard_divide(shares, SHARES, shards, NULL), STATUS_OK);
        assert_int_equal(shard_divide(turned, SHARES, shards, NULL), STATUS_OK);
        for (size_t i = 0; i < SHARES; i++) {
            assert_int_equal(shares[i].first, turned[SHARES - 1 - i].first);
            assert_int_equal(shares[i].slices, turned[SHARES - 1 - i].slices);
        }
    }
    assert_int_equal(shard_divide(NULL, 0, 3, NULL), STATUS_OK);
}

static void test_parse(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",         "3",     "0/0",  "5/4",  "1/0",
        "-1/4",     "1/4/5", "1/4 ", " 1/4", "a/b",
        "1/100001", "+1/2",  "/",    "1/",   "18446744073709551617/18446744073709551618"};
    struct shard shard = {0};
    struct error e = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(shard_parse(&shard, bad[i], &e), STATUS_ARGUMENT);
    assert_int_equal(shard.count, 0);
    assert_int_equal(shard_parse(&shard, "7/1000", &e), STATUS_OK);
    assert_int_equal(shard.number, 7);
    assert_int_equal(shard.count, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_count), cmocka_unit_test(test_slices),
        cmocka_unit_test(test_balance),     cmocka_unit_test(test_order),
        cmocka_unit_test(test_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
