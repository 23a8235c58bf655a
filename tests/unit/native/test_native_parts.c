/* Parts of the library that its public header does not show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "native/session_state.h"
#include "native/text/code_pieces.h"
#include "native/text/decode.h"
#include "native/text/flags.h"

#ifdef __clang__
#define LEAVE __attribute__((noinline))
#else
#define LEAVE __attribute__((noipa))
#endif

struct item {
    uint32_t key, order;
    uint64_t more;
};
static int by_key(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void sort_and_check(struct item *items, size_t n, uint32_t keys, bool stable) {
    for (size_t i = 0; i < n; i++) {
        uint32_t key = (uint32_t)(splitmix64(n, i) % keys);
        items[i] = (struct item){key, (uint32_t)i, ~(uint64_t)i};
    }
    sort_items(items, n, sizeof *items, by_key);
    for (size_t i = 0; i < n; i++)
        assert_true(items[i].more == ~(uint64_t)items[i].order &&
                    items[i].key == splitmix64(n, items[i].order) % keys);
    for (size_t i = 1; i < n; i++)
        assert_true(
            items[i - 1].key < items[i].key ||
            (items[i - 1].key == items[i].key && (!stable || items[i - 1].order < items[i].order)));
}

/* What would break: a search by address misses items, because sorting left them out of order, or
 * failed where memory is short. */
