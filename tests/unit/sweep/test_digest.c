/* digest: what is expected of a sweep is held to what it found, line by line. */
#include "experiment/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void add(struct digest *d, const char *key, char hash) {
    struct digest_line line = {.key = strdup(key)};
    memset(line.hash, hash, 32);
    assert_true(vec_push(&d->lines, line));
}

static void expect(const struct digest *ours, const struct digest *expected,
                   enum digest_verdict verdict, const char *key, size_t compared, size_t others) {
    struct error e = {0};
    const char *found;
    size_t both, rest;
    enum digest_verdict says;
    assert_int_equal(digest_compare(ours, expected, &says, &found, &both, &rest, &e), STATUS_OK);
    assert_int_equal(says, verdict);
    assert_true(key == NULL ? found == NULL : strcmp(found, key) == 0);
    assert_int_equal(both, compared);
    assert_int_equal(rest, others);
}

/* If this failed, a wrong result would pass for a reproduced one, or a right one would not. */
static void every_kind_of_difference_is_named(void **state) {
    (void)state;
    struct digest a = {0}, b = {0};
    add(&a, "one/replay", '1');
    add(&a, "one/result/0000", '2');
    add(&a, "onetwo/replay", '3');
    add(&b, "one/replay", '1');
    add(&b, "three/replay", '9');
    expect(&a, &b, DIGEST_UNEXPECTED, "one/result/0000", 1, 1);
    add(&b, "one/result/0000", '2');
    expect(&a, &b, DIGEST_SAME, NULL, 1, 1);
    add(&b, "one/result/0001", '2');
    expect(&a, &b, DIGEST_MISSING, "one/result/0001", 1, 1);
    add(&a, "one/result/0001", '3');
    expect(&a, &b, DIGEST_CHANGED, "one/result/0001", 1, 1);
    struct digest none = {0};
    expect(&none, &b, DIGEST_SAME, NULL, 0, 0);
    expect(&a, &none, DIGEST_SAME, NULL, 0, 2);
    digest_free(&a);
    digest_free(&b);
}

/* If this failed, a sweep of some games would show another digest than one that has no others. */
static void the_part_of_a_game_is_all_of_it_and_no_other_s(void **state) {
    (void)state;
    struct digest all = {0}, part, same;
    struct error e = {0};
    const char *const one[] = {"one"}, *const most[] = {"onetwo", "one"};
    add(&all, "one/replay", '1');
    add(&all, "one@late/replay", '2');
    add(&all, "onetwo/replay", '3');
    add(&all, "two/replay", '4');
    assert_int_equal(digest_part(&part, &all, one, 1, &e), STATUS_OK);
    assert_int_equal(part.lines.len, 2);
    assert_string_equal(part.lines.at[1].key, "one@late/replay");
    assert_int_equal(digest_part(&same, &part, one, 1, &e), STATUS_OK);
    assert_string_equal(same.total, part.total);
    digest_free(&same);
    assert_int_equal(digest_part(&same, &all, most, 2, &e), STATUS_OK);
    assert_int_equal(same.lines.len, 3);
    assert_string_not_equal(same.total, part.total);
    digest_free(&same);
    assert_int_equal(digest_part(&same, &all, NULL, 0, &e), STATUS_OK);
    assert_int_equal(same.lines.len, 0);
    digest_free(&same);
    digest_free(&part);
    const char *const first[] = {"one/"}, *const late[] = {"one@late/"};
    assert_int_equal(digest_part(&part, &all, first, 1, &e), STATUS_OK);
    assert_int_equal(part.lines.len, 1);
    assert_string_equal(part.lines.at[0].key, "one/replay");
    digest_free(&part);
    assert_int_equal(digest_part(&part, &all, late, 1, &e), STATUS_OK);
    assert_int_equal(part.lines.len, 1);
    assert_string_equal(part.lines.at[0].key, "one@late/replay");
    digest_free(&part);
    digest_free(&all);
}

/* If this failed, a row of a large experiment could change unseen, or be looked for in another
 * stream. */
