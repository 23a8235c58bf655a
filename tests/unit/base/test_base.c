/* base: errors, containers, hashing, and files that appear whole or not at all. */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct folder {
    char path[64];
};

static int make_folder(void **state) {
    struct folder *f = calloc(1, sizeof *f);
    strcpy(f->path, "/tmp/hotgraph-base-XXXXXX");
    if (f == NULL || mkdtemp(f->path) == NULL)
        return -1;
    *state = f;
    return 0;
}

static int remove_folder(void **state) {
    struct folder *f = *state;
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", f->path, f->path);
    int status = system(command);
    free(f);
    return status;
}

static size_t count_files(const char *path) {
    DIR *d = opendir(path);
    size_t n = 0;
    for (struct dirent *entry; d != NULL && (entry = readdir(d)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(d);
    return n;
}

/* A long message must not overflow, and adding a prefix must keep the message. */
static void errors_keep_their_text(void **state) {
    (void)state;
    struct error e = {0};
    char large[3000];
    memset(large, 'x', sizeof large);
    large[sizeof large - 1] = 0;
    assert_int_equal(error_set(&e, STATUS_IO, "%s", large), STATUS_IO);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    error_set(&e, STATUS_FORMAT, "line %d", 7);
    error_prefix(&e, "file %s", "a.txt");
    assert_string_equal(e.text, "file a.txt: line 7");
    assert_int_equal(e.status, STATUS_FORMAT);
    /* If both do not fit, the prefix is complete and the text is cut. */
    error_set(&e, STATUS_IO, "%s", large);
    error_prefix(&e, "file %s", "a.txt");
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_memory_equal(e.text, "file a.txt: xxx", 15);
    error_set(&e, STATUS_IO, "reason");
    error_prefix(&e, "%.*s", (int)sizeof e.text - 3, large);
    assert_int_equal(strlen(e.text), sizeof e.text - 3);
    error_set(&e, STATUS_IO, "reason");
    error_prefix(&e, "%.*s", (int)sizeof e.text - 4, large);
    assert_string_equal(e.text + sizeof e.text - 4, ": r");
    assert_int_equal(error_set(NULL, STATUS_MEMORY, "nobody listens"), STATUS_MEMORY);
}

/* A map that loses or doubles a key would lose edges: compare with a plain array over clustered
 * keys. */
static void map_agrees_with_an_array(void **state) {
    (void)state;
    enum { KEYS = 5000 };
    static uint64_t expected[KEYS];
    memset(expected, 0, sizeof expected);
    struct map m = {0};
    assert_null(map_find(&m, 1));
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t k = splitmix64(1, i) % KEYS;
        expected[k] += i;
        uint64_t *at = map_at(&m, k << 13);
        assert_non_null(at);
        *at += i;
    }
    uint64_t key, value, seen = 0;
    for (size_t position = 0; map_next(&m, &position, &key, &value); seen++) {
        assert_int_equal(key & 0x1FFF, 0);
        assert_int_equal(value, expected[key >> 13]);
    }
    assert_int_equal(seen, m.len);
    for (uint64_t k = 0; k < KEYS; k++)
        assert_int_equal(map_find(&m, k << 13) != NULL, expected[k] != 0);
    map_free(&m);
}

/* Streams, jitter and movies are made from this generator: its outputs must stay the published
 * ones. */
/* Sorts by keys that differ in any bits; equal keys keep their order. */
static void sorting_is_stable(void **state) {
    (void)state;
    static const uint32_t masks[] = {0, 3, 0xff00, 0x00ff0000, 0x80000001, UINT32_MAX};
    enum { MOST = 700 };
    uint64_t seed = 0;
    for (size_t count = 0; count <= MOST; count += count < 5 ? 1 : 139)
        for (unsigned m = 0; m < sizeof masks / sizeof *masks; m++) {
            /* Allocated with their exact size, so that reading beyond their end is noticed. */
            uint32_t *const first = malloc(count * sizeof *first + (count == 0));
            uint32_t *const second = malloc(count * sizeof *second + (count == 0));
            assert_true(first != NULL && second != NULL);
            for (size_t i = 0; i < count; i++) {
                first[i] = (uint32_t)splitmix64(7, seed++) & masks[m];
                second[i] = (uint32_t)splitmix64(8, seed++) & 15;
            }
            uint32_t *const order = sorted_order(second, count);
            assert_non_null(order);
            assert_true(sort_by_key(order, first, count));
            bool seen[MOST + 1] = {false};
            for (size_t i = 0; i < count; i++) {
                assert_in_range(order[i], 0, count - 1);
                assert_false(seen[order[i]]);
                seen[order[i]] = true;
                if (i == 0)
                    continue;
                const uint32_t a = order[i - 1], b = order[i];
                assert_true(first[a] <= first[b]);
                if (first[a] == first[b])
                    assert_true(second[a] < second[b] || (second[a] == second[b] && a < b));
            }
            free(order);
            free(first);
            free(second);
        }
}

static void published_hash_values(void **state) {
    (void)state;
    assert_true(splitmix64(1234567, 0) == 6457827717110365317u);
    assert_true(splitmix64(1234567, 1) == 3203168211198807973u);
    assert_true(fnv1a64("", 0) == 0xCBF29CE484222325u);
    assert_true(fnv1a64("foobar", 6) == 0x85944171F73967E8u);
    char hex[41];
    sha1_hex("abc", 3, hex);
    assert_string_equal(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
    uint8_t md5[16];
    md5_bytes("a", 1, "bc", 2, md5);
    assert_int_equal(md5[0], 0x90);
    assert_int_equal(md5[15], 0x72);
}

static void round_trip(const char *path, size_t size) {
    uint8_t *data = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)splitmix64(9, i);
    struct file_writer *w;
    struct error e = {0};
    assert_int_equal(file_open(&w, path, &e), STATUS_OK);
    file_write(w, data, size / 2);
    assert_int_not_equal(access(path, F_OK), 0); /* nothing is visible before the commit */
    file_write(w, data + size / 2, size - size / 2);
    assert_int_equal(file_commit(w, &e), STATUS_OK);
    struct bytes b;
    assert_int_equal(file_read(&b, path, size, &e), STATUS_OK);
    assert_int_equal(b.len, size);
    assert_memory_equal(b.at, data, size);
    assert_int_equal(b.at[size], 0);
    bytes_free(&b);
    struct file_view v;
    assert_int_equal(file_view_path(&v, path, size, &e), STATUS_OK);
    assert_int_equal(v.len, size);
    assert_memory_equal(v.at, data, size);
    file_view_free(&v);
    if (size > 0) {
        assert_int_equal(file_read(&b, path, size - 1, &e), STATUS_FORMAT);
        assert_non_null(strstr(e.text, path));
        e.text[0] = 0;
        assert_int_equal(file_view_path(&v, path, size - 1, &e), STATUS_FORMAT);
        assert_non_null(strstr(e.text, path));
    }
    free(data);
}

static void files_round_trip(void **state) {
    const char *folder = ((struct folder *)*state)->path;
    const size_t sizes[] = {0, 1, 65535, 65536, 65537, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/plain%zu", folder, i);
        round_trip(path, sizes[i]);
        snprintf(path, sizeof path, "%s/packed%zu.gz", folder, i);
        round_trip(path, sizes[i]);
    }
    assert_int_equal(count_files(folder), 12); /* no temporary file is left */
}

static void a_truncated_gzip_file_is_an_error(void **state) {
    char path[128];
    snprintf(path, sizeof path, "%s/cut.gz", ((struct folder *)*state)->path);
    round_trip(path, 100000);
    assert_int_equal(truncate(path, 50000), 0);
    struct bytes b;
    struct error e = {0};
    assert_int_equal(file_read(&b, path, 1 << 20, &e), STATUS_FORMAT);
    assert_non_null(strstr(e.text, "cut.gz"));
    assert_null(b.at);
}

/* The previous content must survive a failed write. A limit on the file size stands for a full disk
 * here. */
static void aborted_writes_leave_the_old_file(void **state) {
    const char *folder = ((struct folder *)*state)->path;
    char path[128];
    snprintf(path, sizeof path, "%s/kept", folder);
    round_trip(path, 10);
    struct file_writer *w;
    struct error e = {0};
    assert_int_equal(file_open(&w, path, &e), STATUS_OK);
    file_printf(w, "%01000d", 7);
    file_abort(w);
    struct bytes b;
    assert_int_equal(file_read(&b, path, 100, &e), STATUS_OK);
    assert_int_equal(b.len, 10);
    bytes_free(&b);
    assert_int_equal(count_files(folder), 1);
    file_abort(NULL);
}

/* `hotgraph sweep ... > file` prints before and after the tables. If this failed, one would
 * overwrite the other. */
static void open_descriptors_are_written_from_where_they_stand(void **state) {
    const char *folder = ((struct folder *)*state)->path;
    char path[128];
    snprintf(path, sizeof path, "%s/log", folder);
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "before ", 7), 7);
    struct file_writer *w;
    struct error e = {0};
    assert_int_equal(file_open_fd(&w, fd, "log", &e), STATUS_OK);
    file_printf(w, "within ");
    assert_int_equal(file_commit(w, &e), STATUS_OK);
    assert_int_equal(write(fd, "after", 5), 5);
    close(fd);
    struct bytes b;
    assert_int_equal(file_read(&b, path, 100, &e), STATUS_OK);
    assert_string_equal((char *)b.at, "before within after");
    bytes_free(&b);
    assert_int_equal(file_open_fd(&w, -1, "log", &e), STATUS_IO);
    assert_non_null(strstr(e.text, "log"));
}

