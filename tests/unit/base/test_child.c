/* child: if this fails, programs that we start outlive us, inherit what is ours, or fail to start
 * without a message. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs the command; its standard output goes to text. Returns its exit status. */
static int run(const char *const *words, const char *input, char text[1000]) {
    FILE *said = tmpfile();
    struct error e = {0};
    int status = -1;
    assert_non_null(said);
    if (child_run(words, input, strlen(input), 1, fileno(said), NULL, &status, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    rewind(said);
    text[fread(text, 1, 999, said)] = 0;
    fclose(said);
    return status;
}

/* Broken: gnuplot draws in the user's language, or gets no script; a child has our descriptors. */
static void feeds(void **state) {
    (void)state;
    char text[1000];
    const int ours = open("/dev/null", O_RDONLY); /* not closed at exec */
    assert_true(ours > 2);
    setenv("LC_ALL", "nonsense", 1);
    const char *const words[] = {"sh", "-c",
                                 "cat; echo $LC_ALL; for n in 2 3 4 5 6 7 8 9; do"
                                 " test ! -e /proc/$$/fd/$n || echo $n; done; exit 3",
                                 NULL};
    assert_int_equal(run(words, "script\n", text), 3);
    assert_string_equal(text, "script\nC.UTF-8\n2\n");
    assert_string_equal(getenv("LC_ALL"), "nonsense");
    close(ours);
}

/* Broken: a folder in $PATH with the name of a program is started instead of it. */
static void finds_programs(void **state) {
    (void)state;
    char folder[] = "/tmp/child-XXXXXX", path[100], found[100], *before = strdup(getenv("PATH"));
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sh", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(child_find(path, found, sizeof found));
    char search[100];
    snprintf(search, sizeof search, "%s:/bin", folder);
    setenv("PATH", search, 1);
    assert_true(child_find("sh", found, sizeof found));
    assert_string_equal(found, "/bin/sh");
    setenv("PATH", before, 1);
    free(before);
    rmdir(path);
    rmdir(folder);
}

/* Broken: the message about a missing program is only "status 127". */
static void says_why(void **state) {
    (void)state;
    struct error e = {0};
    int status = 0;
    const char *const none[] = {"no-such-program", NULL}, *const folder[] = {"/tmp", NULL};
    assert_int_equal(child_run(none, "", 0, 1, 1, NULL, &status, &e), STATUS_IO);
    assert_non_null(strstr(e.text, "no-such-program cannot be started"));
    struct child child;
    assert_int_equal(
        child_start(&child, &(struct child_request){.path = "/tmp", .words = folder}, &e),
        STATUS_IO);
    assert_string_equal(e.text, "/tmp: cannot be started: Permission denied");
    assert_int_equal(
        child_start(
            &child,
            &(struct child_request){.path = "/bin/sh", .words = folder, .folder = "/nowhere"}, &e),
        STATUS_IO);
    assert_string_equal(e.text,
                        "/bin/sh: cannot be started in /nowhere: No such file or directory");
    assert_int_equal(child.id, 0);
}

/* Broken: variables are set twice, or those of other names are lost. */
static void changes_environment(void **state) {
    (void)state;
    setenv("CHILD_TEST", "before", 1);
    setenv("CHILD_TEST_2", "stays", 1);
    char **env = child_env((const char *const[]){"CHILD_TEST=after", "CHILD_NEW=1", NULL});
    assert_non_null(env);
    unsigned found = 0;
    for (char **at = env; *at != NULL; at++)
        if (strncmp(*at, "CHILD_", 6) == 0) {
            found++;
            assert_true(strcmp(*at, "CHILD_TEST=after") == 0 || strcmp(*at, "CHILD_NEW=1") == 0 ||
                        strcmp(*at, "CHILD_TEST_2=stays") == 0);
        }
    assert_int_equal(found, 3);
    assert_string_equal(getenv("CHILD_TEST"), "before");
    free(env);
}

/* A child that waits for ever, started with or without a group of its own, and the program that it
 * started. */
static void start_forever(struct child *child, bool group, pid_t pids[2]) {
    struct error e = {0};
    int out[2];
    char line[100] = "";
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    const int files[3] = {0, out[1], 2};
    const char *const words[] = {"sh", "-c", "sleep 100000 & echo $$ $!; wait", NULL};
    if (child_start(child, &(struct child_request){.words = words, .files = files, .group = group},
                    &e) != STATUS_OK)
        fail_msg("%s", e.text);
    for (size_t n = 0; strchr(line, '\n') == NULL; n++)
        assert_int_equal(read(out[0], line + n, 1), 1);
    assert_int_equal(sscanf(line, "%d %d", &pids[0], &pids[1]), 2);
    close(out[0]);
    close(out[1]);
}

static bool runs(pid_t id) {
    char path[64], word[8] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)id);
    FILE *file = fopen(path, "r");
    const bool there = file != NULL && fscanf(file, "%*d %*s %1s", word) == 1;
    if (file != NULL)
        fclose(file);
    return there && word[0] != 'Z' && word[0] != 'X';
}