static void the_hash_of_a_stream_is_over_all_its_rows(void **state) {
    (void)state;
    struct digest a = {0}, b = {0}, of_a, of_b;
    struct error e = {0};
    add(&a, "one/replay", '1');
    add(&a, "one/result/0000", '2');
    add(&a, "one@late/replay", '1');
    add(&a, "one@late/result/0000", '2');
    add(&a, "onetwo/replay", '3');
    add(&b, "one/replay", '1');
    add(&b, "one/result/0000", '4');
    add(&b, "one@late/replay", '1');
    add(&b, "one@late/result/0001", '2');
    assert_int_equal(digest_by_stream(&of_a, &a, &e), STATUS_OK);
    assert_int_equal(digest_by_stream(&of_b, &b, &e), STATUS_OK);
    assert_int_equal(of_a.lines.len, 3);
    assert_string_equal(of_a.lines.at[1].key, "one@late");
    expect(&of_a, &of_b, DIGEST_CHANGED, "one", 2, 1);
    memcpy(of_b.lines.at[0].hash, of_a.lines.at[0].hash, sizeof of_a.lines.at[0].hash);
    expect(&of_a, &of_b, DIGEST_CHANGED, "one@late", 2, 1);
    digest_free(&of_a);
    digest_free(&of_b);
    digest_free(&b);

    digest_free(&a);
}

/* If this failed, the file of a large experiment would be as large as its results, or say less of a
 * small one than it could. */
static void a_file_has_rows_or_streams(void **state) {
    (void)state;
    static const char path[] = "a_file_has_rows_or_streams.digest";
    struct digest a = {0}, b = {0}, streams;
    struct error e = {0};
    memset(a.definition, 'a', 32);
    for (int i = 0; i < DIGEST_ROWS; i++)
        add(&a, i < DIGEST_ROWS / 2 ? "one@late/result" : "two/result", '1');
    assert_int_equal(digest_write(&a, path, "x", &e), STATUS_OK);
    assert_int_equal(digest_read(&b, path, &e), STATUS_OK);
    assert_false(b.by_stream);
    assert_int_equal(b.lines.len, DIGEST_ROWS);
    digest_free(&b);
    add(&a, "two/result", '2');
    assert_int_equal(digest_by_stream(&streams, &a, &e), STATUS_OK);
    assert_int_equal(digest_write(&a, path, "x", &e), STATUS_OK);
    assert_int_equal(digest_read(&b, path, &e), STATUS_OK);
    assert_true(b.by_stream);
    assert_string_equal(b.definition, a.definition);
    assert_int_equal(b.lines.len, streams.lines.len);
    assert_string_equal(b.lines.at[0].key, "one@late");
    assert_string_equal(b.lines.at[0].hash, streams.lines.at[0].hash);
    digest_free(&b);
    digest_free(&streams);
    digest_free(&a);

    FILE *mixed = fopen(path, "w");
    assert_non_null(mixed);
    fprintf(mixed, "one/replay\t%032d\none\t%032d\n", 0, 0);
    assert_int_equal(fclose(mixed), 0);
    assert_int_equal(digest_read(&b, path, &e), STATUS_FORMAT);
    assert_non_null(strstr(e.text, ":2: lines of rows and of whole streams are mixed"));
    remove(path);
}

/* If this failed, ten thousand configurations would take a minute to be found equal. Twice as many
 * lines take about twice as long, not four times. */
static void many_lines_take_no_longer_each(void **state) {
    (void)state;
    double seconds[2];
    for (int round = 0; round < 2; round++) {
        struct digest a = {0};
        size_t count = round == 0 ? 40000 : 320000;
        for (size_t i = 0; i < count; i++) {
            char key[40];
            snprintf(key, sizeof key, "game%zu/result/%zu", i % 8, i / 8);
            add(&a, key, 'x');
        }
        clock_t start = clock();
        expect(&a, &a, DIGEST_SAME, NULL, 8, 0);
        seconds[round] = (double)(clock() - start) / CLOCKS_PER_SEC;
        digest_free(&a);
    }
    assert_true(seconds[1] < 30 * seconds[0] + 0.5); /* quadratic: 64 times */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_difference_is_named),
        cmocka_unit_test(the_part_of_a_game_is_all_of_it_and_no_other_s),
        cmocka_unit_test(the_hash_of_a_stream_is_over_all_its_rows),
        cmocka_unit_test(a_file_has_rows_or_streams),
        cmocka_unit_test(many_lines_take_no_longer_each),
    };
    return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