/* `--out /dev/stdout` into a pipe: there is nothing to rename, and the pipe must get every byte. */
static void pipes_are_written_directly(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char path[64], text[16] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    struct file_writer *w;
    struct error e = {0};
    assert_int_equal(file_open(&w, path, &e), STATUS_OK);
    file_printf(w, "hello");
    assert_int_equal(file_commit(w, &e), STATUS_OK);
    assert_int_equal(read(ends[0], text, sizeof text), 5);
    assert_string_equal(text, "hello");
    close(ends[0]);
    close(ends[1]);
}

/* `--movie <(command)`: a pipe can be read only once, by its first reader. */
static void pipes_are_viewed_as_they_come(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "hello", 5), 5);
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    struct file_view v;
    struct error e = {0};
    assert_int_equal(file_view_path(&v, path, 100, &e), STATUS_OK);
    assert_int_equal(v.len, 5);
    assert_memory_equal(v.at, "hello", 5);
    file_view_free(&v);
    close(ends[0]);
}

/* The commit notices a full disk at the latest, and no half-written file gets the name. */
static void a_full_disk_is_an_error(void **state) {
    char path[128];
    snprintf(path, sizeof path, "%s/full", ((struct folder *)*state)->path);
    assert_int_equal(symlink("/dev/full", path), 0);
    const size_t sizes[] = {1, 100000};
    for (size_t i = 0; i < 2; i++) {
        struct file_writer *w;
        struct error e = {0};
        assert_int_equal(file_open(&w, path, &e), STATUS_OK);
        for (size_t k = 0; k < sizes[i]; k++)
            file_printf(w, "%zu\n", k);
        assert_int_equal(file_commit(w, &e), STATUS_IO);
        assert_non_null(strstr(e.text, strerror(ENOSPC)));
    }
}

