/* canvas: a drawing's lines meet their arrowheads, and nothing is drawn outside it; axis: labels
 * that are moved apart keep their order. If this fails, a report shows arrows that point elsewhere,
 * names beside another curve, or a page of a paper has lines across its text. */
#include "report/draw/axis.h"
#include "report/draw/canvas.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 400, HEIGHT = 300 };

static void start(struct canvas *c) {
    canvas_start(c, "test", WIDTH, HEIGHT, "?", ".");
}

/* The numbers of the path that begins behind `at`; returns how many. */
static size_t path_numbers(const char *at, double *out, size_t room) {
    const char *end = strchr(at, '\'');
    size_t n = 0;
    while (n < room && (at += strcspn(at, "-.0123456789"), at < end)) {
        char *next;
        out[n++] = strtod(at, &next);
        at = next;
    }
    return n;
}

/* The first path is the line, the second the head: point, and the two ends of its base. */
static void line_meets_head(const struct canvas *c, const double tip[2], const double from[2]) {
    double line[64], triangle[6];
    const char *first = strstr(c->svg, "<path d='"), *second = strstr(first + 1, "<path d='");
    assert_non_null(second);
    const size_t n = path_numbers(first + 9, line, 64);
    assert_int_equal(path_numbers(second + 9, triangle, 6), 6);
    const double base[2] = {(triangle[2] + triangle[4]) / 2, (triangle[3] + triangle[5]) / 2};
    assert_true(hypot(triangle[0] - tip[0], triangle[1] - tip[1]) < 0.02);
    assert_true(hypot(line[n - 2] - base[0], line[n - 1] - base[1]) < 0.02);
    if (from == NULL)
        return;
    /* Straight on: the head points as the line does. */
    const double across =
        (tip[0] - from[0]) * (base[1] - from[1]) - (tip[1] - from[1]) * (base[0] - from[0]);
    assert_true(fabs(across) < 0.03 * hypot(tip[0] - from[0], tip[1] - from[1]));
}

static void arrows_meet_their_lines(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3 * 24; i++) {
        const double turn = (i % 24) * 3.14159265358979 / 12, width = 1 + 3.5 * (i / 24);
        const double from[2] = {200, 150}, tip[2] = {200 + 90 * cos(turn), 150 + 90 * sin(turn)};
        const double line[] = {from[0], from[1], tip[0], tip[1]};
        struct canvas c;
        start(&c);
        canvas_path_arrow(&c, line, 2, INK_TEXT, width, STROKE_SOLID);
        assert_true(canvas_finish(&c));
        line_meets_head(&c, tip, from);
        canvas_free(&c);
        /* A curve that comes round to the same point, with a last part that is shorter than a head.
         */
        const double curve[] = {from[0],     from[1],    from[0] + 60, from[1], tip[0],
                                tip[1] + 40, tip[0],     tip[1] + 4,   tip[0],  tip[1] + 3,
                                tip[0],      tip[1] + 1, tip[0],       tip[1]};
        start(&c);
        canvas_curve_arrow(&c, curve, 7, INK_TEXT, width, STROKE_SOLID);
        assert_true(canvas_finish(&c));
        line_meets_head(&c, tip, NULL);
        canvas_free(&c);
    }
}

/* A curve has four points, or seven, and so on; of fewer, nothing is drawn. */
static void less_than_a_curve_is_nothing(void **state) {
    (void)state;
    static const double points[] = {10, 10, 20, 30, 40, 10, 50, 50};
    for (size_t n = 0; n <= 4; n++) {
        struct canvas c;
        start(&c);
        canvas_curve_arrow(&c, points, n, INK_TEXT, 1, STROKE_SOLID);
        assert_true(canvas_finish(&c));
        assert_int_equal(strstr(c.svg, "<path d='") != NULL, n == 4);
        canvas_free(&c);
    }
}

/* Somewhere, often far outside, sometimes nowhere. */
static double wild(unsigned *seed, double size) {
    *seed = *seed * 1103515245u + 12345u;
    const unsigned kind = *seed >> 16 & 15;
    *seed = *seed * 1103515245u + 12345u;
    const double part = (*seed >> 16 & 0x7fff) / 32768.0;
    return kind == 0   ? NAN
           : kind == 1 ? INFINITY
           : kind == 2 ? -36000 * part
           : kind < 6  ? size * (3 * part - 1)
                       : size * part;
}

static void draw_wildly(struct canvas *c, unsigned *seed) {
    double xy[14];
    for (unsigned i = 0; i < 7; i++) {
        xy[2 * i] = wild(seed, WIDTH);
        xy[2 * i + 1] = wild(seed, HEIGHT);
    }
    canvas_line(c, xy[0], xy[1], xy[2], xy[3], INK_TEXT, 1, STROKE_SOLID);
    canvas_path_arrow(c, xy, 7, INK_TEXT, 1, STROKE_SOLID);
    canvas_curve_arrow(c, xy, 7, INK_TEXT, 1, STROKE_DASHED);
    canvas_path_arrow(c, xy, 3, INK_TEXT, 1, STROKE_SOLID);
    canvas_curve_arrow(c, xy, 4, INK_TEXT, 1, STROKE_SOLID);
    canvas_rect(c, xy[0], xy[1], xy[2], xy[3], INK_BAND, 1);
    canvas_frame(c, xy[0], xy[1], xy[2], xy[3], INK_BAND, 1);
    canvas_text(c, xy[8], xy[9], ANCHOR_LEFT, INK_TEXT, "text");
}

