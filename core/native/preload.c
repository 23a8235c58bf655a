/* The library as `hotgraph native` preloads it: inserts probes before main; the counts go to the
 * session's folder. */
#include "native/edges/edge_late.h"
#include "native/edges/edge_probes.h"
#include "native/ending.h"
#include "native/hit/shadows.h"
#include "native/hit/signals.h"
#include "native/interpose.h"
#include "native/lines.h"
#include "native/session.h"
#include "native/session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct order {
    char folder[3000], counters[4096], thread_counters[4096], functions[1024];
    enum hotprobe_kind kind;
    uint64_t threshold;
    bool atomic, graph;
    struct hotprobe_options options;
};

/* The list of hot sites: its length, then their numbers. */
static uint64_t *hot;
static size_t hot_bytes;

static void on_hot(const struct hotprobe_hit *hit) {
    uint64_t k = __atomic_fetch_add(hot, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&hot[k + 1], (uint64_t)(uintptr_t)hit->data, __ATOMIC_RELAXED);
}

/* The child of a fork gets a list of its own. */
static void hot_part(void) {
    void *copy = mmap(NULL, hot_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return;
    memcpy(copy, hot, hot_bytes);
    (void)mremap(copy, hot_bytes, hot_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, hot);
}

/* Ends the process before the program starts: it must not run uncounted. */
__attribute__((noreturn, format(printf, 2, 3))) static void give_up(const struct order *o,
                                                                    const char *format, ...) {
    struct lines l;
    char text[1100];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (lines_open(&l, o->folder, "error")) {
        lines_put(&l, text, strlen(text));
        lines_close(&l);
    }
    _exit(127);
}

/* ---- removes the session from the environment ---- */

static void environment_take(const char *name, const char *instead) {
    size_t n = strlen(name);
    for (char **e = environ; e != NULL && *e != NULL;) {
        if (strncmp(*e, name, n) != 0 || (*e)[n] != '=') {
            e++;
        } else if (instead != NULL && strlen(instead) <= strlen(*e + n + 1)) {
            strcpy(*e + n + 1, instead);
            e++;
        } else {
            for (char **k = e; (k[0] = k[1]) != NULL;)
                k++;
        }
    }
}

static void option(struct order *o, const char *key, const char *value) {
    uint64_t n = strtoull(value, NULL, 10);
    if (strcmp(key, "kind") == 0 && strcmp(value, "edges") == 0)
        o->graph = true;
    else if (strcmp(key, "kind") == 0)
        o->kind = strcmp(value, "entries") == 0  ? HOTPROBE_ENTRIES
                  : strcmp(value, "blocks") == 0 ? HOTPROBE_BLOCKS
                                                 : HOTPROBE_INSTRUCTIONS;
    else if (strcmp(key, "threshold") == 0)
        o->threshold = n;
    else if (strcmp(key, "functions") == 0)
        snprintf(o->functions, sizeof o->functions, "%s", value);
    else if (strcmp(key, "without") == 0)
        o->options.without = (unsigned)n;
    else if (strcmp(key, "assign") == 0)
        o->options.assign = strcmp(value, "greedy") == 0  ? HOTPROBE_GREEDY
                            : strcmp(value, "exact") == 0 ? HOTPROBE_EXACT
                                                          : HOTPROBE_LOCAL;
    else if (strcmp(key, "trap") == 0)
        o->options.trap = n != 0;
    else if (strcmp(key, "unproven") == 0)
        o->options.unproven = n != 0;
    else if (strcmp(key, "libraries") == 0)
        o->options.libraries = n != 0;
    else if (strcmp(key, "late") == 0)
        o->options.late = (size_t)n;
    else if (strcmp(key, "atomic") == 0)
        o->atomic = n != 0;
    else if (strcmp(key, "per-thread") == 0)
        o->options.per_thread = n != 0;
    else if (strcmp(key, "preload") == 0)
        environment_take("LD_PRELOAD", value[0] != 0 ? value : NULL);
}

static void options_read(struct order *o) {
    char path[4096], text[8192];
    snprintf(path, sizeof path, "%s/options", o->folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        give_up(o, "%s: %s", path, strerror(errno));
    text[n] = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        char *space = strchr(line, ' ');
        if (space != NULL) {
            *space = 0;
            option(o, line, space + 1);
        }
    }
}

/* ---- sites ---- */

struct chosen {
    VEC(struct hotprobe_request) requests;
    VEC(const struct hotprobe_function *) functions;
};

static bool choose(struct chosen *c, const struct hotprobe *h, const struct order *o) {
    const struct hotprobe_function *f;
    size_t n = hotprobe_functions(h, &f);
    for (size_t i = 0; i < n; i++, f++) {
        if (o->functions[0] != 0 && (f->name == NULL || fnmatch(o->functions, f->name, 0) != 0))
            continue;
        for (uintptr_t at = hotprobe_next_site(h, f, o->kind, 0); at != 0;
             at = hotprobe_next_site(h, f, o->kind, at)) {
            struct hotprobe_request r = {.site = at,
                                         .threshold = o->threshold,
                                         .flags = o->atomic ? HOTPROBE_ATOMIC : 0,
                                         .data = (void *)c->requests.len};
            if (o->threshold != 0)
                r.call = on_hot;
            if (!seq_push(&c->requests, r) || !seq_push(&c->functions, f))
                return false;
        }
    }
    return true;
}

/* Refuses a session whose files grow beyond the limit of file sizes; otherwise the limit's signal
 * would end the program. */
static void check_file_size(const struct chosen *c, const struct order *o) {
    enum { LINE = 100, COUNTER = 8, ROUND = 1 << 18 };
    struct rlimit size;
    uint64_t counters = ROUND + COUNTER * (uint64_t)c->requests.len, need = ROUND;
    for (size_t i = 0; i < c->requests.len; i++) {
        const char *name = c->functions.at[i]->name;
        need += LINE + (name != NULL ? strlen(name) : 1);
    }
    if (o->options.per_thread && need < HOTPROBE_THREAD_SLOTS * (uint64_t)COUNTER * 2)
        need = HOTPROBE_THREAD_SLOTS * (uint64_t)COUNTER * 2;
    need = counters > need ? counters : need;
    if (getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur < need)
        give_up(o,
                "files may have only %llu bytes (ulimit -f), and %zu sites need %llu: raise the "
                "limit, or choose functions with --functions",
                (unsigned long long)size.rlim_cur, c->requests.len, (unsigned long long)need);
}

static bool hot_open(const struct order *o, size_t sites) {
    char path[4096];
    snprintf(path, sizeof path, "%s/hot", o->folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    hot_bytes = ((sites + 1) * sizeof *hot + 4095) & ~(size_t)4095;
    if (fd < 0 || ftruncate(fd, (off_t)hot_bytes) != 0)
        return false;
    void *at = mmap(NULL, hot_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    hot = at != MAP_FAILED ? at : NULL;
    return hot != NULL && pthread_atfork(NULL, NULL, hot_part) == 0;
}

static bool sites_write(const struct chosen *c, const struct order *o) {
    struct lines sites, objects;
    if (!lines_open(&objects, o->folder, "objects"))
        return false;
    if (!lines_open(&sites, o->folder, "sites"))
        return lines_close(&objects) && false;
    uint64_t object = 0;
    for (size_t i = 0; i < c->requests.len; i++) {
        const struct hotprobe_request *r = &c->requests.at[i];
        const struct hotprobe_function *f = c->functions.at[i];
        const char *name = f->name != NULL ? f->name : "-";
        bool fresh = i == 0 || f->object != c->functions.at[i - 1]->object;
        object += fresh && i > 0;
        if (fresh) {
            lines_put(&objects, f->object, strlen(f->object));
            lines_put(&objects, "\n", 1);
        }
        lines_number(&sites, object);
        lines_number(&sites, r->site - f->base);
        lines_number(&sites, r->own);
        lines_number(&sites, r->counter);
        lines_number(&sites, r->strategy);
        lines_number(&sites, r->reason);
        lines_number(&sites, r->unproven);
        lines_number(&sites, f->start - f->base);
        lines_put(&sites, name, strlen(name));
        lines_put(&sites, "\n", 1);
    }
    bool ok = lines_close(&objects);
    return lines_close(&sites) && ok;
}

/* The counters of functions, blocks or instructions. */
static void sites_start(struct hotprobe *h, const struct order *o) {
    struct chosen c = {0};
    struct error e = {0};
    if (!choose(&c, h, o))
        give_up(o, "out of memory");
    check_file_size(&c, o);
    if (!hot_open(o, c.requests.len))
        give_up(o, "out of memory");
    if (c.requests.len == 0)
        give_up(o,
                o->functions[0] != 0 ? "no function's name matches '%.800s'"
                                     : "no function was found: no symbols and no .eh_frame%.0s",
                o->functions);
    if (hotprobe_insert(h, c.requests.at, c.requests.len, &e) != STATUS_OK)
        give_up(o, "%s", e.text);
    if (!sites_write(&c, o))
        give_up(o, "%s: cannot write", o->folder);
    seq_free(&c.requests);
    seq_free(&c.functions);
}

/* The library is linked to be the first that the loader initialises (-z initfirst), so that the
 * initialisation of others is counted. libc does not know the environment yet. */
__attribute__((constructor)) static void start(int argc, char **argv, char **env) {
    (void)argc;
    (void)argv;
    if (environ == NULL)
        environ = env;
    const char *folder = getenv(HOTPROBE_SESSION);
    if (folder == NULL)
        return;
    static struct order o; /* static, because the stack may be small */
    struct error e = {0};
    struct hotprobe *h = NULL;
    snprintf(o.folder, sizeof o.folder, "%s", folder);
    options_read(&o);
    environment_take(HOTPROBE_SESSION, NULL);
    snprintf(o.counters, sizeof o.counters, "%s/counters", o.folder);
    o.options.counters = o.counters;
    snprintf(o.thread_counters, sizeof o.thread_counters, "%s/threads", o.folder);
    o.options.thread_counters = o.thread_counters;
    o.options.at_start = true;
    if (!o.graph)
        o.options.late = 0;
    o.options.trap |= o.graph;
    o.options.without_loader = o.graph;
    o.options.spread = !o.graph;
    int fd = open(o.counters, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        give_up(&o, "%s: %s", o.counters, strerror(errno));
    close(fd);
    if (hotprobe_open(&h, &o.options, &e) != STATUS_OK)
        give_up(&o, "%s", e.text);
    if (o.graph)
        interpose_find();
    if (!o.graph)
        sites_start(h, &o);
    else if (edges_start(h, o.folder, &e) != STATUS_OK)
        give_up(&o, "%s", e.text);
    if (session_settle(h, &e) != STATUS_OK)
        give_up(&o, "%s", e.text);
    if (late_open(h, &e) != STATUS_OK)
        give_up(&o, "%s", e.text);
    if (o.graph) {
        ending_watch();
        shadows_put(&h->pairs.head[SESSION_PAIRS_SHADOWS], SESSION_SHADOWS);
    }
    /* No calls from here on: all that libc has done so far was done for this function. */
    if (o.graph) {
        pool_forget(h);
        pairs_forget(&h->pairs);
    }
}

/* exit() calls this after the program's functions. */
__attribute__((destructor)) static void end(void) {
    ending_threads();
}
