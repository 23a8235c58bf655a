/* Names beside points. If this fails, pictures have names on points, on each other, or outside. */
#include "report/draw/placed_names.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { POINT = 4 }; /* half of a point's side that names may not cover */

static bool meet(const struct box *a, const struct box *b) {
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static void assert_clear(const struct name *names, size_t n, const struct crowd *crowd) {
    for (size_t i = 0; i < n; i++) {
        const struct box *const at = &names[i].at;
        assert_true(at->left >= crowd->frame.left && at->right <= crowd->frame.right &&
                    at->top >= crowd->frame.top && at->bottom <= crowd->frame.bottom);
        assert_false(meet(at, &crowd->line));
        for (size_t k = 0; k < i; k++)
            assert_false(meet(at, &names[k].at));
        for (size_t k = 0; k < crowd->count; k++) {
            const struct anchor_point *const p = &crowd->points[k];
            assert_false(p->is_drawn && meet(at, &(struct box){p->x - POINT, p->y - POINT,
                                                               p->x + POINT, p->y + POINT}));
        }
    }
}

static const struct box frame = {0, 0, 400, 300}, nothing;

static struct name name(double width, double height, size_t first) {
    return (struct name){width, height, first, nothing};
}

/* To the left of its point if there is room, else to the right. */
static void test_alone(void **state) {
    (void)state;
    const struct anchor_point points[] = {{200, 150, 0, true}, {20, 150, 1, true}};
    const struct crowd crowd = {frame, points, 2, nothing};
    struct name names[] = {name(60, 17, 0), name(60, 17, 1)};
    place_names(names, 2, &crowd);
    assert_true(names[0].at.right < 200 && fabs(names[0].at.top - 141.5) < 1e-9);
    assert_true(names[1].at.left > 20);
    assert_clear(names, 2, &crowd);
}

/* A name whose first point is in a crowd of others goes to another point of its own. */
static void test_crowded(void **state) {
    (void)state;
    struct anchor_point points[27];
    for (size_t i = 0; i < 25; i++)
        points[i] = (struct anchor_point){200 + 15 * (double)(i % 5), 100 + 15 * (double)(i / 5),
                                          i == 12 ? 0 : 1, true};
    points[25] = (struct anchor_point){100, 250, 0, true};
    points[26] = (struct anchor_point){300, 200, 1, true};
    const struct crowd crowd = {frame, points, 27, nothing};
    struct name names[] = {name(60, 17, 12), name(60, 17, 11)};
    place_names(names, 2, &crowd);
    assert_true(names[0].at.top > 200);
    assert_clear(names, 2, &crowd);
}

/* Points at one place, a line through another one, and places without a point. */
static void test_same_place_and_line(void **state) {
    (void)state;
    const struct anchor_point points[] = {{200, 10, 0, true},   {200, 10, 1, true},
                                          {200, 10, 2, true},   {100, 200, 3, true},
                                          {340, 200, 4, false}, {60, 200, 4, false}};
    const struct crowd crowd = {frame, points, 6, {0, 199, 400, 201}};
    struct name names[] = {name(60, 17, 0), name(60, 17, 1), name(60, 17, 2), name(60, 17, 3),
                           name(120, 34, 4)};
    place_names(names, 5, &crowd);
    assert_clear(names, 5, &crowd);
    assert_true(names[4].at.right > 390);
}

/* Many random points: names that have room are clear, and the places do not depend on the run. */
static void test_random(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (unsigned round = 0; round < 50; round++) {
        struct anchor_point points[60];
        struct name names[6], again[6];
        for (size_t i = 0; i < 60; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            points[i] =
                (struct anchor_point){(double)(seed >> 33) / (UINT32_MAX >> 1) * 400,
                                      (double)(seed >> 20 & 0xFFFF) / 0xFFFF * 300, i % 6, true};
        }
        for (size_t i = 0; i < 6; i++)
            names[i] = again[i] = name(50, 17, i);
        const struct crowd crowd = {frame, points, 60, nothing};
        place_names(names, 6, &crowd);
        place_names(again, 6, &crowd);
        assert_clear(names, 6, &crowd);
        for (size_t i = 0; i < 6; i++)
            assert_true(names[i].at.left == again[i].at.left && names[i].at.top == again[i].at.top);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_crowded),
        cmocka_unit_test(test_same_place_and_line),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
