/* Which timings are reliable: if this fails, noise passes for a difference between techniques, or
 * every run has a warning, which users learn to ignore. */
#include "experiment/plan/noise.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static void test_spread(void **state) {
    (void)state;
    double even[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_true(noise_spread(even, 11) == 0);
    double ramp[] = {11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6};
    assert_true(fabs(noise_spread(ramp, 11) - (10.0 - 2.0) / 6.0) < 1e-12);
    /* One that was disturbed among many is no noise. */
    double one[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 50};
    assert_true(noise_spread(one, 11) == 0);
    assert_true(isnan(noise_spread(one, 1)));
}

static const char *judge(double spread, double load, double idle) {
    static struct noise_report report;
    report = (struct noise_report){.spread = spread, .load = load, .idle = idle, .warning = "?"};
    noise_judge(&report);
    return report.warning;
}

static void test_judge(void **state) {
    (void)state;
    assert_string_equal(judge(0.02, 0.01, 0), "");
    assert_string_equal(judge(NAN, NAN, NAN), "");
    assert_string_equal(judge(0.02, 0.7, 0.3), ""); /* a big machine with room for all */
    assert_non_null(strstr(judge(0.5, 0.01, 0.5), "varied by 50 %"));
    assert_null(strstr(judge(0.5, 0.01, 0.5), "other programs"));
    assert_non_null(strstr(judge(0.02, 0.4, 0.01), "other programs used 40 %"));
    assert_non_null(strstr(judge(0.5, 0.4, 0.01), "50 %, and other programs"));
}

static void test_measures(void **state) {
    (void)state;
    struct noise_report report;
    noise_end(noise_start(), &report);
    assert_true(report.spread >= 0);
    noise_end(NULL, &report);
    assert_true(isnan(report.spread) && isnan(report.load));
    assert_string_equal(report.warning, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