static void missing_places_are_named(void **state) {
    char path[128];
    snprintf(path, sizeof path, "%s/no/such/file", ((struct folder *)*state)->path);
    struct bytes b;
    struct file_writer *w;
    struct error e = {0};
    assert_int_equal(file_read(&b, path, 100, &e), STATUS_IO);
    assert_non_null(strstr(e.text, path));
    e.text[0] = 0;
    assert_int_equal(file_open(&w, path, &e), STATUS_IO);
    assert_non_null(strstr(e.text, path));
    assert_null(w);
    struct file_view v;
    e.text[0] = 0;
    assert_int_equal(file_view_path(&v, path, 100, &e), STATUS_IO);
    assert_non_null(strstr(e.text, path));
    assert_int_equal(file_read(&b, ((struct folder *)*state)->path, 100, &e),
                     STATUS_IO); /* a folder */
}

/* Broken: a number that is too large is read as a different one, or an address loses a digit. */
static void numbers_keep_their_limits(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool hex;
        uint64_t most, value;
        int taken; /* characters; 0: there is no such number */
    } cases[] = {
        {"0", false, 255, 0, 1},
        {"255 ", false, 255, 255, 3},
        {"256", false, 255, 0, 0},
        {"260", false, 255, 0, 0},
        {"18446744073709551615", false, UINT64_MAX, UINT64_MAX, 20},
        {"18446744073709551616", false, UINT64_MAX, 0, 0},
        {"", false, 255, 0, 0},
        {"-1", false, 255, 0, 0},
        {"0xFF", true, 255, 255, 4},
        {"0x100", true, 255, 0, 0},
        {"0XaBcDeF09g", true, UINT32_MAX, 0xABCDEF09, 10},
        {"0xFEDCBA9876543210", true, UINT64_MAX, 0xFEDCBA9876543210, 18},
        {"0x1FEDCBA9876543210", true, UINT64_MAX, 0, 0},
        {"0x", true, 255, 0, 0},
        {"12", true, 255, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text, *const end = at + strlen(at);
        uint64_t value = 77;
        const bool found =
            (cases[i].hex ? scan_hex : scan_decimal)(&at, end, cases[i].most, &value);
        if (found != (cases[i].taken > 0) || at != cases[i].text + cases[i].taken ||
            value != (found ? cases[i].value : 77))
            fail_msg("%s: %d, %llu", cases[i].text, found, (unsigned long long)value);
    }
}