static void wait_until_gone(pid_t id) {
    for (int i = 0; runs(id); i++) {
        assert_true(i < 60000);
        usleep(1000);
    }
}

/* Broken: after our process is killed with -9, the programs that it started run on. */
static void ends_with_its_parent(void **state) {
    (void)state;
    for (int group = 0; group < 2; group++) {
        int line[2];
        pid_t pids[2] = {0};
        assert_int_equal(pipe(line), 0);
        const pid_t parent = fork();
        if (parent == 0) {
            struct child child;
            start_forever(&child, group != 0, pids);
            if (write(line[1], pids, sizeof pids) != sizeof pids)
                _exit(1);
            pause();
        }
        assert_int_equal(read(line[0], pids, sizeof pids), sizeof pids);
        assert_true(runs(pids[0]) && runs(pids[1]));
        kill(parent, SIGKILL);
        waitpid(parent, NULL, 0);
        wait_until_gone(pids[0]);
        if (group != 0)
            wait_until_gone(pids[1]);
        else
            kill(pids[1], SIGKILL);
        close(line[0]);
        close(line[1]);
    }
}

static int always(void) {
    return 1;
}

/* Broken: a Ctrl-C waits for a child, or leaves the child's own programs running. */
static void stops(void **state) {
    (void)state;
    struct child child;
    struct error e = {0};
    pid_t pids[2];
    int word;
    start_forever(&child, true, pids);
    assert_false(child_ended(&child));
    assert_int_equal(child_wait(&child, always, &word, &e), STATUS_INTERRUPTED);
    assert_true(WIFSIGNALED(word) && WTERMSIG(word) == SIGTERM);
    assert_int_equal(child_status(word), 128 + SIGTERM);
    wait_until_gone(pids[1]);
}

/* Broken: a Ctrl-C waits for ever for a child that ignores it. */
static void stops_what_ignores_it(void **state) {
    (void)state;
    static const char deaf[] = "trap '' TERM; echo; while :; do sleep 1; done";
    int line[2], word;
    char ready;
    struct child child;
    struct error e = {0};
    assert_int_equal(pipe(line), 0);
    const int files[3] = {0, line[1], 2};
    const struct child_request request = {
        .words = (const char *const[]){"sh", "-c", deaf, NULL}, .files = files, .group = true};
    assert_int_equal(child_start(&child, &request, &e), STATUS_OK);
    assert_int_equal(read(line[0], &ready, 1), 1);
    assert_int_equal(child_wait(&child, always, &word, &e), STATUS_INTERRUPTED);
    assert_true(WIFSIGNALED(word) && WTERMSIG(word) == SIGKILL);
    close(line[0]);
    close(line[1]);
}

/* Starts a child and waits for it, as a thread of a sweep does. */
static void *in_a_thread(void *status) {
    char text[1000];
    const char *const words[] = {"sh", "-c", "read line; exit 5", NULL};
    *(int *)status = run(words, "", text);
    return NULL;
}

/* Broken: a child that a thread has started is killed while it is waited for, or locks up. */
static void from_threads(void **state) {
    (void)state;
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    int statuses[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, in_a_thread, &statuses[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(statuses[i], 5);
    }
}

/* Broken: the time reported for a program is that of the waiting process, which uses none. */
static void has_taken_time(void **state) {
    (void)state;
    static const char loop[] = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    struct child child;
    struct error e = {0};
    int word;
    assert_int_equal(
        child_start(&child,
                    &(struct child_request){.words = (const char *const[]){"sh", "-c", loop, NULL}},
                    &e),
        STATUS_OK);
    assert_int_equal(child_wait(&child, NULL, &word, &e), STATUS_OK);
    assert_int_equal(child_status(word), 0);
    assert_true(child.seconds > 0.001);
}

static void do_not_come_here(void) {
    _exit(99);
}

/* Broken: handlers that libraries have for fork() run in the child, where they wait for ever for a
 * lock that another thread held. */
static void calls_no_handlers(void **state) {
    (void)state;
    char text[1000];
    assert_int_equal(pthread_atfork(NULL, NULL, do_not_come_here), 0);
    assert_int_equal(run((const char *const[]){"echo", "here", NULL}, "", text), 0);
    assert_string_equal(text, "here\n");
}

/* Broken: a temporary file stays behind. */
static void scratch_has_no_name(void **state) {
    (void)state;
    char folder[] = "/tmp/test-child-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    const int fd = child_scratch();
    unsetenv("TMPDIR");
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(rmdir(folder), 0); /* nothing is in it */
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_programs),
        cmocka_unit_test(feeds),
        cmocka_unit_test(says_why),
        cmocka_unit_test(changes_environment),
        cmocka_unit_test(ends_with_its_parent),
        cmocka_unit_test(stops),
        cmocka_unit_test(stops_what_ignores_it),
        cmocka_unit_test(from_threads),
        cmocka_unit_test(has_taken_time),
        cmocka_unit_test(scratch_has_no_name),
        cmocka_unit_test(calls_no_handlers), /* last: the handler stays */
    };
    return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