static void test_sort(void **state) {
    (void)state;
    static struct item items[3000];
    for (size_t n = 0; n < 70; n++)
        sort_and_check(items, n, 20, true);
    sort_and_check(items, 3000, 400, true);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {4096, 4096};
        if (setrlimit(RLIMIT_AS, &none) != 0)
            _exit(1);
        sort_and_check(items, 3000, 400, false);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Two that call a third: one directly, one in its window, where the call has moved. */
static LEAVE int leaf(int x) {
    __asm__ volatile("" : "+r"(x));
    return x * 3 + (x >> 2);
}
static LEAVE int direct(int x) {
    int y = leaf(x);
    __asm__ volatile("" : "+r"(y));
    return leaf(y) + 1;
}
static LEAVE int through_pointer(int (*f)(int), int x) {
    return f(x) + 1;
}

/* The targets of calls in `of`, by a decoder that knows nothing of probes. */
static size_t calls_to(uintptr_t of, size_t size, uintptr_t target) {
    size_t n = 0;
    struct insn i;
    for (uintptr_t at = of; at < of + size && insn_decode(&i, at, of + size); at += i.length)
        n += (i.flow == FLOW_CALL || i.flow == FLOW_JUMP) && i.target == target;
    return n;
}

static const struct hotprobe_function *named(const struct hotprobe *h, uintptr_t at) {
    const struct hotprobe_function *f;
    size_t n = hotprobe_functions(h, &f);
    for (size_t i = 0; i < n; i++)
        if (f[i].start == at)
            return &f[i];
    fail_msg("the function was not found");
    return NULL;
}

/* After session_settle(), direct calls go straight to the stub, and others by way of the site;
 * each is counted once. */
static void test_settled(void **state) {
    (void)state;
    struct hotprobe *h = NULL;
    struct error e = {0};
    struct hotprobe_options at_start = {.at_start = true};
    assert_int_equal(hotprobe_open(&h, &at_start, &e), STATUS_OK);
    struct hotprobe_request r[] = {{.site = (uintptr_t)leaf}, {.site = (uintptr_t)through_pointer}};
    size_t size = named(h, (uintptr_t)direct)->end - (uintptr_t)direct;
    int want = direct(5) + through_pointer(leaf, 7);
    assert_int_equal(calls_to((uintptr_t)direct, size, (uintptr_t)leaf), 2);
    assert_int_equal(hotprobe_insert(h, r, 2, &e), STATUS_OK);
    assert_int_equal(r[0].reason, HOTPROBE_DONE);
    assert_int_equal(calls_to((uintptr_t)direct, size, (uintptr_t)leaf), 2);
    assert_int_equal(session_settle(h, &e), STATUS_OK);
    assert_int_equal(calls_to((uintptr_t)direct, size, (uintptr_t)leaf), 0);
    assert_int_equal(direct(5) + through_pointer(leaf, 7), want);
    assert_int_equal(hotprobe_count(h, &r[0]), 3);
    assert_int_equal(hotprobe_count(h, &r[1]), 1);
}

/* Compare, then jump through a pointer; the target uses the comparison's flags. (In the middle of a
 * function the targets are the function's own; at its entry the flags are its caller's, which
 * nobody reads.) */
__asm__(".text\n"
        ".globl compares_and_jumps\n"
        ".type compares_and_jumps, @function\n"
        "compares_and_jumps:\n"
        "    jmp *%rdx\n"
        "    cmp %rsi, %rdi\n"
        ".globl behind_compare\n"
        "behind_compare:\n"
        "    jmp *%rdx\n"
        ".size compares_and_jumps, . - compares_and_jumps\n");
extern const char compares_and_jumps[], behind_compare[];

/* What would break: a counter changes the flags that decide a jump table's target. */
static void test_flags_across_a_pointer(void **state) {
    (void)state;
    struct hotprobe *h = NULL;
    struct error e = {0};
    assert_int_equal(hotprobe_open(&h, &(struct hotprobe_options){.at_start = true}, &e),
                     STATUS_OK);
    const struct object *o = &h->objects.at[0];
    assert_true(flags_live(o, (uintptr_t)behind_compare));
    assert_false(flags_live(o, (uintptr_t)compares_and_jumps));
    hotprobe_close(h);
}

/* A window over both instructions is a call to its stub. */
__asm__(".text\n"
        ".globl asks_and_calls\n"
        ".type asks_and_calls, @function\n"
        "asks_and_calls:\n"
        "    cmp %rsi, %rdi\n"
        ".globl asks\n"
        "asks:\n"
        "    sete %al\n"
        "    call called\n"
        "    ret\n"
        ".size asks_and_calls, . - asks_and_calls\n"
        ".type called, @function\n"
        "called:\n"
        "    ret\n"
        ".size called, . - called\n");
extern const char asks[];

/* What would break: the probe before a patch changes the flags that the patched instruction reads. */
static void test_flags_before_a_patch(void **state) {
    (void)state;
    struct hotprobe *h = NULL;
    struct error e = {0};
    assert_int_equal(hotprobe_open(&h, &(struct hotprobe_options){.at_start = true}, &e),
                     STATUS_OK);
    struct hotprobe_request r = {.site = (uintptr_t)asks};
    const struct object *o = &h->objects.at[0];
    assert_true(flags_live(o, (uintptr_t)asks));
    assert_int_equal(hotprobe_insert(h, &r, 1, &e), STATUS_OK);
    assert_int_equal(r.reason, HOTPROBE_DONE);
    assert_true(*(const uint8_t *)asks != 0x0f);
    assert_true(flags_live(o, (uintptr_t)asks));
    hotprobe_close(h);
}

/* What would break: a program with much text takes minutes to start, because the list of its
 * mappings is read again for each of thousands; memory of the program is overwritten; or the
 * program cannot map memory, because probes use all mappings that the kernel allows. */
static void test_space(void **state) {
    (void)state;
    enum { PIECE = 8192, PIECES = 3000, ROOM = PIECE * (PIECES + 200) };
    struct space s = {0};
    uint8_t *room = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(room != MAP_FAILED);
    struct range in = {(uintptr_t)room, (uintptr_t)room + ROOM};
    /* Nothing is free there. */
    assert_true(space_map(&s, in, PIECE, PROT_READ, -1, 0, false) == 0 && !s.full);
    size_t before = s.surely;
    assert_true(before > 0);
    assert_int_equal(munmap(room, ROOM), 0);
    s.stale = true;
    uintptr_t high = space_map(&s, in, PIECE, PROT_READ, -1, 0, false);
    uintptr_t low = space_map(&s, in, PIECE, PROT_READ, -1, 0, true);
    assert_true(high > low && high + PIECE <= in.end && low == in.start);
    /* Mapped by others meanwhile: detected, and left alone. */
    uint8_t *other = mmap(room + PIECE, PIECE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert_true(other == room + PIECE);
    *other = 77;
    before = s.mappings;
    size_t read = s.surely;
    for (int i = 0; i < PIECES - 1; i++) {
        uintptr_t at = space_map(&s, in, PIECE, PROT_READ, -1, 0, i % 2 == 0);
        assert_true(at > in.start + PIECE && at + PIECE <= in.end);
    }
    assert_true(*other == 77 && s.mappings == before + PIECES - 1 && s.surely == read);
    s.limit = 1;
    struct range more = {0x10000000, 0x20000000};
    assert_true(space_map(&s, more, PIECE, PROT_READ, -1, 0, true) == 0 && s.full);
    s.limit = s.mappings + 1;
    assert_true(space_map(&s, more, PIECE, PROT_READ, -1, 0, true) != 0 && !s.full);
    munmap(room, ROOM);
    space_free(&s);
}

/* What would break: an edge is missing, because the search from the wrong place stopped too early. */
static void test_near(void **state) {
    (void)state;
    enum { PIECES = 40 };
    struct piece at[PIECES];
    const piece_list all = {.at = at, .len = PIECES}, none = {0};
    for (size_t k = 0; k < PIECES; k++)
        at[k] = (struct piece){.start = 100 + 3 * k};
    for (size_t from = 0; from < PIECES; from++)
        for (uintptr_t start = 90; start < 100 + 3 * PIECES + 10; start++)
            assert_ptr_equal(piece_near(&all, from, start), piece_at(&all, start));
    assert_null(piece_near(&none, 0, 100));
}

/* What would break: a stub overwrites another one; or memory that removed probes had is lost. */
static void test_pool(void **state) {
    (void)state;
    enum { GETS = 6000, MOST = 300 };
    static struct range got[GETS];
    struct hotprobe *h;
    struct error e;
    assert_int_equal(hotprobe_open(&h, NULL, &e), STATUS_OK);
    const struct reach near = {.base = (uintptr_t)&leaf};
    size_t chunks = 0;
    for (int round = 0; round < 3; round++) {
        for (size_t k = 0; k < GETS; k++) {
            if (round > 0 && k % 2 == 0)
                continue;
            const size_t size = 1 + splitmix64(11, k) % MOST;
            got[k].start = pool_get(h, size, &near);
            got[k].end = got[k].start + size;
            assert_true(got[k].start != 0);
        }
        chunks = round == 0 ? h->pool.chunks.len : chunks;
        struct range sorted[GETS];
        memcpy(sorted, got, sizeof got);
        sort_items(sorted, GETS, sizeof *sorted, by_number);
        for (size_t k = 1; k < GETS; k++)
            assert_true(sorted[k - 1].end <= sorted[k].start);
        for (size_t k = 1; k < GETS; k += 2)
            pool_put(h, got[k].start, got[k].end - got[k].start);
    }
    assert_true(h->pool.chunks.len <= chunks + 1); /* four more if nothing were reused */
    hotprobe_close(h);
}

/* What would break: a probe is put over another one that was not found; or a trap's patch is not
 * found, and the program dies. */
static void test_index(void **state) {
    (void)state;
    enum { SITES = 50000 };
    struct hotprobe h = {0};
    struct index *_Atomic table = NULL;
    static struct patch patches[SITES];
    assert_null(index_find(&table, 1));
    for (size_t k = 0; k < SITES; k++) {
        const uintptr_t at = 0x400000 + 7 * k + (k % 5 << 32);
        assert_null(index_find(&table, at));
        assert_true(index_set(&h, &table, at, &patches[k]));
    }
    for (size_t k = 0; k < SITES; k++) {
        const uintptr_t at = 0x400000 + 7 * k + (k % 5 << 32);
        assert_ptr_equal(index_find(&table, at), &patches[k]);
        assert_null(index_find(&table, at + 1));
        assert_null(index_find(&table, at + (5ull << 32)));
    }
    arena_free(&h.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sort),
                                       cmocka_unit_test(test_space),
                                       cmocka_unit_test(test_near),
                                       cmocka_unit_test(test_pool),
                                       cmocka_unit_test(test_index),
                                       cmocka_unit_test(test_flags_across_a_pointer),
                                       cmocka_unit_test(test_flags_before_a_patch),
                                       cmocka_unit_test(test_settled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