/* Broken: a message names a file by an unusual path, or, through a link, another file. */
static void paths_are_told_as_short_as_they_can_be(void **state) {
    struct folder *f = *state;
    static const char *const folders[] = {"a", "a/b", "other", "other/deep"};
    char path[128], target[128];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", f->path, folders[i]);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    snprintf(target, sizeof target, "%s/other/deep", f->path);
    snprintf(path, sizeof path, "%s/a/link", f->path);
    assert_int_equal(symlink(target, path), 0);
    char *before = getcwd(NULL, 0);
    assert_non_null(before);
    assert_int_equal(chdir(f->path), 0);
    static const char *const cases[][3] = {
        {"x.cfg", "y.nes", "y.nes"},
        {"a/x.cfg", "y.nes", "a/y.nes"},
        {"a/x.cfg", "/y.nes", "/y.nes"},
        {"a/x.cfg", "../y.nes", "y.nes"},
        {"a/b/x.cfg", "../../other/y.nes", "other/y.nes"},
        {"./a/x.cfg", "../y.nes", "./y.nes"},
        {"a/x.cfg", "../../y.nes", "../y.nes"},
        {"../x.cfg", "../y.nes", "../../y.nes"},
        {"a/link/x.cfg", "../y.nes", "a/link/../y.nes"},
        {"gone/x.cfg", "../y.nes", "gone/../y.nes"},
        {"a/x.cfg", "..y.nes", "a/..y.nes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *joined = file_beside(cases[i][0], cases[i][1], strlen(cases[i][1]));
        assert_string_equal(joined, cases[i][2]);
        free(joined);
    }
    assert_int_equal(chdir(before), 0);
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_keep_their_limits),
        cmocka_unit_test(errors_keep_their_text),
        cmocka_unit_test(map_agrees_with_an_array),
        cmocka_unit_test(sorting_is_stable),
        cmocka_unit_test(published_hash_values),
        cmocka_unit_test_setup_teardown(files_round_trip, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_truncated_gzip_file_is_an_error, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(aborted_writes_leave_the_old_file, make_folder,
                                        remove_folder),
        cmocka_unit_test(pipes_are_written_directly),
        cmocka_unit_test(pipes_are_viewed_as_they_come),
        cmocka_unit_test_setup_teardown(open_descriptors_are_written_from_where_they_stand,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_full_disk_is_an_error, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(missing_places_are_named, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(paths_are_told_as_short_as_they_can_be, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
