/*
 * Graph files. If these fail, graphs cannot be passed between runs and tools without losing edges,
 * or a broken file is taken for a small graph.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/graph.h"

static void refuse(const char *text, unsigned line, const char *part) {
    struct graph g;
    struct error e = {0};
    char place[40];
    snprintf(place, sizeof place, "dir/g.graph:%u: ", line);
    assert_int_equal(graph_parse(&g, text, strlen(text), "dir/g.graph", &e), STATUS_FORMAT);
    assert_null(g.edges);
    if (strncmp(e.text, place, strlen(place)) != 0 || strstr(e.text, part) == NULL)
        fail_msg("message \"%s\" does not have \"%s\" and \"%s\"", e.text, place, part);
}

/* Broken: a damaged graph is compared as if it were whole. */
static void test_refused(void **state) {
    (void)state;
    refuse("0x1\t0x2\t3\n\n", 2, "expected source, target and count");
    refuse("# c\n0x1\t0x2\n", 2, "expected source, target and count");
    refuse("0x1 0x2 3\n", 1, "tab-separated");
    refuse("1\t0x2\t3\n", 1, "0x");
    refuse("0x\t0x2\t3\n", 1, "0x");
    refuse("0x1\t0xg\t3\n", 1, "0x");
    refuse("0x100000000\t0x2\t3\n", 1, "32 bits");
    refuse("0x1\t0x2\t-3\n", 1, "count");
    refuse("0x1\t0x2\t3.5\n", 1, "unexpected text");
    refuse("0x1\t0x2\t3\t2\n", 1, "fourth column");
    refuse("0x1\t0x2\t3\t\n", 1, "fourth column");
    refuse("0x1\t0x2\t3\t1\t\n", 1, "unexpected text");
    refuse("0x1\t0x2\t18446744073709551616\n", 1, "count");
    refuse("0x1\t0x2\t4611686018427387904\n0x1\t0x3\t1\n", 2, "2^62");
    refuse("0x2\t0x2\t3\n0x1\t0x2\t3\n0x2\t0x2\t1\n", 3, "already");
    refuse("#block 0x1 0x2\n#block 0x1\n", 2, "#block 0xENTRY 0xLAST");
    refuse("#block 0x1 0x2 3\n", 1, "#block 0xENTRY 0xLAST");
    refuse("#block 0x1 0x2\n#block 0x3 0x3\n#block 0x1 0x2\n", 3, "already");
}

/* Broken: graphs of other tools, unsorted or without blocks, cannot be compared. */
static void test_foreign(void **state) {
    (void)state;
    static const char text[] = "# made elsewhere\r\n#blocks are not here\n0xC010\t0xc000\t7\r\n"
                               "0xC000\t0xC010\t12\t1\n#\n0xc000\t0x1c000\t0";
    struct graph g;
    struct error e = {0};
    assert_int_equal(graph_parse(&g, text, strlen(text), "g", &e), STATUS_OK);
    assert_int_equal(g.edge_count, 3);
    assert_int_equal(g.block_count, 0);
    assert_int_equal(g.edges[0].source, 0xC000);
    assert_int_equal(g.edges[0].target, 0xC010);
    assert_int_equal(g.edges[0].count, 12);
    assert_true(g.edges[0].busy);
    assert_int_equal(g.edges[1].target, 0x1C000);
    assert_int_equal(g.edges[2].source, 0xC010);
    assert_false(g.edges[2].busy);
    assert_int_equal(graph_weight(&g), 19);
    graph_free(&g);
}

static struct graph example(void) {
    static struct edge edges[] = {{0xC000, 0xC010, 12, true},
                                  {0xC010, 0xC000, UINT32_MAX + 1ull, false}};
    static struct block blocks[] = {{0xC000, 0xC00E}, {0xC010, 0xC010}, {0x10C010, 0x10C012}};
    return (struct graph){.edges = edges, .edge_count = 2, .blocks = blocks, .block_count = 3};
}

static struct bytes contents(const char *path) {
    struct bytes b;
    struct error e = {0};
    assert_int_equal(file_read(&b, path, 1 << 20, &e), STATUS_OK);
    return b;
}

/* Broken: the file's format is not the documented one, or a part of a graph is lost. */
static void test_written(void **state) {
    (void)state;
    static const char *comments[] = {"bin_size 8", "batches 9"};
    struct graph g = example(), back;
    struct error e = {0};
    char path[] = "/tmp/hotgraph-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(graph_write(&g, path, (struct graph_write_options){comments, 2, true}, &e),
                     STATUS_OK);
    struct bytes text = contents(path);
    assert_string_equal((char *)text.at,
                        "# bin_size 8\n# batches 9\n#block 0xc000 0xc00e\n#block 0xc010 0xc010\n"
                        "#block 0x10c010 0x10c012\n0xc000\t0xc010\t12\t1\n"
                        "0xc010\t0xc000\t4294967296\t0\n");
    bytes_free(&text);
    assert_int_equal(graph_read(&back, path, &e), STATUS_OK);
    assert_int_equal(back.edge_count, 2);
    assert_int_equal(back.block_count, 3);
    for (size_t i = 0; i < 2; i++)
        assert_true(back.edges[i].source == g.edges[i].source &&
                    back.edges[i].target == g.edges[i].target &&
                    back.edges[i].count == g.edges[i].count &&
                    back.edges[i].busy == g.edges[i].busy);
    assert_memory_equal(back.blocks, g.blocks, 3 * sizeof *g.blocks);
    graph_free(&back);
    assert_int_equal(graph_export(&g, path, &(struct graph_export_options){0}, &e), STATUS_OK);
    text = contents(path);
    assert_string_equal((char *)text.at,
                        "digraph {\n\tnode [shape=box, fontname=\"DejaVu Sans "
                        "Mono\"];\n\t_0xc000\n\t_0xc010\n\t_0x10c010\n"
                        "\t_0xc000 -> _0xc010 [label=\"12\", penwidth=1.0, style=dashed]\n"
                        "\t_0xc010 -> _0xc000 [label=\"4294967296\", penwidth=4.0]\n}\n");
    bytes_free(&text);
    unlink(path);
}

/* Broken: `compare` cannot say which of its files is missing. */
static void test_missing(void **state) {
    (void)state;
    struct graph g;
    struct error e = {0};
    assert_int_equal(graph_read(&g, "/nonexistent/h.graph", &e), STATUS_IO);
    assert_non_null(strstr(e.text, "/nonexistent/h.graph"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
