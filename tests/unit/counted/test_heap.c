/* Counting allocated bytes. If this fails, the memory that a profile takes is wrong in all tables. */
#include "counted/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *at);

enum { BLOCKS = 3000, STEPS = 60000 };

/* The blocks of the model: their sizes are added up anew at each step. */
struct model {
    void *at[BLOCKS];
    size_t bytes[BLOCKS];
    uint64_t now, most;
};

static uint64_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

static void *allocated(unsigned how, size_t bytes) {
    switch (how) {
    case 0:
        return __wrap_malloc(bytes);
    case 1:
        return __wrap_calloc(bytes, 1);
    default:
        return __wrap_aligned_alloc(64, bytes);
    }
}

static void step(struct model *m, uint64_t *state) {
    const size_t i = draw(state) % BLOCKS, bytes = 64 * (1 + draw(state) % 40);
    const unsigned how = (unsigned)(draw(state) % 4);
    m->now -= m->bytes[i];
    if (how == 3) {
        m->at[i] = __wrap_realloc(m->at[i], bytes);
        m->bytes[i] = bytes;
    } else if (m->at[i]) {
        __wrap_free(m->at[i]);
        m->at[i] = NULL;
        m->bytes[i] = 0;
    } else {
        m->at[i] = allocated(how, bytes);
        m->bytes[i] = bytes;
    }
    m->now += m->bytes[i];
    if (m->now > m->most)
        m->most = m->now;
}

static void test_random_blocks(void **state) {
    (void)state;
    struct heap heap = {0};
    struct model *const m = calloc(1, sizeof *m);
    uint64_t seed = 1;
    assert_non_null(m);
    heap_into(&heap);
    for (unsigned i = 0; i < STEPS; i++) {
        step(m, &seed);
        assert_int_equal(heap.now, m->now);
        assert_int_equal(heap.most, m->most);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        __wrap_free(m->at[i]);
    assert_int_equal(heap.now, 0);
    assert_int_equal(heap.count, 0);
    assert_false(heap.incomplete);
    heap_into(NULL);
    heap_close(&heap);
    free(m);
}

/* What is allocated while nobody counts is not counted, nor is its end. */
static void test_unseen_blocks(void **state) {
    (void)state;
    struct heap heap = {0};
    void *const unseen = __wrap_malloc(100), *const grown = __wrap_malloc(100);
    heap_into(&heap);
    __wrap_free(unseen);
    assert_int_equal(heap.now, 0);
    void *const seen = __wrap_malloc(7), *const moved = __wrap_realloc(grown, 200);
    __wrap_free(NULL);
    assert_int_equal(heap.now, 207);
    heap_into(NULL);
    __wrap_free(moved);
    __wrap_free(seen);
    assert_int_equal(heap.most, 207);
    heap_close(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_blocks),
        cmocka_unit_test(test_unseen_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
