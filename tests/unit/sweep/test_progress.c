/* progress: what is seen of it where standard error is no terminal. */
#include "cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Standard error goes into a file, whose text the caller gets back. */
static int saved;
static FILE *file;

static void catch_errors(void) {
    fflush(stderr);
    saved = dup(STDERR_FILENO);
    file = tmpfile();
    assert_non_null(file);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
}

static void caught(char text[1000]) {
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, 999, file)] = '\0';
    fclose(file);
}

/* Broken: a log of a sweep says nothing for an hour, or fills the disk. */
static void plain_lines(void **state) {
    (void)state;
    char text[1000];
    struct progress p;
    catch_errors();
    progress_start(&p, 200);
    p.done = 10;
    progress_show(&p, "too soon");
    p.period = 0;
    progress_show(&p, "a: frame 60 of 18000");
    p.done = 100;
    p.started -= 75;
    progress_show(&p, "b: 7 of 150\033[2J");
    p.done = 200;
    progress_show(&p, "end");
    p.period = 1000;
    progress_show(&p, "too soon again");
    progress_line(&p, "%s: done", "b");
    progress_end(&p);
    caught(text);
    assert_string_equal(text, "  5 %  a: frame 60 of 18000\n"
                              " 50 %  1:15 left  b: 7 of 150\\x1b[2J\n"
                              "100 %  end\n"
                              "b: done\n");
}

/* Broken: a line that has just been written is repeated at once. */
static void lines_count_too(void **state) {
    (void)state;
    char text[1000];
    struct progress p;
    catch_errors();
    progress_start(&p, 100);
    p.shown -= 1000;
    progress_line(&p, "a: replayed");
    progress_show(&p, "a: 1 of 150");
    caught(text);
    assert_string_equal(text, "a: replayed\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines),
        cmocka_unit_test(lines_count_too),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
