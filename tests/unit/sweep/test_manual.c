/* manual: a help's paragraphs and tables, as they are printed. */
#include "cli/manual.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The help of a command with these details, from their first line on. */
static void details_printed(const char *details, char text[2000]) {
    static const struct option_spec none[] = {{.name = NULL}};
    const struct usage u = {
        .command = "try", .operands = "", .summary = "Tries.", .details = details, .options = none};
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    const bool known = manual_print(&u, NULL);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    char all[2000];
    all[fread(all, 1, sizeof all - 1, file)] = '\0';
    fclose(file);
    assert_true(known);
    const char *const help = strstr(all, "also -h)\n\n");
    assert_non_null(help);
    strcpy(text, help + strlen("also -h)\n\n"));
}

/* Broken: words of an indented line run into each other where the first are short. */
static void a_long_line_keeps_its_blanks(void **state) {
    (void)state;
    char text[2000];
    details_printed(
        "  a b c is a line without columns, longer than the eighty columns of a usual terminal\n",
        text);
    assert_string_equal(
        text, "  a b c is a line without columns, longer than the eighty columns of a usual\n"
              "      terminal\n");
    details_printed("  size  n bytes in all, a line with two columns, longer than eighty columns "
                    "are together\n",
                    text);
    assert_string_equal(
        text, "  size  n bytes in all, a line with two columns, longer than eighty columns are\n"
              "        together\n");
}

/* Broken: paragraphs are printed as they are broken in the source. */
static void paragraphs_are_filled(void **state) {
    (void)state;
    char text[2000];
    details_printed("One line\nand another,\n\n  but   a table as it is\nand on.", text);
    assert_string_equal(text, "One line and another,\n\n  but   a table as it is\nand on.\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_line_keeps_its_blanks),
        cmocka_unit_test(paragraphs_are_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
