/* disassembly: the code of a program's blocks comes from the file that was recorded and from no other. If this fails, a report
 * shows instructions that were never executed. */
#include "report/charts/game/disassembly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* test eax, eax; jz; nop and so on, behind the first bytes of an ELF header. */
enum { CODE = 64, NOPS = 70, SIZE = 100 };
static const char PATH[] = "test_disassembly.elf";

static void make_file(uint8_t machine, size_t size, char hash[33]) {
    uint8_t bytes[SIZE] = {0x7f, 'E', 'L', 'F', 2};
    const uint8_t code[] = {0x85, 0xc0, 0x74, 0x10, 0xc3, 0xcc};
    bytes[18] = machine;
    memcpy(bytes + CODE, code, sizeof code);
    memset(bytes + NOPS, 0x90, SIZE - NOPS);
    FILE *out = fopen(PATH, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(hash_file(PATH, hash, NULL), STATUS_OK);
}

static void expect(struct code_file *f, const char *hash, uint64_t offset, uint64_t length,
                   const char *wanted) {
    char *text = code_of_block(f, PATH, hash, offset, length);
    if (wanted == NULL)
        assert_null(text);
    else
        assert_string_equal(text, wanted);
    free(text);
}

static void blocks_end_where_they_do(void **state) {
    (void)state;
    struct code_file f = {0};
    char hash[33];
    make_file(62, SIZE, hash);
    expect(&f, hash, CODE, UINT64_MAX, "test eax, eax; jz +0x12");
    expect(&f, hash, CODE, 2, "test eax, eax");
    expect(&f, hash, CODE, 3, "test eax, eax");
    expect(&f, hash, CODE + 4, UINT64_MAX, "ret");
    expect(&f, hash, NOPS, 3, "nop; nop; nop");
    expect(&f, hash, NOPS, UINT64_MAX,
           "nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop");
    expect(&f, hash, SIZE - 2, UINT64_MAX, "nop; nop");
    expect(&f, hash, SIZE, UINT64_MAX, NULL);
    expect(&f, hash, UINT64_MAX, UINT64_MAX, NULL);
    code_file_free(&f);
}

static void other_files_say_nothing(void **state) {
    (void)state;
    struct code_file f = {0};
    char hash[33], other[33];
    make_file(62, SIZE, hash);
    make_file(62, SIZE - 1, other);
    expect(&f, hash, CODE, UINT64_MAX, NULL); /* the file has changed */
    code_file_free(&f);
    expect(&f, other, CODE, 2, "test eax, eax");
    code_file_free(&f);
    make_file(183, SIZE, hash); /* AArch64 */
    expect(&f, hash, CODE, UINT64_MAX, NULL);
    code_file_free(&f);
    make_file(62, 10, hash);
    expect(&f, hash, 5, UINT64_MAX, NULL);
    code_file_free(&f);
    unlink(PATH);
    expect(&f, hash, CODE, UINT64_MAX, NULL);
    code_file_free(&f);
    assert_null(code_of_block(&f, "/dev/zero", hash, CODE, 2)); /* and comes back */
    code_file_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_end_where_they_do),
        cmocka_unit_test(other_files_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