/* Of what has a size of its own, its middle is inside. */
enum { OWN_SIZE = 8 };

static void is_in(double x, double y, double width, double height) {
    if (!(x >= -OWN_SIZE && x <= width + OWN_SIZE && y >= -OWN_SIZE && y <= height + OWN_SIZE))
        fail_msg("%g %g is outside %g x %g", x, y, width, height);
}

static double value_of(const char *tag, const char *name) {
    const char *at = strstr(tag, name);
    return at != NULL && at < strchr(tag, '>') ? strtod(at + strlen(name), NULL) : 0;
}

static size_t look_at_svg(const char *svg) {
    size_t shapes = 0;
    double xy[256];
    for (const char *at = strstr(svg, "<path d='"); at != NULL;
         at = strstr(at + 1, "<path d='"), shapes++)
        for (size_t n = path_numbers(at + 9, xy, 256), i = 0; i + 1 < n; i += 2)
            is_in(xy[i], xy[i + 1], WIDTH, HEIGHT);
    for (const char *at = strstr(svg, "<rect "); at != NULL;
         at = strstr(at + 1, "<rect "), shapes++) {
        is_in(value_of(at, " x='"), value_of(at, " y='"), WIDTH, HEIGHT);
        is_in(value_of(at, " x='") + value_of(at, " width='"),
              value_of(at, " y='") + value_of(at, " height='"), WIDTH, HEIGHT);
    }
    for (const char *at = strstr(svg, "<text "); at != NULL;
         at = strstr(at + 1, "<text "), shapes++)
        is_in(value_of(at, " x='"), value_of(at, " y='"), WIDTH, HEIGHT);
    return shapes;
}

static void nothing_leaves_the_drawing(void **state) {
    (void)state;
    unsigned seed = 1;
    size_t shapes = 0;
    for (unsigned i = 0; i < 2000; i++) {
        struct canvas c;
        start(&c);
        draw_wildly(&c, &seed);
        assert_true(canvas_finish(&c));
        shapes += look_at_svg(c.svg);
        canvas_free(&c);
    }
    assert_true(shapes > 6000); /* there is something left to look at */
}

/* A line that crosses the drawing is there where it is inside, in its own direction. */
static void lines_end_at_the_edge(void **state) {
    (void)state;
    struct canvas c;
    start(&c);
    canvas_line(&c, -36000, -36000, 36000, 36000, INK_TEXT, 1, STROKE_SOLID);
    canvas_rect(&c, -50, 250, 100, 100, INK_BAND, 1);
    assert_true(canvas_finish(&c));
    assert_non_null(strstr(c.svg, "<path d='M0 0L300 300'"));
    assert_non_null(strstr(c.svg, "<rect x='0' y='250' width='50' height='50'"));
    canvas_free(&c);
}

/* Labels that were apart stay where they are; others keep their order and their distances. */
static void labels_keep_their_order(void **state) {
    (void)state;
    enum { MOST = 20 };
    struct random r = {.seed = 19};
    for (int again = 0; again < 3000; again++) {
        double wanted[MOST], places[MOST];
        const size_t n = 1 + random_below(&r, MOST);
        bool apart = true;
        for (size_t i = 0; i < n; i++)
            places[i] = wanted[i] = random_below(&r, again % 2 ? 60 : 6000);
        spread(places, n, 17, 20, 5000);
        for (size_t i = 0; i < n; i++) {
            assert_true(places[i] >= 20 - 1e-6 && places[i] <= 5000 + 1e-6);
            apart &= wanted[i] >= 20 && wanted[i] <= 5000;
            for (size_t k = 0; k < i; k++) {
                assert_true(fabs(places[i] - places[k]) > 17 - 1e-6);
                assert_true(wanted[i] == wanted[k] ||
                            (wanted[i] < wanted[k]) == (places[i] < places[k]));
                apart &= fabs(wanted[i] - wanted[k]) >= 17;
            }
        }
        for (size_t i = 0; i < n && apart; i++)
            assert_true(fabs(places[i] - wanted[i]) < 1e-6);
    }
    double pair[] = {100, 103}; /* both move by the same distance */
    spread(pair, 2, 17, 0, 5000);
    assert_true(fabs(pair[0] - 93) < 1e-9 && fabs(pair[1] - 110) < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrows_meet_their_lines),
        cmocka_unit_test(less_than_a_curve_is_nothing),
        cmocka_unit_test(nothing_leaves_the_drawing),
        cmocka_unit_test(lines_end_at_the_edge),
        cmocka_unit_test(labels_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
